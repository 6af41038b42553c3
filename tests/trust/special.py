"""Everything that is no ordinary file, in every place where the program takes a name.

Each pair is run in a folder of its own, by somebody whom modes stop.  It ends by itself, with the status of the
tables below; a failure names what was given, in characters that steer no terminal; and nothing of the user is changed
or removed that was not to be written.
"""
# SPDX-License-Identifier: MIT
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import world
from harness import PROGRAM, SMALL, Case, sanitized

KINDS = ["null", "zero", "full", "silent", "served", "socket", "folder", "locked", "locked-folder", "/proc/self/maps",
         "/proc/self/mem", "loose", "loop", "long", "too-long", "nasty", "nasty-missing"]
SOUND = ("served", "long", "nasty")  # those that hold what is asked for
PROFILE = json.dumps({"profile": 1, "name": "p", "stages": [{"use": "kernel-time"}]})
LOG = "2026-01-31T09:26:53.589+01:00  INFO     RUN: text\n"
LIMIT = "--timeout=2s"
RUN = ["run", "-p", "kernels"]

# What is not listed has the status under None.  Silent pipes are waited for: until the time limit, where there is one.
READ = {None: 3, "silent": 8, "folder": 0, **dict.fromkeys(SOUND, 0)}
LIST = {**READ, "folder": 3}
OF_PROFILE = {**READ, None: 4, "folder": 4}
LOGS = {None: 6, "silent": 8, **dict.fromkeys((*SOUND, "null", "zero", "loose", "nasty-missing"), 0)}
RESULTS = {None: 6, "nasty-missing": 0}
# The ending of the name says how a trace is written.
TRACE = {None: 6, "silent": 8, **dict.fromkeys(("null", "zero", "served"), 0),
         **dict.fromkeys(("/proc/self/maps", "/proc/self/mem"), 2)}
BELOW = {None: 6, "folder": 0, "nasty-missing": 0}
NO_MATTER = {None: 0}
MODULES = {None: 5, "folder": 0}
RECORD = {None: 6, **dict.fromkeys(("/proc/self/maps", "/proc/self/mem", "too-long", "nasty-missing"), 0)}

# X is what is given; the text is what it holds.
USES = {
    "inputs": (READ, SMALL, [
        ["info", "X"], [*RUN, "X", "-o", "out"], ["plan", "-p", "kernels", "X"], ["metric", "kernel_time", "X"],
        ["convert", "X", "-o", "out.json"]]),
    "lists": (LIST, "t.json\n", [
        ["info", "@X"], [*RUN, "@X", "-o", "out"], ["plan", "-p", "kernels", "@X"], ["metric", "kernel_time", "@X"],
        ["convert", "@X", "-o", "out.json"]]),
    "profiles": (OF_PROFILE, PROFILE, [
        ["run", "-p", "./X", "t.json", "-o", "out"], ["plan", "-p", "./X"], ["metric", "kernel_time", "-p", "./X", "t.json"],
        ["validate", "./X"], ["show", "./X"]]),
    "logs": (LOGS, LOG, [
        ["info", "t.json", "--log-file", "X"], [*RUN, "t.json", "-o", "out", "--log-file", "X"],
        ["convert", "t.json", "-o", "out.json", "--log-file", "X"]]),
    "results": (RESULTS, "mine", [[*RUN, "t.json", "-o", "X"]]),
    "results with -f": ({**RESULTS, "folder": 0}, "mine", [[*RUN, "t.json", "-o", "X", "-f"]]),
    "traces": (TRACE, "mine", [["convert", "t.json", "-o", "X"]]),
    "traces with -f": ({**TRACE, "locked": 0}, "mine", [["convert", "t.json", "-o", "X", "-f"]]),
    "below": (BELOW, "mine", [[*RUN, "t.json", "-o", "X/out"], ["convert", "t.json", "-o", "X/out.json"],
                               ["demo", "-o", "X"]]),
    "records": (RECORD, "{}", [[*RUN, "t.json", "-o", "out"]]),
    "modules": (NO_MATTER, "no module", [["doctor", "--stage-path", "X"]]),
    "modules that are used": (MODULES, "no module", [
        ["list", "stages", "--stage-path", "X"], [*RUN, "t.json", "-o", "out", "--stage-path", "X"]]),
    "folders of profiles": (NO_MATTER, PROFILE, [
        ["list", "profiles", "--profile-path", "X"], [*RUN, "t.json", "-o", "out", "--profile-path", "X"]]),
}
LIMITED = ("info", "run", "plan", "metric", "convert")
WRITTEN = ("out", "out.json", "nowhere")


