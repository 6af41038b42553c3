"""Kernel tables: every form that is read, every one that is refused, and the object of communicationOverhead."""
# SPDX-License-Identifier: MIT
import json
import sqlite3

from results import MetricCase

OBJECT = "communicationOverhead"
GUI = "Time,Total Time,Instances,Avg,Med,Min,Max,StdDev,Name\r\n"
# 100 ms in 95 calls; the times of a class add up to its percents.
OFF = GUI + "\r\n".join((
    '1.0%,1.000 ms,10,100.000 μs,90.000 μs,50.000 μs,200.000 μs,20.000 μs,"void fused_moe_kernel<a, b>"',
    "10.0%,10.000 ms,20,500.000 μs,400.000 μs,100.000 μs,900.000 μs,50.000 μs,fused_moe_kernel_big",
    "20.0%,20.000 ms,40,500.000 μs,-,400.000 μs,800.000 μs,1.000 μs,ncclDevKernel_AllToAll_A",
    "5.0%,5.000 ms,5,1.000 ms,-,200.000 μs,2.000 ms,1.000 μs,ncclDevKernel_AllToAll_B",
    "14.0%,14.000 ms,7,2.000 ms,-,1.000 ms,3.000 ms,1.000 μs,ncclDevKernel_AllReduce_Sum",
    "30.0%,30.000 ms,3,10.000 ms,-,9.000 ms,11.000 ms,1.000 μs,ncclDevKernel_SendRecv",
    "15.0%,15.000 ms,5,3.000 ms,-,1.000 ms,5.000 ms,1.000 μs,flash_fwd_kernel",
    "5.0%,5.000 ms,5,1.000 ms,-,1.000 ms,1.000 ms,0 ns,reshape_and_cache_flash_kernel"))
ON = OFF.replace("1.000 ms,10,100.000 μs,90.000 μs,50.000 μs,200.000 μs", "800.000 μs,10,80.000 μs,80.000 μs,50.000 μs,100.000 μs")
ON = ON.replace("20.000 ms,40,500.000 μs", "24.000 ms,40,600.000 μs")
STATS = """Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
60.0,3000000,3,1000000.0,900000.0,500000,1500000,408248.5,fused_moe_kernel
40.0,2000000,4,500000.0,500000.0,500000,500000,0.0,"ncclDevKernel_AllReduce(a, b)"
"""
PREAMBLE = """Generating SQLite file run.sqlite from run.nsys-rep
Processing [run.sqlite] with [/opt/nsight/reports/cuda_gpu_kern_sum.py]...

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

"""
BASELINE = {
    "label": "EPLB OFF (Baseline)", "moe_kernels": ["void fused_moe_kernel<a, b>", "fused_moe_kernel_big"], "moe_total_time_ms": 11.0,
    "moe_time_pct": 11.0, "moe_instances": 30, "fused_moe_total_ms": 1.0, "fused_moe_avg_us": 100.0, "fused_moe_min_us": 50.0,
    "fused_moe_max_us": 200.0, "fused_moe_std_us": 20.0, "fused_moe_instances": 10, "fused_moe_max_min_ratio": 4.0, "fused_moe_cv": 0.2,
    "fused_moe_med_us": 90.0, "fused_moe_med_mean_ratio": 0.9,
    "nccl_kernels": ["ncclDevKernel_AllToAll_A", "ncclDevKernel_AllToAll_B", "ncclDevKernel_AllReduce_Sum", "ncclDevKernel_SendRecv"],
    "nccl_total_time_ms": 69.0, "nccl_time_pct": 69.0, "nccl_instances": 55, "alltoall_total_ms": 25.0, "alltoall_instances": 45,
    "alltoall_avg_us": 750.0, "alltoall_max_us": 2000.0, "alltoall_min_us": 200.0, "alltoall_max_min_ratio": 10.0,
    "allreduce_total_ms": 14.0, "allreduce_instances": 7, "attention_total_ms": 20.0, "attention_time_pct": 20.0,
    "top5_kernels": [{"name": name, "total_ms": ms, "pct": ms, "instances": n} for name, ms, n in (
        ("ncclDevKernel_SendRecv", 30.0, 3), ("ncclDevKernel_AllToAll_A", 20.0, 40), ("flash_fwd_kernel", 15.0, 5),
        ("ncclDevKernel_AllReduce_Sum", 14.0, 7), ("fused_moe_kernel_big", 10.0, 20))],
    "total_kernel_time_ms": 100.0, "total_kernel_instances": 95}
