#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a stage, source or sink for each violation under --verify: violations-test.py PROGRAM MODULES VIOLATIONS

Each run must end with the violation's status and say what the table demands, leave no output behind,
and name the module.  Rows with "without" are run without --verify, too, and end with that status:
what only --verify looks for does not stop a run.
Rows with "lie" are of a module that has a table of lies, and is told by the environment which.
Rows with "harmless" end with status 0 and say why that is fine; with "leaves", what others wrote is there.
Rows with "isolated" would harm the machine: they run under --isolate alone, as some others do, too.
A stage that crashes or exits, under every command that runs one, leaves the files of others alone."""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

EVENTS = [
    {"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 1, "args": {"x": 1}},
    {"ph": "E", "name": "a", "pid": 1, "tid": 1, "ts": 2},
    {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 3, "dur": 1, "args": {"x": 2}},
    {"ph": "X", "name": "c", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {"x": 3}},
]

KERNELS = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10 + n, "dur": 1, "args": {"device": 0, "stream": 7}}
           for n in range(3)]


def run(program, modules, work, row, *more):
    violation, lie = row["violation"], row.get("lie", "")
    kind = row.get("kind", "stage")
    stage = violation if kind == "stage" else "innocent"
    case = "".join([violation, lie, *more])
    stages = os.path.join(work, "modules-" + case)
    names = [stage] + ([row["after"]] if "after" in row else [])
    for name in {violation, *names}:
        os.makedirs(stages, exist_ok=True)
        shutil.copy(os.path.join(modules, f"rogue.{name}.so"), stages)
    profile = os.path.join(work, "violation-" + case + ".json")
    with open(profile, "w", encoding="utf-8") as file:
        json.dump({"profile": 1, "name": "violation", "stages": [
            {"use": "rogue." + name, "with": row.get("with", {}), **({"as": "beside"} if name != stage else {})}
            for name in names]}, file)
    out = os.path.join(work, "out-" + case)
    inputs = [os.path.join(work, f"trace{n}.json") for n in range(row.get("inputs", 1))]
    edge = {"stage": [], "source": ["--source", "rogue." + violation], "sink": ["--format", "rogue." + violation]}
    command = [program, "run", "--stage-path", stages, "-p", profile, "-o", out, "-j", str(len(inputs)), *more,
               *(["--max-memory=64MiB"] if lie else []), *edge[kind], *row.get("arguments", []), *inputs]
    env = dict(os.environ, ROGUE_LIE=lie)
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", timeout=240, check=False)
    return done.returncode, done.stdout + done.stderr, out


# Rows of status 0 that need no reason: what they do is allowed, or told.
ALLOWED = {"innocent", "deprecated-option", "lost-memory", "unasked-attribute"}


def problems(row, wanted, status, said, out):
    if not row["status"] and row["violation"] not in ALLOWED and "harmless" not in row:
        yield "says not why it is harmless"
    if status != wanted:
        yield f"ended with {status}, not {wanted}"
    for text in [row["says"], row.get("also", "")] if wanted == row["status"] else []:
        if text not in said:
            yield f"did not say {text}"
    if wanted and "rogue." + row["violation"] not in said and "error[rogue." not in said:
        yield "did not name the module"
    if wanted and os.path.exists(out) and "leaves" not in row:
        yield "left its output behind"
    folder, name = os.path.split(out)
    if wanted and any(entry.startswith("." + name + ".") for entry in os.listdir(folder)):
        yield "left a temporary folder behind"


CRASH = -11


def sanitizers_of(program):
    with open(program, "rb") as file:
        code = file.read()
    return [name for name in ("asan", "tsan") if f"__{name}_init".encode() in code]


def can_be_seen(sanitizers, case):
    """They tell of a bad address themselves, and that of threads keeps a signal back until the next call of the system."""
    row, _, wanted = case
    return not (sanitizers and wanted == CRASH) and not ("tsan" in sanitizers and row["violation"] == "loops")


def tree(folder):
    return sorted(os.path.join(at, name) for at, folders, names in os.walk(folder) for name in folders + names)


def crash_under(program, modules, work, violation, wanted, command):
    """Runs the command with the stage of this violation and most of the input unread; yields what is wrong."""
    home = tempfile.mkdtemp(dir=work)
    for name in ("tmp/other", "stages", "profiles"):
        os.makedirs(os.path.join(home, name))
    shutil.copy(os.path.join(modules, f"rogue.{violation}.so"), os.path.join(home, "stages"))
    for name in ("crash", "info", "convert"):
        with open(os.path.join(home, "profiles", name + ".json"), "w", encoding="utf-8") as file:
            json.dump({"profile": 1, "name": name, "stages": [{"use": "rogue." + violation}]}, file)
    for name in ("tmp/mine", "tmp/other/mine", "mine"):
        with open(os.path.join(home, name), "w", encoding="utf-8") as file:
            file.write("mine")
    with open(os.path.join(home, "trace.json"), "w", encoding="utf-8") as file:
        json.dump({"traceEvents": EVENTS * 50000}, file)
    before = tree(home)
    env = dict(os.environ, TMPDIR=os.path.join(home, "tmp"))
    done = subprocess.run(
        [program, *command, "trace.json", "--stage-path", "stages", "--profile-path", "profiles"],
        cwd=home, env=env, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != wanted or "rogue." + violation not in done.stderr:
        yield f"ended with {done.returncode}: {done.stderr}"
    changed = set(before) ^ set(tree(home))
    if changed:
        yield f"left or removed {sorted(changed)}"


# What becomes of a stage that is isolated: status, and what is said.
ISOLATED = {
    "crash": (5, "crashed (Segmentation fault)"),
    "stack-overflow": (5, "crashed (Segmentation fault)"),
    "crash-in-a-thread": (5, "crashed (Segmentation fault)"),
    "exit": (5, "ended its process, with status 0"),
    "exit-at-once": (5, "ended its process, with status 0"),
    "exit-in-a-thread": (5, "ended its process, with status 0"),
    "loops": (5, "does not return from a call"),
    "eats-memory": (8, "needs more memory than there is"),
}


def limit_of(violation):
    """Others end by themselves, however busy the machine is."""
    return "--isolate-limit=1s" if violation == "loops" else "--isolate-limit=60s"


def check_isolated(program, modules, work):
    """Not under sanitizers: their locks may be held when a process forks, and they take more addresses than the limit."""
    failed = 0
    if sanitizers_of(program):
        return 0
    for violation, (wanted, says) in ISOLATED.items():
        row = {"violation": violation, "status": wanted, "says": says,
               "arguments": ["--isolate=rogue.*", limit_of(violation), "--max-memory=64MiB"]}
        status, said, out = run(program, modules, work, row)
        wrong = list(problems(row, wanted, status, said, out))
        if said.count("error[") != 1 or "error[STG-13]" not in said:
            wrong.append("is not one error of STG-13")
        wrong += go_on_without(program, modules, work, violation, says)
        failed += bool(wrong)
        print("FAILED" if wrong else "ok    ", "isolated", violation, *wrong, sep="  ")
        if wrong:
            print(said)
    return failed


def go_on_without(program, modules, work, violation, says):
    """Under --keep-going the results of the stage beside it are written."""
    profile, out = os.path.join(work, "beside.json"), os.path.join(work, "beside-" + violation)
    with open(profile, "w", encoding="utf-8") as file:
        json.dump({"profile": 1, "name": "beside", "stages": [
            {"use": "rogue." + violation}, {"use": "kernel-time"}]}, file)
    done = subprocess.run(
        [program, "run", "--stage-path", os.path.join(work, "modules-" + violation), "-p", profile, "-o", out, "--keep-going",
         "--isolate=rogue.*", limit_of(violation), "--max-memory=64MiB", os.path.join(work, "kernels.json")],
        capture_output=True, text=True, timeout=240, check=False)
    if says not in done.stderr or done.returncode not in (5, 8):
        yield f"--keep-going ended with {done.returncode}: {done.stderr}"
    if not os.path.exists(os.path.join(out, "run.json")):
        yield "--keep-going left no results of the other stage"


def check_crashes(program, modules, work):
    failed = 0
    for command in (["run", "-p", "crash"], ["run", "-p", "crash", "--json", "-o", "out"], ["info"],
                    ["metric", "rogue.violations"], ["convert", "-o", "out.json"], ["convert", "-o", "-"]):
        for violation, wanted in (("crash", -signal.SIGSEGV), ("exit", 5), ("exit-at-once", 5)):
            wrong = list(crash_under(program, modules, work, violation, wanted, command))
            failed += bool(wrong)
            print("FAILED" if wrong else "ok    ", violation, "under", *command, *wrong, sep="  ")
    return failed


def main():
    program, modules, table = map(os.path.abspath, sys.argv[1:])
    with open(table, encoding="utf-8") as file:
        rows = json.load(file)
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in ("trace0.json", "trace1.json"):
            with open(os.path.join(work, name), "w", encoding="utf-8") as file:
                json.dump({"traceEvents": EVENTS}, file)
        with open(os.path.join(work, "kernels.json"), "w", encoding="utf-8") as file:
            json.dump({"traceEvents": EVENTS + KERNELS}, file)
        cases = [(row, how, wanted) for row in rows if "isolated" not in row
                 for how, wanted in ((["--verify"], row["status"]), ([], row.get("without"))) if wanted is not None]
        sanitizers = sanitizers_of(program)
        cases = [case for case in cases if can_be_seen(sanitizers, case)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda case: run(program, modules, work, case[0], *case[1]), cases)
            for (row, how, wanted), (status, said, out) in zip(cases, results):
                wrong = list(problems(row, wanted, status, said, out))
                failed += bool(wrong)
                print("FAILED" if wrong else "ok    ", row["violation"], row.get("lie", ""), *how, *wrong, sep="  ")
                if wrong:
                    print(said)
        failed += check_crashes(program, modules, work)
        failed += check_isolated(program, modules, work)
    print(f"{len(rows)} violations, {failed} not as expected")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
