"""Checks that the generators write what they promise, by reading their files with Python's parser.

usage: gen-test.py KINETO_GEN AIU_GEN
"""
# SPDX-License-Identifier: MIT

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "differ"))
import packets  # noqa: E402

WRAP = 1 << 32


def run(program, scratch, name, *options):
    """Returns the parsed files of all ranks and the truth."""
    truth_path = os.path.join(scratch, name + ".truth")
    pattern = os.path.join(scratch, name + "{rank}.json")
    subprocess.run([program, *options, "-o", pattern, "--truth", truth_path], check=True)
    with open(truth_path) as file:
        truth = json.load(file)
    traces = []
    for rank in truth["ranks"]:
        with open(os.path.join(scratch, f"{name}{rank['rank']}.json")) as file:
            traces.append(json.load(file, parse_float=Decimal))
    return traces, truth


def partial_overlaps(events):
    """Slices of one row that neither nest nor follow each other; times in whole nanoseconds."""
    rows = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            rows[e["pid"], e["tid"]].append((int(e["ts"] * 1000), -int(e["dur"] * 1000)))
    count = 0
    for row in rows.values():
        open_ends = []
        for start, minus_dur in sorted(row):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            count += bool(open_ends) and start - minus_dur > open_ends[-1]
            open_ends.append(start - minus_dur)
    return count


# --- kineto-gen ------------------------------------------------------------------------------


