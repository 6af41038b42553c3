"""Gate logs: which folder counts, what is skipped or refused, and the object of token_to_expert_assignment."""
# SPDX-License-Identifier: MIT
import gzip
import json
import math

from results import MetricCase, gate_log

OBJECT = "token_to_expert_assignment"
LOG = gate_log([[1.0, 2.0, 3.0, 2.0], [3.0, 2.0, 1.0, 2.0], [0.0, 0.0, 4.0, 4.0]])
TOTALS = [4.0, 4.0, 8.0, 8.0]
OTHER = gate_log([[1, 1]])


def balance(totals):
    """The definitions of the measures, once more."""
    total, n = sum(totals), len(totals)
    mean = total / n
    entropy = -sum(t / total * math.log2(t / total) for t in totals if t)
    return {"entropy": entropy, "normalized_entropy": entropy / math.log2(n) if n > 1 else 0,
            "coefficient_of_variation": math.sqrt(sum((t - mean) ** 2 for t in totals) / n) / mean,
            "max_min_ratio": max(totals) / min(t for t in totals if t), "total_tokens": float(total), "num_experts": n}


def zstd(text):
    """A frame of blocks that are not compressed."""
    parts = [text[i:i + 1000].encode() for i in range(0, len(text), 1000)]
    blocks = [(len(p) << 3 | (p is parts[-1])).to_bytes(3, "little") + p for p in parts]
    return b"\x28\xb5\x2f\xfd\x00\x58" + b"".join(blocks)


class GateCase(MetricCase):
    def log(self, text, path="t/gates_logs_0/gate_logs_0.json"):
        self.write(path, text)

    def totals(self, *words, warns=None):
        r = self.ok("metric", OBJECT, *(words or ["t"]))
        self.assertRegex(r.err, warns or r"^$")
        return json.loads(r.out)["totals"]


class WhichFolder(GateCase):
    def test_a_log_that_cannot_be_read(self):
        self.log(LOG)
        self.log(OTHER, "t/gates_logs_0/gate_logs_1.json")
        (self.folder / "t/gates_logs_0/gate_logs_1.json").chmod(0)
        r = self.run_without_rights("metric", OBJECT, "t")
        self.assertEqual((r.status, r.out), (3, ""))
        self.assertIn("gate_logs_1.json", r.err)
        self.assertIn("--recover", r.err)
        r = self.run_without_rights("metric", OBJECT, "t", "--recover")
        self.assertEqual(r.status, 0, r.err)
        self.assertIn("GATE-13", r.err)
        self.assertEqual(json.loads(r.out)["totals"], TOTALS)

    def test_the_folder_itself(self):
        self.log(LOG)
        self.log(OTHER, "t/baseline_gates_logs/gates_logs_0/gate_logs_0.json")
        self.assertEqual(self.totals(), TOTALS)

    def test_a_folder_of_one_run(self):
        self.log(LOG)
        self.assertEqual(self.totals("t/gates_logs_0"), TOTALS)
        self.log(LOG, "plain/gate_logs_3.json")
        self.assertEqual(self.totals("plain"), TOTALS)

    def test_a_stray_file_is_no_folder(self):
        self.write("t/gates_logs_x", "stray")
        self.refused(3, OBJECT, "t", says="help:")
        self.log(LOG, "t/a_gates_logs/gates_logs_0/gate_logs_0.json")
        self.assertEqual(self.totals(), TOTALS)
        self.log(OTHER)
        self.assertEqual(self.totals(), [1.0, 1.0])

    def test_the_first_by_name_below(self):
        for name in ("gates_logs", "default_all2all_gates_logs", "b_gates_logs_old"):
            self.log(OTHER, f"t/{name}/gates_logs_0/gate_logs_0.json")
        self.log(LOG, "t/a_gates_logs/gates_logs_0/gate_logs_0.json")
        self.assertEqual(self.totals(), TOTALS)

    def test_each_layout_alone(self):
        for name in ("baseline_gates_logs", "gates_logs", "my_gates_logs_2", "default_all2all_gates_logs"):
            self.log(LOG, f"{name}-t/{name}/gates_logs_0/gate_logs_0.json")
            self.assertEqual(self.totals(f"{name}-t"), TOTALS)

    def test_nothing_to_read(self):
        self.refused(3, OBJECT, "nowhere", says=['there is no file "nowhere"', "help:"])
        self.write("file", "hello")
        self.refused(3, OBJECT, "file", says="no source here can read the format of ")
        (self.folder / "empty").mkdir()
        self.refused(3, OBJECT, "empty", says='no files in the folder "empty"')
        self.log(LOG, "names/gates_logs_0/gate_log_0.json")
        self.log(LOG, "names/gates_logs_0/gate_logs_0.txt")
        self.log(LOG, "names/gates_logs_0/deeper/gate_logs_0.json")
        self.refused(3, OBJECT, "names", says=["there is no gate log that could be used", "\n  names/gates_logs_0\n",
                                               "no file is named gate_logs_*.json",
                                               "help: a run leaves gates_logs_RUN/gate_logs_LAYER.json"])


