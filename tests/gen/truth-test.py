"""What aiu-gen planted is what the stages find: jobs with shifted devices, wraps, clocks, messages, ideal cycles.

usage: truth-test.py PROGRAM AIU_GEN
"""
# SPDX-License-Identifier: MIT

import collections
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

BASE_NS = 1475 * 10**9
WRAP = 1 << 32
PROGRAM, GENERATOR = sys.argv[1:3]
STAGES = ["pair", "job-align", "ovc", "freq", "cycles", "rank-sync", "utilisation", "flow"]


class Run:
    """A generated run, and what the stages make of it."""

    def __init__(self, scratch, name, options):
        self.folder = os.path.join(scratch, name)
        os.mkdir(self.folder)
        log = self.path("compile.log")
        subprocess.run([GENERATOR, *options, "--log", log, "-o", self.path("r{rank}j{job}.json"),
                        "--truth", self.path("truth")], check=True)
        with open(self.path("truth")) as file:
            self.truth = json.load(file)
        self.ranks = self.truth["ranks"]
        self.files = [[self.path(f"r{r['rank']}j{j}.json") for j in range(len(r["jobs"]))] for r in self.ranks]
        options = {"job-align": {"slack": f"{self.truth['slack_ns']}ns"}}
        stages = [{"use": use, "with": options.get(use, {})} for use in STAGES]
        with open(self.path("truth.profile.json"), "w") as file:
            json.dump({"profile": 1, "name": "truth", "description": "All that the generator plants.",
                       "join-ranks": True, "stages": stages, "formats": ["trace", "csv"]}, file)
        done = subprocess.run(
            [PROGRAM, "run", "-p", self.path("truth.profile.json"), *sum(self.files, []), f"log={log}",
             "--set", "trace.pids=keep", "--verify", "-o", self.path("out")], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        self.said = done.stdout + done.stderr

    def path(self, name):
        return os.path.join(self.folder, name)

    def table(self, name):
        with open(self.path(f"out/tables/{name}.csv"), newline="") as file:
            return list(csv.DictReader(file))

    def events(self):
        with gzip.open(self.path("out/trace.json.gz"), "rt") as file:
            return json.load(file, parse_float=Decimal)["traceEvents"]


def slices_by_name(events, time_of):
    """Times of slices, in their order, for each rank and name."""
    found = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            found[event["pid"], event["name"]].append(time_of(event))
    return {key: sorted(times) for key, times in found.items()}


def true_times(run):
    """When everything began, in nanoseconds of the one true clock."""
    expected = {}
    for rank, files in zip(run.ranks, run.files):
        found = collections.defaultdict(list)
        for job, path in zip(rank["jobs"], files):
            with open(path) as file:
                events = json.load(file, parse_float=Decimal)["traceEvents"]

            def true_ns(event, job=job):
                host_ns = event["ts"] * 1000 - BASE_NS - rank["offset_ns"]
                host_ns -= job["shift_ns"] if "TS1" in event.get("attr", event.get("args")) else 0
                return host_ns / (1 + Decimal(rank["drift_ppb"]) / 10**9)

            for key, times in slices_by_name(events, true_ns).items():
                found[key] += times
        expected.update({key: sorted(times) for key, times in found.items()})
    return expected


def check_job_align(run):
    rows = collections.defaultdict(list)
    for row in run.table("job-align"):
        rows[int(row["rank"])].append(row)
    for rank in run.ranks:
        found = {row["job"].split("(")[0]: int(row["offset_ns"]) for row in rows[rank["rank"]]}
        planted = {f"r{rank['rank']}j{i}.json": -job["shift_ns"] for i, job in enumerate(rank["jobs"])}
        assert found.keys() == planted.keys(), (found, planted)
        assert all(abs(found[job] - planted[job]) <= 10 for job in found), (found, planted)


def check_times(run):
    """All ranks are on the clock of one of them, to a microsecond."""
    references = {row["reference"] for row in run.table("rank-sync")}
    assert len(references) == 1, references
    reference = run.ranks[int(references.pop())]
    expected = true_times(run)
    found = slices_by_name(run.events(), lambda event: event["ts"] * 1000)
    assert expected.keys() == found.keys()
    worst = 0
    for key, times in expected.items():
        assert len(times) == len(found[key]), key
        for true_ns, ts_ns in zip(times, found[key]):
            on_reference = BASE_NS + reference["offset_ns"] + true_ns * (1 + Decimal(reference["drift_ppb"]) / 10**9)
            worst = max(worst, abs(ts_ns - on_reference))
    assert worst <= 1000, f"{worst} ns apart"


def check_ovc(run):
    """Stamps count on from the first, and straddling events and wraps are those that were planted."""
    for row, rank in zip(run.table("ovc"), run.ranks):
        assert int(row["events"]) == rank["device_slices"] and int(row["straddling"]) == rank["straddling"], row
        assert int(row["wraps"]) == run.truth["wraps"], row
    periods = collections.defaultdict(set)
    shown_at = {"DmaI": 1, "Prep": 2, "Exec": 3, "DmaO": 4}
    for event in run.events():
        if event["ph"] != "X" or "TS1" not in event.get("args", {}):
            continue
        rank = run.ranks[event["pid"]]
        shown = int(event["args"][f"TS{shown_at[event['name'].split()[-1]]}"])
        counted = rank["first_count"] + (event["ts"] * 1000 - BASE_NS) * run.truth["soc_khz"] / 10**6
        distance = shown - counted
        period = round(distance / WRAP)
        assert abs(distance - period * WRAP) < 1000 * run.truth["soc_khz"] / 1000, event  # a millisecond
        periods[event["pid"]].add(period)
    assert all(len(found) == 1 for found in periods.values()), periods


def check_freq(run, within):
    rows = run.table("frequencies")
    assert {row["basis"] for row in rows} >= {"duration", "interval"}
    for row in rows:
        if row["basis"] != "drift":
            assert abs(float(row["mean_MHz"]) * 1000 / run.truth["soc_khz"] - 1) <= within, row


def check_flow(run):
    pairs = sum(int(row["pairs"]) for row in run.table("flow"))
    kinds = collections.Counter(event["ph"] for event in run.events())
    assert pairs == kinds["s"] == kinds["f"] == run.truth["flow_pairs"] > 0, (pairs, kinds)


def is_time(text, ns):
    """A sum of durations, by a clock that drifts by up to 40 ppm from the one of the device."""
    return abs(int(text) / ns - 1) <= 40e-6


def check_utilisation(run):
    totals = {(int(row["rank"]), row["phase"]): row for row in run.table("categories") if row["category"] == "Total"}
    for rank in run.ranks:
        for phase, jobs in (("TTFT", rank["jobs"][::2]), ("ITL", rank["jobs"][1::2])):
            row = totals.pop((rank["rank"], phase))
            for column, key in (("calls", "kernels"), ("ideal_cycles", "ideal_cycles")):
                assert int(row[column]) == sum(job[key] for job in jobs), (row, jobs)
            assert is_time(row["time_ns"], sum(job["kernel_ns"] for job in jobs)), (row, jobs)
    assert not totals, totals
    for row, rank in zip(run.table("utilisation"), run.ranks):
        with_ns, all_ns, cycles = (sum(job[key] for job in rank["jobs"])
                                   for key in ("with_ideal_ns", "kernel_ns", "ideal_cycles"))
        assert is_time(row["with_ideal_ns"], with_ns) and is_time(row["without_ideal_ns"], all_ns - with_ns), row
        assert abs(float(row["pt_percent"]) / (cycles / 1.1 / with_ns * 100) - 1) < 40e-6, row


def all_reduces(folder, reverse):
    """Rows of the table by their begin, and the ids of the slices by their names and ranks."""
    out = os.path.join(folder, "reversed" if reverse else "out")
    inputs = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("rank"))
    subprocess.run([PROGRAM, "run", "-p", "aiu-comm", "--enable", "pair", "-o", out, *(inputs[::-1] if reverse else inputs)],
                   check=True, capture_output=True)
    with open(os.path.join(out, "tables", "collectives.csv"), newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["begin_ns"]))
    with gzip.open(os.path.join(out, "trace.json.gz"), "rt") as file:
        slices = [event for event in json.load(file)["traceEvents"] if event.get("name") == "gloo:all_reduce"]
    return rows, sorted((event["args"]["orig_name"], event["tid"], event["args"]["external id"], event["ts"], event["dur"])
                        for event in slices)


