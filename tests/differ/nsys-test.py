#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Databases of nsys, with few and with many columns, against SQL that shares no code with the program: sums by name, copies
and their bytes, calls, ranges with their device work, busy time, communication and launch delays, of each process, and
attributes of events in a trace that is written from it.

The databases are those of tests/gen/nsys.py, or given by name.  The last line says how many numbers were compared."""
import argparse
import collections
import csv
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property"), str(HERE.parent / "gen")]
import nsys  # noqa: E402
import nsys_truth as truth  # noqa: E402
from program import Program  # noqa: E402

PROFILE = {"profile": 1, "name": "tables", "formats": ["csv"],
           "stages": [{"use": name} for name in ("host-tree", "kernel-time", "memory-bandwidth", "api-sum", "osrt-sum", "annotations",
                                                 "gpu-timeline", "launch-stats")]}


class Test:
    def __init__(self, program, folder):
        self.program, self.folder, self.compared, self.broken = program, folder, 0, []
        (folder / "tables.json").write_text(json.dumps(PROFILE))

    def same(self, what, found, wanted):
        self.compared += 1
        if found != wanted:
            self.broken.append(f"{what}: {found}, not {wanted}")

    def run(self, path):
        status, _, err = self.program.run(["run", "-p", "./tables.json", path, "-o", "out", "-f"], cwd=self.folder)
        if status:
            raise SystemExit(f"{path}: status {status}: {err}")
        return {p.stem: list(csv.DictReader(p.open(newline=""))) for p in (self.folder / "out/tables").glob("*.csv")}

    def sums(self, what, rows, wanted):
        self.same(f"{what}: names", sorted(r["name"] for r in rows), sorted(wanted))
        for r in rows:
            found = [int(r[c]) for c in ("calls", "total_ns", "min_ns", "max_ns")]
            self.same(f"{what} {r['name']}", found, wanted.get(r["name"]))

    def copies(self, what, rows, work):
        wanted = collections.defaultdict(lambda: [0, 0])
        for name, _, _, _, _, size in work:
            if size is not None:
                kind = wanted[" ".join(name.split(" ")[:2]) if name.startswith("Memcpy") else "Memset"]
                kind[0] += 1
                kind[1] += size
        self.same(f"{what} copies", {r["kind"]: [int(r["copies"]), int(r["bytes"])] for r in rows}, dict(wanted))

    def process(self, what, db, key, of):
        work = list(db.work(key))
        kernels = collections.Counter()
        for name, start, end, *_ in work:
            kernels[name] += end - start
        self.same(f"{what} kernels", {r["name"]: int(r["total_ns"]) for r in of("kernel-time-rank")}, dict(kernels))
        self.copies(what, of("memory-bandwidth"), work)
        self.sums(f"{what} calls", of("api-sum"), truth.sums(db.calls(truth.CALLS, key)))
        self.sums(f"{what} system", of("osrt-sum"), truth.sums(db.calls("OSRT_API", key)))
        ranges = [r for r in of("annotations") if r["side"] == "host"]
        self.sums(f"{what} ranges", ranges, truth.sums(db.ranges(key)))
        within = truth.within(db, key)
        for r in ranges:
            found = [int(r[c]) for c in ("device_ns", "exclusive_ns", "projected_ns")]
            self.same(f"{what} work within {r['name']}", found, within.get(r["name"]))
        self.timeline(what, of, work)
        delays = truth.delays(db, key)
        row = next(r for r in of("launch-stats") if r["value"] == "delay")
        self.same(f"{what} delays", [int(row["calls"]), int(row["min_ns"]), int(row["max_ns"])], [len(delays), min(delays), max(delays)])
        self.same(f"{what} mean delay", round(float(row["mean_ns"]), 2), round(sum(delays) / len(delays), 2))

    def timeline(self, what, of, work):
        time_ns = {r["type"]: int(r["time_ns"]) for r in of("gpu-timeline")}
        self.same(f"{what} busy", time_ns["busy_time"], truth.busy(work))
        self.same(f"{what} communication", time_ns["total_comm_time"], truth.busy([w for w in work if "nccl" in w[0]]))

    def trace(self, path, db):
        """The attributes of each event in a trace that is written from the database."""
        status, _, err = self.program.run(["convert", path, "-f", "-o", "trace.json"], cwd=self.folder)
        if status:
            raise SystemExit(f"{path}: status {status}: {err}")
        trace = json.loads((self.folder / "trace.json").read_text())
        self.same(f"{path.name}: host", trace.get("host_name"), db.one("TARGET_INFO_SYSTEM_ENV", "value", "name = 'Hostname'"))
        devices = trace.get("deviceProperties", [{}])
        self.same(f"{path.name}: device", devices[0].get("name"), db.one("TARGET_INFO_GPU", "name", "id = 0"))
        events = trace["traceEvents"]
        texts = [e["args"]["annotation"] for e in events if e.get("cat") == "cpu_op"]
        self.same(f"{path.name}: texts of operators", sorted(texts), sorted(truth.texts_of_operators(db)))
        for cat, wanted in truth.attributes(db).items():
            found = [truth.attributes_of(e) for e in events if e.get("cat") == cat]
            self.same(f"{path.name}: events of {cat}", len(found), len(wanted))
            for one, other in zip(sorted(found), sorted(wanted)):
                self.same(f"{path.name}: an event of {cat}", one, other)

    def check(self, path):
        tables, db = self.run(path), truth.Database(path)
        for rank, key in enumerate(db.keys):
            def of(table):
                return [r for r in tables[table] if len(db.keys) == 1 or r["rank"] == str(rank)]
            self.process(f"{path.name} {rank}", db, key, of)
        self.trace(path, db)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--build", required=True)
    p.add_argument("--source", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=2)
    p.add_argument("paths", nargs="*", type=pathlib.Path)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        test = Test(Program(pathlib.Path(a.build), pathlib.Path(a.source)), folder)
        for path in a.paths:
            test.check(path.resolve())
        for seed in range(a.seed, a.seed + a.count) if not a.paths else ():
            for schema in ("2021", "3.25"):
                for processes in (1, 3):
                    path = folder / f"{schema}-{processes}-{seed}.sqlite"
                    nsys.build(path, schema, processes, seed=seed)
                    test.check(path)
    print(*test.broken[:20], sep="\n")
    print(f"{test.compared} numbers compared, {len(test.broken)} differ")
    return bool(test.broken) or not test.compared


if __name__ == "__main__":
    sys.exit(main())
