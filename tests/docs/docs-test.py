#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does what the documents say: docs-test.py [--no-page] SOURCE-ROOT DOCUMENT...

Each document gets an empty folder beside a copy of samples/.  Its fenced blocks are taken in order:
  ```sh             is run, in the folder where the one before it ended; must end with 0
  ```sh norun       is not
  ```sh status=5    must end with that status
  ```c file=NAME    (or any language) is written to that file
  ```text           right behind a command block: what it must have printed on standard output
With --no-page for a build without the page of reports: what it says instead is no difference.
In expected text a line "..." stands for any lines, "..." inside of a line for any text.  Times,
sizes of memory and the folder's path are made alike before."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\S*)[ \t]*([^\n]*)\n(.*?)^```[ \t]*$", re.M | re.S)
ALIKE = [
    (re.compile(r"\b\d[\d,.]*( (?:ns|us|ms|s|min))(?= · peak)"), r"TIME"),
    (re.compile(r"peak [\d.]+ [KMG]iB"), "peak SIZE"),
    (re.compile(r"\b\d+\.\d+s\b"), "TIME"),
    (re.compile(r"[ \t]+$", re.M), ""),
]


# What is said where a profile would have its page, and the page among what was written.
NO_PAGE = [
    (re.compile(r"^warning\[RUN-28\]: 1 format was left out \(first: html.*\n(  .*\n)*", re.M), ""),
    (re.compile(r"^next: stagemill explain RUN-28\n?", re.M), ""),
    (re.compile(r"(?<=   )report\.html(  |$)", re.M), ""),
]


class Block:
    def __init__(self, match, text):
        self.language, self.marks, self.body = match.groups()
        self.line = text.count("\n", 0, match.start()) + 1

    def mark(self, name):
        found = re.search(rf"\b{name}=(\S+)", self.marks)
        return found and found.group(1)


def blocks_of(document):
    text = document.read_text(encoding="utf-8")
    return [Block(match, text) for match in FENCE.finditer(text)]


def alike(text, work):
    text = text.replace(str(work), ".")
    for pattern, word in ALIKE:
        text = pattern.sub(word, text)
    return text.strip("\n")


def as_pattern(wanted):
    """A regular expression for expected text; what stands for any lines may stand for none."""
    lines = []
    for line in wanted.split("\n"):
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(re.escape(line).replace(r"\.\.\.", ".*") + r"\n")
    return re.compile("".join(lines))


class Document:
    def __init__(self, path, work):
        self.path, self.work, self.folder = path, work, work
        self.n_run = self.n_failed = 0

    def fail(self, block, problem, *more):
        self.n_failed += 1
        print(f"{self.path.name}:{block.line}: {problem}", *more, sep="\n")

    def run(self, block):
        self.n_run += 1
        place = self.work / ".folder"
        script = f"{block.body}\npwd >'{place}'\n"
        try:
            done = subprocess.run(["sh", "-euc", script], cwd=self.folder, capture_output=True,
                                  text=True, check=False, timeout=120, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return self.fail(block, "did not end", block.body)
        wanted = int(block.mark("status") or 0)
        warned = "--strict" in block.body and "error[RUN-28]" in done.stderr and NO_PAGE[0] in ALIKE
        if done.returncode != wanted and not (warned and done.returncode == 3):
            self.fail(block, f"ended with {done.returncode}, not {wanted}", block.body, done.stdout,
                      done.stderr)
        if place.exists():
            self.folder = pathlib.Path(place.read_text(encoding="utf-8").strip())
        return done.stdout

    def compare(self, block, printed):
        got, wanted = alike(printed, self.work), alike(block.body, self.work)
        if not as_pattern(wanted).fullmatch(got + "\n"):
            self.fail(block, "printed something else", "--- said", wanted, "--- printed", got)

    def play(self):
        printed = None
        for block in blocks_of(self.path):
            name = block.mark("file")
            if name:
                (self.folder / name).write_text(block.body, encoding="utf-8")
            if block.language == "sh":
                printed = None if "norun" in block.marks.split() else self.run(block)
            elif block.language == "text" and printed is not None:
                self.compare(block, printed)
                printed = None


def main():
    os.environ.pop("COLUMNS", None)  # what is expected is as wide as in a pipe
    if sys.argv[1] == "--no-page":
        ALIKE.extend(NO_PAGE)
        del sys.argv[1]
    root = pathlib.Path(sys.argv[1]).resolve()
    n_run = n_failed = 0
    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as scratch:
            work = pathlib.Path(scratch).resolve()
            shutil.copytree(root / "samples", work / "samples")
            document = Document(root / name, work)
            document.play()
            n_run += document.n_run
            n_failed += document.n_failed
    print(f"{n_run} command blocks, {n_failed} problems")
    return n_failed > 0 or n_run == 0


if __name__ == "__main__":
    sys.exit(main())
