"""Findings and the rules that make them: what commands list, show, check, print and compare."""
# SPDX-License-Identifier: MIT
import gzip
import json
import subprocess
import sys

from harness import HAS_PAGE, KINETO, SOURCE, Case

HEAD = "-- title: Kernels take time\n-- help: All of them.\n-- param: least = 5 [0, 100] Percent\n"
FINDING = HEAD + """SELECT 'kernels take ' || duration(sum(total_ns)) AS text, sum(total_ns) AS cost_ns, :least + 20 AS share,
  'look at them' AS advice, json_array(json_object('table', 'kernel-time', 'keys', json_object('name', max(name)))) AS evidence,
  'n' || count(*) AS where_kernel FROM "kernel-time"
"""
PROFILE = '{"profile": 1, "inherits": "kernels", "rules": ["./mine.sql"]}'


class Rules(Case):
    def test_list(self):
        names = {p.stem for p in (SOURCE / "rules").glob("*.sql")}
        listed = self.json("list", "rules", "--json")
        self.assertEqual([r["name"] for r in listed], sorted(names))
        self.assertEqual(set(listed[0]), {"name", "path", "origin", "title", "shadowed"})
        text = self.ok("list", "rules").out
        self.assertRegex(text, r"(?m)^name +found in +what it finds$")
        self.assertRegex(text, r"(?m)^straggler +environment +One rank is slower than the others$")

    def test_a_rule_beside_profiles_hides_another(self):
        self.write("more/straggler.sql", HEAD + "SELECT 1")
        both = [r for r in self.json("list", "rules", "--json", "--profile-path", "more") if r["name"] == "straggler"]
        self.assertEqual([(r["origin"], r["shadowed"]) for r in both], [("--profile-path", False), ("environment", True)])
        self.assertIn("Kernels take time", self.ok("show", "straggler", "--profile-path", "more").out)

    def test_a_rule_of_a_vendor_lies_in_rules_beside_its_profiles(self):
        self.write("vendor/rules/acme.sql", FINDING)
        self.write("vendor/profiles/acme.json", PROFILE.replace("./mine.sql", "acme"))
        lines = self.ok("show", "acme", "--json", "--profile-path", "vendor/profiles").out.splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([x["kind"] for x in found], ["profile", "rule"])
        self.assertEqual(found[0]["rules"], ["acme"])
        self.assertEqual(found[1]["profiles"], ["acme"])

    def test_show(self):
        text = " ".join(self.ok("show", "straggler").out.split())
        self.assertIn("straggler - One rank is slower than the others", text)
        self.assertIn("last Percent of the calls of a group in which it comes last (0 to 100; default 60)", text)
        self.assertRegex(text, "profiles [a-z, -]*torch")
        doc = self.json("show", "rule/straggler", "--json")
        self.assertIn({"name": "last", "default": 60, "min": 0, "max": 100,
                       "help": "Percent of the calls of a group in which it comes last"}, doc["params"])
        self.assertIn("torch", doc["profiles"])
        self.assertRegex(self.ok("show", "profile/torch").out, r"(?m)^  rules +straggler, ")
        self.fails(2, "show", "stragler", says='did you mean "straggler"')

    def test_show_a_file(self):
        self.write("mine.sql", FINDING)
        self.write("p.json", PROFILE)
        self.assertIn("none lists it", self.ok("show", "./mine.sql").out)
        listed = self.json("show", "./mine.sql", "--json", "--profile-path", ".")
        self.assertEqual((listed["name"], listed["profiles"]), ("mine", ["p"]))

    def test_completion(self):
        def offered(*words):
            return [line.split("\t")[0] for line in self.ok("__complete", *words).out.splitlines()]
        self.assertEqual(offered("list", "r"), ["rules"])
        self.assertEqual(offered("show", "rule/str"), ["rule/straggler"])
        self.assertEqual(offered("show", "no-tens"), ["no-tensor-cores"])
        self.assertEqual(offered("run", "--disable=straggl"), ["--disable=straggler"])

    def test_the_schema_of_profiles_knows_them(self):
        rules = self.json("schema", "profile")["properties"]["rules"]
        self.assertEqual((rules["type"], rules["items"]["type"]), ("array", "string"))

    def test_plan(self):
        args = ["-p", "torch", KINETO / "rank0.json", "--disable", "drift", "--set", "straggler.last=50"]
        text = self.ok("plan", *args).out
        self.assertIn("\nrules\n  straggler   (", text)
        self.assertIn("\n      straggler.last = 50   (--set)\n", text)
        self.assertIn("\n      straggler.compute = 5   (default)\n", text)
        self.assertIn("\n  drift, off   (", text)
        rules = {r["name"]: r for r in self.json("plan", *args, "--json")["rules"]}
        self.assertEqual((rules["drift"]["enabled"], rules["straggler"]["enabled"]), (False, True))
        self.assertEqual(rules["straggler"]["params"][0], {"name": "last", "value": 50, "origin": "--set"})

    def test_plan_says_what_is_wrong_with_a_rule(self):
        self.write("mine.sql", "SELECT 1")
        self.write("p.json", PROFILE)
        self.assertIn('not used: the head of the rule "mine" is wrong', self.ok("plan", "-p", "./p.json", KINETO / "rank0.json").out)


