"""Inputs as the command line names them, and what is wrong with them."""
import gzip
import json
import os

from harness import AIU, KINETO, SMALL, Case


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

    def test_one_rank_in_all_parts_of_a_pattern(self):
        for folder, file in ((0, 0), (0, 1), (1, 1)):
            self.write(f"node{folder}/t{file}.json")
        self.assertEqual([i["name"] for i in self.lanes("node{rank}/t{rank}.json")], ["node0/t0.json", "node1/t1.json"])

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

    def test_a_folder_passes_by_what_is_no_trace(self):
        self.assertEqual(len(self.lanes(AIU)), 3)
        self.write("mixed/readme.md", "hello")
        self.write("mixed/empty.json", "")
        self.write("mixed/t.json")
        self.assertEqual(len(self.lanes("mixed")), 1)


class BadInputs(Case):
    def test_missing(self):
        self.write("rank0.json")
        self.fails(3, "info", "rank9.json", says=["there is no file", 'did you mean "rank0.json"?'])
        self.fails(3, "info", "no/such/file.json", says='the folder "no/such"')
        self.fails(3, "info", "*.gz", says="no file matches")
        self.fails(3, "info", "r{rank}.json", says="no file matches")

    def test_all_missing_ones_are_told_at_once(self):
        r = self.fails(3, "info", "one.json", "two.json")
        self.assertEqual(r.err.count("error["), 2)

    def test_empty_and_unknown(self):
        self.write("empty.json", "")
        self.fails(3, "info", "empty.json", says="empty")
        self.write("noise.json", bytes(range(256)) * 40)
        self.fails(3, "info", "noise.json", says="no format")
        (self.folder / "folder").mkdir()
        self.fails(3, "info", "folder", says="no files")
        self.write("folder/readme.md", "hello")
        self.fails(3, "info", "folder", says="none of the files")

    def test_unreadable(self):
        if os.geteuid() == 0:
            self.skipTest("root reads everything")
        os.chmod(self.write("secret.json"), 0)
        self.fails(3, "info", "secret.json", says="Permission denied")

    def test_truncated_anywhere(self):
        text = (KINETO / "rank0.json").read_bytes()
        for percent in range(5, 100, 10):
            self.write("cut.json", text[: len(text) * percent // 100])
            for more in ([], ["--recover"], ["--strict"]):
                r = self.run_program("convert", "cut.json", "-o", "out.json", "-f", *more)
                self.assertIn(r.status, (0, 3), r.err)
                if r.status == 0:
                    json.loads((self.folder / "out.json").read_text())

    def test_strict_makes_a_repair_an_error(self):
        self.write("nan.json", SMALL.replace('"dur":2', '"dur":2,"args":{"x":NaN}'))
        self.ok("convert", "nan.json", "-o", "a.json")
        self.fails(3, "convert", "nan.json", "-o", "b.json", "--strict")
