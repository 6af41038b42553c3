"""Rows about traces of probes: ./dev bench probe.  Against numpy and struct, which read the same files without pictures."""
# SPDX-License-Identifier: MIT

import os
import subprocess

from held import Contest, peak
from pictures import not_installed, python_with
from result import Result, at_least

ACCESSES = 8 << 20  # of 16 bytes: 134 MB
WARPS = 8 << 20
BLOCK_WARPS = 8
SMS, SLOTS = 132, 8

# Each script is given a path behind its words, and writes the file or prints the seconds it took.
HEAD = """
import heapq, struct, sys, time
import numpy
path = sys.argv[1]
def header(blocks, threads, words, *sections):
    data = numpy.array([blocks, 1, 1, threads, 1, 1, 0, len(sections)], "<u4").tobytes()
    at = 32 + 16 * len(sections)
    for one, units in sections:
        data += struct.pack("<QQ", one, at)
        at += one * units
    return data
"""

# Warps whose threads access 32 neighbours, loads some hundred cycles apart, in eight tensors of 16 MiB.
MAKE_ACCESSES = HEAD + """
accesses, each, rng = int(sys.argv[2]), 64, numpy.random.default_rng(1)
warps = accesses // each // 32
with open(path, "wb") as file:
    file.write(header(warps // 8, 256, 0, (16 * each, warps * 32)))
    for first in range(0, warps, 1024):
        n = min(1024, warps - first)
        data = numpy.empty((n, 32, each, 2), "<u8")
        data[..., 0] = 40 + rng.integers(30, 900, (n, 1, each)).cumsum(axis=2)
        place = (numpy.arange(first, first + n)[:, None] * 512 + numpy.arange(each) * 65536) % (16 << 20)
        tensor = numpy.arange(each) % 8 * (64 << 20)
        data[..., 1] = (0x7f0000000000 + tensor + place)[:, None, :] + 4 * numpy.arange(32)[None, :, None]
        file.write(data.tobytes())
"""

# Blocks that begin one after another on each slot of the SMs, some ticks apart.
MAKE_WARPS = HEAD + """
warps, per, sms, slots = map(int, sys.argv[2:6])
rng, blocks = numpy.random.default_rng(1), warps // per
with open(path, "wb") as file:
    file.write(header(blocks, 32 * per, 0, (16, blocks * per)))
    data = numpy.zeros((blocks, per), [("start", "<u8"), ("elapsed", "<u4"), ("smid", "<u4")])
    data["elapsed"] = rng.integers(900, 1000, (blocks, per))
    turn, slot = numpy.divmod(numpy.arange(blocks), sms * slots)
    begin = turn * 1100 + rng.integers(0, 60, blocks) + slot // sms * 7
    data["start"] = (10**9 + begin)[:, None] + numpy.arange(per)
    data["smid"] = (slot % sms)[:, None]
    data.tofile(file)
"""

# Each thread reads four bytes anywhere in a table of 16 GiB, at clocks of its own: no two accesses are one pair.
MAKE_GATHER = HEAD + """
accesses, each, rng = int(sys.argv[2]), 64, numpy.random.default_rng(1)
warps = accesses // each // 32
with open(path, "wb") as file:
    file.write(header(warps // 8, 256, 0, (16 * each, warps * 32)))
    for first in range(0, warps, 1024):
        n = min(1024, warps - first)
        data = numpy.empty((n, 32, each, 2), "<u8")
        data[..., 0] = 40 + rng.integers(30, 900, (n, 1, each)).cumsum(axis=2) + rng.integers(0, 50, (n, 32, each))
        data[..., 1] = 0x7f0000000000 + rng.integers(0, 1 << 32, (n, 32, each)) * 4
        file.write(data.tobytes())
"""

MAKE_BYTES = HEAD + """
threads, rng = int(sys.argv[2]), numpy.random.default_rng(1)
with open(path, "wb") as file:
    file.write(header(threads // 256, 256, 0, (8, threads)))
    rng.integers(0, 4096, 2 * threads, "u4").tofile(file)
"""

UNIQUE = HEAD + """
start = time.perf_counter()
data = numpy.fromfile(path, "<u8", offset=48).reshape(-1, 2)
data = data[(data != 0).any(axis=1)]
pairs = numpy.stack([data[:, 0], data[:, 1] & ~numpy.uint64(0xffff)], axis=1)
found, counts = numpy.unique(pairs, axis=0, return_counts=True)
pages, rows = numpy.unique(found[:, 1], return_inverse=True)
columns = found[:, 0] // max(1, int(found[:, 0].max()) // 159)
cells = numpy.zeros((101, 162))
numpy.add.at(cells, (100 - rows // max(1, len(pages) // 99), columns.astype(int)), counts)
print(time.perf_counter() - start)
"""

# Slots exactly: blocks of an SM by start, each into the slot that is free the longest.
SLOTS_OF = """
def place(blocks):
    gaps, ends = [], {}
    for start, end, sm in sorted(blocks):
        heap = ends.setdefault(sm, [])
        if heap and heap[0] <= start:
            gaps.append(start - heapq.heapreplace(heap, end))
        else:
            heapq.heappush(heap, end)
    return gaps
"""
NUMPY_SLOTS = HEAD + SLOTS_OF + """
start = time.perf_counter()
per = int(sys.argv[2])
data = numpy.fromfile(path, [("start", "<u8"), ("elapsed", "<u4"), ("smid", "<u4")], offset=48).reshape(-1, per)
begin, end = data["start"].min(axis=1), (data["start"] + data["elapsed"]).max(axis=1)
gaps = numpy.array(place(zip(begin.tolist(), end.tolist(), data["smid"][:, 0].tolist())))
found = gaps.sum(), (end - begin).sum(), numpy.percentile(gaps, [50, 90])
print(time.perf_counter() - start)
"""
STRUCT_SLOTS = HEAD + SLOTS_OF + """
start = time.perf_counter()
per, blocks = int(sys.argv[2]), []
with open(path, "rb") as file:
    head = struct.unpack("<8I", file.read(32))
    file.read(16)
    for _ in range(head[0]):
        warps = [struct.unpack("<QII", file.read(16)) for _ in range(per)]
        blocks.append((min(w[0] for w in warps), max(w[0] + w[1] for w in warps), warps[0][2]))
gaps = place(blocks)
found = sum(gaps), sum(b[1] - b[0] for b in blocks)
print(time.perf_counter() - start)
"""