class ValidatedRules(Case):
    def test_all_of_ours(self):
        self.ok("validate", *sorted((SOURCE / "rules").glob("*.sql")))

    def test_a_file_of_the_current_folder(self):
        self.write("mine.sql", FINDING)
        self.assertEqual(self.ok("validate", "mine.sql", "./mine.sql").out, "mine.sql: valid\n./mine.sql: valid\n")
        self.fails(4, "validate", "other.sql", says=["PRF-22", "No such file"])

    def check(self, text, *says):
        self.write("mine.sql", text)
        return self.fails(4, "validate", "mine.sql", says=["mine.sql", *says])

    def test_heads(self):
        self.check("SELECT 1", "PRF-21", "mine.sql:1", "-- title:")
        for param, why in (("x", "has no name"), ("X = 1 [0, 1]", "has no name"), ("x = a [0, 1]", "needs a value and a range"),
                           ("x = 1", "needs a value and a range"), ("x = 2 [0, 1]", "not in its range"),
                           ("x = 1 [2, 0]", "not in its range"), ("least = 1 [0, 1]", "one name")):
            self.check(f"{HEAD}-- param: {param}\nSELECT 1", "PRF-21", "mine.sql:4", why)

    def test_the_place_and_the_word_at_fault(self):
        self.check(FINDING.replace('"kernel-time"\n', '"kernel-tim"\n'), "RUN-95", "line 6, column 41: kernel-tim", 'did you mean "kernel-time"')
        self.check(FINDING.replace("total_ns", "totl_ns"), "RUN-95", 'did you mean "total_ns"')
        self.check(FINDING.replace("SELECT", "SELEC"), "RUN-95", "line 4, column 1: SELEC")

    def test_what_reads_no_tables(self):
        for text, word in (("ATTACH 'x' AS y", "ATTACH"), ("SELECT 1; DELETE FROM x", "DELETE"), ("SELECT load_extension('x')", "load_extension"),
                           ("PRAGMA page_size", "PRAGMA"), ("SELECT random()", "random"), ("", "SELECT")):
            self.check(HEAD + text, "error[RUN-9", word)

    def test_columns_and_parameters(self):
        self.check(FINDING.replace("cost_ns", "cost_n"), "PRF-24", 'no column "cost_n"', 'did you mean "cost_ns"')
        self.check(FINDING.replace("AS advice", "AS where_to"), "PRF-24", 'the SELECT has no column "advice"')
        self.check(FINDING.replace(":least", ":lest"), "PRF-24", 'declares no parameter "lest"')

    def test_as_json(self):
        self.write("mine.sql", HEAD + "SELECT 1 FROM x")
        doc = json.loads(self.run_program("validate", "mine.sql", SOURCE / "rules" / "sync.sql", "--json").out)
        self.assertEqual([d["valid"] for d in doc], [False, True])
        self.assertEqual(doc[0]["errors"][0]["at"], ["./mine.sql, line 4, column 15: x"])


