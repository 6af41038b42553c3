"""An independent reader of Perfetto's traces: what must come of the packets of a file, by the page of the source."""
# SPDX-License-Identifier: MIT
import collections
import math
import struct
import zlib

# Fields that are looked at: numbers (n), eight bytes as a number (w) or a double (d), bytes (b), messages by their name;
# a star for those that may be there more than once.
SCHEMAS = {
    "packet": {6: "snapshot", 8: "n", 10: "n", 11: "event", 12: "interned", 13: "n", 41: "n", 42: "n", 44: "thread",
               50: "b", 58: "n", 59: "defaults", 60: "track", 133: "b"},
    "snapshot": {1: "*clock", 2: "n"},
    "clock": {1: "n", 2: "n", 3: "n", 4: "n"},
    "interned": {1: "*text", 2: "*text", 3: "*text", 29: "*text"},
    "text": {1: "n", 2: "b"},
    "process": {1: "n", 2: "*b", 6: "b"},
    "thread": {1: "n", 2: "n", 5: "b"},
    "counter": {1: "n", 3: "n", 4: "n", 5: "n", 6: "b"},
    "track": {1: "n", 2: "b", 3: "process", 4: "thread", 5: "n", 8: "counter", 10: "b", 13: "b"},
    "annotation": {1: "n", 2: "n", 3: "n", 4: "n", 5: "d", 6: "b", 7: "n", 8: "b", 9: "b", 10: "b", 11: "*b", 12: "*b",
                   17: "n"},
    "event": {3: "*n", 4: "*annotation", 6: "b", 9: "n", 10: "n", 11: "n", 12: "*n", 16: "n", 22: "*b", 23: "b", 30: "n",
              31: "*n", 36: "*n", 42: "*n", 44: "d", 45: "*n", 46: "*d", 47: "*w", 48: "*w"},
    "event_defaults": {11: "n", 31: "*n", 45: "*n"},
    "defaults": {11: "event_defaults", 58: "n"},
}
PACKABLE = "nwd"
WIRES = {"n": 0, "w": 1, "d": 1}
KINDS = {1: "begin", 2: "end", 3: "instant"}
REALTIME, BOOTTIME = 1, 6
PACKET_MAX = 64 << 20


class Bad(Exception):
    """The bytes are no such message."""


def varint(data, at):
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise Bad("a number without an end")
        value |= (data[at] & 0x7f) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value & (1 << 64) - 1, at
    raise Bad("a number of more than ten bytes")


def wire_value(data, at, wire):
    if wire == 0:
        return varint(data, at)
    if wire == 2:
        size, at = varint(data, at)
    elif wire in (1, 5):
        size = 8 if wire == 1 else 4
    else:
        raise Bad(f"wire type {wire}")
    if size > len(data) - at:
        raise Bad("a value longer than its message")
    return data[at:at + size], at + size


def packed(data, kind):
    """Numbers that lie in the bytes of one field."""
    if kind == "n":
        at = 0
        while at < len(data):
            value, at = varint(data, at)
            yield value
        return
    if len(data) % 8:
        raise Bad("numbers of eight bytes that are cut off")
    for at in range(0, len(data), 8):
        yield data[at:at + 8]


def values_of(kind, wire, value):
    repeated, kind = kind[0] == "*", kind.lstrip("*")
    if repeated and wire == 2 and kind in PACKABLE:
        values = list(packed(value, kind))
    elif wire != WIRES.get(kind, 2):
        raise Bad(f"a {kind} has wire type {wire}")
    else:
        values = [value]
    if kind in "wd":
        values = [struct.unpack("<d" if kind == "d" else "<Q", one)[0] for one in values]
    return [message(one, kind) if kind in SCHEMAS else one for one in values]


def message(data, name):
    """{field: values}; 0: the numbers of fields that are not looked at."""
    fields, at = collections.defaultdict(list), 0
    schema = SCHEMAS[name]
    while at < len(data):
        tag, at = varint(data, at)
        value, at = wire_value(data, at, tag & 7)
        kind = schema.get(tag >> 3)
        if kind is None:
            fields[0].append(tag >> 3)
        else:
            fields[tag >> 3] += values_of(kind, tag & 7, value)
    return fields


