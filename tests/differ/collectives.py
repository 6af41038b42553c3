"""An independent reader of results of nccl-tests and rccl-tests: text, JSON and CSV."""
# SPDX-License-Identifier: MIT
import fractions
import math
import pathlib
import re

from reading import NotReadable, Read, csv_rows, first_row, load, one_document, present, real, REAL

COLLECTIVES = ("allreduce", "allgather", "reducescatter", "alltoallv", "alltoall", "broadcast", "sendrecv", "scatter",
               "gather", "hypercube", "reduce")
TYPES = ("int", "uint", "float", "double", "half", "bfloat", "f8", "fp8")
NO_VALUE = ("n/a", "nan", "-nan", "inf", "-inf")
FIELDS = ("size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong")
LAYOUT = [*FIELDS, *("in " + field for field in FIELDS[5:])]


def collective_of(name):
    plain = re.sub("[^a-z]", "", name.lower())
    return next((known for known in COLLECTIVES if known in plain), None)


def number_of(value):
    """Results hold numbers as texts, too; NaN for what is none."""
    found = real(value) if isinstance(value, str) else float(value) if isinstance(value, (int, fractions.Fraction)) else None
    return math.nan if found is None else found


def whole_of(value):
    number = number_of(value)
    return int(number) if 0 <= number < 9e18 else None


def finite(value):
    number = number_of(value)
    return number if math.isfinite(number) else None


def is_true(value):
    return value.lower() in ("true", "1") if isinstance(value, str) else number_of(value) > 0


class Log:
    def __init__(self, name):
        self.name, self.layout, self.ended, self.broken = name, LAYOUT, [], 0
        self.begin()

    def begin(self):
        self.rows, self.hosts, self.choice, self.local = [], set(), {}, 0
        self.collective, self.run = collective_of(self.name), {"busbw": None, "wrong": None, "ranks": 0, "nodes": 0}
        self.complete = self.failed = False

    def next(self):
        """Another run: what this one has is kept."""
        self.ended.append(self.records())
        self.begin()

    def row(self, values, in_place, **more):
        """One half of a row; without a time it is none."""
        if number_of(values.get("time")) > 0:
            self.rows.append({"name": "coll.row", **more, "in_place": int(in_place), "time_us": finite(values["time"]),
                              "algbw": finite(values.get("algbw")), "busbw": finite(values.get("busbw")),
                              "wrong": values.get("wrong")})

    def fits(self, ranks):
        """Whether busbw / algbw, which have two decimals, are of so many ranks."""
        part = (ranks - 1) / ranks
        factors = {"allreduce": 2 * part, "allgather": part, "reducescatter": part, "alltoall": part}
        for row in self.rows:
            factor = factors.get(row.get("collective") or self.collective)
            if factor is None or row["algbw"] is None or row["busbw"] is None:
                continue
            if abs(row["busbw"] - row["algbw"] * factor) > 0.0051 * (1 + factor) + 0.001 * row["algbw"]:
                return False
        return True

    def records(self):
        if not self.complete or self.failed or (self.run["wrong"] or 0) > 0 or any((row["wrong"] or 0) > 0 for row in self.rows):
            raise NotReadable("no end, or wrong results")
        if not self.run["ranks"] and self.local and self.fits(self.local):
            self.run["ranks"] = self.local
        run = {key: None if key in ("ranks", "nodes") and not value else value for key, value in self.run.items()}
        rows = [present({**row, **self.choice, "collective": row.get("collective") or self.collective or "unknown"}) for row in self.rows]
        return rows + [present({"name": "coll.run", **run, "complete": 1})]

    def read(self):
        if self.rows or self.run["ranks"] or self.complete or not self.ended:
            self.next()
        if not any(len(records) > 1 for records in self.ended):
            raise NotReadable("no rows")
        return Read([[record for records in self.ended for record in records]], {})


