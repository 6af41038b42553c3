#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Energy, power and active share of odd AIU traces, against a program that shares no code with ours; and that advice helps.

Traces have gaps that may hold a period of the meter, meters and devices that start again, clocks that are set,
several processes, numbers as texts; each is drawn from its seed.  The last line says how many numbers were compared."""
import argparse
import csv
import json
import pathlib
import random
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import aiu_energy  # noqa: E402
from program import Program  # noqa: E402

SOC_HZ = 560_000_000
NEAR = 1e-6
# A device that starts again, or a clock that is set, this near to where its counter would be is not seen to: 20 ms, and a thousandth of the longest gap.
LEAST_JUMP_NS = 20_000_000 + 22_000_000


class Device:
    """A process: its counter and its meter against time, either of which may start again."""

    def __init__(self, draw, pid, hz):
        self.draw, self.pid, self.hz = draw, pid, hz
        self.count_at = (0, draw.randrange(2 ** 32))
        self.units, self.metered_ns = draw.randrange(1, 2 ** 32), 0
        self.watts = draw.uniform(5, 70)

    def stamp(self, ns):
        since, count = self.count_at
        return int(count + (ns - since) * self.hz // 10 ** 9) % 2 ** 32

    def restart(self, ns):
        self.count_at = (ns, self.draw.randrange(1, 1000))

    def read(self, ns):
        self.units = (self.units + int(self.watts * (ns - self.metered_ns) / 23.4375)) % 2 ** 32
        self.metered_ns = ns
        self.watts = self.draw.choice([self.draw.uniform(5, 70), self.watts, 0.0])
        return self.units


def form(draw, number):
    return draw.choice([number, str(number), hex(number)])


def event(draw, device, name, first, times, shift_ns, job):
    """A slice that shows the interval that begins with that stamp."""
    args = {f"TS{i}": form(draw, device.stamp(t)) for i, t in enumerate(times, 1)}
    if draw.random() < 0.02:
        args = {key: form(draw, 0) for key in args}
    if draw.random() < 0.85:
        args["Power"] = form(draw, device.read(times[3]))
    if job:
        args["jobname"] = job
    begin, end = times[first] + shift_ns, times[first + 1] + shift_ns
    return {"ph": "X", "name": name, "pid": device.pid, "tid": 1, "ts": begin / 1000, "dur": (end - begin) / 1000, "args": args}


def operation(draw, device, ns, shift_ns, job):
    """A kernel; mostly with a transfer in before it."""
    name = draw.choice("abc") + "_" + str(draw.randrange(9))
    times = [ns]
    for longest in (400, 60_000, 900_000, 500):
        times.append(times[-1] + draw.randrange(200, longest + 200))
    yield event(draw, device, name + draw.choice(["", " AllReduce"]) + " Cmpt Exec", 2, times, shift_ns, job)
    if draw.random() < 0.3:
        into = [times[4] + step for step in (300, 5_000, 5_300, 5_900, 40_300)]
        yield event(draw, device, name + " AllReduce DmaI", 0, into, shift_ns, job)
        times = into
    if draw.random() < 0.5:
        out = [times[4] + step for step in (100, 300, 500, 900, 40_000)]
        yield event(draw, device, name + " DmaO", 3, out, shift_ns, job)


def trace(draw, hz):
    processes = draw.choice([1, 1, 1, 2, 3])
    odd, shift_ns, events = draw.random() < 0.7, 0, []
    for pid in range(processes):
        device, ns = Device(draw, pid, hz), 10 ** 9 + draw.randrange(10 ** 7)
        device.metered_ns, restarted = ns, 0
        steps = draw.randrange(20, 60)
        for step in range(steps):
            made = list(operation(draw, device, ns, shift_ns, None))
            events += made
            ns += draw.randrange(2_000_000, 30_000_000)
            if odd and draw.random() < 0.08:
                ns += draw.choice([300, 900, 1_500, 4_000, 21_000]) * 10 ** 6
            if odd and step - restarted > 2 and step < steps - 3 and draw.random() < 0.05:
                device.restart(ns)
                restarted = step
            elif odd and step - restarted > 2 and step < steps - 3 and draw.random() < 0.03:
                shift_ns += draw.randrange(100, 3000) * 10 ** 6
                restarted = step
            if odd and draw.random() < 0.03:
                device.units, device.metered_ns = draw.randrange(1, 5000), ns
    return {"traceEvents": sorted(events, key=lambda e: e["ts"])}


class Test:
    def __init__(self, program):
        self.program, self.compared, self.broken = program, 0, []

    def same(self, what, found, wanted):
        self.compared += 1
        if wanted is None or found == "":
            good = wanted is None and found == ""
        else:
            good = abs(float(found) - float(wanted)) <= max(NEAR * abs(float(wanted)), 1e-9)
        if not good:
            self.broken.append(f"{what}: {found}, not {None if wanted is None else float(wanted)}")

    def run(self, folder, document, *options):
        (folder / "t.json").write_text(json.dumps(document))
        status, out, err = self.program.run(
            ["run", "-p", "aiu", "t.json", "-o", "out", "-f", "--format", "csv", "--format", "json", *options], cwd=folder)
        if status:
            raise SystemExit(f"status {status}: {err}")
        tables = {p.stem: list(csv.DictReader(p.open())) for p in (folder / "out/tables").glob("*.csv")}
        return tables, json.loads((folder / "out/summary.json").read_text())["notices"]

    def numbers(self, name, tables, document, stamp, skip):
        slices = list(aiu_energy.slices_of(document, SOC_HZ))
        meter, shares, loads = aiu_energy.energy(slices, stamp, skip)
        rows = tables.get("power-meter", [])
        for column in ("intervals", "known_ns", "energy_J", "unknown_intervals", "unknown_ns", "unknown_least_J", "unknown_most_J"):
            self.same(f"{name}: power-meter {column}", rows[0][column], meter[column])
        for row in tables.get("power", []):
            time, joules = shares[row["name"]]
            self.same(f"{name}: power {row['name']} energy", row["energy_J"], joules)
            if row["name"] == "(no kernel)":
                self.same(f"{name}: power {row['name']} time", row["time_ns"], time)
        for row in tables.get("power-load", []):
            for column, wanted in loads[row["when"]].items():
                self.same(f"{name}: power-load {row['when']} {column}", row[column], wanted)
        wanted = aiu_energy.active(slices)
        for row in tables["active-time"]:
            for column, value in wanted.pop(row["process"]).items():
                self.same(f"{name}: active-time {row['process']} {column}", row[column], value)
        self.same(f"{name}: processes without a row", str(len(wanted)), 0)
        for row in tables.get("ovc", []):
            self.same(f"{name}: unmatched", row["unmatched"], 0)
            if float(row["residual_max_ns"]) > LEAST_JUMP_NS:
                self.broken.append(f"{name}: a residual of {row['residual_max_ns']} ns")

    def right(self, folder, seed):
        document = trace(random.Random(seed), SOC_HZ)
        stamp, skip = ("ts3" if seed % 5 == 0 else "ts4"), seed % 3 == 0
        tables, notices = self.run(folder, document, "--set", f"pec.stamp={stamp}", "--set", f"pec.skip={str(skip).lower()}")
        self.numbers(f"seed {seed}", tables, document, stamp, skip)
        advice = [n for n in notices if "soc-mhz=" in n.get("help", "")]
        if advice:
            self.broken.append(f"seed {seed}: {advice[0]['what']} -- {advice[0]['help']}")

    def wrong(self, folder, seed):
        """Devices of another frequency: who follows the advice has smaller residuals."""
        draw = random.Random(-seed)
        document = trace(draw, draw.randrange(400_000, 900_000) * 1000)
        tables, notices = self.run(folder, document)
        advised = {m[1] for n in notices for m in re.finditer(r"soc-mhz=([0-9.]+)", n.get("help", ""))}
        for mhz in advised:
            again, _ = self.run(folder, document, "--set", f"soc-mhz={mhz}")
            before, after = (sum(float(r["residual_max_ns"]) for r in t["ovc"]) for t in (tables, again))
            self.compared += 1
            if not after < before:
                self.broken.append(f"seed -{seed}: with soc-mhz={mhz} the residual is {after} ns, not below {before}")
        return len(advised)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--build", required=True)
    options.add_argument("--source", required=True)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=20, help="traces of each sort")
    args, advised = options.parse_args(), 0
    test = Test(Program(args.build, args.source))
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(args.seed, args.seed + args.count):
            test.right(pathlib.Path(scratch), seed)
            advised += test.wrong(pathlib.Path(scratch), seed)
    for line in test.broken[:20]:
        print(line)
    print(f"{test.compared} numbers compared, {len(test.broken)} differ; {advised} advices followed")
    sys.exit(1 if test.broken or not advised else 0)


main()
