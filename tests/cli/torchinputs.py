"""Traces of PyTorch in every shape that profilers write, and bad ones: what the tables say, and what is said of what they lack."""
# SPDX-License-Identifier: MIT
import copy
import csv
import json

from harness import Case

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
FLOWS = {1: (120, 200), 2: (205, 260), 3: (255, 290), 4: (305, 330), 5: (520, 560)}
OLD = {"cpu_op": "Operator", "kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset", "cuda_runtime": "Runtime",
       "user_annotation": "Operator", "ac2g": "async_cpu_to_gpu"}
OTHER_TABLES = {"annotations.csv"}  # ProfilerStep is an operator of older traces


def host(cat, name, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 10, "tid": 1, "ts": ts, "dur": dur, "args": args}


def call(name, ts, dur, correlation, cat="cuda_runtime"):
    return host(cat, name, ts, dur, correlation=correlation)


def work(name, ts, dur, correlation, stream=7, cat="kernel", **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur,
            "args": {"stream": stream, "device": 0, "correlation": correlation, **args}}


def flows(pairs=FLOWS):
    for number, (start, end) in pairs.items():
        stream = 20 if number == 5 else 7
        yield {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": number, "pid": 10, "tid": 1, "ts": start}
        yield {"ph": "f", "bp": "e", "cat": "ac2g", "name": "ac2g", "id": number, "pid": 0, "tid": stream, "ts": end}


def collective(ranks=(0, 1), **more):
    return {"Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 2, "dtype": "Float",
            "In split size": [], "Out split size": [], "Process Group Name": "0", "Process Group Ranks": list(ranks), **more}


def events():
    """A step with a GEMM of 50 us, a copy of 20, a fill of 5, an elementwise kernel of 10 and an all-reduce of 100."""
    dims = {"Input Dims": [[16], [8, 32], [32, 16]], "Input type": ["float"] * 3}
    return [
        host("user_annotation", "ProfilerStep#3", 100, 900),
        host("cpu_op", "aten::linear", 110, 60), host("cpu_op", "aten::addmm", 115, 40, **dims),
        call("cudaLaunchKernel", 120, 10, 1), work("sgemm_128", 200, 50, 1),
        host("cpu_op", "aten::copy_", 200, 30), call("cudaMemcpyAsync", 205, 10, 2),
        work("Memcpy HtoD (Pageable -> Device)", 260, 20, 2, cat="gpu_memcpy", bytes=2000),
        host("cpu_op", "aten::zero_", 250, 20), call("cudaMemsetAsync", 255, 8, 3), work("Memset (Device)", 290, 5, 3, cat="gpu_memset", bytes=100),
        host("cpu_op", "aten::mul", 300, 20), call("cudaLaunchKernel", 305, 10, 4), work("vectorized_elementwise_kernel", 330, 10, 4),
        call("cudaLaunchKernel", 520, 10, 5), work(NCCL, 560, 100, 5, stream=20, **collective()),
    ] + list(flows())


def each(change, of=None):
    """The events, changed in place where `of` takes them."""
    out = copy.deepcopy(events())
    for e in out:
        if of is None or of(e):
            change(e)
    return out


def on_device(e):
    return e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")


def older(e):
    e["cat"] = OLD.get(e["cat"], e["cat"])


def text_stream(e):
    if e["pid"] == 0:
        e["tid"] = f"stream {e['tid']}"


def text_rows(e):
    text_stream(e)
    e["pid"], e["tid"] = str(e["pid"]), str(e["tid"])


def decimal(e):
    e["ts"] = e["ts"] + 0.0
    if "dur" in e:
        e["dur"] = float(e["dur"])


def text_args(e):
    for key, value in e.get("args", {}).items():
        if key not in ("Input Dims", "Input type"):
            e["args"][key] = json.dumps(value) if isinstance(value, (int, list)) else value


def document(list_of_events, rank=0, **top):
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, **top, "traceEvents": list_of_events}


SHAPES = [
    ("older categories", document(each(older))),
    ("older flows", document(each(lambda e: e.update(cat="async" if e["cat"] == "ac2g" else OLD.get(e["cat"], e["cat"]))))),
    ("streams as texts", document(each(text_stream))),
    ("streams in threads alone", document(each(lambda e: (text_stream(e), e.get("args", {}).pop("stream", None))))),
    ("rows as texts", document(each(text_rows))),
    ("decimal times", document(each(decimal))),
    ("times as texts", document(each(lambda e: e.update(ts=str(e["ts"]))))),
    ("numbers and lists as texts", document(each(text_args))),
    ("a base", document(events(), baseTimeNanoseconds=1712195495519689047)),
    ("the list alone", events()),
    ("other members, behind the events", {"traceEvents": events(), "distributedInfo": {"rank": 0, "world_size": 2}, "traceName": "x.json"}),
    ("linked by flows", document(each(lambda e: e["args"].pop("correlation"), on_device))),
]


