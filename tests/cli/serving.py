"""The metrics of serving results: what is printed, and what is refused where and why."""
# SPDX-License-Identifier: MIT
import gzip
import json
import math

from harness import needs_page
from results import CARD, MetricCase, detailed, result, with_value

PLAIN = ("TTFT", "TPOT")
ALL = PLAIN + ("request_throughput", "output_throughput", "token_to_expert_assignment", "communicationOverhead")


class Places(MetricCase):
    def results(self, *inputs):
        """All files of a run but run.json, which says what was typed."""
        self.ok("run", "-p", "serving", *inputs, "-f", "-o", "out", "--format", "text,csv,json,html")
        files = [path for path in (self.folder / "out").rglob("*") if path.is_file() and path.name != "run.json"]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

    def same(self, a, b):
        self.assertEqual([name for name in sorted({*a, *b}) if a.get(name) != b.get(name)], [])

    @needs_page
    def test_results_do_not_depend_on_folders(self):
        self.write_run(result(), result(mean_ttft_ms=30.5), folder="a/b/tree/one")
        self.write_run(detailed(), folder="a/b/tree/two", card="workload: [\n")
        self.write_run(result(), folder="a/b/tree/three", card=None)
        first = self.results("a/b/tree")
        self.assertIn("out/report.html", first)
        self.same(self.results("./a/b/../b/tree/"), first)
        self.same(self.results(self.folder / "a/b/tree"), first)
        (self.folder / "a/b").rename(self.folder / "moved")
        self.same(self.results("moved/tree"), first)
        alone = self.results("moved/tree/one")
        self.same(self.results("moved/tree/../tree/one"), alone)


class OneConfigurationEach(MetricCase):
    """c8/run0.json and the like: the tree, its folders and its files name the same runs."""

    def setUp(self):
        super().setUp()
        for load in (8, 16):
            for run in (0, 1):
                self.write(f"loads/c{load}/run{run}.json", result(request_throughput=load + run / 2, duration=...))
        self.write("loads/README.md", "what was measured")

    def test_runs_by_folder(self):
        for words in (["loads"], ["loads/"], ["loads/c8", "loads/c16"], ["loads/*/*.json"], ["loads/c*"]):
            self.assertEqual(self.value("request_throughput", *words, "--by", "run"), "c8\t8.25\nc16\t16.25")
            self.assertEqual(self.value("request_throughput", *words, "--by", "file"), "run0.json\t12.0\nrun1.json\t12.5")

    def test_labels(self):
        for old, new in (("loads/c8", "loads/c16"), ("loads/c8/*.json", "loads/c16/*.json")):
            for tag in ("label", "implementation"):
                self.assertEqual(self.value("request_throughput", f"old={old}", f"new={new}", "--by", tag), "new\t16.25\nold\t8.25")

    def test_names_of_files_in_run_folders(self):
        """As where the run folder is named."""
        self.write("exp[vllmEP4_8_2048]/results_json/a.json", result())
        for tag, value in (("run", "exp[vllmEP4_8_2048]"), ("max_num_seqs", "8"), ("implementation", "DefaultAll2All")):
            for word in ("exp[[]vllmEP4_8_2048]", "exp*/results_json/a.json"):
                self.assertEqual(self.value("request_throughput", word, "--by", tag), f"{value}\t0.4")

    def test_what_the_result_says_wins_over_names(self):
        self.write("exp[a_8_2048]/a.json", result(max_num_seqs=64))
        self.assertEqual(self.value("request_throughput", "exp*/a.json", "--by", "max_num_seqs"), "64\t0.4")

    def test_a_folder_of_traces_is_read_flat(self):
        self.write("traces/a/t.json")
        self.fails(3, "run", "-p", "kernels", "traces", says="RUN-92")


