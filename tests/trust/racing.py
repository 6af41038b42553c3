"""Several runs that write to one place at the same time: what is there at the end is of one of them."""
# SPDX-License-Identifier: MIT
import json
import os
import random
import signal
import subprocess
import time

from harness import PROGRAM, Case
from moments import SEED, is_left, results

ROUNDS = int(os.environ.get("TRUST_ROUNDS", "6"))
COUNTED = {"rounds": 0}


class Racing(Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(f"{SEED} {self.id()}")
        self.place = self.folder / "place"
        self.place.mkdir()
        for i in range(5):
            events = ",".join('{"ph":"X","name":"of %d","cat":"kernel","pid":0,"tid":1,"ts":%d,"dur":%d}' % (i, t, i + 1)
                              for t in range(0, 40000, 10))
            self.write(f"{i}.json", '{"traceEvents":[%s]}' % events)

    def command(self, i, words):
        return [PROGRAM, words[0], *words[1:], str(self.folder / f"{i}.json")]

    def begin(self, before):
        subprocess.run(["rm", "-rf", str(self.place)], check=True)
        self.place.mkdir()
        if before:
            before()

    def alone(self, n, words, before):
        """What each of them leaves when nobody else is there."""
        states = []
        for i in range(n):
            self.begin(before)
            done = subprocess.run(self.command(i, words), cwd=self.place, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            states.append(results(self.place))
        return states

    def together(self, n, words, kill):
        running = [subprocess.Popen(self.command(i, words), cwd=self.place, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE) for i in range(n)]
        if kill:
            time.sleep(self.random.random() * 0.1)
            running[0].send_signal(signal.SIGKILL)
        return [(p.communicate(timeout=60)[1].decode(), p.returncode) for p in running]

    def race(self, n, words, before=None, refused=(), kill=False):
        states = self.alone(n, words, before)
        for turn in range(ROUNDS):
            COUNTED["rounds"] += 1
            self.begin(before)
            old = results(self.place)
            ends = self.together(n, words, kill)
            with self.subTest(seed=SEED, n=n, words=words, kill=kill, round=turn):
                self.check(ends, states, old, refused, kill)

    def check(self, ends, states, old, refused, kill):
        for i, (err, status) in enumerate(ends):
            if kill and i == 0 and status == -signal.SIGKILL:
                continue
            self.assertIn(status, (0, 6), ends)
            if status:
                self.assertTrue(any(text in err for text in refused), err)
        found = results(self.place)
        left = {name for name in found if is_left(name)}
        there = {name: what for name, what in found.items() if name not in left and b".failed" not in name}
        killed = kill and ends[0][1] == -signal.SIGKILL
        winners = [state for state, (_, status) in zip(states, ends) if status == 0 or (killed and state is states[0])]
        self.assertTrue(winners, ends)
        self.assertIn(there, winners + [old] * (killed and len(ends) == 1), ends)
        if not killed:
            self.assertEqual(left, set(), ends)

    EXISTS = ("exists already", "is not empty", "File exists", "Directory not empty")

    def test_new_folders(self):
        for n in (2, 5):
            for kill in (False, True):
                self.race(n, ["run", "-p", "kernels", "-o", "out"], refused=self.EXISTS, kill=kill)

    def test_new_files(self):
        for n in (2, 5):
            for kill in (False, True):
                self.race(n, ["convert", "-o", "out.json"], refused=self.EXISTS, kill=kill)

    def test_one_new_file_is_written_once(self):
        for _ in range(ROUNDS):
            self.begin(None)
            ends = self.together(5, ["convert", "-o", "out.json"], False)
            self.assertEqual(sorted(status for _, status in ends), [0, 6, 6, 6, 6], ends)

    def earlier(self):
        done = subprocess.run(self.command(0, ["run", "-p", "timeline", "-o", "out"]), cwd=self.place, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.place / "out" / "deep").mkdir()
        (self.place / "out" / "deep" / "mine").write_text("mine")
        (self.place / "out" / "mine").write_text("mine")

    def test_a_folder_that_is_replaced(self):
        for n in (2, 5):
            self.race(n, ["run", "-p", "kernels", "-o", "out", "-f"], self.earlier, refused=self.EXISTS)

    def test_a_file_that_is_replaced(self):
        def before():
            (self.place / "out.json").write_text("mine")

        for n in (2, 5):
            for kill in (False, True):
                self.race(n, ["convert", "-o", "out.json", "-f"], before, kill=kill)

    def test_what_is_there_parses(self):
        """Whoever reads while others replace sees one of them, whole."""
        self.begin(lambda: (self.place / "out.json").write_text("{}"))
        for i in range(ROUNDS):
            running = [subprocess.Popen(self.command(k, ["convert", "-o", "out.json", "-f"]), cwd=self.place,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for k in range(3)]
            while any(p.poll() is None for p in running):
                json.loads((self.place / "out.json").read_text())
            for p in running:
                self.assertEqual(p.communicate()[1], b"")
