#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The profile torch against what the generator planned, and against a recomputation from the file.

Every piece of device work is in the table links and every kernel in kernel-summary; the order of the events in the file, and
the spelling of categories, make no difference."""
import argparse
import collections
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from program import Program  # noqa: E402

OLD = {"cpu_op": "Operator", "cuda_runtime": "Runtime", "kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset",
       "ac2g": "async_cpu_to_gpu"}
EVENTS = "6000"


def rows(folder, table):
    with open(folder / "tables" / f"{table}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ns(event, key):
    return round(event[key] * 1000)


def device_work(events):
    return [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]


def union(intervals):
    total, until = 0, None
    for start, end in sorted(intervals):
        start = start if until is None else max(start, until)
        total += max(0, end - start)
        until = end if until is None else max(end, until)
    return total


def nearest(operators, call):
    """The shortest operator of the call's thread around it, else the call."""
    around = [o for o in operators[call["pid"], call["tid"]]
              if ns(o, "ts") <= ns(call, "ts") and ns(o, "ts") + ns(o, "dur") >= ns(call, "ts") + ns(call, "dur")]
    return min(around, key=lambda o: o["dur"]) if around else call


def direct_times(events):
    """By name: the sum over calls of operators of the union of what each launched, without communication."""
    operators, calls, work = collections.defaultdict(list), {}, collections.defaultdict(list)
    for e in events:
        if e.get("cat") == "cpu_op":
            operators[e["pid"], e["tid"]].append(e)
        if e.get("cat") == "cuda_runtime":
            calls[e["args"]["correlation"]] = e
    for e in device_work(events):
        call = calls.get(e["args"]["correlation"])
        if call and "nccl" not in e["name"]:
            launcher = nearest(operators, call)
            work[id(launcher), launcher["name"]].append((ns(e, "ts"), ns(e, "ts") + ns(e, "dur")))
    times = collections.Counter()
    for (_, name), intervals in work.items():
        times[name] += union(intervals)
    return times


def check_rank(folder, rank, events, truth):
    work = device_work(events)
    links = {(r["link"], r["launcher"]): (int(r["events"]), int(r["time_ns"]))
             for r in rows(folder, "links") if r["rank"] == rank}
    assert sum(n for n, _ in links.values()) == len(work)
    assert sum(t for _, t in links.values()) == sum(ns(e, "dur") for e in work)
    assert links["correlation", "graph"] == (truth["graph_kernels"], truth["graph_ns"])
    assert links["none", "none"] == (truth["lone_kernels"], truth["lone_ns"])
    kernels = [e for e in work if e["cat"] == "kernel"]
    summary = [r for r in rows(folder, "kernel-summary") if r["rank"] == rank]
    assert sum(int(r["calls"]) for r in summary) == len(kernels)
    assert sum(int(r["total_ns"]) for r in summary) == sum(ns(e, "dur") for e in kernels)
    ops = {r["name"]: int(r["total_ns"]) for r in rows(folder, "ops-rank") if r["rank"] == rank}
    assert ops == direct_times(events)


def check_run(folder, truth):
    products = [r for r in rows(folder, "op-perf") if r["name"] == "aten::addmm" and r["flop"]]
    assert len(products) == 1
    row, ranks = products[0], truth["ranks"]
    assert int(row["calls"]) == sum(r["products"] for r in ranks)
    assert int(row["total_ns"]) == sum(r["product_ns"] for r in ranks)
    assert int(row["flop"]) == 2 * 256 * 512 * 1024 + 256 * 1024
    assert int(row["bytes"]) == 2 * (256 * 512 + 512 * 1024 + 256 * 1024 + 1024)


def variants(trace):
    """The same trace in the old spelling, and with its events in another order."""
    text = json.dumps(trace)
    old = json.loads(text)
    for e in old["traceEvents"]:
        e["cat"] = OLD.get(e.get("cat"), e.get("cat"))
        if e["cat"] is None:
            del e["cat"]
    shuffled = json.loads(text)
    random.Random(7).shuffle(shuffled["traceEvents"])
    return {"old": old, "shuffled": shuffled}


def tables_of(folder):
    """The order of events breaks ties between equal rows only, and there are none."""
    return {p.name: p.read_text(encoding="utf-8") for p in sorted((folder / "tables").glob("*.csv"))}


def check_order(run, profile, *orders):
    """The tables, whichever rank is named first."""
    found = [tables_of(run(f"{profile}-{i}", *words, profile=profile)) for i, words in enumerate(orders)]
    assert found[0] and all(f == found[0] for f in found), f"{profile}: {[t for t in found[0] if found[0][t] != found[1].get(t)]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "source", "kineto-gen"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    program = Program(options.build, options.source)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        subprocess.run([options.kineto_gen.resolve(), "--operators", "--events", EVENTS, "--ranks", "2", "--stamps", "relative",
                        "-o", scratch / "rank{rank}.json", "--truth", scratch / "truth.json"], check=True)
        truth = json.loads((scratch / "truth.json").read_text(encoding="utf-8"))
        traces = [json.loads((scratch / f"rank{r}.json").read_text(encoding="utf-8")) for r in range(2)]

        def run(out, *inputs, profile="torch"):
            status, _, err = program.run(["run", "--verify", "-p", profile, "--format", "csv", "-o", out, *inputs], scratch)
            assert status == 0, err
            return scratch / out

        folder = run("out", "rank0.json", "rank1.json")
        for number, trace in enumerate(traces):
            check_rank(folder, str(number), trace["traceEvents"], truth["ranks"][number])
        check_run(folder, truth)
        wanted = tables_of(run("alone", "rank0.json"))
        for name, trace in variants(traces[0]).items():
            (scratch / name).mkdir()
            (scratch / name / "rank0.json").write_text(json.dumps(trace), encoding="utf-8")
            got = tables_of(run(f"out-{name}", f"{name}/rank0.json"))
            different = [t for t in wanted if wanted[t] != got.get(t)]
            assert not different, f"{name}: {different}"
        files = [f"rank{r}.json" for r in range(2)]
        for profile in ("torch", "torch-modules", "torch-trace", "collectives", "gemm-variance"):
            check_order(run, profile, files, files[::-1])
        sides = [f"base={files[0]}", f"new={files[1]}"]
        check_order(run, "torch-diff", sides, sides[::-1])
    print("the profile torch has what was planned")
    return 0


if __name__ == "__main__":
    sys.exit(main())
