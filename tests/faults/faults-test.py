#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lets calls of the system fail, one after the other, and looks at what the program makes of it.

Every scenario runs once as it should and once to be counted; then again under each fault: the n-th call fails, or
each from it on, or it moves fewer bytes than asked for.  The program must end well with the very same results, or
with a message and a fitting status; its outputs are complete or not there; nothing is left over, nothing hangs.  Built
with the address sanitizer it leaks nothing, too.

Every call fails, or --calls of those from one place of the program; memory from one place the first and the last
time it is asked for, and only in the first scenario that does it.  --sample takes so many of these at random."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "property"))
sys.path.insert(0, str(HERE.parent / "trust"))
from program import Program  # noqa: E402
from record import record  # noqa: E402
from scenarios import every  # noqa: E402
from trial import Fault, Hit, Place, same_addresses  # noqa: E402

# What may happen to a call: once, and from then on; "short" moves fewer bytes.
ONCE = {"read": ["once:EIO", "once:EINTR", "short"], "pread": ["once:EIO", "once:EINTR", "short"],
        "write": ["once:ENOSPC", "once:EIO", "once:EINTR", "short"], "fsync": ["once:EIO"], "rename": ["once:EIO"],
        "remove": ["once:EIO"],
        "open": ["once:EMFILE", "once:EIO"], "opendir": ["once:EMFILE"], "mkdir": ["once:ENOSPC"],
        "stat": ["once:EIO"], "mmap": ["once:ENOMEM"], "alloc": ["once:ENOMEM"],
        "pthread_create": ["once:EAGAIN"], "posix_spawn": ["once:EAGAIN"]}
ON = {"read": ["on:EIO"], "pread": ["on:EIO"], "write": ["on:ENOSPC"], "fsync": ["on:EIO"], "rename": ["on:EXDEV"],
      "remove": ["on:EIO"],
      "open": ["on:EMFILE"], "opendir": ["on:EMFILE"], "mkdir": ["on:EDQUOT"], "stat": ["on:EIO"],
      "mmap": ["on:ENOMEM"], "alloc": ["on:ENOMEM"], "pthread_create": ["on:EAGAIN"], "posix_spawn": ["on:EAGAIN"]}
ORDER = ["leak", "wrong", "lost", "half", "hang", "signal", "status", "silent", "left"]


def severity(complaint):
    return ORDER.index(complaint[0])


def read_counts(path):
    """The sites of calls, {(call, hash): [n...]}, and those of memory, {hash: (first, last)}."""
    sites, stacks = collections.defaultdict(list), {}
    for line in path.read_text().splitlines():
        kind, *words = line.split()
        if kind == "site":
            sites[words[0], words[2]].append(int(words[1]))
        elif kind == "stack":
            stacks[words[0]] = (int(words[1]), int(words[2]))
    return sites, stacks


