"""Names of files with tags: a file for each configuration of a sweep."""
# SPDX-License-Identifier: MIT
import itertools
import json
import subprocess
import sys

from harness import BUILD, SOURCE, Case

SWEEP = SOURCE / "samples" / "sweep"
CONFIGURATIONS = list(itertools.product((256, 512), (28, 56)))


class TagNames(Case):
    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def files(self, folder="."):
        return sorted(str(p.relative_to(self.folder / folder)) for p in (self.folder / folder).rglob("*") if p.is_file())

    def refused(self, output, *words, says, status=2):
        self.fails(status, "convert", *words, "-o", output, says=says)

    def test_each_configuration_is_as_if_alone(self):
        self.ok("convert", SWEEP, "-o", "out/{threads}thread_{channels}ch_merged.json")
        self.assertEqual(self.files("out"), [f"{t}thread_{c}ch_merged.json" for t, c in CONFIGURATIONS])
        for t, c in CONFIGURATIONS:
            self.ok("convert", SWEEP / f"{t}thread" / f"nccl_{c}channels", "-o", "one.json", "-f")
            self.assertEqual(self.read(f"out/{t}thread_{c}ch_merged.json"), self.read("one.json"))

    def test_the_files_are_lanes_again(self):
        self.ok("convert", SWEEP, "-o", "{threads}.json")
        for name in ("256.json", "512.json"):
            lanes = self.json("info", "--json", name)["inputs"]
            self.assertEqual([i["rank"] for i in lanes], [0, 1, 0, 1])

    def test_tags_of_folders_and_the_rank(self):
        self.ok("convert", SWEEP, "-o", "out/{threads}/{channels}/rank{rank}.json")
        self.assertEqual(self.files("out"), [f"{t}/{c}/rank{r}.json" for t, c in CONFIGURATIONS for r in range(2)])
        own = SWEEP / "512thread/nccl_28channels/torch_profiler/rank1/customer_trace.json"
        self.ok("convert", own, "-o", "own.json")
        self.assertEqual((self.folder / "out/512/28/rank1.json").read_bytes(), (self.folder / "own.json").read_bytes())

    def test_one_input_is_not_changed(self):
        """Of a group of one it is the trace as it was."""
        self.write("a.json")
        self.write("b.json")
        self.ok("convert", "run=x:a.json", "run=y:b.json", "-o", "{run}-{run}.json")
        self.ok("convert", "a.json", "-o", "own.json")
        self.assertEqual((self.folder / "x-x.json").read_bytes(), (self.folder / "own.json").read_bytes())
        self.assertIn("y-y.json", self.files())

    def test_whatever_the_number_of_threads(self):
        found = []
        for folder, how in (("a", ["-j", "1"]), ("b", ["-j", "4", "--batch-size", "3"])):
            self.ok("convert", SWEEP, "-o", folder + "/{threads}-{channels}.json", *how)
            found.append([(self.folder / folder / name).read_bytes() for name in self.files(folder)])
        self.assertEqual(*found)

    def test_the_label_and_the_file(self):
        self.write("x/one.json")
        self.write("y/two.json")
        self.ok("convert", "base=x/one.json", "new=y/two.json", "-o", "{label}.json")
        self.ok("convert", "x/one.json", "y/two.json", "-o", "z/{file}.json")
        self.assertEqual(self.files(), ["base.json", "new.json", "x/one.json", "y/two.json", "z/one.json.json", "z/two.json.json"])

    def test_names_that_are_none(self):
        self.write("t.json")
        for output, says in (("{.json", "not closed"), ("{}.json", "{} is not"), ("a{a b}.json", "{a b}"), ("{x/y}.json", "{x/y}"),
                             ("{{x}}.json", "{{x}"), ("{x\n}.json", "{x\\n}")):
            self.refused(output, "t.json", says=says)
        self.assertEqual(self.files(), ["t.json"])

    def test_an_input_without_the_tag(self):
        self.write("t.json")
        self.refused("{threads}.json", SWEEP, "t.json", says=['an input has no tag "threads"', "t.json", "threads=VALUE:PATH"])
        self.refused("{thread}.json", SWEEP, says='no tag "thread"')
        self.assertEqual(self.files(), ["t.json"])

    def test_values_that_lead_elsewhere(self):
        for name, says in (("a..b", "two dots"), ("a\tb", "control"), ("n" * 201, "200 bytes")):
            self.write(f"d/{name}")
            self.refused("out/{file}.json", f"d/{name}", says=says)
        self.refused("out/{input}.json", "d/a..b", says="slash")
        self.refused("{x}.json", "x=..:d/a..b", says="two dots")
        self.assertFalse((self.folder / "out").exists())

    def test_two_groups_of_one_name(self):
        self.write("t.json")
        self.write("u.json")
        self.refused("out/{a}{b}.json", "a=1,b=23:t.json", "a=12,b=3:u.json", says=["different tags", "out/123.json"])
        self.assertFalse((self.folder / "out").exists())

    def test_all_or_none(self):
        self.write("t.json")
        self.write("broken.json", '{"traceEvents": [{"ph":"X"')
        self.refused("out-{run}.json", "run=1:t.json", "run=2:broken.json", says="broken.json", status=3)
        self.write("out-2.json", "mine")
        self.refused("out-{run}.json", "run=1:t.json", "run=2:t.json", says="-f", status=6)
        self.assertEqual(self.files(), ["broken.json", "out-2.json", "t.json"])
        self.assertEqual((self.folder / "out-2.json").read_text(), "mine")
        self.ok("convert", "run=1:t.json", "run=2:t.json", "-o", "out-{run}.json", "-f")
        self.assertEqual(len(self.read("out-2.json")["traceEvents"]), 2)

    def test_an_input_is_not_replaced(self):
        before = self.write("r1.json").read_bytes()
        self.refused("r{run}.json", "run=1:r1.json", says="one of the inputs", status=6)
        self.fails(6, "convert", "run=1:r1.json", "-o", "r{run}.json", "-f", says="one of the inputs")
        self.assertEqual((self.folder / "r1.json").read_bytes(), before)

    def test_parts(self):
        """A rank by itself can be split, several cannot."""
        self.refused("{threads}.json", SWEEP, "--split-size=4k", says="{rank}")
        self.ok("convert", SWEEP, "-o", "p/{threads}-{channels}-{rank}.json", "--split-size=4k")
        self.assertIn("256-28-0-002.json", self.files("p"))

    def test_the_merged_stream_has_no_tags(self):
        """A stage that needs one stream of all makes one of other configurations, too."""
        self.write("t.json")
        self.write("joint.json", json.dumps({"profile": 1, "name": "joint", "stages": [{"use": "flow"}]}))
        words = ["run", "-p", "./joint.json", "run=1:t.json", "run=2:t.json", "--format", "trace", "-o", "out"]
        self.fails(5, *words, "--set", "trace.file={run}.json", says="all inputs into one stream")
        self.assertFalse((self.folder / "out").exists())
        self.write("u.json")
        self.ok(*words[:3], "run=1:t.json", "run=1:u.json", *words[5:], "--set", "trace.file={run}.json")
        self.assertIn("1.json", self.files("out"))

    def test_of_any_profile(self):
        self.ok("run", "-p", "convert", SWEEP, "-o", "out", "--set", "trace.file=t-{threads}.json")
        self.assertIn("t-512.json", self.files("out"))
        self.fails(5, "run", "-p", "convert", SWEEP, "-o", "none", "--set", "trace.file={x}.json", says='no tag "x"')
        self.assertFalse((self.folder / "none").exists())

    def skewed(self, run, skew_us):
        subprocess.run([str(BUILD / "tests/gen/aiu-gen"), "--ranks", "2", "--skew-us", str(skew_us), "--collectives", "20",
                        "-o", str(self.folder / run) + "{rank}.json", "--truth", str(self.folder / "truth")], check=True)
        return [f"run={run}:{run}{rank}.json" for rank in range(2)]

    def test_clocks_of_configurations_are_apart(self):
        """Ranks and collectives of both have the same names."""
        inputs = self.skewed("a", 40) + self.skewed("b", 900)
        self.ok("convert", *inputs, "--align", "-o", "{run}.json")
        self.ok("convert", *inputs, "--enable", "rank-sync", "-o", "e-{run}.json")
        for run in "ab":
            self.ok("convert", f"{run}0.json", f"{run}1.json", "--align", "-o", "own.json", "-f")
            times = [[e.get("ts") for e in self.read(name)["traceEvents"]] for name in (f"{run}.json", f"e-{run}.json", "own.json")]
            self.assertEqual(times[0], times[2])
            self.assertEqual(times[1], times[2])
