"""convert --layout pipeline against another computation of what aorta's merge of ranks gives: event by event, with the
order of events and of their members."""
# SPDX-License-Identifier: MIT
import gzip
import itertools
import json
import subprocess
import sys

from harness import BUILD, SOURCE, Case

DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation"}
HOST = {"cpu_op", "cuda_runtime", "user_annotation", "fwdbwd"}
KEPT = {"kernel", "Kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver", "gpu_user_annotation", "ac2g",
        "user_annotation", "fwdbwd", "cpu_instant_event"}


def events_of(document):
    return document if isinstance(document, list) else document["traceEvents"]


def merged_rank(rank, events):
    """One rank's events as they become; events are changed in place, as members keep their order."""
    categories = {}
    for e in events:
        if "pid" in e:
            categories.setdefault(e["pid"], set()).add(e.get("cat"))
    bases = {pid: rank * 1000 if found & DEVICE else rank * 1000 + 500
             for pid, found in categories.items() if found & (DEVICE | HOST)}
    threads = {}
    for e in events:
        if e.get("cat") not in KEPT:
            continue
        if "pid" not in e:
            yield e
            continue
        if e["pid"] not in bases:
            continue
        base, row = bases[e["pid"]], (e["pid"], e.get("tid", 0))
        known = threads.setdefault(base, {})
        e["pid"], e["tid"] = base, known.setdefault(row, len(known))
        e.setdefault("args", {})["rank"] = rank
        if "name" in e:
            e["name"] = f"[R{rank}] {e['name']}"
        yield e


def rows_of(rank):
    for pid, name, order in ((rank * 1000, f"Rank {rank} - GPU Stream", 2 * rank),
                             (rank * 1000 + 500, f"Rank {rank} - CPU/CUDA Runtime", 2 * rank + 1)):
        for row, args in (("process_name", {"name": name}), ("process_sort_index", {"sort_index": order})):
            yield {"ph": "M", "name": row, "pid": pid, "tid": 0, "ts": 0, "cat": "__metadata", "args": args}


def merged(documents, n):
    """Of {rank: document}: all events, then rows of n ranks."""
    of_ranks = (merged_rank(rank, events_of(documents[rank])) for rank in sorted(documents))
    return [*itertools.chain(*of_ranks), *itertools.chain(*map(rows_of, range(n)))]


def in_order(value):
    """With the order of members, which equality of objects does not see."""
    if isinstance(value, dict):
        return [(key, in_order(v)) for key, v in value.items()]
    return [in_order(v) for v in value] if isinstance(value, list) else value


def x(name, cat, pid, tid, ts, **more):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": 1, **more}


ODD = [
    x("a", "kernel", "Spans", "stream 7", 1.5),
    x("b", "Kernel", "old", 7, 2),
    x("b2", "Memcpy", "old", 7, 2),
    x("text pid of a host", "cuda_runtime", "", "", 2.25),
    x("digits as a text", "ac2g", "7", 1, 3),
    x("and as a number", "cuda_driver", 7, 1, 3),
    x("makes it a host", "cpu_op", 7, 2, 3),
    {"ph": "X", "cat": "kernel", "name": "no thread", "pid": 0, "ts": 4, "dur": 0},
    x("thread 0 is the same", "kernel", 0, 0, 4, args={}),
    {"name": "no process", "cat": "kernel", "ph": "X", "ts": 4, "args": {"rank": "kept"}},
    {"ph": "X", "cat": "gpu_memset", "pid": 0, "tid": 1, "ts": 4, "dur": 1},
    {"ph": "X", "name": "no category", "pid": 0, "tid": 1, "ts": 4, "dur": 1},
    {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "python"}},
    {"ph": "M", "name": "odd row", "cat": "kernel", "pid": 0, "tid": 5, "args": {"name": "n"}},
    {"ph": "C", "name": "GPU 0 util", "cat": "gpu_user_annotation", "pid": 0, "ts": 5, "args": {"a": 1, "b": 2.5}},
    {"ph": "C", "name": "host counter", "cat": "counter", "pid": 7, "ts": 5, "args": {"a": 1}},
    {"ph": "s", "id": 77, "cat": "ac2g", "name": "ac2g", "pid": 7, "tid": 2, "ts": 3},
    {"ph": "f", "id": 77, "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": 5, "ts": 5, "bp": "e"},
    {"ph": "s", "id": "0x7", "cat": "fwdbwd", "name": "fwdbwd", "pid": 7, "tid": 3, "ts": 3},
    {"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event", "pid": 7, "tid": 2, "ts": 6.001,
     "args": {"Bytes": -512, "Addr": 140737488355328, "nested": {"deep": [1, [2, {"x": None}]], "t": True}}},
    x("rank was there", "kernel", 0, 9, 7, args={"first": 1, "rank": [9, 9], "last": "\u00e9\ud83d\ude00\\\"\n"}),
    x("\u540d\u524d \"quoted\" \\ \t", "user_annotation", 7, 2, 8, **{"extra member": {"pid": 1}, "tts": 3, "id": 12, "attr": {"k": 1}}),
    x("of a process that is none", "ac2g", 99, 1, 8),
    x("", "kernel", 0, 9, 9),
    x("negative", "kernel", 0, -1, -5, args={"External id": 18446744073709551615, "correlation": 4}),
]


