"""What is on the screen: how wide, how many rows, warnings, and the same file whatever the screen."""
# SPDX-License-Identifier: MIT
import re
import subprocess
import unicodedata

from harness import AIU, KINETO, PROGRAM, SMALL, SOURCE, Case
from terminal import on_terminal

SERVING = SOURCE / "samples" / "serving"
BY = ["-p", "serving", SERVING, "--set", "by=implementation,max_num_seqs"]


def columns(text):
    """Two for a wide character, none for a mark on another."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def widest(text):
    """What is to be typed stays in one line."""
    return max(columns(line) for line in text.split("\n") if not line.startswith("next: "))


class Screen(Case):
    def on_terminal(self, columns, *args, **env):
        """What the program prints on a terminal so wide."""
        out, _ = on_terminal([PROGRAM, *map(str, args)], columns, self.env(**env), cwd=self.folder, stdin=subprocess.DEVNULL)
        return out.decode()

    def test_nothing_is_wider_than_the_terminal(self):
        for columns in (60, 80, 200):
            for args in (["run", *BY, "-f", "-o", "out"], ["info", SERVING], [AIU], ["run", "-p", "aiu", KINETO], ["list", "facts"]):
                self.assertLessEqual(widest(self.on_terminal(columns, *args)), columns, args)
        self.assertEqual(widest(self.ok("help", COLUMNS="60").out) <= 60, True)

    def test_wide_names(self):
        event = '{"ph":"X","name":"%s","cat":"kernel","pid":0,"tid":1,"ts":%d,"dur":3}'
        names = ["核心" * 30, "e\u0301" * 50, "커널", "gemm"]
        for name in names[:3]:
            self.write(name[:20] + ".json", '{"traceEvents":[' + ",".join(event % (n, i * 5) for i, n in enumerate(names)) + "]}")
        for width in (60, 80):
            for args in ([".", "--rows", "all"], ["info", "."], ["info", *[name[:20] + ".json" for name in names[:3]]]):
                self.assertLessEqual(widest(self.on_terminal(width, *args)), width, args)
        table = self.ok(".", "--rows", "all", "-p", "kernels", COLUMNS="80").out.split("\nkernel-time ")[1].split("\n\n")[0].splitlines()
        self.assertEqual(len({columns(line) for line in table[1:]}), 1, table)

    def test_nothing_of_many_is_no_headline(self):
        self.assertNotIn("gpu_unlinked", self.ok("-p", "timeline", KINETO).out)
        self.assertIn("gpu_unlinked 0 (n 140)", self.ok("-p", "timeline", KINETO, "--rows", "all").out)
        self.assertEqual(self.ok("metric", "gpu_unlinked", KINETO).out, "0\n")

    def test_the_terminal_is_asked_and_columns_wins(self):
        self.assertGreater(widest(self.on_terminal(200, "list", "metrics")), 100)
        self.assertLessEqual(widest(self.on_terminal(200, "list", "metrics", COLUMNS="70")), 70)

    def test_files_do_not_depend_on_the_screen(self):
        seen = set()
        for columns in ("60", "200"):
            self.ok("run", *BY, "-f", "-o", "out", COLUMNS=columns, **{"STAGEMILL_JOBS": "1"})
            seen.add((self.folder / "out" / "summary.txt").read_bytes())
        self.ok("run", *BY, "-f", "-o", "out", "--rows", "all")
        seen.add((self.folder / "out" / "summary.txt").read_bytes())
        self.assertEqual(len(seen), 1)

    def test_every_group_is_shown(self):
        out = self.ok("run", *BY, "-o", "out").out
        rows = out.split("\n\n")[1].splitlines()
        self.assertIn("req/s", " ".join(rows[:-4]))
        groups = [line.split()[:2] for line in rows[-4:]]
        self.assertEqual(groups, [["Baseline", "8"], ["Baseline", "32"], ["DefaultAll2All", "8"], ["DefaultAll2All", "32"]])

    def test_repeated_runs_show_each(self):
        out = self.ok(SERVING, "--by", "none").out
        runs = out.split("\nall rows")[1].split("\nruns ")[1].split("\n\n")[0].splitlines()
        self.assertEqual(len(runs), 1 + 4)
        self.assertIn("all rows: model mixtral-8x7b, phase inference", out)
        for name in ("ep4-seqs32", "ep4-seqs8", "tp4-seqs32", "tp4-seqs8"):
            self.assertEqual(sum(name in line for line in runs), 1)

    def test_a_value_is_rounded_for_people_only(self):
        for name, exact, rounded in (("kernel_duration.p99", "1100086.9899999914", "1.100 ms"), ("kernel_calls", "140", "140"),
                                     ("gpu_busy", "45.3658646511614", "45.37 %")):
            self.assertEqual(self.ok("metric", name, KINETO).out, exact + "\n")
            self.assertEqual(self.on_terminal(80, "metric", name, KINETO), rounded + "\n")
        self.assertEqual(self.on_terminal(80, "metric", "ttft.p99", SERVING, "--by", "implementation"),
                         "Baseline\t206.8 ms\nDefaultAll2All\t168.7 ms\n")

    def test_one_event(self):
        self.write("t.json", '{"traceEvents":[{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":1,"dur":3}]}')
        self.assertRegex(self.ok("t.json").out, r"(?m)^1 event · ")
        self.assertRegex(self.ok("convert", "t.json", "-o", "u.json").out, r"(?m)^1 event · ")

    def test_no_far_fetched_suggestion(self):
        self.assertNotIn("did you mean", self.fails(2, "run", "-p", "kernels", KINETO, "--set", "top=3").err)

    def test_a_metric_of_runs_without_the_tag(self):
        r = self.run_program("metric", "goodput", "label=x:" + str(SERVING / "tp4-seqs8" / "results_json" / "rate8.json"),
                             SERVING / "ep4-seqs8" / "results_json" / "rate8.json", "--by", "label")
        self.assertNotRegex(r.err, r"(?m) to $")
        self.assertIn("does not apply to inputs without the tag", r.err)

    def test_hidden_rows_say_how_to_see_them(self):
        out = self.ok(KINETO, "-p", "kernels").out
        self.assertRegex(out, r"kernel-time \([0-9]+ of ([0-9]+)\)")
        self.assertIn("--rows all", out)
        everything = self.ok(KINETO, "-p", "kernels", "-f", "--rows", "all").out
        self.assertNotIn("--rows", everything)
        self.assertNotRegex(everything, r"\([0-9]+ of [0-9]+\)")
        self.assertIn("(2 of ", self.ok(KINETO, "-p", "kernels", "-f", "--rows=2").out)
        for wrong in ("0", "-1", "many", "1.5"):
            self.fails(2, KINETO, f"--rows={wrong}", says="--rows")

    def test_warnings_are_sentences(self):
        for name in ("a/rank0.json", "b/rank0.json"):
            self.write(name)
        out = self.ok("a/rank0.json", "b/rank0.json").out
        self.assertIn("\nwarning[RUN-20]: 1 input has the same rank as another input", out)
        self.assertRegex(out, r"\n  help: give ranks with \{rank\} in a quoted pattern")
        self.assertIn("\nnext: stagemill explain RUN-20\n", out)
        self.assertNotIn("kind of warning", out)
        self.assertNotIn("next: stagemill explain", self.ok(KINETO).out)

    def test_examples_of_codes_are_filled_in(self):
        for code in ("OVC-01", "RUN-20", "JSN-01", "LIM-04"):
            done = self.run_program("explain", code)
            self.assertNotRegex(done.out.replace("{rank}", "N"), r"[{}]|\[[^]]*\|", code)
        self.assertRegex(self.ok("explain", "OVC-01").out, r"at 559\.8 MHz")
        self.assertTrue(re.match(r"[a-z]+\[", self.ok("explain", "OVC-01").out))
