"""Documents of reports, made by hand: every mark of a picture, and everything that a name may hold."""
# SPDX-License-Identifier: MIT
import json
import math
import pathlib

COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"]
HOSTILE = ["</script><script>window.bad = 1</script>", "<img src=x onerror=\"window.bad = 1\">", "a \"quoted\" 'name' `x` $(y)",
           "=cmd|' /C calc'!A0", "tab\tand\nline\r\nends", "\x1b[31mred\x07\x9b", "‮gnirts‬", "EOD", "a|b\\c&amp;&lt;",
           "日本語のカーネル名前", "\u2028\u2029", "-1+1", "@sum", "<!--", "]]>", "k" * 100_000]


def axis(label="", unit="", low=0.0, high=1.0, factor=1.0, scale="linear", down=False):
    return {"label": f"{label} ({unit})" if unit else label, "unit": unit, "factor": factor, "scale": scale, "low": low, "high": high, "down": down}


def categories(label, names, down=False):
    return {**axis(label, "", -0.5, len(names) - 0.5, down=down), "scale": "categories", "categories": names}


def series(mark, name="", color=0, slot=0, n_slots=1, **columns):
    return {"mark": mark, "name": name, "color": COLORS[color % len(COLORS)] if color is not None else None, "slot": slot,
            "n_slots": n_slots, **columns}


def panel(x, y, *all_series, **more):
    return {"title": "", "sideways": False, "x": x, "y": y, "series": list(all_series), **more}


def picture(name, *panels, kind="line", n_columns=1, legend=(), **more):
    keys = [{"name": key, "color": COLORS[i]} for i, key in enumerate(legend)]
    return {"schema_version": "1.0", "name": name, "file": name, "title": name.replace("-", " ").capitalize(), "kind": kind,
            "table": "kernel-time", "description": f"A {kind} of made-up numbers. The largest is at the right.", "footer": "sample",
            "n_columns": n_columns, "legend": keys, "panels": list(panels), **more}


def wave(n, k=0, height=1.0):
    return [height * (1.5 + math.sin(i / n * 12 + k) + 0.2 * math.sin(i * 0.7 + k)) for i in range(n)]


def lines():
    n = 120
    x = [i * 1e6 for i in range(n)]
    all_series = []
    for k, name in enumerate(("p50", "p99")):
        y = wave(n, k, 2e5)
        all_series.append(series("line", name, k, x=x, y=y, low=[v * 0.9 for v in y], high=[v * 1.12 for v in y]))
    all_series.append(series("rule", "limit", 5, y=[6e5]))
    all_series[0]["y"][60] = None
    own = panel(axis("Time", "ms", 0, n * 1e6, 1e-6), axis("Latency", "us", 0, 8e5, 1e-3), *all_series, note="rank 0")
    return picture("latency-over-time", own, legend=["p50", "p99"])


def steps_and_front():
    x = [1, 2, 5, 10, 40, 100, 1000]
    own = panel(axis("Requests in flight", "", 1, 1000, scale="log"), axis("Throughput", "tok/s", 1, 1024, scale="log2"),
                series("steps", "steps", 0, x=x, y=[2, 4, 16, 30, 90, 300, 800]),
                series("front", "front", 1, x=x, y=[3, 9, 30, 60, 200, 500, 1000]),
                series("points", "", 1, x=x, y=[3, 9, 30, 60, 200, 500, 1000], text=[f"tp{v}" for v in x]))
    return picture("pareto-front", own, kind="pareto", legend=["steps", "front"])


def bars():
    names = [f"rank {i}" for i in range(8)]
    low = [0.0] * 8
    first = [3e6 + i * 4e5 for i in range(8)]
    second = [v * 1.4 for v in first]
    grouped = panel(categories("Rank", names), axis("Time", "ms", 0, 1e7, 1e-6),
                    series("bars", "compute", 0, 0, 2, x=list(range(8)), low=low, high=first),
                    series("bars", "NCCL", 1, 1, 2, x=list(range(8)), low=low, high=second, error_low=[v * 0.9 for v in second],
                           error_high=[v * 1.1 for v in second]), title="grouped")
    stacked = panel(categories("Rank", names), axis("Time", "ms", 0, 1.6e7, 1e-6),
                    series("bars", "compute", 0, x=list(range(8)), low=low, high=first),
                    series("bars", "NCCL", 1, x=list(range(8)), low=first, high=[a + b for a, b in zip(first, second)]), title="stacked")
    return picture("time-by-rank", grouped, stacked, kind="bar", n_columns=2, legend=["compute", "NCCL"])