def check_all_reduces(folder, ranks, options, algorithm):
    """Each is one row, at its time and with its bandwidth, whatever their names and however ranks are named first."""
    os.mkdir(folder)
    truth = os.path.join(folder, "truth")
    subprocess.run([GENERATOR, "--ranks", str(ranks), "--events", "3000", "--wraps", "2", "--collectives", "30", *options,
                    "-o", os.path.join(folder, "rank{rank}.json"), "--truth", truth], check=True)
    with open(truth) as file:
        planted = json.load(file)["planted"]
    rows, slices = all_reduces(folder, False)
    assert len(rows) == len(planted) == 30, (folder, len(rows))
    for row, true in zip(rows, planted):
        begin_ns, end_ns = int(row["begin_ns"]), int(row["end_ns"])
        gb_per_s = 2 * (ranks - 1) * 4096 / (true["end_ns"] - true["begin_ns"])
        assert row["algorithm"] == algorithm and int(row["ranks"]) == ranks, row
        assert row["group"] == f"AllReduce_all_reduce_{true['group']}", (row, true)
        assert abs(begin_ns - true["begin_ns"]) <= 1000 and abs(end_ns - true["end_ns"]) <= 1000, (row, true)
        assert abs(float(row["bandwidth_GB/s"]) / gb_per_s - 1) <= 0.01, (row, true)
    assert len(slices) == 30 * ranks
    assert all(name == f"AllReduce_all_reduce_{number}" for name, _, number, _, _ in slices), slices[:9]
    assert all_reduces(folder, True) == (rows, slices), folder


