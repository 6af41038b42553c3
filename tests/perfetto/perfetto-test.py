"""Converts generated traces and asks Perfetto's trace_processor what it finds in them.

A written trace must hold as many slices, flows and counters as the trace it was made from, with the
same time in slices, and no new row of severity error or data_loss in Perfetto's stats. Status 77
(skipped) where trace_processor cannot be had.
"""
# SPDX-License-Identifier: MIT

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import engine

SKIPPED = 77


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="stagemill; may be missing")
    parser.add_argument("--kineto-gen", required=True)
    parser.add_argument("--aiu-gen", required=True)
    parser.add_argument("--pftrace-gen", required=True)
    parser.add_argument("--probe-gen", required=True)
    parser.add_argument("--cache", required=True, help="where the downloaded engine is kept")
    return parser.parse_args()


class Case:
    """One generated input, of one or more ranks."""

    def __init__(self, name, generator, options, scratch):
        self.name = name
        pattern = os.path.join(scratch, name + "-{rank}.json")
        truth = os.path.join(scratch, name + ".truth")
        subprocess.run([generator, *options, "-o", pattern, "--truth", truth], check=True)
        with open(truth) as file:
            self.ranks = json.load(file)["ranks"]
        self.paths = [pattern.replace("{rank}", str(rank["rank"])) for rank in self.ranks]


def generate(options, scratch):
    return [
        Case("kineto", options.kineto_gen, ["--events", "20000"], scratch),
        Case("kineto-epoch", options.kineto_gen,
             ["--events", "8000", "--layout", "compact", "--stamps", "epoch", "--sorted"], scratch),
        Case("kineto-pretty", options.kineto_gen,
             ["--events", "5000", "--layout", "pretty", "--stamps", "relative", "--ranks", "2"],
             scratch),
        Case("aiu", options.aiu_gen,
             ["--events", "3000", "--ranks", "2", "--wraps", "2", "--skew-us", "40", "--power",
              "--collectives", "20"], scratch),
        Case("aiu-overlaps", options.aiu_gen, ["--events", "2000", "--overlaps", "5"], scratch),
        Case("aiu-pairs", options.aiu_gen, ["--events", "2001", "--be", "--attr"], scratch),
    ]


def analyse(options, path):
    return engine.analyse(options.cache, path, optimise=False)


COUNTS = ("slices", "instants", "flows", "counters")


def stats_of(found):
    return {row["name"]: row["value"] for row in found["stats"]}


def check_input(case, rank, found):
    """Perfetto must see all that the generator wrote, else a comparison proves nothing."""
    stats = stats_of(found)
    overlaps = rank.get("overlaps", 0)
    dropped = stats.pop("slice_drop_overlapping_complete_event", 0)
    wanted = rank["slices"] + rank.get("instants", 0) - overlaps
    problems = []
    if found["slices"] != wanted or dropped != overlaps:
        problems.append(f"{found['slices']} slices and {dropped} dropped, "
                        f"expected {wanted} and {overlaps}")
    if found["flows"] != rank.get("flow_starts", 0):
        problems.append(f"{found['flows']} flows, expected {rank.get('flow_starts', 0)}")
    if stats:
        problems.append(f"stats {stats}")
    return [f"{case.name}, as generated: {problem}" for problem in problems]


def check_written(what, inputs, found):
    """`inputs`: what Perfetto found in each of the files that went into this one."""
    problems = []
    for key in COUNTS:
        wanted = sum(one[key] for one in inputs)
        if found[key] != wanted:
            problems.append(f"{what}: {found[key]} {key}, {wanted} in the input")
    wanted_ns = sum(one["slice_ns"] or 0 for one in inputs)
    # Perfetto reads stamps as doubles: half a microsecond of a slice can go either way.
    if abs((found["slice_ns"] or 0) - wanted_ns) > 500 * (found["slices"] + 1):
        problems.append(f"{what}: {found['slice_ns']} ns in slices, {wanted_ns} in the input")
    for name, value in stats_of(found).items():
        before = sum(stats_of(one).get(name, 0) for one in inputs)
        if value > before:
            problems.append(f"{what}: {name} is {value}, {before} in the input")
    return problems


