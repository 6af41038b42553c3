"""Independent readers of what sources read: the events that must come of an input, and those that may be left out.

Python's own json, csv and sqlite3 do the reading; the meaning is taken from the sources' pages."""
# SPDX-License-Identifier: MIT
import csv
import io
import json
import pathlib
import re
import sqlite3

import packets
import probes
import tuning
from reading import (MAX_LIST, NotReadable, Read, documents, is_number, load, nanoseconds, one_document, table_text)


# ---- chrome-json

KINDS = {"X": "slice", "B": "begin", "E": "end", "i": "instant", "I": "instant", "R": "instant", "C": "counter",
         "M": "meta", "b": "async-begin", "S": "async-begin", "n": "async-step", "T": "async-step", "p": "async-step",
         "e": "async-end", "F": "async-end", "s": "flow-start", "t": "flow-step", "f": "flow-end", "P": "sample",
         "N": "object", "O": "object", "D": "object"}


def trace_event(event):
    phase = event.get("ph")
    made = {"kind": KINDS.get(phase, "other") if isinstance(phase, str) else "other"}
    if isinstance(event.get("name"), str):
        made["name"] = event["name"]
    for key, member in (("ts", "ts_ns"), ("dur", "dur_ns")):
        value = event.get(key)
        if is_number(value) and abs(value) < 2**53 and value >= 0:
            made[member] = nanoseconds(value, 1000)
    return made


def joined(pairs):
    """Two lists of events are both read; of other keys the last one counts."""
    lists = [value for key, value in pairs if key == "traceEvents" and isinstance(value, list)]
    return {**dict(pairs), **({"traceEvents": sum(lists, [])} if len(lists) > 1 else {})}


def chrome_json(path, tag="JSN"):
    document = one_document(load(path), pairs=joined)
    events = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise NotReadable("no list of events")
    objects = [e for e in events if isinstance(e, dict)]
    return Read([[trace_event(e) for e in objects]], {f"{tag}-30": len(events) - len(objects)})


def graph_capture(path):
    return chrome_json(path, "GCAP")


# ---- bench-json

def gaps_of(seconds):
    """The records of one request: its first gaps, then the rest of them."""
    gaps = [nanoseconds(gap, 1000000000) for gap in seconds]
    return [gaps[at:at + MAX_LIST] for at in range(0, max(len(gaps), 1), MAX_LIST)]


def result_requests(result):
    """vLLM, SGLang, TensorRT-LLM: parallel lists."""
    for key in ("input_lens", "output_lens", "ttfts", "itls", "start_times", "errors"):
        if isinstance(result.get(key), list):
            count = len(result[key])
            break
    else:
        return []
    gaps = result.get("itls") or [[]] * count
    return [{"name": "bench.request", "gap_ns": part} for request in gaps for part in gaps_of(request)]


def is_request_line(value):
    return isinstance(value, dict) and {"metadata", "metrics"} <= set(value)


def bench_json(path):
    values = list(documents(load(path), constant=str))  # what Python writes: request_rate may be Infinity
    run = {"name": "bench.run", "gap_ns": []}
    if values and all(is_request_line(v) for v in values):
        measured = [v for v in values if v["metadata"].get("benchmark_phase") in (None, "profiling")]
        made = []
        for line in measured:
            gaps = line["metrics"].get("inter_chunk_latency", {}).get("value", [])
            parts = [[nanoseconds(g, 1000000) for g in gaps[at:at + MAX_LIST]]
                     for at in range(0, max(len(gaps), 1), MAX_LIST)]
            made += [{"name": "bench.request", "gap_ns": part} for part in parts]
        return Read([made + [run]], {"BENCH-23": len(values) - len(measured)})
    if not all(isinstance(v, dict) and {"backend", "completed"} & set(v) for v in values):
        raise NotReadable("not a result")
    return Read([result_requests(v) + [run] for v in values], {})


# ---- gate-log

def gate_rows(path):
    document = one_document(load(path), constant=str)  # also in members that are not known
    if not isinstance(document, dict) or not isinstance(document.get("expert_loads"), list):
        raise NotReadable("no list of loads")
    layer = int(re.search(r"gate_logs_(\d+)", str(path))[1])
    for row in document["expert_loads"]:
        row = row or []
        for at in range(0, len(row), MAX_LIST):
            yield {"name": "gate.step", "layer": [layer], "load": [float(v) for v in row[at:at + MAX_LIST]]}