class Reading(GateCase):
    def test_runs_layers_and_steps_are_added(self):
        self.log(LOG)
        self.log(gate_log([[8, 0]]), "t/gates_logs_1/gate_logs_0.json")
        self.log(gate_log([[0, 0, 0, 0, 5]]), "t/gates_logs_1/gate_logs_10.json")
        self.write("t/gates_logs_2", "stray")
        doc = json.loads(self.value(OBJECT, "t"))
        self.assertEqual(doc["totals"], [12.0, 4.0, 8.0, 8.0, 5.0])
        self.assertEqual((doc["summary"]["total_steps"], doc["summary"]["num_experts"]), (5, 5))
        self.assertEqual(self.value("expert_balance", "t", "--by", "file"), "gates_logs_0\t0.75\ngates_logs_1\t0.35")
        self.assertEqual(self.value("expert_balance.pooled", "t", "--by", "file"), "gates_logs_0\t0.75\ngates_logs_1\t0.325")
        self.assertEqual(self.value("expert_worst_layer", "t", "--by", "file"), "gates_logs_0\t0\ngates_logs_1\t10")

    def test_damaged_logs_are_skipped_and_counted(self):
        damaged = (("cut short", LOG[:-60]), ("no JSON", "{nope"), ("empty", ""), ("two values", LOG + LOG),
                   ("UTF-16", LOG.encode("utf-16")),
                   ("bad UTF-8", b'{"a": "\xff",' + LOG[1:].encode()))
        for what, text in damaged:
            with self.subTest(what):
                self.log(LOG)
                self.log(text, "t/gates_logs_0/gate_logs_1.json")
                self.assertEqual(self.totals(warns=r"^warning\[GATE-\d+\]: 1 gate log of gates_logs_0 is cut short or damaged\n"
                                                   r"  effect: .*gate_logs_1\.json"), TOTALS)
                self.log(text)
                self.refused(3, OBJECT, "t", says=["there is no gate log that could be used", "2 cut short or damaged, the first is",
                                                   "t/gates_logs_0/gate_logs_0.json", "help: add --recover"])

    def test_compressed_logs(self):
        for packed, ending in ((gzip.compress(LOG.encode()), "gz"), (zstd(LOG), "zst")):
            with self.subTest(ending):
                self.log(packed, f"{ending}/gates_logs_0/gate_logs_7.json.{ending}")
                self.log(packed, f"{ending}/gates_logs_0/gate_logs_12.json.{ending}")
                for path in (ending, f"{ending}/gates_logs_0"):
                    self.assertEqual(self.totals(path), [8.0, 8.0, 16.0, 16.0])
                self.assertEqual(self.totals(f"{ending}/gates_logs_0/gate_logs_7.json.{ending}"), TOTALS)
                self.ok("run", "-p", "moe-load", ending, "-o", f"{ending}.out")
                rows = (self.folder / f"{ending}.out/tables/expert-balance.csv").read_text().splitlines()
                self.assertEqual([row.split(",")[0] for row in rows[1:]], ["7", "12", "all"])

    def test_a_compressed_copy_counts_once(self):
        self.log(LOG)
        self.log(gzip.compress(LOG.encode()), "t/gates_logs_0/gate_logs_0.json.gz")
        self.assertEqual(self.totals(warns=r"^warning\[GATE-14\]: 1 compressed gate log of gates_logs_0 .*\n"
                                           r"  effect: .*copies; the first is gate_logs_0\.json\.gz\n"), TOTALS)

    def test_compressed_logs_that_break_off(self):
        """As those of plain text do: skipped, refused when alone, their complete rows on demand."""
        long = gate_log([[n * 7919 % 9973, n * 31 % 97] for n in range(4000)])
        for packed, ending in ((gzip.compress(long.encode()), "gz"), (zstd(long), "zst")):
            path, cut = f"t/gates_logs_0/gate_logs_1.json.{ending}", packed[:-len(packed) // 9]
            breaks = (("in the middle", cut), ("in its trailer" if ending == "gz" else "before its end", packed[:-3]))
            for what, text in breaks:
                with self.subTest(f"{ending} {what}"):
                    self.log(LOG)
                    self.log(text, path)
                    self.assertEqual(self.totals(warns=r"^warning\[GATE-08\]: 1 gate log of gates_logs_0 is cut short or damaged\n"
                                                       rf"  effect: .*gate_logs_1\.json\.{ending}: .*data ends too early"), TOTALS)
                    (self.folder / "t/gates_logs_0/gate_logs_0.json").unlink()
                    for name in ("t", path):
                        self.refused(3, OBJECT, name, says=["there is no gate log that could be used", "1 cut short or damaged",
                                                            "data ends too early", "help: add --recover"])
                        r = self.ok("metric", OBJECT, "--recover", name)
                        self.assertGreater(json.loads(r.out)["summary"]["total_steps"], 1000)
                        self.assertIn("its complete rows are used", r.err)
                    (self.folder / path).unlink()
        self.log(LOG)
        self.log(gzip.compress(LOG.encode())[:-8] + bytes(8), "t/gates_logs_0/gate_logs_1.json.gz")
        self.assertEqual(self.totals(warns=r"gate_logs_1\.json\.gz: the gzip data is corrupt"), TOTALS)

    def test_other_files_are_skipped_and_counted(self):
        for text in ('{"step": [1]}', "[1]", "7", "null", '"expert_loads"'):
            with self.subTest(text):
                self.log(LOG)
                self.log(text, "t/gates_logs_0/gate_logs_1.json")
                self.assertEqual(self.totals(warns=r"^warning\[GATE-\d+\]: 1 file of gates_logs_0 has no expert_loads\n"), TOTALS)
                self.log(text)
                self.refused(3, OBJECT, "t", says=["there is no gate log that could be used", "2 without expert_loads"])

    def test_recover_keeps_complete_rows(self):
        self.log(LOG)
        cut = LOG[:LOG.rindex("4.0") - 1]
        self.log(cut, "t/gates_logs_0/gate_logs_1.json")
        warns = r"^warning\[GATE-\d+\]: 1 gate log of .* is cut short or damaged\n  effect: its complete rows are used"
        self.assertEqual(self.totals("t", "--recover", warns=warns), [8.0, 8.0, 12.0, 12.0])
        self.log(cut)
        self.log(cut, "t/gates_logs_0/gate_logs_1.json")
        r = self.ok("metric", OBJECT, "t", "--recover")
        self.assertEqual((json.loads(r.out)["totals"], json.loads(r.out)["summary"]["total_steps"]), ([8.0] * 4, 4))

    def test_what_is_no_count(self):
        for value in ("null", '"2"', "NaN", "-1.0", "Infinity", "-Infinity", "true", "[1]", "{}", "1e400"):
            self.log('{"step": [0, 1],\n "num_tokens": [4, 4],\n "expert_loads": [[1, 2],\n  [1.0, %s]]}' % value)
            with self.subTest(value):
                for name in (OBJECT, "expert_balance"):
                    self.refused(3, name, "t", says=["something that is not a count", "why:", "help: correct the value",
                                                       "\n  t/gates_logs_0/gate_logs_0.json:4:9\n"])
                self.refused(3, OBJECT, "t", "--recover", says="t/gates_logs_0/gate_logs_0.json:4:9")
        self.log('{"step": [0],\n "num_tokens": [null],\n "expert_loads": [[1, 2]]}')
        self.refused(3, "expert_balance", "t", says="\n  t/gates_logs_0/gate_logs_0.json:2:17\n")

    def test_rows(self):
        self.log(gate_log([[1, 1], [2, 0, 2], [], None, [4]]))
        doc = json.loads(self.value(OBJECT, "t"))
        self.assertEqual(doc["totals"], [7.0, 1.0, 2.0])
        self.assertEqual((doc["summary"]["total_steps"], doc["summary"]["num_experts"]), (3, 3))
        self.log(gate_log([[0, 0], [0, 0.0]]))
        for name in (OBJECT, "expert_balance", "expert_max_mean"):
            self.refused(3, name, "t", says=[f"the metric {name} does not apply", "no load above zero"])
        self.log(gate_log([[], None]))
        self.refused(3, OBJECT, "t", says=["does not apply", "no gate log with a row of loads"])
        for text, place in (('{"expert_loads": [[1],\n 5]}', "2:2"), ('{"expert_loads": ["a"]}', "1:19"), ('{"expert_loads": {}}', "1:18")):
            self.log(text)
            self.refused(3, OBJECT, "t", says=["something that is not a count", f"t/gates_logs_0/gate_logs_0.json:{place}\n"])

    def test_forms_of_a_log(self):
        for what, text in (("one line", LOG.replace("\n", "")), ("a byte order mark", b"\xef\xbb\xbf" + LOG.encode()),
                           ("carriage returns", LOG.replace("\n", "\r\n")), ("other keys", LOG[:-1] + ', "rank": {"a": [null]}}'),
                           ("loads alone", gate_log([[4, 4, 8, 8]], step=..., num_tokens=...)),
                           ("exponents", gate_log([[4, 4, 8, 8]]).replace("8", "0.8e1"))):
            with self.subTest(what):
                self.log(text)
                self.assertEqual(self.ok("metric", OBJECT, "t").out.count("8.0"), 2)
        self.log('{"expert_loads": [[9, 9]],' + LOG[1:])
        self.assertEqual(self.totals(warns=r"is duplicated\n  effect: the last counts"), TOTALS)


class Numbers(GateCase):
    def check(self, rows, totals, steps):
        self.log(gate_log(rows))
        doc = json.loads(self.value(OBJECT, "t"))
        self.assertEqual(list(doc), ["schema_version", "totals", "normalized", "summary"])
        self.assertEqual(list(doc["summary"]), ["entropy", "normalized_entropy", "coefficient_of_variation", "max_min_ratio",
                                                "total_tokens", "num_experts", "total_steps"])
        self.assertEqual(doc["totals"], totals)
        for got, wanted in zip(doc["normalized"], [t / sum(totals) for t in totals], strict=True):
            self.assertAlmostEqual(got, wanted, places=15)
        for key, wanted in balance(totals).items():
            with self.subTest(key):
                self.assertAlmostEqual(doc["summary"][key], wanted, places=12)
        self.assertEqual(doc["summary"]["total_steps"], steps)
        return doc["summary"]

    def test_by_hand(self):
        s = self.check([[1, 2, 3, 2], [3, 2, 1, 2], [0, 0, 4, 4]], TOTALS, 3)
        self.assertAlmostEqual(s["entropy"], math.log2(3) + 1 / 3, places=14)
        self.assertAlmostEqual(s["coefficient_of_variation"], 1 / 3, places=14)
        self.assertEqual((s["max_min_ratio"], s["total_tokens"]), (2.0, 24.0))
        self.assertEqual(self.value("expert_balance", "t"), "0.75")
        self.assertAlmostEqual(self.number("expert_max_mean", "t"), 4 / 3, places=14)

    def test_even_uneven_and_dead(self):
        s = self.check([[5, 5, 5, 5]], [5.0] * 4, 1)
        self.assertEqual((s["entropy"], s["normalized_entropy"], s["coefficient_of_variation"], s["max_min_ratio"]), (2, 1, 0, 1))
        s = self.check([[0, 6, 0, 2], [0, 0, 0, 0]], [0.0, 6.0, 0.0, 2.0], 2)
        self.assertEqual(s["max_min_ratio"], 3.0)
        self.check([[0.5, 0.25], [1.5, 3.75]], [2.0, 4.0], 2)
        self.check([[1e15, 1, 7]], [1e15, 1.0, 7.0], 1)

    def test_one_expert(self):
        s = self.check([[4], [4]], [8.0], 2)
        self.assertEqual(s["max_min_ratio"], 1.0)
        text = self.value(OBJECT, "t")
        self.assertIn('"entropy": -0.0,', text)
        self.assertIn('"normalized_entropy": 0,', text)

    def test_as_it_is_printed(self):
        self.log(gate_log([[8000, 0]]))
        wanted = json.dumps({"schema_version": "1.0", "totals": [8000.0, 0.0], "normalized": [1.0, 0.0], "summary": {
            "entropy": -0.0, "normalized_entropy": -0.0, "coefficient_of_variation": 1.0, "max_min_ratio": 1.0, "total_tokens": 8000.0,
            "num_experts": 2, "total_steps": 1}}, indent=2)
        self.assertEqual(self.value(OBJECT, "t"), wanted)
        self.assertEqual(self.value(OBJECT, "t", "--json"), wanted)
