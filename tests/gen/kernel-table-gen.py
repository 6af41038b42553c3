#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a kernel summary as the GUI of a profiler exports it, the same bytes for the same command.

usage: kernel-table-gen.py [--rows N] [--seed N] -o FILE"""

import argparse
import random

FAMILIES = ["fused_moe_kernel", "ncclDevKernel_SendRecv", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
            "flash_fwd_splitkv_kernel", "reshape_and_cache_flash_kernel", "rms_norm_kernel",
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"]
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "μs"), (1, "ns"))


def shown(ns):
    size, unit = next((pair for pair in UNITS if ns >= pair[0]), UNITS[-1])
    return f"{ns:.0f} {unit}" if unit == "ns" else f"{ns / size:.3f} {unit}"


def cell(text):
    return f'"{text}"' if "," in text else text


def row(rng, number, total):
    count, mean = rng.randint(1, 100000), rng.randint(1000, 2000000)
    spread = mean * rng.random() / 2
    name = f"{rng.choice(FAMILIES)}_{number}"
    return ",".join([f"{100 * count * mean / total:.2f}%", shown(count * mean), str(count), shown(mean),
                     shown(mean * 0.9), shown(mean - spread), shown(mean + 3 * spread), shown(spread),
                     cell(name)])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("-o", dest="out", required=True)
    args = options.parse_args()
    rng = random.Random(args.seed)
    lines = ["Time,Total Time,Instances,Avg,Med,Min,Max,StdDev,Name"]
    lines += [row(rng, number, args.rows * 5e10) for number in range(args.rows)]
    with open(args.out, "w", encoding="utf-8", newline="") as file:
        file.write("\r\n".join(lines))


if __name__ == "__main__":
    main()
