"""The command report: the same files as the run would have written, and what it refuses.  output/report.c"""
# SPDX-License-Identifier: MIT
import hashlib
import json
import os
import re
import shutil
import subprocess

from harness import KINETO, PROGRAM, SOURCE, Case, needs_page

CASES = SOURCE / "tests" / "golden" / "cases"
UNWRITTEN = re.compile(r'error\[RUN-35\]: the format "([^"]+)" wrote nothing\n')


def files_of(folder, *without):
    """Bytes by name, of all but run.json and those named."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*"))
            if p.is_file() and p.name not in ("run.json", *without)}


class ReportCase(Case):
    def formats(self):
        """Of the sinks that finished results can be given to."""
        self.ok("run", "-p", "info", self.write("f/a.json"), "--format", "json", "-o", "f/out")
        words = [sink["format"] for sink in self.json("list", "sinks", "--json")]
        return [w for w in words if "RUN-32" not in self.run_program("report", "f/out", "--format", w).err]

    def record(self, folder):
        return json.loads((self.folder / folder / "run.json").read_text())


class ReportSameBytes(ReportCase):
    def check(self, words, formats, cwd, name):
        """Of the formats, those of one kind of table may have nothing to write."""
        whole, part = self.folder / f"{name}-whole", self.folder / f"{name}-part"
        unwritten = []
        for out, chosen in ((part, ["json"]), (whole, formats)):
            line = [w.replace("{out}", str(out)) for w in words] + ["--format", ",".join(chosen)]
            done = subprocess.run([PROGRAM, *line], cwd=cwd, capture_output=True, env=self.env(), timeout=300, text=True)
            unwritten = UNWRITTEN.findall(done.stderr)
            self.assertEqual(done.returncode, 7 if unwritten else 0, done.stderr)
        r = self.run_program("report", part, "--format", ",".join(formats))
        self.assertEqual((r.status, UNWRITTEN.findall(r.err)), (7 if unwritten else 0, unwritten), r.err)
        self.assertEqual(files_of(whole), files_of(part), name)
        with_all, added = self.record(whole), self.record(part)
        for run in (with_all, added):
            for entry in run["outputs"]:
                data = ((whole if run is with_all else part) / entry["name"]).read_bytes()
                self.assertEqual(entry["sha256"], hashlib.sha256(data).hexdigest())
        self.assertEqual(with_all["outputs"], added["outputs"])
        self.assertEqual(with_all["plan_hash"], added["plan_hash"])

    @needs_page
    def test_every_golden_pipeline(self):
        """Pictures of a few: the page has the documents that they are drawn from."""
        formats, n = self.formats(), 0
        undrawn = [word for word in formats if word != "plot"]
        self.assertIn("csv", formats)
        for case in sorted(CASES.iterdir()):
            words = json.loads((case / "case.json").read_text())["command"]
            failed = (case / "expected" / "status").exists()  # one of 0 is not written down
            if words[0] != "run" or "{out}" not in words or failed:
                continue
            words = [w.replace("{samples}", str(SOURCE / "samples")) for w in words]
            if "--format" in words:
                at = words.index("--format")
                del words[at:at + 2]
            self.check(words, undrawn if n % 8 else formats, case, case.name)
            n += 1
        self.assertGreater(n, 10)

    @needs_page
    def test_hostile_names(self):
        """Of files, labels, tags and kernels: no text (a file's name), quotes, control characters, long ones."""
        trace = {"traceEvents": [{"ph": "X", "cat": "kernel", "pid": 0, "tid": 0, "ts": i, "dur": 1, "name": name}
                                 for i, name in enumerate(["=1+1", "a\x00b", "\x1b[31m", "x" * 100000, "\u202e\u4e2d", "\ud83d\ude00"])]}
        raw = os.fsencode(self.folder) + b"/bad\xff\xfe.json"
        for path in (raw, os.fsencode(self.folder) + b"/b.json"):
            with open(path, "w") as file:
                json.dump(trace, file)
        tagged = b"tag=\"'<b>,MODEL=\xc3\xa9:" + raw
        words = ["run", "-p", "kernels", tagged, b"a=" + os.fsencode(self.folder) + b"/b.json", "-o"]
        formats = ",".join(word for word in self.formats() if word not in ("cpp-table", "gemm-csv", "nccl-tuner"))
        for out, chosen in (("whole", formats), ("part", "json")):
            done = subprocess.run([PROGRAM, *words, out, "--format", chosen], cwd=self.folder, capture_output=True, env=self.env())
            self.assertEqual(done.returncode, 0, done.stderr)
        self.ok("report", "part", "--format", formats)
        self.assertEqual(files_of(self.folder / "whole"), files_of(self.folder / "part"))

    def test_options(self):
        """Those of the profile and of the run count, and those of the report over them."""
        self.write("p.json", json.dumps({"profile": 1, "inherits": "kernels", "sinks": {"text": {"width": 60}}}))
        run = ["run", "-p", "./p.json", KINETO, "--set", "text.lines=5"]
        self.ok(*run, "-o", "whole")
        self.ok(*run, "-o", "part", "--format", "json")
        self.ok("report", "part", "--format", "text")
        self.assertEqual(files_of(self.folder / "whole", "summary.json"), {
            **files_of(self.folder / "part", "summary.json"), **files_of(self.folder / "whole", "summary.json", "summary.txt")})
        self.fails(2, "report", "part", "--format", "text", "--set", "csv.x=1", says="--set")
        self.fails(2, "report", "part", "--format", "text", "--set", "text.x=1", says="no option")
        self.ok("report", "part", "--format=text", "--set", "sink/text.rows=2", "-j", "1")
        self.ok(*run, "-o", "two", "--set", "text.rows=2")
        self.assertEqual((self.folder / "part/summary.txt").read_bytes(), (self.folder / "two/summary.txt").read_bytes())


class ReportRows(ReportCase):
    """Rows of large tables are in files of their own, which all that reads results reads, too."""

    def setUp(self):
        super().setUp()
        self.made("whole", "-1")
        self.made("apart", "2")

    def made(self, out, most_rows):
        self.ok("run", "-p", "kernels", KINETO, "--format", "json", "--set", f"json.most-rows={most_rows}", "-o", out)

    def summary(self, out):
        return json.loads((self.folder / out / "summary.json").read_text())

    def test_files(self):
        whole, apart = self.summary("whole"), self.summary("apart")
        self.assertEqual([p.name for p in (self.folder / "whole").glob("rows")], [])
        n_apart = 0
        for table, same in zip(apart["tables"], whole["tables"]):
            if len(same["rows"]) <= 2:
                self.assertEqual(table, same)
                continue
            n_apart += 1
            data = (self.folder / "apart" / table["rows_file"]).read_bytes()
            self.assertEqual(hashlib.sha256(data).hexdigest(), table["rows_sha256"])
            file = json.loads(data)
            self.assertEqual(file["table"], same["name"])
            self.assertEqual([dict(zip(file["columns"], row)) for row in file["rows"]], same["rows"])
            self.assertEqual(len(same["rows"]), table["n_rows"])
        self.assertGreater(n_apart, 0)

    def test_readers(self):
        for out in ("whole", "apart"):
            self.ok("report", out, "--format", "csv,text,markdown,html")
        without = ("summary.json",)
        rows = {name: data for name, data in files_of(self.folder / "apart", *without).items() if not name.startswith("rows/")}
        self.assertEqual(rows, files_of(self.folder / "whole", *without))
        query = 'SELECT * FROM "kernel-time" ORDER BY 1, 2, 3'
        self.assertEqual(self.ok("query", "apart", query).out, self.ok("query", "whole", query).out)
        self.assertIn("nothing changed", self.ok("compare", "whole", "apart").out)
        self.assertEqual(self.json("apart", "--json"), self.summary("whole"))

    def test_printed(self):
        """What is printed is whole, whatever the size."""
        printed = self.json("run", "-p", "kernels", KINETO, "--set", "json.most-rows=0", "--json", "-o", "printed")
        self.assertEqual(printed, self.summary("whole"))

    def test_damage(self):
        file = next((self.folder / "apart/rows").iterdir())
        name, data = file.name, file.read_bytes()
        summary = self.folder / "apart/summary.json"
        text = summary.read_text()
        fails = lambda says: self.fails(3, "report", "apart", "--format", "csv", says=says)
        file.write_bytes(data.replace(b"1", b"2", 1))
        fails([f"rows/{name} is not the file that the run wrote", "summary.json:"])
        file.write_bytes(data[:-9])
        fails("is not the file that the run wrote")
        sums = [hashlib.sha256(d).hexdigest() for d in (data, data[:-9])]
        summary.write_text(text.replace(*sums))
        fails(["RUN-31", f"rows/{name}:"])
        file.write_bytes(data)
        file.unlink()
        fails([f"rows/{name}", "it is not there"])
        file.write_bytes(data)
        for other in ("../rows/x.json", "rows/../../x", "/etc/passwd", "rows/", "x.json", "rows/a/b"):
            summary.write_text(text.replace(f"rows/{name}", other))
            fails("leads out of the results")
        summary.write_text(text.replace('"n_rows": ', '"n_rows": 1', 1))
        fails("another number of rows")
        summary.write_text(text.replace('"rows_file"', '"rows": [], "rows_file"', 1))
        fails("either")
        summary.write_text(text)
        self.ok("report", "apart", "--format", "csv")

    def test_older_version(self):
        summary = self.folder / "whole/summary.json"
        summary.write_text(summary.read_text().replace('"3.0"', '"2.2"', 1))
        self.ok("report", "whole", "--format", "csv")


class ReportFolders(ReportCase):
    def setUp(self):
        super().setUp()
        self.ok("run", "-p", "kernels", KINETO / "rank0.json", "-o", "out", "--format", "json")

    def test_in_place(self):
        (self.folder / "out/notes.md").write_text("mine")
        before = self.record("out")
        printed = self.ok("report", "out", "--format", "csv,text").out
        self.assertIn("wrote out/   run.json  summary.txt  tables/", printed)
        self.assertEqual((self.folder / "out/notes.md").read_text(), "mine")
        after = self.record("out")
        names = [o["name"] for o in after["outputs"]]
        self.assertEqual(names, sorted(names))
        self.assertIn("summary.json", names)
        self.assertIn("summary.txt", names)
        self.assertEqual({**after, "outputs": 0}, {**before, "outputs": 0})
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [])
        self.ok("run", "-p", "kernels", KINETO / "rank0.json", "-o", "out", "--format", "json")
        self.assertEqual(set(files_of(self.folder / "out")), {"summary.json", "notes.md"})

    def test_elsewhere(self):
        self.ok("report", "out", "--format", "csv", "-o", "new/deep")
        self.assertEqual(set(files_of(self.folder / "out")), {"summary.json"})
        self.assertTrue(all(o["name"].startswith("tables/") for o in self.record("new/deep")["outputs"]))
        self.ok("report", "out", "--format", "text", "-o", "new/deep")
        self.assertEqual(set(files_of(self.folder / "new/deep")), {"summary.txt"})
        self.ok("report", "out", "--format", "text", "-o", "out/../out")
        self.assertEqual(set(files_of(self.folder / "out")), {"summary.json", "summary.txt"})

    def test_files_of_others(self):
        (self.folder / "out/summary.txt").write_text("mine")
        before = self.record("out")
        r = self.fails(6, "report", "out", "--format", "csv,text", says="summary.txt exists already")
        self.assertIn("add -f", r.err)
        self.assertEqual((self.folder / "out/summary.txt").read_text(), "mine")
        self.assertFalse((self.folder / "out/tables").exists())
        self.assertEqual(self.record("out"), before)
        self.ok("report", "out", "--format", "csv,text", "-f")
        self.assertNotEqual((self.folder / "out/summary.txt").read_text(), "mine")
        self.write("other/file")
        self.fails(6, "report", "out", "--format", "text", "-o", "other", says="OUT-02")

    def test_formats(self):
        self.fails(2, "report", "out", "--format", "cvs", says='did you mean "csv"')
        self.fails(2, "report", "out", "--format", "trace", says="RUN-32")
        self.fails(2, "report", says="an argument is missing")
        self.assertEqual(set(files_of(self.folder / "out")), {"summary.json"})

    def test_damage(self):
        self.fails(3, "report", "nothing", "--format", "csv", says="RUN-30")
        summary, run = self.folder / "out/summary.json", self.folder / "out/run.json"
        text = summary.read_text()
        summary.write_text(text.replace('"3.0"', '"4.0"'))
        self.fails(3, "report", "out", "--format", "csv", says=["summary.json:2:", "this program reads 2 to 3"])
        summary.write_text(text[:len(text) // 2])
        r = self.fails(3, "report", "out", "--format", "csv", says="RUN-31")
        self.assertRegex(r.err, r"at out/summary.json:\d+:\d+ \(byte \d+\)")
        summary.unlink()
        self.fails(3, "report", "out", "--format", "csv", says="it is not there")
        summary.write_text(text)
        record = run.read_text()
        run.write_text(record.replace('"name": "kernels"', '"name": "other"'))
        self.fails(3, "report", "out", "--format", "csv", says="files of two runs")
        run.write_text(record[:-20])
        self.fails(3, "report", "out", "--format", "csv", says="run.json")
        run.unlink()
        self.fails(3, "report", "out", "--format", "csv", says="run.json cannot be read: it is not there")

    def test_newer_minor(self):
        summary = self.folder / "out/summary.json"
        text = summary.read_text()
        self.ok("report", "out", "--format", "csv")
        tables = files_of(self.folder / "out/tables")
        summary.write_text(text.replace('"3.0"', '"3.9"').replace('"lanes": [', '"brand_new": {"a": [1]},\n  "lanes": ['))
        self.ok("report", "out", "--format", "csv")
        self.assertEqual(files_of(self.folder / "out/tables"), tables)

    def test_full_disk(self):
        """At any size: all or nothing.  A limit of the file size stands for the disk."""
        before = files_of(self.folder / "out")
        script = 'ulimit -f 1; exec "$0" report out --format csv,text,json'
        done = subprocess.run(["sh", "-c", script, PROGRAM], cwd=self.folder, capture_output=True, env=self.env())
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(files_of(self.folder / "out"), before)


class ReportPlans(ReportCase):
    def plan(self, *words, name="out", **env):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        self.ok("run", *words, "-o", name, **env)
        return self.record(name)

    def test_hash(self):
        """Of what is computed: not of inputs, folders, threads, memory, formats."""
        one = self.plan("-p", "kernels", KINETO / "rank0.json")["plan_hash"]
        self.assertRegex(one, "^sha256:[0-9a-f]{64}$")
        shutil.copy(KINETO / "rank1.json", self.folder / "copy.json")
        self.assertEqual(one, self.plan("-p", "kernels", "copy.json", "-j", "1", "--max-memory", "64MiB", "--format", "csv",
                                        "--set", "text.width=50", name="x/y")["plan_hash"])
        others = {one, self.plan("-p", "kernels", KINETO, "--set", "kernel-time.exact=true")["plan_hash"],
                  self.plan("-p", "kernels", KINETO, "--from", "1ms")["plan_hash"],
                  self.plan("-p", "timeline", KINETO)["plan_hash"]}
        self.assertEqual(len(others), 4)

    def test_arguments(self):
        """Those that results depend on, without folders."""
        self.write("deep/list.txt", f"{KINETO}/rank1.json\n")
        run = self.plan("-p", "kernels", f"TP=4:{KINETO}/rank0.json", "@deep/list.txt", "-j", "1", "-f", "--format=json,text", "-v",
                        "--set", "text.width=50", "--set", "kernel-time.exact=true", "--strict", "--max-memory=64MiB")
        self.assertEqual(run["arguments"], ["run", "--profile=kernels", "--set=kernel-time.exact=true", "--strict",
                                            "TP=4:rank0.json", "@list.txt"])


del ReportCase
