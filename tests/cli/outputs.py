"""Where results go: pipes, devices and links, folders that hold files of the user, log files, and what a killed run leaves."""
# SPDX-License-Identifier: MIT
import json
import os
import signal
import stat
import subprocess
import tempfile
import threading
import time

from harness import BUILD, KINETO, PROGRAM, SMALL, Case, writer_of


def read_later(path):
    """Reads a pipe in a thread; the bytes are in the list when it has ended."""
    found = []

    def read():
        with open(path, "rb") as file:
            found.append(file.read())

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread, found


class ManySinks(Case):
    """Sinks end at the same time; which one is first changes nothing."""

    def test_files_are_the_same_for_any_number_of_threads(self):
        formats = "csv,html,json,markdown,openmetrics,sqlite,text,xlsx"
        run = ("run", "-p", "torch", KINETO, "--format", formats, "-o", "out", "-f")
        self.ok(*run, "-j1")
        first = self.results()
        for _ in range(5):
            self.ok(*run, "-j4")
            self.assertEqual(self.results(), first)

    def results(self):
        """All files but the record of the run, which has times."""
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in sorted((self.folder / "out").rglob("*"))
                if path.is_file() and path.name != "run.json"}


class Special(Case):
    """What is no regular file."""

    def test_a_pipe_is_written_as_it_is(self):
        self.write("t.json")
        os.mkfifo(self.folder / "pipe")
        plain = self.ok("convert", "t.json", "-o", "-").out
        for more in ([], ["-f"]):
            thread, found = read_later(self.folder / "pipe")
            self.ok("convert", "t.json", "-o", "pipe", *more)
            thread.join(30)
            self.assertEqual(found[0].decode(), plain)
            self.assertTrue(stat.S_ISFIFO(os.lstat(self.folder / "pipe").st_mode))
        self.assertEqual(sorted(os.listdir(self.folder)), ["pipe", "t.json"])

    def test_parts_do_not_share_a_pipe(self):
        self.write("t.json", '{"traceEvents": [' + ",".join(
            '{"ph":"X","name":"a","pid":0,"tid":1,"ts":%d,"dur":2}' % t for t in range(3000)) + "]}")
        os.mkfifo(self.folder / "out-001.json")
        thread, _ = read_later(self.folder / "out-001.json")
        self.fails(6, "convert", "t.json", "-o", "out.json", "--split-size=20KB", says="takes one file only")
        thread.join(30)

    def test_a_device_is_written_as_it_is(self):
        self.write("t.json")
        for minor, status in ((3, 0), (7, 6)):
            path = self.folder / f"device{minor}"
            try:
                os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
                os.close(os.open(path, os.O_WRONLY))
            except OSError:
                self.skipTest("devices cannot be made here")
            r = self.run_program("convert", "t.json", "-o", path, "-f")
            self.assertEqual(r.status, status, r.err)
            self.assertTrue(stat.S_ISCHR(os.lstat(path).st_mode))

    def test_standard_output_by_its_other_name(self):
        self.write("t.json")
        if not os.path.exists("/dev/stdout"):
            self.skipTest("there is no /dev/stdout")
        self.assertEqual(self.ok("convert", "t.json", "-o", "/dev/stdout").out,
                         self.ok("convert", "t.json", "-o", "-").out)

    def test_a_link_stays_and_its_file_is_replaced(self):
        self.write("t.json")
        self.write("far/there.json", "mine")
        os.symlink("far/there.json", self.folder / "link.json")
        self.fails(6, "convert", "t.json", "-o", "link.json", says="-f")
        self.ok("convert", "t.json", "-o", "link.json", "-f")
        self.assertEqual(os.readlink(self.folder / "link.json"), "far/there.json")
        self.assertEqual(len(json.loads((self.folder / "far/there.json").read_text())["traceEvents"]), 2)
        self.assertEqual(os.listdir(self.folder / "far"), ["there.json"])

    def test_links_to_one_file_are_not_two_outputs(self):
        self.write("r0.json")
        self.write("r1.json")
        self.write("there.json", "mine")
        for rank in (0, 1):
            os.symlink("there.json", self.folder / f"o{rank}.json")
        self.fails(6, "convert", "r{rank}.json", "-o", "o{rank}.json", "-f", says="two outputs lead to one file")
        self.assertEqual((self.folder / "there.json").read_text(), "mine")

    def test_what_cannot_be_an_output(self):
        self.write("t.json")
        os.symlink("nowhere", self.folder / "loose")
        os.mkdir(self.folder / "folder")
        os.mkfifo(self.folder / "pipe")
        for name, says in (("loose", "a link to a missing file"), ("folder", "a folder"), ("new/", "a folder")):
            self.fails(6, "convert", "t.json", "-o", name, "-f", says=says)
        for name, says in (("loose", "a link to a missing file"), ("pipe", "a pipe"), ("t.json", "a file")):
            self.fails(6, "run", "-p", "kernels", KINETO, "-o", name, "-f", says=says)
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "loose", "pipe", "t.json"])