def gate_log(path):
    path = pathlib.Path(path)
    files = sorted(path.glob("gate_logs_*.json*"), key=lambda p: p.name) if path.is_dir() else [path]
    return Read([[event for file in files for event in gate_rows(file)]], {})


# ---- compiler-log

ROW = re.compile(r"^([_\-.a-zA-Z0-9]+)\s+([0-9]+)\s*$", re.ASCII)


def log_tables(text):
    """The rows of each table that has an end and a row: (name, cycles)."""
    table = None
    for line in text.split("\n"):
        line = line[:-1] if line.endswith("\r") else line
        if "DSM-AutoPilot BEGIN" in line or "Ideal Clock Scaling:" in line or re.search(r"^\s+(DECODING|PREFILL)\s*$", line):
            continue
        if " Ideal/Total Cycles " in line:
            table = []
        elif table is not None and "====== Perf Summary End ======" in line:
            if table:
                yield table
            table = None
        elif table is not None and ROW.match(line) and "Precompute" not in line and "-LxPreload" not in line:
            table.append((ROW.match(line)[1], int(ROW.match(line)[2])))


def compiler_log(path):
    text = load(path).decode("latin-1")
    if max(map(len, text.split("\n"))) >= 65536:
        raise NotReadable("lines that nobody reads whole")
    events = []
    for number, rows in enumerate(log_tables(text)):
        kernels = {}
        for name, cycles in rows:
            base = name.split("-opCat")[0] if "-opCat" in name else re.sub("-NA$", "", name)
            if cycles < 2**63:
                kernels[base] = kernels.get(base) or cycles
        events += [{"name": "compiler.table", "table": [number]}]
        events += [{"name": "compiler.kernel", "table": [number], "kernel": f"{base} Cmpt Exec", "ideal_cycles": cycles}
                   for base, cycles in kernels.items()]
    return Read([events + [{"name": "compiler.log"}]], {})


# ---- nsys-csv

UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "\u00b5s": 10**3, "\u03bcs": 10**3, "ns": 1}


def cell_number(cell, unit):
    found = re.fullmatch(r"([0-9.,eE+]+)\s*(\S*)", cell.strip())
    if not found:
        raise NotReadable(f"{cell!r} is no number")
    return nanoseconds(found[1].replace(",", ""), UNITS[found[2].lower() or unit])


def table_rows(text):
    """The first table with the columns of a kernel summary, its header first."""
    for separator in ",\t;":
        try:
            lines = io.StringIO(re.sub("\r\n?", "\n", text), newline="")
            rows = list(csv.reader(lines, delimiter=separator, strict=True))
        except csv.Error as why:
            raise NotReadable(str(why)) from None
        for number, header in enumerate(rows):
            names = [re.sub(r"\s*\(.*\)", "", cell).strip().lower() for cell in header]
            if {"name", "total time", "instances"} <= set(names):
                return names, rows[number:]
    raise NotReadable("no header")


def nsys_csv(path):
    names, rows = table_rows(table_text(load(path)))
    header = rows[0]
    time = names.index("total time")
    unit = re.search(r"\((\w+)\)", header[time])
    events = []
    for number, row in enumerate(rows[1:], 1):
        if not row and not any(len(later) == len(header) for later in rows[number:][:2]):
            break  # the table's end, not a blank line within it
        if not row:
            continue
        events.append({"name": "kernel.row", "kernel": [row[names.index("name")]],
                       "count": [int(row[names.index("instances")].replace(",", ""))],
                       "total_ns": [cell_number(row[time], unit[1].lower() if unit else "ns")]})
    return Read([events], {})


# ---- nsys-sqlite

def kernel_name(db, columns, row):
    """The text of the first name that there is; a number that leads nowhere is its own name."""
    for column in ("demangledName", "shortName", "mangledName"):
        if column in columns and row[column] is not None:
            found = db.execute("SELECT value FROM StringIds WHERE id = ?", (row[column],)).fetchone()
            numbered = isinstance(row[column], int)
            if found and numbered and found[0] is not None:
                return row[column], found[0]
            return (row[column], f"(string {row[column]})") if numbered else (None, "(no name)")
    return None, "(no name)"


def name_text(name):
    return name[1].decode("utf-8", "replace") if isinstance(name[1], bytes) else str(name[1])


def device_of(row):
    """INT64_MIN is no device."""
    device = row["deviceId"] if "deviceId" in row.keys() else 0
    return device if isinstance(device, int) and device > -2**63 else None


