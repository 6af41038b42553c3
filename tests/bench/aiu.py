"""Rows about AIU traces: ./dev bench aiu.  All that is known of them at once, and what single stages add."""

import sys

from held import Contest, LOAD_ALL, TRACE, at_most, in_memory, peak
from result import Result, at_least, busy_note

FORMATS = ["text", "json", "csv", "html", "trace"]
STAGES = ["normalise", "pair", "ovc", "freq", "track-map", "cycles", "firmware", "rank-sync", "prep-queue", "cpu-merge",
          "overlap", "iterations", "pec", "power-stats", "utilisation", "launch-flow", "categorise", "transfer-bandwidth",
          "kernel-time", "active-time", "stamp-times", "rename", "device-rows"]
HALF = ["--max-memory", "128MiB"]
LARGE = ["--max-memory", "512MiB"]
KERNEL_SLICES = 7  # that a kernel takes in a generated trace


def profile(bench, name, without=()):
    """Every stage that says something of an AIU trace, in the order in which they build on each other."""
    stages = [{"use": stage, "optional": stage == "utilisation"} for stage in STAGES if stage not in without]
    return bench.profile(name, {"join-ranks": True, "stages": stages, "formats": FORMATS})


class Runs:
    def __init__(self, bench, paths):
        self.bench, self.paths = bench, paths

    def run(self, path, jobs=1, more=(), log=None):
        given = [*self.paths, *([f"log={log}"] if log else [])]
        return self.bench.run(path, *given, jobs=jobs, more=[*TRACE, *more], folder=in_memory(self.bench))

    def load(self):
        return self.bench.machine.seconds_printed([sys.executable, "-c", LOAD_ALL, *self.paths])


def everything(bench):
    """Two ranks of half a million events each, against Python's json.load of both."""
    runs = Runs(bench, [bench.inputs.aiu(500000, rank) for rank in (0, 1)])
    whole = profile(bench, "aiu")
    c = Contest(bench, {"one": lambda: runs.run(whole), "tight": lambda: runs.run(whole, more=HALF)},
                {"load": runs.load}, rounds=min(bench.rounds, 3))
    yield at_least("all stages, 1 M events, one thread / json.load", c.ratio("load", "one"), 3,
                   [f"{c.times['one']:.2f} s"])
    yield peak("its peak", c.peaks["one"], 230)
    yield peak("its peak with --max-memory 128MiB", c.peaks["tight"], 160)
    yield at_most("its time with --max-memory 128MiB / without", c.ratio("tight", "one"), 1.3)
    c = Contest(bench, {"two": lambda: runs.run(whole, 2)}, {"load": runs.load}, rounds=min(bench.rounds, 3), cpus=2)
    yield at_least("all stages, 1 M events, two threads / json.load", c.ratio("load", "two"), 5,
                   [f"{c.times['two']:.2f} s", *busy_note(c.free)])


def large(bench):
    """Ten million events in bounded memory."""
    runs = Runs(bench, [bench.inputs.aiu(5000000, rank) for rank in (0, 1)])
    usage = runs.run(profile(bench, "aiu"), more=LARGE)
    notes = [f"{usage.wall_s:.1f} s"]
    yield Result("10 M events with --max-memory 512MiB", "at most 640 MiB", f"{usage.peak_mib:.1f} MiB",
                 usage.peak_mib <= 640, notes)


def never_repeating(bench):
    """What the stage iterations adds where it finds none."""
    path, _ = bench.inputs.aiu_shuffled(500000 * KERNEL_SLICES)
    runs = Runs(bench, [path])
    whole, less = profile(bench, "aiu"), profile(bench, "aiu-less", ["iterations"])
    c = Contest(bench, {"with": lambda: runs.run(whole), "without": lambda: runs.run(less)}, rounds=min(bench.rounds, 3))
    yield at_most("500,000 kernels in no order, with iterations / without", c.ratio("with", "without"), 1.1,
                  [f"{c.times['without']:.2f} s without"])


def large_log(bench):
    """What a compiler's log of 80,000 rows adds."""
    path, log = bench.inputs.aiu_shuffled(1000000)
    runs = Runs(bench, [path])
    whole = profile(bench, "aiu")
    c = Contest(bench, {"with": lambda: runs.run(whole, log=log), "without": lambda: runs.run(whole)},
                rounds=min(bench.rounds, 3))
    yield at_most("a log of 80,000 rows, with / without", c.ratio("with", "without"), 1.33,
                  [f"{c.times['without']:.2f} s without, peak {c.peaks['with']:.0f} MiB with"])


ROWS = {"aiu-all": everything, "aiu-large": large, "aiu-iterations": never_repeating, "aiu-log": large_log}
