#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Documents that the program writes itself are those in the tree: generated-test.py SOURCE-ROOT

    ./dev exec stagemill list metrics --markdown > docs/metrics.md"""
import difflib
import pathlib
import subprocess
import sys

PAGES = {"docs/metrics.md": ["list", "metrics", "--markdown"]}


def main():
    root = pathlib.Path(sys.argv[1])
    failed = 0
    for name, words in PAGES.items():
        made = subprocess.run(["stagemill", *words], capture_output=True, text=True, check=True).stdout
        kept = (root / name).read_text(encoding="utf-8")
        failed += made != kept
        print("\n".join(difflib.unified_diff(kept.splitlines(), made.splitlines(), name, "now", lineterm="")))
        if made != kept:
            print(f"write it anew: ./dev exec stagemill {' '.join(words)} > {name}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
