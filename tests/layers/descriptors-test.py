#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that people read about a module is there: its texts in the descriptor, its .md, its
test, and a test of each notice: descriptors-test.py PROGRAM SOURCE-ROOT BUILD-ROOT"""
import pathlib
import re
import subprocess
import sys


def missing_files(root):
    for folder in sorted([*root.glob("stages/*/*/"), *root.glob("plugins/*/*/")]):
        if "lib" in (folder.name, folder.parent.name) or not (folder / "meson.build").exists():
            continue
        name = folder.name
        page = folder / (name + ".md")
        if not page.exists() or len(page.read_text(encoding="utf-8")) < 200:
            yield f"{folder.relative_to(root)}: has no {name}.md that says something"
        if folder.parent.parent.name == "stages" and not (folder / (name + "-test.c")).exists():
            yield f"{folder.relative_to(root)}: has no {name}-test.c"


def untested_notices(lines, root, build):
    for path, number in re.findall(r"^notice (\S+) (\d+)$", lines, re.M):
        folder = root / pathlib.Path(path).relative_to(build).parent
        tests = sorted(folder.glob("*-test.c"))
        if not tests or folder.parent.parent.name != "stages":  # plugins have tests with hosts of their own, too
            continue
        text = "\n".join(test.read_text(encoding="utf-8") for test in tests)
        counts = re.findall(rf"expect_notice\({number}, ([^)]+)\)", text)
        if not set(counts) - {"0"}:
            yield f"{folder.relative_to(root)}: no test expects its notice {number}"


def main():
    program = sys.argv[1]
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[2:])
    modules = sorted([*build.glob("stages/*/*/*.so"), *build.glob("plugins/*/*/*.so")])
    done = subprocess.run([program, *map(str, modules)], capture_output=True, text=True,
                          check=False)
    found = [line for line in done.stdout.splitlines() if line.startswith("missing")]
    found += [*missing_files(root), *untested_notices(done.stdout, root, build)]
    print(*found, sep="\n")
    print(f"{len(modules)} modules, {len(found)} things missing")
    return bool(found) or done.returncode != 0 or not modules


if __name__ == "__main__":
    sys.exit(main())
