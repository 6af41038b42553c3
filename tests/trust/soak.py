#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The random campaigns in turns, each time with another seed: soak.py MINUTES --build BUILD --source SOURCE [--seed N]

Changed inputs with profiles, options and formats by chance; signals at any moment; disks that fill; shards that are killed.  No
turn begins after MINUTES, and each campaign has one.  A failure ends with status 1; the seed repeats it.  The campaigns count for
themselves (record.py); their sums become the entry "soak" of RELIABILITY_NUMBERS."""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from record import record

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
SLICE_S = 60
MOMENTS = 5  # of each kind of run in a turn
COUNTED = ("inputs", "runs", "signals", "rooms", "kills")
FAILURES = ("faults", "failures")


def mutations(options, seed):
    """For one slice of time."""
    generators = options.build / "tests/gen"
    return [TESTS / "differ/mutations.py", "--build", options.build, "--source", options.source, "--kineto-gen", generators / "kineto-gen",
            "--aiu-gen", generators / "aiu-gen", "--seed", seed, "--count", 1000000, "--seconds", SLICE_S, "--profiles", 3]


def trust(part):
    def command(options, _):
        return [HERE / "trust-test.py", part, "--program", options.build / "core/cmd/stagemill", "--build", options.build, "--source", options.source]

    return command


def shards(options, seed):
    return [TESTS / "shards/troubles-test.py", "--build", options.build, "--source", options.source, "--seed", seed]


# Name of the campaign's numbers, and its command line.
TURNS = [("mutations", mutations), ("moments", trust("moments")), ("mutations", mutations), ("disks", trust("disks")),
         ("mutations", mutations), ("shards", shards)]


def environment(options, seed, numbers):
    modules = {"STAGEMILL_STAGE_PATH": options.build / "modules", "STAGEMILL_PROFILE_PATH": options.source / "profiles",
               "STAGEMILL_DATADIR": options.source, "XDG_DATA_HOME": options.build / "tests/nobody", "XDG_CONFIG_HOME": options.build / "tests/nobody"}
    return {**os.environ, **{name: str(path) for name, path in modules.items()}, "RELIABILITY_NUMBERS": str(numbers),
            "TRUST_SEED": str(seed), "TRUST_MOMENTS": str(MOMENTS)}


def take_turn(name, command, options, seed, scratch):
    """What the campaign counted, and whether it was content."""
    numbers = scratch / "numbers.json"
    numbers.unlink(missing_ok=True)
    words = [sys.executable, *map(str, command(options, seed))]
    done = subprocess.run(words, env=environment(options, seed, numbers), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    counted = json.loads(numbers.read_text(encoding="utf-8")).get(name, {}) if numbers.exists() else {}
    if done.returncode:
        print(f"FAIL {name}, seed {seed}:\n{done.stdout[-4000:]}", flush=True)
    return counted, done.returncode == 0


def sums_of(counted, content):
    sums = collections.Counter({key: counted.get(key, 0) for key in COUNTED})
    found = sum(counted.get(key, 0) for key in FAILURES)
    sums["failures"] = found if found or content else 1
    return sums


def soak(options, pick, scratch):
    began, turn, sums, seen = time.monotonic(), 0, collections.Counter(), set()
    while time.monotonic() - began < 60 * options.minutes or len(seen) < len(dict(TURNS)):
        name, command = TURNS[turn % len(TURNS)]
        late = time.monotonic() - began >= 60 * options.minutes
        turn += 1
        if late and name in seen:
            continue
        seed = pick.randrange(1, 1 << 31)
        sums += sums_of(*take_turn(name, command, options, seed, scratch))
        seen.add(name)
        print(f"{(time.monotonic() - began) / 60:.1f} minutes, {name}: " + ", ".join(f"{sums[key]} {key}" for key in (*COUNTED, "failures")), flush=True)
    return {"minutes": round((time.monotonic() - began) / 60), **{key: sums[key] for key in (*COUNTED, "failures")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    options = parser.parse_args()
    options.build, options.source = options.build.resolve(), options.source.resolve()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        numbers = soak(options, random.Random(options.seed), pathlib.Path(scratch))
    record("soak", **numbers)
    return 1 if numbers["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
