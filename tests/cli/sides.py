"""Side inputs: the log of a compiler beside the traces."""
# SPDX-License-Identifier: MIT
import gzip
import json

from harness import AIU, KINETO, Case, needs_page

LOG = "x Ideal/Total Cycles y\nmm_0-opCatBmm 11000\nTotal 11000\n====== Perf Summary End ======\n"


class Sides(Case):
    def lanes(self, *words):
        return {i["name"]: i for i in self.json("info", "--json", *words)["inputs"]}

    def results(self, folder):
        out = self.folder / folder
        return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file() and p.name not in ("run.json", "report.html")}

    def test_the_label_decides_and_not_the_bytes(self):
        for name, text in (("c.log", LOG), ("c.json", "{}"), ("c.gz", gzip.compress(LOG.encode())), ("empty", "\n")):
            self.write(name, text if isinstance(text, bytes) else text.encode())
            lane = self.lanes(KINETO / "rank0.json", f"log={name}")[name]
            self.assertEqual((lane["source"], lane["label"]), ("compiler-log", "log"))

    def test_for_one_rank_or_for_all(self):
        self.write("rank3.log", LOG)
        self.assertNotIn("rank", self.lanes(KINETO / "rank0.json", "log=rank3.log")["rank3.log"])
        self.assertEqual(self.lanes(KINETO / "rank0.json", "rank=1:log=rank3.log")["rank3.log"]["rank"], 1)
        self.write("t.json")
        lane = self.lanes("rank=5:t.json")["t.json"]
        self.assertEqual((lane["rank"], lane["rank_from"], lane["tags"]), (5, "pattern", {}))
        self.assertEqual(self.lanes("rank=x:t.json")["t.json"]["tags"], {"rank": "x"})

    def test_a_file_of_that_name_is_a_file(self):
        self.write("log=t.json")
        self.assertEqual(self.lanes("./log=t.json")["./log=t.json"]["source"], "chrome-json")

    @needs_page
    def test_nothing_else_changes(self):
        self.write("c.log", LOG)
        for profile, inputs in (("aiu", [AIU]), ("timeline", [KINETO / "rank0.json"]), ("kernels", [KINETO])):
            self.ok("run", "-p", profile, *inputs, "-f", "-o", "without")
            r = self.ok("run", "-p", profile, "log=c.log", *inputs, "rank=0:log=c.log", "-f", "-o", "with", "--verify")
            self.assertNotIn("warning", r.out.replace("warning[UTIL-01]", ""))
            without, with_logs = self.results("without"), self.results("with")
            for name in without:
                if not name.startswith("summary"):
                    self.assertEqual(without[name], with_logs[name], name)
            doc = json.loads((self.folder / "with" / "run.json").read_text())
            self.assertEqual([i["name"] for i in doc["inputs"]][-2:], ["c.log", "c.log"])
        self.ok("convert", KINETO / "rank0.json", "-o", "a.json")
        self.ok("convert", "log=c.log", KINETO / "rank0.json", "-o", "b.json")
        self.assertEqual((self.folder / "a.json").read_bytes(), (self.folder / "b.json").read_bytes())
        self.ok("convert", "--join-ranks", "--hold=never", "log=c.log", KINETO / "rank0.json", "-o", "c.json")

    def test_a_folder_that_the_compiler_left(self):
        self.write("out/inductor-spyre/mm_0/perf/ideal_cycles.json", '[{"ideal_cycles":5,"op_category":"Bmm"}]')
        self.assertEqual(self.lanes(KINETO / "rank0.json", "log=out")["out"]["events"], 3)
        self.write("flat/a.log", LOG)
        self.write("flat/b.log", LOG)
        lanes = self.lanes(KINETO / "rank0.json", "log=flat")
        self.assertEqual([lanes[n]["source"] for n in ("flat/a.log", "flat/b.log")], ["compiler-log"] * 2)

    def test_a_log_without_its_label_is_said(self):
        """Its name or its bytes say what would have been typed."""
        trace = AIU / "rank0.json"
        self.write("x.log", LOG)
        self.write("notes.log", "nothing of it\n")
        self.write("logs/c.txt", LOG)
        self.write("both/rank0.json", trace.read_bytes())
        self.write("both/c.txt", LOG)
        for words in (("x.log",), (trace, "x.log"), ("notes.log",)):
            self.fails(3, "run", "-p", "aiu", *words, "-o", "out", says=["RUN-03", f"write log={words[-1]}, so that"])
        r = self.ok("run", "-p", "aiu", "both", "-o", "out")
        self.assertIn("RUN-35", r.out)
        self.assertIn("write log=both/c.txt", r.out.replace("\n  ", " "))
        self.fails(3, "run", "-p", "aiu", "logs", "-f", "-o", "out", says=["RUN-92", '"logs"', "write log=logs/c.txt"])
        self.fails(3, "run", "-p", "aiu", trace, "logs", "-f", "-o", "out", says=["RUN-92", '"logs"', "write log=logs/c.txt"])

    def test_a_folder_that_adds_nothing_is_an_error(self):
        trace = AIU / "rank0.json"
        self.write("notes/readme", "nothing of it\n")
        self.fails(3, "run", "-p", "aiu", trace, "notes", "-o", "out", says=["RUN-92", '"notes"'])
        r = self.run_program("run", "-p", "aiu", trace, "notes", "--keep-going", "-o", "out")
        self.assertIn("RUN-92", r.out + r.err)
        self.assertTrue((self.folder / "out" / "summary.json").exists())

    def test_a_log_needs_a_trace(self):
        self.write("c.log", LOG)
        self.fails(3, "run", "-p", "aiu", "log=c.log", says=["RUN-18", "no input is a trace, only the side input c.log"])
        self.fails(3, "info", "log=c.log", says="RUN-18")
        self.fails(3, "run", "-p", "kernels", KINETO, "log=missing", says="missing")

    def test_a_log_without_a_table_is_said(self):
        for text in ("nothing\n", ""):
            self.write("c.log", text)
            out = self.ok("run", "-p", "kernels", KINETO, "log=c.log", "-o", "out", "--force").out
            self.assertIn("CLOG-02", out)

    def test_stages_that_need_one_are_left_out_without(self):
        self.write("use.json", json.dumps({"profile": 1, "name": "use", "description": "Utilisation.", "formats": ["csv"],
                                           "stages": [{"use": "pair"}, {"use": "utilisation", "optional": True}]}))
        trace, log = AIU / "rank1.json", AIU / "compiler" / "compile.log"
        self.assertNotIn("warning", self.ok("run", "-p", "./use.json", trace, "-o", "without").out)
        self.assertFalse((self.folder / "without" / "tables" / "utilisation.csv").exists())
        self.assertIn("compiler.table", self.ok("plan", "-p", "./use.json", trace).out)
        for given in (f"log={log}", f"rank=1:log={log}"):
            self.ok("run", "-p", "./use.json", trace, given, "-f", "-o", "with")
            self.assertIn("\n1,", (self.folder / "with" / "tables" / "utilisation.csv").read_text())
        self.assertIn("UTIL-05", self.ok("run", "-p", "./use.json", trace, f"rank=2:log={log}", "-f", "-o", "with").out)

    def test_behind_a_merge(self):
        """Lanes become one stream for `flow` and lanes again for `utilisation`, to which the log still goes."""
        log, tables = AIU / "compiler" / "compile.log", {}
        for merging in ([], ["flow"]):
            stages = [{"use": s} for s in ("pair", *merging, "utilisation")]
            self.write("use.json", json.dumps({"profile": 1, "name": "use", "description": "Merges.", "stages": stages,
                                               "formats": ["csv"]}))
            for memory in ("256MiB", "1MiB"):
                self.ok("run", "-p", "./use.json", AIU, f"log={log}", "-f", "-o", "out", "--verify", "--max-memory", memory)
                tables[len(tables)] = (self.folder / "out" / "tables" / "utilisation.csv").read_text()
        self.assertEqual(len(tables[0].splitlines()), 4)
        self.assertEqual(len(set(tables.values())), 1, tables)


