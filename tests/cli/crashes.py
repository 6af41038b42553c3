"""Endings that nobody asked for: crashes, memory that is not to be had, modules that end the program."""
# SPDX-License-Identifier: MIT
import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

from harness import BUILD, KINETO, PROGRAM, SMALL, Case, sanitized

BREAKER = BUILD / "tests" / "cli" / "breaker"
UNLOADABLE = BUILD / "tests" / "cli" / "unloadable"
TIMES = 50


class Crashes(Case):
    def breaker(self, how, *inputs, more=(), **settings):
        self.write("p.json", json.dumps({"profile": 1, "formats": ["text"], "stages": [
            {"use": "test.breaker", "with": {"how": how, **settings}}]}))
        return self.run_program("run", "-p", "./p.json", *inputs, "-o", "out", "--stage-path", BREAKER, *more)

    def assert_left(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def test_threads_that_crash_together_keep_message_and_order(self):
        inputs = [f"{i}.json" for i in range(4)]
        for name in inputs:
            self.write(name)
        for _ in range(TIMES):
            r = self.breaker("abort", *inputs, more=("-j", 4), lanes=4)
            self.assertEqual(r.status, -signal.SIGABRT, r.err)
            self.assertEqual(r.err.count("crashed inside \"test.breaker\""), 1, r.err)
            self.assertIn("stagemill doctor", r.err)
            self.assert_left("p.json", *inputs)

    def test_quick_exit_is_no_success(self):
        self.write("a.json")
        r = self.breaker("quick-exit", "a.json")
        self.assertEqual(r.status, 5, r.err)
        self.assertIn('error[STG-71]: stage "test.breaker" ended the program', r.err)
        self.assert_left("p.json", "a.json")

    def test_a_module_that_cannot_be_loaded_is_named(self):
        self.write("a.json")
        for name, says in (("unloadable", "crashed"), ("exits", "ended the process, with status 0"),
                           ("exits-at-once", "ended the process, with status 0"), ("hangs", "did not return")):
            self.write("p.json", json.dumps({"profile": 1, "stages": [{"use": "test." + name}]}))
            r = self.fails(5, "run", "-p", "./p.json", "a.json", "--stage-path", UNLOADABLE, says=["STG-12", says])
            self.assertIn(str(UNLOADABLE / f"test.{name}.so"), r.err)
            self.assert_left("a.json", "p.json")

    def test_commands_survive_modules_that_cannot_be_loaded(self):
        folder = self.folder / "modules"
        folder.mkdir()
        for name in ("unloadable", "exits", "exits-at-once"):
            shutil.copy(UNLOADABLE / f"test.{name}.so", folder)
        r = self.ok("doctor", "--stage-path", folder)
        for name in ("unloadable", "exits", "exits-at-once"):
            self.assertIn(f'error[STG-12]: module "test.{name}" cannot be loaded', r.out)
        self.assertIn("ovc", self.ok("list", "stages", "--stage-path", folder).out)
        self.assertIn("ovc", self.ok("show", "ovc", "--stage-path", folder).out)
        self.fails(5, "show", "test.exits", "--stage-path", folder, says="STG-12")
        self.write("a.json")
        self.ok("metric", "kernel_calls", "a.json", "--stage-path", folder)

    def test_a_module_is_tried_once(self):
        shutil.copy(BREAKER / "test.breaker.so", self.folder)
        for _ in range(2):
            self.ok("show", "test.breaker", "--stage-path", self.folder, XDG_CACHE_HOME=str(self.folder / "cache"))
        self.assertEqual(len(os.listdir(self.folder / "cache" / "stagemill" / "modules")), 1)

    @unittest.skipIf(sanitized(), "a sanitizer takes more addresses than that")
    def test_memory_that_is_not_to_be_had(self):
        subprocess.run([BUILD / "tests" / "gen" / "kineto-gen", "--size", "30M", "-o", self.folder / "big.json"], check=True)
        statuses = []
        for mebibytes in (40, 50, 60, 70, 90, 120):
            done = subprocess.run([PROGRAM, "convert", "--sort", "big.json", "-o", "out.json", "-j", "8"], cwd=self.folder,
                                  stderr=subprocess.PIPE, preexec_fn=lambda: limit(resource.RLIMIT_AS, mebibytes << 20))
            statuses.append(done.returncode)
            if done.returncode == 0:  # how much is enough depends on the moment
                os.unlink(self.folder / "out.json")
            else:
                self.assertEqual(done.returncode, 8, done.stderr)
                self.assertIn(b"error[", done.stderr)
            self.assert_left("big.json")
        self.assertIn(8, statuses)

    def test_a_record_of_brackets_is_no_earlier_run(self):
        for text in ("[" * 80000, '{"profile":' * 80000):
            self.write("out/run.json", text)
            r = self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", says="no earlier run wrote")
            self.assertEqual((self.folder / "out" / "run.json").read_text(), text)
            self.ok("run", "-p", "kernels", KINETO, "-o", "out", "-f")
            self.write("deep.json", text)
            self.fails(4, "run", "-p", "./deep.json", KINETO)


def limit(what, value):
    resource.setrlimit(what, (value, value))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Terminal(Case):
    """Nothing that comes from a module or an input steers a terminal, or makes lines that look like ours."""

    def looks_clean(self, *texts):
        for text in texts:
            self.assertFalse([c for c in text if c != "\n" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0)], text)
            self.assertNotIn("\ndone", text)

    def breaker(self, how):
        self.write("a.json")
        self.write("p.json", json.dumps({"profile": 1, "formats": ["text"], "stages": [
            {"use": "test.breaker", "with": {"how": how}}]}))
        return self.run_program("run", "-p", "./p.json", "a.json", "-o", "out", "-f", "--stage-path", BREAKER, "-v")

    def test_text_of_modules(self):
        for how, status in (("fail", 5), ("log", 0), ("note", 0)):
            r = self.breaker(how)
            self.assertEqual(r.status, status, r.err)
            self.assertIn("\\x1b[2J", r.out + r.err)
            self.looks_clean(r.out, r.err)

    def test_names_of_files(self):
        nasty = "a\033[31m\u009b\ndone\n.json"
        self.write(nasty)
        self.write("plain.json")
        r = self.ok("info", nasty, "-v")
        self.assertIn("a\\x1b[31m", r.out)
        self.looks_clean(r.out, r.err)
        r = self.ok("run", "-p", "kernels", nasty, "-v")
        self.assertIn("wrote a\\x1b[31m", r.out)
        self.looks_clean(r.out, r.err)
        (self.folder / ("out" + nasty)).mkdir()
        r = self.ok("convert", "plain.json", "-o", f"out{nasty}/b.json")
        self.assertIn("wrote outa\\x1b[31m", r.out)
        self.looks_clean(r.out, r.err)
        r = self.fails(6, "convert", "plain.json", "-o", f"out{nasty}/b.json")
        self.looks_clean(r.err)
        r = self.fails(3, "info", "no" + nasty)
        self.looks_clean(r.err)
        self.assertEqual(self.json("info", nasty, "--json")["inputs"][0]["name"], nasty)

    def test_names_of_folders_and_variables(self):
        nasty = "b\033[31m\ndone"
        self.write(nasty + "/broken.so", "no module")
        r = self.ok("doctor", "--stage-path", nasty, TERM="\033[2J\ndone")
        self.assertIn("b\\x1b[31m", r.out)
        self.looks_clean(r.out, r.err)
        self.assertIn("\033[1;31merror[", self.ok("doctor", "--stage-path", nasty, "--color=always").out)
