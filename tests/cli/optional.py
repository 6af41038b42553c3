"""Stages that a profile calls optional."""
# SPDX-License-Identifier: MIT
import json

from harness import AIU, KINETO, SOURCE, Case, needs_page

STAGES = ["pair", "ovc", "rank-sync", "overlap", "kernel-time", "flow"]
TRACES = {"host.json": '[{"ph":"X","name":"a","pid":0,"tid":1,"ts":1,"dur":3}]', "none.json": "[]",
          "empty.json": '{"traceEvents":[]}'}


class Optional(Case):
    def profile(self, optional=True, stages=STAGES):
        entries = [{"use": use, **({"optional": True} if optional else {})} for use in stages]
        return self.write("mine.json", json.dumps({"profile": 1, "name": "mine", "stages": entries}))

    def entries(self, folder):
        return {e["id"]: e for e in json.loads((self.folder / folder / "run.json").read_text())["profile"]["stages"]}

    @needs_page
    def test_it_runs_on_every_trace(self):
        self.profile()
        for name, text in TRACES.items():
            self.write(name, text)
        for path in [*TRACES, KINETO / "rank0.json"]:
            r = self.ok("run", "-p", "./mine.json", path, "-f", "-o", "out", "--strict")
            self.assertNotIn("warning", r.out + r.err)
            entry = self.entries("out")["ovc"]
            self.assertEqual((entry["optional"], entry["enabled"], entry["lacks"]), (True, True, "clock.cycles"))
            ran = [s["id"] for s in json.loads((self.folder / "out" / "run.json").read_text())["stages"]]
            self.assertNotIn("ovc", ran)
            self.assertIn("kernel-time", ran)
        self.profile(optional=False)
        self.fails(4, "run", "-p", "./mine.json", "host.json", "-o", "no", says="does not fit this input")

    def test_it_is_used_where_an_input_has_the_facts(self):
        self.profile()
        self.ok("run", "-p", "./mine.json", AIU / "rank0.json", KINETO / "rank0.json", "-o", "out")
        self.assertNotIn("lacks", self.entries("out")["ovc"])
        self.assertTrue((self.folder / "out" / "tables" / "ovc.csv").exists())

    def test_plan_says_what_is_left_out(self):
        self.profile()
        text = self.ok("plan", "-p", "./mine.json", KINETO / "rank0.json").out
        self.assertIn("left out: no input has clock.cycles", text)
        plan = self.json("plan", "-p", "./mine.json", KINETO / "rank0.json", "--json")
        ovc = next(s for s in plan["stages"] if s["id"] == "ovc")
        self.assertEqual((ovc["optional"], ovc["used"], ovc["lacks"]), (True, False, "clock.cycles"))
        self.assertNotIn("lacks", next(s for s in plan["stages"] if s["id"] == "pair"))

    def test_what_needs_its_facts_is_an_error_that_says_so(self):
        self.write("mine.json", json.dumps({"profile": 1, "name": "mine", "stages": [
            {"use": "pair", "optional": True}, {"use": "overlap"}]}))
        log = SOURCE / "samples" / "moe" / "gates_logs_run0"
        self.fails(4, "run", "-p", "./mine.json", log, "-o", "out",
                   says=['stage "overlap" needs the fact slices', '"pair" provides it, but is left out because no input has events'])
