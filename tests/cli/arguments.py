"""Arguments, help, colour: what every command has in common."""
# SPDX-License-Identifier: MIT
import os
import pty
import re
import shutil
import subprocess
import threading
import time
import unittest

from harness import BUILD, COMMANDS, KINETO, PROGRAM, SOURCE, Case


class Arguments(Case):
    def test_unknown_words_are_usage_errors_with_a_suggestion(self):
        for args, near in ((["rnu"], '"run"'), (["run", "--outptu", "x"], '"--output"'), (["list", "profile"], '"profiles"'),
                           (["completion", "bsh"], '"bash"'), (["schema", "sumary"], '"summary"'),
                           (["show", "kernel-tme"], '"kernel-time"'), (["explain", "PRF-0"], '"PRF-0'),
                           (["metric", "kernel_tme", KINETO], '"kernel_time"')):
            r = self.fails(2, *args, says=["did you mean", near])
            self.assertEqual(r.out, "")
            self.assertLessEqual(len(r.err.splitlines()), 6, r.err)

    def test_a_mistake_shows_the_usage_line_and_not_the_page(self):
        r = self.fails(2, "run", says="usage: stagemill run [-p PROFILE] INPUT...")
        self.assertNotIn("--max-memory", r.err)
        self.fails(2, "show", says="argument is missing")
        self.fails(2, "doctor", "x", says='unexpected argument "x"')

    def test_options_are_not_abbreviated(self):
        self.fails(2, "list", "stages", "--js", says='unknown option "--js"')
        self.fails(2, "run", "--prof", "kernels", "x", says='unknown option "--prof"')
        self.fails(2, "--help-all")

    def test_values_are_given_with_and_without_equals_sign(self):
        trace = self.write("t.json")
        for n, form in enumerate((["--profile=kernels"], ["--profile", "kernels"], ["-p", "kernels"], ["-pkernels"])):
            self.ok("run", *form, trace, "-o", f"out{n}")
        self.fails(2, "run", "-p", says="-p needs a value")
        self.fails(2, "run", "--strict=yes", "-p", "kernels", trace, says="takes no value")

    def test_two_dashes_end_the_options(self):
        self.write("-odd.json")
        self.ok("info", "--", "-odd.json")
        self.fails(2, "info", "-odd.json")

    def test_values_are_checked(self):
        trace = self.write("t.json")
        for option in ("--jobs=0", "--jobs=x", "--max-memory=many", "--color=blue", "--progress=maybe", "--rank-regex=(",
                       "--log-level=loud", "--timeout=-1s", "--enable=a,,b"):
            self.fails(2, "run", "-p", "kernels", trace, option, says=option.split("=")[0])
        self.fails(2, "run", "-p", "kernels", trace, STAGEMILL_JOBS="none", says="STAGEMILL_JOBS")
        self.fails(2, "info", trace, STAGEMILL_LOG="loud", says="STAGEMILL_LOG")

    def test_lists_are_repeatable_and_comma_separable(self):
        plans = [self.json("plan", "-p", "convert", "--json", *args)
                 for args in (["--enable=filter,pair"], ["--enable", "filter", "--enable", "pair"])]
        self.assertEqual(plans[0], plans[1])
        self.assertEqual([s["id"] for s in plans[0]["stages"] if s["enabled"]], ["filter", "pair"])

    def test_the_command_line_beats_the_profile(self):
        plan = self.json("plan", "-p", "aiu", "--set", "soc-mhz=600", "--json")
        option = next(o for s in plan["stages"] for o in s["options"] if o["name"] == "soc-mhz")
        self.assertEqual(option["value"], "600")
        self.assertIn("--set", option["origin"])

    def test_a_file_of_an_option_is_named_with_its_place(self):
        self.write("device.json", '{"mem_bw_gbps": 5300,\n "max_achievable_tflops": {"matrix_bf16": "x"}}')
        self.write("categories.json", '[{"name": "(", "category": 5}]')
        profile = self.write("mine.json", '{"profile": 1, "name": "mine", "inherits": "torch", "params": {"arch": {"default": "device.json", "help": "h"}}}')
        run = ["run", KINETO / "rank0.json", "-o", "out", "-p"]
        self.fails(4, *run, f"./{profile.name}", says=["in line 2, column 43", "file: device.json"])
        self.fails(4, *run, "torch", "--set", "arch=device.json", says=["in line 2, column 43", "file: device.json"])
        self.fails(4, *run, "torch", "--set", "op-summary.category-file=categories.json", says=["in line 1, column 11", "file: categories.json"])


