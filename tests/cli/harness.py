"""Runs the program and looks at what it did: shared by the tests of this folder."""
# SPDX-License-Identifier: MIT
import argparse
import errno
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--program", required=True)
PARSER.add_argument("--build", required=True)
PARSER.add_argument("--source", required=True)
PARSER.add_argument("--part", type=int, nargs=2, default=[0, 1], metavar=("I", "N"), help="every N-th test, from the I-th")
ARGS, REST = PARSER.parse_known_args()
SOURCE = pathlib.Path(ARGS.source)
BUILD = pathlib.Path(ARGS.build)
PROGRAM = os.path.abspath(ARGS.program)
OPTIONS = {o["name"]: o["value"] for o in json.loads((BUILD / "meson-info" / "intro-buildoptions.json").read_text())}
HAS_PAGE = OPTIONS["html_report"] != "disabled"
HAS_PICTURES = "cairo 1" in subprocess.run([PROGRAM, "doctor"], capture_output=True, text=True, check=True).stdout
needs_pictures = unittest.skipUnless(HAS_PICTURES, "this build has no pictures but those of characters")
needs_page = unittest.skipUnless(HAS_PAGE, "this build has no page of reports")
KINETO = SOURCE / "samples" / "kineto"
AIU = SOURCE / "samples" / "aiu"
COMMANDS = ["demo", "info", "run", "plan", "metric", "query", "convert", "compare", "check", "report", "list", "show", "validate", "new", "test", "schema",
            "explain", "doctor", "completion", "help"]

SMALL = """{
"traceEvents": [
{"ph":"X","name":"b","cat":"kernel","pid":0,"tid":1,"ts":5,"dur":2},
{"ph":"X","name":"a","cat":"kernel","pid":0,"tid":1,"ts":1,"dur":3}
]
}
"""


def sanitized(*names):
    """Whether the program was built with one of these sanitizers, "asan" or "tsan"; without names: with any."""
    with open(PROGRAM, "rb") as program:
        code = program.read()
    return any(f"__{name}_init".encode() in code for name in names or ("asan", "tsan"))


def wait_or_kill(process, seconds=20):
    """Its status; a process that does not end must not hold up the tests."""
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return "it did not end"


def writer_of(fifo, reader):
    """The FIFO opened for writing, as soon as the process `reader` has it; no wait for one that has ended."""
    while True:
        try:
            fd = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            os.set_blocking(fd, True)
            return open(fd, "wb", buffering=0)
        except OSError as failed:
            if failed.errno != errno.ENXIO or reader.poll() is not None:
                raise
            time.sleep(0.01)


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")


class Case(unittest.TestCase):
    """Each test has a folder of its own, which is the current one."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cli-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text=SMALL):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def env(self, **more):
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "SOURCE_DATE_EPOCH", "COLUMNS")}
        env.update(more)
        return env

    def run_program(self, *args, stdin=b"", **env):
        done = subprocess.run([PROGRAM, *map(str, args)], cwd=self.folder, input=stdin, capture_output=True,
                              env=self.env(**env), timeout=120)
        return Result(done)

    def without_rights(self):
        """What comes before a command for it to be stopped by modes: root without the capabilities that let it pass.
        Another user might not even reach the program."""
        if os.geteuid():
            return []
        lost = "-dac_override,-dac_read_search"
        prefix = ["setpriv", "--bounding-set", lost, "--inh-caps", lost]
        if not shutil.which("setpriv") or subprocess.run([*prefix, "true"], capture_output=True).returncode:
            self.skipTest("root reads everything, and setpriv cannot change that")
        return prefix

    def run_without_rights(self, *args):
        done = subprocess.run([*self.without_rights(), PROGRAM, *map(str, args)], cwd=self.folder, capture_output=True,
                              env=self.env(HOME=str(self.folder)), timeout=120)
        return Result(done)

    def ok(self, *args, **more):
        r = self.run_program(*args, **more)
        self.assertEqual(r.status, 0, f"{args}: {r.err}")
        return r

    def fails(self, status, *args, says=None, **more):
        r = self.run_program(*args, **more)
        self.assertEqual(r.status, status, f"{args}: {r.out[:500]} {r.err}")
        for text in [says] if isinstance(says, str) else says or []:
            self.assertIn(text, r.err)
        self.assertRegex(r.err, r"(?m)^error\[[A-Z]+-[0-9]+\]: ")
        return r

    def json(self, *args, **more):
        return json.loads(self.ok(*args, **more).out)


class PartOfTests(unittest.TestLoader):
    """Tests that run beside each other take turns class by class: neighbours are alike."""

    def loadTestsFromModule(self, module, **more):
        first, every = ARGS.part
        return self.suiteClass(list(super().loadTestsFromModule(module, **more))[first::every])


def main(done=lambda result: None):
    """done: called with the result of all tests, before the end."""
    ran = unittest.main(argv=[sys.argv[0], *REST], verbosity=1, exit=False, testLoader=PartOfTests())
    done(ran.result)
    sys.exit(not ran.result.wasSuccessful())
