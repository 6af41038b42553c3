#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The licence line of files: spdx.py [--check] [SOURCE]

Writes it into every file of the commit that can hold a comment, behind the comment that says what the file is for; `.reuse/dep5`
names the rest, and who holds the copyright of all, so that `reuse lint` is content.  With --check it changes nothing, and the status
is 1 if a line is missing; 77 where git does not say what belongs to the commit."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

TAG = "SPDX-License-Identifier"
LINE = f"{TAG}: MIT"
HASH, SLASHES, DASHES, BLOCK, MARKUP = ("# ", ""), ("// ", ""), ("-- ", ""), ("/* ", " */"), ("<!-- ", " -->")
FORMS = {".c": BLOCK, ".h": BLOCK, ".css": BLOCK, ".map": BLOCK, ".js": SLASHES, ".mjs": SLASHES, ".cpp": SLASHES, ".hpp": SLASHES,
         ".rs": SLASHES, ".sql": DASHES,
         ".py": HASH, ".sh": HASH, ".build": HASH, ".toml": HASH, ".yml": HASH, ".bash": HASH, ".fish": HASH, ".zsh": HASH, ".cff": HASH,
         ".md": MARKUP, ".svg": MARKUP}
NAMED = {"dev": HASH, "Containerfile": HASH, "meson_options.txt": HASH, ".gitignore": HASH, ".clang-format": HASH, ".clang-tidy": HASH,
         ".editorconfig": HASH, ".ci/run": HASH, "debian/rules": HASH, "debian/control": HASH, "debian/tests/control": HASH,
         "debian/tests/demo": HASH, "debian/tests/doctor": HASH, "debian/tests/outside-stage": HASH}
# They begin with their title.
AT_THE_END = {".md", ".svg"}
SKIPPED = 77
# What tests read byte by byte, pages that are made from other files, and what users are given to change.  Pages of HTML are templates, too:
# reports of users are made of one.
DATA = ("samples/", "tests/golden/cases/", "tests/fuzz/corpus/", "core/cmd/scaffold/", "docs/metrics.md",
        "docs/reliability.md")
FIRST_LINE = r"(?:#!.*\n|#compdef.*\n)?"
DOCSTRING = r'(?:"""(?s:.*?)"""\n)?'
# How a file begins that has a comment on what it is for, by how its comments begin.
OPENINGS = {"/* ": r"(?:/\*(?s:.*?)\*/\n)?", "// ": r"(?:/\*(?s:.*?)\*/\n|(?://.*\n)+)?", "-- ": r"(?:--.*\n)*", "# ": r"(?:#.*\n)*"}

DEP5 = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: stagemill

Files: *
Copyright: 2026 stagemill contributors
License: MIT
Comment: Files that can hold a comment have a line of their own, too: packaging/spdx.py.
"""


def form_of(name):
    """What stands before and behind the line; None: the file holds no comments."""
    if name.startswith(DATA):
        return None
    return NAMED.get(name) or FORMS.get(pathlib.PurePath(name).suffix)


def with_line(name, text):
    before, after = form_of(name)
    line = f"{before}{LINE}{after}\n"
    if pathlib.PurePath(name).suffix in AT_THE_END:
        return f"{text.rstrip()}\n\n{line}"
    end = opening_end(name, text, before)
    return f"{text[:end]}{line}{text[end:]}"


def opening_end(name, text, before):
    """Where the comment on what the file is for ends; a docstring behind a first line of its own comes after the licence."""
    opening = OPENINGS[before]
    if name.endswith(".py") and not text.startswith("#"):
        opening = DOCSTRING
    return re.match(FIRST_LINE + opening, text).end()


def commented_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        path = root / name
        if form_of(name) and path.is_file() and not path.is_symlink():
            yield name, path


def wanted_files(root):
    """What reuse asks for beside the lines."""
    return {root / ".reuse/dep5": DEP5, root / "LICENSES/MIT.txt": (root / "LICENSE").read_text(encoding="utf-8")}


def missing(root):
    for name, path in commented_files(root):
        if LINE not in path.read_text(encoding="utf-8"):
            yield name
    for path, text in wanted_files(root).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield str(path.relative_to(root))


def write(root):
    for name, path in commented_files(root):
        text = path.read_text(encoding="utf-8")
        if LINE not in text:
            path.write_text(with_line(name, text), encoding="utf-8")
    for path, text in wanted_files(root).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("source", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    if not (options.source / ".git").exists() or not shutil.which("git"):
        print(f"skipped: {options.source} is no checkout, or git is not installed")
        return SKIPPED
    if not options.check:
        write(options.source)
        return 0
    found = list(missing(options.source))
    for name in found:
        print(f"{name}: no line \"{LINE}\"")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