def check_kineto_trace(trace, truth, events):
    rows = trace["traceEvents"]
    kinds = collections.Counter(e["ph"] for e in rows)
    assert len(rows) == events == truth["events"]
    keys = {"X": "slices", "i": "instants", "M": "metadata", "s": "flow_starts", "f": "flow_ends"}
    assert all(kinds[kind] == truth[key] for kind, key in keys.items())
    assert partial_overlaps(rows) == 0
    flows = collections.Counter((e["cat"], e["id"], e["ph"]) for e in rows if e["ph"] in "sf")
    assert set(flows.values()) <= {1} and all((c, i, "f") in flows for c, i, _ in flows)
    calls = {e["args"]["correlation"]: e for e in rows if e.get("cat") == "cuda_runtime"}
    device = [e for e in rows if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    for e in device:
        assert calls[e["args"]["correlation"]]["ts"] < e["ts"]
    compute = [e for e in device if e["cat"] == "kernel" and "Collective name" not in e["args"]]
    assert len(compute) == truth["kernels"]
    assert sum(int(e["dur"] * 1000) for e in compute) == truth["kernel_ns"]
    assert all(len(e["args"]) == 13 for e in compute)


def union(intervals):
    total, until = 0, None
    for start, end in sorted(intervals):
        if until is None or start > until:
            total += end - start
            until = end
        elif end > until:
            total += end - until
            until = end
    return total


def check_operators(program, scratch):
    """Products are the unions of their two kernels; graphs and lone kernels are told apart by their calls."""
    traces, truth = run(program, scratch, "o", "--operators", "--ranks", "2", "--events", "9000")
    for trace, rank in zip(traces, truth["ranks"]):
        rows = trace["traceEvents"]
        assert len(rows) == 9000 and partial_overlaps(rows) == 0
        calls = {e["args"]["correlation"]: e for e in rows if e.get("cat") == "cuda_runtime"}
        products = [e for e in rows if e["name"] == "aten::addmm" and "Input Dims" in e["args"]]
        assert len(products) == rank["products"] > 4
        assert all(len(e["args"]["Input Dims"]) == len(e["args"]["Input type"]) for e in products)
        sums = collections.Counter()
        below = collections.defaultdict(list)
        for e in rows:
            if e.get("cat") != "kernel":
                continue
            ns = int(e["dur"] * 1000)
            call = calls.get(e["args"]["correlation"])
            if not call or call["name"] == "cudaGraphLaunch":
                sums["graph" if call else "lone"] += ns
                continue
            at = call["ts"]
            for i, op in enumerate(products):
                if op["tid"] == call["tid"] and op["ts"] <= at < op["ts"] + op["dur"]:
                    below[i].append((int(e["ts"] * 1000), int(e["ts"] * 1000) + ns))
        assert (sums["graph"], sums["lone"]) == (rank["graph_ns"], rank["lone_ns"])
        assert all(len(kernels) == 2 for kernels in below.values())
        assert sum(map(union, below.values())) == rank["product_ns"]


def collective_ends(trace):
    return {e["args"]["Seq"]: e["ts"] + e["dur"] for e in trace["traceEvents"]
            if e.get("cat") == "kernel" and "Seq" in e["args"]}


def check_kineto(program, scratch):
    for layout in ("native", "compact", "pretty"):
        for stamps in ("relative", "epoch", "base"):
            for more in ([], ["--sorted"]):
                options = ["--events", "4000", "--layout", layout, "--stamps", stamps, *more]
                traces, truth = run(program, scratch, "k", "--ranks", "2", *options)
                for trace, rank in zip(traces, truth["ranks"]):
                    check_kineto_trace(trace, rank, 4000)
                    times = [e["ts"] for e in trace["traceEvents"]]
                    assert (times == sorted(times)) == bool(more)
                    assert ("baseTimeNanoseconds" in trace) == (stamps == "base")
                assert collective_ends(traces[0]) == collective_ends(traces[1]) != {}
    for events in (0, 1, 16, 17, 26, 27, 232, 233, 234):
        traces, _ = run(program, scratch, "small", "--events", str(events))
        assert len(traces[0]["traceEvents"]) == events
    check_operators(program, scratch)
    _, truth = run(program, scratch, "sized", "--size", "12M")
    assert abs(truth["ranks"][0]["bytes"] / (12 << 20) - 1) < 0.02


# --- aiu-gen ---------------------------------------------------------------------------------


def slices_of(trace, be):
    """The slices of a file; begin-end pairs stand next to each other."""
    rows = [e for e in trace["traceEvents"] if e["ph"] != "M"]
    if not be:
        return rows
    slices = []
    for begin, end in zip(rows[::2], rows[1::2]):
        assert (begin["ph"], end["ph"], begin["name"]) == ("B", "E", end["name"])
        slices.append({**begin, "ph": "X", "dur": end["ts"] - begin["ts"]})
    return slices


def check_counters(slices, key, truth, rank):
    """Every stamp must fit the host clock once offset, drift and wraps are taken off."""
    straddling, most_wraps = 0, 0
    for e in slices:
        args = e[key]
        if "TS1" not in args:
            continue
        stamps = [int(str(args[f"TS{i}"]), 0) for i in range(1, 6)]
        shown = stamps[("DmaI", "Prep", "Exec", "DmaO").index(e["name"].split()[-1])]
        host_ns = e["ts"] * 1000 - 1475 * 10**9 - rank["offset_ns"]
        true_ns = host_ns / (1 + Decimal(rank["drift_ppb"]) / 10**9)
        cycles = rank["first_count"] + true_ns * truth["soc_khz"] / 10**6
        wraps = round((cycles - shown) / WRAP)
        assert abs(cycles - shown - wraps * WRAP) <= 2
        straddling += stamps != sorted(stamps)
        most_wraps = max(most_wraps, wraps)
    assert (straddling, most_wraps) == (rank["straddling"], truth["wraps"])


def key_is_closed(events):
    """The rule that a flow analysis applies to all messages with one sync key."""
    members, opened, closed, multicast = set(), 0, 0, False
    for rank, args in events:
        peers = [int(peer) for peer in args["Peer"].split(",")]
        members |= {rank, *peers}
        opened += {"Set BCList": len(peers), "WDone Barrier": 0}.get(args["Type"], 1)
        closed += args["Type"] == "WDone Barrier"
        multicast |= args["Type"] in ("Set BCList", "MultiCast")
    n = len(members)
    enough = opened == 2 * n - 1 if multicast or n > 2 else opened > 0
    return n > 1 and enough and closed == n - 1


def check_collectives(all_slices, key, truth):
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    for rank, slices in enumerate(all_slices):
        for e in slices:
            if "CollGroup" in e[key]:
                sync = re.search(r"\[sync=(\S+)\]", e["name"])[1]
                groups[e[key]["CollGroup"]][sync].append((rank, e[key]))
    pairs = 0
    for keys in groups.values():
        assert len(keys) >= 2 and all(key_is_closed(events) for events in keys.values())
        for events in keys.values():
            receivers = {rank for rank, args in events if args["Type"] == "WDone Barrier"}
            sends = [args for _, args in events if args["Type"] in ("SingleCast", "MultiCast XSEG")]
            pairs += sum(int(args["Peer"]) in receivers for args in sends)
    assert (len(groups), pairs) == (truth["collectives"], truth["flow_pairs"])


def check_aiu_case(program, scratch, *options):
    traces, truth = run(program, scratch, "a", *options)
    be, key = "--be" in options, "attr" if "--attr" in options else "args"
    all_slices = [slices_of(trace, be) for trace in traces]
    for trace, slices, rank in zip(traces, all_slices, truth["ranks"]):
        assert len(trace["traceEvents"]) == truth["events"]
        assert len(slices) == rank["slices"]
        assert partial_overlaps(slices) == rank["overlaps"]
        kernels = [e for e in slices if e["name"].endswith(" Cmpt Exec")]
        assert len(kernels) == rank["kernels"]
        assert sum(int(e["dur"] * 1000) for e in kernels) == rank["kernel_ns"]
        assert ("Power" in kernels[0][key]) == ("--power" in options)
        check_counters(slices, key, truth, rank)
    check_collectives(all_slices, key, truth)
    return truth


def check_aiu(program, scratch):
    check_aiu_case(program, scratch, "--events", "500")
    check_aiu_case(program, scratch, "--events", "501", "--be", "--attr", "--stamps", "hex")
    for ranks in ("2", "3", "8"):
        truth = check_aiu_case(
            program, scratch, "--events", "2000", "--ranks", ranks, "--wraps", "3",
            "--soc-mhz", "1100", "--skew-us", "75.5", "--drift-ppm", "20", "--power",
            "--collectives", "12", "--overlaps", "10", "--stamps", "int")
        assert truth["ranks"][0]["offset_ns"] == 0 != truth["ranks"][1]["offset_ns"]
        assert all(abs(rank["offset_ns"]) <= 75500 for rank in truth["ranks"])
        assert all(rank["straddling"] > 0 < rank["overlaps"] for rank in truth["ranks"])


# --- pftrace-gen -----------------------------------------------------------------------------


def check_packets(scratch):
    """An independent reader finds in the packets what the truth says."""
    path, truth_path = os.path.join(scratch, "a.pftrace"), os.path.join(scratch, "a.truth")
    for more in ([], ["--chunk", "7"], ["--chunk", "3", "--compress", "20"]):
        written = []
        for seed in ("5", "5", "6"):
            command = [sys.executable, os.path.join(HERE, "pftrace-gen.py"), "--slices", "90", "--seed", seed, *more]
            subprocess.run([*command, "-o", path, "--truth", truth_path], check=True)
            with open(path, "rb") as file:
                written.append(file.read())
        assert written[0] == written[1] != written[2]
        with open(truth_path) as file:
            truth = json.load(file)
        events, lost = packets.read(written[2])
        kinds = collections.Counter(event["kind"] for event in events)
        found = {"slices": kinds["begin"], "instants": kinds["instant"], "counters": kinds["counter"],
                 "flows": kinds["flow-step"] + kinds["flow-end"]}
        assert not lost and kinds["begin"] == kinds["end"], lost
        assert found == {key: truth[key] for key in found}, (found, truth)
        times = sum((event["ts_ns"] if event["kind"] == "end" else -event["ts_ns"])
                    for event in events if event["kind"] in ("begin", "end"))
        assert times == truth["slice_ns"]


def check_repeatable(program, scratch):
    outputs = [subprocess.run([program, "--events", "1000", "--seed", seed], capture_output=True,
                              check=True).stdout for seed in ("5", "5", "6")]
    assert outputs[0] == outputs[1] != outputs[2]


def check_refusals(program):
    bad_jobs = ["--jobs", "2", "-o", "same.json"]  # kineto-gen has none at all
    for bad in (["--events", "x"], ["--nonsense"], ["--ranks", "2", "-o", "same.json"], ["stray"], bad_jobs):
        assert subprocess.run([program, *bad], capture_output=True).returncode == 2, bad


def main(kineto_gen, aiu_gen):
    with tempfile.TemporaryDirectory() as scratch:
        check_kineto(kineto_gen, scratch)
        check_aiu(aiu_gen, scratch)
        check_packets(scratch)
        for program in (kineto_gen, aiu_gen):
            check_repeatable(program, scratch)
            check_refusals(program)
    print("generators: all checks passed")


if __name__ == "__main__":
    main(*sys.argv[1:3])
