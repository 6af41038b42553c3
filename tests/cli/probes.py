"""Traces of probes: one trace in every layout gives the same tables, and these say what is known of it."""
# SPDX-License-Identifier: MIT
import json
import shutil
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


class Waves(ProbeCase):
    """Records of schedules and turns, one for each 64 threads."""

    def test_every_layout(self):
        for schema in ("block_sched", "sched", "acc", "block_sched+gmem_bytes"):
            for layout in ("total", "unit", "divisor", "hip"):
                for toml in ("older", "newer"):
                    truth = self.generate("w/result/1.bin", "--schemas", schema, "--layout", layout, "--toml", toml, "--wave", 64,
                                          "--grid", "10,3,1", "--block", "128,1,1", "--sms", 5)
                    tables = self.tables("probe", "w/result/1.bin")
                    where = f"{schema}, {layout}, {toml}"
                    self.assertEqual([row["level"] for row in tables["dump-sections"]][0], 64, where)
                    if schema == "acc":
                        self.assertEqual((tables["warp-tail"][0]["turns"], tables["warp-tail"][0]["warps"]), (truth["acc"]["samples"], 60))
                        continue
                    row, truth = tables["block-sched"][0], truth[schema.split("+")[0]]
                    self.assertEqual([row[key] for key in ("blocks", "warps_per_block", "warp_width", "sms", "running", "scheduling")],
                                     [30, 2, 64, 5, truth["running"], truth["scheduling"]], where)

    def test_by_the_name_of_the_schema(self):
        for layout in ("total", "unit", "divisor", "hip"):
            truth = self.generate("w.bin", "--layout", layout, "--wave", 64, "--block", "256,1,1")["block_sched"]
            row, = self.tables("block-sched", "schema=block_sched:w.bin")["block-sched"]
            self.assertEqual((row["warp_width"], row["running"]), (64, truth["running"]), layout)


class UnwrittenWarps(ProbeCase):
    """Zeros where a warp did not come to its end."""

    def test_warps_and_blocks(self):
        self.generate("a.bin", "--toml", "newer", "--grid", "40,1,1", "--block", "64,1,1")
        whole = self.tables("probe", "a.bin")
        trace = bytearray((self.folder / "a.bin").read_bytes())
        for warp in (3, 20, 21):  # one of block 1, and the whole of block 10
            trace[48 + 16 * warp:64 + 16 * warp] = bytes(16)
        (self.folder / "a.bin").write_bytes(trace)
        out = self.ok("run", "-p", "probe", "a.bin", "-o", "out", "-f", "--format", "json")
        self.assertIn("3 warps have no record of when they ran", (out.out + out.err))
        self.assertNotIn("2^32", (out.out + out.err))
        tables = self.tables("probe", "a.bin")
        self.assertEqual([row["blocks"] for name in ("block-sched", "warp-sched") for row in tables[name]], [39, 39])
        self.assertLess(abs(tables["warp-sched"][0]["block_tail"] - whole["warp-sched"][0]["block_tail"]), 1)
        self.assertLess(tables["block-sched"][0]["scheduling"], 2 * whole["block-sched"][0]["scheduling"])

    def test_nothing_at_all(self):
        self.generate("a.bin", "--toml", "newer")
        trace = (self.folder / "a.bin").read_bytes()
        (self.folder / "a.bin").write_bytes(trace[:48].ljust(len(trace), b"\0"))
        out = self.ok("run", "-p", "probe", "a.bin", "-o", "out", "-f", "--format", "json")
        self.assertIn("16 warps have no record", (out.out + out.err))


