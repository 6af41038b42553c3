#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sample program prints what `stagemill metric` prints, with the same status: sample-test.py PROGRAM SOURCE-ROOT"""
import pathlib
import subprocess
import sys

# Profile, metric, inputs in samples/: whole numbers, reals, statistics, two inputs with labels, and what is not there.
SAME = [
    ("kernels", "kernel_time", ["kineto"]),
    ("collectives", "collective_latency.p50", ["kineto"]),
    ("serving", "ttft.p99", ["serving/tp4-seqs8"]),
    ("eplb", "eplb_change", ["off={}/eplb/off.csv", "on={}/eplb/on.csv"]),
    ("kernels", "kernel_time", ["nowhere.json"]),
    ("no-such-profile", "kernel_time", ["kineto"]),
]


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def first_line(text):
    return text.split("\n", 1)[0]


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    samples, n_wrong, n_printed = root / "samples", 0, 0
    for profile, metric, inputs in SAME:
        paths = [i.format(samples) if "{}" in i else samples / i for i in inputs]
        theirs = run(program, profile, metric, *paths)
        ours = run("stagemill", "metric", "-p", profile, metric, *paths)
        n_printed += bool(ours.stdout)
        same = theirs.stdout == ours.stdout and theirs.returncode == ours.returncode
        if ours.returncode and first_line(theirs.stderr) != first_line(ours.stderr):
            same = False
        if not same:
            n_wrong += 1
            print(f"{profile} {metric}:", theirs, ours, sep="\n  ")
    print(f"{len(SAME)} calls, {n_printed} values, {n_wrong} differ")
    return n_wrong > 0 or n_printed < 3


if __name__ == "__main__":
    sys.exit(main())
