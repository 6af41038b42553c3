"""Documents as rocprofv3 writes them with --output-format json, and what an analysis of them should find."""
# SPDX-License-Identifier: MIT
import json

# (formatted name, kernel name, threads of a block, blocks)
KERNELS = [("Cijk_Alik_Bljk_BBS_BH_MT128x128x64", "Cijk_Alik_Bljk_BBS_BH_MT128x128x64.kd", 256, 64),
           ("void at::native::vectorized_elementwise_kernel<4, add>(int)", "_ZN2at6native29vectorized_elementwise_kernelILi4E3addEEvi.kd", 512, 100),
           ("ncclDevKernel_AllReduce_Sum_bf16", "ncclDevKernel_AllReduce_Sum_bf16.kd", 512, 28)]
KINDS = [("NONE", []), ("HSA_CORE_API", ["hsa_init", "hsa_signal_store"]), ("HIP_RUNTIME_API", ["hipLaunchKernel", "hipMemcpyAsync"]),
         ("KERNEL_DISPATCH", ["NONE", "COMPLETE"]),
         ("MEMORY_COPY", ["NONE", "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST"]),
         ("MARKER_CORE_API", ["roctxRangePushA"]), ("RCCL_API", ["ncclAllReduce"])]
HSA, HIP, DISPATCH, COPY, MARKER, RCCL = range(1, 7)
GPU, CPU = 281479271677953, 94107


class Process:
    """Each step: a marker around all, a product and an addition on stream 3, an all-reduce on stream 5 beside the addition, a copy to
    the device; times in ns from `start`."""

    def __init__(self, pid, steps=3, start=5_000_000_000_000, longer=0, queues=False):
        self.pid, self.queues, self.correlation, self.thread = pid, queues, 0, pid + 1
        self.lists = {name: [] for name in ("kernel_dispatch", "hip_api", "hsa_api", "memory_copy", "memory_allocation", "marker_api", "rccl_api")}
        self.markers, self.truth = [], {"pid": pid, "kernels": 0, "kernel_ns": 0, "busy_ns": 0, "copies": 0}
        self.begin = start - 1000000
        for step in range(steps):
            self.step(step, start + step * 1_000_000, longer if step == steps - 1 else 0)
        self.end = start + steps * 1_000_000 + longer

    def record(self, name, kind, operation, start, end, **more):
        self.correlation += 1
        self.lists[name].append({"size": 64, "kind": kind, "operation": operation, "thread_id": self.thread,
                                 "correlation_id": {"internal": more.pop("correlation", self.correlation), "external": 0},
                                 "start_timestamp": start, "end_timestamp": end, **more})
        return self.correlation

    def dispatch(self, kernel, stream, start, length, call):
        _, _, threads, blocks = KERNELS[kernel]
        launch = self.record("hip_api", HIP, 0, call, call + 4000)
        self.record("hsa_api", HSA, 1, call + 1000, call + 1500)
        self.record("kernel_dispatch", DISPATCH, 1, start, start + length, correlation=launch, stream_id={"handle": 0 if self.queues else stream},
                    dispatch_info={"size": 80, "agent_id": {"handle": GPU}, "queue_id": {"handle": stream + 10}, "kernel_id": 7 + kernel,
                                   "dispatch_id": self.truth["kernels"] + 1, "private_segment_size": 0, "group_segment_size": 1024,
                                   "workgroup_size": {"x": threads, "y": 1, "z": 1}, "grid_size": {"x": threads * blocks, "y": 1, "z": 1}})
        self.truth["kernels"] += 1
        self.truth["kernel_ns"] += length

    def step(self, number, at, longer):
        marker = self.record("marker_api", MARKER, 0, at - 90000, at + 700000 + longer)
        self.markers.append({"key": marker, "value": f"step {number}"})
        self.dispatch(0, 3, at, 300001 + longer, at - 50000)
        self.dispatch(1, 3, at + 310000 + longer, 100002, at - 40000)
        self.record("rccl_api", RCCL, 0, at - 35000, at - 20000)
        self.dispatch(2, 5, at + 360000 + longer, 200003, at - 30000)
        call = self.record("hip_api", HIP, 1, at + 600000 + longer, at + 605000 + longer)
        self.record("memory_copy", COPY, 1, at + 610000 + longer, at + 640000 + longer, correlation=call, stream_id={"handle": 0 if self.queues else 3},
                    dst_agent_id={"handle": GPU}, src_agent_id={"handle": CPU}, bytes=60000)
        if number == 0:
            self.record("memory_allocation", 7, 1, at, at + 10, address=0, allocation_size=60000)
        self.truth["busy_ns"] += 300001 + longer + 250003 + 30000
        self.truth["copies"] += 1

    def document(self, names_last=False):
        head = {
            "metadata": {"pid": self.pid, "init_time": self.begin, "fini_time": self.end, "command": ["./train"], "node": {"hostname": "node01"}},
            "agents": [{"size": 400, "id": {"handle": CPU}, "type": 1, "name": "cpu", "node_id": 0, "logical_node_type_id": 0},
                       {"size": 400, "id": {"handle": GPU}, "type": 2, "name": "gfx942", "node_id": 4, "logical_node_type_id": 0}],
            "counters": [],
            "strings": {"callback_records": [], "buffer_records": [{"kind": kind, "operations": names} for kind, names in KINDS],
                        "marker_api": self.markers, "counters": {"dimension_ids": []}},
            "code_objects": [{"code_object_id": 1, "uri": "file:///train#offset=1"}],
            "kernel_symbols": [{"kernel_id": 7 + k, "code_object_id": 1, "kernel_name": mangled, "formatted_kernel_name": name,
                                "truncated_kernel_name": name.split("<")[0]} for k, (name, mangled, _, _) in enumerate(KERNELS)],
            "host_functions": []}
        records = {"callback_records": {"counter_collection": []}, "buffer_records": self.lists}
        return {**records, **head} if names_last else {**head, **records}


def text(processes, names_last=False):
    """A record a line."""
    def members(value, indent):
        pairs = [f"{json.dumps(key)}: {lines(inner, indent + 1)}" for key, inner in value.items()]
        return "{" + ", ".join(pairs) + "}"

    def lines(value, indent):
        if isinstance(value, dict) and indent < 4:
            return members(value, indent)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
        return json.dumps(value)

    documents = [members(process.document(names_last), 1) for process in processes]
    return '{"rocprofiler-sdk-tool": [' + ",\n".join(documents) + "]}\n"
