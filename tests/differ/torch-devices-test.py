#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Device time, kernels and categories of samples and of odd Kineto traces, against a program that shares no code with ours.

Traces are drawn by torch_traces.py.  The last line says how many numbers were compared."""
import argparse
import collections
import csv
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import torch_devices as devices  # noqa: E402
from program import Program  # noqa: E402
from torch_traces import CLASSES, KNOWN, OPERATORS, Trace, category_of_kernel, class_of, work_of  # noqa: E402

NEAR = 1e-9
SHORT_NS, BINS = 10_000, 100
PROFILE = {"profile": 1, "name": "devices", "formats": ["csv", "json"],
           "stages": [{"use": name} for name in ("pair", "host-tree", "gpu-timeline", "device-breakdown", "kernel-summary", "op-summary", "device-classes",
                                             "step-parts")]}

class Test:
    def __init__(self, program, folder):
        self.program, self.folder, self.compared, self.broken = program, folder, 0, []
        (folder / "devices.json").write_text(json.dumps(PROFILE))

    def same(self, what, found, wanted):
        self.compared += 1
        if wanted is None or found == "":
            good = wanted is None and found == ""
        else:
            good = abs(float(found) - float(wanted)) <= max(NEAR * abs(float(wanted)), 1e-9)
        if not good:
            self.broken.append(f"{what}: {found}, not {None if wanted is None else float(wanted)}")

    def rows(self, what, found, wanted):
        """Found and wanted rows by their keys."""
        for key in wanted:
            if key not in found:
                self.compared += 1
                self.broken.append(f"{what}: no row {key}")
                continue
            for column, value in wanted[key].items():
                self.same(f"{what} {key} {column}", found[key][column], value)
        for key in found.keys() - wanted.keys():
            self.compared += 1
            self.broken.append(f"{what}: a row {key} that should not be")

    def keyed(self, table, *columns):
        rows = {}
        for row in table:
            key = tuple(row[c] for c in columns)
            if key in rows:
                self.broken.append(f"two rows {key}")
            rows[key[0] if len(columns) == 1 else key] = row
        return rows

    def run(self, path):
        status, _, err = self.program.run(["run", "-p", "./devices.json", path, "-o", "out", "-f"], cwd=self.folder)
        if status:
            raise SystemExit(f"{path}: status {status}: {err}")
        tables = {p.stem: list(csv.DictReader(p.open(newline=""))) for p in (self.folder / "out/tables").glob("*.csv")}
        return tables, json.loads((self.folder / "out/summary.json").read_text())

    def histogram(self, what, table, lengths):
        bins = (BINS if lengths[-1] > lengths[0] else 1) if lengths else 0
        self.same(f"{what}: bins", len(table), bins)
        for i, row in enumerate(table[:bins]):
            low, high = (lengths[0] + (lengths[-1] - lengths[0]) * k / bins for k in (i, i + 1))
            inside = [x for x in lengths if low <= x and (x < high or i == bins - 1)]
            self.same(f"{what}: bin {i} calls", row["calls"], len(inside))
            self.same(f"{what}: bin {i} low", row["low_ns"], low)
            self.same(f"{what}: bin {i} high", row["high_ns"], high)

    def check(self, what, path, document, planted):
        tables, summary = self.run(path)
        slices = devices.slices_of(document)
        works = [s for s in slices if devices.is_work(s)]
        if not works:
            self.same(f"{what}: rows", sum(len(tables.get(t, [])) for t in ("gpu-timeline", "temporal-breakdown", "kernel-summary")), 0)
            return
        temporal, overlap, types, timeline = devices.breakdown(works, work_of)
        self.rows(f"{what}: temporal-breakdown", {"": tables["temporal-breakdown"][0]}, {"": temporal})
        self.rows(f"{what}: comm-overlap", {"": tables["comm-overlap"][0]}, {"": overlap})
        self.rows(f"{what}: kernel-types", self.keyed(tables.get("kernel-types", []), "types"), types)
        alone = devices.unlinked(slices, works)
        if alone is not None:
            timeline["unlinked_time"] = alone
        total = timeline["total_time"]
        wanted = {name: {"time_ns": time, "share_percent": devices.percent(time, total)} for name, time in timeline.items()}
        self.rows(f"{what}: gpu-timeline", self.keyed(tables["gpu-timeline"], "type"), wanted)
        names = devices.grouped(works, lambda s: (work_of(s), s.name))
        self.rows(f"{what}: kernel-breakdown", self.keyed(tables["kernel-breakdown"], "type", "name"), names)
        self.rows(f"{what}: kernel-summary", self.keyed(tables.get("kernel-summary", []), "op", "kernel", "stream"), devices.kernels(slices, works))
        rows, lengths = devices.short_kernels(slices, works, SHORT_NS)
        if planted:
            self.rows(f"{what}: short-kernels", self.keyed(tables.get("short-kernels", []), "op", "kernel"), rows)
            self.planted(what, tables, summary, slices, works)
        self.steps(what, tables, slices, works)
        self.histogram(f"{what}: short-kernel-histogram", tables.get("short-kernel-histogram", []), lengths)

    def rounded(self, what, found, wanted):
        """Means of devices are rounded, and still add up."""
        for key in wanted.keys() | found.keys():
            self.compared += 1
            if abs(found.get(key, 0) - wanted.get(key, 0)) >= 1:
                self.broken.append(f"{what} {key}: {found.get(key)}, not {float(wanted.get(key, 0))}")
        self.same(f"{what}: sum", sum(found.values()), sum(wanted.values()))

    def steps(self, what, tables, slices, works):
        parts, windows, n_warmup = devices.step_parts(slices, works, work_of)
        found = collections.Counter()
        for row in tables.get("step-parts", []):
            found[int(row["step"]), row["part"]] += int(row["time_ns"])
            warm = int(row["step"]) in [n for n, _, _ in windows[:n_warmup]]
            self.same(f"{what}: step {row['step']} is warm-up", int(row["warmup"] == "true"), int(warm))
        self.rounded(f"{what}: step-parts", found, parts)
        idle = sum(time for (_, part), time in parts.items() if part == "idle") * max(len(devices.by_device(works)), 1)
        self.same(f"{what}: gap-causes", sum(int(row["time_ns"]) for row in tables.get("gap-causes", [])), idle)
        for row in tables.get("step-spans", []):
            self.same(f"{what}: span of steps", row["span_ns"], sum(high - low for _, low, high in windows[n_warmup:]))
            self.same(f"{what}: steps", row["steps"], len(windows) - n_warmup)

    def planted(self, what, tables, summary, slices, works):
        """What only the generator knows: classes, categories, and what has an unknown category."""
        for row in tables.get("kernel-summary", []):
            launched = row["category"] in ("graph", "runtime", "none")
            self.same(f"{what}: class of {row['kernel']}", str(int(row["class"] == KNOWN[row["kernel"]][1])), 1)
            wanted = OPERATORS.get(row["op"]) or KNOWN[row["kernel"]][2]
            self.same(f"{what}: category {row['category']} of {row['op']}, {row['kernel']}", str(int(launched or row["category"] == wanted)), 1)
        wanted = devices.categories(slices, works, work_of, OPERATORS.get, category_of_kernel)
        self.rows(f"{what}: ops-category", self.keyed(tables.get("ops-category-rank", []), "category"), wanted)
        found = {row["class"]: int(row["time_ns"]) for row in tables.get("device-classes", [])}
        self.rounded(f"{what}: device-classes", found, devices.classes(slices, works, work_of, class_of))
        strange = [s for s in slices if s.cat == "kernels" and "stream" in s.args]
        told = [n for n in summary["notices"] if n["code"] == "GPUTL-04"]
        self.same(f"{what}: unknown categories are told", str(len(told)), 1 if strange else 0)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", required=True)
    options.add_argument("--source", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=40, help="traces drawn")
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        test = Test(Program(args.build, args.source), pathlib.Path(scratch))
        for path in sorted((pathlib.Path(args.source) / "samples/kineto").glob("*.json")):
            test.check(path.name, path.resolve(), json.loads(path.read_text()), False)
        for path in sorted((pathlib.Path(args.source) / "samples/sweep").rglob("*.json")):
            test.check(f"{path.parent.name}/{path.name}", path.resolve(), json.loads(path.read_text()), False)
        for seed in range(args.seed, args.seed + args.count):
            document = Trace(seed).document()
            (test.folder / "t.json").write_text(json.dumps(document))
            test.check(f"seed {seed}", "t.json", json.loads((test.folder / "t.json").read_text(), parse_float=str), True)
    for line in test.broken[:20]:
        print(line)
    print(f"{test.compared} numbers compared, {len(test.broken)} differ")
    sys.exit(1 if test.broken else 0)


main()
