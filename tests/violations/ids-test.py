#!/usr/bin/env python3
"""Every id that --verify gives is committed by a violation and explained to authors: ids-test.py SOURCE-ROOT VIOLATIONS"""
import json
import pathlib
import re
import sys


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
    print(*wrong, f"{len(given)} ids, {len(wrong)} things missing", sep="\n")
    return bool(wrong) or not given


if __name__ == "__main__":
    sys.exit(main())