def text_row(log, tokens):
    values = dict(zip(log.layout, tokens))
    measured = [values.get(half + key, "N/A") for half in ("", "in ") for key in ("time", "algbw", "busbw")]
    whole = len(tokens) >= len(log.layout) and all(finite(v) is not None or v.lower() in NO_VALUE for v in measured)
    if whole and any(re.fullmatch("[0-9]+", values.get(key, "")) and int(values[key]) >= 1 << 63 for key in ("size", "count")):
        raise NotReadable("a number beyond 63 bits")
    if not re.fullmatch("[0-9]+", values.get("size", "")) or int(values["size"]) >= 1 << 63:
        return
    if not re.fullmatch("-?[0-9]+", values.get("count", "0")) or not -(1 << 63) <= int(values.get("count", "0")) < 1 << 63:
        return
    if not whole:
        log.broken += values.get("type", "").startswith(TYPES)
        return
    if log.complete:
        log.next()
    about = {"bytes": int(values["size"]), "count": int(values["count"]), "type": values.get("type"), "redop": values.get("redop")}
    for half in ("", "in "):
        wrong = number_of(values.get(half + "#wrong"))
        log.row({"time": values.get(half + "time"), "algbw": values.get(half + "algbw"), "busbw": values.get(half + "busbw"),
                 "wrong": math.ceil(wrong) if 0 <= wrong < 1e15 else None}, bool(half), **about)


def text_header(tokens):
    """What is behind the first column of wrong values is in place."""
    layout, half = [], ""
    for token in tokens:
        field = "#wrong" if token == "error" else token
        layout.append((half if field in FIELDS[5:] else "") + field)
        half = "in " if field == "#wrong" else half
    return layout


def text_comment(log, line):
    text = line[1:].lstrip(" ")
    title, colon, rest = text.partition(":")
    if text.startswith("Rank "):
        if log.complete:
            log.next()
        log.run["ranks"] += 1
        log.hosts.update(re.findall(r" on +([^ ]*)", text)[:1])
        log.run["nodes"] = len(log.hosts)
    elif colon and title.startswith("Out of bounds values"):
        log.run["wrong"] = int(re.match(r"\s*([+-]?[0-9]+)?", rest)[1] or 0)
        log.failed |= "FAILED" in rest
        log.complete = True
    elif colon and title.startswith("Avg bus bandwidth"):
        value = REAL.match(rest.strip())
        log.run["busbw"] = float(value[0]) if value else 0
        log.complete = True
    elif colon and title.startswith("Collective test concluded"):
        log.collective = collective_of(rest)
    if "size" in line and "busbw" in line and len(line[1:].split()) > 5:
        if log.complete:
            log.next()
        log.layout = text_header(line[1:].split())


TITLES = ("# nThread ", "# nccl-tests version", "rccl-tests: Version", "# Collective test starting")


def text_title(log, line):
    if log.complete or log.run["ranks"] or log.rows:
        log.next()
    counts = re.match(r"# nThread\s+([0-9]{1,9}) nGpus\s+([0-9]{1,9})", line)
    if counts and int(counts[1]) and int(counts[2]):
        log.local = int(counts[1]) * int(counts[2])
    if line.startswith(TITLES[-1]) and ":" in line:
        log.collective = collective_of(line.partition(":")[2])


def text_choice(log, line):
    found = {}
    for key, name in (("algorithm", "NCCL_ALGO"), ("protocol", "NCCL_PROTO")):
        word = re.match("(?: set by environment to |=)([a-zA-Z_128]+)", line.partition(name)[2])
        found.update({key: word[1].lower()} if word else {})
    if found and log.complete:
        log.next()
    log.choice.update(found)


def text_log(log, text):
    for line in text.split("\n"):
        line = re.sub(r"^\[[^>]{0,38}>:", "", line.partition("\0")[0]).strip()
        line = re.sub("^[0-9]{1,7}:( |$)", "", line).strip()
        if line.startswith(TITLES):
            text_title(log, line)
            continue
        if line.startswith("#"):
            text_comment(log, line)
            continue
        if "NCCL_" in line:
            text_choice(log, line)
        if re.match("[0-9]", line):
            text_row(log, line.split())


def member(holder, key, kind):
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, kind) else None