class Names(MetricCase):
    def test_unknown_names(self):
        self.write_run(result())
        for name in ("Latenz", "ttFT", "Ttft", "tpoT", "Request_Throughput", "communicationoverhead", "TTFT_", "", "."):
            with self.subTest(name):
                self.refused(2, name, "run", says=[f'unknown metric "{name}"', "usage: stagemill metric", "stagemill list metrics"])
        self.refused(2, "TTF", "run", says='did you mean "TTFT"?')
        self.refused(2, "goodpt", "run", says='did you mean "goodput"?')

    def test_capitals_tell_two_metrics_apart(self):
        self.write_run(result(), result(mean_ttft_ms=30.5, completed=12))
        self.assertEqual(self.value("TTFT", "run"), "20.5")
        self.assertEqual(self.value("ttft", "run"), "25.5")

    def test_a_name_and_an_input_are_needed(self):
        self.fails(2, "metric", says="a name and an input are needed")
        for name in ALL:
            self.refused(2, name, says=["a name and an input are needed", "usage:"])

    def test_missing_inputs(self):
        self.write("there.csv", "")
        for name in ALL[:-1] + ("ttft", "goodput"):
            self.refused(3, name, "nowhere", says=['there is no file "nowhere"', "help:"])
        self.refused(3, "TTFT", "no/such", says=['there is no file "no/such"', 'the folder "no" does not exist'])
        self.refused(3, "communicationOverhead", "off=a.csv", "on=there.csv", says='there is no file "a.csv"')
        self.refused(3, "communicationOverhead", "off=there.csv", "on=b.csv", says='there is no file "b.csv"')

    def test_numbers_of_inputs(self):
        self.write_run(result())
        self.write_run(result(), folder="other")
        for name in PLAIN + ("token_to_expert_assignment",):
            self.refused(2, name, "run", "other", says="takes exactly one input")
        for inputs in (["run"], ["run", "other"], ["off=run", "other"], ["off=run", "off=other"], ["a=run", "b=other"],
                       ["off=run", "on=other", "on=other"]):
            self.refused(2, "communicationOverhead", *inputs, says="takes exactly two inputs: off=PATH on=PATH")
        self.assertEqual(self.value("ttft", "run", "other"), "10.5")
        self.assertEqual(self.value("request_throughput", "run", "other"), "0.4")

    def test_the_plain_means_are_of_one_run_folder(self):
        self.write_run(result(), folder="tree/a")
        self.write_run(result(), folder="tree/b")
        for name in PLAIN:
            self.refused(3, name, "tree", says=[f"{name} metric takes one run folder", "there are a/card.yaml and b/card.yaml"])
        self.assertEqual(self.value("ttft", "tree"), "10.5")
        (self.folder / "tree/b").rename(self.folder / "tree/c")
        (self.folder / "tree/d").mkdir()
        (self.folder / "tree/c").rename(self.folder / "tree/d/a")
        self.refused(3, "TTFT", "tree", says="there are a/card.yaml and d/a/card.yaml")

    def test_inputs_of_another_kind(self):
        self.write_run(result())
        self.write("t.json")
        self.write("notes.txt", "hello\n")
        self.refused(3, "token_to_expert_assignment", "run", says=["does not apply", "format gate-log"])
        self.refused(3, "expert_balance", "run", says=["does not apply", "format gate-log"])
        self.refused(3, "communicationOverhead", "off=run", "on=run", says=["does not apply", "format nsys-csv"])
        for name in ("TTFT", "ttft", "request_throughput", "goodput"):
            self.refused(3, name, "t.json", says=["does not apply", "format bench-json"])
            self.refused(3, name, "notes.txt", says="no source here can read the format of ")

    def test_statistics(self):
        self.write_run(result())
        for name, help_text in (("request_throughput.p50", "one of mean,pooled,sum,min,max,std,n"), ("ttft.pooled", "p*"),
                                ("ttft.p101", "p*"), ("ttft.p-1", "p*"), ("ttft.p50x", 'did you mean "p50"?'), ("ttft.", "p*")):
            self.refused(2, name, "run", says=["has no statistic", help_text])
        for name in PLAIN:
            self.refused(2, name + ".mean", "run", says="has no statistics")


