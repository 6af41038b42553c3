#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules of others keep to the headers, and the program to its word: modules-test.py SOURCE BUILD

Builds each module beside this file against an installed stagemill with pkg-config alone, as strict C11 or C++20;
runs its unit test; then runs it by the installed program, from folders of the user and of the installation, and
compares what comes out with values computed by hand."""
import gzip
import json
import pathlib
import sys
import tempfile

from outside import Outside, same, table

# Microseconds: name, category, start, duration.  Seen from the base of rank 0, rank 1 begins 50 us later:
#   0 a 10   30 b 35   50 c 60   55 a 56   100 a 120   250 c 252
TRACES = {
    0: (1000000000, [("a", "cpu_op", 0, 10), ("b", "cpu_op", 30, 5), ("a", "cpu_op", 100, 20)]),
    1: (1000050000, [("c", "kernel", 0, 10), ("a", "cpu_op", 5, 1), ("c", "kernel", 200, 2)]),
}
# The first event of all is at 5 s + 3 us; those of rank 1 count from 100 us later.
BASES = {
    0: (5000000000, [("a", "x", 3, 1), ("b", "x", 10, 1)]),
    1: (5000100000, [("c", "x", 1, 1)]),
}
FROM_FIRST = {0: [0, 7], 1: [98]}


def write_traces(folder, ranks):
    folder.mkdir()
    paths = []
    for rank, (base_ns, rows) in ranks.items():
        events = [{"ph": "X", "name": name, "cat": cat, "pid": rank, "tid": 1, "ts": ts, "dur": dur}
                  for name, cat, ts, dur in rows]
        paths.append(folder / f"rank{rank}.json")
        paths[-1].write_text(json.dumps({"baseTimeNanoseconds": base_ns, "distributedInfo": {"rank": rank},
                                         "traceEvents": events}), encoding="utf-8")
    return paths


class Bench:
    """The outside machine with the modules of this folder."""

    def __init__(self, outside):
        self.outside, self.work = outside, outside.work
        self.here = outside.source / "tests" / "out-of-tree"
        self.user = outside.work / "data" / "stagemill"
        self.flags = outside.flags("--cflags", "stagemill-1")
        self.n = 0

    def build(self, folder, name, source, *defines):
        """A module NAME.so from a source beside this file."""
        path = folder / (name + ".so")
        self.outside.module(path, [*self.flags, *defines], self.here / source)
        return path

    def unit_test(self, module, test):
        program = self.work / "unit" / pathlib.Path(test).stem
        harness = self.outside.flags("--cflags", "--libs", "stagemill-harness-1")
        self.outside.cc(program, self.here / module, self.here / test, *harness)
        self.outside.run(program)

    def profile(self, stages, **more):
        """The path of a profile of these stages: names, or entries."""
        self.n += 1
        path = self.work / f"profile-{self.n}.json"
        entries = [entry if isinstance(entry, dict) else {"use": entry} for entry in stages]
        path.write_text(json.dumps({"profile": 1, "name": f"p{self.n}", "stages": entries, **more}), encoding="utf-8")
        return path

    def run(self, profile, traces, *words):
        """The output folder of a run."""
        self.n += 1
        out = self.work / f"out-{self.n}"
        self.outside.run(self.outside.program, "run", "--verify", "-p", profile, "-o", out, *words, *traces)
        return out

    def metric(self, name, profile, *words):
        return self.outside.run(self.outside.program, "metric", name, "-p", profile, *words).strip()

    def refused(self, status, *words, env=None):
        return self.outside.refused(status, self.outside.program, *words, env=env)


def says(what, text, *parts):
    for part in parts:
        same(f"{what} says {part}, in\n{text}", str(part) in text, True)


def check_stages(bench, traces):
    """Stages of each scope, found in the user's folder; one in C++, found in that of the installation."""
    for name in ("gaps", "census", "histogram"):
        bench.build(bench.user / "stages", "acme." + name, f"{name}/{name}.c")
        bench.unit_test(f"{name}/{name}.c", f"{name}/{name}-test.c")
    bench.build(bench.outside.folder("stagedir"), "acme.longest", "longest/longest.cpp")
    bench.unit_test("longest/longest.cpp", "longest/longest-test.cpp")
    stages = ["pair", "acme.gaps", "acme.census", "acme.histogram", {"use": "acme.longest", "with": {"select": "^[ac]$"}}]
    profile = bench.profile(stages)
    for jobs in (1, 2):
        out = bench.run(profile, traces, f"-j{jobs}")
        same("gaps", table(out, "acme.gaps"),
             ["rank,start_ns,length_ns,next", "0,35000,65000,a", "0,10000,20000,b", "1,10000,190000,c"])
        same("census", table(out, "acme.census"), ["name,events", "a,3", "c,2", "b,1"])
        same("durations", table(out, "acme.durations"),
             ["from_ns,slices", "512,1", "1024,1", "4096,1", "8192,2", "16384,1"])
        same("longest", table(out, "acme.longest"),
             ["rank,name,longest_ns", "0,a,20000", "1,c,10000", "1,a,1000"])
    same("switches of lanes", bench.metric("acme.lane_switches", profile, *traces), "3")
    same("measured", bench.metric("acme.measured", profile, *traces), "6")
    same("gaps of rank 0", bench.metric("acme.gap_time", profile, "--rank", "0", *traces), "85000")
    same("gaps of rank 1", bench.metric("acme.gap_time", profile, "--rank", "1", *traces), "190000")


