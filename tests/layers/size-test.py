#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers in core/README.md are those of the tree: size-test.py SOURCE-ROOT [--update]

Each may be off by 2 %, so that a small change needs no other one."""
import collections
import importlib.util
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- sizes: tests/layers/size-test.py --update -->\n", "<!-- end of sizes -->\n"
RUN_OF_LINES = 6  # that two places share to count as a pair
COMMON = 8  # more places than this are a form, such as the rows of a descriptor
OFF = 0.02


def sources_test():
    spec = importlib.util.spec_from_file_location("sources", HERE / "sources-test.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def n_lines(paths):
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths)


def fields_of_run(root):
    text = (root / "core" / "sched" / "run.h").read_text(encoding="utf-8")
    body = re.search(r"^struct Run \{\n(.*?)^\};", text, re.M | re.S).group(1)
    return len(re.findall(r";", re.sub(r"/\*.*?\*/", "", body, flags=re.S)))


def telling_lines(sources, path):
    """Lines that say something: no comments, includes, blanks or lone marks."""
    lines = (" ".join(line.split()) for line in sources.code_of(path).splitlines())
    return [line for line in lines if re.search(r"\w", line) and not line.startswith("#")]


def pairs_in(sources, files):
    """Pairs of files that share a run of lines, letter by letter."""
    places = collections.defaultdict(set)
    for path in files:
        lines = telling_lines(sources, path)
        for at in range(len(lines) - RUN_OF_LINES + 1):
            places["\n".join(lines[at:at + RUN_OF_LINES])].add(path)
    pairs = set()
    for found in places.values():
        ordered = sorted(found)
        if len(ordered) <= COMMON:
            pairs |= {(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1:]}
    return len(pairs)


def measure(root):
    sources = sources_test()
    code = {top: sources.c_files(root / top) for top in ("core", "stages", "plugins")}
    arrows = sources.core_arrows(root)
    return {
        "lines of C in `core/`, without tests": n_lines(code["core"]),
        "of them in `core/kit/`": n_lines(sources.c_files(root / "core" / "kit")),
        "of them in `core/harness/`": n_lines(sources.c_files(root / "core" / "harness")),
        "lines of C in `stages/`, without tests": n_lines(code["stages"]),
        "lines of C in `plugins/`": n_lines(code["plugins"]),
        "units of the core (`NAME.c` with `NAME.h`)": len(arrows),
        "cycles among them, by includes and by symbols": int(bool(sources.find_cycle(arrows))),
        "fields of `Run`": fields_of_run(root),
        "pairs of files of stages and plug-ins that share six lines": pairs_in(sources, code["stages"] + code["plugins"]),
    }


def table_of(sizes):
    rows = "".join(f"| {what} | {number:,} |\n" for what, number in sizes.items())
    return f"{BEGIN}| what | how many |\n|---|---:|\n{rows}{END}"


def differences(text, sizes):
    written = dict(re.findall(r"^\| (.+) \| ([\d,]+) \|$", text, re.M))
    for what, number in sizes.items():
        said = written.get(what)
        if said is None:
            yield f"core/README.md does not say: {what}"
        elif abs(int(said.replace(",", "")) - number) > OFF * number:
            yield f"core/README.md: {what}: says {said}, is {number:,}; size-test.py --update mends it"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    page = root / "core" / "README.md"
    text = page.read_text(encoding="utf-8")
    sizes = measure(root)
    before, _, rest = text.partition(BEGIN)
    if "--update" in sys.argv[2:]:
        page.write_text(before + table_of(sizes) + rest.partition(END)[2], encoding="utf-8")
        return 0
    found = list(differences(rest.partition(END)[0], sizes))
    print(*found, table_of(sizes), sep="\n")
    return bool(found) or not rest


if __name__ == "__main__":
    sys.exit(main())
