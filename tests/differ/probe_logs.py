"""Random trees of logs of probes, and by a reader of its own what their tables must say: equal names of traces and kernels,
launches that fail, crash or run without the probe, times of 0, counts beyond 32 bits, folders without one of their files."""
# SPDX-License-Identifier: MIT
import collections
import csv
import fractions
import itertools
import random
import re
import struct

PROBES = ("block_sched", "gmem_bytes", "tensorop_count", "dmat")


# ------------------------------------------------------------------------------------------------------- writing

class Tree:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def launch(self, pointer, number):
        """Lines of a launch, and the file that its data is in."""
        r, kind = self.rng, self.rng.choice(("succeed", "succeed", "succeed", "failed", "backup", "memory", "crashed"))
        lines = [f"[exec] funcmap-find {pointer} {'fail' if kind == 'backup' else 'success'}",
                 f"[exec] {1700000000000000000 + number} param 7f00 4000 ", "[exec] grid 8 1 1 block 64 1 1 shared 0"]
        last = "[exec] backup 8 1 1 block 64 1 1 shared 0"
        if kind == "backup":
            return [*lines, last], None
        lines.append(f"[exec] probe-mem {r.choice((0, 1536, 2**33 + 7))} (bytes)")
        if kind in ("memory", "crashed"):
            return [*lines, last] if kind == "memory" else lines, None
        if kind == "failed":
            return [*lines, "[exec] failed 700", *([last] if r.random() < 0.5 else [])], None
        saved = f"0.{number}00000" if r.random() < 0.7 else None
        lines += ["[exec] succeed 0", *([f"[exec] save /tmp/x/result/{saved}.bin size 100"] if saved else [])]
        p, k, e = (r.choice((0, 0.5, 1.25, 3)) for _ in range(3))
        lines.append(f"[exec] prologue {p:f} kernel {k:f} epilogue {e:f} ratio 1.0")
        if r.random() < 0.7:
            original = r.choice((0, 0.5, 0.75, 2))
            lines.append(f"[benchmark] prologue {p:f} kernel {k:f} epilogue {e:f} original {original:f}"
                         f" impact {k / original if original else 0:f} 0")
        return lines, saved

    def process(self):
        r = self.rng
        return "".join(f"ptxas -arch=sm_90 d/{stem}.ptx -o d/{stem}.bin\nptxas info    : Used {r.randrange(20, 200)} registers, 3 bytes\n"
                       f"    0 bytes stack frame, {r.choice((0, 8))} bytes spill stores, {r.choice((0, 4))} bytes spill loads\n"
                       for stem in ("probed", "pruned", "countd") if r.random() < 0.9)

    def trace(self, folder):
        r, lines = self.rng, ["[init] pid 42"]
        (folder / "result").mkdir(parents=True)
        names = r.choice((("k",), ("k", "k"), ("k", "void f<int>(long *, x)", "a b")))
        known = []
        for number, name in enumerate(names):
            pointer, own = f"0x{number + 1}0", f"{number}_a"
            lines += [f"[exec] funcmap-not-find {pointer}", f"[probe] find {pointer} name {name} bin 0x2 size 100",
                      f"[probe] rename {name} {own}", "[probe] python succeed", f"[probe] finish {pointer} name {name} n_param 3"]
            known.append(pointer)
            if r.random() < 0.8:
                (folder / "kernel" / own).mkdir(parents=True)
                (folder / "kernel" / own / "process.log").write_text(self.process())
            lines += self.launch(pointer, 90 + number)[0]
        for number in range(r.randrange(5)):
            more, saved = self.launch(r.choice(known), number)
            lines += more
            if saved and r.random() < 0.7:
                self.counts(folder / "result" / f"{saved}.bin")
        (folder / "event.log").write_text("\n".join(lines) + "\n")
        (folder / "probe.toml").write_text('[map.gmem_bytes]\nlevel = "thread"\nsize = 8\ncap = 1\n[map.gmem_bytes.regs]\na = "u32"\nb = "u32"\n'
                                           '[map.tensorop_count]\nlevel = "thread"\nsize = 8\ncap = 1\n[map.tensorop_count.regs]\na = "u64"\n')

    def counts(self, path):
        moved = [self.rng.choice((0, 5, 2**32 - 1)) for _ in range(8)]
        done = [self.rng.choice((0, 3, 2**40)) for _ in range(4)]
        path.write_bytes(struct.pack("<8I4Q", 2, 1, 1, 2, 1, 1, 0, 2, 8 | 1 << 32, 64, 8 | 1 << 32, 96)
                         + struct.pack("<8I", *moved) + struct.pack("<4Q", *done))

    def latency(self, path):
        r, names = self.rng, ["probe", "original", "ncu", "neutrino", "prologue", "kernel", "epilogue", "more"]
        r.shuffle(names)
        rows = [[name if key == "probe" else r.choice(("0.5", "1e3", "7", " 12.25 ")) if key in ("original", "neutrino") else
                 r.choice(("0", "0.125", "3", "1e-3")) for key in names] for name in ("dmat", "sched", "a, b", "dmat")]
        path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in [names, *rows]))
        return path

    def write(self, root):
        r = self.rng
        for group, op, probe in itertools.product("xy", ("gemm", "attn"), PROBES):
            if r.random() < 0.3:
                self.trace(root / "kernel_overhead" / group / op / probe / "trace")
        self.trace(root / "kernel_overhead" / "x" / "one" / "dmat" / "trace")
        for model, test, sub in itertools.product(("m", "n"), ("dmat", "sched"), ("a", "b")):
            where = root / "max_mem" / model / test / sub
            if r.random() < 0.7:
                self.trace(where / "Apr24_231539_7")
            else:
                where.mkdir(parents=True)
            if r.random() < 0.9:
                text = "".join(f"max memory: {r.choice((0, 7, 2**33))}\n" for _ in range(r.randrange(3)))
                (where / "stdout.log").write_text("loading\n" + text)
        return [root / "kernel_overhead", root / "max_mem"]


