"""Inputs of every kind that a stage may meet, small enough to run thousands of times."""
# SPDX-License-Identifier: MIT
import json
import subprocess


class Kind:
    """Files in one folder, and the words that name them on a command line there."""

    def __init__(self, folder, words=None, trace=True, packs=True):
        self.folder = folder
        self.files = sorted(p for p in folder.rglob("*") if p.is_file())
        self.words = words or [str(f.relative_to(folder)) for f in self.files]
        self.trace = trace  # the inputs can be written as a trace
        self.packs = packs  # they may be compressed
        self.known = None

    def seen(self, program):
        """Facts of all inputs, and the profiles that fit them, as the program sees these."""
        if not self.known:
            status, out, err = program.run(["info", "--json", *self.words], cwd=self.folder)
            info = json.loads(out) if out else {"inputs": [], "profiles": []}
            self.known = {"facts": {fact for lane in info["inputs"] for fact in lane["facts"]},
                          "profiles": {p["name"] for p in info["profiles"] if p["fits"]}}
            if status:
                raise RuntimeError(f"info {self.folder}: status {status}: {err}")
        return self.known

    def pack(self, folder, compress):
        """The same tree with every file compressed."""
        for file in self.files:
            out = folder / file.relative_to(self.folder)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(compress(file.read_bytes()))

    def single(self):
        """The one file that may come through a pipe."""
        return self.files[0] if len(self.files) == 1 and self.packs else None


def write(path, events, **members):
    text = json.dumps({**members, "traceEvents": events}, separators=(",", ":"))
    path.write_text(text)


def rank(number):
    return {"distributedInfo": {"rank": number}}


def slice_(name, ts, dur, tid=1, **args):
    event = {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": tid, "ts": ts, "dur": dur}
    if args:
        event["args"] = args
    return event


def begin_end(count):
    """Nested pairs, one of them without an end, one without a begin."""
    events = [{"ph": "E", "name": "lone", "pid": 1, "tid": 1, "ts": 0.5}]
    for k in range(count):
        at = 10 * k
        events += [{"ph": "B", "cat": "kernel", "name": f"outer{k % 5}", "pid": 1, "tid": k % 3,
                    "ts": at, "args": {"k": k}},
                   {"ph": "B", "cat": "kernel", "name": "inner", "pid": 1, "tid": k % 3,
                    "ts": at + 1},
                   {"ph": "E", "name": "inner", "pid": 1, "tid": k % 3, "ts": at + 2,
                    "args": {"text": "é\\n\"" + "x" * (k % 40)}},
                   {"ph": "E", "pid": 1, "tid": k % 3, "ts": at + 4.125}]
    events.append({"ph": "B", "name": "lone", "pid": 1, "tid": 1, "ts": 10 * count})
    return events


def equal_times(count):
    """All at one time: only the longest first, then the order of reading."""
    return [slice_(f"k{k % 7}", 1000, (k * 5) % 11, tid=k % 4, correlation=k) for k in range(count)]


def counters(count):
    """Launches of operators, and ranges with counters of the device, latest first."""
    events = []
    for k in reversed(range(count)):
        events += [{"ph": "X", "cat": "cuda_profiler_range", "name": f"k{k % 4}", "pid": "gpu", "tid": 0, "ts": 9000 + 10 * k, "dur": 5,
                    "args": {"inst.sum": 7 * k, "dram.ratio": k / 8, "name": "x"}},
                   {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10 * k + 2, "dur": 3},
                   {"ph": "X", "cat": "cpu_op", "name": f"aten::op{k % 3}", "pid": 1, "tid": 1, "ts": 10 * k, "dur": 8}]
    return events


def no_times(count):
    """Metadata and others without ts, in the middle of timed ones, latest first."""
    events = []
    for k in range(count):
        events.append(slice_(f"k{k % 3}", 50000 - 7 * k, 3))
        events.append({"ph": "M", "name": "thread_name", "pid": 0, "tid": k,
                       "args": {"name": f"row {k}"}})
        if k % 10 == 0:
            events.append({"ph": "C", "name": "memory", "pid": "cpu", "tid": "all",
                           "ts": 50000 - 7 * k, "args": {"bytes": k}})
            events.append({"ph": "Z", "name": "unknown", "pid": 0, "tid": 1, "ts": 3 * k,
                           "odd": [1, {"ph": "X"}]})
    return events


def make(folder, kineto_gen, aiu_gen):
    """{name: Kind}; every kind has a folder of its own."""
    kinds = {}

    def folder_of(kind):
        where = folder / kind
        where.mkdir(parents=True)
        return where

    def generate(kind, program, ranks, *options):
        where = folder_of(kind)
        subprocess.run([program, "--ranks", str(ranks), "-o", str(where / "rank{rank}.json"),
                        *options],
                       check=True, capture_output=True)
        kinds[kind] = Kind(where)

    def single(kind, *lists):
        where = folder_of(kind)
        for number, events in enumerate(lists):
            write(where / f"rank{number}.json", events, **rank(number))
        kinds[kind] = Kind(where)

    generate("kineto", kineto_gen, 2, "--events", "1500")
    generate("kineto-pair", kineto_gen, 2, "--events", "500", "--seed", "4")
    kinds["kineto-pair"].words = ["base=rank0.json", "new=rank1.json"]
    generate("kineto-base", kineto_gen, 2, "--events", "700", "--stamps", "base", "--seed", "3")
    generate("aiu", aiu_gen, 3, "--events", "900", "--wraps", "2", "--skew-us", "40",
             "--drift-ppm", "5",
             "--collectives", "30", "--overlaps", "5", "--power")
    generate("aiu-begin-end", aiu_gen, 2, "--events", "600", "--be", "--wraps", "1",
             "--collectives", "10", "--stamps", "hex")
    generate("kineto-long", kineto_gen, 2, "--events", "6000", "--seed", "2")
    generate("aiu-long", aiu_gen, 2, "--events", "7000", "--collectives", "50", "--overlaps", "3",
             "--seed", "2")
    single("begin-end", begin_end(120), begin_end(7))
    single("empty-lane", [], begin_end(3), equal_times(3))
    single("empty", [])
    single("one-event", [slice_("only", 5, 2)])
    single("equal-times", equal_times(300), equal_times(40))
    single("no-times", no_times(100))
    single("counters", counters(90), counters(1))
    return kinds