def last(fields, number, otherwise=None):
    """The value that counts; parts of one message are put together."""
    values = fields.get(number)
    if not values:
        return otherwise
    if not isinstance(values[0], dict):
        return values[-1]
    whole = collections.defaultdict(list)
    for part in values:
        for key, more in part.items():
            whole[key] += more
    return whole


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def signed32(value):
    value &= (1 << 32) - 1
    return value - (1 << 32) if value >= 1 << 31 else value


def frames(data):
    at = 0
    while at < len(data):
        if data[at] != 0x0a:
            raise Bad("no packet begins here")
        size, start = varint(data, at + 1)
        if size > PACKET_MAX or size > len(data) - start:
            raise Bad("a packet is cut off")
        yield data[start:start + size]
        at = start + size


class Sequence:
    def __init__(self):
        self.cleared = self.lost = False
        self.forget()

    def forget(self):
        self.texts, self.sums = {}, {}
        self.clock = self.track = self.thread = None
        self.counters, self.reals = [], []


class Reader:
    def __init__(self):
        self.sequences, self.clocks, self.tracks = {}, {}, {}
        self.trace_clock = BOOTTIME
        self.events, self.lost, self.taken, self.told = [], collections.Counter(), {}, {}

    def note(self, number):
        self.lost[f"PFT-{number}"] += 1

    # ---- clocks

    def clock_key(self, sequence, clock):
        return (sequence, clock) if 64 <= clock <= 127 else (None, clock)

    def snapshot(self, sequence, snapshot):
        self.trace_clock = last(snapshot, 2, self.trace_clock) & 0xffffffff
        readings = [(last(c, 1, 0) & 0xffffffff, last(c, 2, 0) * (last(c, 4, 0) or 1), last(c, 4, 0) or 1, bool(last(c, 3, 0)))
                    for c in snapshot[1]]
        at = next((ns for clock, ns, *_ in readings if clock == self.trace_clock), None)
        for clock, ns, *_ in readings if at is None else []:
            known = self.clocks.get((None, clock))
            if known and known["points"] and not 64 <= clock <= 127:
                at = self.moved(known, ns)
                break
        for clock, ns, unit, counts in readings:
            if ns >= 1 << 63:
                self.note(15)
                continue
            known = self.clocks.setdefault(self.clock_key(sequence, clock), {"points": []})
            known.update(unit=unit, counts=counts, last=ns)
            points = known["points"]
            if at is None or clock == self.trace_clock or (points and ns < points[-1][0]):
                continue
            if points and ns == points[-1][0]:
                points.pop()
            points.append((ns, at))

    @staticmethod
    def moved(clock, ns):
        before = [p for p in clock["points"] if p[0] <= ns] or clock["points"][:1]
        return before[-1][1] + ns - before[-1][0]

    def time(self, sequence, number, packet):
        if 8 not in packet:
            return None
        clock = last(packet, 58, sequence.clock if sequence.clock is not None else self.trace_clock) & 0xffffffff
        known = self.clocks.get(self.clock_key(number, clock))
        ticks = last(packet, 8)
        if clock == self.trace_clock:
            return self.fitting(ticks * (known["unit"] if known else 1))
        if not known:
            return None
        ns = ticks * known["unit"]
        if known["counts"]:
            ns += known["last"]
            if ns < 1 << 63:
                known["last"] = ns
        return self.fitting(self.moved(known, ns)) if known["points"] and ns < 1 << 63 else None

    @staticmethod
    def fitting(ns):
        return ns if -(1 << 63) <= ns < 1 << 63 else None

    # ---- packets

    def packet(self, packet):
        number = last(packet, 10, 0) & 0xffffffff
        sequence = self.sequences.setdefault(number, Sequence())
        flags = last(packet, 13, 0)
        if flags & 1 or last(packet, 41, 0):
            sequence.forget()
            sequence.cleared, sequence.lost = True, False
        elif last(packet, 42, 0):
            sequence.lost = True
        if last(packet, 42, 0):
            self.note(13)
        self.state(sequence, packet)
        if 6 in packet:
            self.snapshot(number, last(packet, 6))
        inner = last(packet, 50)
        if inner is not None:
            self.inflated(inner)
            return
        if 133 in packet:
            raise Bad("zstd is not looked into")
        if flags & 2 and (not sequence.cleared or sequence.lost):
            self.note(12)
            return
        ns = self.time(sequence, number, packet)
        if 60 in packet:
            self.describe(number, last(packet, 60))
        if 11 in packet:
            self.event(sequence, number, last(packet, 11), ns)

    def inflated(self, data):
        try:
            inner = list(frames(zlib.decompressobj().decompress(data)))
        except zlib.error as why:
            raise Bad(str(why)) from None
        for one in inner:
            fields = message(one, "packet")
            if 50 in fields or 133 in fields:
                raise Bad("compressed packets in compressed ones")
            self.packet(fields)

    def state(self, sequence, packet):
        defaults = last(packet, 59)
        if defaults is not None:
            event = last(defaults, 11, {})
            sequence.clock, sequence.track = last(defaults, 58), last(event, 11)
            sequence.counters, sequence.reals = event.get(31, []), event.get(45, [])
        if 44 in packet:
            thread = last(packet, 44)
            sequence.thread = (signed32(last(thread, 1)), signed(last(thread, 2))) if {1, 2} <= set(thread) else None
        for kind, texts in last(packet, 12, {}).items():
            for text in texts if kind else []:
                sequence.texts[kind, last(text, 1, 0)] = last(text, 2, b"").decode("utf-8", "replace")

    # ---- tracks

    def describe(self, number, track):
        known = self.tracks.setdefault(last(track, 1, 0), {})
        process, thread, counter = last(track, 3), last(track, 4), last(track, 8)
        name = next((last(track, k) for k in (2, 10, 13) if k in track), None)
        if name is None and counter:
            name = {1: b"thread_time", 2: b"thread_instruction_count"}.get(last(counter, 1), None)
        known.update(parent=last(track, 5, 0), name=(name or b"").decode("utf-8", "replace"), number=number)
        if counter is not None:
            known.update(counts=bool(last(counter, 5, 0)), factor=signed(last(counter, 4, 0)) or 1, counter=True)
        own = last(track, 2, b"")
        if process is not None and 1 in process:
            known["process"] = signed32(last(process, 1))
            self.tell(track, "process_name", known["process"], None,
                      last(process, 6, process[2][0] if process.get(2) else own))
        if thread is not None and {1, 2} <= set(thread):
            known["thread"] = signed32(last(thread, 1)), signed(last(thread, 2))
            self.tell(track, "thread_name", *known["thread"], last(thread, 5, own))

    def tell(self, track, kind, pid, tid, name):
        if name and self.told.get((last(track, 1, 0), kind)) != name:
            self.told[last(track, 1, 0), kind] = name
            self.events.append({"kind": "meta", "name": kind, "pid": pid, "tid": tid})

    def owner(self, track):
        found = None
        for _ in range(32):
            if track is None or "thread" in track:
                break
            found = track["process"] if found is None and "process" in track else found
            track = self.tracks.get(track.get("parent")) if track.get("parent") else None
        return track["thread"] if track is not None and "thread" in track else None if found is None else (found, None)

    # ---- events

    def event(self, sequence, number, event, ns):
        kind = last(event, 9, 0) & 0xffffffff
        uuid = last(event, 11, sequence.track if sequence.track is not None else 0)
        track = self.tracks.setdefault(uuid, {})
        if ns is None and 16 in event:
            ns = self.fitting(signed(last(event, 16)) * 1000)
        described = "parent" in track
        if kind == 0 and 6 in event:
            return self.note(19)
        if not 1 <= kind <= 4:
            return self.note(20)
        if ns is None:
            return self.note(14)
        if (kind == 4) != bool(track.get("counter")) or (kind == 4 and not {30, 44} & set(event)):
            return self.note(17)
        if not described and uuid:
            self.note(16)
        owner = sequence.thread if not described and not uuid and sequence.thread else self.owner(track)
        self.parts(sequence, number, event, kind, ns, {"pid": owner[0] if owner else None})
        return None

    def parts(self, sequence, number, event, kind, ns, where):
        flows = [(flow, False) for flow in event[47] + event[36]] + [(flow, True) for flow in event[48] + event[42]]
        flows = [{"kind": "flow", "flow": flow, "is_end": is_end, "name": "flow", "ts_ns": ns, **where}
                 for flow, is_end in flows if kind != 4]
        if kind == 4:
            own = last(event, 11, sequence.track if sequence.track is not None else 0)
            self.value(sequence, number, own, last(event, 44), last(event, 30), ns)
        else:
            main = {"kind": KINDS[kind], "name": self.name(sequence, event), "ts_ns": ns, **where}
            self.arguments(sequence, event)
            self.events += [*flows, main] if kind == 2 else [main, *flows]
        for values, own, usual in ((event[12], event[31], sequence.counters), (event[46], event[45], sequence.reals)):
            for index, value in enumerate(values):
                tracks = own or usual
                is_real = isinstance(value, float)
                self.value(sequence, number, tracks[index] if index < len(tracks) else None, value if is_real else None,
                           None if is_real else value, ns)

    def name(self, sequence, event):
        for iid in event[3]:
            if (1, iid) not in sequence.texts:
                self.note(18)
        if 23 in event:
            return last(event, 23).decode("utf-8", "replace")
        if 10 not in event:
            return ""
        if (2, last(event, 10)) not in sequence.texts:
            self.note(18)
        return sequence.texts.get((2, last(event, 10)), "")

    def arguments(self, sequence, event):
        """Only counts what is missing; what lies in lists and objects is not looked at."""
        for one in event[4]:
            is_text = 17 in one and not {2, 3, 4, 5, 6, 8, 11, 12} & set(one)
            if 10 not in one and (3, last(one, 1)) not in sequence.texts:
                self.note(18 if 1 in one else 24)
            elif 10 in one and not last(one, 10):
                self.note(24)
            elif is_text and (29, last(one, 17)) not in sequence.texts:
                self.note(18)

    def value(self, sequence, number, uuid, real, whole, ns):
        track = self.tracks.get(uuid, {})
        good = bool(track.get("counter"))
        if good and real is not None:
            good = math.isfinite(real) and math.isfinite(real * track["factor"])
        elif good and track["counts"]:
            total = sequence.sums.get(uuid, 0) + signed(whole)
            good = track["number"] == number and self.fitting(total) is not None
            if good:
                sequence.sums[uuid] = total
        if not good:
            return self.note(17)
        owner = self.owner(track)
        return self.events.append({"kind": "counter", "ts_ns": ns, "pid": owner[0] if owner else None})

    def directions(self):
        """Flows begin at their earliest event, whatever the order in the file is."""
        uses = [(e["flow"], e["ts_ns"], at) for at, e in enumerate(self.events) if e["kind"] == "flow"]
        opened = set()
        for flow, _, at in sorted(uses):
            event = self.events[at]
            is_end = event.pop("is_end")
            if is_end:
                event["kind"] = "flow-end" if flow in opened else "alone"
                opened.discard(flow)
            else:
                event["kind"] = "flow-step" if flow in opened else "flow-start"
                opened.add(flow)
            event.pop("flow")
        for event in self.events:
            if event["kind"] == "alone":
                self.note(22)
        self.events = [event for event in self.events if event["kind"] != "alone"]


def read(data):
    """Events as the dump has them, and how many of each notice were left out; Bad where the file is none."""
    reader = Reader()
    packets = [message(frame, "packet") for frame in frames(data)]
    if not packets:
        raise Bad("no packets")
    for packet in packets:
        reader.packet(packet)
    reader.directions()
    return reader.events, dict(reader.lost)
