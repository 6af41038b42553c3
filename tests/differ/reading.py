"""What independent readers share: exact JSON, text of any encoding, and what they say of an input."""
# SPDX-License-Identifier: MIT
import collections
import csv
import fractions
import gzip
import io
import json
import pathlib
import re

# lanes: lists of events.  An event has the members that are compared, as the dump has them.  lost: how many of each
# notice's code were left out.
Read = collections.namedtuple("Read", "lanes lost")
MAX_LIST = 4096  # values of one list; more go on in further events
REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class NotReadable(Exception):
    """A strict reader refuses the input."""


def load(path):
    data = pathlib.Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def refuse(word):
    raise NotReadable(word)


def documents(data, constant=refuse, pairs=None):
    """All JSON values of a text, numbers exact."""
    decoder = json.JSONDecoder(parse_constant=constant, object_pairs_hook=pairs, parse_float=fractions.Fraction)
    try:
        text = data.decode("utf-8-sig")
        at = re.compile(r"[ \t\r\n]*").match(text).end()
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            yield value
            at = re.compile(r"[ \t\r\n]*").match(text, at).end()
    except (ValueError, RecursionError) as why:
        raise NotReadable(str(why)) from None


def one_document(data, **more):
    values = list(documents(data, **more))
    if len(values) != 1:
        raise NotReadable(f"{len(values)} documents")
    return values[0]


def nanoseconds(value, scale):
    """Rounded half to even, as Python does."""
    return round(fractions.Fraction(value) * scale)


def is_number(value):
    return isinstance(value, (int, fractions.Fraction)) and not isinstance(value, bool)


def table_text(data):
    """UTF-16 of either order with or without a mark, UTF-8, else Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    for encoding, zeros in (("utf-16-le", data[1:4:2]), ("utf-16-be", data[:4:2])):
        if zeros == b"\0\0":
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def present(event):
    """Attributes that are there, as the dump lists them; of others the dump must have none."""
    return {key: value if key == "name" else [] if value in (None, "") else [value] for key, value in event.items()}


def csv_rows(text):
    try:
        return list(csv.reader(io.StringIO(re.sub("\r\n?", "\n", text), newline=""), strict=True))
    except csv.Error as why:
        raise NotReadable(str(why)) from None


def real(text, scale=1):
    """The nearest double; nothing for what is no finite number."""
    try:
        return float(fractions.Fraction(text) * scale) if REAL.fullmatch(text) else None
    except OverflowError:
        return None


def first_row(text):
    """Nothing where the text does not begin as a table does."""
    try:
        return next(csv.reader(io.StringIO(re.sub("\r\n?", "\n", text), newline=""), strict=True), [])
    except csv.Error:
        return []
