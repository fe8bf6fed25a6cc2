"""The files under check: what git tracks or would track, else everything below the root."""

import fnmatch
import os
import subprocess

SKIPPED = ("build", "node_modules", ".git", "__pycache__")


def walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(SKIPPED)]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


class Tree:
    def __init__(self, root, only=()):
        self.root = root
        self.only = tuple(os.path.normpath(path) for path in only)
        git = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            check=False,
        ) if os.path.exists(os.path.join(root, ".git")) else None
        if git and git.returncode == 0:
            paths = git.stdout.decode().split("\0")
        else:
            paths = walk(root)
        self.paths = sorted(p for p in set(paths) if p and self.is_ours(p))
        self.texts = {}

    def is_ours(self, path):
        full = os.path.join(self.root, path)
        if os.path.islink(full) or not os.path.isfile(full):
            return False
        return not self.only or any(path == o or path.startswith(o + os.sep) or o == "." for o in self.only)

    def match(self, *patterns):
        return [p for p in self.paths if any(fnmatch.fnmatch(p, pattern) for pattern in patterns)]

    def c_files(self):
        return self.match("*.c", "*.h")

    def bytes(self, path):
        with open(os.path.join(self.root, path), "rb") as file:
            return file.read()

    def text(self, path):
        """The text of a file, or None when it holds bytes that are no text."""
        if path not in self.texts:
            data = self.bytes(path)
            try:
                self.texts[path] = None if b"\0" in data else data.decode()
            except UnicodeDecodeError:
                self.texts[path] = None
        return self.texts[path]

    def text_files(self):
        """Files that people write: no corpus, no lock files, no licence text."""
        for path in self.paths:
            if path.startswith("tests/fuzz/corpus/") or path.endswith("package-lock.json") or path == "LICENSE":
                continue
            if self.text(path) is not None:
                yield path

    def shell_files(self):
        for path in self.text_files():
            head = self.text(path)[:40].split("\n", 1)[0]
            if path.endswith(".sh") or head in ("#!/bin/sh", "#!/usr/bin/env sh", "#!/usr/bin/env bash", "#!/bin/bash"):
                yield path

    def is_generated(self, path):
        return "generated" in "\n".join(self.text(path).split("\n")[:5]).lower()
