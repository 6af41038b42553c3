#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules for AIU traces: a planted cause is found first with its cost; a healthy run has no findings."""
import json

import rules

SEEDS = 4
CAUSES = {"late-rank": "late-rank", "turns": "late-rank", "exposed-transfer": "exposed-transfer", "prep-wait": "prep-wait", "host-gap": "host-gap"}


def run_of(case, seed, causes, noise=0.02, ranks=4):
    folder = case.folder / f"run{seed}"
    words = [word for cause in causes for word in ("--cause", cause)]
    rules.generate("aiu-slow-gen", "--seed", seed, "--noise", noise, "--ranks", ranks, "-o", folder, *words)
    truth = json.loads((folder / "truth.json").read_text())
    return sorted(folder.glob("rank*.json")), truth


def each_cause(case):
    for seed in range(SEEDS):
        for cause, rule in CAUSES.items():
            files, truth = run_of(case, seed, [cause])
            found = rules.first(case.run("aiu", *files), rule)
            rules.near(found["cost_ns"], truth["costs_ns"][cause])
            rules.near(found["share"], 100 * truth["costs_ns"][cause] / truth["span_ns"])
            if cause == "late-rank":
                assert found["where"] == {"rank": truth["rank"]}, (found, truth)
            if cause == "turns":
                assert found["where"] == {}, found


def two_causes_at_once(case):
    files, _ = run_of(case, 1, ["late-rank", "exposed-transfer"])
    names = [finding["name"] for finding in case.run("aiu", *files)]
    assert sorted(names[:2]) == ["exposed-transfer", "late-rank"], names


def healthy(case):
    for seed in range(SEEDS):
        for noise in (0, 0.02):
            files, _ = run_of(case, seed, [], noise)
            assert case.run("aiu", *files) == []


def one_rank_of_several(case):
    """What it waits for is not known: it is exposed, and the text says so."""
    files, _ = run_of(case, 2, ["exposed-transfer"])
    found = rules.first(case.run("aiu", files[0]), "exposed-transfer")
    assert "waiting for other ranks included" in found["text"], found


rules.main((each_cause, two_causes_at_once, healthy, one_rank_of_several))
