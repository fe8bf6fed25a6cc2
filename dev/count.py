"""count.py KIND EXIT FILE: prints "passed failed" of one row of dev/test.

KIND says what FILE is: exit (nothing to count: the row is one test), tap (a log with TAP lines), node (the log of
node --test --test-reporter=tap), meson (testlog.json). A runner that ends badly is at least one failure,
whatever it printed; so is one that should have run tests and ran none. What failed meson tests printed goes to
stderr, for meson keeps it to itself.
"""

import json
import re
import sys

OK = re.compile(r"^ok\b(?!.*# (?:SKIP|T[O]DO))", re.MULTILINE | re.IGNORECASE)
NOT_OK = re.compile(r"^not ok\b", re.MULTILINE)


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def count_tap(text):
    return len(OK.findall(text)), len(NOT_OK.findall(text))


def count_node(text):
    def last(word):
        found = re.findall(rf"^# {word} (\d+)$", text, re.MULTILINE)
        return int(found[-1]) if found else 0

    passed, failed = last("pass"), last("fail") + last("cancelled")
    return (passed, failed) if passed + failed else (0, 1)


def count_meson(text):
    """One line of JSON per test program; a program that crashed may have said `ok` to all it reached."""
    passed = failed = 0
    for line in text.splitlines():
        test = json.loads(line)
        ok, bad = count_tap(test.get("stdout") or "")
        if test["result"] in ("OK", "EXPECTEDFAIL"):
            passed += ok or 1
        elif test["result"] != "SKIP":
            passed += ok
            failed += bad or 1
            print(f"\n{test['name']}: {test['result']}\n{(test.get('stdout') or '')[-8000:]}", file=sys.stderr)
    return passed, failed


def main(kind, status, path):
    if kind == "exit":
        passed, failed = (1, 0) if status == 0 else (0, 1)
    else:
        passed, failed = {"tap": count_tap, "node": count_node, "meson": count_meson}[kind](read(path))
    if status and not failed:
        failed = 1
    print(passed, failed)


main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
