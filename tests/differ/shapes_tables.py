"""Other tables of the same kind: cells, columns and rows of CSV, of databases, and lines of texts."""
# SPDX-License-Identifier: MIT
import csv
import io
import os
import re
import sqlite3
import tempfile

from odd_values import AWAY, NUMBERS, TEXTS, UNITS, WORDS, a_few, changed_number

MOST_ROWS = 3000


# ---- CSV

def separator_of(text):
    line = max(text.splitlines() or [""], key=lambda one: max(one.count(","), one.count("\t"), one.count(";")))
    return max(",\t;", key=line.count)


def rows_of(data):
    text = data.decode("utf-8")
    separator = separator_of(text)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)), separator


def header_of(rows):
    """Where the table begins: the first row that is as wide as any."""
    width = max(map(len, rows), default=0)
    if width < 2:
        raise ValueError("no table")
    return next(k for k, row in enumerate(rows) if len(row) == width)


def number_of(cell):
    try:
        return int(cell)
    except ValueError:
        return float(cell)


def said(value):
    return f"{value:.0f}" if isinstance(value, float) and value == int(value) and abs(value) < 1e15 else str(value)


def cells_change(pick, rows, header):
    """Numbers of a column: one of them, or all by the same rule."""
    below = [row for row in rows[header + 1:] if row]
    if not below:
        return
    column = pick.randrange(len(rows[header]))
    rule = None
    for row in below if pick.random() < 0.5 else [pick.choice(below)]:
        try:
            value = number_of(row[column])
            rule = rule or changed_number(pick, value)
            row[column] = said(rule(value))
        except (ValueError, IndexError, OverflowError):
            continue


def a_cell_is_another(pick, rows, header):
    row = pick.choice(rows[header:] if pick.random() < 0.1 else rows[header + 1:] or rows)
    if row:
        row[pick.randrange(len(row))] = str(pick.choice(NUMBERS) if pick.random() < 0.6 else pick.choice(WORDS))


def cells_are_equal(pick, rows, header):
    column, below = pick.randrange(len(rows[header])), rows[header + 1:]
    for row in below:
        if column < len(row) and column < len(below[0]):
            row[column] = below[0][column]


def cells_have_units(pick, rows, header):
    column, unit = pick.randrange(len(rows[header])), pick.choice([" ms", "us", " s", "%", "MB", " \u03bcs"])
    for row in rows[header + 1:]:
        if column < len(row) and pick.random() < 0.5:
            row[column] += unit


def rows_come_again(pick, rows, header):
    if len(rows) > header + 1:
        at = pick.randrange(header + 1, len(rows))
        times = min(pick.choice([1, 1, 30, 1000]), MOST_ROWS)
        rows[at:at] = [list(rows[at]) for _ in range(times)]


def rows_change_places(pick, rows, header):
    below = rows[header + 1:]
    pick.choice([pick.shuffle, lambda found: found.reverse()])(below)
    rows[header + 1:] = below


def rows_go(pick, rows, header):
    at = pick.randrange(header + 1, len(rows)) if len(rows) > header + 1 else len(rows)
    del rows[pick.choice([slice(at, at + 1), slice(at, at + 1), slice(header + 2, None), slice(header + 1, None)])]


def columns_change(pick, rows, header):
    """One goes, comes again, changes its place or its title."""
    a, b = pick.randrange(len(rows[header])), pick.randrange(len(rows[header]))
    way = pick.randrange(4)
    if way == 3:
        title = rows[header][a]
        rows[header][a] = pick.choice([title.upper(), title.upper(), re.sub(r"\((\w+)\)", r"(us)", title), title + " ", rows[header][b], "x"])
        return
    for row in rows[header:]:
        if max(a, b) < len(row):
            cell = row[a]
            row[a:a + 1] = [[], [cell, cell], [row[b]]][way]
            if way == 2:
                row[b] = cell


# What a table is not read after is there less often.
CSV_CHANGES = [*3 * [cells_change, cells_change, a_cell_is_another, cells_are_equal, rows_come_again, rows_change_places], rows_go,
               cells_have_units, columns_change]


def alter_csv(pick, data):
    rows, separator = rows_of(data)
    for _ in a_few(pick):
        pick.choice(CSV_CHANGES)(pick, rows, header_of(rows))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator if pick.random() < 0.9 else pick.choice(",\t;"),
               lineterminator=pick.choice(["\n", "\n", "\r\n"])).writerows(rows)
    return out.getvalue().encode()


# ---- databases

def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def for_a_database(value):
    return value if isinstance(value, (str, bytes, float)) or value is None or -2**63 <= value < 2**63 else float(value)


def rowids_of(found, table):
    return [row[0] for row in found.execute(f"select rowid from {table} limit 1000")]


def values_change(pick, found, table, column):
    """One or all; numbers in another unit, far away, negated, none, as texts."""
    name, rows = quoted(column), rowids_of(found, table)
    way = pick.choice([f"{name} * {pick.choice(UNITS)}", f"{name} + {pick.choice(AWAY)}", f"-{name}", f"cast({name} as text)", "0",
                       f"{pick.choice(AWAY)} - {name}", f"cast({name} as real)", f"cast({name} as blob)"])
    where = f" where rowid = {pick.choice(rows)}" if rows and pick.random() < 0.5 else ""
    found.execute(f"update or ignore {table} set {name} = {way}{where}")


