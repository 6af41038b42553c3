"""Accelerator traces: FLEX's form and PyTorch's, and those that were processed already."""
# SPDX-License-Identifier: MIT
import gzip
import json
import re

from harness import AIU, KINETO, Case

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

    def test_begins_have_the_arguments_of_slices(self):
        """A text that is a number is one, too, where slices are written as pairs: 524,288 bytes in 9 us, twice each."""
        send = {"CollGroup": "H_1", "Peer": 1, "Type": "SingleCast", "bytes": "524288"}
        parts = [("S [sync=a] DmaO", 10, 5, send), ("R [sync=a] DmaI", 11, 9, {"CollGroup": "H_1", "Type": "WDone Barrier"})]
        for form in ("X", "B"):
            for rank, (name, ts, dur, args) in enumerate(parts):
                place = {"pid": rank, "tid": 1, "name": name}
                events = [{**place, "ph": "X", "ts": ts, "dur": dur, "args": args}] if form == "X" else \
                    [{**place, "ph": "B", "ts": ts, "args": args}, {**place, "ph": "E", "ts": ts + dur}]
                self.write(f"rank{rank}.json", document(*events, distributedInfo={"rank": rank}))
            self.ok("run", "-p", "aiu-comm", "rank0.json", "rank1.json", "-o", "out", "-f", "--format", "json")
            row = self.table("collectives")[0]
            self.assertEqual((row["bytes"], row["ranks"], row["end"] - row["begin"]), (524288, 2, 9000), form)
            self.assertEqual(self.table("links")[0]["bytes"], 524288, form)

    def test_a_trace_of_the_host_alone(self):
        """The names of its slices say whose it is, with the rank among the members or not; no device is in what is written."""
        names = ("PrepareAndSyncRdma", "Compute of add", "Flex RoundTrip", "AIU Roundtrip", "op")
        events = [{"ph": "X", "name": n, "pid": 100 + k % 2, "tid": 7, "ts": 10 * k + 1, "dur": 5} for k, n in enumerate(names)]
        events.append({"ph": "C", "name": "mem", "pid": 100, "ts": 3, "args": {"MiB": 1}})
        for members, rank in (({}, 100), ({"distributedInfo": {"rank": 3}}, 3)):
            self.write("host.json", document(*events, **members))
            (lane,) = self.json("info", "--json", "host.json")["inputs"]
            self.assertEqual((lane["dialect"], lane["rank"]), ("aiu", rank))
            out = self.ok("run", "-p", "aiu", "host.json", "-o", "out", "-f").out
            self.assertNotIn("warning", out)
            with gzip.open(self.folder / "out/trace.json.gz") as file:
                made = json.load(file)["traceEvents"]
            self.assertEqual({e["pid"] for e in made}, {1000 + rank})
            self.assertEqual({e["args"]["name"] for e in made if e["name"] == "process_name"}, {f"Host{rank}"})
            self.assertEqual([e["cat"] for e in made if e["ph"] == "X"], ["cpu_op"] * len(names))
            self.assertEqual(len({e["tid"] for e in made if e["ph"] == "X"}), 3)  # two processes, and the round trip

    def test_times_in_another_unit(self):
        """The notice says what to type, and then the trace is the same, read and written."""
        def written(unit, scale):
            events = [{**kernel(dict(zip(("TS1", "TS2", "TS3", "TS4", "TS5"), (s + n * 56000 for s in STAMPS))), 0),
                       "ts": (10 + n * 100) * scale, "dur": 2 * scale} for n in range(8)]
            self.write(f"{unit}.json", document(*events, {"ph": "i", "name": "e", "pid": 0, "tid": 1, "ts": 5 * scale, "s": "t"}))
            self.ok("convert", f"{unit}.json", "-o", "out.json", "-f", "--set", f"chrome-json.time-unit={unit}")
            return json.loads((self.folder / "out.json").read_text())["traceEvents"]

        plain = written("us", 1)
        self.assertEqual(plain[0], {**kernel({f"TS{n}": s for n, s in enumerate(STAMPS, 1)}), "ts": 10})
        self.assertEqual(written("ns", 1000), plain)
        self.assertEqual(written("ms", 0.001), plain)
        said = self.ok("run", "-p", "aiu", "ns.json", "-o", "out").out
        self.assertIn("times in ns.json seem to be in ns", said)
        (typed,) = re.findall(r"--set (chrome-json\.time-unit=\w+)", " ".join(said.split()))
        self.assertNotIn("FREQ-", self.ok("run", "-p", "aiu", "ns.json", "-o", "out", "-f", "--set", typed).out)
        self.fails(2, "convert", "ns.json", "-o", "x.json", "--set", "chrome-json.time-unit=s", says="time-unit")

    def test_the_unit_that_viewers_show(self):
        self.write("ms.json", document(kernel({}), displayTimeUnit="ms"))
        self.write("none.json", document(kernel({})))
        for name, unit, wanted in (("ms", "keep", "ms"), ("ms", "ns", "ns"), ("none", "keep", None), ("none", "ms", "ms")):
            self.ok("convert", f"{name}.json", "-o", "out.json", "-f", "--set", f"trace.time-unit={unit}")
            made = json.loads((self.folder / "out.json").read_text())
            self.assertEqual(made.get("displayTimeUnit"), wanted, (name, unit))
            self.assertEqual(made["traceEvents"][0]["ts"], 10)
        self.ok("convert", "ms.json", "none.json", "-o", "out.json", "-f", "--set", "trace.time-unit=ns")
        self.assertEqual((self.folder / "out.json").read_text().count("displayTimeUnit"), 1)

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
            self.assertIn("processed by the AIU trace analyser", r.out + r.err)
        alone = self.ok("convert", AIU / "rank0.json", "-o", "alone.json", "-f")
        self.assertNotIn("JSN-41", alone.out + alone.err)
        self.ok("convert", "done.json", "-o", "none.json", "-f")
        self.assertEqual(json.loads((self.folder / "none.json").read_text())["traceEvents"], [])
        self.ok("convert", "done.json", "-o", "all.json", "-f", "--set", "chrome-json.processed=true")
        self.assertEqual(len(json.loads((self.folder / "all.json").read_text())["traceEvents"]), 1)
        self.fails(3, "convert", "--strict", "done.json", "-o", "strict.json", "-f", says="JSN-41")

    def test_ranks_that_keep_their_numbers(self):
        """Merged and read again, each rank is a lane with the events that it had."""
        options = ("--set", "trace.pids=keep")
        self.ok("convert", AIU / "rank0.json", AIU / "rank1.json", "-o", "both.json", *options)
        both = json.loads((self.folder / "both.json").read_text())
        self.assertEqual({e["pid"] for e in both["traceEvents"]}, {0, 1})
        self.assertEqual([lane["kept_pids"] for lane in both["stagemill"]["merged"]], [[0, 1000], [1, 1001]])
        lanes = self.json("info", "--json", "both.json")["inputs"]
        self.assertEqual([(lane["rank"], lane["dialect"]) for lane in lanes], [(0, "aiu"), (1, "aiu")])
        self.ok("convert", "both.json", "-o", "again.json", *options)
        self.assertEqual((self.folder / "again.json").read_text(), (self.folder / "both.json").read_text())
        for rank in (0, 1):
            self.ok("convert", AIU / f"rank{rank}.json", "-o", f"own{rank}.json")
        self.ok("convert", "both.json", "-o", "part{rank}.json")
        for rank in (0, 1):
            own, part = (json.loads((self.folder / f"{name}{rank}.json").read_text())["traceEvents"] for name in ("own", "part"))
            self.assertEqual([e for e in part if e["ph"] == "X"], [e for e in own if e["ph"] == "X"])

    def test_torch_ranks_are_numbered_anew(self):
        words = [KINETO / "rank0.json", KINETO / "rank1.json"]
        self.ok("convert", *words, "-o", "a.json")
        self.ok("convert", *words, "-o", "b.json", "--set", "trace.pids=keep")
        self.assertEqual((self.folder / "a.json").read_bytes(), (self.folder / "b.json").read_bytes())

    def test_arguments_of_flex_are_args(self):
        event = {"ph": "X", "name": "a", "pid": 0, "tid": 1, "ts": 1, "dur": 2, "attr": {"TS1": "5", "x": 1}, "args": {"x": 2, "y": 3}}
        self.write("f.json", document(event))
        self.ok("convert", "f.json", "-o", "g.json")
        (written,) = json.loads((self.folder / "g.json").read_text())["traceEvents"]
        self.assertNotIn("attr", written)
        self.assertEqual(written["args"], {"TS1": "5", "x": 1, "y": 3})
        self.ok("convert", "g.json", "-o", "h.json")
        self.assertEqual((self.folder / "g.json").read_bytes(), (self.folder / "h.json").read_bytes())

    def test_ranks_without_collectives_are_no_warning(self):
        """Where one rank has some, the other should."""
        sync = {"TS1": "1", "CollGroup": "g", "Type": "WDone Barrier", "Peer": "0"}
        plain, group = kernel({}), {**kernel(sync, 20), "name": "SenRdmaRecv_1 [sync=a] DmaI"}
        for other, code in ((plain, "SYNC-07"), (group, "SYNC-01")):
            for rank, event in enumerate((plain, other)):
                self.write(f"r{rank}.json", document(event, distributedInfo={"rank": rank}))
            self.ok("run", "-p", "aiu", "r0.json", "r1.json", "-o", "out", "-f", "--format", "json")
            notices = json.loads((self.folder / "out/summary.json").read_text())["notices"]
            self.assertIn(code, {n["code"] for n in notices})
        self.assertEqual({n["code"] for n in notices if n["level"] == "warning" and "SYNC" in n["code"]}, {"SYNC-01"})

    def workers(self):
        folder = self.folder / "out/tensorboard"
        return {p.name: json.loads(gzip.decompress(p.read_bytes())) for p in sorted(folder.iterdir())}

    def test_a_trace_of_each_rank(self):
        """As many events as with one file for each rank, also where they came in one stream."""
        for profile in ("convert", "merged.json"):
            self.write("merged.json", json.dumps({"profile": 1, "name": "merged", "stages": [{"use": "time-order"}, {"use": "flow"}]}))
            name = profile if profile == "convert" else f"./{profile}"
            self.ok("run", "-p", name, *(AIU / f"rank{r}.json" for r in (0, 1, 2)), "-o", "out", "-f", "--format", "tensorboard")
            workers = self.workers()
            self.assertEqual(list(workers), [f"trace_worker_{r}.pt.trace.json.gz" for r in (0, 1, 2)])
            for rank, document in enumerate(workers.values()):
                own = json.loads((AIU / f"rank{rank}.json").read_text())
                slices = [e for e in document["traceEvents"] if e["ph"] == "X"]
                self.assertEqual(len(slices), sum(e["ph"] == "X" for e in own["traceEvents"]))
                self.assertEqual({e["pid"] for e in slices}, {rank})
                self.assertEqual(document["distributedInfo"]["rank"], rank)
                self.assertEqual(document["deviceProperties"][0]["id"], rank)

    def test_a_row_for_each_slice(self):
        self.ok("run", "-p", "convert", AIU / "rank0.json", AIU / "rank1.json", "-o", "out", "--format", "events")
        rows = (self.folder / "out/events.csv").read_bytes().split(b"\r\n")
        self.assertEqual(rows[0], b"rank,ts_ns,dur_ns,category,name,class,job,bytes,pt_active")
        slices = sum(e["ph"] == "X" for r in (0, 1) for e in json.loads((AIU / f"rank{r}.json").read_text())["traceEvents"])
        self.assertEqual(len(rows) - 2, slices)
        self.assertEqual(rows[1], b"0,1474999964286000,33928000,,PrepareAndSyncRdma,,,,".replace(b"964286000,33928000", b"964286,33928"))
