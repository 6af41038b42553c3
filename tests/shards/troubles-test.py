#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What goes wrong with a folder of --state: killed processes, two at once, damage, other jobs, and
what is refused. In the end the bytes are those of one run, or an error says what to do.

With --seed only processes are killed, at moments of that seed, and disks are full."""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from sharing import Program, Shared, difference, outputs

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "trust"))
from record import record  # noqa: E402

FAILED = []
SHARED = ("kernels", "collectives")
MOMENTS = 20  # at which a shard is killed, and as many for the last command
SEED = 7


def expect(what, is_so, said=""):
    if not is_so:
        FAILED.append(what)
        print(f"{what}: {said}")


class Trouble:
    def __init__(self, program, top):
        self.program, self.top, self.n = program, pathlib.Path(top), 0
        self.samples = program.source / "samples"

    def folder(self):
        self.n += 1
        made = self.top / str(self.n)
        made.mkdir()
        return made

    def shared(self, profile="kernels", inputs=None, *more):
        scratch = self.folder()
        words = ["run", "-p", profile, *(inputs or [self.samples / "sweep"]), "--format", "text,json,csv", *more]
        return Shared(self.program, words, scratch, scratch), scratch

    def refuses(self, what, status, code, words, says="", **given):
        got, _, said = self.program.run(words, cwd=self.top, **given)
        expect(what, got == status and (not code or f"[{code}]" in said) and says in said, f"status {got}: {said}")
        return said


# ------------------------------------------------------------------------------------- refusals

def refusals(t):
    one = t.samples / "kineto" / "rank0.json"
    state, out = t.folder() / "S", t.folder() / "out"
    run = ["run", "-p", "kernels", one]
    t.refuses("a shard without a folder", 2, "RUN-90", [*run, "--shard", "0/2"], "--state")
    t.refuses("--no-read without a folder", 2, "RUN-90", [*run, "--no-read"], "--state")
    for more in (["-o", out], ["--json"], ["--rows", "3"], ["--timings"], ["--dump-after", "kernels"], ["--no-read"]):
        t.refuses(f"a shard with {more[0]}", 2, "RUN-90", [*run, "--state", state, "--shard", "0/2", *more])
    for shard in ("2/2", "-1/2", "0/0", "0/65537", "1", "/", "a/b", "0/2/3", "auto/x", "auto/0", "", "auto"):
        t.refuses(f"--shard {shard}", 2, "RUN-90", [*run, "--state", state, "--shard", shard], "--shard")
    t.refuses("a stage of whole scope", 4, "RUN-54",
              ["run", "-p", "aiu-comm", t.samples / "aiu", "--state", state, "--shard", "0/2", "--format", "csv"], "--disable")
    t.refuses("a format of events", 4, "RUN-54", [*run, "--state", state, "--shard", "0/2", "--format", "text,trace"],
              "--format text")
    t.refuses("events of the profile", 4, "RUN-54", ["run", "-p", "aiu", t.samples / "aiu", "--state", state, "-o", out],
              "--format ")
    t.refuses("standard input", 2, "RUN-55", ["run", "-p", "kernels", "-", "--state", state], "standard input", stdin=one)
    pipe = t.folder() / "pipe"
    os.mkfifo(pipe)
    t.refuses("a pipe", 2, "RUN-55", ["run", "-p", "kernels", pipe, "--state", state], "a pipe")
    t.refuses("a device", 2, "RUN-55", ["run", "-p", "kernels", "/dev/null", "--state", state], "a device")
    expect("nothing was made by what was refused", not state.exists() and not out.exists())
    t.refuses("the folder is the output", 2, "RUN-55", [*run, "--state", out, "-o", out])
    t.refuses("the folder is in the output", 2, "RUN-55", [*run, "--state", out / "S", "-o", out], "in the output folder")
    inputs = t.folder()
    shutil.copy(one, inputs)
    t.refuses("the folder is an input", 2, "RUN-55", ["run", "-p", "kernels", inputs, "--state", inputs, "-o", out])
    link = t.folder() / "link"
    link.symlink_to(inputs)
    t.refuses("the folder is a link to an input", 2, "RUN-55", ["run", "-p", "kernels", inputs, "--state", link, "-o", out])
    a_file = t.folder() / "file"
    a_file.write_text("x")
    t.refuses("the folder is a file", 6, "OUT-15", [*run, "--state", a_file, "-o", out])
    t.refuses("nothing is there", 3, "RUN-52", [*run, "--state", t.top / "none", "--no-read", "-o", out], "rank0")
    expect("nothing was made by --no-read", not (t.top / "none").exists())
    runs = t.program.source / "tests" / "golden" / "cases" / "appended-runs" / "in" / "runs.json"
    expect("runs in one file", runs.exists())


def environment(t):
    """--shard auto: the first launcher that says who this process is."""
    one = t.samples / "kineto" / "rank0.json"
    array = {"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "4", "SLURM_ARRAY_TASK_MAX": "6", "SLURM_ARRAY_TASK_COUNT": "3"}
    mpi = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"}
    cases = [
        ("auto", mpi, "shard 1 of 4"),
        ("auto", {"PMI_RANK": "0", "PMI_SIZE": "2"}, "shard 0 of 2"),
        ("auto", {"SLURM_PROCID": "7", "SLURM_NTASKS": "8"}, "shard 7 of 8"),
        ("auto", array, "shard 1 of 3"),
        ("auto", {**array, "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, "shard 1 of 3"),
        ("auto", {**array, "SLURM_ARRAY_TASK_MAX": "9", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, "shard 0 of 1"),
        ("auto", {**array, "SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_MAX": "4", "SLURM_ARRAY_TASK_COUNT": "1"}, None),
        ("auto", {**mpi, **array}, "shard 1 of 4"),
        ("auto", {"JOB_COMPLETION_INDEX": "1"}, None),
        ("auto/3", {"JOB_COMPLETION_INDEX": "2"}, "shard 2 of 3"),
        ("auto/3", {"JOB_COMPLETION_INDEX": "3"}, None),
        ("auto", {"OMPI_COMM_WORLD_RANK": "x", "OMPI_COMM_WORLD_SIZE": "4"}, None),
        ("auto", {"PMI_RANK": "2", "PMI_SIZE": "2"}, None),
    ]
    for shard, env, says in cases:
        state = t.folder() / "S"
        status, printed, said = t.program.run(["run", "-p", "kernels", one, "--state", state, "--shard", shard], cwd=t.top, env=env)
        good = status == 2 and "RUN-90" in said if says is None else status == 0 and printed.decode().startswith(says + ":")
        expect(f"--shard {shard} with {env}", good, f"status {status}: {printed} {said}")


# ---------------------------------------------------------------------------------- other jobs

def other_jobs(t):
    inputs = t.folder()
    for rank in (0, 1):
        shutil.copy(t.samples / "kineto" / f"rank{rank}.json", inputs)
    shared, scratch = t.shared("kernels", [inputs / "rank0.json", inputs / "rank1.json"])
    state = scratch / "S"
    shared.shard(state, 0, 2)
    before = outputs(state)
    last = [*shared.words, "--state", state, "-o", scratch / "out"]
    t.refuses("another profile", 3, "RUN-50", ["run", "-p", "torch", *last[3:]], "plan")
    t.refuses("one input fewer", 3, "RUN-50", [*last[:4], *last[5:]], "inputs 2 -> 1")
    t.refuses("another label", 3, "RUN-50", [*last[:3], f"a={inputs}/rank0.json", *last[4:]], "input 1: label")
    t.refuses("another rank", 3, "RUN-50", [*last, "--rank-regex", "k([0-9])"], "") if False else None
    stamp = (inputs / "rank1.json").stat()
    os.utime(inputs / "rank1.json", ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1))
    t.refuses("a touched input", 3, "RUN-50", last, "input 2: time of change")
    os.utime(inputs / "rank1.json", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    text = (inputs / "rank1.json").read_bytes()
    (inputs / "rank1.json").write_bytes(text + b" ")
    t.refuses("a longer input", 3, "RUN-50", last, f"input 2: size {len(text)} -> {len(text) + 1}")
    (inputs / "rank1.json").unlink()
    t.refuses("a removed input", 3, None, last, "rank1.json")
    expect("nothing was written into the folder of another job", outputs(state) == before)
    (inputs / "rank1.json").write_bytes(text)
    os.utime(inputs / "rank1.json", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    expect("the job itself goes on", shared.last(state) is None)
    modes = {oct(p.stat().st_mode & 0o777) for p in state.iterdir()}
    expect("files are private", modes == {"0o600"}, modes)


# ------------------------------------------------------------------------------------- damage

def damage(t):
    shared, scratch = t.shared("torch", [t.samples / "kineto" / "rank0.json", t.samples / "kineto" / "rank1.json"])
    whole = scratch / "whole"
    shared.rounds(whole, 2)
    for path in sorted(whole.iterdir()):
        data = path.read_bytes()
        head = 12 if path.name == "job.mill" else 80
        flips = [(at, bit) for at in range(head) for bit in (range(8) if at % 11 == 0 else (at % 8,))]
        flips += [(at, at // 97 % 8) for at in range(head, len(data), 97)]
        cuts = sorted({0, 1, head - 1, head, head + 31, head + 32, len(data) // 2, len(data) - 1} & set(range(len(data))))
        random.Random(1).shuffle(flips)
        if not t.full:
            flips = flips[:25]
        for at, bit in flips:
            hurt = bytearray(data)
            hurt[at] ^= 1 << bit
            one_damage(shared, whole, path.name, bytes(hurt), f"{path.name}: bit {bit} of byte {at} flipped")
        for cut in cuts:
            one_damage(shared, whole, path.name, data[:cut], f"{path.name}: cut at {cut}")
    link = scratch / "link"
    shutil.copytree(whole, link)
    victim = next(p for p in sorted(link.iterdir()) if p.name != "job.mill")
    victim.rename(scratch / "elsewhere")
    victim.symlink_to(scratch / "elsewhere")
    t.refuses("a link in the folder", 3, "RUN-51", [*shared.words, "--state", link, "-o", scratch / "out"], victim.name)


def one_damage(shared, whole, name, data, what):
    state = shared.scratch / "hurt"
    shutil.rmtree(state, ignore_errors=True)
    shutil.copytree(whole, state)
    (state / name).write_bytes(data)
    folder = shared.scratch / "damaged-out"
    shutil.rmtree(folder, ignore_errors=True)
    status, _, said = shared.run("--state", state, "-o", folder)
    if status == 3:
        expect(what, name in said and ("RUN-51" in said or "RUN-50" in said), said)
    else:
        wrong = difference(outputs(shared.scratch / "plain"), outputs(folder))
        expect(what, status == 0 and wrong is None, f"status {status}: {wrong} {said}")


# -------------------------------------------------------------------------------- killed, at once

def start(shared, *more):
    return subprocess.Popen([shared.program.path, *map(str, shared.words), *map(str, more)], cwd=shared.cwd,
                            env=shared.program.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def killed(t, profile, inputs, moments):
    """Each process is killed at some moment, and started again."""
    shared, scratch = t.shared(profile, inputs)
    begin = time.monotonic()
    shared.rounds(scratch / "timed", 2)
    took = (time.monotonic() - begin) / 2
    chance = random.Random(t.seed)
    state = scratch / "S"
    for k in range(moments):
        process = start(shared, "--state", state, "--shard", f"{k % 2}/2")
        time.sleep(chance.random() * took)
        process.send_signal(signal.SIGKILL)
        process.wait()
    for k in range(moments):
        process = start(shared, "--state", state, "-o", scratch / "killed-out")
        time.sleep(chance.random() * took)
        process.send_signal(signal.SIGKILL)
        process.wait()
        shutil.rmtree(scratch / "killed-out", ignore_errors=True)
    shared.rounds(state, 2)
    wrong = shared.last(state, "--no-read")
    expect(f"{profile}: killed {2 * moments} times", wrong is None, wrong)


def at_once(t, profile, inputs):
    """Each shard twice, all of them at the same time."""
    shared, scratch = t.shared(profile, inputs)
    state = scratch / "S"
    for _ in range(2):
        for process in [start(shared, "--state", state, "--shard", f"{i}/3") for i in (0, 1, 2, 2, 1, 0)]:
            expect(f"{profile}: a shard beside itself", process.wait() == 0, process.returncode)
    wrong = shared.last(state, "--no-read")
    expect(f"{profile}: shards at once", wrong is None, wrong)


def full_disk(t):
    """A limit of the size of files stands for it."""
    import resource
    shared, scratch = t.shared("torch", [t.samples / "kineto" / "rank0.json", t.samples / "kineto" / "rank1.json"])
    state = scratch / "S"

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))
    status, _, said = shared.run("--state", state, "--shard", "0/1", limits=limit)
    expect("a full disk", status == 6 and "OUT-15" in said, f"status {status}: {said}")
    wrong = shared.last(state)
    expect("after a full disk", wrong is None, wrong)


def failures(t):
    """Under --keep-going what failed in a shard is said by the last command."""
    inputs = t.folder()
    shutil.copy(t.samples / "kineto" / "rank0.json", inputs)
    (inputs / "rank1.json").write_text((t.samples / "kineto" / "rank1.json").read_text()[:20000])
    shared, scratch = t.shared("kernels", [inputs / "rank0.json", inputs / "rank1.json"], "--keep-going")
    state = scratch / "S"
    status, printed, said = shared.run("--state", state, "--shard", "1/2")
    expect("a shard with a failure", status == 0 and b"; 1 lane failed" in printed, f"{status} {printed} {said}")
    shared.rounds(state, 2)
    wrong = shared.last(state, "--no-read")
    expect("the last one says what failed", wrong is None and shared.status == 3, wrong)


def strict(t):
    """Warnings matter to the last command only; a repaired input is refused as in one run."""
    hurt = t.folder() / "rank0.json"
    text = (t.samples / "kineto" / "rank0.json").read_text()
    hurt.write_text(text.replace('"ph": "X"', '"ph": "X", "odd": NaN', 1) if '"ph": "X"' in text else text.replace("{", "{\"odd\": NaN, ", 1))
    shared, scratch = t.shared("kernels", [hurt, t.samples / "kineto" / "rank1.json"])
    state = scratch / "S"
    shared.rounds(state, 2)
    plain = shared.run("-o", scratch / "plain-strict", "--strict")
    last = shared.run("--state", state, "-o", scratch / "strict", "--strict")
    expect("--strict of the last one", plain[0] == last[0] and plain[2].replace("plain-strict", "strict") == last[2],
           f"{plain[0]} {plain[2]}\nnot: {last[0]} {last[2]}")


def refused_and_damaged(t):
    for check in (refusals, environment, other_jobs, damage, failures, strict):
        check(t)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--seed", type=int, help="of the moments of signals")
    parser.add_argument("--full", action="store_true", help="every bit of the heads, and each 97th of the rest")
    given = parser.parse_args()
    program = Program(given.build, given.source)
    with tempfile.TemporaryDirectory() as top:
        t = Trouble(program, top)
        t.full, t.seed = given.full, given.seed or SEED
        if given.seed is None:
            refused_and_damaged(t)
        for profile in SHARED:
            killed(t, profile, [t.samples / "sweep"], MOMENTS)
            at_once(t, profile, [t.samples / "sweep"])
        full_disk(t)
    record("shards", kills=2 * MOMENTS * len(SHARED), failures=len(FAILED))
    print(f"{len(FAILED)} problems")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
