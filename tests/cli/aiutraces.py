"""Accelerator traces: FLEX's form and PyTorch's, and those that were processed already."""
import gzip
import json

from harness import AIU, Case

STAMPS = [1000, 1100, 1200, 2320, 2400]


def kernel(args, ts=10):
    return {"ph": "X", "name": "k Cmpt Exec", "cat": "kernel", "pid": 0, "tid": 1, "ts": ts, "dur": 2, "args": args}


def document(*events, **members):
    return json.dumps({**members, "traceEvents": list(events)})


class AiuTraces(Case):
    def ovc(self, *words):
        self.ok("run", "-p", "aiu", *words, "-o", "out", "-f", "--format", "json")
        return self.table("ovc")

    def table(self, name):
        summary = json.loads((self.folder / "out/summary.json").read_text())
        return next(t["rows"] for t in summary["tables"] if t["name"] == name)

    def test_stamps_in_every_form_are_the_same(self):
        names = [f"TS{i}" for i in range(1, 6)]
        forms = {"numbers": dict(zip(names, STAMPS)), "texts": dict(zip(names, map(str, STAMPS))),
                 "hex": dict(zip(names, map(hex, STAMPS))), "list": {"cycles_ts": STAMPS}}
        for form, args in forms.items():
            self.write(f"{form}.json", document(kernel(args)))
            (row,) = self.ovc(f"{form}.json")
            self.assertEqual((row["events"], row["unmatched"]), (1, 0), form)

    def test_a_torch_document_with_stamps(self):
        self.write("t.json", document(kernel({"cycles_ts": STAMPS, "charge": 5}), deviceProperties=[{"id": 0}]))
        (lane,) = self.json("info", "--json", "t.json")["inputs"]
        self.assertEqual(lane["dialect"], "kineto")
        self.assertEqual(self.ovc("t.json")[0]["events"], 1)

    def test_what_was_processed_is_left_out(self):
        mark = {"Application": "Acelyzer: Trace Post-Processing Tool", "Settings": {}}
        self.write("done.json", document(kernel({"TS1": "1"}), otherData=mark))
        (self.folder / "done.json.gz").write_bytes(gzip.compress((self.folder / "done.json").read_bytes()))
        for name in ("done.json", "done.json.gz"):
            r = self.ok("run", "-p", "convert", AIU / "rank0.json", name, "-o", "out", "-f", "--format", "json")
            self.assertIn("JSN-41", r.out + r.err)
            self.assertIn("processed by the AIU trace analyzer", r.out + r.err)
        alone = self.ok("convert", AIU / "rank0.json", "-o", "alone.json", "-f")
        self.assertNotIn("JSN-41", alone.out + alone.err)
        self.ok("convert", "done.json", "-o", "none.json", "-f")
        self.assertEqual(json.loads((self.folder / "none.json").read_text())["traceEvents"], [])
        self.ok("convert", "done.json", "-o", "all.json", "-f", "--set", "chrome-json.processed=true")
        self.assertEqual(len(json.loads((self.folder / "all.json").read_text())["traceEvents"]), 1)
        self.fails(3, "convert", "--strict", "done.json", "-o", "strict.json", "-f", says="JSN-41")
