#!/usr/bin/env python3
"""Each file of the engine has a test that names it: tested-test.py SOURCE-ROOT

Of host, store, input, results, compare, output and sched.  A test names ROOM/UNIT.c when it includes ROOM/UNIT.h, or when
its head comment has the file's name."""
import pathlib
import re
import sys

ROOMS = ["host", "store", "input", "results", "compare", "output", "sched"]
HEADS = {".c": re.compile(r"\A\s*/\*(.*?)\*/", re.S), ".py": re.compile(r'\A(?:#![^\n]*\n)?\s*"""(.*?)"""', re.S)}


def tests(root):
    for path in sorted((root / "tests").rglob("*")):
        if path.name.endswith(("-test.c", "-test.py")):
            yield path


def named_by(path):
    """What the test names: ("host", "kept") of an include, (None, "kept.c") of its head comment."""
    text = path.read_text(encoding="utf-8")
    head = HEADS[path.suffix].search(text)
    for room, unit in re.findall(r'^\s*#\s*include\s+"(\w+)/([\w-]+)\.h"', text, re.M):
        yield f"{room}/{unit}"
    for name in re.findall(r"([\w-]+)\.c\b", head.group(1) if head else ""):
        yield name


def missing(units, named):
    return [unit for unit in units if unit not in named and unit.split("/")[1] not in named]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    units = [f"{room}/{path.stem}" for room in ROOMS for path in sorted((root / "core" / room).glob("*.c"))]
    named = {name for path in tests(root) for name in named_by(path)}
    without = missing(units, named)
    # A new file is missed.
    blind = missing(["host/new-unit"], named) != ["host/new-unit"]
    for unit in without:
        print(f"core/{unit}.c: no test includes \"{unit}.h\" or names it")
    print(f"{len(units)} files, {len(without)} without a test")
    return bool(without) or blind or not units


if __name__ == "__main__":
    sys.exit(main())
