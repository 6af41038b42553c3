"""Tables of all-reduce times, tables of strategies in C++, and rules of NCCL's tuner, by a program of its own, from the files
that are read and the documents' definitions."""
# SPDX-License-Identifier: MIT
import collections
import csv
import itertools
import math
import re
import statistics

FUSIONS = ("NONE", "RESIDUAL_RMS_NORM", "RESIDUAL_RMS_NORM_QUANT_FP8", "RESIDUAL_RMS_NORM_QUANT_NVFP4")
HIDDEN = tuple(128 << k for k in range(7))
TOKENS = tuple(1 << k for k in range(15))
TPS = (2, 4, 8)
NUMBERS = {"NCCL": 0, "MIN_LATENCY": 1, "UB": 2, "AUTO": 3, "ONESHOT": 4, "TWOSHOT": 5, "LOWPRECISION": 6, "MNNVL": 7,
           "NCCL_SYMMETRIC": 8}
KNOWN = ("NCCL", "ONESHOT", "TWOSHOT")
THRESHOLDS = {(90, 2): 4096**2, (90, 4): 1024**2, (90, 8): 512**2, (100, 2): 4096**2, (100, 4): 1024 * 2048, (100, 8): 1024**2}
Row = collections.namedtuple("Row", "tp fusion strategy hidden tokens bytes time order")


def read(paths):
    """All rows in their order; a time that is none is nothing."""
    rows = []
    for path in paths:
        for cells in csv.DictReader(path.open(newline="")):
            at = {key.strip(): value.strip() for key, value in cells.items()}
            tokens, hidden = map(float, at["shape"].split("x")) if "shape" in at else (at["num_tokens"], at["hidden_size"])
            scale = 1000 if "time_ms" in at else 1
            text = next(at[key] for key in ("time (us)", "time_us", "time_ms") if key in at)
            time = float(text) * scale if text else 0
            size = at.get("size") or at.get("size_bytes")
            rows.append(Row(int(at["world_size"]), at.get("fusion") or at.get("fusion_op"), at["strategy"], int(float(hidden)),
                            int(float(tokens)), int(float(size)), time if 0 < time < math.inf else None, len(rows)))
    return rows


def longer(a, b):
    return None if a is None or b is None else 100 * (b - a) / a


class Times:
    """Rows with a time of a number of GPUs and a fusion, by shape and strategy."""

    def __init__(self, rows, repeat="min"):
        self.repeat = {"min": min, "median": statistics.median, "mean": statistics.fmean}[repeat]
        self.by_min = repeat == "min"
        self.shapes = collections.defaultdict(lambda: collections.defaultdict(list))
        points = {(row.hidden, row.tokens, row.strategy) for row in rows if row.time}
        self.seen = list(dict.fromkeys(row.strategy for row in rows if (row.hidden, row.tokens, row.strategy) in points))
        self.first = {}
        for row in rows:
            self.first.setdefault((row.hidden, row.tokens, row.strategy), row.order)
            if row.time:
                self.shapes[row.hidden, row.tokens][row.strategy].append(row)
        self.shapes = {shape: dict(self.shapes[shape]) for shape in sorted(self.shapes)}

    def time(self, shape, strategy):
        rows = self.shapes[shape].get(strategy)
        return self.repeat([row.time for row in rows]) if rows else None

    def ranking(self, shape, but=("AUTO",)):
        """(time, first row of it, strategy), the fastest first."""
        found = []
        for strategy, rows in self.shapes[shape].items():
            if strategy not in but:
                time = self.time(shape, strategy)
                first = next(row.order for row in rows if row.time == time) if self.by_min else self.first[(*shape, strategy)]
                found.append((time, first, strategy))
        return sorted(found)


def sections(rows, repeat="min"):
    """By number of GPUs and fusion, those with a time."""
    found = collections.defaultdict(list)
    for row in rows:
        found[row.tp, row.fusion].append(row)
    made = {key: Times(found[key], repeat) for key in sorted(found)}
    return {key: times for key, times in made.items() if times.shapes}


def algbw(size, time):
    return size / time / 1000


# ------------------------------------------------------------------------------------------------ the best of each

