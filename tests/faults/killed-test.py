#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills conversions before each rename: whatever the next one to that folder does, all files of the first are there as
they were, or all as they should be, and nothing else is left."""
import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "property"))
from program import Program  # noqa: E402
from scenarios import Inputs, Scenario  # noqa: E402
from trial import Place, same_addresses, snapshot  # noqa: E402

MOST = 40  # renames


def scenarios(source):
    has = Inputs(source)
    words = ("convert", "in/k{rank}.json", "-o", "o{rank}.json", "-f", "-j1")
    old = {f"o{rank}.json": f"old {rank}".encode() for rank in range(2)}
    return [Scenario("all-replaced", *words, inputs=has.kineto, before=old),
            Scenario("one-replaced", *words, inputs=has.kineto, before={"o1.json": b"old 1"}),
            Scenario("one-of-one", "convert", "in/k0.json", "-o", "out.json", "-f", "-j1", inputs=has.one,
                     before={"out.json": b"old"})]


def next_run(place):
    """Another conversion to the same folder, around what the killed one left."""
    status, _, err = place.program.run(["convert", "in/k0.json", "-o", "other.json", "-j1"], cwd=place.cwd)
    tree = snapshot(place.cwd)
    return status, err, {name: data for name, data in tree.items() if name != "other.json"}


def faults_of(place, scenario):
    wrong, failed = place.expect(scenario), []
    if wrong:
        return 0, [wrong]
    for n in range(2, MOST):  # before the first one, what is left has no mark so far, and goes a minute later
        done = place.run(scenario, LD_PRELOAD=str(place.library), STAGEMILL_FAULT=f"rename:{n}:kill")
        if done.status == 0:
            return n - 2, failed
        status, err, tree = next_run(place)
        if status != 0 or tree not in (scenario.before, scenario.after):
            failed.append(f"{scenario.name}, killed before rename {n}: then status {status} {err}, and there are "
                          f"{ {name: (data or b'')[:9] for name, data in tree.items()} }")
    return MOST, [*failed, f"{scenario.name}: no end of renames"]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", required=True, type=pathlib.Path)
    options.add_argument("--source", required=True)
    options = options.parse_args()
    build = options.build.resolve()
    if b"__tsan_init" in (build / "core" / "cmd" / "stagemill").read_bytes():
        print("built with a sanitizer, which has the calls before which a run is killed: skipped")
        return 77
    same_addresses()
    failures, killed = [], 0
    with tempfile.TemporaryDirectory(prefix="killed-") as root:
        place = Place(root, Program(build, options.source), build / "tests" / "faults" / "faults.so")
        for scenario in scenarios(options.source):
            n, failed = faults_of(place, scenario)
            killed += n
            failures += failed
    print("\n".join([*failures, f"{killed} runs killed before a rename: {len(failures)} failures"]))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
