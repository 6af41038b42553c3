#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules that were built with the headers of 1.0 still run, and its layout is kept:
kept-test.py PROGRAM MODULES READER HEADERS HEADERS-OF-1.0

Without a release of 1.0 its headers may change: copy those of core/include/stagemill into tests/abi/1.0/stagemill."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MODULES, READER, HEADERS, OLD_HEADERS = sys.argv[1:6]
LINES = "KEPT\nalpha 1 500 7\nbeta 600 20 8\ngamma 1000 5000 9\n"
WANTED = """\
event alpha 1 500 8 13
event beta 600 20 9 13
event gamma 1000 5000 10 17
event kept 5520 -1 -1 0
row kept.slices 5 columns, last total 5520
row kept.all 2 columns, last total 5520
metric kept.total 5520
notice kept.KEPT-01
"""
# What a later minor version may do: the headers of 1.0 must not notice.
GROWTH = [
    ("stage.h", "from `resize` needs none */\n", "from `resize` needs none */\n  int (*later)(void *instance); /* (since 1.1) */\n"),
    ("types.h", "#define MILL_ABI_MINOR 0u", "#define MILL_ABI_MINOR 1u"),
]
# What it may not.
BREACHES = [
    ("types.h", "  int64_t ts_ns;  /*", "  int64_t other;\n  int64_t ts_ns;  /*"),
    ("types.h", "  uint16_t sub; /* orders", "  uint16_t sub; uint64_t more; /* orders"),
    ("types.h", "  MILL_INT = 1,", "  MILL_INT = 17,"),
    ("types.h", "  const char *text; /* UTF-8, need", "  const char *text, *other; /* UTF-8, need"),
    ("stage.h", "  int (*process)(void *instance, MillBatch *batch);\n", ""),
    ("source.h", "  MILL_PARSE_FULL = 1,", "  MILL_PARSE_FULL = 5,"),
]


class Kept(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kept-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_modules(self, *flags):
        modules = self.folder / "modules"
        modules.mkdir(exist_ok=True)
        for kind in ("stage", "source", "sink"):
            shutil.copy(f"{MODULES}/kept.{kind}.so", modules)
        (self.folder / "lines.txt").write_text(LINES, encoding="utf-8")
        (self.folder / "kept.json").write_text(json.dumps(
            {"profile": 1, "name": "kept", "stages": [{"use": "kept.stage", "with": {"limit": "1us"}}]}), encoding="utf-8")
        out = self.folder / ("out" + "".join(flags).replace("*", ""))
        done = subprocess.run([PROGRAM, "run", "--stage-path", modules, "-p", self.folder / "kept.json", "--source", "kept.source", "--format", "kept.sink", "-o", out,
                               *flags, self.folder / "lines.txt"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (out / "kept.txt").read_text(encoding="utf-8")

    def test_modules_run(self):
        for flags in ([], ["--verify"], ["--isolate", "kept.*"]):
            with self.subTest(flags):
                self.assertEqual(self.run_modules(*flags), WANTED)

    def compile(self, headers):
        check = self.folder / "kept.c"
        subprocess.run([sys.executable, READER, "--keeps", OLD_HEADERS, check], check=True)
        return subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-I", headers.parent, check], capture_output=True, text=True, check=False)

    def changed(self, name, old, new):
        headers = self.folder / "changed" / "stagemill"
        shutil.rmtree(headers, ignore_errors=True)
        shutil.copytree(HEADERS, headers)
        text = (headers / name).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (headers / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        return headers

    def test_the_headers_of_today_keep_it(self):
        done = self.compile(pathlib.Path(HEADERS))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_structs_may_grow(self):
        for change in GROWTH:
            with self.subTest(change[2]):
                done = self.compile(self.changed(*change))
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_breach_does_not_compile(self):
        for change in BREACHES:
            with self.subTest(change[2]):
                self.assertNotEqual(self.compile(self.changed(*change)).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
