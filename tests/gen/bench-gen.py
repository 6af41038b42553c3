#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes results of LLM serving benchmarks, the same bytes for the same command.

--gaps is the mean number of gaps between the tokens of a request, give or take a quarter.  With
--runs a file holds several results, one after the other.  With --files, {n} in the output's name
counts from 0.  --slots and --tail plant causes of slowness; --truth writes which share of the time of
requests they cost.
"""

import argparse
import json
import math
import pathlib
import random
import sys


# sum() rounds differently from one version of Python to the next; this does not.
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result


def mean(values):
    return total(values) / len(values)


def std(values):
    middle = mean(values)
    return math.sqrt(mean([(v - middle) * (v - middle) for v in values]))


def percentile(values, q):
    values = sorted(values)
    at = (len(values) - 1) * q / 100
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


class Load:
    """The requests of one run, sent at random distances, and what became of them."""

    def __init__(self, options, rng):
        n = options.requests
        self.start, self.ttft, self.gaps, self.inputs, self.errors = [], [], [], [], []
        now = 1000 + rng.random()
        for i in range(n):
            now += 2 * rng.random() / (options.rate or 100.0)
            failed = (i + 1) * options.failed // n > i * options.failed // n
            self.start.append(now)
            self.inputs.append(64 + int(rng.random() * 960))
            self.ttft.append(0.0 if failed else self.inputs[i] * (0.00008 + 0.00012 * rng.random())
                             + options.mean_gap_ms * 0.002)
            self.gaps.append([] if failed else self._gaps(options, rng))
            self.errors.append("Traceback (most recent call last):\n  ServerDisconnectedError"
                               if failed else "")
        self.good = [i for i in range(n) if not self.errors[i]]
        self.added = [0.0] * n  # seconds that a planted cause adds before the first token
        if options.tail:
            self._slow_down(options.tail)
        if options.slots:
            self._queue(options.slots)
        self.ttft = [t + a for t, a in zip(self.ttft, self.added)]
        self.outputs = [len(g) + 1 if g else 0 for g in self.gaps]
        self.e2e = [t + total(g) for t, g in zip(self.ttft, self.gaps)]
        self.duration = max(s + e for s, e in zip(self.start, self.e2e)) - self.start[0]
        self.tokens_in = sum(self.inputs[i] for i in self.good)
        self.tokens_out = sum(self.outputs)

    @staticmethod
    def _gaps(options, rng):
        gap = options.mean_gap_ms / 1000
        count = max(1, round(options.gaps * (0.75 + rng.random() / 2)))
        gaps = [gap * (0.7 + 0.6 * rng.random()) for _ in range(count)]
        # Now and then a token arrives together with the one before it.
        for i in range(int(rng.random() * 100), count, 100):
            gaps[i] *= 0.003
        return gaps

    def _in_flight(self):
        ends = [s + t + total(g) for s, t, g in zip(self.start, self.ttft, self.gaps)]
        return [sum(self.start[k] <= self.start[i] < ends[k] for k in self.good) for i in range(len(self.start))]

    def _slow_down(self, cause):
        """Those of a tenth of the requests take nine medians more to their first token."""
        n = len(self.start)
        values = {"input": self.inputs, "start": [-s for s in self.start], "concurrency": self._in_flight(),
                  "any": [i * 7919 % 104729 for i in range(n)]}[cause]
        limit = percentile(values, 90)
        extra = 9 * percentile([self.ttft[i] for i in self.good], 50)
        for i in self.good:
            self.added[i] = extra if values[i] > limit else 0.0

    def _queue(self, slots):
        """A server that works on so many requests at once; the others wait in the order of their starts."""
        free = [0.0] * slots
        for i in self.good:
            at = max(self.start[i], min(free))
            self.added[i] += at - self.start[i]
            free[free.index(min(free))] = at + self.ttft[i] + total(self.gaps[i])

    def columns(self):
        return {"input_lens": self.inputs, "output_lens": self.outputs, "ttfts": self.ttft,
                "itls": self.gaps}

    def texts(self):
        return [" word" * min(n, 4) for n in self.outputs]

    def statistics(self, names):
        seconds = {
            "ttft": [self.ttft[i] for i in self.good],
            "tpot": [(self.e2e[i] - self.ttft[i]) / (self.outputs[i] - 1) for i in self.good
                     if self.outputs[i] > 1],
            "itl": [g for i in self.good for g in self.gaps[i]],
            "e2e": [self.e2e[i] for i in self.good],
        }
        found = {}
        for ours, theirs in names:
            values = [v * 1000 for v in seconds[ours]] or [0.0]
            found[f"mean_{theirs}_ms"] = mean(values)
            found[f"median_{theirs}_ms"] = percentile(values, 50)
            found[f"std_{theirs}_ms"] = std(values)
            found[f"p99_{theirs}_ms"] = percentile(values, 99)
        return found


def vllm(options, load, file):
    done, seconds = len(load.good), load.duration
    result = {
        "date": "20250301-120000", "endpoint_type": "vllm", "backend": "vllm", "label": None,
        "model_id": options.model, "tokenizer_id": options.model, "num_prompts": options.requests,
        **({"tp": str(options.tp)} if options.tp else {}),
        "request_rate": options.rate or "inf", "burstiness": 1.0,
        "max_concurrency": options.concurrency or None, "duration": seconds, "completed": done,
        "failed": options.requests - done, "total_input_tokens": load.tokens_in,
        "total_output_tokens": load.tokens_out, "request_throughput": done / seconds,
        "request_goodput": None, "output_throughput": load.tokens_out / seconds,
        "total_token_throughput": (load.tokens_in + load.tokens_out) / seconds,
        **load.columns(), "start_times": load.start, "generated_texts": load.texts(),
        "errors": load.errors, "max_output_tokens_per_s": 2.0 * load.tokens_out / seconds,
        "max_concurrent_requests": options.concurrency or options.requests,
        **load.statistics((("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl"))),
    }
    file.write(json.dumps(result, indent=1 if options.pretty else None) + "\n")


def sglang(options, load, file):
    done, seconds = len(load.good), load.duration
    result = {
        "tag": None, "backend": "sglang", "dataset_name": "random",
        "request_rate": options.rate or math.inf, "max_concurrency": options.concurrency or None,
        "sharegpt_output_len": None, "random_input_len": 1024, "random_output_len": options.gaps,
        "random_range_ratio": 0.5,
        "server_info": {"model_path": options.model, "tp_size": options.tp or 1},
        "duration": seconds, "completed": done, "total_input_tokens": load.tokens_in,
        "total_output_tokens": load.tokens_out, "total_output_tokens_retokenized": load.tokens_out,
        "request_throughput": done / seconds, "input_throughput": load.tokens_in / seconds,
        "output_throughput": load.tokens_out / seconds,
        "total_throughput": (load.tokens_in + load.tokens_out) / seconds,
        **load.statistics((("e2e", "e2e_latency"), ("ttft", "ttft"), ("tpot", "tpot"),
                           ("itl", "itl"))),
        "concurrency": total(load.e2e) / seconds, "accept_length": None, **load.columns(),
        "generated_texts": load.texts(), "errors": load.errors,
    }
    file.write(json.dumps(result) + "\n")


def aiperf_requests(options, load, file):
    for i in range(options.requests):
        start_ns = 1700000000000000000 + int(load.start[i] * 1e9)
        metrics = {"input_sequence_length": {"value": load.inputs[i], "unit": "tokens"}}
        if not load.errors[i]:
            metrics |= {
                "output_sequence_length": {"value": load.outputs[i], "unit": "tokens"},
                "time_to_first_token": {"value": load.ttft[i] * 1000, "unit": "ms"},
                "request_latency": {"value": load.e2e[i] * 1000, "unit": "ms"},
                "inter_token_latency": {"value": mean(load.gaps[i]) * 1000, "unit": "ms"},
                "inter_chunk_latency": {"value": [g * 1000 for g in load.gaps[i]], "unit": "ms"},
            }
        record = {
            "metadata": {"session_num": i, "x_request_id": f"request-{i}", "turn_index": 0,
                         "request_start_ns": start_ns,
                         "request_end_ns": start_ns + int(load.e2e[i] * 1e9), "worker_id": "w0",
                         "benchmark_phase": "profiling", "was_cancelled": False,
                         "cancellation_time_ns": None},
            "metrics": metrics,
            "error": {"code": 503, "type": "Disconnected", "message": load.errors[i]}
                     if load.errors[i] else None,
        }
        file.write(json.dumps(record) + "\n")


PRODUCERS = {"vllm": vllm, "sglang": sglang, "aiperf-requests": aiperf_requests}


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--producer", choices=sorted(PRODUCERS), default="vllm")
    for name, value, words_about in (
            ("requests", 100, "in a run"), ("gaps", 100, "in a request"),
            ("failed", 0, "requests that failed"), ("seed", 1, "of the random numbers"),
            ("runs", 1, "in a file"), ("files", 1, "with {n} in their names"),
            ("tp", 0, "written in the result; 0: not written"), ("concurrency", 0, "0: unlimited"),
            ("slots", 0, "requests that the server works on at once; 0: all")):
        parser.add_argument(f"--{name}", type=int, default=value, help=words_about)
    parser.add_argument("--model", default="made-up/moe-8x2b")
    parser.add_argument("--rate", type=float, default=0.0, help="requests per second; 0: at once")
    parser.add_argument("--mean-gap-ms", type=float, default=12.0)
    parser.add_argument("--tail", choices=("input", "start", "concurrency", "any"),
                        help="a tenth of the requests is slow: the longest, the first, those that meet most, or any")
    parser.add_argument("--truth", type=pathlib.Path, help="a file for the share of request time, in percent, of each run")
    parser.add_argument("--pretty", action="store_true", help="vllm: a value a line")
    parser.add_argument("-o", "--output", required=True)
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    shares = []
    for n in range(options.files):
        rng = random.Random(options.seed * 1000003 + n)
        path = pathlib.Path(options.output.replace("{n}", str(n)))
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            for _ in range(options.runs):
                load = Load(options, rng)
                PRODUCERS[options.producer](options, load, file)
                shares.append(100 * total(load.added) / total([load.e2e[i] for i in load.good]))
    if options.truth:
        options.truth.write_text(json.dumps(shares) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
