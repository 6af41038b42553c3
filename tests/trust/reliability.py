#!/usr/bin/env python3
"""Makes docs/reliability.md from the promises here and the numbers that campaigns recorded.

reliability.py SOURCE writes it; with --check it only compares.  Campaigns record their numbers, see record.py:
  export RELIABILITY_NUMBERS=$PWD/tests/trust/numbers.json"""
import json
import pathlib
import sys

HEAD = """# What can be relied on

No wrong answer with status 0, and nothing of the user's lost: that is the aim. This page says what is done to break it, and with
what result; what no test attacks is not promised. Each line is a test in `./dev test`; the numbers are those of the last long campaign.
A number is here only if a test counted it, and failures are said as they are. What is trusted and what is not: [SECURITY.md](../SECURITY.md).

| promise | how it is attacked | the last campaign |
|---|---|---|
"""

AGAIN = """
## What is computed a second time

In each `./dev test`; the numbers are those of one of them.

| what | by what | how much | differ |
|---|---|---|---|
| Events that each source must give and what it may leave out; what each sink writes | readers of our own on Python's `json`, `csv`, `sqlite3`, `struct` and `tomllib` (`tests/differ/readers.py` and what it imports) | {checks} checks of whole inputs, {malformed} of malformed ones | {failed} |
| Energy, power and active share of AIU traces; each advice about clocks followed | exact fractions, from the documents (`tests/differ/aiu_energy.py`) | {energy} numbers, {advices} advices | {energy_differ} |
| Where the time of devices goes in PyTorch traces (`gpu-timeline`, `device-breakdown`, `kernel-summary`, categories of `op-summary`): samples, and odd traces drawn from seeds | pieces between all starts and ends; each kernel held to all slices of the host (`tests/differ/torch_devices.py`) | {devices} numbers | {devices_differ} |
| Clocks, shifts of jobs, wraps, messages, ideal cycles; all-reduces along chains and up trees of 2 to 16 ranks: count, times, bandwidth | what the generator planted (`tests/gen/truth-test.py`) | 3 runs, and {reduces} all-reduces in 16 runs | {truth_differ} |
| All metrics and tables of all profiles that fit an input, over the same input written in other ways | the program itself (`tests/metamorphic`) | {answers} answers | {reasons}, each for a reason that stands in the test |

Other tables of PyTorch traces, those of serving, of GEMM variance and of probes have no second program yet: the tests of their stages hold
numbers worked out by hand. That inputs of them crash nothing says nothing about their numbers.
"""

TAIL = """
The campaigns, on a build of your own (`./dev test --asan` makes `build-asan`):

```text
./dev test --faults
python3 tests/faults/faults-test.py --build build-asan --calls 2 --sample 4000 --scenarios 100
python3 tests/differ/mutations.py --build build-asan --source . --kineto-gen build-asan/tests/gen/kineto-gen \\
    --aiu-gen build-asan/tests/gen/aiu-gen --count 100000
python3 tests/scale/growing-test.py build/core/cmd/stagemill
TRUST_MOMENTS=200 TRUST_ROUNDS=60 ./dev test --suite trust
```
"""


def number(n):
    return f"{n:,}"


def lines(known):
    """(promise, attack, name of the campaign, how its numbers read)"""
    return [
        ("Damaged input is an error with file and place, or a counted repair; it never crashes, hangs or passes in silence",
         "inputs of every source, changed by their shapes (values, keys, order, types, units, rows, packets) or damaged (bytes, cuts, "
         "copies, digits, tokens), by every profile that fits and every format, under the address and undefined-behaviour sanitizers", "mutations",
         lambda n: f"{number(n['inputs'])} inputs in {number(n['runs'])} runs, {number(n['faults'])} faults; another "
                   f"{number(known['damaged']['inputs'])} inputs, most with damaged bytes, {number(known['damaged']['faults'])} faults"),
        ("What is counted is what is there; what is written, every reader takes",
         "malformed members of every kind at every place; independent readers of all inputs, strict parsers of all outputs",
         "malformed", lambda n: f"{number(n['inputs'])} inputs of {n['sources']} sources, {number(n['failed'])} differ"),
        ("A call of the system that fails ends with the right answer, or a message and a fitting status",
         "every call of the system fails, and memory at every place that asks for some: once or from then on, or moves fewer bytes: small runs of every profile, source, "
         "sink and command", "faults",
         lambda n: f"{number(n['tried'])} faults in {n['scenarios']} scenarios, {number(n['failures'])} failures"),
        ("Nothing leaks on the way out of an error, nor is memory misused there",
         "the same under the address and undefined-behaviour sanitizers, a sample of it", "leaks",
         lambda n: f"{number(n['tried'])} faults in {n['scenarios']} scenarios, {number(n['failures'])} failures"),
        ("Signals leave a whole result or none, and nothing else; what SIGKILL leaves, the next run removes",
         "INT, TERM, HUP and KILL, also twice, at random moments of runs of each kind", "moments",
         lambda n: f"{number(n['signals'])} signals, {number(n['failures'])} failures"),
        ("A full disk is status 6, and the earlier result stays whole",
         "a small file system that fills at every block and every name", "disks",
         lambda n: f"{number(n['rooms'])} sizes, {number(n['failures'])} failures"),
        ("Runs that write to one place at the same time: one of them is there, whole",
         "two and five runs to one folder or file, also with one killed", "racing",
         lambda n: f"{number(n['rounds'])} rounds, {number(n['failures'])} failures"),
        ("Devices, pipes, sockets, links and strange names are handled or refused, and never replaced or removed",
         "17 kinds of them as input, output, profile, list, log and module of every command", "special",
         lambda n: f"{number(n['uses'])} uses, {number(n['failures'])} failures"),
        ("The same input gives the same bytes", "threads, batch sizes, memory limits, compression, seeds of tables, "
         "locales and time zones in turns, over generated inputs and every profile", None, "in each `./dev test`"),
        ("No input makes a table slow", "names that collide under a known seed, against another", None, "in each `./dev test`"),
        ("`--max-memory` holds for all", "very many names, rows, groups, files and events; one member that grows without end, of every source",
         "growing", lambda n: f"{sum(s['inputs'] for s in n['sources'].values())} growing inputs, a run takes at most "
                              f"{max(s['over_mib'] for s in n['sources'].values())} MiB more than the limit"),
    ]


