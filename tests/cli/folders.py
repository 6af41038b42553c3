"""Folders in which something cannot be seen: named with status 3, or counted under --keep-going."""
# SPDX-License-Identifier: MIT
import csv
import json
import os
import subprocess
import sys

from harness import SOURCE, Case
from results import CARD, detailed, gate_log

LOG = gate_log([[1.0, 2.0], [3.0, 2.0]])


class Unseen(Case):
    def close(self, name, mode=0):
        os.chmod(self.folder / name, mode)
        self.addCleanup(os.chmod, self.folder / name, 0o755)

    def refused(self, says, *args):
        r = self.run_without_rights(*args)
        self.assertEqual(r.status, 3, f"{args}: {r.out[:500]} {r.err}")
        self.assertIn(says, r.err)
        self.assertEqual(r.out, "")

    def counted(self, says, profile, folder):
        r = self.run_without_rights("run", "-p", profile, folder, "-o", "out", "--keep-going")
        self.assertEqual(r.status, 0, r.err)
        self.assertRegex(r.out, r"warning\[RUN-26\]: ")
        notices = (self.folder / "out/run.json").read_text().replace('\\"', '"')
        self.assertIn(f"1 name in the folders given could not be read (first: {says}", notices)

    def test_a_run_of_a_tree(self):
        self.write("tree/a/results_json/r.json", detailed())
        self.write("tree/b/results_json/r.json", detailed())
        self.assertEqual(self.run_without_rights("metric", "ttft.n", "tree").status, 0)
        says = '"tree/b" cannot be read: Permission denied'
        self.close("tree/b")
        self.refused(says, "metric", "ttft.n", "tree")
        self.counted(says, "serving", "tree")

    def test_a_part_of_a_run(self):
        self.write("run/results_json/r.json", detailed())
        self.write("run/x_gates_logs/gates_logs_0/gate_logs_0.json", LOG)
        self.close("run/x_gates_logs")
        says = '"run/x_gates_logs" cannot be read: Permission denied'
        self.refused(says, "metric", "ttft.n", "run")
        self.counted(says, "serving", "run")

    def test_names_that_can_be_listed_only(self):
        self.write("flat/rank0.json")
        self.close("flat", 0o644)
        self.refused('"flat/rank0.json" cannot be read: Permission denied', "info", "flat")

    def test_a_link_to_nothing(self):
        self.write("flat/rank0.json")
        os.symlink("gone.json", self.folder / "flat/rank1.json")
        os.symlink("gone.json", self.folder / "flat/.hidden")
        says = '"flat/rank1.json" cannot be read: No such file or directory'
        self.refused(says, "convert", "flat", "-o", "out.json")
        self.counted(says, "kernels", "flat")

    def test_a_loop_of_links(self):
        self.write("run/results_json/r.json", detailed())
        os.symlink("loop.json", self.folder / "run/results_json/loop.json")
        self.refused('"run/results_json/loop.json" cannot be read: ', "metric", "ttft.n", "run")

    def test_what_is_not_read_does_not_count(self):
        """A folder that is read flat may hold folders of others."""
        self.write("flat/rank0.json")
        (self.folder / "flat/secret").mkdir()
        self.close("flat/secret")
        self.assertEqual(self.run_without_rights("info", "flat").status, 0)

    def test_a_folder_named_like_gate_logs(self):
        self.write("t/gates_logs_0/gate_logs_0.json", LOG)
        self.write("alone/gate_logs_0.json", LOG)
        self.close("t/gates_logs_0")
        self.close("alone")
        self.refused('"t/gates_logs_0" cannot be read: Permission denied', "metric", "expert_balance", "t")
        self.refused("Permission denied", "metric", "expert_balance", "alone")
        self.refused("Permission denied", "metric", "expert_balance", "source=gate-log:t/gates_logs_0")


TRACE = json.dumps({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2}]})
TABLE = "Time (%),Total Time (ns),Instances,Name\n100.0,30,3,gemm\n"
SCRIPT = '#!/usr/bin/env python3\n"""\n' + TABLE + '"""\nCOLUMNS = ["Total Time (ns)", "Name"]\n'


