"""Measures stagemill against its targets and prints a table. A missed target never makes it fail.

Every ratio comes from rounds in which the contestants take turns on the same file; the minimum of
each counts.
"""
# SPDX-License-Identifier: MIT

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import against
from inputs import Inputs
from machine import Failed, Machine
from result import Result
from rows import GROUPS, ROWS, Bench


def arguments():
    names = ", ".join(ROWS)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", nargs="?", choices=list(GROUPS), help="only the rows of this group")
    parser.add_argument("--rows", default="", help=f"comma-separated, of: {names} (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each row (default 5)")
    parser.add_argument("--divide", type=int, default=1, help="traces of the rows about torch are so many times smaller")
    parser.add_argument("--full", action="store_true", help="files of 6 GB too")
    parser.add_argument("--against", metavar="COMMIT",
                        help="count the instructions of some commands, here and in a build of that commit, instead")
    parser.add_argument("--program", help="default: the build of the stagemill on the path, installed")
    parser.add_argument("--build", help="build directory (default: the one the program is in)")
    parser.add_argument("--cache", help="where generated inputs are kept (default: BUILD/bench)")
    return parser.parse_args()


def build_of(program):
    """The build directory that a program lies in: the one that holds the generators."""
    folder = os.path.dirname(os.path.abspath(program))
    while folder != os.path.dirname(folder):
        if os.path.exists(os.path.join(folder, "tests", "gen", "kineto-gen")):
            return folder
        folder = os.path.dirname(folder)
    return None


def installed(build, folder):
    """The program as users have it: in a tree of its own, where it looks for modules by kind."""
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", os.path.abspath(folder)],
                   check=True, stdout=subprocess.DEVNULL)
    for name in [name for name in os.environ if name.startswith("STAGEMILL_")]:
        del os.environ[name]
    return glob.glob(os.path.join(folder, "**", "bin", "stagemill"), recursive=True)[0]


def chosen_rows(text, group):
    names = [name for name in text.split(",") if name] or GROUPS.get(group) or list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        sys.exit(f"bench: no row {', '.join(unknown)}; there are: {', '.join(ROWS)}")
    return names


def results_of(name, bench):
    """A row that cannot be measured says why; the others go on.  A command that failed is a target missed."""
    try:
        yield from ROWS[name](bench)
    except Failed as reason:
        yield Result(name, "", "not measured", False, [str(reason).splitlines()[0]])
    except (OSError, RuntimeError) as reason:
        yield Result(name, "", "not measured", None, [str(reason).splitlines()[0]])


def print_result(result):
    print(f"{result.what:<44} {result.target:<20} {result.measured:>18}  {result.verdict():<8}"
          f" {'; '.join(result.notes)}".rstrip(), flush=True)


def compare(options, program, inputs, scratch):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        old = against.built(options.against, root, inputs.cache)
        against.compare(installed(old, os.path.join(scratch, "commit")), program, inputs, scratch)
    except Failed as reason:
        sys.exit(f"bench: {reason}")


def main():
    options = arguments()
    names = chosen_rows(options.rows, options.group)
    given = options.program
    options.program = given or shutil.which("stagemill")
    build = options.build or (options.program and build_of(options.program))
    if not options.program or not build:
        sys.exit("bench: no built stagemill found; use ./dev bench, or --program and --build")
    tools = os.path.join(build, "tests", "bench")
    cache = options.cache or os.path.join(build, "bench")
    inputs = Inputs(os.path.join(build, "tests", "gen"), cache)
    missed = 0
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        program = options.program if given else installed(build, os.path.join(scratch, "installed"))
        if options.against:
            return compare(options, program, inputs, scratch)
        bench = Bench(
            machine=Machine(tools, scratch), inputs=inputs, program=program, tools=tools,
            scratch=scratch, rounds=options.rounds, full=options.full,
            divide=options.divide,
            perfetto_cache=os.path.join(build, "perfetto"))
        print(f"{'what':<44} {'target':<20} {'measured':>18}  verdict  notes")
        for name in names:
            for result in results_of(name, bench):
                print_result(result)
                missed += result.good is False
    print(f"{missed} targets missed" if missed else "no target missed")


if __name__ == "__main__":
    main()
