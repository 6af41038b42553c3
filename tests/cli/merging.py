"""Traces of several ranks in one, cut steps, and texts for numbers."""
# SPDX-License-Identifier: MIT
import json
import subprocess

from harness import BUILD, Case


def slice_(name, pid, ts, dur, **more):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": pid, "tid": 7, "ts": ts, "dur": dur, **more}


class Merging(Case):
    def trace(self, name, *events, **members):
        self.write(name, json.dumps({**members, "traceEvents": list(events)}))

    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def lanes(self, *names, **more):
        return [(i.get("rank"), i["events"]) for i in self.json("info", "--json", *names, **more)["inputs"]]

    def two_ranks(self):
        """Rank 0 works for 60 of 100 us, rank 1 for 20 of them at other times.  Merging adds two rows to a process."""
        self.trace("a.json", slice_("k", 4, 0, 60), slice_("end", 4, 99, 1), distributedInfo={"rank": 0})
        self.trace("b.json", slice_("k", 4, 70, 19), slice_("begin", 4, 0, 1), slice_("end", 4, 100, 0),
                   distributedInfo={"rank": 1})
        self.ok("convert", "a.json", "b.json", "-o", "m.json")

    def test_ranks_are_lanes_again(self):
        self.two_ranks()
        self.assertEqual(self.lanes("m.json"), [(0, 4), (1, 5)])
        for metric in ("gpu_busy", "kernel_time"):
            self.assertEqual(self.ok("metric", metric, "m.json").out, self.ok("metric", metric, "a.json", "b.json").out)
        self.assertEqual([i["rank"] for i in self.read("m.json")["distributedInfoOfRanks"]], [0, 1])

    def test_one_of_the_ranks(self):
        self.two_ranks()
        self.ok("convert", "m.json", "-o", "r{rank}.json")
        self.assertEqual(self.lanes("r1.json"), [(1, 5)])
        self.assertEqual(self.read("r1.json")["distributedInfo"], {"rank": 1})
        self.ok("convert", "r0.json", "r1.json", "-o", "again.json")
        self.assertEqual(self.read("again.json"), self.read("m.json"))

    def test_merged_with_others(self):
        self.two_ranks()
        self.trace("c.json", slice_("k", 4, 5, 5, id=3, args={"correlation": 9}), distributedInfo={"rank": 2})
        self.ok("convert", "c.json", "m.json", "-o", "three.json")
        self.assertEqual(self.lanes("three.json"), [(2, 3), (0, 4), (1, 5)])

    def test_ids_count_from_what_they_were(self):
        for rank in range(2):
            self.trace(f"{rank}.json", slice_("k", 4, 5, 5, id=3, args={"correlation": 9}),
                       distributedInfo={"rank": rank})
        self.ok("convert", "0.json", "1.json", "-o", "m.json")
        event = self.read("m.json")["traceEvents"][3]
        self.assertEqual((event["id"], event["args"]["original id"], event["args"]["original correlation"]),
                         ((1 << 40) + 3, 3, 9))
        self.ok("convert", "m.json", "-o", "again.json")
        self.assertEqual(self.read("again.json"), self.read("m.json"))

    def test_a_pipe_is_one_lane(self):
        self.two_ranks()
        self.ok("convert", "-", "-o", "p.json", stdin=(self.folder / "m.json").read_bytes())
        self.assertEqual(self.read("p.json"), self.read("m.json"))

    def test_what_nobody_owns_is_of_the_first(self):
        self.two_ranks()
        merged = self.read("m.json")
        self.trace("m2.json", *merged["traceEvents"], slice_("x", 3, 5, 5), slice_("y", "text", 5, 5),
                   stagemill=merged["stagemill"])
        self.assertEqual(self.lanes("m2.json"), [(0, 6), (1, 5)])

    def test_a_member_that_is_not_ours(self):
        for value in ({}, [], "text", {"merged": 1}, {"merged": [1]}, {"merged": [{"rank": 0}]},
                      {"merged": [{"pids": [1]}]}, {"merged": [{"pids": [2, 1]}]}, {"merged": [{"pids": ["a", 2]}]},
                      {"merged": [{"pids": [-(1 << 63), (1 << 63) - 1]}]}, {"merged": [{"pids": [1, 9]}, {"pids": [9, 12]}]},
                      {"merged": [{"pids": [1, 9], "other_pids": [4, 4]}]}, {"merged": [{"pids": [1, 9]}, {"pids": [-4, -1]}]}):
            self.trace("t.json", slice_("k", 4, 0, 1), stagemill=value)
            self.assertEqual(self.lanes("t.json"), [(None, 1)], value)


