"""Energy, power and active share of AIU traces, computed again from the documents by exact arithmetic."""
# SPDX-License-Identifier: MIT
import bisect
import collections
import fractions
import re

PERIOD = 2 ** 32
PARTS = {" DmaI": (0, 1), " Cmpt Prep": (1, 2), " Cmpt Exec": (2, 3), " DmaO": (3, 4)}
UNIT_J = fractions.Fraction(12, 512 * 10 ** 6)
CLOSEST_NS, SHORTEST_NS = 24, 100

Slice = collections.namedtuple("Slice", "name pid begin end ts3_ns ts4_ns stamps charge")
Interval = collections.namedtuple("Interval", "begin end watts least most")


def whole(value):
    return int(value, 0) if isinstance(value, str) else value


def nearest(numerator, denominator):
    """To the nearest whole number, halves away from 0."""
    sign = -1 if numerator < 0 else 1
    return sign * ((2 * abs(numerator) + denominator) // (2 * denominator))


def span_ns(cycles, hz):
    """Stamps of one event are less than half a period apart."""
    return nearest(((cycles + PERIOD // 2) % PERIOD - PERIOD // 2) * 10 ** 9, hz)


def nanoseconds(us):
    return round(fractions.Fraction(str(us)) * 1000)


def slices_of(document, hz):
    """Device slices: as long as their cycles, and ending where the host saw them end."""
    for event in document["traceEvents"]:
        args = event.get("args", {})
        if event["ph"] != "X" or "TS1" not in args:
            continue
        stamps = [whole(args[f"TS{i}"]) for i in range(1, 6)]
        first, last = next(pair for word, pair in PARTS.items() if word in event["name"])
        begin, end = nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"])
        if any(stamps):
            begin = end - span_ns(stamps[last] - stamps[first], hz)
        charge = whole(args["Power"]) if "Power" in args else None
        ts3_ns, ts4_ns = (begin + span_ns(stamps[k] - stamps[first], hz) for k in (2, 3))
        yield Slice(event["name"], event["pid"], begin, end, ts3_ns, ts4_ns, stamps, charge)


def charge_between(before, now, ns, max_watts):
    """Least and most units, the same where they are known."""
    most = fractions.Fraction(max_watts) * ns / 10 ** 9 / UNIT_J
    units = (now - before) % PERIOD
    if now < before and (units > most or units >= PERIOD // 2):
        return min(now, int(most)), int(most), False
    if units > most:
        return 0, int(most), False
    if units + PERIOD > most:
        return units, units, True
    return (min(now, units) if now < before else units), units + max(1, int((most - units) // PERIOD)) * PERIOD, False


def is_reading(s, stamp):
    long = stamp == "ts3" or s.end - s.begin > SHORTEST_NS
    return s.charge is not None and any(s.stamps) and long and " Prep" not in s.name


def is_skipped(before, now):
    if "Cmpt Exec" in before:
        return "Cmpt Exec" in now or " DmaI" in now
    return " DmaO" in before and " DmaI" in now


def intervals_of(slices, stamp="ts4", skip=False, max_watts=100):
    readings = sorted((s.ts4_ns if stamp == "ts4" else s.ts3_ns, i, s.charge, s.name)
                      for i, s in enumerate(slices) if is_reading(s, stamp))
    before = None
    for at, _, charge, name in readings:
        if before is None or before[1] == 0:
            before = (at, charge, name)
            continue
        ns = at - before[0]
        if charge == 0 or ns < CLOSEST_NS or skip and is_skipped(before[2], name):
            continue
        least, most, known = charge_between(before[1], charge, ns, max_watts)
        watts = least * UNIT_J * 10 ** 9 / ns if known else None
        yield Interval(before[0], at, watts, least, most)
        before = (at, charge, name)


def folded(name):
    return re.sub(r"[0-9]+", "[N]", name)


def segments(intervals, kernels):
    """(ns, watts, kernels that run) between all points at which any of them changes."""
    points = sorted({t for k in kernels for t in (k.begin, k.end)})
    ordered = sorted(kernels, key=lambda k: k.begin)
    for i in intervals:
        if i.watts is None:
            continue
        inner = points[bisect.bisect_right(points, i.begin):bisect.bisect_left(points, i.end)]
        for a, b in zip([i.begin, *inner], [*inner, i.end]):
            yield b - a, i.watts, [k for k in ordered if k.begin <= a and k.end >= b and k.end > k.begin]


def median(parts):
    """The first power above 0 up to which half of the time lies."""
    parts = sorted((watts, ns) for ns, watts in parts if watts > 0)
    half, passed = sum(ns for _, ns in parts), 0
    for watts, ns in parts:
        passed += ns
        if 2 * passed >= half:
            return watts
    return None


def load(parts):
    time, nonzero = sum(ns for ns, _ in parts), sum(ns for ns, w in parts if w > 0)
    energy = sum(ns * w for ns, w in parts)
    above = [w for _, w in parts if w > 0]
    return {"time_ns": time, "nonzero_time_ns": nonzero, "mean_W": energy / time if time else None,
            "mean_nonzero_W": energy / nonzero if nonzero else None, "min_W": min(above, default=None),
            "median_W": median(parts), "max_W": max((w for _, w in parts), default=None)}


def covered(kernels):
    busy, until = 0, None
    for k in sorted(kernels, key=lambda k: k.begin):
        start = k.begin if until is None else max(k.begin, until)
        busy += max(0, k.end - start)
        until = k.end if until is None else max(k.end, until)
    return busy


def active(slices):
    rows = {}
    for pid in {s.pid for s in slices}:
        kernels = [s for s in slices if s.pid == pid and s.name.endswith("Cmpt Exec")]
        if not kernels:
            continue
        elapsed = max(k.end for k in kernels) - min(k.begin for k in kernels)
        rows[str(pid)] = {"kernel_time_ns": sum(k.end - k.begin for k in kernels), "busy_ns": covered(kernels),
                          "elapsed_ns": elapsed,
                          "active_percent": fractions.Fraction(covered(kernels) * 100, elapsed) if elapsed else None}
    return rows


def energy(slices, stamp="ts4", skip=False):
    """Rows as the tables power-meter, power and power-load have them, of one rank."""
    meter = collections.Counter()
    shares = collections.defaultdict(lambda: [0, 0])
    loads = {"kernels ran": [], "no kernel ran": []}
    for pid in sorted({s.pid for s in slices}):
        own = [s for s in slices if s.pid == pid]
        intervals = list(intervals_of(own, stamp, skip))
        for i in intervals:
            known = i.watts is not None
            meter["intervals" if known else "unknown_intervals"] += 1
            meter["known_ns" if known else "unknown_ns"] += i.end - i.begin
            meter["energy_J" if known else "unknown_least_J"] += i.least * UNIT_J
            meter["unknown_most_J"] += 0 if known else i.most * UNIT_J
        for ns, watts, running in segments(intervals, [s for s in own if s.name.endswith("Cmpt Exec")]):
            loads["kernels ran" if running else "no kernel ran"].append((ns, watts))
            for k in running or [None]:
                share = shares[folded(k.name) if k else "(no kernel)"]
                share[0] += ns
                share[1] += ns * watts / max(1, len(running)) / 10 ** 9
    loads["always"] = loads["kernels ran"] + loads["no kernel ran"]
    return meter, shares, {when: load(parts) for when, parts in loads.items()}
