"""Inputs of records, which are not events of a trace, as benchmarks, gate logs and kernel tables; and traces in packets."""
# SPDX-License-Identifier: MIT
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys

from inputs import Kind, rank, slice_, write

GENERATORS = pathlib.Path(__file__).resolve().parent.parent / "gen"
LISTS = ("input_lens", "output_lens", "ttfts", "itls", "start_times", "generated_texts", "errors")


def generate(name, *options):
    subprocess.run([sys.executable, str(GENERATORS / f"{name}.py"), *map(str, options)],
                   check=True, capture_output=True)


def without_details(path):
    """The result that a benchmark writes unless it is asked to keep every request."""
    result = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in result.items() if key not in LISTS}))


def database(path, count):
    """Kernels of two devices, in the tables that the source reads."""
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER,"
               " deviceId INTEGER, streamId INTEGER, demangledName INTEGER, shortName INTEGER)")
    names = ["fused_moe_kernel", "ncclDevKernel_AllReduce", "flash_fwd_kernel", "rms_norm_kernel"]
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", list(enumerate(names, 1)))
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 7, ?, ?)",
                   [(10 * k, 10 * k + 1 + k * 7 % 90, k % 2, 1 + k % 4, 1 + k % 4)
                    for k in range(count)])
    db.commit()
    db.close()


def make(folder, samples):
    """{name: Kind}; every kind has a folder of its own."""
    kinds = {}

    def folder_of(kind):
        where = folder / kind
        where.mkdir(parents=True)
        return where

    def done(where, words=None, **more):
        kinds[where.name] = Kind(where, words, trace=False, **more)

    where = folder_of("compiler-log")
    shutil.copy(samples / "aiu" / "rank0.json", where / "rank0.json")
    shutil.copy(samples / "aiu" / "compiler" / "compile.log", where / "compile.log")
    done(where, ["rank0.json", "log=compile.log"])
    where = folder_of("bench")
    generate("bench-gen", "--files", 2, "--requests", 30, "--gaps", 40, "--rate", 9, "--failed", 2,
             "-o", where / "rate{n}.json")
    generate("bench-gen", "--requests", 3, "--gaps", 9000, "-o", where / "long.json")
    done(where)
    where = folder_of("bench-appended")
    generate("bench-gen", "--producer", "sglang", "--runs", 3, "--requests", 12, "--gaps", 9,
             "-o", where / "runs.jsonl")
    done(where)
    where = folder_of("bench-two-appended")
    generate("bench-gen", "--files", 2, "--runs", 2, "--requests", 7, "--gaps", 9, "--rate", 5,
             "-o", where / "runs{n}.json")
    done(where, ["of-all=runs0.json", "runs1.json"])
    where = folder_of("bench-requests")
    generate("bench-gen", "--producer", "aiperf-requests", "--requests", 40, "--failed", 3,
             "--gaps", 12, "-o", where / "profile_export.jsonl")
    done(where)
    where = folder_of("bench-brief")
    generate("bench-gen", "--files", 2, "--requests", 8, "--gaps", 5, "--tp", 2, "-o",
             where / "r{n}.json")
    for file in where.iterdir():
        without_details(file)
    done(where)
    where = folder_of("bench-folders")
    shutil.copytree(samples / "serving", where / "serving")
    done(where, ["serving"])
    where = folder_of("gate-files")
    generate("gate-gen", "--runs", 1, "--layers", 2, "--steps", 40, "--compact", "-o", where)
    done(where, [f"gates_logs_run0/gate_logs_{k}.json" for k in range(2)])
    where = folder_of("gate-folders")
    generate("gate-gen", "--runs", 2, "--layers", 3, "--steps", 9, "-o", where)
    done(where, ["gates_logs_run0", "on=gates_logs_run1"])
    where = folder_of("kernel-tables")
    for number, name in enumerate(("off", "on")):
        generate("kernel-table-gen", "--rows", 60, "--seed", number, "-o", where / f"{name}.csv")
    done(where, ["off=off.csv", "on=on.csv"])
    where = folder_of("kernel-databases")
    for number, name in enumerate(("off", "on")):
        database(where / f"{name}.sqlite", 400 + number)
    done(where, ["off=off.sqlite", "on=on.sqlite"], packs=False)
    where = folder_of("allreduce-times")
    for side in ("base", "new"):
        generate("allreduce-gen", "--tp", "2,8", "--fusions", "NONE", "--tokens", 5, "--seed", len(side), "--repeat", 2, "-o", where / side)
    done(where, ["base=base", "new=new"])
    where = folder_of("lookup-tables")
    for number, side in enumerate(("base", "new")):
        cells = ",".join(str(4 * (k % (2 + number))) for k in range(15))
        rows = ",".join("{" + cells + "}" for _ in range(7))
        blocks = ",".join("{" + rows + "}" for _ in range(4))
        (where / f"{side}.h").write_text("AllReduceBestStrategyTableSM90 = {" + ",".join("{" + blocks + "}" for _ in range(3)) + "};\n")
    done(where, ["base=base.h", "new=new.h"])
    corpus = GENERATORS.parent / "fuzz" / "corpus"
    where = folder_of("collectives")
    shutil.copy(corpus / "coll-bench" / "text", where / "all_reduce.log")
    shutil.copy(corpus / "tuner-csv" / "rows", where / "measured.csv")
    done(where, ["algorithm=ring,protocol=ll:all_reduce.log", "measured.csv"])
    where = folder_of("tuner-conf")
    shutil.copy(corpus / "tuner-conf" / "rules", where / "nccl_tuner.conf")
    done(where)
    where = folder_of("probes")
    for name, schemas in (("warps", "block_sched"), ("counts", "gmem_bytes+tensorop_count"), ("accesses", "dmat")):
        generate("probe-gen", "--schemas", schemas, "--toml", "older", "--layout", "divisor", "-o", where / name / "a.bin")
    generate("probe-gen", "--schemas", "acc", "--toml", "newer", "-o", where / "turns" / "a.bin")
    generate("probe-gen", "-o", where / "condensed.dmat")
    samples_of = GENERATORS.parent.parent / "samples" / "probe"
    shutil.copy(samples_of / "latency" / "attn.csv", where / "attn.csv")
    shutil.copytree(samples_of / "kernel_overhead" / "cutlass_op" / "gemm" / "dmat" / "trace", where / "trace")
    done(where, ["warps/a.bin", "counts/a.bin", "accesses/a.bin", "turns/a.bin", "condensed.dmat", "attn.csv",
                 "trace/event.log"])
    where = folder_of("packets")
    for number, more in enumerate((["--chunk", 7], ["--compress", 20])):
        generate("pftrace-gen", "--slices", 60, "--seed", number, *more, "-o", where / f"rank{number}.pftrace")
    kinds[where.name] = Kind(where)
    where = folder_of("graphs")
    generate("graphs-gen", where, "--replays", 5)
    kinds[where.name] = Kind(where, ["trace.json", "capture=capture_traces"])
    where = folder_of("rocprof")
    generate("rocprof-gen", "--processes", 2, "--steps", 9, "--longer", 700, "-o", where / "41_results.json")
    generate("rocprof-gen", "--names-last", "--queues", "--steps", 4, "-o", where / "42_results.json")
    kinds[where.name] = Kind(where)
    where = folder_of("trace-and-bench")
    write(where / "rank0.json", [slice_("k", 1, 2), slice_("k", 5, 2)], **rank(0))
    generate("bench-gen", "--requests", 5, "--gaps", 5, "-o", where / "result.json")
    done(where)
    return kinds
