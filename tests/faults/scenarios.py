"""Small runs of every profile, source, sink and command, to be tried under faults."""
# SPDX-License-Identifier: MIT
import gzip
import json
import pathlib
import sqlite3
import tempfile

EVENTS = 120  # of a trace: enough for every stage to have something to do


class Scenario:
    """A command, what lies around it, and, once it ran without faults, what comes of it.

    first: a command whose results are there before; stdin: bytes; status: that of the run without faults;
    loose: outputs that may hold anything; varies: what is printed says how the machine is; unreadable: the status
    when a file of in/ cannot be read."""

    def __init__(self, name, *words, inputs=None, before=None, first=None, stdin=b"", loose=(),
                 status=0, varies=False, unreadable=3):
        self.name, self.words, self.inputs = name, words, inputs or {}
        self.before, self.first, self.stdin = before or {}, first, stdin
        self.loose, self.status, self.varies, self.unreadable = set(loose), status, varies, unreadable
        self.before_normal, self.after, self.out = {}, {}, b""


def trace(path):
    """The start of a bundled trace."""
    data = json.loads(path.read_text())
    data["traceEvents"] = data["traceEvents"][:EVENTS]
    return json.dumps(data).encode()


def folder(path):
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file()}


def below(top, files):
    return {f"{top}/{name}": data for name, data in files.items()}


def database():
    """Kernels as a profiler exports them."""
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "r.sqlite"
        db = sqlite3.connect(path)
        db.executescript("""CREATE TABLE TARGET_INFO_GPU (id INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, demangledName INTEGER);
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);""")
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, f"kernel {i}") for i in range(20)])
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?)",
                       [(i, i + 1 + i * 37 % 101, i % 2, i % 20) for i in range(100)])
        db.commit()
        db.close()
        return path.read_bytes()


class Inputs:
    def __init__(self, source):
        samples = pathlib.Path(source) / "samples"
        self.kineto = {f"k{i}.json": trace(samples / "kineto" / f"rank{i}.json") for i in range(2)}
        self.one = {"k0.json": self.kineto["k0.json"]}
        self.aiu = {f"a{i}.json": trace(samples / "aiu" / f"rank{i}.json") for i in range(2)}
        self.eplb = folder(samples / "eplb")
        self.moe = folder(samples / "moe")
        runs = sorted((samples / "serving").iterdir())
        self.serving = below(runs[0].name, folder(runs[0]))
        self.sweep = {**self.serving, **below(runs[1].name, folder(runs[1]))}
        self.packed = {"k0.json.gz": gzip.compress(self.one["k0.json"], mtime=0)}
        self.odd = {"k0.json": self.one["k0.json"], "k1.json": b'{"traceEvents": [{"ph":"X","name":'}
        self.sqlite = {"off.sqlite": database(), "on.sqlite": database()}


def profiles(has):
    def run(profile, *words, **more):
        return Scenario(f"run-{profile}", "run", "-p", profile, "-o", "out", "-j1", *words, **more)

    return [
        run("aiu", "in", inputs=has.aiu),
        run("eplb", "off=in/off.csv", "on=in/on.csv", inputs=has.eplb),
        run("info", "in/k0.json", inputs=has.one),
        run("kernels", "in", inputs=has.kineto),
        run("moe-load", "in", "--set", "placement=contiguous:2", inputs=has.moe),
        run("serving", "in", inputs=has.serving),
        run("serving-sweep", "in", inputs=has.sweep),
        run("timeline", "in", inputs=has.kineto),
        run("convert", "in/k0.json", "--enable", "sort", inputs=has.one),
    ]


def kernels(name, *words, inputs, **more):
    return Scenario(name, "run", "-p", "kernels", "-o", "out", *words, inputs=inputs, **more)


def runs(has):
    again = ["run", "-p", "kernels", "-o", "out", "--format=json,csv", "in"]
    return [
        kernels("formats", "in", "-j1", "--format=text,json,csv,trace", inputs=has.one),
        kernels("for-other-programs", "in", "-j1", "--format=xlsx,sqlite,openmetrics,markdown", inputs=has.one),
        kernels("page", "in", "-j1", "--format=html", inputs=has.one),
        kernels("pictures", "in", "-j1", "--format=plot", inputs=has.one),
        kernels("two-threads", "in", "-j2", inputs=has.kineto),
        kernels("gzip-input", "in/k0.json.gz", "-j1", inputs=has.packed),
        kernels("replaced", "in", "-j1", inputs=has.one, first=again),
        kernels("replaced-with-more", "in", "-j1", "-f", inputs=has.one, first=again,
                before={"out/mine.txt": b"mine", "out/mine/deep.txt": b"deep"}),
        kernels("into-a-folder-of-others", "in", "-j1", "-f", inputs=has.one,
                before={"out/mine.txt": b"mine", "out/summary.json": b"old"}),
        kernels("sync", "in", "-j1", "--sync", inputs=has.one),
        kernels("json", "in", "-j1", "--json", inputs=has.one),
        kernels("strict", "in", "-j1", "--strict", "--timings", inputs=has.one),
        kernels("verify", "in", "-j1", "--verify", inputs=has.one),
        kernels("dump", "in", "-j1", "--dump-after", "kernel-time", inputs=has.one),
        kernels("log-file", "in", "-j1", "-v", "--log-file", "run.log", inputs=has.one, loose=["run.log"]),
        Scenario("shard", "run", "-p", "kernels", "--format", "text", "-j1", "--state", "S", "--shard", "0/1", "in",
                 inputs=has.kineto, loose=["S"]),
        kernels("state", "in", "-j1", "--state", "S", inputs=has.kineto, loose=["S"]),
        kernels("keep-going", "in", "-j1", "--keep-going", inputs=has.odd, status=3, loose=["out"]),
        kernels("broken-input", "in", "-j1", inputs=has.odd, status=3),
        Scenario("sqlite", "run", "-p", "eplb", "-o", "out", "-j1", "off=in/off.sqlite", "on=in/on.sqlite",
                 inputs=has.sqlite),
        Scenario("timeline-two-threads", "run", "-p", "timeline", "-o", "out", "-j2", "in", inputs=has.kineto),
        Scenario("spilled", "run", "-p", "aiu", "-o", "out", "-j1", "--max-memory", "1MiB", "in", inputs=has.aiu),
        Scenario("demo", "demo", "-j1", "-o", "out"),
    ]


