"""What each command prints and writes."""
# SPDX-License-Identifier: MIT
import gzip
import json
import os
import re
import shlex
import subprocess

from harness import AIU, BUILD, HAS_PAGE, HAS_PICTURES, KINETO, SMALL, SOURCE, Case, needs_page


class Run(Case):
    @needs_page
    def test_default_output_and_what_is_printed(self):
        r = self.ok("run", "-p", "kernels", KINETO / "rank0.json")
        folder = self.folder / "rank0.kernels"
        summary = (folder / "summary.txt").read_text()
        self.assertTrue(r.out.startswith(summary))
        rest = r.out[len(summary):].strip().splitlines()
        self.assertRegex(rest[0], r"^1,000 events · .* · peak ")
        self.assertTrue(rest[1].startswith("wrote rank0.kernels/"))
        self.assertIn("summary.json", rest[1])
        self.assertEqual(r.err, "")
        json.loads((folder / "run.json").read_text())

    def test_a_folder_names_the_output_after_itself(self):
        self.ok("run", "-p", "timeline", KINETO)
        self.assertTrue((self.folder / "kineto.timeline").is_dir())

    def test_json_is_one_object(self):
        doc = self.json("run", "-p", "kernels", KINETO, "--json")
        self.assertEqual(doc["profile"], "kernels")
        self.assertEqual(doc, json.loads((self.folder / "kineto.kernels" / "summary.json").read_text()))
        self.assertTrue(self.json("run", "-p", "kernels", KINETO, "--json", "--format=csv", "-o", "c")["tables"])

    def test_formats(self):
        self.ok("run", "-p", "kernels", KINETO, "-o", "a", "--format", "csv,trace")
        self.assertEqual(sorted(os.listdir(self.folder / "a")), ["run.json", "tables", "trace.json.gz"])
        self.fails(2, "run", "-p", "kernels", KINETO, "-o", "b", "--format", "cvs", says='did you mean "csv"')

    def test_warnings_are_shown_whatever_is_written(self):
        self.write("t.json", SMALL.replace('"dur":2', '"dur":2,"args":{"x":NaN}'))
        for formats, shown in (("trace", "warning[JSN-"), ("csv,json", "warning[JSN-"), ("text,trace", "warning[JSN-")):
            out = self.ok("run", "-p", "kernels", "t.json", "-f", "-o", "out", "--format", formats).out
            self.assertIn(shown, out)
            self.assertEqual(out.count("warning["), 1)
        self.assertNotIn("warning[", self.ok("run", "-p", "kernels", KINETO, "-o", "clean", "--format", "trace").out)

    def test_window_options_set_parameters(self):
        self.ok("run", "-p", "kernels", KINETO / "rank0.json", "--max-events", "100", "-o", "a", "--format=trace")
        all_events = self.json("info", "--json", KINETO / "rank0.json")["inputs"][0]["events"]
        some = self.json("info", "--json", "a/trace.json.gz")["inputs"][0]["events"]
        self.assertLess(some, all_events)
        self.fails(2, "run", "-p", "info", KINETO, "--steps", "1-2", says=["--steps", 'has no parameter "steps"'])

    def test_steps_and_ranks_are_checked_before_the_run(self):
        for option, value in (("steps", "20-10"), ("steps", "1-"), ("steps", "-1"), ("ranks", "a")):
            self.fails(2, "convert", KINETO, f"--{option}={value}", "-o", "x.json",
                       says=f'option "{option}" cannot be "{value}"')
        self.assertEqual(os.listdir(self.folder), [])
        self.assertIn("LIM-04", self.ok("convert", KINETO, "--ranks", "1000", "-o", "x.json").out)
        self.assertNotIn("LIM-04", self.ok("convert", KINETO, "--ranks", "0", "-o", "y.json").out)

    def test_timings_name_the_stages(self):
        self.assertIn("kernel-time", self.ok("run", "-p", "kernels", KINETO, "--timings").err)


