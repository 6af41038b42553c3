#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/reliability.md from the promises here and the numbers that campaigns recorded.

reliability.py SOURCE writes it; with --check it only compares.  Campaigns record their numbers, see record.py:
  export RELIABILITY_NUMBERS=$PWD/tests/trust/numbers.json"""
import json
import pathlib
import sys

HEAD = """# Reliability

Two promises: a wrong answer never comes with status 0, and no data of yours is lost. This page lists what the tests do
to break these promises, and what they found. What no test attacks is not promised. Each line of the first table is a
test in `./dev test`. The numbers come from the last long campaign; a test counted each of them, and failures are
listed. What a campaign finds is mended; its count stays until the next one. [SECURITY.md](../SECURITY.md) says which
inputs and modules are trusted.

| promise | how it is attacked | the last campaign |
|---|---|---|
"""

AGAIN = """
## Results that a second program checks

These run in each `./dev test`; the numbers are those of one run.

| results | checked by | checks | differ |
|---|---|---|---|
| Events that each source must give and may leave out; outputs of each sink | readers in Python with `json`, `csv`, `sqlite3`, `struct` and `tomllib` (`tests/differ/readers.py` and its imports) | {checks} checks of whole inputs, {malformed} of malformed ones | {failed} |
| Energy, power and active share of AIU traces; each suggested clock, tried in a new run | exact fractions by the formulas of the documents (`tests/differ/aiu_energy.py`) | {energy} numbers, {advices} suggestions | {energy_differ} |
| Device time in PyTorch traces (`gpu-timeline`, `device-breakdown`, `kernel-summary`, categories of `op-summary`, `device-classes`, steps and parts of `step-parts`): the samples, and random traces | an exhaustive method: it cuts time at all starts and ends, and compares each kernel with all host slices (`tests/differ/torch_devices.py`) | {devices} numbers | {devices_differ} |
| Events, sums by name and joins of `query`: random traces | the JSON of the trace (`tests/differ/query-test.py`) | {queried} values | {queried_differ} |
| All tables of the profile `probe`: random traces, logs and folders that are odd on purpose | the bytes of the files (`tests/differ/probe-test.py`) | {probes} numbers | {probes_differ} |
| All-reduce tuning: the tables of `allreduce` but those of noise, its table in C++, `strategy-table`, `nccl-tuner` and the plugin's file: random measurements | the measurements themselves (`tests/differ/tuning-test.py`) | {tuning} numbers | {tuning_differ} |
| `latency`, `tokens`, `goodput`, `saturation` and the rates of `throughput` of serving: random sweeps of vLLM with all requests | the requests of the files (`tests/differ/serving-test.py`) | {serving} numbers | {serving_differ} |
| Clocks, shifts of jobs, wraps, messages, ideal cycles; all-reduces along chains and up trees of 2 to 16 ranks: count, times, bandwidth | the values that the generator put into the trace (`tests/gen/truth-test.py`) | 3 runs, and {reduces} all-reduces in 16 runs | {truth_differ} |
| All metrics and tables of all profiles that fit an input, for the same input written in other ways | the program itself (`tests/metamorphic`) | {answers} answers | {reasons}, each with its reason in the test |

No second program checks the other tables of PyTorch traces, nor the others of serving, nor GEMM variance. Their
stages are tested against numbers computed by hand. The campaign shows only that they do not crash.
"""

TAIL = """
To run the campaigns yourself (`./dev test --asan` makes `build-asan`):