class TorchCase(Case):
    def tables(self, trace, *options):
        self.write("t.json", json.dumps(trace))
        self.ok("run", "-p", "torch", "rank=0:t.json", "-o", "out", "-f", "--format", "csv,json", *options)
        tables = sorted((self.folder / "out" / "tables").iterdir())
        return {t.name: t.read_text() for t in tables if t.name not in OTHER_TABLES}

    def rows(self, table, out="out"):
        with open(self.folder / out / "tables" / (table + ".csv"), newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def notices(self, out="out"):
        return {n["code"]: n for n in json.loads((self.folder / out / "summary.json").read_text())["notices"]}


class TorchShapes(TorchCase):
    def test_the_same_in_every_shape(self):
        wanted = self.tables(document(events()))
        self.assertEqual({r["kernel"]: r["total_ns"] for r in self.rows("kernel-summary")},
                         {NCCL: "100000", "sgemm_128": "50000", "vectorized_elementwise_kernel": "10000"})
        self.assertEqual([(r["link"], r["events"], r["time_ns"]) for r in self.rows("links")],
                         [("correlation", "1", "100000"), ("correlation", "4", "85000")])
        for name, trace in SHAPES:
            with self.subTest(name):
                got = self.tables(trace)
                unlike = {table for table in wanted if got.get(table) != wanted[table]}
                # gpu-timeline counts launches by correlation alone
                self.assertEqual(unlike - ({"links.csv", "gpu-timeline.csv", "gpu-timeline-mean.csv"} if "flows" in name else set()), set())

    def test_several_events_of_one_correlation(self):
        """The call of the driver within that of the runtime is the one; all kernels of a graph belong to its launch."""
        self.tables(document(events() + [call("cuLaunchKernel", 122, 5, 1, cat="cuda_driver")]))
        delay = next(r for r in self.rows("op-delay") if r["op"] == "aten::addmm")
        self.assertEqual((delay["op_to_call_ns"], delay["call_to_device_ns"]), ("7000.0", "78000.0"))
        graph = [call("cudaGraphLaunch", 700, 10, 6), *(work(f"k{i}", 720 + 20 * i, 15, 6) for i in range(3))]
        self.tables(document(events() + graph))
        row = next(r for r in self.rows("links") if "graph" in r["launcher"])
        self.assertEqual((row["events"], row["time_ns"]), ("3", "45000"))
        self.assertEqual({r["category"] for r in self.rows("kernel-summary") if r["kernel"] in ("k0", "k1", "k2")}, {"graph"})
        self.assertIn("TREE-04", self.notices())


class TorchLacks(TorchCase):
    """Nothing at all is an error; what is missing beside something is said, with what to record."""

    def run_on(self, profile, trace):
        self.write("t.json", json.dumps(trace))
        self.ok("run", "-p", profile, "t.json", "-o", "out", "-f", "--format", "csv,json")
        return self.notices()

    def test_nothing_at_all(self):
        metadata = {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "python"}}
        for profile in ("torch", "torch-modules", "gemm-variance", "collectives", "torch-trace"):
            for trace in ([], document([]), document([metadata])):
                self.write("t.json", json.dumps(trace))
                self.fails(3, "run", "-p", profile, "t.json", "-o", "out", says=["RUN-19", "no events in t.json", "help: "])
                self.assertFalse((self.folder / "out").exists())
        for profile in ("torch-diff", "gemm-compare"):
            self.fails(3, "run", "-p", profile, "base=t.json", "new=t.json", "-o", "out", says="RUN-19")
        self.fails(3, "run", "-p", "torch", "t.json", "--keep-going", "-o", "out", says="RUN-19")
        self.assertTrue((self.folder / "out" / "summary.json").exists())
        self.ok("convert", "t.json", "-o", "c.json")
        self.ok("info", "t.json")
        self.write("mine.json", json.dumps({"profile": 1, "inherits": "torch", "stages": []}))
        self.fails(3, "run", "-p", "./mine.json", "t.json", "-o", "mine", says="RUN-19")

    def test_a_rank_without_events(self):
        self.write("rank0.json", json.dumps(document(events())))
        self.write("rank1.json", json.dumps(document([], rank=1)))
        r = self.ok("run", "-p", "torch", "rank0.json", "rank1.json", "-o", "out")
        self.assertIn("warning[RUN-29]: 1 input has no events (first: rank1.json)", r.out)

    def test_what_is_missing_is_said(self):
        host_only = [e for e in events() if e["pid"] == 10]
        device_only = [e for e in events() if on_device(e)]
        without = {"no GEMM": [e for e in events() if e["name"] not in ("aten::addmm", "aten::linear", "sgemm_128")],
                   "no collectives": [e for e in events() if e["name"] != NCCL],
                   "no arguments": each(lambda e: e.update(args={"stream": 20, "correlation": 5}), lambda e: e["name"] == NCCL)}
        for trace, codes in ((host_only, ["TREE-01", "KSUM-01", "OPSUM-01", "GVAR-01", "GEMM-01", "CREP-01"]),
                             (device_only, ["TREE-02", "OPSUM-01", "LAUNCH-01", "GVAR-01"]),
                             (without["no GEMM"], ["GVAR-01", "GEMM-01"]), (without["no collectives"], ["CREP-01"]),
                             (without["no arguments"], ["CREP-06"])):
            notices = self.run_on("gemm-variance", document(trace))
            for code in codes:
                self.assertTrue(notices[code]["effect"] and notices[code]["help"], code)
        self.assertIn("CREP-06", self.run_on("collectives", document(without["no arguments"])))
        self.assertIn("CREP-01", self.run_on("collectives", document(host_only)))

    def test_absurd_times(self):
        """A GEMM of 50 us on a stream whose next work begins 60 us later."""
        for change, code, gemm in (({"dur": -5}, "TREE-05", 60000), ({"dur": 4e9}, "TREE-05", 60000), ({"dur": 1e300}, "TREE-05", 60000),
                                   ({"ts": 9007199254740993}, "JSN-36", None), ({"dur": 0}, None, 0)):
            with self.subTest(change):
                trace = each(lambda e: e.update(change), lambda e: e["name"] == "sgemm_128")
                notices = self.run_on("torch", document(trace))
                total = [int(r["total_ns"]) for r in self.rows("kernel-summary") if r["kernel"] == "sgemm_128"]
                self.assertEqual(total, [] if gemm is None else [gemm])
                end = next(int(r["time_ns"]) for r in self.rows("gpu-timeline") if r["type"] == "total_time")
                self.assertEqual(end, 400000 if gemm is None else 460000)
                self.assertTrue(code is None or code in notices)

    def test_shapes_that_do_not_parse(self):
        for args in ({"Input Dims": "no list"}, {"Input Dims": [["a"], [8], [None, -3]]}, {"Input Dims": "[[16],[8,32],[32,..."},
                     {"Input Dims": [[16], [2**53, 2**53], [2**53, 2**53]]}, {"Input type": ["float99", "x", "y"]}, {"Input Dims": 5}):
            with self.subTest(args):
                trace = each(lambda e: e["args"].update(args), lambda e: e["name"] == "aten::addmm")
                notices = self.run_on("gemm-variance", document(trace))
                self.assertLessEqual({"OPERF-01", "GEMM-03"}, notices.keys())
                row = next(r for r in self.rows("op-perf") if r["name"] == "aten::addmm")
                self.assertEqual((row["total_ns"], row["flop"], row["bytes"]), ("50000", "", ""))

    def test_sides_of_a_comparison(self):
        self.write("t.json", json.dumps(document(events())))
        self.write("u.json", json.dumps(document(events())))
        for profile, code in (("gemm-compare", "SWCMP-0"), ("torch-diff", "TRDIFF-01")):
            for sides in (["t.json"], ["base=t.json"], ["new=t.json"], ["base=t.json", "base=u.json", "new=t.json"],
                          ["base=t.json", "new=t.json", "other=t.json"]):
                self.fails(3, "run", "-p", profile, *sides, "-o", "out", "-f", says=[code, "base=", "new="])
            self.ok("run", "-p", profile, "base=t.json", "new=t.json", "-o", "out", "-f")

    def test_a_broken_rank(self):
        whole = json.dumps(document(events(), rank=1))
        self.write("rank0.json", json.dumps(document(events())))
        for text in (whole[:len(whole) * 2 // 3], whole.replace('"cpu_op"', "cpu_op", 1)):
            self.write("rank1.json", text)
            for profile in ("torch", "gemm-variance", "collectives"):
                self.fails(3, "run", "-p", profile, "rank0.json", "rank1.json", "-o", "out", "-f", says="rank1.json")
                self.fails(3, "run", "-p", profile, "rank0.json", "rank1.json", "-o", "out", "-f", "--keep-going", says="rank1.json")
                self.assertTrue((self.folder / "out" / "run.json").exists())
            self.fails(3, "convert", "rank0.json", "rank1.json", "-o", "c.json", "-f", says="rank1.json")
            self.assertFalse((self.folder / "c.json").exists())
        self.write("rank1.json", whole[:len(whole) * 2 // 3])
        self.ok("run", "-p", "torch", "rank0.json", "rank1.json", "-o", "out", "-f", "--recover")
        self.assertIn("JSN-32", self.notices())
        self.assertEqual({r["rank"] for r in self.rows("kernel-summary")}, {"0", "1"})
