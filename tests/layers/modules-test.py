#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layer rules that built modules show (R4 to R6): modules-test.py MODULE...

A folder stands for all modules below it."""
import functools
import pathlib
import re
import subprocess
import sys

SYMBOL = "mill_module_v1"
# What the C runtime brings along in any shared object.
RUNTIME = {"__dso_handle", "__TMC_END__", "completed.0", "_edata", "_end", "__bss_start",
           "__data_start"}
POINTER = 8
# R5: no thread, process, exit or locale.  R6: no file, terminal, environment or clock.
FORBIDDEN = re.compile(
    r"^(pthread_create|thrd_create|fork|vfork|exec\w*|system|popen|exit|_exit|abort|atexit|"
    r"setlocale|uselocale|chdir|fchdir|signal|sigaction|dlopen|dlsym|dlclose)$")
NO_INPUT = re.compile(
    r"^(f?open(64|at)?|f?reopen|creat|f?read|f?write|f?close|f?printf|v?f?printf|__v?f?printf_chk|"
    r"puts|fputs|putchar|fputc|std(in|out|err)|mmap|getenv|secure_getenv|time|clock_gettime|"
    r"gettimeofday|rand|random|strtod|atof|strtok|localtime|gmtime)$")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@functools.lru_cache(maxsize=None)  # the libraries are the same for most modules
def dynamic(path, which):
    """Names of dynamic symbols; weak undefined ones are the runtime's own."""
    names = set()
    for line in output("nm", "-D", which, str(path)).splitlines():
        fields = line.split()
        if fields[-2] not in ("w", "v"):
            names.add(fields[-1].split("@")[0])
    return names


def linked(path):
    """The libraries that the module itself asks for, as files."""
    needed = re.findall(r"NEEDED.*\[(.+)\]", output("readelf", "-d", str(path)))
    for line in output("ldd", str(path)).splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match and match.group(1) in needed:
            yield match.group(2)


def sections(path):
    rows = re.findall(r"^\s*\[\s*(\d+)\]\s+(\S+)\s+\S+\s+\S+\s+\S+\s+(\S+)",
                      output("readelf", "-SW", str(path)), re.M)
    return {int(number): (name, int(size, 16)) for number, name, size in rows}


def writable(path, table):
    """Objects of the module itself that can be changed while it runs."""
    for line in output("readelf", "-sW", str(path)).splitlines():
        fields = line.split()
        if len(fields) < 8 or not fields[6].isdigit():
            continue
        if fields[3] not in ("OBJECT", "TLS", "NOTYPE"):
            continue
        section = table.get(int(fields[6]), ("", 0))[0]
        mutable = re.match(r"^\.(data|bss|tdata|tbss)(\.(?!rel\.ro)|$)", section)
        if mutable and fields[7] not in RUNTIME:
            yield fields[7]


def sanitized(path):
    """The runtime of a sanitizer brings symbols and constructors of its own."""
    return any(name.startswith(("__asan_", "__tsan_", "__ubsan_"))
               for name in dynamic(path, "--undefined-only"))


def check(path):
    undefined = dynamic(path, "--undefined-only")
    exported = dynamic(path, "--defined-only")
    if exported != {SYMBOL}:
        yield f"R4: exports {', '.join(sorted(exported)) or 'nothing'}"
    provided = set().union(*(dynamic(library, "--defined-only") for library in linked(path)))
    for name in sorted(undefined - provided):
        yield f"R4: {name} is in no library that it links"
    table = sections(path)
    for name in sorted(set(writable(path, table))):
        yield f"R5: {name} can be changed and belongs to no instance"
    for name, size in table.values():
        if name in (".init_array", ".ctors") and size > POINTER:
            yield "R5: has a constructor"
    is_stage = "plugins" not in path.parts
    for name in sorted(undefined):
        if FORBIDDEN.match(name):
            yield f"R5: calls {name}"
        if is_stage and NO_INPUT.match(name):
            yield f"R6: calls {name}"


def modules(arguments):
    for argument in arguments:
        path = pathlib.Path(argument)
        yield from sorted(path.rglob("*.so")) if path.is_dir() else [path]


def main():
    n_modules = n_broken = 0
    for path in modules(sys.argv[1:]):
        if sanitized(path):
            print("built with a sanitizer: skipped")
            return 77
        n_modules += 1
        for problem in check(path):
            n_broken += 1
            print(f"{path.name}: {problem}")
    print(f"{n_modules} modules, {n_broken} rules broken")
    return n_broken > 0 or n_modules == 0


if __name__ == "__main__":
    sys.exit(main())
