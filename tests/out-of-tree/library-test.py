#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sample of libstagemill as anybody could build it: library-test.py SOURCE BUILD

Builds it with the header and the libraries that are installed, in C with the shared one and in C++ with the static one; it finds modules and profiles where it is told."""
import pathlib
import sys
import tempfile

from outside import Outside, same


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as work:
        outside = Outside(source, build, pathlib.Path(work))
        flags = outside.flags("--cflags", "stagemill-engine-1")
        shared = outside.flags("--libs", "stagemill-engine-1")
        static = ["-l:libstagemill.a" if word == "-lstagemill" else word for word in outside.flags("--libs", "--static", "stagemill-engine-1")]
        found = {"STAGEMILL_STAGE_PATH": str(outside.folder("stagedir").parent),
                 "STAGEMILL_PROFILE_PATH": str(outside.folder("profiledir")),
                 "LD_LIBRARY_PATH": str(outside.folder("stagedir").parent.parent)}
        kineto = source / "samples" / "kineto"
        wanted = outside.run(outside.program, "metric", "-p", "kernels", "kernel_time", kineto)
        for ending, libs in ("c", shared), ("cpp", static):
            program, copy = outside.work / ("of-" + ending), outside.work / ("print-metric." + ending)
            copy.write_bytes((source / "samples/library/print-metric.c").read_bytes())
            outside.cc(program, *flags, copy, *libs)
            same(f"kernel_time, by {ending}", outside.run(program, "kernels", "kernel_time", kineto, env=found), wanted)


if __name__ == "__main__":
    main()
