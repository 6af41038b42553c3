#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One answer, however it is asked: every profile that fits an input gives the same tables, metrics and notices for the input
written in other ways, and `stagemill metric` gives the numbers of `stagemill run`."""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import inputs  # noqa: E402
import rewrites  # noqa: E402
from program import Program  # noqa: E402

# What may differ: (rewrite, profile or "", table or notice or ""): columns, none for all of it, and the reason.
IN_FILE_ORDER = "frequencies are estimated from neighbours in the order of the file, before anything is sorted"
WHOLE_WIDTHS = "intervals begin at whole multiples of their width, so that those of all ranks fit each other"
IN_THE_FILE = "it shows what is in the file: kinds of events, and how many"
REASONS = {
    ("begins and ends", "info", ""): (None, IN_THE_FILE),
    (rewrites.TODAY, "info", ""): (None, IN_THE_FILE),
    ("begins and ends", "aiu-verify", ""): (None, "it judges the file as it is written, phase by phase"),
    ("events in another order", "aiu-verify", ""): (None, "it judges the order of the file"),
    ("begins and ends", "", "gemm-ops"): ({"ordinal"}, "it is the place of the operator in the file"),
    ("events in another order", "", "gemm-ops"): ({"ordinal"}, "it is the place of the operator in the file"),
    ("begins and ends", "aiu-verify", "frequencies"): (None, IN_FILE_ORDER),
    ("begins and ends", "", "frequencies"): ({"values", "min", "mean", "max"}, IN_FILE_ORDER),
    ("events in another order", "", "frequencies"): (None, IN_FILE_ORDER),
    ("begins and ends", "", "ovc"): ({"pairs"}, IN_FILE_ORDER),
    ("events in another order", "", "ovc"): ({"pairs", "estimated"}, IN_FILE_ORDER),
    ("events in another order", "", "critical-events"): ({"name"}, "of slices of one begin and length the first in the file counts"),
    ("events in another order", "", "FREQ-07"): (None, IN_FILE_ORDER),
    ("two files of a rank", "aiu-verify", ""): (None, "it judges each file"),
    ("two files of a rank", "", "RUN-37"): (None, "files without events are copies of each other"),
    ("two files of a rank", "", "frequencies"): ({"values", "min", "mean", "max"}, IN_FILE_ORDER),
    ("two files of a rank", "", "ovc"): ({"pairs"}, IN_FILE_ORDER),
    ("another origin of time", "", "activity"): (None, WHOLE_WIDTHS),
    ("another origin of time", "", "power-series"): (None, WHOLE_WIDTHS),
    (rewrites.TODAY, "", "activity"): (None, WHOLE_WIDTHS),
    (rewrites.TODAY, "", "power-series"): (None, WHOLE_WIDTHS),
}


def reason(rewrite, profile, thing):
    for key in ((rewrite, profile, thing), (rewrite, "", thing), (rewrite, profile, "")):
        if key in REASONS:
            return REASONS[key]
    return None


def samples(source, folder):
    """Kinds of inputs that are no traces, with JSON in them."""
    kinds = {}
    for name, words in (("serving", ["."]), ("moe", ["."]), ("sweep", ["."]), ("aiu", ["rank0.json", "rank1.json", "rank2.json"])):
        shutil.copytree(source / "samples" / name, folder / name)
        kinds["samples/" + name] = inputs.Kind(folder / name, words, trace=False)
    return kinds


def cells(table):
    names = [c["name"] for c in table["columns"]]
    return [dict(zip(names, row)) if isinstance(row, list) else row for row in table["rows"]]


def metric_key(m):
    return json.dumps([m.get(k) for k in ("name", "stat", "rank", "lane", "group", "tags", "stage", "per")], sort_keys=True)


def account_is_open(folder):
    """Why what was read and made is not what was used and left out; None: it is."""
    account = json.loads((folder / "run.json").read_text())["events"]
    left_out = account["left_out"]
    closes = account["read"] + account["made"] == account["used"] + sum(left_out.values())
    return None if closes and not left_out["failed"] else account


class Result:
    """What a run found, by names."""

    def __init__(self, folder):
        summary = json.loads((folder / "summary.json").read_bytes().replace(b".json.gz", b".json"))
        self.tables = {t["name"]: cells(t) for t in summary["tables"]}
        self.metrics = {metric_key(m): m for m in summary["metrics"]}
        self.notices = {n["code"]: n.get("count") for n in summary["notices"]}


def same_cell(a, b, shift_ns):
    if a == b:
        return True
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (a, b))
    if not numbers:
        return False
    if isinstance(a, float) or isinstance(b, float):  # sums of the same numbers in another order
        return abs(a - b) <= 1e-9 * max(abs(a), abs(b)) or abs(b - a - shift_ns) <= 1e-6 * shift_ns
    return b - a == shift_ns


def same_value(a, b, shift_ns):
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return all(same_value(a[k], b[k], shift_ns) for k in a)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return all(same_value(x, y, shift_ns) for x, y in zip(a, b))
    return same_cell(a, b, shift_ns)


def without(rows, columns):
    return [{k: v for k, v in row.items() if k not in columns} for row in rows]


def first_pair(a, b, shift_ns):
    if not isinstance(a, list) or not isinstance(b, list) or len(a) != len(b):
        return a, b
    x, y = next((x, y) for x, y in zip(a, b) if not same_value(x, y, shift_ns))
    changed = [k for k in x if not same_value(x[k], y.get(k), shift_ns)]
    return {k: x[k] for k in changed}, {k: y.get(k) for k in changed}


def differences(one, other, shift_ns):
    """Of each thing that differs: its name, both values, and what to say."""
    for what in ("tables", "metrics", "notices"):
        a, b = getattr(one, what), getattr(other, what)
        for name in sorted(set(a) | set(b)):
            x, y = a.get(name), b.get(name)
            if not same_value(x, y, 0 if what == "notices" else shift_ns):
                yield name, x, y


class Tester:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.failures = []
        self.compared = 0
        self.explained = 0

    def result(self, profile, words, cwd):
        out = self.folder / "out"
        status, _, err = self.program.run(["run", "-p", profile, "-f", "-o", out, "--format", "json", *words], cwd=cwd)
        if status:
            return status, err
        account = account_is_open(out)
        if account:
            self.failures.append(f"{profile} {words}: the account of events does not close: {account}")
        return 0, Result(out)

    def rewritten(self, kind, name):
        """The same kind, rewritten; None: there is nothing to rewrite."""
        if name == rewrites.SPLIT and any(w not in map(str, os.listdir(kind.folder)) for w in kind.words):
            return None  # labels and folders say where each file belongs
        folder = self.folder / "rewritten" / kind.folder.name  # names of folders stand in results
        shutil.rmtree(folder.parent, ignore_errors=True)
        shutil.copytree(kind.folder, folder)
        changed = False
        for file in kind.files:
            out = folder / file.relative_to(kind.folder)
            if out.suffix != ".json" or out.name == "truth.json":
                continue
            done = rewrites.rewrite(name, file, out)
            changed = changed or done
            if done and name == "gzip":
                out.unlink()
        return folder if changed else None

    def words(self, kind, name, folder):
        if name == rewrites.SPLIT:
            more = [rewrites.second_half(w) for w in kind.words]
            return ["--join-ranks", *kind.words, *(w for w in more if (folder / w).exists())]
        if name != "gzip":
            return kind.words
        return [w + ".gz" if w.endswith(".json") else w for w in kind.words]

    def compare(self, label, kind, name, profile, wanted, folder):
        status, got = self.result(profile, self.words(kind, name, folder), folder)
        self.compared += 1
        if status != wanted[0]:
            self.failures.append(f"{label}: status {status}, not {wanted[0]}: {got if status else wanted[1]}")
        elif status == 0:
            shift_ns = 1000 * rewrites.SHIFTS_US.get(name, 0)
            for thing, x, y in differences(wanted[1], got, shift_ns):
                columns, why = reason(name, profile, thing) or (set(), None)
                if columns is None or (why and same_value(without(x, columns), without(y, columns), shift_ns)):
                    self.explained += 1
                    continue
                shown = first_pair(x, y, shift_ns) if isinstance(x, list) else (x, y)
                self.failures.append(f"{label}: {thing}: {json.dumps(shown[0])[:500]} is {json.dumps(shown[1])[:500]}")

    def kind(self, kind_name, kind, only, one_of):
        wanted = {}
        for profile in sorted(kind.seen(self.program)["profiles"]):
            if not only or profile in only:
                wanted[profile] = self.result(profile, kind.words, kind.folder)
        for number, name in enumerate(rewrites.NAMES):
            folder = self.rewritten(kind, name)
            for profile, result in [*wanted.items()][number % one_of::one_of] if folder else ():
                self.compare(f"{kind_name}, {profile}, {name}", kind, name, profile, result, folder)
        return wanted

    def metrics(self, kind_name, kind, wanted):
        """Of the profile that `run` takes by itself."""
        out = self.folder / "out"
        status, _, err = self.program.run(["run", "-f", "-o", out, "--format", "json", *kind.words], cwd=kind.folder)
        if status:
            return
        summary = json.loads((out / "summary.json").read_bytes())
        for m in summary["metrics"]:
            if m.get("rank") is not None or m.get("lane") is not None or m.get("group") or m.get("tags"):
                continue
            self.metric(f"{kind_name}, {summary['profile']}, metric {m['name']}", m, kind)

    def metric(self, label, m, kind):
        word = m["name"] + ("." + m["stat"] if m.get("stat") else "")
        status, out, err = self.program.run(["metric", "--json", word, *kind.words], cwd=kind.folder)
        self.compared += 1
        if m.get("value") is None:
            if status != 3:
                self.failures.append(f"{label}: status {status}, though it does not apply")
        elif status:
            self.failures.append(f"{label}: status {status}: {err[:300]}")
        else:
            got = json.loads(out)
            value = got.get("value", got) if isinstance(got, dict) else got
            if not same_value(m["value"], value, 0):
                self.failures.append(f"{label}: {value}, and run says {m['value']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--kineto-gen", required=True)
    parser.add_argument("--aiu-gen", required=True)
    parser.add_argument("--one-of", type=int, default=1, metavar="N", help="each rewrite with every Nth profile")
    parser.add_argument("--kind", action="append", help="only these inputs")
    parser.add_argument("--profile", action="append", help="only these profiles")
    args = parser.parse_args()
    source = pathlib.Path(args.source).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        kinds = inputs.make(folder / "made", os.path.abspath(args.kineto_gen), os.path.abspath(args.aiu_gen))
        kinds |= samples(source, folder / "samples")
        tester = Tester(Program(args.build, source), folder)
        for name, kind in kinds.items():
            if args.kind and name not in args.kind:
                continue
            wanted = tester.kind(name, kind, args.profile, args.one_of)
            if not args.profile:
                tester.metrics(name, kind, wanted)
    for failure in tester.failures:
        print("FAIL", failure)
    print(f"{tester.compared} answers compared, {tester.explained} differences with a reason, {len(tester.failures)} without")
    return bool(tester.failures)


sys.exit(main())
