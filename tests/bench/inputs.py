"""Generated inputs of the benchmark, kept in a cache directory from one run to the next."""

import os
import shutil
import subprocess

from machine import Failed


class Inputs:
    def __init__(self, generators, cache):
        self.kineto_gen = os.path.join(generators, "kineto-gen")
        self.aiu_gen = os.path.join(generators, "aiu-gen")
        self.cache = cache
        os.makedirs(cache, exist_ok=True)

    def _made(self, path, make):
        """Makes a file under a temporary name unless it is there and newer than the generators."""
        newest = max(os.path.getmtime(self.kineto_gen), os.path.getmtime(self.aiu_gen))
        if os.path.exists(path) and os.path.getmtime(path) >= newest:
            return path
        partial = path + ".partial"
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

    def packed(self, path, suffix):
        """A compressed copy, by the usual tool at its default level."""
        tool = shutil.which({".gz": "gzip", ".zst": "zstd"}[suffix])
        if not tool:
            raise Failed(f"no tool for {suffix} files is installed")

        def pack(partial):
            with open(path, "rb") as source, open(partial, "wb") as target:
                subprocess.run([tool, "-c", "-q"], stdin=source, stdout=target, check=True)

        return self._made(path + suffix, pack)

    def aiu(self, events):
        path = os.path.join(self.cache, f"aiu-{events}.json")
        command = [self.aiu_gen, "--events", str(events), "--wraps", "5", "--power"]
        command += ["--truth", os.devnull, "-o"]
        return self._made(path, lambda partial: self._generate([*command, partial]))


def count_events(path):
    """Events of a generated file: each has exactly one phase."""
    count, tail = 0, b""
    with open(path, "rb") as file:
        while block := file.read(16 << 20):
            data = tail + block
            count += data.count(b'"ph":')
            tail = data[-4:]
    return count