def winners(rows, tables, repeat, sm):
    """Without the columns about noise."""
    for (tp, fusion), times in sections(rows, repeat).items():
        for shape in times.shapes:
            ranking = times.ranking(shape)
            if not ranking:
                continue
            time, _, strategy = ranking[0]
            second = ranking[1] if len(ranking) > 1 else (None, None, None)
            own = times.shapes[shape][strategy]
            spread = [row.time for row in own]
            tables["allreduce-winners"].append(
                [tp, fusion, *shape, strategy, time, second[2], longer(time, second[0]), len(own), longer(min(spread), max(spread)),
                 own[0].bytes, algbw(own[0].bytes, time), algbw(own[0].bytes, time) * 2 * (tp - 1) / tp, sm])


def choose(times, shape, gain):
    """(strategy, number, source, time, margin) of a cell."""
    ranking = times.ranking(shape)
    time, _, strategy = ranking[0]
    margin = longer(time, ranking[1][0]) if len(ranking) > 1 else None
    default = times.time(shape, "NCCL")
    if strategy not in KNOWN:
        return "NCCL", 0, "unknown", default, None
    if strategy != "NCCL" and default is not None and gain and longer(time, default) <= gain:
        return "NCCL", 0, "kept", default, margin
    return strategy, NUMBERS[strategy], "measured", time, margin


def lookup(rows, tables, repeat, sm, gain):
    found, table = sections(rows, repeat), {}
    for tp, fusion in itertools.product(TPS, FUSIONS):
        times = found.get((tp, fusion))
        for shape in itertools.product(HIDDEN, TOKENS):
            has = times and shape in times.shapes and times.ranking(shape)
            table[(tp, fusion, *shape)] = choose(times, shape, gain) if has else ("NCCL", 0, "default", None, None)
    tables["allreduce-table"] += [[sm, *key, *cell, k + 1] for k, (key, cell) in enumerate(table.items())]
    for tp, fusion in itertools.product(TPS, FUSIONS):
        sources = collections.Counter(cell[2] for key, cell in table.items() if key[:2] == (tp, fusion))
        times = found.get((tp, fusion))
        shapes = [shape for shape in times.shapes if times.ranking(shape)] if times else []
        off = [shape for shape in shapes if (tp, fusion, *shape) not in table]
        reason = None if any((row.tp, row.fusion) == (tp, fusion) for row in rows) else \
            "no rows" if any(row.tp == tp for row in rows) else "no file"
        tables["allreduce-coverage"].append([tp, fusion, len(HIDDEN) * len(TOKENS), sources["measured"], sources["default"],
                                             sources["unknown"], sources["kept"], len(off), reason])
        for shape in off:
            tables["allreduce-off-grid"] += off_grid(table, times, tp, fusion, shape)
    return table


def floor_of(axis, value):
    """By logarithms cut towards zero: down to half of the first, up to twice the last."""
    at = math.trunc(math.log2(value / axis[0]))
    return axis[at] if value * 2 > axis[0] and at < len(axis) else None


def off_grid(table, times, tp, fusion, shape):
    hidden, tokens = floor_of(HIDDEN, shape[0]), floor_of(TOKENS, shape[1])
    if hidden and tokens:
        time, _, strategy = times.ranking(shape)[0]
        floor = table[tp, fusion, hidden, tokens][0]
        yield [tp, fusion, *shape, strategy, floor, longer(time, times.time(shape, floor))]


def cpp(table, sm):
    """As the generator of the library writes it."""
    lines = ["// AllReduce lookup: [tp][fusion][hidden][tokens] = strategy", f"// TP:{list(TPS)}", f"// Fusion:{list(FUSIONS)}",
             f"// Hidden:{list(HIDDEN)}", f"// Tokens:{list(TOKENS)}",
             f"inline AllReduceBestStrategyTableType AllReduceBestStrategyTableSM{sm} = {{"]
    for tp in TPS:
        lines += ["    {", f"        // TP={tp}"]
        for fusion in FUSIONS:
            lines.append(f"        {{ // Fusion={fusion}")
            for hidden in HIDDEN:
                numbers = ",".join(str(table[tp, fusion, hidden, tokens][1]) for tokens in TOKENS)
                lines.append(f"            {{{numbers}}}{'' if hidden == HIDDEN[-1] else ','}")
            lines.append("        }" + ("" if fusion == FUSIONS[-1] else ","))
        lines.append("    }" + ("" if tp == TPS[-1] else ","))
    return "\n".join([*lines, "};", ""])


# ------------------------------------------------------------------------------------------------------ the grid

