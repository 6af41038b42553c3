"""Rows about files for other programs: ./dev bench results.  What a large table costs."""
# SPDX-License-Identifier: MIT

import os
import sys

from held import Contest, in_memory, peak
from result import Result, at_least, busy_note

ROWS_OF_TABLE = 200000
# Debian's python3-openpyxl belongs to the system's own Python.
PYTHONS = ["/usr/bin/python3", sys.executable]
OPENPYXL = """
import sys
from openpyxl import Workbook
book = Workbook(write_only=True)
sheet = book.create_sheet("t")
for row in range(int(sys.argv[1])):
    sheet.append([f"kernel {row % 1000}", *(row * 7919 + i for i in range(1, 5)), *(row * 1.37 + i for i in range(5, 10))])
book.save(sys.argv[2])
"""


def xlsx(bench):
    """A table of 200,000 x 10 cells as a workbook, against openpyxl's write-only mode."""
    out = os.path.join(in_memory(bench), f"bench-{os.getpid()}.xlsx")
    ours = [os.path.join(bench.tools, "workbook"), str(ROWS_OF_TABLE), out]
    python = next((p for p in PYTHONS if os.path.exists(p) and os.system(f"{p} -c 'import openpyxl' 2>/dev/null") == 0), None)
    commands = {"ours": lambda: bench.machine.run(ours)}
    if python:
        commands["openpyxl"] = lambda: bench.machine.run([python, "-c", OPENPYXL, str(ROWS_OF_TABLE), out])
    try:
        contest = Contest(bench, commands, rounds=3)
    finally:
        if os.path.exists(out):
            os.unlink(out)
    what = f"xlsx, {ROWS_OF_TABLE:,} x 10 cells"
    memory = peak(f"{what}, memory", contest.peaks["ours"], 32)
    if not python:
        return [Result(what, "at least 2.5x", "no openpyxl", None, ["apt-get install python3-openpyxl"]), memory]
    return [at_least(f"{what}, openpyxl / ours", contest.ratio("openpyxl", "ours"), 2.5, busy_note(contest.free)), memory]


ROWS = {"xlsx": xlsx}
