#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What got slower between two runs is named first, with what it costs, and the changes of each level add up.

Both runs are simulated by tests/gen/slow-gen.py, everything equal but the planted change: its cost is the difference of the
steps.  Levels add up in every run, the part is right in all but one of twenty and its change within 10 %; so are intervals."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What the verdict says first, and which rows of the level "class" the planted change is made of.
PLANTED = {
    "straggler": ("waiting for rank {rank}", None),
    "sync": ("idle, host waits for the device (aten::item)", ("idle", "sync")),
    "copy": ("copies (Memcpy HtoD (Pageable -> Device))", ("exposed-copy", None)),
    "input-stall": ("waiting for the data loader", ("idle", "loader")),
    "allocation": ("idle, host allocates", ("idle", "allocation")),
    "exposed-comm": ("transfer of allreduce", ("exposed-comm", "transfer")),
    "slower-clock": ("computing (all kernels 10 % slower)", ("compute", None)),
    "slower-product": ("GEMM (aten::mm)", ("compute", "GEMM")),
    "lost-fusion": ("elementwise (new: ", ("compute", "elementwise")),
    "math-attention": ("attention (flash_fwd_kernel -> sm90_xmma_gemm", ("compute", "attention")),
}
BASES = {"math-attention": "flash-attention"}  # what base has in its place


def simulate(options, folder, cause, seed):
    planted = ["--cause", cause] if cause else []
    subprocess.run([sys.executable, options.generator, *planted, "--seed", str(seed), "--noise", "0.005", "-o", folder], check=True)
    os.rename(os.path.join(folder, "truth.json"), folder + ".truth.json")


def compare(options, folder, *sides):
    done = subprocess.run([options.program, "compare", *sides, "--json", "--quiet"], cwd=folder, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    summary = json.loads(done.stdout)
    tables = {table["name"]: table["rows"] for table in summary["tables"]}
    return summary["verdict"], tables["why"]


def faults_of_sums(rows):
    """Each level changes by what the step does."""
    step = next(row for row in rows if row["level"] == "step")
    faults = []
    for level in ("part", "class", "op", "kernel"):
        for side in ("base", "new", "change"):
            found = sum(row[side] for row in rows if row["level"] == level)
            if found != step[side]:
                faults.append(f"{side} of level {level} is {found}, of the step {step[side]}")
    return faults


def change_of(rows, part, name):
    return sum(row["change"] for row in rows
               if row["level"] == "class" and row["part"] == part and name in (None, row["class"]))


def faults_of(cause, verdict, rows, truth):
    if cause is None:
        return [] if verdict.endswith("no change") else [f"nothing is planted: {verdict}"]
    first, kinds = PLANTED[cause]
    first = first.format(**truth)
    named = re.search(r": \+[0-9.]+ (?:ms|us|s) (.*)", verdict)
    faults = [] if named and named.group(1).startswith(first) else [f"not {first}: {verdict}"]
    cost = truth["cost_ns"] / truth["steps"]
    change = change_of(rows, *kinds) if kinds else next(row["change"] for row in rows if row["level"] == "step")
    return faults + ([f"changed by {change}, planted {cost:.0f}"] if abs(change - cost) > 0.1 * cost else [])


def try_one(job):
    options, cause, seed = job
    with tempfile.TemporaryDirectory() as folder:
        simulate(options, os.path.join(folder, "a"), BASES.get(cause), seed)
        simulate(options, os.path.join(folder, "b"), cause, seed if cause else seed + 1000)
        verdict, rows = compare(options, folder, "a", "b")
        base, truth = (json.loads(pathlib.Path(folder, f"{side}.truth.json").read_text("utf-8")) for side in "ab")
        truth["cost_ns"] = truth["span_ns"] - base["span_ns"] if cause in BASES else truth["costs_ns"].get(cause)
    return cause, seed, faults_of_sums(rows), faults_of(cause, verdict, rows, truth)


def try_repeats(job):
    """Four runs a side: the interval of a planted change holds it and no zero; that of what did not change holds zero."""
    options, seed = job
    sides, costs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(4):
            for side, cause in (("base", None), ("new", "slower-product")):
                simulate(options, os.path.join(folder, f"{side}{k}"), cause, 100 * seed + 10 * k + (side == "new"))
                sides.append(f"{side}={side}{k}")
            truth = json.loads(pathlib.Path(folder, f"new{k}.truth.json").read_text("utf-8"))
            costs.append(truth["costs_ns"]["slower-product"] / truth["steps"])
        _, rows = compare(options, folder, *sides)
    changed, same = (next((row["change_low"], row["change_high"]) for row in rows
                          if row["level"] == "class" and row["class"] == name) for name in ("GEMM", "optimiser"))
    # A hundredth: costs are those of whole spans, the first steps too.
    faults = [] if 0 < 0.99 * changed[0] <= sum(costs) / 4 <= 1.01 * changed[1] else [f"interval of GEMM {changed}, planted {costs}"]
    return faults + ([] if same[0] <= 0 <= same[1] else [f"interval of the optimiser {same}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--generator", required=True)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    jobs = [(options, cause, seed) for cause in (*PLANTED, None) for seed in range(1, options.seeds + 1)]
    wrong, broken = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for cause, seed, sums, faults in pool.map(try_one, jobs):
            broken += bool(sums)
            if sums or faults:
                wrong.setdefault(cause, []).append(seed)
                print(f"{cause or 'equal runs'}, seed {seed}: {'; '.join(sums + faults)}")
        for seed, faults in enumerate(pool.map(try_repeats, [(options, seed) for seed in range(1, options.seeds + 1)]), 1):
            if faults:
                wrong.setdefault("repeats", []).append(seed)
                print(f"four runs a side, seed {seed}: {'; '.join(faults)}")
    failed = broken or any(len(seeds) > options.seeds // 20 for seeds in wrong.values())
    print(f"{len(jobs) + options.seeds} comparisons, {sum(map(len, wrong.values()))} with faults")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