class PipelineLayout(Case):
    def read(self, name):
        data = (self.folder / name).read_bytes()
        return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)

    def check(self, output, documents, n=None):
        found = self.read(output)
        self.assertEqual(list(found), ["traceEvents"])
        wanted = merged(documents, n or max(documents) + 1)
        for index, (ours, theirs) in enumerate(zip(found["traceEvents"], wanted)):
            self.assertEqual(in_order(ours), in_order(theirs), index)
        self.assertEqual(len(found["traceEvents"]), len(wanted))

    def convert(self, *words):
        return self.ok("convert", "--layout", "pipeline", *words)

    def documents(self, folder):
        """{rank: document} of a configuration, as it lies."""
        return {int(path.name[4:]): json.loads(next(path.rglob("*.json")).read_text())
                for path in (folder / "torch_profiler").iterdir()}

    def test_the_sample(self):
        for folder in sorted((SOURCE / "samples" / "sweep").glob("*thread/nccl_*channels")):
            self.convert(folder, "-o", "m.json", "-f")
            self.check("m.json", self.documents(folder))

    def test_each_configuration_of_a_sweep(self):
        """Three ranks, traces that a report moved; all in one command."""
        subprocess.run([sys.executable, str(SOURCE / "tests/gen/sweep-gen.py"), "--ranks", "3", "--below", "-o", str(self.folder / "s")], check=True)
        self.convert("s", "-o", "out/{threads}thread_{channels}ch_merged.json.gz")
        names = sorted(p.name for p in (self.folder / "out").iterdir())
        self.assertEqual(names, [f"{t}thread_{c}ch_merged.json.gz" for t in (256, 512) for c in (28, 56)])
        for t, c in itertools.product((256, 512), (28, 56)):
            self.check(f"out/{t}thread_{c}ch_merged.json.gz", self.documents(self.folder / f"s/{t}thread/nccl_{c}channels"))

    def test_the_profiler_with_operators(self):
        """Bases of times that differ stay as they are."""
        for stamps in ("base", "epoch"):
            subprocess.run([str(BUILD / "tests/gen/kineto-gen"), "--events", "3000", "--ranks", "3", "--operators", "--stamps", stamps,
                            "-o", str(self.folder / "g{rank}.json")], check=True)
            self.convert("g0.json", "g1.json", "g2.json", "-o", "m.json", "-f")
            self.check("m.json", {rank: self.read(f"g{rank}.json") for rank in range(3)})

    def odd(self, *ranks):
        for rank in ranks:
            self.write(f"rank{rank}.json", json.dumps({"baseTimeNanoseconds": rank * 1000, "traceEvents": ODD, "after": 1}))
        return {rank: self.read(f"rank{rank}.json") for rank in ranks}

    def test_odd_events(self):
        documents = self.odd(0, 3)
        self.convert("rank0.json", "rank3.json", "-o", "m.json")
        self.check("m.json", documents)
        self.write("rank1.json", json.dumps(ODD, indent=1))
        self.convert("rank1.json", "-o", "list.json")
        self.check("list.json", {1: json.loads(json.dumps(ODD))})

    def test_keys_that_come_twice(self):
        """The last one counts, where the first one was."""
        text = '{"traceEvents":[{"ph":"X","pid":1,"cat":"cpu_op","name":"n","cat":"kernel","tid":4,"pid":2,"ts":1,"dur":1,"args":{"rank":1,"a":2,"rank":3}}]}'
        self.write("rank2.json", text)
        self.convert("rank2.json", "-o", "m.json")
        self.check("m.json", {2: json.loads(text)})

    def test_ranks_come_by_number(self):
        documents = self.odd(0, 2, 10)
        self.convert("rank10.json", "rank2.json", "rank0.json", "-o", "m.json")
        self.check("m.json", documents)

    def test_rows_of_ranks_that_are_not_there(self):
        documents = self.odd(1)
        self.convert("rank1.json", "-o", "m.json", "--set", "trace.rank-rows=8")
        self.check("m.json", documents, 8)
        self.fails(2, "convert", "--layout", "pipeline", "rank1.json", "-o", "n.json", "--set", "trace.rank-rows=100001")

    def test_no_events(self):
        self.write("rank0.json", '{"traceEvents": []}')
        self.write("rank1.json", '{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"n","pid":1,"tid":1,"ts":1,"dur":1}]}')
        self.convert("rank0.json", "rank1.json", "-o", "m.json")
        self.check("m.json", {rank: self.read(f"rank{rank}.json") for rank in range(2)})

    def test_the_same_bytes_however_it_runs(self):
        self.odd(0, 1, 2)
        ranks = [f"rank{rank}.json" for rank in range(3)]
        found = set()
        for number, how in enumerate(([], ["-j", "3"], ["--batch-size", "1"], ["--hold", "always"], ["--hold", "never"], ["--max-memory", "8MiB", "--hold", "always"])):
            self.convert(*ranks, "-o", f"m{number}.json", *how)
            found.add((self.folder / f"m{number}.json").read_bytes())
        piped = self.ok("convert", "--layout", "pipeline", *ranks, "-o", "-").out.encode()
        self.assertEqual(found, {piped})

    def test_a_file_for_each_rank(self):
        documents = self.odd(0, 1)
        self.convert("rank0.json", "rank1.json", "-o", "own-{rank}.json")
        for rank in range(2):
            self.check(f"own-{rank}.json", {rank: documents[rank]}, rank + 1)

    def test_broken_and_missing_ranks(self):
        """The original leaves them out, and says nothing in its status."""
        documents = self.odd(0, 2)
        self.write("rank1.json", '{"traceEvents": [{"ph":"X","name"')
        ranks = ["rank0.json", "rank1.json", "rank2.json"]
        self.fails(3, "convert", "--layout", "pipeline", *ranks, "-o", "m.json", says="rank1.json")
        self.assertFalse((self.folder / "m.json").exists())
        self.fails(3, "convert", "--layout", "pipeline", *ranks, "-o", "m.json", "--keep-going", says="rank1.json")
        self.check("m.json", documents, 3)

    def test_ranks_that_do_not_fit(self):
        self.write("plain.json")
        self.odd(0)
        self.write("b/rank0.json", (self.folder / "rank0.json").read_bytes())
        self.write("rank100000.json")
        for words, says in ((["plain.json"], "has none"), (["rank0.json", "b/rank0.json"], "two inputs have the same rank"),
                            (["rank100000.json"], "too large")):
            self.fails(3, "convert", "--layout", "pipeline", *words, "-o", "m.json", says=says)
            self.assertFalse((self.folder / "m.json").exists())
        self.fails(2, "convert", "rank0.json", "-o", "m.json", "--layout", "other", says="--layout")
        self.fails(2, "convert", "rank0.json", "-o", "m.json", "--layout", "pipeline", "--split-size", "1k", says="cannot be split")

    def test_with_other_stages(self):
        """Sorted events number threads in their new order; windows cut before."""
        self.odd(0)
        self.convert("rank0.json", "-o", "m.json", "--sort")
        times = [e["ts"] for e in self.read("m.json")["traceEvents"] if "ts" in e and e["ph"] != "M"]
        self.assertEqual(times, sorted(times))
        self.ok("convert", "rank0.json", "-o", "some.json", "--max-events", "3")
        self.convert("rank0.json", "-o", "three.json", "--max-events", "3")
        self.check("three.json", {0: self.read("some.json")})
