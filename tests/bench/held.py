"""Rows about held events: ./dev bench held.  What stages of two phases, sorts and merges cost."""
# SPDX-License-Identifier: MIT

import os
import shutil
import sys

from machine import interleave
from result import Result, at_least, busy_note

LOAD_ALL = """
import json, sys, time
start = time.perf_counter()
for path in sys.argv[1:]:
    with open(path, "rb") as file: json.load(file)
print(time.perf_counter() - start)
"""

TIGHT = ["--max-memory", "64MiB"]
SORT_TIGHT = ["--max-memory", "256MiB"]
TRACE = ["--set", "trace.file=trace.json"]
TWICE = {"stages": [{"use": "bench.twice"}], "formats": ["csv"]}
LOOK = {"stages": [{"use": "bench.look"}], "formats": ["csv"]}


def at_most(what, ratio, target, notes=()):
    return Result(what, f"at most {target:g}x", f"{ratio:.2f}x", ratio <= target, notes)


def peak(what, mib, target):
    return Result(what, f"at most {target} MiB", f"{mib:.1f} MiB", mib <= target)


class Contest:
    """Commands that take turns; of each the least time and the greatest peak."""

    def __init__(self, bench, commands, others=None, rounds=None, cpus=1):
        self.peaks = {}
        contestants = {name: lambda name=name, command=command: self._measure(name, command)
                       for name, command in commands.items()}
        contestants.update(others or {})
        self.times, self.free = interleave(contestants, rounds or bench.rounds, cpus=cpus)

    def _measure(self, name, command):
        usage = command()
        self.peaks[name] = max(usage.peak_mib, self.peaks.get(name, 0))
        return usage.wall_s

    def ratio(self, one, other):
        return self.times[one] / self.times[other]


def in_memory(bench):
    """Results go to memory, as they do where users ask for speed."""
    return "/dev/shm" if os.path.isdir("/dev/shm") else bench.scratch


def aiu(bench):
    """The AIU profile over two ranks of half a million events, against Python's json.load of both."""
    paths = [bench.inputs.aiu(500000, rank) for rank in (0, 1)]
    load = lambda: bench.machine.seconds_printed([sys.executable, "-c", LOAD_ALL, *paths])
    run = lambda jobs, more=(): bench.run("aiu", *paths, jobs=jobs, more=[*TRACE, *more],
                                          folder=in_memory(bench))
    c = Contest(bench, {"one": lambda: run(1), "tight": lambda: run(1, TIGHT)}, {"load": load})
    yield at_least("aiu, 1 M events, one thread / json.load", c.ratio("load", "one"), 3.5,
                   [f"{c.times['one']:.2f} s"])
    yield peak("its peak", c.peaks["one"], 160)
    yield peak("its peak with --max-memory 64MiB", c.peaks["tight"], 96)
    yield at_most("its time with --max-memory 64MiB / without", c.ratio("tight", "one"), 1.3)
    c = Contest(bench, {"two": lambda: run(2)}, {"load": load}, cpus=2)
    yield at_least("aiu, 1 M events, two threads / json.load", c.ratio("load", "two"), 5.5,
                   [f"{c.times['two']:.2f} s", *busy_note(c.free)])


def sort_files(bench):
    """convert --sort to /dev/null against convert."""
    megabytes = 1500 if bench.full else 600
    shuffled = bench.inputs.reordered(megabytes, 0)
    nearly = bench.inputs.reordered(megabytes, 60000)
    convert = lambda path, *more: bench.machine.run(
        [bench.program, "convert", path, "-o", "/dev/null", "-f", "-j", "1", *more])
    rounds = min(bench.rounds, 3)
    c = Contest(bench, {"plain": lambda: convert(shuffled),
                        "sort": lambda: convert(shuffled, "--sort"),
                        "tight": lambda: convert(shuffled, "--sort", *SORT_TIGHT)}, rounds=rounds)
    size = f"{megabytes} MB"
    yield at_most(f"sort, shuffled {size} / unsorted", c.ratio("sort", "plain"), 2.2)
    yield peak("its peak", c.peaks["sort"], 300)
    yield at_most("the same with --max-memory 256MiB", c.ratio("tight", "plain"), 3.5)
    yield peak("its peak", c.peaks["tight"], 300)
    c = Contest(bench, {"plain": lambda: convert(nearly),
                        "sort": lambda: convert(nearly, "--sort")}, rounds=rounds)
    yield at_most(f"sort, nearly in order, {size} / unsorted", c.ratio("sort", "plain"), 1.3)
    yield peak("its peak", c.peaks["sort"], 48)


def barrier(bench):
    """A stage of two phases that only looks against one of one phase, plain and compressed."""
    plain = bench.inputs.kineto(600)
    packed = bench.inputs.packed(plain, ".gz")
    once, twice = bench.profile("once", LOOK), bench.profile("twice", TWICE)
    rounds = min(bench.rounds, 3)
    c = Contest(bench, {"once": lambda: bench.run(once, plain),
                        "twice": lambda: bench.run(twice, plain)}, rounds=rounds)
    yield at_most("a barrier, 600 MB / streaming", c.ratio("twice", "once"), 2.2)
    yield peak("its peak", c.peaks["twice"], 32)
    c = Contest(bench, {"once": lambda: bench.run(once, packed),
                        "twice": lambda: bench.run(twice, packed),
                        "tight": lambda: bench.run(twice, packed, more=TIGHT)}, rounds=rounds)
    yield at_most("a barrier, 600 MB as gzip / streaming", c.ratio("twice", "once"), 1.5)
    yield at_most("the same with --max-memory 64MiB", c.ratio("tight", "once"), 2.3,
                  [f"peak {c.peaks['tight']:.1f} MiB"])


ROWS = {"held-aiu": aiu, "held-sort": sort_files, "held-barrier": barrier}