COUNTED = {"uses": 0}
# Its runtime lets a handler wait until the call that the signal interrupted has returned.
LATE = sanitized("tsan")


class Outcome:
    """One thing in one place."""

    def __init__(self, case, use, args, kind):
        self.use, self.args, self.kind = use, args, kind
        self.name = None
        folder = tempfile.mkdtemp(prefix="special-", dir=case.folder)
        world.write(os.path.join(folder, "t.json"), SMALL.encode())
        self.name = self.place(folder)
        if self.name is not None:
            self.run(case, folder)

    def place(self, folder):
        holds = USES[self.use][1]
        if self.use != "records":
            return world.make(self.kind, folder, holds)
        out = os.path.join(folder, "out")
        os.mkdir(out)
        name = world.make(self.kind, out, holds)
        there = name is not None and os.path.join(os.fsencode(out), os.fsencode(name))
        if there and os.path.lexists(there) and not name.startswith("/"):
            os.rename(there, os.path.join(os.fsencode(out), b"run.json"))
        return name

    def words(self):
        path = self.name if self.name.startswith("/") else "./" + self.name
        words = [w.replace("./X", path).replace("X", self.name) for w in self.args]
        return words + [LIMIT] * (words[0] in LIMITED)

    def run(self, case, folder):
        path = os.path.join(os.fsencode(folder), os.fsencode(self.name))
        if self.kind == "served" and self.use != "records":
            written = self.use.startswith(("logs", "traces"))
            world.drain(path) if written else world.serve(path, USES[self.use][1].encode())
        self.before = world.snapshot(folder)
        done = subprocess.run([*case.prefix, PROGRAM, *self.words()], cwd=folder, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL, env=case.env(HOME=folder))
        self.status, self.out, self.err = done.returncode, done.stdout.decode(), done.stderr.decode()
        self.after = world.snapshot(folder)

    def changed(self):
        return {os.fsdecode(n) for n, what in self.before.items() if self.after.get(n) != what}

    def new(self):
        return {os.fsdecode(n) for n in set(self.after) - set(self.before)}

    def __str__(self):
        return f"{self.use}, {self.kind}: {' '.join(self.args)}: {self.status}\n{self.err}"


def shown(name):
    """As a message has it, as far as messages show a long name."""
    return name.replace("\033", "\\x1b").replace("\n", "\\x0a").replace("\udcff", "\\xff")[:50]


class Special(Case):
    def setUp(self):
        super().setUp()
        self.prefix = self.without_rights()
        self.addCleanup(subprocess.run, ["chmod", "-R", "u+rwX", self.folder], capture_output=True)

    def outcomes(self, use):
        pairs = [(args, kind) for args in USES[use][2] for kind in KINDS
                 if not (kind == "silent" and (LATE or USES[use][0].get(kind) == 8 and args[0] not in LIMITED))]
        with ThreadPoolExecutor(4) as pool:
            return [o for o in pool.map(lambda p: Outcome(self, use, *p), pairs) if o.name is not None]

    def check(self, o):
        statuses = USES[o.use][0]
        self.assertEqual(o.status, statuses.get(o.kind, statuses[None]), o)
        for text in (o.out, o.err):
            self.assertFalse([c for c in text if c not in "\n\t" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0)], o)
        if o.status:
            self.assertRegex(o.err, r"(?m)^error\[[A-Z]+-[0-9]+\]: ", o)
        if o.status not in (0, 8):
            named = "run.json" if o.use == "records" and "run.json" in o.err else "out" if o.use == "records" else o.name
            self.assertIn("/proc/" if named.startswith("/proc/") else shown(named), o.err, o)
        written = o.status == 0 and (o.use.startswith("logs") or "-f" in o.args)
        self.assertLessEqual(o.changed(), {o.name} if written else set(), o)
        for name in o.new():
            first = name if name == o.name else name.split("/")[0]
            if o.status and o.use != "logs":  # where the results are there, and the log is not
                self.assertTrue(first.endswith(".failed"), (name, o))
            else:
                self.assertTrue(name.startswith(o.name) or first in WRITTEN, (name, o))
                self.assertFalse("/." in "/" + name, (name, o))


def add_test(use):
    def test(self):
        for o in self.outcomes(use):
            COUNTED["uses"] += 1
            with self.subTest(kind=o.kind, args=o.args):
                self.check(o)

    setattr(Special, "test_" + use.replace(" ", "_"), test)


for each in USES:
    add_test(each)
