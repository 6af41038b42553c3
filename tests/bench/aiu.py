"""Rows about AIU traces: ./dev bench aiu.  All that is known of them at once, and what single stages add."""
# SPDX-License-Identifier: MIT

import sys

from held import Contest, LOAD_ALL, TRACE, at_most, in_memory, peak
from result import Result, at_least, busy_note

HALF = ["--max-memory", "128MiB"]
LARGE = ["--max-memory", "512MiB"]
KERNEL_SLICES = 7  # that a kernel takes in a generated trace


class Runs:
    def __init__(self, bench, paths):
        self.bench, self.paths = bench, paths

    def run(self, jobs=1, more=(), log=None):
        given = [*self.paths, *([f"log={log}"] if log else [])]
        return self.bench.run("aiu", *given, jobs=jobs, more=[*TRACE, *more], folder=in_memory(self.bench))

    def load(self):
        return self.bench.machine.seconds_printed([sys.executable, "-c", LOAD_ALL, *self.paths])


def everything(bench):
    """Two ranks of half a million events each, against Python's json.load of both."""
    runs = Runs(bench, [bench.inputs.aiu(500000, rank) for rank in (0, 1)])
    c = Contest(bench, {"one": runs.run, "tight": lambda: runs.run(more=HALF)},
                {"load": runs.load}, rounds=min(bench.rounds, 3))
    yield at_least("all stages, 1 M events, one thread / json.load", c.ratio("load", "one"), 3,
                   [f"{c.times['one']:.2f} s"])
    yield peak("its peak", c.peaks["one"], 230)
    yield peak("its peak with --max-memory 128MiB", c.peaks["tight"], 160)
    yield at_most("its time with --max-memory 128MiB / without", c.ratio("tight", "one"), 1.3)
    c = Contest(bench, {"two": lambda: runs.run(2)}, {"load": runs.load}, rounds=min(bench.rounds, 3), cpus=2)
    yield at_least("all stages, 1 M events, two threads / json.load", c.ratio("load", "two"), 5,
                   [f"{c.times['two']:.2f} s", *busy_note(c.free)])


def large(bench):
    """Ten million events in bounded memory."""
    runs = Runs(bench, [bench.inputs.aiu(5000000, rank) for rank in (0, 1)])
    usage = runs.run(more=LARGE)
    notes = [f"{usage.wall_s:.1f} s"]
    yield Result("10 M events with --max-memory 512MiB", "at most 640 MiB", f"{usage.peak_mib:.1f} MiB",
                 usage.peak_mib <= 640, notes)


def never_repeating(bench):
    """What the stage iterations adds where it finds none."""
    path, _ = bench.inputs.aiu_shuffled(500000 * KERNEL_SLICES)
    runs = Runs(bench, [path])
    less = ["--disable", "iterations"]
    c = Contest(bench, {"with": runs.run, "without": lambda: runs.run(more=less)}, rounds=min(bench.rounds, 3))
    yield at_most("500,000 kernels in no order, with iterations / without", c.ratio("with", "without"), 1.1,
                  [f"{c.times['without']:.2f} s without"])


def large_log(bench):
    """What a compiler's log of 80,000 rows adds."""
    path, log = bench.inputs.aiu_shuffled(1000000)
    runs = Runs(bench, [path])
    c = Contest(bench, {"with": lambda: runs.run(log=log), "without": runs.run},
                rounds=min(bench.rounds, 3))
    yield at_most("a log of 80,000 rows, with / without", c.ratio("with", "without"), 1.33,
                  [f"{c.times['without']:.2f} s without, peak {c.peaks['with']:.0f} MiB with"])


ROWS = {"aiu-all": everything, "aiu-large": large, "aiu-iterations": never_repeating, "aiu-log": large_log}
