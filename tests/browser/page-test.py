#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of reports without a browser: how it is made, and what the program does with it.

page-test.py --page PAGE --program PROGRAM --source ROOT --without-page FOLDER-OF-MODULES"""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest


class Case(unittest.TestCase):
    options = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def run_command(self, *words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=self.scratch)

    def bundle(self, *more):
        source = self.options.source / "report"
        return self.run_command(sys.executable, source / "bundle.py", "page.html", "--source", source, *more)


def check_policy(case, page):
    """The hashes are those of the one script and the one style that the page has."""
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    for element in ("script", "style"):
        texts = re.findall(rf"<{element}>(.*?)</{element}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode()
        case.assertEqual(len(texts), 1)
        case.assertIn(f"{element}-src 'sha256-{digest}'", policy)
    case.assertTrue(policy.startswith("default-src 'none'; "))
    case.assertFalse(re.search(r"unsafe|\*|https?:|data:", policy))


class Making(Case):
    def test_without_npm(self):
        done = self.bundle()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.scratch / "page.html").read_text(encoding="utf-8")
        check_policy(self, page)
        self.assertEqual(page.count("@DATA@"), 1)
        self.assertNotIn("import ", re.sub(r"//.*", "", page))

    def test_npm_that_fails(self):
        done = self.bundle("--npm", "/bin/false", "--work", "work")
        self.assertEqual((done.returncode, (self.scratch / "page.html").exists()), (1, False))
        self.assertIn("the page of the report could not be built: /bin/false", done.stderr)

    def test_a_file_that_is_no_page(self):
        (self.scratch / "odd.html").write_text("<!doctype html>", encoding="utf-8")
        done = self.run_command(sys.executable, self.options.source / "report/embed.py", "out.c", "odd.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no page of reports", done.stderr)

    def test_the_page_of_this_build(self):
        if not self.options.page.exists():
            self.skipTest("this build has no page")
        page = self.options.page.read_text(encoding="utf-8")
        check_policy(self, page)
        self.assertLessEqual(len(page.encode()), 1 << 20)

    def by_node(self, script, *modules):
        """What a script prints that imports some modules of the page."""
        node = shutil.which("node")
        if not node:
            self.skipTest("no node")
        for name in modules:
            shutil.copy(self.options.source / f"report/src/{name}.js", self.scratch / f"{name}.js")
        (self.scratch / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        done = self.run_command(node, "--input-type=module", "-e", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_texts_are_sorted_as_tables_are(self):
        """The order of tests/unit/natural-test.c, from any other."""
        text = (self.options.source / "tests/unit/natural-test.c").read_text(encoding="utf-8")
        block = re.search(r"texts\[\] = \{(.*?)\};", text, re.S).group(1)
        texts = [word.encode("latin-1").decode("unicode_escape").encode("latin-1").decode("utf-8") for word in re.findall(r'"([^"]*)"', block)]
        self.assertGreater(len(texts), 30)
        script = ("import { compareNatural, naturalKey } from './natural.js';"
                  f"const texts = {json.dumps(texts)}.reverse().map(naturalKey).sort(compareNatural);"
                  "console.log(JSON.stringify(texts.map((key) => key.text)));")
        self.assertEqual(self.by_node(script, "natural"), texts)

    def test_counts_have_whole_ticks(self):
        script = ("import { Axis } from './axis.js';"
                  "const texts = (axis) => axis.ticks(5).map((tick) => axis.tickText(tick, 20));"
                  "const of = (more) => texts(new Axis({ label: '', unit: '', factor: 1, scale: 'linear', whole: true, ...more }));"
                  "console.log(JSON.stringify([of({ low: 0.5, high: 20, scale: 'log' }), of({ low: 200000, high: 200002, factor: 1e-3 }),"
                  " of({ low: 0, high: 1.1 })]));")
        self.assertEqual(self.by_node(script, "axis", "format"), [["1", "2", "5", "10", "20"], ["200", "200.001", "200.002"], ["0", "1"]])

    def test_texts_of_rules_stand_apart(self):
        """On the free side of their lines, which are at 50, 55 and 60 pixels; between two at the other end."""
        script = ("import { rule } from './shapes.js';"
                  "const place = { sideways: false, across: (y) => [[0, y], [400, y]] }, theme = { surface: '#ffffff' };"
                  "const at = (y) => rule({ y: [y], name: 'p50' }, 0, { place, theme, fill: '#000000', levels: [50, 55, 60] })[1].style;"
                  "console.log(JSON.stringify([50, 55, 60].map(at).map(({ x, y, align, verticalAlign }) => [x, y, align, verticalAlign])));")
        self.assertEqual(self.by_node(script, "shapes", "format", "theme"),
                         [[396, 47, "right", "bottom"], [4, 52, "left", "bottom"], [396, 63, "right", "top"]])

    def test_the_lock_names_no_host_and_every_hash(self):
        lock = json.loads((self.options.source / "report/package-lock.json").read_text(encoding="utf-8"))
        own = json.loads((self.options.source / "report/package.json").read_text(encoding="utf-8"))
        for name, package in lock["packages"].items():
            if name:
                self.assertTrue(package["integrity"].startswith("sha512-"), name)
                self.assertNotIn("resolved", package)
        for version in [*own["dependencies"].values(), *own["devDependencies"].values()]:
            self.assertRegex(version, r"^\d+\.\d+\.\d+$")


# Take the place of programs that ./dev calls; meson says in `calls` what it was told.
TOOLS = {
    "npm": "exit 1",
    "dpkg-query": "echo installed",
    "ninja": "exit 0",
    "meson": """echo "$1 $(printf '%s\\n' "$@" | grep report_bundle)" >>calls