class BadResults(MetricCase):
    def test_values_that_are_no_numbers(self):
        for value in ("null", '"10.5"', '""', "NaN", "-1.5", "-1e-300", "Infinity", "-Infinity", "true", "[1]", "{}", "1e400"):
            text, place = with_value("mean_ttft_ms", value)
            self.write_run(result(), text)
            for name in ("TTFT", "ttft"):
                with self.subTest(f"{name} {value}"):
                    self.refused(3, name, "run", says=['"mean_ttft_ms" needs a number that is not negative',
                                                       f"run/results_json/1.json:{place}\n", f"found {value}", "help: correct"])

    def test_every_number_that_is_read(self):
        for key, name in (("mean_tpot_ms", "TPOT"), ("request_throughput", "request_throughput"), ("duration", "request_throughput"),
                          ("output_throughput", "output_throughput"), ("completed", "ttft"), ("p99_ttft_ms", "ttft.p99")):
            for value in ("null", '"1"', "NaN", "-2", "Infinity"):
                with self.subTest(f"{key} {value}"):
                    text, place = with_value(key, value)
                    self.write_run(text)
                    self.refused(3, name, "run", says=[f'"{key}" needs', f"run/results_json/0.json:{place}", f"found {value}"])

    def test_values_in_lists_of_requests(self):
        for key, name in (("ttfts", "ttft"), ("itls", "itl")):
            for value in ("null", "NaN", "-0.1", '"x"'):
                with self.subTest(f"{key} {value}"):
                    text = detailed().replace("0.2" if key == "ttfts" else "0.03", value, 1)
                    self.write_run(text)
                    line = next(i for i, row in enumerate(text.splitlines(), 1) if value == row.strip(" ,]"))
                    self.refused(3, name, "run", says=[f"run/results_json/0.json:{line}:", f"found {value}"])
        self.write_run(detailed().replace(' "output_lens": [\n', ' "output_lens": [\n  3,\n'))
        self.refused(3, "ttft", "run", says=["have different lengths", "why:  6 values and 7", "run/results_json/0.json:70:2"])

    def test_values_that_are_odd_and_right(self):
        for value, printed in (("0", "0.0"), ("-0.0", "0.0"), ("1e5", "100000.0"), ("1e308", "1e+308"),
                               ("12345678901234567890", "1.2345678901234567e+19")):
            self.write_run(with_value("mean_ttft_ms", value)[0])
            self.assertEqual(self.value("TTFT", "run"), printed)

    def test_what_is_no_result(self):
        rows = (("empty", "", ["run/results_json/1.json is empty", "help:"]),
                ("blank", " \n", ["the input is empty", "run/results_json/1.json:"]),
                ("a word in a small object", '{"backend":"vllm","duration":x}', ["is not valid JSON", "run/results_json/1.json:1:30\n"]),
                ("an object that breaks off", '{"mean', ["the result ends too early", "run/results_json/1.json:1:7\n"]),
                ("a list that breaks off", "[1, 2", ["the result ends too early", "run/results_json/1.json:1:6\n"]),
                ("a list with a fault", "[1,\n 2,]", ["is not valid JSON", "run/results_json/1.json:2:4\n"]),
                ("a text", "hello", ["is not valid JSON", "run/results_json/1.json:1:1\n"]),
                ("a result and a list", result() + "\n[1]", ["no result of a known benchmark", "run/results_json/1.json:12:1\n"]),
                ("two commas", result().replace(",", ",,", 1), ["run/results_json/1.json:"]),
                ("a word", with_value("mean_ttft_ms", "x")[0], ["run/results_json/1.json:"]),
                ("leading zero", with_value("mean_ttft_ms", "01")[0],
                 ["is not valid JSON", "run/results_json/1.json:" + with_value("mean_ttft_ms", "01")[1]]),
                ("cut short", result()[:-12], ["the result ends too early", "run/results_json/1.json:", "repeat the benchmark"]),
                ("two results, one cut", result() + "\n" + result()[:-12], ["the result ends too early", "run/results_json/1.json"]),
                ("text behind", result() + "\nend", ["is not valid JSON", "run/results_json/1.json:12:1\n"]),
                ("UTF-16", result().encode("utf-16"), ["run/results_json/1.json:1:1"]))
        for what, text, says in rows:
            self.write_run(result(), text)
            for name in ("TTFT", "ttft", "request_throughput"):
                with self.subTest(f"{name}: {what}"):
                    self.refused(3, name, "run", says=says)
        self.write_run(result(), result()[:-12])
        self.refused(3, "TTFT", "run", "--recover", says="ends too early")

    def test_companions_are_passed_by(self):
        warns = (r"^warning\[BENCH-25\]: {} of a benchmark, first 1\.json\n"
                 r"  effect: {} skipped\n$")
        one = warns.format("1 file among results is not a result", "it is")
        for text in ("[1, 2]", "[]", "42", "null", '"x"', "{}", '\n {"a": 1}', '{"traceEvents": [{"ph": "X"}]}', '{"a": 1}\n{"b": 2}\n'):
            self.write_run(result(), text, result(mean_ttft_ms=31.5, request_throughput=0.41))
            for name, printed in (("TTFT", "21.0\n"), ("ttft", "21.0\n"), ("request_throughput", "0.405\n")):
                with self.subTest(f"{name}: {text}"):
                    r = self.ok("metric", name, "run")
                    self.assertEqual(r.out, printed)
                    self.assertRegex(r.err, one)
        self.write_run(result(), "[1]", "[2]", "{}")
        r = self.ok("metric", "ttft", "run", "--by", "file")
        self.assertEqual(r.out, "0.json\t10.5\n")
        self.assertRegex(r.err, warns.format("3 files among results are not results", "they are"))

    def test_companions_make_no_rows(self):
        self.write_run(detailed(), detailed())
        self.ok("run", "-p", "serving", "run", "--set", "by=file", "-o", "alone")
        self.write("run/results_json/2.json", "[1]")
        self.ok("run", "-p", "serving", "run", "--set", "by=file", "-o", "beside")
        tables = sorted(p.name for p in (self.folder / "alone/tables").iterdir())
        self.assertGreater(len(tables), 5)
        for name in tables:
            self.assertEqual((self.folder / "beside/tables" / name).read_text(), (self.folder / "alone/tables" / name).read_text(), name)

    def test_nothing_but_companions(self):
        self.write_run("[1]", '{"a": 1}')
        for name in PLAIN + ("request_throughput", "output_throughput", "ttft", "goodput"):
            self.refused(3, name, "run", says=["does not apply", "2 files among results are not results", "first 0.json"])
            self.refused(3, name, "run", "--by", "file", says="does not apply") if name not in PLAIN else None
        for path in ("run/results_json/0.json", "run/results_json/1.json"):
            self.refused(3, "ttft", path, says=f"no source here can read the format of {path}")

    def test_what_is_passed_by(self):
        self.write_run(result(), result(mean_ttft_ms=..., mean_tpot_ms=...), result(completed=0, mean_ttft_ms=0.0, mean_tpot_ms=0.0))
        self.write("run/results_json/0.pytorch.json", '[{"benchmark": {}}]')
        self.write("run/results_json/readme.md", "hello")
        self.write("run/results_json/deeper/3.json", result(mean_ttft_ms=1000.0))
        for name, printed in (("TTFT", "10.5\n"), ("TPOT", "2.5\n"), ("ttft", "10.5\n")):
            r = self.ok("metric", name, "run")
            self.assertEqual(r.out, printed)
            self.assertRegex(r.err, r"^warning\[LAT-\d+\]: 1 run lacks a latency that others have\n")

    def test_nothing_measured(self):
        zero = dict(completed=0, mean_ttft_ms=0.0, mean_tpot_ms=0.0, request_throughput=0.0, output_throughput=0.0)
        for what, text in (("no key", result(mean_ttft_ms=..., mean_tpot_ms=...)), ("nothing completed", result(**zero))):
            self.write_run(text)
            for name, why in (("TTFT", "no result file has mean_ttft_ms"), ("TPOT", "no result file has mean_tpot_ms"),
                              ("ttft", "no run has"), ("tpot", "no run has"), ("goodput", "no limits were given")):
                with self.subTest(f"{name}: {what}"):
                    self.refused(3, name, "run", says=["does not apply", "why:", why])
        for name in ("request_throughput", "output_throughput", "total_throughput"):
            self.refused(3, name, "run", says=[f"{name} does not apply", "no request completed in any run"])
        self.write_run('{"mean_ttft_ms": 7.25}')
        self.refused(3, "request_throughput", "run", says="no result reports it")
        self.assertEqual(self.value("TTFT", "run"), "7.25")

    def test_a_byte_order_mark_and_infinite_rates(self):
        self.write_run(b"\xef\xbb\xbf" + result().encode())
        self.assertEqual(self.value("TTFT", "run"), "10.5")
        for rate in ("Infinity", '"inf"'):
            self.write_run(with_value("request_rate", rate)[0])
            self.assertEqual(self.value("TTFT", "run"), "10.5")
            self.assertEqual(self.value("ttft", "run", "--by", "request_rate"), "inf\t10.5")

    def test_a_key_that_stands_twice(self):
        for first in ("10.5", "null", '"10.5"', "NaN", "-1", "[1]", "{}", "1e400"):
            self.write_run(with_value("mean_ttft_ms", first)[0][:-2] + ',\n "mean_ttft_ms": 99.5\n}')
            with self.subTest(first):
                self.check_last_value()
        self.write_run(result()[:-2] + ',\n "mean_ttft_ms": null\n}')
        self.refused(3, "TTFT", "run", says=['"mean_ttft_ms" needs a number', "run/results_json/0.json:11:18\n", "found null"])

    def test_a_list_that_stands_twice(self):
        self.write_run(detailed()[:-2].replace("0.2,", "null,", 1) + ', "ttfts": [0.1, 0.1, 0.1, 0.1, 0.1, 0.0]}', card=None)
        r = self.ok("metric", "ttft.max", "run")
        self.assertEqual(r.out, "100.0\n")
        self.assertIn("1 key is duplicated", r.err)

    def test_a_compressed_result_that_breaks_off(self):
        text = json.dumps({**json.loads(detailed()), "generated_texts": [str(n * 7919 % 9973) for n in range(50000)]})
        self.write("run/results_json/0.json.gz", gzip.compress(text.encode())[:-9])
        self.refused(3, "ttft", "run", says=["the gzip data ends too early", "in run/results_json/0.json.gz"])

    def check_last_value(self):
        r = self.ok("metric", "TTFT", "run")
        self.assertEqual(r.out, "99.5\n")
        self.assertRegex(r.err, r"^warning\[BENCH-\d+\]: 1 key is duplicated .* 0\.json\n  effect: the last value counts\n$")
        self.assertEqual(self.ok("metric", "-q", "TTFT", "run").err, "")


