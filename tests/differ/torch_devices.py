"""Where the time of a Kineto trace's devices goes, from its JSON alone: no code and no method is shared with the stages.

Times are cut at every start and end, and each piece is asked what runs in it; every kernel is held to every slice of the host."""
# SPDX-License-Identifier: MIT
import collections
import decimal
import fractions

WORKS = ("COMMUNICATION", "COMPUTATION", "MEMORY")
DEVICE = {"kernel", "Kernel", "mtia_ccp_events", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
CALLS = {"cuda_runtime", "cuda_driver", "mtia_runtime", "Runtime"}
OPERATORS = {"cpu_op", "Operator"}
HOUR_NS = 3600 * 10 ** 9
WAITS = ("Stream Wait", "Event Sync", "cudaStreamWaitEvent")

Slice = collections.namedtuple("Slice", "index name cat pid tid start end args")


def ns(text):
    """Microseconds, as a number or a text, in whole nanoseconds."""
    return int((decimal.Decimal(str(text)) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def category(text):
    """Of a list the first that a torch trace has."""
    return next((c for c in text.split(",") if c in DEVICE | CALLS | OPERATORS), text)


def slices_of(document):
    """Complete events, and begins with the ends that belong to them."""
    opened = collections.defaultdict(list)
    found = []
    for index, e in enumerate(document["traceEvents"]):
        where = (str(e.get("pid")), str(e.get("tid")))
        if e["ph"] == "X":
            found.append((index, e, ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
        elif e["ph"] == "B":
            opened[where].append((index, e))
        elif e["ph"] == "E":
            first, begin = opened[where].pop()
            found.append((first, begin, ns(begin["ts"]), ns(e["ts"])))
    return list(repaired([Slice(i, e["name"], category(e.get("cat", "")), e.get("pid"), e.get("tid"), start, end, e.get("args", {}))
            for i, e, start, end in sorted(found, key=lambda f: f[0])]))


def is_work(s):
    return s.cat in DEVICE and not s.name.startswith(WAITS)


def repaired(slices):
    """Work that ends before it begins, or lasts over an hour, ends where the next of its row begins, else at once."""
    rows = collections.defaultdict(list)
    for s in slices:
        if is_work(s):
            rows[str(s.pid), str(s.tid)].append(s.start)
    for s in slices:
        if is_work(s) and not 0 <= s.end - s.start <= HOUR_NS:
            others = list(rows[str(s.pid), str(s.tid)])
            others.remove(s.start)
            s = s._replace(end=min((t for t in others if t >= s.start), default=s.start))
        yield s


def number(value):
    return 0 if value is None else int(str(value), 0)


def percent(part, whole):
    return fractions.Fraction(100 * part, whole) if whole else None


def pieces(works, work_of):
    """How long exactly each set of works ran, the empty one left out."""
    ends = sorted({t for s in works for t in (s.start, s.end)})
    lasting = collections.Counter()
    longest_first = sorted(works, key=lambda s: s.start)
    running, at = [], 0
    for low, high in zip(ends, ends[1:]):
        while at < len(longest_first) and longest_first[at].start <= low:
            running.append(longest_first[at])
            at += 1
        running = [s for s in running if s.end > low]
        lasting[frozenset(work_of(s) for s in running)] += high - low
    lasting.pop(frozenset(), None)
    return lasting


def breakdown(works, work_of):
    """The rows of temporal-breakdown, comm-overlap, kernel-types and gpu-timeline."""
    lasting = pieces(works, work_of)
    total = max(s.end for s in works) - min(s.start for s in works)

    def sum_of(wanted):
        return sum(length for mask, length in lasting.items() if wanted(mask))

    busy = sum_of(bool)
    computes = sum_of(lambda m: "COMPUTATION" in m)
    communicates = sum_of(lambda m: "COMMUNICATION" in m)
    both = sum_of(lambda m: {"COMPUTATION", "COMMUNICATION"} <= m)
    temporal = {"idle_ns": total - busy, "compute_ns": computes, "non_compute_ns": busy - computes, "kernel_ns": total,
                "idle_share_percent": percent(total - busy, total), "compute_share_percent": percent(computes, total),
                "non_compute_share_percent": percent(busy - computes, total)}
    overlap = {"overlap_ns": both, "communication_ns": communicates, "overlap_share_percent": percent(both, communicates)}
    types = {" overlapping ".join(w for w in WORKS if w in mask): {"time_ns": length, "share_percent": percent(length, busy)}
             for mask, length in lasting.items() if length}
    timeline = {"computation_time": computes, "exposed_comm_time": sum_of(lambda m: "COMMUNICATION" in m and "COMPUTATION" not in m),
                "exposed_memcpy_time": sum_of(lambda m: m == {"MEMORY"}), "busy_time": busy, "idle_time": total - busy,
                "total_time": total, "total_comm_time": communicates, "total_memcpy_time": sum_of(lambda m: "MEMORY" in m)}
    return temporal, overlap, types, timeline


def unlinked(slices, works):
    """The sum of what nothing of the host launched; None: the host launched nothing."""
    ids = {number(s.args.get("correlation")) for s in slices if s.cat in CALLS | OPERATORS} - {0}
    return sum(s.end - s.start for s in works if number(s.args.get("correlation")) not in ids) if ids else None


def moments(lengths):
    n, mean = len(lengths), fractions.Fraction(sum(lengths), len(lengths))
    variance = sum((x - mean) ** 2 for x in lengths) / (n - 1) if n > 1 else None
    return {"calls": n, "total_ns": sum(lengths), "mean_ns": mean,
            "std_ns": None if variance is None else float(variance) ** 0.5, "min_ns": min(lengths), "max_ns": max(lengths)}


def grouped(works, key_of):
    groups = collections.defaultdict(list)
    for s in works:
        groups[key_of(s)].append(s.end - s.start)
    total = sum(s.end - s.start for s in works)
    return {key: {**moments(lengths), "share_percent": percent(sum(lengths), total)} for key, lengths in groups.items()}


def holds(outer, inner):
    if (outer.pid, outer.tid) != (inner.pid, inner.tid) or outer.index == inner.index:
        return False
    return outer.start <= inner.start and inner.end <= outer.end


def launchers(slices, works):
    """Of each work its call and its operator, or None."""
    host = [s for s in slices if s.cat in CALLS | OPERATORS and not s.name.startswith("ProfilerStep#")]
    found = {}
    for work in works:
        wanted = number(work.args.get("correlation"))
        calls = [s for s in host if s.cat in CALLS and wanted and number(s.args.get("correlation")) == wanted]
        call = min(calls, key=lambda s: (s.end - s.start, -s.start)) if calls else None
        around = [s for s in host if s.cat in OPERATORS and call and holds(s, call)]
        op = min(around, key=lambda s: (s.end - s.start, -s.start)) if around else None
        known = number(work.args.get("External id"))
        if not call and known:
            op = next((s for s in host if s.cat in OPERATORS and number(s.args.get("External id")) == known), None)
        found[work.index] = call, op
    return found


def stream_of(work):
    """A stream is called by its number alone."""
    return str(work.args.get("stream", work.tid)).removeprefix("stream ")


def span(works):
    return max(s.end for s in works) - min(s.start for s in works)


def kernels(slices, works):
    """Rows of kernel-summary by operator or call, kernel and stream."""
    launched = launchers(slices, works)
    rows = grouped([s for s in works if s.cat in ("kernel", "Kernel", "mtia_ccp_events")],
                   lambda s: (next((x.name for x in reversed(launched[s.index]) if x), ""), s.name, stream_of(s)))
    for row in rows.values():
        row.pop("std_ns")
        row["timeline_share_percent"] = percent(row["total_ns"], span(works))
    return rows


def short_kernels(slices, works, limit):
    """Rows of short-kernels by operator and kernel, and how many are how long."""
    launched = launchers(slices, works)
    short = [s for s in works if s.cat in ("kernel", "Kernel", "mtia_ccp_events") and s.end - s.start < limit]
    rows = grouped(short, lambda s: (launched[s.index][1].name if launched[s.index][1] else "", s.name))
    for row in rows.values():
        for column in ("std_ns", "min_ns", "max_ns", "share_percent"):
            row.pop(column)
        row["timeline_share_percent"] = percent(row["total_ns"], span(works))
    return rows, sorted(s.end - s.start for s in short)


def categories(slices, works, work_of, category_of_op, category_of_kernel):
    """Rows of ops-category: an operator without a category has those of its kernels, each moment that of what began first."""
    launched = launchers(slices, works)
    by_launcher = collections.defaultdict(list)
    for s in works:
        launcher = next((x for x in reversed(launched[s.index]) if x), None)
        if launcher and work_of(s) != "COMMUNICATION":
            by_launcher[launcher.index, launcher.name].append(s)
    totals, calls = collections.Counter(), collections.Counter()
    for (_, name), own in by_launcher.items():
        ends = sorted({t for s in own for t in (s.start, s.end)})
        ordered = sorted(own, key=lambda s: (s.start, s.end, s.index))
        categories_of = {s.index: category_of_op(name) or category_of_kernel(s) for s in own}
        for low, high in zip(ends, ends[1:]):
            first = next((s for s in ordered if s.start <= low and s.end >= high), None)
            if first:
                totals[categories_of[first.index]] += high - low
        for category in set(categories_of.values()):
            calls[category] += 1
    all_ns = sum(totals.values())
    return {c: {"calls": calls[c], "total_ns": totals[c], "share_percent": percent(totals[c], all_ns)} for c in calls}


def lasting(works, low, high, work_of):
    """How long, between two times, a device computes, by (start, end, index) of what began first; communicates; copies; is idle."""
    ends = sorted({low, high, *(t for s in works for t in (s.start, s.end) if low < t < high)})
    found = collections.Counter()
    for begin, end in zip(ends, ends[1:]):
        running = [s for s in works if s.start <= begin and s.end >= end]
        computing = [s for s in running if work_of(s) == "COMPUTATION"]
        if computing:
            found[min((s.start, s.end, s.index) for s in computing)] += end - begin
        else:
            found[next((w for w in WORKS if any(work_of(s) == w for s in running)), "idle")] += end - begin
    return found


def by_device(works):
    """Work that takes time, by the process of its row."""
    devices = collections.defaultdict(list)
    for s in works:
        if s.end > s.start:
            devices[str(s.pid)].append(s)
    return list(devices.values())


def classes(slices, works, work_of, class_of):
    """Rows of device-classes, before means are rounded."""
    devices = by_device(works)
    if not devices:
        return {}
    launched = launchers(slices, works)
    low, high = min(s.start for d in devices for s in d), max(s.end for d in devices for s in d)
    sums, of_index = collections.Counter(), {s.index: s for s in works}
    for own in devices:
        for what, time in lasting(own, low, high, work_of).items():
            name = {"COMMUNICATION": "communication", "MEMORY": "copies", "idle": "idle"}.get(what) if isinstance(what, str) else \
                class_of(of_index[what[2]], launched[what[2]][1])
            sums[name] += time
    return {name: fractions.Fraction(time, len(devices)) for name, time in sums.items() if time}


def step_windows(slices, works):
    """(number, from, to) in the order of time: a step ends with its last work and begins where the one before ended."""
    marks = [(int(s.name[len("ProfilerStep#"):]), s) for s in slices if s.name.startswith("ProfilerStep#") and is_step(s)]
    launched, own = launchers(slices, works), collections.defaultdict(list)
    for s in works:
        at = (launched[s.index][0] or s).start
        around = [(m.start, -m.end, n) for n, m in marks if m.start <= at < m.end]
        if around and s.end > s.start:
            own[max(around)[2]].append(s)
    found, before = [], None
    begins = {n: min([m.start for k, m in marks if k == n] + [s.start for s in own[n]]) for n in own}
    for n in sorted(own, key=lambda n: (begins[n], n)):
        low, high = begins[n], max(s.end for s in own[n])
        if before and (before[0] + 1 == n or low < before[2]):
            low = before[2]
        if high > low:
            before = n, low, high
            found.append(before)
    timed = [s for s in works if s.end > s.start]
    if not found and timed:
        found = [(0, min(s.start for s in timed), max(s.end for s in timed))]
    return found


def is_step(s):
    return s.cat in ("user_annotation", "cpu_op", "Operator") and s.name[len("ProfilerStep#"):].isdigit()


def warm_up(windows):
    spans = [high - low for _, low, high in windows]
    n = 0
    while n + 1 < len(spans) and n < 32:
        rest = sorted(spans[n + 1:])
        if spans[n] <= fractions.Fraction(3, 2) * fractions.Fraction(rest[(len(rest) - 1) // 2] + rest[len(rest) // 2], 2):
            break
        n += 1
    return n


def step_parts(slices, works, work_of):
    """{(step, part): time} before means are rounded, and how many steps are warm-up."""
    devices, windows = by_device(works), step_windows(slices, works)
    sums = collections.Counter()
    for number, low, high in windows:
        for own in devices:
            for what, time in lasting(own, low, high, work_of).items():
                part = {"COMMUNICATION": "exposed-comm", "MEMORY": "exposed-copy", "idle": "idle"}.get(what) if isinstance(what, str) \
                    else "compute"
                sums[number, part] += time
    return {key: fractions.Fraction(time, len(devices)) for key, time in sums.items() if time}, windows, warm_up(windows)