def convert(name, *words, inputs, **more):
    return Scenario(f"convert-{name}", "convert", *words, inputs=inputs, **more)


def conversions(has):
    old = {"out.json": b"old"}
    return [
        convert("file", "in/k0.json", "-o", "out.json", "-j1", inputs=has.one),
        convert("gzip", "in/k0.json", "-o", "out.json.gz", "-j1", inputs=has.one),
        convert("zstd", "in/k0.json", "-o", "out.json.zst", "-j1", inputs=has.one),
        convert("stdout", "in/k0.json", "-o", "-", "-j1", inputs=has.one),
        convert("stdin", "-", "-o", "-", "-j1", inputs={}, stdin=has.one["k0.json"]),
        convert("merge", "in", "-o", "out.json", "-j1", inputs=has.kineto),
        convert("ranks", "in/k{rank}.json", "-o", "o{rank}.json", "-j1", inputs=has.kineto),
        convert("split", "in/k0.json", "-o", "out.json", "--split-size=20KB", "-j1", inputs=has.one),
        convert("replaced", "in/k0.json", "-o", "out.json", "-f", "-j1", inputs=has.one, before=old),
        convert("replaced-sync", "in/k0.json", "-o", "out.json", "-f", "--sync", "-j1", inputs=has.one, before=old),
        convert("sorted-spilled", "in/k0.json", "-o", "out.json", "--sort", "--max-memory=1MiB", "-j1", inputs=has.one),
    ]


RULES = b'{"schema_version": "1", "rules": [{"metric": "kernel_time", "worse": "higher", "max_change": "90%", "optional": true}]}'


def results(has):
    """What works on finished runs."""
    sides = ["in/k0.json", "in/k1.json"]
    done = ["run", "-p", "kernels", "-o", "out", "--format=json", "in"]
    return [
        Scenario("report", "report", "out", "--format", "text,csv,html", inputs=has.one, first=done),
        Scenario("report-elsewhere", "report", "done", "-o", "out", inputs=has.one,
                 first=["run", "-p", "kernels", "-o", "done", "--format=json", "in"]),
        Scenario("compare", "compare", "-p", "kernels", *sides, "-o", "out", "-j1", inputs=has.kineto),
        Scenario("check", "check", "-p", "kernels", *sides, "--rules", "in/rules", "-o", "out", "-j1",
                 inputs={**has.kineto, "rules": RULES}),
    ]


def commands(has):
    mine = {"mine.json": b'{"profile": 1, "name": "mine", "inherits": "kernels", "stages": []}'}
    return [
        Scenario("info", "info", "in", inputs=has.kineto),
        Scenario("info-json", "info", "--json", "in", inputs=has.serving),
        Scenario("info-sqlite", "info", "in/off.sqlite", inputs=has.sqlite),
        Scenario("metric", "metric", "ttft.p90", "in", inputs=has.serving),
        Scenario("metric-list", "metric", "--list"),
        Scenario("plan", "plan", "-p", "timeline", "in", inputs=has.kineto),
        Scenario("plan-json", "plan", "-p", "aiu", "--json"),
        *[Scenario(f"list-{what}", "list", what)
          for what in ("stages", "sources", "sinks", "profiles", "metrics", "facts")],
        Scenario("show-stage", "show", "stage/kernel-time"),
        Scenario("show-profile", "show", "profile/kernels", "--json"),
        Scenario("validate", "validate", "in/mine.json", inputs=mine, unreadable=4),
        Scenario("new", "new", "stage", "clean/acme.slow-calls"),
        Scenario("schema", "schema", "profile"),
        Scenario("explain", "explain", "PRF-03"),
        Scenario("doctor", "doctor", varies=True),
        Scenario("completion", "completion", "bash"),
        Scenario("help", "help", "run"),
        Scenario("version", "--version"),
    ]


def every(source):
    has = Inputs(source)
    return profiles(has) + runs(has) + conversions(has) + results(has) + commands(has)
