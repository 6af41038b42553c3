#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Operators within graph launches, against plans that know them: graphs-test.py --build BUILD [--count N]

1. Planted captures (tests/gen/graphs.py) in each dialect: one graph of three without a capture, streams that run otherwise than
   they were captured, names that graphs share.  Tables by operator, by arguments and by kernel, to the ns.
2. Captures and replays of random names with random edits: how much is found, against a search of all common blocks."""
import argparse
import csv
import json
import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property"), str(HERE.parent / "gen")]
import graphs  # noqa: E402
from program import Program  # noqa: E402


LAYERS = (3, 10)  # of the planted model


def common(a, b):
    """How many are in what both begin and end with, and in the longest common blocks of what is between."""
    begin = end = 0
    while begin < min(len(a), len(b)) and a[begin] == b[begin]:
        begin += 1
    while end < min(len(a), len(b)) - begin and a[-1 - end] == b[-1 - end]:
        end += 1
    return begin + end + blocks(a[begin:len(a) - end], b[begin:len(b) - end])


def blocks(a, b):
    def length(i, j):
        n = 0
        while i + n < len(a) and j + n < len(b) and a[i + n] == b[j + n]:
            n += 1
        return n

    found = [(-length(i, j), abs(i - j), i, j) for i in range(len(a)) for j in range(len(b))]
    n, _, i, j = min(found, default=(0, 0, 0, 0))
    return blocks(a[:i], b[:j]) - n + blocks(a[i - n:], b[j - n:]) if n else 0


class Test:
    def __init__(self, program, folder):
        self.program, self.folder, self.compared, self.broken = program, folder, 0, []

    def same(self, what, found, wanted):
        self.compared += 1
        if found != wanted:
            self.broken.append(f"{what}: {found}, not {wanted}")

    def run(self, trace, *more):
        status, _, err = self.program.run(["run", "-p", "torch", trace, *more, "--format", "csv", "-o", "out", "-f"], cwd=self.folder)
        if status:
            raise SystemExit(f"{trace}: status {status}: {err}")
        return {p.stem: list(csv.DictReader(p.open(newline=""))) for p in (self.folder / "out/tables").glob("*.csv")}

    def table_of_graphs(self, what, rows, wanted):
        found = [{"replay": int(r["replay"]), "file": r["file"], "pieces": int(r["pieces"]), "matched": int(r["matched"]),
                  "matched_percent": round(float(r["matched_percent"]), 6)} for r in rows]
        self.same(f"{what} graphs", found, wanted)

    # ---- planted captures

    def write(self, plan, dialect):
        captures = self.folder / "capture_traces"
        captures.mkdir(exist_ok=True)
        for graph in plan.captured:
            (captures / f"graph_{graph.number}.json").write_text(json.dumps(graphs.capture(graph)))
        name = {"kineto": "trace.json", "rocprof": "trace_results.json", "nsys": "trace.sqlite"}[dialect]
        path = self.folder / name
        path.unlink(missing_ok=True)
        if dialect == "nsys":
            graphs.nsys_database(plan, path)
        else:
            path.write_text(graphs.kineto(plan) if dialect == "kineto" else graphs.rocprof_text(plan))
        return name

    def operators(self, what, plan, tables):
        arguments = plan.by_arguments()
        known = {op for op, _ in arguments}
        found = {(r["name"], r["dims"]): [int(r["calls"]), int(r["total_ns"])] for r in tables["ops-args"] if r["name"] in known}
        self.same(f"{what} ops-args", found, arguments)
        sums = {}
        for (op, _), (calls, ns) in arguments.items():
            sums[op] = [sums.get(op, [0, 0])[0] + calls, sums.get(op, [0, 0])[1] + ns]
        self.same(f"{what} ops", {r["name"]: [int(r["calls"]), int(r["total_ns"])] for r in tables["ops"] if r["name"] in known}, sums)
        layers = {r["module"] for r in tables["modules"]}
        self.same(f"{what} modules", all(re.fullmatch(r"Model_0/Layer_-?\d+", layer) for layer in layers) and len(layers) > 1, True)
        products = {(r["dims"], int(r["flop"])): int(r["calls"]) for r in tables["op-perf"] if r["name"] == "aten::mm"}
        wanted = {(dims, 2 * json.loads(dims)[0][0] * 64 * 96): calls for (op, dims), (calls, _) in arguments.items() if op == "aten::mm"}
        self.same(f"{what} op-perf", products, wanted)

    def kernels(self, what, plan, rows):
        found = {}
        for r in rows:
            key = ("GRAPH" if "Graph" in r["op"] else r["op"], r["kernel"])
            found[key] = found.get(key, 0) + int(r["total_ns"])
        self.same(f"{what} kernel-summary", found, plan.by_kernel())

    def planted(self, seed, dialect):
        plan, what = graphs.Plan(seed, layers=LAYERS[seed % len(LAYERS)]), f"seed {seed} {dialect}"
        trace = self.write(plan, dialect)
        tables = self.run(trace)
        self.table_of_graphs(what, tables["graphs"], plan.truth)
        self.operators(what, plan, tables)
        self.kernels(what, plan, tables["kernel-summary"])
        if dialect == "kineto":
            self.compared_with_itself(what, plan, trace)
            tokens = sum(step.batch for step in plan.steps)
            self.same(f"{what} phases", [[r["phase"], int(r["steps"]), int(r["tokens"])] for r in tables["phases"]], [["decode", len(plan.steps), tokens]])

    def compared_with_itself(self, what, plan, trace):
        """Operators of captures are those of a comparison, too: only the graph without a capture hangs on its launch."""
        status, _, err = self.program.run(["compare", trace, trace, "--force", "-o", "why"], cwd=self.folder)
        if status:
            raise SystemExit(f"compare {trace}: status {status}: {err}")
        rows = [r for r in csv.DictReader((self.folder / "why/tables/why.csv").open(newline="")) if r["level"] == "kernel" and r["part"] == "compute"]
        self.same(f"{what} why, operators", {r["op"].split(" [")[0] for r in rows} - {"cudaGraphLaunch"},
                  {op for op, _ in plan.by_kernel() if op not in ("GRAPH", "aten::copy_")})
        self.same(f"{what} why, without one", {r["kernel"] for r in rows if r["op"] == "cudaGraphLaunch"},
                  {kernel for op, kernel in plan.by_kernel() if op == "GRAPH"})

    # ---- random names

    @staticmethod
    def edited(r, names):
        names = list(names)
        for _ in range(r.randrange(6)):
            at = r.randrange(len(names) + 1)
            if r.random() < 0.5 and len(names) > 1:
                del names[at:at + r.randrange(1, 4)]
            else:
                names[at:at] = [r.choice("abcxyz") for _ in range(r.randrange(1, 3))]
        return names or ["x"]

    @staticmethod
    def best(captures, names):
        """The capture that is equal; else the first of those with most."""
        if names in captures:
            return len(names), f"c{captures.index(names)}.json"
        most, file = 0, ""
        for number, captured in enumerate(captures):
            matched = common(captured, names)
            if matched > most:
                most, file = matched, f"c{number}.json"
        return most, file

    def edits(self, seed):
        r = random.Random(seed)
        captures = []
        while len(captures) < 3:
            names = [r.choice("abcdef"[:r.randrange(2, 7)]) for _ in range(r.randrange(3, 60))]
            if r.random() < 0.3:
                names = r.sample([f"k{i}" for i in range(60)], r.randrange(3, 60))
            captures += [names] if names not in captures else []
        replays = [self.edited(r, r.choice(captures)) for _ in range(8)]
        folder = self.folder / "edits"
        (folder / "captures").mkdir(parents=True, exist_ok=True)
        for number, names in enumerate(captures):
            events = [{"ph": "X", "name": "hipLaunchKernel", "cat": "cuda_runtime", "pid": 1, "tid": 2, "ts": 10 * i, "dur": 1,
                       "args": {"kernel": name, "correlation": i + 1}} for i, name in enumerate(names)]
            (folder / f"captures/c{number}.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        events, truth = [], []
        for number, names in enumerate(replays):
            events.append({"ph": "X", "name": "hipGraphLaunch", "cat": "cuda_runtime", "pid": 1, "tid": 2, "ts": 1000 * number, "dur": 1,
                           "args": {"correlation": number + 1}})
            events += [{"ph": "X", "name": name, "cat": "kernel", "pid": 0, "tid": 7, "ts": 1000 * number + 10 * i + 5, "dur": 2,
                        "args": {"correlation": number + 1}} for i, name in enumerate(names)]
            matched, file = self.best(captures, names)
            truth.append({"replay": number, "file": file, "pieces": len(names), "matched": matched,
                          "matched_percent": round(100 * matched / len(names), 6)})
        r.shuffle(events)
        (folder / "trace.json").write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}))
        self.table_of_graphs(f"edits {seed}", self.run("edits/trace.json", "capture=edits/captures")["graphs"], truth)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, default=HERE.parent.parent)
    parser.add_argument("--count", type=int, default=8, help="seeds of each")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        test = Test(Program(options.build, options.source), pathlib.Path(folder))
        for seed in range(options.seed, options.seed + options.count):
            for dialect in ("kineto", "rocprof", "nsys"):
                test.planted(seed, dialect)
            test.edits(seed)
    for line in test.broken[:20]:
        print(line)
    print(f"graphs: {test.compared} numbers compared, {len(test.broken)} differ")
    return bool(test.broken)


if __name__ == "__main__":
    sys.exit(main())
