"""A run that several processes share, beside the same run in one process."""
# SPDX-License-Identifier: MIT
import difflib
import gzip
import json
import pathlib
import random
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "property"))
from program import Program, difference, outputs  # noqa: E402,F401

SAID = re.compile(r"shard (\d+) of (\d+): ([\d,]+) lanes?, ([\d,]+) events?, in (.*?)"
                  r"(; ([\d,]+) lanes? failed)?(; round \d+ of \d+, [\d,]+ lanes? (?:is|are) missing: "
                  r"again when all shards are through)?\n")


def record(folder):
    """run.json without what no two runs have in common."""
    data = json.loads((pathlib.Path(folder) / "run.json").read_text())
    for volatile in ("clock", "command", "state"):
        data.pop(volatile, None)
    return data


class Shared:
    """One command: a profile over inputs, in one process and in several."""

    def __init__(self, program, words, cwd, scratch):
        self.program, self.words, self.cwd, self.scratch = program, words, cwd, pathlib.Path(scratch)
        self.status, self.printed, self.said = self.plain()

    def run(self, *more, **given):
        return self.program.run([*self.words, *more], cwd=self.cwd, **given)

    def plain(self):
        status, printed, said = self.run("-o", self.scratch / "plain")
        return status, self.without_cost(printed), said

    def without_cost(self, printed):
        text = re.sub(r"· [0-9.]+ \S+ · peak [0-9.]+ [KMG]iB", "", printed.decode())
        return re.sub(r"wrote \S+/", "wrote", text)

    def shard(self, state, index, of, *more):
        """What its line says: (lanes, events, whether it is to be given again)."""
        status, printed, said = self.run("--state", state, "--shard", f"{index}/{of}", *more)
        line = SAID.fullmatch(printed.decode())
        if status or not line:
            raise AssertionError(f"shard {index}/{of}: status {status}, {printed.decode()!r}\n{said}")
        number = lambda text: int(text.replace(",", ""))
        return number(line[3]), number(line[4]), line[8] is not None

    def last(self, state, *more):
        """What differs from the run in one process, or nothing."""
        folder = self.scratch / "out"
        shutil.rmtree(folder, ignore_errors=True)
        status, printed, said = self.run("--state", state, "-o", folder, *more)
        if (status, said) != (self.status, self.said):
            return f"status {status}, not {self.status}: {said}\nnot: {self.said}"
        if not (self.scratch / "plain" / "run.json").exists():
            return None
        if self.without_cost(printed) != self.printed:
            lines = difflib.unified_diff(self.printed.splitlines(), self.without_cost(printed).splitlines(), lineterm="")
            return "\n".join(["it prints something else", *lines])
        if record(folder) != record(self.scratch / "plain"):
            return "run.json differs"
        return difference(outputs(self.scratch / "plain"), outputs(folder))

    def rounds(self, state, of, *more, seed=0):
        """All shards in any order, as often as they ask for it."""
        order = list(range(of))
        for _ in range(9):
            random.Random(seed).shuffle(order)
            if not any([self.shard(state, i, of, *more)[2] for i in order]):
                return
            seed += 1
        raise AssertionError("shards are to be given again for ever")


def pack(path, to):
    with open(path, "rb") as plain, gzip.open(to, "wb") as packed:
        shutil.copyfileobj(plain, packed)
