#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rule for loads of experts: a hot expert in each layer, and layers that are even."""
import rules

EXPERTS = 8
SEEDS = 5


def logs(case, seed, hot, runs=1):
    folder = case.folder / f"logs{seed}-{hot}"
    rules.generate("gate-gen", "--experts", EXPERTS, "--hot", hot, "--steps", 40, "--seed", seed, "--runs", runs, "-o", folder)
    return folder


def share_of(busiest, n):
    """The others of n have 1."""
    return 100 * (busiest - (busiest + n - 1) / n) / busiest


def one_expert_is_hot(case):
    for seed in range(SEEDS):
        for hot in (2, 4):
            found = rules.first(case.run("moe-load", logs(case, seed, hot)), "expert-imbalance")
            rules.near(found["share"], share_of(hot, EXPERTS))
            assert found["text"].startswith("experts wait "), found


def its_gpu_is_hot(case):
    """Four GPUs of two experts: one has 4 + 1, the others 2."""
    found = rules.first(case.run("moe-load", logs(case, 1, 4), "--set", "placement=contiguous:4"), "expert-imbalance")
    rules.near(found["share"], share_of(2.5, 4))
    assert found["text"].startswith("GPUs wait ") and found["evidence"][0]["table"] == "expert-load-gpu", found


def groups_have_layers_of_their_own(case):
    """Each run has hot experts of its own."""
    found = rules.first(case.run("moe-load", logs(case, 1, 2, runs=2), "--set", "by=file"), "expert-imbalance")
    rules.near(found["share"], share_of(2, EXPERTS))


def even_experts(case):
    for seed in range(SEEDS):
        assert case.run("moe-load", logs(case, seed, 1)) == []


def few_tokens_are_no_imbalance(case):
    """Of 8 tokens the largest load of 8 experts is 4 by chance."""
    folder = case.folder / "few" / "gates_logs_run0"
    folder.mkdir(parents=True)
    (folder / "gate_logs_0.json").write_text('{"step": [0], "num_tokens": [8], "expert_loads": [[4, 3, 2, 2, 2, 1, 1, 1]]}')
    assert case.run("moe-load", folder.parent) == []


rules.main((one_expert_is_hot, its_gpu_is_hot, groups_have_layers_of_their_own, even_experts, few_tokens_are_no_imbalance))