class Help(Case):
    def test_help_goes_to_standard_output(self):
        for args in (["help"], ["-h"], ["--help"], ["help", "exit"], *(["help", c] for c in COMMANDS),
                     *([c, "--help"] for c in COMMANDS), *([c, "-h"] for c in COMMANDS)):
            r = self.ok(*args)
            self.assertEqual(r.err, "")
            self.assertGreater(len(r.out), 200)

    def test_the_first_page_fits_a_screen(self):
        lines = self.ok("-h").out.splitlines()
        self.assertLessEqual(len(lines), 32)
        self.assertLessEqual(max(map(len, lines)), 100)
        for command in COMMANDS:
            self.assertIn(command, "\n".join(lines))

    def test_version(self):
        self.assertRegex(self.ok("--version").out, r"^stagemill \d+\.\d+\.\d+ \(ABI \d+\.\d+\)\n$")
        self.assertEqual(self.ok("-V").out, self.ok("run", "--version").out)

    def test_help_man_page_and_completions_have_the_same_options(self):
        for command in COMMANDS:
            page = self.ok("help", command).out
            man = self.ok("help", "--man", command).out.replace("\\-", "-")
            options = set(re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", page))
            self.assertIn("help", options)
            of_profiles = page.split("\nOf single profiles\n")[1:]  # which the man page cannot know
            known = set(re.findall(r"--([a-z-]+)", of_profiles[0].split("\n\n")[0])) if of_profiles else set()
            self.assertEqual(options - known, set(re.findall(r"(?m)^\.B .*--([a-z-]+)", man)), command)
            offered = self.ok("__complete", command, "--").out
            self.assertEqual(options, set(re.findall(r"(?m)^--([a-z-]+)\t", offered)), command)

    def test_statuses_of_help_are_those_of_the_table(self):
        text = self.ok("help", "exit").out
        self.assertEqual(re.findall(r"(?m)^ +(\d+)  ", text),
                         ["0", "1", "2", "3", "4", "5", "6", "7", "8", "70", "130", "143"])

    def test_every_man_page_has_a_description(self):
        stages = [s["name"] for s in self.json("list", "stages", "--json")]
        for what in [["stagemill"], ["profiles"], ["results"], *([c] for c in COMMANDS), *(["stage", s] for s in stages)]:
            page = self.ok("help", "--man", *what).out
            self.assertRegex(page, r'\n\.SH "DESCRIPTION"\n\.PP\n\S', what)

    def test_nothing_is_named_that_does_not_exist(self):
        """Neither in the pages nor in the texts of codes: commands, families of stages."""
        pages = [["help"], ["help", "exit"], *(["help", c] for c in COMMANDS), *(["help", "--man", w] for w in ("stagemill", "profiles", "results"))]
        pages += [["show", kind + "/" + m["name"]] for kind in ("stage", "source", "sink") for m in self.json("list", kind + "s", "--json")]
        for page in pages:
            text = self.ok(*page).out
            for command in re.findall(r"\bstagemill ([a-z]+)\b(?= [A-Z<-]|  |$)", text, re.M):
                self.assertIn(command, COMMANDS, page)
            self.assertNotRegex(text, r"(?im)stagemill probe\b|status(es)? 9\b", page)

    def test_man_pages(self):
        for what in ("stagemill", "profiles", "results"):
            self.assertIn(".SH NAME", self.ok("help", "--man", what).out)
        page = self.ok("help", "--man", "stage", "kernel-time").out
        self.assertIn('.TH "STAGEMILL-KERNEL-TIME" 7', page)
        self.assertNotIn(os.getcwd(), page)


class Completion(Case):
    def offered(self, *words, **more):
        """The candidates for the last word, without what they mean."""
        r = self.ok("__complete", *words, **more)
        self.assertEqual(r.err, "")
        return [line.split("\t")[0] for line in r.out.splitlines()]

    def test_commands_and_options(self):
        self.assertEqual(self.offered(""), [*COMMANDS, "--help", "--version"])
        self.assertEqual(self.offered(), self.offered(""))
        self.assertEqual(self.ok("__complete", "expl").out, "explain\twhat an error or warning code means\n")
        self.assertEqual(self.offered("run", "--max-m"), ["--max-memory"])
        self.assertIn("-p", self.offered("run", "-"))
        self.assertEqual(self.offered("help", "va"), ["validate"])
        self.assertEqual(self.offered("show", "sink/chr"), ["sink/chrome-json"])
        self.assertEqual(self.offered("show", "profile/ti"), ["profile/timeline"])
        self.assertEqual(self.offered("show", "metric/tt"), ["metric/ttft"])
        self.assertEqual(self.offered("explain", "PRF-3"), ["PRF-30", "PRF-31", "PRF-32", "PRF-33"])
        self.assertEqual(self.offered("trace.json", "--rows"), ["--rows"])

    def test_values_of_options(self):
        self.assertEqual(self.offered("run", "--color", ""), ["auto", "always", "never"])
        self.assertEqual(self.offered("run", "--color=a"), ["--color=auto", "--color=always"])
        self.assertEqual(self.offered("run", "-p", "kern"), ["kernels"])
        self.assertEqual(self.offered("run", "x.json", "--profile=ti"), ["--profile=timeline"])
        self.assertEqual(self.offered("run", "-p", "./"), [":files"])
        self.assertEqual(self.offered("run", "--enable", "fil"), ["filter"])
        self.assertEqual(self.offered("run", "--enable=filter,pa"), ["--enable=filter,pair"])
        self.assertEqual(sorted(self.offered("run", "--format", "csv,")), sorted("csv," + s["format"] for s in self.json("list", "sinks", "--json")))
        self.assertEqual(self.offered("info", "--source", "nsys-"), ["nsys-csv", "nsys-sqlite"])
        self.assertEqual(self.offered("run", "-o", ""), [":folders"])
        self.assertEqual(self.offered("run", "--log-file=x"), [":files"])
        for words in (["run", "--steps", ""], ["run", "--strict="], ["run", "--no-such="], ["list", "-p", "kern"]):
            self.assertEqual(self.offered(*words), [])

    def test_arguments(self):
        self.assertEqual(self.offered("run", "-p", "kernels", ""), [":files"])
        self.assertEqual(self.offered("metric", "kernel_n"), ["kernel_names"])
        self.assertEqual(self.offered("metric", "kernel_names", ""), [":files"])
        self.assertEqual(self.offered("show", "kernel"), ["kernel-drift", "kernel-overlap", "kernel-sequences", "kernel-summary", "kernel-time", "kernels", "kernel_time", "kernel_calls",
                                                          "kernel_names", "kernel_duration"])
        self.assertEqual(self.offered("list", "s"), ["stages", "sources", "sinks"])
        self.assertEqual(self.offered("list", "stages", ""), [])
        self.assertEqual(self.offered("schema", ""), ["profile", "abi", "check", "picture", "rules", "run", "summary"])
        self.assertEqual(self.offered("completion", ""), ["bash", "zsh", "fish"])
        self.assertIn("OVC-01", self.offered("explain", "OVC"))
        self.assertIn("PRF-03", self.offered("explain", ""))
        self.assertEqual(self.offered("validate", "conv"), ["convert"])

    def test_what_was_typed_before_counts(self):
        self.write("more/mine.json", '{"profile": 1, "description": "one\\n:files", "stages": []}')
        self.assertEqual(self.offered("run", "-p", "mi"), [])
        self.assertEqual(self.offered("run", "--profile-path", "more", "-p", "mi"), ["mine"])
        self.assertEqual(self.ok("__complete", "run", "--profile-path=more", "-p", "mi").out, "mine\tone\\x0a:files\n")
        self.assertEqual(self.offered("show", "--stage-path", BUILD / "tests" / "cli", "test.sh"), ["test.shrinker"])

    def test_mistakes_are_silent(self):
        for words in (["nosuch", ""], ["run", "--nosuch", ""], ["run", "--jobs=x", "-p", ""], ["--help", ""]):
            self.assertIn(self.offered(*words), ([], [":files"]))

    def test_it_is_hidden(self):
        for args in (["help"], ["-h"], ["help", "--man"], ["help", "completion"], ["help", "--man", "completion"]):
            self.assertNotIn("__complete", self.ok(*args).out.replace("\\", ""))
        self.assertNotIn("__complete", self.fails(2, "__complet").err.split("\n", 1)[1])
        self.fails(2, "help", "__complete", says="unknown command")

    def test_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.ok("completion", shell).out
            self.assertEqual(text, (SOURCE / "core" / "cmd" / "completions" / f"stagemill.{shell}").read_text())
            script = self.write(shell, text)
            try:
                done = subprocess.run([shell, "-n", str(script)], capture_output=True)
            except FileNotFoundError:
                continue
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_scripts_ask_the_program(self):
        """What can be seen of them without their shells: each asks once, passes all words on, and knows both answers."""
        words = {"bash": '"${whole[@]}"', "zsh": '"${(@Q)words[2,CURRENT]}"', "fish": '$words "$word"'}
        for shell, passed in words.items():
            text = self.ok("completion", shell).out
            self.assertEqual(re.findall(r"stagemill (__\S+ .*?) 2>/dev/null\)", text), [f"__complete {passed}"])
            self.assertEqual(text.count("__complete "), 1)
            for answer in (":files", ":folders"):
                self.assertIn(answer, text)
            for command in COMMANDS:
                self.assertNotRegex(text, rf"stagemill {command}\b")
        self.assertTrue(self.ok("completion", "zsh").out.startswith("#compdef stagemill\n"))
        self.assertIn("complete -c stagemill ", self.ok("completion", "fish").out)
        self.assertIn("complete -F _stagemill stagemill\n", self.ok("completion", "bash").out)

    @unittest.skipUnless(shutil.which("bash"), "there is no bash")
    def test_bash(self):
        """Words are cut as bash does it: "=" and ":" are words."""
        script = self.write("c.bash", self.ok("completion", "bash").out)
        for name in ("runs/a b.json", "runs/other", "rules.json"):
            self.write(name)
        env = self.env(PATH=os.path.dirname(PROGRAM) + ":" + os.environ["PATH"])
        for words, wanted in ((["ru"], ["run"]), (["run", "--max-m"], ["--max-memory"]), (["run", "-p", "kern"], ["kernels"]),
                              (["run", "--color", "al"], ["always"]), (["run", "--color", "=", "al"], ["always"]),
                              (["run", "--color", "="], ["auto", "always", "never"]),
                              (["run", "--enable", "=", "filter,pa"], ["filter,pair"]),
                              (["run", "runs/"], ["runs/a b.json", "runs/other"]), (["run", "off", "=", "ru"], ["rules.json", "runs"]),
                              (["run", "a", "=", "b", ":", "rul"], ["rules.json"]), (["run", "--log-file", "=", "rul"], ["rules.json"]),
                              (["run", "-o", "r"], ["runs"]), (["list", "so"], ["sources"]), (["list", "stages", ""], []),
                              (["new", "so"], ["source"]), (["new", "source", "s"], [])):
            line = " ".join(f"'{w}'" for w in ["stagemill", *words])
            typed = re.sub(" ?([=:]) ?", r"\1", " ".join(["stagemill", *words]))
            test = f". '{script}'; COMP_WORDS=({line}); COMP_LINE='{typed}'; COMP_CWORD={len(words)}; _stagemill; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            done = subprocess.run(["bash", "-c", test], capture_output=True, text=True, env=env, cwd=self.folder)
            self.assertEqual(sorted(done.stdout.splitlines()) if wanted else [done.stdout.strip()], sorted(wanted) or [""], words)
            self.assertEqual(done.stderr, "")


class TerminalArguments(Case):
    def on_terminal(self, *args, **env):
        """All bytes that the program writes to a terminal."""
        try:
            pid, fd = pty.fork()
        except OSError as why:  # a machine without terminals, such as a bare chroot
            self.skipTest(str(why))
        if pid == 0:
            os.chdir(self.folder)
            os.execve(PROGRAM, [PROGRAM, *map(str, args)], self.env(TERM="xterm", **env))
        data = b""
        while True:
            try:
                piece = os.read(fd, 65536)
            except OSError:
                break
            if not piece:
                break
            data += piece
        os.close(fd)
        os.waitpid(pid, 0)
        return data


class Progress(TerminalArguments):
    def slow_trace(self):
        """A trace that takes a second to come."""
        os.mkfifo(self.folder / "fifo")
        event = b'{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":5,"dur":2}'

        def write():
            with open(self.folder / "fifo", "wb", buffering=0) as pipe:
                pipe.write(b'{"traceEvents": [\n')
                for _ in range(10):
                    pipe.write((event + b",\n") * 2000)
                    time.sleep(0.1)
                pipe.write(event + b"]}")

        writer = threading.Thread(target=write)
        writer.start()
        self.addCleanup(writer.join)
        return "fifo"

    def test_one_line_on_a_terminal_that_is_gone_at_the_end(self):
        data = self.on_terminal("run", "-p", "kernels", self.slow_trace(), "-o", "out")
        drawn = re.findall(rb"\r\x1b\[Kreading: [0-9.]+ [KM]iB  [0-9.]+ [KM]iB/s", data)
        self.assertGreater(len(drawn), 1, data)
        before, after = data.rsplit(b"\r\x1b[K", 1)
        self.assertNotIn(b"\n", before)
        self.assertNotIn(b"reading", after)
        self.assertIn(b"wrote out/", after)

    def test_lines_elsewhere(self):
        r = self.ok("run", "-p", "kernels", KINETO, "-o", "a", "--progress=always")
        self.assertRegex(r.err, r"^start: 0 B of [0-9.]+ KiB  0 %\ndone: ([0-9.]+ KiB) of \1  100 %.*\n$")
        r = self.ok("run", "-p", "kernels", KINETO, "-o", "b", "-v")
        self.assertRegex(r.err, r"(?m)INFO     RUN: start: 0 B of ")
        self.assertEqual(self.ok("run", "-p", "kernels", KINETO, "-o", "c", "-v", "--progress=never").err.count("start: "), 0)


class Colour(TerminalArguments):
    ESCAPE = b"\x1b"

    def test_no_escapes_where_there_is_no_terminal(self):
        for args in (["info", KINETO], ["show", "nothing-such"], ["run", "-p", "timeline", KINETO, "-o", "x", "-vvv"],
                     ["run", "-p", "timeline", KINETO, "-o", "y", "--progress=always"]):
            r = self.run_program(*args)
            self.assertNotIn("\x1b", r.out + r.err)

    def test_colour_on_a_terminal_unless_asked_otherwise(self):
        wrong = ["show", "nothing-such"]
        self.assertIn(self.ESCAPE, self.on_terminal(*wrong))
        self.assertNotIn(self.ESCAPE, self.on_terminal(*wrong, NO_COLOR="1"))
        self.assertNotIn(self.ESCAPE, self.on_terminal(*wrong, "--color=never"))
        self.assertIn(self.ESCAPE, self.on_terminal(*wrong, "--color=always", NO_COLOR="1"))
        self.assertIn(self.ESCAPE, self.on_terminal(*wrong, FORCE_COLOR="1", NO_COLOR="1"))

    def test_colour_can_be_forced(self):
        self.assertIn("\x1b", self.run_program("show", "nothing-such", "--color=always").err)
        self.assertIn("\x1b", self.run_program("show", "nothing-such", FORCE_COLOR="1").err)
        self.assertNotIn("\x1b", self.run_program("show", "nothing-such", FORCE_COLOR="").err)

    def test_file_names_cannot_send_escapes(self):
        r = self.fails(3, "info", "a\x1b[31mb.json")
        self.assertNotIn("\x1b", r.err)
