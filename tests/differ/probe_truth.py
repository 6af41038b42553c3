"""What a probe's trace holds, by a reader that shares no code with the program: the tables of profile `probe` that are of
one launch, from the bytes of the file and the documents' definitions."""
# SPDX-License-Identifier: MIT
import bisect
import collections
import fractions
import math
import pathlib
import struct
import tomllib

KINDS = {"block_sched": ("warp", "QII"), "sched": ("warp", "QII"), "amd": ("warp", "QQ"), "gmem_bytes": ("thread", "II"),
         "tensorop_count": ("thread", "Q"), "dmat": ("thread", "QQ"), "program_progress": ("thread", "Q"), "acc": ("warp", "Q")}
NAMES = {"block_sched": ("start", "elapsed", "smid"), "amd": ("start", "end"), "gmem_bytes": ("sync", "async"),
         "tensorop_count": ("count",), "dmat": ("clock", "address"), "program_progress": ("clock",), "acc": ("clock",)}
NAMES["sched"] = NAMES["block_sched"]
Section = collections.namedtuple("Section", "kind fields level layout unit_bytes capacity units offset extent blocks")
Launch = collections.namedtuple("Launch", "grid block shared sections tensors size")


def signed(v):
    return v - 2**64 if v >= 2**63 else v


def kind_of(name, level, letters, cap, timer):
    """A known name, or else what the widths say."""
    if KINDS.get(name) == (level, letters) and (cap == 1 or name not in ("block_sched", "sched", "amd")):
        return name
    if level == "warp" and cap == 1 and letters in ("QII", "QQ"):
        return ("sched" if timer else "block_sched") if letters == "QII" else "amd"
    if (level, letters) == ("thread", "QQ"):
        return "dmat" if cap is None else name
    if (level, letters) == ("thread", "Q"):
        return "tensorop_count" if cap == 1 else "program_progress"
    return {("thread", "II"): "gmem_bytes", ("warp", "Q"): "acc"}.get((level, letters), name)


def settings(path):
    for name, table in tomllib.loads(path.read_text()).get("map", {}).items():
        letters = "".join("Q" if kind == "u64" else "I" for kind in table["regs"].values())
        cap = None if table.get("cap", 1) == "dynamic" else table.get("cap", 1)
        kind = kind_of(name, table["level"], letters, cap, False)
        yield kind, table["level"], letters, cap, NAMES.get(kind) or tuple(table["regs"])


def tensors_of(path):
    lines = path.read_text().split("\n") if path.is_file() else []
    found = {}
    for parts in (line.rstrip().split("  ") for line in reversed(lines)):
        if len(parts) > 4 and parts[0] in ("[call]", "[ret]"):
            found.setdefault(int(parts[4]), (int(parts[3]), parts[2], parts[5] if len(parts) > 5 else ""))
    return found


