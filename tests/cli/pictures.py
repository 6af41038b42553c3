"""Pictures of figures: files, what becomes of them when gnuplot is missing, hangs, dies or prints rubbish, and hostile names."""
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import time
import unicodedata
import unittest
import xml.etree.ElementTree
import zlib

from harness import KINETO, PROGRAM, SOURCE, Case
from terminal import on_terminal

GNUPLOT = shutil.which("gnuplot")
RANKS = [KINETO / "rank0.json", KINETO / "rank1.json"]
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


class Faked(Case):
    """Scripts in the place of gnuplot."""

    def fake(self, script):
        path = self.write("gnuplot-fake", "#!/bin/sh\n" + script)
        path.chmod(0o755)
        return {"STAGEMILL_GNUPLOT": str(path)}

    def plot(self, *more, status=0, says=None, **env):
        args = ["run", "-p", "kernels", *RANKS, "-o", "out", "-f", *more]
        return self.fails(status, *args, says=says, **env)

    def fails(self, status, *args, says=None, **env):
        r = self.run_program(*args, **env)
        self.assertEqual(r.status, status, r.out + r.err)
        if says:
            self.assertIn(says, r.out + r.err)
        return r


class Fakes(Faked):
    def test_missing_and_asked_for(self):
        for env in ({"STAGEMILL_GNUPLOT": "/nonexistent"}, {"PATH": "/nonexistent"}):
            self.plot("--format", "text,plot", status=7, says="pictures were not drawn", **env)
            self.assertFalse((self.folder / "out").exists())

    def test_missing_in_a_profile(self):
        profile = json.loads((SOURCE / "profiles" / "kernels.json").read_text())
        profile["formats"] = ["text", "plot", "csv"]
        path = self.write("mine.json", json.dumps(profile))
        r = self.fails(0, "run", "-p", path, *RANKS, "-o", "out", says="1 format was left out (first: plot",
                       STAGEMILL_GNUPLOT="/nonexistent")
        self.assertEqual((r.out + r.err).count("left out"), 1)
        self.assertTrue((self.folder / "out" / "tables").exists())
        self.assertFalse((self.folder / "out" / "plots").exists())

    def test_dies(self):
        for script, why in (("echo no font >&2; exit 3", "exited with status 3: no font"),
                            ("kill -9 $$", "was killed by signal 9"),
                            ("cat >/dev/null", "wrote nothing"), ("echo hello", "no picture"),
                            ("printf '\\211PNG\\r\\n\\032\\n'; exit 0", "only the begin")):
            for formats in ("plot", "text,plot"):
                r = self.plot("--format", formats, status=7, says=why, **self.fake(script))
                self.assertIn("no picture could be drawn (the first: plots/kernel-time.png: ", r.err)
                self.assertFalse((self.folder / "out").exists())

    def test_dies_in_a_profile(self):
        """Nobody asked for pictures: all else is written."""
        profile = json.loads((SOURCE / "profiles" / "kernels.json").read_text())
        profile["formats"] = ["text", "plot"]
        path = self.write("mine.json", json.dumps(profile))
        self.fails(0, "run", "-p", path, *RANKS, "-o", "out", says="1 format was left out (first: plot: no picture could be drawn",
                   **self.fake("exit 3"))
        self.assertTrue((self.folder / "out" / "summary.txt").exists())

    def draws_svg_alone(self):
        """Of two pictures, one."""
        return self.fake("""case "$(cat)" in *'terminal svg'*) echo '<?xml version="1.0"?><svg></svg>' ;; *) exit 3 ;; esac""")

    def test_one_of_two_dies(self):
        self.plot("--format", "text,plot", "--set", "plot.type=png,svg", says="1 picture could not be drawn", **self.draws_svg_alone())
        self.assertEqual([p.name for p in (self.folder / "out" / "plots").iterdir()], ["kernel-time.svg"])
        notices = json.loads((self.folder / "out" / "run.json").read_text())["notices"]
        self.assertEqual([n["code"] for n in notices if n["code"].startswith("PLT")], ["PLT-01"])

    def test_nothing_to_draw(self):
        """A picture was asked for, and there is none: that is not done."""
        self.fails(7, "run", "-p", "info", RANKS[0], "-o", "out", "--format", "plot",
                   says="there is no picture to draw: the profile declares no figure")
        self.write("t.json", json.dumps({"traceEvents": [{"ph": "X", "name": "a", "cat": "cpu_op", "pid": 0, "tid": 1, "ts": 1,
                                                          "dur": 2}]}))
        self.fails(7, "run", "-p", "kernels", "t.json", "-o", "out", "--format", "plot", says='table "kernel-time" has no rows')
        self.assertFalse((self.folder / "out").exists())

    def test_a_figure_that_there_is_not(self):
        r = self.plot("--format", "plot", "--set", "plot.figures=kernel-tine,nothing", "--set", "plot.type=svg",
                      status=7, says="none of its figures was asked for")
        r = self.plot("--format", "plot", "--set", "plot.figures=kernel-tine,nothing,kernel-time", "--set", "plot.type=svg",
                      says="warning[PLT-02]", **self.draws_svg_alone())
        self.assertIn("2 figures of the option figures are not among the results (first: kernel-tine)", r.out + r.err)
        self.assertNotIn("PLT-01", r.out + r.err)

    def test_json_stays_one_object(self):
        r = self.plot("--format", "plot", "--json", "--set", "plot.type=png,svg", **self.draws_svg_alone())
        json.loads(r.out)
        self.assertIn("warning[PLT-01]", r.err)

    def test_strict(self):
        self.plot("--format", "text,plot", "--strict", "--set", "plot.type=png,svg", status=3, says="PLT-01",
                  **self.draws_svg_alone())
        self.assertTrue((self.folder / "out" / "summary.txt").exists())

    def heard(self, name):
        """What is written to a named pipe; fails where nobody does."""
        pipe = os.open(self.folder / name, os.O_RDWR)
        try:
            self.assertTrue(select.select([pipe], [], [], 60)[0])
            return os.read(pipe, 1 << 16).decode()
        finally:
            os.close(pipe)

    def test_interrupted_while_it_draws(self):
        # It writes no file: the number comes through a pipe that is there already.
        os.mkfifo(self.folder / "pid")
        env = self.fake("echo $$ > %s/pid; exec sleep 600" % self.folder)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            process = subprocess.Popen([PROGRAM, "run", "-p", "kernels", *map(str, RANKS), "-o", "out", "-f", "--format", "plot"],
                                       cwd=self.folder, env=self.env(**env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            child = int(self.heard("pid"))
            process.send_signal(number)
            self.assertEqual(process.wait(30), -9 if number == signal.SIGKILL else 128 + number)
            self.assertFalse((self.folder / "out").exists())
            for _ in range(3000):
                if not is_alive(child):
                    break
                time.sleep(0.01)
            self.assertFalse(is_alive(child))

    def test_environment_and_start_up_files(self):
        """It sees PATH and a locale, no more, and is told to read no start-up file."""
        os.mkfifo(self.folder / "seen")
        env = self.fake('{ echo "args $*"; env; } > %s/seen; exit 3' % self.folder)
        process = subprocess.Popen([PROGRAM, "run", "-p", "kernels", *map(str, RANKS), "-o", "out", "--format", "plot"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.env(GNUTERM="x11", HOME=str(self.folder), SECRET="1", LC_ALL="C", **env))
        pipe = os.open(self.folder / "seen", os.O_RDWR | os.O_NONBLOCK)
        process.wait(60)
        seen = os.read(pipe, 1 << 16).decode().split("\n")
        os.close(pipe)
        names = {line.split("=")[0] for line in seen[1:] if "=" in line}
        self.assertEqual(seen[0], "args -d -")
        self.assertEqual(names - {"PWD", "_", "SHLVL", "OLDPWD"}, {"PATH", "LC_ALL"})
        self.assertIn("LC_ALL=C.UTF-8", seen)

    def test_types(self):
        self.plot("--format", "plot", "--set", "plot.type=png,gif", status=5, says='a picture cannot be of type "gif"')

    def test_doctor(self):
        self.assertIn("1.2.3 (", self.ok("doctor", **self.fake("echo gnuplot 1.2.3")).out)
        self.assertIn("STAGEMILL_GNUPLOT names", self.ok("doctor", STAGEMILL_GNUPLOT="/nonexistent").out)


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


@unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
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
                self.assertNotIn("Gnuplot", root.find("{http://www.w3.org/2000/svg}title").text)
            else:
                self.assertTrue(data.startswith(b"%PDF-"))
                self.assertIn(b"/CreationDate (D:19700101000000", data)

    def test_same_bytes(self):
        types = ["--set", "plot.type=png,svg,pdf"]
        first = self.draw("a", *types, "-j1", LC_ALL="C", TZ="UTC")
        time.sleep(1.1)  # a time of day in seconds would show
        self.assertEqual(first, self.draw("b", *types, "-j4", LC_ALL="C.UTF-8", TZ="Asia/Tokyo", GNUTERM="dumb"))

    def test_start_up_files_change_nothing(self):
        first = self.draw("a")
        self.write(".gnuplot", "set terminal dumb\nexit\n")
        self.assertEqual(first, self.draw("b", HOME=str(self.folder)))

    def test_kept_scripts_run_alone(self):
        files = self.draw("out", "--set", "plot.keep-scripts=true")
        stems = {n.rsplit(".", 1)[0] for n in files}
        self.assertEqual(set(files), {f"{s}.{e}" for s in stems for e in ("png", "gp", "json")})
        for stem in stems:
            self.assertEqual(json.loads(files[stem + ".json"])["file"], stem)
            shutil.copy(self.folder / "out" / "plots" / f"{stem}.gp", self.folder)
            subprocess.run([GNUPLOT, "-d", f"{stem}.gp"], cwd=self.folder, check=True, capture_output=True,
                           env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
            self.assertEqual((self.folder / f"{stem}.png").read_bytes(), files[stem + ".png"])

    def test_hostile_names(self):
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 9 - i % 7,
                   "args": {"stream": 7, "device": 0}} for i, name in enumerate(HOSTILE)]
        self.write("t.json", json.dumps({"traceEvents": events}))
        before = set(os.listdir(self.folder))
        files = self.draw("out", "--set", "plot.type=png,svg,pdf", "--set", "plot.keep-scripts=true", inputs=["t.json"])
        self.assertEqual(set(os.listdir(self.folder)), before | {"out"})
        self.assertFalse(os.path.exists("/pwned"))
        self.assertTrue(any(n.endswith(".png") for n in files))
        for name, data in files.items():
            if name.endswith(".svg"):
                self.assertIn("touch pwned", "".join(xml.etree.ElementTree.fromstring(data).itertext()))
        notices = json.loads((self.folder / "out" / "run.json").read_text())["notices"]
        self.assertEqual([n for n in notices if n["code"].startswith("PLT")], [])


class Reports(Faked):
    """Pictures of a finished run."""

    def setUp(self):
        super().setUp()
        self.ok("run", "-p", "kernels", *RANKS, "-o", "out", "--format", "json")

    def test_missing(self):
        self.fails(7, "report", "out", "--format", "plot", says="pictures were not drawn", STAGEMILL_GNUPLOT="/nonexistent")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["run.json", "summary.json"])

    def test_dies(self):
        self.fails(7, "report", "out", "--format", "plot", says="no picture could be drawn", **self.fake("exit 3"))
        self.assertFalse((self.folder / "out" / "plots").exists())

    @unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
    def test_same_pictures_as_of_the_run(self):
        self.ok("report", "out", "--format", "plot")
        self.ok("run", "-p", "kernels", *RANKS, "-o", "other", "--format", "plot")
        for path in (self.folder / "other" / "plots").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "out" / "plots" / path.name).read_bytes())

    def test_kept_scripts(self):
        """The option is --set plot.keep-scripts=true, and asks for no format."""
        self.fails(2, "report", "out", "--format", "csv", "--keep-plot-scripts", says="plot is not among the formats")
        self.fails(2, "run", "-p", "kernels", *RANKS, "-o", "two", "--keep-plot-scripts", says="plot is not among the formats")
        self.fails(2, "run", *RANKS, "--keep-plot-scripts", says="plot is not among the formats")
        self.fails(2, "compare", "out", "out", "-o", "two", "--keep-plot-scripts", says="plot is not among the formats")
        self.assertFalse((self.folder / "two").exists())
        if GNUPLOT:
            self.ok("report", "out", "--format", "plot", "--keep-plot-scripts")
            self.ok("run", "-p", "kernels", *RANKS, "-o", "two", "--format", "plot", "--keep-plot-scripts")
            self.ok("run", "-p", "kernels", *RANKS, "-o", "three", "--format", "plot", "--set", "plot.keep-scripts=true")
            of = [{p.name: p.read_bytes() for p in (self.folder / f / "plots").iterdir()} for f in ("out", "two", "three")]
            self.assertEqual({n.rsplit(".")[-1] for n in of[0]}, {"png", "gp", "json"})
            self.assertEqual(of[0], of[1])
            self.assertEqual(of[0], of[2])


