"""What a change adds: instructions of some commands, of this tree and of a commit, which is built beside it.

Instructions do not depend on what else a machine does, so that a change of a few percent shows where times do not
show it. They say nothing of memory, the kernel and the disk."""
# SPDX-License-Identifier: MIT

import os
import re
import shutil
import subprocess
import tempfile

from machine import Failed

WORSE = 0.03  # more instructions than this mark a row
BUILD = ["-Dbuildtype=release", "-Db_ndebug=false"]

ONE_EVENT = ('{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "add", "pid": 0, "tid": 7, "ts": 10.5,'
             ' "dur": 3.25, "args": {"device": 0, "stream": 7, "correlation": 5}}]}\n')


def rows(inputs, scratch):
    """What is counted: a name, and the arguments of the program.  Pictures and pages would be mostly their constant parts."""
    one = os.path.join(scratch, "one.json")
    with open(one, "w") as file:
        file.write(ONE_EVENT)
    kineto, aiu = inputs.kineto(8), inputs.aiu(20000)
    plain = ["-j", "1", "--format", "text,json,csv", "-f", "-o", os.path.join(scratch, "out")]
    yield "start: run -p kernels, one event", ["run", "-p", "kernels", one, *plain]
    yield "start: FILE, one event", [one]
    yield "info, one event", ["info", one]
    yield "run -p kernels, 8 MB of Kineto", ["run", "-p", "kernels", kineto, *plain]
    yield "run -p torch, 8 MB of Kineto", ["run", "-p", "torch", kineto, *plain]
    yield "run -p aiu, 20,000 events", ["run", "-p", "aiu", aiu, *plain]
    yield "convert, 8 MB of Kineto", ["convert", "-j", "1", kineto, "-f", "-o", os.path.join(scratch, "out.json")]


def counter():
    """A command that counts instructions, and the line in which it says how many."""
    probe = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True) \
        if shutil.which("perf") else None
    if probe and re.search(r"^\d+,", probe.stderr, re.M):
        return ["perf", "stat", "-x,", "-e", "instructions:u"], re.compile(r"^(\d+),", re.M)
    if shutil.which("valgrind"):
        return (["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
                re.compile(r"I\s+refs:\s+([\d,]+)"))
    raise Failed("neither perf nor valgrind can count instructions here")


def count(how, program, arguments):
    command, line = how
    done = subprocess.run([*command, program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = line.search(done.stderr)
    if done.returncode or not found:
        raise Failed((done.stderr.strip().splitlines() or ["no message"])[-1])
    return int(found[1].replace(",", ""))


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    if done.returncode:
        raise Failed(f"{' '.join(command[:2])}: {done.stderr.decode(errors='replace').strip()[-500:]}")


def built(commit, root, cache):
    """The build directory of the commit, kept from one run to the next."""
    found = subprocess.run(["git", "-C", root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"],
                           capture_output=True, text=True)
    if found.returncode:
        raise Failed(f"there is no commit {commit}")
    tree = os.path.join(cache, "against-" + found.stdout.strip())
    build = os.path.join(tree, "build")
    if not os.path.exists(tree):
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            archive = os.path.join(folder, "tree.tar")
            run(["git", "-C", root, "archive", "-o", archive, found.stdout.strip()])
            os.mkdir(os.path.join(folder, "tree"))
            run(["tar", "-xf", archive, "-C", os.path.join(folder, "tree")])
            os.rename(os.path.join(folder, "tree"), tree)
    if not os.path.exists(os.path.join(build, "build.ninja")):
        run(["meson", "setup", build, tree, *BUILD])
    run(["ninja", "-C", build])
    return build


def print_row(name, old, new):
    change = new / old - 1
    mark = "more" if change >= WORSE else "less" if change <= -WORSE else ""
    print(f"{name:<36} {old:>15,} {new:>15,} {100 * change:>+8.1f} %  {mark}".rstrip(), flush=True)


def compare(old, new, inputs, scratch):
    """Both are programs as they are installed.  Neither finds the other's results, which take time to replace."""
    how = counter()

    def counted(program, arguments):
        shutil.rmtree(os.path.join(scratch, "out"), ignore_errors=True)
        return count(how, program, arguments)

    print(f"{'instructions':<36} {'commit':>15} {'now':>15} {'change':>10}")
    for name, arguments in rows(inputs, scratch):
        try:
            print_row(name, counted(old, arguments), counted(new, arguments))
        except Failed as reason:
            print(f"{name:<36} not measured: {reason}", flush=True)
