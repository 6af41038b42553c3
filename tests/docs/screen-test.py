#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people see is never wider than their screen, and every sentence says something: screen-test.py SOURCE-ROOT DOCUMENT...

Every command of the documents and of help and every list is shown in 60, 80 and 200 columns, on a terminal and where
COLUMNS alone says how wide it is; every page and explanation in 60, where most must be broken, and some in the others.  Whether commands do what the documents say is the matter of
docs-test.py; here only what they print is looked at."""
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
from shown import show  # noqa: E402
SPEC = importlib.util.spec_from_file_location("docs_test", HERE / "docs-test.py")
docs_test = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(docs_test)

SCREENS = [(60, True), (80, False), (200, True)]  # columns, and whether it is a terminal
NARROWEST = SCREENS[0][0]
PAGES_OF_OTHERS = 8  # every eighth page on wider screens
# What programs read, whatever its width.
FOR_PROGRAMS = {"--json", "--markdown", "--dot", "--man", "completion", "__complete", "schema", "metric"}
ODD = [
    r"had less company", r"folded by a tag that no lane has", r"does not apply to *$", r"is passed by",
    r"every stage is off until an option turns it on", r"\b1 (events|inputs|stages|rows|tables|metrics|files|kinds)\b",
    r'did you mean "to"', r"[0-9]\.[0-9]{7,}", r"stagemill probe", r"\{count\}|\{lane\}", r"\[[a-z]*\|[a-z]*\]",
    r"\(null\)", r"  +$", r"kinds? of warning \(",
]
# A code stands in brackets with its sentence behind it, or behind "explain".
BARE_CODE = re.compile(r"(?<!explain )(?<![\w[.-])[A-Z]{3,6}-[0-9]{2}\b|\[[A-Z]{3,6}-[0-9]{2}\](?!: \S)")
RUNS = {"run", "info", "demo", "convert", "plan"}

# Stands in for the program: does as it does, and writes down what it printed.
SHIM = '''#!{python}
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, {here!r})
from shown import show
out, err, status = show([{program!r}, *sys.argv[1:]], {columns}, {terminal})
with open({log!r}, "a") as file:
    file.write(json.dumps([sys.argv[1:], (out + err).decode("utf-8", "replace"), status]) + "\\n")
sys.stdout.buffer.write(out)
sys.stderr.buffer.write(err)
sys.exit(status if status >= 0 else 128 - status)
'''


class Quiet(docs_test.Document):
    def fail(self, block, problem, *more):
        pass

    def compare(self, block, printed):
        pass


def is_too_wide(line, columns):
    """Where there was a blank to break it at; what is to be typed, and a record of the log, stays in one line."""
    indent = len(line) - len(line.lstrip())
    if len(line) <= columns or re.match(r" *(next: |stagemill )|\d{4}-\d\d-\d\dT", line):
        return False
    return " " in line[indent:columns] and len(line.split()[-1]) <= columns / 2


def problems_of(args, text, status, columns):
    if status == 70 or status < 0:
        yield f"ended with {status}"
    if FOR_PROGRAMS & {a.split("=")[0] for a in args} or "-" in args:
        return
    for line in text.split("\n"):
        if is_too_wide(line, columns):
            yield f"{len(line)} wide: {line}"
    for pattern in ODD:
        for found in re.findall(f"(?m)^.*(?:{pattern}).*$", text + "\n"):
            yield f"odd ({pattern}): {found if isinstance(found, str) else text}"
    if args and (args[0] in RUNS or "." in args[0]):
        for found in BARE_CODE.finditer(re.sub(r"\n +", " ", text)):
            yield f"a code without its sentence: {found[0]}"


def ask(*args):
    return subprocess.run(["stagemill", *args], capture_output=True, text=True, check=False).stdout


def examples_of(page):
    """The command lines of the section Examples."""
    section = page.split("\nExamples\n", 1)[-1].split("\n\n", 1)[0]
    for line in section.splitlines():
        command = re.split(r" {2,}|:$", line.strip())[0]
        if command.startswith("stagemill ") and not re.search(r"[<>|$]", command):
            yield shlex.split(command)[1:]


def pages(columns):
    """Every list there is, and pages and explanations."""
    commands = [w.split("\t")[0] for w in ask("__complete", "help", "").splitlines()]
    every = [["help"], ["help", "exit"], ["doctor"], ["nothing"], ["run"], ["run", "--nothing"], ["validate", "kernels", "aiu"]]
    every += [["help", c] for c in commands]
    for kind in ("stages", "sources", "sinks", "profiles", "metrics", "facts"):
        every.append(["list", kind])
    alike = [["explain", w.split("\t")[0]] for w in ask("__complete", "explain", "").splitlines()]
    for kind in ("stage", "source", "sink", "profile"):
        alike += [["show", f"{kind}/{m['name']}"] for m in json.loads(ask("list", kind + "s", "--json"))]
    every += alike if columns == NARROWEST else alike[::PAGES_OF_OTHERS]
    return every, [example for c in commands for example in examples_of(ask("help", c))]


def prepare(folder, root):
    """What the examples of help name."""
    shutil.copytree(root / "samples", folder / "samples")
    for rank in (0, 1):
        shutil.copy(root / "samples" / "kineto" / f"rank{rank}.json", folder / f"rank{rank}.json")
    subprocess.run(["gzip", "-k", "rank0.json"], cwd=folder, check=True)
    shutil.copytree(root / "samples" / "serving", folder / "runs")


def show_all(root, documents, columns, terminal, program):
    """Everything once, on one kind of screen; what is wrong with it."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        (scratch / "bin").mkdir()
        log, shim = scratch / "log", scratch / "bin" / "stagemill"
        shim.write_text(SHIM.format(python=sys.executable, here=str(HERE), columns=columns, terminal=terminal, program=program,
                                    log=str(log)))
        shim.chmod(0o755)
        every, examples = pages(columns)
        os.environ["PATH"] = f"{scratch / 'bin'}:{os.environ['PATH']}"
        for name in documents:
            work = scratch / name.replace("/", "-")
            work.mkdir()
            shutil.copytree(root / "samples", work / "samples")
            Quiet(root / name, work).play()
        prepare(scratch / "bin", root)
        os.environ["PATH"] = os.environ["PATH"].split(":", 1)[1]
        shown = [json.loads(line) for line in log.read_text().splitlines()]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            made = pool.map(lambda args: (args, *show([program, *args], columns, terminal, cwd=scratch / "bin")), every)
        for args in examples: # they write files: one after the other
            made = [*made, (args, *show([program, *args], columns, terminal, cwd=scratch / "bin"))]
        shown += [(args, (out + err).decode("utf-8", "replace"), status) for args, out, err, status in made]
    found = {f"stagemill {shlex.join(args)}: {p}" for args, text, status in shown for p in problems_of(args, text, status, columns)}
    return len(shown), found


def main():
    root, documents = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    program = shutil.which("stagemill")
    n_shown = n_problems = 0
    for columns, terminal in SCREENS:
        n, found = show_all(root, documents, columns, terminal, program)
        n_shown += n
        n_problems += len(found)
        for problem in sorted(found):
            print(f"{columns} columns{', a terminal' if terminal else ''}: {problem}")
    print(f"{n_shown} commands shown, {n_problems} problems")
    return n_problems > 0 or n_shown < 600


if __name__ == "__main__":
    sys.exit(main())
