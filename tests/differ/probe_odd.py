"""Random traces of probes that are odd on purpose: sections twice, warps of 64, blocks that are no whole warps, warps that were not
written, times far away, equal times, zero lengths, tensors that overlap, clocks that are none."""
# SPDX-License-Identifier: MIT
import random
import struct

LETTERS = {"block_sched": "QII", "sched": "QII", "amd": "QQ", "gmem_bytes": "II", "tensorop_count": "Q", "dmat": "QQ",
           "program_progress": "Q", "acc": "Q", "other": "QI"}
FAR = (0, 1, 1000, 2**31, 2**40, 2**61, -2**61)
WARPS = ("block_sched", "sched", "amd", "acc")


class Odd:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.grid = [self.rng.choice((1, 2, 3, 7)), self.rng.choice((1, 1, 4)), self.rng.choice((1, 1, 2))]
        self.block = [self.rng.choice((1, 7, 31, 32, 33, 64, 96, 128)), self.rng.choice((1, 1, 2)), 1]
        self.threads = self.block[0] * self.block[1]
        self.n_blocks = self.grid[0] * self.grid[1] * self.grid[2]
        self.far = self.rng.choice(FAR)
        self.few = self.rng.random() < 0.5  # equal values are likely
        self.late = self.rng.choice((9, 2**40, 2**41 + 3))
        self.wave = self.rng.choice((32, 32, 64))

    def number(self, most):
        return self.rng.randrange(min(most, 6) if self.few else most)

    def schedule(self, kind):
        for _ in range(self.n_blocks):
            sm = self.rng.choice((0, 0, 1, 5, 131, 2**32 - 1))
            base = self.far + self.number(3000)
            for _ in range(self.threads // self.level(kind)):
                start = base + self.number(50)
                elapsed = self.rng.choice((0, 1, self.number(900), self.number(900), self.number(900), 2**32 - 1))
                if self.rng.random() < 0.1:
                    start = elapsed = 0
                if kind == "amd":
                    yield [(start % 2**64, (start + elapsed) % 2**64)]
                else:
                    yield [(start % 2**64, elapsed, 0 if start == elapsed == 0 else sm)]

    def count(self, most):
        return self.rng.choice((0, 0, 1, self.number(100), most))

    def access(self):
        clock = self.rng.choice((self.number(300), self.number(300), self.number(70000), 5000000, 6000000, 2**64 - 1, 2**64 - 5,
                                 self.late))
        address = self.rng.choice((0, 0x7f0000000000, 0xff00000000000000)) + self.rng.choice((64, 4096, 65536)) * self.number(300)
        return self.rng.choice(((clock, address), (clock, address), (clock, address), (0, 0), (0, address), (clock, 0)))

    def units(self, kind, places):
        if kind in ("block_sched", "sched", "amd"):
            return list(self.schedule(kind))
        makes = {"gmem_bytes": lambda: (self.count(2**32 - 1), self.count(2**32 - 1)), "tensorop_count": lambda: (self.count(2**45),),
                 "dmat": self.access, "program_progress": lambda: (self.number(9) and self.far % 2**62 + self.number(10**6),),
                 "acc": lambda: (self.number(9) and self.far % 2**62 + self.number(10**6),),
                 "other": lambda: (self.number(2**63), self.number(2**32))}
        n = self.n_blocks * (self.threads // self.level(kind))
        return [[makes[kind]() for _ in range(self.rng.randrange(places) + 1)] for _ in range(n)]

    def level(self, kind):
        return 1 if kind not in WARPS else 64 if kind == "amd" else self.wave

    def places(self, kind):
        if kind in ("block_sched", "sched", "amd", "gmem_bytes", "other"):
            return 1
        most = self.threads * self.n_blocks < 200
        return self.rng.choice((1, 1, 3, 4100 if most else 9) if kind == "tensorop_count" else (2, 5, 4100 if most else 40))

    def word(self, layout, size, one, level):
        return {"total": size, "unit": one, "divisor": one | level << 32}[layout]

    def write(self, folder):
        kinds = self.rng.choices(list(LETTERS), k=self.rng.choice((1, 1, 2, 3, 4)))
        layout = self.rng.choice(("total", "unit", "divisor", "divisor"))
        toml, table, data, at = "", b"", b"", 32 + 16 * len(kinds)
        for number, kind in enumerate(kinds):
            places, level = self.places(kind), self.level(kind)
            form = struct.Struct("<" + LETTERS[kind])
            units = b"".join(b"".join(form.pack(*r) for r in unit).ljust(form.size * places, b"\0")
                             for unit in self.units(kind, places))
            units = units.ljust(self.n_blocks * -(-self.threads // level) * form.size * places, b"\0")
            table += struct.pack("<QQ", self.word(layout, len(units), form.size * places, level), at + len(data))
            data += units
            toml += self.settings(kind if kind not in kinds[:number] else f"again{number}", kind, places)
        folder.mkdir(parents=True)
        (folder / "probe.toml").write_text(toml)
        (folder / "a.bin").write_bytes(struct.pack("<8I", *self.grid, *self.block, 64, len(kinds)) + table + data)
        if self.rng.random() < 0.6:
            (folder / "tensor.trace").write_text("".join(self.tensors()))
        return kinds

    def settings(self, name, kind, places):
        cap = '"dynamic"' if kind == "dmat" else places
        regs = "".join(f'r{k} = "u{64 if letter == "Q" else 32}"\n' for k, letter in enumerate(LETTERS[kind]))
        level = "warp" if kind in WARPS else "thread"
        size = struct.calcsize("<" + LETTERS[kind])
        return f'[map.{name}]\nlevel = "{level}"\ntype = "array"\nsize = {size}\ncap = {cap}\n[map.{name}.regs]\n{regs}\n'

    def tensors(self):
        for k in range(self.rng.randrange(20)):
            pointer = self.rng.choice((0, 0x7f0000000000)) + self.rng.choice((0, 1, 65536, 65537, 2**20, 3 * 2**20))
            size = self.rng.choice((0, 1, 65536, 10**6, 10**7))
            yield f"[{self.rng.choice(('call', 'ret', 'other'))}]  {k}  torch.Size([{k}, 2])  {size}  {pointer}  t{k % 3}  f  a.py:{k}\n"
