"""Merges generated ranks into one trace and compares every event with the one it was made from.

Times, processes and ids are computed here again from the inputs; all else of an event must be what
it was. Also writes one file per rank, which must hold the same bytes however it is done.
"""
# SPDX-License-Identifier: MIT

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from decimal import Decimal

LANE_PIDS = 10000000
SAME_PIDS = 9000000  # of them: a pid below is added to the first
CORRELATIONS = ("correlation", "External id", "external id")
RANKS = 3


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--kineto-gen", required=True)
    parser.add_argument("--aiu-gen", required=True)
    return parser.parse_args()


class Problems(list):
    def check(self, good, text):
        if not good and len(self) < 10:
            self.append(text)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")


def load(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        document = json.load(file, parse_float=Decimal)
    return document if isinstance(document, dict) else {"traceEvents": document}


def namespaced(lane, value):
    """An id or a correlation of one lane among several."""
    if isinstance(value, str) and value.startswith("0x"):
        value = int(value, 16)
    if isinstance(value, int) and 0 <= value < 1 << 40:
        return (lane << 40) + value
    return None if isinstance(value, (int, str)) else value


class Lane:
    """What the events of one input must have become."""

    def __init__(self, index, document, first_base_ns):
        self.index = index
        self.events = document["traceEvents"]
        base_ns = int(document.get("baseTimeNanoseconds", 0))
        self.shift_us = Decimal(base_ns - first_base_ns) / 1000
        self.pids = {}

    def pid(self, old):
        first = (self.index + 1) * LANE_PIDS
        if isinstance(old, int) and 0 <= old < SAME_PIDS:
            return self.pids.setdefault(old, first + old)
        return self.pids.setdefault(old, first + SAME_PIDS + self.n_others())

    def n_others(self):
        return sum(not isinstance(pid, int) or not 0 <= pid < SAME_PIDS for pid in self.pids)

    def expected(self, event):
        old, event = event, dict(event, pid=self.pid(event.get("pid", 0)))
        if "ts" in event:
            event["ts"] = Decimal(str(event["ts"])) + self.shift_us
        for key in ("id", "bind_id"):
            if key in event:
                event[key] = namespaced(self.index, event[key])
        originals = {"original " + k: old[k] for k in ("id", "bind_id")
                     if k in old and not self.keeps(old[k])}
        for key in ("args", "attr"):
            if isinstance(event.get(key), dict):
                event[key] = self.expected_args(event[key], originals, event["name"] == "thread_name")
                originals = {}
        if originals:
            event["args"] = originals
        return event

    def keeps(self, value):
        """Small ids of the first lane are what they were, in whatever form they are written."""
        return namespaced(0, value) is not None and self.index == 0

    def expected_args(self, args, originals, is_thread_name):
        now = dict(args)
        for k, v in args.items():
            if k in CORRELATIONS and isinstance(v, int) and v >= 0:
                now[k] = namespaced(self.index, v)
                if not self.keeps(v):
                    originals["original " + k] = v
            if k == "name" and is_thread_name:
                now[k] = f"Rank {self.index}: " + ("GPU " if v.startswith("stream ") else "") + v.rstrip()
                originals["original name"] = v
        return {**now, **originals}


ROWS = ("process_name", "process_labels", "process_sort_index")


def check_events(problems, lanes, written):
    """Consumes the events of every lane; what is left are the rows that name processes."""
    for lane in lanes:
        for n, event in enumerate(lane.events):
            wanted = lane.expected(event)
            if event["name"] in ROWS:
                continue
            got = dict(next(written))
            if "ts" in got:
                got["ts"] = Decimal(str(got["ts"]))
            problems.check(got == wanted, f"lane {lane.index}, event {n}: {got}, expected {wanted}")
        check_process_rows(problems, lane, written)


def own_rows(lane):
    """What the input says of each of its processes."""
    rows = {pid: {} for pid in lane.pids}
    for event in lane.events:
        if event["name"] in ROWS:
            rows[event.get("pid", 0)].setdefault(event["name"], *event["args"].values())
    return rows


def wanted_name(rank, pid, rows):
    name = rows.get("process_name") or (f"pid {pid}" if isinstance(pid, int) else pid)
    labels = rows.get("process_labels", "CPU")
    if not labels.startswith("CPU"):
        name = f"{labels} ({name})" if "process_name" in rows else labels
    return f"Rank {rank}: {name}"


def check_process_rows(problems, lane, written):
    own = own_rows(lane)
    order = sorted(lane.pids, key=lambda pid: (own[pid].get("process_sort_index", 0), list(lane.pids).index(pid)))
    for index, pid in enumerate(order):
        args = {"name": wanted_name(lane.index, pid, own[pid])}
        if "process_name" in own[pid]:
            args["original name"] = own[pid]["process_name"]
        wanted = [("process_name", {**args, "original pid": pid})]
        if "process_labels" in own[pid]:
            wanted.append(("process_labels", {"labels": own[pid]["process_labels"]}))
        wanted.append(("process_sort_index", {"sort_index": lane.index * 1000 + index}))
        for name, args in wanted:
            row, got = {"ph": "M", "name": name, "pid": lane.pids[pid], "args": args}, next(written)
            problems.check(got == row, f"lane {lane.index}: {got}, expected {row}")


def check_ids(problems, lanes, merged):
    """The ids of one lane are its own, and no two of them became one."""
    owners = {}
    lane_of = {pid: lane.index for lane in lanes for pid in lane.pids.values()}
    for event in merged:
        if "id" in event:
            owners.setdefault(event["id"], set()).add(lane_of[event["pid"]])
    shared = [i for i, ranks in owners.items() if len(ranks) > 1]
    problems.check(not shared, f"ids of several ranks: {shared[:5]}")
    before = sum(len({e["id"] for e in lane.events if "id" in e}) for lane in lanes)
    problems.check(len(owners) == before, f"{len(owners)} ids, {before} in the inputs")


def check_merged(problems, inputs, output):
    documents = [load(path) for path in inputs]
    base_ns = int(documents[0].get("baseTimeNanoseconds", 0))
    lanes = [Lane(i, document, base_ns) for i, document in enumerate(documents)]
    document = load(output)
    merged = document["traceEvents"]
    written = iter(merged)
    check_events(problems, lanes, written)
    left = list(written)
    problems.check(not left, f"{len(left)} events too many: {left[:1]}")
    check_ids(problems, lanes, merged)
    wanted = {k: v for k, v in documents[0].items() if k not in ("traceEvents", "distributedInfo")}
    infos = [d.get("distributedInfo") for d in documents]
    if any(infos):
        wanted["distributedInfoOfRanks"] = infos
    wanted["stagemill"] = {"merged": [
        {"rank": i, "pids": [first, first + SAME_PIDS - 1], "other_pids": [first + SAME_PIDS, first + LANE_PIDS - 1]}
        for i, first in ((i, (i + 1) * LANE_PIDS) for i in range(len(lanes)))]}
    around = {k: v for k, v in document.items() if k != "traceEvents"}
    problems.check(wanted.items() <= around.items(), f"members {around}, expected {wanted}")
    problems.check("distributedInfo" not in around, "distributedInfo of one rank was kept")


def check_again(problems, program, output, scratch):
    """A merged trace is its ranks again: merged once more it is the same bytes."""
    again = os.path.join(scratch, "again.json")
    run([program, "convert", output, "-o", again, "-f"])
    with open(output, "rb") as a, open(again, "rb") as b:
        problems.check(a.read() == b.read(), f"{output}: differs when merged again")


def tables_of(program, profile, inputs, results):
    run([program, "run", "-p", profile, *inputs, "-o", results, "-f", "--format", "csv,json"])
    tables = {}
    for name in os.listdir(os.path.join(results, "tables")):
        with open(os.path.join(results, "tables", name)) as file:
            tables[name] = file.read()
    return tables


def check_numbers(problems, program, inputs, output, scratch, one_base):
    """Every table of each rank, and of all of them, is what it is without merging.  Where bases differ, merged
    times count from another one."""
    for profile in ("kernels", "timeline") + (("info",) if one_base else ()):
        parts = tables_of(program, profile, inputs, os.path.join(scratch, "parts"))
        merged = tables_of(program, profile, [output], os.path.join(scratch, "merged-tables"))
        problems.check(parts and parts == merged, f"{profile} of {output}: {merged}, expected {parts}")


def check_each(problems, program, inputs, scratch):
    """{rank}: each lane's own document, as if it were alone."""
    run([program, "convert", *inputs, "-o", os.path.join(scratch, "each-{rank}.json"), "-f"])
    for rank, path in enumerate(inputs):
        alone = os.path.join(scratch, "alone.json")
        run([program, "convert", path, "-o", alone, "-f"])
        with open(alone, "rb") as a, open(os.path.join(scratch, f"each-{rank}.json"), "rb") as b:
            problems.check(a.read() == b.read(), f"{path}: differs when written with others")
        problems.check(load(alone)["traceEvents"] == load(path)["traceEvents"],
                       f"{path}: events changed on the way")


WHOLE = {"profile": 1, "name": "whole", "description": "Makes one stream of all lanes.",
         "stages": [{"use": "flow"}], "formats": ["trace"]}


def text_of(event):
    """The same for equal events; times compare as numbers."""
    event = {k: str(Decimal(str(v)).normalize()) if k in ("ts", "dur") else v
             for k, v in event.items()}
    return json.dumps(event, sort_keys=True, default=str)


def check_whole(problems, program, inputs, scratch):
    """A stage that needs one stream: events in time order, each still of its rank."""
    profile, results = os.path.join(scratch, "whole.json"), os.path.join(scratch, "whole")
    with open(profile, "w") as file:
        json.dump(WHOLE, file)
    run([program, "run", "-p", profile, *inputs, "-o", results, "-f"])
    merged = load(os.path.join(results, "trace.json.gz"))["traceEvents"]
    pids = {(e["pid"] // LANE_PIDS - 1, e["args"]["original pid"]): e["pid"] for e in merged
            if e["name"] == "process_name"}
    documents = [load(path) for path in inputs]
    base_ns = int(documents[0].get("baseTimeNanoseconds", 0))
    wanted = Counter()
    for index, document in enumerate(documents):
        lane = Lane(index, document, base_ns)
        for event in lane.events:
            pid = pids.get((index, event.get("pid", 0)))
            if event["name"] in ROWS:
                continue
            wanted[text_of(dict(lane.expected(event), pid=pid))] += 1
    found = Counter(text_of(event) for event in merged)
    lost = list((wanted - found).elements())
    problems.check(not lost, f"{len(lost)} events lost in the merged stream: {lost[:1]}")
    made = [json.loads(text) for text in (found - wanted).elements()]
    strange = [e for e in made if e["ph"] not in "sf" and not e["name"].startswith("process_")]
    problems.check(not strange, f"{len(strange)} events of the merged stream: {strange[:1]}")
    times = [e["ts"] for e in merged if e["ph"] == "X"]
    problems.check(times == sorted(times), "the merged stream is not in time order")
    ends = [e["id"] for e in made if e["ph"] == "f"]
    starts = [e["id"] for e in made if e["ph"] == "s"]
    problems.check(sorted(ends) == sorted(set(starts)), f"{len(starts)} flows, {len(ends)} ends")
    return len(ends)


def check_pipe(program, inputs, scratch):
    """A base behind the events of a pipe comes too late: it must be refused, not guessed."""
    output = os.path.join(scratch, "piped.json")
    found = []
    for order in ([inputs[0], "-"], ["-", inputs[0]]):
        with open(inputs[1], "rb") as file:
            done = subprocess.run([program, "convert", *order, "-o", output], input=file.read(),
                                  capture_output=True)
        good = done.returncode == 3 and b"RUN-11" in done.stderr and b"standard input" in done.stderr
        if not good or os.path.exists(output):
            found.append(f"{order}: status {done.returncode}, {done.stderr.decode()}")
    return found


def shift_bases(paths, place):
    """Other bases for other ranks, as processes that started apart have; `place` in the document."""
    for rank, path in enumerate(paths):
        with open(path) as file:
            text = file.read()
        base = json.loads(text).get("baseTimeNanoseconds")
        member = f'"baseTimeNanoseconds": {base}'
        assert base and text.count(member) == 1
        new = f'"baseTimeNanoseconds": {base + rank * 1234567891}'
        if place == "behind":
            end = text.rindex("}")
            text = text[:end].replace(member + ",", "").rstrip() + ",\n" + new + "\n}\n"
        else:
            text = text.replace(member, new)
        with open(path, "w") as file:
            file.write(text)


def pack(paths):
    for path in paths:
        with open(path, "rb") as source, gzip.open(path + ".gz", "wb", 1) as target:
            target.write(source.read())
    return [path + ".gz" for path in paths]


def cases(options, scratch):
    kineto = [options.kineto_gen, "--events", "3000", "--ranks", str(RANKS)]
    aiu = [options.aiu_gen, "--events", "1500", "--ranks", str(RANKS), "--collectives", "10"]
    for name, command, place in (
            ("native", kineto + ["--stamps", "base"], "in front"),
            ("late", kineto + ["--stamps", "base", "--layout", "compact"], "behind"),
            ("packed", kineto + ["--stamps", "base", "--layout", "pretty"], "behind"),
            ("epoch", kineto + ["--stamps", "epoch"], None),
            ("aiu", aiu, None)):
        pattern = os.path.join(scratch, name + "-rank{rank}.json")
        run(command + ["-o", pattern])
        paths = [pattern.replace("{rank}", str(rank)) for rank in range(RANKS)]
        if place:
            shift_bases(paths, place)
        yield name, pack(paths) if name == "packed" else paths


def main():
    options = arguments()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, inputs in cases(options, scratch):
            problems = Problems()
            texts = []
            for jobs in ("1", "3"):
                output = os.path.join(scratch, f"{name}-{jobs}.json")
                run([options.program, "convert", *inputs, "-o", output, "-j", jobs])
                check_merged(problems, inputs, output)
                with open(output, "rb") as file:
                    texts.append(file.read())
            problems.check(texts[0] == texts[1], f"{name}: -j 3 gives other bytes than -j 1")
            check_each(problems, options.program, inputs, scratch)
            check_again(problems, options.program, output, scratch)
            flows = check_whole(problems, options.program, inputs, scratch)
            if name != "aiu":
                check_numbers(problems, options.program, inputs, output, scratch, name == "epoch")
                whole = os.path.join(scratch, "whole", "trace.json.gz")
                check_numbers(problems, options.program, inputs, whole, scratch, False)
            problems.check(name != "aiu" or flows, "no flows between the ranks")
            if name == "late":
                problems += check_pipe(options.program, inputs, scratch)
            failed += bool(problems)
            print("\n".join([f"{name}: {len(problems)} problems"] + problems))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
