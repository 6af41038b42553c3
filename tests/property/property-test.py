#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What holds for every stage, whatever it does, on every input that it can be used on.

The stages are those that the program lists: a new one is tested without a line here."""
import argparse
import concurrent.futures
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import inputs  # noqa: E402
import records  # noqa: E402
import shared  # noqa: E402
from program import Program, difference, fresh, outputs  # noqa: E402

# What must not change a byte: name, options.
MANNERS = [
    ("batches of 1", ["--batch-size", "1"]),
    ("batches of 7", ["--batch-size", "7"]),
    ("two threads", ["-j", "2"]),
    ("four threads", ["-j", "4", "--batch-size", "100"]),
    ("no memory to hold", ["--max-memory", "1MiB"]),
    ("little memory, four threads", ["-j", "4", "--max-memory", "1MiB", "--batch-size", "7"]),
    ("checked claims", ["--verify"]),
    ("held", ["--hold", "always"]),
    ("read again", ["--hold", "never"]),
    ("read again by four threads", ["--hold", "never", "-j", "4", "--batch-size", "7"]),
]
# Rows for each combination of tags that inputs have or lack.
BY = "run,file,label,max_num_seqs"
HARD = ["-j", "4", "--max-memory", "1MiB", "--batch-size", "7"]
FOUR = ["-j", "4"]


class Test:
    def __init__(self, program, stages, scratch, only_threads, every):
        self.program = program
        self.every = every
        self.only_threads = only_threads
        self.scratch = scratch
        self.stages = stages
        self.of_inputs = {fact["name"] for fact in program.ask("list", "facts", "--json") if set(fact["provided_by"]) - set(stages)}
        self.broken = []
        self.checks = 0
        self.fits = {name: 0 for name in self.stages}
        self.misfits = 0
        self.out_of_memory = 0
        self.spilled = 0
        self.read_again = 0

    def fail(self, where, what):
        self.broken.append(f"{where}: {what}")

    # ---- profiles

    def before(self, stage, spare=()):
        """Stages that provide what this one needs, in order; a source may provide it too."""
        chain = []
        for fact in self.stages[stage]["needs"]:
            if fact.startswith("order."):
                continue
            givers = [name for name, other in self.stages.items()
                      if fact in other["provides"] and name != stage and name not in spare]
            if fact in self.of_inputs:  # one that asks for more of inputs does not help
                givers = [name for name in givers if not self.of_sources(name)]
            if givers:
                name = min(givers, key=self.of_sources)
                chain += [s for s in self.before(name, (*spare, stage)) + [name] if s not in chain]
        return chain

    def of_sources(self, stage):
        """How many facts it needs that no stage provides: the fewer, the more inputs it takes."""
        given = {fact for other in self.stages.values() for fact in other["provides"]}
        return sum(fact not in given and fact != "events" for fact in self.stages[stage]["needs"])

    def profile(self, folder, stages, kind, trace=True):
        path = folder / "one.json"
        formats = ["text", "json", "csv"] + ["trace"] * (trace and kind.trace)
        path.write_text(json.dumps({"profile": 1, "name": "one", "stages": stages,
                                    "formats": formats}))
        return path

    def run(self, folder, stages, kind, options, stdin=None, cwd=None):
        """Results by name, status, messages."""
        fresh(folder)
        if not stages:
            stages = [{"use": next(iter(self.stages)), "enabled": False}]
        profile = self.profile(folder, stages, kind)
        words = ["-"] if stdin else kind.words
        status, _, err = self.program.run(["run", "-p", profile, "-o", folder / "out", *options,
                                           *words],
                                          cwd=cwd or kind.folder, stdin=stdin)
        left = [p.name for p in folder.iterdir() if p.name not in ("one.json", "out", "out.failed")]
        if left:
            self.fail(folder, f"left behind: {left}")
        record = folder / "out" / "run.json"
        if record.exists() and b'"spilled_bytes": 0' not in record.read_bytes():
            self.spilled += 1
        return outputs(folder / "out"), status, err

    # ---- one stage on one kind of input

    def manners(self, nth):
        """All of them on the first kind that a stage takes, on each further one every other."""
        return MANNERS if self.every or nth == 0 else MANNERS[nth % 2::2]

    def lacks(self, stages, kind):
        """A fact that no stage gives and no input has: the program says the same, which is seen once for each stage."""
        given = {fact for s in stages for fact in self.stages[s]["provides"]}
        needed = {fact for s in stages for fact in self.stages[s]["needs"] if not fact.startswith("order.")}
        return needed - given - kind.seen(self.program)["facts"]

    def check(self, stage, name, kind):
        where = f"{stage} on {name}"
        folder = self.scratch / f"{stage}.{name}"
        chain = self.before(stage)
        lacks = self.lacks([*chain, stage], kind)
        if lacks and self.misfits:
            return
        use = [{"use": s} for s in [*chain, stage]]
        reference, status, err = self.run(folder, use, kind, ["-j", "1"])
        if lacks_its_input(status, err):
            self.misfits += bool(lacks)
            return
        if status or lacks:
            self.fail(where, f"status {status}, lacks {lacks}: {err}")
            return
        nth = self.fits[stage]
        self.fits[stage] += 1
        for manner, options in self.manners(nth):
            if "-j" in options or not self.only_threads:
                self.same(f"{where}, {manner}", folder, use, kind, options, reference)
        self.grouped(where, folder, use, kind)
        if nth < 2 and all(self.stages[u["use"]]["scope"] != "whole" for u in use):
            for broken in shared.broken(self, folder, use, kind):
                self.fail(where, broken)
        if kind.packs and (self.every or nth < 2):
            self.forms(where, folder, use, kind, reference)
        if self.only_threads:
            return
        self.absent(where, folder, chain, stage, kind)
        if kind.trace and "read-only" in self.stages[stage]["claims"]:
            self.read_only(where, folder, chain, stage, kind)

    def same(self, where, folder, use, kind, options, reference, cwd=None):
        got, status, err = self.run(folder, use, kind, options, cwd=cwd)
        self.checks += 1
        if status == 8 and "--max-memory" in options and "RUN-08" not in err:
            self.out_of_memory += 1  # a stage keeps more than there is, and says so
            if got:
                self.fail(where, "results in spite of status 8")
            return
        if status == 2 and "--hold" in options and "RUN-16" in err:
            return  # its input is no file, or its source reads by itself
        if status:
            self.fail(where, f"status {status}: {err}")
            return
        if "never" in options:
            self.read_again += 1
        what = difference(reference, got)
        if what:
            self.fail(where, what)

    def grouped(self, where, folder, use, kind):
        """By tags, for stages that have groups."""
        if all(option["name"] != "by" for option in self.stages[use[-1]["use"]]["options"]):
            return
        use = [*use[:-1], {**use[-1], "with": {"by": BY}}]
        reference, status, err = self.run(folder, use, kind, ["-j", "1"])
        if status:
            self.fail(f"{where}, by tags", f"status {status}: {err}")
        for options in (HARD,) if self.only_threads else (HARD, ["--verify"]):
            self.same(f"{where}, by tags {options}", folder, use, kind, options, reference)

    def forms(self, where, folder, use, kind, reference):
        """Compressed, and through a pipe: under the same name, so that results can be compared."""
        packed = fresh(folder.with_name(folder.name + ".gz"))
        kind.pack(packed, lambda data: gzip.compress(data, 1))
        self.same(f"{where}, gzip, four threads", folder, use, kind, FOUR, reference, packed)
        if self.only_threads:
            return
        self.same(f"{where}, gzip", folder, use, kind, [], reference, packed)
        if zstd := zstd_tool():
            kind.pack(packed, zstd)
            self.same(f"{where}, zstd", folder, use, kind, [], reference, packed)
        if kind.single():
            self.standard_input(where, folder, use, kind, reference)

    def standard_input(self, where, folder, use, kind, reference):
        file = kind.single()
        got, status, err = self.run(folder, use, kind, [], stdin=file)
        self.checks += 1
        if status:
            self.fail(f"{where}, standard input", f"status {status}: {err}")
            return
        named = {k: without_files(v).replace(b"standard input", file.name.encode()) for k,
                 v in got.items() if k != "summary.txt"}
        what = difference({k: without_files(v) for k, v in reference.items() if k != "summary.txt"}, named)
        if what:
            self.fail(f"{where}, standard input", what)

    def absent(self, where, folder, chain, stage, kind):
        """A disabled stage is as good as none."""
        rest = [{"use": s} for s in chain]
        without, status, _ = self.run(folder, rest, kind, [])
        disabled, status2, err = self.run(folder, [*rest, {"use": stage, "enabled": False}], kind,
                                          [])
        self.checks += 1
        what = difference(without, disabled)
        if status != status2:
            what = f"status {status} against {status2}: {err}"
        if what:
            self.fail(f"{where}, disabled", what)

    def read_only(self, where, folder, chain, stage, kind):
        """What only looks leaves every byte of the trace alone, in the order that it asks for."""
        ordered = ["time-order"] if "order.lane" in self.stages[stage]["needs"] else []
        rest = [{"use": s} for s in [*chain, *ordered]]
        without, _, _ = self.run(folder, rest, kind, [])
        looked, _, _ = self.run(folder, [*rest, {"use": stage}], kind, [])
        self.checks += 1
        name = "trace.json.gz"
        if any(fact.startswith("order.") for fact in self.stages[stage]["needs"]):
            without, looked = in_any_order(without, name), in_any_order(looked, name)
        if without.get(name) != looked.get(name):
            self.fail(f"{where}, read only",
                      difference({name: without.get(name, b"")}, {name: looked.get(name, b"")}))

    # ---- profiles that are shipped

    def shipped(self, profile, name, kind):
        where = f"profile {profile} on {name}"
        folder = self.scratch / f"profile.{profile}.{name}"
        fits = profile in kind.seen(self.program)["profiles"]
        if not fits and self.misfits:
            return
        results = []
        manners = [[], [*FOUR, "--batch-size", "7"], ["--verify"], ["--max-memory", "1MiB"]]
        for options in manners[:2] if self.only_threads else manners:
            fresh(folder)
            status, _, err = self.program.run(["run", "-p", profile, "-o", folder / "out",
                                               *options, *kind.words],
                                              cwd=kind.folder)
            if lacks_its_input(status, err):
                self.misfits += not fits
                return
            self.checks += 1
            if "error[RUN-19]" in err:  # it needs events
                if status != 3 or name != "empty" or outputs(folder / "out"):
                    self.fail(f"{where} {' '.join(options)}", f"status {status}: {err}")
                continue
            if status == 8 and "--max-memory" in options and "RUN-08" not in err:
                self.out_of_memory += 1  # its stages keep more than there is, and say so
                if outputs(folder / "out"):
                    self.fail(f"{where} {' '.join(options)}", "results in spite of status 8")
                continue
            if status:
                self.fail(f"{where} {' '.join(options)}", f"status {status}: {err}")
                return
            results.append(outputs(folder / "out"))
        self.fits[profile] = self.fits.get(profile, 0) + 1
        for got in results[1:]:
            what = difference(results[0], got)
            if what:
                self.fail(where, what)


def lacks_its_input(status, err):
    """None of the inputs has what a stage needs, or it says so itself as it takes one of several kinds of records."""
    return (status == 4 and "PRF-20" in err) or (status == 3 and ("no input has " in err or " has no label\n" in err
                                                         or "is labelled neither base nor new\n" in err
                                                         or "no input is labelled " in err
                                                         or "tables differ in the cell" in err))


def zstd_tool():
    """A function that compresses, or none where nothing can."""
    try:
        import zstandard
        return zstandard.ZstdCompressor().compress
    except ImportError:
        tool = shutil.which("zstd")
    return tool and (lambda data: subprocess.run([tool, "-1", "-q"], input=data, check=True,
                                                 capture_output=True).stdout)


def in_any_order(results, name):
    """The lines of the trace: what needs an order gets a sort before it, which moves them."""
    lines = gzip.decompress(results[name]).splitlines() if name in results else []
    return {name: b"\n".join(sorted(line.rstrip(b",") for line in lines))}


def without_files(data):
    """Standard input has no file that a lane could name."""
    return re.sub(rb'"file": (null|"[^"]*"), ', b"", data)


# So many kinds of inputs that a stage or profile can work on, another choice for each: together they meet all of them.
MOST_KINDS = 4
PROFILE_KINDS = 2


def some_order(name, kinds):
    return sorted(kinds, key=lambda kind: hashlib.sha256(f"{name} {kind}".encode()).digest())


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", required=True)
    options.add_argument("--source", required=True)
    options.add_argument("--kineto-gen", required=True)
    options.add_argument("--aiu-gen", required=True)
    options.add_argument("--profiles", action="store_true",
                         help="the shipped profiles instead of single stages")
    options.add_argument("--only-threads", action="store_true", help="only what runs threads")
    options.add_argument("--only", help="this stage or profile")
    options.add_argument("--every", action="store_true", help="all kinds of inputs for each stage, not only some")
    options.add_argument("--part", type=int, nargs=2, default=[0, 1], metavar=("I", "N"),
                         help="every N-th of them, from the I-th")
    args = options.parse_args()
    program = Program(args.build, args.source)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        kinds = {**inputs.make(scratch / "inputs", args.kineto_gen, args.aiu_gen),
                 **records.make(scratch / "inputs", program.source / "samples")}
        stages = {s["name"]: s for s in program.ask("list", "stages", "--json")}
        profiles = [p.stem for p in (program.source / "profiles").glob("*.json")]
        names = sorted(profiles if args.profiles else stages)
        names = names[args.part[0]::args.part[1]]
        names = [name for name in names if args.only in (None, name)]
        most = len(kinds) if args.every or args.only else PROFILE_KINDS if args.profiles else MOST_KINDS

        def one(name):
            test = Test(program, stages, scratch, args.only_threads, args.every or args.only)
            for kind in some_order(name, kinds):
                (test.shipped if args.profiles else test.check)(name, kind, kinds[kind])
                if test.fits.get(name, 0) == most:
                    break
            return test

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            tests = list(pool.map(one, names))
    broken = [b for t in tests for b in t.broken]
    if not args.profiles:
        for name in names:
            if not any(t.fits[name] for t in tests):
                broken.append(f"{name}: none of the inputs has what it needs")
    if not args.profiles and not args.only and not any(t.read_again for t in tests):
        broken.append("no stage was read again: the tests prove nothing")
    if not args.profiles and not args.only and not any(t.spilled for t in tests):
        broken.append("no run went beyond its memory: the inputs are too small to test that")
    for line in broken:
        print(f"FAIL {line}")
    print(f"{sum(t.checks for t in tests)} checks of {len(names)} stages or profiles on {len(kinds)} kinds of inputs, "
          f"{len(broken)} failed; {sum(t.spilled for t in tests)} spilled, "
          f"{sum(t.out_of_memory for t in tests)} ended at the memory limit")
    return bool(broken)


sys.exit(main())
