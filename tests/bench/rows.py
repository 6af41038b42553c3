"""The rows of the benchmark: what is measured, against what, and which target it should reach."""
# SPDX-License-Identifier: MIT

import json
import os
import shutil
import sys

from inputs import count_events
import aiu
import allreduce
import books
import held
import nsys
import pictures
import probe
import query
import report
import serving
import shards
import torch
from machine import interleave
from result import Result, at_least, busy_note

LOOKS = 16

LOAD = """
import gc, json, sys, time
if sys.argv[2] == "off": gc.disable()
start = time.perf_counter()
with open(sys.argv[1], "rb") as file: trace = json.load(file)
if len(sys.argv) > 3:
    with open(sys.argv[3], "w") as file: json.dump(trace, file)
print(time.perf_counter() - start)
"""

READ = {"stages": [{"use": "bench.look"}]}
FILTER = {"use": "filter", "with": {"drop-cat": "cpu_instant_event"}}
KERNELS = {"stages": [FILTER, {"use": "kernel-time"}]}
SORTED = {"stages": [{"use": "bench.sorted"}]}


def looks(count, enabled=True):
    """The reading profile and `count` more stages that only look."""
    more = [{"use": "bench.look", "as": f"look{i}", "enabled": enabled} for i in range(count)]
    return {"stages": [{"use": "bench.look"}, *more]}


class Bench:
    """What all rows share: the program, the inputs, the scratch directory."""

    def __init__(self, machine, inputs, program, tools, scratch, rounds, full, divide, perfetto_cache):
        self.machine, self.inputs, self.program, self.tools = machine, inputs, program, tools
        self.scratch, self.rounds, self.full = scratch, rounds, full
        self.divide = divide  # sizes of some inputs, for a quick look
        self.perfetto_cache = perfetto_cache
        self.events = {}
        self.output = os.path.join(scratch, "run")

    def profile(self, name, body):
        path = os.path.join(self.scratch, f"bench-{name}.json")
        head = {"profile": 1, "name": f"bench-{name}", "formats": ["text"]}
        head["description"] = "For the benchmark."
        with open(path, "w") as file:
            json.dump({**head, **body}, file)
        return path

    def run(self, profile, *paths, jobs=1, more=(), folder=None):
        """One `stagemill run`; `profile` is a path or the name of an installed one."""
        output = os.path.join(folder, f"stagemill-bench-{os.getpid()}") if folder else self.output
        shutil.rmtree(output, ignore_errors=True)
        options = ["-p", profile, "--stage-path", self.tools, "-j", str(jobs), "-o", output, "-f"]
        usage = self.machine.run([self.program, "run", *options, *more, *paths])
        if folder:
            shutil.rmtree(output)
        return usage

    def convert(self, source, jobs=1):
        output = os.path.join(self.scratch, "converted.json")
        options = ["-o", output, "-f", "-j", str(jobs)]
        usage = self.machine.run([self.program, "convert", source, *options])
        os.remove(output)
        return usage

    def load(self, path, gc="on", dump=False):
        """Seconds that Python takes; the interpreter's start is not among them."""
        more = [os.path.join(self.scratch, "dumped.json")] if dump else []
        return self.machine.seconds_printed([sys.executable, "-c", LOAD, path, gc, *more])

    def count(self, path):
        if path not in self.events:
            self.events[path] = count_events(path)
        return self.events[path]

    def rate(self, path, seconds, text_path=None):
        """Events and megabytes of text a second, as a note; text_path is the uncompressed file."""
        text = text_path or path
        return (f"{self.count(text) / seconds / 1e6:.2f} M events/s, "
                f"{os.path.getsize(text) / seconds / 1e6:,.0f} MB/s")


def stage_rate(bench, path, events, seconds):
    """As if every event were of the file's mean size."""
    text_bytes = os.path.getsize(path) * events / bench.count(path)
    return f"{events / seconds / 1e6:.2f} M events/s, {text_bytes / seconds / 1e6:,.0f} MB/s"


# --- rows --------------------------------------------------------------------------------------


