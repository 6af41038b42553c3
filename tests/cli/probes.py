"""Traces of probes: one trace in every layout gives the same tables, and these say what is known of it."""
import json
import subprocess
import sys

from harness import SOURCE, Case

GENERATOR = SOURCE / "tests" / "gen" / "probe-gen.py"
LAYOUTS = ("total", "unit", "divisor", "hip")
SCHEMAS = ("block_sched", "sched", "amd", "gmem_bytes", "tensorop_count", "dmat", "program_progress", "acc",
           "block_sched+gmem_bytes+tensorop_count")


class ProbeCase(Case):
    def generate(self, path, *more):
        """What must be found in it."""
        truth = self.folder / "truth.json"
        subprocess.run([sys.executable, GENERATOR, "-o", self.folder / path, "--truth", truth, *map(str, more)], check=True)
        return json.loads(truth.read_text())

    def tables(self, profile, path, *more):
        self.ok("run", "-p", profile, path, "-o", "out", "-f", "--format", "json", *more)
        tables = json.loads((self.folder / "out" / "summary.json").read_text())["tables"]
        return {table["name"]: table["rows"] for table in tables}


class Layouts(ProbeCase):
    def without_layout(self, tables):
        """All that tables say but for what a layout is."""
        for row in tables["dump-sections"]:
            self.assertIn(row.pop("layout"), ("total", "unit", "divisor"))
        return tables

    def test_one_trace_in_all_of_them(self):
        for schemas in SCHEMAS:
            found = {}
            for layout, toml in zip(LAYOUTS, ("older", "newer", "newer", "older")):
                self.generate(f"{layout}/result/1.bin", "--schemas", schemas, "--layout", layout, "--toml", toml,
                              "--grid", "4,3,2", "--block", "32,2,2", "--seed", 7)
                found[layout] = self.without_layout(self.tables("probe", f"{layout}/result/1.bin"))
            first = found["total"]
            self.assertGreater(sum(map(bool, first.values())), 2, schemas)
            for layout, tables in found.items():
                self.assertEqual(tables, first, f"{schemas}, {layout}")

    def test_a_size_that_is_not_known_and_offsets_of_whole_warps(self):
        for schemas, layout, block in (("dmat", "unknown", 96), ("gmem_bytes", "unknown", 96), ("block_sched+gmem_bytes", "shifted", 48)):
            more = ("--schemas", schemas, "--toml", "newer", "--block", f"{block},1,1")
            self.generate("right/1.bin", *more)
            self.generate("other/1.bin", *more, "--layout", layout)
            right, other = (self.without_layout(self.tables("probe", f"{name}/1.bin")) for name in ("right", "other"))
            self.assertEqual(right, other, schemas)


class Known(ProbeCase):
    """By the block and by the unit, which is how probe-dump has them read."""

    def both(self, profile, path):
        alone, together = self.tables(profile, path), self.tables("probe", path)
        for name, rows in alone.items():
            self.assertEqual(rows, together[name], name)
        return alone

    def test_schedules(self):
        for schema in ("block_sched", "sched"):
            truth = self.generate("a.bin", "--schemas", schema, "--toml", "newer", "--grid", "40,3,1", "--block", "128,1,1", "--sms", 5,
                                  "--slots", 3)[schema]
            row, = self.both("block-sched", "a.bin")["block-sched"]
            gaps = truth["gaps"]
            self.assertEqual([row[key] for key in ("blocks", "sms", "running", "scheduling", "gaps", "gap_min", "gap_max", "clock")],
                             [120, 5, truth["running"], sum(gaps), len(gaps), min(gaps), max(gaps),
                              "ns" if schema == "sched" else "cycles"])
            self.assertEqual(row["slots"], 15)
            warps, = self.both("warp-sched", "a.bin")["warp-sched"]
            self.assertEqual((warps["blocks"], warps["sms"], warps["slots"], warps["kind"]), (120, 5, 3, "shared"))

    def test_counts(self):
        truth = self.generate("a.bin", "--schemas", "gmem_bytes+tensorop_count", "--toml", "older", "--grid", "7,1,1", "--block", "33,1,1")
        tables = self.both("traffic", "a.bin")
        counts, operations = truth["gmem_bytes"], truth["tensorop_count"]
        total = counts["sync"] + counts["async"]
        row, = tables["gmem-bytes"]
        self.assertEqual((row["sync"], row["async"], row["total"], row["published"]),
                         (counts["sync"], counts["async"], total, f"gmem_bytes:{total}"))
        row, = tables["tensorop"]
        self.assertEqual((row["total"], row["threads"], row["active_threads"]),
                         (operations["total"], operations["threads"], operations["active"]))
        self.assertEqual(sum(row["bytes"] for row in tables["traffic-block"]), total)

    def test_accesses(self):
        for path, profile in (("a.bin", "access-map"), ("a.dmat", "access-map")):
            truth = self.generate(path, "--schemas", "dmat", "--toml", "newer", "--grid", "9,1,1")["dmat"]
            row, = self.both(profile, path)["access-map"]
            pairs = truth["pairs"]
            self.assertEqual((row["references"], row["pairs"], row["pages"], row["clocks"], row["max_clock"]),
                             (truth["references"], len(pairs), len({p for _, p, _ in pairs}), len({c for c, _, _ in pairs}),
                              max(c for c, _, _ in pairs)))

    def test_turns_and_branches(self):
        truth = self.generate("a.bin", "--schemas", "acc", "--toml", "newer", "--grid", "5,1,1", "--block", "96,1,1")["acc"]
        row, = self.both("warp-sched", "a.bin")["warp-tail"]
        self.assertEqual((row["turns"], row["warps"]), (truth["samples"], 15))
        truth = self.generate("b/b.bin", "--schemas", "program_progress", "--toml", "older", "--grid", "3,1,1")["program_progress"]
        row, = self.both("traffic", "b/b.bin")["progress"]
        self.assertEqual((row["samples"], row["per_thread_max"], row["capacity"]), (truth["samples"], 128, 128))
