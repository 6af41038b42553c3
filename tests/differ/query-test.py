#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `query` says of odd Kineto traces, against their JSON: all slices, sums by name, and joins by correlation.

The last line says how many numbers were compared."""
import argparse
import collections
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import torch_devices as devices  # noqa: E402
from program import Program  # noqa: E402
from torch_traces import Trace  # noqa: E402

SLICES = "SELECT ts, dur, name, category FROM slice"
SUMS = "SELECT name, count(*) AS n, sum(dur) AS dur, min(ts) AS first, max(ts) AS last FROM slice GROUP BY name"
LAUNCHES = """SELECT count(*) AS n, total(k.dur) AS dur FROM slice k JOIN slice l USING (correlation)
WHERE k.category = 'kernel' AND l.category = 'cuda_runtime'"""


def read(document):
    """(start, duration, name, category, correlation) of each slice; no duration where it is below 0."""
    for e in document["traceEvents"]:
        length, id_ = devices.ns(e["dur"]), e["args"].get("correlation")
        yield (devices.ns(e["ts"]), length if length >= 0 else None, e["name"], e["cat"].split(",")[0],
               None if id_ is None else devices.number(id_))


def sums_of(slices):
    groups = collections.defaultdict(list)
    for start, length, name, _, _ in slices:
        groups[name].append((start, length))
    for name, own in groups.items():
        lengths = [length for _, length in own if length is not None]
        yield {"name": name, "n": len(own), "dur": sum(lengths) if lengths else None, "first": min(own, key=lambda s: s[0])[0],
               "last": max(own, key=lambda s: s[0])[0]}


def launches_of(slices):
    calls = collections.Counter(id_ for _, _, _, category, id_ in slices if category == "cuda_runtime" and id_ is not None)
    kernels = [(calls[id_], length or 0) for _, length, _, category, id_ in slices if category == "kernel"]
    return [{"n": sum(n for n, _ in kernels), "dur": float(sum(n * length for n, length in kernels))}]


def rows_as_texts(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", required=True)
    options.add_argument("--source", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=30, help="traces drawn")
    args = options.parse_args()
    program, compared, broken = Program(args.build, args.source), 0, []
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "t.json"
        for seed in range(args.seed, args.seed + args.count):
            path.write_text(json.dumps(Trace(seed).document()))
            slices = list(read(json.loads(path.read_text(), parse_float=str)))
            wanted = {SLICES: [dict(zip(("ts", "dur", "name", "category"), s)) for s in slices], SUMS: list(sums_of(slices)),
                      LAUNCHES: launches_of(slices)}
            for sql, rows in wanted.items():
                found = program.ask("query", path, sql, "--format", "json")["rows"]
                compared += sum(len(row) for row in rows)
                if rows_as_texts(found) != rows_as_texts(rows):
                    broken.append(f"seed {seed}: {sql}")
    for line in broken[:20]:
        print(line)
    print(f"{compared} numbers compared, {len(broken)} tables differ")
    sys.exit(1 if broken else 0)


main()
