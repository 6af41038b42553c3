"""Rows about pictures and comparisons: ./dev bench results.  What they take, against matplotlib and pandas."""
# SPDX-License-Identifier: MIT

import csv
import json
import os
import shutil
import subprocess

from held import Contest, in_memory
from result import Result, at_least, busy_note

FIGURES = 10
ROWS_OF_TABLE = 20000  # of ten cells each: 200,000
PYTHONS = ["/usr/bin/python3", "python3"]
KINDS = [("bar", {"x": "name", "y": "total", "top": 25}), ("ranked", {"x": "name", "y": "total", "top": 25}),
         ("scatter", {"x": "total", "y": "calls"}), ("box", {"x": "rank", "y": "total"}), ("histogram", {"x": "median"})]

DRAW = """
import csv, sys
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plot
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
total, calls, median = ([float(r[c]) for r in rows] for c in ("total_ns", "calls", "median_ns"))
names = [r["name"][:40] for r in rows]
order = sorted(range(len(rows)), key=lambda i: -total[i])[:25]
for k in range(int(sys.argv[3])):
    figure, axes = plot.subplots(figsize=(12, 7), dpi=200)
    if k % 5 == 0: axes.bar([names[i] for i in order], [total[i] for i in order])
    elif k % 5 == 1: axes.barh([names[i] for i in order], [total[i] for i in order])
    elif k % 5 == 2: axes.scatter(total, calls)
    elif k % 5 == 3: axes.boxplot([total, total])
    else: axes.hist(median)
    axes.set_title(f"picture {k}")
    figure.savefig(f"{sys.argv[2]}/{k}.{sys.argv[4]}")
    plot.close(figure)
"""

MERGE = """
import pandas, sys
base, new = (pandas.read_csv(path) for path in sys.argv[1:3])
both = base.merge(new, on="name", how="outer", suffixes=("_base", "_new"), indicator=True)
for column in base.columns[1:]:
    both[column + "_change"] = (both[column + "_new"] - both[column + "_base"]) / both[column + "_base"] * 100
changed = both[(both.filter(like="_change").abs() > 1).any(axis=1) | (both["_merge"] != "both")]
changed.to_csv(sys.argv[3], index=False)
"""


def python_with(library):
    """The first Python that has it; None: nobody does."""
    for name in PYTHONS:
        path = shutil.which(name)
        if path and not subprocess.run([path, "-c", f"import {library}"], capture_output=True).returncode:
            return path
    return None


def not_installed(what, target, package):
    return Result(what, target, "not installed", None, [f"apt-get install {package}"])


def finished_run(bench):
    """Results with ten figures, nothing drawn yet."""
    figures = [{"use": "kernel-time", "name": f"bench-{k}", "kind": KINDS[k % 5][0], "table": "kernel-time-rank", "title": f"Picture {k}",
                **KINDS[k % 5][1]} for k in range(FIGURES)]
    off = {"use": "kernel-time", "name": "kernel-time", "enabled": False}
    path = bench.profile("pictures", {"inherits": "kernels", "stages": [], "figures": [off, *figures], "formats": ["json", "csv"]})
    folder = os.path.join(in_memory(bench), f"bench-pictures-{os.getpid()}")
    bench.machine.run([bench.program, "run", "-p", path, bench.inputs.kineto(60), "-o", folder, "-f"])
    return folder


def pictures(bench):
    """Ten pictures of 2400 x 1400 against matplotlib."""
    python, wanted = python_with("matplotlib"), (("PNG", "png", 4), ("SVG", "svg", 10))
    if not python:
        for name, _, target in wanted:
            yield not_installed(f"ten pictures, {name}: matplotlib / ours", f"at least {target}x", "python3-matplotlib")
        return
    folder = finished_run(bench)
    out = folder + "-theirs"
    os.makedirs(out, exist_ok=True)
    table = os.path.join(folder, "tables", "kernel-time-rank.csv")
    ours = lambda kind: bench.machine.run([bench.program, "report", folder, "--format", "plot", "-f", "-j1", "--set", f"plot.type={kind}"])
    theirs = lambda kind: bench.machine.run([python, "-c", DRAW, table, out, str(FIGURES), kind])
    try:
        for name, kind, target in wanted:
            c = Contest(bench, {"ours": lambda kind=kind: ours(kind), "theirs": lambda kind=kind: theirs(kind)}, rounds=3, cpus=1)
            yield at_least(f"ten pictures, {name}: matplotlib / ours", c.ratio("theirs", "ours"), target,
                           [f"{c.times['ours']:.2f} s", *busy_note(c.free)])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)


def write_tables(folder, changed):
    """A finished run with one table, and its CSV; every hundredth row is another one where `changed`."""
    os.makedirs(os.path.join(folder, "tables"), exist_ok=True)
    columns = [{"name": "name", "unit": None, "type": "text", "key": True, "brief": True, "help": "Name"}]
    columns += [{"name": f"v{k}", "unit": "ns", "type": "real", "key": False, "brief": k == 1, "help": "Value"} for k in range(1, 10)]
    rows = []
    for i in range(ROWS_OF_TABLE):
        factor = 1.5 if changed and i % 100 == 0 else 1
        rows.append({"name": f"kernel {i}", **{f"v{k}": (i * 7919 % 1000 + k) * factor for k in range(1, 10)}})
    document = {"schema_version": "2.1", "program": {"name": "stagemill", "version": "0.1.0"}, "profile": "bench", "title": "Bench", "inputs": 1,
                "tags": [], "lanes": [], "metrics": [], "definitions": [], "figures": [], "notices": [], "events": 0,
                "tables": [{"name": "table", "help": "Values", "per": "run", "brief_rows": 5, "columns": columns, "rows": rows}]}
    with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
        json.dump(document, file)
    with open(os.path.join(folder, "table.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [c["name"] for c in columns])
        writer.writeheader()
        writer.writerows(rows)


def compared(bench):
    """Two tables of 200,000 cells, 1 % changed, against pandas, which reads both CSV, merges and writes."""
    what, python = "compare, 2 x 200,000 cells: pandas / ours", python_with("pandas")
    if not python:
        yield not_installed(what, "at least 5x", "python3-pandas")
        return
    folders = [os.path.join(bench.scratch, name) for name in ("compare-base", "compare-new")]
    for i, folder in enumerate(folders):
        write_tables(folder, i == 1)
    sides, out = [os.path.join(f, "summary.json") for f in folders], os.path.join(bench.scratch, "compared")
    tables = [os.path.join(f, "table.csv") for f in folders]
    c = Contest(bench, {
        "ours": lambda: bench.machine.run([bench.program, "compare", *sides, "-o", out, "-f", "--format", "csv"]),
        "theirs": lambda: bench.machine.run([python, "-c", MERGE, *tables, out + ".csv"]),
    }, rounds=3)
    yield at_least(what, c.ratio("theirs", "ours"), 5, [f"{c.times['ours'] * 1e3:.0f} ms", *busy_note(c.free)])


ROWS = {"pictures": pictures, "compare": compared}
