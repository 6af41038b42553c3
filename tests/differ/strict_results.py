"""Strict readers of workbooks, databases, metrics and Markdown, against summary.json of the same run.

Each complains by raising Broken with the place; CHECKS is by name of the sink."""
# SPDX-License-Identifier: MIT
import collections
import io
import json
import math
import re
import sqlite3
import xml.etree.ElementTree
import zipfile

from broken import Broken, text_of
from summaries import summary_of

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
TYPE = "{http://schemas.openxmlformats.org/package/2006/content-types}Override"
EXACT = 1 << 53


def header_of(column):
    return column["name"] + ("_" + column["unit"] if column["unit"] not in (None, "count", column["name"]) else "")


def metric_unit(metric):
    return None if metric["unit"] in (None, "") else metric["unit"]


# ---- xlsx

def column_number(letters):
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def cell_value(cell, where):
    kind = cell.get("t", "n")
    if cell.find(f"{SHEET}f") is not None:
        raise Broken(f"{where}: a formula")
    if kind == "inlineStr":
        text = "".join(cell.find(f"{SHEET}is/{SHEET}t").itertext())
        if len(text.encode("utf-16-le")) // 2 > 32767 * 7:  # with escapes
            raise Broken(f"{where}: a text too long")
        return re.sub("_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), text)
    value = cell.find(f"{SHEET}v").text
    if kind == "b":
        return {"0": False, "1": True}[value]
    if kind != "n":
        raise Broken(f"{where}: a cell of type {kind}")
    number = float(value)
    if not math.isfinite(number):
        raise Broken(f"{where}: the number {value}")
    return int(value) if re.fullmatch("-?[0-9]+", value) else number


def sheet_rows(root, name):
    """Cells of all rows, None for those that are left out; the range and the places must be right."""
    rows = []
    for number, row in enumerate(root.iter(f"{SHEET}row"), 1):
        if row.get("r") != str(number):
            raise Broken(f"{name}: row {row.get('r')} where {number} is next")
        cells = {}
        for cell in row:
            letters, line = re.fullmatch("([A-Z]+)([0-9]+)", cell.get("r")).groups()
            column = column_number(letters)
            if line != str(number) or (cells and column <= max(cells)):
                raise Broken(f"{name}: cell {cell.get('r')} in row {number} after {sorted(cells)}")
            cells[column] = cell_value(cell, f"{name}!{cell.get('r')}")
        rows.append(cells)
    width = len(rows[0])
    if sorted(rows[0]) != list(range(width)) or any(max(row, default=0) >= width for row in rows):
        raise Broken(f"{name}: cells without a header")
    last = root.find(f"{SHEET}dimension").get("ref").partition(":")[2]
    letters, line = re.fullmatch("([A-Z]+)([0-9]+)", last).groups()
    if column_number(letters) != width - 1 or line != str(len(rows)):
        raise Broken(f"{name}: the range ends in {last}, there are {len(rows)} rows of {width}")
    if root.find(f"{SHEET}autoFilter").get("ref") != root.find(f"{SHEET}dimension").get("ref"):
        raise Broken(f"{name}: the filter has another range")
    return [[row.get(column) for column in range(width)] for row in rows]


def sheets_of(data):
    """[(name, rows)], every part read, linked and typed."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        if book.testzip():
            raise Broken(f"results.xlsx: a wrong sum in {book.testzip()}")
        names = book.namelist()
        if len(set(names)) < len(names):
            raise Broken("results.xlsx: two parts of one name")
        if any(info.date_time != (1980, 1, 1, 0, 0, 0) for info in book.infolist()):
            raise Broken("results.xlsx: a part says when it was made")
        parts = {name: xml.etree.ElementTree.fromstring(book.read(name)) for name in names}
    typed = {override.get("PartName")[1:] for override in parts["[Content_Types].xml"].iter(TYPE)}
    if not typed <= set(parts):
        raise Broken(f"results.xlsx: types of {typed - set(parts)}")
    links = {r.get("Id"): "xl/" + r.get("Target") for r in parts["xl/_rels/workbook.xml.rels"].iter(RELATION)}
    sheets = [(s.get("name"), links[s.get(LINK)]) for s in parts["xl/workbook.xml"].iter(f"{SHEET}sheet")]
    for name, part in sheets:
        if len(name.encode("utf-16-le")) > 62 or re.search(r"[\[\]:*?/\\]|^'|'$", name) or part not in typed:
            raise Broken(f"results.xlsx: a sheet {name!r}")
    if len({name.casefold() for name, _ in sheets}) < len(sheets):
        raise Broken("results.xlsx: two sheets of one name")
    return [(name, sheet_rows(parts[part], name)) for name, part in sheets]


def in_sheet(value):
    """A value of the summary as a workbook has it."""
    if isinstance(value, str):
        text = re.sub("[\0\ufffe\uffff]", "\ufffd", value)
        units = text.encode("utf-16-le")
        return text if len(units) <= 65534 else units[:65532].decode("utf-16-le", "ignore") + "\u2026"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > EXACT:
        return str(value)
    return value


def same(wanted, got):
    if isinstance(wanted, (bool, str)) or isinstance(got, (bool, str)) or wanted is None or got is None:
        return type(wanted) is type(got) and wanted == got
    return wanted == got


def compare_rows(name, wanted, got):
    if len(wanted) != len(got):
        raise Broken(f"{name}: {len(got)} rows, the summary has {len(wanted)}")
    for number, (one, other) in enumerate(zip(wanted, got)):
        for column, (value, cell) in enumerate(zip(one, other)):
            if not same(value, cell):
                raise Broken(f"{name}: row {number}, column {column}: {cell!r}, the summary has {value!r}"[:400])
        if len(one) != len(other):
            raise Broken(f"{name}: row {number} has {len(other)} cells, not {len(one)}")


def check_xlsx(files):
    sheets = sheets_of(files["results.xlsx"])
    summary = summary_of(files)
    if summary is None:
        return sheets
    if len(sheets) != len(summary["tables"]) + 1 or sheets[0][0] != "Summary":
        raise Broken(f"results.xlsx: sheets {[name for name, _ in sheets]}")
    for table, (name, rows) in zip(summary["tables"], sheets[1:]):
        columns = table["columns"]
        if rows[0] != [header_of(c) for c in columns]:
            raise Broken(f"{name}: headers {rows[0]}")
        compare_rows(name, [[in_sheet(row[c["name"]]) for c in columns] for row in table["rows"]], rows[1:])
    metrics = [[m["name"], m.get("stat"), m.get("rank"), m.get("unit"), m.get("n")] for m in summary["metrics"]]
    rows = [[row[0], row[1], row[2], row[6], row[7]] for row in sheets[0][1][1:]]
    compare_rows("Summary", metrics, rows)
    numbers = [in_sheet(m.get("value")) for m in summary["metrics"] if not isinstance(m.get("value"), dict)]
    got = [row[5] for m, row in zip(summary["metrics"], sheets[0][1][1:]) if not isinstance(m.get("value"), dict)]
    compare_rows("Summary", [[n] for n in numbers], [[n] for n in got])
    return sheets


# ---- sqlite

def rows_in(db, table):
    return [list(row) for row in db.execute('SELECT * FROM "' + table.replace('"', '""') + '"')]


def in_database(value):
    if isinstance(value, bool):
        return int(value)
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def check_about(db, summary):
    metrics = [[m["name"], m.get("stat"), m.get("lane"), m.get("rank"), metric_unit(m), m.get("n"), m["better"],
                m.get("reason")] for m in summary["metrics"]]
    compare_rows("_metric", [list(map(in_database, m)) for m in metrics],
                 [[r[0], r[1], r[2], r[3], r[8], r[9], r[10], r[11]] for r in rows_in(db, "_metric")])
    groups = [m.get("group") for m in summary["metrics"]]
    if groups != [r[6] and json.loads(r[6]) for r in rows_in(db, "_metric")]:
        raise Broken("_metric: groups differ")
    values = [json.dumps(m["value"]) if isinstance(m.get("value"), dict) else m.get("value") for m in summary["metrics"]]
    got = [json.dumps(json.loads(r[7])) if isinstance(r[7], str) else r[7] for r in rows_in(db, "_metric")]
    compare_rows("_metric", [[v] for v in values], [[v] for v in got])
    columns = [[t["name"], c["unit"], c["type"], int(c["key"])] for t in summary["tables"] for c in t["columns"]]
    compare_rows("_column", columns, [[r[0], *r[2:5]] for r in rows_in(db, "_column")])
    notices = [[n["code"], n["level"], n["count"], in_database(n["what"])] for n in summary["notices"]]
    compare_rows("_notice", notices, [r[:4] for r in rows_in(db, "_notice")])


def check_sqlite(files):
    db = sqlite3.connect(":memory:")
    db.deserialize(files["results.sqlite"])
    if rows_in(db, "pragma_integrity_check") != [["ok"]]:
        raise Broken("results.sqlite: not sound")
    summary = summary_of(files)
    if summary is None:
        return
    check_about(db, summary)
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")][4:]
    if len(tables) != len(summary["tables"]):
        raise Broken(f"results.sqlite: tables {tables}")
    for name, table in zip(tables, summary["tables"]):
        columns = table["columns"]
        if [row[1] for row in db.execute("SELECT * FROM pragma_table_info(?)", [name])] != [header_of(c) for c in columns]:
            raise Broken(f"{name}: columns differ")
        wanted = [[in_database(row[c["name"]]) for c in columns] for row in table["rows"]]
        compare_rows(name, wanted, rows_in(db, name))


# ---- openmetrics

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? '
                    r"([-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)')
UNITS = {"ns": ("seconds", 10**9), "ms": ("seconds", 1000), "percent": ("ratio", 100), "tok/s": ("tokens_per_second", 1),
         "req/s": ("requests_per_second", 1), "ratio": ("ratio", 1), "bytes": ("bytes", 1), "count": ("", 1), None: ("", 1)}


def labels_of(text, where):
    pairs = LABEL.findall(text or "")
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names) or any(name.startswith("__") for name in names):
        raise Broken(f"{where}: labels {names}")
    if ",".join(f'{name}="{value}"' for name, value in pairs) != (text or ""):
        raise Broken(f"{where}: labels {text!r}")
    return tuple(sorted(pairs))


def families_of(text):
    """{family: (unit, [(labels, value)])}: metadata first, families in one piece, no series twice."""
    families, at, series = {}, None, set()
    for number, line in enumerate(text[:-1].split("\n")[:-1], 1):
        where = f"metrics.prom:{number}"
        if line.startswith("#"):
            kind, name, rest = re.fullmatch(r"# (TYPE|UNIT|HELP) (\S+) (.*)", line).groups()
            if kind == "TYPE":
                if name in families or rest != "gauge":
                    raise Broken(f"{where}: {line}")
                at, families[name] = name, ["", []]
            if name != at or families[name][1]:
                raise Broken(f"{where}: metadata of {name} behind samples or in another family")
            if kind == "UNIT":
                families[name][0] = rest
                if not name.endswith("_" + rest):
                    raise Broken(f"{where}: the name does not end in the unit")
            continue
        match = SAMPLE.fullmatch(line)
        if not match or match[1] != at or not at.startswith("stagemill_"):
            raise Broken(f"{where}: {line[:200]!r} in {at}")
        labels = labels_of(match[2], where)
        if (at, labels) in series:
            raise Broken(f"{where}: a series twice")
        series.add((at, labels))
        families[at][1].append((labels, float(match[3])))
    return families


def check_openmetrics(files):
    text = text_of(files["metrics.prom"], "metrics.prom")
    if not text.endswith("# EOF\n") or "\r" in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
        raise Broken("metrics.prom: no end")
    families = families_of(text)
    summary = summary_of(files)
    if summary is None:
        return
    wanted = collections.Counter()
    for metric in summary["metrics"]:
        value = metric.get("value")
        if value is None or isinstance(value, dict) or metric["unit"] not in UNITS:
            continue
        unit, divisor = UNITS["count" if metric.get("stat") == "n" else metric["unit"]]
        wanted[unit, float(value) / divisor] += 1
    got = collections.Counter((unit, value) for unit, samples in families.values() for _, value in samples)
    if wanted - got:
        raise Broken(f"metrics.prom: the summary has {dict(wanted - got)}, it has {dict(got - wanted)}"[:500])


# ---- markdown

def bars(line):
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))


def check_markdown(files):
    """Nothing is HTML, code or a link, and each row of a table has its cells."""
    text = text_of(files["summary.md"], "summary.md")
    odd = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069<]", text)
    odd = odd or re.search(r"(?<!\\)(?:\\\\)*`|https?://|^ {4}", text, re.M)
    if odd:
        raise Broken(f"summary.md: {odd[0]!r}")
    width = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("|") and width not in (0, bars(line)):
            raise Broken(f"summary.md:{number}: {bars(line)} bars, not {width}")
        if not line.startswith("|") and bars(line):
            raise Broken(f"summary.md:{number}: a bar outside of a table")
        width = bars(line) if line.startswith("|") else 0
    summary = summary_of(files)
    for notice in summary["notices"] if summary else []:
        if f"| {notice['code']} | {notice['level']} | {notice['count']:,} | " not in text:
            raise Broken(f"summary.md: no {notice['code']}")


CHECKS = {"xlsx": check_xlsx, "sqlite": check_sqlite, "openmetrics": check_openmetrics, "markdown": check_markdown}
