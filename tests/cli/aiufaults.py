"""Faulty AIU traces: what ends a run, what is counted, and what is no fault at all."""
# SPDX-License-Identifier: MIT
import json
import re

from harness import AIU, Case

STAMPS = (5700, 5800, 11200, 22400, 22500)
LATER = (25000, 27800, 27800, 27800, 27900)
LOST = object()


def stamps(values=STAMPS, **more):
    return {**{f"TS{i}": str(v) for i, v in enumerate(values, 1)}, **more}


def event(ph, name, ts, **members):
    return {"ph": ph, "name": name, "pid": 0, "tid": 1, "ts": ts, **members}


def kernel(**members):
    """20 us of a device at 560 MHz; a member that is LOST is not there."""
    whole = {**event("X", "k Cmpt Exec", 1015, dur=20, args=stamps()), **members}
    return {key: value for key, value in whole.items() if value is not LOST}


def host(ts, dur=5, **members):
    return kernel(name="op", ts=ts, dur=dur, args={}, **members)


DMA = kernel(name="a DmaI", ts=1040, dur=5, args=stamps(LATER))


def document(*events, **members):
    return json.dumps({**members, "traceEvents": [*events, DMA]})


def torch(**members):
    return document(kernel(name="gemm", cat="kernel", **members), deviceProperties=[{"id": 0}])


def transfer(**args):
    args = stamps(CollGroup="AllReduce_1", Bytes="4096", **args)
    return document(kernel(name="SenRdmaSend_1 [sync=a] DmaO", args=args))


# What it is, the document, the warnings.
COUNTED = [
    ("a slice without dur", document(kernel(dur=LOST)), {"JSN-44", "NORM-02"}),
    ("a slice without pid", document(kernel(pid=LOST)), {"NORM-05"}),
    ("a slice without ts", document(kernel(ts=LOST)), {"JSN-43", "NORM-01"}),
    ("a slice without name", document(kernel(name=LOST)), {"NORM-04"}),
    ("a counter without ts", document({"ph": "C", "name": "c", "pid": 0, "args": {"v": 1}}), {"NORM-09"}),
    ("ts as text", document(kernel(ts="soon")), {"JSN-34", "NORM-01"}),
    ("ts NaN", document(kernel(ts=float("nan"))), {"JSN-23", "JSN-43", "NORM-01"}),
    ("B alone", document(event("B", "a", 1)), {"PAIR-01"}),
    ("E alone", document(event("E", "a", 1)), {"PAIR-02"}),
    ("a negative duration", document(kernel(dur=-5)), {"JSN-35", "NORM-02"}),
    ("a kernel without stamps", document(kernel(args={})), {"CYC-07"}),
    ("a kernel with TS1 alone", document(kernel(args={"TS1": "5"})), {"OVC-06", "CYC-02"}),
    ("stamps that are no numbers", document(kernel(args=stamps(("soon", 11000, 11200, 22400, 22500)))), {"NORM-06", "OVC-06"}),
    ("stamps in disorder", document(kernel(args=stamps((5700, 5600, 11200, 22400, 22500)))), {"OVC-05"}),
    ("cycles without duration", document(kernel(dur=0)), {"NORM-07"}),
    ("a computed time below 0", document(kernel(ts=-9, dur=20)), {"CYC-01"}),
    ("more than the meter's limit", document(kernel(args=stamps(Power="1")), kernel(ts=1036, dur=0.5, args=stamps(
        (22600, 22700, 22960, 23240, 23300), Power="8001"))), {"PEC-01"}),
    ("more than any device takes", document(kernel(args=stamps(Power="1")), kernel(ts=1036, dur=0.5, args=stamps(
        (22600, 22700, 22960, 23240, 23300), Power="900000"))), {"PEC-08"}),
    ("stamps that are all 0", document(kernel(args=stamps((0, 0, 0, 0, 0), Power="5"))), {"OVC-08"}),
]
COUNTED_OF_RANKS = [
    ("an unknown Type", transfer(Peer="1", Type="Odd"), {"FLOW-01", "COLL-04"}),
    ("no peer", transfer(Type="SingleCast"), {"FLOW-02", "COLL-04"}),
    ("a rank missing in a group", transfer(Peer="1", Type="SingleCast"), {"FLOW-03"}),
]
COUNTED_OF_TORCH = [("a torch kernel without correlation", torch(args={}), {"LFLOW-02"})]

