"""Inputs as the command line names them, and what is wrong with them."""
# SPDX-License-Identifier: MIT
import gzip
import json
import os

from harness import AIU, BUILD, KINETO, SMALL, Case
from results import CARD, MetricCase, detailed, gate_log, result


class Inputs(Case):
    def lanes(self, *words, **more):
        return self.json("info", "--json", *words, **more)["inputs"]

    def test_files_folders_and_patterns(self):
        for rank in (10, 2, 1):
            self.write(f"runs/rank{rank}.json")
        self.assertEqual([i["name"] for i in self.lanes("runs")], ["runs/rank1.json", "runs/rank10.json", "runs/rank2.json"])
        self.assertEqual([i["rank"] for i in self.lanes("runs/rank{rank}.json")], [1, 2, 10])
        self.assertEqual([i["name"] for i in self.lanes("runs/rank1*.json")], ["runs/rank1.json", "runs/rank10.json"])
        self.assertEqual(len(self.lanes("runs/rank[12].json")), 2)
        self.assertEqual(len(self.lanes("runs/rank[!1]*.json")), 1)

    def test_folders_in_a_pattern(self):
        for name in ("a1/x.json", "a1/in/x.json", "a2/x.json", "a2/in/x.json", "b/x.json"):
            self.write(name)
        self.assertEqual([i["name"] for i in self.lanes("a*/x.json")], ["a1/x.json", "a2/x.json"])
        self.assertEqual([i["name"] for i in self.lanes("./a?//in/*.json")], ["./a1//in/x.json", "./a2//in/x.json"])
        self.assertEqual([i["name"] for i in self.lanes("a[2]/*/../x.json")], ["a2/in/../x.json"])
        self.assertEqual([i["name"] for i in self.lanes(f"{self.folder}/b*/*")], [f"{self.folder}/b/x.json"])
        self.assertEqual(len(self.lanes("a*/")), 2)

    def test_one_rank_in_all_parts_of_a_pattern(self):
        for folder, file in ((0, 0), (0, 1), (1, 1)):
            self.write(f"node{folder}/t{file}.json")
        self.assertEqual([i["name"] for i in self.lanes("node{rank}/t{rank}.json")], ["node0/t0.json", "node1/t1.json"])

    def test_the_name_itself_comes_before_the_pattern(self):
        for name in ("a[1].json", "a1.json", ".a2.json"):
            self.write(name)
        self.assertEqual([i["name"] for i in self.lanes("a[1].json")], ["a[1].json"])
        self.assertEqual([i["name"] for i in self.lanes("a[12].json")], ["a1.json"])
        self.assertEqual([i["name"] for i in self.lanes("*.json")], ["a1.json", "a[1].json"])

    def test_a_rank_is_a_whole_number(self):
        for name in ("x10.json", "x2.json", "y007.json", "z.json"):
            self.write(name)
        self.assertEqual([(i["name"], i["rank"]) for i in self.lanes("*{rank}.json")],
                         [("x2.json", 2), ("y007.json", 7), ("x10.json", 10)])
        self.assertEqual([i["rank"] for i in self.lanes("?00{rank}.json")], [7])

    def test_where_the_rank_comes_from(self):
        self.write("x-7.json")
        self.write("rank3.json")
        self.assertEqual(self.lanes("rank3.json")[0]["rank_from"], "file name")
        lane = self.lanes("x-7.json", "--rank-regex", r"x-(\d+)")[0]
        self.assertEqual((lane["rank"], lane["rank_from"]), (7, "--rank-regex"))
        self.assertNotIn("rank", self.lanes("x-7.json")[0])

    def test_labels_and_tags(self):
        self.write("a/t.json")
        lane = self.lanes("off=a/t.json")[0]
        self.assertEqual((lane["name"], lane["label"]), ("a/t.json", "off"))
        lane = self.lanes("threads=256,channels=28:a/t.json")[0]
        self.assertEqual(lane["tags"], {"threads": "256", "channels": "28"})
        lane = self.lanes("on=threads=256:a/t.json")[0]
        self.assertEqual((lane["label"], lane["tags"]), ("on", {"threads": "256"}))
        self.write("off=b.json")
        self.assertEqual(self.lanes("off=b.json")[0]["label"], "")

    def test_tables_of_the_merged_stream(self):
        """It has no tags, and is in no group of them."""
        profile = {"profile": 1, "name": "p", "stages": [{"use": "together", "with": {"by": ["a", "b", "c"]}}]}
        self.write("p.json", json.dumps(profile))
        self.write("1.json")
        self.write("2.json")
        self.ok("run", "--stage-path", BUILD / "tests" / "bad-modules" / "good", "-p", "./p.json", "-o", "out", "--format",
                "csv", "a=x,b=y:1.json", "a=z:2.json")
        self.assertEqual((self.folder / "out/tables/stream.csv").read_text(), "rank,input,a,b,events\n,all lanes,,,4\n")
        self.assertEqual((self.folder / "out/tables/whole.csv").read_text(), "a,b,c,events\n,,,4\n")

    def test_lists_of_files(self):
        self.write("a.json")
        self.write("b.json")
        self.write("list", "# both\na.json\n\nb.json\n")
        self.assertEqual(len(self.lanes("@list")), 2)
        self.fails(3, "info", "@nothing", says="cannot be read")

    def test_standard_input(self):
        lane = self.lanes("-", stdin=SMALL.encode())[0]
        self.assertEqual(lane["events"], 2)
        self.ok("run", "-p", "kernels", "-", stdin=SMALL.encode())
        self.assertTrue((self.folder / "stdin.kernels" / "summary.json").exists())
        self.fails(3, "info", "-", "-", stdin=SMALL.encode(), says="twice")

    def test_compressed_files(self):
        self.write("t.json.gz", gzip.compress(SMALL.encode()))
        self.assertEqual(self.lanes("t.json.gz")[0]["events"], 2)
        os.rename(self.folder / "t.json.gz", self.folder / "odd-name")
        self.assertEqual(self.lanes("odd-name")[0]["events"], 2)

    def test_a_long_header(self):
        """What is known only late is found all the same; what never is, is of no format as before."""
        event = '"traceEvents":[{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":1,"dur":3}]}'
        for size in (65, 200, 1100, 15000):
            for header in ('"a":"' + "x" * (size << 10) + '",', '"k":[1,{"v":"yy"}],' * (size * 51)):
                for text in ("{" + header + event, gzip.compress(("{" + header + event).encode(), 1)):
                    self.write("t.json", text)
                    self.assertEqual(self.ok("metric", "kernel_calls", "t.json").out, "1\n")
        self.write("folder/a.json")
        self.write("folder/other.json", '{"a":"' + "x" * (17 << 20) + '"}')
        self.assertEqual(self.ok("metric", "kernel_calls", "folder").out, "2\n")
        self.fails(3, "info", "folder/other.json", says="no source here can read the format")

    def test_two_lists_of_events(self):
        one = '"traceEvents":[{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":1,"dur":3}]'
        self.write("t.json", "{" + one + ',"x":1,' + one + "}")
        r = self.ok("metric", "kernel_calls", "t.json")
        self.assertEqual(r.out, "2\n")
        self.assertIn("JSN-39", r.err)
        self.fails(3, "metric", "kernel_calls", "t.json", "--strict")

    def test_a_folder_passes_by_what_is_no_trace(self):
        self.assertEqual(len(self.lanes(AIU)), 3)
        self.write("mixed/readme.md", "hello")
        self.write("mixed/empty.json", "")
        self.write("mixed/t.json")
        self.assertEqual(len(self.lanes("mixed")), 1)


