#!/usr/bin/env python3
"""Runs a stage for each crime under --verify: violations-test.py PROGRAM MODULES CRIMES

Each run must end with the crime's status and say what the table demands, leave no output behind,
and name the stage.  Without --verify, what only --verify looks for does not stop a run."""
import json
import os
import subprocess
import sys
import tempfile

EVENTS = [
    {"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 1, "args": {"x": 1}},
    {"ph": "E", "name": "a", "pid": 1, "tid": 1, "ts": 2},
    {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 3, "dur": 1, "args": {"x": 2}},
    {"ph": "X", "name": "c", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {"x": 3}},
]


def run(program, modules, work, row, *more):
    crime = row["crime"]
    profile = os.path.join(work, "crime.json")
    with open(profile, "w", encoding="utf-8") as file:
        json.dump({"profile": 1, "name": "crime", "stages": [
            {"use": "crime." + crime, "with": row.get("with", {})}]}, file)
    out = os.path.join(work, "out-" + crime + "".join(more))
    command = [program, "run", "--stage-path", modules, "-p", profile, "-o", out, *more,
               os.path.join(work, "trace.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr, out


def problems(row, status, said, out):
    if status != row["status"]:
        yield f"ended with {status}, not {row['status']}"
    if row["says"] not in said:
        yield f"did not say {row['says']}"
    if row["status"] and "crime." + row["crime"] not in said:
        yield "did not name the stage"
    if row["status"] and os.path.exists(out):
        yield "left its output behind"
    folder, name = os.path.split(out)
    if row["status"] and any(entry.startswith("." + name) for entry in os.listdir(folder)):
        yield "left a temporary folder behind"


def main():
    program, modules, table = sys.argv[1:]
    with open(table, encoding="utf-8") as file:
        rows = json.load(file)
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "trace.json"), "w", encoding="utf-8") as file:
            json.dump({"traceEvents": EVENTS}, file)
        for row in rows:
            status, said, out = run(program, modules, work, row, "--verify")
            wrong = list(problems(row, status, said, out))
            failed += bool(wrong)
            print("FAILED" if wrong else "ok    ", row["crime"], *wrong, sep="  ")
            if wrong:
                print(said)
        status, said, _ = run(program, modules, work, {"crime": "unmarked-change"})
        if status:
            failed += 1
            print("FAILED  without --verify a run ended with", status, said)
    print(f"{len(rows)} crimes, {failed} not as expected")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