class Captures(Case):
    """Captures of graphs: traces that only describe others, found beside these."""

    def setUp(self):
        super().setUp()
        graphs = KINETO.parent / "graphs"
        self.trace = (graphs / "trace.json").read_bytes()
        self.captures = {p.name: p.read_bytes() for p in sorted((graphs / "capture_traces").iterdir())}

    def run_torch(self, *words):
        """The files of the captures that graph launches are of, and all that was said."""
        r = self.ok("run", "-p", "torch", *words, "--format", "csv,json", "-f", "-o", "out")
        table = self.folder / "out/tables/graphs.csv"
        rows = [line.split(",") for line in table.read_text().splitlines()] if table.exists() else [["file"]]
        at = rows[0].index("file")
        notices = json.loads((self.folder / "out/summary.json").read_text())["notices"]
        return {row[at] for row in rows[1:]} - {""}, [n["what"] for n in notices if n["code"] == "RUN-38"], r

    def test_a_folder_beside_the_trace(self):
        self.write("one/t.json", self.trace)
        self.assertEqual(self.run_torch("one/t.json")[:2], (set(), []))
        for name, capture in self.captures.items():
            self.write(f"one/capture_traces/{name}", capture)
        self.write("one/capture_traces/notes.txt", "nothing of it")
        files, said, _ = self.run_torch("one/t.json", "--verify")
        self.assertEqual(files, {"graph_0.json", "graph_1.json"})
        self.assertEqual(said, ["2 side inputs beside the traces are used (first: one/capture_traces/graph_0.json)"])
        self.assertEqual(self.run_torch("one")[:2], (files, said))

    def test_files_beside_the_trace(self):
        self.write("t.json", self.trace)
        self.write("graph_capture-a.json.gz", gzip.compress(self.captures["graph_1.json"]))
        for words in (["t.json"], ["."]):
            files, said, r = self.run_torch(*words)
            self.assertEqual(files, {"graph_capture-a.json.gz"})
            self.assertEqual(len(said), words == ["t.json"])
        self.ok("convert", ".", "-f", "-o", "all.json")
        self.ok("convert", "t.json", "-f", "-o", "one.json")
        self.assertEqual((self.folder / "all.json").read_bytes(), (self.folder / "one.json").read_bytes())
        self.assertEqual(self.run_torch("t.json", "graph_capture-a.json.gz")[:2], (set(), []))

    def test_one_that_is_named_is_the_one(self):
        self.write("t.json", self.trace)
        self.write("capture_traces/a.json", self.captures["graph_0.json"])
        self.write("other/b.json", self.captures["graph_1.json"])
        self.assertEqual(self.run_torch("t.json", "capture=other")[:2], ({"b.json"}, []))
        self.assertEqual(self.run_torch("t.json", "capture=other/b.json")[:2], ({"b.json"}, []))
        self.fails(3, "run", "-p", "torch", "capture=other/b.json", "-f", "-o", "out", says=["RUN-18", "capture"])

    def test_an_empty_folder_is_nothing(self):
        self.write("t.json", self.trace)
        (self.folder / "capture_traces").mkdir()
        self.assertEqual(self.run_torch("t.json")[:2], (set(), []))

    def test_one_that_is_damaged(self):
        self.write("t.json", self.trace)
        self.write("capture_traces/a.json", self.captures["graph_0.json"][:4000])
        self.fails(3, "run", "-p", "torch", "t.json", "-f", "-o", "out", says="capture_traces/a.json")
