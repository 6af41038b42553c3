"""What other programs read: workbooks, databases, metrics and Markdown."""
# SPDX-License-Identifier: MIT
import json
import os
import resource
import sqlite3
import subprocess

from harness import KINETO, PROGRAM, Case

FORMATS = "--format=xlsx,sqlite,openmetrics,markdown"


class Formats(Case):
    def files(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).iterdir() if path.name != "run.json"}

    def test_the_same_bytes_for_any_threads_and_places(self):
        self.ok("run", "-p", "kernels", KINETO, FORMATS, "-j1", "-o", "a")
        self.ok("run", "-p", "kernels", KINETO, FORMATS, "-j4", "-o", "elsewhere/b", TZ="Asia/Tokyo")
        self.assertEqual(self.files("a"), self.files("elsewhere/b"))
        self.assertEqual(sorted(self.files("a")), ["metrics.prom", "results.sqlite", "results.xlsx", "summary.md"])

    def test_what_a_library_wrote_is_an_output_like_others(self):
        r = self.ok("run", "-p", "kernels", KINETO, FORMATS, "-o", "out", "--sync")
        self.assertIn("results.sqlite", r.out)
        names = [o["name"] for o in json.loads((self.folder / "out/run.json").read_text())["outputs"]]
        self.assertEqual(names, sorted(self.files("out")))
        self.ok("run", "-p", "kernels", KINETO, FORMATS, "-o", "out")
        self.assertEqual(sorted(os.listdir(self.folder)), ["out"])

    def test_a_text_that_no_cell_holds_is_counted(self):
        long = "x" * 100000
        self.write("t.json", json.dumps({"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 1, "dur": 2} for name in (long, "=1+1")]}))
        r = self.ok("run", "-p", "kernels", "t.json", FORMATS, "-o", "out")
        self.assertIn("XLS-01", r.out + r.err)
        notices = json.loads((self.folder / "out/run.json").read_text())["notices"]
        self.assertIn("XLS-01", [notice["code"] for notice in notices])
        with sqlite3.connect(self.folder / "out/results.sqlite") as db:
            self.assertEqual(set(db.execute('SELECT name FROM "kernel-time"')), {(long,), ("=1+1",)})
        self.fails(3, "run", "-p", "kernels", "t.json", "--format=xlsx", "--strict", "-o", "strict", says="XLS-01")

    def test_6_a_database_that_may_not_get_so_large(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20480, 20480))
        done = subprocess.run([PROGRAM, "run", "-p", "kernels", str(KINETO), "--format=sqlite", "-o", "out"],
                              cwd=self.folder, capture_output=True, preexec_fn=limit, restore_signals=True, check=False)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn(b"error[SQL-01]: results.sqlite could not be written", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["out.failed"])

    def test_7_a_format_that_was_asked_for_and_wrote_nothing(self):
        """Whatever else was asked for is the same as without it."""
        self.ok("run", "-p", "kernels", KINETO, "--format=text,csv", "-o", "plain")
        for name, why in (("gemm-csv", "gemm-variance"), ("cpp-table", "allreduce-table"), ("nccl-tuner", "nccl-rules"),
                          ("dmat", "")):
            says = [f'error[RUN-35]: the format "{name}" wrote nothing', f"stagemill show {name}"]
            r = self.fails(7, "run", "-p", "kernels", KINETO, f"--format=text,csv,{name}", "-o", name, says=says)
            self.assertIn(f"wrote {name}/", r.out)
            self.assertIn(why, r.out)
            self.assertEqual((self.folder / name / "tables/kernel-time.csv").read_bytes(),
                             (self.folder / "plain/tables/kernel-time.csv").read_bytes())
        r = self.fails(7, "run", "-p", "kernels", KINETO, "--format=gemm-csv,cpp-table", "-o", "two")
        self.assertEqual(r.err.count("error[RUN-35]"), 2)
        self.fails(7, "run", "-p", "timeline", KINETO, "--format=gemm-csv,csv", "-o", "chosen",
                   says='error[RUN-35]: the format "gemm-csv" wrote nothing')

    def test_7_of_finished_runs(self):
        self.ok("run", "-p", "kernels", KINETO, "--format=json", "-o", "a")
        self.ok("run", "-p", "kernels", KINETO, "--format=json", "-o", "b")
        r = self.fails(7, "report", "a", "--format=gemm-csv,csv", says='error[RUN-35]: the format "gemm-csv" wrote nothing')
        self.assertIn("wrote a/", r.out)
        self.assertTrue((self.folder / "a/tables/kernel-time.csv").exists())
        r = self.fails(7, "compare", "a", "b", "--format=nccl-tuner,text", "-o", "c", says='"nccl-tuner" wrote nothing')
        self.assertIn("wrote c/", r.out)
        self.assertTrue((self.folder / "c/summary.txt").exists())

    def test_0_a_profile_has_a_format_with_nothing_to_write(self):
        self.write("p.json", json.dumps({"profile": 1, "inherits": "kernels", "formats": ["text", "gemm-csv"]}))
        self.ok("run", "-p", "./p.json", KINETO, "-o", "out")

    def test_they_are_explained(self):
        self.ok("explain", "SQL-01")
        self.ok("explain", "XLS-01")
        self.ok("explain", "OUT-13")
        for name in ("xlsx", "sqlite", "openmetrics", "markdown"):
            self.assertIn(name, self.ok("list", "sinks").out)
            self.ok("show", f"sink/{name}")
