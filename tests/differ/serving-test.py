#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables `throughput`, `tokens`, `latency`, `goodput` and `saturation` of the profile `serving` about odd results of vLLM that list
their requests, against a program that reads these itself: failed requests, answers of one token, equal and extreme times, several
runs at a load, loads as texts.

The last line says how many numbers were compared."""
import collections
import fractions
import json
import math
import pathlib
import random
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import table_test  # noqa: E402

LIMITS = {"ttft": 150, "tpot": 50, "e2e": 2000}
NAMES = ("ttft", "tpot", "itl", "e2e")


def seconds(ns):
    return ns / 10**9


class Odd:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.most = self.rng.choice((10**6, 10**8, 10**9, 10**12))

    def run(self, path, load):
        r = self.rng
        requests = [self.request() for _ in range(r.choice((1, 2, 5, 40)))]
        good = [q for q in requests if q["fine"]]
        duration = r.choice((1, 2.5, 1000))
        known = {"backend": "vllm", "model_id": "m", "duration": duration, "completed": len(good), "failed": len(requests) - len(good),
                 "total_input_tokens": sum(q["input"] for q in good), "total_output_tokens": sum(q["output"] for q in good),
                 "request_throughput": len(good) / duration, "output_throughput": sum(q["output"] for q in good) / duration,
                 "request_rate": load, "max_concurrency": 8, "tensor_parallel_size": 2}
        lists = {"input_lens": [q["input"] for q in requests], "output_lens": [q["output"] for q in requests],
                 "ttfts": [seconds(q["ttft"]) for q in requests], "itls": [[seconds(g) for g in q["gaps"]] for q in requests],
                 "generated_texts": ["x" if q["fine"] else "" for q in requests], "errors": ["" if q["fine"] else "no" for q in requests]}
        path.write_text(json.dumps({**known, **lists}))

    def request(self):
        r = self.rng
        output = r.choice((1, 1, 2, 3, 30))
        return {"fine": True, "input": r.choice((0, 1, 4096)), "output": output, "ttft": r.randrange(1, self.most),
                "gaps": [r.choice((0, 1, r.randrange(self.most))) for _ in range(output - 1)]} if r.random() < 0.85 else \
            {"fine": False, "input": 5, "output": 0, "ttft": 0, "gaps": []}


# ------------------------------------------------------------------------------------------------------- reading

Run = collections.namedtuple("Run", "load requests known")
Request = collections.namedtuple("Request", "input output ttft gaps e2e tpot")


def ns(value):
    return round(fractions.Fraction(value) * 10**9)


def read(path):
    known, requests = json.loads(path.read_text()), []
    for k, error in enumerate(known["errors"]):
        if not error and known["output_lens"][k]:
            gaps, ttft, output = [ns(g) for g in known["itls"][k]], ns(known["ttfts"][k]), known["output_lens"][k]
            e2e = ttft + sum(gaps)
            requests.append(Request(known["input_lens"][k], output, ttft, gaps, e2e, (e2e - ttft) / (output - 1) if output > 1 else None))
    return Run(f"{float(known['request_rate']):g}", requests, known)


def percentile(values, p):
    values = sorted(values)
    at = fractions.Fraction((len(values) - 1) * p, 100)
    low = int(at)
    return float(values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low]))


def values_of(runs):
    found = {"ttft": [q.ttft for r in runs for q in r.requests], "itl": [g for r in runs for q in r.requests for g in q.gaps],
             "e2e": [q.e2e for r in runs for q in r.requests],
             "tpot": [round(q.tpot) for r in runs for q in r.requests if q.tpot is not None]}
    return {name: found[name] for name in sorted(found) if found[name]}


def group_rows(tables, load, runs):
    good = [q for r in runs for q in r.requests]
    measured = [r for r in runs if r.requests]
    rate = [statistics.fmean(r.known[key] for r in measured) if measured else None for key in ("request_throughput", "output_throughput")]
    tables["throughput"].append([load, len(runs), *rate])
    for name, lens in (("input", [q.input for q in good]), ("output", [q.output for q in good])):
        if lens:
            tables["tokens"].append([load, name, len(lens), statistics.fmean(lens), percentile(lens, 50), percentile(lens, 99), sum(lens),
                                     "exact"])
    for name, values in values_of(runs).items():
        mean = fractions.Fraction(sum(values), len(values))
        spread = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
        tables["latency"].append([load, name, len(values), *(float(v) / 10**6 for v in (
            mean, spread, min(values), *(percentile(values, p) for p in (50, 90, 95, 99)), max(values))), "exact", "exact"])
    kept = sum(q.ttft <= LIMITS["ttft"] * 10**6 and q.e2e <= LIMITS["e2e"] * 10**6 and
               (q.tpot is None or round(q.tpot) <= LIMITS["tpot"] * 10**6) for q in good)
    total = sum(r.known["completed"] + r.known["failed"] for r in runs)
    tables["goodput"].append([load, kept, total, 100 * kept / total])


def mean_of(runs, value):
    known = [v for v in map(value, runs) if v is not None]
    return statistics.fmean(known) if known else None


def growth(before, after):
    return None if before is None or after is None or not before > 0 else 100 * (after / before - 1)


def saturation_rows(tables, groups):
    before, saturated = None, False
    for number, load in enumerate(sorted(groups, key=float)):
        runs = groups[load]
        level = {"requests": mean_of(runs, lambda r: r.known["request_throughput"] if r.requests else None)}
        for key, name, how in (("TTFT", "ttft", 99), ("TPOT", "tpot", 99), ("e2e", "e2e", None)):
            level[key] = mean_of(runs, lambda r, n=name, h=how: stat(values_of([r]).get(n), h))
        latency = grown = share = gain = None
        if before:
            gain = growth(before["requests"], level["requests"])
            both = [(growth(before[key], level[key]), f"p99 {key}") for key in ("TTFT", "TPOT")]
            both = [pair for pair in both if pair[0] is not None]
            if both:
                grown, latency = max(both, key=lambda pair: pair[0])
                share = 100 * (1 - before["e2e"] / level["e2e"])
        saturated = saturated or (grown is not None and gain is not None and grown > 0 and grown > 2 * gain and share >= 5)
        tables["saturation"].append([number + 1, "request_rate", float(load), len(runs), level["requests"], gain, latency, grown, share,
                                     "true" if saturated else "false"])
        before = level


def stat(values, p):
    return None if not values else (percentile(values, p) if p else statistics.fmean(values)) / 10**6


COLUMNS = {"throughput": ("request_rate", "runs", "request_throughput_req/s", "output_throughput_tok/s"),
           "tokens": None, "latency": None, "goodput": ("request_rate", "good", "requests", "share_percent"),
           "saturation": ("level", "axis", "offered", "runs", "request_throughput_req/s", "gain_percent", "latency",
                          "latency_growth_percent", "share_percent", "saturated")}


class Test(table_test.TableTest):
    def sweep(self, name, folder, odd):
        folder.mkdir()
        loads = odd.rng.sample((1, "2.0", 2, 4.5, 8.0, "16"), odd.rng.randrange(2, 7))
        for number, load in enumerate(loads):
            odd.run(folder / f"{number}.json", load)
        groups = collections.defaultdict(list)
        for path in sorted(folder.iterdir()):
            run = read(path)
            groups[run.load].append(run)
        wanted = collections.defaultdict(list)
        for load, runs in groups.items():
            group_rows(wanted, load, runs)
        if len(groups) > 1:
            saturation_rows(wanted, groups)
        limits = ",".join(f"{key}:{value}ms" for key, value in LIMITS.items())
        for table, columns in COLUMNS.items():
            tables = self.run(name, "serving", [folder], {"by": "request_rate", "goodput": limits}, only=columns)
            if tables is None:
                return
            self.keyed(f"{name} {table}", tables.get(table, []), wanted[table], 2 if table in ("tokens", "latency") else 1)


def check(test, folder, seed):
    test.sweep(str(seed), folder / str(seed), Odd(seed))


if __name__ == "__main__":
    sys.exit(table_test.main(Test, __doc__, 15, check))
