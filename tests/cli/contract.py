"""Modules of others: how they are named, found, asked for by version, and what the record says of them."""
# SPDX-License-Identifier: MIT
import hashlib
import json
import re

from harness import BUILD, Case

BREAKER = BUILD / "tests" / "cli" / "breaker"


def widest(text):
    return max(map(len, text.splitlines()))


class Contract(Case):
    def profile(self, how, **more):
        self.write("p.json", json.dumps({"profile": 1, "formats": ["text", "json"], "stages": [
            {"use": "test.breaker", "with": {"how": how}}], **more}))
        return "-p", "./p.json", "--stage-path", BREAKER

    # ---- codes

    def test_a_code_is_spelled_alike_everywhere(self):
        """What a failure prints, what a crash prints, and what explain knows."""
        self.write("a.json")
        failed = self.run_program("run", *self.profile("fail"), "a.json", "-o", "out").err
        crashed = self.run_program("run", *self.profile("abort"), "a.json", "-o", "out").err
        codes = {re.search(r"error\[(.*?)\]", said).group(1) for said in (failed, crashed)}
        self.assertEqual(len(codes), 1, (failed, crashed))
        code = codes.pop()
        self.assertTrue(code.startswith("test."), code)
        self.assertIn(f"[{code}]", self.ok("explain", code, "--stage-path", BREAKER).out)

    def test_hints_work_as_they_are(self):
        self.write("a.json")
        words = self.profile("none")
        said = self.fails(4, "run", *words, "a.json", "-o", "out", says="test.breaker").err
        self.write("p.json", '{"profile": 1, "stages": [{"use": "test.breaker", "with": {"hwo": "fail"}}]}')
        said = self.fails(4, "run", *words, "a.json", "-o", "out").err
        hint = re.search(r"stagemill (show .*?)    lists", said).group(1)
        self.assertIn("test.breaker", self.ok(*hint.replace("'", "").split()).out)

    # ---- explain, list

    def test_facts_are_explained(self):
        text = self.ok("explain", "order.lane").out
        for part in ("the longest first", "provided by: ", "needed by: ", "spoiled by: "):
            self.assertIn(part, text)
        for fact in self.json("list", "facts", "--json"):
            told = self.json("explain", fact["name"], "--json")
            self.assertEqual({key: told[key] for key in fact if key != "name"}, {k: v for k, v in fact.items() if k != "name"})
        self.assertIn("order.lane", self.ok("__complete", "explain", "order.").out)
        self.fails(2, "explain", "order.lan", says=['did you mean "order.lane"?', "stagemill list facts"])

    def test_rules_of_verify_are_explained(self):
        for word in ("false-order", "[false-order]"):
            self.assertIn("gave them out of order without spoils", self.ok("explain", word).out.replace("\n", " "))

    def test_facts_fit_the_screen(self):
        self.assertLessEqual(widest(self.ok("list", "facts").out), 80)

    # ---- finding

    def test_a_refused_module_hides_none_that_is_looked_at(self):
        self.write("bad/pair.so", "no module")
        shown = self.run_program("show", "pair", "--stage-path", "bad")
        self.assertIn("spoils", shown.out)
        self.assertEqual(shown.status, 5, shown.err)
        self.assertIn("error[STG-0", shown.err)
        self.assertEqual(self.run_program("show", "pair").err, "")

    def test_profiles_are_found_in_both_homes(self):
        def put(home, description):
            self.write(f"{home}/stagemill/profiles/mine.json", json.dumps(
                {"profile": 1, "description": description, "stages": [{"use": "kernel-time"}]}))
        homes = {"XDG_DATA_HOME": str(self.folder / "data"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        put("data", "Of the data home.")
        self.assertIn("Of the data home.", self.ok("show", "mine", **homes).out)
        put("config", "Of the config home.")
        self.assertIn("Of the config home.", self.ok("show", "mine", **homes).out)

    # ---- versions

    def test_a_version_is_asked_for(self):
        version = self.json("show", "test.breaker", "--json", "--stage-path", BREAKER)["version"]
        for wanted in (version, ">=0", ">=0,<99"):
            self.ok("validate", self.profile("log", modules={"test.breaker": wanted})[1], "--stage-path", BREAKER)
        self.profile("log", modules={"stage/test.breaker": ">=99"})
        said = self.fails(4, "validate", "./p.json", "--stage-path", BREAKER, says=["error[PRF-19]", ">=99", version]).err
        self.assertRegex(said, r"\./p\.json:1:\d+")
        self.write("a.json")
        self.fails(4, "run", "-p", "./p.json", "a.json", "--stage-path", BREAKER, "-o", "out", says="error[PRF-19]")
        self.write("child.json", json.dumps({"profile": 1, "inherits": "./p.json", "modules": {"stage/test.breaker": ">=0"}}))
        self.ok("validate", "./child.json", "--stage-path", BREAKER)

    def test_a_version_that_is_none(self):
        for wrong, says in (({"test.breaker": "newest"}, "asks for no version"), ({"test.breaker": 1}, "must be"),
                            ({"No Name": ">=1"}, "cannot be a name"), ({"nobody": ">=1"}, '"nobody"'), ([], '"modules"')):
            self.profile("log", modules=wrong)
            self.fails(4 if wrong != {"nobody": ">=1"} else 5, "validate", "./p.json", "--stage-path", BREAKER, says=says)

    def test_a_stage_that_is_off_has_any_version(self):
        self.write("p.json", json.dumps({"profile": 1, "modules": {"kernel-time": ">=99"}, "stages": [
            {"use": "kernel-time", "enabled": False}, {"use": "pair"}]}))
        self.ok("validate", "./p.json")

    # ---- the record

    def test_the_record_knows_the_file(self):
        self.write("a.json")
        self.ok("run", *self.profile("log"), "a.json", "-o", "out")
        file = BREAKER / "test.breaker.so"
        digest = "sha256:" + hashlib.sha256(file.read_bytes()).hexdigest()
        record = json.loads((self.folder / "out" / "run.json").read_text())
        stage = record["stages"][0]
        self.assertEqual((stage["path"], stage["hash"]), (str(file), digest))
        self.assertNotIn("path", record["inputs"][0]["source"])

    def test_the_record_counts_notices_by_lane(self):
        begin = '{"ph": "B", "name": "a", "ts": %d}'
        for rank, n in enumerate((1, 2)):
            self.write(f"rank{rank}.json", "[" + ", ".join(begin % t for t in range(n)) + "]")
        self.ok("run", "-p", "kernels", "rank0.json", "rank1.json", "-o", "out")
        notices = json.loads((self.folder / "out" / "run.json").read_text())["notices"]
        found = [n for n in notices if n["code"] == "PAIR-01" or "begin" in n["what"]]
        self.assertEqual([n["by_lane"] for n in found if n["count"] == 3],
                         [[{"lane": 0, "count": 1}, {"lane": 1, "count": 2}]], notices)
        self.assertIn("1 of rank0.json, 2 of rank1.json", found[0]["what"])
