"""Rows about runs that several processes share: ./dev bench shards."""
# SPDX-License-Identifier: MIT

import os
import shutil
import subprocess
import time

from held import Contest, at_most
from machine import Failed
from result import Result, busy_note


def ranks(bench, megabytes, count, events=None):
    """Small traces of one run: the folder that holds them."""
    size = ["--events", str(events)] if events else ["--size", str(megabytes * 1000000)]

    def make(folder):
        os.mkdir(folder)
        command = [bench.inputs.kineto_gen, *size, "--ranks", str(count), "-o", os.path.join(folder, "rank{rank}.json")]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise Failed(done.stderr.strip())

    return bench.inputs.made(f"shards-{count}-of-{events or megabytes}", make)


class Commands:
    """One profile over one folder, in each way."""

    def __init__(self, bench, folder):
        self.bench, self.folder = bench, folder
        self.state = os.path.join(bench.scratch, "state")

    def words(self, *more):
        return [self.bench.program, "run", "-p", "kernels", "--format", "text,json,csv", self.folder, *more]

    def plain(self, jobs=1):
        return self.bench.run("kernels", self.folder, jobs=jobs, more=["--format", "text,json,csv"])

    def shard(self):
        shutil.rmtree(self.state, ignore_errors=True)
        return self.bench.machine.run(self.words("-j", "1", "--state", self.state, "--shard", "0/1"))

    def last(self):
        return self.bench.run("kernels", self.folder, more=["--format", "text,json,csv", "--state", self.state, "--no-read"])

    def plan(self):
        return self.bench.machine.run([self.bench.program, "plan", "-p", "kernels", self.folder])

    def two_at_once(self):
        shutil.rmtree(self.state, ignore_errors=True)
        start = time.monotonic()
        both = [subprocess.Popen(self.words("-j", "1", "--state", self.state, "--shard", f"{i}/2"), stdout=subprocess.DEVNULL)
                for i in (0, 1)]
        if any([process.wait() for process in both]):
            raise Failed("a shard failed")
        return time.monotonic() - start


def shards(bench):
    """A shard of everything, and then the last command, against one process."""
    large = Commands(bench, ranks(bench, 2, 200))

    def shared():
        usage = large.shard()
        return usage.wall_s + large.last().wall_s

    c = Contest(bench, {"plain": large.plain}, {"shared": shared}, rounds=min(bench.rounds, 3))
    yield at_most("a shard 0/1 and the last process / one process", c.ratio("shared", "plain"), 1.15,
                  [f"{400 / c.times['plain']:.0f} MB/s in one process"])
    c = Contest(bench, {"two": lambda: large.plain(2)}, {"shards": large.two_at_once}, rounds=min(bench.rounds, 3), cpus=2)
    yield at_most("two shards at once / -j2", c.ratio("shards", "two"), 1.25, busy_note(c.free))


def last(bench):
    """Very many small inputs: what the last process does besides opening them, and what is stored of each."""
    small = Commands(bench, ranks(bench, 0, 4096, events=100))
    small.shard()
    c = Contest(bench, {"last": small.last, "plan": small.plan, "plain": small.plain}, rounds=min(bench.rounds, 3))
    yield at_most("the last process of 4,096 inputs / plan", c.ratio("last", "plan"), 4,
                  [f"{4096 / c.times['plain']:.0f} inputs a second in one process"])
    size = sum(entry.stat().st_size for entry in os.scandir(small.state)) / 4096
    yield Result("the folder of --state, an input", "", f"{size:,.0f} bytes", None)


def copies(bench, name, one, count):
    """That trace of rank 0 for each of so many ranks: what they say of the run does not grow with it."""
    with open(one, encoding="utf-8") as file:
        text = file.read()

    def make(folder):
        os.mkdir(folder)
        for rank in range(count):
            with open(os.path.join(folder, f"rank{rank}.json"), "w", encoding="utf-8") as file:
                file.write(text.replace('"rank": 0', f'"rank": {rank}', 1).replace('"pid": 0,', f'"pid": {rank},'))

    return bench.inputs.made(f"copies-{name}-{count}", make)


def lanes(bench):
    """What one of very many inputs takes, where all of them wait for each other or go into one trace."""
    kineto = os.path.join(ranks(bench, 0, 1, events=20), "rank0.json")
    aiu = bench.inputs.made("aiu-100", lambda path: bench.inputs._generate(
        [bench.inputs.aiu_gen, "--events", "100", "--wraps", "1", "--power", "--truth", os.devnull, "-o", path]))
    output = os.path.join(bench.scratch, "lanes")
    convert = ["convert", "-o", f"{output}.json"]
    commands = {"convert": ("kineto", kineto, convert), "convert --set trace.pids=keep": ("kineto", kineto, [*convert, "--set", "trace.pids=keep"]),
                "aiu": ("aiu", aiu, ["run", "-p", "aiu", "-o", output]),
                "aiu-tensorboard": ("aiu", aiu, ["run", "-p", "aiu-tensorboard", "-o", output])}
    for what, (name, one, command) in commands.items():
        folders = {count: copies(bench, name, one, count) for count in (1000, 10000)}
        cpu = {count: min(bench.machine.run([bench.program, *command, folder, "-f", "-j", "1"]).cpu_s
                          for _ in range(min(bench.rounds, 3))) for count, folder in folders.items()}
        yield at_most(f"{what}, an input of 10,000 / of 1,000", cpu[10000] / cpu[1000] / 10, 1.25,
                      [f"{cpu[10000] / 10:.2f} ms an input"])


ROWS = {"shards": shards, "shards-last": last, "shards-lanes": lanes}
