"""Traces of graph launches, the captures of these graphs, and which launch each piece of device work was captured by.

A model is layers of operators, each of which launches kernels on one of two streams.  A graph is a model for a batch: graphs
share the names of kernels, and differ in layers, in shapes and in a kernel of their own.  Traces may lack operators (rocprofv3)."""
# SPDX-License-Identifier: MIT
import collections
import json
import random

import nsys
import rocprof

MAIN, SIDE = 7, 9
# (operator, the one around it, kernels, stream, dims of its inputs for a batch)
LAYER = [("aten::native_layer_norm", "aten::layer_norm", ["void layer_norm_kernel<float, 4>(float*)"], MAIN, lambda b: [[b, 64], []]),
         ("aten::mm", "aten::linear", ["Cijk_Ailk_Bljk_BBS_BH_MT64x64", "splitKreduce_kernel<32, 16, int>"], MAIN, lambda b: [[b, 64], [64, 96]]),
         ("aten::silu", None, ["vectorized_elementwise_kernel<4, silu>"], SIDE, lambda b: [[b, 96]]),
         ("aten::add", None, ["vectorized_elementwise_kernel<4, add>"], MAIN, lambda b: [[b, 64], [b, 64], []])]
COPY = "Memcpy DtoD (Device -> Device)"


class Graph:
    """launches: (kernel or None for a copy, operator, the one around it, dims, stream, layer), in the order of the capture."""

    def __init__(self, number, batch, layers, own):
        self.number, self.batch, self.launches = number, batch, [(None, "aten::copy_", None, [[batch, 64], [batch, 64]], MAIN, -1)]
        for layer in range(layers):
            for op, around, kernels, stream, dims in LAYER:
                self.launches += [(kernel, op, around, dims(batch), stream, layer) for kernel in kernels]
        if own:
            self.launches.append((f"own_kernel_{number}<int>", "my::own", None, [[batch, number + 1]], MAIN, layers))


class Event:
    def __init__(self, **members):
        self.__dict__.update(members)


class Plan:
    """Two graphs that were captured, one that was not, and replays of them in turn, some with a side stream that runs late."""

    def __init__(self, seed, replays=12, layers=3):
        r = self.random = random.Random(seed)
        self.graphs = [Graph(0, 32, layers, False), Graph(1, 16, layers + 1, True), Graph(2, 8, 0, True)]
        self.graphs[2].launches = [(f"unseen_{i}", "x::unseen", None, [[1]], MAIN, 0) for i in range(5)]
        self.captured = self.graphs[:2]
        self.calls, self.work, self.steps, self.truth = [], [], [], []
        at, self.correlation = 1_000_000, 100
        for number in range(replays):
            at = self.replay(number, self.graphs[r.randrange(3)], at, late=r.random() < 0.4)

    def replay(self, number, graph, at, late):
        r = self.random
        self.correlation += 1
        self.steps.append(Event(start=at, end=at + 40_000, batch=graph.batch))
        self.calls.append(Event(start=at + 5_000, end=at + 15_000, correlation=self.correlation))
        begin = {MAIN: at + 50_000, SIDE: at + 50_000}
        pieces = []
        for i, (kernel, *_, stream, _) in enumerate(graph.launches):
            length = r.randrange(1_000, 9_000)
            start = max(begin.values()) if not late else begin[stream]
            pieces.append(Event(name=kernel or COPY, copy=kernel is None, start=start, end=start + length, stream=stream, launch=i,
                                correlation=self.correlation, graph=graph))
            begin[stream] = start + length + r.randrange(1, 500)
        self.work += pieces
        known = graph in self.captured
        self.truth.append({"replay": number, "file": f"graph_{graph.number}.json" if known else "", "pieces": len(pieces),
                           "matched": len(pieces) if known else 0, "matched_percent": 100.0 if known else 0.0})
        return max(begin.values()) + r.randrange(10_000, 90_000)

    # ---- what tables by operator should have

    def calls_of(self, captured):
        """For each call of an operator in a replay: its name, dims and pieces."""
        of = collections.defaultdict(list)
        for p in self.work:
            _, op, _, dims, _, layer = p.graph.launches[p.launch]
            if (p.graph in self.captured) == captured:
                of[p.correlation, op, json.dumps(dims, separators=(",", ":")), layer].append(p)
        return of

    def by_arguments(self):
        """{(operator, dims): [calls, ns]}: kernels of one call follow each other, so that their union is their sum."""
        sums = collections.defaultdict(lambda: [0, 0])
        for (_, op, dims, _), pieces in self.calls_of(True).items():
            sums[op, dims][0] += 1
            sums[op, dims][1] += sum(p.end - p.start for p in pieces)
        return dict(sums)

    def by_kernel(self):
        """{(operator, kernel): ns}; without an operator the call is the operator."""
        sums = collections.Counter()
        for p in self.work:
            if not p.copy:
                sums[p.graph.launches[p.launch][1] if p.graph in self.captured else "GRAPH", p.name] += p.end - p.start
        return dict(sums)


# ---- captures

