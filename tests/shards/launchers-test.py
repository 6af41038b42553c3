#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shards under what starts processes on clusters, as far as it is installed: the bytes of one run."""
import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from sharing import Program, Shared
from slurm import Slurm

SKIPPED = 77
ROUNDS = 2  # the profile has one barrier
DASK = """
import shlex, subprocess, sys
import dask
from distributed import Client, LocalCluster

if __name__ == "__main__":
    dask.config.set({"distributed.dashboard.link": ""})
    start = shlex.split(sys.argv[1])
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        shards = client.map(lambda i: subprocess.run([*start, "--shard", f"{i}/3"]).returncode, range(3), pure=False)
        sys.exit(max(client.gather(shards)))
"""


class Start:
    """One command that is to be shared, and where."""

    def __init__(self, command, folder, env):
        self.command, self.folder, self.env = command, folder, env

    def run(self, words):
        done = subprocess.run(words, cwd=self.folder, env=self.env, capture_output=True, timeout=300, check=False)
        if done.returncode:
            raise AssertionError(f"status {done.returncode}: {(done.stdout + done.stderr).decode('utf-8', 'replace')}")
        return done.stdout.decode()

    def rounds(self, words):
        for _ in range(ROUNDS):
            self.run(words)


def by_mpirun(start):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    start.rounds(["mpirun", *root, "--oversubscribe", "-np", "3", *start.command, "--shard", "auto"])


def by_parallel(start):
    start.rounds(["parallel", "--will-cite", *start.command, "--shard", "{}/3", ":::", "0", "1", "2"])


def python_with_dask():
    """Debian's packages are Debian's Python's, which may not be the one that runs this."""
    for python in (sys.executable, "/usr/bin/python3"):
        if not subprocess.run([python, "-c", "import distributed"], capture_output=True, check=False).returncode:
            return python
    return None


def by_dask(start):
    (start.folder / "shards.py").write_text(DASK)
    start.rounds([python_with_dask(), "shards.py", shlex.join(start.command)])


def by_srun(start):
    with Slurm(start.folder, start.env) as env:
        Start(start.command, start.folder, env).rounds(["srun", "-n", "2", *start.command, "--shard", "auto"])


def by_array(start):
    """Arrays that wait for each other, and a last command that waits for them: it leaves the results."""
    with Slurm(start.folder, start.env) as env:
        slurm, before = Start(start.command, start.folder, env), []
        for _ in range(ROUNDS):
            shard = shlex.join([*start.command, "--shard", "auto"])
            job = slurm.run(["sbatch", "--parsable", "--array=0-2", *before, "--wrap", f"exec {shard}"])
            before = [f"--dependency=afterok:{job.strip()}"]
        last = shlex.join([*start.command, "--no-read", "-o", str(start.folder / "by-slurm")])
        slurm.run(["sbatch", "--wait", *before, "--wrap", f"exec {last}"])
    assert (start.folder / "by-slurm" / "run.json").exists(), "the last command left nothing"


def has(*programs):
    return all(map(shutil.which, programs))


LAUNCHERS = {
    "mpirun": (lambda: has("mpirun"), by_mpirun),
    "parallel": (lambda: has("parallel"), by_parallel),
    "srun": (lambda: Slurm.is_there() and has("srun"), by_srun),
    "a Slurm array": (lambda: Slurm.is_there() and has("sbatch"), by_array),
    "Dask": (python_with_dask, by_dask),
}


def check(program, top, name):
    scratch = pathlib.Path(tempfile.mkdtemp(dir=top))
    words = ["run", "-p", "collectives", "--format", "text,csv", program.source / "samples" / "sweep"]
    shared = Shared(program, words, scratch, scratch)
    state = scratch / "S"
    command = [program.path, *map(str, words), "-j", "1", "--state", str(state)]
    try:
        LAUNCHERS[name][1](Start(command, scratch, {**program.env, "HOME": str(scratch)}))
    except (AssertionError, subprocess.TimeoutExpired) as wrong:
        return str(wrong)
    return shared.last(state, "--no-read")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--only", choices=LAUNCHERS)
    given = parser.parse_args()
    program, failed, there = Program(given.build, given.source), 0, 0
    with tempfile.TemporaryDirectory() as top:
        for name, (is_there, _) in LAUNCHERS.items():
            if given.only not in (None, name):
                continue
            if not is_there():
                print(f"skipped: {name} is not installed")
                continue
            there += 1
            wrong = check(program, top, name)
            print(f"{name}: {wrong or 'the bytes of one run'}")
            failed += bool(wrong)
    return 1 if failed else 0 if there else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
