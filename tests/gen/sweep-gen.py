#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sweep-gen: a small sweep of training runs with known truth.

Each rank computes products of matrices: one whose kernel is split and added up by a second one, a batch of them on two streams at
once, and one whose kernel's name begins like another's. Collectives cut the longest call at both ends, touch it, and cover a call of another
product; one rank comes late. Everything follows from the configuration, so that its numbers can be worked out."""
import argparse
import json
import pathlib

import rocprof

SPLIT = "Cijk_Alik_Bljk_BBS_BH_MT128x128x64"
BATCH = "Cijk_Ailk_Bljk_BBS_BH_MT64x64x32"
LONGER = SPLIT + "_GSU4"
OTHER = "Cijk_Ailk_Bljk_BBS_BH_MT32x32x32"
LATE = 1  # the rank that comes last
RARE = 16  # of so many calls one has collectives, and a step; of the first three each
OPERATORS = {
    "split": ("aten::addmm", [[64], [32, 16], [16, 64], [], []], ["c10::BFloat16"] * 3 + ["Scalar"] * 2,
              [[1], [16, 1], [1, 16], [], []]),
    "batch": ("aten::bmm", [[4, 8, 16], [4, 16, 8]], ["c10::Half"] * 2, [[128, 16, 1], [128, 8, 1]]),
    "longer": ("aten::mm", [[128, 256], [256, 512]], ["c10::BFloat16"] * 2, [[256, 1], [512, 1]]),
}


class Trace:
    def __init__(self, rank, world):
        self.rank, self.world, self.correlation, self.sequence = rank, world, 0, 0
        self.events = []

    def slice(self, name, cat, ts, dur, pid, tid, args):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def gemm(self, kind, host, kernels):
        """An operator at a time of the host, and kernels (name, stream, start, length)."""
        name, dims, types, strides = OPERATORS[kind]
        self.slice(name, "cpu_op", host, 40, 100, 1, {"External id": self.correlation + 1, "Input Dims": dims, "Input type": types,
                                                      "Input Strides": strides, "Concrete Inputs": [""] * len(dims)})
        for position, (kernel, stream, start, length) in enumerate(kernels):
            self.correlation += 1
            self.slice("hipExtModuleLaunchKernel", "cuda_runtime", host + 2 + 5 * position, 3, 100, 1, {"correlation": self.correlation})
            self.slice(kernel, "kernel", start, length, 0, stream, {"correlation": self.correlation, "stream": stream, "device": 0})

    def product(self, m, host, start, length):
        """One of many sizes, all by one kernel."""
        self.gemm("longer", host, [(OTHER, 7, start, length)])
        self.events[-3]["args"]["Input Dims"] = [[m, 256], [256, 512]]

    def collective(self, name, start, length, elements):
        self.sequence += 1
        self.slice("hipLaunchKernel", "cuda_runtime", start - 600, 3, 100, 2, {"correlation": 100000 + self.sequence})
        self.slice(f"ncclDevKernel_{name}", "kernel", start, length, 0, 9, {
            "stream": 9, "device": 0, "correlation": 100000 + self.sequence, "Collective name": name, "In msg nelems": elements, "Out msg nelems": elements,
            "Group size": self.world, "dtype": "BFloat16", "Process Group Name": "0", "Process Group Ranks": str(list(range(self.world))), "Seq": self.sequence})

    def ahead(self, us):
        """As a clock shows it that is ahead."""
        for e in self.events:
            e["ts"] += us

    def text(self):
        """An event a line."""
        head = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": self.world},
                "baseTimeNanoseconds": 1700000000000000000}
        events = ",\n".join(map(json.dumps, self.events))
        return f"{json.dumps(head)[:-1]}, \"traceEvents\": [\n{events}\n]}}\n"


def make(options, threads, channels, rank, truth):
    """Times in us. Calls of the split product take 30 + 10, of which 5 together: 35; the last one 30 * slower."""
    t = Trace(rank, options.ranks)
    late = 20 if rank == LATE else 0
    slow = threads // 256 + channels // 28 + rank
    at = 1000
    for call in range(options.calls):
        length = 30 * (slow if call == 2 else 1)
        rare = call < 3 or call % RARE == 0  # as in a real run most products have no collective beside them
        if rare:
            t.slice(f"ProfilerStep#{call}", "user_annotation", at - 500, 1000, 100, 1, {"External id": 900 + call})
        t.gemm("split", at - 400, [(SPLIT, 7, at, length), ("Cijk_PostGSU", 7, at + length - 5, 10)])
        t.gemm("batch", at - 300, [(BATCH, 7, at + 400, 20 + min(call, 2)), (BATCH, 8, at + 410, 20 + min(call, 2))])
        t.gemm("longer", at - 200, [(LONGER, 7, at + 500, 50)])
        if rare:
            end = at + length + 5
            t.collective("allreduce", at - 40 + late, 60 - late, 1 << 20)  # all leave at + 20, within the call
            t.collective("allgather", end - 10, 30, 1 << 18)  # across its end
            t.collective("broadcast", end, 5, 1 << 10)  # touches it
            t.collective("reduce_scatter", at + 480, 100, 1 << 16)  # around a call of the product whose name is longer
        if options.shapes:
            t.product(1 + call % options.shapes, at - 150, at + 600, 20 + call % 7)
        t.slice("hipMemcpyAsync", "cuda_runtime", at + 300, 3, 100, 1, {"correlation": 200000 + call})
        t.slice("Memcpy HtoD", "gpu_memcpy", at + 700, 12, 0, 7, {"correlation": 200000 + call, "stream": 7, "bytes": 4096})
        at += 1000
    if options.skew:
        t.ahead(rank * options.skew)
    low, high = 35, 30 * slow + 5
    truth.append({"threads": threads, "channels": channels, "rank": rank, "op": "aten::addmm", "kernel": SPLIT, "calls": options.calls,
                  "min_ns": low * 1000, "max_ns": high * 1000, "min_at_ns": 1000000, "max_at_ns": 3000000,
                  "overlap_names": "allreduce;allgather", "overlap_ns": 30000, "overlap_max": 100 * 20 / high})
    truth.append({"threads": threads, "channels": channels, "rank": rank, "op": "aten::bmm", "kernel": BATCH, "calls": options.calls,
                  "min_ns": 30000, "max_ns": 32000, "min_at_ns": 1400000, "max_at_ns": 3400000, "overlap_names": "", "overlap_ns": 0, "overlap_max": 0})
    truth.append({"threads": threads, "channels": channels, "rank": rank, "op": "aten::mm", "kernel": LONGER, "calls": options.calls,
                  "min_ns": 50000, "max_ns": 50000, "min_at_ns": 1500000, "max_at_ns": 3500000, "overlap_names": "reduce_scatter", "overlap_ns": 50000,
                  "overlap_max": 100})
    return t


def write_results(options, threads, channels):
    """As rocprofv3 leaves them, a process for each rank: the last product takes longer with threads, channels and rank."""
    where = options.folder / f"{threads}thread" / f"nccl_{channels}channels" / "rocprof_traces" / "pass_1"
    where.mkdir(parents=True, exist_ok=True)
    for rank in range(options.ranks):
        process = rocprof.Process(998 + rank, longer=1000 * (threads // 256 + channels // 28 + rank))
        (where / f"{process.pid}_results.json").write_text(rocprof.text([process]))


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=numbers, default=[256, 512])
    parser.add_argument("--channels", type=numbers, default=[28, 56])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--calls", type=int, default=3, help="of each product; the truth is of 3; each takes about 3600 bytes")
    parser.add_argument("--shapes", type=int, default=0, help="so many more products, one of them in each call, which the truth is without")
    parser.add_argument("--skew", type=float, default=0, help="by so many us the clock of a rank is ahead of that of the one before, which the truth is without")
    parser.add_argument("--below", action="store_true", help="traces in rank0/trace, as after a report")
    parser.add_argument("--rocprof", action="store_true", help="traces of rocprofv3 in rocprof_traces")
    parser.add_argument("-o", dest="folder", type=pathlib.Path, required=True)
    parser.add_argument("--truth", type=pathlib.Path)
    options = parser.parse_args()
    truth = []
    for threads in options.threads:
        for channels in options.channels:
            if options.rocprof:
                write_results(options, threads, channels)
                continue
            for rank in range(options.ranks):
                where = options.folder / f"{threads}thread" / f"nccl_{channels}channels" / "torch_profiler" / f"rank{rank}"
                where = where / "trace" if options.below else where
                where.mkdir(parents=True, exist_ok=True)
                trace = make(options, threads, channels, rank, truth)
                (where / "customer_trace.json").write_text(trace.text())
    if options.truth:
        options.truth.write_text(json.dumps(truth, indent=1) + "\n")


main()
