"""Rows about databases of Nsight Systems: ./dev bench nsys.  Processor time of ours and of the sqlite3 shell, which reads the same columns
in the same order and writes them to nowhere."""
# SPDX-License-Identifier: MIT

import shutil

from held import peak
from machine import Failed, interleave
from result import Result

COMMON = {"KERNEL": "globalPid, demangledName, deviceId, streamId", "RUNTIME": "globalTid, nameId",
          "MEMCPY": "globalPid, copyKind, srcKind, dstKind, deviceId, streamId",
          "MEMSET": "globalPid, memKind, deviceId, streamId",
          "SYNCHRONIZATION": "globalPid, syncType, deviceId, streamId"}
MORE = {"KERNEL": "correlationId, gridX, gridY, gridZ, blockX, blockY, blockZ", "RUNTIME": "correlationId",
        "MEMCPY": "correlationId, bytes", "MEMSET": "correlationId, bytes", "SYNCHRONIZATION": "correlationId"}


def selects(more):
    """What the source asks for: all tables, each in order of time."""
    for table, columns in COMMON.items():
        columns = f"{columns}, {more[table]}" if more else columns
        yield f"SELECT start, end, {columns} FROM CUPTI_ACTIVITY_KIND_{table} ORDER BY start"
    yield "SELECT start, end, globalTid, text, textId, eventType FROM NVTX_EVENTS ORDER BY start"
    yield "SELECT start, end, globalTid, nameId FROM OSRT_API ORDER BY start"


def against_sqlite(bench, profile, more, target):
    path = bench.inputs.nsys_report(550 // bench.divide)
    shell = shutil.which("sqlite3")
    if not shell:
        raise Failed("sqlite3 is not installed")
    theirs = ["sh", "-c", 'exec "$0" -readonly "$1" "$2" >/dev/null', shell, path, ";".join(selects(more))]
    times, _ = interleave({"ours": lambda: bench.run(profile, path, jobs=1).cpu_s,
                           "theirs": lambda: bench.machine.run(theirs).cpu_s}, min(bench.rounds, 3))
    ratio = times["ours"] / times["theirs"]
    return Result(f"{profile} of a report of 550 MB / SELECT", f"at most {target}x", f"{ratio:.2f}x", ratio <= target,
                  [f"{times['ours']:.1f} s of processor time"])


def kernels(bench):
    yield against_sqlite(bench, "kernels", None, 2)
    path = bench.inputs.nsys_report(550 // bench.divide)
    usage = bench.run("kernels", path, more=["--max-memory", "64MiB"])
    yield peak("kernels of a report of 550 MB, --max-memory 64MiB", usage.peak_mib, 84)


def torch(bench):
    yield against_sqlite(bench, "torch", MORE, 4)


ROWS = {"nsys-kernels": kernels, "nsys-torch": torch}
