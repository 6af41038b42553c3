"""Rows of tables that a run has written, against rows that were computed from the same inputs by another program."""
# SPDX-License-Identifier: MIT
import argparse
import csv
import math
import pathlib
import tempfile

from program import Program


def same(found, wanted):
    if wanted is None:
        return found == ""
    if isinstance(wanted, str):
        return found.removeprefix("'") == wanted  # which is there so that no program takes a text for a formula
    try:
        value = float(found) if isinstance(wanted, float) or "." in found or "e" in found else int(found)
    except ValueError:
        return False
    return value == wanted if isinstance(value, int) else math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-9)


class TableTest:
    def __init__(self, program, folder):
        self.program, self.folder, self.compared, self.broken = program, folder, 0, []

    def run(self, name, profile, words, settings=None, formats="csv", without=(), only=None, fine=(0,)):
        """{name of a table: its rows}, without some columns, or of these alone; nothing where the run fails."""
        out = self.folder / "out"
        sets = [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={value}")]
        status, _, err = self.program.run(["run", "-p", profile, "--format", formats, "-o", out, "-f", *sets, *words], cwd=self.folder)
        if status not in fine:
            self.broken.append(f"{name}: status {status}: {err[:400]}")
            return None
        tables = {}
        for path in (out / "tables").glob("*.csv"):
            header, *rows = csv.reader(path.open(newline=""))
            kept = [k for k, column in enumerate(header) if column not in without and (not only or column in only)]
            tables[path.stem] = [[row[k] for k in kept] for row in rows]
        return tables

    def same(self, name, found, wanted):
        self.compared += 1
        if found != wanted:
            self.broken.append(f"{name}: {found!r}, not {wanted!r}")

    def rows(self, name, found, wanted):
        """In order; rows that were found may have more columns in front."""
        self.compared += sum(map(len, wanted)) or 1
        if len(found) != len(wanted):
            self.broken.append(f"{name}: {len(found)} rows, not {len(wanted)}: {found[:3]}, not {wanted[:3]}")
            return
        for number, (one, row) in enumerate(zip(found, wanted)):
            own = one[len(one) - len(row):]
            if not all(map(same, own, row)):
                self.broken.append(f"{name}: row {number}: {own}, not {row}")
                return

    def keyed(self, name, found, wanted, keys):
        """Whatever their order."""
        self.rows(name, sorted(found, key=lambda row: row[:keys]),
                  sorted(wanted, key=lambda row: ["" if v is None else str(v) for v in row[:keys]]))

    def end(self):
        print(*self.broken[:40], sep="\n")
        print(f"{self.compared} numbers compared, {len(self.broken)} differ")
        return bool(self.broken) or not self.compared


def main(make, description, count, check):
    """Tests what each seed makes: check(test, folder, seed); the arguments are those of the test's command line."""
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--build", required=True)
    p.add_argument("--source", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=count)
    p.add_argument("--keep", type=pathlib.Path, help="folder for the inputs")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = a.keep or pathlib.Path(scratch)
        test = make(Program(a.build, a.source), folder)
        for seed in range(a.seed, a.seed + a.count):
            check(test, folder, seed)
    return test.end()