def spread(numbers, most):
    """At most so many of them, with the first and the last; 0: all."""
    if not most or len(numbers) <= most:
        return numbers
    return sorted({numbers[i * (len(numbers) - 1) // (most - 1)] for i in range(most)})


def faults_of(sites, stacks, most):
    found = []
    for (call, _), numbers in sorted(sites.items()):
        for n in spread(numbers, most):
            found += [f"{call}:{n}:{what}" for what in ONCE[call]]
        found += [f"{call}:{numbers[0]}:{what}" for what in ON[call]]
    for first, last in sorted(stacks.values()):
        found += [f"alloc:{n}:{what}" for n in sorted({first, last}) for what in ONCE["alloc"]]
        found += [f"alloc:{first}:{what}" for what in ON["alloc"]]
    return found


class Machine:
    """Scenarios and faults over all workers."""

    def __init__(self, options, root):
        self.options = options
        program = Program(options.build, options.source)
        self.workers = options.workers or os.cpu_count()
        self.places = queue.SimpleQueue()
        for i in range(self.workers):
            self.places.put(Place(f"{root}/{i}", program, options.build / "tests" / "faults" / "faults.so"))
        self.tried = self.unhit = 0
        self.failures = []

    def with_place(self, work, *given):
        place = self.places.get()
        try:
            return work(place, *given)
        finally:
            self.places.put(place)

    def over_all(self, work, tasks):
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            yield from pool.map(lambda task: self.with_place(work, task), tasks)

    def learn(self, place, scenario):
        """Its expected results and its calls."""
        wrong = place.expect(scenario)
        if wrong:
            return scenario, wrong, None
        place.count(scenario)
        return scenario, None, read_counts(place.counts)

    def attempt(self, place, task):
        scenario, text = task
        _, hit, wrong = place.fault(scenario, Fault(text))
        return scenario, text, hit, wrong

    def repeat(self, scenario, text):
        """One line that tries this fault again."""
        return (f"python3 {os.path.relpath(HERE / 'faults-test.py')} --build {os.path.relpath(self.options.build)} "
                f"--scenario {scenario.name} --fault {text}")

    def judge(self, outcome):
        scenario, text, hit, wrong = outcome
        self.tried += 1
        self.unhit += not hit.calls
        if not wrong:
            return
        self.failures.append((scenario, text, hit, wrong))
        if self.options.verbose:
            print(f"{scenario.name} {text}: {wrong[0][0]}: {wrong[0][1]}", flush=True)

    def report(self, n_scenarios):
        """Each failure with how to repeat it; those from one place together."""
        alike, kinds = collections.defaultdict(list), collections.Counter()
        for failure in self.failures:
            scenario, _, hit, wrong = failure
            kinds[min(wrong, key=severity)[0]] += 1
            alike[tuple(hit.frames[:self.options.frames]), tuple(sorted({kind for kind, _ in wrong}))].append(failure)
        for (frames, _), failures in sorted(alike.items(), key=lambda a: min(map(severity, a[1][0][3]))):
            scenario, _, hit, wrong = failures[0]
            print(f"\n{scenario.name}: {' '.join(scenario.words)}\n  {(hit.calls or ['no call failed'])[0]}")
            for frame in frames:
                print(f"    {self.place_of(frame)}")
            for kind, complaint in wrong:
                print(f"  {kind}: {complaint}")
            for scenario, text, *_ in failures:
                print(f"  again: {self.repeat(scenario, text)}")
        print(f"\n{self.tried} faults in {n_scenarios} scenarios, {self.unhit} of them beyond the last call: "
              f"{len(self.failures)} failures from {len(alike)} places {dict(kinds) if kinds else ''}")
        if self.options.watched:
            record("leaks", tried=self.tried, scenarios=n_scenarios, failures=len(self.failures))
        elif not self.options.sample:
            record("faults", tried=self.tried, scenarios=n_scenarios, failures=len(self.failures))
        return bool(self.failures)

    def place_of(self, frame):
        """MODULE+OFFSET as the function and line, if there is a tool to tell."""
        module, _, offset = frame.rpartition("+")
        if not shutil.which("addr2line"):
            return frame
        path = self.options.build / "core" / "cmd" / "stagemill" if module == "program" else module
        done = subprocess.run(["addr2line", "-fpis", "-e", path, offset], capture_output=True, text=True, check=False)
        found = done.stdout.strip().replace("\n (inlined by)", " in")
        return f"{os.path.basename(module)}: {found}" if "??" not in found else frame

    def plan(self, scenarios):
        """(scenario, fault) of all; stacks that an earlier scenario has are not tried again."""
        seen, tasks, known = set(), [], 0
        for scenario, wrong, counts in self.over_all(self.learn, scenarios):
            if wrong:
                self.failures.append((scenario, "none", Hit(None), [("wrong", wrong)]))
            if not counts:
                continue
            known += 1
            sites, stacks = counts
            new = {key: n for key, n in stacks.items() if key not in seen}
            seen |= set(stacks)
            tasks += [(scenario, text) for text in faults_of(sites, new, self.options.calls)
                      if not (self.options.watched and ":on:" in text)]  # a sanitizer calls the system, too
        return tasks, known

    def run(self, scenarios):
        chance = random.Random(self.options.seed)
        if self.options.sample:
            scenarios = chance.sample(scenarios, min(len(scenarios), self.options.scenarios))
        tasks, known = self.plan(scenarios)
        if self.options.only:
            tasks = [task for task in tasks if task[1].split(":")[0] in self.options.only.split(",")]
        if self.options.sample:
            tasks = chance.sample(tasks, min(len(tasks), self.options.sample))
        for outcome in self.over_all(self.attempt, tasks):
            self.judge(outcome)
        return self.report(known)

    def run_one(self, scenario, text):
        place = self.places.get()
        wrong = place.expect(scenario)
        if wrong:
            print(wrong)
            return True
        done, hit, complaints = place.fault(scenario, Fault(text))
        self.judge((scenario, text, hit, complaints))
        print(f"status {done.status}\n{done.err}")
        return self.report(1)


def read_options():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", required=True, type=pathlib.Path)
    options.add_argument("--source", default=str(HERE.parent.parent))
    options.add_argument("--sample", type=int, metavar="N", help="so many faults, chosen at random")
    options.add_argument("--scenarios", type=int, default=12, help="how many of them a sample looks at")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--calls", type=int, default=0, metavar="N",
                         help="how many calls of one place fail, at least 2; default: all")
    options.add_argument("--only", help="these calls only: write,open")
    options.add_argument("--workers", type=int)
    options.add_argument("--frames", type=int, default=6, help="how many callers of what failed are shown")
    options.add_argument("--scenario", action="append", help="by name; default: all")
    options.add_argument("--fault", help="one, for one scenario")
    options.add_argument("--verbose", action="store_true")
    return options.parse_args()


def main():
    options = read_options()
    options.build = options.build.resolve()
    program = options.build / "core" / "cmd" / "stagemill"
    options.watched = b"__asan_init" in program.read_bytes()
    if b"__tsan_init" in program.read_bytes():
        print("built with a sanitizer, which has the calls that are to fail: skipped")
        return 77
    same_addresses()
    scenarios = every(options.source)
    if options.scenario:
        scenarios = [s for s in scenarios if s.name in options.scenario]
    if not scenarios:
        print("no such scenario")
        return 2
    with tempfile.TemporaryDirectory(prefix="faults-") as root:
        machine = Machine(options, root)
        return machine.run_one(scenarios[0], options.fault) if options.fault else machine.run(scenarios)


if __name__ == "__main__":
    sys.exit(main())
