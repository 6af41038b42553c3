#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a database as nsys export does: nsys-gen.py OUT.sqlite [--schema 2021] [--processes N] ..."""
import argparse
import os

import nsys


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("path")
    p.add_argument("--schema", choices=("2021", "3.25"), default="3.25")
    p.add_argument("--processes", type=int, default=1)
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--launches", type=int, default=25, help="of a step")
    p.add_argument("--times", type=int, default=1, help="all of it so many times, one behind the other")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    if os.path.exists(a.path):
        os.unlink(a.path)
    nsys.build(a.path, a.schema, a.processes, a.steps, a.launches, a.seed)
    nsys.repeat(a.path, a.times)


if __name__ == "__main__":
    main()
