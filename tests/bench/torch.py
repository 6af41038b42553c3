"""Rows about traces of PyTorch: ./dev bench torch.  Analyses against Python's json.load of the same files, merges against a
script of Python that does the same.  One thread is measured in processor time, which other work on the machine
disturbs less; two threads in time of the wall."""
# SPDX-License-Identifier: MIT

import os
import sys

from held import at_most, in_memory, peak
from machine import interleave
from result import at_least, busy_note

LOAD_ALL = """
import json, sys, time
clock = getattr(time, sys.argv[1])
start = clock()
for path in sys.argv[2:]:
    with open(path, "rb") as file: json.load(file)
print(clock() - start)
"""

MERGE_ALL = """
import json, sys, time
start, events = time.process_time(), []
for rank, path in enumerate(sys.argv[2:]):
    with open(path) as file: trace = json.load(file)
    for event in trace["traceEvents"]:
        event["name"] = f"[R{rank}] {event['name']}"
        if isinstance(event["pid"], int): event["pid"] += rank * 10000000
        events.append(event)
with open(sys.argv[1], "w") as file: json.dump({"traceEvents": events}, file)
print(time.process_time() - start)
"""

CLOCKS = {1: "process_time", 2: "perf_counter"}
FORMATS = ["--format", "text,json,csv"]  # the page of reports is measured by another row
BELOW = ["--max-memory", "256MiB"]


class Duel:
    """Commands of ours and one of theirs take turns; of each the least time, of ours the greatest peak."""

    def __init__(self, bench, ours, theirs, threads=1):
        self.peaks = {}
        contestants = {name: lambda name=name, run=run: self._measure(name, run, threads) for name, run in ours.items()}
        if theirs:
            contestants["python"] = theirs
        self.times, self.free = interleave(contestants, min(bench.rounds, 3), cpus=threads)

    def _measure(self, name, run, threads):
        usage = run()
        self.peaks[name] = max(usage.peak_mib, self.peaks.get(name, 0))
        return usage.cpu_s if threads == 1 else usage.wall_s

    def against_python(self, what, name, target):
        return at_least(what, self.times["python"] / self.times[name], target,
                        [f"{self.times[name]:.2f} s", *busy_note(self.free)])


def loader(bench, paths, threads=1):
    return lambda: bench.machine.seconds_printed([sys.executable, "-c", LOAD_ALL, CLOCKS[threads], *paths])


def runner(bench, profile, paths, jobs=1, more=()):
    return lambda: bench.run(profile, *paths, jobs=jobs, more=[*FORMATS, *more], folder=in_memory(bench))


def size_of(paths):
    return sum(map(os.path.getsize, paths)) / 1e6


def scaled(bench, megabytes):
    return max(1, megabytes // bench.divide)


def report(bench):
    """The profile torch on a small and a large trace with stacks and shapes."""
    rates = {}
    for megabytes, more, limit in ((60, [], 128), (500, BELOW, 320)):
        paths = bench.inputs.kineto_ranks(scaled(bench, megabytes), 1)
        what = f"torch, {size_of(paths):.0f} MB"
        one = Duel(bench, {"one": runner(bench, "torch", paths, more=more)}, loader(bench, paths))
        yield one.against_python(f"{what}, one thread / json.load", "one", 6)
        yield peak(f"{what}{', --max-memory 256MiB' if more else ''}, peak memory", one.peaks["one"], limit)
        two = Duel(bench, {"two": runner(bench, "torch", paths, 2, more)}, loader(bench, paths, 2), 2)
        yield two.against_python(f"{what}, two threads / json.load", "two", 10)
        rates[megabytes] = size_of(paths) / one.times["one"]
    slower = max(rates.values()) / min(rates.values())
    yield at_most("torch, time a byte of one size / of the other", slower, 1.2,
                  [f"{rates[60]:.0f} and {rates[500]:.0f} MB/s"])


def collectives(bench):
    paths = bench.inputs.kineto_ranks(scaled(bench, 125), 4)
    duel = Duel(bench, {"one": runner(bench, "collectives", paths)}, loader(bench, paths))
    what = f"collectives, 4 ranks, {size_of(paths):.0f} MB"
    yield duel.against_python(f"{what} / json.load", "one", 15)
    yield peak(f"{what}, peak memory", duel.peaks["one"], 64)


def sweep(bench):
    """Four configurations of four ranks; many rows against few."""
    folder, paths = bench.inputs.sweep(scaled(bench, 30))
    many, few = (["--set", f"top-k={k}"] for k in (63, 1))
    duel = Duel(bench, {"two": runner(bench, "gemm-variance", [folder], 2)}, loader(bench, paths, 2), 2)
    what = f"gemm-variance, {len(paths)} traces, {size_of(paths):.0f} MB"
    yield duel.against_python(f"{what}, two threads / json.load", "two", 10)
    yield peak(f"{what}, peak memory", duel.peaks["two"], 256)
    rows = Duel(bench, {name: runner(bench, "gemm-variance", [folder], more=k) for name, k in (("many", many), ("few", few))}, None)
    yield at_most(f"gemm-variance, {63 * len(paths)} rows / {len(paths)} rows", rows.times["many"] / rows.times["few"], 1.1)


def convert(bench):
    """Four ranks into one trace, in both layouts."""
    paths = bench.inputs.kineto_ranks(scaled(bench, 125), 4)
    out = os.path.join(in_memory(bench), f"bench-merged-{os.getpid()}.json")

    def ours(layout):
        return lambda: bench.machine.run([bench.program, "convert", *paths, "--layout", layout, "-j", "1", "-o", out, "-f"])

    theirs = lambda: bench.machine.seconds_printed([sys.executable, "-c", MERGE_ALL, out, *paths])
    try:
        duel = Duel(bench, {layout: ours(layout) for layout in ("unique", "pipeline")}, theirs)
    finally:
        if os.path.exists(out):
            os.remove(out)
    for layout in ("unique", "pipeline"):
        what = f"convert, 4 ranks, {size_of(paths):.0f} MB, {layout}"
        yield duel.against_python(f"{what} / Python script", layout, 20)
        yield peak(f"{what}, peak memory", duel.peaks[layout], 64)


ROWS = {"torch-report": report, "torch-collectives": collectives, "torch-sweep": sweep, "torch-convert": convert}
