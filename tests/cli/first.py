"""First contact: files without a profile, without a command, and what is said of profiles that do not fit."""
# SPDX-License-Identifier: MIT
import contextlib
import gzip
import json
import os
import sqlite3
import sys

from harness import AIU, KINETO, SOURCE, Case

sys.path.append(str(SOURCE / "tests" / "gen"))
import nsys  # noqa: E402

SAMPLES = SOURCE / "samples"


class FirstContact(Case):
    def profile(self, name, **more):
        self.write(f"own/{name}.json", json.dumps({"profile": 1, "name": name, "stages": [{"use": "contents"}], **more}))

    def test_what_fits_best_is_run_and_named(self):
        pair = [f"off={SAMPLES}/eplb/off.csv", f"on={SAMPLES}/eplb/on.csv"]
        for inputs, chosen in (([KINETO], "torch"), ([AIU], "aiu"), ([SAMPLES / "moe"], "moe-load"),
                               ([SAMPLES / "serving"], "serving"), (pair, "eplb")):
            for words in (inputs, ["run", *inputs]):
                out = self.ok(*words).out
                self.assertIn(f"\nprofile {chosen} was chosen", out)
                self.assertIn("; others fit, too: stagemill info FILE", out)
                self.assertIn("    writes all results\n", out)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_kernel_table_alone(self):
        r = self.ok(SAMPLES / "eplb" / "off.csv")
        for text in ("profile eplb was chosen", "moe_time", "% of kernel time"):
            self.assertIn(text, r.out)
        self.assertIn("EPLB-04", self.ok("run", "-p", "eplb", SAMPLES / "eplb" / "off.csv", "--json").out)
        self.fails(2, "metric", "eplb_change", SAMPLES / "eplb" / "off.csv", says="exactly two inputs")
        self.fails(3, SAMPLES / "eplb" / "off.csv", SAMPLES / "eplb" / "on.csv", says="EPLB-03")

    def test_finished_results_are_shown(self):
        """As when the run ended."""
        ended = self.ok("run", "-p", "kernels", KINETO, "-o", "out", "--set", "text.lines=30").out
        summary = (self.folder / "out" / "summary.txt").read_text()
        self.assertTrue(ended.startswith(summary))
        for words in (["out"], ["run", "out/"]):
            out = self.ok(*words).out
            self.assertTrue(out.startswith(summary), out)
            self.assertIn("finished results of the profile kernels", out)
        self.assertGreater(len(self.ok("out", "--rows", "all").out.splitlines()), len(summary.splitlines()) + 10)
        self.assertEqual(self.json("out", "--json"), json.loads((self.folder / "out" / "summary.json").read_text()))
        for more in (["-o", "x"], ["--format", "csv"], ["--set", "text.rows=1"], ["--from", "1ms"]):
            self.fails(2, "run", "out", *more, says="needs inputs")
        self.assertEqual(os.listdir(self.folder), ["out"])

    def test_finished_results_that_are_damaged(self):
        self.ok("run", "-p", "kernels", KINETO, "-o", "out")
        path = self.folder / "out" / "summary.json"
        path.write_bytes(path.read_bytes()[:-100])
        self.fails(3, "out", says=["RUN-31", "out/summary.json"])

    def test_a_summary_of_another_program_is_none(self):
        self.write("sweep/summary.json", "[]")
        self.write("sweep/run=0.json", json.dumps({"request_throughput": 1.5, "output_throughput": 2.0, "completed": 3}))
        self.assertIn("profile serving was chosen", self.ok("sweep").out)

    def test_nothing_comes_of_a_profile_for_others(self):
        """Tables without a row are no answer: the profile was meant for other inputs."""
        for profile in ("torch", "collectives", "timeline"):
            r = self.fails(4, "run", "-p", profile, AIU / "rank0.json", "-o", "out", says="does not fit this input")
            self.assertIn("these fit: aiu", r.err)
            self.assertFalse((self.folder / "out").exists())
        self.write("empty.json", '{"schemaVersion":1,"deviceProperties":[],"traceEvents":[]}')
        self.ok("run", "-p", "timeline", "empty.json")  # of its own dialect, and there is nothing in it

    def test_rows_are_no_trace(self):
        """What has no form in a trace is not written as an empty one."""
        self.fails(3, "convert", SAMPLES / "eplb" / "off.csv", "-o", "out.json", says="no events in")
        self.assertFalse((self.folder / "out.json").exists())
        for events in ("", '{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}'):
            self.write("t.json", '{"traceEvents":[' + events + "]}")
            self.ok("convert", "t.json", "-o", "out.json", "-f")

    def test_nothing_asked_for(self):
        r = self.run_program()
        self.assertEqual((r.status, r.out), (2, ""))
        self.assertIn("Usage: stagemill", r.err)

    def test_the_first_screen_fits(self):
        """24 lines of 80 columns, and the beginning of the finding on one of the first twelve."""
        for words in ([SAMPLES / "straggler"], [KINETO], [SAMPLES / "straggler" / "rank0.json"],
                      ["run", "-p", "torch", SAMPLES / "straggler", "-o", "out"]):
            lines = self.ok(*words).out.splitlines()
            self.assertLessEqual(len(lines), 24, words)
            self.assertLessEqual(max(map(len, lines)), 80, words)
        text = json.loads((self.folder / "out" / "summary.json").read_text())["findings"][0]["text"]
        self.assertTrue(any(text[:40] in line for line in lines[:12]), lines)
        summary = (self.folder / "out" / "summary.txt").read_text()
        self.assertIn("peak %", summary)
        self.assertIn("product ", summary)

    def test_a_trace_of_no_dialect(self):
        self.write("t.json")
        self.assertIn("profile kernels was chosen", self.ok("t.json").out)

    def test_with_a_folder_everything_is_written(self):
        out = self.ok(KINETO, "-o", "out").out
        self.assertIn("wrote out/", out)
        self.assertNotIn("nothing was written", out)
        self.assertTrue((self.folder / "out" / "tables").is_dir())
        self.fails(2, KINETO, "--format", "csv", says="-o DIR")

    def test_json_stays_one_document(self):
        r = self.ok("--json", KINETO)
        self.assertEqual(json.loads(r.out)["profile"], "torch")
        self.assertIn("profile torch was chosen", r.err)
        self.assertEqual(self.ok("--json", KINETO, "-q").err, "")

    def test_options_may_stand_first(self):
        self.assertIn("profile torch", self.ok("-j", "1", KINETO).out)

    def test_a_tie_is_listed(self):
        for name in ("one", "two"):
            self.profile(name, **{"for": {"dialect": "kineto", "facts": ["events", "trace.kineto"]}})
        r = self.fails(2, KINETO, "--profile-path", "own", says=["2 profiles fit", "-p one", "-p two"])
        self.assertEqual(r.out, "")

    def test_options_that_do_not_fit_are_said(self):
        for words, says in ((["--goodput", "ttft:150"], ["150 may mean 150ms or 150s", "in --goodput ttft:150"]),
                            (["--set", "goodput=ttft"], ['"ttft" is not an option with a value', "in --set goodput=ttft"]),
                            (["--goodput", "ttft:1s", "--disable", "goodput"], 'the stage "goodput" is disabled')):
            r = self.fails(2, SAMPLES / "serving", *words, says=says)
            self.assertIn('the profile is "serving", which is made for these inputs', r.err)

    def test_none_is_made_for_them(self):
        self.profile("any")
        env = {"STAGEMILL_PROFILE_PATH": str(self.folder / "own"), "STAGEMILL_DATADIR": str(self.folder)}
        self.fails(2, KINETO, says=["no profile is made for these inputs", "these fit: any"], **env)

    def test_a_dialect_counts_more_than_facts(self):
        self.profile("facts", **{"for": {"facts": ["events"]}})
        self.assertIn("profile torch", self.ok(KINETO, "--profile-path", "own").out)
        self.profile("fewer", **{"for": {"dialect": ["aiu", "kineto"], "facts": ["events"]}})
        self.assertIn("profile fewer", self.ok(KINETO, "--profile-path", "own").out)

    def test_a_label_counts_more_than_a_dialect(self):
        self.profile("named", **{"for": {"facts": ["events"], "labels": ["left", "right"]}})
        one = KINETO / "rank0.json"
        self.assertIn("profile torch", self.ok(f"other={one}", "--profile-path", "own").out)
        self.assertIn("profile named", self.ok(f"left={one}", "--profile-path", "own").out)
        self.assertEqual(json.loads(self.ok("show", "eplb", "--json").out)["for"]["labels"], ["off", "on"])

    def test_a_database_of_nsys_is_a_trace(self):
        path = self.folder / "report.sqlite"
        nsys.build(path, processes=2)
        self.assertIn("profile torch was chosen", self.ok(path).out)
        n_kernels = sqlite3.connect(path).execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]
        self.assertRegex(self.ok(f"off={path}", f"on={path}").out, rf"kernel_instances +count +{n_kernels}\.0 +{n_kernels}\.0")
        found = self.ok("query", path, "SELECT count(DISTINCT rank) AS ranks FROM slice WHERE name = 'cudaStreamSynchronize'", "--format", "csv").out
        self.assertEqual(found.split(), ["ranks", "2"])
        self.ok("run", "-p", "convert", path, "-o", "out")
        self.assertIn("gpu_memcpy", gzip.decompress((self.folder / "out" / "trace.json.gz").read_bytes()).decode())

    def test_a_database_without_device_work_is_a_trace_of_its_calls(self):
        path = self.folder / "host.sqlite"
        nsys.build(path, processes=1)
        with contextlib.closing(sqlite3.connect(path)) as base, base:
            for table in ("KERNEL", "MEMCPY", "MEMSET"):
                base.execute(f"DROP TABLE CUPTI_ACTIVITY_KIND_{table}")
        out = self.ok(path).out
        self.assertIn("profile nsys was chosen", out)
        self.assertIn("cudaLaunchKernel", out)
        self.assertIn("host.sqlite has no device events", self.ok("run", "-p", "kernels", path, "-o", "k").out)

    def test_only_named_profiles_are_never_taken(self):
        self.profile("mine", **{"for": {"dialect": "kineto", "facts": ["events", "trace.kineto"], "only-named": True}})
        self.assertIn("profile torch", self.ok(KINETO, "--profile-path", "own").out)
        self.assertIn("mine · 2 inputs", self.ok("run", "-p", "mine", KINETO, "--profile-path", "own").out)
        self.assertRegex(self.ok("info", KINETO, "--profile-path", "own").out, r"(?m)^  mine +fits$")
        self.assertRegex(self.ok("info", AIU, "--profile-path", "own").out, r"(?m)^  mine +does not fit +is for inputs of dialect kineto")

    def test_for_is_not_inherited(self):
        self.write("own/child.json", json.dumps({"profile": 1, "inherits": "timeline", "stages": []}))
        self.assertIn("profile torch", self.ok(KINETO, "--profile-path", "own").out)

    def test_a_wrong_for_is_refused(self):
        for wrong, says in (([], '"for" must be an object'), ({}, 'neither "dialect" nor "facts"'),
                            ({"fact": "x"}, 'did you mean "facts"?'), ({"facts": {}}, '"facts" must be'),
                            ({"only-named": True}, 'neither "dialect" nor "facts"'),
                            ({"facts": "events", "only-named": 1}, '"only-named" must be true or false')):
            self.profile("wrong", **{"for": wrong})
            self.fails(4, "validate", "own/wrong.json", says=says)

    def test_a_command_comes_before_a_file_of_its_name(self):
        self.write("info")
        self.fails(2, "info", says="an argument is missing")
        self.assertIn("profile kernels", self.ok("./info").out)

    def test_words_that_are_neither(self):
        self.fails(2, "kernels", says=["unknown command", "stagemill run -p kernels"])
        self.fails(2, "infoo", says='did you mean "info"?')
        self.fails(3, "trace.jsn", says='there is no file "trace.jsn"')

    def test_a_profile_that_does_not_fit_says_what_the_file_is(self):
        r = self.fails(4, "run", "-p", "eplb", KINETO,
                       says=["chrome-json, dialect kineto", "the profile is for inputs of format nsys-csv", "these fit: torch, kernels"])
        self.assertNotIn("fact", r.err)
        self.assertNotIn("--disable", r.err)
        self.fails(4, "run", "-p", "timeline", f"off={SAMPLES}/eplb/off.csv", says=["nsys-csv", "these fit: eplb"])

    def test_what_an_edit_took_away_is_named(self):
        self.fails(4, "run", "-p", "aiu", AIU, "--disable", "pair", says=["slices", "--enable pair"])

    def test_show_says_what_a_profile_is_made_for(self):
        self.assertRegex(self.ok("show", "profile/aiu").out, r"(?m)^  made for +inputs of dialect aiu, with clock\.cycles$")
        self.assertRegex(self.ok("show", "profile/kernels").out, r"(?m)^  made for +inputs with events$")
        self.assertNotIn("made for", self.ok("show", "profile/convert").out)

    def test_info_ranks_profiles(self):
        r = self.ok("info", AIU).out
        rows = [line.split() for line in r.split("\nprofiles\n")[1].splitlines()]
        self.assertEqual([rows[0][0], *rows[0][1:3]], ["aiu", "fits", "best"])
        self.assertIn(f"\nnext: stagemill run -p aiu {AIU}\n", r)
        ranked = self.json("info", "--json", KINETO)["profiles"]
        self.assertEqual([p["name"] for p in ranked if p.get("best")], ["torch"])
        self.assertEqual([p["fits"] for p in ranked], sorted((p["fits"] for p in ranked), reverse=True))
