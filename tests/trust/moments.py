"""Signals at random moments of a run: what was there stays or is replaced, never anything between.

TRUST_MOMENTS says how many moments of each kind of run (200 for all that may be worth it), TRUST_SEED which ones.
"""
# SPDX-License-Identifier: MIT
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time

import world
from harness import BUILD, PROGRAM, Case

# A test that is run in the background ignores some of these, and so would the program.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

MOMENTS = int(os.environ.get("TRUST_MOMENTS", "10"))
COUNTED = {"signals": 0}
SEED = int(os.environ.get("TRUST_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
MEMORY = "--max-memory=1MiB"


def trace(rank, n):
    """A name for each few events: the sorted order is not that of the file."""
    events = ",\n".join('{"ph":"X","name":"k%d","cat":"kernel","pid":%d,"tid":1,"ts":%d,"dur":2}' %
                        (i % 7, rank, (i * 7919) % n * 5) for i in range(n))
    return '{"traceEvents":[%s]}' % events


def is_left(name):
    return name.startswith((b".out.", b".convert."))


def results(folder):
    """All that is there, but for what differs from run to run."""
    found = world.snapshot(folder)
    for name in found:
        if name.endswith(b"/run.json") and not is_left(name):
            found[name] = json.loads(found[name][1])["profile"]["name"]
    return found


class Moments(Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(f"{SEED} {self.id()}")
        self.inputs = self.folder / "in"
        self.place = self.folder / "place"  # where outputs go
        self.inputs.mkdir()
        self.place.mkdir()
        self.write("in/one.json", trace(0, 30000))
        for rank in range(4):
            self.write(f"in/ranks/rank{rank}.json", trace(rank, 8000))

    def start(self, args):
        # What goes to TMPDIR is looked at too.
        return subprocess.Popen([PROGRAM, *map(str, args)], cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                # A second signal ends it at once, with threads that nobody waited for.
                                env=self.env(TMPDIR=str(self.place), TSAN_OPTIONS="halt_on_error=1:report_thread_leaks=0"))

    def whole(self, args):
        started = time.monotonic()
        p = self.start(args)
        err = p.communicate(timeout=60)[1]
        self.assertEqual(p.returncode, 0, err)
        return time.monotonic() - started

    def begin(self, before):
        subprocess.run(["rm", "-rf", str(self.place)], check=True)
        self.place.mkdir()
        before()

    def moments(self, args, before=lambda: None):
        before()
        old = results(self.place)
        times = [self.whole(args)]
        new = results(self.place)
        self.begin(before)
        times.append(self.whole(args))
        self.assertEqual(results(self.place), new)
        for _ in range(MOMENTS):
            COUNTED["signals"] += 1
            self.begin(before)
            sig, after = self.random.choice(SIGNALS), self.random.random() * max(times) * 1.1
            again = self.random.choice((None, 0, self.random.random() * 0.02))
            with self.subTest(seed=SEED, args=args, signal=sig.name, after_s=round(after, 5), again_after_s=again):
                self.moment(args, sig, (after, again), (old, new))

    def moment(self, args, sig, pauses, states):
        """The second signal ends the program at once."""
        with self.start(args) as p:
            for pause in pauses:
                if pause is not None:
                    time.sleep(pause)
                    p.send_signal(sig)
            err = p.communicate(timeout=30)[1]
        # Before the program has begun it has none of its own statuses.
        ends = (0, -sig) if sig == signal.SIGKILL else (0, 128 + sig, -sig)
        self.assertIn(p.returncode, ends, err)
        found = results(self.place)
        left = {name for name in found if is_left(name)}
        there = {name: what for name, what in found.items() if name not in left}
        if sig != signal.SIGKILL:
            self.assertEqual(left, set(), err)
        if p.returncode == 0:
            self.assertEqual(there, states[1], err)
        elif sig != signal.SIGKILL:
            self.assertIn(there, states, err)
        else:
            self.killed(args, there, left, states)

    def killed(self, args, there, left, states):
        """The next run to the same place finds nothing that is in its way, takes away what the last one left, and gives
        back what is the user's."""
        if not any(name.endswith(b"/mine") for name in left):  # else it was on its way from the old folder to the new
            self.assertIn(there, states)
        self.whole(args if "-f" in args or not there else [*args, "-f"])
        after = results(self.place)
        # What has no marker yet, or none any more, goes later.
        empty = {name for name in after if is_left(name) and (b"/" not in name or name.endswith(b"/.stagemill-new"))}
        self.assertEqual({name: what for name, what in after.items() if name not in empty}, states[1])

    def test_streaming(self):
        self.moments(["run", "-p", "kernels", self.inputs / "one.json", "-o", "out"])

    def test_spilling(self):
        self.moments(["convert", "--sort", MEMORY, self.inputs / "one.json", "-o", "out.json"])

    def test_spilling_compressed(self):
        self.moments(["convert", "--sort", MEMORY, self.inputs / "ranks", "-o", "out{rank}.json.gz", "-j", "3"])

    def test_ranks(self):
        self.moments(["run", "-p", "timeline", self.inputs / "ranks", "-o", "out", "--format=json,trace", "-j", "3"])

    def test_replacing_a_folder(self):
        def before():
            self.whole(["run", "-p", "timeline", self.inputs / "ranks", "-o", "out", "--max-events=10"])
            (self.place / "out" / "mine").write_text("mine")

        self.moments(["run", "-p", "kernels", self.inputs / "one.json", "-o", "out", "-f"], before)

    def test_replacing_a_file(self):
        def before():
            (self.place / "out.json").write_text("mine")

        self.moments(["convert", self.inputs / "one.json", "-o", "out.json", "-f"], before)

    def test_what_a_run_left_that_was_killed_while_it_replaced(self):
        """The new results are in place, and what is the user's is still with the old ones."""
        again = ["run", "-p", "kernels", self.inputs / "one.json", "-o", "out"]
        self.whole(again)
        new = results(self.place)
        left = self.place / ".out.abcdef"
        for case in ("aside", "moved", "in steps"):
            self.whole([*again[:-1], left / "files"])
            (left / "files/deep").mkdir()
            (left / "files/deep/mine").write_text("mine")
            (left / ".stagemill-replacing").write_text(socket.gethostname())
            if case == "moved":
                shutil.rmtree(left / "files")
            if case == "in steps":  # where two names cannot be exchanged: neither is in place
                (left / "files.old").mkdir()
            self.whole(again)
            with self.subTest(case=case):
                self.assertEqual((left / "files/deep/mine").exists(), case == "in steps")
                self.assertEqual(left.exists(), case == "in steps")
                self.assertEqual((self.place / "out/deep/mine").read_text(), "mine")  # since the first case
                self.assertEqual(set(new) - set(results(self.place)), set())

    def test_standard_output(self):
        self.moments(["convert", "--sort", MEMORY, self.inputs / "ranks", "-o", "-", "-j", "3"])
