"""What a database of nsys says, by SQL of its own: it shares no code with the program."""
# SPDX-License-Identifier: MIT
import re
import sqlite3

COPIES = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA", 8: "DtoD", 9: "HtoH", 10: "PtoP"}
MEMORY = {0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed"}
WORK = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.columns = {t: [r[1] for r in self.db.execute(f"PRAGMA table_info({t})")]
                        for (t,) in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = dict(self.db.execute("SELECT id, value FROM StringIds"))
        keys = {}
        for table in WORK:
            if table in self.columns:
                for key, device in self.db.execute(f"SELECT globalPid >> 24, min(deviceId) FROM {table} GROUP BY 1"):
                    keys[key] = min(device, keys.get(key, device))
        self.keys = [key for key, _ in sorted(keys.items(), key=lambda k: (k[1], k[0]))]

    def rows(self, table, key, *columns):
        """Rows of a process as dicts; columns that are not there are None."""
        if table not in self.columns:
            return
        has = [c for c in columns if c in self.columns[table]]
        owner = "globalPid" if "globalPid" in self.columns[table] else "globalTid"
        sql = f"""SELECT {", ".join(f'"{c}"' for c in has)} FROM {table} WHERE {owner} >> 24 = ? ORDER BY start"""
        for row in self.db.execute(sql, (key,)):
            yield {**dict.fromkeys(columns), **dict(zip(has, row))}

    def one(self, table, column, where):
        """A single value, or None."""
        row = self.db.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchone() if table in self.columns else None
        return row and row[0]

    def work(self, key):
        """Device work of a process: name, start, end, device, correlation, bytes."""
        columns = ("start", "end", "deviceId", "correlationId", "demangledName", "bytes", "copyKind", "srcKind", "dstKind", "memKind")
        for table in WORK:
            for r in self.rows(table, key, *columns):
                name = self.strings.get(r["demangledName"])
                if table.endswith("MEMCPY"):
                    name = "Memcpy " + COPIES[r["copyKind"]]
                    if r["srcKind"] is not None:
                        name += f" ({MEMORY[r['srcKind']]} -> {MEMORY[r['dstKind']]})"
                elif table.endswith("MEMSET"):
                    name = "Memset" if r["memKind"] is None else f"Memset ({MEMORY[r['memKind']]})"
                yield name, r["start"], r["end"], r["deviceId"], r["correlationId"], r["bytes"]

    def calls(self, table, key):
        for r in self.rows(table, key, "start", "end", "globalTid", "correlationId", "nameId"):
            name = re.sub(r"(_ptsz|_ptds)$", "", self.strings[r["nameId"]])
            yield re.sub(r"_v\d{4,}$", "", name), r["start"], r["end"], r["globalTid"], r["correlationId"]

    def ranges(self, key):
        last = {}
        for table in (CALLS, "NVTX_EVENTS", "OSRT_API", "PROFILER_OVERHEAD"):
            for r in self.rows(table, key, "start", "end", "globalTid"):
                last[r["globalTid"]] = max(last.get(r["globalTid"], 0), r["start"], r["end"] or 0)
        for r in self.rows("NVTX_EVENTS", key, "start", "end", "eventType", "text", "textId", "globalTid"):
            if r["eventType"] in (59, 60):
                end = last[r["globalTid"]] if r["end"] is None else r["end"]
                yield r["text"] or self.strings[r["textId"]], r["start"], end, r["globalTid"]


def sums(items):
    """{name: [calls, total, min, max]} of (name, start, end, ...)."""
    out = {}
    for name, start, end, *_ in items:
        s = out.setdefault(name, [0, 0, end - start, end - start])
        s[0] += 1
        s[1] += end - start
        s[2], s[3] = min(s[2], end - start), max(s[3], end - start)
    return out


def busy(items):
    """Length of the union of device work."""
    total, until = 0, -1
    for start, end in sorted((i[1], i[2]) for i in items):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def within(db, key):
    """{text: [device, exclusive, projected]} of the ranges of a process."""
    by_thread, out = {}, {}
    for text, start, end, thread in db.ranges(key):
        by_thread.setdefault(thread, []).append([start, end, text, []])
        out.setdefault(text, [0, 0, 0])
    call_of = {correlation: (thread, start) for _, start, _, thread, correlation in db.calls(CALLS, key)}
    for _, start, end, _, correlation, _ in db.work(key):
        thread, at = call_of.get(correlation, (None, 0))
        around = [r for r in by_thread.get(thread, ()) if r[0] <= at < r[1]]
        for r in around:
            r[3].append((start, end))
            out[r[2]][0] += end - start
        if around:
            out[max(around, key=lambda r: (r[0], -r[1]))[2]][1] += end - start
    for ranges in by_thread.values():
        for r in ranges:
            if r[3]:
                out[r[2]][2] += max(e for _, e in r[3]) - min(s for s, _ in r[3])
    return out


def delays(db, key):
    """From the end of a call to the start of its work, not below 0: of each piece of device work."""
    call_of = {correlation: end for _, _, end, _, correlation in db.calls(CALLS, key)}
    return [max(0, start - call_of[c]) for _, start, _, _, c, _ in db.work(key) if c in call_of]


# Column of each attribute; of several, the sum or a list.
OF_WORK = {"device": "deviceId", "stream": "streamId", "correlation": "correlationId", "context": "contextId",
           "graph node id": "graphNodeId"}
OF_COPIES = {**OF_WORK, "bytes": "bytes"}
ATTRIBUTES = {
    "kernel": (WORK[0], {**OF_WORK, "registers per thread": "registersPerThread", "grid": ["gridX", "gridY", "gridZ"],
                         "block": ["blockX", "blockY", "blockZ"],
                         "shared memory": ("staticSharedMemory", "dynamicSharedMemory")}),
    "gpu_memcpy": (WORK[1], OF_COPIES),
    "gpu_memset": (WORK[2], OF_COPIES),
    "osrt": ("OSRT_API", {"return value": "returnValue"}),
    "gpu_metrics": ("GPU_METRICS", {"value": "value"}),
}
ONE_PROCESS = 1 << 40  # correlations of later processes are those of the database, plus a multiple of this


def value_of(row, columns):
    if isinstance(columns, str):
        return row.get(columns)
    values = [row.get(c) for c in columns]
    if None in values:
        return None
    return values if isinstance(columns, list) else sum(values)


def attributes(db):
    """{category: [[start, attribute, ...] of each event]}."""
    out = {}
    for cat, (table, columns) in ATTRIBUTES.items():
        if table not in db.columns:
            continue
        names = db.columns[table]
        rows = [dict(zip(names, row)) for row in db.db.execute(f"SELECT * FROM {table}")]
        out[cat] = [[r[names[0]], *(str(value_of(r, c)) for c in columns.values())] for r in rows]
    return out


def texts_of_operators(db):
    """Those that emit_nvtx wrote; without a text the range has the id of one."""
    columns = db.columns.get("NVTX_EVENTS", [])
    if not {"text", "eventType"} <= set(columns):
        return []
    by_id = "(SELECT value FROM StringIds WHERE id = textId)" if "textId" in columns else "NULL"
    rows = db.db.execute(f"SELECT coalesce(text, {by_id}) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60)")
    return [text for text, in rows if text and (", op_id = " in text or ", seq = " in text)]


def attributes_of(event):
    """The same of an event in a trace."""
    args = dict(event.get("args", {}))
    if "correlation" in args:
        args["correlation"] %= ONE_PROCESS
    return [round(event["ts"] * 1000), *(str(args.get(name)) for name in ATTRIBUTES[event["cat"]][1])]
