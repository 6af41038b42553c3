#!/usr/bin/env python3
"""The layer rules that sources show (docs/architecture: R1 to R3): sources-test.py SOURCE-ROOT"""
import pathlib
import re
import sys

# Words of the command line that are also names of sinks: what --format takes when nothing is said.
FORMAT_WORDS = {"text", "json", "csv"}
FREESTANDING = {"stdbool.h", "stddef.h", "stdint.h"}
LAYERS = ["base", "model", "plan", "host", "store", "input", "results", "output", "sched", "cmd"]
# What a part of the core may include besides its own files.
BELOW = {layer: set(LAYERS[:i]) for i, layer in enumerate(LAYERS)}

# Doors that are still too wide: these parts know the run and its lanes.
WIDE = {"model/engine.h", "results/results.c", "results/results.h", "input/input.h", "output/sinks.h"}
WIDE |= {f"host/{unit}" for unit in ("guard.h", "host-edges.c", "host-events.c", "host-files.c", "host-results.c",
                                     "host.c", "instance.c", "instance.h")}

COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def code_of(path):
    """The text without its comments, which may name anything."""
    return COMMENT.sub(lambda m: m.group(1) or " ", path.read_text(encoding="utf-8"))


def c_files(folder):
    return sorted(p for p in folder.rglob("*.[ch]") if not p.name.endswith("-test.c"))


def includes(path):
    return INCLUDE.findall(code_of(path))


def module_folders(root):
    for pattern in ("stages/*/*", "plugins/*/*"):
        for folder in sorted(root.glob(pattern)):
            if folder.is_dir() and (folder / "meson.build").exists():
                yield folder


def check_names(root):
    """R1: the core names nothing of stages/ and plugins/."""
    for folder in module_folders(root):
        family, name = folder.parent.name, folder.name
        words = [rf'"{family}/{name}"', rf"\b{family}/{name}\b"]
        if name not in FORMAT_WORDS:
            words.append(f'"{name}"')
        pattern = re.compile("|".join(words))
        for path in c_files(root / "core"):
            for match in pattern.finditer(code_of(path)):
                yield f"{path.relative_to(root)}: R1: names {match.group(0)}"


def check_module(root, folder):
    """R2: a module includes the public header, core/base, the lib beside it, and its own files."""
    parts = folder.parts[len(root.parts)]
    for path in c_files(folder):
        for mark, name in includes(path):
            where = f"{path.relative_to(root)}: R2: includes {name}"
            first = name.split("/")[0]
            if mark == "<" and first == "stagemill" and name != "stagemill/stage.h":
                yield where
            if mark == "<" or (folder / name).exists():
                continue
            if first == "base" and (root / "core" / name).exists():
                continue
            if first == "lib" and (root / parts / name).exists():
                continue
            yield where


def check_lib(root):
    """stages/lib stands below the stages, plugins/lib below the plugins."""
    for path in c_files(root / "stages" / "lib") + c_files(root / "plugins" / "lib"):
        for mark, name in includes(path):
            own = (path.parent / name).exists() or name.split("/")[0] in ("base", "lib")
            if mark == '"' and not own:
                yield f"{path.relative_to(root)}: R2: includes {name}"


def check_core(root):
    """R3: inside the core the way is one."""
    for folder, below in BELOW.items():
        for path in c_files(root / "core" / folder):
            if f"{folder}/{path.name}" in WIDE:
                continue
            for mark, name in includes(path):
                first = name.split("/")[0]
                known = first in BELOW and first != folder
                if mark == '"' and known and first not in below:
                    yield f"{path.relative_to(root)}: R3: includes {name}"


def check_headers(root):
    """R3: the public header needs nothing but the compiler; the harness adds only that header."""
    public = root / "core" / "include" / "stagemill"
    for header, allowed in (("stage.h", FREESTANDING), ("harness.h", {"stagemill/stage.h"})):
        for _, name in includes(public / header):
            if name not in allowed:
                yield f"{header}: R3: includes {name}"


def check_budget(root):
    n_lines = len((root / "core/include/stagemill/stage.h").read_text().splitlines())
    if n_lines > 700:
        yield f"stage.h: {n_lines} lines; the header is to be read in one sitting"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [*check_names(root), *check_lib(root), *check_core(root), *check_headers(root),
             *check_budget(root)]
    n_modules = 0
    for folder in module_folders(root):
        n_modules += 1
        found += check_module(root, folder)
    print(*found, sep="\n")
    print(f"{n_modules} modules, {len(c_files(root / 'core'))} files of the core, "
          f"{len(found)} rules broken")
    return bool(found) or n_modules == 0


if __name__ == "__main__":
    sys.exit(main())
