#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Share of the branches and lines of stages and the kit that tests took: coverage.py BUILD

  meson setup build-cov -Db_coverage=true -Doptimization=0 && ninja -C build-cov
  meson test -C build-cov --suite stage --suite unit --suite golden
  python3 tests/trust/coverage.py build-cov"""
import collections
import json
import pathlib
import subprocess
import sys

from record import record

FOLDERS = ("stages", "core/kit")
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def counted(data, build):
    """What gcov says of one object's counters."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "-b", data], cwd=build, capture_output=True, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def is_code(path):
    return any(SOURCE / folder in path.parents for folder in FOLDERS) and path.suffix == ".c" and not path.stem.endswith("-test")


def gather(build):
    """{file: {(line, branch): times}}, {file: {line: times}}; an inline function is taken where any object took it."""
    branches, lines = collections.defaultdict(dict), collections.defaultdict(dict)
    for data in sorted(path for folder in FOLDERS for path in (build / folder).rglob("*.gcda")):
        for file in [file for said in counted(data, build) for file in said["files"]]:
            path = (build / file["file"]).resolve()
            if not is_code(path):
                continue
            name = str(path.relative_to(SOURCE))
            for line in file["lines"]:
                number = line["line_number"]
                lines[name][number] = max(lines[name].get(number, 0), line["count"])
                for at, branch in enumerate(b for b in line["branches"] if not b["throw"]):
                    key = number, at
                    branches[name][key] = max(branches[name].get(key, 0), branch["count"])
    return branches, lines


def share(counts):
    every = [count for file in counts.values() for count in file.values()]
    return sum(count > 0 for count in every), len(every)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    branches, lines = gather(build)
    if not branches:
        print(f"{build} has no counters: see --help")
        return 1
    for name in sorted(branches, key=lambda n: share({n: branches[n]})[0] / max(1, len(branches[n])))[:20]:
        taken, there = share({name: branches[name]})
        print(f"{name}: {taken} of {there} branches")
    (taken, there), (run, all_lines) = share(branches), share(lines)
    without = sorted(str(p.relative_to(SOURCE)) for p in (SOURCE / "stages").rglob("*.c") if is_code(p) and str(p.relative_to(SOURCE)) not in lines)
    print(f"no counters of {', '.join(without) or 'no file'}")
    print(f"{taken} of {there} branches ({100 * taken / there:.1f} %), {run} of {all_lines} lines ({100 * run / all_lines:.1f} %), {len(lines)} files")
    record("coverage", taken=taken, branches=there, run=run, lines=all_lines, files=len(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
