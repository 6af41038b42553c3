"""Damage to inputs: of bytes, which parsers see, and of values, which stay valid, so that stages see them, too."""
import csv
import io
import json
import os
import re
import sqlite3
import tempfile

TOKENS = re.compile(rb'"[^"\n]{0,40}"|[0-9.]+|[A-Za-z_]+|\s+|.', re.S)
ODD = [b"NaN", b"-Infinity", b"null", b"1e400", b"-1", b"99999999999999999999", b"\\u0000", b"\\ud800", b"\xff", b"\x00",
       b"\xef\xbb\xbf", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"[" * 1200, b"\r", b"\n\n", b"0x10", b"1e-400",
       b"'", b"=1", b"<<: *a", b"&a ", b"\t", b"- ", b"true", b"9007199254740993", b"0.0000000001", b"\xe2\x80\xae"]
# Numbers at which sums, differences and products of 64 bits end, in units from nanoseconds to seconds.
NUMBERS = [0, -1, 1, 0.5, 1e-9, -0.0, 2**31, 2**32, 2**53 + 1, 2**62, -2**62, 2**63 - 1, -2**63, 2**63, 9223372036854775,
           9223372036854774.807, -9223372036854775, 9223372036.854775, 1e18, -1e18, 1e300, 1.7e308, 1e15, -20, 3600e6]
TEXTS = ["", " ", "0", "1,234", "0x1f", "1e3", "nan", "1.5.2", "name with \" and \\", "\u202e", "\u0000", "x" * 300, "=1+1", "-",
         "ProfilerStep#1", "ncclDevKernel_AllReduce", "aten::mm", "Memcpy HtoD (Pageable -> Device)", "kernel,foo", "{rank}"]


# ---- bytes

def flip(pick, data, _):
    at = pick.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << pick.randrange(8)]) + data[at + 1:]


def truncate(pick, data, _):
    return data[:pick.randrange(len(data))]


def chunk(pick, data):
    at = pick.randrange(len(data))
    return at, min(len(data), at + pick.choice([1, 4, 30, 300, 3000]))


def duplicate(pick, data, _):
    at, end = chunk(pick, data)
    return data[:end] + data[at:end] * pick.choice([1, 1, 1, 50]) + data[end:]


def remove(pick, data, _):
    at, end = chunk(pick, data)
    return data[:at] + data[end:]


def splice(pick, data, other):
    at, end = chunk(pick, other)
    where = pick.randrange(len(data))
    return data[:where] + other[at:end] + data[where + pick.choice([0, end - at]):]


def digits(pick, data, _):
    places = [m.start() for m in re.finditer(rb"[0-9]", data)]
    for at in pick.sample(places, min(len(places), pick.randint(1, 8))):
        data = data[:at] + pick.choice([b"0", b"9", b"-", b".", b"e", b"1"]) + data[at + 1:]
    return data


def swap(pick, data, _):
    tokens = TOKENS.findall(data)
    a, b = pick.randrange(len(tokens)), pick.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def odd(pick, data, _):
    at, end = chunk(pick, data)
    return data[:at] + pick.choice(ODD) + data[pick.choice([at, at + 1, end]):]


def odd_token(pick, data, _):
    tokens = TOKENS.findall(data)
    tokens[pick.randrange(len(tokens))] = pick.choice(ODD)
    return b"".join(tokens)


KINDS = [flip, truncate, duplicate, remove, splice, digits, swap, odd, odd_token, odd_token]


def damage(pick, data, other):
    for _ in range(pick.choice([1, 1, 2, 4])):
        if data:
            data = pick.choice(KINDS)(pick, data, other)
    return data


# ---- values

def other_value(pick, value):
    """Mostly of the same type, and near to what was there."""
    if pick.random() < 0.1:
        return pick.choice([None, True, [], {}, [1, 2], {"a": 1}, pick.choice(NUMBERS), pick.choice(TEXTS)])
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return pick.choice([pick.choice(NUMBERS), -value, value * 1000, value + 1, str(value)])
    return pick.choice(TEXTS)


