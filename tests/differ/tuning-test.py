#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of the profiles `allreduce`, `strategy-table` and `nccl-tuner`, the table in C++ and the plugin's file, about odd
measurements, against a program that reads these itself.

The last line says how many numbers were compared."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property")]
import table_test  # noqa: E402
import tuning_odd  # noqa: E402
import tuning_truth as truth  # noqa: E402

KEYS = {"allreduce-winners": 4, "allreduce-table": 5, "allreduce-coverage": 2, "allreduce-off-grid": 4, "allreduce-grid": 5,
        "allreduce-strategies": 3, "allreduce-views": 2, "crossover": 4, "threshold-fit": 2, "policy-cost": 3}
OF_NOISE = ("margin_low_percent", "margin_high_percent", "decided", "beyond_noise_percent")
SETTINGS = ({}, {"repeat": "mean"}, {"repeat": "median"}, {"min-gain": "30%"})


class Test(table_test.TableTest):
    def allreduce(self, name, folder, odd, more):
        folder.mkdir()
        paths = [odd.benchmark(folder / f"benchmark.tp{tp}.sm90.csv", tp) for tp in odd.rng.sample((2, 4, 8, 3), odd.rng.randrange(2, 5))]
        paths.append(odd.benchmark(folder / "again.tp2.sm90.csv", 2))
        gain = more.get("min-gain", "0").rstrip("%")
        wanted, code = truth.allreduce(paths, 90, more.get("repeat", "min"), float(gain))
        tables = self.run(name, "allreduce", paths, more, "csv,cpp-table", without=OF_NOISE)
        for table, keys in KEYS.items() if tables is not None else ():
            self.keyed(f"{name} {table}", tables.get(table, []), wanted[table], keys)
        if tables is not None:
            written = self.folder / "out/gen_heuristic_code/generated_lookup_table.cpp"
            self.same(f"{name} C++", written.read_text(), code)
        return paths, code

    def diff(self, name, folder, odd, of_times):
        paths, code = of_times
        one, other = odd.cpp(folder / "one.h", (90, 100)), odd.cpp(folder / "other.h", (100, 80, 90))
        (folder / "made.h").write_text(code)
        for base, new in ((one, other), (one, folder / "made.h"), (one, one)):
            rows = truth.table_diff(truth.cells_of(base), truth.cells_of(new), truth.read(paths), 90)
            copy = folder / "copy.h"
            copy.write_bytes(new.read_bytes())
            tables = self.run(name, "strategy-table", [f"base={base}", f"new={copy}", *paths])
            if tables is not None:
                self.keyed(f"{name} {base.name} {new.name}", tables.get("table-diff", []), rows, 5)

    def rules(self, name, path, odd):
        odd.measurements(path)
        for metric in ("latency", "bandwidth"):
            for open_end in (False, True):
                rows, lines = truth.nccl_rules(path, metric, open_end)
                tables = self.run(f"{name} {metric}", "nccl-tuner", [path], {"metric": metric, "open-end": str(open_end).lower()},
                                  "csv,nccl-tuner", fine=(0,) if rows else (0, 7))
                if tables is None:
                    continue
                self.keyed(f"{name} {metric} {open_end}", tables.get("nccl-rules", []), rows, 6)
                written = self.folder / "out/nccl_tuner.conf"
                text = written.read_text() if written.is_file() else ""
                self.same(f"{name} {metric} file", [line for line in text.split("\n") if line and line[0] != "#"], lines)


def check(test, folder, seed):
    odd = tuning_odd.Odd(seed)
    of_times = test.allreduce(f"{seed} times", folder / str(seed), odd, SETTINGS[seed % len(SETTINGS)])
    test.diff(f"{seed} tables", folder / str(seed), odd, of_times)
    test.rules(f"{seed} rules", folder / f"{seed}.csv", odd)


if __name__ == "__main__":
    sys.exit(table_test.main(Test, __doc__, 12, check))
