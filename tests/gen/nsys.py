"""Databases as nsys export writes them: with many columns (schema 3.25), or the few of 2021."""
# SPDX-License-Identifier: MIT
import random
import sqlite3

STEP_NS = 1_000_000
KERNELS = ("void gemm_kernel<float, 128>(float*, float*)", "elementwise_add(float*)", "ncclDevKernel_AllReduce_Sum_f32",
           "softmax_warp_forward<__half>", "layer_norm_kernel")
SHORT = ("gemm_kernel", "elementwise_add", "ncclDevKernel_AllReduce_Sum_f32", "softmax_warp_forward", "layer_norm_kernel")
CALLS = ("cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaMemsetAsync_v3020", "cudaStreamSynchronize_v3020_ptsz",
         "cuLaunchKernelEx", "cudaDeviceSynchronize_v3020")
OSRT = ("poll", "pthread_cond_wait", "read")
OPERATORS = ("aten::mm", "aten::add", "nccl:all_reduce", "aten::softmax", "aten::layer_norm")

FULL = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER,
  registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,
  gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER,
  srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER,
  graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, eventSyncId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,
  color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER,
  int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER,
  jsonText TEXT, binaryData TEXT);
CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER,
  callchainId INTEGER NOT NULL);
CREATE TABLE PROFILER_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,
  nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, overheadType INTEGER);
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT NOT NULL,
  metricId INTEGER NOT NULL, metricName TEXT NOT NULL);
CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, totalMemory INTEGER);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
"""
FEW = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, streamId INT NOT NULL,
  correlationId INT, globalPid INT, demangledName INT NOT NULL, shortName INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, streamId INT NOT NULL,
  correlationId INT, globalPid INT, bytes INT NOT NULL, copyKind INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT NOT NULL, end INT NOT NULL, deviceId INT NOT NULL, streamId INT NOT NULL,
  correlationId INT, globalPid INT, bytes INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT NOT NULL, end INT NOT NULL, globalTid INT, correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT NOT NULL, end INT, eventType INT NOT NULL, text TEXT, globalTid INT, textId INT);
"""


def global_pid(pid):
    return (1 << 56 >> 8) | (pid << 24)


class Writer:
    def __init__(self, path, schema, seed):
        self.db = sqlite3.connect(path)
        self.db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + (FEW if schema == "2021" else FULL))
        self.columns = {}
        self.ids = {}
        self.rows = {}
        self.random = random.Random(seed)

    def has(self, table):
        if table not in self.columns:
            self.columns[table] = [r[1] for r in self.db.execute(f"PRAGMA table_info({table})")]
        return self.columns[table]

    def string(self, text):
        if text not in self.ids:
            self.ids[text] = len(self.ids) + 1
        return self.ids[text]

    def add(self, table, **values):
        columns = self.has(table)
        if columns:
            self.rows.setdefault(table, []).append(tuple(values.get(c, DEFAULTS.get(c)) for c in columns))

    def close(self):
        self.rows["StringIds"] = [(i, text) for text, i in self.ids.items()]
        for table, rows in self.rows.items():
            if self.has(table):
                marks = ",".join("?" * len(self.columns[table]))
                self.db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        self.db.commit()
        self.db.close()


DEFAULTS = {"contextId": 1, "registersPerThread": 32, "gridX": 8, "gridY": 2, "gridZ": 1, "blockX": 128, "blockY": 1,
            "blockZ": 1, "staticSharedMemory": 1024, "dynamicSharedMemory": 512, "localMemoryPerThread": 0,
            "localMemoryTotal": 0, "gridId": 0, "returnValue": 0, "eventClass": 0, "callchainId": 0, "value": 0,
            "eventId": 0, "srcKind": 1, "dstKind": 2, "memKind": 2, "domainId": 0}


def launch(w, pid, at, device, stream, correlation, kind):
    """A call, and the device work that it launched; gives the end of both."""
    r = w.random
    call_ns, delay_ns, work_ns = r.randrange(2000, 9000), r.randrange(500, 40000), r.randrange(1000, 60000)
    thread = {"globalTid": global_pid(pid) | pid}
    work = {"start": at + delay_ns, "end": at + delay_ns + work_ns, "deviceId": device, "streamId": stream,
            "correlationId": correlation, "globalPid": global_pid(pid)}
    name = {"kernel": CALLS[0 if r.random() < 0.8 else 4], "copy": CALLS[1], "fill": CALLS[2]}[kind]
    w.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=at, end=at + call_ns, correlationId=correlation, nameId=w.string(name), **thread)
    if kind == "kernel":
        n = r.randrange(len(KERNELS))
        w.add("CUPTI_ACTIVITY_KIND_KERNEL", demangledName=w.string(KERNELS[n]), shortName=w.string(SHORT[n]), **work)
    elif kind == "copy":
        copy = r.choice(((1, 0, 2), (2, 2, 1), (8, 2, 2)))
        w.add("CUPTI_ACTIVITY_KIND_MEMCPY", bytes=r.randrange(1 << 20), copyKind=copy[0], srcKind=copy[1], dstKind=copy[2], **work)
    else:
        w.add("CUPTI_ACTIVITY_KIND_MEMSET", bytes=r.randrange(1 << 16), **work)
    return at + call_ns


