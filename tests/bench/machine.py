"""Running commands and timing them: wall and CPU time, peak memory, whether the CPUs are free."""
# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import time

SPIN_S = 0.15
FREE_SHARE = 0.93


class Failed(Exception):
    """A command did not end well; the text is its last line."""


class Usage:
    """What one run of a command took."""

    def __init__(self, wall_s, user_s, sys_s, peak_kib):
        self.wall_s = wall_s
        self.cpu_s = user_s + sys_s
        self.peak_mib = peak_kib / 1024


class Machine:
    def __init__(self, tools, scratch):
        self.launcher = os.path.join(tools, "launch")
        self.scratch = scratch

    def run(self, command):
        """Runs a command through the launcher; raises Failed."""
        report = os.path.join(self.scratch, "usage.json")
        command = [self.launcher, report, *command]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            what = " ".join([os.path.basename(command[2]), *command[3:4]])
            raise Failed(f"{what}: status {done.returncode}: {lines[0]}")
        with open(report) as file:
            return Usage(**json.load(file))

    def seconds_printed(self, command):
        """Runs a command that measures itself and prints seconds."""
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failed((done.stderr.strip().splitlines() or ["no message"])[-1])
        return float(done.stdout)


def spin_share():
    """The share of a CPU that this process gets."""
    start, cpu = time.monotonic(), time.process_time()
    while time.monotonic() - start < SPIN_S:
        pass
    return (time.process_time() - cpu) / (time.monotonic() - start)


def cpus_free(count):
    """Spins on `count` CPUs at once; true if each got nearly all of one."""
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            os._exit(0 if spin_share() >= FREE_SHARE else 1)
        children.append(child)
    return all([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children])


def interleave(contestants, rounds, cpus=1):
    """Runs each of {name: function returning seconds} once a round.

    Returns {name: minimum} and whether the CPUs were free. With cpus > 1 only rounds with free CPUs
    before and after them count; when too many are spoilt, it ends with what it has.
    """
    patience = 3 * rounds
    clean, spoilt = [], []
    while len(clean) < rounds and len(spoilt) < patience:
        free = cpus == 1 or cpus_free(cpus)
        if not free:
            time.sleep(0.5)
        times = {name: function() for name, function in contestants.items()}
        free = free and (cpus == 1 or cpus_free(cpus))
        (clean if free else spoilt).append(times)
    counted = clean or spoilt
    least = {name: min(times[name] for times in counted) for name in contestants}
    return least, len(clean) >= rounds