def starts_in(events, steps):
    windows = [(e["ts"], e["ts"] + e["dur"]) for e in events
               if e["name"] in steps and e["cat"] == "user_annotation"]
    return lambda e: any(a <= e["ts"] < b for a, b in windows)


DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


def cut(events, steps):
    """What is of the steps, by another way than the program's: sets of all ids."""
    inside = starts_in(events, steps)
    launched = {e["args"]["correlation"] for e in events
                if e["ph"] == "X" and e.get("cat") not in DEVICE and "correlation" in e.get("args", {}) and inside(e)}
    flows = {(e["cat"], e["id"]) for e in events if e["ph"] == "s" and inside(e)}
    rows = {(e["pid"], e["tid"]) for e in events if e.get("cat") in DEVICE}
    kept = []
    for e in events:
        if e["ph"] == "M":
            keep = True
        elif e.get("cat") in DEVICE:
            keep = e["args"]["correlation"] in launched
        elif e.get("cat") == "gpu_user_annotation":
            keep = e["name"] in steps
        elif e["ph"] == "f":
            keep = (e["cat"], e["id"]) in flows and ((e["pid"], e["tid"]) in rows or inside(e))
        else:
            keep = inside(e)
        if keep:
            kept.append(e)
    return kept


class Steps(Case):
    def setUp(self):
        super().setUp()
        subprocess.run([str(BUILD / "tests/gen/kineto-gen"), "--events", "20000", "--ranks", "2", "-o",
                        str(self.folder / "g{rank}.json")], check=True)

    def events(self, name):
        return json.loads((self.folder / name).read_text())["traceEvents"]

    def test_work_of_a_step(self):
        for steps in ("1", "0,2-3"):
            names = {f"ProfilerStep#{n}" for n in (1,)} if steps == "1" else {f"ProfilerStep#{n}" for n in (0, 2, 3)}
            for layout in ([], ["-j", "3", "--max-memory", "64MiB"]):
                self.ok("convert", "g0.json", "--steps", steps, "-o", "cut.json", "-f", *layout)
                self.assertEqual(self.events("cut.json"), cut(self.events("g0.json"), names))

    def test_of_merged_ranks(self):
        """Ids count within a rank, also where one file holds both."""
        self.ok("convert", "g0.json", "g1.json", "--steps", "1", "-o", "cut.json")
        self.ok("convert", "g0.json", "g1.json", "-o", "all.json")
        self.ok("convert", "all.json", "--steps", "1", "-o", "late.json")
        self.assertEqual((self.folder / "late.json").read_bytes(), (self.folder / "cut.json").read_bytes())

    def test_a_step_that_is_nowhere(self):
        for output in ("cut.json", "-"):
            r = self.fails(3, "convert", "g0.json", "--steps", "1,90-99", "-o", output,
                           says=["no input has step 90-99", "the inputs have the steps 0-5"])
            self.assertEqual(r.out, "")
        self.assertFalse((self.folder / "cut.json").exists())

    def test_a_step_that_one_rank_lacks(self):
        document = json.loads((self.folder / "g1.json").read_text())
        document["traceEvents"] = [e for e in document["traceEvents"] if e["name"] != "ProfilerStep#5"]
        self.write("g1.json", json.dumps(document))
        r = self.ok("convert", "g0.json", "g1.json", "--steps", "4-5", "-o", "cut.json")
        self.assertIn("STEP-01", r.out)
        self.assertEqual(len([e for e in self.events("cut.json") if e["name"] == "ProfilerStep#4"]), 4)

    def test_tables_of_a_step(self):
        """The cut trace, and the cut of the profile, give the same numbers."""
        self.ok("convert", "g0.json", "--steps", "2", "-o", "cut.json")
        self.assertEqual(self.ok("run", "-p", "kernels", "cut.json", "-o", "a", "--steps", "2", "-q").status, 0)
        self.ok("run", "-p", "kernels", "g0.json", "-o", "b", "--steps", "2", "-q")
        tables = [(self.folder / where / "tables" / "kernel-time.csv").read_text() for where in "ab"]
        self.assertEqual(*tables)

    def test_ranks_and_counts_with_steps(self):
        self.ok("convert", "g0.json", "g1.json", "--steps", "2", "--ranks", "1", "--max-events", "5", "-o", "cut.json")
        self.assertEqual(len([e for e in self.events("cut.json") if e["ph"] != "M"]), 5)


