"""Converts generated traces and asks Perfetto's trace_processor what it finds in them.

A written trace must hold as many slices, flows and counters as the trace it was made from, with the
same time in slices, and no new row of severity error or data_loss in Perfetto's stats. Status 77
(skipped) where trace_processor cannot be had.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

import engine

SKIPPED = 77


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="stagemill; may be missing")
    parser.add_argument("--kineto-gen", required=True)
    parser.add_argument("--aiu-gen", required=True)
    parser.add_argument("--cache", required=True, help="where the downloaded engine is kept")
    return parser.parse_args()


class Case:
    """One generated input, of one or more ranks."""

    def __init__(self, name, generator, options, scratch):
        self.name = name
        pattern = os.path.join(scratch, name + "-{rank}.json")
        truth = os.path.join(scratch, name + ".truth")
        subprocess.run([generator, *options, "-o", pattern, "--truth", truth], check=True)
        with open(truth) as file:
            self.ranks = json.load(file)["ranks"]
        self.paths = [pattern.replace("{rank}", str(rank["rank"])) for rank in self.ranks]


def generate(options, scratch):
    return [
        Case("kineto", options.kineto_gen, ["--events", "20000"], scratch),
        Case("kineto-epoch", options.kineto_gen,
             ["--events", "8000", "--layout", "compact", "--stamps", "epoch", "--sorted"], scratch),
        Case("kineto-pretty", options.kineto_gen,
             ["--events", "5000", "--layout", "pretty", "--stamps", "relative", "--ranks", "2"],
             scratch),
        Case("aiu", options.aiu_gen,
             ["--events", "3000", "--ranks", "2", "--wraps", "2", "--skew-us", "40", "--power",
              "--collectives", "20"], scratch),
        Case("aiu-overlaps", options.aiu_gen, ["--events", "2000", "--overlaps", "5"], scratch),
        Case("aiu-pairs", options.aiu_gen, ["--events", "2001", "--be", "--attr"], scratch),
    ]


def analyse(options, path):
    return engine.analyse(options.cache, path, optimise=False)


COUNTS = ("slices", "instants", "flows", "counters")


def stats_of(found):
    return {row["name"]: row["value"] for row in found["stats"]}


def check_input(case, rank, found):
    """Perfetto must see all that the generator wrote, else a comparison proves nothing."""
    stats = stats_of(found)
    overlaps = rank.get("overlaps", 0)
    dropped = stats.pop("slice_drop_overlapping_complete_event", 0)
    wanted = rank["slices"] + rank.get("instants", 0) - overlaps
    problems = []
    if found["slices"] != wanted or dropped != overlaps:
        problems.append(f"{found['slices']} slices and {dropped} dropped, "
                        f"expected {wanted} and {overlaps}")
    if found["flows"] != rank.get("flow_starts", 0):
        problems.append(f"{found['flows']} flows, expected {rank.get('flow_starts', 0)}")
    if stats:
        problems.append(f"stats {stats}")
    return [f"{case.name}, as generated: {problem}" for problem in problems]


def check_written(what, inputs, found):
    """`inputs`: what Perfetto found in each of the files that went into this one."""
    problems = []
    for key in COUNTS:
        wanted = sum(one[key] for one in inputs)
        if found[key] != wanted:
            problems.append(f"{what}: {found[key]} {key}, {wanted} in the input")
    wanted_ns = sum(one["slice_ns"] or 0 for one in inputs)
    # Perfetto reads stamps as doubles: half a microsecond of a slice can go either way.
    if abs((found["slice_ns"] or 0) - wanted_ns) > 500 * (found["slices"] + 1):
        problems.append(f"{what}: {found['slice_ns']} ns in slices, {wanted_ns} in the input")
    for name, value in stats_of(found).items():
        before = sum(stats_of(one).get(name, 0) for one in inputs)
        if value > before:
            problems.append(f"{what}: {name} is {value}, {before} in the input")
    return problems


def convert(program, inputs, output, *more):
    command = [program, "convert", *inputs, "-o", output, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return [f"{' '.join(command)}: status {done.returncode}\n{done.stderr}"]
    return []


def check_parts(what, whole, parts):
    """Each part is a trace of its own; flows from one part to another are cut."""
    problems = []
    if len(parts) < 3:
        problems.append(f"{what}: only {len(parts)} parts")
    for key in ("slices", "instants", "counters"):
        total = sum(part[key] for part in parts)
        if total != whole[key]:
            problems.append(f"{what}: {total} {key} in all parts, {whole[key]} in the input")
    for part in parts:
        for name, value in stats_of(part).items():
            if "flow" not in name and value > stats_of(whole).get(name, 0):
                problems.append(f"{what}: {name} is {value} in one part")
    return problems


def split_case(options, case, whole, scratch):
    problems = []
    for how, value in (("--split-size", "1MiB"), ("--split-time", "20ms")):
        what = f"{case.name}{how}"
        failed = convert(options.program, case.paths[:1], os.path.join(scratch, what + ".json.gz"), how, value)
        parts = sorted(glob.glob(os.path.join(scratch, what + "-*.json.gz")))
        problems += failed or check_parts(what, whole, [analyse(options, part) for part in parts])
    return problems


def check_case(options, case, scratch):
    found = [analyse(options, path) for path in case.paths]
    problems = []
    for rank, one in zip(case.ranks, found):
        problems += check_input(case, rank, one)
    if not os.path.exists(options.program):
        return problems
    jobs = [(case.paths[:1], "plain.json", []), (case.paths[:1], "packed.json.gz", []),
            (case.paths[:1], "sorted.json", ["--sort"])]
    if len(case.paths) > 1:
        jobs.append((case.paths, "merged.json", []))
    for inputs, name, more in jobs:
        output = os.path.join(scratch, f"{case.name}-{name}")
        failed = convert(options.program, inputs, output, *more)
        problems += failed or check_written(f"{case.name}, {name}", found[:len(inputs)],
                                            analyse(options, output))
    if case.name == "kineto":
        problems += split_case(options, case, found[0], scratch)
    return problems


def main():
    options = arguments()
    try:
        engine.check_node()
        engine.fetch(options.cache)
    except engine.Unavailable as reason:
        print(f"skipped: Perfetto's trace_processor cannot be had: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        cases = generate(options, scratch)
        problems = [problem for case in cases for problem in check_case(options, case, scratch)]
    for problem in problems:
        print(problem)
    if not os.path.exists(options.program):
        print(f"{options.program} is missing: only the generated inputs were tried")
    print(f"{len(cases)} inputs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
