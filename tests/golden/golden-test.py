#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whole pipelines: a command line, its inputs, and the files that must come out.

A case is a folder under cases/ with case.json: {"idea": what it shows, "command": words}. The
command runs in the folder; {out} is where it has to write, {samples} where the bundled samples are.
What it writes and prints is compared with expected/, after paths, versions and times were put out
of the way; a status that is not there is 0.  "same": {CASE: names} are files that must be as CASE
has them.  --update rewrites expected/ and says what changed: look at the difference before you
commit it."""
import argparse
import contextlib
import difflib
import gzip
import json
import pathlib
import re
import shutil
import sqlite3
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "property"))
from program import Program  # noqa: E402

# run.json alone holds times, memory and hashes: its keys are looked at by the test of schemas.
LEFT_OUT = {"run.json"}


# What is said where a profile would have its page, in a build that has none.
NO_PAGE = [r"warning\[RUN-28\]: 1 format was left out \(first: html[^\n]*\n(  [^\n]*\n)*", r"next: stagemill explain RUN-28\n",
           r"(?<=   )report\.html(  |$)"]


def has_page(build):
    """Whether it was built with the page of reports."""
    found = json.loads((pathlib.Path(build) / "meson-info" / "intro-buildoptions.json").read_text())
    return {o["name"]: o["value"] for o in found}["html_report"] != "disabled"


def without_page(files):
    for name in ("stdout", "stderr"):
        for said in NO_PAGE:
            files[name] = re.sub(said, "", files.get(name, ""), flags=re.M)
    return files


def asks_for_page(case):
    words = json.loads((case / "case.json").read_text())["command"]
    return any("html" in word for word in words)


def normal(text, replacements):
    for found, name in replacements:
        text = text.replace(found, name)
    text = re.sub(r'"version": ?"[0-9][^"]*"', '"version": "VERSION"', text)
    text = re.sub(r"(stagemill |'version',')[0-9]+\.[0-9.]+[0-9]", r"\1VERSION", text)
    # It has the build of each module in it.
    text = re.sub(r'("plan": ?"sha256:)[0-9a-f]{64}', r"\1PLAN", text)
    text = re.sub(r"· plan [0-9a-f]{8}", "· plan PLAN", text)
    text = re.sub(r"· [0-9.]+ (ns|µs|us|ms|s|min|h) · peak [0-9.]+ [KMG]iB",
                  "· TIME · peak MEMORY", text)
    return text


def workbook(path):
    """Its parts, an element a line."""
    with zipfile.ZipFile(path) as book:
        return "".join(f"==== {name}\n{book.read(name).decode()}".replace("><", ">\n<") for name in book.namelist())


def database(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return "\n".join(db.iterdump()) + "\n"


def read(path):
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")


def data_of(path):
    """What a report shows: the page around it depends on what the build found."""
    page = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return found.group(1) if found else page  # what is expected is the data alone


# What is shown in another way: what goes behind its name, and how.
SHOWN = {".xlsx": (".txt", workbook), ".sqlite": (".sql", database), ".html": ("", data_of)}


def collect(folder, left_out=LEFT_OUT):
    """Every file of a result by name; compressed ones as what they hold, reports as their data."""
    files = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in left_out):
        name = str(path.relative_to(folder))
        more, shown = SHOWN.get(path.suffix, ("", read))
        files[name.removesuffix(".gz") + more] = shown(path)
    return files


def run_case(program, case, scratch):
    """What came out, by name."""
    case_data = json.loads((case / "case.json").read_text())
    out = scratch / case.name
    out.mkdir(parents=True)
    samples = program.source / "samples"
    made = scratch / (case.name + "-made")
    fill = lambda command: [w.format(out=out, samples=samples, made=made) for w in command]
    for command in case_data.get("first", []):
        status, _, messages = program.run(fill(command), cwd=case)
        if status:
            sys.exit(f"{case.name}: {' '.join(command)}: status {status}: {messages}")
    words = fill(case_data["command"])
    if program.isolated and words[0] in ("run", "convert"):
        words += ["--isolate=*", "--verify"]
    env = {"COLUMNS": str(case_data["columns"])} if "columns" in case_data else {}
    status, printed, messages = program.run(words, cwd=case, env=env)
    replacements = [(str(made), "MADE"), (str(out), "OUT"), (str(samples), "SAMPLES"), (str(case), "CASE"),
              (str(program.source), "SOURCE")]
    # A report repeats what the other files say: cases that ask for one look at it.
    asked = any("html" in word or word == "report" for word in words)
    files = collect(out, LEFT_OUT if asked else {*LEFT_OUT, "report.html"})
    files["stdout"] = printed.decode("utf-8")
    files["stderr"] = messages
    files["status"] = f"{status}\n"
    return {name: normal(text, replacements) for name, text in files.items()}


def same_as(case):
    """{name: text} of the files that are as other cases have them."""
    others = json.loads((case / "case.json").read_text()).get("same", {})
    return {name: expected_of(case.parent / other)[name] for other, names in others.items() for name in names}


def expected_of(case):
    own = collect(case / "expected") if (case / "expected").is_dir() else {}
    return {"status": "0\n", **same_as(case), **own}


def compare(case, got, page):
    expected = expected_of(case)
    if not page:
        got, expected = without_page(got), without_page(expected)
    lines = []
    for name in sorted(set(expected) | set(got)):
        old, new = expected.get(name, ""), got.get(name, "")
        if name not in got:
            lines.append(f"{case.name}/{name}: was not written")
        elif name not in expected:
            lines.append(f"{case.name}/{name}: was not expected")
        if old != new:
            lines += list(difflib.unified_diff(old.splitlines(), new.splitlines(),
                                               f"{case.name}/{name} expected",
                                               f"{case.name}/{name} now", lineterm="", n=1))[:60]
    return lines


def update(case, got):
    shutil.rmtree(case / "expected", ignore_errors=True)
    known = {"status": "0\n", **same_as(case)}
    for name, text in got.items():
        if known.get(name) == text:
            continue
        path = case / "expected" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", required=True)
    options.add_argument("--source", default=str(HERE.parent.parent))
    options.add_argument("--update", action="store_true", help="rewrite what is expected")
    options.add_argument("--hash-seed", help="of the program's hash tables; default: random")
    options.add_argument("--program", help="another one than that of the build, with the same results")
    options.add_argument("--isolated", action="store_true", help="stages work in processes of their own, are verified, and give the same")
    options.add_argument("cases", nargs="*", help="names; default: all")
    args = options.parse_args()
    program = Program(args.build, args.source)
    program.isolated = args.isolated
    program.path = str(pathlib.Path(args.program or program.path).resolve())
    if args.hash_seed:
        program.env["STAGEMILL_HASH_SEED"] = args.hash_seed
    failed = 0
    cases = sorted(p for p in (HERE / "cases").iterdir() if (p / "case.json").exists())
    cases = [c for c in cases if not args.cases or c.name in args.cases]
    page = has_page(args.build)
    if args.update and not page:
        sys.exit("what is expected comes from a build with the page of reports")
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases:
            if not page and asks_for_page(case):
                print(f"skipped {case.name}: this build has no page of reports")
                continue
            got = run_case(program, case, pathlib.Path(scratch))
            lines = compare(case, got, page)
            print(f"{'same   ' if not lines else 'CHANGED'} {case.name}")
            print("\n".join(lines), end="\n" if lines else "")
            failed += bool(lines)
            if args.update:
                update(case, got)
    print(f"{len(cases)} cases, {failed} {'rewritten' if args.update else 'differ'}")
    return (bool(failed) and not args.update) or not cases


sys.exit(main())
