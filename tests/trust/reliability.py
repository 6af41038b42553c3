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
numbers worked out by hand.
"""

TAIL = """
The campaigns, on a build of your own (`./dev test --asan` makes `build-asan`):

```text
./dev test --faults
python3 tests/faults/faults-test.py --build build-asan --calls 2 --sample 4000 --scenarios 100
python3 tests/differ/mutations.py --build build-asan --source . --kineto-gen build-asan/tests/gen/kineto-gen \\
    --aiu-gen build-asan/tests/gen/aiu-gen --count 100000
TRUST_MOMENTS=200 TRUST_ROUNDS=60 ./dev test --suite trust
```
"""


def number(n):
    return f"{n:,}"


def lines(known):
    """(promise, attack, name of the campaign, how its numbers read)"""
    return [
        ("Damaged input is an error with file and place, or a counted repair; it never crashes, hangs or passes in silence",
         "inputs of every source, mutated (bytes, cuts, copies, digits, tokens), through the whole program under the address "
         "and undefined-behaviour sanitizers", "mutations",
         lambda n: f"{number(n['inputs'])} inputs, {number(n['faults'])} faults"),
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
        ("`--max-memory` holds for all", "very many names, rows, groups, files and events under a limit of addresses", None,
         "in each `./dev test`"),
    ]


def again(known):
    return AGAIN.format(**{name: number(n) for name, n in known["again"].items()}) if "again" in known else ""


def page(known):
    text = HEAD
    for promise, attack, name, says in lines(known):
        told = says if name is None else says(known[name]) if name in known else "not run so far"
        text += f"| {promise} | {attack} | {told} |\n"
    return text + again(known) + TAIL


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
