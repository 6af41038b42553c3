"""What other programs read: workbooks, databases, metrics and Markdown."""
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

    def test_they_are_explained(self):
        self.ok("explain", "SQL-01")
        self.ok("explain", "XLS-01")
        self.ok("explain", "OUT-13")
        for name in ("xlsx", "sqlite", "openmetrics", "markdown"):
            self.assertIn(name, self.ok("list", "sinks").out)
            self.ok("show", f"sink/{name}")
