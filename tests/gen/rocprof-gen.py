#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rocprof-gen: a small trace as rocprofv3 writes it in JSON, with known truth.

Each process computes steps on one device: a product, an addition with an all-reduce beside it, and a copy."""
import argparse
import json
import pathlib

import rocprof


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--longer", type=int, default=0, help="ns that the last product takes longer")
    parser.add_argument("--queues", action="store_true", help="no streams: all have number 0")
    parser.add_argument("--names-last", action="store_true", help="names and agents stand after the records")
    parser.add_argument("-o", dest="path", type=pathlib.Path, required=True)
    parser.add_argument("--truth", type=pathlib.Path)
    options = parser.parse_args()
    made = [rocprof.Process(4100 + number, options.steps, 5_000_000_000_000 + 7000 * number, options.longer, options.queues)
            for number in range(options.processes)]
    options.path.parent.mkdir(parents=True, exist_ok=True)
    options.path.write_text(rocprof.text(made, options.names_last))
    if options.truth:
        options.truth.write_text(json.dumps([process.truth for process in made], indent=1) + "\n")


main()
