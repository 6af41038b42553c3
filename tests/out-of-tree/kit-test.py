#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules of ours as anybody could build them: kit-test.py SOURCE BUILD

Builds the largest of them with nothing but their own files, the kit and the header that are installed; runs them in place of
those of the program, and compares what comes out, byte by byte."""
import json
import pathlib
import sys
import tempfile

from outside import Outside, same

TUNER = """collective,size_bytes,algorithm,protocol,channels,nodes,ranks,pipeOps,regBuff,latency_us
allreduce,1024,ring,ll,2,1,8,-1,-1,10
allreduce,1024,tree,ll,2,1,8,-1,-1,8
allreduce,65536,ring,simple,4,1,8,-1,-1,20
allreduce,65536,tree,simple,4,1,8,-1,-1,31
"""
# Where the files are, a profile that has the module, inputs, formats.
MODULES = [
    ("stages/probe/block-sched", "block-sched", ["samples/probe/trace"], "json"),
    ("stages/torch/launch-stats", "torch", ["samples/kineto"], "json"),
    ("stages/comm/collective-report", "collectives", ["samples/kineto"], "json"),
    ("plugins/source/tuner-csv", "nccl-tuner", ["tuner.csv"], "json,nccl-tuner"),
    ("plugins/sink/dmat", "access-map", ["samples/probe/more/dmat"], "json,dmat"),
    ("plugins/sink/csv", "torch", ["samples/kineto"], "csv"),
    ("plugins/sink/json", "block-sched", ["samples/probe/trace"], "json"),
]


class Kit:
    def __init__(self, outside):
        self.outside = outside
        self.flags = outside.flags("--cflags", "stagemill-kit-1")
        self.libs = outside.flags("--libs", "--static", "stagemill-kit-1")

    def build(self, folder):
        """Its own files, and those of its family: what is in the tree beside them is not looked at."""
        outside, home = self.outside, self.outside.source / folder
        family = home.parent / "lib" if folder.startswith("stages/") else None
        own = sorted(p for p in home.glob("*.c") if not p.name.endswith("-test.c"))
        shared = sorted(p for p in family.glob("*.c") if not p.name.endswith("-test.c")) if family and family.exists() else []
        copy = outside.work / "files" / folder
        out = outside.work / "built" / home.name / (home.name + ".so")
        out.parent.mkdir(parents=True)
        for path in [*own, *home.glob("*.h")]:
            put(path, copy / path.name)
        for path in [*shared, *(family.glob("*.h") if family else [])]:
            put(path, copy / family.parent.name / "lib" / path.name)
        sources = [copy / p.name for p in own] + [copy / family.parent.name / "lib" / p.name for p in shared]
        archive = outside.work / (home.name + ".map")
        archive.write_text("{ global: mill_module_v1; local: *; };\n")
        outside.run("cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-fPIC", "-shared",
                    "-ffunction-sections", "-Wl,--gc-sections", "-fvisibility=hidden", "-Wl,-z,defs", f"-Wl,--version-script={archive}",
                    "-I", copy, *self.flags, *sources, "-o", out, *self.libs)
        return out

    def results(self, out, profile, inputs, formats, *options):
        self.outside.run(self.outside.program, "run", "-p", profile, "-o", out, "--format", formats, *inputs, *options,
                         cwd=self.outside.work)
        return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file() and p.name != "run.json"}

    def check(self, folder, profile, inputs, formats):
        name, built = pathlib.Path(folder).name, self.build(folder)
        kind = "stage" if folder.startswith("stages/") else pathlib.Path(folder).parent.name
        found = ("--stage-path", built.parent)
        shown = json.loads(self.outside.run(self.outside.program, "show", f"{kind}/{name}", "--json", *found))
        same(f"the {name} that runs", shown["path"], str(built))
        wanted = self.results(self.outside.work / (name + "-ours"), profile, inputs, formats)
        got = self.results(self.outside.work / (name + "-theirs"), profile, inputs, formats, *found)
        same(f"results with {name}", got == wanted, True)


def put(path, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(path.read_bytes())


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as work:
        kit = Kit(Outside(source, build, pathlib.Path(work)))
        (kit.outside.work / "samples").symlink_to(source / "samples")
        (kit.outside.work / "tuner.csv").write_text(TUNER)
        for module in MODULES:
            kit.check(*module)


if __name__ == "__main__":
    main()
