#!/usr/bin/env python3
"""A campaign of damaged inputs of every source through the whole program, of any build; made for build-asan.

Inputs are damaged in batches: a batch is one run over many files with --keep-going, or single runs of them.  What must
hold: a documented status, no signal, no report of a sanitizer, no hang, an error with a code when the status is not 0,
and outputs that strict readers take.  The same seed and number give the same batch: --start goes on where another
campaign ended, and --only repeats one batch.  Inputs that broke a promise are kept in --keep."""
import argparse
import concurrent.futures
import gzip
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property"), str(HERE.parent / "trust")]
import inputs  # noqa: E402
import malformed  # noqa: E402
import measured  # noqa: E402
import records  # noqa: E402
import strict  # noqa: E402
from program import Program  # noqa: E402
from record import record  # noqa: E402

ENDINGS = {0, 3, 8}  # done, bad input, a limit: damaged inputs have no other
REPORTS = ("Sanitizer", "runtime error:", "internal error")
TIMEOUT_S = 120
LARGEST_SEED = 20000

# What of each source is run; "folder": its inputs are in folders of their own.
PROFILES = {
    "allreduce-csv": ["allreduce", "info"],
    "chrome-json": ["info", "kernels", "timeline", "aiu", "convert"],
    "bench-json": ["serving", "serving-sweep", "info"],
    "coll-bench": ["coll-bench", "nccl-tuner", "info"],
    "compiler-log": ["info", "kernels"],
    "gate-log": ["moe-load", "info"],
    "latency-csv": ["exposed-latency", "info"],
    "nsys-csv": ["info"],
    "nsys-sqlite": ["info"],
    "perfetto": ["info", "kernels", "convert"],
    "probe-bin": ["probe", "block-sched", "access-map", "coalescing", "warp-sched", "traffic", "probe-dump", "info"],
    "probe-log": ["probe", "probe-report", "slowdown", "memory-peak", "info"],
    "rocprof-json": ["info", "kernels", "timeline", "torch", "convert"],
    "strategy-table": ["info", "strategy-table"],
    "tuner-conf": ["tuner-check", "info"],
    "tuner-csv": ["nccl-tuner", "info"],
    "workload-card": ["info", "serving"],
}
OPTIONS = [[], [], ["--recover"], ["--strict"], ["-j", "2"], ["--batch-size", "1"], ["--max-memory", "8MiB"]]
ALL_FORMATS = "text,json,csv,trace"
MORE_FORMATS = {"probe-bin": ",dmat"}
# Where each input has a folder of its own: what it is called there.
OWN_FOLDERS = {"gate-log": "gate_logs_0.json", "probe-bin": "a.bin", "probe-log": "event.log", "workload-card": "card.yaml"}
ENDINGS_OF = {"latency-csv": "csv", "nsys-csv": "csv", "nsys-sqlite": "sqlite", "perfetto": "pftrace"}


# ---- damage

TOKENS = re.compile(rb'"[^"\n]{0,40}"|[0-9.]+|[A-Za-z_]+|\s+|.', re.S)
ODD = [b"NaN", b"-Infinity", b"null", b"1e400", b"-1", b"99999999999999999999", b"\\u0000", b"\\ud800", b"\xff", b"\x00",
       b"\xef\xbb\xbf", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"[" * 1200, b"\r", b"\n\n", b"0x10", b"1e-400",
       b"'", b"=1", b"<<: *a", b"&a ", b"\t", b"- ", b"true", b"9007199254740993", b"0.0000000001", b"\xe2\x80\xae"]


def flip(pick, data, _):
    at = pick.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << pick.randrange(8)]) + data[at + 1:]


def truncate(pick, data, _):
    return data[:pick.randrange(len(data))]


def chunk(pick, data):
    at = pick.randrange(len(data))
    return at, min(len(data), at + pick.choice([1, 4, 30, 300, 3000]))


def duplicate(pick, data, _):
    at, end = chunk(pick, data)
    return data[:end] + data[at:end] * pick.choice([1, 1, 1, 50]) + data[end:]


def remove(pick, data, _):
    at, end = chunk(pick, data)
    return data[:at] + data[end:]


def splice(pick, data, other):
    at, end = chunk(pick, other)
    where = pick.randrange(len(data))
    return data[:where] + other[at:end] + data[where + pick.choice([0, end - at]):]


def digits(pick, data, _):
    places = [m.start() for m in re.finditer(rb"[0-9]", data)]
    for at in pick.sample(places, min(len(places), pick.randint(1, 8))):
        data = data[:at] + pick.choice([b"0", b"9", b"-", b".", b"e", b"1"]) + data[at + 1:]
    return data


