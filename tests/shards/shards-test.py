#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs that several processes share: the bytes of one run, for each golden case that shards can do,
and for inputs of every form."""
import argparse
import json
import pathlib
import shutil
import sys
import tempfile

from sharing import Program, Shared, pack

COUNTS = (1, 2, 3, 7)
# They must be among the cases that shards can do.
WANTED = {"profile-kernels", "profile-timeline", "profile-torch", "profile-serving", "profile-moe-load",
          "profile-gemm-variance", "profile-probe", "profile-eplb", "profile-aiu", "profile-aiu-log",
          "profile-collectives", "appended-runs", "by-tags", "run-barrier"}


def golden_cases(source):
    """(name, words without its output, folder) of each case that runs a profile."""
    for case in sorted((source / "tests" / "golden" / "cases").iterdir()):
        data = json.loads((case / "case.json").read_text())
        words = [w.format(out="{out}", samples=source / "samples", made="{made}") for w in data["command"]]
        if words[0] != "run" or "-o" not in words or "first" in data:
            continue
        at = words.index("-o")
        yield case.name, words[:at] + words[at + 2:], case


def without_events(program, words, folder):
    """The same with formats that shards can have; None: no shard can do it."""
    if "--format" in words and "trace" in words[words.index("--format") + 1]:
        return None
    status, _, said = program.run(["plan", *words[1:], "--json"], cwd=folder)
    if status or "-p" not in words:
        return None
    why = json.loads(_)["why_not_shards"]
    if why is None:
        return words
    return None if "needs the events of all" in why else [*words, "--format", "text,json,csv"]


def made_cases(program, scratch):
    """Inputs of other forms: packed, joined, merged, one behind the other, with tags and labels."""
    samples = program.source / "samples"
    for rank in (0, 1):
        pack(samples / "kineto" / f"rank{rank}.json", scratch / f"rank{rank}.json.gz")
    for job, rank in ((0, 0), (0, 1), (1, 0), (1, 1)):
        shutil.copy(samples / "aiu" / f"rank{rank + job}.json", scratch / f"job{job}-rank{rank}.json")
    merged = scratch / "merged"
    program.run(["convert", samples / "aiu", "-o", scratch / "merged.json"], cwd=scratch)
    both = ["base=" + str(samples / "kineto" / "rank0.json"), "model=m,threads=2:" + str(samples / "kineto" / "rank1.json")]
    packed = [scratch / "rank0.json.gz", scratch / "rank1.json.gz"]
    text = ["--format", "text,json,csv"]
    yield "packed", ["run", "-p", "torch", *packed, *text]
    yield "joined", ["run", "-p", "aiu", "--join-ranks", *sorted(scratch.glob("job*.json")), *text]
    yield "merged file", ["run", "-p", "timeline", scratch / "merged.json", *text]
    yield "tags", ["run", "-p", "kernels", *both, *text]
    yield "groups by implementation", ["run", "-p", "serving", "--set", "by=implementation", samples / "serving" / "ep4-seqs8",
                     samples / "serving" / "tp4-seqs8", *text]
    del merged


def check(name, shared, scratch):
    failed = 0
    for n, of in enumerate(COUNTS):
        state = scratch / f"state-{of}"
        jobs = ("-j", "1" if n % 2 else "3")
        try:
            shared.rounds(state, of, *jobs, seed=n)
            wrong = shared.last(state, "--no-read", "-j", "3" if n % 2 else "1", "--batch-size", str(3 + 1000 * n))
        except AssertionError as e:
            wrong = str(e)
        if wrong:
            print(f"{name}: {of} shards: {wrong}")
            failed += 1
    half = scratch / "half"
    if shared.status == 0:  # part of it by shards, the rest by the last command
        shared.shard(half, 1, 2)
    wrong = shared.last(half)
    if wrong:
        print(f"{name}: one of two shards: {wrong}")
    return failed + bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("cases", nargs="*")
    given = parser.parse_args()
    program, failed, done = Program(given.build, given.source), 0, set()
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        (top / "made").mkdir()
        cases = list(golden_cases(program.source)) + [(n, w, top) for n, w in made_cases(program, top / "made")]
        for number, (name, words, folder) in enumerate(cases):
            words = without_events(program, words, folder)
            if words is None or (given.cases and name not in given.cases):
                continue
            scratch = top / str(number)
            scratch.mkdir()
            failed += check(name, Shared(program, words, folder, scratch), scratch)
            done.add(name)
            shutil.rmtree(scratch)
    if not given.cases and WANTED - done:
        print(f"no shard can do {', '.join(sorted(WANTED - done))}")
        failed += 1
    print(f"{len(done)} runs shared, {failed} differences")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