OF_STATS = {
    "moe_kernels": ["fused_moe_kernel"], "moe_total_time_ms": 3.0, "moe_time_pct": 60.0, "moe_instances": 3, "fused_moe_total_ms": 3.0,
    "fused_moe_avg_us": 1000.0, "fused_moe_min_us": 500.0, "fused_moe_max_us": 1500.0, "fused_moe_std_us": 408.2485,
    "fused_moe_instances": 3, "fused_moe_max_min_ratio": 3.0, "fused_moe_cv": 0.4082485, "fused_moe_med_us": 900.0,
    "fused_moe_med_mean_ratio": 0.9, "nccl_kernels": ["ncclDevKernel_AllReduce(a, b)"], "nccl_total_time_ms": 2.0, "nccl_time_pct": 40.0,
    "nccl_instances": 4, "allreduce_total_ms": 2.0, "allreduce_instances": 4}


class TableCase(MetricCase):
    def compare(self, off=OFF, on=ON, pair=("off=off.csv", "on=on.csv")):
        self.write("off.csv", off)
        self.write("on.csv", on)
        r = self.ok("metric", OBJECT, *pair)
        self.assertEqual(r.err, "")
        return json.loads(r.out)

    def side(self, text):
        return self.compare(off=text)["baseline"]

    def row(self, total="1 ms", count="1", avg="1 ms", med="1 ms", span="1 ms,1 ms", name="fused_moe_kernel"):
        return f"{GUI}1%,{total},{count},{avg},{med},{span},0 ns,{name}\r\n"

    def bad(self, text, *says):
        """The second of two tables is bad."""
        self.write("off.csv", OFF)
        self.write("on.csv", text)
        r = self.refused(3, OBJECT, "off=off.csv", "on=on.csv", says=says)
        self.assertIn("help:", r.err)