SUM = HEAD + """
start = time.perf_counter()
data = numpy.fromfile(path, "<u4", offset=48)
total = int(data.sum(dtype="u8"))
print(time.perf_counter() - start)
"""


def made(bench, python, name, script, *words):
    def make(partial):
        subprocess.run([python, "-c", script, partial, *map(str, words)], check=True)

    return bench.inputs.made(name + ".bin", make)


def accesses(bench, python, n=ACCESSES):
    return made(bench, python, f"accesses-{n >> 20}m", MAKE_ACCESSES, n)


def gather(bench, python, n):
    return made(bench, python, f"gather-{n >> 20}m", MAKE_GATHER, n)


def warps(bench, python, n=WARPS):
    return made(bench, python, f"warps-{n >> 20}m", MAKE_WARPS, n, BLOCK_WARPS, SMS, SLOTS)


def counts(bench, python, n):
    return made(bench, python, f"bytes-{n >> 20}m", MAKE_BYTES, n)


def run(bench, profile, schema, path, *more):
    return bench.run(profile, f"schema={schema}:{path}", more=["--format", "csv", *more])


def contest(bench, ours, scripts):
    theirs = {name: lambda command=command: bench.machine.seconds_printed(command) for name, command in scripts.items()}
    return Contest(bench, {"ours": ours}, theirs, rounds=min(bench.rounds, 3))


def cells(bench, python):
    path = accesses(bench, python)
    c = contest(bench, lambda: run(bench, "access-map", "dmat", path), {"numpy": [python, "-c", UNIQUE, path]})
    yield at_least("134 MB of accesses to cells / numpy.unique", c.ratio("numpy", "ours"), 5, [f"{c.times['ours']:.2f} s"])
    large = run(bench, "access-map", "dmat", accesses(bench, python, 8 * ACCESSES)).peak_mib
    yield peak("1 GB of accesses, peak memory", large, 160)
    path = gather(bench, python, ACCESSES)
    c = contest(bench, lambda: run(bench, "access-map", "dmat", path), {"numpy": [python, "-c", UNIQUE, path]})
    yield at_least("134 MB of gather to cells / numpy.unique", c.ratio("numpy", "ours"), 2, [f"{c.times['ours']:.2f} s"])
    yield peak("134 MB of gather, peak memory", run(bench, "access-map", "dmat", path).peak_mib, 160)
    yield peak("1 GB of gather, peak memory", run(bench, "access-map", "dmat", gather(bench, python, 8 * ACCESSES)).peak_mib, 160)


def slots(bench, python):
    path = warps(bench, python)
    c = contest(bench, lambda: run(bench, "block-sched", "block_sched", path),
                {"numpy": [python, "-c", NUMPY_SLOTS, path, str(BLOCK_WARPS)],
                 "struct": [python, "-c", STRUCT_SLOTS, path, str(BLOCK_WARPS)]})
    notes = [f"{c.times['ours']:.2f} s"]
    yield at_least("8 M warps, exact slots / numpy and heapq", c.ratio("numpy", "ours"), 4, notes)
    yield at_least("8 M warps, exact slots / struct.unpack", c.ratio("struct", "ours"), 15, notes)


def totals(bench, python):
    small, large = (counts(bench, python, n << 20) for n in (16, 64))
    c = contest(bench, lambda: run(bench, "traffic", "gmem_bytes", small), {"numpy": [python, "-c", SUM, small]})
    yield at_least("16 M threads, byte totals / numpy's sum", c.ratio("numpy", "ours"), 1, [f"{c.times['ours']:.2f} s"])
    for path in (small, large):
        megabytes = os.path.getsize(path) / 1e6
        yield peak(f"byte totals of {megabytes:.0f} MB, peak memory", run(bench, "traffic", "gmem_bytes", path).peak_mib, 32)


def held(bench, python):
    """Bytes that each block or warp takes beyond those of a launch a quarter as large; no SM is listed."""
    small, large = (warps(bench, python, n) for n in (WARPS // 4, WARPS))
    for profile, target, more in (("block-sched", 24, (WARPS - WARPS // 4) // BLOCK_WARPS), ("warp-sched", 16, WARPS - WARPS // 4)):
        low, high = (run(bench, profile, "block_sched", path, "--set", f"sm={SMS}").peak_mib for path in (small, large))
        each = (high - low) * 2**20 / more
        what = f"{profile}, held for a {'warp' if more > WARPS // 2 else 'block'}"
        yield Result(what, f"at most {target} bytes", f"{each:.1f} bytes", each <= target, [f"{low:.0f} and {high:.0f} MiB"])


def with_numpy(rows, what):
    def measure(bench):
        python = python_with("numpy")
        if python:
            yield from rows(bench, python)
        else:
            yield not_installed(what, "", "python3-numpy")

    return measure


ROWS = {
    "probe-cells": with_numpy(cells, "accesses to cells"),
    "probe-slots": with_numpy(slots, "exact slots"),
    "probe-totals": with_numpy(totals, "byte totals"),
    "probe-held": with_numpy(held, "memory of blocks and warps"),
}
