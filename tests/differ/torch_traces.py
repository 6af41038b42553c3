"""Odd Kineto traces, each drawn from its seed, and what their names mean.

Traces have ties, work of no length, times before zero, several devices and streams, equal names, numbers as texts, begins and
ends, waits, unknown categories, steps, and compiled regions."""
# SPDX-License-Identifier: MIT
import random

import torch_devices as devices

# Name, what it does, class, category in a forward pass.
KERNELS = [("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "COMMUNICATION", "COMM", "communication"),
           ("void c10d::symmetric_memory::(anonymous namespace)::one_shot_all_reduce_kernel<float>(float**)", "COMMUNICATION", "COMM", "communication"),
           ("void deep_ep::internode::dispatch<false, 4>(int4*)", "COMMUNICATION", "COMM", "communication"),
           ("sm80_xmma_gemm_f16", "COMPUTATION", "GEMM", "GEMM"),
           ("nvjet_tst_128x256_64x4", "COMPUTATION", "GEMM", "GEMM"),
           ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)", "COMPUTATION", "Elementwise", "elementwise"),
           ("void at::native::reduce_kernel<512, 1>(int)", "COMPUTATION", "Reduction", "reduce"),
           ("triton_red_fused_native_layer_norm_0", "COMPUTATION", "Normalization", "NORM_fwd"),
           ("triton_poi_fused_add_1", "COMPUTATION", "Elementwise", "elementwise"),
           ("flash_fwd_kernel", "COMPUTATION", "Attention", "SDPA_fwd"),
           ("__amd_rocclr_fillBufferAligned", "MEMORY", "Memory", "memory"),
           ("myst\u00e9ry \"k\"\\n", "COMPUTATION", "Other", "other"),
           ("aten::mm", "COMPUTATION", "Other", "other")]
COPIES = [("Memcpy HtoD (Pinned -> Device)", "gpu_memcpy"), ("Memset (Device)", "gpu_memset"), ("odd copy", "gpu_memcpy"),
          ("Memcpy DtoD", "Memcpy"), ("fill", "Memset")]
CLASSES = {"communication": "communication", "GEMM": "GEMM", "elementwise": "elementwise", "reduce": "reduction",
           "NORM_fwd": "normalisation", "SDPA_fwd": "attention", "memory": "copies", "other": "other", "MoE": "MoE"}
OPERATORS = {"aten::mm": "GEMM", "aten::add": "elementwise", "aten::native_layer_norm": "NORM_fwd", "vllm::moe_forward": "MoE",
             "Torch-Compiled Region: 0/0": None, "CompiledFunction": None, "my::op": None, "triton_poi_fused_add_1": None}
KNOWN = {name: (work, sort, category) for name, work, sort, category in KERNELS}


def work_of(s):
    if s.cat in ("gpu_memcpy", "gpu_memset", "Memcpy", "Memset"):
        return "MEMORY"
    if s.name in KNOWN:
        return KNOWN[s.name][0]
    return "COMMUNICATION" if "nccl" in s.name else "COMPUTATION"


def category_of_kernel(s):
    return "memory" if work_of(s) == "MEMORY" else KNOWN[s.name][2]


def class_of(s, op):
    return CLASSES[OPERATORS.get(op.name if op else None) or KNOWN[s.name][2]]