class RunFolders(MetricCase):
    """Folders that a source knows: their inputs in order, with tags from cards and names."""

    def lanes(self, *words):
        return self.json("info", "--json", *words)["inputs"]

    def test_a_tree_of_run_folders(self):
        self.write_run(result(), result(), folder="tree/b")
        self.write_run(result(), folder="tree/a_eplbon", card=None)
        self.write("tree/readme.md", "hello")
        self.write("tree/c/gates_logs_1/gate_logs_0.json", gate_log([[1, 3]]))
        lanes = self.lanes("tree")
        self.assertEqual([i["name"] for i in lanes], ["tree/a_eplbon/results_json/0.json", "tree/b/results_json/0.json",
                                                      "tree/b/results_json/1.json", "tree/c/gates_logs_1"])
        self.assertEqual([i["source"] for i in lanes], ["bench-json"] * 3 + ["gate-log"])
        self.assertEqual([i["tags"]["run"] for i in lanes], ["a_eplbon", "b", "b", "c"])
        self.assertEqual([i["tags"].get("phase") for i in lanes], [None, "inference", "inference", None])
        self.assertEqual([i["tags"].get("eplb") for i in lanes], ["on", None, None, None])
        self.assertEqual(lanes[2]["tags"]["file"], "1.json")

    def test_labels_and_tags_are_of_all_inputs_in_it(self):
        self.write_run(result(), result())
        lanes = self.lanes("mine=team=x,phase=training:run")
        self.assertEqual([(i["label"], i["tags"]["team"], i["tags"]["phase"]) for i in lanes], [("mine", "x", "training")] * 2)

    def test_other_folders_are_read_as_ever(self):
        self.write("traces/rank0.json")
        self.write("traces/notes.yaml", "title: mine\n")
        lanes = self.lanes("traces")
        self.assertEqual([(i["name"], i["tags"]) for i in lanes], [("traces/rank0.json", {})])

    def test_a_broken_card_stops_its_run_and_not_a_tree(self):
        self.write_run(result(), folder="tree/a", card="workload: [\n")
        self.write_run(result(), folder="tree/b")
        self.fails(3, "info", "tree/a", says=["error[CARD-", "tree/a/card.yaml:", "help:"])
        self.assertIn("CARD-04", self.ok("run", "-p", "serving", "tree", "-o", "out").out)
        tags = [i["tags"] for i in json.loads((self.folder / "out" / "run.json").read_text())["lanes"]]
        self.assertEqual([("card_error" in t, t.get("phase"), t["run"]) for t in tags], [(True, None, "a"), (False, "inference", "b")])
        self.fails(3, "run", "-p", "serving", "tree", "-o", "strict", "--strict", says="CARD-04")

    def test_profiles_for_records_and_for_traces(self):
        def fits(word):
            return [p["name"] for p in self.json("info", word, "--json")["profiles"] if p["fits"]]
        self.write_run(result())
        self.write("gates_logs_0/gate_logs_0.json", gate_log([[1, 3]]))
        self.assertEqual(fits("run"), ["serving", "convert", "info", "serving-sweep"])
        self.assertEqual(fits("gates_logs_0"), ["moe-load", "convert", "info"])
        self.assertEqual(fits(KINETO), ["torch", "kernels", "aiu-verify", "collectives", "convert", "gemm-compare", "gemm-variance", "info", "timeline", "torch-diff", "torch-modules", "torch-trace", "torch-why"])

    def test_a_card_is_no_input(self):
        self.write("card.yaml", CARD)
        self.fails(3, "info", "card.yaml", says="folder")