def ranked():
    names = ["void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(Params)",
             "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "flash_fwd_kernel", "layer_norm", "elementwise_kernel", "others (12)"]
    times = [5e9, 3e9, 1e9, 4e8, 3e8, 2e8]
    shares, total = [], 0
    for t in times:
        total += t
        shares.append(100 * total / sum(times))
    x = list(range(6))
    first = panel(categories("", names), axis("Total time", "s", 0, 6e9, 1e-9),
                  series("bars", "", 0, x=x, low=[0] * 6, high=times, text=[f"{t / 1e9:.1f} s" for t in times]), sideways=True)
    second = panel(categories("", names), axis("Cumulative share", "%", 0, 100), series("line", "", 0, x=x, y=shares), sideways=True)
    return picture("kernels-ranked", first, second, kind="ranked", n_columns=2)


def boxes():
    names = ["fp8", "bf16", "fp32"]
    middle = [10.0, 20.0, 28.0]
    both = []
    for k, name in enumerate(("h100", "b200")):
        m = [v * (1 - 0.2 * k) for v in middle]
        both.append(series("boxes", name, k, k, 2, x=[0, 1, 2], low=[v * 0.7 for v in m], q1=[v * 0.9 for v in m], median=m,
                           q3=[v * 1.15 for v in m], high=[v * 1.4 for v in m], mean=[v * 1.03 for v in m], n=[24, 300, 12]))
        both.append(series("points", "", k, k, 2, x=[0, 1, 2], y=[v * 1.7 for v in m]))
    return picture("duration-boxes", panel(categories("Type", names), axis("Duration", "us", 0, 55), *both), kind="box", legend=["h100", "b200"])


def violins():
    shape = [0.5 * math.exp(-((k - 40) / 18) ** 2) for k in range(100)]
    one = series("violins", "", 2, x=[0, 1], low=[5, 10], median=[13, 22], high=[25, 40], mean=[14, 23], n=[500, 500],
                 shapes=[{"low": 5, "step": 0.2, "width": shape}, {"low": 10, "step": 0.3, "width": shape}])
    return picture("duration-violins", panel(categories("Model", ["small", "large"]), axis("Duration", "us", 0, 45), one), kind="violin")


def cells():
    names, ranks = [f"layer {i}" for i in range(12)], [str(i) for i in range(8)]
    x = [i % 12 for i in range(96)]
    y = [i // 12 for i in range(96)]
    value = [1 + ((i * 7) % 13) / 10 for i in range(96)]
    value[5] = None
    own = panel(categories("Layer", names), categories("Rank", ranks),
                series("cells", "", None, x=x, y=y, value=value, text=["" if v is None else f"{v:.2f}" for v in value]),
                color={"label": "Imbalance (x)", "unit": "x", "factor": 1, "scale": "linear", "low": 1, "high": 2.3, "palette": "worse"})
    return picture("expert-load", own, kind="heatmap")


def field():
    n_x, n_y = 150, 100
    value = [max(0.0, 100 * math.exp(-((c - 70) / 40) ** 2 - ((r - 30) / 20) ** 2) - 1) or None for r in range(n_y) for c in range(n_x)]
    own = panel(axis("Time", "s", 0, 1.5e9, 1e-9), axis("Size", "KiB", 0, 102400, 1 / 1024),
                series("field", "", None, field={"x_low": 0, "x_step": 1e7, "y_low": 0, "y_step": 1024, "n_x": n_x, "n_y": n_y, "value": value}),
                color={"label": "Events", "unit": "", "factor": 1, "scale": "log", "low": 0.1, "high": 100, "palette": "magnitude"})
    return picture("density", own, kind="density")


def histogram():
    edges = [i * 1e4 for i in range(31)]
    high = [round(1000 * math.exp(-((i - 12) / 6) ** 2)) for i in range(30)]
    own = panel(axis("Duration", "us", 0, 3e5, 1e-3), axis("Count", "", 0, 1100), series("bins", "", 4, x=edges[:-1], x_high=edges[1:], low=[0] * 30, high=high))
    return picture("duration-histogram", own, kind="histogram")


def timeline():
    x = [i * 3e5 for i in range(200)]
    rows = [i % 4 for i in range(200)]
    first = series("intervals", "gemm", 0, x=x[::2], x_high=[v + 4e5 for v in x[::2]], y=rows[::2], text=["gemm"] * 100)
    second = series("intervals", "all-reduce", 1, x=x[1::2], x_high=[v + 5e5 for v in x[1::2]], y=rows[1::2])
    own = panel(axis("Time", "ms", 0, 6e7, 1e-6), categories("Stream", [f"stream {i}" for i in range(4)], True), first, second)
    return picture("gpu-timeline", own, kind="timeline", legend=["gemm", "all-reduce"])


def scatter(n=400):
    x = [10 ** (3 + 4 * i / n) for i in range(n)]
    y = [v ** 0.5 * (1 + 0.4 * math.sin(i * 12.9)) for i, v in enumerate(x)]
    own = panel(axis("Bytes", "KiB", 1000, 1e7, 1 / 1024, "log"), axis("Bandwidth", "GB/s", 10, 1e4, 1, "log"),
                series("points", "", 0, x=x, y=y, value=[i for i in range(n)]),
                color={"label": "Step", "unit": "", "factor": 1, "scale": "linear", "low": 0, "high": n, "palette": "magnitude"})
    return picture("bandwidth", own, kind="scatter")


def long_lines(n=4800):
    x = [i * 1e5 for i in range(n)]
    all_series = [series("line", name, k, x=x, y=wave(n, k, 1e9)) for k, name in enumerate(("power", "clock"))]
    return picture("long-lines", panel(axis("Time", "ms", 0, n * 1e5, 1e-6), axis("Power", "W", 0, 3e9, 1e-6), *all_series), legend=["power", "clock"])


def facets():
    names = [f"a rather long name of category {i}" for i in range(14)]
    panels = [panel(categories("Kernel", names), axis("Time", "ms", 0, 2e7, 1e-6),
                    series("bars", "", k, x=list(range(14)), low=[0] * 14, high=[1e6 * (i + k + 1) for i in range(14)]), title=f"rank {k}")
              for k in range(4)]
    return picture("facets", *panels, kind="bar", n_columns=2)


def pictures():
    return [ranked(), lines(), bars(), boxes(), violins(), cells(), field(), histogram(), timeline(), scatter(), steps_and_front(),
            long_lines(), facets()]


def display():
    """The marks of a picture that stands still: one of each kind, as the program places them."""
    marks = [{"kind": "rects", "color": "#0072b2", "at": [100, 100, 200, 300, None, 100, 250, 300, 300, 200, 400, 300]},
             {"kind": "rects", "color": "#000000", "width": 0.7, "edge": "#ffffff", "at": [500, 100, 600, 200, 600, 100, 700, 200],
              "colors": ["#fee0d2", "#de2d26"], "color_of": [0, 1]},
             {"kind": "lines", "color": "#d55e00", "width": 1.6, "dashed": True, "at": [100, 50, 200, 60, None, None, 300, 70, 400, 50]},
             {"kind": "polygons", "color": "#009e73", "alpha": 0.4, "width": 1, "own_edge": True, "at": [800, 100, 900, 100, 850, 200, None, None],
              "clip": [800, 100, 900, 150]},
             {"kind": "discs", "color": "#cc79a7", "radius": 3, "at": [150, 320, None, 330, 250, 320]},
             {"kind": "image", "color": "#000000", "at": [500, 220, 700, 320], "n_across": 2, "colors": ["#440154", "#fde725"], "color_of": [0, 1, 1, -1]},
             {"kind": "gradient", "color": "#000000", "at": [1000, 100, 1016, 300], "colors": ["#440154", "#31688e", "#fde725"], "color_of": [0, 1, 2]},
             {"kind": "text", "color": "#222222", "text": HOSTILE[0], "at": [600, 360], "align": "centre", "size": 14},
             {"kind": "text", "color": "#222222", "text": "turned", "at": [40, 200], "align": "centre", "size": 14, "turn": 90, "rim": True}]
    return {"width": 1200, "height": 400, "marks": marks}


def column(name, kind, unit=None, key=False, **more):
    return {"name": name, "unit": unit, "type": kind, "key": key, **more}


def table(name="kernel-time", n=6000, texts=None):
    texts = texts or ["gemm", "all_reduce", "flash_attention", "layer_norm"]
    columns = [column("rank", "int", key=True), column("name", "text", key=True, help="Name of the kernel"), column("total", "int", "ns"),
               column("share", "real", "percent"), column("calls", "int", "count"), column("traffic", "int", "bytes"), column("done", "bool")]
    rows = [[i % 8, texts[i % len(texts)] + ("" if i < len(texts) else f" {i}"), (i * 7919) % 100_000_000, None if i == 3 else round(i * 37 % 1000 / 10, 1),
             i, str(2**63 - 1 - i) if i < 4 else i * 1024, i % 3 == 0] for i in range(n)]
    return {"name": name, "help": "Time by name", "columns": columns, "n_rows": n, "rows": rows}


def findings_table():
    columns = [column("collective", "int", key=True), column("finding", "text", finding=True)]
    rows = [[0, "Rank 3 arrives last in 7 of 10 collectives, 1.8 ms after the first on average."],
            [1, "All-reduce takes 31 % of the step; 12 % of it is not hidden behind compute."]]
    return {"name": "stragglers", "help": "Who is waited for", "columns": columns, "n_rows": 2, "rows": rows}


# Of the table kernel-time, in the order in which findings speak of them.
EVIDENCE_ROWS = [4321, 12, 5999, 0]


def findings():
    def evidence(table="kernel-time", **keys):
        return {"table": table, "keys": keys}
    rows = table()["rows"]
    return [{"name": "straggler", "text": "rank 2 holds up the others by 2.34 ms a step: it computes 35 % longer", "severity": "critical",
             "cost_ns": 1_234_567_890, "share": 35.1, "where": {"rank": 2}, "advice": "look at rank 2",
             "evidence": [evidence(rank=1, name=rows[4321][1]), evidence(total_ns=rows[12][2], share_percent=rows[12][3])]},
            {"name": "sync", "text": "aten::item makes the host wait", "severity": "warning", "cost_ns": 12_345, "share": 12.2, "where": {},
             "advice": "keep values on the device", "evidence": [evidence(rank=7, calls=5999), evidence(calls=0, traffic_bytes=2**63 - 1, done=1)]},
            {"name": "hot-kernel", "text": "one kernel takes the time", "severity": "note", "share": 5.2, "where": {"kernel": "gemm"},
             "advice": "fuse it", "evidence": [evidence(rank=9), evidence(table="not-here", rank=0)]}]


def found():
    return document(verdict="a step takes 10.258 ms (12 steps), devices busy 99.8 %, 4 ranks", findings=findings(), metrics=metrics(),
                    tables=[findings_table(), table(), table("kernel-time-rank", 40)], provenance={**provenance(), "rules": ["straggler", "sync", "hot-kernel"]})


def changes_table():
    columns = [column("finding", "text", key=True), column("where", "text", key=True), column("base_percent", "real"), column("new_percent", "real"),
               column("what", "text"), column("text", "text")]
    rows = [["straggler", "rank 1", None, 22.8, "came", "rank 1 holds up the others"], ["sync", "", 12.1, None, "went", "aten::item makes the host wait"],
            ["copy", "", 5.5, 31.2, "grew", "copies take long"]]
    return {"name": "findings-changes", "help": "What rules found on one side, or more of it", "columns": columns, "n_rows": 3, "rows": rows}


def metrics():
    def metric(name, value, unit, n, **more):
        return {"name": name, "value": value, "unit": unit, "n": n, "better": None, **more}
    return [metric("ttft", 96_400_000, "ns", 24000, stat="p50", better="lower", help="Time to first token"),
            metric("ttft", 410_800_000, "ns", 24000, stat="p99", better="lower"),
            metric("tpot", 31_700_000, "ns", 24000, stat="mean", better="lower"), metric("tpot", 88_100_000, "ns", 24000, stat="p99", better="lower"),
            metric("output_throughput", 2140.25, "tok/s", 12, better="higher"), metric("peak_memory", 68_719_476_736, "bytes", 1),
            metric("overlap", 41.04, "percent", 70), {"name": "comm_time", "reason": "no collectives in this trace", "unit": "ns", "better": None},
            metric("ttft", 90_000_000, "ns", 12000, stat="p50", group={"model": "a", "rate": "1"}, better="lower")]


def document(**more):
    base = {"schema_version": "1.0", "title": "", "profile": "serving", "program": {"name": "stagemill", "version": "0.1.0"},
            "lanes": {"n": 2, "names": ["rank0.json.gz", "rank1.json.gz"]}, "provenance": None, "findings": [], "metrics": [], "notices": [], "tables": [], "pictures": [],
            "not_drawn": [], "left_out": []}
    return {**base, "displays": [display() for _ in more.get("pictures", [])], **more}


def provenance():
    inputs = [{"name": f"rank{i}.json.gz", "size_bytes": 30_000_000 + i, "hash": f"sha256:{i:064x}"} for i in range(3)]
    modules = [{"kind": "stage", "name": "kernel-time", "version": "1.0.0"}, {"kind": "source", "name": "chrome-json", "version": "1.0.0"}]
    return {"program": {"name": "stagemill", "version": "0.1.0"}, "profile": "serving", "plan": "sha256:5f70",
            "arguments": ["--set", "top=20"], "modules": modules, "inputs": inputs}


def full():
    notices = [{"code": "OVC-02", "level": "warning", "count": 23, "what": "23 counter overflows could not be matched to a clock",
                "effect": "durations in this rank may be wrong by one counter period", "help": "add --set soc-mhz=998.4"},
               {"code": "JSN-09", "level": "info", "count": 1, "what": "the last bracket was missing"}]
    return document(metrics=metrics(), notices=notices, tables=[findings_table(), table()], pictures=pictures(),
                    not_drawn=[{"name": "comm", "title": "Communication", "reason": "the table comm-time has no rows"}],
                    plan="sha256:5f70", provenance=provenance(),
                    left_out=["12,000 of 18,000 rows of the table kernel-time"])


def hostile():
    bad = [table("kernel-time", 40, HOSTILE), {**findings_table(), "rows": [[i, text] for i, text in enumerate(HOSTILE)]}]
    own = panel(categories(HOSTILE[0], HOSTILE), axis(HOSTILE[1], "<b>", 0, 20), *[
        series("bars", text, i, i, len(HOSTILE), x=list(range(len(HOSTILE))), low=[0] * len(HOSTILE), high=[i + 1] * len(HOSTILE),
               text=HOSTILE) for i, text in enumerate(HOSTILE[:4])], title=HOSTILE[1], note=HOSTILE[0])
    pic = picture("bad", own, {**own, "sideways": True}, legend=HOSTILE[:8], left_out=HOSTILE[0])
    pic.update(title=HOSTILE[1], description=HOSTILE[0])
    notices = [{"code": "X-01", "level": "warning", "count": 3, "what": t, "effect": t, "help": t} for t in HOSTILE]
    metric = [{"name": t, "value": 1, "unit": t[:9], "n": 2, "better": "lower", "help": t, "stat": t} for t in HOSTILE]
    return document(title=HOSTILE[0], profile=HOSTILE[1], tables=bad, pictures=[pic], notices=notices, metrics=metric,
                    provenance={t: t for t in HOSTILE}, lanes={"n": 1, "names": [HOSTILE[1]]})


def escaped(data):
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def write(page, path, data):
    """The page as the program writes it, with that data."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    pathlib.Path(path).write_text(text.replace("@DATA@", escaped(data)), encoding="utf-8", errors="surrogatepass")
