"""Times of all-reduce strategies: a full set against a recomputation, tables there and back, comparisons, refusals."""
# SPDX-License-Identifier: MIT
import csv
import json
import math
import pathlib
import subprocess
import sys

from harness import Case, SOURCE

GEN = SOURCE / "tests/gen/allreduce-gen.py"
NUMBERS = {"NCCL": 0, "ONESHOT": 4, "TWOSHOT": 5}
FUSIONS = ["NONE", "RESIDUAL_RMS_NORM", "RESIDUAL_RMS_NORM_QUANT_FP8", "RESIDUAL_RMS_NORM_QUANT_NVFP4"]
TP = [2, 4, 8]
HIDDEN = [128 << i for i in range(7)]
TOKENS = [1 << i for i in range(15)]
TABLE = "gen_heuristic_code/generated_lookup_table.cpp"
THRESHOLD = {2: 4096 * 4096, 4: 1024 * 1024, 8: 512 * 512}


def generate(folder, *args):
    subprocess.run([sys.executable, GEN, "-o", folder, *args], check=True)


def read_rows(folder):
    """(tp, fusion, hidden, tokens): (strategy, time) in the order of the files."""
    shapes = {}
    for path in sorted(pathlib.Path(folder).glob("*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = int(row["world_size"]), row["fusion"], int(row["hidden_size"]), int(row["num_tokens"])
                shapes.setdefault(key, []).append((row["strategy"], float(row["time (us)"])))
    return shapes


def cpp(choice):
    """The text of the published generator."""
    out = ["// AllReduce lookup: [tp][fusion][hidden][tokens] = strategy", f"// TP:{TP}", f"// Fusion:{FUSIONS}", f"// Hidden:{HIDDEN}",
           f"// Tokens:{TOKENS}", "inline AllReduceBestStrategyTableType AllReduceBestStrategyTableSM90 = {"]
    for i, tp in enumerate(TP):
        out += ["    {", f"        // TP={tp}"]
        for j, fusion in enumerate(FUSIONS):
            out.append(f"        {{ // Fusion={fusion}")
            for k, hidden in enumerate(HIDDEN):
                row = ",".join(str(choice(tp, fusion, hidden, tokens)) for tokens in TOKENS)
                out.append("            {" + row + "}" + ("," if k + 1 < len(HIDDEN) else ""))
            out.append("        }" + ("," if j + 1 < len(FUSIONS) else ""))
        out.append("    }" + ("," if i + 1 < len(TP) else ""))
    return "\n".join(out) + "\n};\n"


def winner_of(rows):
    best = None
    for name, time in rows:
        if name != "AUTO" and (best is None or time < best[1]):
            best = name, time
    return best


class AllReduceCase(Case):
    def table(self, folder, name):
        with open(self.folder / folder / f"tables/{name}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def close(self, text, number):
        self.assertTrue(math.isclose(float(text), number, rel_tol=1e-9, abs_tol=1e-9), (text, number))


class FullSet(AllReduceCase):
    """3 numbers of GPUs, 4 fusions, 105 shapes, 4 strategies, each twice."""

    def setUp(self):
        super().setUp()
        generate(self.folder / "data", "--all", "--repeat", "2", "--fusions", ",".join(FUSIONS), "--strategies", "NCCL,AUTO,TWOSHOT,ONESHOT")
        self.shapes = read_rows(self.folder / "data")
        self.ok("run", "-p", "allreduce", "-o", "out", "--format", "csv,cpp-table")  # the folder is data by custom

    def test_everything_again(self):
        self.assertEqual(len(self.shapes), 3 * 4 * 105)
        self.check_code()
        self.check_winners()
        self.check_grid()
        self.check_policies()

    def check_code(self):
        wanted = cpp(lambda *key: NUMBERS[winner_of(self.shapes[key])[0]])
        self.assertEqual((self.folder / "out" / TABLE).read_bytes(), wanted.encode())

    def check_winners(self):
        rows = self.table("out", "allreduce-winners")
        self.assertEqual(len(rows), len(self.shapes))
        for row in rows:
            key = int(row["tp"]), row["fusion"], int(row["hidden_size"]), int(row["num_tokens"])
            name, time = winner_of(self.shapes[key])
            others = [t for other, t in self.shapes[key] if other not in ("AUTO", name)]
            own = [t for other, t in self.shapes[key] if other == name]
            self.assertEqual((row["strategy"], float(row["time_us"])), (name, time))
            self.close(row["margin_percent"], (min(others) - time) / time * 100)
            self.close(row["spread_percent"], (max(own) - min(own)) / min(own) * 100)
            size = 2 * key[2] * key[3]
            self.close(row["busbw_GB/s"], size / time / 1000 * 2 * (key[0] - 1) / key[0])

    def check_grid(self):
        for row in self.table("out", "allreduce-grid"):
            key = int(row["tp"]), row["fusion"], int(row["hidden_size"]), int(row["num_tokens"])
            own = [t for name, t in self.shapes[key] if name == row["strategy"]]
            best = min(t for _, t in self.shapes[key])
            self.close(row["time_us"], sum(own) / len(own))
            self.close(row["gap_percent"], sum((t - best) / best * 100 for t in own) / len(own))
        for row in self.table("out", "allreduce-strategies"):
            of = {key: rows for key, rows in self.shapes.items() if key[:2] == (int(row["tp"]), row["fusion"])}
            wins = sum(winner_of(rows)[0] == row["strategy"] for rows in of.values())
            self.assertEqual(row["wins"], "" if row["strategy"] == "AUTO" else str(wins))

    def check_policies(self):
        found = {(int(r["tp"]), r["fusion"], r["policy"]): r for r in self.table("out", "policy-cost")}
        fits = {(int(r["tp"]), r["fusion"]): r for r in self.table("out", "threshold-fit")}
        for tp in TP:
            for fusion in FUSIONS:
                of = {key: rows for key, rows in self.shapes.items() if key[:2] == (tp, fusion)}
                for name in ("NCCL", "AUTO", "TWOSHOT", "ONESHOT"):
                    self.close(found[tp, fusion, name]["geomean_ratio"], self.cost(of, lambda key, name=name: name)[0])
                mean, worst = self.cost(of, self.by(THRESHOLD[tp]))
                self.close(found[tp, fusion, "threshold"]["geomean_ratio"], mean)
                self.close(found[tp, fusion, "threshold"]["worst_ratio"], worst)
                sizes = sorted({key[2] * key[3] for key in of}) + [math.inf]
                least, size = min((self.cost(of, self.by(size))[0], size) for size in sizes)
                self.close(found[tp, fusion, "fit"]["geomean_ratio"], least)
                self.assertEqual(fits[tp, fusion]["elements"], "" if size == math.inf else str(size))

    @staticmethod
    def by(size):
        return lambda key: "TWOSHOT" if key[2] * key[3] >= size else "ONESHOT"

    @staticmethod
    def cost(shapes, choose):
        costs = [min(t for name, t in rows if name == choose(key)) / winner_of(rows)[1] for key, rows in shapes.items()]
        return math.exp(sum(map(math.log, costs)) / len(costs)), max(costs)

    def test_there_and_back(self):
        """Cells to C++ and back, and from rows, in both layouts: the same table."""
        code = (self.folder / "out" / TABLE).read_bytes()
        (self.folder / "table.csv").write_bytes((self.folder / "out/tables/allreduce-table.csv").read_bytes())
        (self.folder / "table.cpp").write_bytes(code)
        for source, layout in (("table.csv", "published"), ("table.cpp", "published"), ("table.cpp", "annotated")):
            self.ok("run", "-p", "allreduce", "--only", "allreduce-best", source, "-o", "back", "-f", "--format", "cpp-table", "--set", f"layout={layout}")
            again = (self.folder / "back" / TABLE).read_bytes()
            self.assertEqual(again == code, layout == "published")
        (self.folder / "annotated.h").write_bytes(again)
        self.ok("run", "-p", "allreduce", "--only", "allreduce-best", "annotated.h", "-o", "back", "-f", "--format", "cpp-table")
        self.assertEqual((self.folder / "back" / TABLE).read_bytes(), code)
        self.assertEqual(self.ok("metric", "allreduce_changed", "base=table.cpp", "new=annotated.h").out, "0\n")

    def test_lookups(self):
        for shape, key in (("8,NONE,4096,16", (8, "NONE", 4096, 16)), ("5,NONE,5120,17", (4, "NONE", 4096, 16))):
            wanted = NUMBERS[winner_of(self.shapes[key])[0]]
            for given in (["data"], [f"out/{TABLE}"], [], ["-p", "allreduce"]):
                self.assertEqual(self.ok("metric", "allreduce_choice", *given, "--set", f"allreduce-best.shape={shape}").out, f"{wanted}\n")


class AllReduceInputs(AllReduceCase):
    HEADER = "world_size,dtype,size,num_tokens,hidden_size,strategy,fusion,time (us)\n"
    ROW = "2,bfloat16,256,1,128,NCCL,NONE,4.5\n"

    def test_without_files_it_says_how_to_make_them(self):
        self.fails(3, "run", "-p", "allreduce", says="mpirun -n N python")
        (self.folder / "data").mkdir()
        self.fails(3, "run", "-p", "allreduce", says="mpirun -n N python")
        self.fails(3, "metric", "allreduce_filled", says="mpirun -n N python")
        self.fails(2, "metric", "allreduce_changed", says="a name and an input are needed")
        self.fails(2, "metric", "-p", "strategy-table", "allreduce_changed", says="a name and an input are needed")
        self.fails(2, "run", "-p", "strategy-table", says="an argument is missing")
        self.fails(2, "run", says="an argument is missing")

    def test_numbers_of_gpus_without_a_file_are_named(self):
        self.write("data/benchmark.tp2.sm90.csv", self.HEADER + self.ROW)
        r = self.ok("run", "-p", "allreduce", "-o", "out")
        self.assertIn("there are no measurements with 4 GPUs", r.out)
        self.fails(3, "run", "-p", "allreduce", "-o", "no", "--set", "require-all=true", says="there are times with 2 GPUs")
        self.assertFalse((self.folder / "no").exists())

    def test_kinds_of_gpus(self):
        self.write("data/benchmark.tp2.sm90.csv", self.HEADER + self.ROW)
        self.write("data/benchmark.tp2.sm100.csv", self.HEADER + self.ROW)
        self.fails(3, "run", "-p", "allreduce", "-o", "out", says="there is sm 90, sm 100")
        self.ok("run", "-p", "allreduce", "-o", "out", "--set", "sm-version=100")
        self.assertIn("TableSM100 =", (self.folder / "out" / TABLE).read_text())

    def test_a_file_that_does_not_say_its_gpus(self):
        self.write("times.csv", self.HEADER + self.ROW)
        self.fails(3, "run", "-p", "allreduce", "times.csv", "-o", "out", says="kind of GPU")
        self.ok("run", "-p", "allreduce", "times.csv", "-o", "out", "--set", "sm-version=90")
        self.ok("run", "-p", "allreduce", "times.csv", "-o", "out2", "--format", "text")

    def test_bad_tables_have_a_place(self):
        self.write("a.csv", self.HEADER + "2,bfloat16,256,1,128,NCCL,NONE,fast\n")
        self.fails(3, "run", "-p", "allreduce", "a.csv", "-o", "out", says="a.csv:2:32")
        self.write("b.csv", self.HEADER)
        self.fails(3, "run", "-p", "allreduce", "b.csv", "-o", "out", says="no rows")
        self.write("c.h", "AllReduceBestStrategyTableSM90 = {{{{1,2}},{{1}}}};\n")
        self.fails(3, "run", "-p", "strategy-table", "base=c.h", "new=c.h", "-o", "out", says="c.h:1:47")

    def test_what_would_be_wrong_is_refused(self):
        self.write("skipped.csv", self.HEADER + self.ROW.replace("4.5", "0.0"))
        self.fails(3, "run", "-p", "allreduce", "skipped.csv", "-o", "out", says="no row has a time")
        self.write("noname.csv", self.HEADER + self.ROW.replace("NCCL", ""))
        self.fails(3, "run", "-p", "allreduce", "noname.csv", "-o", "out", says="noname.csv:2:")
        many = "".join(self.ROW.replace("NCCL", f"S{i}") for i in range(65))
        self.write("many.csv", self.HEADER + many)
        self.fails(3, "run", "-p", "allreduce", "many.csv", "-o", "out", says="more than 64 strategies")

    def test_the_wrong_part_of_a_shape_is_named(self):
        for shape, says in (("8,NONE,1024,0", "TOKENS is"), ("8,NONE,1024", "fewer than four"), ("x,NONE,1024,1", "TP is"),
                            ("8,NONE,,1", "HIDDEN is"), ("8,NONE,1,1,1", "TOKENS is")):
            self.fails(2, "run", "-p", "allreduce", SOURCE / "samples/allreduce", "-o", "out", "--set", f"shape={shape}", says=says)

    def test_tables_that_cannot_be_code(self):
        head = "sm,tp,fusion,hidden_size,num_tokens,strategy,number\n"
        run = ["run", "-p", "allreduce", "--only", "allreduce-best", "-o", "out", "--format", "cpp-table"]
        self.write("alike.csv", head + "90,2,A B,128,1,NCCL,0\n90,2,A_B,128,1,ONESHOT,4\n")
        self.fails(3, *run, "alike.csv", says="the same name in C++")
        self.write("diagonal.csv", head + "".join(f"90,{i},NONE,{i},{i},NCCL,0\n" for i in range(1, 2000)))
        self.fails(3, *run, "diagonal.csv", says="the table lacks cells")
        self.write("a.csv", head + "90,2,NONE,128,1,NCCL,0\n")
        self.write("b.csv", head + "90,2,NONE,128,1,ONESHOT,4\n")
        self.fails(3, *run, "a.csv", "b.csv", says="tables differ in the cell 2,NONE,128,1")
        self.assertFalse((self.folder / "out").exists())

    def test_a_new_strategy_is_the_same_in_rows_and_in_code(self):
        self.write("data/benchmark.tp2.sm90.csv", self.HEADER + self.ROW.replace("NCCL", "FASTEST"))
        self.ok("run", "-p", "allreduce", "-o", "out", "--set", "known=NCCL,FASTEST=12", "--format", "csv,cpp-table")
        self.assertEqual(self.ok("metric", "allreduce_changed", "base=out/tables/allreduce-table.csv", f"new=out/{TABLE}").out, "0\n")

    def test_new_axis_values_strategies_and_fusions_need_no_code(self):
        rows = "16,bfloat16,5760,1,2880,FASTEST,MORE,4.5\n16,bfloat16,5760,1,2880,NCCL,MORE,5\n"
        self.write("benchmark.tp16.sm120.csv", self.HEADER + rows)
        self.ok("run", "-p", "allreduce", "benchmark.tp16.sm120.csv", "-o", "out", "--set", "tp=16", "--set", "fusions=MORE", "--set", "hidden=2880",
                "--set", "tokens=1", "--set", "known=NCCL,FASTEST=12")
        self.assertIn("            {12}\n", (self.folder / "out" / TABLE).read_text())

    def test_the_scale_of_the_colours(self):
        self.write("data/benchmark.tp2.sm90.csv", self.HEADER + self.ROW + self.ROW.replace("4.5", "9").replace(",1,128", ",2,128"))
        for scale in ("log", "linear"):
            self.ok("run", "-p", "allreduce", "-o", "out", "-f", "--format", "json", "--set", f"scale={scale}")
            figures = json.loads((self.folder / "out/summary.json").read_text())["figures"]
            times = [f for f in figures if f["name"] == "allreduce-times"]
            self.assertEqual([f["value_scale"] for f in times], [scale])


FACTORS = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_gather": lambda n: (n - 1) / n, "reduce_scatter": lambda n: (n - 1) / n,
           "broadcast": lambda n: 1, "reduce": lambda n: 1}


class CollectiveLogs(AllReduceCase):
    """Five collectives, three algorithms and two repeats, each a run of its own ranks."""

    def log(self, index, name, algorithm):
        ranks = 2 + index % 7
        lines = [f"NCCL_ALGO={algorithm} NCCL_PROTO=Simple", f"# nThread 1 nGpus 1 minBytes 1024 seed {index}"]
        lines += [f"#  Rank {r:2} Group  0 Pid {r} on node{r % 2} device  0 [0x07] X" for r in range(ranks)]
        lines += ["#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong"]
        for size in (1 << 20, 1 << 24, 1 << 28):
            rate = 100 + index + size / 2**26
            half = f"{size / rate / 1000:.2f} {rate:.2f} {rate * FACTORS[name](ranks):.2f} 0"
            lines += [f"{size} {size // 4} float sum -1 {half} {half}", f"node0:{ranks}:1 [0] NCCL INFO of {name}"]
        return lines + ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth : {rate:g}", f"# Collective test concluded: {name}_perf"]

    def test_one_log_is_as_thirty(self):
        runs = [(name, algorithm) for name in FACTORS for algorithm in ("Ring", "Tree", "NVLS") for _ in range(2)]
        logs = [self.log(i, *run) for i, run in enumerate(runs)]
        names = [f"{i:02}.log" for i in range(len(logs))]
        for name, lines in zip(names, logs):
            self.write(name, "\n".join(lines) + "\n")
        self.write("all.txt", "".join(line + "\n" for lines in logs for line in lines))
        self.write("labelled.txt", "".join(f" 0: {line}\n" for lines in logs for line in lines))
        self.ok("run", "-p", "coll-bench", *names, "-o", "apart", "--format", "csv")
        for one in ("all.txt", "labelled.txt"):
            self.ok("run", "-p", "coll-bench", one, "-o", one[:3], "--format", "csv")
            for table in ("coll-rows", "coll-runs"):
                own = ("rank", "input", "file", "run", "line")
                apart, together = ([{k: v for k, v in row.items() if k not in own} for row in self.table(where, table)]
                                   for where in ("apart", one[:3]))
                self.assertEqual(len(together), {"coll-rows": 180, "coll-runs": 30}[table])
                self.assertEqual(apart, together)
        self.ok("run", "-p", "nccl-tuner", *names, "-o", "rules-apart", "--format", "csv")
        self.ok("run", "-p", "nccl-tuner", "all.txt", "-o", "rules", "--format", "csv")
        self.assertEqual(self.table("rules-apart", "nccl-rules"), self.table("rules", "nccl-rules"))
        self.assertGreater(len(self.table("rules", "nccl-rules")), 5)

    def test_ranks_that_bandwidths_do_not_fit_are_told_with_both_numbers(self):
        row = {"name": "AllReduce", "ranks": 4, "gpusPerRank": 1, "gpus": 4, "size": 8, "type": "float", "redop": "sum", "inPlace": 0,
               "time": 5.5, "algBw": 100, "busBw": 175, "#wrong": 0}
        self.write("x.json", json.dumps(row) + "\n")
        found = self.ok("run", "-p", "coll-bench", "x.json", "-o", "out")
        self.assertIn("1 run of x.json names 4 ranks, but the bandwidths fit 8", found.out)


class AllReduceComparison(AllReduceCase):
    def test_an_update_that_slowed_one_strategy_down(self):
        same = "--tp", "8", "--fusions", "NONE", "--noise", "0"
        generate(self.folder / "old", *same)
        generate(self.folder / "new", *same, "--slower", "TWOSHOT=1.5")
        self.ok("run", "-p", "allreduce-compare", "base=old", "new=new", "-o", "out")
        rows = self.table("out", "allreduce-compare")
        self.assertEqual({r["strategy"]: r["verdict"] for r in rows}, {"NCCL": "same", "ONESHOT": "same", "TWOSHOT": "slower"})
        for row in rows:
            self.close(row["change_percent"], 50 if row["strategy"] == "TWOSHOT" else 0)
        summary, = self.table("out", "allreduce-compare-summary")
        slower = sum(r["verdict"] == "slower" for r in rows)
        self.close(summary["geomean_ratio"], 1.5 ** (slower / len(rows)))
        old, new = read_rows(self.folder / "old"), read_rows(self.folder / "new")
        self.assertEqual(int(summary["best_changed"]), sum(winner_of(old[k])[0] != winner_of(new[k])[0] for k in old))

    def test_sides_are_needed(self):
        generate(self.folder / "old", "--tp", "8")
        self.fails(3, "run", "-p", "allreduce-compare", "base=old", "-o", "out", says="the label new")