def swap(pick, data, _):
    tokens = TOKENS.findall(data)
    a, b = pick.randrange(len(tokens)), pick.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def odd(pick, data, _):
    at, end = chunk(pick, data)
    return data[:at] + pick.choice(ODD) + data[pick.choice([at, at + 1, end]):]


def odd_token(pick, data, _):
    tokens = TOKENS.findall(data)
    tokens[pick.randrange(len(tokens))] = pick.choice(ODD)
    return b"".join(tokens)


KINDS = [flip, truncate, duplicate, remove, splice, digits, swap, odd, odd_token, odd_token]


def damage(pick, data, other):
    for _ in range(pick.choice([1, 1, 2, 4])):
        if data:
            data = pick.choice(KINDS)(pick, data, other)
    return data


# ---- inputs to damage

def database(path, count):
    records.database(path, count)
    return path


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
        "latency-csv": 3 * sorted((samples / "probe").rglob("*.csv")) + sorted((corpus / "latency-csv").iterdir()),
        "probe-bin": small_traces_of_probes(folder) + sorted((corpus / "probe-bin").iterdir()),
        "probe-log": sorted((samples / "probe").rglob("event.log")) + sorted((corpus / "probe-log").iterdir()),
        "nsys-csv": kinds["kernel-tables"].files + small_tables(folder) + sorted((corpus / "csv").iterdir()),
        "nsys-sqlite": [database(folder / f"{n}.sqlite", n) for n in (0, 3, 40)] + sorted((corpus / "sqlite").iterdir()),
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
    def __init__(self, program, seeds, seed, number, size, folder):
        self.program, self.number, self.folder = program, number, folder
        self.pick = random.Random(f"{seed}:{number}")
        self.source = self.pick.choice(sorted(seeds))
        self.seeds = seeds[self.source]
        self.broken = []
        self.inputs = self.folder / "in"
        self.words = [word for k in range(size) for word in [self.place(k)] if word]

    def place(self, k):
        """Writes one damaged input; the word for the command line."""
        (_, data), (_, other) = self.pick.choice(self.seeds), self.pick.choice(self.seeds)
        packs = self.source not in ("nsys-sqlite", "probe-bin", "workload-card") and self.pick.random() < 0.05
        if packs and self.pick.random() < 0.7:
            data = damage(self.pick, gzip.compress(data, mtime=0), other)
        else:
            data = damage(self.pick, data, other)
            data = gzip.compress(data, mtime=0) if packs else data
        path = self.inputs / f"f{k:03}.{ENDINGS_OF.get(self.source, 'json')}"
        if self.source in OWN_FOLDERS:
            path = self.inputs / f"f{k:03}" / OWN_FOLDERS[self.source]
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.source == "probe-bin":
            return self.place_probe(path, data)
        path.write_bytes(data)
        if self.source == "workload-card":
            (path.parent / "results_json").mkdir()
            (path.parent / "results_json" / "r.json").write_text(
                '{"backend":"vllm","model_id":"m","duration":1.5,"completed":2,"total_input_tokens":4,'
                '"total_output_tokens":4,"request_throughput":1.0}')
        if self.source == "compiler-log":
            (self.inputs / "t.json").write_text("[]")
            return f"log={path}" if k else str(self.inputs / "t.json")
        return str(path.parent if self.source == "workload-card" else path)

    def place_probe(self, path, data):
        """Settings up to the NUL, beside the trace; without any it is a condensed one."""
        settings, _, trace = data.partition(b"\0")
        if not settings:
            path = path.with_suffix(".dmat")
        path.write_bytes(gzip.compress(trace, mtime=0) if self.pick.random() < 0.05 else trace)
        (path.parent / "probe.toml").write_bytes(settings)
        return str(path)

    def run(self):
        together = self.pick.random() < 0.9
        profile = self.pick.choice(PROFILES[self.source])
        options = self.pick.choice(OPTIONS)
        forced = [] if self.source == "workload-card" else ["--source", self.source]
        command = ["run", "-p", profile, "--cascade", "--format", ALL_FORMATS + MORE_FORMATS.get(self.source, ""), *forced, *options]
        if together:
            self.one([*command, "--keep-going"], self.words)
        for word in self.words if not together or self.broken else []:
            self.one(command, [word])
            if self.pick.random() < 0.2 and not self.broken:
                self.one(["info"], [word])
                self.one(["convert", "-f", "-o", str(self.folder / "converted.json")], [word])
        return self

    def one(self, command, words):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(self.folder / "out.failed", ignore_errors=True)
        to = ["-o", str(out)] if command[0] == "run" else []
        # On a list, as many names as there are do not fit on a command line.
        (self.folder / "list.txt").write_text("".join(f"{word}\n" for word in words))
        try:
            done = subprocess.run([self.program.path, *command, *to, "@list.txt"], cwd=self.folder, env=self.program.env,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            self.fault(command, words, f"no end within {TIMEOUT_S} s")
            return
        err = done.stderr.decode("utf-8", "replace")
        if done.returncode not in ENDINGS or any(word in err for word in REPORTS):
            self.fault(command, words, f"status {done.returncode}: {err[-3000:]}")
        elif done.returncode and not re.search(r"^error\[[A-Z]+-\d+\]: ", err, re.M):
            self.fault(command, words, f"status {done.returncode} without a coded error: {err[-1000:]}")
        elif out.exists():
            self.outputs(command, words, out)

    def outputs(self, command, words, out):
        files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        for judge in [*strict.USUAL, strict.check_run]:
            try:
                judge(files)
            except (strict.Broken, KeyError) as why:
                self.fault(command, words, f"{why!r}")

    def fault(self, command, words, what):
        self.broken.append(f"batch {self.number}: {self.source}: {' '.join(command)} "
                           f"{words[0] if len(words) == 1 else f'{len(words)} inputs'}: {what}")


STATE = {}


def set_up(program, seeds, args):
    STATE.update(program=program, seeds=seeds, args=args)


def run_batch(number):
    args = STATE["args"]
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        batch = Batch(STATE["program"], STATE["seeds"], args.seed, number, args.batch, pathlib.Path(folder)).run()
        if batch.broken and args.keep:
            shutil.copytree(folder, pathlib.Path(args.keep) / f"batch{number}", dirs_exist_ok=True)
        return len(batch.words), batch.broken


# ---- the campaign

def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--build", "--source", "--kineto-gen", "--aiu-gen"):
        parser.add_argument(name, required=True)
    parser.add_argument("--count", type=int, default=10000, help="inputs (default 10000)")
    parser.add_argument("--seconds", type=float, default=3600, help="no new batch after this time")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--batch", type=int, default=50, help="inputs of one batch (default 50)")
    parser.add_argument("--start", type=int, default=0, help="number of the first batch")
    parser.add_argument("--only", type=int, help="this batch alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="folder for inputs that broke a promise")
    return parser.parse_args()


def campaign(args, pool):
    """Batches as long as there is time; prints how far it came."""
    began = said = time.monotonic()
    last = args.start + (args.count + args.batch - 1) // args.batch
    waiting, number, done, broken = set(), args.start, 0, []
    while waiting or number < last:
        while len(waiting) < 2 * args.jobs and number < last and time.monotonic() - began < args.seconds:
            waiting.add(pool.submit(run_batch, number))
            number += 1
        if not waiting:
            break
        ended, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in ended:
            count, faults = future.result()
            done += count
            broken += faults
            for fault in faults:
                print("FAIL", fault, flush=True)
        if time.monotonic() - said > 10 or not waiting:
            said = time.monotonic()
            print(f"{done} inputs, {done / (said - began):.0f}/s, {len(broken)} faults; go on with --start {number}",
                  flush=True)
    return done, broken


def main():
    args = parse()
    os.environ.setdefault("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1")
    os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=1:quarantine_size_mb=16")
    program = Program(args.build, args.source)
    with tempfile.TemporaryDirectory() as folder:
        seeds = make_seeds(args, pathlib.Path(folder))
    unknown = {s["name"] for s in program.ask("list", "sources", "--json")} - set(seeds) - malformed.NAMES_ALONE
    if unknown:
        print(f"FAIL sources {sorted(unknown)}: add inputs to make_seeds and profiles to PROFILES in {__file__}")
        return 1
    if args.only is not None:
        set_up(program, seeds, args)
        done, broken = run_batch(args.only)
        print("\n".join(broken))
    else:
        with concurrent.futures.ProcessPoolExecutor(args.jobs, initializer=set_up, initargs=(program, seeds, args)) as pool:
            done, broken = campaign(args, pool)
    print(f"{done} inputs, {len(broken)} faults")
    record("mutations", inputs=done, faults=len(broken))
    return bool(broken) or not done


if __name__ == "__main__":
    sys.exit(main())
