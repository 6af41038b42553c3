"""Strict readers of what the program writes: one for each sink, sharing no code with it.

Each complains by raising Broken with the place; CHECKS is by name of the sink."""
# SPDX-License-Identifier: MIT
import csv
import gzip
import io
import json
import math
import re

from broken import Broken, text_of
import strict_pages
import strict_results
import probes
import strict_gemm
import strict_tuning
from summaries import with_rows

def finite(word):
    raise Broken(f"{word} is no JSON")


def real(word):
    value = float(word)
    if not math.isfinite(value):
        raise Broken(f"the number {word} is infinite for readers of doubles")
    return value


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise Broken(f"duplicate keys: {keys}"[:300])
    return dict(pairs)


def json_of(data, what, keys_once=True, reals=real):
    """One document by RFC 8259.  Keys are looked at where they are the program's own."""
    hook = {"object_pairs_hook": unique} if keys_once else {}
    try:
        return json.loads(text_of(data, what), parse_constant=finite, parse_float=reals, **hook)
    except (ValueError, RecursionError) as why:
        raise Broken(f"{what}: not JSON: {why}") from None
    except Broken as why:
        raise Broken(f"{what}: {why}") from None


def rows_of(data, what):
    """Rows of RFC 4180: CR LF ends each, all have the cells of the header, whose names differ."""
    text = text_of(data, what)
    if not text.endswith("\r\n"):
        raise Broken(f"{what}: the last row has no end")
    quoted = re.sub(r'"(?:[^"]|"")*"', "", text)
    if '"' in quoted or re.search(r"\r(?!\n)|(?<!\r)\n", quoted):
        raise Broken(f"{what}: a lone quote or line break outside of quotes")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len(set(rows[0])) < len(rows[0]):
        raise Broken(f"{what}: columns of one name: {rows[0]}")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise Broken(f"{what}: row {number} has {len(row)} cells, not {len(rows[0])}")
    return rows


def table_rows(columns, rows):
    """The same table as CSV has it: units in the header, nothing for null, safe for spreadsheets."""
    header = [c["name"] + ("_" + c["unit"] if c["unit"] not in (None, "count") else "") for c in columns]

    def cell(value, column):
        if value is None:
            return ""
        if column["type"] == "text":
            formula = re.match(r"[\t\r\n]| *[=+\-@]", value)
            return ("'" if formula else "") + value.replace("\0", "\ufffd")
        return value
    return header, [[cell(row[c["name"]], c) for c in columns] for row in rows]


def same_cell(wanted, got):
    if isinstance(wanted, str):
        return wanted == got
    if isinstance(wanted, bool):
        return got in ("true", "false") and (got == "true") == wanted
    try:
        return type(wanted)(got) == wanted
    except ValueError:
        return False


# ---- one for each sink: files are {name: bytes} of a result

def strict_summary(files):
    return with_rows(json_of(files["summary.json"], "summary.json"), files, json_of)


def check_summary(files):
    summary = strict_summary(files)
    for table in summary["tables"]:
        names = [c["name"] for c in table["columns"]]
        if len(set(names)) < len(names):
            raise Broken(f"summary.json: {table['name']} has columns of one name: {names}")
        for row in table["rows"]:
            if list(row) != names:
                raise Broken(f"summary.json: {table['name']}: cells {list(row)}, not {names}")
    return summary


def check_tables(files):
    """Every table of the summary is a file with the same cells, and there is no other file."""
    summary = strict_summary(files) if "summary.json" in files else None
    tables = {name: rows_of(data, name) for name, data in files.items() if re.match(r"tables/.*\.csv$", name)}
    if summary is None:
        return tables
    wanted = {f"tables/{t['name']}.csv": t for t in summary["tables"]}
    if set(wanted) != set(tables):
        raise Broken(f"tables: {sorted(tables)} written, {sorted(wanted)} in the summary")
    for name, table in wanted.items():
        header, rows = table_rows(table["columns"], table["rows"])
        got = tables[name]
        if len(rows) != len(got) - 1 or len(header) != len(got[0]):
            raise Broken(f"{name}: {len(got) - 1} rows of {len(got[0])} cells, the summary has "
                         f"{len(rows)} of {len(header)}")
        for number, (one, other) in enumerate(zip(rows, got[1:]), 2):
            for value, cell, column in zip(one, other, header):
                if not same_cell(value, cell):
                    raise Broken(f"{name}:{number}: {column} is {cell!r}, the summary has {value!r}")
    return tables


def check_text(files):
    text = text_of(files["summary.txt"], "summary.txt")
    odd = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)
    if odd:
        raise Broken(f"summary.txt: the character {odd[0]!r} would reach a terminal")
    if text and not text.endswith("\n"):
        raise Broken("summary.txt: the last line has no end")
    return text


def trace_of(data, what):
    """Keys of events are the input's: they may be duplicated, and numbers as large as they like."""
    document = json_of(data, what, keys_once=False, reals=str)
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        raise Broken(f"{what}: no object with traceEvents")
    for event in document["traceEvents"]:
        if not isinstance(event, dict):
            raise Broken(f"{what}: an event is {event!r}"[:300])
    return document


def check_trace(files):
    written = {name: data for name, data in files.items() if re.match(r"trace.*\.json(\.gz)?$", name)}
    if not written:
        raise Broken("no trace was written")
    return [trace_of(gzip.decompress(d) if name.endswith(".gz") else d, name) for name, d in written.items()]


def check_tensorboard(files):
    """A worker's file for each rank, which says whose it is."""
    written = {name: data for name, data in files.items() if name.startswith("tensorboard/")}
    if not written:
        raise Broken("no trace of a rank was written")
    documents = []
    for name, data in written.items():
        worker = re.fullmatch(r"tensorboard/\w+_worker_(\d+)?(-?lane\d+)?\.pt\.trace\.json\.gz", name)
        if not worker:
            raise Broken(f"{name}: no worker's name")
        document = trace_of(gzip.decompress(data), name)
        if worker[1] and "distributedInfo" not in document:
            raise Broken(f"{name}: it does not say whose it is")
        documents.append(document)
    return documents


EVENTS = ["rank", "ts_ns", "dur_ns", "category", "name", "class", "job", "bytes", "pt_active"]


def check_events(files):
    """Whole numbers where they belong, and no other file."""
    header, *rows = rows_of(files["events.csv"], "events.csv")
    if header != EVENTS:
        raise Broken(f"events.csv: the header is {header}")
    for number, row in enumerate(rows, 2):
        if len(row) != len(EVENTS):
            raise Broken(f"events.csv:{number}: {len(row)} cells")
        for cell, column in zip(row[:3], EVENTS):
            if not re.fullmatch(r"(-?(0|[1-9]\d*))?", cell):
                raise Broken(f"events.csv:{number}: {column} is {cell!r}")
    return rows


CHECKS = {"json": check_summary, "csv": check_tables, "text": check_text, "chrome-json": check_trace}
USUAL = list(CHECKS.values())  # of what a run writes when no format is named
CHECKS.update({"tensorboard": check_tensorboard, "event-rows": check_events})
CHECKS.update(strict_results.CHECKS)
CHECKS.update(strict_pages.CHECKS)
CHECKS.update(strict_tuning.CHECKS)
CHECKS.update(probes.CHECKS)
CHECKS.update(strict_gemm.CHECKS)


def check_run(files):
    """What every run has: its own account, which json.loads and the files must agree with."""
    return json_of(files["run.json"], "run.json")


def check_dump(data, what):
    return [json_of(line, f"{what}:{number}") for number, line in enumerate(data.splitlines(), 1)]