class Following(MetricCase):
    """One input with several lanes, one behind the other."""

    def test_names_and_tags_of_their_own(self):
        """Lanes are numbered in rounds: the first of each input, then the second of each that has one."""
        self.write("one.json", result(max_concurrency=1))
        self.write("runs.json", result(max_concurrency=2) + "\n" + detailed(max_concurrency=4) + result(model_id="m"))
        self.ok("run", "-p", "serving", "runs.json", "one.json", "-o", "out")
        doc = json.loads((self.folder / "out" / "run.json").read_text())
        self.assertEqual([(i["name"], i["lanes"], i["events"]) for i in doc["inputs"]], [("runs.json", [0, 2, 3], 9), ("one.json", [1], 1)])
        self.assertEqual([(i["index"], i["name"], i["tags"].get("max_concurrency"), i["tags"].get("model")) for i in doc["lanes"]],
                         [(0, "runs.json", "2", None), (1, "one.json", "1", None), (2, "runs.json (run 2)", "4", None),
                          (3, "runs.json (run 3)", None, "m")])
        names = [i["name"] for i in json.loads((self.folder / "out" / "summary.json").read_text())["lanes"]]
        self.assertEqual(names, [i["name"] for i in doc["lanes"]])

    def test_they_are_what_as_many_files_are(self):
        texts = [detailed(request_rate=k) for k in (8, 2, 4)]
        self.write("runs.json", "".join(texts))
        for k, text in enumerate(texts):
            self.write(f"{k}.json", text)
        for name in ("ttft.p90", "request_throughput.sum", "concurrency", "saturation_load"):
            apart = self.run_program("metric", name, "0.json", "1.json", "2.json")
            for options in ([], ["-j", "4"], ["--max-memory", "1MiB"]):
                together = self.run_program("metric", name, "runs.json", *options)
                self.assertEqual((together.status, together.out), (apart.status, apart.out), f"{name} {options}: {together.err}")
        self.assertEqual(self.value("ttft.n", "runs.json", "--by", "request_rate"), "2\t5\n4\t5\n8\t5")

    def test_an_error_in_a_later_one(self):
        self.write("runs.json", result() + "\n" + result(duration="long") + "\n" + result())
        self.write("other.json", result())
        for jobs in ("1", "4"):
            r = self.fails(3, "run", "-p", "serving", "runs.json", "other.json", "-j", jobs, "-o", "stopped",
                           says=['"duration" needs a number', "runs.json:14:14"])
            self.assertEqual(r.err.count("error["), 1)
            self.assertFalse((self.folder / "stopped").exists())
            self.fails(3, "run", "-p", "serving", "runs.json", "other.json", "-j", jobs, "-o", "went", "-f", "--keep-going")
            rows = (self.folder / "went" / "tables" / "runs.csv").read_text().splitlines()
            self.assertEqual([row.split(",")[1] for row in rows], ["input", "other.json", "runs.json"])

    def test_one_that_cannot_be_opened(self):
        """--keep-going: it fails alone, whether it is empty, in no known format, or not whole as compressed data."""
        self.write("good.json", result())
        for name, data in (("empty.json", b""), ("odd.json", b"what is this"), ("cut.json.gz", b"\x1f\x8b\x08\x00")):
            self.write(name, data)
            self.fails(3, "run", "-p", "serving", name, "good.json", "-o", "stopped", says=name)
            self.assertFalse((self.folder / "stopped").exists())
            r = self.fails(3, "run", "-p", "serving", name, "good.json", "-o", "went", "-f", "--keep-going", says=name)
            self.assertIn("1 event · ", r.out)
            failures = json.loads((self.folder / "went/run.json").read_text())["failures"]
            self.assertEqual([f["status"] for f in failures], [3])
            self.assertIn(name, failures[0]["what"])
            r = self.fails(3, "plan", "-p", "serving", name, "good.json", "--keep-going", says=name)
            self.assertIn("latency", r.out)
            self.fails(3, "run", "-p", "serving", name, "-o", "nothing", "--keep-going", says=name)
            self.assertFalse((self.folder / "nothing").exists())

    def test_stages_beside_the_one_that_gives_a_metric_do_not_run(self):
        self.write("runs.json", result() + result(mean_ttft_ms=...))
        self.assertIn("LAT-", self.ok("metric", "ttft", "runs.json").err)
        r = self.refused(3, "concurrency", "runs.json", says="does not apply")
        self.assertNotIn("LAT-", r.err)

    def test_groups_and_lanes_without_a_tag(self):
        self.write("runs.json", result(max_concurrency=32) + result(max_concurrency=8) + result())
        self.ok("run", "-p", "serving", "--set", "by=max_concurrency,model", "model=x:runs.json", "-o", "out")
        rows = (self.folder / "out" / "tables" / "throughput.csv").read_text().splitlines()
        self.assertEqual([row.split(",")[:3] for row in rows],
                         [["max_concurrency", "model", "runs"], ["", "x", "1"], ["8", "x", "1"], ["32", "x", "1"]])
        doc = json.loads((self.folder / "out" / "summary.json").read_text())
        groups = [m["group"] for m in doc["metrics"] if (m["name"], m.get("stat")) == ("request_throughput", "mean")]
        self.assertEqual(groups, [{"max_concurrency": k, "model": "x"} for k in ("", "8", "32")])
        self.assertEqual(self.value("ttft", "model=x:runs.json", "--by", "max_concurrency,model"), ",x\t10.5\n8,x\t10.5\n32,x\t10.5")

    def test_groups_of_odd_values(self):
        odd = ["a\nmodel=x", "a\nmodel=y", "t\tab", "e\x1bm", "back\\slash"]
        for blanks, name in enumerate(odd):
            self.write(name, result() + " " * blanks)  # files of one content would be copies
        doc = self.json("metric", "ttft", *odd, "--by", "file", "--json")
        self.assertEqual(sorted(v["group"]["file"] for v in doc["values"]), sorted(odd))
        self.assertEqual({len(v["group"]) for v in doc["values"]}, {1})
        self.assertEqual(sorted(self.value("ttft", *odd, "--by", "file").splitlines()),
                         sorted(["a\\x0amodel=x\t10.5", "a\\x0amodel=y\t10.5", "t\\x09ab\t10.5",
                                 "e\\x1bm\t10.5", "back\\slash\t10.5"]))
        self.ok("run", "-p", "serving", "--set", "by=file", *odd, "-o", "out")
        doc = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertEqual({m["group"]["file"] for m in doc["metrics"] if "group" in m}, set(odd))

    def test_a_tag_that_nobody_has(self):
        self.write("runs.json", result())
        r = self.fails(2, "metric", "ttft", "runs.json", "--by", "fiel", says='did you mean "file"')
        self.assertEqual(r.out, "")
        self.assertIn("tags: ", r.err)
        r = self.ok("run", "-p", "serving", "--set", "by=modle", "runs.json", "-o", "modle")
        self.assertIn("RUN-23", r.out + r.err)
        self.assertNotIn("RUN-23", self.ok("metric", "ttft", "runs.json", "--by", "file").err)


