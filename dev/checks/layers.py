"""LAYERS: which folder may include which, and which outside libraries."""

import fnmatch
import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


class Layers:
    def __init__(self, text):
        self.folders = {}
        self.headers = []
        for line in text.split("\n"):
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "header":
                self.headers += [(pattern, words[1]) for pattern in words[2:]]
                continue
            bar = words.index(";")
            self.folders[words[1]] = (
                {w for w in words[2:bar] if w != "-"},
                {w for w in words[bar + 1:] if w != "-"},
            )

    def floors(self):
        return [f for f in self.folders if "/" not in f]

    def folder_of(self, path):
        """The row of LAYERS that rules a file, and the folder it may always include."""
        parts = path.split("/")
        if parts[0] == "src" and len(parts) > 2:
            return parts[1], parts[1]
        if parts[:2] == ["tests", "unit"] and len(parts) > 3:
            return parts[2], parts[2]
        folder = os.path.dirname(path)
        while folder:
            if folder in self.folders:
                return folder, None
            for row in self.folders:
                if "*" in row and fnmatch.fnmatch(folder, row) and folder.count("/") == row.count("/"):
                    return row, None
            folder = os.path.dirname(folder)
        return None, None

    def library_of(self, header):
        return next((lib for pattern, lib in self.headers if fnmatch.fnmatch(header, pattern)), None)


def includes(text):
    """(line, is_system, header) of each include."""
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match.group(1) == "<", match.group(2)


def check_system(layers, row, path, line, header):
    library = layers.library_of(header)
    if library == "system":
        return None
    if library is None:
        return path, line, f"<{header}> belongs to no library of LAYERS", "use what is there, or add the library to LAYERS with its reason"
    allowed = layers.folders[row][1] | ({"cmocka"} if path.startswith("tests/") else set())
    if library not in allowed:
        return path, line, f"{row} may not use {library}", "call a floor that may (LAYERS), or move this code there"
    return None


def check_tree(layers, row, own, path, line, header):
    target = header.split("/")[0]
    if "/" not in header or target not in layers.floors():
        local = path.startswith(("tests/", "tools/", "lib/"))
        return None if local else (path, line, f'"{header}" names no floor', 'write includes from src/: "base/slice.h"')
    if target != own and target not in layers.folders[row][0]:
        return path, line, f"{row} may not include {target}", "turn the dependency round (callback, struct of a lower floor), see LAYERS"
    return None


def check(tree):
    layers = Layers(tree.layers)
    for path in tree.c_files():
        row, own = layers.folder_of(path)
        if row is None or row not in layers.folders:
            if path.startswith(("src/", "tools/", "lib/")):
                yield path, 1, "this folder is not in LAYERS", "add a row that says what it may use"
            continue
        for line, system, header in includes(tree.text(path)):
            finding = (
                check_system(layers, row, path, line, header)
                if system
                else check_tree(layers, row, own, path, line, header)
            )
            if finding:
                yield finding


def check_order(tree):
    """Own header, then system, then tree."""
    for path in tree.match("src/*.c"):
        own = path[len("src/"):-2] + ".h"
        has_own = os.path.exists(os.path.join(tree.root, "src", own))
        state = "own"
        for line, system, header in includes(tree.text(path)):
            if state == "own":
                if has_own and header != own:
                    yield path, line, f'the first include is not "{own}"', "own header first: it then proves to stand alone"
                state = "system"
                # A part of a larger thing (mask.c of frames.h) has its header's folder in common with it.
                if not system and os.path.dirname(header) == os.path.dirname(own):
                    continue
            if system and state == "tree":
                yield path, line, f"<{header}> stands after an include of the tree", "own header, then system, then tree (dev/format)"
            if not system:
                state = "tree"
