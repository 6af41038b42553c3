"""How the program ends: every status of the table that this version can reach, signals, closed pipes, full disks."""
# SPDX-License-Identifier: MIT
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from harness import KINETO, PROGRAM, SMALL, Case, sanitized, wait_or_kill, writer_of

# Its runtime lets a handler wait until the call that the signal interrupted has returned.
LATE = unittest.skipIf(sanitized("tsan"), "the thread sanitizer delivers signals late")

# A test that is run in the background, or by nohup, ignores some of these, and so would the program.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Statuses(Case):
    def test_0(self):
        self.ok("run", "-p", "kernels", KINETO)

    def test_2_usage(self):
        self.fails(2, "run", "--no-such")
        self.fails(2, "run", "-p", "kernels", KINETO, "--set", "kernel-time.exct=true", says='did you mean "exact"')

    def test_3_input(self):
        self.fails(3, "run", "-p", "kernels", "missing.json")

    def test_4_profile(self):
        self.fails(4, "run", "-p", "kernls", KINETO, says='did you mean "kernels"')
        self.write("p.json", '{"profile": 1, "stages": [')
        self.write("q.json", '{"profile": 1, "stages": [{"use": "kernel-time", "with": {"exct": true}}]}')
        self.fails(4, "run", "-p", "./p.json", KINETO, says="p.json:1:")
        self.fails(4, "run", "-p", "./q.json", KINETO, says="q.json:1:")

    def test_options_that_a_stage_rejects(self):
        """Only the stage knows; before any event, and whose mistake it is depends on who set them."""
        window = ["--set", "limit.from=5s", "--set", "limit.to=2s"]
        r = self.fails(2, "run", "-p", "kernels", KINETO, "--enable", "limit", *window, says="the window ends before it begins")
        self.assertIn("\n  in --set limit.from=5s\n  in --set limit.to=2s\n", r.err)
        self.fails(2, "run", "-p", "kernels", KINETO, "--enable", "limit", "--set", "from=5s", "--set", "to=2s", says="kernels.json:")
        self.write("p.json", '{"profile": 1, "stages": [{"use": "limit", "with": {"from": "5s", "to": "2s"}}, {"use": "contents"}]}')
        r = self.fails(4, "run", "-p", "./p.json", KINETO, says="the window ends before it begins")
        self.assertRegex(r.err, r"\n  at \./p\.json:1:[0-9]+  \(/stages/0/with/from\)\n  at \./p\.json:1:[0-9]+  \(/stages/0/with/to\)\n")
        self.fails(2, "run", "-p", "./p.json", KINETO, "--set", "limit.to=3s", says="in --set limit.to=3s")
        self.assertFalse((self.folder / "kernels").exists())

    def test_5_stage(self):
        self.write("bad/broken.so", "no module")
        self.write("p.json", '{"profile": 1, "stages": [{"use": "broken"}]}')
        self.fails(5, "run", "-p", "./p.json", KINETO, "--stage-path", "bad", says="broken")

    def test_5_stage_path(self):
        """What the command line names and is not looked at ends the run: another module of that name would run."""
        self.write("open/kernel-time.so", "no module")
        os.chmod(self.folder / "open", 0o777)
        for path, says in (("open", "open"), ("open/kernel-time.so", "open"), ("nowhere", "does not exist")):
            r = self.fails(5, "run", "-p", "kernels", KINETO, "--stage-path", path, says=says)
            self.assertIn("error[STG-03]", r.err)
            self.fails(5, "list", "stages", "--stage-path", path, says="STG-03")
            self.assertEqual(len(self.json("doctor", "--json", "--stage-path", path)["refused"]), 1)

    def test_6_output(self):
        self.write("mine/file", "x")
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "mine", says="-f")
        self.assertEqual(os.listdir(self.folder / "mine"), ["file"])
        self.ok("run", "-p", "kernels", KINETO, "-o", "mine", "-f")
        self.write("plain", "x")
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "plain")
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "no/such/folder/out", "--log-file", "no/such/log")

    def test_6_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        for args in (["convert", str(KINETO / "rank0.json"), "-o", "-"], ["list", "stages"], ["info", str(KINETO)]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *args], stdout=full, stderr=subprocess.PIPE, cwd=self.folder)
            self.assertEqual(done.returncode, 6, done.stderr)

    def test_6_nothing_is_said_to_be_written_that_is_not(self):
        self.ok("run", "-p", "kernels", KINETO, "-o", "out")
        for option in ("--strict", "--keep-going"):
            limited = f"trap '' XFSZ; ulimit -f 1; exec '{PROGRAM}' run -p kernels '{KINETO}' -o out {option}"
            done = subprocess.run(["sh", "-c", limited], cwd=self.folder, capture_output=True, env=self.env())
            self.assertEqual((done.returncode, done.stdout), (6, b""), done.stderr)

    def test_8_time_limit(self):
        r = self.interrupted(None, "--timeout=1s")
        self.assertEqual(r[0], 8, r[1])
        self.assertIn("error[", r[1])

    def test_8_values_for_exact_percentiles_count_as_memory(self):
        """200,000 take 8 bytes each."""
        rows = (f'{{"ph":"X","name":"k","cat":"kernel","pid":0,"tid":1,"ts":{k},"dur":{k % 1000}.5}}' for k in range(200000))
        self.write("t.json", "[\n" + ",\n".join(rows) + "\n]")
        run = ["run", "-p", "kernels", "t.json", "-o", "out", "-f", "-j1"]
        self.fails(8, *run, "--max-memory", "1MiB", says="it needs more memory than there is")
        for options, method in (([], "exact"), (["--max-memory", "1MiB", "--set", "kernel-time.exact-up-to=1000"], "histogram")):
            self.ok(*run, *options)
            table = json.loads((self.folder / "out/summary.json").read_text())["tables"][0]["rows"][0]
            self.assertEqual((table["calls"], table["method"]), (200000, method))
            self.assertAlmostEqual(table["median"], 500000, delta=500000 * 0.001 if method == "histogram" else 0)

    def test_signals_leave_nothing(self):
        for sig, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131),
                            (signal.SIGXCPU, 152)):
            self.assertEqual(self.interrupted(sig)[0], status)
            self.assertEqual([n for n in os.listdir(self.folder) if "fifo" not in n], [])

    def test_signals_that_were_ignored_stay_so(self):
        """As nohup and background jobs of a shell have it."""
        for name in ("HUP", "INT", "QUIT"):
            script = f"trap '' {name}; (echo '['; sleep 1; echo ']') | '{PROGRAM}' info - & sleep 0.4; kill -{name} $!; wait $!"
            done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, env=self.env())
            self.assertEqual(done.returncode, 0, done.stderr)

    @LATE
    def test_8_time_limit_while_inputs_are_opened(self):
        os.mkfifo(self.folder / "nobody")
        for command in (["info"], ["run", "-p", "kernels"], ["plan", "-p", "kernels"], ["convert", "-o", "out.json"]):
            for path in ("nobody", "@nobody", "-"):
                with subprocess.Popen([PROGRAM, *command, path, "--timeout=1s"], cwd=self.folder, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
                    self.assertEqual(wait_or_kill(p), 8, (command, path))
                    self.assertIn(b"error[RUN-10]", p.stderr.read())

    @LATE
    def test_the_first_signal_ends_the_opening_of_inputs(self):
        os.mkfifo(self.folder / "nobody")
        for path in ("nobody", "@nobody", "-"):
            with subprocess.Popen([PROGRAM, "info", path], cwd=self.folder, stdin=subprocess.PIPE) as p:
                time.sleep(0.3)
                p.send_signal(signal.SIGINT)
                self.assertEqual(wait_or_kill(p), 130, path)

    @LATE
    def test_an_isolated_run_has_one_allocator(self):
        """A stage's process would wait for ever for a lock of GLib's own, which another thread held as it was made."""
        os.mkfifo(self.folder / "nobody")
        env = {name: value for name, value in os.environ.items() if name != "G_SLICE"}
        for more, wanted in ((["--isolate=*"], True), ([], False)):
            with subprocess.Popen([PROGRAM, "run", "-p", "kernels", "nobody", *more], cwd=self.folder, env=env) as p:
                time.sleep(0.5)
                with open(f"/proc/{p.pid}/environ", "rb") as environ:
                    words = environ.read().split(b"\0")
                p.send_signal(signal.SIGINT)
                self.assertEqual(wait_or_kill(p), 130)
            self.assertEqual(b"G_SLICE=always-malloc" in words, wanted)

    def test_6_a_limit_on_the_size_of_files(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = subprocess.run([PROGRAM, "convert", str(KINETO / "rank0.json"), "-o", "out.json"], cwd=self.folder,
                              stderr=subprocess.PIPE, preexec_fn=limit, restore_signals=True)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn(b"too large", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def interrupted(self, sig, *more):
        """A run whose input never ends."""
        fifo = self.folder / "fifo"
        if not fifo.exists():
            os.mkfifo(fifo)
        with subprocess.Popen([PROGRAM, "run", "-p", "kernels", "fifo", "-o", "out", *more], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            event = b'{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":5,"dur":2},\n' * 2000
            with writer_of(fifo, p) as pipe:
                started = time.monotonic()
                pipe.write(b'{"traceEvents": [\n')
                try:
                    while p.poll() is None and time.monotonic() < started + 30:
                        pipe.write(event)
                        if sig and time.monotonic() > started + 0.3:
                            p.send_signal(sig)
                            sig = None
                except BrokenPipeError:
                    pass
            try:
                err = p.communicate(timeout=30)[1]
            finally:
                p.kill()
        return p.returncode, err.decode()


class Endings(Case):
    def test_a_crash_says_what_to_attach(self):
        with subprocess.Popen([PROGRAM, "info", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            p.stdin.write(b'{"traceEvents": [')
            p.stdin.flush()
            time.sleep(0.3)
            p.send_signal(signal.SIGABRT)
            err = p.stderr.read().decode()
            p.stdin.close()
            self.assertEqual(p.wait(), -signal.SIGABRT)
        self.assertIn("crashed", err)
        self.assertIn("doctor", err)

    def test_a_reader_that_leaves_is_no_failure(self):
        for args in (["list", "stages"], ["help", "run"], ["convert", str(KINETO / "rank0.json"), "-o", "-"]):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([PROGRAM, *args], stdout=write, stderr=subprocess.PIPE, cwd=self.folder)
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (0, b""), args)

    def closed(self, redirections, *args):
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirections}', PROGRAM, *map(str, args)], cwd=self.folder,
                              capture_output=True, env=self.env())

    def test_closed_standard_streams_do_no_harm(self):
        done = self.closed(">&- 2>&- <&-", "convert", KINETO / "rank0.json", "-o", "out.json", "-vvv")
        self.assertEqual(done.returncode, 6)
        json.loads((self.folder / "out.json").read_text())
        self.write("in.json")
        self.assertEqual(self.closed("2>&- <&-", "info", "in.json", "-vvv").returncode, 0)
        self.assertEqual((self.folder / "in.json").read_text(), SMALL)
        self.assertEqual(self.closed("2>&-", "convert", "in.json", "-o", "again.json", "-vvv").returncode, 0)
        json.loads((self.folder / "again.json").read_text())

    def test_6_standard_output_is_closed(self):
        rank = KINETO / "rank0.json"
        for args in (["convert", rank, "-o", "-"], ["convert", rank, "-o", "out.json"], ["list", "stages"], ["info", rank],
                     ["metric", "--list"], ["metric", "kernel_time", rank], ["run", "-p", "kernels", rank], ["help"],
                     ["plan", "-p", "kernels"], ["show", "kernels"], ["--version"], ["schema", "run"], ["explain", "RUN-02"],
                     ["completion", "bash"], ["doctor"], ["validate", "kernels"]):
            done = self.closed(">&-", *args)
            self.assertEqual(done.returncode, 6, (args, done.stderr))
            self.assertIn(b"standard output is closed", done.stderr)

    def test_3_standard_input_is_closed(self):
        done = self.closed("<&-", "info", "-")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"standard input is closed", done.stderr)

    def test_a_failed_run_leaves_its_log(self):
        self.write("t.json", SMALL[:-30])
        self.fails(3, "run", "-p", "kernels", "t.json", "-o", "out", "--strict")
        self.assertFalse((self.folder / "out").exists())
        log = self.folder / "out.failed" / "log.txt"
        self.assertIn("error[", log.read_text())
        log.write_text("error[RUN-00]: of an earlier run")
        self.fails(3, "run", "-p", "kernels", "t.json", "-o", "out", "--strict")
        self.assertNotIn("RUN-00", log.read_text())
        log.write_text("of the user")
        self.fails(3, "run", "-p", "kernels", "t.json", "-o", "out", "--strict")
        self.assertEqual(log.read_text(), "of the user")


class Log(Case):
    def test_lines_and_levels(self):
        r = self.ok("run", "-p", "kernels", KINETO, "-o", "a", "-v")
        self.assertRegex(r.err, r"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d  INFO     RUN: ")
        self.assertEqual(self.ok("run", "-p", "kernels", KINETO, "-o", "b").err, "")
        r = self.ok("run", "-p", "kernels", KINETO, "-o", "c", "--log-level=RUN=info", "--log-format=json")
        for line in r.err.splitlines():
            self.assertEqual(json.loads(line)["tag"], "RUN")
        self.assertIn("RUN", self.ok("run", "-p", "kernels", KINETO, "-o", "d", STAGEMILL_LOG="info").err)
        self.fails(2, "info", KINETO, "-q", "-v", says="exclude")

    def test_the_file_takes_info_and_above(self):
        r = self.ok("run", "-p", "kernels", KINETO, "-o", "a", "--log-file", "log")
        self.assertEqual(r.err, "")
        self.assertIn("INFO", (self.folder / "log").read_text())
