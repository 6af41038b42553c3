"""The account of events in run.json: each that was read is used, or left out for a reason."""
# SPDX-License-Identifier: MIT
import json

from harness import Case

TRACE = """{"traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},
{"ph":"X","cat":"kernel","name":"whole","pid":0,"tid":7,"ts":0,"dur":5,"args":{"stream":7}},
{"ph":"X","cat":"kernel","name":"no start","pid":0,"tid":7,"dur":5,"args":{"stream":7}},
{"ph":"X","cat":"kernel","name":"no end","pid":0,"tid":7,"ts":10,"args":{"stream":7}},
{"ph":"?","cat":"kernel","name":"no phase","pid":0,"tid":7,"ts":20,"dur":5,"args":{"stream":7}},
{"ph":"B","cat":"kernel","name":"pair","pid":0,"tid":7,"ts":30,"args":{"stream":7}},
{"ph":"E","name":"pair","pid":0,"tid":7,"ts":35},
{"ph":"B","cat":"kernel","name":"open","pid":0,"tid":7,"ts":40,"args":{"stream":7}}
]}"""


class Account(Case):
    def account(self, text, *words):
        self.write("t.json", text)
        self.ok("run", "-f", "-o", "out", "t.json", "--format", "json", *words)
        return json.loads((self.folder / "out/run.json").read_text())["events"]

    def test_each_event_is_used_or_left_out_for_a_reason(self):
        self.assertEqual(self.account(TRACE, "-p", "kernels"), {
            "read": 8, "made": 1, "used": 3,
            "left_out": {"stage": 2, "phase": 1, "no_time": 1, "no_duration": 1, "notice": 1, "failed": 0}})

    def test_any_kernel_that_is_missing_changes_it(self):
        lines = TRACE.splitlines()
        whole = self.account(TRACE, "-p", "kernels")
        for i in range(2, len(lines) - 2):
            self.assertNotEqual(self.account("\n".join(lines[:i] + lines[i + 1:]), "-p", "kernels"), whole, lines[i])

    def test_what_a_stage_takes_out_with_a_warning_is_its_own_reason(self):
        """Of the kernels one has a launch in the step, one in another step, and one has none that is known."""
        def slice_of(name, cat, tid, ts, dur, **args):
            return {"ph": "X", "name": name, "cat": cat, "pid": 0, "tid": tid, "ts": ts, "dur": dur, "args": args}
        def flow(ph, number, tid, ts):
            return {"ph": ph, "id": number, "name": "ac2g", "cat": "ac2g", "pid": 0, "tid": tid, "ts": ts, "bp": "e"}
        events = [slice_of("ProfilerStep#1", "user_annotation", 1, 0, 10), slice_of("ProfilerStep#2", "user_annotation", 1, 10, 10),
                  flow("s", 1, 1, 5), flow("s", 2, 1, 15), flow("f", 1, 7, 30), flow("f", 2, 7, 40)]
        kernels = [slice_of(name, "kernel", 7, ts, 5, stream=7) for name, ts in (("own", 30), ("other", 40), ("unknown", 50))]
        account = self.account(json.dumps({"traceEvents": events + kernels}), "-p", "torch", "--steps", "1")
        self.assertEqual(account["left_out"]["notice"], 1)

    def test_lanes_that_failed_are_left_out(self):
        self.write("bad.json", TRACE.replace("]}", ",{"))
        self.write("t.json", TRACE)
        self.fails(3, "run", "-p", "kernels", "-f", "-o", "out", "t.json", "bad.json", "--format", "json", "--keep-going")
        account = json.loads((self.folder / "out/run.json").read_text())["events"]
        self.assertEqual(account["used"], 3)
        self.assertEqual(account["read"] + account["made"], account["used"] + sum(account["left_out"].values()))