class BadInputs(Case):
    def test_missing(self):
        self.write("rank0.json")
        self.fails(3, "info", "rank9.json", says=["there is no file", 'did you mean "rank0.json"?'])
        self.fails(3, "info", "no/such/file.json", says='the folder "no/such"')
        self.fails(3, "info", "*.gz", says="no file matches")
        self.fails(3, "info", "r{rank}.json", says="no file matches")

    def test_a_pattern_that_cannot_see_a_folder(self):
        self.write("good/t.json")
        os.symlink("loop", self.folder / "loop")
        for pattern in ("loop/*.json", "*/t.json"):
            r = self.fails(3, "info", pattern, says=[f'some files that "{pattern}" may match cannot be seen', "loop"])
            self.assertEqual(r.out, "")
        os.remove(self.folder / "loop")
        self.ok("info", "*/t.json")
        self.write("secret/t.json")
        os.chmod(self.folder / "secret", 0)
        self.addCleanup(os.chmod, self.folder / "secret", 0o700)
        for pattern in ("secret/*.json", "*/t.json", "*/*.json"):
            r = self.run_without_rights("info", pattern)
            self.assertEqual((r.status, r.out), (3, ""))
            self.assertRegex(r.err, "secret.*: Permission denied")

    def test_a_pattern_that_means_a_link_to_nothing(self):
        self.write("rank0.json")
        os.symlink("gone", self.folder / "rank1.json")
        for pattern in ("rank{rank}.json", "rank?.json"):
            self.fails(3, "info", pattern, says=["cannot be seen", "rank1.json: a link to a missing file"])
        self.ok("info", "rank[!1].json")

    def test_all_missing_ones_are_reported_at_once(self):
        r = self.fails(3, "info", "one.json", "two.json")
        self.assertEqual(r.err.count("error["), 2)

    def test_empty_and_unknown(self):
        self.write("empty.json", "")
        self.fails(3, "info", "empty.json", says="empty")
        self.write("noise.json", bytes(range(256)) * 40)
        self.fails(3, "info", "noise.json", says="the format of")
        (self.folder / "folder").mkdir()
        self.fails(3, "info", "folder", says="no files")
        self.write("folder/readme.md", "hello")
        self.fails(3, "info", "folder", says="no source can read a file in the folder")

    def test_unreadable(self):
        os.chmod(self.write("secret.json"), 0)
        r = self.run_without_rights("info", "secret.json")
        self.assertEqual(r.status, 3)
        self.assertIn("Permission denied", r.err)

    def test_compressed_data_cut_before_its_first_byte(self):
        for name, data in (("t.json.gz", gzip.compress(b"x")[:7]), ("t.json.zst", b"\x28\xb5\x2f\xfd\x04")):
            self.write(name, data)
            for more in ([], ["--recover"]):
                r = self.fails(3, "info", name, *more, says=f"{name} cannot be read: the ")
                self.assertIn(f"data ends too early, after {len(data)} bytes", r.err)
        self.write("t.json.gz", gzip.compress(b""))
        self.fails(3, "info", "t.json.gz", says="is empty")

    def test_truncated_anywhere(self):
        text = (KINETO / "rank0.json").read_bytes()
        for percent in range(5, 100, 10):
            self.write("cut.json", text[: len(text) * percent // 100])
            for more in ([], ["--recover"], ["--strict"]):
                r = self.run_program("convert", "cut.json", "-o", "out.json", "-f", *more)
                self.assertIn(r.status, (0, 3), r.err)
                if r.status == 0:
                    json.loads((self.folder / "out.json").read_text())

    def test_names_beyond_the_memory_limit(self):
        event = '{"ph":"X","name":"%d%s","pid":0,"tid":1,"ts":%d,"dur":2}'
        events = ",\n".join(event % (i, "x" * 400, i) for i in range(20000))
        self.write("names.json", '{"traceEvents":[%s]}' % events)
        self.ok("run", "-p", "info", "names.json")
        self.fails(8, "run", "-p", "info", "names.json", "--max-memory", "4MiB", says="error[RUN-12]")

    def test_input_that_shrinks_while_it_is_read(self):
        event = '{"ph":"X","name":"kernel %d","cat":"kernel","pid":0,"tid":1,"ts":%d,"dur":2}'
        text = '{"traceEvents":[%s]}' % ",\n".join(event % (i % 9, 5 * i) for i in range(200000))
        for late, formats, threads in ((False, "text", 1), (False, "text", 2), (True, "trace", 1)):
            self.write("trace.json", text)
            self.write("p.json", json.dumps({"profile": 1, "formats": [formats], "stages": [
                {"use": "test.shrinker", "with": {"file": "trace.json", "late": late}}]}))
            self.fails(3, "run", "-p", "./p.json", "trace.json", "-o", "out", "-j", threads,
                       "--stage-path", BUILD / "tests" / "cli", says="trace.json cannot be read: it shrank")
            self.assertFalse((self.folder / "out").exists())

    def test_lists_have_bounds(self):
        self.write("zeros", bytes(1000))
        self.write("long", "x" * 20000)
        self.write("large", "#\n" * (9 << 20))
        self.fails(3, "info", "@zeros", says="it is not a text file")
        self.fails(3, "info", "@long", says="longer than 16 KiB")
        self.fails(3, "info", "@large", says="longer than 16 MiB")
        self.fails(3, "info", "@missing", says="No such file")
        self.write("trace.json", "nothing\n" * 1000)
        r = self.fails(3, "info", "@trace.json", says="leave out the @")
        self.assertLess(r.err.count("\n"), 50)

    def test_strict_makes_a_repair_an_error(self):
        self.write("nan.json", SMALL.replace('"dur":2', '"dur":2,"args":{"x":NaN}'))
        self.ok("convert", "nan.json", "-o", "a.json")
        self.fails(3, "convert", "nan.json", "-o", "b.json", "--strict")
        self.assertFalse((self.folder / "b.json").exists())