class Alone(Case):
    """-p takes a stage where no profile is called so."""

    def test_run(self):
        out = self.ok("run", "-p", "contents", KINETO / "rank0.json").out
        self.assertTrue(out.startswith("List the contents of the inputs"), out)
        folder = self.folder / "rank0.contents"
        self.assertEqual({p.name for p in folder.iterdir()} - {"report.html"}, {"run.json", "summary.json", "summary.txt", "tables"})
        said = json.loads((folder / "run.json").read_text())["profile"]
        self.assertEqual((said["name"], [s["use"] for s in said["stages"]]), ("contents", ["contents"]))
        self.assertNotIn("file", said)
        self.ok("report", folder, "--format", "markdown")

    def test_options(self):
        tables = lambda *more: self.json("run", "-p", "time-order", KINETO / "rank0.json", "--format", "json", "--json", "-f", *more)
        self.assertEqual(tables()["profile"], "time-order")
        self.assertIn("limit.max-events = 7", self.ok("plan", "-p", "limit", "--set", "limit.max-events=7").out)
        self.fails(2, "plan", "-p", "limit", "--set", "limit.max-evnts=7", says='did you mean "max-events"')
        self.fails(2, "run", "-p", "limit", KINETO, "--steps", "1-2", says='has no parameter "steps"')

    def test_a_profile_comes_first(self):
        self.assertIn("block-slices", self.ok("plan", "-p", "block-sched").out)
        self.write("profiles/contents.json", json.dumps({"profile": 1, "stages": [{"use": "pair"}, {"use": "contents"}]}))
        self.assertIn("pair", self.ok("plan", "-p", "contents", "--profile-path", "profiles").out)

    def test_what_is_neither(self):
        self.fails(4, "run", "-p", "chrome-json", KINETO, says='unknown profile "chrome-json"')
        self.fails(4, "run", "-p", "nothing-such", KINETO, says="PRF-01")
        self.fails(4, "validate", "contents", says='unknown profile "contents"')
        self.assertNotIn("contents", [p["name"] for p in self.json("list", "profiles", "--json")])
        self.fails(4, "run", "-p", "overlap", KINETO, says=["needs the fact slices", 'stage "pair" provides it'])

    def test_metric(self):
        calls = self.ok("metric", "kernel_calls", KINETO).out
        self.assertEqual(self.ok("metric", "kernel_calls", KINETO, "-p", "kernel-time").out, calls)
        nowhere = {"STAGEMILL_PROFILE_PATH": "", "STAGEMILL_DATADIR": str(self.folder)}
        if not self.json("list", "profiles", "--json", **nowhere):
            self.assertEqual(self.ok("metric", "kernel_calls", KINETO, **nowhere).out, calls)


class Plan(Case):
    def test_files_are_those_that_a_run_writes(self):
        formats = "text,json,csv,markdown,sqlite,openmetrics,trace,events"
        plan = self.json("plan", "-p", "kernels", KINETO, "--format", formats, "--json")
        self.ok("run", "-p", "kernels", KINETO, "--format", formats, "-o", "out")
        out = self.folder / "out"
        written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
        self.assertEqual(set(plan["files"]), written)

    def test_the_same_arguments_as_run(self):
        r = self.ok("plan", "-p", "kernels", KINETO, "-o", "x", "-f", "--format=csv", "-j", "2", "--timings")
        self.assertIn("tables/kernel-time.csv", r.out)
        self.assertNotIn("summary.txt", r.out)
        self.assertEqual(os.listdir(self.folder), [])
        for inputs in ([], [KINETO]):
            for command in (["run"], ["plan"]) if inputs else (["plan"],):
                self.fails(2, *command, "-p", "kernels", *inputs, "--format=cvs", says='mean "csv"')

    @needs_page
    def test_the_files_are_those_that_a_run_writes(self):
        self.write("p.json", json.dumps({"profile": 1, "inherits": "kernels", "stages": [
            {"use": "kernel-time", "as": "own.use", "after": "kernel-time"}]}))
        planned = self.json("plan", "-p", "./p.json", KINETO, "--json")["files"]
        self.ok("run", "-p", "./p.json", KINETO, "-o", "out")
        written = [str(p.relative_to(self.folder / "out")) for p in (self.folder / "out").rglob("*") if p.is_file()]
        self.assertEqual(sorted(planned), sorted(written))

    def test_sorts_barriers_and_provenance(self):
        text = self.ok("plan", "-p", "aiu", AIU).out
        for part in ("sort the events", "barrier: wait for all lanes", "soc-mhz = 560 MHz", "default",
                     "filter   (profile aiu:"):
            self.assertIn(part, text)
        self.assertIn("merge all lanes", self.ok("plan", "-p", "aiu-comm", AIU).out)
        plan = self.json("plan", "-p", "aiu", AIU, "--json")
        self.assertEqual(plan["classes"][0]["dialect"], "aiu")
        self.assertIn("sort", [s["end"] for s in plan["classes"][0]["segments"]])
        dot = self.ok("plan", "-p", "aiu", AIU, "--dot").out
        self.assertTrue(dot.startswith("digraph") and dot.count("{") == dot.count("}"))

    def test_without_inputs(self):
        self.ok("plan", "-p", "aiu")

    def test_a_profile_that_does_not_fit(self):
        self.fails(4, "plan", "-p", "eplb", KINETO, says="input.kernel-summary")
        self.assertIn("left out: no input has clock.cycles", self.ok("plan", "-p", "aiu", KINETO).out)

    def test_a_cascaded_stage_is_listed_once(self):
        text = self.ok("plan", "-p", "aiu", "--disable", "pair", "--cascade").out
        self.assertEqual(re.findall(r"^  overlap .*$", text, re.M), ["  overlap   (--cascade: nothing provides slices)"])