def nccl_document(log, root):
    bounds, average = member(root, "out_of_bounds", dict), member(root, "average_bus_bandwidth", dict)
    for result in member(root, "results", list) or []:
        size = whole_of(result.get("size")) if isinstance(result, dict) else None
        if size is None:
            continue
        about = {"collective": collective_of(member(result, "experiment_name", str) or ""), "bytes": size,
                 "count": whole_of(result.get("count")), "type": member(result, "type", str),
                 "redop": member(result, "redop", str)}
        for key in ("out_of_place", "in_place"):
            half = member(result, key, dict) or {}
            time = half.get("cpu_time") if math.isnan(number_of(half.get("time"))) else half.get("time")
            log.row({"time": time, "algbw": half.get("alg_bw"), "busbw": half.get("bus_bw"),
                     "wrong": whole_of(half.get("nwrong"))}, key == "in_place", **about)
    log.run.update(ranks=len(member(member(root, "config", dict), "devices", list) or []),
                   wrong=whole_of((bounds or {}).get("count")), busbw=finite((average or {}).get("bandwidth")))
    log.failed = bounds is not None and not is_true(bounds.get("okay"))
    log.complete = bounds is not None or average is not None


def rccl_row(log, row):
    """Of JSON and of CSV, whose columns have these names in lower case."""
    at = {key.lower(): value for key, value in row.items()}
    size, before = whole_of(at.get("size")), len(log.rows)
    if size is None:
        return
    about = {"collective": collective_of(member(at, "name", str) or ""), "bytes": size, "count": None,
             "type": member(at, "type", str), "redop": member(at, "redop", str)}
    log.row({"time": at.get("time"), "algbw": at.get("algbw"), "busbw": at.get("busbw"),
             "wrong": whole_of(at.get("#wrong"))}, is_true(at.get("inplace")), **about)
    if len(log.rows) == before:
        return
    log.complete = True
    processes, devices = whole_of(at.get("ranks")) or 0, whole_of(at.get("gpusperrank")) or 1
    found = {"ranks": whole_of(at.get("gpus")) or processes * devices, "nodes": whole_of(at.get("nodes")) or 0}
    if any(log.run[key] and found[key] and log.run[key] != found[key] for key in found):
        row = log.rows.pop()
        log.next()
        log.rows, log.complete = [row], True
    log.run.update({key: value for key, value in found.items() if value})


def rccl_csv(log, rows):
    header = [{"collective": "name", "wrong": "#wrong"}.get(cell.lower(), cell.lower()) for cell in rows[0]]
    longer = header[:header.index("name") + 1] + ["nodes"] + header[header.index("name") + 1:]
    short = 0
    for row in (row for row in rows[1:] if "".join(row) or len(row) > 1):
        shifted = len(row) == len(longer) and "nodes" not in header
        if len(row) != len(header) and not shifted:
            raise NotReadable("a ragged row")
        rccl_row(log, dict(zip(longer if shifted else header, (c.strip() for c in row))))
        short |= shifted
    return int(short)


def json_log(log, data, text):
    if text.startswith("{") and '"results"' not in text:
        for line in re.split("\n", text):
            line = line.strip()
            if line.startswith("{"):
                rccl_row(log, one_document(line.removesuffix(",").encode("utf-8", "surrogateescape")))
        return
    root = one_document(data)
    if isinstance(root, dict):
        nccl_document(log, root)
    for row in root if isinstance(root, list) else []:
        if isinstance(row, dict):
            rccl_row(log, row)


def is_rccl_csv(text):
    names = {cell.lower() for cell in first_row(text)}
    return {"size", "time", "busbw", "inplace"} <= names and bool({"name", "collective"} & names)


def coll_bench(path):
    data = load(path)
    text = data.decode("utf-8", "surrogateescape")
    log, lost = Log(pathlib.Path(path).name), {}
    named = [all(f'"{key}"' in text for key in keys) for keys in (["out_of_place"], ["in_place"], ["busBw", "inPlace"])]
    if text.lstrip()[:1] in ("{", "[") and any(named):
        json_log(log, data, text)
    elif is_rccl_csv(text):
        lost = {"NTEST-22": rccl_csv(log, csv_rows(text))}
    else:
        text_log(log, text)
        lost = {"NTEST-23": log.broken}
    return Read(log.read().lanes, lost)
