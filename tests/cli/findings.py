"""Findings and the rules that make them: what commands list, show, check, print and compare."""
import json

from harness import KINETO, SOURCE, Case

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
