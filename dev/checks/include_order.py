"""Puts the includes of C files into the order of the house: own header, system, tree; a blank line between.

Only a first block of nothing but includes and blank lines is touched; where the preprocessor or a comment stands
between them, somebody had a reason. Within a group the order stays.
"""

import os
import re
import sys

INCLUDE = re.compile(r'#\s*include\s*([<"])([^>"]+)[>"]')


def own_header(path, headers):
    """The header that comes first: the file's own, else one of its folder when the file has begun with it."""
    stem = path[len("src/"):-2] + ".h"
    if stem in headers:
        return stem
    first = headers[0]
    return first if os.path.dirname(first) == os.path.dirname(stem) else None


def ordered(path, lines):
    includes = [(INCLUDE.match(line), line) for line in lines if line.strip()]
    own = None
    if path.startswith("src/") and path.endswith(".c"):
        own = own_header(path, [m.group(2) for m, _ in includes])
    groups = ([], [], [])
    for match, line in includes:
        if match.group(2) == own:
            groups[0].append(line)
        else:
            groups[1 if match.group(1) == "<" else 2].append(line)
    return "\n\n".join("\n".join(group) for group in groups if group).split("\n")


def mend(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    first = next((i for i, line in enumerate(lines) if INCLUDE.match(line)), None)
    if first is None:
        return
    last = end = first
    while end < len(lines) and (not lines[end].strip() or INCLUDE.match(lines[end])):
        if lines[end].strip():
            last = end
        end += 1
    if any(INCLUDE.match(line) for line in lines[end:]):
        return
    mended = lines[:first] + ordered(path, lines[first:last + 1]) + lines[last + 1:]
    if mended != lines:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(mended))


for argument in sys.argv[1:]:
    mend(argument)
