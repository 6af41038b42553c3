"""Runs the program on inputs with and without a planted cause, and looks at what it finds."""
# SPDX-License-Identifier: MIT
import json
import pathlib
import subprocess
import sys
import tempfile

GEN = pathlib.Path(__file__).resolve().parent.parent / "gen"


def generate(name, *words):
    subprocess.run([sys.executable, GEN / f"{name}.py", *map(str, words)], check=True)


class Case:
    """A folder for inputs and results of one run."""

    def __init__(self, program):
        self.program = program
        self.room = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.room.name)

    def run(self, profile, *words):
        """The findings; the evidence of each is looked up."""
        out = self.folder / "out"
        command = [self.program, "run", "-p", profile, *map(str, words), "-o", out, "--format", "json", "--force"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "RUN-36" not in done.stderr, done.stderr
        summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
        for finding in summary["findings"]:
            check(finding, summary)
        return summary["findings"]


def has_row(summary, evidence):
    """Whether a table has a row with these keys."""
    for table in summary["tables"]:
        if table["name"] == evidence["table"]:
            return any(all(row.get(key) == value for key, value in evidence["keys"].items()) for row in table["rows"])
    return False


def check(finding, summary):
    assert len(finding["text"]) <= 160 and any(c.isdigit() for c in finding["text"]), finding
    assert finding["advice"] and "\n" not in finding["advice"], finding
    assert finding["evidence"], finding
    for item in finding["evidence"]:
        assert has_row(summary, item), (finding, item)


def first(findings, name):
    assert findings and findings[0]["name"] == name, (name, findings)
    return findings[0]


def near(value, truth, within=0.25):
    assert abs(value - truth) <= within * truth, (value, truth)


def main(tests):
    """Each gets a case of its own; words of the command line choose some by name."""
    program, chosen = sys.argv[1], sys.argv[2:]
    for test in tests:
        if chosen and test.__name__ not in chosen:
            continue
        case = Case(program)
        try:
            test(case)
        except AssertionError:
            print(f"{test.__name__} fails", flush=True)
            raise
        print(f"{test.__name__}: ok", flush=True)
