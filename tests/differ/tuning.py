"""Independent readers of measured all-reduce times, lookup tables of strategies, and rules of NCCL's tuner."""
# SPDX-License-Identifier: MIT
import fractions
import re

import collectives
from reading import NotReadable, Read, csv_rows, first_row, load, present, real, table_text, REAL

LARGEST = 2**48


def even_rows(text):
    """Rows that are not blank, the header first; all have as many cells."""
    rows = [row for row in csv_rows(text) if "".join(row).strip(" \t") or len(row) > 1]
    if len(rows) < 2 or {len(row) for row in rows} != {len(rows[0])}:
        raise NotReadable("no rows, or ragged ones")
    return rows


def integer(text, least):
    if not re.fullmatch(r"-?[0-9]+|0x[0-9a-fA-F]+", text) or not least <= int(text, 16 if "x" in text else 10) < 2**63:
        raise NotReadable(f"{text!r} is no whole number from {least}")
    return int(text, 16 if "x" in text else 10)


# ---- allreduce-csv

TITLES = {"world_size": "tp", "tp_size": "tp", "fusion": "fusion", "fusion_op": "fusion", "strategy": "strategy",
          "num_tokens": "tokens", "hidden_size": "hidden", "shape": "shape", "size": "bytes", "size_bytes": "bytes",
          "dtype": "dtype", "op": "op", "time (us)": "time", "time_us": "time", "time (\u03bcs)": "time",
          "time_ms": "time in ms", "time (ms)": "time in ms"}
TYPE_BYTES = {"float32": 4, "fp32": 4, "float8": 1, "fp8": 1, "int8": 1, "float64": 8}


def size_of(text):
    value = fractions.Fraction(text) if REAL.fullmatch(text) else 0
    if value.denominator != 1 or not 1 <= value <= LARGEST:
        raise NotReadable(f"{text!r} is no size")
    return int(value)


def time_of(cells):
    """Nothing where none was measured."""
    text = cells.get("time", cells.get("time in ms"))
    value = real(text, 1 if "time" in cells else 1000)
    if value is None and text and not re.fullmatch("[+-]?(nan|inf|infinity|none|null|na|n/a)", text, re.I):
        if not REAL.fullmatch(text):
            raise NotReadable(f"{text!r} is no time")
    return value if value and value > 0 else None


def allreduce_row(cells):
    tokens, hidden = cells.get("tokens"), cells.get("hidden")
    if tokens is None:
        shape = re.fullmatch(r"[\s()\[\]\"']*(.*?)\s*[xX,*]\s*(.*?)[\s()\[\]\"']*", cells["shape"])
        if not shape:
            raise NotReadable("no shape")
        tokens, hidden = shape.groups()
    row = {"name": "allreduce.row", "tp": size_of(cells["tp"]), "tokens": size_of(tokens), "hidden": size_of(hidden)}
    width = next((n for part, n in TYPE_BYTES.items() if part in cells.get("dtype", "")), 2)
    size = size_of(cells["bytes"]) if cells.get("bytes") else row["tokens"] * row["hidden"] * width
    names = {key: cells.get(key) for key in ("fusion", "strategy", "op", "dtype")}
    if not names["fusion"] or not names["strategy"]:
        raise NotReadable("no name")
    return present({**row, **names, "bytes": size, "time_us": time_of(cells)})


def allreduce_csv(path):
    header, *rows = even_rows(table_text(load(path)))
    keys = [TITLES.get(cell.strip().lower()) for cell in header]
    known = [key for key in keys if key]
    times = {"time", "time in ms"} & set(known)
    if len(set(known)) < len(known) or len(times) != 1 or not {"tp", "fusion", "strategy"} <= set(known):
        raise NotReadable("columns")
    if "shape" not in known and not {"tokens", "hidden"} <= set(known):
        raise NotReadable("no shape")
    events = [allreduce_row({key: cell.strip(" \t") for key, cell in zip(keys, row) if key}) for row in rows]
    return Read([events], {"ARCSV-20": sum(not event["time_us"] for event in events)})


# ---- tuner-csv

NAMES = ("collective", "algorithm", "protocol")
WHOLE = {"size_bytes": "bytes", "channels": "channels", "nodes": "nodes", "ranks": "ranks", "pipeops": "pipe_ops",
         "regbuff": "reg_buff"}
METRICS = {"bandwidth_gbps": "bandwidth", "latency_us": "time_us"}


def tuner_row(cells):
    row = {"name": "tuner.row", **{name: cells[name] for name in NAMES}}
    for title, key in WHOLE.items():
        text = cells.get(title, "")
        row[key] = -1 if not text and key != "bytes" else integer(text, 0 if key == "bytes" else -1)
        if key != "bytes" and row[key] >= 2**31:
            raise NotReadable(f"{text!r} is no int")
    return present({**row, **{key: real(cells.get(title, "")) for title, key in METRICS.items()}})


def tuner_csv(path):
    header, *rows = even_rows(table_text(load(path)))
    titles = [cell.lower() for cell in header]
    if not {*NAMES, "size_bytes"} <= set(titles) or not set(METRICS) & set(titles):
        raise NotReadable("columns")
    return Read([[tuner_row({key: cell.strip() for key, cell in zip(titles, row)}) for row in rows]], {})


# ---- tuner-conf

def tuner_conf(path):
    events = [present({"name": "tuner.line", "line": number, "bytes": len(line), "rule": line.decode("utf-8", "replace")})
              for number, line in enumerate(load(path).split(b"\n"), 1)
              if line.lstrip(b" \t\r") and not line.lstrip(b" \t\r").startswith(b"#")]
    if not events:
        raise NotReadable("no rules")
    return Read([events], {})


