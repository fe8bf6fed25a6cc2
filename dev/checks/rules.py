"""The rules of dev/check. Each yields findings: (path, line, what is wrong, how to mend it)."""

import json
import os
import re
import statistics
import subprocess

from . import csource, layers

FUNCTION_LINES = 80
COMPLEXITY = 15
NESTING = 4
PARAMS = 6
COLUMNS = 100
C_LINES = 800
H_LINES = 250

BANNED = {
    "strcpy": "use memcpy with a checked length",
    "strncpy": "use memcpy with a checked length",
    "strcat": "use base/format",
    "strncat": "use base/format",
    "sprintf": "use snprintf or base/format",
    "vsprintf": "use vsnprintf",
    "atoi": "parse with an error result",
    "atol": "parse with an error result",
    "strtok": "walk a slice",
    "alloca": "use the turn's arena",
    "gets": "use fgets",
}
BANNED_CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
# Written so that the rules do not find themselves.
LATER = re.compile(r"\b(?:TO[D]O|FI[X]ME|X[X]X)\b")
MACHINE = re.compile(r"(?<![\w.])/(?:w[o]rk|ro{2}t)/\w")
HOSTS = re.compile(r"\b(?:registry|artifactory|nexus|verdaccio)\.[\w.-]+\.\w+|\bregistry\s*=", re.IGNORECASE)


def lines_of(text):
    return enumerate(text.split("\n"), 1)


def banned_calls(tree):
    for path in tree.c_files():
        for number, line in lines_of(csource.strip(tree.text(path))):
            for match in BANNED_CALL.finditer(line):
                yield path, number, f"{match.group(1)}() is banned", BANNED[match.group(1)]


def struct_typedefs(tree):
    for path in tree.c_files():
        for number, line in lines_of(csource.strip(tree.text(path))):
            if re.match(r"\s*typedef\s+(?:struct|union|enum)\b", line) and "(" not in line:
                yield path, number, "typedef of a struct, union or enum", "write the tag where it is used"


def function_size(tree):
    for path in tree.match("src/*.c", "tools/*.c", "lib/*.c", "tests/*.c", "src/*.h"):
        if tree.is_generated(path):
            continue
        for f in csource.functions(csource.strip(tree.text(path))):
            for value, limit, what, mend in (
                (f.lines, FUNCTION_LINES, "lines", "name its steps and make them functions"),
                (f.complexity, COMPLEXITY, "complexity", "a table, a guard first, or a function for the inner part"),
                (f.nesting, NESTING, "nesting", "return early, or give the inner loop a name"),
                (f.params, PARAMS, "parameters", "pass a struct"),
            ):
                if value > limit:
                    yield path, f.line, f"{f.name}(): {what} {value}, {limit} allowed", mend


def file_size(tree):
    for path in tree.c_files():
        if tree.is_generated(path):
            continue
        count = tree.text(path).count("\n")
        limit = H_LINES if path.endswith(".h") else C_LINES
        if count > limit:
            yield path, 1, f"{count} lines, {limit} allowed", "one file, one idea: split it"


def line_width(tree):
    """What clang-format cannot break: a drawing in a comment. A long string may stand."""
    for path in tree.c_files():
        wide = [
            number
            for number, line in lines_of(tree.text(path))
            if len(line.expandtabs(8)) > COLUMNS and '"' not in line
        ]
        if wide and not tree.is_generated(path):
            yield path, wide[0], f"{len(wide)} lines over {COLUMNS} columns", "dev/format; draw drawings narrower"


def unique_stems(tree):
    seen = {}
    for path in tree.match("src/*.c", "src/*.h"):
        stem = os.path.splitext(os.path.basename(path))[0]
        place = os.path.splitext(path)[0]
        if seen.setdefault(stem, place) != place:
            yield path, 1, f"the stem {stem} is taken by {seen[stem]}", "stems are unique in the tree: stem = type = prefix"


def later_marks(tree):
    for path in tree.text_files():
        for number, line in lines_of(tree.text(path)):
            match = LATER.search(line)
            if match:
                yield path, number, f"{match.group(0)} left behind", "do it, or open an issue"


def white_space(tree):
    for path in tree.text_files():
        text = tree.text(path)
        for number, line in lines_of(text):
            if line != line.rstrip():
                yield path, number, "white space at the end of the line", "delete it"
        if text and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "no newline at the end of the file", "add one"


def machine_paths(tree):
    for path in tree.text_files():
        for number, line in lines_of(tree.text(path)):
            match = MACHINE.search(line)
            if match:
                yield path, number, f"a path of one machine ({match.group(0)}...)", "find it from the script's own place"