def places_of(value, found):
    """(container, key) of everything in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        places_of(inner, found)
    return found


def alter_document(pick, document):
    places = places_of(document, [])
    if not places:
        return
    container, key = pick.choice(places)
    kind = pick.randrange(4)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, list):
        container[key:key] = [container[key]] * pick.choice([1, 1, 30])
    elif kind == 1:
        source, other = pick.choice(places)
        container[key] = source[other] if not isinstance(source[other], (dict, list)) else container[key]
    else:
        container[key] = other_value(pick, container[key])


def alter_json(pick, data):
    document = json.loads(data)
    for _ in range(pick.choice([1, 1, 2, 4])):
        alter_document(pick, document)
    return json.dumps(document, separators=(",", ":"), ensure_ascii=pick.random() < 0.5).encode("utf-8", "surrogatepass")


def alter_lines(pick, data):
    """JSON Lines."""
    lines = data.splitlines()
    at = pick.randrange(len(lines))
    lines[at] = alter_json(pick, lines[at])
    return b"\n".join(lines) + b"\n"


def alter_csv(pick, data):
    text = data.decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ValueError("no table")
    for _ in range(pick.choice([1, 1, 2, 4])):
        row = pick.choice(rows[1:])
        if row:
            row[pick.randrange(len(row))] = str(pick.choice(NUMBERS) if pick.random() < 0.6 else pick.choice(TEXTS[:9]))
    if pick.random() < 0.2:
        rows.insert(pick.randrange(1, len(rows) + 1), pick.choice(rows[1:]))
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def alter_table(pick, found, table):
    quoted = '"' + table.replace('"', '""') + '"'
    columns = [row[1] for row in found.execute(f"pragma table_info({quoted})")]
    rows = [row[0] for row in found.execute(f"select rowid from {quoted} limit 1000")]
    if not columns or not rows:
        return
    column, row = pick.choice(columns).replace('"', '""'), pick.choice(rows)
    kind = pick.randrange(6)
    if kind == 0:
        found.execute(f"delete from {quoted} where rowid=?", (row,))
    elif kind == 1:
        found.execute(f"insert into {quoted} select * from {quoted} where rowid=?", (row,))
    else:
        number = pick.choice(NUMBERS)
        value = pick.choice([None, b"\xff\xfe\0", pick.choice(TEXTS),
                             number if isinstance(number, float) or -2**63 <= number < 2**63 else float(number)])
        found.execute(f'update or ignore {quoted} set "{column}"=? where rowid=?', (value, row))


def alter_database(pick, data):
    handle, path = tempfile.mkstemp(suffix=".sqlite")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        found = sqlite3.connect(path)
        tables = sorted(row[0] for row in found.execute("select name from sqlite_master where type='table'"))
        for _ in range(pick.choice([1, 1, 2, 4])):
            try:
                alter_table(pick, found, pick.choice(tables))
            except sqlite3.IntegrityError:
                pass  # the table refuses a second row of this key
        found.commit()
        found.close()
        with open(path, "rb") as file:
            return file.read()
    finally:
        os.unlink(path)


def alter_numbers(pick, data):
    """Of a text of any format: numbers stay numbers, of other sizes."""
    numbers = list(re.finditer(rb"(?<![A-Za-z0-9_.])-?[0-9]+(\.[0-9]+)?(?![A-Za-z0-9_.])", data))
    if not numbers or b"\0" in data:
        raise ValueError("no text with numbers")
    for match in sorted(pick.sample(numbers, min(len(numbers), pick.choice([1, 1, 2, 4]))), key=lambda m: -m.start()):
        data = data[:match.start()] + str(pick.choice(NUMBERS)).encode() + data[match.end():]
    return data


def alter(pick, data):
    """Other values in an input that stays what it was; nothing where no way fits."""
    if data[:15] == b"SQLite format 3":
        ways = [alter_database]
    else:
        ways = [alter_json, alter_lines, alter_csv, alter_numbers]
    for way in ways:
        try:
            return way(pick, data)
        except (ValueError, KeyError, IndexError, RecursionError, csv.Error, sqlite3.Error):
            continue
    return None