class Folders(Case):
    def test_a_file_of_the_user_with_the_name_of_a_new_output(self):
        self.ok("run", "-p", "kernels", KINETO, "-o", "out", "--format=json")
        self.write("out/summary.txt", "mine")
        os.makedirs(self.folder / "out/empty/deep")
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", "--format=json,text",
                   says=["out/summary.txt exists already", "-f"])
        self.assertEqual((self.folder / "out/summary.txt").read_text(), "mine")
        self.ok("run", "-p", "kernels", KINETO, "-o", "out", "--format=json")
        self.assertEqual((self.folder / "out/summary.txt").read_text(), "mine")
        self.assertTrue((self.folder / "out/empty/deep").is_dir())
        self.ok("run", "-p", "kernels", KINETO, "-o", "out", "--format=json,text", "-f")
        self.assertNotEqual((self.folder / "out/summary.txt").read_text(), "mine")
        self.assertTrue((self.folder / "out/empty/deep").is_dir())

    def test_a_record_that_is_no_file(self):
        os.mkdir(self.folder / "out")
        os.mkfifo(self.folder / "out/run.json")
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", says="not empty")
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", "-f", says="a pipe")
        self.assertEqual(os.listdir(self.folder / "out"), ["run.json"])

    def test_two_sinks_never_write_one_file(self):
        for name in ("summary.json", "./summary.json", ".//summary.json"):
            r = self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", "--format=trace,json", "--set", f"trace.file={name}",
                           says='two sinks write the file "summary.json"')
            self.assertIn('"chrome-json"', r.err)
            self.assertIn('"json"', r.err)
            self.assertFalse((self.folder / "out").exists())
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", "--format=trace", "--set", "trace.file=a/../run.json")
        self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", "--format=trace", "--set", "trace.file=./run.json",
                   says="the program itself")
        self.ok("run", "-p", "kernels", KINETO, "-o", "out", "--format=trace", "--set", "trace.file=.part-0")
        self.ok("convert", KINETO / "rank0.json", "-o", "run.json")


class Processes(Case):
    def wander(self, does):
        self.write("t.json")
        self.write("p.json", json.dumps({"profile": 1, "name": "wander", "stages": [
            {"use": "test.wanderer", "with": {"does": does}}]}))
        return self.ok("run", "--stage-path", BUILD / "tests" / "cli", "-p", "./p.json", "t.json", "-o", "out",
                       "--format=json", "-j1")

    def test_a_stage_that_changes_the_current_folder(self):
        r = self.wander("leaves")
        self.assertIn("summary.json", r.out)
        self.assertEqual(sorted(os.listdir(self.folder)), ["out", "p.json", "t.json"])
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["run.json", "summary.json"])

    def test_the_child_of_a_stage_commits_nothing(self):
        r = self.wander("forks")
        self.assertIn("error[STG-73]", r.err)
        self.assertIn('"test.wanderer"', r.err)
        self.assertEqual(r.out.count("wrote out/"), 1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["out", "p.json", "t.json"])

    def killed(self, *args):
        """Starts it, ends it while its input goes on, and says what it left in the folder."""
        fifo = self.folder / "fifo"
        if not fifo.exists():
            os.mkfifo(fifo)
        before = set(os.listdir(self.folder))
        with subprocess.Popen([PROGRAM, *map(str, args)], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env=self.env()) as p:
            with writer_of(fifo, p) as pipe:
                pipe.write(b'{"traceEvents": [\n')
                end = time.monotonic() + 30
                while set(os.listdir(self.folder)) == before and time.monotonic() < end:
                    pipe.write(b'{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":5,"dur":2},\n' * 100)
                left = set(os.listdir(self.folder)) - before
                self.ok("convert", "t.json", "-o", "beside.json", "-f")  # takes nothing from one that lives
                self.assertLessEqual(left, set(os.listdir(self.folder)))
                p.send_signal(signal.SIGKILL)
                p.wait()
        return left

    def test_what_a_killed_run_leaves_goes_with_the_next(self):
        self.write("t.json")
        self.write(".out.mine42/notes", "mine")
        self.write(".convert.mine42/.stagemill-run", "mine")
        for args, name in ((("run", "-p", "kernels", "--format=text", "-o", "out"), ".out."),
                           (("convert", "-o", "x.json"), ".convert."),
                           (("convert", "-o", "x{rank}.json"), ".convert.")):
            left = self.killed(args[0], "fifo", *args[1:])
            self.assertEqual([n[:len(name)] for n in left], [name])
            self.assertNotIn("out", left)
            self.ok(args[0], "t.json", *args[1:])
            self.assertFalse(left & set(os.listdir(self.folder)))
        self.assertTrue((self.folder / ".out.mine42/notes").exists())
        self.assertTrue((self.folder / ".convert.mine42").exists())