class Means(MetricCase):
    def test_more_requests_than_64_bits_count(self):
        """Both claim as many as fit: the sum stays at the end, and is said to be clipped."""
        self.write_run(result(completed=2**63 - 1, mean_ttft_ms=1.0), result(completed=2**63 - 1, mean_ttft_ms=4.0))
        r = self.ok("run", "-p", "serving", "run", "-o", "out")
        self.assertIn("RUN-25", r.out + r.err)
        self.assertNotIn("-9223372036854775", (self.folder / "out/summary.json").read_text())

    def test_files_weigh_the_same(self):
        self.write_run(result(completed=1, mean_ttft_ms=1.0), result(completed=99, mean_ttft_ms=4.0), result(mean_ttft_ms=8.5))
        self.assertEqual(self.value("TTFT", "run"), "4.5")

    def test_added_in_the_order_of_names_to_the_last_digit(self):
        for values, printed in (((0.1, 0.2, 0.3), "0.20000000000000004"), ((0.3, 0.2, 0.1), "0.19999999999999998")):
            self.assertEqual(repr(sum(values) / 3), printed)
            for name, value in list(zip(("1", "10", "2"), values))[::-1]:
                self.write(f"run/results_json/{name}.json", result(mean_ttft_ms=value))
            self.write("run/card.yaml", CARD)
            for threads in ("1", "4"):
                self.assertEqual(self.value("TTFT", "run", "-j", threads), printed)

    def test_appended_results_are_runs(self):
        self.write_run(result() + "\n" + result(mean_ttft_ms=20.5) + "\n")
        self.assertEqual(self.value("TTFT", "run"), "15.5")

    def test_numbers_are_printed_as_python_does(self):
        for value in (42.0, 100.0, 1e15, 9999999999999998.0, 1e16, 1e17, 123456789012345678.0, 1e22, 1e23, 0.1, 0.1 + 0.2, 0.0001, 1e-5,
                      2.5e-7, 5e-324, 1.7976931348623157e308, 234.59246664712654, 4259.41):
            self.write_run(result(mean_ttft_ms=value))
            self.assertEqual(self.value("TTFT", "run"), repr(value))
        self.assertEqual([repr(42.0), repr(1e16), repr(1e-5)], ["42.0", "1e+16", "1e-05"])

    def test_json(self):
        self.write_run(result(), result(mean_ttft_ms=31.5))
        doc = self.json("metric", "TTFT", "run", "--json")
        self.assertEqual((doc["value"], doc["n"], doc["unit"], doc["better"]), (21.0, 2, "ms", "lower"))
        doc = self.json("metric", "request_throughput", "run", "--json")
        self.assertEqual((doc["value"], doc["n"], doc["unit"], doc["better"], doc["stat"]), (0.4, 2, "req/s", "higher", "mean"))


