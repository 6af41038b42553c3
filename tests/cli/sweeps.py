"""Sweeps over threads, channels and ranks: which traces are read, and of what they are."""
# SPDX-License-Identifier: MIT
import gzip
import json

from harness import Case

TRACE = '[{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":%d}]'


class Sweeps(Case):
    def trace(self, path, dur=2, rank=None):
        text = TRACE % dur
        if rank is not None:
            text = '{"distributedInfo":{"rank":%d},"traceEvents":%s}' % (rank, text)
        self.write(path, text)

    def lanes(self, folder, *options):
        self.ok("run", "-p", "kernels", folder, "-o", "out", "-f", *options)
        run = json.loads((self.folder / "out" / "run.json").read_text())
        notices = {n["code"]: n["what"] for n in run["notices"]}
        return [(i["name"], i["rank"], i["tags"]) for i in run["lanes"]], notices

    def sweep(self):
        for threads in (1024, 256):
            for channels in (28, 112):
                for rank in (0, 1, 10):
                    self.trace(f"s/{threads}thread/nccl_{channels}channels/torch_profiler/rank{rank}/pt.json", rank + 1)
        self.write("s/tracelens_analysis/256thread/rank0/x.json", "{")
        self.write("s/merged_traces/256thread_28ch_merged.json", "{")
        self.write("s/256thread/run.log", "text")

    def test_a_whole_one_by_numbers(self):
        self.sweep()
        lanes, notices = self.lanes("s")
        wanted = [(rank, {"threads": str(t), "channels": str(c)}) for t in (256, 1024) for c in (28, 112) for rank in (0, 1, 10)]
        self.assertEqual([(rank, tags) for _, rank, tags in lanes], wanted)
        self.assertEqual({code for code in notices if code.startswith("SWDIR")}, set())
        self.assertNotIn("RUN-20", notices)
        head = (self.folder / "out" / "tables" / "kernel-time-rank.csv").read_text().splitlines()[0]
        self.assertTrue(head.startswith("rank,threads,channels,name,"), head)

    def test_any_part_of_it(self):
        self.sweep()
        part = "s/256thread/nccl_28channels"
        for folder, n, tags in (("s/256thread", 6, None), (part, 3, True), (part + "/torch_profiler", 3, True)):
            lanes, _ = self.lanes(folder)
            self.assertEqual(len(lanes), n)
            if tags:
                self.assertEqual(lanes[2][1:], (10, {"threads": "256", "channels": "28"}))
        for rank in (0, 2):
            self.trace(f"plain/rank_{rank}/a.json")
        self.assertEqual([(r, t) for _, r, t in self.lanes("plain")[0]], [(0, {}), (2, {})])
        self.assertEqual([r for _, r, _ in self.lanes("s", "--ranks", "10")[0]], [0, 1, 10] * 4)

    def heads(self, profile, *words):
        self.ok("run", "-p", profile, *words, "--format", "csv", "-o", "out", "-f")
        return {p.stem: p.read_text().splitlines()[0] for p in (self.folder / "out" / "tables").glob("*.csv")}

    def test_configurations_have_rows_of_their_own(self):
        self.sweep()
        for rank in (0, 1, 10):
            self.trace(f"plain/rank{rank}/a.json", rank + 1)
        for profile, table in (("torch", "gpu-timeline-mean"), ("collectives", "stragglers")):
            self.assertTrue(self.heads(profile, "s")[table].startswith("threads,channels,"), profile)
            self.assertNotIn("threads", self.heads(profile, "plain")[table])
            self.assertNotIn("threads", self.heads(profile, "s", "--set", "by=")[table])
        rows = self.heads("torch", "s") and (self.folder / "out" / "tables" / "gpu-timeline-mean.csv").read_text()
        for threads in (256, 1024):
            self.assertIn(f"{threads},28,1,computation_time,4666.666666666667,", rows)  # 2, 3 and 9 us

    def test_the_trace_of_a_rank(self):
        for name in ("rank0/b10.json", "rank0/b9.json", "rank1/z.json", "rank1/trace/customer_trace_2.json", "rank1/trace/a.json",
                     "rank2/trace/pt.trace.json", "rank2/notes.txt", "rank3/.hidden.json"):
            self.trace("t/" + name)
        lanes, notices = self.lanes("t")
        self.assertEqual([name for name, _, _ in lanes], ["t/rank0/b9.json", "t/rank1/trace/customer_trace_2.json", "t/rank2/trace/pt.trace.json"])
        self.assertIn("2 ranks of the sweep have more than one trace (first: rank0)", notices["SWDIR-05"])
        self.assertIn("1 rank of the sweep has no trace (first: rank3)", notices["SWDIR-03"])

    def test_the_folder_knows_the_rank_better_than_the_trace(self):
        self.trace("t/rank4/a.json", rank=0)
        self.assertEqual([r for _, r, _ in self.lanes("t")[0]], [4])

    def test_what_does_not_belong_is_counted(self):
        self.sweep()
        self.write("s/somethread/a.txt", "")
        self.write("s/256thread/nccl_xchannels/a.txt", "")
        self.write("s/256thread/nccl_7channels/a.txt", "")
        self.write("s/256thread/nccl_28channels/torch_profiler/rankx/a.json", "{")
        lanes, notices = self.lanes("s")
        self.assertEqual(len(lanes), 12)
        self.assertIn("3 folders of the sweep have no number in their name (first: somethread)", notices["SWDIR-04"])
        self.assertIn("first: 256thread/nccl_7channels", notices["SWDIR-02"])

    def test_nothing_to_read(self):
        self.write("s/256thread/nccl_28channels/torch_profiler/rank0/a.txt", "")
        self.fails(3, "run", "-p", "kernels", "s", "-o", "out", says=["SWDIR-01", "the sweep holds no trace"])
        self.write("e/torch_profiler/a.txt", "")
        self.fails(3, "info", "e", says="SWDIR-01")

    def test_a_file_is_no_sweep(self):
        self.trace("a.json")
        self.fails(3, "run", "-p", "kernels", "source=sweep-tree:a.json", "-o", "out", says=["SWDIR-06", "a sweep is a folder"])

    def test_a_broken_rank_ends_the_run(self):
        self.sweep()
        self.write("s/256thread/nccl_28channels/torch_profiler/rank1/pt.json", '{"traceEvents":[{"ph":"X","name":"k"')
        self.fails(3, "run", "-p", "kernels", "s", "-o", "out", says="rank1/pt.json")
        self.fails(3, "run", "-p", "kernels", "s", "-o", "out", "--keep-going", says="rank1/pt.json")
        self.assertEqual(len((self.folder / "out" / "tables" / "kernel-time-rank.csv").read_text().splitlines()), 12)

    def results(self, path, names=("k",)):
        """Of rocprofv3: a kernel for each name."""
        self.write(path, json.dumps({"rocprofiler-sdk-tool": [{"kernel_symbols": [
            {"kernel_id": k, "kernel_name": name} for k, name in enumerate(names)], "buffer_records": {"kernel_dispatch": [
                {"start_timestamp": 1000, "end_timestamp": 3000, "dispatch_info": {"kernel_id": k}} for k in range(len(names))]}}]}))

    def test_results_of_rocprofv3(self):
        for path in ("pass_10/host/1000_results.json", "pass_2/host/999_results.json", "pass_2/host/1000_results.json", "pass_2/host/agents.json"):
            self.results("s/256thread/nccl_28channels/rocprof_traces/" + path)
        self.results("s/512thread/nccl_28channels/rocprof_traces/7_results.json", names=("a", "b"))
        self.trace("s/512thread/nccl_56channels/torch_profiler/rank0/a.json")
        self.results("s/512thread/nccl_56channels/rocprof_traces/pass_1/7_results.json")
        self.write("s/1024thread/nccl_28channels/rocprof_traces/pass_1/log.txt", "")
        lanes, notices = self.lanes("s")
        first = "s/256thread/nccl_28channels/rocprof_traces/pass_2/host/"
        self.assertEqual([name for name, _, _ in lanes], [first + "999_results.json", first + "1000_results.json",
                         "s/512thread/nccl_28channels/rocprof_traces/7_results.json", "s/512thread/nccl_56channels/torch_profiler/rank0/a.json"])
        self.assertEqual([(rank, tags) for _, rank, tags in lanes[:3]], [
            (0, {"threads": "256", "channels": "28"}), (1, {"threads": "256", "channels": "28"}), (0, {"threads": "512", "channels": "28"})])
        self.assertIn("first: 1024thread/nccl_28channels/rocprof_traces", notices["SWDIR-03"])
        self.assertIn("first: 256thread/nccl_28channels/rocprof_traces", notices["SWDIR-07"])
        self.assertIn("first: 512thread/nccl_56channels/rocprof_traces", notices["SWDIR-08"])
        self.assertEqual(len(self.lanes("s/512thread/nccl_56channels/rocprof_traces")[0]), 1)
        self.assertEqual(len(self.lanes("s/512thread/nccl_28channels")[0]), 1)

    def test_the_table_of_a_sweep_of_rocprofv3(self):
        """Without operators there is no GEMM, but what was read is listed."""
        for threads in (256, 512):
            self.results(f"s/{threads}thread/nccl_28channels/rocprof_traces/7_results.json", names=("a", "b"))
        r = self.ok("run", "-p", "gemm-variance", "s", "-o", "out", "--format", "text,csv,json")
        rows = (self.folder / "out" / "tables" / "sweep.csv").read_text().splitlines()
        self.assertEqual(rows[1:], [f"0,{t},28,s/{t}thread/nccl_28channels/rocprof_traces/7_results.json,2,0,0,no-gemm" for t in (256, 512)])
        self.assertIn("\nleft out: gemm-ops, op-summary, op-perf (no operators)\n", r.out)
        notices = {n["code"]: n for n in json.loads((self.folder / "out" / "summary.json").read_text())["notices"]}
        self.assertEqual(notices["GVAR-01"]["count"], 2)

    def test_paths_patterns_and_compressed_traces(self):
        self.sweep()
        path = self.folder / "s/256thread/nccl_28channels/torch_profiler/rank0/pt.json"
        path.with_suffix(".json.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
        lanes, _ = self.lanes("s/*thread/nccl_28channels")
        self.assertEqual([(rank, tags["threads"]) for _, rank, tags in lanes], [(rank, threads) for threads in ("1024", "256") for rank in (0, 1, 10)])
        self.assertTrue(any(name.endswith("rank0/pt.json.gz") for name, _, _ in lanes))

    def test_nothing_is_written_below_it(self):
        self.sweep()
        before = sorted(map(str, (self.folder / "s").rglob("*")))
        self.ok("run", "-p", "gemm-variance", "s", "--format", "csv,gemm-csv")
        self.ok("convert", "s", "-o", "{threads}thread_{channels}ch_merged.json")
        self.assertEqual(sorted(map(str, (self.folder / "s").rglob("*"))), before)

    def test_a_broken_result_is_named(self):
        self.results("s/256thread/nccl_28channels/rocprof_traces/1_results.json", names=("a", "b"))
        path = self.folder / "s/256thread/nccl_28channels/rocprof_traces/1_results.json"
        path.write_text(path.read_text()[:-40])
        self.fails(3, "run", "-p", "kernels", "s", "-o", "out", says=["ROCPF-02", "1_results.json:1:"])
        self.ok("run", "-p", "kernels", "s", "-o", "out", "--recover")
        rows = (self.folder / "out" / "tables" / "kernel-time.csv").read_text().splitlines()
        self.assertEqual(len(rows), 2, rows)

    def test_stages_that_need_operators_are_left_out(self):
        self.results("a.json")
        r = self.ok("run", "-p", "torch", "a.json", "-o", "out")
        run = json.loads((self.folder / "out" / "run.json").read_text())
        lacks = {e["id"]: e.get("lacks") for e in run["profile"]["stages"]}
        self.assertEqual({name for name, fact in lacks.items() if fact == "operators"}, {"op-summary", "op-perf"})
        self.assertIn("ROCPF-25", {n["code"] for n in run["notices"]})
        self.assertTrue((self.folder / "out" / "tables" / "kernel-summary.csv").exists())
        self.assertIn("\nleft out: op-summary, op-perf (no operators)\n", r.out)
        wanted = (self.folder / "out" / "summary.txt").read_text()
        self.ok("report", "out", "--format", "text", "-f")
        self.assertEqual((self.folder / "out" / "summary.txt").read_text(), wanted)
        self.trace("b.json")
        r = self.ok("run", "-p", "torch", "a.json", "b.json", "-f", "-o", "out")
        self.assertIn("\nleft out: op-summary, op-perf (no operators in 1 of 2 inputs)\n", r.out)
        run = json.loads((self.folder / "out" / "run.json").read_text())
        self.assertIn("2 times a stage was left out for an input (first: op-summary, which needs operators)", [n["what"] for n in run["notices"]])
