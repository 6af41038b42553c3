#!/usr/bin/env python3
"""Writes results of LLM serving benchmarks, the same bytes for the same command.

usage: bench-gen.py [--producer vllm|sglang] [--requests N] [--gaps N] [--failed N] [--seed N]
                    [--runs N] [--files N] [--model NAME] [--tp N] [--rate R] [--concurrency N]
                    [--mean-gap-ms MS] [--pretty] -o FILE

--gaps is the number of gaps between tokens of a request, give or take a quarter.  With --runs a
file holds several results, one behind the other.  With --files, {n} in FILE counts from 0.
"""

import argparse
import json
import pathlib
import random
import sys


def percentile(values, q):
    values = sorted(values)
    at = (len(values) - 1) * q / 100
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def mean(values):
    return sum(values) / len(values)


def std(values):
    middle = mean(values)
    return mean([(v - middle) ** 2 for v in values]) ** 0.5


def statistics(name, seconds, percentiles=("p99",)):
    values = [v * 1000 for v in seconds] or [0.0]
    found = {f"mean_{name}_ms": mean(values), f"median_{name}_ms": percentile(values, 50),
             f"std_{name}_ms": std(values)}
    for p in percentiles:
        found[f"{p}_{name}_ms"] = percentile(values, float(p[1:]))
    return found


class Load:
    """The requests of one run, sent one after the other at a mean distance."""

    def __init__(self, options, rng):
        self.start, self.ttft, self.gaps, self.inputs, self.error = [], [], [], [], []
        now = 1000 + rng.random()
        for i in range(options.requests):
            now += rng.expovariate(options.rate if options.rate else 100.0)
            failed = i % max(options.requests // options.failed, 1) == 1 if options.failed else False
            n = 0 if failed else max(1, round(options.gaps * rng.uniform(0.75, 1.25)))
            self.start.append(now)
            self.inputs.append(rng.randrange(64, 1024))
            self.ttft.append(0.0 if failed else 0.02 + self.inputs[-1] * 0.0001 * rng.uniform(0.8, 2))
            gap = options.mean_gap_ms / 1000
            # Some tokens arrive together with the one before.
            self.gaps.append([gap * rng.uniform(0.7, 1.4) if rng.random() > 0.01
                              else rng.uniform(1e-6, 9e-5) for _ in range(n)])
            self.error.append("Traceback (most recent call last):\n  ServerDisconnectedError"
                              if failed else "")
        self.good = [i for i, e in enumerate(self.error) if not e]
        self.output = [len(g) + 1 if g else 0 for g in self.gaps]
        self.e2e = [t + sum(g) for t, g in zip(self.ttft, self.gaps)]
        self.duration = max(s + e for s, e in zip(self.start, self.e2e)) - self.start[0]

    def per_request(self):
        return {"input_lens": self.inputs, "output_lens": self.output, "ttfts": self.ttft,
                "itls": self.gaps}

    def texts(self):
        return ["word " * min(n, 4) for n in self.output]

    def measured(self, percentiles):
        ttft = [self.ttft[i] for i in self.good]
        e2e = [self.e2e[i] for i in self.good]
        tpot = [(self.e2e[i] - self.ttft[i]) / (self.output[i] - 1) for i in self.good
                if self.output[i] > 1]
        gaps = [g for i in self.good for g in self.gaps[i]]
        return {name: statistics(name, values, percentiles) for name, values in
                (("ttft", ttft), ("tpot", tpot), ("itl", gaps), ("e2el", e2e),
                 ("e2e_latency", e2e))}


def rates(load):
    tokens_in = sum(load.inputs[i] for i in load.good)
    tokens_out = sum(load.output)
    return tokens_in, tokens_out


def vllm(options, rng):
    load = Load(options, rng)
    tokens_in, tokens_out = rates(load)
    stats = load.measured(("p99",))
    result = {
        "date": "20250301-120000", "endpoint_type": "vllm", "backend": "vllm", "label": None,
        "model_id": options.model, "tokenizer_id": options.model, "num_prompts": options.requests,
        "tp": str(options.tp), "request_rate": options.rate or "inf", "burstiness": 1.0,
        "max_concurrency": options.concurrency or None, "duration": load.duration,
        "completed": len(load.good), "failed": options.requests - len(load.good),
        "total_input_tokens": tokens_in, "total_output_tokens": tokens_out,
        "request_throughput": len(load.good) / load.duration, "request_goodput": None,
        "output_throughput": tokens_out / load.duration,
        "total_token_throughput": (tokens_in + tokens_out) / load.duration,
        **load.per_request(), "start_times": load.start, "generated_texts": load.texts(),
        "errors": load.error, "max_output_tokens_per_s": float(max(load.output) * 2),
        "max_concurrent_requests": min(options.requests, options.concurrency or options.requests),
        **stats["ttft"], **stats["tpot"], **stats["itl"],
    }
    return result


def sglang(options, rng):
    load = Load(options, rng)
    tokens_in, tokens_out = rates(load)
    stats = load.measured(("p99",))
    return {
        "tag": None, "backend": "sglang", "dataset_name": "random",
        "request_rate": options.rate or float("inf"), "max_concurrency": options.concurrency or None,
        "sharegpt_output_len": None, "random_input_len": 1024, "random_output_len": options.gaps,
        "random_range_ratio": 0.5,
        "server_info": {"model_path": options.model, "tp_size": options.tp},
        "duration": load.duration, "completed": len(load.good), "total_input_tokens": tokens_in,
        "total_output_tokens": tokens_out, "total_output_tokens_retokenized": tokens_out,
        "request_throughput": len(load.good) / load.duration,
        "input_throughput": tokens_in / load.duration,
        "output_throughput": tokens_out / load.duration,
        "total_throughput": (tokens_in + tokens_out) / load.duration,
        **stats["e2e_latency"], **stats["ttft"], **stats["tpot"], **stats["itl"],
        "concurrency": sum(load.e2e) / load.duration, "accept_length": None,
        **load.per_request(), "generated_texts": load.texts(), "errors": load.error,
    }


PRODUCERS = {"vllm": vllm, "sglang": sglang}


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--producer", choices=sorted(PRODUCERS), default="vllm")
    for name, value in (("requests", 100), ("gaps", 100), ("failed", 0), ("seed", 1), ("runs", 1),
                        ("files", 1), ("tp", 1), ("concurrency", 0)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--model", default="acme/small-moe")
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--mean-gap-ms", type=float, default=12.0)
    parser.add_argument("--pretty", action="store_true")
    parser.add_argument("-o", "--output", required=True)
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    for n in range(options.files):
        rng = random.Random(f"{options.seed}/{n}")
        path = pathlib.Path(options.output.replace("{n}", str(n)))
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            for _ in range(options.runs):
                result = PRODUCERS[options.producer](options, rng)
                file.write(json.dumps(result, indent=1 if options.pretty else None) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
