#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `stagemill schema abi` prints is what compilers see: abi-test.py PROGRAM READER HEADERS

The reader writes it as JSON, and as C and C++ that does not compile unless every offset, size, type and value is right."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, READER, HEADERS = sys.argv[1:4]
COMPILERS = [("gcc", "-std=c11", "c"), ("clang", "-std=c11", "c"), ("g++", "-std=c++20", "cc"), ("clang++", "-std=c++20", "cc")]
# Changes of the headers that what was read before must not survive.
CHANGES = [
    ("types.h", "  int64_t ts_ns;  /*", "  int64_t other;\n  int64_t ts_ns;  /*"),
    ("types.h", "MILL_SLICE = 1,", "MILL_SLICE = 17,"),
    ("types.h", "  uint16_t n_attrs;\n  uint8_t kind;\n  uint8_t flags;", "  uint16_t n_attrs;\n  uint8_t flags;\n  uint8_t kind;"),
    ("stage.h", "  int (*decide)(void *instance);", "  int (*decide)(void *instance, int more);"),
    ("source.h", "  size_t stop; ", "  uint32_t stop; "),
]
# Headers that it must not pass over.
UNKNOWN = [
    ("types.h", "typedef struct MillNamed {", "typedef union MillOther { int a; } MillOther;\ntypedef struct MillNamed {"),
    ("types.h", "typedef struct MillNamed {", "typedef struct MillNamed {\n  long other;"),
    ("types.h", "#define MILL_NO_LANE UINT32_MAX", "#define MILL_NO_LANE sizeof(int)"),
    ("stage.h", "int (*decide)(void *instance);", "int (*decide)(void *instance);\n  int (*undecide)(void *instance);"),
    ("stage.h", "report, report_run              row, cells, metric, no_metric", "report, report_run              row, cells, metric"),
]


class Abi(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="abi-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.headers = self.folder / "stagemill"
        shutil.copytree(HEADERS, self.headers)

    def read(self, output, *flags):
        path = self.folder / output
        done = subprocess.run([sys.executable, READER, *flags, self.headers, path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def change(self, name, old, new):
        path = self.headers / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def compile(self, compiler, standard, path):
        return subprocess.run([compiler, standard, "-Wall", "-Wextra", "-pedantic-errors", "-Werror", "-fsyntax-only", "-I", self.folder,
                               path], capture_output=True, text=True, check=False)

    def test_the_program_prints_what_was_read(self):
        printed = subprocess.run([PROGRAM, "schema", "abi"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed, self.read("abi.json").read_text(encoding="utf-8"))

    def test_compilers_agree(self):
        tried = 0
        for compiler, standard, suffix in COMPILERS:
            if shutil.which(compiler):
                tried += 1
                done = self.compile(compiler, standard, self.read("check." + suffix, "--check"))
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(tried, 0)

    def test_compilers_refuse_what_is_no_longer_so(self):
        check = self.read("check.c", "--check")
        for name, old, new in CHANGES:
            with self.subTest(new):
                shutil.copy(pathlib.Path(HEADERS) / name, self.headers / name)
                self.change(name, old, new)
                self.assertIn("static assertion failed", self.compile("cc", "-std=c11", check).stderr)
                shutil.copy(pathlib.Path(HEADERS) / name, self.headers / name)

    def test_nothing_is_passed_over(self):
        for name, old, new in UNKNOWN:
            with self.subTest(new):
                self.change(name, old, new)
                done = subprocess.run([sys.executable, READER, self.headers, self.folder / "x"], capture_output=True, text=True, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("abi.py: ", done.stderr)
                shutil.copy(pathlib.Path(HEADERS) / name, self.headers / name)

    def test_what_came_later_says_since_when(self):
        self.change("stage.h", "  int (*decide)(void *instance); /* all was observed */",
                    "  int (*decide)(void *instance); /* all was observed (since 1.7) */")
        fields = {}
        for struct in json.loads(self.read("abi.json").read_text(encoding="utf-8"))["structs"]:
            if struct["name"] == "MillStageOps":
                fields = {field["name"]: field["since"] for field in struct["fields"]}
        self.assertEqual(fields["decide"], "1.7")
        self.assertEqual(fields["process"], "1.0")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