def cells(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class OnTheTerminal(Faked):
    """report --term.  core/cmd/preview.c"""

    def setUp(self):
        super().setUp()
        self.ok("run", "-p", "kernels", *RANKS, "-o", "out", "--format", "json")

    def test_refused(self):
        self.fails(2, "report", "out", "--term", "kernel-tim", says='did you mean "kernel-time"')
        self.fails(2, "report", "out", "kernel-time", says="a figure is named with --term")
        for words in (["--format", "plot"], ["-o", "two"], ["-f"], ["--sync"], ["--set", "plot.type=svg"], ["--keep-plot-scripts"]):
            self.fails(2, "report", "out", "--term", *words, says="--term writes none")
        self.fails(3, "report", "nothing", "--term", says="RUN-30")
        self.ok("run", "-p", "info", KINETO, "-o", "bare")
        self.fails(3, "report", "bare", "--term", says="RUN-33")

    def test_helper(self):
        self.fails(7, "report", "out", "--term", says="pictures were not drawn", STAGEMILL_GNUPLOT="/nonexistent")
        r = self.fails(7, "report", "out", "--term", says="no picture could be drawn", **self.fake("echo '\\033]0;hello'"))
        self.assertEqual(r.out, "")

    def test_completion(self):
        self.assertEqual(self.ok("__complete", "report", "out", "--term", "ker").out, "kernel-time\n")
        self.assertEqual(self.ok("__complete", "report", "nothing", "--term", "ker").out, "")

    def test_time_limit(self):
        self.fails(8, "report", "out", "--term", "--timeout", "1s", says="RUN-10", **self.fake("exec sleep 15"))
        self.fails(8, "report", "out", "--format", "plot", "--timeout", "1s", says="RUN-10", **self.fake("exec sleep 15"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.name != "gnuplot-fake"), ["out"])
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["run.json", "summary.json"])

    @unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
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

    @unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
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