def step(w, pid, at, device, number, n_launches, correlation):
    r = w.random
    thread = {"globalTid": global_pid(pid) | pid}
    begin = at
    for i in range(n_launches):
        kind = r.choices(("kernel", "copy", "fill"), (0.8, 0.15, 0.05))[0]
        end = launch(w, pid, at + 300, device, 7 if i % 3 else 14, correlation + i, kind)
        n = r.randrange(len(OPERATORS))
        text = f"{OPERATORS[n]}, seq = {correlation + i}, sizes = [[{n + 2}, 3], []]" if i % 2 else f"{OPERATORS[n]}, op_id = {i}"
        by_id = i % 4 == 3
        w.add("NVTX_EVENTS", start=at + 100, end=end + 200, eventType=59, text=None if by_id else text,
              textId=w.string(text) if by_id else None, **thread)
        at = end + 400 + r.randrange(3000)
    w.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=at, end=at + 20000, correlationId=correlation + n_launches,
          nameId=w.string(CALLS[3]), **thread)
    w.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=at + 10, end=at + 19990, deviceId=device, streamId=7,
          correlationId=correlation + n_launches, globalPid=global_pid(pid), syncType=3)
    w.add("OSRT_API", start=at + 2000, end=at + 2000 + r.randrange(9000), nameId=w.string(r.choice(OSRT)), **thread)
    at += 21000
    w.add("NVTX_EVENTS", start=begin, end=at, eventType=59, text=f"iteration {number}", **thread)
    w.add("NVTX_EVENTS", start=begin + 5, end=None, eventType=34, text="mark", **thread)
    return at + r.randrange(20000)


def around(w, pids):
    """What is said of the machine and the processes."""
    for i, pid in enumerate(pids):
        w.add("PROCESSES", globalPid=global_pid(pid), pid=pid, name="python3")
        w.add("ThreadNames", nameId=w.string("trainer"), globalTid=global_pid(pid) | pid)
        w.add("NVTX_EVENTS", start=50, end=None, eventType=60, text="whole", globalTid=global_pid(pid) | pid)
        w.add("TARGET_INFO_GPU", vmId=0, id=i, name="NVIDIA H100 80GB HBM3")
    w.add("ENUM_CUPTI_SYNC_TYPE", id=3, name="CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", label="Stream sync")
    w.add("TARGET_INFO_SYSTEM_ENV", name="Hostname", value='node "7"')
    w.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=1_700_000_000_000_000_000)
    w.add("META_DATA_EXPORT", name="EXPORT_SCHEMA_VERSION", value="3.25.0")
    w.add("TARGET_INFO_GPU_METRICS", typeId=1 << 8, sourceId=0, typeName="GH100", metricId=3, metricName="SMs Active [Throughput %]")
    for i in range(20):
        w.add("GPU_METRICS", timestamp=1000 * i, typeId=1 << 8, metricId=3, value=i * 5)


def build(path, schema="3.25", processes=1, steps=4, launches=25, seed=1):
    w = Writer(path, schema, seed)
    pids = [5000 + 13 * i for i in range(processes)]
    for device, pid in enumerate(pids):
        at, correlation = 1000, 1
        for number in range(steps):
            at = step(w, pid, at, device, number, launches, correlation)
            correlation += launches + 1
    around(w, pids)
    w.random.shuffle(w.rows["CUPTI_ACTIVITY_KIND_KERNEL"])
    w.close()


def repeat(path, times):
    """The rows of all tables with times once more, later and with other correlations, until they are there so many times."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=off")
    tables = {name: [column[1] for column in db.execute(f'PRAGMA table_info("{name}")')]
              for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()}
    span, = db.execute("SELECT max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    last, = db.execute("SELECT max(correlationId) FROM CUPTI_ACTIVITY_KIND_RUNTIME").fetchone()
    steps = {"start": span + 1_000_000, "end": span + 1_000_000, "correlationId": last + 1}
    for name, columns in tables.items():
        if "start" not in columns:
            continue
        rows, = db.execute(f'SELECT count(*) FROM "{name}"').fetchone()
        for k in range(1, times):
            cells = ", ".join(f'"{column}" + {k * steps.get(column, 0)}' if column in steps else f'"{column}"' for column in columns)
            db.execute(f'INSERT INTO "{name}" SELECT {cells} FROM "{name}" WHERE rowid <= {rows}')
    db.commit()
    db.close()