def read_trace(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    times = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            times[event["name"]] = event["ts"]
    return trace["baseTimeNanoseconds"], times


def check_bases(bench):
    """Times are moved once: by the stage, not by a sink or a merge as well."""
    bench.build(bench.user / "stages", "acme.first-time", "first-time/first-time.c")
    bench.unit_test("first-time/first-time.c", "first-time/first-time-test.c")
    traces = write_traces(bench.work / "bases", BASES)
    by_name = {"a": FROM_FIRST[0][0], "b": FROM_FIRST[0][1], "c": FROM_FIRST[1][0]}
    for stages in (["acme.first-time"], ["acme.first-time", "acme.census"], ["acme.census", "acme.first-time"]):
        profile = bench.profile(stages, formats=["trace"])
        out = bench.run(profile, traces)
        same(f"one file, {stages}", read_trace(out / "trace.json.gz"), (0, by_name))
    profile = bench.profile(["acme.first-time"], formats=["trace"], sinks={"trace": {"file": "r{rank}.json"}})
    out = bench.run(profile, traces)
    same("rank 0 alone", read_trace(out / "r0.json"), (0, {"a": 0, "b": 7}))
    same("rank 1 alone", read_trace(out / "r1.json"), (0, {"c": 98}))
    again = bench.run(profile, [out / "r0.json", out / "r1.json"])
    same("rank 1 again", read_trace(again / "r1.json"), (0, {"c": 98}))


def check_base_of_source(bench):
    """A trace of what is no trace keeps its absolute time, when it is read and written again, too."""
    based, unknown = bench.work / "based.csv", bench.work / "unknown.csv"
    rows = "name,start_ns,dur_ns\na,1000,1000\n"
    based.write_text("#base 1712195495519689047\n" + rows, encoding="utf-8")
    unknown.write_text(rows, encoding="utf-8")
    profile = bench.profile([], formats=["trace"], sources={"acme.csv": {}})
    out = bench.run(profile, [f"source=acme.csv:{based}"])
    same("a base", read_trace(out / "trace.json.gz"), (1712195495519689047, {"a": 1}))
    again = bench.run(profile, [out / "trace.json.gz"])
    same("the same bytes", *(gzip.open(folder / "trace.json.gz").read() for folder in (again, out)))
    out = bench.run(profile, [f"source=acme.csv:{unknown}"])
    same("no base", b"baseTime" in gzip.open(out / "trace.json.gz").read(), False)


def check_source(bench):
    """Read only when named, in each way that there is; then with its option."""
    source = bench.build(bench.user / "plugins" / "source", "acme.csv", "csv/csv.c")
    bench.unit_test("csv/csv.c", "csv/csv-test.c")
    plain, other = bench.work / "plain.csv", bench.work / "other.csv"
    plain.write_text("name,start_ns,dur_ns,bytes\na,0,1000,1\nb,5000,1000,2\n", encoding="utf-8")
    other.write_text("#rank 3\nname;start_ns;dur_ns\na;0;1000\nb;7000;1000\n", encoding="utf-8")
    wanted = ["rank,start_ns,length_ns,next", "3,1000,6000,b"]
    gaps = bench.profile(["acme.gaps"])
    option = "acme.csv.delimiter=;"
    out = bench.run(gaps, [f"source=acme.csv:{other}"], "--set", option)
    same("source=NAME:PATH", table(out, "acme.gaps"), wanted)
    out = bench.run(gaps, [other], "--source", "acme.csv", "--set", option)
    same("--source", table(out, "acme.gaps"), wanted)
    allowed = bench.profile(["acme.gaps"], sources={"acme.csv": {"delimiter": ";"}})
    same("the profile's option", table(bench.run(allowed, [f"source=acme.csv:{other}"]), "acme.gaps"), wanted)
    allowed = bench.profile(["acme.gaps"], sources={"acme.csv": {}})
    same("the profile allows it", table(bench.run(allowed, [plain]), "acme.gaps")[1].split(",")[-3:],
         ["1000", "4000", "b"])
    same("so does that of a metric", bench.metric("acme.gap_time", allowed, plain), "4000")
    words = ["metric", "acme.gap_time", "--profile-path", bench.work, "--source", "acme.csv", "--set", option, other]
    same("a metric without -p", bench.outside.run(bench.outside.program, *words).strip(), "6000")
    check_base_of_source(bench)
    text = bench.refused(3, "run", "-p", gaps, "-o", bench.work / "none", plain)
    says("a file that only an outside source reads", text, "RUN-03", "acme.csv", "source=NAME:PATH")
    text = bench.refused(3, "run", "-p", gaps, "-o", bench.work / "none", f"source=acme.csv:{other}")
    says("the wrong delimiter", text, "is the delimiter right?")
    says("doctor", bench.outside.run(bench.outside.program, "doctor"), source.parent)


def check_greedy(bench, traces):
    """A source that would claim everything is not asked until the profile allows it."""
    bench.build(bench.outside.folder("sourcedir"), "acme.greedy", "greedy/greedy.c")
    asked = bench.work / "asked"
    bench.outside.env["GREEDY_WAS_ASKED"] = str(asked)
    odd = bench.work / "odd.txt"
    odd.write_text("neither this nor that\n", encoding="utf-8")
    profile = bench.profile(["pair", "acme.histogram"])
    same("events that ours read", bench.metric("acme.measured", profile, *traces), "6")
    says("an unreadable file", bench.refused(3, "info", odd), "RUN-03", "acme.greedy", "source=NAME:PATH")
    same("it was asked", asked.exists(), False)
    allowed = bench.profile(["acme.histogram"], sources={"acme.greedy": {}})
    same("events that it read", bench.metric("acme.measured", allowed, odd), "0")
    same("it was asked when allowed", asked.exists(), True)


def check_sink(bench, traces):
    """Events as they were read, results, and the option."""
    bench.build(bench.user / "plugins" / "sink", "acme.lines", "lines/lines.c")
    bench.unit_test("lines/lines.c", "lines/lines-test.c")
    raw = [json.dumps(event) for path in traces
           for event in json.loads(path.read_text(encoding="utf-8"))["traceEvents"]]
    profile = bench.profile(["pair", "acme.histogram"])
    out = bench.run(profile, traces, "--format", "acme.lines", "--set", "acme.lines.prefix=* ")
    same("events", (out / "events.txt").read_text(encoding="utf-8").splitlines(), ["* " + line for line in raw])
    wanted = ["acme.measured 6", *(f"acme.durations {row}" for row in ("512 1", "1024 1", "4096 1", "8192 2", "16384 1"))]
    same("results", (out / "results.txt").read_text(encoding="utf-8").splitlines(), wanted)
    profile = bench.profile([], formats=["acme.lines"], sinks={"acme.lines": {"prefix": "> "}})
    out = bench.run(profile, traces[1:])
    same("the profile's option", (out / "events.txt").read_text(encoding="utf-8").splitlines(),
         ["> " + line for line in raw[3:]])


def meter(bench, folder, name, vendor, tag, weight):
    return bench.build(folder, name, "vendors/meter.c", f'-DNAME="{name}"', f'-DVENDOR="{vendor}"', f'-DTAG="{tag}"',
                       f"-DWEIGHT={weight}")


def trace_sink(bench, folder, name, vendor, tag, *defines):
    return bench.build(folder, name, "vendors/trace.c", f'-DNAME="{name}"', f'-DVENDOR="{vendor}"', f'-DTAG="{tag}"',
                       *defines)


def check_vendors(bench, traces):
    """Equal names of two vendors and of ours, side by side: events weigh 1 and 10."""
    folder = bench.work / "vendors"
    for vendor, weight in (("acme", 1), ("other", 10)):
        meter(bench, folder, vendor + ".meter", vendor, "METER", weight)
        trace_sink(bench, bench.outside.folder("sinkdir"), vendor + ".trace", vendor, "TRACE")
    profile = bench.profile(["kernel-time", "acme.meter", "other.meter"])
    words = ["--stage-path", folder]
    out = bench.run(profile, traces, *words, "--format", "csv,trace,json,acme.trace,other.trace")
    same("table of acme", table(out, "acme.kernel-time"), ["events", "6"])
    same("table of other", table(out, "other.kernel-time"), ["events", "60"])
    same("our table", len(table(out, "kernel-time")), 2)
    for vendor in ("acme", "other"):
        says("a sink of theirs", (out / f"{vendor}.trace.txt").read_text(encoding="utf-8"), " metrics")
    same("our trace", len(json.loads(gzip.open(out / "trace.json.gz").read())["traceEvents"]) >= 6, True)
    summary = (out / "summary.json").read_text(encoding="utf-8")
    says("the summary", summary, "acme.kernel_calls", "other.kernel_calls", "acme.METER-01", "other.METER-01")
    for name, value in (("kernel_calls", "2"), ("kernel_names", "1"), ("acme.kernel_calls", "6"),
                        ("other.kernel_calls", "60"), ("other.kernel_names", "60")):
        same(f"metric {name}", bench.metric(name, profile, *words, *traces), value)
    explained = bench.outside.run(bench.outside.program, "explain", "other.METER-01", *words)
    says("explain", explained, "codes of two vendors")


def refused_twins(bench, traces, names, vendor):
    folder = bench.work / ("twins-" + vendor)
    files = [meter(bench, folder, name, vendor, "METER" + letter, 1) for name, letter in zip(names, "XY")]
    profile = bench.profile(names)
    for command in (["plan", "-p", profile], ["run", "-p", profile, "-o", bench.work / "none"]):
        text = bench.refused(4, *command, "--stage-path", folder, *traces)
        says("two tables of one name", text, "PRF-17", "kernel-time", *files)


def check_twins(bench, traces):
    """Equal names of one vendor are refused when the run is planned."""
    refused_twins(bench, traces, ["acme.meter-one", "acme.meter-two"], "acme")
    refused_twins(bench, traces, ["meter-one", "meter-two"], "stagemill")
    third = [trace_sink(bench, bench.work / "sinks", name, "third", tag)
             for name, tag in (("third.one", "ONE"), ("third.two", "TWO"))]
    refused_sinks(bench, traces, bench.work / "sinks", "third.trace", third)
    # Without a vendor: two of one format, then one beside that of the program.
    bare = [trace_sink(bench, bench.work / "bare", name, "stagemill", tag, '-DFORMAT="totals"')
            for name, tag in (("one", "ONE"), ("two", "TWO"))]
    refused_sinks(bench, traces, bench.work / "bare", "totals", bare)
    ours = bench.outside.folder("sinkdir") / "chrome-json.so"
    own = trace_sink(bench, bench.work / "own", "own", "stagemill", "OWN")
    refused_sinks(bench, traces, bench.work / "own", "trace", [ours, own])
    # Of a format that is the name of the program's sink, too.
    ours = bench.outside.folder("sinkdir") / "json.so"
    own = trace_sink(bench, bench.work / "named", "own", "stagemill", "OWN", '-DFORMAT="json"')
    refused_sinks(bench, traces, bench.work / "named", "json", [ours, own])


def refused_sinks(bench, traces, folder, name, files):
    """When the run is planned: nothing was read, and nothing is written."""
    for command in ("plan", "run"):
        text = bench.refused(4, command, "-p", bench.profile([]), "-o", bench.work / "none", "--stage-path", folder,
                             "--format", name, *traces)
        says("two sinks of one format", text, "RUN-13", *files)
    same("nothing was written", (bench.work / "none").exists(), False)


def check_liar(bench, traces):
    """tests/violations has every way to lie; here, that a module from outside is found out at all."""
    lies = {1: ("acme.liar", 70, "[read-only]"), 2: ("liar", 5, 'needs its vendor before it: "acme.liar"'),
            3: ("acme.liar", 5, "STG-02"), 4: ("acme.liar", 5, "no such table")}
    for lie, (name, status, said) in lies.items():
        folder = bench.work / f"liar-{lie}"
        bench.build(folder, name, "liar/liar.c", f"-DLIE={lie}")
        text = bench.refused(status, "run", "--verify", "-p", bench.profile([name]), "-o", bench.work / "none",
                             "--stage-path", folder, *traces)
        says(f"lie {lie}", text, said)
    same("nothing was written", (bench.work / "none").exists(), False)


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(Outside(source, build, pathlib.Path(work)))
        traces = write_traces(bench.work / "traces", TRACES)
        check_stages(bench, traces)
        check_bases(bench)
        check_source(bench)
        check_greedy(bench, traces)
        check_sink(bench, traces)
        check_vendors(bench, traces)
        check_twins(bench, traces)
        check_liar(bench, traces)
    print("ok")


if __name__ == "__main__":
    main()