def against_python(bench):
    """Reading, and reading with two stages, against Python's json.load."""
    path = bench.inputs.kineto(90)
    read, kernels = bench.profile("read", READ), bench.profile("kernels", KERNELS)
    times, _ = interleave({
        "read": lambda: bench.run(read, path).wall_s,
        "kernels": lambda: bench.run(kernels, path).wall_s,
        "on": lambda: bench.load(path),
        "off": lambda: bench.load(path, "off"),
    }, bench.rounds)
    wanted = ("read", "read, one thread", 40), ("kernels", "read + filter + kernel-time", 30)
    for name, what, target in wanted:
        off = f"{times['off'] / times[name]:.1f}x with gc off"
        yield at_least(f"{what} / json.load", times["on"] / times[name], target,
                       [off, bench.rate(path, times[name])])


def peak_memory(bench):
    """Peak memory of the same job over files of growing size."""
    kernels = bench.profile("kernels", KERNELS)
    for megabytes in (60, 600, 6000) if bench.full else (60, 600):
        plain = bench.inputs.kineto(megabytes)
        for suffix in ("", ".gz", ".zst"):
            path = bench.inputs.packed(plain, suffix) if suffix else plain
            peak = bench.run(kernels, path).peak_mib
            what = f"peak memory, {megabytes} MB{suffix}"
            yield Result(what, "at most 32 MiB", f"{peak:.1f} MiB", peak <= 32)


def convert(bench):
    """Writing a trace unchanged against Python's load and dump."""
    path = bench.inputs.kineto(90)
    times, _ = interleave({
        "ours": lambda: bench.convert(path).wall_s,
        "python": lambda: bench.load(path, dump=True),
    }, bench.rounds)
    yield at_least("convert unchanged / load + dump", times["python"] / times["ours"], 45,
                   [bench.rate(path, times["ours"])])


def text_pids(bench):
    """A trace with texts for pids is rewritten where it has them; all else is copied."""
    path = bench.inputs.kineto(90)
    texts = bench.inputs.with_text_pids(path)
    times, _ = interleave({
        "plain": lambda: bench.convert(path).wall_s,
        "texts": lambda: bench.convert(texts).wall_s,
    }, bench.rounds)
    yield at_least("convert / convert with texts for pids", times["plain"] / times["texts"], 0.7,
                   [bench.rate(texts, times["texts"])])


def gzip_in(bench):
    """Two threads on a gzip file against isa-l alone."""
    inflate = os.path.join(bench.tools, "inflate")
    if not os.path.exists(inflate):
        raise RuntimeError("built without isa-l")
    plain = bench.inputs.kineto(600)
    path, read = bench.inputs.packed(plain, ".gz"), bench.profile("read", READ)
    times, free = interleave({
        "ours": lambda: bench.run(read, path, jobs=2).wall_s,
        "inflate": lambda: bench.machine.run([inflate, path]).wall_s,
    }, bench.rounds, cpus=2)
    share = 100 * times["inflate"] / times["ours"]
    notes = [bench.rate(path, times["ours"], plain), *busy_note(free)]
    what = "gzip in, two threads / isa-l alone"
    yield Result(what, "at least 85 %", f"{share:.1f} %", share >= 85, notes)


def threads(bench):
    """Two threads against one: on one big file, and on two files."""
    read = bench.profile("read", READ)
    one, two = [bench.inputs.kineto(600)], [bench.inputs.kineto(300, seed) for seed in (2, 3)]
    for paths, what, target in ((one, "two threads, one file / one thread", 1.6),
                                (two, "two threads, two files / one thread", 1.7)):
        times, free = interleave({
            "one": lambda paths=paths: bench.run(read, *paths).wall_s,
            "two": lambda paths=paths: bench.run(read, *paths, jobs=2).wall_s,
        }, bench.rounds, cpus=2)
        size = sum(map(os.path.getsize, paths))
        yield at_least(what, times["one"] / times["two"], target,
                       [f"{size / times['two'] / 1e6:,.0f} MB/s", *busy_note(free)])


