"""Malformed inputs of every source, made systematically: each odd value at each place of a small whole input."""
# SPDX-License-Identifier: MIT
import copy
import csv
import io
import json
import pathlib
import re
import sqlite3
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "bad-input"), str(HERE.parent / "gen")]
import malformed_probes as probes  # noqa: E402
import pftrace as pf  # noqa: E402
from values import MALFORMED, VALID  # noqa: E402

HOLE = "\u2603"
TEXTS = [b'""', b'"5"', b'"-5"', b'"x"', b'"inf"', b"-1", b"1e400", b"1e-400", b"0.5", b"99999999999999999999",
         b"9007199254740993", b"-0.0"]


# ---- JSON

def paths(value, path=()):
    """Of every member and element."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def place(document, path):
    """What holds the member, and its key."""
    for key in path[:-1]:
        document = document[key]
    return document, path[-1]


def json_of(documents):
    return "\n".join(json.dumps(d, ensure_ascii=False) for d in documents).encode()


def json_cases(documents):
    """(name, bytes) for a text of one or several documents."""
    values = [*MALFORMED, *VALID, *TEXTS]
    for path in paths(documents):
        name = "/".join(map(str, path))
        changed = copy.deepcopy(documents)
        holder, key = place(changed, path)
        old = holder[key]
        holder[key] = HOLE
        text = json_of(changed)
        hole = json.dumps(HOLE, ensure_ascii=False).encode()
        for value in values:
            yield f"{name} is {value!r}", text.replace(hole, value)
        if isinstance(holder, dict):
            member = f'"{key}": '.encode()
            for value in (b"1", b'"x"', b"NaN", b"[]", json.dumps(old).encode()):
                yield f"{name} is there before as {value!r}", text.replace(
                    member + hole, member + value + b", " + member + json.dumps(old).encode())
        del holder[key]
        yield f"{name} is missing", json_of(changed)
    whole = json_of(documents)
    for at in range(0, len(whole), 1 + len(whole) // 100):
        yield f"cut at byte {at}", whole[:at]
    for extra in (b"}", b"]", b",", b"{}", b"\x00", b"\xff", b"x", b"\n\n", b" null"):
        yield f"then {extra!r}", whole + extra
        yield f"{extra!r}, then", extra + whole


TRACE = [{"schemaVersion": 1, "distributedInfo": {"rank": 1}, "traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "a", "pid": 1, "tid": "s", "ts": 1.5, "dur": 2, "args": {"count": 1, "load": [1, 2.5]}},
    {"ph": "f", "name": "b", "id": 7, "bp": "e", "pid": 1, "tid": 2, "ts": 3}]}]
VLLM = [{"backend": "vllm", "model_id": "m", "request_rate": 8.0, "duration": 2.5, "completed": 2, "total_input_tokens": 3,
         "total_output_tokens": 5, "request_throughput": 0.8, "input_lens": [1, 2], "output_lens": [2, 3],
         "ttfts": [0.1, 0.2], "itls": [[0.01], [0.02, 0.03]], "errors": ["", ""], "mean_ttft_ms": 150.0}]
LINES = [{"metadata": {"session_num": k, "request_start_ns": 10 + k, "request_end_ns": 90, "benchmark_phase": phase},
          "metrics": {"request_latency": {"value": 9.5, "unit": "ms"},
                      "inter_chunk_latency": {"value": [1.5, 2], "unit": "ms"}}, "error": None}
         for k, phase in enumerate(("warmup", "profiling"))]
GATES = [{"step": [0, 1], "num_tokens": [5, 6], "expert_loads": [[1.0, 9], [2, 0.5]], "other": {"a": None}}]


# ---- CSV

CELLS = ["", "-", " ", "x", "-1", "1,5", "1;5", '"', 'a"b', '""', '"a" b', "\0", "\xff", "1e400", "nan", "inf", "0x10",
         "1 fortnight", "1e30", "9" * 40, "0.0000000001", "1 s", "5%", "=1+1", "\u202e", "\ufeff", "\r", "\n", "\t", "1\r\n2", "1.5 \u03bcs"]
ALLREDUCE = [["world_size", "dtype", "size", "num_tokens", "hidden_size", "strategy", "fusion", "time (us)"],
             ["2", "half", "256", "1", "128", "NCCL", "NONE", "4.5"], ["2", "half", "512", "2", "128", "ONESHOT", "A,B", "0.0"]]
TUNER = [["collective", "size_bytes", "algorithm", "protocol", "channels", "ranks", "latency_us"],
         ["allreduce", "8", "ring", "ll", "4", "8", "5.5"], ["reduce", "16", "tree", "simple", "", "8", "7"]]
CELLS_TABLE = [["sm", "tp", "fusion", "hidden_size", "num_tokens", "strategy", "number", "source"],
               ["90", "2", "NONE", "128", "1", "NCCL", "0", "default"], ["100", "2", "NONE", "128", "1", "ONESHOT", "4", ""]]
TABLE = [["Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Min (ns)", "Max (ns)", "Name"],
         ["60.0", "1200", "3", "400.0", "300", "500", "gemm<a, b>"], ["40.0", "800", "4", "200.0", "1", "700", "copy"]]


def table_text(rows):
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


def csv_cases(table, cells=CELLS):
    for r, row in enumerate(table):
        for c in range(len(row)):
            rows = copy.deepcopy(table)
            rows[r][c] = HOLE
            for cell in cells:
                for form in ("raw", "quoted"):
                    quoted = '"' + cell.replace('"', '""') + '"' if form == "quoted" else cell
                    data = table_text(rows).replace(HOLE, quoted)
                    yield f"row {r} cell {c} is {cell!r}, {form}", data.encode("utf-8" if "\xff" not in cell else "latin-1", "replace")
            rows[r].pop(c)
            yield f"row {r} lacks cell {c}", table_text(rows).encode()
            rows[r][c:c] = [table[r][c], "7"]
            yield f"row {r} has a cell more behind {c}", table_text(rows).encode()
    whole = table_text(table)
    for encoding in ("utf-16", "utf-16-le", "utf-32", "latin-1"):
        yield f"in {encoding}", whole.encode(encoding)
    for at in range(0, len(whole), 3):
        yield f"cut at byte {at}", whole[:at].encode()
    for old, new in (("\r\n", "\r"), ("\r\n", "\n"), ("\r\n", "\r\n\r\n"), (",", ";"), (",", "\t"), ("\r\n", "")):
        yield f"{new!r} for {old!r}", whole.replace(old, new).encode()


# ---- databases

SQL_VALUES = ["NULL", "''", "'x'", "'12'", "x'0102'", "x''", "1.5", "1e400", "-1", "0", "9223372036854775807",
              "-9223372036854775808", "CAST(x'ff41' AS TEXT)", "'a' || char(0) || 'b'", "zeroblob(5)", "' 7'"]
SQL = {"StringIds": ("id INTEGER PRIMARY KEY, value TEXT", ["(1, 'gemm')", "(2, 'copy')"]),
       "CUPTI_ACTIVITY_KIND_KERNEL": ("start INTEGER, end INTEGER, deviceId INTEGER, demangledName INTEGER, shortName INTEGER",
                                      ["(10, 30, 0, 1, 2)", "(40, 45, 1, 2, 2)", "(50, 51, 0, 1, 1)"])}


def sql_cells(row):
    return row[1:-1].split(", ")


def sql_cases():
    """(name, statements)"""
    def text(tables):
        return [s for name, (columns, rows) in tables.items()
                for s in [f"CREATE TABLE {name} ({columns})", *(f"INSERT INTO {name} VALUES {row}" for row in rows)]]
    for name, (columns, rows) in SQL.items():
        untyped = ", ".join(column.split()[0] for column in columns.split(", "))
        for r, c in ((r, c) for r in range(len(rows)) for c in range(len(sql_cells(rows[0])))):
            for value in SQL_VALUES:
                cells = sql_cells(rows[r])
                cells[c] = value
                changed = [*rows[:r], f"({', '.join(cells)})", *rows[r + 1:]]
                for kind, declared in (("typed", columns), ("untyped", untyped)):
                    yield f"{name} row {r} cell {c} is {value}, {kind}", text({**SQL, name: (declared, changed)})
        for c, column in enumerate(columns.split(", ")):
            less = ", ".join(x for x in columns.split(", ") if x != column)
            short = [f"({', '.join(v for k, v in enumerate(sql_cells(row)) if k != c)})" for row in rows]
            yield f"{name} lacks {column}", text({**SQL, name: (less, short)})
        yield f"{name} is empty", text({**SQL, name: (columns, [])})
        yield f"no {name}", text({k: v for k, v in SQL.items() if k != name})
        yield f"{name} is a view", text({**{k: v for k, v in SQL.items() if k != name}, "t": (columns, rows)}) + [
            f"CREATE VIEW {name} AS SELECT * FROM t"]
        yield f"{name} twice", text(SQL) + [f"INSERT INTO {name} SELECT {'id + 10, value' if 'value' in columns else '*'} FROM {name}"]
    for encoding in ("UTF-16le", "UTF-16be"):
        yield f"in {encoding}", [f"PRAGMA encoding='{encoding}'", *text(SQL)]


def write_database(path, statements):
    db = sqlite3.connect(path)
    try:
        for statement in statements:
            db.execute(statement)
        db.commit()
    except sqlite3.Error:
        return False  # SQLite itself refuses such a table
    finally:
        db.close()
    return True


# ---- cards

CARD = """version: 1
workload:
  model:
    phase: inference
    moe: true
    model_family: mixtral
  data:
    dataset: sharegpt
    max-num-seqs: 32
    request_rate: 8.5
  hardware:
    xpu_spec: {type: GPU, total_count: 4}
