"""A sweep is the result: runs that differ in a tag are a row each, in whatever layout they lie."""
# SPDX-License-Identifier: MIT
import csv
import json

from harness import Case
from results import CARD, result

LOADS = {2: (2.0, 90), 8: (7.5, 110), 16: (9.0, 400), 100: (9.1, 3000)}  # requests per second, p99 of ttft
SATURATED = "16"


def run_at(load, **more):
    rate, p99 = LOADS[load]
    keys = {"request_rate": "inf", "max_concurrency": load, "request_throughput": rate, "output_throughput": 20 * rate, "completed": 80,
            "duration": 80 / rate, "total_input_tokens": 800, "total_output_tokens": 1600, "failed": 0, "mean_ttft_ms": p99 / 2, "median_ttft_ms": p99 / 3,
            "p99_ttft_ms": p99, "mean_tpot_ms": 5.0, "median_tpot_ms": 4.5, "p99_tpot_ms": 6.0, **more}
    return json.dumps(json.loads(result(**keys)))


class Configurations(Case):
    def screen(self, *words, columns=80):
        out = self.ok(*words, COLUMNS=str(columns)).out
        self.assertLessEqual(max(map(len, out.splitlines())), columns, out)
        return out

    def rows(self, *words):
        """By the tags that begin them."""
        self.ok("run", "-p", "serving", *words, "-f", "-o", "out", "--format", "csv,json")
        path = self.folder / "out" / "tables" / "serving-configurations.csv"
        if not path.exists():
            return [], []
        with open(path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        tags = list(rows[0])[:list(rows[0]).index("req/s")]
        return tags, [(*(row[tag] for tag in tags), row["req/s"], row["mark"]) for row in rows]

    def check(self, *words):
        tags, rows = self.rows(*words)
        self.assertEqual(tags, ["max_concurrency"])
        self.assertEqual(rows, [(str(load), str(float(rate)), "saturated" if str(load) == SATURATED else "") for load, (rate, _) in LOADS.items()])
        out = self.screen(*words)
        self.assertLessEqual(len(out.splitlines()), 24, out)
        self.assertTrue(out.startswith(f"4 configurations: best 182 tok/s at max_concurrency 100, saturated at {SATURATED}"), out)
        rows = [line.split() for line in out.split("\n\n")[2].splitlines()[-len(LOADS):]]
        self.assertEqual([(row[0], row[1]) for row in rows], [(str(load), f"{rate:.3f}") for load, (rate, _) in LOADS.items()])
        self.assertEqual([row[0] for row in rows if row[-1] == "saturated"], [SATURATED])
        self.assertIn("\nnext: stagemill run -p serving ", out)

    def test_flat_files(self):
        for load in LOADS:
            self.write(f"s/vllm-{load}.json", run_at(load))
        self.check("s")
        self.check("s/vllm-100.json", "s/vllm-16.json", "s/vllm-2.json", "s/vllm-8.json")

    def test_a_folder_each(self):
        for load in LOADS:
            self.write(f"s/c{load}/run0.json", run_at(load))
        self.check("s")
        self.check("s/*/*.json")

    def test_a_folder_each_with_cards(self):
        for load in LOADS:
            self.write(f"s/c{load}/card.yaml", CARD)
            self.write(f"s/c{load}/results_json/run0.json", run_at(load))
        self.check("s")

    def test_a_card_says_what_differs(self):
        for seqs in (8, 64, 16):
            self.write(f"s/{seqs}/card.yaml", CARD + f"  framework:\n    max_num_seqs: {seqs}\n")
            self.write(f"s/{seqs}/results_json/run0.json", run_at(8, max_num_seqs=seqs))
        self.assertEqual(self.rows("s"), (["max_num_seqs"], [(str(seqs), "7.5", "") for seqs in (8, 16, 64)]))

    def test_appended_lines(self):
        self.write("s.jsonl", "".join(run_at(load) + "\n" for load in LOADS))
        self.check("s.jsonl")

    def test_artifacts_of_aiperf(self):
        for load, (rate, p99) in LOADS.items():
            folder = f"artifacts/llama-openai-chat-concurrency{load}"
            of_ttft = {"unit": "ms", "avg": p99 / 2, "p50": p99 / 3, "p99": p99}
            self.write(f"{folder}/profile_export_aiperf.json", json.dumps({
                "aiperf_version": "0.3", "input_config": {"endpoint": {"model_names": ["llama"]}, "loadgen": {"concurrency": load}},
                "request_count": {"unit": "requests", "avg": 80}, "error_request_count": {"unit": "requests", "avg": 0},
                "request_throughput": {"unit": "requests/sec", "avg": rate}, "output_token_throughput": {"unit": "tokens/sec", "avg": 20 * rate},
                "time_to_first_token": of_ttft, "request_latency": {"unit": "ms", "avg": p99}}))
            self.write(f"{folder}/logs/aiperf.log", "started")
        self.check("artifacts")

    def test_none_pools(self):
        for load in LOADS:
            self.write(f"s/{load}.json", run_at(load))
        for words in (["--by", "none"], ["--set", "by=none"], ["--set", "by="]):
            self.assertEqual(self.rows("s", *words), ([], []))
            self.assertEqual((self.folder / "out/tables/throughput.csv").read_text().splitlines()[1].split(",")[:2], ["4", "6.9"])
        self.assertIn("request_throughput  req/s", self.ok("s", "--by", "none").out)
        for words in ([], ["--by", "none"]):
            self.assertEqual(self.ok("metric", "request_throughput", "s", *words).out, "6.9\n")
        self.assertEqual(self.ok("metric", "request_throughput", "s", "--by", "auto").out, "2\t2.0\n8\t7.5\n16\t9.0\n100\t9.1\n")
        for command in ("run", "metric"):
            self.assertRegex(" ".join(self.ok("help", command).out.split()), "--by TAGS? [^-]* none:")

    def test_a_tag_that_is_named(self):
        for load in LOADS:
            self.write(f"s/{load}.json", run_at(load, model_id="a" if load < 10 else "b"))
        self.assertEqual(self.rows("s", "--by", "model"), (["model"], [("a", "4.75", ""), ("b", "9.05", "")]))
        self.assertEqual(self.rows("s", "--by", "max_concurrency")[0], ["max_concurrency"])
        self.assertEqual(self.rows("s")[0], ["model", "max_concurrency"])

    def test_equal_tags_are_repetitions(self):
        for load in LOADS:
            for repeat in (0, 1):
                self.write(f"s/rep{repeat}/c{load}.json", run_at(load, request_throughput=LOADS[load][0] + repeat))
        self.assertEqual(self.rows("s")[1], [(str(load), str(rate + 0.5), "saturated" if str(load) == SATURATED else "")
                                             for load, (rate, _) in LOADS.items()])
        self.write("one/run_0.json", run_at(8))
        self.write("one/run_1.json", run_at(8))
        self.assertEqual(self.rows("one"), ([], []))
        self.assertIn("Benchmarks of LLM serving", self.ok("one").out)

    def test_each_part_of_a_sweep_saturates_by_itself(self):
        for tp in (2, 4):
            for load in LOADS:
                p99 = LOADS[load][1] if tp == 2 else 50
                self.write(f"s/tp{tp}-c{load}.json", run_at(load, tp=tp, p99_ttft_ms=p99, mean_ttft_ms=p99 / 2))
        words = [f"tp={tp}:s/tp{tp}-*.json" for tp in (2, 4)]
        tags, rows = self.rows(*words)
        self.assertEqual(tags, ["tp", "max_concurrency"])
        self.assertEqual([row[:2] for row in rows if row[-1]], [("2", SATURATED)])
        self.assertEqual([row[:2] for row in rows], [(str(tp), str(load)) for tp in (2, 4) for load in LOADS])
        found = json.loads((self.folder / "out/summary.json").read_text())["findings"]
        self.assertEqual([f["where"] for f in found], [{"tp": "2", "max_concurrency": 16.0}])
        self.assertTrue(found[0]["text"].startswith("tp 2: saturated at max_concurrency 16"), found)
        self.assertEqual(found[0]["evidence"][1], {"table": "saturation", "keys": {"tp": "2", "level": 3}})
        self.screen(*words)

    def test_labels(self):
        for name in ("old", "new"):
            self.write(f"{name}/r.json", run_at(8))
        self.assertEqual(self.rows("new=new", "old=old"), (["label"], [("new", "7.5", ""), ("old", "7.5", "")]))

    def test_many_configurations_are_cut(self):
        for seqs in range(60):
            self.write(f"s/{seqs}.json", run_at(8, max_num_seqs=8 + seqs))
        out = self.screen("s")
        self.assertLessEqual(len(out.splitlines()), 24, out)
        self.assertIn("more rows: --rows all", out)
        self.assertEqual(len(self.rows("s")[1]), 60)

    def test_results_do_not_depend_on_threads(self):
        for load in LOADS:
            self.write(f"s/{load}.json", run_at(load))
        seen = set()
        for jobs in ("1", "4"):
            self.ok("run", "-p", "serving", "s", "-f", "-o", "out", "--format", "json", "-j", jobs)
            seen.add((self.folder / "out/summary.json").read_bytes())
        self.assertEqual(len(seen), 1)

    def test_finished_results_show_it_again(self):
        for load in LOADS:
            self.write(f"s/{load}.json", run_at(load))
        ended = self.ok("run", "-p", "serving", "s", "-o", "out").out.split("\n\n")[:3]
        self.assertEqual(self.ok("out").out.split("\n\n")[:3], ended)