def perfetto(bench):
    """From a trace to a table of names, against Perfetto's trace_processor."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "perfetto"))
    import engine

    path, kernels = bench.inputs.kineto(90), bench.profile("kernels", KERNELS)
    sql = "select name, count(*), sum(dur) from slice group by name"

    def theirs():
        found = engine.analyse(bench.perfetto_cache, path, sql)
        return found["load_s"] + found["query_s"]

    try:
        times, _ = interleave({"ours": lambda: bench.run(kernels, path).wall_s, "theirs": theirs},
                              min(bench.rounds, 3))
    except engine.Unavailable as reason:
        raise RuntimeError(str(reason)) from None
    yield at_least("trace to first table / trace_processor", times["theirs"] / times["ours"], 20,
                   [f"trace_processor: {bench.rate(path, times['theirs'])}"])


def dispatch(bench):
    """What a further stage costs when it only looks, and when it is disabled."""
    path = bench.inputs.kineto(600)
    profiles = {"none": bench.profile("looks-none", looks(0)),
                "more": bench.profile("looks-more", looks(LOOKS)),
                "off": bench.profile("looks-off", looks(LOOKS, False))}
    times, _ = interleave({name: lambda profile=profile: bench.run(profile, path).wall_s
                           for name, profile in profiles.items()}, bench.rounds)
    events = bench.count(path)
    more_ns, off_ns, noise_ns = (seconds * 1e9 / LOOKS / events for seconds in (
        times["more"] - times["none"], times["off"] - times["none"], 0.02 * times["none"]))
    what = "a further stage that looks"
    yield Result(what, "under 1 ns an event", f"{more_ns:.2f} ns", more_ns < 1)
    yield Result("a disabled stage", "nothing", f"{off_ns:.3f} ns", off_ns <= noise_ns,
                 [f"less than {noise_ns:.3f} ns cannot be told from noise"])


def sorting(bench):
    """Putting a whole file into time order against reading it."""
    path = bench.inputs.kineto(600)
    read, ordered = bench.profile("read", READ), bench.profile("sorted", SORTED)
    times, _ = interleave({"read": lambda: bench.run(read, path).wall_s,
                           "sorted": lambda: bench.run(ordered, path).wall_s}, bench.rounds)
    ratio = times["sorted"] / times["read"]
    yield Result("sorting a whole file / reading it", "at most 1.6x", f"{ratio:.2f}x", ratio <= 1.6,
                 [bench.rate(path, times["sorted"])])


def stages(bench):
    """Time inside every stage of the shipped profiles, from --timings."""
    kineto, flex = bench.inputs.kineto(90), bench.inputs.aiu(300000)
    for profile, path in (("timeline", kineto), ("kernels", kineto), ("aiu", flex)):
        usage = bench.run(profile, path, more=["--timings"])
        notes = [bench.rate(path, usage.wall_s)]
        yield Result(f"profile {profile}", "", f"{usage.wall_s:.3f} s", None, notes)
        with open(os.path.join(bench.output, "run.json")) as file:
            report = json.load(file)
        for stage in report["stages"]:
            seconds, events = stage.get("time_ns", 0) / 1e9, stage["events_in"]
            if seconds and events:
                each = f"{seconds * 1e9 / events:.1f} ns an event"
                notes = [stage_rate(bench, path, events, seconds)]
                yield Result(f"  {stage['id']}", "", each, None, notes)


ROWS = {
    "python": against_python,
    "memory": peak_memory,
    "convert": convert,
    "text-pids": text_pids,
    "gzip": gzip_in,
    "threads": threads,
    "perfetto": perfetto,
    "dispatch": dispatch,
    "sort": sorting,
    "stages": stages,
    **aiu.ROWS,
    **held.ROWS,
    **allreduce.ROWS,
    **serving.ROWS,
    **torch.ROWS,
    **books.ROWS,
    **pictures.ROWS,
    **probe.ROWS,
    **report.ROWS,
    **query.ROWS,
    **nsys.ROWS,
    **shards.ROWS,
}
GROUPS = {"aiu": list(aiu.ROWS), "allreduce": list(allreduce.ROWS), "held": list(held.ROWS), "nsys": list(nsys.ROWS),
          "probe": list(probe.ROWS), "query": list(query.ROWS), "serving": list(serving.ROWS), "shards": list(shards.ROWS), "torch": list(torch.ROWS),
          "results": [*books.ROWS, *pictures.ROWS, *report.ROWS]}