class Trace:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.odd = self.draw.random() < 0.8
        self.shift = self.draw.choice([0, 0, 5_900_000_000_000_123, -30_000_000, -2_000]) if self.odd else 0
        self.events, self.correlation = [], self.draw.choice([1, 1000, 2 ** 33])
        self.ids = []
        self.host_ns = {1: 0, 2: 5_000}

    def form(self, value):
        """A number, now and then as a text."""
        return str(value) if self.odd and self.draw.random() < 0.05 else value

    def time(self, value):
        text = f"{value // 1000 if value >= 0 else -(-value // 1000)}.{abs(value) % 1000:03}"
        if value < 0 and not text.startswith("-"):
            text = "-" + text
        return text if self.odd and self.draw.random() < 0.05 else float(text) if abs(value) < 10 ** 14 else Exact(text)

    def put(self, name, cat, pid, tid, start, length, args):
        start += self.shift
        event = {"name": name, "cat": cat, "pid": pid, "tid": tid, "args": args}
        self.events.append({"ph": "X", **event, "ts": self.time(start), "dur": self.time(length)})

    def work(self, at, correlation):
        draw = self.draw
        length = draw.choice([0, 1, 999, 1000, 9_999, 10_000, draw.randrange(200_000), draw.randrange(3_000)])
        args = {"stream": self.form(draw.choice([7, 7, 8, 20]))} if draw.random() < 0.95 else {}
        if self.odd and draw.random() < 0.03:
            length = draw.choice([-5, -1000, 4 * devices.HOUR_NS])
        if not correlation and self.ids and draw.random() < 0.7:
            args["External id"] = self.form(draw.choice(self.ids))
        if correlation:
            args["correlation"] = self.form(correlation)
        if draw.random() < 0.2:
            name, cat = draw.choice(COPIES)
        else:
            name, cat = draw.choice(KERNELS)[0], draw.choice(["kernel"] * 6 + ["Kernel", "mtia_ccp_events"])
        if self.odd and draw.random() < 0.05:
            name, cat = draw.choice([("Stream Wait Event", "cuda_sync"), ("Event Sync", "kernel"), ("cudaStreamWaitEvent", "kernel"),
                                     ("sm80_xmma_gemm_f16", "kernel,foo"), ("sm80_xmma_gemm_f16", "kernels"), ("mark", "gpu_user_annotation")])
        self.put(name, cat, draw.choice([0, 0, 1]), draw.choice([7, 8, "stream 9"]), at, length, args)

    def call(self, thread, at, length):
        """A call and what it launches; a driver's below it may have the same id."""
        draw = self.draw
        self.correlation += draw.choice([1, 1, 1, 70])
        name, works = draw.choice([("cudaLaunchKernel", 1)] * 5 + [("cudaMemcpyAsync", 1), ("cudaGraphLaunch", 5), ("cudaStreamSynchronize", 0)])
        self.put(name, "cuda_runtime", 99, thread, at, length, {"correlation": self.form(self.correlation)})
        if draw.random() < 0.1 and length > 10:
            self.put("cuLaunchKernel", "cuda_driver", 99, thread, at + 1, length - 2, {"correlation": self.correlation})
        start = at + draw.choice([0, length, draw.randrange(300_000)])
        for _ in range(works):
            self.work(start, self.correlation)
            start += draw.choice([0, 0, 1, draw.randrange(100_000)])

    def operator(self, thread, depth):
        """An operator with calls and operators in it, one after another."""
        draw, begin = self.draw, self.host_ns[thread]
        slot = len(self.events)
        self.host_ns[thread] += draw.choice([1, 500])
        for _ in range(draw.randrange(1, 4)):
            if depth < 3 and draw.random() < 0.3:
                self.operator(thread, depth + 1)
            else:
                length = draw.randrange(5, 9_000)
                self.call(thread, self.host_ns[thread], length)
                self.host_ns[thread] += length + draw.choice([1, 40])
        end = self.host_ns[thread] + 1
        self.host_ns[thread] = end + draw.choice([0, 700])
        args = {}
        if draw.random() < 0.3:
            self.ids.append(len(self.ids) + 1)
            args["External id"] = self.form(self.ids[-1])
        self.put(draw.choice(list(OPERATORS)), draw.choice(["cpu_op", "cpu_op", "Operator"]), 99, thread, begin, end - begin, args)
        self.events.insert(slot, self.events.pop())

    def steps(self, until):
        """Steps that follow one another, with a pause or a number left out now and then; or counted down."""
        draw, at, n = self.draw, 0, self.draw.randrange(1, 9)
        numbers = list(range(draw.choice([0, 7]), 40))
        if draw.random() < 0.2:
            numbers.reverse()
        for i in range(n):
            length = max(until // n - draw.choice([0, 0, 500]), 1)
            if draw.random() < 0.1:
                numbers.pop(0)
            self.put(f"ProfilerStep#{numbers.pop(0)}", "user_annotation", 99, 3, at, length, {})
            at += until // n + (i == 0) * draw.choice([0, until])

    def document(self):
        draw = self.draw
        for _ in range(draw.randrange(1, 12)):
            self.operator(draw.choice([1, 2]), 0)
        if draw.random() < 0.6:
            self.steps(max(self.host_ns.values()))
        for thread in (1, 2):
            if draw.random() < 0.5:
                self.call(thread, self.host_ns[thread] + 10, 100)
        for _ in range(draw.randrange(3)):
            self.work(draw.randrange(10 ** 6), draw.choice([0, 2 ** 40]))
        if self.odd and draw.random() < 0.5:
            draw.shuffle(self.events)
        return {"traceEvents": self.events}


class Exact(float):
    """A time with more digits than a double has."""

    def __new__(cls, text):
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __repr__(self):
        return self.text

    __str__ = __repr__