class Beside(Case):
    """What lies beside data is left out, counted and listed; nothing that is data is."""

    def inputs(self, folder):
        said = self.json("info", "--json", folder)
        return {i["name"]: i["source"] for i in said["inputs"]}, said["left_out"]

    def test_a_script_beside_tables(self):
        self.write("d/off.csv", TABLE)
        self.write("d/on.csv", TABLE)
        for name in ("analyzeEPLB.py", "notes.md", "run.sh", "old.py.gz", "empty.txt"):
            self.write(f"d/{name}", "" if name == "empty.txt" else SCRIPT)
        out = self.ok("info", "d").out
        self.assertIn("left out", out)
        self.assertIn("d/analyzeEPLB.py", out)
        inputs, left_out = self.inputs("d")
        self.assertEqual(inputs, {"d/off.csv": "nsys-csv", "d/on.csv": "nsys-csv"})
        self.assertEqual(left_out, ["d/analyzeEPLB.py", "d/empty.txt", "d/notes.md", "d/old.py.gz", "d/run.sh"])
        self.ok("run", "-p", "info", "d", "-o", "out")
        self.assertIn("RUN-27", (self.folder / "out/run.json").read_text())
        self.fails(3, "info", "d/analyzeEPLB.py")

    def test_a_broken_table_is_still_an_error(self):
        self.write("d/off.csv", TABLE)
        self.write("d/on.csv", TABLE.replace("Name", "Kernel of no name"))
        self.fails(3, "info", "d")

    def test_a_run_and_a_trace(self):
        self.write("run/results_json/r.json", detailed())
        self.write("run/rank0.json", TRACE)
        self.write("run/plot.py", SCRIPT)
        self.write("run/results_json/readme.txt", "x")
        inputs, left_out = self.inputs("run")
        self.assertEqual(inputs, {"run/results_json/r.json": "bench-json", "run/rank0.json": "chrome-json"})
        self.assertEqual(left_out, ["run/plot.py", "run/results_json/readme.txt"])
        self.assertEqual(self.inputs("run/"), (inputs, left_out))

    def test_a_tree_of_runs_and_a_trace(self):
        self.write("tree/a/results_json/r.json", detailed())
        self.write("tree/a/card.yaml", CARD)
        self.write("tree/rank0.json", TRACE)
        self.write("tree/all.py", SCRIPT)
        inputs, left_out = self.inputs("tree")
        self.assertEqual(inputs, {"tree/a/results_json/r.json": "bench-json", "tree/rank0.json": "chrome-json"})
        self.assertEqual(left_out, ["tree/all.py"])

    def test_a_sweep_of_vllm(self):
        points = [f"out/20260101_120000/SERVE--tp={tp}-BENCH--rate={rate}" for tp in (1, 2) for rate in (1, 2)]
        for point in points:
            for n in range(2):
                self.write(f"{point}/run={n}.json", detailed())
            self.write(f"{point}/summary.json", "[" + detailed() + "," + detailed() + "]")
        self.write("out/20260101_120000/summary.csv", "run_number,mean_ttft_ms\n0,1.5\n")
        wanted = {f"{point}/run={n}.json": "bench-json" for point in points for n in range(2)}
        for folder in ("out", "out/20260101_120000"):
            inputs, left_out = self.inputs(folder)
            self.assertEqual(inputs, wanted)
            self.assertTrue({f"{point}/summary.json" for point in points} <= set(left_out))
        self.ok("run", "-p", "serving", points[0], "-o", "r")
        self.assertIn("CARD-07", (self.folder / "r/run.json").read_text())

    # Two requests: 1 s to 3 s with 10 ms between tokens, and 2 s to 5 s with 20 ms.
    AIPERF = [{"metadata": {"request_start_ns": start, "request_end_ns": end, "benchmark_phase": "profiling"}, "error": None,
               "metrics": {"time_to_first_token": {"value": 100, "unit": "ms"}, "inter_token_latency": {"value": gap, "unit": "ms"},
                           "request_latency": {"value": (end - start) / 1e6, "unit": "ms"},
                           "input_sequence_length": {"value": 40, "unit": "tokens"},
                           "output_sequence_length": {"value": 8, "unit": "tokens"}}}
              for start, end, gap in ((10**9, 3 * 10**9, 10), (2 * 10**9, 5 * 10**9, 20))]

    def aiperf_totals(self, **more):
        totals = {"aiperf_version": "0.3", "input_config": {"endpoint": {"model_names": ["llama"]},
                                                           "loadgen": {"concurrency": 8, "request_rate": 2.5}},
                  "request_count": 2, "error_request_count": 0, "total_isl": 80, "total_output_tokens": 16, "request_throughput": 0.51,
                  "benchmark_duration": 4.0, "time_to_first_token": 999.0, **more}
        units = {"benchmark_duration": "sec", "time_to_first_token": "ms"}
        return json.dumps({key: {"unit": units.get(key, "x"), "avg": v} if isinstance(v, (int, float)) else v for key, v in totals.items()})

    def aiperf_run(self, totals, out, *more):
        self.write("one/profile_export.jsonl", "".join(json.dumps(line) + "\n" for line in self.AIPERF))
        self.write("one/profile_export_aiperf.json", totals)
        r = self.ok("run", "-p", "serving", "one", "--set", "by=model,max_concurrency,request_rate", "-o", out, *more)
        with open(self.folder / out / "tables/throughput.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 1)
        return r.out, rows[0]

    def test_totals_of_aiperf_beside_its_requests(self):
        said, row = self.aiperf_run(self.aiperf_totals(), "out")
        self.assertEqual((row["model"], row["max_concurrency"], row["request_rate"]), ("llama", "8", "2.5"))
        self.assertEqual(row["request_throughput_req/s"], "0.51")  # as reported; 2 in 4 s are 0.5
        self.assertEqual(row["output_per_user_tok/s"], "75.0")  # (1 / 10 ms + 1 / 20 ms) / 2
        self.assertNotIn("BENCH-", said)
        self.assertEqual(self.ok("metric", "ttft", "one").out, "100.0\n")  # of the requests

    def test_totals_of_aiperf_that_are_of_another_run(self):
        for key, value, name in (("request_count", 3, "completed requests"), ("error_request_count", 1, "failed requests"),
                                 ("total_isl", 90, "input tokens"), ("total_output_tokens", 20, "output tokens"),
                                 ("benchmark_duration", 4.1, "duration")):
            said, row = self.aiperf_run(self.aiperf_totals(**{key: value}), key)
            self.assertIn(f"1 file of totals differs from the requests beside it (first: {name} of", " ".join(said.split()))
            self.assertIn("BENCH-29", said)
            self.assertEqual((row["model"], row["request_throughput_req/s"], row["output_per_user_tok/s"]), ("llama", "0.5", "75.0"))

    def test_totals_of_aiperf_that_are_damaged(self):
        whole = self.aiperf_totals()
        for text, code, place in ((whole[:-1], "BENCH-03", ":1:"), ("{}", "BENCH-08", ":1:1"), ("", "BENCH-08", ":1:1"),
                                  (whole + "\n7", "BENCH-02", ":2:1"), (whole.replace("80", '"many"'), "BENCH-05", ":1:")):
            self.write("one/profile_export.jsonl", json.dumps(self.AIPERF[0]))
            self.write("one/profile_export_aiperf.json", text)
            r = self.fails(3, "run", "-p", "serving", "one/profile_export.jsonl", "-o", "out", says=f"error[{code}]")
            self.assertIn("one/profile_export_aiperf.json" + place, r.err)

    def test_runs_of_aiperf(self):
        lines = subprocess.run([sys.executable, str(SOURCE / "tests/gen/bench-gen.py"), "--producer", "aiperf-requests",
                                "--requests", "20", "-o", str(self.folder / "made{n}.jsonl")], check=True,
                               capture_output=True)
        made = next(self.folder.glob("made*"))
        totals = {"aiperf_version": "0.3", "request_count": {"unit": "requests", "avg": 20}, "error_summary": [],
                  "time_to_first_token": {"unit": "ms", "avg": 5.0, "p50": 4.0, "p99": 9.0}, "was_cancelled": False}
        for name in ("a", "b"):
            self.write(f"artifacts/{name}/profile_export_aiperf.json", json.dumps(totals))
            self.write(f"artifacts/{name}/inputs.json", "{}")
            self.write(f"artifacts/{name}/logs/aiperf.log", "x")
        self.write("artifacts/a/profile_export.jsonl", made.read_bytes())
        inputs, left_out = self.inputs("artifacts")
        self.assertEqual(inputs, {"artifacts/a/profile_export.jsonl": "bench-json",
                                  "artifacts/b/profile_export_aiperf.json": "bench-json"})
        self.assertIn("artifacts/a/profile_export_aiperf.json", left_out)