Model-executor:
  framework:
    name: vllm
  model_plan_parallelization: {tp: 4, ep: 4}
"""
YAML_VALUES = ["", "~", "null", "[]", "{}", "[a, b]", "[7]", "{a: 1}", "-1", "0x20", "1e308", "1e400", ".nan", ".inf", "'", '"',
               "\"\\xff\"", "\"a\\0b\"", "|", ">\n", "&a x", "*a", "!!binary aGk=", "!x y", "- a", "a: b", "? a", "%YAML 1.1",
               "---", "...", "\t", "@x", "`x", "yes", "017", "9" * 400, "x" * 300, "\u202e", "\x01", "'12'", "[", "]", "{", "}",
               "<<: 1", "#", "2024-01-01", "1:30", "=x"]


def yaml_cases():
    lines = CARD.splitlines(keepends=True)
    for number, line in enumerate(lines):
        found = re.match(r"(\s*[\w-]+:)( ?)(.*)$", line)
        for value in YAML_VALUES:
            changed = f"{found[1]} {value}\n"
            yield f"line {number + 1} is {value!r}", "".join([*lines[:number], changed, *lines[number + 1:]]).encode()
        yield f"no line {number + 1}", "".join(lines[:number] + lines[number + 1:]).encode()
        yield f"line {number + 1} twice", "".join(lines[:number + 1] + lines[number:]).encode()
        yield f"line {number + 1} deeper", "".join([*lines[:number], " " + line, *lines[number + 1:]]).encode()
        yield f"a bad byte in line {number + 1}", "".join(lines[:number]).encode() + b"\xff" + "".join(lines[number:]).encode()
    for at in range(0, len(CARD), 4):
        yield f"cut at byte {at}", CARD[:at].encode()
    for encoding in ("utf-16", "utf-16-be", "utf-32"):
        yield f"in {encoding}", CARD.encode(encoding)


# ---- packets

def small_trace():
    """One of everything, in few bytes."""
    own = pf.message({1: [pf.message({1: 64, 2: 9, 3: 1, 4: 10}), pf.message({1: 6, 2: 90})]})
    texts = pf.message({1: pf.message({1: 1, 2: "c"}), 2: pf.message({1: 1, 2: "n"}), 3: pf.message({1: 1, 2: "k"}),
                        29: pf.message({1: 1, 2: "v"})})
    arguments = [pf.message({1: 1, 17: 1}), pf.annotation("l", [1, {"m": 2.5}])]
    yield pf.packet({6: own, 10: 1, 13: 1, 59: pf.message({58: 64, 11: pf.message({11: 7, 31: 8})})})
    yield pf.packet({60: pf.process_track(5, 3, "p"), 10: 1})
    yield pf.packet({60: pf.thread_track(7, 5, 3, 4, "t"), 10: 1})
    yield pf.packet({60: pf.counter_track(8, 7, kind=1, incremental=1), 10: 1})
    yield pf.packet({8: 1, 10: 1, 13: 2, 12: texts,
                     11: pf.message({9: 1, 10: 1, 3: 1, 12: 5, 47: pf.Fixed(6), 4: arguments[1]})})
    yield pf.packet({8: 2, 10: 1, 13: 2, 11: pf.message({9: 2, 12: -1})})
    inner = pf.packet({8: 3, 10: 1, 11: pf.message({9: 4, 11: 8, 30: 2})})
    yield pf.packet({50: zlib.compress(inner)})
    yield pf.packet({8: 9, 58: 6, 10: 2, 11: pf.message({9: 3, 23: "i", 48: pf.Fixed(6), 4: arguments[0]})})


def packet_cases():
    parts = list(small_trace())
    whole = b"".join(parts)
    for at, byte in enumerate(whole):
        for value in sorted({0, 1, 0x7f, 0x80, 0xff, byte ^ 1, byte ^ 2, byte + 8 & 0xff} - {byte}):
            yield f"byte {at} is {value}", whole[:at] + bytes([value]) + whole[at + 1:]
        yield f"cut at byte {at}", whole[:at]
        yield f"no byte {at}", whole[:at] + whole[at + 1:]
        yield f"byte {at} twice", whole[:at + 1] + whole[at:]
    for n, part in enumerate(parts):
        yield f"no packet {n}", b"".join(parts[:n] + parts[n + 1:])
        yield f"packet {n} twice", b"".join(parts[:n + 1] + parts[n:])
        yield f"packet {n} first", b"".join([part, *parts[:n], *parts[n + 1:]])
        yield f"packet {n} after a long one", b"".join([*parts[:n], pf.packet({33: bytes(300000)}), *parts[n:]])


def log_cases():
    head, end = b"x Ideal/Total Cycles y\n", b"====== Perf Summary End ======\n"
    yield from byte_cases(head + b"mm_0-opCatBmm 11000\nadd_0-NA 0\nTotal 11000\n" + end)
    for n, odd in enumerate((b"\0", b"\xff\xfe", b"\r", b"9" * 30, b" ", b"-opCat", head, end, b"x" * 5000)):
        yield f"odd bytes {n}", head + b"a" + odd + b" 1\nb-NA 2\n" + end


# ---- text

def byte_cases(whole):
    yield from ((f"cut at {n}", whole[:n]) for n in range(1, len(whole)))
    yield from ((f"without byte {n}", whole[:n] + whole[n + 1:]) for n in range(len(whole)))


def line_cases(whole):
    """Each line away, and twice; odd bytes in front of each."""
    lines = whole.splitlines(keepends=True)
    for n, line in enumerate(lines):
        before, after = b"".join(lines[:n]), b"".join(lines[n + 1:])
        yield f"no line {n}", before + after
        yield f"line {n} twice", before + line + line + after
        for odd in (b"\xff", b"{", b"}", b"[1,0]<stdout>:", b"9" * 30, b"x" * 5000, b"\r", b"/*", b"//", b'"'):
            yield f"{odd[:20]!r} before line {n}", before + odd + line + after


CPP = b"""// TP:[2] Fusion:['NONE', 'A']
inline T AllReduceBestStrategyTableSM90 = {{
{{0,4}, // hidden_size=128
{5,6}}, {{1,2},{3,4}}
}};
"""
LOG = b"""# nThread 1 nGpus 1
#  Rank  0 Pid 1 on node01 device 0
# size count type redop root time algbw busbw #wrong time algbw busbw #wrong
8 2 float sum -1 5.5 0.1 0.2 0 4.5 0.3 0.4 N/A
16 4 float sum -1 1e+01 0.1 0.2 0 9 0.3 0.4 0
# Out of bounds values : 0 OK
# Avg bus bandwidth : 1.6
"""
RULES = b"# c\n allreduce,0,1024,tree,ll,4,1,8,-1,-1\n\nreduce,0,8,ring,simple,-1,1,8\n"
NCCL = [{"config": {"devices": [{}]}, "results": [{"size": 8, "count": 2, "type": "float", "out_of_place": {
    "time": "5.5", "alg_bw": 1.5, "bus_bw": "nan", "nwrong": 0}, "in_place": {"cpu_time": 4, "nwrong": "N/A"}}],
    "out_of_bounds": {"count": 0, "okay": "true"}, "average_bus_bandwidth": {"bandwidth": 2.5}}]
RCCL = [["name", "ranks", "size", "inPlace", "time", "busBw", "#wrong"], ["AllReduce", "8", "8", "0", "5.5", "1", "0"],
        ["AllReduce", "8", "16", "1", "6.5", "2", "N/A"]]

ROCPROF = [{"rocprofiler-sdk-tool": [{"metadata": {"pid": 5}, "agents": [{"id": {"handle": 2}, "type": 2, "node_id": 1}],
    "strings": {"buffer_records": [{"kind": "HIP", "operations": ["hipInit"]}], "marker_api": [{"key": 4, "value": "m"}]},
    "kernel_symbols": [{"kernel_id": 3, "formatted_kernel_name": "k()"}], "callback_records": {"a": [{"b": 1}]}, "buffer_records": {
        "kernel_dispatch": [{"start_timestamp": 10, "end_timestamp": 12, "correlation_id": {"internal": 4}, "stream_id": {"handle": 1}, "dispatch_info": {
            "kernel_id": 3, "agent_id": {"handle": 2}, "grid_size": {"x": 4, "y": 1, "z": 1}, "workgroup_size": {"x": 2, "y": 1, "z": 1}}}],
        "memory_copy": [{"kind": 0, "operation": 0, "start_timestamp": 5, "end_timestamp": 9, "bytes": 64, "dst_agent_id": {"handle": 2}}],
        "marker_api": [{"start_timestamp": 7, "end_timestamp": 8, "thread_id": 6, "correlation_id": {"internal": 4}}], "other": [{"c": 2}]}}]}]


CAPTURE = [{"traceEvents": [{"ph": "X", "name": "launch", "cat": "cuda_runtime", "pid": 1, "tid": 2, "ts": 3, "dur": 1,
                             "args": {"kernel": "k", "correlation": 4, "External id": 5}}]}]

# What is made for each source: (name, what the file holds, or each of several by its name).
CASES = {
    "allreduce-csv": lambda: csv_cases(ALLREDUCE),
    "chrome-json": lambda: json_cases(TRACE),
    "bench-json": lambda: [*json_cases(VLLM), *json_cases(LINES)],
    "coll-bench": lambda: [*byte_cases(LOG), *line_cases(LOG), *json_cases(NCCL), *csv_cases(RCCL)],
    "compiler-log": log_cases,
    "gate-log": lambda: json_cases(GATES),
    "graph-capture": lambda: json_cases(CAPTURE),
    "latency-csv": lambda: csv_cases(probes.LATENCY),
    "nsys-csv": lambda: csv_cases(TABLE),
    "nsys-sqlite": sql_cases,
    "perfetto": packet_cases,
    "probe-bin": lambda: probes.bin_cases(byte_cases, line_cases),
    "probe-log": lambda: probes.log_cases(byte_cases, line_cases),
    "rocprof-json": lambda: json_cases(ROCPROF),
    "strategy-table": lambda: [*byte_cases(CPP), *line_cases(CPP), *csv_cases(CELLS_TABLE)],
    "tuner-conf": lambda: [*byte_cases(RULES), *line_cases(RULES)],
    "tuner-csv": lambda: csv_cases(TUNER, [cell for cell in CELLS if cell != "\0"]),  # which is an empty cell
    "workload-card": yaml_cases,
}

# These take the names of folders and files, and read none.
NAMES_ALONE = {"sweep-tree"}
