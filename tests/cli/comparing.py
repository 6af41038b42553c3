"""The commands compare and check: sides, verdicts, files, and what they refuse.  output/derived.c"""
# SPDX-License-Identifier: MIT
import csv
import json
import random
import shutil
import xml.etree.ElementTree

from harness import Case

HOSTILE = "k</testcase>|`$(x)`\x01<img onerror>=1+1"


def trace(**dur_us):
    events = [{"ph": "X", "cat": "kernel", "pid": 0, "tid": 0, "ts": 10000 * i, "dur": dur, "name": name}
              for i, (name, dur) in enumerate(dur_us.items())]
    return json.dumps({"traceEvents": events})


class Comparing(Case):
    def run_of(self, name, **dur_us):
        self.write(f"{name}.json", trace(**dur_us))
        self.ok("run", "-p", "kernels", f"{name}.json", "-o", name)
        return name

    def rows(self, path):
        with open(self.folder / path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def rules(self, *rules):
        return self.write("gate.json", json.dumps({"schema_version": "1", "rules": list(rules)}))

    def four(self, name, *totals):
        for i, total in enumerate(totals):
            self.write(f"{name}{i}.json", trace(k=total))
            (self.folder / name).mkdir(exist_ok=True)
            self.ok("run", "-p", "kernels", f"{name}{i}.json", "-o", f"{name}/run{i}")


class Compare(Comparing):
    def test_a_run_against_itself(self):
        self.run_of("a", x=10, y=5)
        out = self.ok("compare", "a", "a/summary.json", "--fail-on", "changed").out
        self.assertIn("nothing changed", out)
        self.assertFalse((self.folder / "a.compare").exists())

    def test_numbers(self):
        """10 us to 12 us is 20 %; y has gone, z has come."""
        self.run_of("a", x=10, y=5)
        self.run_of("b", x=12, z=1)
        self.ok("compare", "a", "b", "-o", "c")
        rows = {(r["name"], r["column"]): r for r in self.rows("c/tables/kernel-time.csv")}
        total = rows["x", "total"]
        self.assertEqual([total[k] for k in ("unit", "base", "new", "change", "change_percent", "n", "verdict")],
                         ["ns", "10000.0", "12000.0", "2000.0", "20.0", "1", "changed"])
        self.assertEqual(rows["y", "total"]["verdict"], "vanished")
        self.assertEqual(rows["z", "total"]["verdict"], "appeared")
        counts = self.rows("c/tables/tables.csv")
        self.assertEqual({k: v for k, v in counts[0].items() if k != "table"},
                         {"same": "0", "changed": "1", "appeared": "1", "vanished": "1"})
        self.ok("report", "c", "--format", "csv", "-o", "again")
        for path in (self.folder / "c/tables").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "again/tables" / path.name).read_bytes())

    def test_inputs_are_run_first(self):
        self.write("a.json", trace(x=10))
        self.write("b.json", trace(x=15))
        out = self.ok("compare", "-p", "kernels", "a.json", "b.json").out
        self.assertIn("50.0 %", out)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.json", "b.json"])

    def test_repetitions(self):
        self.four("base", 100, 101, 102, 103)
        self.four("slow", 109, 110, 111, 112)
        out = self.ok("compare", "base", "slow/run*", "-o", "c", "--fail-on", "regression").out
        self.assertIn("0 equal, 3 not judged (too few runs for 3 headline metrics: 5 a side are needed)", " ".join(out.split()))
        self.assertIn("RUN-47", out)
        total = [r for r in self.rows("c/tables/kernel-time.csv") if r["column"] == "total"][0]
        self.assertEqual((total["base"], total["new"], total["n"], total["high_percent"]), ("101500.0", "110500.0", "4", "12.0"))
        self.ok("compare", "base", "base", "--fail-on", "changed")
        out = self.ok("compare", "base/run0", "slow/run0", "--fail-on", "regression").out
        self.assertIn("3 headline metrics are not judged: fewer than 4 runs a side", out)

    def test_headlines(self):
        """Of 5 and 5 runs all above: 1 in 252, times 3 metrics."""
        self.four("base", 100, 101, 102, 103, 104)
        self.four("slow", 109, 110, 111, 112, 113)
        self.fails(1, "compare", "base", "slow", "--fail-on", "regression", "-o", "c", says=["RUN-43", "3 headline metrics became worse"])
        rows = self.rows("c/tables/headline.csv")
        self.assertEqual({(r["metric"], r["stat"], r["verdict"]) for r in rows},
                         {("kernel_time", "", "worse"), ("kernel_duration", "p50", "worse"), ("kernel_duration", "p99", "worse")})
        for row in rows:
            self.assertAlmostEqual(float(row["p_percent"]), 100 / 252)
            self.assertAlmostEqual(float(row["p_corrected_percent"]), 300 / 252)
        self.assertEqual(self.rows("c/tables/headline-counts.csv"), [{"worse": "3", "better": "0", "equal": "0", "not_judged": "0"}])
        self.assertIn("3 better", self.ok("compare", "slow", "base", "--fail-on", "regression").out)
        document = self.json("compare", "base", "slow", "slow", "--json")
        counts = [t for t in document["tables"] if t["name"] == "headline-counts"][0]["rows"]
        self.assertEqual([(r["side"], r["worse"], r["equal"]) for r in counts], [("slow", 3, 0), ("slow (2)", 3, 0)])
        self.run_of("one", k=5)
        self.ok("run", "-p", "info", "one.json", "-o", "info")
        self.assertIn("these runs have no headline metric", self.ok("compare", "info", "info", "--fail-on", "regression").out)

    def test_equal_runs_split(self):
        """12 runs of one machine with 3 % of noise, 40 splits by chance: hardly one fails; slower by 10 % all do."""
        chance = random.Random(25)
        for i in range(12):
            durations = {f"k{k}": round(100 * (1 + 0.03 * chance.gauss(0, 1)), 3) for k in range(3)}
            for name, slower in (("equal", 1), ("slow", 1.1)):
                self.run_of(f"{name}{i}", **{k: v * slower for k, v in durations.items()})
        failed = found = 0
        for _ in range(40):
            order = chance.sample(range(12), 12)
            for side, runs in (("a", order[:6]), ("b", order[6:])):
                self.links(side, [f"equal{i}" for i in runs])
            self.links("c", [f"slow{i}" for i in order[6:]])
            failed += self.run_program("compare", "a", "b", "--fail-on", "regression").status == 1
            found += self.run_program("compare", "a", "c", "--fail-on", "regression").status == 1
        self.assertLessEqual(failed, 3)
        self.assertGreaterEqual(found, 38)

    def links(self, side, runs):
        """A folder of those runs and no others."""
        folder = self.folder / side
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for run in runs:
            (folder / run).symlink_to(self.folder / run)

    def test_one_statistic(self):
        """The medians, 100 and 98, fall; most pairs of runs rise."""
        self.four("base", 80, 80, 100, 101, 101)
        self.four("new", 97, 97, 98, 115, 115)
        self.ok("compare", "base", "new", "-o", "c")
        for row in self.rows("c/tables/metrics.csv"):
            base, new, percent = (float(row[k]) for k in ("base", "new", "change_percent"))
            self.assertAlmostEqual((new - base) / base * 100, percent, 6)
            self.assertAlmostEqual(new - base, float(row["change"]), 6)
            self.assertLessEqual(float(row["low_percent"]), percent)
            self.assertGreaterEqual(float(row["high_percent"]), percent)

    def test_three_sides(self):
        for name, value in (("a", 10), ("b", 20), ("c", 30)):
            self.run_of(name, x=value)
        document = self.json("compare", "a", "b", "c", "--json")
        table = [t for t in document["tables"] if t["name"] == "kernel-time"][0]
        totals = {r["side"]: r["change_percent"] for r in table["rows"] if r["column"] == "total"}
        self.assertEqual(totals, {"b": 100.0, "c": 200.0})

    def test_refused(self):
        self.run_of("a", x=10)
        self.ok("run", "-p", "info", "a.json", "-o", "other")
        self.write("cut/summary.json", (self.folder / "a/summary.json").read_text()[:200])
        text = (self.folder / "a/summary.json").read_text()
        self.write("newer/summary.json", text.replace('"schema_version": "3.', '"schema_version": "4.'))
        (self.folder / "empty").mkdir()
        self.fails(3, "compare", "a", "other", says=["RUN-40", "--force"])
        self.ok("compare", "a", "other", "--force")
        self.fails(3, "compare", "a", "empty", says=["RUN-41", "empty"])
        self.fails(3, "compare", "a", "missing", says=["RUN-30", "missing"])
        self.fails(3, "compare", "a", "cut", says=["RUN-31", "cut/summary.json:"])
        self.fails(3, "compare", "a", "newer", says=["RUN-31", "schema_version"])
        self.fails(3, "compare", "a.json", "b.json", says=["RUN-41", "a.json is not a finished run", "compare -p PROFILE"])
        self.fails(3, "compare", "a", "no*", says="RUN-91")
        self.fails(2, "compare", "a", says="usage")
        self.fails(2, "compare", "a", "a", "--from", "1s", says="--from")
        self.fails(2, "compare", "a", "a", "--format", "csv", says="-o")
        for value in ("5", "x%", "-1%"):
            self.fails(2, "compare", "a", "a", f"--min-change={value}", says="--min-change")
        self.fails(2, "compare", "a", "a", "--confidence", "100%", says="--confidence")


