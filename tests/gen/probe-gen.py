#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes traces of kernel probes: .bin of every layout, level and schema, settings of both generations, condensed
accesses, logs, and whole trees of them.  The same arguments give the same bytes; --truth says what must be found.
"""

import argparse
import json
import os
import pathlib
import random
import struct

WIDTHS = {"block_sched": "QII", "sched": "QII", "amd": "QQ", "gmem_bytes": "II", "tensorop_count": "Q",
          "dmat": "QQ", "program_progress": "Q", "acc": "Q"}
FIELDS = {"block_sched": ["start", "elapsed", "smid"], "sched": ["start", "elapsed", "smid"], "amd": ["start", "end"],
          "gmem_bytes": ["sync", "async"], "tensorop_count": ["count"], "dmat": ["clock", "address"],
          "program_progress": ["clock"], "acc": ["clock"]}
LEVELS = {"block_sched": 32, "sched": 32, "amd": 64, "gmem_bytes": 1, "tensorop_count": 1, "dmat": 1,
          "program_progress": 1, "acc": 32}
PLACES = {"dmat": 6, "program_progress": 128, "acc": 8}


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


class Launch:
    def __init__(self, args):
        self.grid = [int(n) for n in args.grid.split(",")]
        self.block = [int(n) for n in args.block.split(",")]
        self.blocks, self.threads = product(self.grid), product(self.block)
        self.rng = random.Random(args.seed)
        self.args = args

    def level(self, schema):
        return self.args.wave if LEVELS[schema] == 32 else LEVELS[schema]

    def units(self, level):
        return self.blocks * (-(-self.threads // level))

    def whole(self, level):
        return self.threads // level

    # ---- records: [unit][place], and what is true of them

    def schedule(self, warps):
        """Blocks in order on the slot that is free first, gaps between them; each warp of a block a little later."""
        free = [(m % self.args.sms * 100, 0, m % self.args.sms, m // self.args.sms)
                for m in range(self.args.sms * self.args.slots)]
        units, truth = [], {"gaps": [], "running": 0, "sms": self.args.sms}
        for _ in range(self.blocks):
            free.sort()
            at, used, sm, slot = free.pop(0)
            gap = self.rng.randrange(20, 60) if used else 0
            truth["gaps"] += [gap] if used else []
            begin, end = at + gap, 0
            for w in range(warps):
                elapsed = self.rng.randrange(400, 900)
                units.append([(1000 + begin + 3 * w, elapsed, sm)])
                end = max(end, begin + 3 * w + elapsed)
            truth["running"] += end - begin
            free.append((end, 1, sm, slot))
        return units, {**truth, "blocks": self.blocks, "scheduling": sum(truth["gaps"])}

    def records(self, schema):
        level, places = self.level(schema), self.args.capacity or PLACES.get(schema, 1)
        n = self.blocks * self.whole(level)
        if schema in ("block_sched", "sched"):
            return self.schedule(self.whole(level))
        if schema == "amd":
            units, truth = self.schedule(self.whole(level))
            return [[(r[0][0], r[0][0] + r[0][1])] for r in units], truth
        if schema == "gmem_bytes":
            units = [[(4 * (u % 7), 16 * (u % 3))] for u in range(n)]
            return units, {"sync": sum(u[0][0] for u in units), "async": sum(u[0][1] for u in units)}
        if schema == "tensorop_count":
            units = [[(u % 5,)] for u in range(n)]
            return units, {"total": sum(u[0][0] for u in units), "threads": n,
                           "active": sum(u[0][0] > 0 for u in units)}
        if schema == "dmat":
            used = [places - u % 3 if places > 2 else places for u in range(n)]
            units = [[(10 + 50 * k + u % 4, 0x7f0000000000 + 4 * (u + k * n) + (k % 2 << 20)) for k in range(used[u])]
                     for u in range(n)]
            pairs = {}
            for clock, address in (r for u in units for r in u):
                pairs[clock, address & ~0xffff] = pairs.get((clock, address & ~0xffff), 0) + 1
            return units, {"references": sum(used), "pairs": [[*k, v] for k, v in sorted(pairs.items())]}
        used = [places - u % 4 if places > 3 else places for u in range(n)]
        units = [[(100 + 7 * u + 90 * k,) for k in range(used[u])] for u in range(n)]
        return units, {"samples": sum(used)}

    def section(self, schema):
        """The bytes of the section, as the host reserves them, and those of a unit."""
        units, truth = self.records(schema)
        level, places = self.level(schema), self.args.capacity or PLACES.get(schema, 1)
        one = struct.calcsize("<" + WIDTHS[schema]) * places
        data = b"".join(b"".join(struct.pack("<" + WIDTHS[schema], *r) for r in unit).ljust(one, b"\0") for unit in units)
        return data.ljust(self.units(level) * one, b"\0"), one, places, truth


def word_of(layout, data, one, level):
    if layout == "total":
        return len(data)
    if layout == "hip":
        return len(data) & 0xffffffff | 0xabcd1234 << 32
    if layout == "unknown":
        return 2**64 - 1
    return one if layout == "unit" else one | level << 32


def older_toml(schemas, places):
    text = 'author = "probe-gen"\ndescription = """what a launch\ndid"""\ndynamic = %s\n' % str("dmat" in schemas).lower()
    for schema in schemas:
        saves = "\n".join("SAVE.u%d {%s};" % (64 if w == "Q" else 32, "%" + f)
                          for f, w in zip(FIELDS[schema], WIDTHS[schema]))
        timer = "%globaltimer" if schema == "sched" else "%clock64"
        cap = "count" if schema == "dmat" else places[schema]
        level = "thread" if LEVELS[schema] == 1 else "warp"
        text += (f"\n[{schema}] # saves\nposition = 'kernel'\nbefore = \"mov.u64 %start, {timer};\"\n"
                 f'after = """\n{saves}\n"""\n'
                 f'datamodel = "{level}:{struct.calcsize("<" + WIDTHS[schema])}:{cap}"\n')
    return text


def newer_toml(schemas, places):
    text = 'regs = 4\nCALLBACK = "read.py"\ndynamic = %s\n' % str("dmat" in schemas).lower()
    for schema in schemas:
        level = "thread" if LEVELS[schema] == 1 else "warp"
        cap = '"dynamic"' if schema == "dmat" else places[schema]
        text += (f'\n[probe.{schema}]\nlevel = "{level}"\npos = "kernel"\nbefore = """clock"""\nafter = "SAVE"\n'
                 f'\n[map.{schema}]\nlevel = "{level}"\ntype = "array"\nsize = {struct.calcsize("<" + WIDTHS[schema])}\n'
                 f"cap = {cap}\n\n[map.{schema}.regs]\n")
        for field, width in zip(FIELDS[schema], WIDTHS[schema]):
            text += f'{field} = ["u{64 if width == "Q" else 32}", 0]\n'
    return text


def write_bin(args):
    launch, schemas = Launch(args), args.schemas.split("+")
    sections, truth, places = [], {}, {}
    for schema in schemas:
        data, one, places[schema], truth[schema] = launch.section(schema)
        sections.append((data, one, launch.level(schema)))
    at = 32 + 16 * len(sections)
    table = b""
    for data, one, level in sections:
        table += struct.pack("<QQ", word_of(args.layout if args.layout != "shifted" else "divisor", data, one, level), at)
        at += launch.blocks * launch.threads * one // level if args.layout == "shifted" else len(data)
    head = struct.pack("<8I", *launch.grid, *launch.block, args.shared, len(sections))
    path = pathlib.Path(args.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + table + b"".join(data for data, _, _ in sections))
    if args.toml != "none":
        folder = path.parent.parent if path.parent.name == "result" else path.parent
        (folder / "probe.toml").write_text((older_toml if args.toml == "older" else newer_toml)(schemas, places))
    if args.truth:
        pathlib.Path(args.truth).write_text(json.dumps(truth))


def dmat_bytes(pairs):
    pages = sorted({page for _, page, _ in pairs})
    clocks = sorted({clock for clock, _, _ in pairs})
    data = struct.pack(f"<QQ{len(pages)}Q", len(pages), len(clocks), *pages)
    for clock in clocks:
        group = sorted((page, count) for c, page, count in pairs if c == clock)
        data += struct.pack("<QQ", clock, len(group)) + b"".join(struct.pack("<QI", *entry) for entry in group)
    return data


def write_dmat(args):
    _, truth = Launch(args).records("dmat")
    path = pathlib.Path(args.output)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(dmat_bytes(truth["pairs"]))
    if args.truth:
        path_of_truth = pathlib.Path(args.truth)
        path_of_truth.write_text(json.dumps({"dmat": truth}))


# ---- logs and trees

def tensor_trace(sizes):
    """Lines from old to new; the last one of a pointer counts."""
    return "".join(f"[call]  {1000 + i}  torch.Size([4, {size // 16}])  {size}  {pointer}  {name}  forward  model.py:{10 + i}\n"
                   for i, (pointer, size, name) in enumerate(sizes)) + "other words\n"


def event_log(launches, older=False):
    """launches: (pointer, kernel, folder, result, figures)."""
    probe = "jit" if older else "probe"
    lines = ["[pid] 4242", "[cmd] 2 python run.py", "[info] init success"] if older else \
        ["[init] pid 4242", "[init] cmd 2 python run.py", "[init] dl 0x1", "[init] success",
         "[benchmark] ENABLED L2 Flush Size 33554432"]
    seen = set()
    for at, launch in enumerate(launches):
        pointer, kernel, folder, result = launch["pointer"], launch["kernel"], launch["folder"], launch["result"]
        if pointer not in seen:
            seen.add(pointer)
            lines.append(f"[exec] funcmap-not-find {pointer}")
            if result == "cannot-find":
                lines.append(f"[{probe}] can't-find {pointer}")
            else:
                lines += [f"[{probe}] find {pointer} name {kernel} bin 0x2 size 100", f"[{probe}] rename {kernel} {folder}",
                          f"[{probe}] python {'failed' if result == 'python' else 'succeed'}"]
            if result not in ("cannot-find", "python"):
                lines.append(f"[{probe}] finish {pointer} name {kernel} n_param 3")
        fails = result in ("cannot-find", "python")
        lines += [f"[exec] funcmap-find {pointer} {'fail' if fails else 'success'}",
                  f"[exec] {1700000000000000000 + at} param 7f0000000000 4000 ", "[exec] grid 8 1 1 block 64 1 1 shared 0"]
        if fails:
            lines.append("[exec] backup 8 1 1 block 64 1 1 shared 0")
            continue
        lines += [f"[exec] grid 8 warp  2 probe 0 total {launch['memory']}", f"[exec] probe-mem {launch['memory']} (bytes)",
                  f"[exec] {'failed 700' if result == 'failed' else 'succeed 0'}"]
        p, k, e, original = launch["times"]
        if result == "failed":
            continue
        if launch.get("save"):
            lines.append(f"[exec] save {launch['save']} size 100")
        lines.append(f"[exec] prologue {p:f} kernel {k:f} epilogue {e:f} ratio {(p + k + e) / k:f}")
        if original is not None:
            lines.append(f"[benchmark] prologue {p:f} kernel {k:f} epilogue {e:f} original {original:f}"
                         f" impact {k / original if original else 0:f} 0")
    return "\n".join(lines) + "\n"


def process_log(pruned, probed, spill=0):
    def call(stem, registers, spilled):
        return (f"ptxas -arch=sm_90 --verbose kernel/0/{stem}.ptx -o kernel/0/{stem}.bin\n"
                "ptxas info    : 0 bytes gmem\n"
                f"    {spilled} bytes stack frame, {spilled} bytes spill stores, {spilled} bytes spill loads\n"
                f"ptxas info    : Used {registers} registers, used 1 barriers, 400 bytes cmem[0]\n")
    return call("probed", probed, spill) + call("pruned", pruned, 0)


def call(args, **more):
    values = {**vars(args), "truth": None, **more, "output": str(more["output"])}
    write = write_dmat if values["output"].endswith(".dmat") else write_bin
    write(argparse.Namespace(**values))


def kernel_folder(trace, name, kernel, registers):
    where = trace / "kernel" / name
    where.mkdir(parents=True, exist_ok=True)
    (where / "kernel.info").write_text(f"{kernel}\n3\n1\n1,16\n\n")
    if registers:
        (where / "process.log").write_text(process_log(*registers))


def write_trace(args, trace):
    call(args, output=trace / "result" / "0.100000.bin", schemas="block_sched", grid="6,4,2", block="64,1,1", toml="newer")
    kernel_folder(trace, "0_a1", "gemm_kernel", (40, 44, 0))
    launches = [{"pointer": "0x10", "kernel": "gemm_kernel", "folder": "0_a1", "result": "succeed", "memory": 1536,
                 "times": (1.0, 2.0, 0.5, None), "save": "result/0.100000.bin"},
                {"pointer": "0x20", "kernel": "copy", "folder": "1_b2", "result": "cannot-find"},
                {"pointer": "0x10", "kernel": "gemm_kernel", "folder": "0_a1", "result": "failed", "memory": 1536,
                 "times": (1.0, 2.0, 0.5, None)}]
    (trace / "event.log").write_text(event_log(launches, older=True))


def write_overhead(args, root):
    for group, op, base in (("cutlass_op", "gemm", 40), ("triton_op", "attn", 60)):
        for n, probe in enumerate(("block_sched", "gmem_bytes", "tensorop_count", "dmat")):
            folder = root / group / op / probe
            trace = folder / "trace"
            kernel_folder(trace, "0_a1", op + "_kernel", (base, base + 2 * n, 8 * (n == 3)) if (op, n) != ("attn", 2) else None)
            launches = [{"pointer": "0x10", "kernel": op + "_kernel", "folder": "0_a1", "result": "succeed", "memory": 4096 << n,
                         "times": (0.5, 1.0 + n * 0.25 + k * 0.1, 0.1, 1.0)} for k in range(3)]
            launches += [{"pointer": "0x30", "kernel": "tiny", "folder": "", "result": "cannot-find"}] if n == 1 else []
            (trace / "event.log").write_text(event_log(launches))
            (folder / "stdout.log").write_text(f"running {op}\n")


def write_memory(root):
    for model, original in (("llama", 16_000_000_000), ("resnet", 2_000_000_000)):
        for test, factor in (("block_sched", 0.01), ("dmat", 4)):
            for sub in ("prefill", "decode"):
                folder = root / model / test / sub
                trace = folder / "Apr24_231539_77"
                trace.mkdir(parents=True, exist_ok=True)
                memory = int(original * factor / (2 if sub == "decode" else 1))
                (folder / "stdout.log").write_text(f"loading\nmax memory: {original // (1 if sub == 'prefill' else 4)}\n")
                (trace / "event.log").write_text(event_log([
                    {"pointer": "0x10", "kernel": "k", "folder": "0_a1", "result": "succeed", "memory": memory,
                     "times": (1.0, 2.0, 0.5, None)}]))


LATENCY = """probe,original,ncu,neutrino,prologue,kernel,epilogue
block_sched,10.0,80.0,14.0,1.0,11.0,2.0
gmem_bytes,10.0,90.0,18.0,1.5,13.0,3.0
dmat,10.0,400.0,60.0,10.0,30.0,16.0
"""


def write_tree(args):
    root = pathlib.Path(args.output)
    write_trace(args, root / "trace" / "Apr24_231539_4242")
    more = root / "more"
    call(args, output=more / "gmem.bin", schemas="gmem_bytes+tensorop_count", grid="8,1,1", block="64,1,1", layout="divisor",
         toml="older")
    call(args, output=more / "dmat" / "accesses.bin", schemas="dmat", grid="8,1,1", block="64,1,1", layout="total", toml="older")
    (more / "dmat" / "tensor.trace").write_text(tensor_trace([(0x7f0000000000, 4096, "x"), (0x7f0000100000, 8192, "w"),
                                                            (0x7f0000000000, 65536, "y")]))
    call(args, output=more / "dmat" / "condensed.dmat", schemas="dmat", grid="8,1,1", block="64,1,1")
    for kind, slots in (("exclusive", 1), ("shared", 4)):
        call(args, output=more / f"{kind}_sched" / "sched.bin", schemas="block_sched", grid="24,1,1", block="128,1,1", slots=slots,
             layout="unit", toml="newer")
    call(args, output=more / "shared_acc" / "acc.bin", schemas="acc", grid="4,1,1", block="128,1,1", toml="newer")
    write_overhead(args, root / "kernel_overhead")
    write_memory(root / "max_mem")
    (root / "latency").mkdir(exist_ok=True)
    (root / "latency" / "attn.csv").write_text(LATENCY)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", required=True, help="a .bin, a .dmat, or with --tree a folder")
    parser.add_argument("--tree", action="store_true", help="a trace, its kin of every schema, and the trees of a whole evaluation")
    parser.add_argument("--schemas", default="block_sched", help="one a section, with + between: " + ", ".join(WIDTHS))
    parser.add_argument("--layout", default="unit", choices=["total", "unit", "divisor", "hip", "unknown", "shifted"])
    parser.add_argument("--toml", default="none", choices=["none", "older", "newer"])
    parser.add_argument("--grid", default="8,1,1")
    parser.add_argument("--block", default="64,1,1")
    parser.add_argument("--shared", type=int, default=0)
    parser.add_argument("--capacity", type=int, default=0, help="places of a unit; 0: as usual for the schema")
    parser.add_argument("--sms", type=int, default=4)
    parser.add_argument("--slots", type=int, default=2, help="blocks that an SM holds")
    parser.add_argument("--wave", type=int, default=32, choices=[32, 64], help="threads of a warp")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--truth", help="a JSON of what must be found")
    args = parser.parse_args()
    os.umask(0o022)
    if args.tree:
        write_tree(args)
    else:
        call_of = write_dmat if args.output.endswith(".dmat") else write_bin
        call_of(args)


if __name__ == "__main__":
    main()