class Pooled(MetricCase):
    """Of detailed(): the numbers are worked out by hand from its lists."""

    def check(self, wanted, *words):
        for name, value in wanted.items():
            with self.subTest(name):
                got = self.number(name, *words)
                self.assertTrue(math.isclose(got, value, rel_tol=1e-12), f"{got} is not {value}")

    def test_statistics_of_requests(self):
        self.write_run(detailed(), card=None)
        self.check({"ttft": 300, "ttft.mean": 300, "ttft.n": 5, "ttft.min": 100, "ttft.max": 500, "ttft.std": math.sqrt(20000),
                    "ttft.p50": 300, "ttft.p90": 460, "ttft.p95": 480, "ttft.p99": 496, "ttft.p99.9": 499.6, "ttft.p0": 100,
                    "ttft.p100": 500, "ttft.p12.5": 150}, "run")
        self.check({"tpot": 25, "tpot.n": 4, "tpot.min": 10, "tpot.max": 50, "tpot.p50": 20, "tpot.std": 15}, "run")
        self.check({"itl": 150 / 7, "itl.n": 7, "itl.p50": 20, "itl.max": 50}, "run")
        self.check({"e2e": 330, "e2e.n": 5, "e2e.min": 140, "e2e.max": 500, "e2e.p50": 320}, "run")
        doc = self.json("metric", "ttft.p99.9", "run", "--json")
        self.assertEqual((doc["stat"], doc["n"], doc["unit"]), ("p99.9", 5, "ms"))
        self.assertAlmostEqual(doc["value"], 499.6, places=9)

    def test_all_inputs_pool(self):
        self.write_run(detailed(), folder="a", card=None)
        self.write_run(detailed().replace("0.5,", "1.1,"), folder="b", card=None)
        self.check({"ttft": 360, "ttft.n": 10, "ttft.max": 1100, "ttft.p50": 300, "ttft.p90": 560}, "a", "b")

    def test_reported_statistics_are_combined(self):
        first = result(completed=4, mean_ttft_ms=10.0, std_ttft_ms=3.0, min_ttft_ms=2.0, max_ttft_ms=17.0, p99_ttft_ms=16.0)
        self.write_run(first, result(completed=12, mean_ttft_ms=30.0, std_ttft_ms=4.0, min_ttft_ms=20.0, max_ttft_ms=40.0), card=None)
        self.check({"ttft": 25, "ttft.n": 16, "ttft.std": math.sqrt(89.25), "ttft.min": 2, "ttft.max": 40, "ttft.p99": 16}, "run")
        self.refused(3, "ttft.p50", "run", says=["the metric ttft does not apply", "no result file reports it"])
        self.refused(3, "itl", "run", says="does not apply")

    def test_throughput(self):
        self.write_run(result(), result(duration=5.0, completed=12, total_input_tokens=120, total_output_tokens=120,
                                        request_throughput=2.4, output_throughput=24.0), card=None)
        for name, values, pooled in (("request_throughput", (0.4, 2.4), 16 / 15), ("output_throughput", (8, 24), 200 / 15),
                                     ("total_throughput", (12, 48), 360 / 15)):
            low, high = values
            self.check({name: (low + high) / 2, name + ".mean": (low + high) / 2, name + ".pooled": pooled, name + ".sum": low + high,
                        name + ".min": low, name + ".max": high, name + ".std": (high - low) / 2, name + ".n": 2}, "run")

    def test_by_tags(self):
        for rate in (10, 2, 2.5):
            self.write_run(result(request_rate=rate, mean_ttft_ms=rate * 4), card=None, folder=f"r{rate}")
        self.assertEqual(self.value("ttft", ".", "--by", "request_rate"), "2\t8.0\n2.5\t10.0\n10\t40.0")
        self.assertEqual(self.value("ttft", ".", "--by", "run,request_rate"), "r2,2\t8.0\nr2.5,2.5\t10.0\nr10,10\t40.0")
        self.assertEqual(self.value("output_throughput.sum", ".", "--by", "framework"), "vllm\t24.0")
        doc = self.json("metric", "ttft", ".", "--by", "request_rate", "--json")
        self.assertEqual([(v["group"], v["value"], v["n"]) for v in doc["values"]],
                         [({"request_rate": "2"}, 8.0, 4), ({"request_rate": "2.5"}, 10.0, 4), ({"request_rate": "10"}, 40.0, 4)])
        self.write_run(result(request_rate=1, mean_ttft_ms=...), card=None, folder="r1")
        r = self.fails(3, "metric", "ttft", ".", "--by", "request_rate", says="the metric ttft does not apply to 1")
        self.assertEqual(r.out, "2\t8.0\n2.5\t10.0\n10\t40.0\n")
        self.refused(2, "eplb_change", "off=r1", "on=r2", "--by", "run", says="cannot be split by tags")