def check_collectives(scratch):
    forms = (["--groups", "30"], ["--groups", "1"], ["--groups", "3", "--be"])
    for number, ranks in enumerate((2, 3, 4, 5, 7, 8, 12, 16)):
        options = forms[number % len(forms)]
        check_all_reduces(os.path.join(scratch, f"chain{ranks}"), ranks, options, "chain")
        check_all_reduces(os.path.join(scratch, f"tree{ranks}"), ranks, options + ["--tree"], "tree")


def residuals(folder):
    with open(os.path.join(folder, "tables/ovc.csv"), newline="") as file:
        return {int(row["rank"]): int(row["residual_max_ns"]) for row in csv.DictReader(file)}


def check_advice(scratch):
    """Four devices with frequencies of their own: what is printed of each, typed as it stands, makes its residual smaller."""
    planted = {f"rank{rank}.json": mhz for rank, mhz in enumerate(("551.5", "556.25", "563", "570.75"))}
    for name, mhz in planted.items():
        subprocess.run([GENERATOR, "--events", "3000", "--ranks", "4", "--wraps", "1", "--soc-mhz", mhz, "-o",
                        os.path.join(scratch, f"of{mhz}-{{rank}}.json"), "--truth", os.devnull], check=True)
        os.rename(os.path.join(scratch, f"of{mhz}-{name[4]}.json"), os.path.join(scratch, name))

    def said_of(names, *words):
        out = os.path.join(scratch, "advised")
        done = subprocess.run([PROGRAM, "run", "-p", "aiu", *names, *words, "--format", "csv", "-f", "-o", out],
                              cwd=scratch, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr, residuals(out)

    said, before = said_of(planted)
    advice = dict(re.findall(r"^ +(rank\d\.json): --set (soc-mhz=[0-9.]+)$", said, re.MULTILINE))
    assert "FREQ-08" in said and advice == {name: f"soc-mhz={mhz}" for name, mhz in planted.items()}, (said, advice)
    for rank, (name, setting) in enumerate(advice.items()):
        again, after = said_of([name], "--set", setting)
        assert "FREQ-" not in again and after[rank] < before[rank], (name, setting, before[rank], after, again)


def main():
    usual = ["--events", "4000", "--wraps", "3", "--skew-us", "75", "--drift-ppm", "20", "--collectives", "24"]
    with tempfile.TemporaryDirectory() as scratch:
        for name, options in (("jobs", ["--ranks", "3", "--jobs", "4", "--shift-us", "400"]),
                              ("hex", ["--ranks", "2", "--jobs", "2", "--seed", "5", "--shift-us", "900", "--stamps",
                                       "hex", "--attr", "--shuffled"])):
            run = Run(scratch, name, usual + options)
            assert "warning" not in run.said, run.said
            check_job_align(run)
            check_times(run)
            check_ovc(run)
            check_freq(run, 1e-4)
            check_flow(run)
            check_utilisation(run)
        wrong = Run(scratch, "slow", usual + ["--ranks", "2", "--jobs", "2", "--soc-mhz", "557.2"])
        check_freq(wrong, 1e-4)
        assert "soc-mhz=557.2" in wrong.said, wrong.said
        check_advice(scratch)
        check_collectives(scratch)
    print("truth: all that was planted was found")


if __name__ == "__main__":
    main()
