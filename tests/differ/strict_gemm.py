"""Reads the CSV files of the sink gemm-csv: their forms, and that they agree with the tables of the same run."""
# SPDX-License-Identifier: MIT
import csv
import io
import re

from broken import Broken, text_of
from summaries import summary_of

TOP = "top5_gemm_kernels_time_variance"
TIMELINES = [f"gpu_timeline_all_configs_{how}.csv" for how in ("mean", "geomean")]


def rows_of(data, what, end):
    text = text_of(data, what)
    if not text.endswith(end) or ("\r" in text) != (end == "\r\n"):
        raise Broken(f"{what}: lines do not end in {end!r}")
    header, *rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len(set(header)) < len(header):
        raise Broken(f"{what}: columns of one name: {header}")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise Broken(f"{what}:{number}: {len(row)} cells, not {len(header)}")
    return header, rows


def check_differences(header, rows, what):
    """us, as differences of the two times beside them; the largest first."""
    places = [header.index(name) for name in ("kernel_time_min_us", "kernel_time_max_us", "time_diff_us")]
    last = float("inf")
    for number, row in enumerate(rows, 2):
        least, most, between = (float(row[place]) for place in places)
        if abs(most - least - between) > 1e-6 or between > last:
            raise Broken(f"{what}:{number}: {most} - {least} is not {between}, or comes after {last}")
        last = between


def check_compared(data, what):
    """Each change is that of the cells before it."""
    header, rows = rows_of(data, what, "\n")
    base = header[1].split("::")[0]
    for number, row in enumerate(rows, 2):
        cells = dict(zip(header, row))
        for name, cell in cells.items():
            change = re.fullmatch(r"(.+)__(\d+thread)_(diff|pct)", name)
            if not change or not cell:
                continue
            old, new = float(cells[f"{base}::{change[1]}"]), float(cells[f"{change[2]}::{change[1]}"])
            wanted = new - old if change[3] == "diff" else 100 * (new - old) / old
            if abs(float(cell) - wanted) > 1e-6 * max(1, abs(wanted)):
                raise Broken(f"{what}:{number}: {name} is {cell}, not {wanted}")
    return rows


def check_nccl(data, what):
    """The smallest first; one number for each size."""
    header, rows = rows_of(data, what, "\n")
    size = header.index("Full msg size (MB)")
    numbers = [(row[0], float(row[size])) for row in rows if row[0]]
    sizes = sorted({mb for _, mb in numbers})
    if numbers != sorted(numbers, key=lambda pair: pair[1]) or any(name != f"OP_{sizes.index(mb) + 1:02}" for name, mb in numbers):
        raise Broken(f"{what}: operations are not by size: {numbers}")
    return rows


def check_gemm(files):
    """What there is of the files; those of the variance have the same rows."""
    base = None
    for suffix in ("", "_with_timestamps", "_with_collective_overlap"):
        name = f"{TOP}{suffix}.csv"
        if name not in files:
            continue
        header, rows = rows_of(files[name], name, "\r\n" if not suffix or b"\r" in files[name] else "\n")
        check_differences(header, rows, name)
        keys = [row[:7] for row in rows]
        if base is not None and keys != base:
            raise Broken(f"{name}: other rows than {TOP}.csv")
        base = keys
    summary = summary_of(files)
    if base is not None and summary:
        tables = {t["name"]: t for t in summary["tables"]}
        if len(base) != len(tables["gemm-variance"]["rows"]):
            raise Broken(f"{TOP}.csv: {len(base)} rows, the table has {len(tables['gemm-variance']['rows'])}")
    timelines = [rows_of(files[n], n, "\r\n" if b"\r" in files[n] else "\n") for n in TIMELINES if n in files]
    for _, rows in timelines:
        for row in rows:
            float(row[-2])
    others = [check_compared(data, name) for name, data in sorted(files.items()) if name.startswith("compare_") and name.endswith(".csv")]
    if "nccl_master_all_configs.csv" in files:
        others.append(check_nccl(files["nccl_master_all_configs.csv"], "nccl_master_all_configs.csv"))
    return [row for rows in others for row in rows] + (base or []) + [row for _, rows in timelines for row in rows]


CHECKS = {"gemm-csv": check_gemm}
