"""Whether bytes are what an input of a source can be: JSON, CSV, a database, packets, sections of records, or text."""
# SPDX-License-Identifier: MIT
import csv
import json
import struct

import shapes
import shapes_binary
import shapes_tables


def json_text(data):
    """A document, or one in each line."""
    text = data.decode("utf-8")
    try:
        json.loads(text)
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2:
            raise
        for line in lines:
            json.loads(line)


def csv_text(data):
    rows, _ = shapes_tables.rows_of(data)
    shapes_tables.header_of(rows)


def text(data):
    if "\0" in data.decode("utf-8"):
        raise ValueError("no text")


def database(data):
    def check(found):
        if found.execute("pragma quick_check").fetchone()[0] != "ok":
            raise ValueError("a damaged database")

    if data[:15] != b"SQLite format 3":
        raise ValueError("no database")
    shapes_tables.with_database(data, check)


def records(data):
    """Sections lie within the file; a condensed trace has whole pairs."""
    settings, _, trace = data.partition(b"\0")
    settings.decode("utf-8")
    if not settings:
        if len(trace) % 8:
            raise ValueError("no whole words")
        return
    sections = shapes_binary.HEAD.unpack_from(trace)[7]
    offsets = [struct.unpack_from("<QQ", trace, shapes_binary.HEAD.size + 16 * k)[1] for k in range(min(sections, 1000))]
    if sections > 1000 or any(at > len(trace) for at in offsets):
        raise ValueError("a section beyond the end")


CHECKS = {"json": json_text, "csv": csv_text, "lines": text, "sqlite": database, "packets": shapes_binary.packets_of, "records": records}


def is_valid(source, data):
    for kind in shapes.kinds_of(source):
        try:
            CHECKS[kind](data)
            return True
        except shapes.NOT_SO:
            continue
    return False