class Aligning(Case):
    def setUp(self):
        super().setUp()
        subprocess.run([str(BUILD / "tests/gen/aiu-gen"), "--ranks", "2", "--skew-us", "40", "--collectives", "20", "-o",
                        str(self.folder / "g{rank}.json"), "--truth", str(self.folder / "truth")], check=True)

    def times(self, *more):
        self.ok("convert", "g0.json", "g1.json", "-o", "m.json", "-f", *more)
        events = json.loads((self.folder / "m.json").read_text())["traceEvents"]
        return [[e["ts"] for e in events if e["ph"] == "X" and e["pid"] // 10000000 == rank + 1] for rank in range(2)]

    def test_one_clock(self):
        """The second rank is off by what the generator says; the first one keeps its clock."""
        offset_us = json.loads((self.folder / "truth").read_text())["ranks"][1]["offset_ns"] / 1000
        before, after = self.times(), self.times("--align")
        self.assertEqual(after[0], before[0])
        self.assertGreater(abs(offset_us), 1)
        for b, a in zip(before[1], after[1]):
            self.assertAlmostEqual(b - a, offset_us, delta=0.7)

    def test_the_residual_is_said(self):
        line = r"(?m)^rank_sync_residual is [0-9]+ ns \(rms\), [0-9]+ ns \(max\)$"
        self.assertRegex(self.ok("convert", "g0.json", "g1.json", "--align", "-o", "m.json").out, line)
        self.assertRegex(self.ok("convert", "g0.json", "g1.json", "--align", "-o", "-").err, line)
        metrics = self.json("convert", "g0.json", "g1.json", "--align", "-o", "m.json", "-f", "--json")["metrics"]
        self.assertLess(metrics["rank_sync_residual.rms"], 500)
        self.assertIn("not known", self.ok("convert", "g0.json", "--align", "-o", "m.json", "-f").out)

    def test_with_other_cuts(self):
        self.ok("convert", "g0.json", "g1.json", "--align", "--sort", "--max-events", "100", "-o", "m.json")


class MergedEndings(Case):
    def test_what_is_written(self):
        self.write("t.json")
        for name in ("a.json", "a.json.gz", "a.json.zst", "a-{rank}.json"):
            self.ok("convert", "t.json", "-o", name)
        self.assertIn("viewers cannot open .zst", self.ok("convert", "t.json", "-o", "b.json.zst").out)
        self.assertNotIn("viewers", self.ok("convert", "t.json", "-o", "b.json.gz").out)
        self.assertNotIn(b"viewers", self.ok("convert", "t.json", "-o", "-").out.encode())

    def test_all_others(self):
        self.write("t.json")
        for name in ("a", "a.txt", "a.gz", "a.zst", "a.json.xz", "a.json.bz2", "a.pftrace", "json", "out.JSON", "a.json "):
            self.fails(2, "convert", "t.json", "-o", name, says=".json.zst")
            self.assertFalse((self.folder / name).exists())