FINE = [
    ("nested B and E", document(event("B", "a", 1), event("B", "b", 2), event("E", "b", 3), event("E", "a", 4))),
    ("31 threads", document(*(host(10 * i, tid=i) for i in range(31)))),
    ("overlaps 7 deep", document(*(host(100 + 10 * i, 100) for i in range(8)))),
    ("counters as numbers", document(event("C", "c", 5, args={"v": 1.5}))),
    ("t and P events", document(event("s", "f", 1, id=1), event("t", "f", 2, id=1), event("f", "f", 3, id=1), event("P", "p", 4))),
    ("events without args", document(event("i", "a", 1), event("b", "a", 2, id=1, cat="c"), event("e", "a", 3, id=1, cat="c"))),
    ("stamps as numbers", document(kernel(args={f"TS{i}": v for i, v in enumerate(STAMPS, 1)}))),
    ("a slice without tid", document(host(1, tid=LOST))),
    ("a process as text", document(host(1, pid="device"))),
    ("no deviceProperties", document(kernel(cat="kernel", args=stamps(correlation=1)), deviceProperties=[])),
    ("two deviceProperties", document(kernel(cat="kernel", args=stamps(correlation=1)), deviceProperties=[{"id": 0}, {"id": 1}])),
    ("no events", "[]"),
]

# What it is, the document, options, the status, what the error says.
ENDS = [
    ("cut off", document(kernel())[:-40], [], 3, "ends inside an event"),
    ("no trace", '{"x":1}', [], 3, "no source here can read"),
    ("a bad expression", document(kernel()), ["--enable", "filter", "--set", "filter.drop-name=("], 2, "drop-name"),
    ("no number", document(kernel()), ["--set", "soc-mhz=fast"], 2, "soc-mhz"),
    ("a clock that stands", document(kernel()), ["--set", "soc-mhz=0"], 2, "soc-mhz"),
    ("a stage alone that lacks another one", document(kernel()), ["--only", "pec"], 4, "--enable ovc"),
    ("a log that is not there", document(kernel()), ["log=none.log"], 3, "none.log"),
]


class AiuFaults(Case):
    def notices(self, text, profile, *options, level="info"):
        self.write("in.json", text)
        self.ok("run", "-p", profile, "in.json", "-o", "out", "-f", "--format", "json", *options)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        return {(notice["code"], notice["count"]) for notice in summary["notices"] if notice["level"] == level}

    def warnings(self, *words):
        return {code for code, _ in self.notices(*words, level="warning")}

    def test_faults_are_counted(self):
        for profile, cases in (("aiu", COUNTED), ("aiu-comm", COUNTED_OF_RANKS), ("aiu-torch", COUNTED_OF_TORCH)):
            for what, text, codes in cases:
                with self.subTest(what):
                    self.assertEqual(self.warnings(text, profile), codes)

    def test_what_is_no_fault_is_no_warning(self):
        for profile in ("aiu", "aiu-torch", "aiu-comm", "aiu-power"):
            for what, text in FINE:
                with self.subTest(f"{what}, {profile}"):
                    self.assertEqual(self.warnings(text, profile), set())

    def test_an_event_without_phase_is_counted(self):
        self.assertIn(("NORM-08", 1), self.notices(document(kernel(ph=LOST)), "aiu"))

    def test_a_log_without_a_table(self):
        self.write("empty.log", "nothing of it\n")
        self.assertEqual(self.warnings(document(kernel()), "aiu", "log=empty.log"), {"CLOG-02", "UTIL-05"})

    def test_a_log_with_damaged_rows_names_the_line(self):
        self.write("odd.log", " Ideal/Total Cycles \na.b-opCatBmm\t9,000\nTotal 90OO\n====== Perf Summary End ======\n")
        self.write("in.json", document(kernel(name="a.b Cmpt Exec")))
        out = self.ok("run", "-p", "aiu", "in.json", "log=odd.log", "-o", "out").out
        self.assertIn("1 row of odd.log cannot be read (first: line 3: Total 90OO)", out)
        self.assertIn("pt_utilisation", out)

    def test_a_log_without_rows_gives_no_utilisation(self):
        self.write("none.log", " Ideal/Total Cycles \na-NA 90OO\n====== Perf Summary End ======\n")
        self.write("in.json", document(kernel()))
        out = self.ok("run", "-p", "aiu", "in.json", "log=none.log", "-o", "out").out
        for code in ("CLOG-11", "CLOG-12", "CLOG-02", "UTIL-05"):
            self.assertIn(code, out)
        self.assertNotIn("pt %", out)

    def test_checks_know_the_counter(self):
        self.ok("run", "-p", "aiu-verify", AIU, "--set", "soc-mhz=560", "--strict", "-o", "fine")
        self.fails(3, "run", "-p", "aiu-verify", AIU, "--set", "soc-mhz=500", "--strict", "-o", "off", says="FREQ-01")

    def test_what_ends_a_run(self):
        for what, text, options, status, says in ENDS:
            with self.subTest(what):
                self.write("in.json", text)
                self.fails(status, "run", "-p", "aiu", "in.json", *options, "-o", "none", says=says)
                self.assertFalse((self.folder / "none").exists())
        self.fails(3, "run", "-p", "aiu", "missing.json", "-o", "none", says="missing.json")
        self.write("in.json", document(kernel())[:-40])
        self.ok("run", "-p", "aiu", "in.json", "--recover", "-o", "rest")
        self.write("p.json", '{"stages": [{"pair": true}]}')
        self.fails(4, "run", "-p", "./p.json", "in.json", "-o", "none", says="AIU trace analyser")


