#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Built for another processor, and tested there under qemu: cross-test.py SOURCE ARCH [--folder FOLDER] [--portable] [--suite SUITE]...

ARCH is Debian's name: arm64, s390x.  A bare Debian is unpacked into FOLDER (default: SOURCE/build-cross/ARCH), gets a cross
compiler and the libraries of ARCH, and stays there for the next time.  It needs root, debootstrap, a mirror of Debian, and
qemu-user-static with the kernel's binfmt_misc, so that programs start each other as ever."""
import argparse
import filecmp
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "packages"))
from tree import Failed, Tree, Trees, call, why_not  # noqa: E402

SKIPPED = 77
CPUS = {"arm64": "aarch64", "s390x": "s390x"}
SUITES = ("unit", "golden", "fuzz")
BINFMT = pathlib.Path("/proc/sys/fs/binfmt_misc")
# Tests that fail for what qemu does, and why.
EMULATED = {
    "arm64": {},
    "s390x": {"window-test": "the address that comes with SIGBUS has its halves swapped"},
}
TOOLS = ("meson", "ninja-build", "pkg-config", "python3", "protobuf-c-compiler", "fonts-dejavu-core", "zstd")
# With needs_exe_wrapper the build would not start what it built.
PROPERTIES = "[properties]\nneeds_exe_wrapper = false\n"


def register(cpu):
    """Programs of that processor are started by qemu, inside trees too: the kernel keeps it open."""
    name = f"qemu-{cpu}"
    if not (BINFMT / "register").exists():
        call("mount", "-t", "binfmt_misc", "none", BINFMT)
    if not (BINFMT / name).exists():
        rule = pathlib.Path(f"/usr/lib/binfmt.d/{name}.conf")
        if not rule.exists():
            raise Failed("qemu-user-static is not installed")
        (BINFMT / "register").write_text(rule.read_text(encoding="utf-8").strip(), encoding="utf-8")


def libraries(source, arch):
    """What debian/control asks for that is built for ARCH."""
    control = (source / "debian/control").read_text(encoding="utf-8")
    wanted = re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.M).group(1)
    for line in wanted.splitlines():
        name, only = re.fullmatch(r" ([a-z0-9.+-]+)[^\[]*(?:\[(.*)\])?.*", line.rstrip(",")).groups()
        if name.endswith("-dev") and (not only or arch in only.split()):
            yield f"{name}:{arch}"


def make_tree(folder, source, arch, mirror):
    tree = Tree(folder / "tree")
    if (folder / "ready").exists():
        return tree
    trees = Trees(folder.parent, folder, mirror)
    trees.bare().path.rename(tree.path)
    tree.run("dpkg", "--add-architecture", arch)
    tree.refresh()
    tree.install(f"crossbuild-essential-{arch}", f"pkg-config:{arch}", *TOOLS, *libraries(source, arch))
    (folder / "ready").touch()
    return tree


def copy_source(tree, source):
    """What changed; its time is the copy's, which is later than all that was built of what was there before."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], check=True, capture_output=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        one, other = source / name, tree.at("/source") / name
        if other.exists() and filecmp.cmp(one, other, shallow=False):
            continue
        other.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(one, other)
        shutil.copymode(one, other)


def build(tree, arch, built, *options):
    if not tree.at(f"{built}/build.ninja").exists():
        tree.run("/usr/share/meson/debcrossgen", "--arch", arch, "-o", "/cross.txt")
        tree.at("/runs.txt").write_text(PROPERTIES, encoding="utf-8")
        tree.run("meson", "setup", built, "/source", "--cross-file", "/cross.txt", "--cross-file", "/runs.txt", *options)
    said = tree.run("ninja", "-C", built, "-j2", "--quiet")
    warnings = [line for line in said.splitlines() if "warning: " in line]
    if warnings:
        raise Failed("\n".join(["warnings:", *warnings]))


def name_compiler(tree, cpu):
    """Tests that make modules call it cc.  Only now: the build would take it for this machine's."""
    cc = tree.at("/usr/local/bin/cc")
    if not cc.is_symlink():
        cc.symlink_to(f"/usr/bin/{cpu}-linux-gnu-gcc")


def test(tree, arch, built, suites):
    """What meson said.  Fails where a test did that should not."""
    words = [word for suite in suites for word in ("--suite", suite)]
    try:
        return tree.run("meson", "test", "-C", built, "--no-rebuild", "--print-errorlogs", "--timeout-multiplier", "20", *words)
    except Failed as failed:
        log = tree.at(f"{built}/meson-logs/testlog.json").read_text(encoding="utf-8")
        results = [json.loads(line) for line in log.splitlines()]
        wrong = {result["name"].split(" / ")[-1] for result in results if result["result"] not in ("OK", "SKIP")}
        if not wrong or wrong - EMULATED[arch].keys():
            raise
        excused = [f"{name} fails under qemu: {EMULATED[arch][name]}" for name in sorted(wrong)]
        return "\n".join([str(failed), *excused])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("arch", choices=CPUS)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--portable", action="store_true", help="without the processor's vector unit")
    parser.add_argument("--suite", action="append", help=f"default: {', '.join(SUITES)}")
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    source = options.source.resolve()
    folder = (options.folder or source / "build-cross" / options.arch).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        register(CPUS[options.arch])
        tree = make_tree(folder, source, options.arch, options.mirror)
        copy_source(tree, source)
        built = "/build-portable" if options.portable else "/build"
        build(tree, options.arch, built, *(["-Dc_args=-DSCAN_NO_VECTOR"] if options.portable else []))
        name_compiler(tree, CPUS[options.arch])
        print(test(tree, options.arch, built, options.suite or SUITES))
    except Failed as failed:
        print(f"failed: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
