#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The engine under pressure: wrong guesses, full disks, interruptions, a thousand lanes.

After every failure the status is the documented one, and nothing half-written is left."""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import inputs  # noqa: E402
import records  # noqa: E402
from program import Program, difference, fresh, outputs  # noqa: E402

SORTED = [{"use": "time-order"}]
# Percentiles from histograms, as exact ones take more memory than is given where events must spill.
ONLY_LOOKS = [{"use": "contents"}, {"use": "kernel-time", "with": {"categories": ".", "exact-up-to": "1000"}}]
LIE = '},\n{"ph":"X","name":"fake","ts":1,"dur":2,"pid":9,"tid":9},'
TIMEOUT = 300


def events_of(files):
    return json.loads(gzip.decompress(files["trace.json.gz"]))["traceEvents"]


def deceptive(path, size):
    """A trace in which most guesses of where an event begins are wrong.

    It has lists of events inside of events, texts that look like events, and events longer than
    a chunk."""
    pick = random.Random(7)
    total = number = 0
    with path.open("w") as out:
        out.write('{"distributedInfo":{"rank":0},"traceEvents":[\n')
        while total < size:
            event = inputs.slice_(f"k{number % 50}", number * 3, 2.5, tid=f"s{number % 7}",
                                  k=number)
            if number % 40 == 0:
                event["args"]["list"] = [inputs.slice_("inner", k,
                                                       1) for k in range(pick.randint(1, 300))]
            elif number % 40 == 1:
                event["args"]["text"] = LIE * pick.randint(1, 200)
            elif number == 3011:
                event["args"]["huge"] = "z" * 3000000
            elif number == 5011:
                event["args"]["huge"] = [inputs.slice_("deep", k, 1) for k in range(30000)]
            text = ("" if number == 0 else pick.choice([",\n", ",", " ,\n  ",
                                                        ",\r\n\t"])) + json.dumps(event)
            out.write(text)
            total += len(text)
            number += 1
        out.write('\n],"displayTimeUnit":"ms"}\n')
    return number


def few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


class Test:
    def __init__(self, program, args, scratch):
        self.program = program
        self.args = args
        self.scratch = scratch
        self.broken = []
        self.checks = 0

    def check(self, good, what):
        self.checks += 1
        if not good:
            self.broken.append(what)

    def profile(self, stages, formats):
        path = self.scratch / f"profile{self.checks}-{random.random()}.json"
        path.write_text(json.dumps({"profile": 1, "name": "one", "stages": stages,
                                    "formats": list(formats)}))
        return path

    def run(self, stages, out, files, options=(), formats=("text", "json", "csv", "trace"), **more):
        profile = self.profile(stages, formats)
        return self.program.run(["run", "-p", profile, "-o", out, *options, *files],
                                cwd=self.scratch, timeout=TIMEOUT, **more)

    def nothing_left(self, folder, what, allowed=()):
        left = sorted(p.name for p in folder.iterdir() if p.name not in allowed)
        self.check(not left, f"{what}: left behind {left}")

    # ---- what must not change results

    def guesses(self):
        big = self.scratch / "deceptive.json"
        count = deceptive(big, 14 << 20)
        reference = None
        for manner in ("-j1", "-j2", "-j4", "-j4 --verify"):
            out = self.scratch / f"big{manner}"
            status, _, err = self.run(ONLY_LOOKS, out, [big], manner.split())
            self.check(status == 0, f"deceptive file, {manner}: status {status}: {err}")
            got = outputs(out)
            reference = reference or got
            what = difference(reference, got)
            self.check(not what, f"deceptive file, {manner}: {what}")
        back = events_of(reference)
        self.check(len(back) == count, f"deceptive file: {len(back)} of {count} events")
        self.check(back == json.loads(big.read_text())["traceEvents"],
                   "deceptive file: its events were changed")
        self.truncated(big)
        big.unlink()

    def truncated(self, big):
        """An error behind the guesses is the one that a single thread finds."""
        text = big.read_bytes()
        cut = self.scratch / "cut.json"
        cut.write_bytes(text[:len(text) - 70000])
        ended = []
        for jobs in ("1", "4"):
            out = fresh(self.scratch / "cut") / "out"
            status, _, err = self.run(ONLY_LOOKS, out, [cut], ["-j", jobs])
            ended.append((status, err))
            self.nothing_left(out.parent, "truncated file", {"out.failed"})
        self.check(ended[0][0] == 3, f"truncated file: status {ended[0][0]}")
        self.check(ended[0] == ended[1], f"truncated file: {ended[0]} against {ended[1]}")
        recovered = []
        for jobs in ("1", "4"):
            out = self.scratch / f"recovered{jobs}"
            status, _, err = self.run(ONLY_LOOKS, out, [cut], ["-j", jobs, "--recover"])
            self.check(status == 0, f"truncated file, --recover: status {status}: {err}")
            recovered.append(outputs(out))
        self.check(not difference(*recovered), f"--recover: {difference(*recovered)}")

    def spilled(self):
        """Out of order and far beyond the memory: more runs than are merged at once."""
        pick = random.Random(3)
        events = [inputs.slice_(f"k{pick.randrange(9)}", pick.randrange(5000), pick.randrange(9),
                                tid=k % 5,
                                text="t" * pick.randrange(400)) for k in range(60000)]
        file, packed = self.scratch / "shuffled.json", fresh(self.scratch / "packed") / "shuffled.json"
        inputs.write(file, events, **inputs.rank(0))
        packed.write_bytes(gzip.compress(file.read_bytes(), 1))
        # The bytes of a plain file stay there; those of a compressed one are held.
        for number, (source, options, least) in enumerate((
                (file, [], 0), (file, ["--max-memory", "1MiB"], 2 << 20),
                (packed, ["--max-memory", "1MiB"], 16 << 20),
                (packed, ["--max-memory", "1MiB", "--batch-size", "7"], 16 << 20))):
            out = self.scratch / f"spilled{number}"
            status, _, err = self.run(SORTED + ONLY_LOOKS, out, [source], options)
            self.check(status == 0, f"shuffled file {options}: status {status}: {err}")
            spilled = int(re.search(r'"spilled_bytes": (\d+)', (out / "run.json").read_text())[1])
            # Many times what fits, so that runs are merged in more than one pass.
            self.check(spilled > least if options else spilled == 0,
                       f"shuffled file {options}: {spilled} bytes spilled")
            what = difference(outputs(self.scratch / "spilled0"), outputs(out))
            self.check(not what, f"shuffled file {options}: {what}")
        ordered = events_of(outputs(self.scratch / "spilled0"))
        wanted = sorted(events, key=lambda e: (e["ts"], -e["dur"]))
        self.check(ordered == wanted, "shuffled file: not in order")
        file.unlink()
        packed.unlink()

    def many_lanes(self):
        """1,000 files with 64 open ones allowed, whichever lane is slow."""
        where = fresh(self.scratch / "many")
        for number in range(1000):
            count = 4000 if number == 0 else 5
            inputs.write(where / f"rank{number:04}.json", inputs.equal_times(count),
                         **inputs.rank(number))

        reference = None
        for name, stages in (("straight", ONLY_LOOKS), ("sorted", SORTED + ONLY_LOOKS)):
            for options in (["-j", "1"], ["-j", "2"], ["-j", "2", "--max-memory", "4MiB"]):
                out = self.scratch / f"many-{name}"
                status, _, err = self.run(stages, out, [where], [*options, "-f"], limits=few_files)
                self.check(status == 0,
                           f"1,000 lanes {name} {options}: status {status}: {err[:2000]}")
                if options == ["-j", "1"]:
                    reference = outputs(out)
                what = difference(reference, outputs(out))
                self.check(not what, f"1,000 lanes {name} {options}: {what}")

    def many_runs(self):
        """Lanes that follow in one input, of two lengths, and folders read file after file."""
        where = fresh(self.scratch / "runs")
        for number, runs in enumerate((400, 150)):
            records.generate("bench-gen", "--runs", runs, "--requests", 2, "--gaps", 3, "--seed",
                             number, "-o", where / f"runs{number}.json")
        records.generate("gate-gen", "--runs", 100, "--layers", 3, "--steps", 3, "-o", where)
        stages = [{"use": "latency", "with": {"by": "input"}}, {"use": "throughput"},
                  {"use": "load"}, {"use": "expert-load", "with": {"by": "file,input"}}]
        reference = None
        for options in (["-j", "1"], ["-j", "2"], ["-j", "3", "--batch-size", "1"],
                        ["-j", "2", "--max-memory", "4MiB"]):
            status, _, err = self.run(stages, self.scratch / "all-runs", sorted(where.iterdir()),
                                      [*options, "-f"], ["text", "json", "csv"], limits=few_files)
            self.check(status == 0, f"650 runs {options}: status {status}: {err[:2000]}")
            got = outputs(self.scratch / "all-runs")
            reference = reference or got
            rows = {name: reference.get(f"tables/{name}.csv", b"").count(b"\n")
                    for name in ("runs", "expert-balance")}
            self.check(rows == {"runs": 551, "expert-balance": 401}, f"650 runs: rows {rows}")
            what = difference(reference, got)
            self.check(not what, f"650 runs {options}: {what}")

    # ---- failures

    def full_disk(self):
        """A limit on the size of files acts as a full disk does."""
        file = self.scratch / "full.json"
        inputs.write(file,
                     [inputs.slice_("k", k, 1,
                                    text=f"{random.random()}" * 20) for k in range(20000)],
                     **inputs.rank(0))

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        for stages in (ONLY_LOOKS, SORTED + ONLY_LOOKS):
            for options in ([], ["-j", "4"], ["--max-memory", "1MiB"]):
                folder = fresh(self.scratch / "full")
                status, _, err = self.run(stages, folder / "out", [file], options,
                                          limits=small_files)
                self.check(status in (6, 8) and "error[" in err,
                           f"full disk {options}: status {status}: {err}")
                self.nothing_left(folder, f"full disk {options}", {"out.failed"})
        folder = fresh(self.scratch / "full")
        status, _, err = self.program.run(["convert", file, "-o", folder / "t.json"], cwd=folder,
                                          limits=small_files)
        self.check(status == 6, f"convert to a full disk: status {status}: {err}")
        self.nothing_left(folder, "convert to a full disk")

    def refused_folders(self):
        one = self.scratch / "one.json"
        inputs.write(one, [inputs.slice_("k", 1, 1)], **inputs.rank(0))
        folder = fresh(self.scratch / "refused")
        (folder / "file").write_text("mine")
        status, _, _ = self.run(ONLY_LOOKS, folder / "file", [one])
        self.check(status == 6, f"output is a file: status {status}")
        (folder / "full").mkdir()
        (folder / "full" / "mine.txt").write_text("mine")
        status, _, _ = self.run(ONLY_LOOKS, folder / "full", [one])
        self.check(status == 6, f"output is a foreign folder: status {status}")
        self.check(sorted(p.name for p in (folder / "full").iterdir()) == ["mine.txt"],
                   "a refused folder was changed")
        status, _, err = self.run(ONLY_LOOKS, folder / "full", [one], ["-f"])
        self.check(status == 0 and (folder / "full" / "mine.txt").exists(),
                   f"-f: status {status}, foreign files: {err}")
        self.earlier_runs(folder, one)
        if os.geteuid():
            (folder / "closed").mkdir(mode=0o500)
            status, _, _ = self.run(ONLY_LOOKS, folder / "closed" / "out", [one])
            self.check(status == 6, f"output cannot be written: status {status}")
        status, _, _ = self.run(ONLY_LOOKS, "/proc/nowhere/out", [one])
        self.check(status == 6, f"output in /proc: status {status}")

    def earlier_runs(self, folder, one):
        out = folder / "run"
        status, _, _ = self.run(ONLY_LOOKS, out, [one])
        status2, _, err = self.run(ONLY_LOOKS, out, [one])
        self.check(status == status2 == 0, f"the same profile again: status {status2}: {err}")
        (out / "notes.txt").write_text("mine")
        status, _, _ = self.run(ONLY_LOOKS, out, [one])
        self.check((out / "notes.txt").exists(),
                   "a file of the user's in an earlier result was removed")
        (folder / "link").symlink_to("run")
        status, _, err = self.run(ONLY_LOOKS, folder / "link", [one])
        self.check(status == 0 and (folder / "link").is_symlink(),
                   f"through a link: status {status}: {err}")
        status, _, _ = self.program.run(["run", "-p", "kernels", "-o", out, one], cwd=folder)
        self.check(status == 6, f"over the results of another profile: status {status}")

    def interrupted(self):
        file = self.scratch / "long.json"
        deceptive(file, 40 << 20)
        profile = self.profile(SORTED + ONLY_LOOKS, ["text", "json", "csv", "trace"])
        for number, (sent,
                     wanted) in enumerate(((signal.SIGINT, 130), (signal.SIGTERM, 143),
                                           (signal.SIGINT, 130))):
            folder = fresh(self.scratch / "interrupted")
            run = subprocess.Popen([self.program.path, "run", "-p", profile, "-o", folder / "out",
                                    "-j", "2", file],
                                   env=self.program.env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(0.03 + 0.03 * number)
            run.send_signal(sent)
            status = run.wait(TIMEOUT)
            if status == 0:
                continue  # it was faster
            # A slow machine may get the signal before the program has said what to do with it.
            self.check(status in (wanted, -sent), f"interrupted: status {status}")
            # A signal may also come when the results are in place and being printed.
            whole = (folder / "out" / "run.json").exists()
            self.nothing_left(folder, "interrupted", ["out"] if whole else [])
        file.unlink()

    def keeps_going(self):
        """One bad lane of three: its own status, and the results of the others."""
        folder = fresh(self.scratch / "going")
        for number in range(3):
            inputs.write(folder / f"rank{number}.json", inputs.equal_times(500),
                         **inputs.rank(number))
        bad = folder / "rank1.json"
        bad.write_bytes(bad.read_bytes()[:-230])
        files = sorted(folder.iterdir())
        for options in ([], ["-j", "3"]):
            status, _, _ = self.run(ONLY_LOOKS, self.scratch / "stopped", files, options)
            self.check(status == 3 and not (self.scratch / "stopped").exists(),
                       f"one bad lane: status {status}")
            for stages in (ONLY_LOOKS, SORTED + ONLY_LOOKS, [{"use": "rank-sync"}] + ONLY_LOOKS):
                out = self.scratch / "went"
                status, _, err = self.run(stages, out, files, [*options, "--keep-going", "-f"])
                self.check(status == 3, f"--keep-going: status {status}: {err}")
                got = outputs(out)
                trace = events_of(got) if "trace.json.gz" in got else []
                self.check(len(trace) >= 1000,
                           f"--keep-going {options}: {len(trace)} events of the good lanes")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    for name in ("--build", "--source", "--kineto-gen", "--aiu-gen"):
        options.add_argument(name, required=True)
    options.add_argument("--only", help="this part")
    args = options.parse_args()
    program = Program(args.build, args.source)
    parts = ["guesses", "spilled", "many_lanes", "many_runs", "full_disk", "refused_folders",
             "interrupted", "keeps_going"]

    def part(name):
        with tempfile.TemporaryDirectory() as scratch:
            test = Test(program, args, pathlib.Path(scratch))
            getattr(test, name)()
            return name, test

    broken = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, test in pool.map(part, [p for p in parts if args.only in (None, p)]):
            for what in test.broken:
                print(f"FAIL {name}: {what}")
            print(f"{name}: {test.checks} checks, {len(test.broken)} failed")
            broken += len(test.broken)
    return bool(broken)


sys.exit(main())