mkdir -p build/meson-info && : >build/build.ninja
printf '[{"name": "report_bundle", "value": "%s"}]' "$(printf '%s\\n' "$@" | sed -n 's/-Dreport_bundle=//p')" >build/meson-info/intro-buildoptions.json""",
}
MADE, FAILS = 'open(sys.argv[1], "w").write("page")', 'sys.exit("no network")'


class Fetching(Case):
    """Who runs npm: ./dev, before it builds.  The build itself fetches nothing."""

    def setUp(self):
        super().setUp()
        for name, text in TOOLS.items():
            path = self.scratch / "tools" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            path.chmod(0o755)
        shutil.copy(self.options.source / "dev", self.scratch / "dev")
        (self.scratch / "report").mkdir()

    def bundler(self, does):
        """The sources of the page are now those: later than all that was made of them before."""
        path = self.scratch / "report/bundle.py"
        later = max([path.stat().st_mtime for path in self.scratch.rglob("*")]) + 5
        path.write_text(f"import sys\nopen('calls', 'a').write('fetch\\n')\n{does}\n", encoding="utf-8")
        os.utime(path, (later, later))

    def dev(self, command, calls):
        path = f"{self.scratch / 'tools'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run([self.scratch / "dev", command], capture_output=True, text=True, check=False, cwd=self.scratch,
                              env={**os.environ, "PATH": path})
        log = self.scratch / "calls"
        self.assertEqual((done.returncode, log.read_text(encoding="utf-8").splitlines() if log.exists() else []), (0, calls), done.stderr)
        log.unlink(missing_ok=True)
        return done.stderr

    def stamp_is_newer(self):
        made = self.scratch / "report/bundle.py"
        later = made.stat().st_mtime + 5
        os.utime(self.scratch / "build-page/tried", (later, later))

    def test_the_page_is_made_once(self):
        page = self.scratch / "build-page/report-page.html"
        self.bundler(MADE)
        self.dev("build", ["fetch", f"setup -Dreport_bundle={page}"])
        self.stamp_is_newer()
        self.dev("build", [])
        self.bundler(MADE)
        self.dev("build", ["fetch"])

    def test_without_network_it_is_said_and_the_build_goes_on(self):
        self.bundler(FAILS)
        said = self.dev("build", ["fetch", "setup -Dreport_bundle="])
        self.assertIn("no network", said)
        self.assertIn("pictures in reports are SVG, which stand still; ./dev setup tries again", said)
        self.stamp_is_newer()
        self.dev("build", [])
        self.dev("setup", ["fetch"])

    def test_a_page_that_cannot_be_made_again_is_not_used(self):
        page = self.scratch / "build-page/report-page.html"
        self.bundler(MADE)
        self.dev("build", ["fetch", f"setup -Dreport_bundle={page}"])
        self.stamp_is_newer()
        self.bundler(FAILS)
        self.dev("build", ["fetch", "configure -Dreport_bundle="])

    def test_a_page_that_the_user_named_stays(self):
        self.bundler(MADE)
        (self.scratch / "build/meson-info").mkdir(parents=True)
        (self.scratch / "build/build.ninja").touch()
        (self.scratch / "build/meson-info/intro-buildoptions.json").write_text('[{"name": "report_bundle", "value": "/mine.html"}]', encoding="utf-8")
        self.dev("build", ["fetch"])


class Running(Case):
    def report(self, out, *more):
        return self.run_command(self.options.program, "run", "-p", "kernels", self.options.source / "samples/kineto", "--format", "html",
                                "-o", out, *more)

    def test_who_did_not_ask_for_a_page_gets_the_rest(self):
        done = self.run_command(self.options.program, "run", "-p", "kernels", self.options.source / "samples/kineto", "-o", "out",
                                "--stage-path", self.options.without_page)
        self.assertEqual(done.returncode, 0)
        self.assertIn("RUN-28", done.stdout + done.stderr)
        self.assertEqual([name for name in ("report.html", "summary.json") if (self.scratch / "out" / name).exists()], ["summary.json"])

    def test_a_program_without_a_page(self):
        done = self.report("out", "--stage-path", self.options.without_page)
        self.assertEqual((done.returncode, done.stdout, (self.scratch / "out").exists()), (7, "", False))
        self.assertIn("built without the page of reports", done.stderr)
        self.assertIn("html_report", done.stderr)

    def test_a_plan_names_the_file(self):
        profile = {"profile": 1, "name": "p", "inherits": "kernels", "formats": ["html"]}
        (self.scratch / "p.json").write_text(json.dumps(profile), encoding="utf-8")
        done = self.run_command(self.options.program, "plan", "-p", "./p.json", self.options.source / "samples/kineto")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("report.html", done.stdout)

    def test_the_same_bytes_each_time(self):
        if not self.options.page.exists():
            self.skipTest("this build has no page")
        texts = []
        for out, jobs in (("a", 1), ("b", 2)):
            done = self.report(out, "-j", jobs)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("report.html", done.stdout)
            texts.append((self.scratch / out / "report.html").read_bytes())
        self.assertEqual(texts[0], texts[1])
        check_policy(self, texts[0].decode("utf-8"))
        for folder in (str(self.scratch), str(self.options.source)):
            self.assertNotIn(folder.encode(), texts[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--page", "--program", "--source", "--without-page"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve(), required=True)
    options, rest = parser.parse_known_args()
    Case.options = options
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    main()
