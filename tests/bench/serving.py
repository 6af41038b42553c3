"""Rows about serving results, gate logs and kernel tables: ./dev bench serving."""
# SPDX-License-Identifier: MIT

import glob
import os
import shutil
import subprocess
import sys

from machine import interleave
from result import Result, at_least, busy_note

LOAD_ALL = """
import glob, json, sys, time
start = time.perf_counter()
for path in sorted(glob.glob(sys.argv[1], recursive=True)):
    with open(path, "rb") as file: json.load(file)
print(time.perf_counter() - start)
"""

READ_TABLES = """
import sys, time, pandas
start = time.perf_counter()
for path in sys.argv[1:]: pandas.read_csv(path)
print(time.perf_counter() - start)
"""

AVERAGE = """
import glob, json, sys
found = []
for path in sorted(glob.glob(sys.argv[1] + "/results_json/*.json")):
    with open(path, "rb") as file: found.append(json.load(file)["mean_ttft_ms"])
print(sum(found) / len(found))
"""

MEMORY_MIB = 32


def megabytes(pattern):
    return sum(map(os.path.getsize, glob.glob(pattern, recursive=True))) / 1e6


def metric(bench, words, jobs=1):
    return bench.machine.run([bench.program, "metric", *words, "-j", str(jobs)])


def memory(what, peaks):
    for jobs, peak in peaks.items():
        limit = MEMORY_MIB * jobs
        yield Result(f"{what}, peak memory, {jobs} threads", f"at most {limit} MiB",
                     f"{peak:.1f} MiB", peak <= limit)


def against_load(bench, what, words, pattern, targets):
    """One and two threads against json.load over the files of the pattern."""
    peaks = {1: 0, 2: 0}

    def ours(jobs):
        usage = metric(bench, words, jobs)
        peaks[jobs] = max(peaks[jobs], usage.peak_mib)
        return usage.wall_s

    times, free = interleave({
        1: lambda: ours(1),
        2: lambda: ours(2),
        "python": lambda: bench.machine.seconds_printed([sys.executable, "-c", LOAD_ALL, pattern]),
    }, min(bench.rounds, 3), cpus=2)
    size = megabytes(pattern)
    for jobs, target in targets.items():
        notes = [f"{size / times[jobs]:,.0f} MB/s of {size:,.0f} MB", *busy_note(free)]
        yield at_least(f"{what}, {jobs} threads / json.load", times["python"] / times[jobs], target,
                       notes)
    yield from memory(what, peaks)


def gate_logs(bench):
    folder = bench.inputs.gate_logs(500)
    yield from against_load(bench, "gate logs", ["expert_balance", folder],
                            os.path.join(folder, "**", "gate_logs_*.json"), {1: 5, 2: 9})


def results(bench):
    """All gaps of all requests are read: the percentile is over each of them."""
    folder = bench.inputs.bench_results(files=1000, megabytes=590)
    yield from against_load(bench, "detailed results", ["itl.p99", folder],
                            os.path.join(folder, "*.json"), {1: 9, 2: 16})


def kernel_tables(bench):
    paths = [bench.inputs.kernel_table(200000, seed) for seed in (1, 2)]
    python = next((p for p in (sys.executable, "/usr/bin/python3") if has_pandas(p)), None)
    if not python:
        raise RuntimeError("pandas is not installed")
    scratch = os.path.join(bench.scratch, "eplb")
    peaks = []

    def ours():
        shutil.rmtree(scratch, ignore_errors=True)
        usage = bench.machine.run([bench.program, "run", "-p", "eplb", "-j", "1", "-o", scratch,
                                   "--format", "text", f"off={paths[0]}", f"on={paths[1]}"])
        peaks.append(usage.peak_mib)
        return usage.wall_s

    times, _ = interleave({
        "ours": ours,
        "pandas": lambda: bench.machine.seconds_printed([python, "-c", READ_TABLES, *paths]),
    }, min(bench.rounds, 5))
    yield at_least("two kernel tables / pandas.read_csv", times["pandas"] / times["ours"], 10)
    yield from memory("kernel tables", {1: max(peaks)})


def has_pandas(python):
    done = subprocess.run([python, "-c", "import pandas"], capture_output=True)
    return done.returncode == 0


def small_folders(bench):
    """A value for each of a hundred folders: one command of ours, a script a folder of Python's."""
    tree = bench.inputs.run_folders(100)
    folders = sorted(glob.glob(os.path.join(tree, "*")))

    def theirs():
        return sum(bench.machine.run([sys.executable, "-c", AVERAGE, folder]).wall_s
                   for folder in folders)

    times, _ = interleave({
        "ours": lambda: metric(bench, ["ttft", tree, "--by", "run"]).wall_s,
        "python": theirs,
    }, min(bench.rounds, 3))
    yield at_least("a hundred folders / Python script", times["python"] / times["ours"], 20,
                   [f"{times['ours'] * 1e3:.1f} ms"])


ROWS = {
    "gate-logs": gate_logs,
    "results": results,
    "kernel-tables": kernel_tables,
    "folders": small_folders,
}
