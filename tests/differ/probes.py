"""Independent readers of traces of probed kernels and of what probes cost."""
# SPDX-License-Identifier: MIT
import pathlib
import re
import struct
import tomllib

from reading import MAX_LIST, NotReadable, Read, csv_rows, load, present, real, table_text

WIDTHS = {"block_sched": (32, "start:Q elapsed:I smid:I"), "sched": (32, "start:Q elapsed:I smid:I"), "amd": (64, "start:Q end:Q"),
          "gmem_bytes": (1, "sync:I async:I"), "tensorop_count": (1, "count:Q"), "dmat": (1, "clock:Q address:Q"),
          "program_progress": (1, "clock:Q"), "acc": (32, "clock:Q")}


BYTES = {"u32": "I", "u64": "Q"}
LARGEST_GRID = (2**63 - 1) // 2048


def map_schema(name, table):
    """[map.NAME] and its regs: name, level, capacity, letters of the fields."""
    kinds = [kind[0] if isinstance(kind, list) else kind for kind in table["regs"].values()]
    cap = table.get("cap", 1)
    return name, table["level"], 0 if cap == "dynamic" else int(cap), "".join(BYTES[k] for k in kinds), int(table["size"])


def saved_schema(name, table):
    """[NAME] with a datamodel and what its statements save."""
    level, size, *cap = table["datamodel"].split(":")
    text = "".join(part for part in (table.get("before"), table.get("after")) if isinstance(part, str))
    found = re.findall(r"SAVE\.(u32|u64)\s*\{([^}]*)\}", text)
    letters = "".join(BYTES[kind] * len(names.split(",")) for kind, names in found)
    return name, level, 0 if cap == ["count"] else int(cap[0]) if cap else 1, letters, int(size)


def known_schema(name, level, cap, letters, size):
    threads = {"thread": 1, "warp": 32, "wave": 32}[level]
    record = struct.Struct("<" + letters)
    if not letters or record.size != size:
        raise NotReadable("sizes of records")
    titles = [field.split(":") for field in WIDTHS.get(name, (0, ""))[1].split()]
    if "".join(form for _, form in titles) != letters:
        titles = [(f"field{k}", form) for k, form in enumerate(letters)]
    return [title for title, _ in titles], record, threads, cap


def schemas_of(path):
    """Of the tables that save, in their order."""
    for folder in list(path.parents)[:3]:
        if (folder / "probe.toml").is_file():
            try:
                toml = tomllib.loads((folder / "probe.toml").read_text("utf-8"))
                tables = [saved_schema(name, t) for name, t in toml.items() if isinstance(t, dict) and "datamodel" in t]
                tables += [map_schema(name, t) for name, t in toml.get("map", {}).items()]
                return [known_schema(*table) for table in tables]
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as why:
                raise NotReadable(f"probe.toml: {why!r}") from None
    raise NotReadable("no probe.toml")


def tensors_of(path):
    """From the last line on, each pointer once."""
    beside = [folder / "tensor.trace" for folder in list(path.parents)[:3]]
    text = next((file.read_bytes() for file in beside if file.is_file()), b"")
    parts = [line.rstrip().split(b"  ") for line in reversed(text.split(b"\n")) if b"\0" not in line]
    whole = re.compile(rb"-?[0-9]+")
    fine = [p for p in parts if len(p) > 4 and p[0] in (b"[call]", b"[ret]") and
            all(whole.fullmatch(p[k]) and -2**63 <= int(p[k]) < 2**63 for k in (1, 3, 4)) and int(p[3]) >= 0]
    return [{"name": "probe.tensor"} for _ in {int(p[4]) for p in fine}]


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


