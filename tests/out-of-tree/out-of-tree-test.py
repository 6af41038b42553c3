#!/usr/bin/env python3
"""What an outsider does, with nothing but an installed stagemill: out-of-tree-test.py SOURCE BUILD

Installs into a scratch folder; builds subprojects/example-stage there with pkg-config alone, by
Meson and by plain cc; runs its test; runs its stage by name from its profile and compares the
table; does the same with a fresh "stagemill new stage", and with a stage built from the frozen
header tests/abi/0.1."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

RANKS = {  # durations in microseconds
    0: [100, 2000, 50],
    1: [5000, 1000.001, 999],
}
SLOW_CALLS = ["rank,slices,slow,excess_ns", "0,3,1,1000000", "1,3,2,4000001"]
FROZEN = ["events,long", "6,3"]


class Outside:
    """A machine that has stagemill installed and its source nowhere in sight."""

    def __init__(self, source, build, work):
        self.source, self.work = source, work
        root = work / "root"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("STAGEMILL_")}
        self.env.update(LC_ALL="C", HOME=str(work), XDG_DATA_HOME=str(work / "data"),
                        XDG_CONFIG_HOME=str(work / "config"))
        self.run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", root)
        pages = sorted(root.rglob("stagemill-1.pc"))
        assert len(pages) == 1, f"{len(pages)} files stagemill-1.pc were installed"
        self.prefix = self.move(pages[0].parent, root)
        self.env["PKG_CONFIG_PATH"] = str(pages[0].parent)
        self.program = str(self.prefix / "bin" / "stagemill")

    @staticmethod
    def move(folder, root):
        """The scratch folder becomes the prefix, as if it had been configured with it."""
        for page in folder.glob("stagemill*.pc"):
            text = page.read_text(encoding="utf-8")
            prefix = re.search(r"^prefix=(.*)$", text, re.M).group(1)
            moved = root / prefix.lstrip("/")
            page.write_text(text.replace(f"prefix={prefix}\n", f"prefix={moved}\n"),
                            encoding="utf-8")
        return moved

    def run(self, *command, cwd=None):
        words = [str(word) for word in command]
        print("+", shlex.join(words), flush=True)
        done = subprocess.run(words, cwd=cwd, env=self.env, text=True, check=False,
                              capture_output=True)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}\nended with {done.returncode}")
        return done.stdout

    def flags(self, *words):
        return shlex.split(self.run("pkg-config", *words))

    def cc(self, out, *words):
        self.run("cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", *words,
                 "-o", out)

    def module(self, out, flags, source):
        out.parent.mkdir(parents=True, exist_ok=True)
        self.cc(out, "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,defs", *flags, source)


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}:\n  got    {got}\n  wanted {wanted}")


def write_ranks(folder):
    paths = []
    for rank, durations in RANKS.items():
        events = [{"ph": "X", "name": "call", "pid": rank, "tid": 1, "ts": 10000 * i, "dur": dur}
                  for i, dur in enumerate(durations)]
        paths.append(folder / f"rank{rank}.json")
        text = json.dumps({"traceEvents": events, "distributedInfo": {"rank": rank}})
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def table(out, name):
    return (out / "tables" / (name + ".csv")).read_text(encoding="utf-8").splitlines()


def check_package(outside):
    names = ("stagedir", "profiledir", "schemadir")
    for name in names:
        folder = pathlib.Path(outside.run("pkg-config", "--variable", name, "stagemill-1").strip())
        same(f"{name} holds files", folder.is_dir() and any(folder.iterdir()), True)
    header = (outside.prefix / "include/stagemill-1/stagemill/stage.h").read_text(encoding="utf-8")
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
    same("table of the stage built by cc", table(out, "slow-calls"), SLOW_CALLS)
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
        same("table of the installed stage", table(out, "slow-calls"), SLOW_CALLS)
    value = outside.run(outside.program, "metric", "slow_share", "-p", "acme-slow-calls", *traces)
    same("metric of the installed stage", float(value), 50)
    shown = outside.run(outside.program, "show", "acme.slow-calls")
    same("show names the option", "limit" in shown and "1ms" in shown, True)


def check_new(outside, traces):
    """What `new stage` writes elsewhere is a project of the same kind."""
    folder = outside.work / "new"
    folder.mkdir()
    outside.run(outside.program, "new", "stage", "heat/acme.heat", cwd=folder)
    project = next(folder.rglob("meson.build")).parent
    outside.run("meson", "setup", "--werror", "build", cwd=project)
    outside.run("meson", "test", "-C", "build", cwd=project)
    profile = next(project.glob("*.json"))
    out = outside.work / "new-out"
    outside.run(outside.program, "run", "--verify", "--stage-path", project / "build", "-p",
                f"./{profile.name}", "-o", out, *traces, cwd=project)
    same("a table was written", len(list((out / "tables").glob("*.csv"))) > 0, True)


def check_frozen(outside, traces):
    """A stage of the time when the interface was frozen keeps working."""
    frozen = outside.source / "tests" / "abi" / "0.1"
    folder = outside.work / "frozen"
    outside.module(folder / "test.frozen.so", [f"-I{frozen}"], frozen / "frozen.c")
    profile = folder / "frozen.json"
    stages = [{"use": "test.frozen", "with": {"limit": "1ms"}}]
    profile.write_text(json.dumps({"profile": 1, "name": "frozen", "stages": stages}),
                       encoding="utf-8")
    out = outside.work / "frozen-out"
    outside.run(outside.program, "run", "--verify", "--stage-path", folder, "-p", profile, "-o",
                out, *traces)
    same("table of the frozen stage", table(out, "frozen"), FROZEN)


def main():
    source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as work:
        outside = Outside(source, build, pathlib.Path(work))
        traces = write_ranks(outside.work)
        check_package(outside)
        check_cc(outside, traces)
        check_meson(outside, traces)
        check_new(outside, traces)
        check_frozen(outside, traces)
    print("ok")


if __name__ == "__main__":
    main()
