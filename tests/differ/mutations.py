#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A campaign of damaged inputs of every source through the whole program, of any build; made for build-asan.

Inputs are changed in batches: three of four stay what they are (shapes.py), so that stages see them; the bytes of the others
are damaged (mutants.py).  A batch is run by every profile that fits its inputs before they are changed, as the
program says, with some of the profile's optional stages and the formats in turns; over many files with --keep-going, or
over single ones.  What must hold: a documented status, no signal, no report of a sanitizer, no hang, an error with a code
when the status is not 0, and outputs that strict readers take.  The same seed and number give the same batch: --start goes on where another
campaign ended, and --only repeats one batch.  Inputs that broke a promise are kept in --keep.

By source it prints how many inputs were valid (valid.py), and how many reached a stage: events of it were read, and it ended
without an error, in one run at least."""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property"), str(HERE.parent / "trust"),
                str(HERE.parent / "gen")]
import inputs  # noqa: E402
import malformed  # noqa: E402
import measured  # noqa: E402
import mutants  # noqa: E402
import nsys  # noqa: E402
import readers  # noqa: E402
import records  # noqa: E402
import shapes  # noqa: E402
import strict  # noqa: E402
import valid  # noqa: E402
from program import Program  # noqa: E402
from record import record  # noqa: E402

ENDINGS = {0, 3, 8}  # done, bad input, a limit: damaged inputs have no other
# Status 4 where damage made another kind of input of it, or a stage that was turned on says that it does not fit; and 7
# where a picture is asked for and there is none, or a format has nothing to write, which leaves the others complete.
UNWRITTEN = re.compile(r'^error\[RUN-35\]: the format "([^"]+)" wrote nothing', re.M)
REFUSED = {4: re.compile(r"^error\[(PRF-\d+|PLN-\d+)\]: ", re.M), 7: re.compile(r"^error\[(PLT-\d+|RUN-35)\]: ", re.M)}
REPORTS = ("Sanitizer", "runtime error:", "internal error")
TIMEOUT_S = 120
LARGEST_SEED = 20000
VALID_SHARE = 0.75
COUNTED = ("inputs", "valid", "reached", "both")
TURNS = {"chrome-json": 5, "bench-json": 2}  # most stages are theirs
ENOUGH = 1000  # inputs, for a share to say something

OPTIONS = [[], [], ["--recover"], ["--strict"], ["-j", "2"], ["--batch-size", "1"], ["--max-memory", "8MiB"]]
FORMATS_AT_ONCE = 4  # besides JSON, which says what the others had to write
# Where each input has a folder of its own: what it is called there.
OWN_FOLDERS = {"gate-log": "gate_logs_0.json", "probe-bin": "a.bin", "probe-log": "event.log", "workload-card": "card.yaml"}
NEVER_PACKED = ("nsys-sqlite", "probe-bin", "workload-card")
ENDINGS_OF = {"latency-csv": "csv", "nsys-csv": "csv", "nsys-sqlite": "sqlite", "perfetto": "pftrace"}


# ---- inputs to damage

def database(path, count):
    records.database(path, count)
    return path


def reports(folder):
    """Databases of whole reports: host, ranges and devices, of the fewest columns and of many."""
    for schema in ("2021", "3.25"):
        path = folder / f"report{schema}.sqlite"
        nsys.build(path, schema, processes=2, steps=1, launches=3)
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size=512")
        db.execute("VACUUM")
        db.close()
    return sorted(folder.glob("report*.sqlite"))


def small_traces(folder, args):
    kinds = inputs.make(folder, args.kineto_gen, args.aiu_gen)
    found = [f for kind in kinds.values() for f in kind.files if f.stat().st_size <= LARGEST_SEED]
    for program, name in ((args.kineto_gen, "kineto"), (args.aiu_gen, "aiu")):
        for seed in range(3):
            out = folder / f"{name}{seed}.json"
            subprocess.run([program, "--ranks", "1", "--events", "40", "--seed", str(seed), "-o", out], check=True,
                           capture_output=True)
            found.append(out)
    return found


def small_tables(folder):
    """Few rows each, so that what is damaged is often a number or a quote."""
    for seed in range(8):
        records.generate("kernel-table-gen", "--rows", 1 + seed, "--seed", seed, "-o", folder / f"table{seed}.csv")
    return sorted(folder.glob("table*.csv"))


def small_traces_of_probes(folder):
    """Settings, a NUL and a trace; or a NUL and a condensed one."""
    for seed, (layout, toml, schemas) in enumerate((("total", "older", "block_sched"), ("unit", "newer", "gmem_bytes+tensorop_count"),
                                                    ("divisor", "older", "dmat"), ("unknown", "older", "dmat"), ("hip", "newer", "amd"),
                                                    ("shifted", "newer", "block_sched+acc"), ("divisor", "newer", "acc"))):
        made = folder / "made" / str(seed)
        records.generate("probe-gen", "--schemas", schemas, "--toml", toml, "--layout", layout, "--grid", "2,1,2",
                         "--block", "40,2,1" if layout == "shifted" else "32,2,1", "--capacity", 3 * (schemas in ("dmat", "acc")),
                         "--seed", seed, "-o", made / "a.bin")
        (folder / f"probes{seed}").write_bytes((made / "probe.toml").read_bytes() + b"\0" + (made / "a.bin").read_bytes())
    records.generate("probe-gen", "--grid", "2,1,1", "--block", "4,1,1", "-o", folder / "condensed.dmat")
    (folder / "probes.dmat").write_bytes(b"\0" + (folder / "condensed.dmat").read_bytes())
    return sorted(folder.glob("probes*"))


def small_packets(folder):
    for seed, more in enumerate(([], ["--chunk", 4], ["--compress", 6], ["--lose", 5])):
        records.generate("pftrace-gen", "--slices", 8, "--threads", 1 + seed % 2, "--seed", seed, *more,
                         "-o", folder / f"packets{seed}.pftrace")
    return sorted(folder.glob("packets*.pftrace"))


def small_results(folder):
    for seed, more in enumerate(([], ["--processes", 2], ["--names-last"], ["--queues"])):
        records.generate("rocprof-gen", "--steps", 1, *more, "-o", folder / f"results{seed}.json")
    return sorted(folder.glob("results*.json"))


# Bytes before the input in a corpus that is meant for a fuzz target.
HEADS = {"compiler-log": 1, "csv": 2, "gate-log": 1, "perfetto": 1, "probe-log": 1, "trace": 2}


# Whose inputs are among those that differ-test compares.
MEASURED = {"allreduce-csv": ["allreduce-forms"], "coll-bench": ["collective-logs"], "strategy-table": ["strategy-forms"],
            "tuner-conf": ["tuner-conf"], "tuner-csv": ["tuner-forms"]}


def make_seeds(args, folder):
    """{source: [(name, bytes)]}"""
    samples = pathlib.Path(args.source) / "samples"
    kinds = records.make(folder / "records", samples)
    for producer in ("vllm", "sglang", "aiperf", "genai-perf", "trtllm-bench"):
        try:
            records.generate("bench-gen", "--producer", producer, "--requests", 4, "--gaps", 4, "-o",
                             folder / f"{producer}.json")
        except subprocess.CalledProcessError:
            continue  # this producer is not generated
    corpus = pathlib.Path(args.source) / "tests" / "fuzz" / "corpus"
    kinds.update(measured.make(folder / "measured"))
    files = {
        **{source: sorted((corpus / source).iterdir()) + [f for kind in names for f in kinds[kind].files]
           for source, names in MEASURED.items()},
        "chrome-json": small_traces(folder / "traces", args) + sorted((corpus / "trace").iterdir()),
        "bench-json": [f for name, kind in kinds.items() if name.startswith("bench") for f in kind.files
                       if f.suffix.startswith(".json")] + sorted((corpus / "bench").iterdir()) + sorted(folder.glob("*.json")),
        "gate-log": [f for name, kind in kinds.items() if name.startswith("gate") for f in kind.files] +
                    sorted((corpus / "gate-log").iterdir()),
        "compiler-log": sorted((corpus / "compiler-log").iterdir()),
        "graph-capture": sorted((samples / "graphs" / "capture_traces").iterdir()),
        "latency-csv": 3 * sorted((samples / "probe").rglob("*.csv")) + sorted((corpus / "latency-csv").iterdir()),
        "probe-bin": small_traces_of_probes(folder) + sorted((corpus / "probe-bin").iterdir()),
        "probe-log": sorted((samples / "probe").rglob("event.log")) + sorted((corpus / "probe-log").iterdir()),
        "nsys-csv": kinds["kernel-tables"].files + small_tables(folder) + sorted((corpus / "csv").iterdir()),
        "nsys-sqlite": [database(folder / f"{n}.sqlite", n) for n in (0, 3, 40)] + 2 * reports(folder) + sorted((corpus / "sqlite").iterdir()),
        "perfetto": small_packets(folder) + sorted((corpus / "perfetto").iterdir()),
        "rocprof-json": small_results(folder) + sorted((corpus / "rocprof").iterdir()),
        "workload-card": 5 * sorted(samples.rglob("*.yaml")) + sorted((corpus / "yaml").iterdir()),
    }
    seeds = {}
    for source, paths in files.items():
        found = [(p.name, p.read_bytes()[HEADS.get(p.parent.name, 0):]) for p in paths]
        seeds[source] = [(name, data) for name, data in found if 0 < len(data) <= LARGEST_SEED]
    return seeds


# ---- one batch

class Batch:
    def __init__(self, program, seeds, args, number, folder):
        self.program, self.number, self.folder, self.most = program, number, folder, args.profiles
        self.pick = random.Random(f"{args.seed}:{number}")
        turns = [source for source in sorted(seeds) for _ in range(TURNS.get(source, 1))]
        self.source = turns[number % len(turns)]
        self.fitting, self.runs, self.left = set(), 0, 0
        self.seeds = seeds[self.source]
        self.broken, self.beside = [], []
        self.inputs = self.folder / "in"
        if self.source in readers.SIDES:
            shutil.copy(STATE["trace"], self.folder / "trace.json")
            self.beside = ["trace.json"]
        self.valid, self.reached = set(), set()
        self.words = [self.place(k) for k in range(args.batch)]

    def place(self, k):
        """Writes one changed input; the word for the command line."""
        stays = self.pick.random() < VALID_SHARE
        name, data = self.pick.choice(self.whole_seeds() if stays else self.seeds)
        self.fitting |= self.looked(name, data)[1]
        packs = self.source not in NEVER_PACKED and self.pick.random() < 0.05
        _, other = self.pick.choice(self.seeds)
        if packs and not stays and self.pick.random() < 0.7:
            return self.put(self.inputs, k, mutants.damage(self.pick, gzip.compress(data, mtime=0), other))
        changed = shapes.alter(self.pick, self.source, data) if stays else None
        data = changed or mutants.damage(self.pick, data, other)
        if valid.is_valid(self.source, data):
            self.valid.add(k)
        return self.put(self.inputs, k, gzip.compress(data, mtime=0) if packs else data)

    def whole_seeds(self):
        """Those that are valid, and whose events the program reads; all where there is none."""
        return [seed for seed in self.seeds if self.looked(*seed)[0] and valid.is_valid(self.source, seed[1])] or self.seeds

    def looked(self, name, data):
        """Events of this input as it was, and the profiles for it."""
        known = STATE.setdefault("looked", {})
        if (self.source, name) not in known:
            word = self.put(self.folder / "whole", len(known), data)
            status, out, _ = self.program.run(["info", "--json", *self.forced(), *self.beside, word], cwd=self.folder, timeout=TIMEOUT_S)
            said = json.loads(out) if not status else {"inputs": [], "profiles": []}
            events = sum(one.get("events", 0) for one in said["inputs"] if one["name"] not in self.beside)
            known[self.source, name] = events, {p["name"] for p in said["profiles"] if p["fits"]} or {"info"}
        return known[self.source, name]

    def put(self, root, k, data):
        path = root / f"f{k:03}.{ENDINGS_OF.get(self.source, 'json')}"
        if self.source in OWN_FOLDERS:
            path = root / f"f{k:03}" / OWN_FOLDERS[self.source]
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.source == "probe-bin":
            return self.put_probe(path, data)
        path.write_bytes(data)
        if self.source == "workload-card":
            (path.parent / "results_json").mkdir()
            (path.parent / "results_json" / "r.json").write_text(
                '{"backend":"vllm","model_id":"m","duration":1.5,"completed":2,"total_input_tokens":4,'
                '"total_output_tokens":4,"request_throughput":1.0}')
        word = self.word(path.parent if self.source == "workload-card" else path)
        return f"{readers.SIDES[self.source]}={word}" if self.source in readers.SIDES else word

    def word(self, path):
        """So that a batch that was kept is run again as it was."""
        return str(path.relative_to(self.folder))

    def put_probe(self, path, data):
        """Settings up to the NUL, beside the trace; without any it is a condensed one."""
        settings, _, trace = data.partition(b"\0")
        if not settings:
            path = path.with_suffix(".dmat")
        path.write_bytes(gzip.compress(trace, mtime=0) if self.pick.random() < 0.05 else trace)
        (path.parent / "probe.toml").write_bytes(settings)
        return self.word(path)

    def forced(self):
        """A card is a folder's, and a log lies beside a trace."""
        return [] if self.source in ("workload-card", *readers.SIDES) else ["--source", self.source]

    def command(self, profile, turn):
        """Formats in turns, and about half of the profile's optional stages."""
        known = STATE["formats"]
        formats = [known[(turn * FORMATS_AT_ONCE + k) % len(known)] for k in range(FORMATS_AT_ONCE)]
        optional = [stage for stage in STATE["optional"][profile] if self.pick.random() < 0.5]
        enabled = ["--enable", ",".join(optional)] if optional else []
        return ["run", "-p", profile, "--cascade", "--format", ",".join(["json", *formats]), *enabled, *self.forced(),
                *self.pick.choice(OPTIONS)]

    def run(self):
        together = self.pick.random() < 0.9
        profiles = sorted(self.fitting)
        if self.most:
            profiles = self.pick.sample(profiles, min(self.most, len(profiles)))
        for turn, profile in enumerate(profiles, self.number):
            command = self.command(profile, turn)
            before = len(self.broken)
            if together:
                self.one([*command, "--keep-going"], self.words)
            for word in self.words if not together or len(self.broken) > before else []:
                self.one(command, [word])
        for word in self.words:
            if self.pick.random() < 0.02:
                self.one(["info"], [word])
                self.one(["convert", "-f", "-o", str(self.folder / "converted.json")], [word])
        return self

    def one(self, command, words):
        out = self.folder / "out"
        self.runs += 1
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(self.folder / "out.failed", ignore_errors=True)
        to = ["-o", str(out)] if command[0] == "run" else []
        # On a list, as many names as there are do not fit on a command line.
        (self.folder / "list.txt").write_text("".join(f"{word}\n" for word in [*self.beside, *words]))
        done = self.ended([*command, *to]) or self.ended([*command, *to])  # a machine can stand still for a while
        if not done:
            self.fault(command, words, f"no end within {TIMEOUT_S} s, twice")
            return
        err = done.stderr.decode("utf-8", "replace")
        refused = done.returncode in REFUSED and REFUSED[done.returncode].search(err)
        if done.returncode not in ENDINGS and not refused or any(word in err for word in REPORTS):
            self.fault(command, words, f"status {done.returncode}: {err[-3000:]}")
        elif done.returncode and not re.search(r"^error\[[A-Z]+-\d+\]: ", err, re.M):
            self.fault(command, words, f"status {done.returncode} without a coded error: {err[-1000:]}")
        elif out.exists():
            self.left += 1
            unwritten = UNWRITTEN.findall(err)
            self.outputs(command, words, out, done.returncode == 0 or bool(unwritten), unwritten)
            self.reach(json.loads((out / "run.json").read_text(encoding="utf-8")), err)

    def ended(self, command):
        try:
            return subprocess.run([self.program.path, *command, "@list.txt"], cwd=self.folder, env=self.program.env,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return None

    def reach(self, run, err):
        """Which inputs gave events to the end, as the errors say: they begin a line, and what belongs to them is indented."""
        errors = "".join(block for block in re.split(r"^(?=\S)", err, flags=re.M) if block.startswith("error["))
        failed = set(re.findall(r"\bf(\d{3})\b", errors))
        for entry in run["inputs"]:
            number = re.search(r"\bf(\d{3})\b", entry["name"])
            if number and entry.get("events") and number[1] not in failed:
                self.reached.add(int(number[1]))

    def outputs(self, command, words, out, is_whole, unwritten):
        files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        asked = [name for name in command[command.index("--format") + 1].split(",") if name not in unwritten]
        if not is_whole and not any(name.startswith("tensorboard/") for name in files):
            asked = [name for name in asked if name != "tensorboard"]  # no rank came to its end
        for judge in [*(strict.CHECKS[STATE["sinks"][name]] for name in asked), strict.check_run]:
            try:
                judge(files)
            except (strict.Broken, KeyError) as why:
                self.fault(command, words, f"{why!r}")

    def counts(self):
        """Of all, and by source."""
        counts = dict(zip(COUNTED, map(len, (self.words, self.valid, self.reached, self.valid & self.reached))))
        return {**counts, "runs": self.runs, "left": self.left, **{(self.source, key): n for key, n in counts.items()}}

    def fault(self, command, words, what):
        self.broken.append(f"batch {self.number}: {self.source}: {' '.join(command)} "
                           f"{words[0] if len(words) == 1 else f'{len(words)} inputs'}: {what}")


STATE = {}


def set_up(program, seeds, args):
    sinks = {s["format"]: s["name"] for s in program.ask("list", "sinks", "--json")}
    if "alone" in program.ask("doctor", "--json")["pictures"]:
        sinks.pop("plot", None)
    names = [p["name"] for p in program.ask("list", "profiles", "--json")]
    profiles = {name: program.ask("show", f"profile/{name}", "--json") for name in names}
    optional = {name: [stage["id"] for stage in profile["stages"] if not stage["enabled"]]
                for name, profile in profiles.items()}
    own = {name: profile["formats"] for name, profile in profiles.items()}
    STATE.update(program=program, seeds=seeds, args=args, sinks=sinks, optional=optional, own=own,
                 formats=sorted(set(sinks) - {"json"}), trace=pathlib.Path(args.source) / "samples" / "aiu" / "rank0.json")


def run_batch(number):
    args = STATE["args"]
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        batch = Batch(STATE["program"], STATE["seeds"], args, number, pathlib.Path(folder)).run()
        if batch.broken and args.keep:
            shutil.copytree(folder, pathlib.Path(args.keep) / f"batch{number}", dirs_exist_ok=True)
        return batch.counts(), batch.broken


# ---- the campaign

def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--build", "--source", "--kineto-gen", "--aiu-gen"):
        parser.add_argument(name, required=True)
    parser.add_argument("--count", type=int, default=10000, help="inputs (default 10000)")
    parser.add_argument("--seconds", type=float, default=3600, help="no new batch after this time")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--batch", type=int, default=50, help="inputs of one batch (default 50)")
    parser.add_argument("--profiles", type=int, help="profiles of a batch (default: all that fit)")
    parser.add_argument("--start", type=int, default=0, help="number of the first batch")
    parser.add_argument("--only", type=int, help="this batch alone")
    parser.add_argument("--of", metavar="SOURCE", help="inputs of this source alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="folder for inputs that broke a promise")
    return parser.parse_args()


def campaign(args, pool):
    """Batches as long as there is time; prints how far it came."""
    began = said = time.monotonic()
    last = args.start + (args.count + args.batch - 1) // args.batch
    waiting, number, done, broken = set(), args.start, collections.Counter(), []
    while waiting or number < last:
        while len(waiting) < 2 * args.jobs and number < last and time.monotonic() - began < args.seconds:
            waiting.add(pool.submit(run_batch, number))
            number += 1
        if not waiting:
            break
        ended, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in ended:
            count, faults = future.result()
            done.update(count)
            broken += faults
            for fault in faults:
                print("FAIL", fault, flush=True)
        if time.monotonic() - said > 10 or not waiting:
            said = time.monotonic()
            print(f"{done['inputs']} inputs, {done['inputs'] / (said - began):.0f}/s, {len(broken)} faults; go on with --start {number}",
                  flush=True)
    return done, broken


def shares_of(done, sources):
    return {source: {key: done[source, key] for key in COUNTED} for source in sources if done[source, "inputs"]}


def told(share):
    of = [f"{share[key] * 100 // share['inputs']} % {word}" for key, word in
          (("valid", "valid"), ("reached", "reached a stage"), ("both", "both"))] if share["inputs"] else []
    return ", ".join([f"{share['inputs']} inputs", *of])


def main():
    args = parse()
    os.environ.setdefault("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=1:quarantine_size_mb=16")
    os.environ.setdefault("LSAN_OPTIONS", f"print_suppressions=0:suppressions={HERE.parent / 'faults' / 'not-leaks.txt'}")
    program = Program(args.build, args.source)
    with tempfile.TemporaryDirectory() as folder:
        seeds = make_seeds(args, pathlib.Path(folder))
    sources = {s["name"] for s in program.ask("list", "sources", "--json")}
    unknown = sources - set(seeds) - malformed.NAMES_ALONE
    if not sources:
        print(f"FAIL there are no modules in {program.build}: build all of it")
        return 1
    if unknown:
        print(f"FAIL sources {sorted(unknown)}: add inputs to make_seeds in {__file__}")
        return 1
    if args.of:
        seeds = {args.of: seeds[args.of]}
    if args.only is not None:
        set_up(program, seeds, args)
        counts, broken = run_batch(args.only)
        done = collections.Counter(counts)
        print("\n".join(broken))
    else:
        with concurrent.futures.ProcessPoolExecutor(args.jobs, initializer=set_up, initargs=(program, seeds, args)) as pool:
            done, broken = campaign(args, pool)
    print(f"{done['inputs']} inputs in {done['runs']} runs, {done['left']} of them left results; {len(broken)} faults")
    shares = shares_of(done, sorted(seeds))
    for source, share in shares.items():
        print(f"{source}: {told(share)}")
    print(f"all: {told(done)}")
    record("mutations", **{key: n for key, n in done.items() if isinstance(key, str)}, faults=len(broken), sources=shares)
    few = done["inputs"] >= ENOUGH and 2 * done["both"] < done["inputs"]
    if few:
        print("FAIL fewer than half of the inputs are valid and reach a stage")
    return bool(broken) or few or not done["inputs"]


if __name__ == "__main__":
    sys.exit(main())
