#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of a training run on several ranks with planted causes of slowness, and what each cause costs.

A small model of a host that launches, two streams of a device, and collectives that all ranks leave together.  The same
run is simulated with and without each cause, everything else equal: the cost is the difference of the spans, in ns."""
import argparse
import json
import os
import random

US = 1000
CAUSES = ("straggler", "imbalance", "host-bound", "input-stall", "allocation", "sync", "compile",
          "exposed-comm", "copy", "slow-step", "drift", "late-input", "hot-kernel", "no-tensor-cores")
CHANGES = ("slower-clock", "slower-product", "lost-fusion", "flash-attention", "math-attention")  # of one run against another: no rule judges them
LAYERS = 12
LAUNCH_NS = 6 * US  # what a launch takes on the host
LATENCY_NS = 4 * US  # from the launch to the start on an idle device
SHAPE = 4096


class Rank:
    """The host thread, the streams and the events of one rank."""

    def __init__(self, number):
        self.number = number
        self.host = 0
        self.free = {7: 0, 20: 0}
        self.events = []
        self.ids = 0

    def slice(self, cat, name, ts, dur, args=None, device=False, stream=0):
        event = {"ph": "X", "cat": cat, "name": name, "ts": ts / 1000, "dur": dur / 1000,
                 "pid": 0 if device else 100 + self.number, "tid": stream if device else 1}
        if args:
            event["args"] = args
        self.events.append(event)

    def call(self, name, dur, args=None):
        self.slice("cuda_runtime", name, self.host, dur, args)
        self.host += dur

    def launch(self, op, launch_ns):
        """The host's side of a kernel; returns when it may start, and what ties the two."""
        self.ids += 1
        begin = self.host
        self.host += launch_ns // 2
        tie = {"correlation": self.ids, "External id": self.ids}
        self.call("cudaLaunchKernel", launch_ns - launch_ns // 2, tie)
        self.slice("cpu_op", op["op"], begin, self.host - begin + 200,
                   {"External id": self.ids, **op.get("inputs", {})})
        if "outer" in op:
            self.slice("cpu_op", op["outer"], begin, self.host - begin + 250)
        self.host += 300
        return self.host + LATENCY_NS, tie

    def run(self, op, tie, start, dur, cat="kernel"):
        stream = op.get("stream", 7)
        self.slice(cat, op["name"], start, dur,
                   {"device": 0, "stream": stream, **tie, **op.get("args", {})}, True, stream)
        self.free[stream] = max(self.free[stream], start + dur)

    def wait_for_device(self):
        done = max(self.free.values()) + 2 * US
        self.call("cudaStreamSynchronize", max(done - self.host, 2 * US))


def product(name, ns):
    tensor = [SHAPE, SHAPE]
    dtype = "float" if "sgemm" in name else "c10::BFloat16"
    return {"op": "aten::mm", "name": name, "ns": ns,
            "inputs": {"Input Dims": [tensor, tensor], "Input type": [dtype] * 2}}


def reduce_of(number, ns, ranks):
    return {"op": "c10d::allreduce_", "stream": 20, "ns": ns,
            "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            "args": {"Collective name": "allreduce", "In msg nelems": 1 << 24, "Out msg nelems": 1 << 24,
                     "Group size": ranks, "dtype": "BFloat16", "Process Group Name": "0",
                     "Process Group Description": "default_pg", "Seq": number}}


