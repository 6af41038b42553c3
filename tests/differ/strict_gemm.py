"""Reads the CSV files of the sink gemm-csv: their forms, and that they agree with the tables of the same run."""
import csv
import io
import json

from broken import Broken, text_of

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


def check_gemm(files):
    """What there is of the five files; those of the variance have the same rows."""
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
    if base is not None and "summary.json" in files:
        tables = {t["name"]: t for t in json.loads(files["summary.json"])["tables"]}
        if len(base) != len(tables["gemm-variance"]["rows"]):
            raise Broken(f"{TOP}.csv: {len(base)} rows, the table has {len(tables['gemm-variance']['rows'])}")
    timelines = [rows_of(files[n], n, "\r\n" if b"\r" in files[n] else "\n") for n in TIMELINES if n in files]
    for _, rows in timelines:
        for row in rows:
            float(row[-2])
    return (base or []) + [row for _, rows in timelines for row in rows]


CHECKS = {"gemm-csv": check_gemm}
