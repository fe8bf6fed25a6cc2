"""Reads C source far enough to measure it: comments and strings blanked out, functions found by their braces.

It knows the house style (clang-format has seen the file): the brace that opens a function stands alone in
column 0. It is no parser, and wants to stay small enough to be trusted.
"""

import re

TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
BRANCH = re.compile(r"\b(?:if|for|while|switch|\w*foreach\w*|HASH_ITER)\b(?=\s*\()|&&|\|\||\?")
CONTROL = re.compile(r"(?:\)|\belse|\bdo)\s*$")


def blank(match):
    """Keeps the line structure, and the quotes of a string, so that positions stay true."""
    text = match.group(0)
    if text[0] == "/":
        return re.sub(r"[^\n]", " ", text)
    if text[0] == '"':
        return '"' + re.sub(r"[^\n]", " ", text[1:-1]) + '"'
    return "'" + "0" * (len(text) - 2) + "'"


def strip(text):
    """The source without what comments and strings say, of the same length."""
    return TOKEN.sub(blank, text)


class Function:
    def __init__(self, name, line, lines, params, body):
        self.name = name
        self.line = line
        self.lines = lines
        self.params = params
        self.complexity = 1 + len(BRANCH.findall(body))
        self.nesting = nesting_of(body)


def nesting_of(body):
    """Deepest stack of braces that a control statement opens; initialisers and plain blocks do not count."""
    deepest = depth = 0
    stack = []
    last = 0
    for brace in re.finditer(r"[{}]", body):
        if brace.group(0) == "{":
            control = bool(CONTROL.search(body[last:brace.start()]))
            stack.append(control)
            depth += control
            deepest = max(deepest, depth)
        elif stack:
            depth -= stack.pop()
        last = brace.end()
    return deepest


def split_params(text):
    """Number of parameters in what stands between a function's parentheses."""
    if text.strip() in ("", "void"):
        return 0
    depth = commas = 0
    for c in text:
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            commas += 1
    return commas + 1


def signature_of(head):
    """Name and parameters of the function whose definition text `head` ends just before its brace."""
    head = head.rstrip()
    while True:
        if not head.endswith(")"):
            return None
        depth = 0
        at = len(head) - 1
        while at >= 0:
            depth += (head[at] == ")") - (head[at] == "(")
            if depth == 0:
                break
            at -= 1
        name = re.search(r"(\w+)\s*$", head[:at])
        if not name:
            return None
        if name.group(1) != "__attribute__":
            return name.group(1), head[at + 1:-1]
        head = head[:at][: name.start()].rstrip()


def functions(code):
    """The functions defined in stripped source."""
    lines = code.split("\n")
    found = []
    start = 0  # first line that may belong to the next definition's head
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("#"):
            while line.rstrip().endswith("\\") and i + 1 < len(lines):
                i += 1
                line = lines[i]
            start = i + 1
        elif line.rstrip() == "{":
            head = "\n".join(lines[start:i])
            end = next((j for j in range(i, len(lines)) if lines[j].startswith("}")), len(lines) - 1)
            signature = signature_of(head)
            if signature:
                first = start
                while first < i and not lines[first].strip():
                    first += 1
                name, params = signature
                body = "\n".join(lines[i + 1:end])
                found.append(Function(name, first + 1, end - first + 1, split_params(params), body))
            i = end
            start = i + 1
        elif re.search(r"[;}]\s*$", line) and not line.startswith((" ", "\t")):
            start = i + 1
        i += 1
    return found
