#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a Perfetto trace (.pftrace) of made-up processes, and the truth about it.

The same options give the same bytes.  Each thread is a writer of its own with interned texts, default tracks and times
counted from packet to packet; its state is cleared now and then.  With --chunk packets of each writer come in chunks,
as recorders write them, so that events of other writers stand behind later ones."""

import argparse
import bisect
import json
import sys

import pftrace as pf

CATEGORIES = ["cpu", "kernel", "io"]
NAMES = ["load", "compute", "wait", "copy", "send \u00e4", 'quote"d']
OWN_CLOCK = 64
START_NS = 5_000_000_123
REAL_NS = 1_700_000_000_000_000_000
CLEAR_EVERY = 40


class Random:
    """A small generator of its own, so that files do not depend on the version of Python."""

    def __init__(self, seed):
        self.state = (seed * 0x9E3779B97F4A7C15 + 1) & (1 << 64) - 1

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        return (self.state >> 33) % n


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--truth", help="file that gets what the trace holds, as JSON")
    parser.add_argument("--slices", type=int, default=200, help="of each thread")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2, help="of each process")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--chunk", type=int, default=1, help="packets of one writer that follow each other")
    parser.add_argument("--compress", type=int, default=0, help="so many packets in a compressed one; 0: none")
    parser.add_argument("--lose", type=int, default=0, help="packets of the first writer that were lost")
    return parser.parse_args()


class Writer:
    """The packets of one sequence."""

    def __init__(self, number):
        self.number = number
        self.packets = []  # (time, bytes)
        self.left, self.last_ns = 0, 0
        self.iids = {}
        self.thread_ns = 0

    def put(self, time_ns, fields):
        self.packets.append((time_ns, pf.packet({**fields, 10: self.number})))

    def iid(self, kind, text, new):
        """The number of a text; what is told for the first time goes to `new`."""
        key = kind, text
        if key not in self.iids:
            self.iids[key] = len(self.iids) + 1
            new.setdefault(kind, []).append(pf.message({1: self.iids[key], 2: text}))
        return self.iids[key]

    def clear(self, time_ns, tracks, main, counters):
        self.iids, self.left, self.last_ns, self.thread_ns = {}, CLEAR_EVERY, time_ns, 0
        self.put(time_ns, {13: pf.SEQUENCE_CLEARED, 6: pf.clocks(
            {OWN_CLOCK: time_ns, pf.BOOTTIME: time_ns}, incremental=(OWN_CLOCK,)), 59: pf.message(
                {58: OWN_CLOCK, 11: pf.message({11: main, 31: counters})})})
        for track in tracks:
            self.put(time_ns, {60: track})

    def event(self, time_ns, kind, texts=(), **more):
        """`texts`: name and category, interned.  Names in `more` are those of fields, f30=..."""
        new, fields = {}, {9: kind}
        if texts:
            fields.update({10: self.iid(2, texts[0], new), 3: self.iid(1, texts[1], new)})
        fields.update({int(key[1:]): value for key, value in more.items()})
        interned = pf.message(new) if new else None
        self.put(time_ns, {8: time_ns - self.last_ns, 13: pf.NEEDS_STATE, 11: pf.message(fields), 12: interned})
        self.last_ns = time_ns
        self.left -= 1


def arguments_of(pick, index):
    values = [("index", index), ("share", pick.below(1000) / 8), ("label", f"n\u00b0 {index}"), ("good", index % 2 == 0),
              ("shape", [index, 2, 3]), ("where", {"host": "h", "at": [1.5, {"deep": False}]})]
    return [pf.annotation(*one) for one in values[:pick.below(len(values) + 1)]]


class Thread:
    def __init__(self, number, pid, tid, truth, pick):
        self.pid, self.tid, self.truth, self.pick = pid, tid, truth, pick
        self.process, self.track, self.side = pid * 1000, pid * 1000 + tid, pid * 1000 + 500 + tid
        self.memory, self.cpu = pid * 1000 + 900, pid * 1000 + 700 + tid
        self.writer = Writer(number)
        self.tracks = [pf.process_track(self.process, pid, f"proc {pid}"),
                       pf.thread_track(self.track, self.process, pid, tid, f"thread {tid}"),
                       pf.custom_track(self.side, self.process, "side"),
                       pf.counter_track(self.memory, self.process, "memory", unit=3, multiplier=1024),
                       pf.counter_track(self.cpu, self.track, kind=1, incremental=1)]

    def slices(self, count, flows):
        """Slices of different lengths one after the other, every third with one inside of it."""
        now = START_NS + self.tid * 17
        for index in range(count):
            if self.writer.left <= 0:
                self.writer.clear(now, self.tracks, self.track, [self.cpu])
            now = self.slice(now + 1 + self.pick.below(2000), index, flows)

    def slice(self, now, index, flows):
        pick, writer, truth = self.pick, self.writer, self.truth
        texts = NAMES[pick.below(len(NAMES))], CATEGORIES[pick.below(len(CATEGORIES))]
        length = 10 + pick.below(100_000)
        flow = flows.of(self, index, now)
        writer.event(now, pf.BEGIN, texts, f4=arguments_of(pick, index), f12=5, **flow)
        truth["counters"] += 1
        if index % 3 == 0:
            writer.event(now + 3, pf.BEGIN, ("inner", "cpu"))
            writer.event(now + 7, pf.END)
            truth["slices"] += 1
            truth["slice_ns"] += 4
        if index % 4 == 0:
            writer.event(now + 8, pf.INSTANT, ("mark", "cpu"))
            truth["instants"] += 1
        if index % 5 == 0:
            writer.event(now + 9, pf.COUNTER, f11=self.memory, f30=index)
            truth["counters"] += 1
        writer.event(now + length, pf.END)
        truth["slices"] += 1
        truth["slice_ns"] += length
        if index % 7 == 0:
            writer.event(now + length, pf.BEGIN, f11=self.side, f23=f"side {index}", f22=["a", "b"])
            writer.event(now + length + 50, pf.END, f11=self.side)
            truth["slices"] += 1
            truth["slice_ns"] += 50
            length += 60
        return now + length


class Flows:
    """Every second slice of the first thread of a process begins a flow; the others go on with the last one that has
    begun by then, and end it once."""

    def __init__(self):
        self.begun, self.ended, self.uses = {}, set(), []

    def of(self, thread, index, now):
        if index % 2:
            return {}
        begun = self.begun.setdefault(thread.pid, [])
        if thread.tid == 1:
            begun.append((now, pf.Fixed(thread.pid << 40 | index | 1 << 63)))
            return self.use(now, begun[-1][1], "f47")
        found = bisect.bisect_left(begun, (now,))
        if not found:
            return {}
        flow = begun[found - 1][1]
        is_end = index % 4 == 0 and flow not in self.ended
        self.ended.update([flow] if is_end else ())
        return self.use(now, flow, "f48" if is_end else "f47")

    def use(self, now, flow, field):
        self.uses.append((now, flow, field == "f48"))
        return {field: [flow]}


def count_flows(uses):
    """How many arrows a list of (time, id, is_end) makes: each use of an open flow is the end of one."""
    opened, arrows = set(), 0
    for _, flow, is_end in sorted(uses, key=lambda use: use[0]):
        arrows += flow in opened
        if is_end:
            opened.discard(flow)
        else:
            opened.add(flow)
    return arrows


def in_order(writers, chunk):
    """Packets of all writers, by the time of the first one of each chunk."""
    chunks = []
    for writer in writers:
        for at in range(0, len(writer.packets), chunk):
            part = writer.packets[at:at + chunk]
            chunks.append((part[-1][0] if chunk > 1 else part[0][0], writer.number, at, part))
    chunks.sort(key=lambda one: one[:3])
    return [data for *_, part in chunks for _, data in part]


def head():
    """What a recorder writes first."""
    yield pf.packet({6: pf.clocks({pf.REALTIME: REAL_NS + START_NS, pf.MONOTONIC: START_NS - 77, pf.BOOTTIME: START_NS}),
                     3: 0, 10: 1})
    yield pf.packet({33: pf.message({2: 1}), 3: 0, 10: 1})
    yield pf.packet({1: pf.message({1: 0}), 10: 2})


def main():
    options = parse_options()
    truth = {"slices": 0, "instants": 0, "counters": 0, "slice_ns": 0, "base_ns": REAL_NS}
    flows, threads = Flows(), []
    pick = Random(options.seed)
    for p in range(options.processes):
        for t in range(1, options.threads + 1):
            thread = Thread(len(threads) + 10, 100 + p, t, truth, pick)
            thread.slices(options.slices, flows)
            threads.append(thread)
    truth["flows"] = count_flows(flows.uses)
    writers = [thread.writer for thread in threads]
    del writers[0].packets[:options.lose]
    packets = in_order(writers, options.chunk)
    with open(options.output, "wb") as out:
        out.write(b"".join(head()))
        size = options.compress
        for at in range(0, len(packets), size or 1):
            part = packets[at:at + (size or 1)]
            out.write(pf.compressed(part) if size else part[0])
    if options.truth:
        with open(options.truth, "w", encoding="utf-8") as out:
            json.dump(truth, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
