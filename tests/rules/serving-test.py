#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules for serving: a sweep that saturates, runs with a tail, requests that fail; and the same without."""
import json

import rules

RATES = (2, 4, 8, 12, 24)
SEEDS = 3


def sweep(case, seed, *words):
    """A run at each rate; the shares of request time that the planted cause costs in each."""
    shares = []
    for rate in RATES:
        file, truth = case.folder / f"rate{rate}.json", case.folder / "truth.json"
        rules.generate("bench-gen", "--requests", 400, "--rate", rate, "--seed", seed * 100 + rate, "--truth", truth, "-o", file, *words)
        shares += json.loads(truth.read_text())
    return [case.folder / f"rate{rate}.json" for rate in RATES], shares


def run_of(case, seed, *words):
    file, truth = case.folder / "run.json", case.folder / "truth.json"
    rules.generate("bench-gen", "--requests", 1000, "--gaps", 8, "--rate", 50, "--seed", seed, "--truth", truth, "-o", file, *words)
    return file, json.loads(truth.read_text())[0]


def a_sweep_that_saturates(case):
    """16 at once, 1.28 s each: 12.5 requests a second."""
    for seed in range(SEEDS):
        files, shares = sweep(case, seed, "--slots", 16)
        found = rules.first(case.run("serving", *files), "saturation")
        rate = int(found["where"]["request_rate"])
        assert shares[RATES.index(rate)] >= 5 > shares[RATES.index(rate) - 1], (rate, shares)
        rules.near(found["share"], shares[RATES.index(rate)])


def a_sweep_by_concurrency_of_sums_alone(case):
    """From 4 to 8 at once p99 grows by 275 %, requests by 15 %; requests take 80 + 10 * 32 and 220 + 12 * 32 ms."""
    files = []
    for limit, rate, ttft, p99, tpot in ((1, 2.4, 70, 100, 9), (2, 4.6, 75, 110, 9.5), (4, 8.0, 80, 160, 10), (8, 9.2, 220, 600, 12), (16, 9.3, 900, 2400, 13)):
        files.append(case.folder / f"c{limit}.json")
        files[-1].write_text(json.dumps({
            "backend": "vllm", "model_id": "made-up", "num_prompts": 100, "request_rate": "inf", "max_concurrency": limit, "duration": 100 / rate,
            "completed": 100, "total_input_tokens": 1000, "total_output_tokens": 3300, "request_throughput": rate, "output_throughput": 33 * rate,
            "total_token_throughput": 43 * rate, "mean_ttft_ms": ttft, "p99_ttft_ms": p99, "mean_tpot_ms": tpot, "p99_tpot_ms": 1.2 * tpot}))
    found = rules.first(case.run("serving", *files), "saturation")
    assert found["where"] == {"max_concurrency": 8}, found
    rules.near(found["share"], 100 * (1 - (80 + 10 * 32) / (220 + 12 * 32)), 0.01)


def each_group_is_a_sweep_of_its_own(case):
    """Two GPUs saturate at 8, four at 16 at once; requests take 1 s at first, and 4 s there. Without limit there is no number."""
    files = []
    for tp, at in ((2, 1), (4, 2)):
        for i, limit in enumerate((4, 8, 16)):
            late = i >= at
            files.append(case.folder / f"tp{tp}-c{limit}.json")
            files[-1].write_text(json.dumps({
                "backend": "vllm", "num_prompts": 100, "request_rate": "inf", "max_concurrency": limit, "tp": tp, "duration": 100 / (4 + i), "completed": 100,
                "total_input_tokens": 1000, "total_output_tokens": 1000, "request_throughput": 4 + i, "output_throughput": 10 * (4 + i),
                "mean_ttft_ms": 3910 if late else 910, "p99_ttft_ms": 8000 if late else 1000, "mean_tpot_ms": 10, "p99_tpot_ms": 11}))
    tagged = [f"tp={tp}:{case.folder}/tp{tp}-*.json" for tp in (2, 4)]
    found = case.run("serving", *tagged)
    assert sorted((f["where"]["tp"], f["where"]["max_concurrency"]) for f in found) == [("2", 8), ("4", 16)], found
    for f in found:
        rules.near(f["share"], 75, 0.01)
        assert [item["keys"]["tp"] for item in f["evidence"]] == [f["where"]["tp"]] * 2, f


