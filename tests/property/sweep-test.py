#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The profile gemm-variance against what the generator of sweeps planned: every row, whatever the order of inputs, the
folders' layout, or the number of threads; and what is missing, empty or broken."""
import argparse
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from program import Program, difference, outputs  # noqa: E402

GENERATOR = pathlib.Path(__file__).resolve().parent.parent / "gen" / "sweep-gen.py"


def generate(folder, *options):
    subprocess.run([sys.executable, GENERATOR, "-o", folder, *options], check=True)


def rows(folder, table):
    with open(folder / "tables" / f"{table}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tables_of(folder):
    return {p.name: p.read_text(encoding="utf-8") for p in sorted((folder / "tables").glob("*.csv"))
            if p.name != "sweep.csv"}  # which has paths


def key_of(row):
    return int(row["threads"]), int(row["channels"]), int(row["rank"]), row["op"]


def check_truth(folder, truth):
    found = {key_of(r): r for r in rows(folder, "gemm-variance")}
    assert len(found) == len(truth) == len(rows(folder, "gemm-variance"))
    for t in truth:
        r = found[key_of(t)]
        wanted = {"kernel": t["kernel"], "calls": t["calls"], "min_ns": t["min_ns"], "max_ns": t["max_ns"], "diff_ns": t["max_ns"] - t["min_ns"],
                  "min_ts_ns": t["min_at_ns"], "max_ts_ns": t["max_at_ns"], "between_ns": t["max_at_ns"] - t["min_at_ns"],
                  "overlap_names": t["overlap_names"], "overlap_ns": t["overlap_ns"]}
        for name, value in wanted.items():
            assert r[name] == str(value), (t, name, r[name])
        assert abs(float(r["overlap_max_percent"]) - t["overlap_max"]) < 1e-9
    diffs = [int(r["diff_ns"]) for r in rows(folder, "gemm-variance")]
    assert diffs == sorted(diffs, reverse=True)


def check_stragglers(folder):
    """The rank that comes last to the allreduce waits least, in each configuration."""
    first = {(r["threads"], r["channels"]): r["rank"] for r in reversed(rows(folder, "stragglers"))}
    assert set(first.values()) == {"1"} and len(first) == 4, first


SKEW_US = 137.25  # of the clocks of neighbours


def check_clocks(folder, tried):
    """Clocks of ranks that differ are found within a microsecond, and the late rank with them; without, it is the one that is ahead."""
    generate(folder / "skewed", "--skew", str(SKEW_US), "--ranks", "3")
    assert tried("collectives", "clocks", folder / "skewed") == (0, "")
    for row in rows(folder / "clocks", "rank-sync"):
        assert abs(int(row["offset_ns"]) - int(row["rank"]) * SKEW_US * 1000) < 1000, row
    check_stragglers(folder / "clocks")
    allreduces = [r for r in rows(folder / "clocks", "collectives") if r["name"] == "allreduce"]
    assert len(allreduces) == 12
    for r in allreduces:  # rank 1 comes 20 us after the others, and all leave 40 us later
        assert (r["latency_ns"], r["start_skew_ns"], r["latest"], r["end_skew_ns"]) == ("40000", "20000", "1", "0"), r
    assert tried("collectives", "as-they-are", folder / "skewed", "--disable", "rank-sync") == (0, "")
    said = {n["code"]: n for n in json.loads((folder / "as-they-are" / "run.json").read_text(encoding="utf-8"))["notices"]}
    assert "274 us apart" in said["CREP-03"]["what"] and "rank-sync" in said["CREP-03"]["help"], said
    first = {r["rank"] for r in rows(folder / "as-they-are", "stragglers") if r["last_share_percent"] == "100.0"}
    assert first == {"2"}, first


def check_manners(folder, tried):
    """Threads and sizes of batches change no byte of what is written."""
    wanted = None
    for name, words in (("alone", ["-j", "1"]), ("four", ["-j", "4", "--batch-size", "7"]), ("two", ["-j", "2", "--batch-size", "1"])):
        status, errors = tried("gemm-variance", name, folder / "sweep", "--format", "text,json,csv,gemm-csv", *words)
        assert status == 0, errors
        got = outputs(folder / name)
        wanted = wanted or got
        assert len(got) > 45 and not difference(wanted, got), (name, difference(wanted, got))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "source"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    program = Program(options.build, options.source)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        generate(scratch / "sweep", "--truth", scratch / "truth.json")
        generate(scratch / "below", "--below")
        truth = json.loads((scratch / "truth.json").read_text(encoding="utf-8"))

        def tried(profile, name, *words):
            status, _, errors = program.run(["run", "-p", profile, *words, "-o", scratch / name], cwd=scratch)
            return status, errors

        def run(name, *words, wanted=0):
            status, errors = tried("gemm-variance", name, *words)
            assert status == wanted, (name, status, errors)
            return scratch / name

        base = run("base", scratch / "sweep")
        check_truth(base, truth)
        check_stragglers(base)
        assert len(rows(base, "sweep")) == 8 and {r["state"] for r in rows(base, "sweep")} == {"used"}
        parts = [scratch / "sweep" / f"{t}thread" / f"nccl_{c}channels" for t in (512, 256) for c in (56, 28)]
        for name, words in (("layout", [scratch / "below"]), ("parts", parts), ("one", [scratch / "sweep", "-j", "1"])):
            assert tables_of(run(name, *words)) == tables_of(base), name
        reverse = [*reversed(parts)]
        for profile in ("torch", "collectives"):
            for name, words in (("forth", parts), ("back", reverse)):
                status, errors = tried(profile, f"{profile}-{name}", *words)
                assert status == 0, errors
            assert tables_of(scratch / f"{profile}-forth") == tables_of(scratch / f"{profile}-back"), profile
        check_manners(scratch, tried)
        check_clocks(scratch, tried)
        found = rows(run("prefix", scratch / "sweep", "--set", "match=prefix"), "gemm-variance")
        # The 50 us of the longer name are the longest of the prefix while the split product takes no more.
        assert {r["max_found_ns"] for r in found if r["op"] == "aten::addmm"} == {"60000", "90000", "120000", "150000"}

        damaged = scratch / "damaged"
        shutil.copytree(scratch / "sweep", damaged)
        ranks = [damaged / "256thread" / f"nccl_{c}channels" / "torch_profiler" / f"rank{r}" for c in (28, 56) for r in (0, 1)]
        shutil.rmtree(ranks[0])
        (ranks[1] / "customer_trace.json").unlink()
        assert len(rows(run("missing", damaged), "sweep")) == 6
        trace = ranks[2] / "customer_trace.json"
        trace.write_text(trace.read_text()[:9000])
        status, errors = tried("gemm-variance", "broken", damaged)
        assert status == 3 and "rank0" in errors and not (scratch / "broken").exists(), errors
        assert len(rows(run("going", damaged, "--keep-going", wanted=3), "sweep")) == 5
        assert len(rows(run("recovered", damaged, "--recover"), "sweep")) == 6

        both = [f"base={scratch / 'sweep'}", f"new={scratch / 'below'}"]
        for words in (both[:1], both[1:], [*both, f"new={scratch / 'sweep'}"]):
            status, errors = tried("gemm-compare", "no", *words)
            assert status == 3 and "base=SWEEP new=SWEEP" in errors, errors
        status, errors = tried("gemm-compare", "compared", *both)
        assert status == 0, errors
        compared = rows(scratch / "compared", "sweep-compare")
        assert compared and all(r["diff_ns"] in ("0", "0.0") for r in compared)
        assert {r["label"] for r in rows(scratch / "compared", "gemm-variance")} == {"base", "new"}
        status, errors = tried("gemm-compare", "turned", *reversed(both))
        assert status == 0 and tables_of(scratch / "turned") == tables_of(scratch / "compared"), errors


main()