class Findings(Case):
    """`metric --findings`, and what is kept of them in results."""

    def setUp(self):
        super().setUp()
        self.write("mine.sql", FINDING)
        self.write("p.json", PROFILE)
        self.input = KINETO / "rank0.json"

    def test_one_a_line(self):
        out = self.ok("metric", "--findings", "-p", "./p.json", self.input).out
        self.assertRegex(out, r"^mine\tcritical\tkernels take [0-9.]+ [mu]s\n$")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["mine.sql", "p.json"])

    def test_json_is_that_of_the_summary(self):
        found = self.json("metric", "--findings", "-p", "./p.json", self.input, "--json")
        self.ok("run", "-p", "./p.json", self.input, "-o", "out", "--format", "json")
        self.assertEqual(found, json.loads((self.folder / "out" / "summary.json").read_text())["findings"])
        self.assertEqual(set(found[0]), {"name", "text", "severity", "cost_ns", "share", "where", "evidence", "advice"})
        self.assertEqual((found[0]["name"], found[0]["share"], found[0]["advice"]), ("mine", 25, "look at them"))
        self.assertEqual(self.json("metric", "--findings", "out", "--json"), found)
        self.assertEqual(self.ok("metric", "--findings", "out").out, self.ok("metric", "--findings", "-p", "./p.json", self.input).out)

    def test_a_summary_alone(self):
        self.ok("run", "-p", "./p.json", self.input, "-o", "out", "--format", "json")
        text = (self.folder / "out" / "summary.json").read_bytes()
        wanted = self.ok("metric", "--findings", "out").out
        self.assertIn("kernels take", wanted)
        for name, data in (("summary.json", text), ("old-summary.json", text), ("summary.json.gz", gzip.compress(text))):
            (self.folder / name).write_bytes(data)
            self.assertEqual(self.ok("metric", "--findings", name).out, wanted)
        self.ok("compare", "out", "summary.json.gz")
        (self.folder / "cut-summary.json.gz").write_bytes(gzip.compress(text)[:-20])
        self.fails(3, "metric", "--findings", "cut-summary.json.gz", says=["RUN-30", "cut-summary.json.gz cannot be read"])
        (self.folder / "cut-summary.json").write_bytes(text[:-20])
        self.fails(3, "metric", "--findings", "cut-summary.json", says=["RUN-31", "cut-summary.json:"])
        self.write("summary.json", '{"elsewhere": 1}')
        self.fails(3, "metric", "--findings", "summary.json", says="RUN-")

    def test_none(self):
        for args in (["-p", "kernels", self.input], ["-p", "./p.json", self.input, "--disable", "mine"], ["-p", "./p.json", "--set", "mine.least=0", self.input]):
            less = "mine.least=0" in args
            self.assertEqual(self.ok("metric", "--findings", *args).out.count("\n"), 1 if less else 0)
            self.assertEqual(len(self.json("metric", "--findings", *args, "--json")), 1 if less else 0)

    def test_without_a_profile_the_one_that_fits_best(self):
        self.assertEqual(self.json("metric", "--findings", self.input, "--json"), [])

    def test_inputs_of_the_profile(self):
        self.write("own.json", PROFILE.replace("}", f', "inputs": ["{self.input}"]}}'))
        self.assertIn("mine\tcritical", self.ok("metric", "--findings", "-p", "./own.json").out)
        self.fails(2, "metric", "--findings", says="an input is needed")
        self.fails(2, "metric", "--findings", "-p", "./p.json", says="an input is needed")

    def test_options_that_do_not_go_with_it(self):
        for option in ("--list", "--rank=0", "--by=rank"):
            self.fails(2, "metric", "--findings", option, self.input, says="exclude each other")

    def test_a_fault_is_a_warning_with_its_place(self):
        self.write("mine.sql", FINDING.replace("total_ns", "totl_ns"))
        r = self.ok("metric", "--findings", "-p", "./p.json", self.input, "--json")
        self.assertEqual(json.loads(r.out), [])
        self.assertIn("RUN-36", r.err)
        self.assertIn("mine.sql, line 4", r.err)

    def test_a_metric_runs_no_rules(self):
        self.write("mine.sql", FINDING.replace("total_ns", "totl_ns"))
        self.assertNotIn("RUN-36", self.ok("metric", "kernel_names", "-p", "./p.json", self.input).err)

    def test_report_keeps_findings_and_runs_no_rule(self):
        self.ok("run", "-p", "./p.json", self.input, "-o", "out", "--format", "json")
        kept = json.loads((self.folder / "out" / "summary.json").read_text())["findings"]
        self.write("mine.sql", "this is no SQL")
        self.ok("report", "out", "--format", "json,text", "-o", "again")
        self.assertEqual(json.loads((self.folder / "again" / "summary.json").read_text())["findings"], kept)
        self.assertIn("kernels take", (self.folder / "again" / "summary.txt").read_text())
        self.assertIn("kernels take", self.ok("out").out)

    def test_report_has_the_bytes_of_the_run(self):
        formats = ["json", "text", "markdown", *(["html"] if HAS_PAGE else [])]
        self.ok("run", "-p", "torch", KINETO, "-o", "out", "--format", ",".join(formats))
        doc = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertRegex(doc["verdict"], r"^the devices work for|^a step takes")
        self.assertEqual(doc["views"], ["torch-classes", "torch-kernels", "torch-products"])
        rules = json.loads((self.folder / "out" / "run.json").read_text())["profile"]["rules"]
        self.assertIn("straggler", rules)
        self.ok("report", "out", "--format", ",".join(formats), "-o", "again")
        for name in ("summary.json", "summary.txt", "summary.md", *(["report.html"] if HAS_PAGE else [])):
            self.assertEqual((self.folder / "again" / name).read_bytes(), (self.folder / "out" / name).read_bytes(), name)


