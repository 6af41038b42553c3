#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of a run on several AIUs with planted causes of slowness, and what each cause costs.

A small model of a host that launches, a device that prepares a kernel while it computes another, and an exchange of data
at the end of each iteration.  The same run is simulated with and without each cause, everything else equal: the cost is
the difference of the spans, in ns."""
import argparse
import json
import os
import random

US = 1000
SOC_MHZ = 560
CAUSES = ("late-rank", "turns", "exposed-transfer", "prep-wait", "host-gap")
KERNELS = ("addmm_MatMul", "mul", "softmax", "add", "bmm_MatMul", "layernorm", "gelu", "exp", "sub", "div", "sum", "relu")
LAUNCH_NS = 8 * US  # what a launch takes on the host
EXEC_NS = 300 * US
PREP_NS = 30 * US


class Rank:
    def __init__(self, number, offset_ns):
        self.number, self.offset_ns = number, offset_ns
        self.host = self.free = self.prepared = 1000 * US
        self.events = []

    def slice(self, name, start, end, stamps, thread, args=None):
        """Times and stamps of the true clock, as this rank's clock and counter show them."""
        cycles = [round(s * SOC_MHZ / 1000) + 1_000_000 * (self.number + 1) for s in stamps]
        attrs = {f"TS{i + 1}": str(c) for i, c in enumerate(cycles)}
        self.events.append({"name": name, "ph": "X", "ts": (start + self.offset_ns) / 1000, "dur": (end - start) / 1000,
                            "pid": self.number, "tid": thread, "args": {**attrs, **(args or {})}})

    def launch(self, ns):
        start = self.host
        self.host += ns
        self.events.append({"name": "AIU Roundtrip", "ph": "X", "ts": (start + self.offset_ns) / 1000, "dur": ns / 1000,
                            "pid": self.number, "tid": 12, "args": {}})

    def kernel(self, name, exec_ns, prep_ns):
        """The next one is prepared once this one runs."""
        prep = max(self.host, self.prepared)
        start = max(prep + prep_ns, self.free)
        end = start + exec_ns
        self.slice(f"{name} DmaI", prep, prep + 10 * US, [prep, prep + 10 * US] + [prep + 10 * US + i for i in (2, 4, 6)], 20)
        stamps = [prep - 2 * US, prep, start, end, end + 20]
        self.slice(f"{name} Cmpt Prep", prep, start, stamps, 21)
        self.slice(f"{name} Cmpt Exec", start, end, stamps, 21)
        self.free, self.prepared = end, start

    def message(self, name, kind, peer, start, end):
        group = "AllReduce_all_reduce_0"
        stamps = [start, end, end + 2, end + 4, end + 6] if name.endswith("DmaI") else [start - 6, start - 4, start - 2, start, end]
        self.slice(name, start, end, stamps, (40 if name.endswith("DmaO") else 60) + peer,
                   {"CollGroup": group, "Peer": str(peer), "Type": kind, "Bytes": "4096"})


class Run:
    def __init__(self, options, causes):
        self.o, self.causes = options, causes
        self.random = random.Random(options.seed)
        skews = [self.random.randrange(-200 * US, 200 * US) for _ in range(options.ranks)]
        self.ranks = [Rank(i, skews[i] if i else 0) for i in range(options.ranks)]
        self.late = self.random.randrange(options.ranks)

    def exec_ns(self, rank, turn):
        """Noise is drawn for each kernel whether or not a cause is planted."""
        ns = EXEC_NS * (1 + self.o.noise * self.random.gauss(0, 1))
        if "late-rank" in self.causes and rank == self.late or "turns" in self.causes and rank == turn:
            ns *= 1.35
        return int(ns)

    def exchange(self):
        """Each rank sends to each other one; both take part until it is done."""
        took = (1500 if "exposed-transfer" in self.causes else 40) * US
        came = [rank.free for rank in self.ranks]
        for rank in self.ranks:
            for other in self.ranks:
                if other is rank:
                    continue
                begin = max(came[rank.number], came[other.number])
                sync = f" [sync=AR_0_s{rank.number}_r{other.number}_0]"
                rank.message(f"SenRdmaSend_0 [4096B]{sync} DmaO", "SingleCast", other.number, came[rank.number], begin + took)
                other.message(f"SenRdmaRecv_0 [4096B]{sync} DmaI", "WDone Barrier", rank.number, came[other.number], begin + took + 5 * US)
        for rank in self.ranks:
            rank.free = max(came) + took + 5 * US
            rank.host = max(rank.host, rank.free - 200 * US)  # the host runs ahead by a little
            rank.prepared = max(rank.prepared, rank.free - 100 * US)

    def iteration(self):
        turn = self.random.randrange(self.o.ranks)
        for name in (f"{k}_{i}" for i, k in enumerate(KERNELS)):
            for rank in self.ranks:
                rank.launch((700 if "host-gap" in self.causes else 0) * US + LAUNCH_NS)
                rank.kernel(name, self.exec_ns(rank.number, turn), (480 if "prep-wait" in self.causes else 0) * US + PREP_NS)
        self.exchange()

    def simulate(self):
        for _ in range(self.o.iterations):
            self.iteration()
        return self

    def span(self):
        return sum(rank.free for rank in self.ranks) / len(self.ranks) - 1000 * US


def write(run, folder):
    for rank in run.ranks:
        head = {"displayTimeUnit": "ms", "otherData": {"Application": "aiu-slow-gen"},
                "distributedInfo": {"rank": rank.number, "world_size": len(run.ranks)},
                "traceEvents": sorted(rank.events, key=lambda e: e["ts"])}
        with open(os.path.join(folder, f"rank{rank.number}.json"), "w", encoding="utf-8") as file:
            json.dump(head, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cause", action="append", default=[], choices=CAUSES)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.0, help="standard deviation of kernels, of their time")
    parser.add_argument("-o", "--output", required=True, help="a folder; truth.json in it says what was planted")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    run = Run(options, set(options.cause)).simulate()
    truth = {"span_ns": run.span(), "rank": run.late, "costs_ns": {}}
    for cause in options.cause:
        truth["costs_ns"][cause] = run.span() - Run(options, set(options.cause) - {cause}).simulate().span()
    write(run, options.output)
    with open(os.path.join(options.output, "truth.json"), "w", encoding="utf-8") as file:
        json.dump(truth, file)


if __name__ == "__main__":
    main()
