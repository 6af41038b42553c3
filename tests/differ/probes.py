"""Independent readers of traces of probed kernels and of what probes cost."""
import pathlib
import re
import struct
import tomllib

from reading import MAX_LIST, NotReadable, Read, csv_rows, load, present, real, table_text

WIDTHS = {"block_sched": (32, "start:Q elapsed:I smid:I"), "sched": (32, "start:Q elapsed:I smid:I"), "amd": (64, "start:Q end:Q"),
          "gmem_bytes": (1, "sync:I async:I"), "tensorop_count": (1, "count:Q"), "dmat": (1, "clock:Q address:Q"),
          "program_progress": (1, "clock:Q"), "acc": (32, "clock:Q")}


def schemas_of(path):
    """Names of tables that save, in their order, as the generator calls them."""
    for folder in list(path.parents)[:3]:
        if (folder / "probe.toml").is_file():
            toml = tomllib.loads((folder / "probe.toml").read_text())
            return list(toml.get("map", {})) or [name for name, t in toml.items() if isinstance(t, dict) and "datamodel" in t]
    raise NotReadable("no probe.toml")


def signed(value):
    return value - 2**64 if value >= 2**63 else value


def unit_records(section, block, unit, fields, places):
    """Up to the last place that is used, 4,096 of them at a time."""
    events = []
    for first in range(0, len(places), MAX_LIST):
        part = places[first:first + MAX_LIST]
        while len(places) > 1 and part and not any(part[-1]):
            part = part[:-1]
        if part or first == 0:
            event = {"name": "probe.unit", "section": [section], "block": [block], "unit": [unit]}
            events.append({**event, **{field: [signed(p[k]) for p in part] for k, field in enumerate(fields)}})
    return events


def probe_bin(path):
    path, data = pathlib.Path(path), load(path)
    if path.name.endswith(".dmat"):
        return dmat(data)
    if len(data) < 32:
        raise NotReadable("short")
    *sizes, shared, count = struct.unpack_from("<8I", data)
    blocks, threads = sizes[0] * sizes[1] * sizes[2], sizes[3] * sizes[4] * sizes[5]
    names = schemas_of(path)
    if len(names) != count or not blocks or not 0 < threads <= 1024:
        raise NotReadable("header")
    offsets = [struct.unpack_from("<QQ", data, 32 + 16 * k)[1] for k in range(count)] + [len(data)]
    events = [{"name": "probe.launch"}, *({"name": "probe.section"} for _ in names)]
    units = []
    for k, name in enumerate(names):
        level, fields = WIDTHS[name]
        titles, form = zip(*(field.split(":") for field in fields.split()))
        record = struct.Struct("<" + "".join(form))
        one = (offsets[k + 1] - offsets[k]) // (blocks * -(-threads // level))
        for number in range(blocks * (threads // level)):
            at = offsets[k] + number * one
            places = [record.unpack_from(data, at + p) for p in range(0, one, record.size)]
            units += unit_records(k, number // (threads // level), number % (threads // level), titles, places)
    return Read([events + units], {})


def dmat(data):
    pages, clocks = struct.unpack_from("<QQ", data)
    at, events = 16 + 8 * pages, []
    for _ in range(clocks):
        clock, count = struct.unpack_from("<QQ", data, at)
        at += 16
        for page, references in struct.iter_unpack("<QI", data[at:at + 12 * count]):
            events.append(present({"name": "probe.page", "clock": clock, "page": page, "count": references}))
        at += 12 * count
    if at != len(data):
        raise NotReadable("length")
    return Read([events], {})


def latency_csv(path):
    header, *rows = [row for row in csv_rows(table_text(load(path))) if row != [""]]
    keys = [cell.strip().lower() for cell in header]
    names = ("probe", "original", "ncu", "neutrino", "prologue", "kernel", "epilogue")
    if not set(names) <= set(keys) or not rows or {len(row) for row in rows} != {len(keys)}:
        raise NotReadable("columns or rows")
    events = []
    for row in rows:
        cells = dict(zip(keys, (cell.strip() for cell in row)))
        times = {name: real(cells[name]) for name in names[1:]}
        if None in times.values() or min(times.values()) < 0 or not times["original"] or not times["neutrino"]:
            raise NotReadable("a time")
        events.append({"name": "probe.latency"})
    return Read([events], {})


def probe_log(path):
    """Launches by their lines, then the kernels that pointers name."""
    if pathlib.Path(path).name == "stdout.log":
        return Read([[{"name": "probe.output"}]], {})
    lines = load(path).split(b"\n")
    if not any(re.match(rb"\[(init|exec|probe|jit|pid)\] ", line) for line in lines):
        raise NotReadable("no line")
    launches = sum(line.startswith(b"[exec] funcmap-find ") for line in lines)
    named = re.compile(rb"\[exec\] funcmap-find (\S+)|\[(?:probe|jit)\] (?:find|finish|can't-find) (\S+)")
    kernels = {next(filter(None, m.groups())) for m in map(named.match, lines) if m}
    return Read([[{"name": "probe.exec"}] * launches + [{"name": "probe.kernel"}] * len(kernels)], {})


def check_dmat(files):
    """Sorted by clock, then page; as many of both as it says, and no byte more.  The number of files."""
    found = [data for name, data in files.items() if name.endswith(".dmat")]
    for data in found:
        pairs = [(e["clock"][0], e["page"][0]) for e in dmat(data).lanes[0]]
        pages, clocks = struct.unpack_from("<QQ", data)
        listed = list(struct.unpack_from(f"<{pages}Q", data, 16))
        if pairs != sorted(set(pairs)) or listed != sorted(listed) or len({c for c, _ in pairs}) != clocks or \
                {p for _, p in pairs} != set(listed):
            raise KeyError("a condensed trace is out of order, or says another number of pages or clocks")
    return len(found)


CHECKS = {"dmat": check_dmat}
READERS = {"latency-csv": latency_csv, "probe-bin": probe_bin, "probe-log": probe_log}
ATTRIBUTES = ("section", "block", "unit", "start", "elapsed", "smid", "end", "sync", "async", "clock", "address", "page")