def grid(rows, tables, sm):
    for (tp, fusion), times in sections(rows).items():
        gaps = collections.defaultdict(list)
        wins = collections.Counter()
        everything = []
        for shape, found in times.shapes.items():
            best = times.ranking(shape, ())[0][0]
            ranking = times.ranking(shape)
            wins.update([ranking[0][2]] if ranking else [])
            for strategy, own in found.items():
                values = [row.time for row in own]
                everything += values
                mean = statistics.fmean(values)
                gaps[strategy] += [longer(best, v) for v in values]
                rate = algbw(own[0].bytes, mean)
                tables["allreduce-grid"].append(
                    [tp, fusion, strategy, *shape, mean, min(values), max(values), len(values), longer(best, mean), own[0].bytes, rate,
                     rate * 2 * (tp - 1) / tp, place(times, strategy), sm])
        total = sum(wins.values())
        for strategy, own in gaps.items():
            auto = strategy == "AUTO"
            tables["allreduce-strategies"].append(
                [tp, fusion, strategy, place(times, strategy), sum(strategy in found for found in times.shapes.values()),
                 None if auto else wins[strategy], None if auto or not total else 100 * wins[strategy] / total,
                 statistics.fmean(own), max(own)])
        every = [g for own in gaps.values() for g in own]
        tables["allreduce-views"].append(
            [tp, fusion, ",".join(times.seen), ",".join(map(str, sorted({t for _, t in times.shapes}))),
             ",".join(map(str, sorted({h for h, _ in times.shapes}))), len(every), total, min(everything), max(everything), min(every),
             max(every)])


def place(times, strategy):
    """Order of the first rows, where a shape has a time."""
    return 1 + times.seen.index(strategy)


# ------------------------------------------------------------------------------------------- crossovers, policies

def crossovers(rows, tables):
    for (tp, fusion), times in sections(rows).items():
        sizes = collections.defaultdict(lambda: collections.defaultdict(list))
        for found in times.shapes.values():
            for strategy, own in found.items():
                if strategy != "AUTO":
                    sizes[strategy][own[0].bytes] += [row.time for row in own]
        for first, second in itertools.permutations(sorted(sizes), 2):
            both = sorted(set(sizes[first]) & set(sizes[second]))
            slower = [k for k, size in enumerate(both)
                      if not statistics.fmean(sizes[second][size]) < statistics.fmean(sizes[first][size])]
            start = slower[-1] + 1 if slower else 0
            if both:
                tables["crossover"].append([tp, fusion, first, second, both[start] if start < len(both) else None, len(both)])
        fit = fitted(times)
        if fit:
            tables["threshold-fit"].append([tp, fusion, fit[1], fit[0], len(both_shot(times))])


def both_shot(times):
    return [shape for shape, found in times.shapes.items() if {"ONESHOT", "TWOSHOT"} <= set(found)]


def geomean(ratios):
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def ratio(times, shape, strategy):
    """Of the shortest times."""
    return times.time(shape, strategy) / times.ranking(shape)[0][0]


def by_rule(elements, shape):
    return "TWOSHOT" if elements is not None and shape[0] * shape[1] >= elements else "ONESHOT"


def fitted(times):
    """(geometric mean, elements): of equal means the smallest number; nothing is ONESHOT always."""
    shapes = both_shot(times)
    tries = [*sorted({h * t for h, t in shapes}), None]
    means = [(geomean([ratio(times, s, by_rule(e, s)) for s in shapes]), e) for e in tries] if shapes else []
    best = min(means, key=lambda m: m[0], default=None)
    return next((m for m in means if math.isclose(m[0], best[0], rel_tol=1e-12)), None)


def policies(rows, tables, sm):
    for (tp, fusion), times in sections(rows).items():
        named = [(s, lambda shape, s=s: s, list(times.shapes)) for s in times.seen]
        if (sm, tp) in THRESHOLDS:
            named.append(("threshold", lambda shape: by_rule(THRESHOLDS[sm, tp], shape), both_shot(times)))
        fit = fitted(times)
        if fit:
            named.append(("fit", lambda shape: by_rule(fit[1], shape), both_shot(times)))
        for position, (name, choice, shapes) in enumerate(named):
            costs = [(ratio(times, s, choice(s)), s) for s in shapes if choice(s) in times.shapes[s] and times.ranking(s)]
            if costs:
                worst = max(c for c, _ in costs)
                shape = next(s for c, s in costs if c == worst)
                tables["policy-cost"].append([tp, fusion, name, len(costs), geomean([c for c, _ in costs]), worst,
                                              f"{shape[1]}x{shape[0]}", position + 1, 1])


