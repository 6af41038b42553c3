"""Generated inputs of the benchmark, kept in a cache directory from one run to the next."""
# SPDX-License-Identifier: MIT

import glob
import os
import random
import re
import shutil
import subprocess
import sys

from machine import Failed


class Inputs:
    def __init__(self, generators, cache):
        self.kineto_gen = os.path.join(generators, "kineto-gen")
        self.aiu_gen = os.path.join(generators, "aiu-gen")
        self.cache = cache
        os.makedirs(cache, exist_ok=True)

    def made(self, name, make):
        """A file or folder of that name, which `make` writes where it is told to."""
        return self._made(os.path.join(self.cache, name), make)

    def _made(self, path, make):
        """Makes a file under a temporary name unless it is there and newer than the generators."""
        newest = max(os.path.getmtime(self.kineto_gen), os.path.getmtime(self.aiu_gen))
        if os.path.exists(path) and os.path.getmtime(path) >= newest:
            return path
        partial = path + ".partial"
        for old in (partial, path):
            shutil.rmtree(old, ignore_errors=True)
        make(partial)
        os.rename(partial, path)
        return path

    def _generate(self, command):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failed(done.stderr.strip())

    def kineto(self, megabytes, seed=1):
        path = os.path.join(self.cache, f"kineto-{megabytes}m-{seed}.json")
        command = [self.kineto_gen, "--size", str(megabytes * 1000000), "--seed", str(seed), "-o"]
        return self._made(path, lambda partial: self._generate([*command, partial]))

    def kineto_ranks(self, megabytes, ranks):
        """Traces of one run, with stacks and shapes: their paths."""
        command = [self.kineto_gen, "--size", str(megabytes * 1000000), "--ranks", str(ranks), "--operators", "-o"]

        def make(folder):
            os.mkdir(folder)
            self._generate([*command, os.path.join(folder, "rank{rank}.json")])

        folder = self._made(os.path.join(self.cache, f"kineto-{megabytes}m-of-{ranks}"), make)
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    def sweep(self, megabytes):
        """Four configurations of four ranks; the folder, and the traces.  Configurations are copies: making them takes longer."""
        calls = megabytes * 1000000 // 3600

        def make(folder):
            self._script("sweep-gen.py", "--threads", 256, "--channels", 28, "--ranks", 4, "--calls", calls, "--shapes", 64, "-o", folder)
            first = os.path.join(folder, "256thread", "nccl_28channels")
            for other in ("256thread/nccl_56channels", "512thread/nccl_28channels", "512thread/nccl_56channels"):
                shutil.copytree(first, os.path.join(folder, other))

        folder = self._made(os.path.join(self.cache, f"sweep-{megabytes}m"), make)
        return folder, sorted(glob.glob(os.path.join(folder, "**", "*.json"), recursive=True))

    def with_text_pids(self, path):
        """The same with the device's rows in a process that has a text for a pid."""
        def make(partial):
            with open(path) as source, open(partial, "w") as target:
                for line in source:
                    target.write(line.replace('"pid": 0,', '"pid": "Spans",'))

        return self._made(path.replace(".json", "-texts.json"), make)

    def packed(self, path, suffix):
        """A compressed copy, by the usual tool at its default level."""
        tool = shutil.which({".gz": "gzip", ".zst": "zstd"}[suffix])
        if not tool:
            raise RuntimeError(f"no tool for {suffix} files is installed")

        def pack(partial):
            with open(path, "rb") as source, open(partial, "wb") as target:
                subprocess.run([tool, "-c", "-q"], stdin=source, stdout=target, check=True)

        return self._made(path + suffix, pack)

    def aiu(self, events, rank=None):
        """One rank, or one of two."""
        name = f"aiu-{events}.json" if rank is None else f"aiu-{events}-{rank}.json"
        command = [self.aiu_gen, "--events", str(events), "--wraps", "5", "--power"]
        command += ["--truth", os.devnull, "-o"]
        if rank is None:
            return self._made(os.path.join(self.cache, name),
                              lambda partial: self._generate([*command, partial]))

        def make(partial):
            other = f"{partial}-{{rank}}"
            self._generate([*command, other, "--ranks", "2", "--collectives", "100"])
            os.rename(other.format(rank=rank), partial)
            os.remove(other.format(rank=1 - rank))

        return self._made(os.path.join(self.cache, name), make)

    def aiu_shuffled(self, events):
        """One rank whose kernels follow each other in no order, and a log of 80,000 rows about them."""
        def make(folder):
            os.mkdir(folder)
            self._generate([self.aiu_gen, "--events", str(events), "--wraps", "5", "--power", "--shuffled",
                            "--log", os.path.join(folder, "compile.log"), "--log-rows", "80000",
                            "--truth", os.devnull, "-o", os.path.join(folder, "rank0.json")])

        folder = self._made(os.path.join(self.cache, f"aiu-shuffled-{events}"), make)
        return os.path.join(folder, "rank0.json"), os.path.join(folder, "compile.log")

    def reordered(self, megabytes, window):
        """A trace of which events are late by up to `window` others; 0: in no order at all."""
        path = os.path.join(self.cache, f"kineto-{megabytes}m-late-{window}.json")
        command = [self.kineto_gen, "--size", str(megabytes * 1000000), "--sorted", "--layout",
                   "compact", "-o", "-"]

        def make(partial):
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            with open(partial, "wb") as file:
                file.write(reorder(done.stdout, window))

        return self._made(path, make)

    # ---- what serving benchmarks leave; their generators are scripts

    def _script(self, name, *words):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gen", name)
        self._generate([sys.executable, script, *map(str, words)])

    def _copies(self, folder, count):
        """Fills a folder up to `count` files with copies of those in it: making them takes longer."""
        names = sorted(os.listdir(folder))
        for i in range(len(names), count):
            stem, suffix = os.path.splitext(names[i % len(names)])
            source = os.path.join(folder, names[i % len(names)])
            shutil.copyfile(source, os.path.join(folder, f"{stem}-{i}{suffix}"))

    def bench_results(self, files, megabytes):
        def make(folder):
            gaps = megabytes * 1000000 // files // 21 // 100
            self._script("bench-gen.py", "--files", 40, "--requests", 100, "--gaps", gaps,
                         "-o", os.path.join(folder, "result{n}.json"))
            self._copies(folder, files)

        return self._made(os.path.join(self.cache, f"results-{files}-{megabytes}m"), make)

    def gate_logs(self, megabytes):
        def make(folder):
            runs, layers = 57, 32
            steps = megabytes * 1000000 // runs // layers // 119
            self._script("gate-gen.py", "--runs", 1, "--layers", layers, "--steps", steps,
                         "-o", folder)
            first = os.path.join(folder, sorted(os.listdir(folder))[0])
            for i in range(1, runs):
                shutil.copytree(first, os.path.join(folder, f"gates_logs_copy{i:02}"))

        return self._made(os.path.join(self.cache, f"gate-logs-{megabytes}m"), make)

    def kernel_table(self, rows, seed):
        path = os.path.join(self.cache, f"kernels-{rows}-{seed}.csv")
        return self._made(path, lambda partial: self._script(
            "kernel-table-gen.py", "--rows", rows, "--seed", seed, "-o", partial))

    def nsys_report(self, megabytes):
        """A database of Nsight Systems of about that size: 110 MB, as often as it takes."""
        times = max(1, round(megabytes / 110))
        path = os.path.join(self.cache, f"report-{times}.sqlite")
        return self._made(path, lambda partial: self._script(
            "nsys-gen.py", "--steps", 1500, "--launches", 400, "--times", times, partial))

    def run_folders(self, count):
        """Small run folders with a card and three results each."""
        card = "workload:\n  model:\n    phase: inference\n    moe: true\n"

        def make(tree):
            for i in range(count):
                folder = os.path.join(tree, f"run{i:03}")
                self._script("bench-gen.py", "--files", 3, "--requests", 5, "--gaps", 5, "--seed", i,
                             "-o", os.path.join(folder, "results_json", "result{n}.json"))
                with open(os.path.join(folder, "card.yaml"), "w") as file:
                    file.write(card)

        return self._made(os.path.join(self.cache, f"folders-{count}"), make)


def reorder(text, window):
    """Metadata stays in front."""
    start = text.index(b"[", text.index(b'"traceEvents":')) + 1
    end = text.rindex(b"]")
    events = re.split(rb',(?=\{"(?:ph|name)":)', text[start:end])
    first = [e for e in events if b'"ph":"M"' in e[:80]]
    rest = events[len(first):]
    pick = random.Random(1)
    late = [(i + pick.random() * window) if window else pick.random() for i in range(len(rest))]
    rest = [rest[i] for i in sorted(range(len(rest)), key=late.__getitem__)]
    return text[:start] + b",\n".join(first + rest) + text[end:]


def count_events(path):
    """Events of a generated file: each has exactly one phase."""
    count, tail = 0, b""
    with open(path, "rb") as file:
        while block := file.read(16 << 20):
            data = tail + block
            count += data.count(b'"ph":')
            tail = data[-4:]
    return count
