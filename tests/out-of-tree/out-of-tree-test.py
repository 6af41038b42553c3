#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an outsider does, with nothing but an installed stagemill: out-of-tree-test.py SOURCE BUILD

Installs into a scratch folder; builds subprojects/example-stage there with pkg-config alone, by
Meson and by plain cc; runs its test; runs its stage by name from its profile and compares the
table; does the same with what "stagemill new" writes."""
import json
import pathlib
import re
import shutil
import sys
import tempfile

from outside import Outside, same, table

RANKS = {  # durations in microseconds
    0: [100, 2000, 50],
    1: [5000, 1000.001, 999],
}
SLOW_CALLS = ["rank,slices,slow,excess_ns", "0,3,1,1000000", "1,3,2,4000001"]


def write_ranks(folder):
    paths = []
    for rank, durations in RANKS.items():
        events = [{"ph": "X", "name": "call", "pid": rank, "tid": 1, "ts": 10000 * i, "dur": dur}
                  for i, dur in enumerate(durations)]
        paths.append(folder / f"rank{rank}.json")
        text = json.dumps({"traceEvents": events, "distributedInfo": {"rank": rank}})
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def check_package(outside):
    for name in ("stagedir", "sourcedir", "sinkdir", "profiledir", "schemadir"):
        folder = outside.folder(name)
        same(f"{name} holds files", folder.is_dir() and any(folder.iterdir()), True)
    header = (outside.prefix / "include/stagemill-1/stagemill/types.h").read_text(encoding="utf-8")
    abi = ".".join(re.search(rf"define MILL_ABI_{part} (\d+)", header).group(1)
                   for part in ("MAJOR", "MINOR"))
    same("abi_version", outside.run("pkg-config", "--variable=abi_version", "stagemill-1").strip(),
         abi)
    same("what a stage links", outside.flags("--libs", "stagemill-1"), [])


def check_cc(outside, traces):
    """Plain cc; the stage is found through --stage-path, the profile by its path."""
    folder = outside.work / "plain"
    shutil.copytree(outside.source / "subprojects" / "example-stage", folder)
    outside.module(folder / "built" / "acme.slow-calls.so",
                   outside.flags("--cflags", "stagemill-1"), folder / "slow-calls.c")
    outside.cc(folder / "slow-calls-test", folder / "slow-calls.c", folder / "slow-calls-test.c",
               *outside.flags("--cflags", "--libs", "stagemill-harness-1"))
    outside.run(folder / "slow-calls-test")
    out = outside.work / "plain-out"
    outside.run(outside.program, "run", "--verify", "--stage-path", folder / "built", "-p",
                "./acme-slow-calls.json", "-o", out, *traces, cwd=folder)
    same("table of the stage built by cc", table(out, "acme.slow-calls"), SLOW_CALLS)
    profile = outside.prefix / "share" / "stagemill" / "profiles"
    same("nothing was installed", list(profile.glob("acme*")), [])


def check_meson(outside, traces):
    """Meson; installed, so that names are enough."""
    folder = outside.work / "example"
    shutil.copytree(outside.source / "subprojects" / "example-stage", folder)
    outside.run("meson", "setup", "--fatal-meson-warnings", "--werror", "build", cwd=folder)
    outside.run("meson", "test", "-C", "build", cwd=folder)
    outside.run("meson", "install", "-C", "build", cwd=folder)
    for j in (1, 2):
        out = outside.work / f"example-out-{j}"
        outside.run(outside.program, "run", "-p", "acme-slow-calls", f"-j{j}", "-o", out, *traces)
        same("table of the installed stage", table(out, "acme.slow-calls"), SLOW_CALLS)
    value = outside.run(outside.program, "metric", "acme.slow_share", "-p", "acme-slow-calls", *traces)
    same("metric of the installed stage", float(value), 50)
    shown = outside.run(outside.program, "show", "acme.slow-calls")
    same("show names the option", "limit" in shown and "1ms" in shown, True)


def check_prefix(outside, project):
    """Everything goes below the prefix that is asked for, in the folders of stagemill's own."""
    prefix = project / "elsewhere"
    outside.run("meson", "setup", f"--prefix={prefix}", "build-elsewhere", cwd=project)
    outside.run("meson", "install", "-C", "build-elsewhere", cwd=project)
    installed = sorted(path.parent.name for path in prefix.rglob("acme*") if path.is_file())
    same("what is below another prefix", "profiles" in installed and len(installed) == 2, True)


def new_project(outside, kind, name, inputs, *words):
    """What `new` writes elsewhere is a project that builds, tests and runs."""
    folder = outside.work / "-".join(["new", kind, *words])
    folder.mkdir(parents=True)
    outside.run(outside.program, "new", kind, name, *words, cwd=folder)
    project = next(folder.rglob("meson.build")).parent
    outside.run("meson", "setup", "--werror", "build", cwd=project)
    outside.run("meson", "test", "-C", "build", cwd=project)
    check_prefix(outside, project)
    profile = next(project.glob("*.json"))
    out = outside.work / "-".join(["new", kind, *words, "out"])
    outside.run(outside.program, "run", "--verify", "--stage-path", project / "build", "-p",
                f"./{profile.name}", "-o", out, *inputs, cwd=project)
    return project, profile.stem, out


def check_new(outside, traces):
    """Sources and sinks go where they are found once they are installed."""
    _, _, out = new_project(outside, "stage", "heat/acme.heat", traces)
    same("a table was written", len(list((out / "tables").glob("*.csv"))) > 0, True)
    _, _, again = new_project(outside, "stage", "heat/acme.heat", traces, "--cpp")
    same("the same stage in C++", table(again, "acme.heat"), table(out, "acme.heat"))
    said = outside.refused(2, outside.program, "new", "source", "acme/acme.lines")
    same("a source has no family", "a source has no family" in said and "write acme.lines" in said, True)
    lines = outside.work / "lines.txt"
    lines.write_text("acme.lines 1\n0 5 a\n7 1 b\n", encoding="utf-8")
    project, profile, _ = new_project(outside, "source", "acme.lines", [lines])
    outside.run("meson", "install", "-C", "build", cwd=project)
    outside.run(outside.program, "run", "-p", profile, "-o", outside.work / "again", lines)
    project, profile, _ = new_project(outside, "sink", "acme.rows", traces[:1])
    outside.run("meson", "install", "-C", "build", cwd=project)
    out = outside.work / "rows"
    outside.run(outside.program, "run", "-p", profile, "-o", out, traces[0])
    same("rows of the installed sink", (out / "rows.txt").read_text(encoding="utf-8").splitlines(),
         ["0 100000 call", "10000000 2000000 call", "20000000 50000 call"])


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as work:
        outside = Outside(source, build, pathlib.Path(work))
        traces = write_ranks(outside.work)
        check_package(outside)
        check_cc(outside, traces)
        check_meson(outside, traces)
        check_new(outside, traces)
    print("ok")


if __name__ == "__main__":
    main()