def allreduce(paths, sm, repeat="min", gain=0):
    tables, rows = collections.defaultdict(list), read(paths)
    winners(rows, tables, repeat, sm)
    table = lookup(rows, tables, repeat, sm, gain)
    grid(rows, tables, sm)
    crossovers(rows, tables)
    policies(rows, tables, sm)
    return tables, cpp(table, sm)


# ------------------------------------------------------------------------------------------------ tables in C++

def cells_of(path):
    """{sm: {(tp, fusion, hidden, tokens): number}} of a table with the axes of the library."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", path.read_text(), flags=re.S)
    found = {}
    for sm, body in re.findall(r"AllReduceBestStrategyTableSM(\d+)\s*=\s*(\{.*?\})\s*;", text, re.S):
        numbers = map(int, re.findall(r"-?\d+", body))
        found[int(sm)] = dict(zip(itertools.product(TPS, FUSIONS, HIDDEN, TOKENS), numbers))
    return found


def name_of(number):
    return next((name for name, n in NUMBERS.items() if n == number), f"#{number}")


def table_diff(base, new, times, times_sm):
    """Rows of cells that differ, for the kinds of GPUs that both have; `times`: rows of measurements of one kind."""
    fastest = {}
    for row in times:
        if row.time:
            key = (row.tp, row.fusion, row.hidden, row.tokens, row.strategy)
            fastest[key] = min(fastest.get(key, math.inf), row.time)
    rows = []
    for sm in sorted(set(base) & set(new)):
        for key, number in base[sm].items():
            if number != new[sm][key]:
                names = name_of(number), name_of(new[sm][key])
                rows.append([sm, *key, *names, longer(*(fastest.get((*key, name)) if sm == times_sm else None for name in names))])
    return rows


# ------------------------------------------------------------------------------------------------ rules of NCCL

WORDS = {"collective": ("broadcast", "reduce", "allgather", "reducescatter", "allreduce"),
         "algorithm": ("tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"),
         "protocol": ("ll", "ll128", "simple")}
Measured = collections.namedtuple("Measured", "collective algorithm protocol channels nodes ranks pipe reg size value order")


def measured(path, metric):
    column = {"latency": "latency_us", "bandwidth": "bandwidth_gbps"}[metric]
    rows = []
    for order, cells in enumerate(csv.DictReader(path.open(newline=""))):
        at = {key.strip().lower(): value.strip() for key, value in cells.items()}
        ints = [int(at.get(key) or -1) for key in ("channels", "nodes", "ranks", "pipeops", "regbuff")]
        try:
            value = float(at.get(column) or "nan")
        except ValueError:
            value = math.nan
        pairs = at["algorithm"] in ("ring", "tree") or at["protocol"] == "simple"
        known = all(at[key] in words for key, words in WORDS.items())
        if known and pairs and 0 < value < math.inf:
            rows.append(Measured(at["collective"], at["algorithm"], at["protocol"], *ints, int(at["size_bytes"]),
                                 -value if metric == "bandwidth" else value, order))
    return rows


def nccl_rules(path, metric="latency", open_end=False):
    """Rows of the table, and the lines of the plugin's file."""
    rows, groups = measured(path, metric), collections.defaultdict(list)
    sizes = collections.defaultdict(set)
    for row in rows:
        sizes[row.nodes, row.ranks].add(row.size)
        groups[row.collective, row.nodes, row.ranks, row.pipe, row.reg].append(row)
    table = []
    for key in sorted(groups, key=lambda k: (k[0], *(math.inf if v < 0 else v for v in k[1:]))):
        ranges, before = {}, -1
        ordered = sorted(sizes[key[1:3]])
        for k, size in enumerate(ordered):
            end = (size + ordered[k + 1]) // 2 if k + 1 < len(ordered) else size
            ranges[size] = (before + 1, end)
            before = end
        rules = []
        for size in sorted({row.size for row in groups[key]}):
            best = min((row for row in groups[key] if row.size == size), key=lambda row: (row.value, row.order))
            what, (low, high) = (best.algorithm, best.protocol, best.channels), ranges[size]
            if rules and rules[-1][2] == what and rules[-1][1] + 1 == low:
                rules[-1][1] = high
            else:
                rules.append([low, high, what])
        if open_end:
            rules[-1][1] = max(rules[-1][1], 4294967295)
        table += [[*key, low, high, *what] for low, high, what in rules]
    lines = [",".join(map(str, (c, low, high, a, p, channels, nodes, ranks, pipe, reg)))
             for c, nodes, ranks, pipe, reg, low, high, a, p, channels in table]
    return [[*row, k + 1] for k, row in enumerate(table)], lines
