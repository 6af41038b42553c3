#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stages in another language: bindings-test.py LANGUAGE PROGRAM HEADERS BINDING EVERY (SOURCE CASES)...

Each is built with each compiler that is there, strictly, and passes its cases; EVERY, which uses the whole binding, is built.  Without a compiler the test is skipped."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMPILERS = {"cpp": ["g++", "clang++"], "rust": ["rustc", "/usr/bin/rustc"]}
SKIPPED = 77


def command(compiler, headers, binding, source, out):
    if "rustc" in compiler:
        for file in (binding, source):
            shutil.copy(file, out.parent)
        return [compiler, "--edition", "2021", "--crate-type", "cdylib", "-D", "warnings", "-O", out.parent / source.name, "-o", out]
    return [compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wshadow", "-pedantic-errors", "-Werror",
            "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,defs", "-I", headers, "-I", binding, source, "-o", out]


def passes(program, out, cases):
    done = subprocess.run([program, "test", out, cases], capture_output=True, text=True, check=False)
    n_cases = sum(line.startswith("case ") for line in cases.read_text(encoding="utf-8").splitlines())
    print(done.stdout + done.stderr)
    return done.returncode == 0 and done.stdout.endswith(f"{out.stem}: {n_cases} cases, 0 failed\n")


def main():
    language, program, *paths = sys.argv[1:]
    headers, binding, every, *stages = [pathlib.Path(path).resolve() for path in paths]
    found = {os.path.realpath(path): path for path in map(shutil.which, COMPILERS[language]) if path}
    for compiler in found.values():
        print(compiler)
        with tempfile.TemporaryDirectory() as work:
            out = pathlib.Path(work) / "every.so"
            subprocess.run(command(compiler, headers, binding, every, out), check=True)
            for source, cases in zip(stages[::2], stages[1::2]):
                out = pathlib.Path(work) / f"acme.{source.stem}.so"
                subprocess.run(command(compiler, headers, binding, source, out), check=True)
                if not passes(program, out, cases):
                    return 1
    if not found:
        print("skipped:", " and ".join(COMPILERS[language]), "are not there")
    return 0 if found else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