def the_load_without_limit_saturates(case):
    files = []
    for rate, p99 in ((1, 100), ("inf", 900)):
        files.append(case.folder / f"rate-{rate}.json")
        files[-1].write_text(json.dumps({
            "backend": "vllm", "num_prompts": 10, "request_rate": rate, "duration": 10.0, "completed": 10, "total_input_tokens": 100,
            "total_output_tokens": 100, "request_throughput": 1.0, "output_throughput": 10.0, "mean_ttft_ms": p99 / 2, "p99_ttft_ms": p99,
            "mean_tpot_ms": 1.0}))
    found = rules.first(case.run("serving", *files), "saturation")
    assert found["where"] == {"request_rate": "inf"}, found


def a_sweep_with_room_for_all(case):
    for seed in range(SEEDS):
        files, _ = sweep(case, seed)
        assert case.run("serving", *files) == []


def slow_by(case, cause, words):
    for seed in range(SEEDS):
        file, share = run_of(case, seed, "--tail", cause)
        found = rules.first(case.run("serving", file), "tail")
        assert words in found["text"], found
        rules.near(found["share"], share)
        if cause != "any":
            assert found["evidence"][1]["table"] == "tail-bins", found


def long_prompts_are_slow(case):
    slow_by(case, "input", "of the slow have prompts of ")


def the_first_are_slow(case):
    slow_by(case, "start", "of the slow began 0 ns to ")


def those_that_meet_most_are_slow(case):
    slow_by(case, "concurrency", " in flight (")


def any_are_slow(case):
    slow_by(case, "any", "no length of prompt, start or load stands out")


def no_tail(case):
    for seed in range(SEEDS):
        file, _ = run_of(case, seed)
        assert case.run("serving", file) == []


def requests_fail(case):
    file, _ = run_of(case, 1, "--failed", 120)
    found = rules.first(case.run("serving", file), "errors")
    rules.near(found["share"], 12, 0.01)
    assert found["severity"] == "warning", found
    assert found["text"] == "120 of 1,000 requests failed (12 %), most often with ServerDisconnectedError", found


def few_fail(case):
    file, _ = run_of(case, 1, "--failed", 40)
    assert case.run("serving", file) == []


def groups_are_not_added_up(case):
    """A table for each group of runs: the share is of all of them."""
    files = []
    for tp in (1, 2):
        files.append(case.folder / f"tp{tp}.json")
        rules.generate("bench-gen", "--requests", 100, "--gaps", 4, "--rate", 9, "--tp", tp, "--failed", 6, "-o", files[-1])
    found = rules.first(case.run("serving", *files), "errors")
    rules.near(found["share"], 6, 0.01)


def curves_have_findings_too(case):
    files = []
    for seqs in (8, 16):
        files.append(case.folder / f"seqs{seqs}.json")
        rules.generate("bench-gen", "--requests", 100, "--gaps", 4, "--rate", 9, "--failed", seqs, "-o", files[-1])
    tagged = [f"max_num_seqs={seqs},max_num_batched_tokens=8192:{file}" for seqs, file in zip((8, 16), files)]
    found = rules.first(case.run("serving-sweep", *tagged), "errors")
    rules.near(found["share"], 12, 0.01)


def no_single_requests(case):
    """Sums alone: neither rule has a fault."""
    file = case.folder / "sums.json"
    file.write_text(json.dumps({"backend": "vllm", "model_id": "made-up", "num_prompts": 8, "request_rate": 1, "duration": 8.0, "completed": 8,
                                "total_input_tokens": 80, "total_output_tokens": 80, "request_throughput": 1.0, "output_throughput": 10.0,
                                "total_token_throughput": 20.0, "mean_ttft_ms": 9.0, "p99_ttft_ms": 90.0}))
    assert case.run("serving", file) == []


rules.main((a_sweep_that_saturates, a_sweep_by_concurrency_of_sums_alone, each_group_is_a_sweep_of_its_own, the_load_without_limit_saturates, a_sweep_with_room_for_all, long_prompts_are_slow, the_first_are_slow,
            those_that_meet_most_are_slow, any_are_slow, no_tail, requests_fail, few_fail, groups_are_not_added_up, curves_have_findings_too,
            no_single_requests))
