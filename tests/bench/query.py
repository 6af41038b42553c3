"""Rows about SQL: ./dev bench query.  Queries against a script of Python that does the same with json.load; both in time of
the wall, ours with two threads."""
# SPDX-License-Identifier: MIT

import sys

from held import Contest, peak
from result import at_least, busy_note

SUMS = "SELECT name, count(*), sum(dur) FROM slice GROUP BY name"
SUMS_OF_PYTHON = """
import json, sys, time
start, sums = time.perf_counter(), {}
with open(sys.argv[1], "rb") as file: trace = json.load(file)
for event in trace["traceEvents"]:
    if event["ph"] != "X": continue
    have = sums.setdefault(event["name"], [0, 0])
    have[0] += 1
    have[1] += event["dur"]
print(time.perf_counter() - start)
"""

JOIN = ("SELECT count(*), sum(k.ts - l.ts) FROM slice k JOIN slice l ON l.correlation = k.correlation AND l.category = 'cuda_runtime' "
        "WHERE k.category = 'kernel'")
JOIN_OF_PYTHON = """
import json, sys, time
start, launches, n, wait = time.perf_counter(), {}, 0, 0
with open(sys.argv[1], "rb") as file: trace = json.load(file)
for event in trace["traceEvents"]:
    if event.get("cat") == "cuda_runtime": launches[event["args"].get("correlation")] = event
for event in trace["traceEvents"]:
    if event.get("cat") != "kernel": continue
    launch = launches.get(event["args"].get("correlation"))
    if launch:
        n += 1
        wait += event["ts"] - launch["ts"]
print(time.perf_counter() - start)
"""


def against_python(bench, what, path, sql, script, target, more=()):
    def ours():
        return bench.machine.run([bench.program, "query", path, sql, "-j", "2", "--format", "csv", *more])

    theirs = lambda: bench.machine.seconds_printed([sys.executable, "-c", script, path])
    contest = Contest(bench, {"ours": ours}, {"python": theirs}, rounds=min(bench.rounds, 3), cpus=2)
    notes = [f"{contest.times['ours']:.2f} s", *busy_note(contest.free)]
    return contest, at_least(f"query, {what} / json.load", contest.ratio("python", "ours"), target, notes)


def sums(bench):
    contest, result = against_python(bench, "sums by name over 100 MB", bench.inputs.kineto(100), SUMS, SUMS_OF_PYTHON, 20)
    yield result
    yield peak("query, sums by name over 100 MB, peak memory", contest.peaks["ours"], 64)


def join(bench):
    path = bench.inputs.kineto(273)  # a million events
    contest, result = against_python(bench, "kernels with launches, 1 M events", path, JOIN, JOIN_OF_PYTHON, 3)
    yield result
    yield peak("query, kernels with launches, 1 M events, peak memory", contest.peaks["ours"], 128)


def scan(bench):
    """A large trace, of which nothing is held."""
    path = bench.inputs.kineto(max(1, 1500 // bench.divide))
    for what, sql in (("sum", "SELECT count(*), sum(dur) FROM slice"), ("sums by name", SUMS)):
        usage = bench.machine.run([bench.program, "query", path, sql, "-j", "2", "--format", "csv", "--max-memory", "64MiB"])
        yield peak(f"query, {what} over 1.5 GB, peak memory", usage.peak_mib, 64)


ROWS = {"query-sums": sums, "query-join": join, "query-scan": scan}