REACH = """
## How far the campaign comes, by source

An input is valid when a reader of Python takes it (`tests/differ/valid.py`): JSON, CSV, a database, packets, sections of records, or text. It
reaches a stage when its events were read to the end in one run at least. Where fewer reach one, a single cell or column that is not what it
should be is an error of the whole file. Memory is the largest peak of a run above `--max-memory {limit}MiB` (`tests/scale/growing-test.py`), less than
0 where nothing comes near; what reading needs without any input is in it.

| source | inputs | valid | reach a stage | both | growing inputs | MiB above the limit |
|---|---|---|---|---|---|---|
"""

COVERAGE = """
Tests of stages, units and goldens take {taken} of the {branches} branches of `stages/` and `core/kit/` ({share} %), and run {run} of their {lines} lines. What is not
taken is not promised. To get the number, and the files with the fewest:

```text
meson setup build-cov -Db_coverage=true -Doptimization=0 && ninja -C build-cov
meson test -C build-cov --suite stage --suite unit --suite golden
python3 tests/trust/coverage.py build-cov
```
"""


def percent(part, whole):
    return f"{100 * part // whole} %" if whole else "-"


def reach_row(name, campaign, growing):
    shares = [percent(campaign[key], campaign["inputs"]) for key in ("valid", "reached", "both")] if campaign else ["-"] * 3
    return f"| {name} | {number(campaign.get('inputs', 0))} | {' | '.join(shares)} | {growing.get('inputs', 0)} | {growing.get('over_mib', '-')} |\n"


def reach(known):
    """Both campaigns by source."""
    if "growing" not in known or "sources" not in known.get("mutations", {}):
        return ""
    campaign, growing = known["mutations"], known["growing"]
    rows = [reach_row(name, campaign["sources"].get(name, {}), growing["sources"].get(name, {}))
            for name in sorted({*campaign["sources"], *growing["sources"]})]
    return REACH.format(limit=growing["limit_mib"]) + "".join([*rows, reach_row("all", campaign, {
        "inputs": sum(s["inputs"] for s in growing["sources"].values()), "over_mib": max(s["over_mib"] for s in growing["sources"].values())})])


def coverage(known):
    if "coverage" not in known:
        return ""
    n = known["coverage"]
    return COVERAGE.format(share=100 * n["taken"] // n["branches"], **{key: number(value) for key, value in n.items()})


def again(known):
    return AGAIN.format(**{name: number(n) for name, n in known["again"].items()}) if "again" in known else ""


def page(known):
    text = HEAD
    for promise, attack, name, says in lines(known):
        told = says if name is None else says(known[name]) if name in known else "not run so far"
        text += f"| {promise} | {attack} | {told} |\n"
    return text + reach(known) + coverage(known) + again(known) + TAIL


def main():
    source = pathlib.Path(sys.argv[1])
    target = source / "docs" / "reliability.md"
    text = page(json.loads((source / "tests" / "trust" / "numbers.json").read_text(encoding="utf-8")))
    if "--check" not in sys.argv:
        target.write_text(text, encoding="utf-8")
        return 0
    if target.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reliability.md is not what tests/trust/reliability.py makes of tests/trust/numbers.json")
    return 1


if __name__ == "__main__":
    sys.exit(main())
