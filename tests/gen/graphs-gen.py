#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""graphs-gen: a trace of graph launches with a folder of captures beside it, and its truth: graphs-gen.py FOLDER

One of three graphs has no capture; streams run otherwise than they were captured; graphs share names of kernels."""
import argparse
import json
import pathlib

import graphs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replays", type=int, default=12)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--dialect", choices=("kineto", "rocprof", "nsys"), default="kineto")
    options = parser.parse_args()
    plan = graphs.Plan(options.seed, options.replays, options.layers)
    captures = options.folder / "capture_traces"
    captures.mkdir(parents=True, exist_ok=True)
    for graph in plan.captured:
        (captures / f"graph_{graph.number}.json").write_text(json.dumps(graphs.capture(graph)))
    if options.dialect == "kineto":
        (options.folder / "trace.json").write_text(graphs.kineto(plan))
    elif options.dialect == "rocprof":
        (options.folder / "trace_results.json").write_text(graphs.rocprof_text(plan))
    else:
        (options.folder / "trace.sqlite").unlink(missing_ok=True)
        graphs.nsys_database(plan, options.folder / "trace.sqlite")
    (options.folder / "truth.json").write_text(json.dumps(plan.truth, indent=1) + "\n")


if __name__ == "__main__":
    main()