def slices_of(mhz, n=11, step_us=20000, unit=1, own_mhz=None):
    """Kernels by a counter of that frequency, from 1 s on; times are multiplied by `unit`; own_mhz: by their durations."""
    begins = [round(k * step_us * mhz) for k in range(n)]
    cycles = round(10 * (own_mhz or mhz))
    counts = [[begin, begin, begin, begin + cycles, begin + cycles] for begin in begins]
    slices = [kernel(ts=(10**6 + k * step_us) * unit, dur=10 * unit, args=stamps(counts[k])) for k in range(n)]
    return json.dumps({"traceEvents": slices})


# What is wrong, the trace, options, the notice that gives the advice.
ADVISED = [
    ("a slow counter", slices_of(557.2), [], "FREQ-01"),
    ("a fast one", slices_of(565), [], "FREQ-01"),
    ("another one was configured", slices_of(560), ["--set", "soc-mhz=500"], "FREQ-01"),
    ("kernels alone tell it", slices_of(450, 3, 100), [], "FREQ-03"),
    ("begins alone tell it", slices_of(450, 3, 100, own_mhz=560), [], "FREQ-04"),
    ("only the stage that counts wraps looks", slices_of(557.2), ["--disable", "freq", "--set", "ovc.judge-frequency=true"],
     "OVC-01"),
    ("times in ns", slices_of(560, unit=1000), [], "FREQ-11"),
]


# Durations and begins that contradict each other stay so.
CONTRARY = {"FREQ-04": ("FREQ-03", "FREQ-05", "FREQ-09")}


class Advice(Case):
    """What a notice says to add is added as it stands: the notice is gone, and counts are nearer to where they were expected."""

    def said_of(self, *words):
        self.ok("run", "-p", "aiu", "in.json", "-o", "out", "-f", "--format", "json", *words)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        ovc = next(table for table in summary["tables"] if table["name"] == "ovc")
        return {n["code"]: n.get("help", "") for n in summary["notices"]}, max(row["residual_max"] for row in ovc["rows"])

    def test_each_helps(self):
        for what, text, options, code in ADVISED:
            with self.subTest(what):
                self.write("in.json", text)
                before, far_ns = self.said_of(*options)
                self.assertIn(code, before)
                advice = re.search(r"--set ([a-z.-]+=[a-z0-9.]+)", before[code])
                after, near_ns = self.said_of(*options, "--set", advice[1])
                self.assertNotIn(code, after)
                self.assertEqual([c for c in after if c.startswith(("FREQ-", "OVC-")) and c not in CONTRARY.get(code, ())], [])
                self.assertLess(near_ns, far_ns)