class Object(TableCase):
    def test_every_key(self):
        doc = self.compare()
        self.assertEqual(list(doc), ["schema_version", "baseline", "eplb", "comparison"])
        self.assertEqual(list(doc["baseline"]), list(BASELINE))
        self.assertEqual(doc["baseline"], BASELINE)
        on = {**BASELINE, "label": "EPLB ON", "moe_total_time_ms": 10.8, "fused_moe_total_ms": 0.8, "fused_moe_avg_us": 80.0,
              "fused_moe_max_us": 100.0, "fused_moe_max_min_ratio": 2.0, "fused_moe_cv": 0.25, "fused_moe_med_us": 80.0,
              "fused_moe_med_mean_ratio": 1.0, "nccl_total_time_ms": 73.0, "alltoall_total_ms": 29.0, "alltoall_avg_us": 800.0,
              "total_kernel_time_ms": 103.8}
        on["top5_kernels"] = [{**k, "total_ms": 24.0} if k["total_ms"] == 20.0 else k for k in BASELINE["top5_kernels"]]
        self.assertEqual(doc["eplb"], on)

    def test_what_improved(self):
        """Better: total, average, most and max/min of the fused kernel; the same: its deviation, all-to-all's max/min, all-reduce."""
        self.assertEqual(self.compare()["comparison"], {"improved_count": 4, "total_count": 10})
        self.assertEqual(self.compare(on=OFF)["comparison"], {"improved_count": 0, "total_count": 10})
        self.assertEqual(self.compare(on=STATS)["comparison"]["total_count"], 8)
        self.assertEqual(self.compare(on=GUI)["comparison"], {"improved_count": 0, "total_count": 0})

    def test_either_order_and_json(self):
        doc = self.compare()
        self.assertEqual(self.compare(pair=("on=on.csv", "off=off.csv")), doc)
        self.assertEqual(self.compare(pair=("off=off.csv", "on=on.csv", "--json")), doc)
        text = self.value(OBJECT, "off=off.csv", "on=on.csv")
        self.assertEqual(text, json.dumps(doc, indent=2))

    def test_groups_without_kernels_are_left_out(self):
        always = {"top5_kernels": [], "total_kernel_time_ms": 0.0, "total_kernel_instances": 0}
        doc = self.compare(off=GUI, on=GUI.strip())
        self.assertEqual(doc, {"schema_version": "1.0", "baseline": {"label": "EPLB OFF (Baseline)", **always},
                               "eplb": {"label": "EPLB ON", **always}, "comparison": {"improved_count": 0, "total_count": 0}})
        side = self.side(self.row(name="fill_kernel"))
        self.assertEqual(list(side), ["label", *always])
        side = self.side(self.row(name="expert_sort"))
        self.assertEqual(list(side), ["label", "moe_kernels", "moe_total_time_ms", "moe_time_pct", "moe_instances", *always])
        side = self.side(self.row(name="ncclDevKernel_Reduce"))
        self.assertEqual(list(side), ["label", "nccl_kernels", "nccl_total_time_ms", "nccl_time_pct", "nccl_instances", *always])

    def test_classes(self):
        for name, keys in (("TopkMOE", "moe"), ("EXPERT", "moe"), ("fused_mo_e", ""), ("fused_moe", "moe fused_moe"), ("NCCLx", "nccl"),
                           ("alltoall", ""), ("nccl_ALLTOALL", "nccl alltoall"), ("ncclSendRecv", "nccl"), ("allreduce", ""),
                           ("ncclAllReduce", "nccl allreduce"), ("paged_Attention", "attention"), ("FLASH", "attention"),
                           ("my_attn", "attention"), ("reshape_and_cache_flash", "attention"), ("nccl_moe_attn", "moe nccl attention")):
            with self.subTest(name):
                side = self.side(self.row(name=name))
                found = [c for c in ("moe", "fused_moe", "nccl", "alltoall", "allreduce", "attention")
                         if any(k in side for k in (f"{c}_total_ms", f"{c}_total_time_ms"))]
                self.assertEqual(" ".join(found), keys)

    def test_what_is_not_finite_is_null_with_a_reason(self):
        side = self.side(OFF.replace("50.000 μs,200.000 μs", "0 ns,200.000 μs"))
        self.assertIsNone(side["fused_moe_max_min_ratio"])
        self.assertEqual(side["reason"], {"fused_moe_max_min_ratio": "fused_moe_min_us is 0"})
        side = self.side(self.row(total="0 ns", avg="0 ns", med="0 ns", span="0 ns,0 ns"))
        self.assertEqual(side["fused_moe_cv"], 0)
        self.assertNotIn("fused_moe_med_us", side)
        side = self.side(OFF.replace("200.000 μs,2.000 ms", "0 ns,2.000 ms"))
        self.assertNotIn("alltoall_max_min_ratio", side)


