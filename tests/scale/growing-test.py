#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One member that grows without end, for each source: growing-test.py PROGRAM [--once] [SOURCE...]

A run with --max-memory M takes M + 32 MiB at most, or ends with status 8 before; never more.  What reading alone takes is
seen with the profile info, what stages take with others; --once: each input with one of its profiles, in turn.  Most inputs are compressed, so that a small file of the user's can do it."""
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "trust")]
from growing_inputs import GROWING, MIB  # noqa: E402
from record import record  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
ONCE = "--once" in sys.argv
SOURCES = [word for word in sys.argv[2:] if word != "--once"]
LIMIT, MOST = 64 * MIB, 96 * MIB
# What reads an input through its stages, besides info; eplb compares two.
SECOND = {"allreduce-csv": ["allreduce"], "bench-json": ["serving"], "chrome-json": ["kernels"], "compiler-log": ["aiu"], "gate-log": ["moe-load"],
          "graph-capture": ["torch"],
          "latency-csv": ["exposed-latency"], "nsys-csv": ["eplb"], "nsys-sqlite": ["eplb"], "perfetto": ["kernels"], "probe-bin": ["probe"],
          "probe-log": ["probe-report"], "rocprof-json": ["kernels"], "strategy-table": ["strategy-table"], "sweep-tree": ["gemm-variance"],
          "tuner-conf": ["tuner-check"], "tuner-csv": ["nccl-tuner"]}
UNNAMED = ("compiler-log", "graph-capture", "sweep-tree", "workload-card")  # they are found by what lies there

with open(PROGRAM, "rb") as program:
    code = program.read()
if b"__asan_init" in code or b"__tsan_init" in code:
    print("built with a sanitizer, which takes more than any of this: skipped")
    sys.exit(77)


def run(folder, source, words, *more):
    named = [] if source in UNNAMED else ["--source", source]
    with open(folder / "messages", "w+") as messages:
        child = subprocess.Popen([PROGRAM, "run", *more, *named, "--max-memory", str(LIMIT), "-o", "out", "-f", *words],
                                 cwd=folder, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return child.returncode, usage.ru_maxrss * 1024, messages.read()


def written(source, number, folder):
    return GROWING[source][number][1](folder)


def two(folder, words):
    """The same table once more, under another name."""
    os.link(folder / words[0], folder / f"on-{words[0]}")
    return [f"off={words[0]}", f"on=on-{words[0]}"]


def tried(source, number):
    """The largest peak, and what was wrong."""
    what = GROWING[source][number][0]
    with tempfile.TemporaryDirectory(prefix="growing-test-") as made:
        folder = pathlib.Path(made)
        # What the writer took would count as the program's.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            words = pool.apply(written, (source, number, folder))
        profiles = ["info", *SECOND.get(source, [])]
        if ONCE:
            profiles = [profiles[number % len(profiles)]]
        done = [(profile, *run(folder, source, two(folder, words) if profile == "eplb" else words, "-p", profile)) for profile in profiles]
    for profile, status, peak, said in done:
        code = re.search(r"error\[([A-Z0-9-]+)\]", said)
        print(f"{source}: {what}: {profile}: status {status}{f' ({code[1]})' if code else ''}, {peak / MIB:.0f} MiB", flush=True)
    wrong = [f"{source}: {what}: {profile}: status {status}, {peak / MIB:.0f} MiB: {said[-600:]}" for profile, status, peak, said in done
             if status not in (0, 3, 8) or peak > MOST]
    return max(peak for _, _, peak, _ in done), wrong


def main():
    sources = {s["name"] for s in json.loads(subprocess.run([PROGRAM, "list", "sources", "--json"], capture_output=True, check=True).stdout)}
    failures = [f"no growing input for {name}" for name in sorted(sources - set(GROWING))]
    over = {}
    for source in SOURCES or GROWING:
        done = [tried(source, number) for number in range(len(GROWING[source]))]
        failures += [text for _, wrong in done for text in wrong]
        over[source] = {"inputs": len(done), "over_mib": round((max(peak for peak, _ in done) - LIMIT) / MIB)}
    for source, most in over.items():
        told = f"{most['over_mib']} MiB over the limit" if most["over_mib"] > 0 else f"{-most['over_mib']} MiB below the limit"
        print(f"{source}: at most {told} of {LIMIT // MIB} MiB, in {most['inputs']} inputs")
    if not SOURCES and not ONCE:
        record("growing", limit_mib=LIMIT // MIB, sources=over)
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
