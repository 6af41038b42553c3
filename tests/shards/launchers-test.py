#!/usr/bin/env python3
"""Shards under what starts processes on clusters, as far as it is installed: the bytes of one run."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from sharing import Program, Shared

SKIPPED = 77


def by_mpirun(start):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "-np", "3", *start, "--shard", "auto"]


def by_srun(start):
    return ["srun", "-n", "3", *start, "--shard", "auto"]


def by_parallel(start):
    return ["parallel", "--will-cite", *start, "--shard", "{}/3", ":::", "0", "1", "2"]


LAUNCHERS = {"mpirun": by_mpirun, "parallel": by_parallel, "srun": by_srun}


def check(program, top, name):
    scratch = pathlib.Path(top) / name
    scratch.mkdir()
    words = ["run", "-p", "collectives", "--format", "text,csv", program.source / "samples" / "sweep"]
    shared = Shared(program, words, scratch, scratch)
    state = scratch / "S"
    start = [program.path, *map(str, words), "-j", "1", "--state", str(state)]
    for _ in range(2):  # the profile has one barrier
        done = subprocess.run(LAUNCHERS[name](start), cwd=scratch, env={**program.env, "HOME": str(scratch)}, capture_output=True,
                              timeout=300, check=False)
        if done.returncode:
            return f"status {done.returncode}: {done.stderr.decode('utf-8', 'replace')}"
    return shared.last(state, "--no-read")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    given = parser.parse_args()
    program, failed, there = Program(given.build, given.source), 0, 0
    with tempfile.TemporaryDirectory() as top:
        for name in LAUNCHERS:
            if not shutil.which(name):
                print(f"skipped: {name} is not installed")
                continue
            there += 1
            wrong = check(program, top, name)
            if wrong:
                print(f"{name}: {wrong}")
            failed += bool(wrong)
    return 1 if failed else 0 if there else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
