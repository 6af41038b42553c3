#!/usr/bin/env python3
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
from program import Program  # noqa: E402

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


main()
