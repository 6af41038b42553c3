#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of profile `probe` about odd traces of launches, against a program that reads the bytes itself.

The last line says how many numbers were compared."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import probe_logs  # noqa: E402
import probe_odd  # noqa: E402
import probe_truth  # noqa: E402
import table_test  # noqa: E402

OF_LAUNCH = ("block-sched", "block-sched-sm", "block-gaps", "block-slots", "sm-occupancy", "access-map", "access-groups",
             "access-cells", "access-pages", "working-set", "page-reuse", "coalescing", "gmem-bytes", "tensorop", "progress",
             "traffic-block", "warp-sched", "warp-sched-sm", "warp-bars", "warp-tail", "warp-progress", "warp-spread",
             "warp-marks", "dump-launch", "dump-sections", "dump-records")
OF_LOGS = {"launches": 3, "kernels": 3, "slowdown-kernels": 4, "slowdown": 3, "slowdown-matrix": 2, "memory-peak": 2, "memory-bars": 2}


class Test(table_test.TableTest):
    def latency(self, name, path):
        tables = self.run(name, "probe", [path])
        for table, rows in probe_logs.latencies(path).items() if tables is not None else ():
            self.rows(f"{name} {table}", tables.get(table, []), rows)

    def logs(self, name, roots):
        tables = self.run(name, "probe", roots)
        truth = probe_logs.tables_of(*roots)
        for table, keys in OF_LOGS.items() if tables is not None else ():
            self.keyed(f"{name} {table}", tables.get(table, []), truth[table], keys)

    def launch(self, name, path, settings, options):
        tables = self.run(name, "probe", [path], settings)
        if tables is None:
            return
        truth = probe_truth.tables_of(path, **options)
        for table in OF_LAUNCH:
            found = tables.get(table, [])
            self.rows(f"{name} {table}", sorted(found, key=lambda r: r[-2]) if table == "access-pages" else found, truth[table])


OPTIONS = (({}, {}), ({"page": "4096"}, {"page": 4096}), ({"clock-limit": "200"}, {"limit": 200}),
           ({"keep-empty": "true"}, {"keep_empty": True}), ({"regions": "true"}, {"regions": True}))


def check(test, folder, seed):
    kinds = probe_odd.Odd(seed).write(folder / str(seed))
    settings, options = OPTIONS[seed % len(OPTIONS)]
    test.launch(f"{seed} {'+'.join(kinds)} {settings}", folder / str(seed) / "a.bin", settings, options)
    if seed % 4 == 0:
        test.logs(f"{seed} logs", probe_logs.Tree(seed).write(folder / f"{seed}-logs"))
        test.latency(f"{seed} latency", probe_logs.Tree(seed).latency(folder / f"{seed}.csv"))


if __name__ == "__main__":
    sys.exit(table_test.main(Test, __doc__, 40, check))
