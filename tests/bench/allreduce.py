"""Rows about all-reduce times and logs of collectives: ./dev bench allreduce."""
# SPDX-License-Identifier: MIT

import glob
import os
import shutil
import subprocess
import sys

from machine import interleave
from result import Result, at_least
from serving import has_pandas

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY_MIB = 48
FUSIONS = "NONE,RESIDUAL_RMS_NORM,RESIDUAL_RMS_NORM_QUANT_FP8,RESIDUAL_RMS_NORM_QUANT_NVFP4"

# What the two published programs do with the times, without drawing: read, filter, first smallest of each group, pivots.
THEIRS = """
import sys, time, pandas
start = time.perf_counter()
frames = [pandas.read_csv(path) for path in sys.argv[1:]]
all = pandas.concat(frames, ignore_index=True)
kept = all[all["strategy"] != "AUTO"]
kept = kept[(kept["num_tokens"] >= 1) & (kept["num_tokens"] <= 32768) & (kept["hidden_size"] >= 128) & (kept["hidden_size"] <= 16384)]
best = kept.loc[kept.groupby(["world_size", "fusion", "hidden_size", "num_tokens"])["time (us)"].idxmin()]
for frame in frames:
    for fusion in frame["fusion"].unique():
        of = frame[frame["fusion"] == fusion]
        least = of.groupby(["num_tokens", "hidden_size"])["time (us)"].transform("min")
        gaps = of.assign(gap=(of["time (us)"] - least) / least * 100)
        for strategy in of["strategy"].unique():
            one = gaps[gaps["strategy"] == strategy]
            one.pivot_table(index="hidden_size", columns="num_tokens", values="time (us)", aggfunc="mean")
            one.pivot_table(index="hidden_size", columns="num_tokens", values="gap", aggfunc="mean")
print(time.perf_counter() - start)
"""

READ_LOGS = r"""
import glob, re, sys, time
start = time.perf_counter()
row = re.compile(r"^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)")
average = re.compile(r"^# Avg bus bandwidth\s*:\s*(\S+)")
found = []
for path in sorted(glob.glob(sys.argv[1])):
    rows, mean, ranks = [], None, 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = row.match(line)
            if match:
                g = match.groups()
                rows += [(int(g[0]), "out", *map(float, g[5:8])), (int(g[0]), "in", *map(float, g[9:12]))]
            elif line.startswith("#  Rank"):
                ranks += 1
            else:
                match = average.match(line)
                mean = float(match.group(1)) if match else mean
    found.append((path, ranks, mean, rows))
print(time.perf_counter() - start)
"""


def make_times(folder):
    generator = os.path.join(HERE, "..", "gen", "allreduce-gen.py")
    subprocess.run([sys.executable, generator, "--all", "--repeat", "99", "--fusions", FUSIONS,
                    "--strategies", "NCCL,ONESHOT,TWOSHOT,AUTO", "-o", folder], check=True)


def make_logs(folder):
    os.makedirs(folder)
    head = "# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592 step: 2(factor)\n# Using devices\n"
    head += "".join(f"#  Rank {r:2d} Group  0 Pid {9000 + r:6d} on     node01 device {r:2d} [0000:07:00] NVIDIA H100\n" for r in range(8))
    head += "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
    for i in range(2000):
        with open(os.path.join(folder, f"all_reduce_{i}.log"), "w", encoding="utf-8") as file:
            file.write(head)
            for k in range(3, 34):
                size, time = 1 << k, 8 + i % 7 + (1 << k) / 400e3
                bandwidth = f"{size / time / 1e3:6.2f}  {size / time / 1e3 * 1.75:6.2f}"
                file.write(f"{size:12d}  {size // 4:12d}  {'float':>8}  {'sum':>6}  {-1:6d}  {time:7.2f}  {bandwidth}  {0:5d}  {time:7.2f}  {bandwidth}  {0:5d}\n")
            file.write("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 123.456 \n#\n")


def times_of_strategies(bench):
    folder = bench.inputs.made("allreduce-times", make_times)
    paths = sorted(glob.glob(os.path.join(folder, "*.csv")))
    python = next((p for p in (sys.executable, "/usr/bin/python3") if has_pandas(p)), None)
    if not python:
        raise RuntimeError("pandas is not installed")
    scratch = os.path.join(bench.scratch, "allreduce")
    peaks = []

    def ours():
        shutil.rmtree(scratch, ignore_errors=True)
        usage = bench.machine.run([bench.program, "run", "-p", "allreduce", "-o", scratch, "--format", "text,csv,cpp-table", *paths])
        peaks.append(usage.peak_mib)
        return usage.wall_s

    found, _ = interleave({
        "ours": ours,
        "pandas": lambda: bench.machine.seconds_printed([python, "-c", THEIRS, *paths]),
    }, min(bench.rounds, 5), cpus=2)
    yield at_least("500,000 all-reduce times / pandas", found["pandas"] / found["ours"], 8, [f"{found['ours'] * 1e3:.0f} ms"])
    yield Result("all-reduce times, peak memory", f"at most {MEMORY_MIB} MiB", f"{max(peaks):.1f} MiB", max(peaks) <= MEMORY_MIB)


def logs(bench):
    folder = bench.inputs.made("collective-logs", make_logs)
    scratch = os.path.join(bench.scratch, "collectives")

    def ours():
        shutil.rmtree(scratch, ignore_errors=True)
        return bench.machine.run([bench.program, "run", "-p", "coll-bench", "-o", scratch, "--format", "csv", folder]).wall_s

    found, _ = interleave({
        "ours": ours,
        "python": lambda: bench.machine.seconds_printed([sys.executable, "-c", READ_LOGS, os.path.join(folder, "*.log")]),
    }, min(bench.rounds, 5), cpus=2)
    yield at_least("2,000 logs / Python with regular expressions", found["python"] / found["ours"], 3, [f"{found['ours'] * 1e3:.0f} ms"])


ROWS = {
    "strategies": times_of_strategies,
    "collectives": logs,
}
