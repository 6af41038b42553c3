"""A disk that is full after so many blocks: status 6 or the right answer, the old result whole, and nothing left.

Each disk is a tmpfs in a mount namespace of this process, which ends with it.
"""
# SPDX-License-Identifier: MIT
import ctypes
import os
import subprocess

from harness import SMALL, SOURCE, Case
from moments import results, trace

BLOCK = 4096
COUNTED = {"rooms": 0}
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_REMOUNT = 0x20000, 0x4000, 0x40000, 0x20
LOG_BLOCKS = 3
LEAST_FREE = 256  # blocks: less than 1 MiB is refused at the start


def mount(path, kind, flags, data):
    if LIBC.mount(b"none", os.fsencode(path), kind, flags, data.encode()):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def own_mounts():
    """False where that right is missing."""
    if LIBC.unshare(CLONE_NEWNS):
        return False
    try:
        mount("/", b"", MS_REC | MS_PRIVATE, "")
    except OSError:
        return False
    return True


class Disks(Case):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        mount(self.disk, b"tmpfs", 0, "size=64M")
        self.addCleanup(LIBC.umount2, os.fsencode(self.disk), 2)
        self.write("small.json", SMALL)
        self.write("one.json", trace(0, 14000))  # a little more than a mebibyte when it is written again

    def free(self, blocks=None, inodes=None):
        fs = os.statvfs(self.disk)
        size = f"size={((fs.f_blocks - fs.f_bfree) + blocks) * BLOCK}" if blocks is not None else "size=64M"
        names = f",nr_inodes={fs.f_files - fs.f_ffree + inodes}" if inodes is not None else ""
        mount(self.disk, b"tmpfs", MS_REMOUNT, size + names)

    def empty(self):
        subprocess.run(["find", str(self.disk), "-mindepth", "1", "-delete"], check=True)
        mount(self.disk, b"tmpfs", MS_REMOUNT, "size=64M,nr_inodes=100000")

    def run_there(self, args):
        return self.run_program(*args, TMPDIR=str(self.disk))

    def until_it_fits(self, args, before=lambda: None, inodes=False, start=0, step=1):
        """With no room, with one more block (or name) each time, until there is enough."""
        self.empty()
        before()
        self.assertEqual(self.run_there(args).status, 0)
        new = results(self.disk)
        self.empty()
        before()
        old = results(self.disk)
        failed = 0
        for room in range(start, 100000, step):
            self.free(**{"inodes" if inodes else "blocks": room})
            r = self.run_there(args)
            COUNTED["rooms"] += 1
            with self.subTest(args=args, room=room):
                if r.status == 0:
                    self.assertEqual(results(self.disk), new)
                    self.assertGreater(failed, 0)
                    return
                failed += 1
                self.refused(r, old)
        self.fail("it never fits")

    def refused(self, r, old):
        self.assertEqual(r.status, 6, r.err)
        self.assertRegex(r.err, r"(?m)^error\[OUT-0[3-5]\]: |^error\[RUN-08\]: |^error\[SQL-01\]: ")
        self.assertNotIn("wrote ", r.out)
        found = results(self.disk)
        for name in {n for n in found if n.startswith(b"out.failed")}:
            del found[name]
        self.assertEqual(found, old)
        subprocess.run(["rm", "-rf", str(self.disk / "out.failed")], check=True)

    def keep(self):
        (self.disk / "mine").write_text("mine")

    def test_a_folder_of_results(self):
        args = ["run", "-p", "convert", "one.json", "-o", "disk/out", "--format=trace,json,text",
                "--set", "trace.file=trace.json"]
        self.until_it_fits(args, self.keep, start=LEAST_FREE - 2)

    def test_files_for_other_programs(self):
        """A library writes the database by itself."""
        args = ["run", "-p", "convert", "one.json", "-o", "disk/out", "--set", "trace.file=trace.json"]
        kinds = "--format=trace,xlsx,sqlite,openmetrics,markdown"
        self.until_it_fits([*args, kinds], self.keep, start=LEAST_FREE - 2)
        self.until_it_fits(["run", "-p", "kernels", "small.json", "-o", "disk/out", kinds], self.keep, inodes=True)

    def test_names(self):
        args = ["run", "-p", "kernels", "small.json", "-o", "disk/out", "--format=trace,json,csv,text"]
        self.until_it_fits(args, self.keep, inodes=True)

    def test_names_of_a_file(self):
        self.until_it_fits(["convert", "small.json", "-o", "disk/out.json"], self.keep, inodes=True)

    def test_a_file(self):
        self.until_it_fits(["convert", "one.json", "-o", "disk/out.json"], self.keep, start=LEAST_FREE - 2)

    def test_a_compressed_file(self):
        self.write("noise.json", '{"traceEvents":[%s]}' % ",".join(
            '{"ph":"X","name":"%s","ts":%d,"dur":2}' % (os.urandom(20).hex(), i) for i in range(40000)))
        self.until_it_fits(["convert", "noise.json", "-o", "disk/out.json.gz"], self.keep, start=LEAST_FREE)

    def test_a_file_that_is_replaced(self):
        def before():
            (self.disk / "out.json").write_text("mine")

        self.until_it_fits(["convert", "one.json", "-o", "disk/out.json", "-f"], before, start=LEAST_FREE)
        self.until_it_fits(["convert", "small.json", "-o", "disk/out.json", "-f"], before, inodes=True)

    def test_a_folder_that_is_replaced(self):
        def before():
            self.assertEqual(self.run_program("run", "-p", "kernels", "small.json", "-o", "disk/out").status, 0)
            (self.disk / "out" / "mine").write_text("mine")

        args = ["run", "-p", "convert", "one.json", "-o", "disk/out", "-f", "--format=trace,json",
                "--set", "trace.file=trace.json"]
        self.until_it_fits(args, before, start=LEAST_FREE)
        self.until_it_fits(["run", "-p", "kernels", "small.json", "-o", "disk/out", "-f"], before, inodes=True)

    def test_events_that_are_held(self):
        """They are spilled to TMPDIR, and standard output is elsewhere."""
        self.write("big.json", trace(0, 20000))
        self.until_it_fits(["convert", "--sort", "--max-memory=1MiB", "big.json", "-o", "-"], self.keep, step=29)

    def test_a_new_module(self):
        self.folder = self.disk
        for inodes in (False, True):
            self.until_it_fits(["new", "stage", "clean/slow"], self.keep, inodes=inodes)

        def tree():
            for folder in ("core/include/stagemill", "stages"):
                (self.disk / folder).mkdir(parents=True)
            (self.disk / "core/include/stagemill/stage.h").write_text("")
            (self.disk / "stages/meson.build").write_text((SOURCE / "stages/meson.build").read_text())

        for inodes in (False, True):
            self.until_it_fits(["new", "stage", "fresh/slow"], tree, inodes=inodes)

    def test_a_file_that_is_mounted(self):
        """As a container has it: nothing can take its place, and that is said before anything is read."""
        target = self.disk / "target.json"
        target.write_text("mine")
        (self.disk / "source.json").write_text("yours")
        subprocess.run(["mount", "--bind", self.disk / "source.json", target], check=True)
        self.addCleanup(LIBC.umount2, os.fsencode(target), 2)
        for more in ([], ["-f"]):
            r = self.run_there(["convert", "small.json", "-o", target, *more])
            self.assertEqual(r.status, 6)
            self.assertIn("target.json is a mount point", r.err)
        self.assertEqual(target.read_text(), "yours")

    def test_a_log(self):
        """The results are there whatever becomes of it."""
        args = ["run", "-p", "kernels", "small.json", "-o", "out", "-f", "--log-file", "disk/log"]
        for blocks in range(LOG_BLOCKS):
            self.empty()
            (self.disk / "fill").write_bytes(bytes(BLOCK))
            self.free(blocks=blocks)
            r = self.run_there(args)
            self.assertEqual(r.status, 0 if blocks else 6, r.err)
            if not blocks:
                self.assertIn("OUT-12", r.err)
            self.assertTrue((self.folder / "out" / "run.json").exists())