class Goodput(MetricCase):
    def limits(self, *limits):
        return [w for limit in limits for w in ("--set", f"goodput.{limit}")]

    def test_limits_are_inclusive(self):
        self.write_run(detailed(), card=None)
        rows = ((["ttft=200ms"], 2), (["ttft=0.2s"], 2), (["ttft=199.999999ms"], 1), (["ttft=1s"], 5), (["tpot=20ms"], 4),
                (["tpot=19ms"], 2), (["itl=20ms"], 4), (["itl=10ms"], 2), (["e2e=240ms"], 2), (["e2e=239999999ns"], 1),
                (["ttft=300ms", "tpot=10ms"], 1), (["ttft=500ms", "tpot=50ms", "itl=50ms", "e2e=500ms"], 5), (["ttft=99ms"], 0))
        for limits, good in rows:
            with self.subTest(limits):
                self.assertEqual(self.number("goodput", "run", *self.limits(*limits)), good / 2.0)
                self.assertAlmostEqual(self.number("goodput_share", "run", *self.limits(*limits)), good / 6 * 100, places=10)

    def test_over_several_runs(self):
        self.write_run(detailed(), detailed().replace('"duration": 2.0', '"duration": 6.0'), card=None)
        self.assertEqual(self.value("goodput", "run", *self.limits("ttft=200ms")), "0.5")

    def test_a_limit_without_its_unit(self):
        self.write_run(detailed(), card=None)
        for words in (self.limits("ttft=150"), ["--goodput", "ttft:150"], ["--goodput", "e2e:1s,ttft:150"]):
            with self.subTest(words):
                self.refused(2, "goodput", "run", *words, says=['option "ttft" cannot be "150"', "150 may mean 150ms or 150s"])
        self.refused(2, "goodput", "run", "--goodput", "e2e:0.5", says="0.5 may mean 0.5ms or 0.5s")
        self.assertEqual(self.value("goodput", "run", *self.limits("ttft=0", "e2e=239999999ns")), "0.5")

    def test_a_limit_that_nothing_keeps(self):
        self.write_run(detailed(), detailed() + " ", card=None)
        for by in ([], ["--by", "file"]):
            r = self.ok("metric", "goodput", "run", *self.limits("ttft=150ns", "e2e=1s"), *by)
            self.assertEqual({line.split("\t")[-1] for line in r.out.splitlines()}, {"0.0"})
            self.assertRegex(r.err, r"^warning\[GOOD-05\]: 2 runs have a limit of less than 1 us: ttft<=150ns e2e<=1s\n  effect: .*\n"
                                    r"  help: check its unit: 150ms, 0.15s\n$")
        self.assertEqual(self.value("goodput", "run", *self.limits("ttft=1us")), "0.0")

    def test_the_option_of_its_own(self):
        self.write_run(detailed(), card=None)
        for words in (["--goodput", "ttft:300ms,tpot:10ms"], ["--goodput=ttft:300ms", "--goodput", "tpot:10ms"],
                      ["--goodput", "ttft:9s,tpot:10ms", *self.limits("ttft=300ms")]):
            with self.subTest(words):
                self.assertEqual(self.value("goodput", "run", *words), "0.5")
        self.ok("run", "-p", "serving", "run", "--goodput", "ttft:300ms,tpot:10ms", "-o", "out")
        self.assertIn("ttft<=300ms tpot<=10ms", (self.folder / "out/tables/goodput.csv").read_text())
        for limit in ("ttft", ":1ms", "ttft:", "ttft=1ms"):
            self.refused(2, "goodput", "run", "--goodput", limit, says=[f'"{limit}" is not an option with a value', f"in --goodput {limit}",
                                                                                  "ttft:150ms,tpot:50ms"])
        self.refused(2, "goodput", "run", "--goodput", "latency:1s", says='has no option "latency"')
        self.refused(2, "goodput", "run", "--goodput", "ttft:fast", says="expected a duration such as 10ms")

    def test_options_of_profiles(self):
        """Those of profiles that are found, and of one that is named, before or after."""
        self.write_run(detailed(), card=None)
        limits = {"default": "", "sets": "goodput", "option": "WHAT", "help": "Own limits."}
        self.write("mine.json", json.dumps({"profile": 1, "inherits": "serving", "params": {
            "own-limits": limits, "shares": {"default": "", "option": "TAGS"}, "output": {"default": "", "option": "NO"}},
            "stages": [{"use": "goodput", "with": {"by": "$shares"}}]}))
        for words in (["-p", "./mine.json", "--own-limits", "ttft:300ms,tpot:10ms"],
                      ["--own-limits=ttft:300ms", "--own-limits=tpot:10ms", "--profile=./mine.json", "--shares", "x", "--shares", "file"]):
            self.assertEqual(self.ok("metric", "goodput", "run", *words).out.split("\t")[-1].strip(), "0.5")
        self.refused(2, "goodput", "run", "--own-limits", "ttft:1s", says='unknown option "--own-limits"')
        self.refused(2, "goodput", "run", "--profile-path", ".", "--own-limit", "ttft:1s", says='did you mean "--own-limits"?')
        self.refused(2, "goodput", "run", "--goodput", says="--goodput needs a value: LIMITS")
        self.refused(2, "goodput", "run", "--goodput", "", says="the list is empty")
        self.fails(2, "run", "-p", "kernels", "run", "--goodput", "ttft:1s",
                   says=['--goodput: the profile "kernels" has no parameter "goodput"', "show kernels"])
        self.fails(2, "convert", "run", "--goodput", "ttft:1s", "-o", "x.json", says='unknown option "--goodput"')
        self.fails(2, "run", "--nothing", "--jobs", "no", says='unknown option "--nothing"')

    def test_options_of_profiles_are_listed(self):
        for command in ("run", "plan", "metric"):
            for r in (self.ok("help", command), self.ok(command, "--help")):
                self.assertRegex(r.out, r"(?s)\nOf single profiles\n.* +--goodput LIMITS +Limits that")
            self.assertIn("--goodput\tLimits that", self.ok("__complete", command, "--good").out)
            self.assertEqual(self.ok("__complete", command, "--goodput", "").out, "")
        for command in ("convert", "info"):
            self.assertNotIn("goodput", self.ok("help", command).out)
            self.assertEqual(self.ok("__complete", command, "--good").out, "")
        self.assertNotIn("goodput", self.ok("help", "--man", "run").out)
        self.assertIn("goodput, --goodput LIMITS", self.ok("show", "profile/serving").out)
        params = json.loads(self.ok("show", "profile/serving", "--json").out)["params"]
        self.assertIn(("goodput", "goodput", "LIMITS"), [(p["name"], p["sets"], p["option"]) for p in params])
        no_profiles = {"STAGEMILL_PROFILE_PATH": str(self.folder), "STAGEMILL_DATADIR": str(self.folder)}
        self.assertNotIn("Of single", self.ok("help", "run", **no_profiles).out)

    def test_without_limits(self):
        self.write_run(result(request_goodput=0.25), card=None)
        self.assertEqual(self.value("goodput", "run"), "0.25")
        self.write_run(result(**{"request_goodput:": 0.75}), card=None)
        self.assertEqual(self.value("goodput", "run"), "0.75")
        for text in (result(), detailed(), result(request_goodput=None)):
            self.write_run(text, card=None)
            self.refused(3, "goodput", "run", says=["the metric goodput does not apply", "no limits were given",
                                                       "--goodput ttft:200ms"])

    def test_what_cannot_be_done(self):
        self.write_run(result(), card=None)
        self.refused(3, "goodput", "run", *self.limits("ttft=1s"), says="no run has records of its requests")
        for limit in ("ttft=-1ms", "ttft=fast", "e2e=5kg", "itl="):
            self.refused(2, "goodput", "run", *self.limits(limit), says=[f"--set goodput.{limit}", "expected a duration such as 10ms"])
        self.refused(2, "goodput", "run", *self.limits("latency=1s"), says='has no option "latency"')


