"""Pictures of figures: files, the same bytes each time, builds without cairo, and hostile names."""
# SPDX-License-Identifier: MIT
import json
import os
import signal
import struct
import subprocess
import time
import unicodedata
import unittest
import xml.etree.ElementTree
import zlib

from harness import HAS_PICTURES, KINETO, PROGRAM, SOURCE, Case, needs_pictures
from terminal import on_terminal

RANKS = [KINETO / "rank0.json", KINETO / "rank1.json"]
ALLREDUCE = SOURCE / "samples" / "allreduce"
# A test that is run in the background ignores it, and so would the program.
signal.signal(signal.SIGINT, signal.default_int_handler)
HOSTILE = ["it's", "`touch pwned`", "$(touch pwned)", "\"; system(\"touch pwned\")", "END", "EOD", "a\tb\nc", "| touch pwned",
           "< touch pwned", "''; system('touch pwned'); '", "</script><img onerror=x>", "=1+1", "\u4e2d\u6587", "\u202eright",
           "\x01\x1b[31m", "n" * 100000, "\\", "100%s%n", "@x", ""]


def png_size(data):
    return struct.unpack(">II", data[16:24])


def png_colors(data):
    """Distinct pixels of some rows of an RGB picture, unfiltered bytes aside: more than a blank one has."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    raw = zlib.decompress(packed)
    return len({raw[i:i + 3] for i in range(0, len(raw) - 3, 3)})


class Asked(Case):
    """What is asked for, and cannot be had."""

    def plot(self, *more, status=0, says=None, **env):
        args = ["run", "-p", "kernels", *RANKS, "-o", "out", "-f", *more]
        return self.fails(status, *args, says=says, **env)

    def fails(self, status, *args, says=None, **env):
        r = self.run_program(*args, **env)
        self.assertEqual(r.status, status, r.out + r.err)
        if says:
            self.assertIn(says, r.out + r.err)
        return r


class Refused(Asked):
    @unittest.skipIf(HAS_PICTURES, "this build has pictures")
    def test_built_without(self):
        self.plot("--format", "text,plot", status=7, says="built without pictures")
        self.assertFalse((self.folder / "out").exists())
        self.plot("--format", "text,plot", "--set", "plot.type=text")
        self.assertTrue((self.folder / "out" / "figures.txt").exists())

    @unittest.skipIf(HAS_PICTURES, "this build has pictures")
    def test_built_without_in_a_profile(self):
        """Nobody asked for pictures: all else is written."""
        profile = json.loads((SOURCE / "profiles" / "kernels.json").read_text())
        profile["formats"] = ["text", "plot", "csv"]
        path = self.write("mine.json", json.dumps(profile))
        self.fails(0, "run", "-p", path, *RANKS, "-o", "out", says="1 format was left out (first: plot")
        self.assertTrue((self.folder / "out" / "tables").exists())

    def test_nothing_to_draw(self):
        """A picture was asked for, and there is none: that is not done."""
        self.fails(7, "run", "-p", "info", RANKS[0], "-o", "out", "--format", "plot", "--set", "plot.type=text",
                   says="there is no picture to draw: the profile declares no figure")
        self.write("t.json", json.dumps({"traceEvents": [{"ph": "X", "name": "a", "cat": "cpu_op", "pid": 0, "tid": 1, "ts": 1,
                                                          "dur": 2}]}))
        self.fails(7, "run", "-p", "kernels", "t.json", "-o", "out", "--format", "plot", says="no rows" if HAS_PICTURES else None)
        self.assertFalse((self.folder / "out").exists())

    @needs_pictures
    def test_a_figure_that_there_is_not(self):
        self.plot("--format", "plot", "--set", "plot.figures=kernel-tine,nothing", "--set", "plot.type=svg",
                  status=7, says="the option figures names none of its figures")
        r = self.plot("--format", "plot", "--set", "plot.figures=kernel-tine,nothing,kernel-time", "--set", "plot.type=svg",
                      says="warning[PLT-02]")
        self.assertIn("2 figures of the option figures are not among the results (first: kernel-tine)", r.out + r.err)
        self.assertNotIn("PLT-01", r.out + r.err)
        r = self.plot("--format", "plot", "--json", "--set", "plot.figures=kernel-tine,kernel-time")
        json.loads(r.out)
        self.plot("--format", "text,plot", "--strict", "--set", "plot.figures=kernel-tine,kernel-time", status=3, says="PLT-02")
        self.assertTrue((self.folder / "out" / "summary.txt").exists())

    @needs_pictures
    def test_no_font(self):
        """A picture without its texts is none."""
        fonts = self.write("fonts.conf", f"<fontconfig><dir>{self.folder}/nothing</dir><cachedir>{self.folder}/cache</cachedir></fontconfig>")
        self.plot("--format", "text,plot", status=7, says="no picture could be drawn (the first: plots/kernel-time.png: no font is installed",
                  FONTCONFIG_FILE=str(fonts))
        self.assertFalse((self.folder / "out").exists())
        self.plot("--format", "plot", "--set", "plot.type=png,text", says="warning[PLT-01]", FONTCONFIG_FILE=str(fonts))
        self.assertTrue((self.folder / "out" / "figures.txt").exists())
        self.assertFalse((self.folder / "out" / "plots").exists())

    def test_types(self):
        self.plot("--format", "plot", "--set", "plot.type=png,gif", status=5, says='a picture cannot be of type "gif"')

    def test_doctor(self):
        self.assertIn("cairo 1" if HAS_PICTURES else "as text alone", self.ok("doctor").out)


@needs_pictures
class Pictures(Case):
    def draw(self, folder, *more, inputs=None, **env):
        self.ok("run", "-p", "kernels", *(inputs or RANKS), "-o", folder, "--format", "plot", *more, **env)
        return {p.name: p.read_bytes() for p in sorted((self.folder / folder / "plots").iterdir())}

    def test_types(self):
        files = self.draw("out", "--set", "plot.type=png,svg,pdf")
        self.assertEqual({n.rsplit(".")[-1] for n in files}, {"png", "svg", "pdf"})
        for name, data in files.items():
            if name.endswith(".png"):
                width, height = png_size(data)
                self.assertEqual(width, 2400)
                self.assertGreaterEqual(height, 1400)
                self.assertGreater(png_colors(data), 5)
            elif name.endswith(".svg"):
                root = xml.etree.ElementTree.fromstring(data)
                self.assertEqual("Device time by name", root.find("{http://www.w3.org/2000/svg}title").text)
            else:
                self.assertTrue(data.startswith(b"%PDF-"))
                self.assertRegex(data, rb"/CreationDate \((D:)?19700101000000")

    def test_same_bytes(self):
        types = ["--set", "plot.type=png,svg,pdf"]
        first = self.draw("a", *types, "-j1", LC_ALL="C", TZ="UTC")
        time.sleep(1.1)  # a time of day in seconds would show
        self.assertEqual(first, self.draw("b", *types, "-j4", LC_ALL="C.UTF-8", TZ="Asia/Tokyo"))

    def test_numbers(self):
        files = self.draw("out", "--set", "plot.numbers=true")
        stems = {n.rsplit(".", 1)[0] for n in files}
        self.assertEqual(set(files), {f"{s}.{e}" for s in stems for e in ("png", "json")})
        for stem in stems:
            self.assertEqual(json.loads(files[stem + ".json"])["file"], stem)

    def test_hostile_names(self):
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 9 - i % 7,
                   "args": {"stream": 7, "device": 0}} for i, name in enumerate(HOSTILE)]
        self.write("t.json", json.dumps({"traceEvents": events}))
        before = set(os.listdir(self.folder))
        files = self.draw("out", "--set", "plot.type=png,svg,pdf", "--set", "plot.numbers=true", inputs=["t.json"])
        self.assertEqual(set(os.listdir(self.folder)), before | {"out"})
        self.assertFalse(os.path.exists("/pwned"))
        self.assertTrue(any(n.endswith(".png") for n in files))
        for name, data in files.items():
            if name.endswith(".svg"):
                self.assertGreater(len(list(xml.etree.ElementTree.fromstring(data).iter())), 50)
        notices = json.loads((self.folder / "out" / "run.json").read_text())["notices"]
        self.assertEqual([n for n in notices if n["code"].startswith("PLT")], [])


@needs_pictures
class Interrupted(Case):
    """A signal while pictures are painted: the run ends at once, and no file is left."""

    def test_while_it_draws(self):
        self.ok("run", "-p", "allreduce", ALLREDUCE, "--format", "json,csv", "-o", "out")
        before = self.everything()
        for number in (signal.SIGINT, signal.SIGTERM):
            self.assertEqual(self.ended_by(number), 128 + number)
            self.assertEqual(self.everything(), before)

    def everything(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def some_are_painted(self):
        try:
            return len([path for path in self.folder.rglob("plots/**/*.p*") if "out" not in path.parts]) > 2
        except FileNotFoundError:  # a folder that was put into place
            return False

    def ended_by(self, number):
        """Its status, when the signal came after the first pictures and before the last one."""
        command = [PROGRAM, "report", "out", "--format", "plot", "--set", "plot.type=png,pdf,svg", "-o", "drawn"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.env()) as p:
            while p.poll() is None and not self.some_are_painted():
                time.sleep(0.002)
            p.send_signal(number)
            return p.wait(60)


class Reports(Asked):
    """Pictures of a finished run."""

    def setUp(self):
        super().setUp()
        self.ok("run", "-p", "kernels", *RANKS, "-o", "out", "--format", "json")

    @needs_pictures
    def test_same_pictures_as_of_the_run(self):
        self.ok("report", "out", "--format", "plot")
        self.ok("run", "-p", "kernels", *RANKS, "-o", "other", "--format", "plot")
        for path in (self.folder / "other" / "plots").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "out" / "plots" / path.name).read_bytes())


def cells(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class OnTheTerminal(Asked):
    """report --term.  core/cmd/preview.c"""

    def setUp(self):
        super().setUp()
        self.ok("run", "-p", "kernels", *RANKS, "-o", "out", "--format", "json")

    def test_refused(self):
        self.fails(2, "report", "out", "--term", "kernel-tim", says='did you mean "kernel-time"')
        self.fails(2, "report", "out", "kernel-time", says="a figure can be named only with --term")
        for words in (["--format", "plot"], ["-o", "two"], ["-f"], ["--sync"], ["--set", "plot.type=svg"]):
            self.fails(2, "report", "out", "--term", *words, says="--term writes no file")
        self.fails(3, "report", "nothing", "--term", says="RUN-30")
        self.ok("run", "-p", "info", KINETO, "-o", "bare")
        self.fails(3, "report", "bare", "--term", says="RUN-33")

    def test_completion(self):
        self.assertEqual(self.ok("__complete", "report", "out", "--term", "ker").out, "kernel-time\n")
        self.assertEqual(self.ok("__complete", "report", "nothing", "--term", "ker").out, "")

    def test_size(self):
        before = {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        usual = self.ok("report", "out", "--term").out
        self.assertEqual(usual, self.ok("report", "out", "--term", "kernel-time", COLUMNS="80").out)
        self.assertTrue(usual.startswith("Device time by name\n"))
        self.assertIn("others (42)", usual)
        widths = {}
        for width in (40, 80, 200):
            seen, _ = on_terminal([PROGRAM, "report", "out", "--term"], width, self.env(), cwd=self.folder, stdin=subprocess.DEVNULL)
            lines = seen.decode().replace("\r", "").split("\n")
            self.assertLessEqual(max(map(cells, lines)), width)
            self.assertGreater(len(lines), len(usual.split("\n")))  # that terminal has 50 lines
            narrow = self.ok("report", "out", "--term", COLUMNS=str(width)).out.split("\n")
            self.assertLessEqual(max(map(cells, narrow)), width)
            widths[width] = max(line.count("*") for line in lines)
        self.assertLess(widths[40], widths[80])
        self.assertLess(widths[80], widths[200])
        self.assertEqual(before, {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()})

    def test_hostile_names(self):
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 9 - i % 7,
                   "args": {"stream": 7, "device": 0}} for i, name in enumerate(HOSTILE)]
        self.write("t.json", json.dumps({"traceEvents": events}))
        self.ok("run", "-p", "kernels", "t.json", "-o", "bad", "--format", "json")
        before = set(os.listdir(self.folder))
        text = self.ok("report", "bad", "--term").out
        self.assertEqual(set(os.listdir(self.folder)), before)
        self.assertIn("touch pwned", text)
        self.assertIn("\u4e2d\u6587", text)
        self.assertEqual([c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs")], [])
        self.assertLessEqual(max(map(cells, text.split("\n"))), 80)
