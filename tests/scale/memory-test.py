#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a run takes at most: memory-test.py PROGRAM FOLDER-OF-MODULES AIU-GEN KINETO-GEN

Peaks are those that the system reports of the process.  Bounds leave room for allocators."""
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MODULES, AIU_GEN, KINETO_GEN = os.path.abspath(sys.argv[1]), *sys.argv[2:5]
KIB, MIB = 1 << 10, 1 << 20
EVENT = '{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":1,"ts":%d,"dur":2}'


with open(PROGRAM, "rb") as program:
    code = program.read()
if b"__asan_init" in code or b"__tsan_init" in code:
    print("built with a sanitizer, which takes more than any of this: skipped")
    sys.exit(77)


class Run:
    """Status, messages and peak of one run of the program; most: it is ended beyond."""

    def __init__(self, folder, *args, files=None, most=1 << 30):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        with open(folder / "messages", "w+") as messages:
            child = subprocess.Popen([PROGRAM, *map(str, args)], cwd=folder, stdout=messages, stderr=messages,
                                     preexec_fn=limit)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = self.status = os.waitstatus_to_exitcode(status)
            messages.seek(0)
            self.text = messages.read()
        self.peak = usage.ru_maxrss * 1024


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="memory-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_program(self, *args, status=0, **limits):
        done = Run(self.folder, *args, **limits)
        self.assertEqual(done.status, status, done.text)
        return done


class Inputs(Case):
    """Between the first look and the reading an input takes little, and after it only what it reported."""

    def peak(self, n):
        names = [self.write(f"in-{n}/f{i}.json", '{"traceEvents":[' + EVENT % i + "]}") for i in range(n)]
        self.write("list", "".join(f"{name}\n" for name in names))
        self.run_program("run", "-p", "kernels", f"in-{n}", "-o", f"folder-{n}", "-j1", files=64)
        return self.run_program("run", "-p", "kernels", "@list", "-o", f"list-{n}", "-j1", files=64).peak

    def test_many(self):
        few, many = self.peak(100), self.peak(3100)
        self.assertLess((many - few) / 3000, 4096)


class Lanes(Case):
    """Of thousands of lanes, each takes what it holds itself, however many there are."""

    FEW, MANY = 256, 1024

    def ranks(self, made):
        """The same ranks for all tests: a list of the first n of them."""
        (self.folder / "ranks").mkdir()
        made(self.folder / "ranks")
        for n in (self.FEW, self.MANY):
            self.write(f"list-{n}", "".join(f"ranks/rank{rank}.json\n" for rank in range(n)))

    def generated(self, generator, events):
        self.ranks(lambda folder: subprocess.run(
            [generator, "--events", str(events), "--ranks", str(self.MANY), "--truth", os.devnull,
             "-o", folder / "rank{rank}.json"], check=True))

    def each(self, *args):
        """Bytes that a further lane takes."""
        peaks = [self.run_program("run", *args, f"@list-{n}", "-o", f"out-{n}", "-j1", files=64).peak
                 for n in (self.FEW, self.MANY)]
        return (peaks[1] - peaks[0]) / (self.MANY - self.FEW)

    def test_kernels(self):
        trace = '{"traceEvents":[' + ",".join(EVENT % (10 * i) for i in range(20)) + "]}"
        self.ranks(lambda folder: [(folder / f"rank{i}.json").write_text(trace) for i in range(self.MANY)])
        self.assertLess(self.each("-p", "kernels"), 16 * KIB)

    def test_torch(self):
        self.generated(KINETO_GEN, 150)
        self.assertLess(self.each("-p", "torch"), 160 * KIB)

    def test_aiu(self):
        """All lanes wait for each other, with what their stages know of the symbols that they have seen."""
        self.generated(AIU_GEN, 290)
        self.assertLess(self.each("-p", "aiu", "--format", "csv"), 300 * KIB)
        self.run_program("run", "-p", "aiu", "--format", "csv", "--disable", "power-stats,active-time",
                         "--max-memory", f"{self.MANY // 16}MiB", f"@list-{self.MANY}", "-o", "out", files=64)


class Processes(Case):
    """What is known of a device grows with what is seen of it: 10,000 processes of a few events each are no matter."""

    EVENT = '{"ph":"X","name":"k Cmpt Exec","pid":%d,"tid":1,"ts":%d,"dur":5,"args":{"TS1":%d,"TS2":%d,"TS3":%d,"TS4":%d,"TS5":%d,"Power":%d}}'

    def trace(self, n):
        """Six kernels a process, 2 ms apart, each of 2,800 cycles: 5 us at 560 MHz."""
        events = []
        for k in range(6):
            for pid in range(n):
                ts = 2000 * k + pid % 1000
                count = 560 * ts
                events.append(self.EVENT % (pid, ts, count, count, count, count + 2800, count + 2800, 1000 * k))
        return self.write(f"p{n}.json", '{"traceEvents":[' + ",\n".join(events) + "]}")

    def peak(self, n):
        stages = [{"use": stage} for stage in ("freq", "ovc", "pec", "power-stats")]
        self.write("devices.json", json.dumps({"profile": 1, "name": "devices", "formats": ["json"], "stages": stages}))
        return self.run_program("run", "-p", "./devices.json", self.trace(n), "-o", f"out-{n}", "-j1").peak

    def test_many(self):
        few, many = self.peak(500), self.peak(10500)
        self.assertLess((many - few) / 10000, 15 << 10)


class Database(Case):
    """A database becomes a trace in the memory of a few batches, also where each range has a text of its own."""

    def peak(self, n):
        path = self.folder / f"{n}.sqlite"
        with sqlite3.connect(path) as db:
            db.executescript("CREATE TABLE StringIds(id, value); CREATE TABLE META_DATA_EXPORT(name, value)")
            db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid)")
            texts = ((i, i + 1, 59, f"aten::mul, seq = {i}, sizes = [[{i}, 64], [64, 32]]", 77 << 24) for i in range(n))
            db.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, ?, ?, ?)", texts)
        return self.run_program("convert", path, "-o", f"{n}.json", "--max-memory", "64MiB").peak

    def test_many(self):
        few, many = self.peak(20000), self.peak(220000)
        self.assertLess(many - few, 8 * MIB)


class Limit(Case):
    """Beyond --max-memory a run ends with status 8 and says what took the memory."""

    def setUp(self):
        super().setUp()
        self.write("one.json", '{"traceEvents":[' + EVENT % 1 + "]}")

    def greedy(self, what, n=10**9, status=8, memory="16MiB"):
        profile = {"profile": 1, "name": what, "formats": ["json"],
                   "stages": [{"use": "test.greedy", "with": {"what": what, "n": str(n)}}]}
        path = self.write(f"{what}.json", json.dumps(profile))
        return self.run_program("run", "--stage-path", MODULES, "-p", path, "one.json", "-o", f"out-{what}-{n}", "-j1",
                                "--max-memory", memory, status=status)

    def test_each(self):
        idle = self.greedy("names", n=1, status=0).peak
        words = {"names": "the names", "tracks": "the processes and threads", "rows": "the rows and values",
                 "metrics": "the rows and values", "summary": "the summaries", "scratch": "the working memory of",
                 "memory": "the working memory of", "keep": "that stages keep", "emit": "emits at once", "texts": "emits at once"}
        for what, word in words.items():
            with self.subTest(what):
                done = self.greedy(what)
                self.assertIn(word, done.text)
                self.assertIn("--max-memory", done.text)
                self.assertLess(done.peak - idle, (16 + 32) * MIB)

    def test_rows_go_to_disk(self):
        """The results have the bytes of a run with memory for all of them."""
        idle = self.greedy("rows", n=1, status=0).peak
        peaks, results = [], []
        for memory in ("1GiB", "48MiB"):
            peaks.append(self.greedy("rows", n=10**6, status=0, memory=memory).peak - idle)
            out = self.folder / "out-rows-1000000"
            results.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*.json") if p.name != "run.json"})
            shutil.rmtree(out)
        self.assertLess(peaks[1], peaks[0] - 8 * MIB)
        self.assertEqual(results[0], results[1])
        self.assertTrue(results[0])

    def test_points_of_pictures_count(self):
        """Each rank has a table of samples, which a picture shows together."""
        subprocess.run([AIU_GEN, "--events", "500", "--ranks", "200", "--truth", os.devnull, "-o",
                        self.folder / "rank{rank}.json"], check=True)
        words = ["run", "-p", "aiu", "rank*.json", "--format", "plot"]
        whole = self.run_program(*words, "-o", "whole", "-j1", "--max-memory", "1GiB").peak
        done = self.run_program(*words, "-o", "out", "-j1", "--max-memory", "32MiB", status=8)
        self.assertIn("PLT-00", done.text)
        self.assertLess(done.peak, whole - 8 * MIB)

    def test_inputs(self):
        self.write("list", "one.json\n" * 2000)
        done = self.run_program("run", "-p", "kernels", "@list", "-o", "out", "--max-memory", "2MiB", status=8)
        self.assertIn("of 2000 inputs", done.text)

    def test_names_of_a_trace(self):
        events = (EVENT.replace('"k"', f'"k{i:012d}"') % i for i in range(300000))
        self.write("names.json", '{"traceEvents":[' + ",\n".join(events) + "]}")
        idle = self.run_program("run", "-p", "kernels", "one.json", "-o", "idle", "-j1").peak
        done = self.run_program("run", "-p", "kernels", "names.json", "-o", "out", "-j1", "--max-memory", "16MiB",
                                status=8)
        self.assertLess(done.peak - idle, (16 + 32) * MIB)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
