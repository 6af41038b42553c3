#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stagemill test: what cases say of modules that are right and of mutants: cases-test.py PROGRAM MODULES CASES
HEADERS [TEST-PROGRAM MODULE]..."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, MODULES, CASES, HEADERS, *PROGRAMS = map(os.path.abspath, sys.argv[1:])
# What is said of each mutant.
MUTANTS = {
    "prints": "wrote to standard output [standard-output]",
    "asks": "stage asked for FIRST_OFF of the environment",
    "provides": "it provides attr.firstsize, and no case has an event with that attribute",
    "needs": "it needs attr.sise, and reads no attribute of that name",
    "saves-observed": "what it saves depends on the numbers of symbols",
    "saves-decision": "what it saves depends on the numbers of symbols",
    "saves-result": "what it saves depends on the numbers of symbols",
    "crashes": "it was killed by signal 11",
    "exits": "it ended the program with status 0",
    "forgets": "a batch size of 1 changes the result",
}
# A file of cases, and what is wrong with it.
BAD_FILES = [
    ("", ":1: there is no case in it"),
    ("with a=1\n", ':1: before this there is no line "case NAME"'),
    ("case a\ncase a\n", ':2: there is a case "a" before'),
    ("case a\ngive\n", ':2: "give" begins with no word of a case'),
    ("case a\ngiven\ngive\n", ':3: "give" begins with no word of a case'),
    ("case a\n  X a 0 1\n", ":2: this line is below nothing"),
    ("case a\ngiven\n X a 0 1\n", ":3: an indented line begins with two blanks"),
    ("case a\ngiven\n  X a 0\n", ":3: \"X a 0\": a slice needs a duration"),
    ("case a\nwith\n", ':2: "with" is not of the form "with NAME=VALUE"'),
    ("case a\nwith a=1\n  b\n", ':3: nothing may stand below "with"'),
    ("case a\nexpect status one\n", 'of the form "expect status NUMBER"'),
    ("case a\nexpect attr first_size = 1\n", 'of the form "expect attr EVENT NAME = VALUE"'),
    ("case a\nexpect metric first_marked\n", 'of the form "expect metric NAME[.STAT] = VALUE"'),
    ("case a\nexpect events one\n", 'of the form "expect events [LANE]"'),
    ("case a\nexpect table first\n  a\\q\n", ":3: a backslash stands before"),
]
# Cases that a right stage fails, each with its line and what is said.
WRONG = [
    ("with limit=1\n", ':2: stage "test.first" has no option "limit"'),
    ("given lane colour=red\n", ':2: "colour=red" is not a fact of a lane'),
    ("given bytes\n  x\n", ":2: only a source is given bytes"),
    ("expect table second\n", ':2: "test.first" declares no table "second"'),
    ("expect metric marked = 1\n", ':2: "test.first" declares no metric "marked"'),
    ("expect notice 1 = 0\n", ':2: "test.first" declares no notice 1'),
    ("expect status 3\n", ":2: status is 0, expected 3"),
    ("expect output a.txt\n  x\n", ":2: there is no file a.txt"),
    ("given\n  X a 0 1\nexpect events\n  X a 0 2\n", ":4: event 0 is X a 0 1ns {first_size=0}"),
]