class Metric(Case):
    def test_prints_the_value_alone(self):
        r = self.ok("metric", "kernel_calls", KINETO)
        self.assertEqual(r.out.strip(), str(int(r.out)))
        self.assertEqual(r.err, "")
        float(self.ok("metric", "kernel_duration.p50", KINETO).out)
        self.assertEqual(os.listdir(self.folder), [])

    def test_options_of_sources_without_a_profile(self):
        """They hold before one is chosen: generic traces give no clock."""
        for more in ([], ["-p", "aiu"]):
            self.ok("metric", "energy", AIU / "rank0.json", *more)
            for name in ("chrome-json", "source/chrome-json"):
                self.fails(3, "metric", "energy", AIU / "rank0.json", *more, "--set", name + ".dialect=generic", says="RUN-94")
            self.fails(2, "metric", "energy", AIU / "rank0.json", *more, "--set", "chrome-json.dialect=odd", says="in --set chrome-json")
            self.fails(2, "metric", "energy", AIU / "rank0.json", *more, "--set", "chrome-json.dialetc=aiu", says='mean "dialect"')
        for command in ("plan", "info", "validate"):
            self.fails(2, command, AIU / "rank0.json", "--set", "chrome-json.dialect=generic")
        plan = self.ok("plan", "-p", "aiu", AIU / "rank0.json", "--set", "chrome-json.dialect=generic").out
        self.assertIn("left out: no input has clock.cycles", plan)

    def test_the_same_as_in_the_summary(self):
        doc = self.json("run", "-p", "kernels", KINETO, "--json")
        for m in doc["metrics"]:
            name = m["name"] + ("." + m["stat"] if "stat" in m else "")
            got = self.json("metric", name, KINETO, "--json")
            self.assertEqual((got["value"], got["n"], got["unit"]), (m["value"], m["n"], m["unit"]))

    def test_not_applicable(self):
        self.write("t.json", SMALL.replace("kernel", "cpu_op"))
        r = self.fails(3, "metric", "kernel_duration.p50", "t.json", says="does not apply")
        self.assertEqual(r.out, "")

    def test_statistics_must_be_known(self):
        mean = self.ok("metric", "kernel_duration.mean", KINETO).out
        self.assertEqual(self.ok("metric", "kernel_duration", KINETO).out, mean)
        self.fails(2, "metric", "kernel_duration.p51", KINETO, says="no statistic")
        self.fails(2, "metric", "kernel_calls.p50", KINETO, says="no statistics")
        self.fails(2, "metric", "kernel_calls", says="needed")

    def test_a_second_use_of_a_stage(self):
        self.write("p.json", json.dumps({"profile": 1, "inherits": "kernels", "stages": [
            {"use": "kernel-time", "as": "nccl", "after": "kernel-time", "with": {"select": "nccl"}}]}))
        some, every = (int(self.ok("metric", name, "-p", "./p.json", KINETO).out) for name in ("nccl_kernel_calls", "kernel_calls"))
        self.assertLess(some, every)
        self.fails(4, "metric", "other_kernel_calls", "-p", "./p.json", KINETO, says="does not use")

    def test_list(self):
        self.assertEqual(self.ok("metric", "--list").out, self.ok("list", "metrics").out)


    def test_a_broken_profile_is_left_out_with_a_warning(self):
        self.write("profiles/aaa.json", "{")
        r = self.ok("metric", "kernel_time", KINETO, "--profile-path", "profiles")
        self.assertIn("aaa", r.err)
        self.assertIn("left out", r.err)