class Tags(MetricCase):
    """Command line, card, result, names: the first that gives a tag counts."""

    def by(self, tag, *words):
        return self.value("ttft", *words, "--by", tag).split("\t")[0]

    def test_precedence(self):
        name = "mixtral-vllmTP4-cluster[x_8_2048]"
        card = CARD + "    model_family: of-card\n  data:\n    max-num-seqs: 16\n"
        self.write_run(result(model_id="of-result", max_num_seqs="24"), card=card, folder=name)
        self.assertEqual(self.by("model", f"model=given:{name}"), "given")
        self.assertEqual(self.by("max_num_seqs", f"max_num_seqs=4:{name}"), "4")
        self.assertEqual((self.by("model", name), self.by("max_num_seqs", name)), ("of-card", "16"))
        self.write_run(result(model_id="of-result", max_num_seqs="24"), card=CARD, folder=name)
        self.assertEqual((self.by("model", name), self.by("max_num_seqs", name)), ("of-result", "24"))
        self.write_run(result(), card=CARD, folder=name)
        self.assertEqual((self.by("max_num_seqs", name), self.by("max_num_batched_tokens", name)), ("8", "2048"))
        self.assertEqual(self.by("run", name), name)

    def test_the_command_line_tells_the_phase(self):
        self.write_run(result(), card=CARD.replace("inference", "training"))
        self.refused(3, "TTFT", "run", says="training")
        self.assertEqual(self.value("TTFT", "phase=inference:run"), "10.5")
        self.write_run(result())
        self.refused(3, "TTFT", "phase=training:run", says="training")

    def test_implementation(self):
        executor = "Model-executor:\n  expert_parallel:\n    mode: {}\n"
        for name, card, wanted in (("m-vllmTP4-x", None, "Baseline"), ("m-vllmEP4-x", None, "DefaultAll2All"),
                                   ("m-vllmTP4-x", CARD + executor.format("default_all_to_all"), "DefaultAll2All"),
                                   ("m-vllmEP4-x", CARD, "Baseline"), ("plain", CARD + executor.format("deep_ep"), "deep_ep")):
            with self.subTest(f"{name} {wanted}"):
                self.write_run(result(), card=card, folder=f"{wanted}/{name}")
                self.assertEqual(self.by("implementation", f"{wanted}/{name}"), wanted)
                self.assertEqual(self.by("implementation", f"Mine={wanted}/{name}"), "Mine")
