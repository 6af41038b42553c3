"""Inputs in which one member grows without end, for each source: {source: [(what grows, how it is written)]}.

A writer gets an empty folder and gives the words for the command line.  Nothing large is made before."""
# SPDX-License-Identifier: MIT
import gzip
import pathlib
import shutil
import sqlite3
import struct
import sys
import zlib

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "gen")]
import pftrace as pf  # noqa: E402

SAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "samples"
MIB = 1 << 20
SIZE = 128 * MIB  # uncompressed: more than a run may take


def grown(name, before, again, after=b""):
    """A text in which one piece comes again and again; a function of numbers gives pieces that differ."""
    def write(folder):
        opened = gzip.open(folder / name, "wb", 1) if name.endswith(".gz") else open(folder / name, "wb")
        with opened as file:
            file.write(before() if callable(before) else before)
            for piece in pieces(again):
                file.write(piece)
            file.write(after)
        return [name]
    return write


def pieces(again):
    if isinstance(again, bytes):
        piece = again * max(1, MIB // len(again))
        yield from [piece] * (SIZE // len(piece))
        return
    at = written = 0
    while written < SIZE:
        piece = b"".join(again(k) for k in range(at, at + 1000))
        yield piece
        at, written = at + 1000, written + len(piece)


# ---- databases

def database(fill):
    def write(folder):
        db = sqlite3.connect(folder / "a.sqlite")
        db.execute("pragma journal_mode = off")
        db.execute("create table StringIds (id integer primary key, value text not null)")
        db.execute("create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, deviceId integer, demangledName integer)")
        fill(db)
        db.commit()
        db.close()
        return ["a.sqlite"]
    return write


def kernels(db, rows):
    db.executemany("insert into CUPTI_ACTIVITY_KIND_KERNEL values (?, ?, ?, ?)", rows)


def long_name(db):
    db.execute("insert into StringIds values (1, cast(replace(hex(zeroblob(?)), '00', 'kk') as text))", (SIZE // 2,))
    kernels(db, [(1, 2, 0, 1)])


def many_names(db):
    count = SIZE // 1024
    db.executemany("insert into StringIds values (?, ?)", ((k, f"{k:09}" + "k" * 1000) for k in range(count)))
    kernels(db, ((k, k + 1, 0, k) for k in range(count)))


def many_kernels(db):
    db.execute("insert into StringIds values (1, 'k')")
    kernels(db, ((k * 7919 % 10**6, 10**6 + k, k % 2, 1) for k in range(SIZE // 64)))


def many_devices(db):
    db.execute("insert into StringIds values (1, 'k')")
    kernels(db, ((k, k + 1, k, 1) for k in range(400000)))


# ---- packets

def event(kind, name, **more):
    fields = {9: kind, 11: 1, 23: name, **{int(key[1:]): value for key, value in more.items()}}
    return pf.packet({8: 5, 10: 1, 11: pf.message(fields)})


TRACK = pf.packet({10: 1, 60: pf.thread_track(1, 0, 2, 3, "t")})


def interned(k):
    return pf.packet({10: 1, 13: 1 if k == 0 else 2, 12: pf.message({2: pf.message({1: k + 1, 2: f"{k:09}" + "k" * 500})})})


def many_annotations():
    """In one packet that is not too large to be read."""
    return TRACK + event(pf.INSTANT, "k", f4=[pf.annotation("a", "x" * 30)] * (40 * MIB // 40))


def long_packet():
    return TRACK + event(pf.INSTANT, "k" * (60 * MIB))


def compressed(count):
    """Packets that are small until they are read."""
    packer = zlib.compressobj(1)
    piece = event(pf.INSTANT, "k") * 10000
    return pf.packet({50: b"".join([*(packer.compress(piece) for _ in range(count // len(piece))), packer.flush()])})


# ---- probes

def trace(sections, more=b""):
    """A launch of one thread; what stands in each section's entry."""
    return struct.pack("<8I", 1, 1, 1, 1, 1, 1, 0, len(sections)) + b"".join(struct.pack("<QQ", *one) for one in sections) + more


def beside(name, again, before=b""):
    """A whole trace, and what lies beside it grows."""
    def write(folder):
        (folder / "probe.toml").write_bytes(DMAT)
        (folder / "a.bin").write_bytes(trace([(1 << 32 | 16, 48)], struct.pack("<QQ", 5, 4096)))
        grown(name, before, again)(folder)
        return ["a.bin"]
    return write


def with_settings(write_trace):
    def write(folder):
        (folder / "probe.toml").write_bytes(DMAT)
        return write_trace(folder)
    return write


DMAT = b'[dmat]\nafter = "SAVE.u64 {%clock,%address};"\ndatamodel = "thread:16:count"\n'
PLACES = SIZE // 16 * 16


# ---- folders

def card(before, again):
    def write(folder):
        (folder / "run" / "results_json").mkdir(parents=True)
        (folder / "run" / "results_json" / "r.json").write_bytes(BENCH + b'"ttfts":[0.1]}')
        grown("card.yaml", before, again)(folder / "run")
        return ["run"]
    return write


def about(trace, label, grows):
    """It says something about a trace."""
    def write(folder):
        shutil.copy(SAMPLES / trace, folder / "trace.json")
        return ["trace.json", *(f"{label}={word}" for word in grows(folder))]
    return write


def log(before, again, after=b""):
    return about("aiu/rank0.json", "log", grown("compile.log", before, again, after))


def capture(before, again, after):
    return about("graphs/trace.json", "capture", grown("capture.json.gz", before, again, after))


def ranks(folder):
    for k in range(500):
        (folder / "sweep" / f"rank{k}").mkdir(parents=True)
        (folder / "sweep" / f"rank{k}" / "trace.json").write_bytes(TRACE + EVENT + b"}]}")
    return ["sweep"]


EVENT = b'{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":0,"ts":1,"dur":2'
TRACE = b'{"traceEvents":['
BENCH = (b'{"backend":"vllm","model_id":"m","duration":1.5,"completed":5,"total_input_tokens":4,"total_output_tokens":4,'
         b'"request_throughput":1.0,')
NSYS = b"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
ALLREDUCE = b"world_size,fusion,strategy,num_tokens,hidden_size,time (us)\n"
LATENCY = b"probe,original,ncu,neutrino,prologue,kernel,epilogue\n"
TUNER = b"collective,size_bytes,algorithm,protocol,latency_us,ranks\n"
LOG = b"====== Perf Summary ======\nName Ideal/Total Cycles \n"
LOG_END = b"====== Perf Summary End ======\n"
CELLS = b"sm,tp,fusion,hidden_size,num_tokens,strategy,number,source\n"


def csv_cases(header, row, name="a.csv.gz"):
    """A cell, the cells of a row, columns, rows."""
    return [("a cell", grown(name, header + row.rsplit(b",", 1)[0] + b",", b"x")), ("cells of a row", grown(name, header + row, b",1", b"\n")),
            ("columns", grown(name, header.rstrip(), b",column", b"\n" + row + b"\n")), ("rows", grown(name, header, row + b"\n"))]


GROWING = {
    "allreduce-csv": csv_cases(ALLREDUCE, b"1,NONE,NCCL,8,128,4.5"),
    "bench-json": [("ttfts", grown("a.json.gz", BENCH + b'"ttfts":[0.1', b",0.1", b"]}")),
                   ("gaps", grown("a.json.gz", BENCH + b'"itls":[[0.1', b",0.1", b"]]}")),
                   ("errors", grown("a.json.gz", BENCH + b'"ttfts":[0.1],"errors":["', b"x", b'"]}')),
                   ("error texts", grown("a.json.gz", BENCH + b'"errors":["x"', b',"a text of an error"', b"]}")),
                   ("a key", grown("a.json.gz", BENCH + b'"', b"k", b'":1}'))],
    "chrome-json": [("blanks", grown("a.json.gz", TRACE + EVENT, b" ", b"}]}")),
                    ("a text", grown("a.json.gz", TRACE + EVENT + b',"args":{"a":"', b"x", b'"}}]}')),
                    ("arguments", grown("a.json.gz", TRACE + EVENT + b',"args":{"a":[1', b",1", b"]}}]}")),
                    ("a member beside the events", grown("a.json.gz", b'{"deviceProperties":[1', b",1", b'],"traceEvents":[]}')),
                    ("names", grown("a.json.gz", TRACE + EVENT + b"}", lambda k: b',{"ph":"X","name":"k%d","pid":0,"tid":0,"ts":%d,"dur":2}' % (k, k),
                                    b"]}"))],
    "coll-bench": [("a line", grown("a.log.gz", b"# nccl-tests version 2.17\n", b"#", b"\n"))],
    "compiler-log": [("a line", log(b"", b"x")), ("rows of a table", log(LOG, lambda k: b"kernel%d-opCat 1000\n" % k, LOG_END)),
                     ("tables", log(b"", lambda k: LOG + b"kernel%d-opCat 1000\n" % k + LOG_END))],
    "graph-capture": [("a text", capture(TRACE + EVENT + b',"args":{"kernel":"', b"x", b'"}}]}')),
                      ("launches", capture(TRACE + EVENT + b"}", lambda k: b',{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,'
                                           b'"tid":1,"ts":%d,"dur":1,"args":{"kernel":"k%d","correlation":%d}}' % (k, k, k), b"]}"))],
    "gate-log": [("a list", grown("gate_logs_0.json.gz", b'{"expert_loads":[[1', b",1", b"]]}")),
                 ("steps", grown("gate_logs_0.json.gz", b'{"expert_loads":[[1,2]', b",[1,2]", b"]}")),
                 ("a member beside the loads", grown("gate_logs_0.json.gz", b'{"other":[1', b",1", b'],"expert_loads":[[1]]}'))],
    "latency-csv": csv_cases(LATENCY, b"dmat,1,1,2,0.5,1,0.5"),
    "nsys-csv": [("a name", grown("a.csv.gz", NSYS + b"1,1,1,1,1,1,1,1,", b"k", b"\n")),
                 ("names", grown("a.csv.gz", NSYS, lambda k: b"1,1,1,1,1,1,1,1,%d\n" % k)),
                 *csv_cases(NSYS, b"1,1,1,1,1,1,1,1,k")],
    "nsys-sqlite": [("a name", database(long_name)), ("names", database(many_names)), ("kernels", database(many_kernels)),
                    ("devices", database(many_devices))],
    "perfetto": [("a name", grown("a.pftrace.gz", long_packet, b"\n\0")),
                 ("annotations", grown("a.pftrace.gz", many_annotations, b"\n\0")),
                 ("interned names", grown("a.pftrace.gz", TRACK, interned)),
                 ("open slices", grown("a.pftrace.gz", TRACK, event(pf.BEGIN, "k"))),
                 ("tracks", grown("a.pftrace.gz", b"", lambda k: pf.packet({10: 1, 60: pf.custom_track(k + 1, 0, "t" * 100)}))),
                 ("writers", grown("a.pftrace.gz", b"", lambda k: pf.packet({10: k + 1, 13: 1, 12: pf.message({2: pf.message({1: 1, 2: "k" * 200})})}))),
                 ("a compressed packet", lambda folder: (folder / "a.pftrace").write_bytes(TRACK + compressed(SIZE)) and ["a.pftrace"])],
    "probe-bin": [("records", with_settings(grown("a.bin.gz", trace([(1 << 32 | PLACES, 48)]), struct.pack("<QQ", 5, 4096)))),
                  ("sections", with_settings(grown("a.bin.gz", trace([])[:28] + struct.pack("<I", SIZE // 16), struct.pack("<QQ", 1 << 32 | 16, 48)))),
                  ("pages", grown("a.dmat.gz", b"", struct.pack("<QQ", 5, 4096))),
                  ("settings", beside("probe.toml", b"x", DMAT + b'more = "')),
                  ("tensors", beside("tensor.trace", lambda k: b"[call]  5  torch.Size([4, 32])  256  %d  x  f  a.py:3\n" % (k << 12))),
                  ("a line of the log", beside("event.log", b"x", b"[exec] "))],
    "probe-log": [("a line", grown("event.log.gz", b"[pid] 42\n[jit] find 0x10 name ", b"x", b"\n")),
                  ("kernels", grown("event.log.gz", b"[pid] 42\n", lambda k: b"[jit] find 0x%x name kernel%d bin 0x2 size 100\n" % (k, k))),
                  ("launches", grown("event.log.gz", b"[pid] 42\n", b"[exec] 17 param 7f00 4000\n[exec] succeed 0\n"))],
    "rocprof-json": [("a name", grown("a.json.gz", b'{"rocprofiler-sdk-tool":[{"strings":{"x":"', b"k", b'"}}]}')),
                     ("a list", grown("a.json.gz", b'{"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[1', b",1", b"]}}]}"))],
    "strategy-table": [("a table", grown("a.h.gz", b"int AllReduceBestStrategyTableSM90 = {{{{1", b",1", b"}}}};")),
                       *csv_cases(CELLS, b"90,2,NONE,128,1,NCCL,0,default")],
    "sweep-tree": [("ranks", ranks)],
    "tuner-conf": [("a line", grown("a.conf.gz", b"allreduce,", b"1", b"\n")), ("lines", grown("a.conf.gz", b"", b"allreduce,0,8,ring,ll,1,1,8\n"))],
    "tuner-csv": csv_cases(TUNER, b"allreduce,8,ring,ll,5.5,8"),
    "workload-card": [("a text", card(b"model: ", b"x")), ("lines", card(b"", lambda k: b"key%d: 1\n" % k))],
}