class Forms(TableCase):
    def stats(self, text):
        side = self.side(text)
        self.assertEqual({k: side[k] for k in OF_STATS}, OF_STATS)

    def test_encodings(self):
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
            with self.subTest(encoding):
                self.assertEqual(self.side(OFF.encode(encoding)), BASELINE)
        self.assertEqual(self.side(OFF.replace("μ", "µ").encode("latin-1")), BASELINE)

    def test_separators_and_ends_of_lines(self):
        for text in (OFF + "\r\n", OFF.replace("\r\n", "\n"), OFF.replace("\r\n", "\r"), OFF + "\r\n\r\n"):
            self.assertEqual(self.side(text), BASELINE)
        for separator in ("\t", ";"):
            with self.subTest(separator):
                self.stats(STATS.replace("(a, b)", "(a@ b)").replace(",", separator).replace("@", ","))

    def test_units(self):
        for total in ("1.5 ms", "1.5ms", "1500 us", "1500 μs", "1500 µs", "1500000 ns", "0.0015 s", "1.5 MS", "1500000", "1.5e6",
                      '"1,500 us"'):
            with self.subTest(total):
                self.assertEqual(self.side(self.row(total=total, avg="1.5 ms", span="1 ms,2 ms"))["fused_moe_total_ms"], 1.5)
        for unit, factor in (("ns", 1), ("us", 1000), ("ms", 1000000), ("μs", 1000)):
            text = STATS.replace("Total Time (ns)", f"Total Time ({unit})")
            with self.subTest(unit):
                self.stats(text.replace(",3000000,", f",{3000000 / factor},").replace(",2000000,", f",{2000000 / factor},"))
        self.assertEqual(self.side(self.row(total="53.2 s", count='"53,200"'))["fused_moe_instances"], 53200)
        self.assertNotIn("fused_moe_med_us", self.side(self.row(med="-")))
        self.assertNotIn("fused_moe_med_us", self.side(self.row(med="")))

    def test_nsys_stats(self):
        self.stats(STATS)
        self.stats(PREAMBLE + STATS)
        self.stats(PREAMBLE.replace("\n", "\r\n") + STATS.replace("\n", "\r\n") + "\r\n")
        self.stats(STATS.replace("Time (%)", "Time(%)"))
        self.stats(STATS.replace("Time (%)", "Time%").replace("StdDev (ns)", "Std Dev").replace("Name", "Kernel Name"))
        self.stats(STATS.replace("StdDev (ns)", "Standard Deviation").replace("Name", "Function Name"))
        self.stats(STATS.replace("Time (%)", '"Time (%)"').replace(",Name", ',"Name"'))
        self.stats(STATS.replace("Time (%)", " Time (%) ").replace(",Name", ', Name '))

    def test_columns_in_any_order(self):
        rows = [line.replace("(a, b)", "(a@ b)").split(",") for line in STATS.splitlines()]
        self.stats("".join(",".join(row[::-1] + ["7"]) + "\n" for row in rows).replace("@", ",").replace("Time (%),7", "Time (%),Theme"))


class Lacking(TableCase):
    def test_the_name_of_the_original_needs_all_columns(self):
        rows = [line.replace("(a, b)", "").split(",") for line in STATS.splitlines()]
        for lacking, says in (((5,), "labelled on lacks Min"), ((0, 7), "labelled on lacks StdDev, Time (%)"),
                              ((5, 6), "labelled on lacks Min, Max")):
            with self.subTest(says):
                text = "".join(",".join(c for i, c in enumerate(row) if i not in lacking) + "\n" for row in rows)
                self.bad_table(text, says)
        self.write("off.csv", text)
        self.refused(3, OBJECT, "off=off.csv", "on=on.csv", says="labelled off lacks Min, Max; the kernel table labelled on lacks Min, Max")
        doc = json.loads(self.value("eplb_comparison", "off=off.csv", "on=on.csv"))
        self.assertEqual([doc["eplb"][f"fused_moe_{key}"] for key in ("min_us", "max_us", "max_min_ratio")], [None] * 3)

    def bad_table(self, text, says):
        self.write("off.csv", OFF)
        self.write("on.csv", text)
        self.refused(3, OBJECT, "off=off.csv", "on=on.csv", says=says)

    def test_columns_that_follow_from_others_may_be_missing(self):
        """Average is total over count; a median is given only where there is one."""
        rows = [line.replace("(a, b)", "").split(",") for line in STATS.splitlines()]
        text = "".join(",".join(c for i, c in enumerate(row) if i not in (3, 4)) + "\n" for row in rows)
        side = self.side(text)
        self.assertEqual(side["fused_moe_avg_us"], 1000.0)
        self.assertNotIn("fused_moe_med_us", side)