def convert(program, inputs, output, *more):
    command = [program, "convert", *inputs, "-o", output, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return [f"{' '.join(command)}: status {done.returncode}\n{done.stderr}"]
    return []


NAMES = """select p.pid as pid, p.name as process, t.name as thread,
  (select int_value from args a where a.arg_set_id = p.arg_set_id and key like '%sort_index%') as sort_index
  from process p join thread t using (upid) where p.pid > 0 and t.name is not null and t.name != ''
  order by sort_index, t.tid"""


def check_names(what, ranks, rows):
    """Rows are named by rank, and processes stand in the order of ranks."""
    problems = []
    order = []
    for row in rows:
        rank = row["pid"] // 10000000 - 1
        for name in (row["process"], row["thread"]):
            if not (name or "").startswith(f"Rank {rank}: "):
                problems.append(f"{what}: a row of rank {rank} is named {name!r}")
        if row["thread"].startswith("stream") or ": stream" in row["thread"]:
            problems.append(f"{what}: a stream is named {row['thread']!r}")
        order.append(rank)
    if order != sorted(order) or set(order) != set(range(ranks)):
        problems.append(f"{what}: processes are in the order of ranks {order}")
    return problems


TEXT_PIDS = {"traceEvents": [
    {"ph": "X", "name": "op", "pid": 4711, "tid": 1, "ts": 1, "dur": 5},
    {"ph": "X", "name": "span", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1, "dur": 5},
    {"ph": "i", "name": "end", "pid": "", "tid": "", "ts": 6, "s": "g"},
    {"ph": "C", "name": "memory", "pid": "Spans", "tid": "", "ts": 2, "args": {"bytes": 3}},
    {"ph": "M", "name": "process_name", "pid": "", "tid": "", "args": {"name": "Traces"}}]}


def text_pids(options, scratch):
    """Each process is one that Perfetto did not have to invent, and has its name."""
    path, output = os.path.join(scratch, "text-pids.json"), os.path.join(scratch, "numbers.json")
    with open(path, "w") as file:
        json.dump(TEXT_PIDS, file)
    failed = convert(options.program, [path], output)
    if failed:
        return failed
    found = engine.analyse(options.cache, output, "select pid, name from process where pid > 0 order by pid",
                           optimise=False)
    wanted = [{"pid": 4711, "name": None}, {"pid": 4000000000, "name": "Spans"}, {"pid": 4000000001, "name": "Traces"}]
    problems = [] if found["rows"] == wanted else [f"texts for pids: {found['rows']}, expected {wanted}"]
    if found["stats"] or found["slices"] != 3:
        problems.append(f"texts for pids: {found['slices']} slices, {found['stats']}")
    return problems


def check_parts(what, whole, parts):
    """Each part is a trace of its own; flows from one part to another are cut."""
    problems = []
    if len(parts) < 3:
        problems.append(f"{what}: only {len(parts)} parts")
    for key in ("slices", "instants", "counters"):
        total = sum(part[key] for part in parts)
        if total != whole[key]:
            problems.append(f"{what}: {total} {key} in all parts, {whole[key]} in the input")
    for part in parts:
        for name, value in stats_of(part).items():
            if "flow" not in name and value > stats_of(whole).get(name, 0):
                problems.append(f"{what}: {name} is {value} in one part")
    return problems


def split_case(options, case, whole, scratch):
    problems = []
    for how, value in (("--split-size", "1MiB"), ("--split-time", "20ms")):
        what = f"{case.name}{how}"
        failed = convert(options.program, case.paths[:1], os.path.join(scratch, what + ".json.gz"), how, value)
        parts = sorted(glob.glob(os.path.join(scratch, what + "-*.json.gz")))
        problems += failed or check_parts(what, whole, [analyse(options, part) for part in parts])
    return problems


PACKETS = {
    "packets": [],
    "packets-chunks": ["--chunk", "7"],
    "packets-compressed": ["--compress", "20", "--chunk", "3"],
    "packets-lost": ["--lose", "60", "--chunk", "9", "--seed", "3"],
}


def packets(options, name, scratch):
    """A trace in Perfetto's own form: trace_processor finds the same in it and in our JSON of it, and what was planted."""
    path, truth_path = os.path.join(scratch, name + ".pftrace"), os.path.join(scratch, name + ".truth")
    subprocess.run([sys.executable, options.pftrace_gen, *PACKETS[name], "-o", path, "--truth", truth_path], check=True)
    with open(truth_path) as file:
        truth = json.load(file)
    found = analyse(options, path)
    problems = []
    wanted = {"slices": truth["slices"] + truth["instants"], "instants": truth["instants"], "flows": truth["flows"],
              "counters": truth["counters"], "slice_ns": truth["slice_ns"], "stats": []}
    differs = {key: (found[key], value) for key, value in wanted.items() if found[key] != value}
    if differs and "--lose" not in PACKETS[name]:
        problems.append(f"{name}, as generated: found and planted: {differs}")
    if not os.path.exists(options.program):
        return problems
    for more in ([], ["--sort"]):
        output = os.path.join(scratch, name + "".join(more) + ".json")
        failed = convert(options.program, [path], output, *more)
        problems += failed or same_in_packets(f"{name} {' '.join(more)}", found, analyse(options, output))
    return problems


def same_in_packets(what, packets_found, found):
    keys = (*COUNTS, "slice_ns", "stats")
    return [f"{what}: {found[key]} {key} in our JSON, {packets_found[key]} in the packets"
            for key in keys if found[key] != packets_found[key]]


def check_case(options, case, scratch):
    found = [analyse(options, path) for path in case.paths]
    problems = []
    for rank, one in zip(case.ranks, found):
        problems += check_input(case, rank, one)
    if not os.path.exists(options.program):
        return problems
    jobs = [(case.paths[:1], "plain.json", []), (case.paths[:1], "packed.json.gz", []),
            (case.paths[:1], "sorted.json", ["--sort"])]
    if len(case.paths) > 1:
        jobs.append((case.paths, "merged.json", []))
    for inputs, name, more in jobs:
        output = os.path.join(scratch, f"{case.name}-{name}")
        failed = convert(options.program, inputs, output, *more)
        written = failed or engine.analyse(options.cache, output, NAMES, optimise=False)
        problems += failed or check_written(f"{case.name}, {name}", found[:len(inputs)], written)
        if not failed and len(inputs) > 1:
            problems += check_names(f"{case.name}, {name}", len(inputs), written["rows"])
    if case.name == "kineto":
        problems += split_case(options, case, found[0], scratch)
    return problems


SIDES = "select pid, name from process where pid > 0 or name is not null order by pid"


def aiu_rows(options, case, scratch):
    """A trace of profile aiu-comm: all slices, counters and arrows that it holds, on rows named by rank."""
    folder = os.path.join(scratch, case.name + "-rows")
    subprocess.run([options.program, "run", "-p", "aiu-comm", *case.paths, "--format", "trace", "--set",
                    "trace.file=trace.json", "-o", folder], check=True, capture_output=True)
    path = os.path.join(folder, "trace.json")
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    found = engine.analyse(options.cache, path, SIDES, optimise=False)
    wanted = {"slices": sum(e["ph"] == "X" for e in events), "counters": sum(e["ph"] == "C" for e in events),
              "flows": sum(e["ph"] == "s" for e in events), "stats": []}
    problems = [f"{case.name}, aiu-comm: {found[key]} {key}, {value} in the file" for key, value in wanted.items()
                if found[key] != value]
    names = {row["name"] for row in found["rows"]}
    for rank in range(len(case.paths)):
        if not {f"AIU Device{rank}", f"Host{rank}"} <= names:
            problems.append(f"{case.name}, aiu-comm: processes are named {names}")
    if len(case.paths) > 1 and not wanted["flows"]:
        problems.append(f"{case.name}, aiu-comm: no arrow between ranks")
    return problems


ROWS = """select p.name as process, t.name as thread, count(*) as slices, sum(s.dur) as dur from slice s
  join thread_track k on s.track_id = k.id join thread t using (utid) left join process p using (upid)
  group by p.name, t.name order by p.name, t.name"""


def probe_blocks(options, schema, scratch):
    """Blocks of a launch whose grid has three dimensions, as slices: each is there, on the row of its slot, with its length."""
    folder = os.path.join(scratch, schema)
    path, truth_path = os.path.join(folder, "result", "1.bin"), os.path.join(scratch, schema + ".truth")
    subprocess.run([sys.executable, options.probe_gen, "-o", path, "--truth", truth_path, "--schemas", schema, "--toml", "newer",
                    "--grid", "16,9,5", "--block", "16,4,2", "--sms", "12", "--slots", "3"], check=True)
    with open(truth_path) as file:
        truth = json.load(file)[schema]
    output = os.path.join(folder, "out")
    subprocess.run([options.program, "run", "-p", "block-sched", "--enable", "block-slices", "--format", "trace,json", "--set",
                    "trace.file=trace.json", "-o", output, path], check=True, capture_output=True)
    with open(os.path.join(output, "summary.json")) as file:
        tables = {table["name"]: table["rows"] for table in json.load(file)["tables"]}
    found = engine.analyse(options.cache, os.path.join(output, "trace.json"), ROWS, optimise=False)
    wanted = {"slices": 16 * 9 * 5, "slice_ns": truth["running"], "stats": []}
    problems = [f"blocks of {schema}: {key} {found[key]}, expected {value}" for key, value in wanted.items() if found[key] != value]
    by_sm = {f"SM {row['sm']}": row["blocks"] for row in tables["block-sched-sm"]}
    shown = {}
    for row in found["rows"]:
        shown[row["process"]] = shown.get(row["process"], 0) + row["slices"]
    if shown != by_sm or len(found["rows"]) != tables["block-sched"][0]["slots"]:
        problems.append(f"blocks of {schema}: {found['rows']}, expected {by_sm}")
    return problems


def main():
    options = arguments()
    try:
        engine.check_node()
        engine.fetch(options.cache)
    except engine.Unavailable as reason:
        print(f"skipped: Perfetto's trace_processor cannot be had: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        cases = generate(options, scratch)
        problems = [problem for case in cases for problem in check_case(options, case, scratch)]
        problems += [problem for name in PACKETS for problem in packets(options, name, scratch)]
        if os.path.exists(options.program):
            problems += text_pids(options, scratch)
            problems += [problem for schema in ("block_sched", "sched") for problem in probe_blocks(options, schema, scratch)]
            problems += [problem for case in cases if case.name.startswith("aiu")
                         for problem in aiu_rows(options, case, scratch)]
    for problem in problems:
        print(problem)
    if not os.path.exists(options.program):
        print(f"{options.program} is missing: only the generated inputs were tried")
    print(f"{len(cases) + len(PACKETS)} inputs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