def lock_files(tree):
    for path in tree.match("package-lock.json", "*/package-lock.json"):
        text = tree.text(path)
        json.loads(text)
        for number, line in lines_of(text):
            if '"resolved"' in line or HOSTS.search(line):
                yield path, number, "the address of a registry", "npm's setting omit-lockfile-registry-resolved=true leaves it out"
    for path in tree.match(".npmrc", "*/.npmrc"):
        for number, line in lines_of(tree.text(path)):
            if HOSTS.search(line) or "_auth" in line.lower():
                yield path, number, "a registry in the tree", "it belongs into the user's own npm configuration"


def run_tool(tree, paths, command):
    """What a tool says about the files; a tool that is not there is a finding, not a crash."""
    paths = list(paths)
    if not paths:
        return ""
    try:
        done = subprocess.run(command + paths, cwd=tree.root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return f"dev/packages:1:1: {command[0]} is not installed (dev/setup full)\n"
    if done.returncode and not (done.stdout + done.stderr).strip():
        return f"dev/check:1:1: {command[0]} exits with {done.returncode}\n"
    return done.stdout + done.stderr


def tool_findings(output, pattern, mend):
    for line in output.split("\n"):
        match = re.match(pattern, line)
        if match:
            yield match.group(1), int(match.group(2)), match.group(3), mend


def clang_format(tree):
    output = run_tool(tree, tree.c_files(), ["clang-format", "--dry-run", "--style=file"])
    seen = set()
    for finding in tool_findings(output, r"(\S+?):(\d+):\d+: (.*)", "dev/format"):
        if finding[0] not in seen:
            seen.add(finding[0])
            yield finding


def spelling(tree):
    words = os.path.join(tree.root, "dev", "words")
    ignore = ["-I", words] if os.path.exists(words) else []
    output = run_tool(tree, tree.text_files(), ["codespell", "--disable-colors"] + ignore)
    yield from tool_findings(output, r"(?:\./)?(\S+?):(\d+): ?(.* ==> .*)", "mend it, or add the word to dev/words")
    yield from tool_findings(output, r"(\S+?):(\d+):\d+: (.* not installed.*)", "install it")


def shell(tree):
    output = run_tool(tree, tree.shell_files(), ["shellcheck", "-x", "-f", "gcc"])
    yield from tool_findings(output, r"(\S+?):(\d+):\d+: (.*)", "mend it, or disable it in place with the reason")


def docs_config(tree):
    """docs/config.md is printed by the program from its schema table."""
    program = os.path.join(tree.root, "build", "moonbridge")
    page = os.path.join("docs", "config.md")
    if not os.access(program, os.X_OK) or not os.path.exists(os.path.join(tree.root, page)):
        return
    printed = subprocess.run([program, "--print-config-docs"], capture_output=True, text=True, check=False, timeout=10)
    if printed.returncode:
        return
    with open(os.path.join(tree.root, page), encoding="utf-8") as file:
        have = file.read().split("\n")
    want = printed.stdout.split("\n")
    if have != want:
        line = next((i for i, (a, b) in enumerate(zip(have, want), 1) if a != b), min(len(have), len(want)))
        yield page, line, "differs from the schema table", "build/moonbridge --print-config-docs > docs/config.md"


RULES = {
    "format": clang_format,
    "layers": layers.check,
    "include order": layers.check_order,
    "banned calls": banned_calls,
    "typedefs": struct_typedefs,
    "function size": function_size,
    "file size": file_size,
    "line width": line_width,
    "unique stems": unique_stems,
    "docs": docs_config,
    "spelling": spelling,
    "shellcheck": shell,
    "left for later": later_marks,
    "white space": white_space,
    "machine paths": machine_paths,
    "lock files": lock_files,
}


def measures(tree):
    """What the size law is about, in a few lines."""
    sizes = []
    files = tree.match("src/*.c", "src/*.h", "tools/*.c", "tools/*.h")
    for path in files:
        if not tree.is_generated(path):
            sizes += [(f.lines, f.name, path) for f in csource.functions(csource.strip(tree.text(path)))]
    if not sizes:
        return
    print(f"{len(sizes)} functions in {len(files)} files; median function {statistics.median(s[0] for s in sizes):g} lines")
    longest = sorted(sizes, reverse=True)[:3]
    print("longest functions: " + ", ".join(f"{name} {lines}" for lines, name, _ in longest))
    largest = sorted(((tree.text(p).count("\n"), p) for p in files), reverse=True)[:5]
    print("largest files: " + ", ".join(f"{path} {lines}" for lines, path in largest))