class BadTables(TableCase):
    def test_nothing_there(self):
        self.bad("", "on.csv is empty")
        self.bad(" \n\n", "on.csv")
        self.bad("a,b,c,d,e\n1,2,3,4,5\n", "no source here can read the format of ")
        self.bad(bytes(range(256)), "no source here can read the format of ")
        self.bad(PREAMBLE + "SKIPPED: run.sqlite does not contain CUDA kernel data.\n", "nsys found no kernels to sum up", "on.csv",
                 "SKIPPED: run.sqlite")
        self.write("folder/notes.txt", "x")
        self.refused(3, OBJECT, "off=off.csv", "on=folder", says="help:")

    def test_columns(self):
        for name in ("Name", "Total Time", "Instances"):
            cells = [c for c in GUI.strip().split(",") if c != name]
            with self.subTest(name):
                self.bad("\n" + ",".join(cells) + "\n" + ",".join("1" * len(cells)) + "\n", f"has no column {name}", "\n  on.csv:2:1\n")
        self.bad(GUI.replace("Med", "Average") + "1%,1 ms,1,1 ms,1 ms,1 ms,1 ms,0 ns,a\r\n", "has two columns Avg", "\n  on.csv:1:31\n")

    def test_cells(self):
        for total in ("x ms", "-1 ms", "1 h", "nan", "inf", "", "-", "1 2 ms", "1,5 ms"):
            quoted = f'"{total}"' if "," in total else total
            with self.subTest(total):
                self.bad(self.row(total=quoted), f'Total Time is not a time: "{total}"', "\n  on.csv:2:4\n", "why:")
        for count in ("1.5", "x", "-1", "", "1e400", "9" * 30):
            with self.subTest(count):
                self.bad(self.row(count=count), "Instances is not a whole number", "\n  on.csv:2:9\n", "why:")
        self.bad(self.row(avg="x"), 'Avg is not a time: "x"', "\n  on.csv:2:11\n")
        self.bad(self.row(name="a,b"), "a row has 10 cells, and the header 9", "\n  on.csv:2:38\n", "must be in quotes")
        self.bad(GUI + "1%,1 ms,1\r\n", "a row has 3 cells, and the header 9", "\n  on.csv:2:9\n")
        self.bad(self.row(name='"a'), "a quote is not closed", "\n  on.csv:2:36\n")

    def test_which_of_two_is_named(self):
        self.write("off.csv", self.row(total="x"))
        self.write("on.csv", ON)
        self.refused(3, OBJECT, "on=on.csv", "off=off.csv", says="\n  off.csv:2:4\n")


class Database(TableCase):
    def test_a_database_is_a_table(self):
        base = sqlite3.connect(self.folder / "off.sqlite")
        base.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        base.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, demangledName INT, shortName INT)")
        base.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1, "fused_moe_kernel"), (2, "ncclDevKernel_AllReduce(a, b)")])
        calls = [(0, 1000, 0, 1), (0, 2000, 0, 1), (0, 3000, 1, 1), (0, 4000, 0, 2)]
        base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, 0)", calls)
        base.commit()
        base.close()
        side = self.compare(pair=("off=off.sqlite", "on=on.csv"))["baseline"]
        wanted = {"moe_total_time_ms": 0.006, "moe_time_pct": 60.0, "fused_moe_avg_us": 2.0, "fused_moe_min_us": 1.0,
                  "fused_moe_max_us": 3.0, "fused_moe_instances": 3, "fused_moe_max_min_ratio": 3.0, "fused_moe_med_us": 2.0,
                  "allreduce_total_ms": 0.004, "allreduce_instances": 1, "total_kernel_instances": 4}
        self.assertEqual({k: side[k] for k in wanted}, wanted)
        self.assertAlmostEqual(side["fused_moe_std_us"], (2 / 3) ** 0.5, places=12)

    def test_a_damaged_database(self):
        self.write("off.csv", OFF)
        self.write("on.sqlite", b"SQLite format 3\0" + b"x" * 200)
        self.refused(3, OBJECT, "off=off.csv", "on=on.sqlite", says=["on.sqlite", "help:"])
