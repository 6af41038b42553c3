#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every id that --verify gives is committed by a violation and explained to authors, by the page and by the command
explain in the same words: ids-test.py SOURCE-ROOT VIOLATIONS"""
import json
import pathlib
import re
import sys


def plain(text):
    """Of Markdown, the words."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "")


def of_page(page):
    """{id: what the module did} of the table on the page."""
    rows = re.findall(r"^\| (`[^|]+) \| (.+) \|$", page[page.index("Under `--verify` each of the following"):], re.M)
    return {name: plain(text) for ids, text in rows for name in re.findall(r"`([a-z-]+)`", ids) if "-" in name}


def of_program(code):
    """The same of the table in the program."""
    rows = re.findall(r'\{ "([a-z-]+)",\s*((?:"(?:[^"\\\\]|\\\\.)*"\s*)+)\}', code)
    return {name: "".join(re.findall(r'"((?:[^"\\\\]|\\\\.)*)"', text)) for name, text in rows}


def main():
    root, violations = map(pathlib.Path, sys.argv[1:])
    given = set()
    for path in (root / "core").rglob("*.c"):
        given |= set(re.findall(r'verify_broken\(i,\s+"([a-z-]+)"', path.read_text(encoding="utf-8")))
    committed = {row["says"].strip("[]") for row in json.loads(violations.read_text(encoding="utf-8"))
                 if row["says"].startswith("[")}
    page = (root / "docs" / "write-a-stage.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]+) \|", page[page.index("## What is checked"):], re.M)
    explained = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    wrong = [f"{name}: no violation commits it" for name in sorted(given - committed)]
    wrong += [f"{name}: a violation expects it, nobody gives it" for name in sorted(committed - given)]
    wrong += [f"{name}: write-a-stage.md does not explain it" for name in sorted(given - explained)]
    wrong += [f"{name}: write-a-stage.md explains it, nobody gives it" for name in sorted(explained - given)]
    told = of_page(page)
    known = of_program((root / "core" / "host" / "verify-ids.c").read_text(encoding="utf-8"))
    wrong += [f"{name}: the page and explain differ" for name in sorted(given) if told.get(name) != known.get(name)]
    wrong += [f"{name}: explain knows what nobody gives" for name in sorted(known.keys() - given)]
    print(*wrong, f"{len(given)} ids, {len(wrong)} things missing", sep="\n")
    return bool(wrong) or not given


if __name__ == "__main__":
    sys.exit(main())
