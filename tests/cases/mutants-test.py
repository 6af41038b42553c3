#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cases that `new stage` makes find what an author may get wrong: mutants-test.py PROGRAM HEADERS

Each mutant of the stage differs in a few words and must fail `stagemill test`."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, HEADERS = map(os.path.abspath, sys.argv[1:3])
OPEN = "  s->host = host;\n"
PROCESS = "  State *s = instance;\n  for"
REPORT = "  const CountRow row"
MUTANTS = {
    # what it computes
    "the limit itself is over it": ("e->dur_ns <= s->options", "e->dur_ns < s->options"),
    "nothing is over the limit": ("e->dur_ns <= s->options", "e->dur_ns >= 0 || e->dur_ns <= s->options"),
    "all is over the limit": ("if (e->dur_ns <= s->options.limit_ns) continue;", ""),
    "the whole duration": ("e->dur_ns - s->options.limit_ns)", "e->dur_ns)"),
    "the limit, not what is beyond": ("e->dur_ns - s->options.limit_ns)", "s->options.limit_ns)"),
    "the wrong sign": ("e->dur_ns - s->options.limit_ns)", "s->options.limit_ns - e->dur_ns)"),
    "no unit": ("e->dur_ns - s->options.limit_ns)", "(e->dur_ns - s->options.limit_ns) / 1000)"),
    "twice the limit": ("s->options = *(const Options *)options;", "s->options.limit_ns = 2 * ((const Options *)options)->limit_ns;"),
    "another kind": ("e->kind != MILL_SLICE", "e->kind != MILL_COUNTER"),
    "no slice counts": ("    s->slices++;\n", ""),
    "slices count twice": ("s->slices++;", "s->slices += 2;"),
    "marked are not counted": ("    s->marked++;\n", ""),
    "the last event is left out": ("i < b->n_events", "i + 1 < b->n_events"),
    "the first event is left out": ("uint32_t i = 0;", "uint32_t i = 1;"),
    "only the first event": ("if (status < 0) return status;", "return status;"),
    "the wrong event": ("set(s->host, b, i,", "set(s->host, b, b->n_events - 1 - i,"),
    "columns are exchanged": ("{ s->slices, s->marked }", "{ s->marked, s->slices }"),
    "no row": ("return mill_row(s->host, TABLE_COUNTS, &row);", "return row.slices < 0;"),
    "two rows": ("return mill_row", "mill_row(s->host, TABLE_COUNTS, &row);\n  return mill_row"),
    "the option is not taken": ("s->options = *(const Options *)options;", "s->options.limit_ns = 1000000;"),
    # the contract
    "a misspelt attribute": ('intern(host->common, "over_by", strlen("over_by"))', 'intern(host->common, "overby", 6)'),
    "a misspelt fact": ('"attr.over_by"', '"attr.overby"'),
    "claims to change nothing": (".scope = MILL_SCOPE_LANE,", ".scope = MILL_SCOPE_LANE, .flags = MILL_READ_ONLY,"),
    "drops without saying so": ("s->slices++;", "s->slices++;\n    mill_drop(&mill_events(b)[i]);"),
    "writes past set": ("s->slices++;", "s->slices++;\n    mill_events(b)[i].dur_ns++;"),
    "prints": (PROCESS, "  printf(\"here\\n\");\n" + PROCESS),
    "asks the environment": (OPEN, OPEN + '  if (getenv("GAPS_LIMIT")) return -1;\n'),
    "keeps state in the file": ("    s->slices++;", "    static int64_t n;\n    s->slices += ++n > 0 ? n : 0;"),
    "depends on batches": (PROCESS, "  ((State *)instance)->slices = 0;\n" + PROCESS),
    "returns a positive status": ("  return 0;\n}\n\ntypedef struct CountRow", "  return 1;\n}\n\ntypedef struct CountRow"),
    "fails silently": (REPORT, "  if (s->slices > 1) return -1;\n" + REPORT),
    "returns what is no failure": ("if (status < 0) return status;", "if (status < 0) return 0;\n    return -5;"),
    "crashes": (PROCESS, "  if (b->n_events > 1) abort();\n" + PROCESS),
    "exits": (PROCESS, "  if (b->n_events > 1) exit(0);\n" + PROCESS),
    "changes the folder": (OPEN, OPEN + '  if (chdir("/")) return -1;\n'),
    "reads past the events": ("i < b->n_events", "i <= b->n_events"),
}


def play(folder, source, name, change):
    own = folder / "".join(c if c.isalnum() else "-" for c in name)
    own.mkdir()
    text = source.read_text(encoding="utf-8")
    if change[0] not in text:
        return f"{name}: the stage has no {change[0]!r}"
    changed = own / "acme.gaps.c"
    changed.write_text("#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n" + text.replace(*change, 1), encoding="utf-8")
    subprocess.run(["cc", "-std=gnu11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-I", HEADERS, "-o", own / "acme.gaps.so", changed],
                   check=True)
    done = subprocess.run([PROGRAM, "test", own / "acme.gaps.so", source.with_suffix(".cases")], capture_output=True, text=True,
                          errors="replace", timeout=120, check=False)
    wanted = 0 if change[0] == change[1] else 1
    return None if done.returncode == wanted else f"{name}: status {done.returncode}, not {wanted}\n{done.stdout}{done.stderr}"


def main():
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        subprocess.run([PROGRAM, "new", "stage", "acme/acme.gaps"], cwd=folder, check=True, capture_output=True)
        source = folder / "acme-gaps" / "acme.gaps.c"
        cases = {"as it is": (OPEN, OPEN), **MUTANTS}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [said for said in pool.map(lambda case: play(folder, source, *case), cases.items()) if said]
    print(*wrong, f"{len(MUTANTS)} mutants, {len(wrong)} not as expected", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
