"""dev/check [PATH...] | --self-test: runs the rules, prints findings as file:line: what; how to mend it."""

import os
import sys

from .rules import RULES, measures
from .selftest import self_test
from .tree import Tree

HOUSE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main(arguments):
    if arguments == ["--self-test"]:
        return 1 if self_test(HOUSE) else 0
    if any(a.startswith("-") for a in arguments):
        print(__doc__, file=sys.stderr)
        return 2

    tree = Tree(HOUSE, arguments)
    with open(os.path.join(HOUSE, "LAYERS"), encoding="utf-8") as file:
        tree.layers = file.read()
    broken = total = 0
    for name, rule in RULES.items():
        found = list(rule(tree))
        for path, line, what, mend in found:
            print(f"{path}:{line}: {what}; {mend}")
        broken += bool(found)
        total += len(found)
    measures(tree)
    print(f"dev/check: {len(RULES) - broken} rules kept, {broken} broken, {total} findings")
    return 1 if broken else 0


sys.exit(main(sys.argv[1:]))
