#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes gate logs of a made-up MoE model: folders gates_logs_run<I>, a file gate_logs_<LAYER>.json each layer.

The same options give the same bytes. Each token is routed to two experts; how evenly is drawn for each layer, unless
--hot plants one expert of each layer that gets so many times what the others get.
"""

import argparse
import os


class Random:
    """A small generator of its own, so that files do not depend on the version of Python."""

    def __init__(self, seed):
        self.state = (seed * 0x9E3779B97F4A7C15 + 1) & (1 << 64) - 1

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        return (self.state >> 33) % n


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default=".", help="folder that gets the folders of the runs")
    parser.add_argument("--runs", "--directories", type=int, default=2, help="folders")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--experts", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--hot", type=int, default=0, help="1: all experts get the same, give or take a tenth in each step")
    parser.add_argument("--compact", action="store_true", help="without blanks, with integers")
    parser.add_argument("--truncate", type=int, default=0, help="cut the last N bytes off the last file of each run")
    return parser.parse_args()


def row_of(random, weights, tokens):
    """Loads that add up to two for each token, in proportion to weights that change a little."""
    drawn = [weight * (90 + random.below(21)) for weight in weights]
    total = sum(drawn)
    loads = [2 * tokens * weight // total for weight in drawn]
    loads[random.below(len(loads))] += 2 * tokens - sum(loads)
    return loads


def weights_of(random, options):
    if not options.hot:
        return [20 + random.below(100) for _ in range(options.experts)]
    hot = random.below(options.experts)
    return [100 * options.hot if expert == hot else 100 for expert in range(options.experts)]


def steps_of(random, options):
    """The first step is a prefill of many tokens, the others decode."""
    weights = weights_of(random, options)
    tokens = [4096 if step == 0 else 16 + random.below(17) for step in range(options.steps)]
    return tokens, [row_of(random, weights, count) for count in tokens]


def block(values, indent):
    blank = "\n" + " " * (indent + 2)
    return "[" + blank + ("," + blank).join(values) + "\n" + " " * indent + "]"


def document(random, options):
    """As json.dump(indent=2) writes it, but much faster."""
    tokens, rows = steps_of(random, options)
    if options.compact:
        text = ",".join("[" + ",".join(map(str, row)) + "]" for row in rows)
        steps = ",".join(map(str, range(options.steps)))
        return '{"step":[%s],"num_tokens":[%s],"expert_loads":[%s]}' % (steps, ",".join(map(str, tokens)), text)
    loads = block([block([f"{load}.0" for load in row], 4) for row in rows], 2)
    members = [
        '"step": ' + block([str(step) for step in range(options.steps)], 2),
        '"num_tokens": ' + block([str(count) for count in tokens], 2),
        '"expert_loads": ' + loads,
    ]
    return "{\n  " + ",\n  ".join(members) + "\n}"


def main():
    options = parse_options()
    for run in range(options.runs):
        folder = os.path.join(options.output, f"gates_logs_run{run}")
        os.makedirs(folder, exist_ok=True)
        for layer in range(options.layers):
            text = document(Random(options.seed * 1000003 + run * 1009 + layer), options)
            if layer == options.layers - 1 and options.truncate:
                text = text[:-options.truncate]
            with open(os.path.join(folder, f"gate_logs_{layer}.json"), "w", encoding="ascii") as file:
                file.write(text)


if __name__ == "__main__":
    main()
