"""What is refused before anything is read, and how a run goes on that need not end."""
# SPDX-License-Identifier: MIT
import json
import os
import signal
import subprocess
import time
import unittest

from harness import COMMANDS, PROGRAM, SMALL, Case, sanitized


EVENT = b'{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":5,"dur":2},\n'


class BeforeReading(Case):
    """The input never ends: what is refused late would wait for it until the time limit."""

    def setUp(self):
        super().setUp()
        self.write("t.json")

    def refused(self, status, *args, says):
        with subprocess.Popen([*self.without_rights(), PROGRAM, *map(str, args), "-", "--timeout=10s"], cwd=self.folder,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            try:
                p.stdin.write(b'{"traceEvents":[' + EVENT * 1500)  # what is looked at to know the format
                p.stdin.flush()
            except BrokenPipeError:
                pass
            self.assertEqual(p.wait(timeout=60), status)
            err = p.stderr.read().decode()
        for text in says:
            self.assertIn(text, err)
        return err

    def test_a_mount_point(self):
        mounted = next((p for p in ("/dev/shm", "/proc") if os.path.ismount(p)), None)
        if not mounted:
            self.skipTest("there is no mount point")
        for more in ([], ["-f"]):
            self.refused(6, "run", "-p", "kernels", "-o", mounted, *more, says=[mounted] if not more else
                         ["is a mount point", f"-o {mounted}/results"])

    def test_a_folder_that_cannot_be_replaced(self):
        self.write("out/mine", "mine")
        os.chmod(self.folder / "out", 0o500)
        self.addCleanup(os.chmod, self.folder / "out", 0o700)
        self.refused(6, "run", "-p", "kernels", "-o", "out", "-f", says=["out could not be written: Permission denied"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["out", "t.json"])

    def test_a_record_that_no_file_replaces(self):
        os.mkdir(self.folder / "out")
        os.mkfifo(self.folder / "out/run.json")
        self.refused(6, "run", "-p", "kernels", "-o", "out", "-f", says=["out/run.json is a pipe"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["out", "t.json"])

    def test_an_input_among_the_results(self):
        self.ok("run", "-p", "kernels", "t.json", "-o", "out", "--format=json,trace")
        before = (self.folder / "out/trace.json.gz").read_bytes()
        os.symlink("out/trace.json.gz", self.folder / "soft")
        for more in ([], ["-f"]):
            for name in ("out/trace.json.gz", "soft", "./out/../out/trace.json.gz"):
                self.refused(2, "run", "-p", "kernels", "-o", "out", name, *more, says=["OUT-11", name, str(self.folder / "out")])
        self.assertEqual((self.folder / "out/trace.json.gz").read_bytes(), before)
        self.assertFalse((self.folder / "out.failed").exists())
        self.ok("run", "-p", "kernels", "out/trace.json.gz", "-o", "other")

    def test_a_window_that_ends_before_it_begins(self):
        for args in (["run", "-p", "kernels", "-o", "out"], ["convert", "-o", "out.json"]):
            self.refused(2, *args, "--from=5s", "--to=2s", says=["RUN-90", "--from 5s", "--to 2s"])
        self.fails(2, "plan", "-p", "kernels", "--from=5s", "--to=2s", says="ends before it begins")
        self.ok("convert", "t.json", "-o", "-", "--from=5s", "--to=0")
        self.ok("convert", "t.json", "-o", "-", "--from=2s", "--to=2s")


class Inputs(Case):
    def test_an_input_in_the_folder_that_is_written_into(self):
        """It is the user's own, and stays; unless an output has its name."""
        self.write("there/t.json")
        self.ok("run", "-p", "kernels", "there/t.json", "-o", "there", "-f")
        self.assertEqual((self.folder / "there/t.json").read_text(), SMALL)
        self.ok("run", "-p", "kernels", "there/t.json", "-o", "there")
        self.assertEqual((self.folder / "there/t.json").read_text(), SMALL)
        self.write("here/summary.json")
        self.fails(6, "run", "-p", "kernels", "here/summary.json", "-o", "here", "-f", says=["OUT-11", "here/summary.json"])
        self.assertEqual((self.folder / "here/summary.json").read_text(), SMALL)

    def test_links_that_lead_nowhere(self):
        os.symlink("nowhere", self.folder / "loose")
        os.symlink("loop", self.folder / "loop")
        for name, why in (("loose", "No such file"), ("loop", "Too many levels")):
            r = self.fails(3, "info", name, says=[f'there is no file "{name}"', "a link to a missing file", why])
            self.assertNotIn("did you mean", r.err)

    def test_lists_are_named(self):
        self.write("empty", "")
        self.write("list", "nothing\n")
        self.fails(3, "info", "@empty", says=["the lists name no file", "@empty"])
        self.fails(3, "info", "@list", says=['no file "nothing"', 'in the list "list"'])

    def test_a_profile_that_comes_through_a_pipe(self):
        self.write("t.json")
        self.write("p.json", json.dumps({"profile": 1, "name": "p", "stages": [{"use": "kernel-time"}]}))
        for command in ("metric kernel_time -p /dev/fd/5 t.json", "run -p /dev/fd/5 t.json -o out", "validate /dev/fd/5"):
            done = subprocess.run(["bash", "-c", f"exec '{PROGRAM}' {command} 5< <(cat p.json)"], cwd=self.folder,
                                  capture_output=True, env=self.env(), timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)


class KeepGoing(Case):
    """One input that cannot be opened, or is in no known format, is as one that cannot be read to its end."""

    def setUp(self):
        super().setUp()
        self.write("a.json")
        self.write("b.json", "no trace at all")
        self.write("c.json", "")
        os.chmod(self.write("d.json"), 0)

    INPUTS = ("b.json", "a.json", "c.json", "d.json", "--keep-going")

    def goes_on(self, *args, out=""):
        r = self.run_without_rights(*args, *self.INPUTS)
        self.assertEqual(r.status, 3, r.err)
        self.assertIn(out, r.out)
        for name in ("b.json", "c.json", "d.json"):
            self.assertEqual(r.err.count(f"{name} ") + r.err.count(f"{name}\n"), 1, r.err)
        return r

    def test_every_command(self):
        self.assertEqual(self.goes_on("metric", "kernel_time").out, "5000\n")
        self.goes_on("run", "-p", "kernels", "-o", "out", out="wrote out/")
        self.goes_on("info", out="a.json")
        self.goes_on("plan", "-p", "kernels", out="kernel-time")
        self.goes_on("convert", "-o", "out.json")
        self.assertEqual(len(json.loads((self.folder / "out.json").read_text())["traceEvents"]), 2)
        record = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual(sorted(f["code"] for f in record["failures"]), ["RUN-02", "RUN-03", "RUN-05"])
        self.assertEqual(len(record["inputs"]), 1)

    def test_nothing_is_left(self):
        r = self.fails(3, "metric", "kernel_time", "b.json", "c.json", "--keep-going")
        self.assertEqual((r.out, r.err.count("error[")), ("", 2))
        self.fails(3, "run", "-p", "kernels", "b.json", "-o", "out", "--keep-going")
        self.assertFalse((self.folder / "out").exists())

    def test_without_it_nothing_is_done(self):
        r = self.fails(3, "metric", "kernel_time", "a.json", "b.json")
        self.assertEqual(r.out, "")


class Pipes(Case):
    """Whoever should read a pipe may never do so."""

    def setUp(self):
        super().setUp()
        event = '{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":%d,"dur":2}'
        self.write("t.json", '{"traceEvents":[%s]}' % ",\n".join(event % i for i in range(30000)))
        os.mkfifo(self.folder / "pipe")

    def ends(self, status, *args, signal_after=None, **more):
        with subprocess.Popen([PROGRAM, *map(str, args)], cwd=self.folder, stderr=subprocess.PIPE, env=self.env(), **more) as p:
            if signal_after:
                time.sleep(signal_after)
                p.send_signal(signal.SIGTERM)
            self.assertEqual(p.wait(timeout=60), status)
            err = p.stderr.read().decode()
        self.assertNotIn("RUN-14", err)  # no module is to blame
        return err

    def test_an_output_that_nobody_reads(self):
        self.assertIn("RUN-10", self.ends(8, "convert", "t.json", "-o", "pipe", "--timeout=1s"))
        self.ends(143, "convert", "t.json", "-o", "pipe", signal_after=0.5)

    def test_an_output_whose_reader_stopped(self):
        with open(os.open(self.folder / "pipe", os.O_RDONLY | os.O_NONBLOCK), "rb"):
            self.assertIn("RUN-10", self.ends(8, "convert", "t.json", "-o", "pipe", "--timeout=1s"))
        read, write = os.pipe()
        self.assertIn("RUN-10", self.ends(8, "convert", "t.json", "-o", "-", "--timeout=1s", stdout=write))
        self.ends(143, "convert", "t.json", "-o", "-", signal_after=0.5, stdout=write)
        self.assertTrue(os.get_blocking(write))  # the mode is not ours to change
        os.close(read)
        os.close(write)

    @unittest.skipIf(sanitized("tsan"), "it keeps the signal back that ends the opening of the pipe")
    def test_a_log_that_nobody_reads(self):
        self.assertIn("RUN-10", self.ends(8, "info", "t.json", "--log-file", "pipe", "--timeout=1s"))


class Messages(Case):
    def test_names_of_outputs(self):
        self.write("t.json")
        for name, why in (("a\001b.json", "holds a control character"), ("l" * 245 + ".json", "is longer than 240 bytes")):
            r = self.fails(6, "convert", "t.json", "-o", name, says=why)
            self.assertIn(name.replace("\001", "\\x01")[:60], r.err)
        self.fails(6, "run", "-p", "kernels", "t.json", "-o", "out", "--format=trace", "--set", "trace.file=../x",
                   says="leads out of the output folder")
        self.fails(6, "run", "-p", "kernels", "t.json", "-o", "n" * 256, says=["n" * 256, "too long"])

    def test_standard_output_is_called_so(self):
        self.write("t.json")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "convert", "t.json", "-o", "-"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, env=self.env())
        self.assertEqual(done.returncode, 6)
        self.assertIn(b"standard output could not be written", done.stderr)
        self.assertNotIn(b"  in ", done.stderr)
        self.fails(6, "convert", "t.json", "-o", "-", says="TMPDIR", TMPDIR="/proc/none")

    def test_help_fits_the_screen(self):
        for command in COMMANDS:
            lines = self.ok(command, "--help").out.splitlines()
            status = next(i for i, line in enumerate(lines) if line.startswith("Exit status:"))
            for line in lines[status:]:
                self.assertLessEqual(len(line), 80, line)

    def test_a_log_as_json_steers_no_terminal(self):
        name = "x\x7f\u009b\u202e\U000e0001.json"
        self.write("in/" + name, "no trace")
        self.write("in/t.json")
        r = self.ok("info", "in", "-v", "--log-format=json")
        self.assertFalse([c for c in r.err if c != "\n" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0)], r.err)
        self.assertTrue(r.err.isascii(), r.err)
        texts = [json.loads(line)["text"] for line in r.err.splitlines()]
        self.assertTrue(any(name in text for text in texts), texts)
