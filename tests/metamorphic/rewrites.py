"""Ways to write the same trace: what each of them changes is text, order or the origin of time, never what happened."""
# SPDX-License-Identifier: MIT
import decimal
import gzip
import json
import random

FAR_US = 1_764_000_000_000_000  # in November 2025
FAR_ID = 5_000_000_000  # beyond 32 bits
IDS = ("correlation", "External id", "external id")
SHIFT_US = 1_000_000_007  # a prime, so that no sum of durations of the inputs is equal to it
TODAY = "names twice, times of today"


class Number(str):
    """A number as it was written."""


def parse(data):
    return json.loads(data, parse_float=Number, parse_int=Number)


def quoted(text, escape):
    if not escape:
        return json.dumps(text, ensure_ascii=False)
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)) + '"'


def text_of(value, escape=False, gap=""):
    """The value as JSON, numbers as they were; gap: between all tokens."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return quoted(value, escape)
    if isinstance(value, dict):
        members = (f"{quoted(k, escape)}{gap}:{gap}{text_of(v, escape, gap)}" for k, v in value.items())
        return "{" + gap + f"{gap},{gap}".join(members) + gap + "}"
    if isinstance(value, list):
        return "[" + gap + f"{gap},{gap}".join(text_of(v, escape, gap) for v in value) + gap + "]"
    return json.dumps(value)


# ---- of any JSON document

def escaped(document):
    return text_of(document, escape=True).encode()


def spaced(document):
    return text_of(document, gap=" \n\t ").encode()


def reversed_keys(value):
    if isinstance(value, dict):
        return {k: reversed_keys(v) for k, v in reversed(list(value.items()))}
    return [reversed_keys(v) for v in value] if isinstance(value, list) else value


def reordered(document):
    return text_of(reversed_keys(document)).encode()


# ---- of a trace

def with_events(document, events):
    return text_of({**document, "traceEvents": events}).encode()


def shuffled(document):
    """Not where begins and ends are: those have an order."""
    events = list(document["traceEvents"])
    if any(e.get("ph") in ("B", "E") for e in events):
        return None
    random.Random(7).shuffle(events)
    return with_events(document, events)


def later(ts):
    return Number(decimal.Decimal(ts) + SHIFT_US)


def shifted(document):
    return with_events(document, [{**e, "ts": later(e["ts"])} if isinstance(e.get("ts"), Number) else e
                                  for e in document["traceEvents"]])


def is_number(value):
    return isinstance(value, Number)


def argued_otherwise(document):
    """Arguments are quoted, as some producers do; and what only ties events to each other is counted from elsewhere."""
    def argument(key, value):
        if key in IDS and is_number(value) and int(value) > 0:
            value = Number(int(value) + FAR_ID)
        return str(value) if is_number(value) else value

    def moved(e):
        out = dict(e)
        if isinstance(e.get("args"), dict) and e.get("ph") != "C":
            out["args"] = {key: argument(key, value) for key, value in e["args"].items()}
        if e.get("ph") in ("s", "t", "f") and is_number(e.get("id")):
            out["id"] = Number(int(e["id"]) + FAR_ID)
        return out
    return with_events(document, [moved(e) for e in document["traceEvents"]])


def named_twice(document):
    """And times as clocks of today give them, where they do not count from a time of today."""
    far_us = 0 if "baseTimeNanoseconds" in document else FAR_US
    events = [{**e, "ts": Number(decimal.Decimal(e["ts"]) + far_us)} if is_number(e.get("ts")) else e for e in document["traceEvents"]]
    return with_events(document, events + [e for e in events if e.get("ph") == "M"])


def span(event):
    start = decimal.Decimal(event["ts"])
    return start, start + decimal.Decimal(event["dur"])


def nests(slices):
    """Each pair of slices is one inside the other or apart, and none touches another, so that begins and ends say as much."""
    open_ends, last = [], None
    for start, end in sorted((span(e) for e in slices), key=lambda s: (s[0], -s[1])):
        if start == last or start == end:
            return False
        while open_ends and open_ends[-1] < start:
            open_ends.pop()
        if open_ends and end >= open_ends[-1]:
            return False
        open_ends.append(end)
        last = start
    return True


def halves(event):
    start, end = span(event)
    begin = {k: v for k, v in event.items() if k != "dur"} | {"ph": "B"}
    return (start, begin), (end, {"ph": "E", "pid": event.get("pid"), "tid": event.get("tid"), "ts": Number(end)})


def begun_and_ended(document):
    """Slices of rows where they nest become begins and ends."""
    rows = {}
    for e in document["traceEvents"]:
        if e.get("ph") == "X" and isinstance(e.get("ts"), Number) and isinstance(e.get("dur"), Number):
            rows.setdefault((e.get("pid"), e.get("tid")), []).append(e)
        elif e.get("ph") in ("B", "E"):
            return None
    nested = {id(e) for slices in rows.values() if nests(slices) for e in slices}
    if not nested:
        return None
    timed = [half for e in document["traceEvents"] if id(e) in nested for half in halves(e)]
    rest = [e for e in document["traceEvents"] if id(e) not in nested]
    return with_events(document, rest + [event for _, event in sorted(timed, key=lambda half: half[0])])


def halves_of(document):
    """The events dealt to two files of one rank; begins and ends would lose their order."""
    events = document["traceEvents"]
    if any(e.get("ph") in ("B", "E") for e in events):
        return None
    return [with_events(document, events[k::2]) for k in (0, 1)]


ANY = {"escaped text": escaped, "white space": spaced, "keys in another order": reordered}
SPLIT = "two files of a rank"
TRACES = {"events in another order": shuffled, "another origin of time": shifted, "begins and ends": begun_and_ended,
          "other ids, as texts": argued_otherwise, TODAY: named_twice}


def second_half(name):
    return name.replace(".json", "-more.json")


def split(document, out):
    texts = halves_of(document)
    if not texts:
        return False
    out.write_bytes(texts[0])
    out.with_name(second_half(out.name)).write_bytes(texts[1])
    return True


def rewrite(name, file, out):
    """False: nothing to rewrite in the file."""
    data = file.read_bytes()
    if name == "gzip":
        out.with_name(out.name + ".gz").write_bytes(gzip.compress(data))
        return True
    document = parse(data)
    is_trace = isinstance(document, dict) and isinstance(document.get("traceEvents"), list)
    if name in (*TRACES, SPLIT) and not is_trace:
        return False
    if name == SPLIT:
        return split(document, out)
    text = (ANY.get(name) or TRACES[name])(document)
    if text is None:
        return False
    out.write_bytes(text)
    return True


SHIFTS_US = {"another origin of time": SHIFT_US, TODAY: FAR_US}
NAMES = ("gzip", *ANY, *TRACES, SPLIT)
