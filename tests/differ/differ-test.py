#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program says of its inputs and writes of them, against readers that share no code with it.

Every source and every sink that `stagemill list` names must have its reader here: see readers.py and strict.py."""
import argparse
import hashlib
import itertools
import json
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import inputs  # noqa: E402
import measured  # noqa: E402
import readers  # noqa: E402
import records  # noqa: E402
import strict  # noqa: E402
from program import Program  # noqa: E402

PROFILE = {"profile": 1, "name": "differ",
           "stages": [*({"use": "filter", "as": f"read-{name.replace('_', '-')}",
                         "with": {"attr": name, "drop-attr": "^never$"}} for name in readers.ATTRIBUTES),
                      {"use": "contents"}]}


def path_of(folder, name):
    """The input of that name; in JSON, what is not UTF-8 in a name is U+FFFD."""
    for path in folder.rglob("*"):
        if str(path.relative_to(folder)).encode("utf-8", "surrogateescape").decode("utf-8", "replace") == name:
            return path
    return folder / name


class Differ:
    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch
        self.broken, self.checks = [], 0
        self.sinks = {sink["name"]: sink["family"] for sink in program.ask("list", "sinks", "--json")}
        self.sources = [source["name"] for source in program.ask("list", "sources", "--json")]
        self.seen = set()
        self.profile = self.write_profile("differ", [])
        # Databases of kernels give their sums to who asks for them, else events: see nsys-test.py.
        self.sums_profile = self.write_profile("differ-sums", [{"use": "eplb-compare"}])

    def write_profile(self, name, more):
        path = self.scratch / f"{name}.json"
        stages = [*PROFILE["stages"], *more]
        path.write_text(json.dumps({**PROFILE, "name": name, "stages": stages, "formats": sorted(self.sinks.values())}))
        return path

    def check(self, good, what):
        self.checks += 1
        if not good:
            self.broken.append(what)
        return good

    def every_module(self):
        for name in self.sources:
            self.check(name in readers.READERS or name in readers.FOLDERS,
                       f"source {name}: add an independent reader of what it reads to READERS in "
                       "tests/differ/readers.py, inputs to tests/property/records.py, and malformed ones to "
                       "tests/differ/malformed.py")
        for name in self.sinks:
            self.check(name in strict.CHECKS,
                       f"sink {name}: add a strict reader of what it writes to CHECKS in tests/differ/strict.py")

    def every_source_seen(self):
        for name in self.sources:
            self.check(name in self.seen, f"source {name}: none of the inputs was read by it; add some to make_kinds")

    # ---- one run

    def compare(self, name, folder, words, options=()):
        out = self.scratch / "out"
        shutil.rmtree(out, ignore_errors=True)
        status, printed, err = self.program.run(
            ["run", "-p", self.sums_profile if name.startswith("kernel-databases") else self.profile, "-o", out, "--dump-after", "contents", "--json", *options, *words], cwd=folder)
        if not self.check(status == 0, f"{name}: status {status}: {err[:500]}"):
            return
        files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        self.outputs(name, files)
        try:
            strict.json_of(printed, "what --json prints")
            run = strict.check_run(files)
        except strict.Broken as why:
            self.check(False, f"{name}: {why}")
            return
        self.account(name, run, files, folder)
        self.events(name, run, files, folder)

    def outputs(self, name, files):
        for sink in set(self.sinks) & set(strict.CHECKS):
            try:
                strict.CHECKS[sink](files)
                self.checks += 1
            except (strict.Broken, KeyError) as why:
                self.check(False, f"{name}: sink {sink}: {why!r}")

    def account(self, name, run, files, folder):
        """What run.json says of files, against the files."""
        said = {o["name"]: (o["size_bytes"], o["sha256"]) for o in run["outputs"]}
        there = {n: (len(d), hashlib.sha256(d).hexdigest()) for n, d in files.items()
                 if n != "run.json" and not n.startswith("dump/")}
        said = {n: v for n, v in said.items() if not n.startswith("dump/")}
        self.check(said == there, f"{name}: run.json has outputs {said}, there are {there}")
        for entry in run["inputs"]:
            path = path_of(folder, entry["name"])
            if path.is_file() and (entry["hash"] or "").startswith("sha256:"):
                data = path.read_bytes()
                self.check((entry["size_bytes"], entry["hash"]) == (len(data), "sha256:" + hashlib.sha256(data).hexdigest()),
                           f"{name}: {entry['name']}: size or hash")
        read = sum(entry["events"] for entry in run["inputs"] if entry["source"]["name"] not in readers.SIDES)
        contents = [s for s in run["stages"] if s["name"] == "contents"][0]
        self.check(read == contents["events_in"], f"{name}: {read} events read, {contents['events_in']} seen")

    def events(self, name, run, files, folder):
        lost = {notice["code"]: notice["count"] for notice in run["notices"]}
        lost_wanted = {}
        for entry in run["inputs"]:
            source = entry["source"]["name"]
            self.seen.add(source)
            if source not in readers.READERS:
                continue
            where = f"{name}: {entry['name']}"
            wanted = readers.READERS[source](path_of(folder, entry["name"]))
            for code, count in wanted.lost.items():
                lost_wanted[code] = lost_wanted.get(code, 0) + count
            count = sum(map(len, wanted.lanes))
            self.check(entry["events"] == count, f"{where}: {entry['events']} events, an independent reader has {count}")
            if self.check(len(entry["lanes"]) == len(wanted.lanes),
                          f"{where}: lanes {entry['lanes']}, an independent reader has {len(wanted.lanes)}"):
                for lane, events in zip(entry["lanes"], wanted.lanes):
                    if source in readers.SIDES:
                        continue  # no stage of the profile asks for what it says
                    self.lane(f"{where}, lane {lane}", files.get(f"dump/contents.{lane}.jsonl", b""), events)
        for code, count in lost_wanted.items():
            self.check(lost.get(code, 0) == count, f"{name}: {code}: {lost.get(code, 0)} reported, {count} left out")

    def lane(self, where, dump, wanted):
        try:
            got = strict.check_dump(dump, where)
        except strict.Broken as why:
            self.check(False, str(why))
            return
        self.check(len(got) == len(wanted), f"{where}: {len(got)} events written, {len(wanted)} in the input")
        for number, (one, event) in enumerate(zip(wanted, got)):
            attrs = event.pop("attrs", [])
            for key in one:
                if key in readers.ATTRIBUTES:
                    event[key] = [value for k, value in attrs if k == key]
            differs = {key: (value, event.get(key)) for key, value in one.items() if event.get(key) != value}
            if not self.check(not differs, f"{where}: event {number}: wanted and got {differs}"[:600]):
                break

    # ---- what goes in comes out

    def round_trip(self, name, folder, file):
        """A trace that no stage changes holds the same values after `convert`."""
        out = self.scratch / "converted.json"
        status, _, err = self.program.run(["convert", "-f", "-o", out, file], cwd=folder)
        if not self.check(status == 0, f"{name}: convert: status {status}: {err[:300]}"):
            return
        before = json.loads(readers.load(folder / file), parse_float=str)
        after = strict.trace_of(out.read_bytes(), f"{name}: {file}")
        before = with_numbers(before if isinstance(before, dict) else {"traceEvents": before})
        self.check({k: v for k, v in before.items()} == after, f"{name}: {file}: convert changed it")

    def merged(self, name, folder, files):
        """Every event of every rank is in the merged trace; only rows about processes are added."""
        out = self.scratch / "merged.json"
        status, _, err = self.program.run(["convert", "-f", "-o", out, *files], cwd=folder)
        if not self.check(status == 0, f"{name}: convert: status {status}: {err[:300]}"):
            return
        count = sum(len(readers.chrome_json(folder / f).lanes[0]) for f in files)
        rows = ("process_name", "process_labels", "process_sort_index")
        events = strict.trace_of(out.read_bytes(), name)["traceEvents"]
        about = sum(1 for e in events if e.get("ph") == "M" and e.get("name") in rows)
        old = sum(1 for f in files for e in readers.chrome_json(folder / f).lanes[0]
                  if e["kind"] == "meta" and e.get("name") in rows)
        self.check(len(events) - about == count - old, f"{name}: merged {len(events)} ({about}), in {count} ({old})")

    def made(self, sink, profile, folder, words):
        """What a sink writes of the results that it is for."""
        out = self.scratch / "made"
        shutil.rmtree(out, ignore_errors=True)
        status, _, err = self.program.run(["run", "-p", profile, "--format", f"json,{self.sinks[sink]}", "-o", out, *words],
                                          cwd=folder)
        if not self.check(status == 0, f"{profile}: status {status}: {err[:500]}"):
            return
        try:
            files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
            self.check(strict.CHECKS[sink](files), f"{profile}: sink {sink} wrote nothing")
        except strict.Broken as why:
            self.check(False, f"{profile}: sink {sink}: {why}")

    def folders(self, source, root):
        """The inputs that a folder is taken to hold."""
        for folder in sorted(p for p in [root, *root.rglob("*")] if p.is_dir()):
            wanted = readers.FOLDERS[source](folder)
            if not wanted:
                continue
            out = self.scratch / "folder"
            shutil.rmtree(out, ignore_errors=True)
            status, _, err = self.program.run(["run", "-p", "info", "-o", out, folder], cwd="/")
            if self.check(status == 0, f"{folder}: status {status}: {err[:300]}"):
                said = [e["name"] for e in json.loads((out / "run.json").read_text())["inputs"]]
                self.seen.add(source)
                self.check(sorted(said) == sorted(map(str, wanted)), f"{folder}: inputs {said}, not {wanted}")


def with_numbers(document):
    """As it is written: a pid that is a text becomes a number, and a row tells its name if none does."""
    numbers, named, events = {}, set(), []
    for event in document["traceEvents"]:
        pid = event.get("pid") if isinstance(event, dict) else None
        if isinstance(pid, str) and not re.fullmatch("[0-9]+", pid):
            event = {**event, "pid": numbers.setdefault(pid, 4000000000 + len(numbers))}
            if event.get("ph") == "M" and event.get("name") == "process_name":
                named.add(pid)
        events.append(event)
    events += [{"ph": "M", "name": "process_name", "pid": number, "args": {"name": pid, "original pid": pid}}
               for pid, number in numbers.items() if pid not in named]
    return {**document, "traceEvents": events}


def sweep(where):
    """A sweep as training leaves it, with all that may lie beside the traces."""
    places = ["{}/pt.trace.json", "{}/trace/a10.json", "{}/trace/a9.json", "{}/trace/customer_trace_3.json"]
    for number, (threads, channels, rank) in enumerate((t, c, r) for t in (512, 1024) for c in (28, 7) for r in (0, 1, 10)):
        path = where / f"{threads}thread/nccl_{channels}channels/torch_profiler/rank{'_' * (rank == 10)}{rank}"
        for place in places[:1 + number % 4]:
            file = pathlib.Path(place.format(path))
            file.parent.mkdir(parents=True, exist_ok=True)
            inputs.write(file, [inputs.slice_("k", number, 1)])
    (where / "tracelens_analysis/512thread").mkdir(parents=True)
    (where / "tracelens_analysis/512thread/report.json").write_text("{")
    (where / "512thread/run.log").write_text("text")
    return where


def odd_names(where):
    """Names of files and events that no output may let through as they are."""
    where.mkdir()
    names = ["=cmd.json", "a,\"b\".json", "tab\there.json", "line\nbreak.json", "\u202egnp.json", "\x1b[31m.json"]
    for number, name in enumerate(names):
        events = [inputs.slice_(text, k, 1) for k, text in enumerate(
            ["=1+1", "\x00nul\x00", "a\r\nb", "\u2028", "\U0001f600", "'", '""', " lead", "\x7f\x9b", "{rank}", "%s%n"])]
        inputs.write(where / name, events, **inputs.rank(number))
    (where / "\udcff.json").write_bytes((where / names[0]).read_bytes())
    return inputs.Kind(where)


def tag_names(where, sample):
    """A card gives the tag "phase", which is also a column of contents-kinds."""
    shutil.copytree(sample, where)
    return inputs.Kind(where, ["."], trace=False)


def make_kinds(program, args, scratch):
    kinds = inputs.make(scratch / "traces", args.kineto_gen, args.aiu_gen)
    kinds.update(records.make(scratch / "records", program.source / "samples"))
    kinds.update(measured.make(scratch / "measured"))
    kinds["odd-names"] = odd_names(scratch / "odd-names")
    kinds["tag-names"] = tag_names(scratch / "tag-names", program.source / "samples" / "moe")
    return kinds


def main():
    parser = argparse.ArgumentParser()
    for name in ("--build", "--source", "--kineto-gen", "--aiu-gen"):
        parser.add_argument(name, required=True)
    args = parser.parse_args()
    program = Program(args.build, args.source)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        differ = Differ(program, scratch)
        differ.every_module()
        kinds = make_kinds(program, args, scratch)
        for name, kind in kinds.items():
            for options in ((), ("-j", "2", "--batch-size", "3")):
                differ.compare(f"{name} {' '.join(options)}".strip(), kind.folder, kind.words, options)
            is_json = kind.trace and not kind.words[0].endswith((".pftrace", "_results.json")) and "=" not in kind.words[0]
            traces = [word for word in kind.words if is_json and "=" not in word]
            for file in itertools.islice(traces, 3):
                differ.round_trip(name, kind.folder, file)
            if len(traces) > 1:
                differ.merged(name, kind.folder, traces)
        differ.made("cpp-table", "allreduce", kinds["allreduce-times"].folder, ["base"])
        differ.made("nccl-tuner", "nccl-tuner", kinds["collectives"].folder, kinds["collectives"].words)
        differ.made("gemm-csv", "gemm-variance", program.source / "samples", ["sweep"])
        for part in ("moe", "serving"):
            differ.folders("workload-card", program.source / "samples" / part)
        differ.folders("sweep-tree", sweep(scratch / "sweep"))
        differ.every_source_seen()
    for what in differ.broken:
        print("FAIL", what.encode("utf-8", "replace").decode())
    print(f"{differ.checks} checks, {len(differ.broken)} failed")
    return bool(differ.broken)


sys.exit(main())