def a_value_is_set(pick, found, table, column):
    rows = rowids_of(found, table)
    value = pick.choice([None, b"\xff\xfe\0", pick.choice(TEXTS), pick.choice(NUMBERS), pick.choice(NUMBERS)])
    if rows:
        found.execute(f"update or ignore {table} set {quoted(column)} = ? where rowid = ?", (for_a_database(value), pick.choice(rows)))


def values_are_equal(pick, found, table, column):
    other = pick.choice(columns_of(found, table))
    found.execute(f"update or ignore {table} set {quoted(column)} = "
                  f"{pick.choice([quoted(other), f'(select {quoted(column)} from {table} limit 1)'])}")


def records_come_again(pick, found, table, _):
    for _ in range(pick.choice([1, 1, 5])):
        if found.execute(f"select count(*) from {table}").fetchone()[0] < MOST_ROWS // 2:
            found.execute(f"insert or ignore into {table} select * from {table}")


def records_change_places(pick, found, table, _):
    rows = found.execute(f"select * from {table}").fetchall()
    pick.shuffle(rows)
    found.execute(f"delete from {table}")
    if rows:
        found.executemany(f"insert or ignore into {table} values ({', '.join('?' * len(rows[0]))})", rows)


def records_go(pick, found, table, _):
    found.execute(f"delete from {table} where {pick.choice(['rowid % 2', 'rowid > 1', 'rowid = 1', '1'])}")


def the_table_changes(pick, found, table, column):
    """A column goes, is called otherwise, or comes; the table is called otherwise, or is a view."""
    way = pick.randrange(5)
    if way < 3:
        found.execute(f"alter table {table} " + [f"drop column {quoted(column)}", f"rename column {quoted(column)} to {quoted(column + '2')}",
                                                 'add column "more" TEXT default 7'][way])
        return
    found.execute(f'alter table {table} rename to "other"')
    if way == 4:
        found.execute(f'create view {table} as select * from "other"')


DATABASE_CHANGES = [values_change, values_change, values_change, values_change, values_change, a_value_is_set, a_value_is_set,
                    a_value_is_set, values_are_equal, records_come_again, records_change_places, records_go, the_table_changes]


def columns_of(found, table):
    return [row[1] for row in found.execute(f"pragma table_info({table})")]


def alter_tables(pick, found):
    tables = sorted(row[0] for row in found.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'"))
    for _ in a_few(pick):
        table = quoted(pick.choice(tables))
        columns = columns_of(found, table)
        if columns:
            try:
                pick.choice(DATABASE_CHANGES)(pick, found, table, pick.choice(columns))
            except sqlite3.Error:
                continue  # the table does not take it


def with_database(data, use):
    """The bytes of a database after its use."""
    handle, path = tempfile.mkstemp(suffix=".sqlite")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        found = sqlite3.connect(path)
        try:
            use(found)
            found.commit()
        finally:
            found.close()
        with open(path, "rb") as file:
            return file.read()
    finally:
        os.unlink(path)


def alter_database(pick, data):
    return with_database(data, lambda found: alter_tables(pick, found))


# ---- lines

NUMBER = re.compile(r"(?<![A-Za-z0-9_.])-?[0-9]+(\.[0-9]+)?(?![A-Za-z0-9_.])")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def in_lines(pick, lines, pattern, change):
    """What the pattern finds, in one line."""
    at = [k for k, line in enumerate(lines) if pattern.search(line)]
    if at:
        line = pick.choice(at)
        found = pick.choice(list(pattern.finditer(lines[line])))
        lines[line] = lines[line][:found.start()] + change(found[0]) + lines[line][found.end():]


def lines_change_numbers(pick, lines):
    in_lines(pick, lines, NUMBER, lambda text: said(changed_number(pick, number_of(text))(number_of(text))))


def lines_change_words(pick, lines):
    words = sorted(set(WORD.findall("\n".join(lines)))) or ["x"]
    in_lines(pick, lines, WORD, lambda text: pick.choice([pick.choice(words), text.upper(), text + text]))


def lines_come_again(pick, lines):
    at = pick.randrange(len(lines))
    end = at + pick.choice([1, 1, 4, len(lines)])
    times = pick.choice([1, 1, 30]) if len(lines) < MOST_ROWS else 1
    where = pick.choice([at, len(lines)])
    lines[where:where] = lines[at:end] * times


def lines_change_places(pick, lines):
    a, b = pick.randrange(len(lines)), pick.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def lines_go(pick, lines):
    if len(lines) > 1:
        del lines[pick.randrange(len(lines))]


LINE_CHANGES = [*5 * [lines_change_numbers], lines_change_words, lines_come_again, lines_come_again, lines_change_places, lines_go]


def alter_text(pick, data):
    """Lines that other lines of the same text could be."""
    text = data.decode("utf-8")
    if "\0" in text:
        raise ValueError("no text")
    lines = text.split("\n")
    for _ in a_few(pick):
        pick.choice(LINE_CHANGES)(pick, lines)
    return "\n".join(lines).encode()