class ProbeWords(ProbeCase):
    def test_capacity_that_was_counted_and_one_that_was_not(self):
        for schema, told in (("dmat", False), ("acc", True)):
            self.generate(f"{schema}/a.bin", "--schemas", schema, "--toml", "newer")
            for path in (f"{schema}/a.bin", f"schema={schema}:{schema}/a.bin"):
                out = self.ok("run", "-p", "probe", path, "-o", "out", "-f", "--format", "json")
                self.assertEqual("last record" in (out.out + out.err), told, path)

    def test_a_size_that_fits_nothing(self):
        self.generate("a.bin", "--toml", "newer", "--layout", "divisor")
        trace = (self.folder / "a.bin").read_bytes()
        (self.folder / "a.bin").write_bytes(trace[:-64])
        self.fails(3, "run", "-p", "probe", "a.bin", "-o", "out",
                     says=["PROBE-04", "section 0 says 16 bytes for each 32 threads, and has 192 bytes"])

    def test_a_second_schedule_and_an_sm_without_blocks(self):
        self.generate("a.bin", "--schemas", "block_sched+sched", "--toml", "newer")
        out = self.ok("run", "-p", "probe", "a.bin", "-o", "out", "-f", "--format", "json", "--set", "sm=99")
        for says in ("PROBE-27", "BSCHED-22", "WSCHED-20"):
            self.assertIn(says, out.out + out.err)
        tables = self.tables("probe", "a.bin")
        self.assertEqual([len(tables[name]) for name in ("block-sched", "warp-sched")], [1, 1])

    def test_turns_are_of_the_first_section_of_them(self):
        for path, schema in (("a.bin", "acc"), ("b.bin", "acc+acc")):
            self.generate(path, "--schemas", schema)
        rows = [self.tables("warp-sched", path)["warp-tail"] for path in ("schema=acc:a.bin", "schema=acc+acc:b.bin")]
        self.assertEqual([row["warps"] for row, in rows], [16, 16])
        out = self.ok("run", "-p", "warp-sched", "schema=acc+acc:b.bin", "-o", "out", "-f", "--format", "json")
        self.assertIn("PROBE-27", out.out + out.err)

    def test_nothing_was_written(self):
        for schema, profile in (("dmat", "access-map"), ("dmat", "coalescing"), ("acc", "warp-sched"), ("gmem_bytes", "traffic")):
            self.generate("a.bin", "--schemas", schema, "--toml", "newer")
            trace = (self.folder / "a.bin").read_bytes()
            (self.folder / "a.bin").write_bytes(trace[:48].ljust(len(trace), b"\0"))
            out = self.ok("run", "-p", profile, "a.bin", "-o", "out", "-f", "--format", "json")
            self.assertIn("1 section has nothing but zeros", out.out + out.err, profile)

    def test_several_records_of_a_warp_are_no_schedule(self):
        self.generate("a.bin", "--capacity", 2)
        self.fails(3, "run", "-p", "probe", "schema=block_sched:a.bin", "-o", "out", says="PROBE-08")


class KernelNames(ProbeCase):
    def slots(self, log):
        self.write("t/event.log", log)
        return {row["shown"] for row in self.tables("block-sched", "t/result/0.5.bin")["block-slots"]}

    def test_the_kernel_of_a_launch_is_in_the_log(self):
        self.generate("t/result/0.5.bin", "--toml", "newer", "--sms", 1)
        one = "[probe] finish 0x10 name copy<float, 4> n_param 3\n[jit] finish 0x20 name gemm n_param 1\n"
        for log, of in ((one + "[exec] funcmap-find 0x20 success\n[exec] save x/result/0.5.bin size 9\n", "SM 0 of gemm"),
                        (one + "[exec] funcmap-find 0x20 success\n[exec] save result/10.5.bin size 9\n"
                         "[exec] funcmap-find 0x10 success\n[exec] save 0.5.bin size 9", "SM 0 of copy<float, 4>"),
                        (one, "SM 0"), ("[exec] save 0.5.bin size 9\n", "SM 0"), ("[exec] funcmap-find", "SM 0"),
                        (f"[jit] finish 1 name {'k' * 99} n_param 3\n[exec] funcmap-find 1 success\n[exec] save 0.5.bin size 9\n",
                         f"SM 0 of {'k' * 60}...")):
            self.assertEqual(self.slots(log), {of}, log)


class ProbePictures(ProbeCase):
    def test_two_traces_have_a_panel_each(self):
        """Also the line that marks lie on, which is a figure of its own."""
        for name in "ab":
            self.generate(f"acc/{name}.bin", "--schemas", "acc", "--toml", "newer", "--grid", "5,1,1", "--seed", ord(name))
            self.generate(f"sched/{name}.bin", "--toml", "newer", "--seed", ord(name))
        for folder, name in (("acc", "warp-progress"), ("sched", "block-slots")):
            self.ok("run", "-p", "probe", f"{folder}/a.bin", f"{folder}/b.bin", "-o", "out", "-f", "--format", "plot", "--set", "plot.numbers=true")
            picture = json.loads((self.folder / "out" / "plots" / f"{name}.json").read_text())
            self.assertEqual([panel["title"] for panel in picture["panels"]], ["a", "b"])
            if folder == "acc":
                for panel in picture["panels"]:
                    self.assertEqual([len(one["x"]) > 1 for one in panel["series"]], [True, False, False, False])
            else:
                self.assertTrue(all(key["name"].startswith("SM ") for key in picture["legend"]))


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


class Strict(ProbeCase):
    def test_a_warning_is_status_3_beside_the_results(self):
        shutil.copytree(SOURCE / "samples/probe/kernel_overhead", self.folder / "runs")
        for log in (self.folder / "runs").glob("*/*/block_sched/**/process.log"):
            log.unlink()
        self.ok("run", "-p", "probe", "runs", "-o", "lax", "--format", "json")
        r = self.fails(3, "run", "-p", "probe", "runs", "-o", "strict", "--format", "json", "--strict", says="PRLOG-20")
        self.assertIn("the results were written", r.err)
        lax, strict = ((self.folder / name / "summary.json").read_text() for name in ("lax", "strict"))
        self.assertEqual(json.loads(lax)["tables"], json.loads(strict)["tables"])
        self.assertIn("with results written", self.ok("run", "--help").out)