class Info(Case):
    def test_tables_problems_and_profiles(self):
        text = self.ok("info", KINETO).out
        for part in ("kineto", "metadata", "contents-kinds", "no problems found"):
            self.assertIn(part, text)
        self.assertRegex(text, r"(?m)^  kernels +fits ")
        self.assertRegex(text, r"(?m)^  aiu +does not fit ")
        doc = self.json("info", KINETO, "--json")
        self.assertEqual([i["rank"] for i in doc["inputs"]], [0, 1])
        self.assertEqual({p["name"]: p["fits"] for p in doc["profiles"]}["aiu"], False)
        self.assertEqual({t["name"] for t in doc["summary"]["tables"]}, {"contents", "contents-kinds", "contents-categories"})
        self.assertEqual(os.listdir(self.folder), [])

    def test_problems_are_reported(self):
        self.write("t.json", '{"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]}')
        self.assertIn("CONT-02", self.ok("info", "t.json").out)


class Convert(Case):
    def test_a_round_trip_gives_the_same_bytes(self):
        self.ok("convert", KINETO / "rank0.json", "-o", "a.json")
        self.ok("convert", "a.json", "-o", "b.json")
        self.assertEqual((self.folder / "a.json").read_bytes(), (self.folder / "b.json").read_bytes())
        self.assertEqual(self.ok("convert", "a.json", "-o", "-").out.encode(), (self.folder / "a.json").read_bytes())

    def test_sort(self):
        self.write("t.json")
        self.ok("convert", "t.json", "-o", "plain.json")
        self.ok("convert", "t.json", "-o", "sorted.json", "--sort")
        names = [[e["name"] for e in json.loads((self.folder / f).read_text())["traceEvents"]] for f in ("plain.json", "sorted.json")]
        self.assertEqual(names, [["b", "a"], ["a", "b"]])

    def test_merging_and_splitting(self):
        self.ok("convert", KINETO, "-o", "all.json.gz")
        self.ok("convert", KINETO, "-o", "out-{rank}.json.zst")
        self.assertEqual(self.lanes("out-0.json.zst", "out-1.json.zst"), [1000, 1000])
        self.assertEqual(self.lanes("all.json.gz"), [1000, 1000])

    def lanes(self, *names):
        return [i["events"] for i in self.json("info", "--json", *names)["inputs"]]

    def test_nothing_is_overwritten_unasked(self):
        self.write("t.json")
        self.write("there.json", "mine")
        self.fails(6, "convert", "t.json", "-o", "there.json", says="-f")
        self.assertEqual((self.folder / "there.json").read_text(), "mine")
        self.ok("convert", "t.json", "-o", "there.json", "-f")

    def test_the_input_is_never_the_output(self):
        self.write("t.json")
        os.link(self.folder / "t.json", self.folder / "link.json")
        os.symlink("t.json", self.folder / "soft.json")
        for name in ("t.json", "link.json", "soft.json", "./t.json"):
            self.fails(6, "convert", "t.json", "-o", name, "-f", says="one of the inputs")
        self.write("rank0.json")
        self.fails(6, "convert", "rank0.json", "-o", "rank{rank}.json", "-f", says="one of the inputs")
        for names, output in ((("a-lane0.json", "a-lane1.json"), "a{rank}.json"),
                              (("a-rank1.json", "b-rank1.json", "1-lane1.json"), "{rank}.json")):
            for name in names:
                self.write(name)
            self.fails(6, "convert", *names, "-o", output, "-f", says="one of the inputs")
        self.assertEqual((self.folder / "t.json").read_text(), SMALL)

    def test_where_to(self):
        self.write("t.json")
        self.fails(2, "convert", "t.json", says="-o")


