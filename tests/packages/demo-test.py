#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The README's ./dev demo from a copy in which nothing was built: demo-test.py SOURCE"""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    if not (source / ".git").exists() or not shutil.which("git"):
        print(f"skipped: {source} is no checkout, or git is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="demo-test-") as folder:
        clone = pathlib.Path(folder) / "stagemill"
        subprocess.run(["git", "clone", "-q", source, clone], check=True)
        done = subprocess.run(["./dev", "--no-install", "demo"], cwd=clone, capture_output=True, text=True)
        print(done.stdout, done.stderr[-4000:])
        lines = done.stdout.splitlines()
        if done.returncode or not any("report.html" in line for line in lines):
            return 1
        if len(lines) > 10:
            print(f"{len(lines)} lines, more than ten")
            return 1
        # Tests take as long to compile as the program: none is needed here.
        tests = [path for path in (clone / "build").rglob("*-test") if path.is_file()]
        print(f"{len(tests)} tests were compiled")
        return bool(tests)


if __name__ == "__main__":
    sys.exit(main())