def level_of(word, extent, tries, sizes, record):
    """(layout, threads of a unit, its bytes) by the order in which the document tries them; `record`: its bytes, and how many
    a unit has."""
    blocks, threads = sizes
    def units(of):
        return blocks * -(-threads // of)
    if word >> 32 in (1, 32, 64):
        return "divisor", word >> 32, word & 0xffffffff
    if word == 2**64 - 1:
        return "unit", 1, extent // units(1)
    if word == extent and blocks * threads > 1 or word >> 32 and word & 0xffffffff == extent & 0xffffffff:
        even = [("total", of, extent // units(of)) for of in tries if extent % units(of) == 0]
        return min(even, key=lambda t: t[2] % record[0] != 0 or record[1] not in (None, t[2] // record[0]))
    return next(("unit", of, word) for of in tries if units(of) * word == extent)


def read(path):
    path = pathlib.Path(path)
    data = path.read_bytes()
    *sizes, shared, count = struct.unpack_from("<8I", data)
    n_blocks, threads = math.prod(sizes[:3]), math.prod(sizes[3:])
    entries = [struct.unpack_from("<QQ", data, 32 + 16 * k) for k in range(count)]
    ends = [offset for _, offset in entries[1:]] + [len(data)]
    sections = []
    for (word, offset), end, (kind, level, letters, cap, fields) in zip(entries, ends, settings(path.parent / "probe.toml")):
        record = struct.Struct("<" + letters)
        tries = [1] if level == "thread" else [64, 32] if kind == "amd" else [32, 64]
        layout, of, unit = level_of(word, end - offset, tries, (n_blocks, threads), (record.size, cap))
        whole = threads // of
        starts = [[offset + (b * whole + u) * unit for u in range(whole)] for b in range(n_blocks)]
        blocks = [[list(record.iter_unpack(data[at:at + unit])) for at in block] for block in starts]
        sections.append(Section(kind, list(zip(fields, letters)), of, layout, unit, unit // record.size, n_blocks * whole, offset,
                                end - offset, blocks))
    return Launch(sizes[:3], sizes[3:], shared, sections, tensors_of(path.parent / "tensor.trace"), len(data))


def of_kind(launch, *kinds):
    """Those with a whole unit."""
    return [s for s in launch.sections if s.kind in kinds and s.units]


def percent(part, whole):
    return 100 * part / whole if whole else None


def percentile(values, p):
    """Linear between the two nearest, as numpy has it."""
    values = sorted(values)
    at = fractions.Fraction((len(values) - 1) * p, 100)
    low = int(at)
    return float(values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low]))


# ---------------------------------------------------------------------------------------------------- schedules

Block = collections.namedtuple("Block", "number sm start end warps first")


def blocks_of(section):
    """Those with a warp that was written; times of AMD are starts and ends."""
    found = []
    for number, units in enumerate(section.blocks):
        warps = []
        for w, (record, *_) in enumerate(units):
            start = signed(record[0])
            end = signed(record[1]) if section.kind == "amd" else start + record[1]
            if record[0] or record[1]:
                warps.append((w, start, end, 0 if section.kind == "amd" else record[2]))
        if warps:
            found.append(Block(number, warps[0][3], min(w[1] for w in warps), max(w[2] for w in warps), warps, warps[0]))
    return found


def by_sm(blocks):
    sms = collections.defaultdict(list)
    for block in blocks:
        sms[block.sm].append(block)
    return dict(sorted(sms.items()))


def busiest(sms):
    return max(sms, key=lambda sm: (len(sms[sm]), -sm))


def slots_of(blocks):
    """(block, slot, gap or nothing): each block takes the slot that ended first, if that has ended."""
    ends, placed = [], []
    for block in sorted(blocks, key=lambda b: (b.start, b.number)):
        slot = min(range(len(ends)), key=lambda k: (ends[k], k), default=None)
        gap = None
        if slot is not None and ends[slot] <= block.start:
            gap = block.start - ends[slot]
            ends[slot] = block.end
        else:
            slot = len(ends)
            ends.append(block.end)
        placed.append((block, slot, gap))
    return placed


def fifo(blocks):
    """The published procedure: warp 0 alone, in the file's order, against the head of the queue."""
    queue, running, scheduling = collections.deque(), 0, 0
    for block in blocks:
        _, start, end, _ = block.first
        running += end - start
        if queue and queue[0] <= start:
            scheduling += start - queue.popleft()
        queue.append(end)
    return running, scheduling


def occupancy(sm, blocks, warps):
    starts, ends = sorted(b.start for b in blocks), sorted(b.end for b in blocks)
    times, span = sorted({*starts, *ends}), ends[-1] - starts[0]
    if len(times) > 512:
        times = [starts[0] + int(span * k / 511) for k in range(512)]
    open_at = [bisect.bisect_right(starts, t) - bisect.bisect_right(ends, t) for t in times]
    return [[sm, t - starts[0], n, n * warps, None] for t, n in zip(times, open_at)]


def block_sched(launch, tables):
    section = next(iter(of_kind(launch, "block_sched", "sched")), None)
    blocks = blocks_of(section) if section else []
    if not blocks:
        return
    sms, warps = by_sm(blocks), math.prod(launch.block) // section.level
    gaps, running, scheduling, slots, published = [], [], 0, 0, [0, 0]
    for sm, own in sms.items():
        placed = slots_of(own)
        mine = [gap for _, _, gap in placed if gap is not None]
        gaps += mine
        opened = 1 + max(slot for _, slot, _ in placed)
        running.append(sum(b.end - b.start for b in own))
        slots, scheduling = slots + opened, scheduling + sum(mine)
        published = [a + b for a, b in zip(published, fifo(own))]
        first = min(b.start for b in own)
        tables["block-sched-sm"].append([sm, len(own), opened, running[-1], sum(mine), max(b.end for b in own) - first])
        tables["sm-occupancy"] += occupancy(sm, own, warps)
        if sm == busiest(sms):
            tables["block-slots"] += sorted([sm, slot, b.number, b.start - first, b.end - first, f"SM {sm}"] for b, slot, _ in placed)
    bins = collections.Counter(gap.bit_length() for gap in gaps)
    tables["block-gaps"] += [[1 << k >> 1, 1 << k, bins[k], None] for k in sorted(bins)]
    r, s = (value // len(sms) for value in published)
    tables["block-sched"].append(
        [len(blocks), warps, section.level, len(sms), slots, sum(running), scheduling, percent(scheduling, sum(running)), len(gaps),
         min(gaps, default=None), scheduling / len(gaps) if gaps else None, percentile(gaps, 50) if gaps else None,
         percentile(gaps, 90) if gaps else None, max(gaps, default=None), scheduling / len(sms),
         max(running) * len(sms) / sum(running) if sum(running) else None, r, s,
         f"No.block:{len(blocks)} Running:{r} Scheduling:{s}(cycle)", "ns" if section.kind == "sched" else "cycles"])


def peak(spans):
    """Most open at once; what ends at a time is closed before what starts then."""
    starts, ends = sorted(s for s, _ in spans), sorted(e for _, e in spans)
    return max(max(1, bisect.bisect_right(starts, t) - bisect.bisect_right(ends, t)) for t in starts)


def tail_of(block):
    length = block.end - block.start
    return fractions.Fraction(sum(block.end - w[2] for w in block.warps), len(block.warps) * length) if length else 0


def mean(values):
    return float(sum(values) / fractions.Fraction(len(values)))


def warp_sched(launch, tables):
    section = next(iter(of_kind(launch, "block_sched", "sched", "amd")), None)
    blocks = blocks_of(section) if section else []
    if not blocks:
        return
    per_block, sms = math.prod(launch.block) // section.level, by_sm(blocks)
    spans = {sm: max(b.end for b in own) - min(b.start for b in own) for sm, own in sms.items()}
    longest, peaks, tails = max(spans.values()), [], []
    if section.kind == "amd":
        tables["warp-sched"].append([None, None, len(blocks), per_block, None, None, None, None,
                                     100 * mean([tail_of(b) for b in blocks]), None])
        return
    for sm, own in sms.items():
        busy = sum(w[2] - w[1] for b in own for w in b.warps)
        warps = peak([w[1:3] for b in own for w in b.warps])
        peaks.append(peak([(b.start, b.end) for b in own]))
        tails.append(mean([tail_of(b) for b in own]))
        tables["warp-sched-sm"].append(
            [sm, len(own), peaks[-1], warps, spans[sm], busy, percent(busy, warps * spans[sm]), 100 * tails[-1],
             100 * float(max(tail_of(b) for b in own)), percent(longest - spans[sm], longest)])
    waves, shown = len(blocks) / (len(sms) * max(peaks)), busiest(sms)
    tables["warp-sched"].append(
        ["shared" if max(peaks) > 1 else "exclusive", len(sms), len(blocks), per_block, max(peaks), waves,
         100 * waves / math.ceil(waves), shown, 100 * sum(tails) / len(tails),
         sum(100 * (longest - s) / longest for s in spans.values()) / len(spans) if longest else 0])
    first = min(b.start for b in sms[shown])
    bars = [(b, w) for b in sorted(sms[shown], key=lambda b: (b.start, b.number)) for w in b.warps]
    tables["warp-bars"] += sorted([b.number, w[0], w[1] - first, w[2] - first, row if row < 512 else None, f"SM {shown}"]
                                  for row, (b, w) in enumerate(bars))


def turns(launch, tables):
    section = next(iter(of_kind(launch, "acc")), None)
    of_warps = [[[signed(c) for c, in unit if 0 < signed(c)] for unit in block] for block in section.blocks] if section else []
    all_turns = sorted(c for block in of_warps for warp in block for c in warp)
    if not all_turns:
        return
    n, first = len(all_turns), all_turns[0]
    last = all_turns[-1] - first

    def done(share):
        return -(-n * share // 100)

    def at(share):
        return all_turns[done(share) - 1] - first
    tail = percent(last - at(90), last)
    tables["warp-tail"].append([sum(bool(warp) for block in of_warps for warp in block), n, at(50), at(90), last, tail])
    tables["warp-marks"] += [[name, at(p), done(p), f"{name}: {at(p)}", None if tail is None else f"tail {tail:.1f} %"]
                             for name, p in (("50 %", 50), ("90 %", 90), ("all", 100))]
    tables["warp-progress"] += [[k, last * k // 100, bisect.bisect_right(all_turns, first + last * k // 100)] for k in range(101)]
    for number, block in enumerate(of_warps):
        ends = [max(warp) for warp in block if warp]
        if ends:
            tables["warp-spread"].append([number, max(ends) - min(ends)])


# ------------------------------------------------------------------------------------------------------- counts

def traffic(launch, tables):
    moved, counted, progress = of_kind(launch, "gmem_bytes"), of_kind(launch, "tensorop_count"), of_kind(launch, "program_progress")
    n_blocks = math.prod(launch.grid)
    values = [[sum(r[k] for s in moved for block in s.blocks for unit in block for r in unit) for k in (0, 1)]]
    if moved:
        tables["gmem-bytes"] += [[*v, sum(v), f"gmem_bytes:{sum(v)}"] for v in values]
    threads = [[sum(c for s in counted for c, in s.blocks[b][u]) for u in range(math.prod(launch.block))] for b in range(n_blocks)]
    for s in counted:
        sums = [sum(c for c, in unit) for block in s.blocks for unit in block]
        tables["tensorop"].append([launch.sections.index(s), sum(sums), len(sums), sum(v > 0 for v in sums), max(sums)])
    for s in progress:
        samples = [[signed(c) for c, in unit if c] for block in s.blocks for unit in block]
        clocks = [c for unit in samples for c in unit]
        tables["progress"].append([launch.sections.index(s), len(clocks), min(map(len, samples)), max(map(len, samples)), s.capacity,
                                   min(clocks, default=None), max(clocks, default=None)])
    step = 1
    while (n_blocks - 1) // step >= 16384:
        step *= 2
    for b in range(0, n_blocks, step) if moved or counted else ():
        some = range(b, min(b + step, n_blocks))
        tables["traffic-block"].append(
            [b, sum(sum(r) for s in moved for k in some for unit in s.blocks[k] for r in unit) if moved else None,
             sum(sum(threads[k]) for k in some) if counted else None])


# ----------------------------------------------------------------------------------------------------- accesses

def coalescing(launch, tables, sector=32):
    numbers = collections.defaultdict(list)
    for s in of_kind(launch, "dmat"):
        for block in s.blocks:
            for first in range(0, len(block), 32):
                found = collections.defaultdict(list)
                for unit in block[first:first + 32]:
                    for k, (clock, address) in enumerate(unit):
                        if clock or address:
                            found[k].append(address)
                for k, addresses in found.items():
                    numbers[k].append((len(addresses), len({a // sector for a in addresses}), -(-4 * len(addresses) // sector)))
    for k, warps in sorted(numbers.items()):
        threads, sectors, least = map(sum, zip(*warps))
        tables["coalescing"].append([k, len(warps), threads, sectors / len(warps), max(w[1] for w in warps),
                                     min(100, 100 * least / sectors)])


def pairs_of(launch, page, keep_empty):
    pairs = collections.Counter()
    for s in of_kind(launch, "dmat"):
        for clock, address in (r for block in s.blocks for unit in block for r in unit):
            if signed(clock) >= 0 and (clock or address or keep_empty):
                pairs[address & -page, clock] += 1
    return pairs


def groups_of(launch, pages, regions):
    if regions and not launch.tensors:
        parts = []
        for p in pages:
            if not parts or p - parts[-1][-1] > 65536:
                parts.append([])
            parts[-1].append(p)
        return [("Unknown, Unknown", part[0], set(part)) for part in parts]
    found = [(f"{shape or 'Unknown'}, {name or 'Unknown'}", pointer, {p for p in pages if pointer <= p <= pointer + size})
             for pointer, (size, shape, name) in launch.tensors.items() if size > 0]
    return [*found, ("Unknown, Unknown", pages[0], set(pages) - {p for _, _, own in found for p in own})]


def steps_of(most, n_pages):
    qx, qy = max(1, most // 159), max(1, n_pages // 99)
    while (n_pages - 1) // qy > 100:
        qy += 1
    while most // qx > 160:
        qx += 1
    return qx, qy


def access_map(launch, tables, page=65536, limit=5000000, keep_empty=False, regions=False):
    pairs = pairs_of(launch, page, keep_empty)
    if not pairs:
        return
    pages, most = sorted({p for p, _ in pairs}), max(c for _, c in pairs)
    qx, qy = steps_of(most, len(pages))
    rank = {p: k for k, p in enumerate(pages)}
    tables["access-map"].append([len(pages), len({c for _, c in pairs}), len(pairs), sum(pairs.values()), most, qy, qx,
                                 sum(c >= limit for _, c in pairs), 1, page])
    group_rows(tables, pairs, groups_of(launch, pages, regions), (qx, qy, limit), (pages, rank))
    totals = collections.Counter()
    for (p, _), n in pairs.items():
        totals[p] += n
    top = sorted(totals.items(), key=lambda v: (-v[1], v[0]))[:10]
    tables["access-pages"] += sorted([hex(p), n] for p, n in top)
    history(tables, sorted(key for key in pairs if key[1] < limit), qx)


def group_rows(tables, pairs, groups, grid, order):
    qx, qy, limit = grid
    pages, rank = order
    drawn = []
    for label, pointer, own in groups:
        cells = collections.Counter()
        for (p, c), n in pairs.items():
            if p in own and c < limit:
                cells[100 - rank[p] // qy, c // qx] += n
        if cells:
            drawn.append((label, pointer, cells))
    by_size = sorted(range(len(drawn)), key=lambda k: (-sum(drawn[k][2].values()), k))
    others = by_size[11:] if len(drawn) > 12 else []
    for number, (label, pointer, cells) in enumerate(drawn):
        bounds = [percentile(cells.values(), p) for p in (20, 40, 60, 80)]
        text = f"Ptr {number}: {label}"
        tables["access-groups"].append([number, text, hex(pointer), sum(cells.values()), len(cells), *bounds])
        shown = f"others ({len(others)})" if number in others else text
        for (row, column), n in sorted(cells.items()):
            lowest = (100 - row) * qy
            tables["access-cells"].append([number, row, column, n, 1 + sum(b < n for b in bounds), column * qx, hex(pages[lowest]),
                                           lowest, shown])


def history(tables, touches, qx):
    seen, new, reuse, last = collections.Counter(), collections.Counter(), collections.Counter(), {}
    for column, _ in {(c // qx, p) for p, c in touches}:
        seen[column] += 1
    for p, c in touches:
        if p in last:
            reuse[(c - last[p]).bit_length() - 1] += 1
        else:
            new[c // qx] += 1
        last[p] = c
    tables["working-set"] += [[k, seen[k], new[k]] for k in sorted(seen)]
    tables["page-reuse"] += [[1 << k, 2 << k, reuse[k]] for k in sorted(reuse)]


# -------------------------------------------------------------------------------------------------------- dumps

def shown_values(section, places):
    parts = []
    for k, (name, _) in enumerate(section.fields):
        values = [str(signed(p[k])) for p in places]
        if values:
            parts.append(f"{name}={','.join(values[:8])}{'...' if len(values) > 8 else ''}")
    return " ".join(parts) or None


def dump(launch, tables):
    tables["dump-launch"].append([*launch.grid, *launch.block, launch.shared, len(launch.sections), launch.size])
    for number, s in enumerate(launch.sections):
        fields = ",".join(f"{name}:u{64 if letter == 'Q' else 32}" for name, letter in s.fields)
        tables["dump-sections"].append([number, s.kind, s.layout, fields, s.level, s.unit_bytes, s.capacity, s.units, s.offset,
                                        s.extent])
        rows = []
        for b, block in enumerate(s.blocks):
            for u, unit in enumerate(block):
                for first in range(0, len(unit), 4096):
                    part = unit[first:first + 4096]
                    while s.capacity > 1 and part and not any(part[-1]):
                        part = part[:-1]
                    if part or first == 0:
                        rows.append([number, b, u, first, shown_values(s, part)])
                if len(rows) >= 8:
                    break
            if len(rows) >= 8:
                break
        tables["dump-records"] += rows[:8]


def tables_of(path, **options):
    launch, tables = read(path), collections.defaultdict(list)
    for make in (block_sched, warp_sched, turns, traffic, coalescing, dump):
        make(launch, tables)
    access_map(launch, tables, **options)
    return tables