class Look(Case):
    def test_lists(self):
        for what in ("stages", "sources", "sinks", "profiles", "metrics"):
            names = [x["name"] for x in self.json("list", what, "--json")]
            text = self.ok("list", what).out
            self.assertGreater(len(names), 0)
            for name in names:
                self.assertIn(name, text)

    def test_the_page_of_metrics(self):
        page = self.ok("list", "metrics", "--markdown").out
        rows = [[cell.strip() for cell in line.split(" | ")] for line in page.splitlines() if line.startswith("| `")]
        metrics = self.json("list", "metrics", "--json")
        self.assertEqual([row[0].split("`")[1] for row in rows], [m["name"] for m in metrics])
        self.assertEqual({len(row) for row in rows}, {8})
        ttft = next(row for row in rows if row[0] == "| `ttft`")
        self.assertEqual(ttft[1:7], ["ms", "lower", "mean,std,min,p50,p90,p95,p99,max,n,p*", "p50,p99", "input.bench", "latency"])
        for args in (["stages", "--markdown"], ["metrics", "--markdown", "--json"]):
            self.fails(2, "list", *args, says="--markdown")

    def test_show(self):
        for kind, what in (("stages", "stage"), ("sources", "source"), ("sinks", "sink"), ("profiles", "profile"), ("metrics", "metric"), ("rules", "rule")):
            for name in {x["name"] for x in self.json("list", what + "s", "--json")}:
                doc = self.json("show", f"{what}/{name}", "--json")
                self.assertEqual(doc["name"], name)
                self.check_same_facts(doc, self.ok("show", f"{what}/{name}").out)
                self.assertTrue(self.ok("show", f"{what}/{name}", "--markdown").out.startswith("# "))

    def check_same_facts(self, doc, text):
        """The page has a line for all that the object has."""
        words = " ".join(text.split())
        for key in ("options", "tables", "metrics", "figures", "notices", "params", "stages"):
            for row in doc.get(key, []):
                name = row.get("name", row.get("code", row.get("id", "")))
                self.assertIn(name, words)
        for key in ("needs", "wants", "provides", "spoils", "reads", "files", "formats", "rules"):
            self.assertIn(", ".join(doc.get(key) or []), words)
        for key in ("dialects", "facts"):
            for name in doc.get("for", {}).get(key, []):
                self.assertIn(name, words)
        if "two_phases" in doc:
            self.assertEqual("in two phases" in words, doc["two_phases"])

    def test_only_stages_claim(self):
        for kind in ("sources", "sinks"):
            self.assertEqual({tuple(x["claims"]) for x in self.json("list", kind, "--json")}, {()})
        claims = {x["name"]: x["claims"] for x in self.json("list", "stages", "--json")}
        self.assertIn("read-only", claims["kernel-time"])

    def test_what_show_says_of_options_facts_and_formats(self):
        text = " ".join(self.ok("show", "sink/text").out.split())
        self.assertIn("(int, 0 to 1000000; default 15)", text)
        text = " ".join(self.ok("show", "sink/chrome-json").out.split())
        self.assertIn("(duration, at least 0, in ns or with a unit; default 0)", text)
        self.assertRegex(text, r"sink chrome-json \S+, .* format trace ")
        text = " ".join(self.ok("show", "requests").out.split())
        self.assertIn("(int, 0 to 1000000; default 20)", text)
        text = " ".join(self.ok("show", "source/chrome-json").out.split())
        self.assertIn("may provide clock.cycles, trace.kineto", text)
        self.assertIn(". Effect: none: the events are complete", text)
        self.assertIn("uses if present slices", " ".join(self.ok("show", "rank-sync").out.split()))
        self.assertRegex(self.ok("list", "sinks").out, r"^name +format ")
        self.assertIn(("chrome-json", "trace"), [(s["name"], s["format"]) for s in self.json("list", "sinks", "--json")])

    def test_all_that_bear_a_name_are_shown(self):
        for name, kinds in (("chrome-json", ["source", "sink"]), ("block-sched", ["stage", "profile"])):
            parts = [self.ok("show", f"{kind}/{name}").out for kind in kinds]
            self.assertEqual(self.ok("show", name).out, "\n".join(parts))
            pages = [self.ok("show", f"{kind}/{name}", "--markdown").out for kind in kinds]
            self.assertEqual(self.ok("show", name, "--markdown").out, "\n".join(pages))
            lines = self.ok("show", name, "--json").out.splitlines()
            self.assertEqual([json.loads(line)["kind"] for line in lines], kinds)

    def test_validate(self):
        for profile in self.json("list", "profiles", "--json"):
            self.ok("validate", profile["name"])
        bad = {"profile": 1, "stages": [{"use": "kernel-tme"}, {"use": "filter", "with": {"keep-nme": "x"}}]}
        self.write("bad.json", json.dumps(bad))
        self.fails(4, "validate", "./bad.json", says=["./bad.json:1:", 'did you mean "kernel-time"'])
        r = self.run_program("validate", "./bad.json", "kernels", "--json")
        docs = json.loads(r.out)
        self.assertEqual((r.status, [d["valid"] for d in docs]), (4, [False, True]))
        self.fails(4, "validate", "nothing-such")

    def test_explain(self):
        self.assertIn("PRF-03", self.ok("explain", "prf-03").out)
        for stage in self.json("list", "stages", "--json"):
            for notice in stage["notices"]:
                self.assertEqual(self.json("explain", notice["code"], "--json")["code"], notice["code"])

    def test_schema(self):
        for name in self.ok("schema").out.split():
            self.json("schema", name)
        self.assertIn("kernel-time", self.ok("schema", "profile").out)

    def test_doctor(self):
        text = self.ok("doctor").out
        for part in ("version", "folders searched", "refused", "STAGEMILL_STAGE_PATH", "max-memory", "pages"):
            self.assertIn(part, text)
        self.assertEqual(self.json("doctor", "--json")["refused"], [])
        self.write("bad/bad.so", "no module")
        doc = self.json("doctor", "--json", "--stage-path", "bad")
        self.assertEqual(len(doc["refused"]), 1)

    def test_demo(self):
        names = ("aiu", "serving", "kernels", "eplb", "compare")
        lines = self.ok("demo").out.splitlines()
        self.assertEqual(lines[::2], [f"demo/{name}/" + ("report.html" if HAS_PAGE else "summary.txt") for name in names])
        for line, found in zip(lines[1::2], ("100 % devices have", "4 configurations: best", "kernel_time 18.62 ms", "eplb_change -8.0 %", "failed_share rose")):
            self.assertTrue(line.startswith("  " + found), line)
            self.assertLessEqual(len(line), 80)
        for name in names:
            self.assertTrue((self.folder / "demo" / name / "summary.json").exists())
            self.assertEqual((self.folder / "demo" / name / "report.html").exists(), HAS_PAGE)
            self.assertEqual((self.folder / "demo" / name / "plots").exists(), HAS_PICTURES)
        full = self.ok("demo", "-v", "-o", "elsewhere").out
        for name in names:
            self.assertIn(f"wrote elsewhere/{name}/", full)
        self.assertTrue((self.folder / "elsewhere" / "aiu" / "run.json").exists())


