#!/usr/bin/env python3
"""One member that grows without end, for each source: growing-test.py PROGRAM

A run with --max-memory M takes M + 32 MiB at most, or ends with status 8 before; never more.  Inputs are compressed, so
that a small file of the user's can do it."""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
MIB = 1 << 20
LIMIT, MOST = 64 * MIB, 96 * MIB
TEXT = 128 * MIB  # uncompressed: more than a run may take

with open(PROGRAM, "rb") as program:
    code = program.read()
if b"__asan_init" in code or b"__tsan_init" in code:
    print("built with a sanitizer, which takes more than any of this: skipped")
    sys.exit(77)

EVENT = b'{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":0,"ts":1,"dur":2'
TRACE = b'{"traceEvents":['
BENCH = (b'{"backend":"vllm","model_id":"m","duration":1.5,"completed":5,"total_input_tokens":4,"total_output_tokens":4,'
         b'"request_throughput":1.0,')
TABLE = b"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"

# source: [(what grows, name of the file, before, what comes again, after)]
GROWING = {
    "allreduce-csv": [("a cell", "a.csv", b"world_size,fusion,strategy,num_tokens,hidden_size,time (us)\n1,", b"x", b"")],
    "bench-json": [("ttfts", "a.json", BENCH + b'"ttfts":[0.1', b",0.1", b"]}"),
                   ("gaps", "a.json", BENCH + b'"itls":[[0.1', b",0.1", b"]]}"),
                   ("errors", "a.json", BENCH + b'"ttfts":[0.1],"errors":["', b"x", b'"]}'),
                   ("error texts", "a.json", BENCH + b'"errors":["x"', b',"a text of an error"', b"]}"),
                   ("a key", "a.json", BENCH + b'"', b"k", b'":1}')],
    "chrome-json": [("blanks", "a.json", TRACE + EVENT, b" ", b"}]}"),
                    ("a text", "a.json", TRACE + EVENT + b',"args":{"a":"', b"x", b'"}}]}'),
                    ("arguments", "a.json", TRACE + EVENT + b',"args":{"a":[1', b",1", b"]}}]}"),
                    ("a member beside the events", "a.json", b'{"deviceProperties":[1', b",1", b'],"traceEvents":[]}')],
    "compiler-log": [("a line", "a.log", b"", b"x", b"")],
    "gate-log": [("a list", "gate_logs_0.json", b'[{"layer":0,"experts":[1', b",1", b"]}]")],
    "latency-csv": [("a cell", "a.csv", b"probe,original,ncu,neutrino,prologue,kernel,epilogue\n", b"x", b"")],
    "nsys-csv": [("a name", "a.csv", TABLE + b"1,1,1,1,1,1,1,1,", b"k", b"\n")],
    "rocprof-json": [("a name", "a.json", b'{"rocprofiler-sdk-tool":[{"strings":{"x":"', b"k", b'"}}]}'),
                     ("a list", "a.json", b'{"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[1', b",1", b"]}}]}")],
    "tuner-conf": [("a line", "a.conf", b"allreduce,", b"1", b"\n")],
    "tuner-csv": [("a cell", "a.csv", b"collective,size_bytes,algorithm,protocol,latency_us,ranks\nallreduce,", b"1", b"\n")],
    "coll-bench": [("a line", "a.log", b"# nccl-tests version 2.17\n", b"#", b"\n")],
    "strategy-table": [("a table", "a.h", b"int AllReduceBestStrategyTableSM90 = {{{{1", b",1", b"}}}};")],
}
# Databases, packets and probes are no text that goes on; folders and cards hold other sources' files.
OTHERS = {"nsys-sqlite", "perfetto", "probe-bin", "probe-log", "sweep-tree", "workload-card"}


def write(path, before, again, after):
    piece = again * max(1, MIB // len(again))
    with gzip.open(path, "wb", 1) as file:
        file.write(before)
        for _ in range(TEXT // len(piece)):
            file.write(piece)
        file.write(after)


def run(folder, source, name):
    with open(folder / "messages", "w+") as messages:
        child = subprocess.Popen([PROGRAM, "run", "-p", "info", "--source", source, "--max-memory", str(LIMIT), "-o", "out", "-f", name],
                                 cwd=folder, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return child.returncode, usage.ru_maxrss * 1024, messages.read()


def main():
    sources = {s["name"] for s in json.loads(subprocess.run([PROGRAM, "list", "sources", "--json"], capture_output=True, check=True).stdout)}
    failures = [f"no growing input for {name}" for name in sorted(sources - set(GROWING) - OTHERS)]
    with tempfile.TemporaryDirectory(prefix="growing-test-") as made:
        folder = pathlib.Path(made)
        for source, cases in GROWING.items():
            for what, name, *text in cases:
                write(folder / (name + ".gz"), *text)
                status, peak, said = run(folder, source, name + ".gz")
                print(f"{source}: {what}: status {status}, {peak / MIB:.0f} MiB")
                if status not in (0, 3, 8) or peak > MOST:
                    failures.append(f"{source}: {what}: status {status}, {peak / MIB:.0f} MiB: {said[-600:]}")
                (folder / (name + ".gz")).unlink()
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