def attention(causes):
    """By one kernel, or as its formula says."""
    parts = ([("aten::_flash_attention_forward", "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64>>(Flash_fwd_params)", 90)]
             if "flash-attention" in causes else
             [("aten::bmm", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", 80), ("aten::_softmax", "void softmax_warp_forward<float>(int)", 60),
              ("aten::bmm", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n", 80)] if "math-attention" in causes else [])
    return [{"op": op, "outer": "aten::scaled_dot_product_attention", "name": name, "ns": us * US} for op, name, us in parts]


class Run:
    """One simulated run; `causes` holds those that are planted."""

    def __init__(self, options, causes):
        self.o = options
        self.causes = causes
        self.random = random.Random(options.seed)
        self.ranks = [Rank(i) for i in range(options.ranks)]
        self.slow_rank = self.random.randrange(options.ranks)
        self.slow_step = self.random.randrange(options.steps // 2, options.steps)
        self.seq = 0
        self.starts = []

    def has(self, cause):
        return cause in self.causes

    def noise(self):
        return 1 + self.o.noise * self.random.gauss(0, 1)

    def time_of(self, op, rank, step, late):
        """Noise is drawn for each kernel whether or not a cause is planted."""
        ns = op["ns"] * self.noise()
        if op.get("stream", 7) != 7:
            return ns
        if self.has("straggler") and rank == self.slow_rank:
            ns *= 1.35
        if self.has("imbalance") and rank == late:
            ns *= 1.35
        if self.has("slow-step") and step == self.slow_step:
            ns *= 2.5
        if self.has("slower-clock"):
            ns *= 1.1
        if self.has("slower-product") and op["op"] == "aten::mm":
            ns *= 1.3
        if self.has("drift"):
            ns *= 1 + 0.3 * max(0.0, step / self.o.steps - 0.25)
        return ns

    def together(self, op, step, late):
        """One operator on all ranks; a collective ends for all at once."""
        launch_ns = LAUNCH_NS * (75 if self.has("host-bound") else 1)
        begun = []
        for rank in self.ranks:
            ready, tie = rank.launch(op, launch_ns)
            stream = op.get("stream", 7)
            after = max(ready, rank.free[stream], rank.free[7] if stream != 7 else 0)
            begun.append((rank, tie, int(after), int(self.time_of(op, rank.number, step, late))))
        if "stream" in op:
            end = max(start for _, _, start, _ in begun) + begun[0][3]
            for rank, tie, start, _ in begun:
                rank.run(op, tie, start, end - start)
            return
        for rank, tie, start, ns in begun:
            rank.run(op, tie, start, ns)

    def stall(self, name, cat, ns):
        for rank in self.ranks:
            rank.slice(cat, name, rank.host, ns)
            rank.host += ns

    def copy(self):
        """A blocking copy from pageable memory: nothing else runs meanwhile."""
        for rank in self.ranks:
            rank.ids += 1
            ns = 900 * US
            start = max(rank.host + LATENCY_NS, rank.free[7], rank.free[20])
            tie = {"correlation": rank.ids}
            rank.slice("cuda_runtime", "cudaMemcpy", rank.host, start + ns + 2 * US - rank.host, tie)
            rank.host = start + ns + 2 * US
            rank.run({"name": "Memcpy HtoD (Pageable -> Device)", "args": {"bytes": 1 << 24}}, tie, start, ns,
                     "gpu_memcpy")

    def step(self, number):
        late = self.random.randrange(self.o.ranks)
        begins = [rank.host for rank in self.ranks]
        self.stall("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation",
                   900 * US if self.has("input-stall") else 10 * US)
        if self.has("late-input"):
            slow = self.ranks[self.slow_rank]
            slow.slice("user_annotation", "enumerate(DataLoader)#_next_data", slow.host, 900 * US)
            slow.host += 900 * US
        gemm = "ampere_sgemm_128x64_nn" if self.has("no-tensor-cores") else "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"
        if self.has("copy"):
            self.copy()
        for i in range(LAYERS):
            self.together(product(gemm, 300 * US), number, late)
            if self.has("hot-kernel"):
                hot = {"op": "aten::mul", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::"
                       "MulFunctor<float>>(int)", "ns": 500 * US}
                self.together(hot, number, late)
            if self.has("lost-fusion"):
                add = {"op": "aten::add", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::"
                       "CUDAFunctor_add<float>>(int)", "ns": 60 * US}
                self.together(add, number, late)
            for op in attention(self.causes):
                self.together(op, number, late)
            if i == LAYERS // 2 and self.has("allocation"):
                for rank in self.ranks:
                    rank.wait_for_device()
                    for _ in range(2):
                        rank.call("cudaMalloc", 400 * US)
            if i == LAYERS // 2 and self.has("compile"):
                for rank in self.ranks:
                    rank.wait_for_device()
                self.stall("compile_fx (dynamo_timed)", "cpu_op", 800 * US)
            if i == LAYERS // 2 and self.has("sync"):
                for rank in self.ranks:
                    begin = rank.host
                    rank.wait_for_device()
                    rank.slice("cpu_op", "aten::item", begin - 1 * US, rank.host - begin + 2 * US)
                    rank.host += 700 * US  # what depends on the value
        for i in range(LAYERS):
            self.together(product(gemm, 300 * US), number, late)
            if i % 4 == 3:
                ns = 1450 * US if self.has("exposed-comm") else 250 * US
                self.together(reduce_of(self.seq, ns, self.o.ranks), number, late)
                self.seq += 1
        for rank in self.ranks:  # the optimiser needs all gradients
            rank.call("cudaStreamWaitEvent", 1 * US)
            rank.free[7] = max(rank.free.values())
        adam = {"op": "aten::_fused_adamw_", "ns": 200 * US, "name": "void at::native::multi_tensor_apply_kernel<"
                "at::native::FusedAdamMathFunctor<float>>()"}
        self.together(adam, number, late)
        for rank, begin in zip(self.ranks, begins):
            rank.wait_for_device()
            rank.slice("user_annotation", f"ProfilerStep#{number}", begin, rank.host - begin)

    def simulate(self):
        for number in range(self.o.steps):
            self.step(number)
        return self

    def span(self):
        """Of the devices, mean over ranks."""
        spans = []
        for rank in self.ranks:
            works = [e for e in rank.events if e["pid"] == 0]
            spans.append(max(e["ts"] + e["dur"] for e in works) - min(e["ts"] for e in works))
        return sum(spans) / len(spans) * 1000


def write(run, folder):
    for rank in run.ranks:
        head = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank.number,
                                                        "world_size": len(run.ranks)},
                "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
                "traceEvents": rank.events}
        with open(os.path.join(folder, f"rank{rank.number}.json"), "w", encoding="utf-8") as file:
            json.dump(head, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cause", action="append", default=[], choices=CAUSES + CHANGES)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.0, help="standard deviation of kernels, of their time")
    parser.add_argument("-o", "--output", required=True, help="a folder; truth.json in it says what was planted")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    run = Run(options, set(options.cause)).simulate()
    truth = {"span_ns": run.span(), "rank": run.slow_rank, "step": run.slow_step, "steps": options.steps, "costs_ns": {}}
    for cause in options.cause:
        without = Run(options, set(options.cause) - {cause}).simulate()
        truth["costs_ns"][cause] = run.span() - without.span()
    write(run, options.output)
    with open(os.path.join(options.output, "truth.json"), "w", encoding="utf-8") as file:
        json.dump(truth, file)


if __name__ == "__main__":
    main()