# ---- strategy-table

TABLE = "AllReduceBestStrategyTableSM"
TOKEN = re.compile(rf"(?P<lines>//[^\n]*(?:\s*//[^\n]*)*)|/\*(?P<block>.*?)(?:\*/|\Z)|{TABLE}[0-9]*|\w+|\S", re.S | re.A)
LEVELS = (("TP", "TP"), ("Fusion", "Fusion"), ("Hidden", "hidden_size"), ("Tokens", "tokens"))
USUAL = ([2 << k for k in range(40)], ["NONE", *("RESIDUAL_RMS_NORM" + more for more in ("", "_QUANT_FP8", "_QUANT_NVFP4"))],
         [128 << k for k in range(40)], [1 << k for k in range(40)])


def strategy_number(text):
    """An int of C++."""
    number = integer(text, 0)
    if number >= 2**31:
        raise NotReadable(f"{text!r} is no int")
    return number


class Cpp:
    """Tables of a text in C++: nested lists of numbers, and what comments say of the levels."""

    def __init__(self, text):
        self.listed, self.named = [[], [], [], []], [[], [], [], []]
        self.found, self.tokens = [], TOKEN.finditer(text)
        self.token = None
        self.step()

    def step(self):
        """To the next token that is no comment."""
        for match in self.tokens:
            said = match["lines"], match["block"]
            if said == (None, None):
                self.token = match[0]
                return
            self.comment("".join(re.findall("//([^\n]*)", said[0])) if said[0] else said[1])
        self.token = None

    def comment(self, text):
        for level, (title, mark) in enumerate(LEVELS):
            values = re.search(rf"{title}:[^\[]*\[([^\]]*)\]", text)
            if values:
                self.listed[level] = [v for v in (v.strip(" \t\r\n'\"") for v in values[1].split(",")) if v]
            name = re.search(rf"{mark}=([^ \t\r\n,*/]*)", text)
            if name and name[1] and name[1] not in self.named[level]:
                self.named[level].append(name[1])

    def items(self, level):
        """From an opening brace to what follows the closing one."""
        items = []
        if self.token != "{":
            raise NotReadable("no brace")
        self.step()
        while self.token != "}":
            if level < 3:
                items.append(self.items(level + 1))
            else:
                items.append(strategy_number(re.sub("^0(?=[0-9])", "octal", self.token or "")))
                self.step()
            if self.token == ",":
                self.step()
            elif self.token != "}":
                raise NotReadable("no comma")
        if level:
            self.step()  # what follows the last brace may be a comment on the next table
        if not items:
            raise NotReadable("empty braces")
        return items

    def axis(self, level, count):
        if self.listed[level] and len(self.listed[level]) != count:
            raise NotReadable("a comment and its table")
        values = self.listed[level] or self.named[level]
        if level == 1:
            if len(values or USUAL[1]) != count:
                raise NotReadable("fusions")
            return values or USUAL[1]
        return [integer(v, 1) for v in values] if len(values) == count else USUAL[level][:count]

    def table(self):
        self.named = [[], [], [], []]
        table = self.items(0)
        shapes = {(len(table), len(block), len(rows), len(row)) for block in table for rows in block for row in rows}
        if len(shapes) > 1:
            raise NotReadable("lengths")
        axes = [self.axis(level, count) for level, count in enumerate(shapes.pop())]
        self.found.append([cell(tp, fusion, hidden, tokens, number)
                           for tp, block in zip(axes[0], table) for fusion, rows in zip(axes[1], block)
                           for hidden, row in zip(axes[2], rows) for tokens, number in zip(axes[3], row)])

    def tables(self):
        while self.token is not None:
            defines = re.fullmatch(f"{TABLE}[0-9]+", self.token)
            self.step()
            if defines and self.token == "=":
                self.step()
            if defines and self.token == "{":
                self.table()
        return self.found


def cell(tp, fusion, hidden, tokens, number, strategy=None, source=None):
    return present({"name": "allreduce.cell", "tp": tp, "fusion": fusion, "tokens": tokens, "hidden": hidden,
                    "number": number, "strategy": strategy, "source": source})


def table_of_rows(text):
    """Rows of one kind of GPUs are one table."""
    header, *rows = even_rows(text)
    tables = {}
    if not {"sm", "tp", "fusion", "hidden_size", "num_tokens", "strategy", "number"} <= set(header):
        raise NotReadable("columns")
    for row in rows:
        at = dict(zip(header, row))
        tables.setdefault(integer(at["sm"], 0) if at["sm"].strip() else -1, []).append(
            cell(integer(at["tp"], 1), at["fusion"], integer(at["hidden_size"], 1), integer(at["num_tokens"], 1),
                 strategy_number(at["number"]), at["strategy"], at.get("source")))
    return list(tables.values())


def strategy_table(path):
    text = load(path).decode("utf-8-sig", "replace")
    lanes = table_of_rows(text) if {"sm", "tp", "hidden_size"} <= set(first_row(text)) else Cpp(text).tables()
    if not lanes:
        raise NotReadable("no table")
    return Read(lanes, {})


READERS = {"allreduce-csv": allreduce_csv, "coll-bench": collectives.coll_bench, "strategy-table": strategy_table,
           "tuner-conf": tuner_conf, "tuner-csv": tuner_csv}

# What the dump must have been asked for.
ATTRIBUTES = ("tp", "fusion", "strategy", "tokens", "hidden", "bytes", "op", "dtype", "time_us", "number", "source",
              "collective", "algorithm", "protocol", "channels", "nodes", "ranks", "pipe_ops", "reg_buff", "bandwidth",
              "line", "rule", "type", "redop", "in_place", "algbw", "busbw", "wrong", "complete")
