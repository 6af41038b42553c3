#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Malformed inputs of every source end in an error that names the file and the place, or are read with what was
repaired or left out counted; where an independent reader can read them too, it has as many events.

Inputs run in batches with --keep-going; one that was read although it is malformed runs alone, so that the
notices are its own."""
import argparse
import json
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property"), str(HERE.parent / "trust")]
import malformed  # noqa: E402
import readers  # noqa: E402
import strict  # noqa: E402
from program import Program  # noqa: E402
from record import record  # noqa: E402

BATCH = 100
PLACE = re.compile(r":\d+:\d+|line \d+|byte \d+|\d+ (B|KiB) into|at the end|before the|row \d+")
# These say what the whole input lacks, so there is no place to name.
WHOLE = {"RUN-03", "RUN-04", "RUN-05", "JSN-01", "JSN-02", "JSN-03", "GCAP-01", "GCAP-02", "GCAP-03",
         "BENCH-01", "GATE-01", "GATE-02", "NSYS-01", "NSYS-02",
         "NSQL-02", "NSQL-03", "NSQL-04", "NSQL-05", "NSQL-06", "NSQL-08", "ARCSV-01", "ARCSV-02", "NTEST-01", "NTEST-02",
         "NTEST-03", "LATCSV-01", "LATCSV-06", "PRLOG-01",
         "PROBE-01", "PROBE-02", "PROBE-03", "PROBE-04", "PROBE-05", "PROBE-08", "PROBE-09", "ROCPF-04", "STRAT-01", "TCONF-01", "TCSV-01", "TCSV-06"}


class Malformed:
    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch
        self.broken, self.checks = [], 0
        stages = [*({"use": "filter", "as": f"read-{name.replace('_', '-')}",
                     "with": {"attr": name, "drop-attr": "^never$"}} for name in readers.ATTRIBUTES), {"use": "contents"}]
        self.profile = self.write_profile("all", stages)
        # Databases give what the independent reader has, a sum for each kernel, to those who ask for sums.
        self.sums_profile = self.write_profile("all-sums", [*stages, {"use": "eplb-compare"}])

    def write_profile(self, name, stages):
        path = self.scratch / f"{name}.json"
        path.write_text(json.dumps({"profile": 1, "name": name, "stages": stages,
                                    "formats": ["text", "json", "csv", "trace"]}))
        return path

    def check(self, good, what):
        self.checks += 1
        if not good:
            self.broken.append(what)

    def write(self, source, folder, number, content):
        """The input's path, or nothing where there can be no such input."""
        where = folder / f"f{number:03}"
        where.mkdir(parents=True)
        if source == "nsys-sqlite":
            path = where / "a.sqlite"
            return path if malformed.write_database(path, content) else None
        path = where / {"gate-log": "gate_logs_3.json", "workload-card": "card.yaml", "nsys-csv": "a.csv",
                        "perfetto": "a.pftrace"}.get(source, "a.json")
        if isinstance(content, dict):
            return self.write_all(where, content)
        path.write_bytes(content)
        if source != "workload-card":
            return path
        (where / "results_json").mkdir()
        (where / "results_json" / "r.json").write_bytes(malformed.json_of(malformed.VLLM))
        return where

    def write_all(self, where, files):
        """The path of the first of them, which is the input."""
        for name, data in files.items():
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).write_bytes(data)
        return where / next(iter(files))

    def run(self, source, words, *options):
        out = self.scratch / "out"
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(self.scratch / "out.failed", ignore_errors=True)
        forced = [] if source == "workload-card" else ["--source", source]
        if source in readers.SIDES:
            (self.scratch / "t.json").write_text("[]")
            forced, words = [], [self.scratch / "t.json", *(f"{readers.SIDES[source]}={word}" for word in words)]
        (self.scratch / "list").write_text("".join(f"{word}\n" for word in words))
        profile = self.sums_profile if source == "nsys-sqlite" else self.profile
        status, _, err = self.program.run(["run", "-p", profile, "-o", out, *forced, *options, "@list"],
                                          cwd=self.scratch, timeout=300)
        files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()} if out.is_dir() else {}
        return status, err, files

    def batch(self, source, cases):
        folder = self.scratch / "in"
        shutil.rmtree(folder, ignore_errors=True)
        paths = {}
        for number, (name, content) in enumerate(cases):
            path = self.write(source, folder, number, content)
            if path:
                paths[str(path)] = name
        status, err, files = self.run(source, paths, "--keep-going")
        self.check(status in (0, 3), f"{source}: a batch ends with {status}: {err[:600]}")
        failed = self.failures(source, paths, err)
        read = {}
        if files:
            self.outputs(f"{source}: batch of {cases[0][0]}", files)
            read = {entry["name"]: entry for entry in json.loads(files["run.json"])["inputs"]}
        for path, name in paths.items():
            if path in failed:
                continue
            if path in read:
                self.compare(source, name, path, read[path]["events"])
            else:
                self.alone(source, name, path)

    def failures(self, source, paths, err):
        """Those that an error names; each error has its place."""
        failed = set()
        for block in re.split(r"\n(?=error\[)", err):
            code = re.match(r"error\[([A-Z]+-\d+)\]", block)
            for path in sorted(set(re.findall(re.escape(str(self.scratch / "in")) + r"/f\d+(?:/[a-z_0-9]+\.[a-z]+)?", block))):
                if path in paths and code:
                    failed.add(path)
                    self.check(code[1] in WHOLE or PLACE.search(block.replace(path, "")),
                               f"{source}: {paths[path]}: no place in {block[:400]}")
        return failed

    def outputs(self, name, files):
        for judge in [*strict.USUAL, strict.check_run]:
            try:
                judge(files)
                self.checks += 1
            except (strict.Broken, KeyError) as why:
                self.check(False, f"{name}: {why!r}")

    def compare(self, source, name, path, events):
        """An input that was read, in a batch."""
        try:
            wanted = readers.READERS[source](path)
        except (readers.NotReadable, OSError):
            self.alone(source, name, path)
            return
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
            return  # valid, but its meaning is odd, which the source may know how to take
        count = sum(map(len, wanted.lanes))
        if events == 0 and count:
            self.alone(source, name, path)  # left out whole
            return
        self.check(events == count, f"{source}: {name}: {events} events, an independent reader has {count}")
        # What other inputs of the batch lost is not known; one in ten is enough.
        if any(wanted.lost.values()) and int(re.search(r"/f(\d+)", path)[1]) % 10 == 0:
            self.alone(source, name, path, wanted.lost)

    def alone(self, source, name, path, lost=None):
        """A malformed input that was read: something is reported.  One that was not: an error."""
        status, err, files = self.run(source, [path])
        if status == 4 and source == "nsys-sqlite" and err.startswith("error[PRF-20]"):
            self.checks += 1  # a database with no times of kernels has no sums to give
            return
        if status:
            self.check(status == 3 and re.match(r"error\[[A-Z]+-\d+\]: ", err), f"{source}: {name}: status {status}: {err[:400]}")
            failed = self.failures(source, {path: name}, err)
            self.check(failed, f"{source}: {name}: no error names the file: {err[:400]}")
            return
        self.outputs(f"{source}: {name}", files)
        notices = {n["code"]: n["count"] for n in json.loads(files["run.json"])["notices"]}
        if lost is None:
            self.check(set(notices) - {"TRC-01", "ROCPF-25"}, f"{source}: {name}: read without a word, although it is malformed")
        for code, count in (lost or {}).items():
            self.check(notices.get(code, 0) == count, f"{source}: {name}: {code}: {notices.get(code, 0)} reported, {count} lost")

    def cards(self, cases):
        """Whatever a card is, the results beside it are read; alone, a card that cannot be read is an error."""
        folder = self.scratch / "in"
        shutil.rmtree(folder, ignore_errors=True)
        paths = {str(self.write("workload-card", folder, k, content)): name for k, (name, content) in enumerate(cases)}
        status, err, files = self.run("workload-card", [folder])
        self.check(status == 0, f"a tree of cards: status {status}: {err[:600]}")
        if status:
            return
        self.outputs(f"workload-card: batch of {cases[0][0]}", files)
        run = json.loads(files["run.json"])
        events = [entry["events"] for entry in run["inputs"]]
        self.check(events == [3] * len(cases), f"a tree of {len(cases)} cards: events {events}")
        notices = {n["code"]: n["count"] for n in run["notices"]}
        bad = [path for path in paths for lane in run["lanes"] if lane["tags"]["run"] == pathlib.Path(path).name
               and "card_error" in lane["tags"]]
        self.check(notices.get("CARD-04", 0) == len(bad), f"{len(bad)} bad cards, but {notices}")
        for path in bad[::10]:
            status, err, _ = self.run("workload-card", [path])
            self.check(status == 3 and re.search(r"card\.yaml:\d+:\d+", err),
                       f"workload-card: {paths[path]}: status {status}: {err[:300]}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--build", "--source"):
        parser.add_argument(name, required=True)
    parser.add_argument("--only", help="this source; or others: those beside bench-json and chrome-json")
    parser.add_argument("--one-of", type=int, default=1, metavar="N", help="every Nth input of a source")
    args = parser.parse_args()
    program = Program(args.build, args.source)
    n_inputs = n_sources = 0
    with tempfile.TemporaryDirectory() as folder:
        test = Malformed(program, pathlib.Path(folder))
        for source in sorted(s["name"] for s in program.ask("list", "sources", "--json")):
            if source in malformed.NAMES_ALONE:
                continue
            if source not in malformed.CASES:
                test.check(False, f"source {source}: add malformed inputs of it to CASES in tests/differ/malformed.py")
                continue
            part = source if source in ("bench-json", "chrome-json") else "others"
            if args.only not in (None, source, part):
                continue
            cases = list(malformed.CASES[source]())[::args.one_of]
            for at in range(0, len(cases), BATCH):
                if source == "workload-card":
                    test.cards(cases[at:at + BATCH])
                else:
                    test.batch(source, cases[at:at + BATCH])
            print(f"{source}: {len(cases)} inputs")
            n_inputs, n_sources = n_inputs + len(cases), n_sources + 1
    for what in test.broken:
        print("FAIL", what.encode("utf-8", "replace").decode())
    print(f"{test.checks} checks, {len(test.broken)} failed")
    if not args.only and args.one_of == 1:
        record("malformed", inputs=n_inputs, sources=n_sources, failed=len(test.broken))
    return bool(test.broken) or not test.checks


sys.exit(main())
