#!/usr/bin/env python3
"""The layout test sees each kind of change: wrong.py LAYOUT-TEST"""
import subprocess
import sys
import tempfile

TABLES = {  # rows as an older header had them, and whether the present one may follow it
    "a row grew": ("MillOption - 48\nMillOption.type 0 4\n", True),
    "a table of calls grew": ("MillStageHost - 16\nMillStageHost.common 8 8\n", True),
    "nothing changed": ("MillEvent - 64\nMillEvent.sub 62 2\n", True),
    "a frozen struct grew": ("MillEvent - 56\n", False),
    "a list of rows grew": ("MillReadRows - 8\n", False),
    "a struct shrank": ("MillFailure - 4096\n", False),
    "a struct is gone": ("MillColour - 8\n", False),
    "a field moved": ("MillLane.rank 16 8\n", False),
    "a field changed its size": ("MillLane.rank 8 4\n", False),
    "a field is gone": ("MillLane.colour 8 4\n", False),
    "no row": ("", False),
    "not a row": ("MillLane\n", False),
}


def main():
    failed = 0
    for what, (table, fits) in TABLES.items():
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(table)
            file.flush()
            done = subprocess.run([sys.argv[1], file.name], capture_output=True, text=True, check=False)
        if (done.returncode == 0) != fits:
            failed += 1
            print(f"{what}: ended with {done.returncode}: {done.stdout}")
    print(f"{len(TABLES)} tables, {failed} not as expected")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