class FindingsCompared(Case):
    def side(self, name, share, kernel="a", rule="mine"):
        """Results with one finding; share None: with none."""
        self.write(f"{rule}.sql", HEAD + f"SELECT 'it takes {share}' AS text, {'NULL' if share is None else share} AS share, 'do it' AS advice, "
                   f"json_array(json_object('table', 'kernel-time', 'keys', json_object())) AS evidence, '{kernel}' AS where_kernel")
        self.write("p.json", PROFILE.replace("mine", rule).replace('"profile": 1', '"profile": 1, "name": "p"'))
        self.ok("run", "-p", "./p.json", KINETO / "rank0.json", "-o", name, "--format", "json")

    def changes(self, *args):
        doc = self.json("compare", *args, "--json")
        tables = {t["name"]: t["rows"] for t in doc["tables"]}
        rows = [(r["finding"], r["where"], r["base_percent"], r["new_percent"], r["what"]) for r in tables.get("findings-changes", [])]
        return rows, [r["finding"] for r in tables["findings"] if r["finding"].startswith("finding ")]

    def test_came_went_grew(self):
        self.side("none", None)
        self.side("small", 10)
        self.side("large", 30.25)
        self.side("other", 10, kernel="b")
        self.assertEqual(self.changes("none", "small"), ([("mine", "kernel a", None, 10, "came")], ["finding mine (kernel a) came: 10.0 %"]))
        self.assertEqual(self.changes("small", "none"), ([("mine", "kernel a", 10, None, "went")], ["finding mine (kernel a) went: was 10.0 %"]))
        self.assertEqual(self.changes("small", "large"),
                         ([("mine", "kernel a", 10, 30.25, "grew")], ["finding mine (kernel a) grew: from 10.0 % to 30.2 %"]))
        self.assertEqual(self.changes("large", "small")[0][0][4], "shrank")
        self.assertEqual(self.changes("small", "small"), ([], []))
        self.assertEqual(self.changes("small", "small", "--all")[0][0][4], "same")
        self.assertEqual([row[1:] for row in self.changes("small", "other")[0]], [("kernel a", 10, None, "went"), ("kernel b", None, 10, "came")])
        self.assertIn("finding mine (kernel a) came: 10.0 %", self.ok("compare", "none", "small").out)

    def test_several_sides(self):
        self.side("none", None)
        self.side("small", 10)
        self.side("large", 30)
        doc = self.json("compare", "none", "small", "large", "--json")
        rows = next(t["rows"] for t in doc["tables"] if t["name"] == "findings-changes")
        self.assertEqual([(r["side"], r["new_percent"], r["what"]) for r in rows], [("small", 10, "came"), ("large", 30, "came")])

    def gate(self, *rules):
        self.write("gate.json", json.dumps({"schema_version": "1", "rules": list(rules)}))
        return "gate.json"

    def test_gate(self):
        self.side("none", None, rule="straggler")
        self.side("small", 10, rule="straggler")
        self.side("large", 30, rule="straggler")
        gate = self.gate({"finding": "straggler", "max_share": 10})
        for new in ("none", "small"):
            self.assertIn("neutral", self.ok("check", "none", new, "--rules", gate).out)
        r = self.fails(1, "check", "none", "large", "--rules", gate, "-o", "out",
                       says=["the rule for finding straggler is broken", "kernel a", "30 % is above max 10 %"])
        self.assertIn("finding straggler (kernel a)", r.out)
        line = json.loads((self.folder / "out" / "check.json").read_text())["rules"][0]
        self.assertEqual((line["metric"], line["verdict"], line["unit"], line["base"], line["new"]), ("finding straggler", "regression", "percent", 0, 30))
        self.assertEqual(line["rule"], {"finding": "straggler", "max_share": 10})
        for name, document in (("check", "out/check.json"), ("rules", "gate.json")):
            self.write(f"{name}.schema.json", self.ok("schema", name).out)
            done = subprocess.run([sys.executable, SOURCE / "tests" / "schema" / "validate.py", self.folder / f"{name}.schema.json",
                                   self.folder / document], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.ok("validate", "./gate.json")

    def test_wrong_gates(self):
        self.side("none", None)
        for rule, code, says in (({"finding": "stragler", "max_share": 1}, "PRF-33", 'did you mean "straggler"'),
                                 ({"finding": "straggler"}, "PRF-32", 'has no "max_share"'),
                                 ({"max_share": 1, "metric": "kernel_time", "max": 1}, "PRF-32", '"max_share" needs a "finding"'),
                                 ({"finding": "straggler", "max_share": -1}, "PRF-32", "a percentage"),
                                 ({"finding": "straggler", "max_share": "10%"}, "PRF-32", "a percentage"),
                                 ({"finding": "", "max_share": 1}, "PRF-32", "the name of a rule"),
                                 ({"finding": "straggler", "max_share": 1, "max": 2}, "PRF-32", 'no use for "max"'),
                                 ({"max": 1}, "PRF-32", 'neither "metric" nor "finding"')):
            gate = self.gate(rule)
            self.fails(4, "validate", "./gate.json", says=[code, says, "gate.json:1:"])
            self.fails(4, "check", "none", "none", "--rules", gate, says=[code, says])

    def test_a_finding_that_no_rule_makes_any_more_can_be_judged(self):
        self.side("old", 30, rule="gone")
        gate = self.gate({"finding": "gone", "max_share": 10})
        self.fails(1, "check", "old", "old", "--rules", gate, says="finding gone")