```text
./dev test --faults
python3 tests/faults/faults-test.py --build build-asan --calls 2 --sample 4000 --scenarios 100
python3 tests/differ/mutations.py --build build-asan --source . --kineto-gen build-asan/tests/gen/kineto-gen \\
    --aiu-gen build-asan/tests/gen/aiu-gen --count 100000
python3 tests/scale/growing-test.py build/core/cmd/stagemill
TRUST_MOMENTS=200 TRUST_ROUNDS=60 ./dev test --suite trust
./dev soak 60
```
"""


def number(n):
    return f"{n:,}"


def lines(known):
    """(promise, attack, name of the campaign, how its numbers read)"""
    return [
        ("Damaged input ends in an error with file and place, or in a counted repair; it never crashes, hangs or "
         "passes unreported",
         "inputs of every source, changed in structure (values, keys, order, types, units, rows, packets) or damaged "
         "(bytes, cuts, copies, digits, tokens), with every profile that fits and every format, under the address "
         "and undefined-behaviour sanitizers",
         "mutations",
         lambda n: f"{number(n['inputs'])} inputs in {number(n['runs'])} runs, {number(n['faults'])} faults; another "
                   f"{number(known['damaged']['inputs'])} inputs, most with damaged bytes, {number(known['damaged']['faults'])} faults"),
        ("Counts match the input, and other readers accept every output",
         "malformed members of every kind at every place; independent readers of all inputs, strict parsers of all "
         "outputs",
         "malformed", lambda n: f"{number(n['inputs'])} inputs of {n['sources']} sources, {number(n['failed'])} differ"),
        ("If a system call or an allocation fails, the run ends with the right answer, or with a message and a "
         "fitting status",
         "every system call and every allocation fails, once or from then on, or moves fewer bytes; in small runs of "
         "every profile, source, sink and command",
         "faults",
         lambda n: f"{number(n['tried'])} faults in {n['scenarios']} scenarios, {number(n['failures'])} failures"),
        ("Error paths leak nothing and use memory correctly",
         "a sample of the same faults under the address and undefined-behaviour sanitizers",
         "leaks",
         lambda n: f"{number(n['tried'])} faults in {n['scenarios']} scenarios, {number(n['failures'])} failures"),
        ("After a signal there is a whole result or none, and nothing else; the next run removes what SIGKILL leaves",
         "INT, TERM, HUP and KILL, also twice, at random moments of runs of each kind",
         "moments",
         lambda n: f"{number(n['signals'])} signals, {number(n['failures'])} failures"),
        ("A full disk gives status 6, and the earlier result stays whole",
         "a small file system that fills at every block and every name",
         "disks",
         lambda n: f"{number(n['rooms'])} sizes, {number(n['failures'])} failures"),
        ("If several runs write to one place at the same time, the result of one of them is there, whole",
         "two and five runs to one folder or file, also with one killed",
         "racing",
         lambda n: f"{number(n['rounds'])} rounds, {number(n['failures'])} failures"),
        ("Devices, pipes, sockets, links and strange names are handled or refused, and never replaced or removed",
         "17 kinds of them as input, output, profile, list, log and module of every command",
         "special",
         lambda n: f"{number(n['uses'])} uses, {number(n['failures'])} failures"),
        ("All of this holds for long",
         "the random campaigns in turns, each time with another seed: changed inputs with profiles, options and formats "
         "by chance, signals, full disks, shards that are killed",
         "soak",
         lambda n: f"{number(n['minutes'])} minutes: {number(n['inputs'])} inputs in {number(n['runs'])} runs, "
                   f"{number(n['signals'])} signals, {number(n['rooms'])} sizes of disks, {number(n['kills'])} killed shards; "
                   f"{number(n['failures'])} failures"),
        ("The same input gives the same bytes",
         "different threads, batch sizes, memory limits, compression, seeds of tables, locales and time zones, over "
         "generated inputs and every profile",
         None, "in each `./dev test`"),
        ("No input can make a hash table slow",
         "names that collide under a known seed, with another seed",
         None, "in each `./dev test`"),
        ("`--max-memory` limits every kind of growth",
         "very many names, rows, groups, files and events; one member that grows without end, of every source",
         "growing", lambda n: f"{sum(s['inputs'] for s in n['sources'].values())} growing inputs, a run takes at most "
                   f"{max(s['over_mib'] for s in n['sources'].values())} MiB more than the limit"),
    ]


MODULES = """
## Modules of others

A module runs with your rights, in the program. What it may break, and what is done about it:

- It is loaded in a child process first, and refused with its name (STG-12) if that crashes, ends or hangs. A file that was
  survived is remembered by its hash in `~/.cache/stagemill/modules`.
- A call of `exit` or `_exit` ends the run with status 5 (STG-71); what it prints goes to standard error.
- A crash names the stage. A crash outside of any stage lists the modules from outside.
- `--verify` finds what it may not do: [the list](write-a-stage.md#what-is-checked).
- `--isolate 'acme.*'` runs stages in processes of their own. A crash, a call of `exit`, an endless loop or too much memory is
  then one error (STG-13). With `--keep-going` all other results are written, with status 5, if the stage changes no events;
  else the inputs in which it was lost are left out. `--isolate-limit` is the processor time of one call.
"""

REACH = """
## The campaign by source

An input is valid if a reader in Python accepts it (`tests/differ/valid.py`): JSON, CSV, a database, packets, sections
of records, or text. It reaches a stage if at least one run reads its events to the end. Some sources refuse the whole
file for one wrong cell or column; fewer of their inputs reach a stage. The last column is the largest peak of memory
minus the limit of `--max-memory {limit}MiB` (`tests/scale/growing-test.py`). It is negative if the peak stays below the
limit; the peak includes what the program needs without input.

| source | inputs | valid | reach a stage | both | growing inputs | MiB above the limit |
|---|---|---|---|---|---|---|
"""

COVERAGE = """
Tests of stages, units and goldens take {taken} of the {branches} branches of `stages/` and `core/kit/` ({share} %), and run
{run} of their {lines} lines. Branches that no test takes are not promised. To measure this, and to list the files with
the lowest share:

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
    return text + MODULES + reach(known) + coverage(known) + again(known) + TAIL


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