class Check(Comparing):
    def test_statuses(self):
        self.run_of("a", x=10)
        self.run_of("b", x=12)
        rules = self.rules({"metric": "kernel_time", "max_change": "5%"})
        self.fails(1, "check", "a", "b", "--rules", rules, "-o", "gate", says="RUN-44")
        self.assertEqual(json.loads((self.folder / "gate/check.json").read_text())["verdict"], "regression")
        self.ok("check", "b", "a", "--rules", rules)
        self.ok("check", "a", "a", "--rules", rules)
        rules = self.rules({"metric": "kernel_time", "max_change": "5%", "min_runs": 4})
        self.ok("check", "a", "b", "--rules", rules)
        self.fails(1, "check", "a", "b", "--rules", rules, "--inconclusive=fail", says="fewer than 4 runs")
        rules = self.rules({"metric": "ttft.p99", "max": 1})
        self.fails(3, "check", "a", "b", "--rules", rules, says="RUN-45")
        rules = self.rules({"metric": "ttft.p99", "max": 1, "optional": True})
        self.ok("check", "a", "b", "--rules", rules)
        rules = self.rules({"metric": "kernel_tme", "max": 1})
        self.fails(4, "check", "a", "b", "--rules", rules, says=["PRF-33", "kernel_time", "gate.json:1:"])
        self.fails(4, "check", "a", "b", "--rules", "none.json", says="PRF-30")
        self.fails(2, "check", "a", "b", says="--rules")

    def test_files(self):
        self.run_of("a", x=10)
        self.run_of("b", x=12)
        (self.folder / "b").rename(self.folder / "b<|`&x")
        rules = self.rules({"metric": "kernel_time", "max": "1s"}, {"metric": "kernel_time", "max_change": "1%"})
        self.fails(1, "check", "a", "b<|`&x", "--rules", rules, "-o", "gate")
        self.assertEqual(sorted(p.name for p in (self.folder / "gate").iterdir()),
                         ["check.json", "check.md", "check.txt", "check.xml", "run.json"])
        root = xml.etree.ElementTree.parse(self.folder / "gate/check.xml").getroot()
        cases = root.findall(".//testcase")
        self.assertEqual([c.get("classname") for c in cases], ["b<|`&x"] * 2)
        self.assertEqual([len(c.findall("failure")) for c in cases], [0, 1])
        lines = (self.folder / "gate/check.md").read_text().splitlines()
        self.assertIn("b&lt;\\|\\`&amp;x", lines[4])
        self.assertIn("| us | 10.00 | 12.00 |", lines[4])
        self.assertEqual(cases[0].find("system-out").text.split(", change")[0], "base 10.00, new 12.00 us")
        self.assertEqual(json.loads((self.folder / "gate/check.json").read_text())["rules"][0]["new"], 12000)
        printed = self.run_program("check", "a", "b<|`&x", "--rules", rules, "--json")
        self.assertEqual(json.loads(printed.out), json.loads((self.folder / "gate/check.json").read_text()))

    def test_validate(self):
        self.rules({"metric": "kernel_time", "max": "1s"})
        self.ok("validate", "./gate.json")
        self.rules({"metric": "kernel_time", "mx": "1s"})
        self.fails(4, "validate", "./gate.json", says=["PRF-31", "did you mean \"max\""])
        self.rules({"metric": "kernel_tim", "max": "1s"})
        self.fails(4, "validate", "./gate.json", says=["PRF-33", "kernel_time"])

    def test_all_problems_at_once(self):
        """A key that is wrong hides no metric and no limit that is, and is told once."""
        self.run_of("a", x=10)
        rules = self.rules({"metric": "kernel_tim", "mx": "1s"}, {"max": 1}, {"metric": "kernel_time", "max": "3%", "min": "2KiB"},
                           {"metric": "gemm_tme", "worse": "highr", "max_change": "5%"})
        told = ["unknown key \"mx\"", "has neither \"metric\" nor \"finding\"", "\"worse\" must be", "unknown metric \"kernel_tim\"", "unknown metric \"gemm_tme\""]
        limits = ["\"3%\" is not a limit in ns", "\"2KiB\" is not a limit in ns"]
        for words, says in ((["check", "a", "a", "--rules", rules], told + limits), (["validate", "./gate.json"], told)):
            done = self.fails(4, *words, says=says)
            self.assertEqual([done.err.count(text) for text in says], [1] * len(says), done.err)


class HostileNames(Comparing):
    def test_names(self):
        """Nothing in a name has an effect, and rows of such names are compared."""
        self.run_of("a", **{HOSTILE: 10})
        self.run_of("b", **{HOSTILE: 20})
        done = self.ok("compare", "a", "b", "-o", "c")
        self.assertNotIn("\x01", done.out)
        self.assertEqual([r["verdict"] for r in self.rows("c/tables/kernel-time.csv") if r["column"] == "total"], ["changed"])