# ------------------------------------------------------------------------------------------------------- reading

Registers = collections.namedtuple("Registers", "pruned probed spill")


def registers_of(path):
    found, spill, stem = {}, None, None
    for line in path.read_text().split("\n") if path.is_file() else ():
        call = re.match(r"ptxas .*/(\w+)\.ptx -o ", line)
        stem = call[1] if call else stem
        for n in re.findall(r"Used (\d+) registers", line):
            found[stem] = int(n)
        if stem == "probed" and "spill" in line:
            spill = sum(map(int, re.findall(r"(\d+) bytes spill", line)))
    return Registers(found.get("pruned"), found.get("probed"), spill)


def launches_of(path):
    """Launches in order, and what is known of each name of a kernel."""
    names, folders, launches = {}, {}, []
    for line in path.read_text().split("\n"):
        first = re.match(r"\[exec\] funcmap-(not-)?find (\S+)(.*)", line)
        if first and not (not first[1] and launches and launches[-1].get("new") == first[2]):
            launches.append({"pointer": first[2], "new": first[1] and first[2], "result": None, "memory": None, "times": None})
        if first:
            launches[-1]["found"] = "success" in first[3]
            launches[-1]["new"] = first[1] and first[2]
        named = re.match(r"\[probe\] finish (\S+) name (.*) n_param", line)
        if named:
            names[named[1]] = named[2]
        renamed = re.match(r"\[probe\] rename .* (\S+)$", line)
        if renamed:
            folders[launches[-1]["pointer"]] = renamed[1]
        read_line(launches[-1] if launches else {}, line)
    for launch in launches:
        launch["kernel"] = names[launch["pointer"]]
    return launches, {p: (names[p], folders[p]) for p in names}


def read_line(launch, line):
    result = re.match(r"\[exec\] (succeed|failed|backup)", line)
    if result and launch["result"] != "failed":
        launch["result"] = result[1]
    memory = re.match(r"\[exec\] probe-mem (\d+)", line)
    if memory:
        launch["memory"] = int(memory[1])
    saved = re.match(r"\[exec\] save \S*/(\S+)\.bin ", line)
    if saved:
        launch["saved"] = saved[1]
    if re.match(r"\[(exec|benchmark)\] prologue", line):
        values = {key: float(v) for key, v in re.findall(r"(\w+) ([0-9.]+)", line)}
        launch["times"] = tuple(values[key] for key in ("prologue", "kernel", "epilogue"))
        if line.startswith("[benchmark]"):
            launch["original"], launch["impact"] = values["original"], values["impact"]


def over(a, b):
    return a / b if b else None


def counts_in(path):
    data = path.read_bytes() if path.is_file() else None
    return (sum(struct.unpack_from("<8I", data, 64)), sum(struct.unpack_from("<4Q", data, 96))) if data else (None, None)


def why_of(launch):
    if launch["result"] != "backup":
        return None
    return "memory only" if launch["memory"] is not None else "not said" if launch["found"] else "filter"


def report_rows(tables, folder, trace):
    launches, kernels = trace
    for number, launch in enumerate(launches):
        p, k, e = launch["times"] or (None, None, None)
        around = [None, None] if launch["times"] is None else [over(100 * t, p + k + e) for t in (p, e)]
        moved, done = counts_in(folder / "result" / f"{launch['saved']}.bin") if "saved" in launch else (None, None)
        rate = over(moved, k) if moved is not None and k is not None else None
        tables["launches"].append([folder.name, str(folder), number, launch["kernel"], launch.get("saved"), launch["result"] or "crashed",
                                   why_of(launch), launch["memory"], k, *around, moved, done, rate,
                                   over(done, moved) if moved is not None else None])
    for name in {name for name, _ in kernels.values()}:
        own = [launch for launch in launches if launch["kernel"] == name]
        times = [sum(t) for t in zip(*(launch["times"] for launch in own if launch["times"]))] or [0, 0, 0]
        registers = [registers_of(folder / "kernel" / place / "process.log") for n, place in kernels.values() if n == name]
        count = collections.Counter(launch["result"] or "failed" for launch in own)
        tables["kernels"].append([folder.name, str(folder), name, "probed", len(own), count["succeed"], count["failed"], count["backup"],
                                  max([launch["memory"] or 0 for launch in own], default=0), times[1] if sum(times) else None,
                                  over(100 * (times[0] + times[2]), sum(times)), most(r.pruned for r in registers),
                                  most(r.probed for r in registers)])


