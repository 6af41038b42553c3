#!/usr/bin/env python3
"""The tutorial's stage in another language: bindings-test.py LANGUAGE PROGRAM HEADERS BINDING SOURCE CASES EVERY

It is built with each compiler that is there, strictly, and passes the cases; EVERY, which uses the whole binding, is built.  Without a compiler the test is skipped."""
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


def main():
    language, program, *paths = sys.argv[1:]
    headers, binding, source, cases, every = [pathlib.Path(path).resolve() for path in paths]
    found = {os.path.realpath(path): path for path in map(shutil.which, COMPILERS[language]) if path}
    for compiler in found.values():
        with tempfile.TemporaryDirectory() as work:
            out = pathlib.Path(work) / "acme.gaps.so"
            subprocess.run(command(compiler, headers, binding, every, out), check=True)
            subprocess.run(command(compiler, headers, binding, source, out), check=True)
            done = subprocess.run([program, "test", out, cases], capture_output=True, text=True, check=False)
            print(compiler, done.stdout + done.stderr, sep="\n")
            if done.returncode or not done.stdout.endswith("acme.gaps: 4 cases, 0 failed\n"):
                return 1
    if not found:
        print("skipped:", " and ".join(COMPILERS[language]), "are not there")
    return 0 if found else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
