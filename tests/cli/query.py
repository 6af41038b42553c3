"""stagemill query: SQL over events and results."""
# SPDX-License-Identifier: MIT
import collections
import contextlib
import csv
import io
import json
import os
import sqlite3

from findings import FINDING, PROFILE
from harness import AIU, KINETO, Case

RANK0 = KINETO / "rank0.json"
JOIN = ("SELECT k.rank, k.name, l.name, k.ts - l.ts FROM slice k JOIN slice l ON l.correlation = k.correlation AND l.rank = k.rank "
        "AND l.category = 'cuda_runtime' WHERE k.category = 'kernel'")
SUMS = "SELECT name, count(*) AS n, sum(dur) AS time FROM slice GROUP BY name ORDER BY time DESC, name"
ARGS = "SELECT id, rank, arg('External id') AS x, args FROM slice ORDER BY id"


def cells(r):
    return [list(row.values()) for row in json.loads(r.out)["rows"]]


class Query(Case):
    def rows(self, *args, **more):
        return cells(self.ok("query", *args, "--format", "json", **more))

    def test_formats(self):
        self.write("t.json")
        sql = "SELECT name, ts, dur / 2.0 AS \"half|dur\", NULL AS none, name FROM slice"
        self.assertEqual(json.loads(self.ok("query", "t.json", sql, "--format", "json").out), {
            "columns": ["name", "ts", "half|dur", "none", "name_2"],
            "rows": [{"name": "b", "ts": 5000, "half|dur": 1000, "none": None, "name_2": "b"},
                     {"name": "a", "ts": 1000, "half|dur": 1500, "none": None, "name_2": "a"}]})
        table = list(csv.reader(io.StringIO(self.ok("query", "t.json", sql, "--format", "csv").out)))
        self.assertEqual(table, [["name", "ts", "half|dur", "none", "name_2"], ["b", "5000", "1000.0", "", "b"], ["a", "1000", "1500.0", "", "a"]])
        lines = self.ok("query", "t.json", sql, "--format", "markdown").out.split("\n")
        self.assertEqual(lines[:3], ["| name | ts | half\\|dur | none | name\\_2 |", "| --- | ---: | ---: | --- | --- |", "| b | 5000 | 1000.0 | - | b |"])
        lines = self.ok("query", "t.json", sql).out.split("\n")
        self.assertEqual(lines[1].split(), ["b", "5000", "1000.0", "-", "b"])
        empty = self.ok("query", "t.json", "SELECT name FROM slice WHERE ts < 0", "--format", "json").out
        self.assertEqual(json.loads(empty), {"columns": ["name"], "rows": []})
        self.assertEqual(self.ok("query", "t.json", "SELECT name FROM slice WHERE ts < 0", "--format", "csv").out, "name\r\n")

    def test_listed_without_sql(self):
        self.write("t.json")
        lines = [line.split() for line in self.ok("query", "t.json").out.splitlines()]
        self.assertEqual(lines[:3], [["table", "column", "type"], ["slice", "id", "int"], ["slice", "ts", "int"]])
        self.assertEqual(list(dict.fromkeys(line[0] for line in lines[1:])), ["slice", "counter", "instant", "flow", "record"])

    def test_refused(self):
        self.write("t.json")
        before = sorted(os.listdir(self.folder))
        for sql, says in [("ATTACH 'x.db' AS x", "column 1: ATTACH"), ("PRAGMA journal_mode = WAL", "column 1: PRAGMA"),
                          ("CREATE TABLE t AS SELECT 1", "column 1: CREATE"), ("INSERT INTO slice (id) VALUES (1)", "RUN-9"),
                          ("DELETE FROM slice", "RUN-9"), ("UPDATE slice SET ts = 1", "RUN-9"), ("DROP TABLE slice", "column 1: DROP"),
                          ("VACUUM INTO 'x.db'", "VACUUM"), ("SELECT load_extension('./x.so')", "column 8: load_extension"),
                          ("SELECT date('now')", "column 8: date"), ("SELECT 1; SELECT 2", "column 11: SELECT"),
                          ("SELECT nam FROM slice", ['column 8: nam', 'did you mean "name"?']),
                          ("SELECT name FROM slise", ["column 18: slise", 'did you mean "slice"?']),
                          ("SELECT name FORM slice", 'did you mean "FROM"?'),
                          ("SELECT arg('a') + nam FROM slice", ["column 19: nam", 'did you mean "name"?']),
                          ("SELECT arg('a') FROM slice a, slice b", "ambiguous column name: arg('a')"),
                          ("SELECT json(name) FROM slice", "malformed JSON")]:
            for format in ("text", "csv", "json"):
                r = self.fails(4, "query", "t.json", sql, "--format", format, says=says)
                self.assertNotIn('"rows": [\n    {', r.out)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_limits(self):
        self.write("t.json")
        self.fails(8, "query", "t.json", "SELECT length(zeroblob(1000000000))", "--max-memory", "64MiB", says="RUN-97")
        self.fails(8, "query", "t.json", "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
                   "--timeout", "1s", says="RUN-10")

    def test_words(self):
        self.write("t.json")
        self.write("q.sql", "-- longest\nSELECT nam\nFROM slice")
        self.fails(4, "query", "t.json", "-f", "q.sql", says="q.sql, line 2, column 8: nam")
        self.fails(3, "query", "t.json", "-f", "none.sql", says="none.sql")
        self.fails(2, "query", "SELECT 1 FROM slice", says="needs an input")
        self.fails(3, "query", "none.json", "SELECT 1 FROM slice", says="none.json")
        self.write("a b.json")
        self.assertEqual(self.rows("t.json", "a b.json", "SELECT count(*) FROM slice"), [[4]])

    def test_files_of_a_rank(self):
        for name in ("rank0_j0.json", "rank0_j1.json"):
            self.write(name)
        sql = "SELECT lane, count(*) FROM slice GROUP BY lane"
        self.assertEqual(self.rows("rank0_j0.json", "rank0_j1.json", sql), [[0, 2], [1, 2]])
        self.assertEqual(self.rows("rank0_j0.json", "rank0_j1.json", sql, "--join-ranks"), [[0, 4]])
        pairs = "SELECT count(*) FROM slice a JOIN slice b ON a.ts = b.ts"
        self.assertEqual(self.rows("rank0_j0.json", "rank0_j1.json", pairs, "--join-ranks"), [[8]])

    def test_options(self):
        self.write("t.json")
        self.fails(2, "query", "t.json", "SELECT 1 FROM slice", "--steps", "1-2", says="--steps needs -p")
        self.fails(2, "query", "t.json", "SELECT 1 FROM slice", "--enable", "x", says="--enable needs -p")
        self.assertEqual(self.rows("t.json", "SELECT min(ts) FROM slice", "--set", "chrome-json.time-unit=ns"), [[1]])

    def test_written_into_a_database(self):
        self.write("t.json")
        sql = "SELECT name, dur, dur / 2.0 AS half FROM slice ORDER BY ts"
        self.assertEqual(self.ok("query", "t.json", sql, "-o", "rows.sqlite").out, "wrote rows.sqlite\n")
        with contextlib.closing(sqlite3.connect(self.folder / "rows.sqlite")) as database:
            self.assertEqual(list(database.execute("SELECT * FROM query")), [("a", 3000, 1500.0), ("b", 2000, 1000.0)])
        self.fails(6, "query", "t.json", sql, "-o", "rows.sqlite", says="OUT-02")
        self.ok("query", "t.json", sql, "-o", "rows.sqlite", "--force")
        self.fails(2, "query", "t.json", sql, "-o", "rows.txt", says="name it FILE.sqlite")
        self.fails(2, "query", "t.json", sql, "-o", "x.sqlite", "--format", "csv", says="exclude each other")
        self.fails(4, "query", "t.json", "SELECT nam FROM slice", "-o", "x.sqlite", says="RUN-95")
        self.assertEqual(sorted(os.listdir(self.folder)), ["rows.sqlite", "t.json"])

    def test_arguments_of_events(self):
        self.write("t.json", '{"traceEvents": [{"ph":"X","name":"a","pid":0,"tid":"t","ts":1,"dur":3,"args":'
                             '{"it\'s":1,"l":[1,2],"o":{"a":[]},"x\\"y":"z","t":true}},{"ph":"C","name":"c","pid":0,"ts":2,"args":{"v":1.5}}]}')
        self.assertEqual(self.rows("t.json", "SELECT arg('it''s'), arg ( 'x\"y' ), arg('none'), process, thread FROM slice"), [[1, "z", None, 0, "t"]])
        self.assertEqual(json.loads(self.rows("t.json", "SELECT args FROM slice")[0][0]), {"it's": 1, "l": [1, 2], "o": {"a": []}, "x\"y": "z", "t": True})
        self.assertEqual(self.rows("t.json", "SELECT name, ts, dur, arg('v') FROM counter"), [["c", 2000, None, 1.5]])
        columns = json.loads(self.ok("query", "t.json", "SELECT arg('it''s') FROM slice", "--format", "json").out)["columns"]
        self.assertEqual(columns, ["arg('it''s')"])
        self.assertEqual(self.rows("t.json", "SELECT 'arg(''v'')' FROM counter -- arg('x')"), [["arg('v')"]])

    def test_a_join_reads_twice(self):
        for sql, times in [(JOIN, 2), (SUMS, 1), ("SELECT count(*) FROM slice WHERE name IN ('a', 'b')", 1),
                           ("SELECT count(*) FROM slice a JOIN slice b ON b.ts BETWEEN a.ts AND a.ts + 1000 WHERE a.category = 'kernel'", 3),
                           ("SELECT count(*) FROM slice a JOIN slice b ON a.arg('External id') = b.arg('External id')", 2)]:
            self.assertIn(f"the inputs were read {times} time", self.ok("query", RANK0, sql, "-v").err, sql)

    def test_same_for_any_way(self):
        for more in ([], ["-p", "aiu"]):
            inputs = [AIU / "rank0.json", AIU / "rank1.json"] if more else [KINETO]
            for sql in (JOIN, SUMS, ARGS, "SELECT name, count(*) FROM slice GROUP BY name", "SELECT DISTINCT category FROM slice"):
                usual = self.ok("query", *more, *inputs, sql, "--format", "json").out
                for way in (["-j", "1"], ["-j", "3"], ["--batch-size", "3"], ["--max-memory", "16MiB"]):
                    self.assertEqual(self.ok("query", *more, *inputs, sql, "--format", "json", *way).out, usual, f"{sql} {way}")

    def test_as_python_sees_it(self):
        events = [e for e in json.loads(RANK0.read_text())["traceEvents"] if e.get("ph") == "X"]
        sums = {}
        for e in events:
            n, time = sums.get(e["name"], (0, 0))
            sums[e["name"]] = (n + 1, time + round(e["dur"] * 1000))
        wanted = sorted([name, n, time] for name, (n, time) in sums.items())
        self.assertEqual(sorted(self.rows(RANK0, SUMS)), wanted)
        launches = {e["args"]["correlation"]: e["name"] for e in events if e.get("cat") == "cuda_runtime" and "correlation" in e.get("args", {})}
        pairs = sorted([e["name"], launches[e["args"]["correlation"]]] for e in events
                       if e.get("cat") == "kernel" and e["args"]["correlation"] in launches)
        self.assertEqual(sorted(row[1:3] for row in self.rows(RANK0, JOIN)), pairs)

    def test_standard_input(self):
        text = RANK0.read_bytes()
        self.assertEqual(self.rows("-", "SELECT count(*) FROM slice", stdin=text), [[535]])
        self.fails(3, "query", "-", "SELECT count(*) FROM slice a JOIN slice b ON a.id = b.id", stdin=text, says="can be read once")
        joined = self.rows("-p", "torch", "-", "SELECT count(*) FROM slice a JOIN slice b ON a.id = b.id", stdin=text)
        self.assertEqual(joined, self.rows("-p", "torch", "-", "SELECT count(*) FROM slice", stdin=text))

    def test_damage(self):
        cut = self.write("cut.json", RANK0.read_bytes()[:100000])
        self.fails(3, "query", cut, "SELECT count(*) FROM slice", says="error[JSN")
        self.assertGreater(self.rows(cut, "SELECT count(*) FROM slice", "--recover")[0][0], 10)
        odd = self.write("odd.json", '{"traceEvents": [{"ph":"X","name":"a","pid":0,"tid":1,"ts":1,"dur":NaN},]}')
        self.assertRegex(self.ok("query", odd, "SELECT name FROM slice").err, r"(?m)^warning\[JSN-[0-9]+\]: ")
        self.assertEqual(self.ok("query", odd, "SELECT name FROM slice", "-q").err, "")
        self.fails(3, "query", self.write("other.txt", "words\n"), "SELECT 1 FROM slice")

    def test_stages_first(self):
        plain = self.ok("query", AIU / "rank0.json").out
        computed = self.ok("query", "-p", "aiu", AIU / "rank0.json").out
        self.assertNotIn(" class ", plain)
        self.assertRegex(computed, r"(?m)^slice +class +any")
        classes = self.rows("-p", "aiu", AIU / "rank0.json", "SELECT class, count(*) FROM slice GROUP BY class")
        self.assertIn(["COMPUTE_EXEC", 50], classes)
        self.assertTrue(self.rows("-p", "aiu", AIU / "rank0.json", "SELECT name FROM _metric"))
        self.fails(4, "query", "-p", "nothing", AIU / "rank0.json", "SELECT 1 FROM slice", says="PRF-01")

    def test_results_as_in_the_database(self):
        self.ok("run", "-p", "kernels", KINETO, "-o", "r", "--format", "json,sqlite")
        database = sqlite3.connect(self.folder / "r" / "results.sqlite")
        names = [name for name, in database.execute("SELECT name FROM sqlite_master ORDER BY name")]
        self.assertGreater(len(names), 4)
        for name in names:
            rows = database.execute(f'SELECT * FROM "{name}"')
            got = json.loads(self.ok("query", "r", f'SELECT * FROM "{name}"', "--format", "json").out)
            self.assertEqual(got["columns"], [column[0] for column in rows.description])
            self.assertEqual([list(row.values()) for row in got["rows"]], [list(row) for row in rows], name)
        self.assertEqual(self.ok("query", "r/summary.json").out, self.ok("query", "r").out)
        listed = {line.split()[0] for line in self.ok("query", "r").out.splitlines()[1:]}
        self.assertEqual(listed - set(names), {"_finding"})

    def results(self, name, rule, tables=("kernel-time",)):
        """Results of kernels with one finding, and with those tables alone."""
        self.write("mine.sql", FINDING.replace("AS where_kernel", f"AS where_{rule}"))
        self.write("p.json", PROFILE)
        self.ok("run", "-p", "./p.json", RANK0, "-o", name, "--format", "json")
        path = self.folder / name / "summary.json"
        doc = json.loads(path.read_text())
        doc["tables"] = [t for t in doc["tables"] if t["name"] in tables]
        doc["figures"] = []
        path.write_text(json.dumps(doc))
        return doc

    def test_findings(self):
        wanted = self.results("r", "kernel")["findings"][0]
        got = json.loads(self.ok("query", "r", "SELECT * FROM _finding", "--format", "json").out)
        self.assertEqual(got["columns"], list(wanted))
        row = got["rows"][0]
        for key in ("name", "text", "severity", "cost_ns", "share", "advice"):
            self.assertEqual(row[key], wanted[key], key)
        self.assertEqual((json.loads(row["where"]), json.loads(row["evidence"])), (wanted["where"], wanted["evidence"]))
        self.assertEqual(self.rows("r", "SELECT \"where\" ->> 'kernel' FROM _finding"), [[wanted["where"]["kernel"]]])
        self.assertEqual(self.rows("-p", "./p.json", RANK0, "SELECT name, share FROM _finding"), [["mine", 25]])
        self.ok("run", "-p", "kernels", RANK0, "-o", "none", "--format", "json")
        self.assertEqual(self.rows("none", "SELECT * FROM _finding"), [])

    def test_several_runs(self):
        self.results("a", "kernel")
        self.results("b", "rank", ("kernel-time", "kernel-time-rank"))
        both = self.ok("query", "a", "b").out
        self.assertIn("_finding          run ", both)
        got = json.loads(self.ok("query", "a", "b", 'SELECT * FROM "kernel-time"', "--format", "json").out)
        one = json.loads(self.ok("query", "a", 'SELECT * FROM "kernel-time"', "--format", "json").out)
        self.assertEqual(got["columns"], ["run", *one["columns"]])
        self.assertEqual(got["rows"], [{"run": run, **row} for run in "ab" for row in one["rows"]])
        self.assertEqual(self.rows("a", "b", "SELECT run, name, share FROM _finding"), [["a", "mine", 25], ["b", "mine", 25]])
        self.assertEqual(self.rows("b/", "a/summary.json", "SELECT DISTINCT run FROM _run"), [["b"], ["a"]])
        self.assertEqual(self.rows("a", "b", 'SELECT DISTINCT run FROM "kernel-time-rank"'), [["b"]])
        pairs = sum(n * n for n in collections.Counter(row["name"] for row in one["rows"]).values())
        self.assertEqual(self.rows("a", "b", 'SELECT count(*) FROM "kernel-time" x JOIN "kernel-time" y USING (name) WHERE x.run < y.run'), [[pairs]])

    def test_runs_whose_columns_differ(self):
        doc = self.results("a", "kernel")
        for folder, rename in (("b", {"calls": "run"}), ("c/a", {})):
            changed = json.loads(json.dumps(doc))
            table = changed["tables"][0]
            for column in table["columns"]:
                column["name"] = rename.get(column["name"], column["name"])
            table["rows"] = [{rename.get(key, key): value for key, value in row.items()} for row in table["rows"]]
            self.write(f"{folder}/summary.json", json.dumps(changed))
        columns = json.loads(self.ok("query", "a", "b", 'SELECT * FROM "kernel-time"', "--format", "json").out)["columns"]
        self.assertEqual((columns[0], columns[-1]), ("run", "run_2"))
        rows = self.rows("a", "b", 'SELECT run, sum(calls) IS NULL, sum(run_2) IS NULL FROM "kernel-time" GROUP BY run')
        self.assertEqual(rows, [["a", 0, 1], ["b", 1, 0]])
        self.assertEqual(self.rows("a", "c/a", "SELECT DISTINCT run FROM _run"), [["a"], ["c/a"]])

    def test_runs_that_cannot_be_asked_together(self):
        self.results("a", "kernel")
        self.fails(2, "query", "a", "a", "SELECT * FROM _run", says="is named twice")
        self.fails(2, "query", "a", RANK0, "SELECT * FROM _run", says="holds no results, and other inputs do")