class LogFiles(Case):
    LINE = "2026-01-31T09:26:53.589+01:00  INFO     RUN: text\n"

    def refused(self, log, *args, says="the log file is"):
        before = (self.folder / log).read_bytes() if (self.folder / log).exists() else None
        self.fails(6, *args, "-v", "--log-file", log, says=[says, "OUT-11"])
        after = (self.folder / log).read_bytes() if (self.folder / log).exists() else None
        self.assertEqual(before, after)

    def test_what_is_read_or_written_is_no_log(self):
        trace = self.write("t.json")
        self.write("in/t.json")
        self.write("in/log", self.LINE)
        self.write("list", "t.json\n")
        os.link(trace, self.folder / "link.json")
        os.symlink("t.json", self.folder / "soft.json")
        self.write("p.json", '{"profile": 1, "name": "p", "stages": [{"use": "kernel-time"}]}')
        for log in ("t.json", "link.json", "soft.json", "./t.json"):
            self.refused(log, "run", "-p", "kernels", "t.json", "-o", "out", says="one of the inputs")
        self.refused("t.json", "run", "-p", "kernels", "a=t.json", "-o", "out", says="one of the inputs")
        self.refused("t.json", "run", "-p", "kernels", "@list", "-o", "out", says="one of the inputs")
        self.refused("list", "run", "-p", "kernels", "@list", "-o", "out", says="one of the inputs")
        self.refused("t.json", "convert", "*.json", "-o", "out", says="one of the inputs")
        self.refused("t.json", "metric", "kernel_time", "t.json", says="one of the inputs")
        self.refused("in/t.json", "run", "-p", "kernels", "in", "-o", "out", says="one of the inputs")
        self.refused("p.json", "run", "-p", "./p.json", "t.json", "-o", "out", says="the profile")
        for name in ("x.json", "./x.json"):
            self.refused(name, "convert", "t.json", "-o", "x.json", says="the output")
        self.write("x.json", "mine")
        self.refused("x.json", "convert", "t.json", "-o", "x.json", "-f", says="the output")
        self.ok("run", "-p", "kernels", "in", "-o", "out", "--log-file", "in/log")
        self.assertTrue((self.folder / "in/log").read_text().startswith(self.LINE))

    def test_a_log_that_takes_nothing(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        r = self.fails(6, "run", "-p", "kernels", KINETO, "-o", "out", "--log-file", "/dev/full",
                       says=["OUT-12", "No space left"])
        self.assertEqual(r.err.count("takes no more lines"), 1)
        self.assertTrue((self.folder / "out/run.json").exists())
        self.fails(3, "run", "-p", "kernels", "missing.json", "-o", "out", "--log-file", "/dev/full")
        r = self.fails(6, "run", "-p", "kernels", KINETO, "-o", "quiet", "-q", "--log-file", "/dev/full", says="OUT-12")
        self.assertNotIn("takes no more lines", r.err)
        for path in ("no/such/folder/x", self.folder):
            self.fails(6, "run", "-p", "kernels", KINETO, "-o", "no", "--log-file", path, says="OUT-12")
        self.assertFalse((self.folder / "no").exists())


class AllOrNone(Case):
    def test_the_second_file_cannot_be_replaced(self):
        """It is a link to another file system, which is seen when the first one is in place."""
        elsewhere = "/dev/shm"
        if not os.access(elsewhere, os.W_OK) or os.stat(elsewhere).st_dev == os.stat(self.folder).st_dev:
            self.skipTest("there is no other file system")
        self.write("r0.json")
        self.write("r1.json", SMALL.replace('"pid":0', '"pid":1'))
        with tempfile.TemporaryDirectory(dir=elsewhere) as far:
            with open(os.path.join(far, "x"), "w", encoding="utf-8") as file:
                file.write("far")
            os.symlink(os.path.join(far, "x"), self.folder / "o1.json")
            for there in (True, False):
                if there:
                    self.write("o0.json", "mine")
                else:
                    os.unlink(self.folder / "o0.json")
                self.fails(6, "convert", "r{rank}.json", "-o", "o{rank}.json", "-f")
                self.assertEqual(sorted(os.listdir(self.folder)), ["o0.json"] * there + ["o1.json", "r0.json", "r1.json"])
                if there:
                    self.assertEqual((self.folder / "o0.json").read_text(), "mine")
                with open(os.path.join(far, "x"), encoding="utf-8") as file:
                    self.assertEqual(file.read(), "far")
