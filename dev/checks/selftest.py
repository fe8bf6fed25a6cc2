"""Proves that each rule can fail: a small clean tree, and one breach per rule."""

import os
import shutil
import tempfile

from .rules import RULES
from .tree import Tree

CLEAN = {
    "src/base/good.h": "/* good: a header. */\n#pragma once\n\nint good_get(int a);\n",
    "src/base/good.c": '#include "base/good.h"\n\n#include <string.h>\n\nint good_get(int a)\n{\n\treturn a > 0 ? a : 0;\n}\n',
    "dev/go.sh": "#!/bin/sh\necho \"$1\"\n",
    "tests/e2e/package-lock.json": '{"lockfileVersion": 3}\n',
}


def function(head, body):
    return f"int long_one({head})\n{{\n{body}\treturn 0;\n}}\n"


DEEP = "\n".join("\t" * (i + 1) + f"while (a > {i}) {{" for i in range(5)) + "\n" + \
    "\n".join("\t" * (5 - i) + "}" for i in range(5)) + "\n"

# rule, path, content, words of the finding
BREACHES = [
    ("format", "src/base/bad.c", "int   bad;\n", "clang-format"),
    ("layers", "src/base/bad.c", '#include "session/session.h"\n', "may not include session"),
    ("layers", "src/session/bad.c", "#include <openssl/evp.h>\n", "may not use openssl"),
    ("layers", "src/base/bad.c", "#include <sodium.h>\n", "no library of LAYERS"),
    ("layers", "src/base/bad.c", '#include "good.h"\n', "names no floor"),
    ("layers", "src/other/bad.c", "int bad;\n", "not in LAYERS"),
    ("layers", "tools/ctl/bad.c", '#include "session/session.h"\n', "may not include session"),
    ("layers", "tests/unit/base/test_bad.c", '#include "io/loop.h"\n', "may not include io"),
    ("include order", "src/base/good.c", '#include <string.h>\n\n#include "base/good.h"\n', "first include"),
    ("include order", "src/io/bad.c", '#include "base/good.h"\n\n#include <string.h>\n', "stands after"),
    ("banned calls", "src/base/bad.c", function("char *a", "\tstrcpy(a, a);\n"), "strcpy() is banned"),
    ("typedefs", "src/base/bad.h", "typedef struct bad {\n\tint a;\n} bad_t;\n", "typedef"),
    ("function size", "src/base/bad.c", function("int a", "\ta++;\n" * 90), "lines 94"),
    ("function size", "src/base/bad.c", function("int a", "\tif (a)\n\t\ta++;\n" * 20), "complexity 21"),
    ("function size", "src/base/bad.c", function("int a", DEEP), "nesting 5"),
    ("function size", "src/base/bad.c", function("int a, int b, int c, int d, int e, int f, int g", ""), "parameters 7"),
    ("file size", "src/base/bad.c", "extern int bad;\n" * 801, "801 lines"),
    ("file size", "src/base/bad.h", "extern int bad;\n" * 251, "251 lines"),
    ("line width", "src/base/bad.c", "/*\n * " + "->" * 60 + "\n */\n", "columns"),
    ("unique stems", "src/io/good.c", "int other;\n", "is taken"),
    ("docs", "docs/config.md", "old\n", "differs from the schema"),
    ("spelling", "docs/bad.md", "Recie" + "ve the frame.\n", "Receive"),
    ("shellcheck", "dev/bad.sh", "#!/bin/sh\necho $1\n", "SC2086"),
    ("left for later", "src/base/bad.c", "/* TO" + "DO: all */\n", "left behind"),
    ("white space", "docs/bad.md", "text \n", "white space"),
    ("white space", "docs/bad.md", "text", "no newline"),
    ("machine paths", "dev/bad.sh", "#!/bin/sh\ncd /wo" + "rk/tree\n", "one machine"),
    ("lock files", "tests/e2e/package-lock.json", '{"resolved": "https://example.org/a.tgz"}\n', "registry"),
    ("lock files", "tests/e2e/.npmrc", "regis" + "try=https://example.org/\n", "registry"),
]


def write(root, path, content):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(content)


def make_tree(root, house, files):
    for path, content in files.items():
        write(root, path, content)
    for name in (".clang-format", "dev/words"):
        if os.path.exists(os.path.join(house, name)):
            shutil.copy(os.path.join(house, name), os.path.join(root, name))
    write(root, "build/moonbridge", "#!/bin/sh\necho new\n")
    os.chmod(os.path.join(root, "build/moonbridge"), 0o755)


def findings(house, files, rules):
    with tempfile.TemporaryDirectory() as root:
        make_tree(root, house, files)
        tree = Tree(root)
        with open(os.path.join(house, "LAYERS"), encoding="utf-8") as file:
            tree.layers = file.read()
        return [(rule, *finding) for rule in rules for finding in RULES[rule](tree)]


def self_test(house):
    """Number of cases that did not go as they should."""
    failed = 0
    for finding in findings(house, CLEAN, RULES):
        print(f"not ok - the clean tree: {finding}")
        failed += 1
    for rule, path, content, words in BREACHES:
        got = findings(house, {**CLEAN, path: content}, [rule])
        if not any(words in f[3] and f[1] == path for f in got):
            print(f"not ok - {rule}: no finding with '{words}' in {path}; got {got}")
            failed += 1
    for rule in RULES:
        if not any(breach[0] == rule for breach in BREACHES):
            print(f"not ok - no breach for the rule '{rule}'")
            failed += 1
    print(f"self test: {len(BREACHES)} breaches of {len(RULES)} rules, {failed} went unseen")
    return failed
