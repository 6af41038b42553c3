#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes times of all-reduce strategies as TensorRT-LLM's benchmark saves them: benchmark.tp2.sm90.csv and so on.

Times follow a simple model (a latency and a bandwidth for each strategy and number of GPUs) with noise from a
seed, so that strategies change places as messages grow.  The same arguments give the same bytes.
"""

import argparse
import os
import random

FUSIONS = ["NONE", "RESIDUAL_RMS_NORM", "RESIDUAL_RMS_NORM_QUANT_FP8", "RESIDUAL_RMS_NORM_QUANT_NVFP4"]
HIDDEN = [128, 256, 512, 1024, 2048, 4096, 8192]
TOKENS = [1 << i for i in range(15)]


def time_us(strategy, fusion, tp, size):
    extra = 0.6 * FUSIONS.index(fusion)
    latency, gbps = {
        "NCCL": (9.0 + 1.1 * tp, 150.0 + 30 * tp),
        "ONESHOT": (3.1 + 0.3 * tp, 260.0 / tp),
        "TWOSHOT": (4.9 + 0.5 * tp, 110.0 + 10 * tp),
        "AUTO": (3.6 + 0.3 * tp, 90.0 + 12 * tp),
    }[strategy]
    return latency + extra + size / gbps / 1000 * (1.3 if strategy == "NCCL" and fusion != "NONE" else 1)


def rows(tp, args, rng):
    slower = {name: float(by) for name, by in (pair.split("=") for pair in args.slower.split(",") if pair)}
    limit = 16_000_000 if tp <= 2 else 8_000_000
    for tokens in TOKENS[:args.tokens]:
        for hidden in HIDDEN:
            size = tokens * hidden * 2
            if size > limit and not args.all:
                continue
            for fusion in args.fusions.split(","):
                for strategy in args.strategies.split(","):
                    if strategy == "TWOSHOT" and tokens < tp and not args.all:
                        continue
                    for _ in range(args.repeat):
                        t = time_us(strategy, fusion, tp, size) * slower.get(strategy, 1) * rng.uniform(1 - args.noise, 1 + args.noise)
                        yield f"{tp},bfloat16,{size},{tokens},{hidden},{strategy},{fusion},{t!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tp", default="2,4,8")
    parser.add_argument("--sm", default="90")
    parser.add_argument("--fusions", default=",".join(FUSIONS[:3]))
    parser.add_argument("--strategies", default="NCCL,ONESHOT,TWOSHOT")
    parser.add_argument("--tokens", type=int, default=len(TOKENS), help="so many of the numbers of tokens")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.03)
    parser.add_argument("--slower", default="", help="STRATEGY=FACTOR,...: as after an update")
    parser.add_argument("--all", action="store_true", help="also what the benchmark leaves out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", required=True, help="folder")
    args = parser.parse_args()
    os.makedirs(args.output, exist_ok=True)
    for tp in map(int, args.tp.split(",")):
        rng = random.Random(args.seed * 1000 + tp)
        path = os.path.join(args.output, f"benchmark.tp{tp}.sm{args.sm}.csv")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write("world_size,dtype,size,num_tokens,hidden_size,strategy,fusion,time (us)\n")
            for row in rows(tp, args, rng):
                file.write(row + "\n")


if __name__ == "__main__":
    main()