class Cases(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cases-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cases = self.folder / "first.cases"
        shutil.copy(CASES, self.cases)

    def module(self, mutant="right"):
        path = self.folder / "test.first.so"
        shutil.copy(os.path.join(MODULES, f"test.{mutant}.so"), path)
        return path

    def run_cases(self, status, *words):
        done = subprocess.run([PROGRAM, "test", *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_what_is_right_passes(self):
        said = self.run_cases(0, self.module(), self.cases)
        self.assertEqual(said, "ok     marks the first name of all lanes\nok     of nothing nothing is first\n"
                               "test.first: 2 cases, 0 failed\n")

    def test_every_mutant_fails(self):
        for mutant, says in MUTANTS.items():
            with self.subTest(mutant):
                self.assertIn(says, self.run_cases(1, self.module(mutant), self.cases))

    def test_bad_files_are_refused_with_their_line(self):
        module = self.module()
        for text, says in BAD_FILES:
            with self.subTest(text):
                self.cases.write_text(text)
                said = self.run_cases(3, module, self.cases)
                self.assertIn("error[RUN-72]: " + str(self.cases), said)
                self.assertIn(says, said)

    def test_what_does_not_fit_the_module_fails_with_its_line(self):
        module = self.module()
        for text, says in WRONG:
            with self.subTest(text):
                self.cases.write_text("case a\n" + text)
                self.assertIn(str(self.cases) + says, self.run_cases(1, module, self.cases))

    def test_a_file_that_is_not_there(self):
        self.assertIn("error[RUN-72]", self.run_cases(3, self.module(), "none.cases"))
        self.assertIn("error[RUN-72]", self.run_cases(3, self.module(), self.cases, self.folder))

    def test_modules_that_cannot_be_loaded(self):
        self.run_cases(5, "none.so", self.cases)
        (self.folder / "text.so").write_text("text")
        self.assertIn("error[STG-04]", self.run_cases(5, "text.so", self.cases))

    def test_one_case(self):
        module = self.module()
        said = self.run_cases(0, module, self.cases, "--case", "of nothing nothing is first")
        self.assertIn("1 case, 0 failed", said)
        self.run_cases(2, module, self.cases, "--case", "another")

    def test_update_writes_what_came(self):
        module = self.module()
        right = self.cases.read_text()
        wrong = right.replace("first_size=7}", "first_size=8}").replace("0 | a | 1", "5 | b | 1\n  8 | x | 1")
        wrong = wrong.replace("first_size = 7", "first_size = 9").replace("first_marked = 2", "first_marked = -")
        wrong = wrong.replace("expect status 0", "expect status 5")
        self.assertNotEqual(right, wrong)
        self.cases.write_text(wrong)
        self.run_cases(1, module, self.cases)
        self.assertEqual(self.cases.read_text(), wrong)
        self.assertIn("2 cases, 0 failed, 2 updated", self.run_cases(0, module, self.cases, "--update"))
        self.assertEqual(self.cases.read_text(), right)
        self.assertNotIn("updated", self.run_cases(0, module, self.cases, "--update"))

    def test_update_fills_cases_that_expect_nothing(self):
        module = self.module()
        given = 'case a\ngiven\n  X "a \\\\ \\"b\\" \\n c" 0 1us {size=3}'
        self.cases.write_text(given)
        self.run_cases(0, module, self.cases, "--update")
        filled = self.cases.read_text()
        self.assertIn('expect events\n  X "a \\\\ \\"b\\" \\n c" 0 1us {size=3, first_size=3}\n'
                      'expect table first\n  0 | a \\\\ "b" \\n c | 1\nexpect metric first_marked = 1\n', filled)
        self.run_cases(0, module, self.cases)

    def test_update_takes_no_broken_rule(self):
        self.cases.write_text("case a\ngiven\n  X a 0 1us\n")
        self.run_cases(1, self.module("crashes"), self.cases, "--update")
        self.assertEqual(self.cases.read_text(), "case a\ngiven\n  X a 0 1us\n")

    def test_junit(self):
        self.run_cases(1, self.module("crashes"), self.cases, "--junit", "cases.xml")
        suite = xml.etree.ElementTree.parse(self.folder / "cases.xml").getroot().find("testsuite")
        self.assertEqual([suite.get(name) for name in ("name", "tests", "failures")], ["test.first", "2", "2"])
        case = suite.find("testcase")
        self.assertEqual(case.get("name"), "marks the first name of all lanes")
        self.assertRegex(case.find("failure").get("message"), r"^it was killed by signal 11")
        self.run_cases(6, self.module(), self.cases, "--junit", self.folder)

    def test_tests_in_c_are_printed_as_cases(self):
        for test, module in zip(PROGRAMS[::2], PROGRAMS[1::2]):
            with self.subTest(test):
                printed = subprocess.run([test, "--cases"], capture_output=True, text=True, check=True).stdout
                self.assertIn("\ncase ", printed)
                self.cases.write_text(printed)
                self.assertIn(" 0 failed\n", self.run_cases(0, module, self.cases))


    def test_new_modules_pass_the_cases_that_they_come_with(self):
        for kind, name in (("stage", "acme/acme.late"), ("source", "acme.lines"), ("sink", "acme.lines")):
            with self.subTest(kind):
                work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
                subprocess.run([PROGRAM, "new", kind, name], cwd=work, capture_output=True, check=True)
                code = next(work.glob("acme-*/acme.*[!t].c"))
                module = code.with_suffix(".so")
                subprocess.run(["cc", "-std=c11", "-fPIC", "-shared", "-I", HEADERS, code, "-o", module], check=True)
                self.assertIn(" 0 failed\n", self.run_cases(0, module, code.with_suffix(".cases")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