class New(Case):
    def test_a_stage(self):
        folder = self.project("stage", "clean/acme.slow-calls", "acme.slow-calls")
        self.build(folder, "acme.slow-calls")
        self.ok("run", "--stage-path", folder, "-p", "./acme-slow-calls/acme-slow-calls.json", KINETO, "-o", "out")
        self.assertTrue((self.folder / "out" / "tables" / "acme.slow-calls.csv").exists())
        self.fails(6, "new", "stage", "clean/acme.slow-calls", says="exists already")

    def test_a_source(self):
        folder = self.project("source", "acme.two-words", "acme.two-words")
        self.build(folder, "acme.two-words")
        self.write("lines.txt", "acme.two-words 1\n1000 2000 a\noops\n5000 10 b c\n")
        r = self.ok("run", "--stage-path", folder, "-p", "./acme-two-words/acme-two-words.json", "lines.txt", "-o", "out")
        self.assertIn("acme.TWOWOR-01", r.out + r.err)
        events = json.loads(gzip.decompress((self.folder / "out" / "trace.json.gz").read_bytes()))["traceEvents"]
        self.assertEqual([(e["name"], e["ts"], e["dur"], e["cat"]) for e in events if e["ph"] == "X"],
                         [("a", 1, 2, "call"), ("b c", 5, 0.01, "call")])

    def test_a_sink(self):
        folder = self.project("sink", "acme.two-words", "acme.two-words")
        self.build(folder, "acme.two-words")
        self.write("trace.json", '[{"ph":"X","name":"a","ts":1,"dur":2},{"ph":"X","name":"b c","ts":5,"dur":0.01}]')
        profile = "./acme-two-words/acme-two-words.json"
        self.ok("run", "--stage-path", folder, "-p", profile, "trace.json", "-o", "out")
        self.assertEqual((self.folder / "out" / "two-words.txt").read_text(), "1000 2000 a\n5000 10 b c\n")
        self.ok("run", "--stage-path", folder, "-p", profile, "trace.json", "-f", "-o", "out", "--set", "acme.two-words.min=1us")
        self.assertEqual((self.folder / "out" / "two-words.txt").read_text(), "1000 2000 a\n")

    def project(self, kind, word, name):
        """What the command wrote elsewhere than in the tree."""
        r = self.ok("new", kind, word)
        folder = self.folder / name.replace(".", "-")
        self.assertEqual(sorted(os.listdir(folder)), [f"{folder.name}.json", f"{name}-test.c", f"{name}.c", f"{name}.cases", f"{name}.md", "meson.build"])
        self.assertIn("meson setup", r.out)
        self.assertIn(f"get_variable(pkgconfig: '{kind}dir'", (folder / "meson.build").read_text())
        return folder

    def build(self, folder, name):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "--static", "stagemill-harness-1"], capture_output=True, text=True,
                               env={**os.environ, "PKG_CONFIG_PATH": str(BUILD / "meson-uninstalled")})
        if flags.returncode:
            self.skipTest("pkg-config is not there")
        cc = [*shlex.split(os.environ.get("CC", "cc")), "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "core" / "include"]
        subprocess.run([*cc, "-shared", "-fPIC", "-fvisibility=hidden", folder / f"{name}.c", "-o", folder / f"{name}.so"], check=True)
        built = subprocess.run([*cc, folder / f"{name}.c", folder / f"{name}-test.c", *flags.stdout.split(), "-lm",
                                "-o", folder / "test"], capture_output=True)
        if built.returncode == 0:
            subprocess.run([folder / "test"], check=True, capture_output=True)
        else:  # a library for a sanitizer does not link like this
            self.assertRegex(built.stderr.decode(), "__(asan|tsan|ubsan)")

    def test_vendors(self):
        self.project("stage", "clean/slow", "local.slow")
        self.assertIn('"local", "MIT"', (self.folder / "local-slow" / "local.slow.c").read_text())
        self.ok("new", "sink", "slow", "--vendor", "acme")
        self.assertIn('.name = "acme.slow"', (self.folder / "acme-slow" / "acme.slow.c").read_text())
        self.fails(2, "new", "sink", "acme.fast", "--vendor", "other", says='two vendors: "acme" and "other"')
        self.fails(2, "new", "sink", "fast", "--vendor", "A b", says="cannot be a vendor")

    def tree(self):
        self.write("core/include/stagemill/stage.h", "")
        for folder in ("stages", "plugins/source", "plugins/sink"):
            self.write(f"{folder}/meson.build", (SOURCE / folder / "meson.build").read_text())

    def test_inside_the_tree(self):
        self.tree()
        self.ok("new", "stage", "clean/slow-calls")
        folder = self.folder / "stages" / "clean" / "slow-calls"
        self.assertEqual(sorted(os.listdir(folder)), ["meson.build", "slow-calls-test.c", "slow-calls.c", "slow-calls.md"])
        self.assertIn("\n  'clean/slow-calls',\n]", (self.folder / "stages" / "meson.build").read_text())
        self.fails(2, "new", "stage", "clean/acme.slow", says="have no vendor")
        self.fails(2, "new", "stage", "clean/slow", "--vendor", "acme", says="have no vendor")

    def test_plugins_inside_the_tree(self):
        self.tree()
        for kind in ("source", "sink"):
            self.ok("new", kind, "two-words")
            folder = self.folder / "plugins" / kind / "two-words"
            self.assertEqual(sorted(os.listdir(folder)), ["meson.build", "two-words-test.c", "two-words.c", "two-words.md"])
            self.assertIn(", 'two-words']\n", (self.folder / "plugins" / kind / "meson.build").read_text())
            self.assertIn(f"kwargs: {kind}_options", (folder / "meson.build").read_text())

    def test_names(self):
        for name in ("slow", "Clean/slow", "clean/Slow", "clean/a/b", "clean/-x", "../x", "clean/"):
            self.fails(2, "new", "stage", name, says="FAMILY/NAME")
        for name in ("clean/slow", "Slow", "a.b.c", "../x", ""):
            self.fails(2, "new", "source", name, says="is not NAME")
        self.fails(2, "new", "stag", "clean/x", says='did you mean "stage"')