def units_of(blocks, threads, level):
    return blocks * -(-threads // level)


def as_written(entries, blocks, threads, length):
    """Offsets that one writer computed from whole warps, put right where the file shows it."""
    at = said = 32 + 16 * len(entries)
    right = []
    for word, offset in entries:
        level, unit = word >> 32, word & 0xffffffff
        if level not in (1, 32, 64) or offset != said:
            return entries
        right.append((word, at))
        said += blocks * threads * unit // level
        at += units_of(blocks, threads, level) * unit
    return right if at == length and len(entries) > 1 else entries


def whole_records(unit, record, cap):
    return unit % record == 0 and cap in (0, unit // record)


def level_and_unit(word, extent, blocks, threads, level, record, cap):
    """By what fits: a divisor, no size, the total, the total in 32 bits, bytes of a unit.  A warp may have 64 threads."""
    levels = [1] if level == 1 else [level, 96 - level]
    high, low = word >> 32, word & 0xffffffff
    if high in (1, 32, 64) and units_of(blocks, threads, high) * low <= extent:
        return high, low
    if word == 2**64 - 1:
        levels, cap, total = [1], 0, True
    else:
        total = (word == extent and blocks * threads > 1) or (high and low == extent & 0xffffffff)
    if total:
        found = [(one, extent // units_of(blocks, threads, one)) for one in levels if extent % units_of(blocks, threads, one) == 0]
        found.sort(key=lambda pair: not whole_records(pair[1], record, cap))
        if found:
            return found[0]
        raise NotReadable("the size of a section")
    for one in (*levels, 1, 32, 64):
        if units_of(blocks, threads, one) * word == extent:
            return one, word
    raise NotReadable("the size of a section")


def section_units(data, number, section, blocks, threads):
    """Records of a section's units, and how many of those used their last place."""
    word, offset, end, (titles, record, level, cap) = section
    found, one = level_and_unit(word, end - offset, blocks, threads, level, record.size, cap)
    if (found == 1) != (level == 1) or not whole_records(one, record.size, cap):
        raise NotReadable("a section and its schema")
    whole = threads // found
    events = []
    for at in range(blocks * whole if one else 0):
        first = offset + at * one
        places = [record.unpack_from(data, first + p) for p in range(0, one, record.size)]
        events += unit_records(number, at // whole, at % whole, titles, places)
    return events


def probe_bin(path):
    path, data = pathlib.Path(path), load(path)
    if path.name.endswith(".dmat"):
        return dmat(data, path)
    if len(data) < 32:
        raise NotReadable("short")
    *sizes, _, count = struct.unpack_from("<8I", data)
    blocks, threads = sizes[0] * sizes[1] * sizes[2], sizes[3] * sizes[4] * sizes[5]
    schemas = schemas_of(path)
    if len(schemas) != count or not 0 < blocks <= LARGEST_GRID or not 0 < threads <= 1024 or 32 + 16 * count > len(data):
        raise NotReadable("header")
    entries = [struct.unpack_from("<QQ", data, 32 + 16 * k) for k in range(count)]
    entries = as_written(entries, blocks, threads, len(data))
    offsets = [32 + 16 * count, *(offset for _, offset in entries), len(data)]
    if offsets != sorted(offsets):
        raise NotReadable("offsets")
    events = [{"name": "probe.launch"}, *({"name": "probe.section"} for _ in schemas)]
    if any(titles == ["clock", "address"] for titles, *_ in schemas):
        events += tensors_of(path)
    for k, (word, offset) in enumerate(entries):
        events += section_units(data, k, (word, offset, offsets[k + 2], schemas[k]), blocks, threads)
    return Read([events], {})


def dmat(data, path):
    if len(data) < 16:
        raise NotReadable("short")
    pages, clocks = struct.unpack_from("<QQ", data)
    at, events = 16 + 8 * pages, []
    for _ in range(clocks):
        if at + 16 > len(data):
            raise NotReadable("clocks")
        clock, count = struct.unpack_from("<QQ", data, at)
        at += 16
        if count > len(data) // 12:
            raise NotReadable("pages of a clock")
        for page, references in struct.iter_unpack("<QI", data[at:at + 12 * count][:(len(data) - at) // 12 * 12]):
            events.append(present({"name": "probe.page", "clock": clock, "page": page, "count": references}))
        at += 12 * count
    if at != len(data):
        raise NotReadable("length")
    return Read([(tensors_of(path) if path else []) + events], {})


def latency_csv(path):
    header, *rows = [row for row in csv_rows(table_text(load(path))) if row not in ([], [""])]
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


OF_LAUNCH = re.compile(rb"\[exec\] (?:funcmap-(not-)?find ([^ \t\r]*)|([0-9])|probe-mem |save |prologue |succeed|failed|backup|grid )")


def count_launches(lines):
    """One begins with the search for its kernel; after a search that failed the next one of this kernel is of the same
    launch.  Without any, and with parameters that come again, a launch has no name."""
    n, fresh, timed, is_open = 0, None, False, False
    for found in filter(None, map(OF_LAUNCH.match, lines)):
        failed, pointer, digit = found.groups()
        if pointer is not None:
            goes_on = not failed and fresh == pointer
            n += not goes_on
            fresh, is_open = pointer if failed or goes_on else None, True
            timed = timed and goes_on
            continue
        if not is_open or (digit and timed):
            n += 1
            timed = False
        fresh, is_open, timed = None, True, timed or bool(digit)
    return n


def probe_log(path):
    """Launches by their lines, then the kernels that pointers name."""
    if pathlib.Path(path).name == "stdout.log":
        return Read([[{"name": "probe.output"}]], {})
    lines = load(path).split(b"\n")
    if not any(re.match(rb"\[(init|exec|probe|jit|pid)\] ", line) for line in lines):
        raise NotReadable("no line")
    launches = count_launches(lines)
    named = re.compile(rb"\[exec\] funcmap-(?:not-)?find ([^ \t\r]*)|\[(?:probe|jit)\] (?:find|finish|can't-find) ([^ \t\r]*)")
    kernels = {m[1] or m[2] or b"" for m in map(named.match, lines) if m}
    return Read([[{"name": "probe.exec"}] * launches + [{"name": "probe.kernel"}] * len(kernels)], {})


def check_dmat(files):
    """Sorted by clock, then page; as many of both as it says, and no byte more.  The number of files."""
    found = [data for name, data in files.items() if name.endswith(".dmat")]
    for data in found:
        pairs = [(e["clock"][0], e["page"][0]) for e in dmat(data, None).lanes[0]]
        pages, clocks = struct.unpack_from("<QQ", data)
        listed = list(struct.unpack_from(f"<{pages}Q", data, 16))
        if pairs != sorted(set(pairs)) or listed != sorted(listed) or len({c for c, _ in pairs}) != clocks or \
                {p for _, p in pairs} != set(listed):
            raise KeyError("a condensed trace is out of order, or says another number of pages or clocks")
    return len(found)


CHECKS = {"dmat": check_dmat}
READERS = {"latency-csv": latency_csv, "probe-bin": probe_bin, "probe-log": probe_log}
ATTRIBUTES = ("section", "block", "unit", "start", "elapsed", "smid", "end", "sync", "async", "clock", "address", "page")