def nsys_sqlite(path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        db.row_factory = sqlite3.Row
        db.text_factory = lambda text: text.decode("utf-8", "replace")
        rows = db.execute("SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall()
        good = [r for r in rows if isinstance(r["start"], int) and isinstance(r["end"], int)
                and 0 <= r["end"] - r["start"] < 2**63]
        sums = {}
        for row in good:
            name = kernel_name(db, row.keys(), row)
            for device in {None, device_of(row)}:
                count, total = sums.get((name, device), (0, 0))
                sums[name, device] = count + 1, total + row["end"] - row["start"]
    except sqlite3.Error as why:
        raise NotReadable(str(why)) from None
    finally:
        db.close()
    devices = sorted({device for _, device in sums if device is not None})
    events = []
    for device in [None, *(devices if len(devices) > 1 else [])]:
        of_device = [(name, count, total) for (name, where), (count, total) in sums.items() if where == device]
        for name, count, total in sorted(of_device, key=lambda r: (-r[2], name_text(r[0]).encode())):
            event = {"name": "kernel.row", "kernel": [name_text(name)], "count": [count], "total_ns": [total]}
            if device is not None:
                event["device"] = [device]
            events.append(event)
    return Read([events], {"NSQL-20": len(rows) - len(good), "NSQL-22": sum(device_of(r) is None for r in good)})


# ---- perfetto

def perfetto(path):
    try:
        events, lost = packets.read(load(path))
    except packets.Bad as why:
        raise NotReadable(str(why)) from None
    return Read([events], lost)


# ---- rocprof-json

class Members(dict):
    """The last value of each member, and all of them in order."""
    def __init__(self, pairs):
        super().__init__(pairs)
        self.pairs = pairs


def whole(value):
    """What is none is None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64 else None


def member(value, *path):
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def handle(value):
    return whole(member(value, "handle") if isinstance(value, dict) else value)


def elements(value, kind):
    return [e for e in value if isinstance(e, kind)] if isinstance(value, list) else []


class Process:
    LISTS = {"kernel_dispatch": "dispatch", "memory_copy": "copy", "hip_api": "call", "hip_runtime_api": "call", "hip_compiler_api": "call",
             "hsa_api": "call", "rccl_api": "call", "marker_api": "marker"}

    def __init__(self, pairs):
        self.kernels, self.markers, self.agents, self.kinds, self.bad, self.negative = {}, {}, {}, [], 0, 0
        for key, value in pairs:
            self.table(key, value)
        self.events = [event for key, value in pairs if key == "buffer_records" and isinstance(value, dict)
                       for name, records in value.pairs if name in self.LISTS and isinstance(records, list)
                       for record in records for event in self.event(self.LISTS[name], record)]

    def table(self, key, value):
        if key == "kernel_symbols":
            for symbol in elements(value, dict):
                names = [symbol.get(f"{n}kernel_name") for n in ("formatted_", "demangled_", "truncated_", "")]
                names = [name for name in names if isinstance(name, str) and name]
                if names:
                    self.kernels[whole(symbol.get("kernel_id"))] = names[0]
        if key == "agents":
            for agent in elements(value, dict):
                node = whole(agent.get("node_id"))
                node = handle(agent.get("id")) if node is None else node
                device = whole(agent.get("logical_node_type_id"))
                self.agents[handle(agent.get("id"))] = (agent.get("type") == 2, node if device is None else device)
        if key == "strings" and isinstance(value, dict):
            for name, inner in value.pairs:
                if name == "buffer_records":
                    self.kinds = [kind.get("operations") if isinstance(kind, dict) else [] for kind in inner] if isinstance(inner, list) else []
                if name == "marker_api":
                    self.markers.update({whole(m.get("key")): m.get("value") for m in elements(inner, dict)
                                         if isinstance(m.get("value"), str) and m.get("value")})

    def operation(self, record):
        kind, operation = whole(record.get("kind")), whole(record.get("operation"))
        names = self.kinds[kind] if kind is not None and kind < len(self.kinds) else []
        name = names[operation] if isinstance(names, list) and operation is not None and operation < len(names) else None
        return name if isinstance(name, str) else "operation" if operation is None else f"operation {operation}"

    def name(self, of, record):
        kernel, correlation = whole(member(record, "dispatch_info", "kernel_id")), whole(member(record, "correlation_id", "internal"))
        if of == "dispatch":
            return "kernel" if kernel is None else self.kernels.get(kernel, f"kernel {kernel}")
        marker = self.markers.get(correlation) if of == "marker" and correlation is not None else None
        return marker or self.operation(record)

    def agent(self, of, record):
        if of == "dispatch":
            return handle(member(record, "dispatch_info", "agent_id"))
        source, destination = handle(record.get("src_agent_id")), handle(record.get("dst_agent_id"))
        is_gpu = source is not None and self.agents.get(source, (False,))[0]
        return source if is_gpu or destination is None else destination

    def event(self, of, record):
        start, end = (whole(member(record, key)) for key in ("start_timestamp", "end_timestamp"))
        if not start or end is None or max(start, end) >= 2**63:
            self.bad += 1
            return
        self.negative += end < start
        event = {"kind": "slice", "name": self.name(of, record), "ts_ns": start, "dur_ns": max(end - start, 0), "device": [], "bytes": []}
        agent = self.agent(of, record) if of in ("dispatch", "copy") else None
        device = None if agent is None else self.agents.get(agent, (False, agent))[1]
        if device is not None and device < 2**63:
            event["device"] = [device]
        size = whole(record.get("bytes"))
        if of == "copy" and size is not None and size < 2**63:
            event["bytes"] = [size]
        yield event


def rocprof_json(path):
    document = one_document(load(path), pairs=Members)
    if not isinstance(document, dict):
        raise NotReadable("no object")
    tools = [value for key, value in document.pairs if key == "rocprofiler-sdk-tool" and isinstance(value, list)]
    if not tools:
        raise NotReadable("no list of processes")
    made = [Process(process.pairs) for tool in tools for process in elements(tool, dict)]
    return Read([process.events for process in made] or [[]], {"ROCPF-21": sum(p.bad for p in made), "ROCPF-22": sum(p.negative for p in made)})


# Sources of events by name.
READERS = {"chrome-json": chrome_json, "graph-capture": graph_capture, "bench-json": bench_json, "gate-log": gate_log, "compiler-log": compiler_log,
           "nsys-csv": nsys_csv,
           "nsys-sqlite": nsys_sqlite, "perfetto": perfetto, "rocprof-json": rocprof_json, **probes.READERS, **tuning.READERS}


# Sources of side inputs, which are given with a label and beside traces.
SIDES = {"compiler-log": "log", "graph-capture": "capture"}


# ---- workload-card: no events, but the inputs that a folder is taken to hold

def card_inputs(folder):
    folder = pathlib.Path(folder)
    runs = [f for f in [folder, *sorted(folder.rglob("*"))] if f.is_dir() and is_run(f)]
    return [path for run in runs for path in run_inputs(run)]


def is_run(folder):
    return bool(list(folder.glob("*.yaml")) or (folder / "results_json").is_dir() or list(folder.glob("*gates_logs_*/")))


def run_inputs(run):
    results = [p for ending in ("*.json", "*.jsonl") for p in (run / "results_json").glob(ending)]
    gates = [p for p in run.glob("gates_logs_*") if p.is_dir()]
    beside = [p for ending in ("*.csv", "*.sqlite", "*.json", "*.jsonl") for p in run.glob(ending)]
    if not list(run.glob("*.yaml")):
        beside = list(run.glob("*.json"))
    return sorted(results) + sorted(gates) + sorted(beside)


# ---- sweep-tree: likewise

def sweep_inputs(folder):
    ranks = [f for f in pathlib.Path(folder).rglob("rank*") if f.is_dir() and re.fullmatch("rank_?[0-9]+", f.name)]
    ranks = [f for f in ranks if f.parent == pathlib.Path(folder) or f.parent.name == "torch_profiler"]
    return [min(found, key=trace_order) for found in map(traces_of, ranks) if found]


def traces_of(rank):
    return [p for ending in ("*.json", "*.json.gz", "*.json.zst") for where in (rank, rank / "trace") for p in where.glob(ending)]


def trace_order(path):
    parts = re.split("([0-9]+)", path.name)
    return not path.name.startswith("customer_trace"), [int(p) if p.isdigit() else p for p in parts]


# Sources of folders by name.
FOLDERS = {"workload-card": card_inputs, "sweep-tree": sweep_inputs}

# What the dump must have been asked for, so that these attributes are decoded.
ATTRIBUTES = ("gap_ns", "layer", "load", "kernel", "count", "total_ns", "device", *probes.ATTRIBUTES, *tuning.ATTRIBUTES)
