"""Traces in parts, by size and by time."""
# SPDX-License-Identifier: MIT
import json
import subprocess

from harness import KINETO, PROGRAM, SMALL, Case


class Split(Case):
    def documents(self, *names):
        return [json.loads(self.ok("convert", name, "-o", "-").out) for name in names]

    def events(self, *names):
        return [[e["name"] for e in d["traceEvents"] if e["ph"] != "M"] for d in self.documents(*names)]

    def test_parts_hold_what_the_whole_holds(self):
        self.ok("convert", KINETO, "-o", "whole-{rank}.json")
        for how in (["--split-size", "64KiB"], ["--split-time", "1ms"]):
            self.ok("convert", KINETO, "-o", "out-{rank}.json.gz", "-f", *how)
            for rank in "01":
                names = sorted(p.name for p in self.folder.glob(f"out-{rank}-*.json.gz"))
                self.assertGreater(len(names), 3)
                self.assertEqual(names, [f"out-{rank}-{i + 1:03d}.json.gz" for i in range(len(names))])
                whole, *parts = self.documents(f"whole-{rank}.json", *names)
                lines = lambda d, rows: sorted(json.dumps(e) for e in d["traceEvents"] if (e["ph"] == "M") == rows)
                self.assertEqual(sorted(x for d in parts for x in lines(d, False)), lines(whole, False))
                for part in parts:
                    self.assertEqual(lines(part, True), lines(whole, True))
                    self.assertEqual(set(part), set(whole))
            for path in self.folder.glob("out-*"):
                path.unlink()

    def test_parts_do_not_depend_on_jobs_and_batches(self):
        seen = []
        for i, how in enumerate((["-j", "1"], ["-j", "4", "--batch-size", "7"])):
            for split in ("--split-size=40KiB", "--split-time=700us"):
                self.ok("convert", KINETO, "-o", f"{i}/{split}/{{rank}}.json.gz", split, *how)
            seen.append({str(p.relative_to(self.folder / str(i))): p.read_bytes() for p in self.folder.glob(f"{i}/*/*")})
        self.assertGreater(len(seen[0]), 8)
        self.assertEqual(seen[0], seen[1])

    def test_windows_of_time(self):
        self.write("t.json")
        self.ok("run", "t.json", "-p", "convert", "-o", "out", "--set", "trace.split-time=2us", "--set", "trace.file=t.json")
        self.assertEqual(self.events("out/t-001.json", "out/t-002.json"), [["b"], ["a"]])
        self.ok("convert", "t.json", "-o", "s.json", "--sort", "--split-time", "2us")
        self.assertEqual(self.events("s-001.json", "s-002.json"), [["a"], ["b"]])
        self.assertEqual(sorted(p.name for p in self.folder.glob("s*.json")), ["s-001.json", "s-002.json"])

    def test_more_parts_than_open_files(self):
        events = ",\n".join('{"ph":"X","name":"n","pid":0,"tid":1,"ts":%d,"dur":1}' % (i * 37 % 900) for i in range(1800))
        self.write("many.json", '{"traceEvents":[%s]}' % events)
        limited = f"ulimit -n 64; exec '{PROGRAM}' convert many.json -o p.json.gz --split-time 1us"
        done = subprocess.run(["sh", "-c", limited], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(self.folder.glob("p-*.json.gz"))), 900)
        self.assertEqual(self.events("p-900.json.gz"), [["n", "n"]])
        self.fails(8, "convert", "many.json", "-o", "q.json", "--split-size", "1", says="split-size")
        self.assertEqual(list(self.folder.glob("q*")), [])

    def test_what_cannot_be_split(self):
        self.write("t.json")
        self.write("out-001.json", "mine")
        self.fails(2, "convert", "t.json", "-o", "a.json", "--split-size=1M", "--split-time=1s", says="exclude")
        self.fails(2, "convert", "t.json", "-o", "-", "--split-size=1M", says="standard output")
        self.fails(2, "convert", KINETO, "-o", "a.json", "--split-size=1M", says="{rank}")
        self.fails(2, "convert", "t.json", "-o", "a.json", "--split-time=0", says="split-time")
        self.fails(5, "run", KINETO, "-p", "convert", "-o", "out", "--set", "trace.split-size=1M", says="{rank}")
        self.fails(6, "convert", "t.json", "-o", "out.json", "--split-size=1M", says="-f")
        self.fails(6, "convert", "out-001.json", "-o", "out.json", "--split-size=1M", "-f", says="one of the inputs")
        self.ok("convert", "t.json", "-o", "t.json", "--split-size=1M")
        self.assertEqual((self.folder / "t.json").read_text(), SMALL)