def most(values):
    return max((v for v in values if v is not None), default=None)


def sums_of(launches):
    """launches, failed, unprobed, slowdown, mean impact; the sum of times without the probe."""
    measured = [launch for launch in launches if "original" in launch]
    fine = [launch for launch in measured if launch["original"]]
    probed, plain = sum(launch["times"][1] for launch in fine), sum(launch["original"] for launch in fine)
    results = collections.Counter(launch["result"] or "failed" for launch in launches)
    return [len(measured), results["failed"], results["backup"], over(probed, plain), over(sum(v["impact"] for v in fine), len(fine))]


def slowdown_rows(tables, traces):
    """traces: {(group, op, probe): traces}; those of the other tree have none of the three."""
    matrix = collections.defaultdict(dict)
    for key, of_key in traces.items():
        launches = [launch for _, (own, _) in of_key for launch in own]
        extras, registers = [], collections.defaultdict(list)
        for folder, (_, kernels) in of_key:
            for name, place in kernels.values():
                registers[name].append(registers_of(folder / "kernel" / place / "process.log"))
        for name, known in registers.items():
            sums = sums_of([launch for launch in launches if launch["kernel"] == name])
            pruned, probed, spill = most(r.pruned for r in known), most(r.probed for r in known), most(r.spill for r in known)
            extra = None if pruned is None or probed is None else probed - pruned
            extras += [] if extra is None else [extra]
            if any(sums[:3]) or extra is not None:
                tables["slowdown-kernels"].append([*key, name, sums[0], *sums[3:], pruned, probed, extra, spill])
        sums = sums_of(launches)
        tables["slowdown"].append([*key, *sums, over(sum(extras), len(extras)), max(extras, default=None)])
        parts = ["-" if sums[3] is None else f"{sums[3]:.2f}×", *([f"{max(extras):+d}"] if extras else [])]
        matrix[key[:2]][key[2]] = None if parts == ["-"] else " / ".join(parts)
    tables["slowdown-matrix"] += [[*key, *(cells.get(probe) for probe in PROBES)] for key, cells in matrix.items()]


def number_after(path):
    lines = path.read_text().split("\n") if path.is_file() else []
    return next((int(line.split()[-1]) for line in lines if line.startswith("max memory:")), 0)


def memory_rows(tables, root, traces):
    for model in sorted(root.iterdir()):
        peaks = []
        for test in sorted(model.iterdir()):
            original = max(number_after(sub / "stdout.log") for sub in test.iterdir())
            memory = [launch["memory"] or 0 for folder, (own, _) in traces if test in folder.parents for launch in own]
            if not memory and not any((sub / "stdout.log").is_file() for sub in test.iterdir()):
                continue
            peaks.append((test.name, original, max(memory, default=0)))
        tables["memory-peak"] += [[model.name, t, o, p, over(p, o), f"{model.name} {t} {o} {p}"] for t, o, p in peaks]
        if peaks:
            tables["memory-bars"].append([model.name, "original", max(o for _, o, _ in peaks) or None, None])
        tables["memory-bars"] += [[model.name, t, p or None, f"{p / o:.2f}x" if o else None] for t, o, p in peaks]


def latencies(path):
    tables = {"exposed-latency": [], "latency-bars": []}
    for row in csv.DictReader(path.open(newline="")):
        original, ncu, neutrino, prologue, kernel, epilogue = (
            fractions.Fraction(row[key].strip()) for key in ("original", "ncu", "neutrino", "prologue", "kernel", "epilogue"))
        labels = [f"{float(t / original):.2f}x" for t in (ncu, neutrino)]
        left = neutrino - prologue - kernel - epilogue
        tops = [float(t / original) for t in (ncu, neutrino, epilogue, epilogue + kernel, epilogue + kernel + prologue)]
        tables["exposed-latency"].append([row["probe"], *tops, *labels, float(ncu / neutrino), float(100 * left / neutrino)])
        parts = (("Epilogue", epilogue, None), ("Kernel", kernel, None), ("Prologue", prologue, labels[1]))
        tables["latency-bars"] += [[row["probe"], "ncu", "Nsight Compute", tops[0], labels[0]], *(
            [row["probe"], "neutrino", f"Neutrino ({name})", float(t / original), label] for name, t, label in parts)]
    return tables


def tables_of(overhead, memory):
    tables, of_probes = collections.defaultdict(list), collections.defaultdict(list)
    traces = {root: [(log.parent, launches_of(log)) for log in sorted(root.rglob("event.log"))] for root in (overhead, memory)}
    for folder, trace in itertools.chain(*traces.values()):
        report_rows(tables, folder, trace)
    for folder, trace in traces[overhead]:
        of_probes[tuple(folder.relative_to(overhead).parts[:3])].append((folder, trace))
    if traces[memory]:
        of_probes[None, None, None] += traces[memory]
    slowdown_rows(tables, of_probes)
    memory_rows(tables, memory, traces[memory])
    return tables