def capture(graph, warm_up=True):
    """As Kineto writes it: launches are calls without device work, with the name of the kernel."""
    events, at, ids = [], 1000, 10 + 1000 * graph.number

    def add(name, cat, start, dur, **args):
        events.append({"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": 2, "ts": start, "dur": dur, "args": args})

    if warm_up:
        add("aten::mm", "cpu_op", 100, 50, **{"External id": 1})
        add("cudaLaunchKernel", "cuda_runtime", 110, 5, kernel="warm", correlation=1, **{"External id": 1})
        events.append({"ph": "X", "name": "warm", "cat": "kernel", "pid": 0, "tid": MAIN, "ts": 130, "dur": 9, "args": {"correlation": 1, "stream": MAIN}})
    begin, last = at, None
    for kernel, op, around, dims, stream, layer in graph.launches:
        if (op, layer) != last:
            ids += 2
            at += 100
            if around:
                add(around, "cpu_op", at - 5, 95, **{"External id": ids - 1})
            add(op, "cpu_op", at, 80, **{"External id": ids, "Input Dims": dims, "Input type": ["float"] * len(dims)})
            add(f"nn.Module: Layer_{layer}", "python_function", at - 8, 99)
            inner, last = at, (op, layer)
        inner += 10
        name = "cudaLaunchKernel" if kernel else "cudaMemcpyAsync"
        args = {"kernel": kernel} if kernel else {}
        add(name, "cuda_runtime", inner, 5, correlation=5000 + len(events), **{"External id": ids, **args})
    add("nn.Module: Model_0", "python_function", begin, at + 200 - begin)
    return {"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}


# ---- traces

def kineto(plan, launch="cudaGraphLaunch", annotate=True):
    events = [{"ph": "X", "name": "aten::item", "cat": "cpu_op", "pid": 1, "tid": 2, "ts": 1, "dur": 2, "args": {"External id": 3}}]
    for step in plan.steps if annotate else []:
        events.append({"ph": "X", "name": f"execute_context_0(0)_generation_{step.batch}({step.batch})", "cat": "user_annotation", "pid": 1,
                       "tid": 2, "ts": step.start / 1000, "dur": (step.end - step.start) / 1000, "args": {}})
    for call in plan.calls:
        events.append({"ph": "X", "name": launch, "cat": "cuda_runtime", "pid": 1, "tid": 2, "ts": call.start / 1000,
                       "dur": (call.end - call.start) / 1000, "args": {"correlation": call.correlation}})
    for p in plan.work:
        events.append({"ph": "X", "name": p.name, "cat": "gpu_memcpy" if p.copy else "kernel", "pid": 0, "tid": p.stream, "ts": p.start / 1000,
                       "dur": (p.end - p.start) / 1000, "args": {"correlation": p.correlation, "stream": p.stream, "device": 0}})
    plan.random.shuffle(events)
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "x"}], "traceEvents": events})


GRAPH_LAUNCH = 3


def rocprof_text(plan):
    process = rocprof.Process(4100, steps=0)
    kinds = [(kind, names + ["", "hipGraphLaunch"][: 2 * (kind == "HIP_RUNTIME_API")]) for kind, names in rocprof.KINDS]
    names = sorted({p.name for p in plan.work if not p.copy})
    for call in plan.calls:
        process.record("hip_api", rocprof.HIP, GRAPH_LAUNCH, call.start, call.end, correlation=call.correlation)
    for n, p in enumerate(plan.work):
        stream = {"handle": p.stream}
        if p.copy:
            process.record("memory_copy", rocprof.COPY, 1, p.start, p.end, correlation=p.correlation, stream_id=stream,
                           dst_agent_id={"handle": rocprof.GPU}, src_agent_id={"handle": rocprof.CPU}, bytes=4096)
        else:
            process.record("kernel_dispatch", rocprof.DISPATCH, 1, p.start, p.end, correlation=p.correlation, stream_id=stream,
                           dispatch_info={"size": 80, "agent_id": {"handle": rocprof.GPU}, "queue_id": {"handle": 1},
                                          "kernel_id": 7 + names.index(p.name), "dispatch_id": n + 1, "private_segment_size": 0,
                                          "group_segment_size": 0, "workgroup_size": {"x": 64, "y": 1, "z": 1},
                                          "grid_size": {"x": 64, "y": 1, "z": 1}})
    document = process.document()
    document["strings"]["buffer_records"] = [{"kind": kind, "operations": operations} for kind, operations in kinds]
    document["kernel_symbols"] = [{"kernel_id": 7 + k, "code_object_id": 1, "kernel_name": name + ".kd", "formatted_kernel_name": name,
                                   "truncated_kernel_name": name.split("<")[0]} for k, name in enumerate(names)]
    return json.dumps({"rocprofiler-sdk-tool": [document]})


def nsys_database(plan, path, pid=5000):
    w = nsys.Writer(str(path), "2021", 1)
    thread, process = nsys.global_pid(pid) | pid, nsys.global_pid(pid)
    for call in plan.calls:
        w.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=call.start, end=call.end, correlationId=call.correlation, globalTid=thread,
              nameId=w.string("cudaGraphLaunch_v10000"))
    for p in plan.work:
        work = {"start": p.start, "end": p.end, "deviceId": 0, "streamId": p.stream, "correlationId": p.correlation, "globalPid": process}
        if p.copy:
            w.add("CUPTI_ACTIVITY_KIND_MEMCPY", bytes=4096, copyKind=8, **work)
        else:
            w.add("CUPTI_ACTIVITY_KIND_KERNEL", demangledName=w.string(p.name), shortName=w.string(p.name.split("<")[0]), **work)
    w.close()
