"""Malformed traces of probed kernels, their settings, condensed accesses and logs: the input first, then what lies beside it."""
# SPDX-License-Identifier: MIT
import struct

NEWER = b"""[probe.block_sched]
level = "warp"
after = "SAVE"
[map.block_sched]
level = "warp"
size = 16
cap = 1
[map.block_sched.regs]
start = ["u64", 0]
elapsed = "u32"
smid = ["u32"]
"""
OLDER = b"""dynamic = true
[dmat] # accesses
before = "mov.u64 %clock, %clock64;"
after = \"\"\"
SAVE.u64 {%clock,%address};\"\"\"
datamodel = 'thread:16:count'
[gmem_bytes]
after = "SAVE.u32 {%sync}; SAVE.u32 {%async};"
datamodel = "thread:8"
"""
TENSORS = b"[call]  5  torch.Size([4, 32])  256  28672  x  f  a.py:3\n[ret]  6  torch.Size([])  -1  4\n"
LOG = b"""[pid] 42
[init] cmd 2 python run.py
[exec] funcmap-not-find 0x10
[jit] find 0x10 name gemm\xff bin 0x2 size 100
[jit] rename gemm 0_a1
[probe] finish 0x10 name gemm n_param 3
[probe] can't-find 0x20
[exec] funcmap-find 0x10 success
[exec] 1700000000000000000 param 7f00 4000\x20
[count] size: 64
[exec] probe-mem 1536 (bytes)
[exec] succeed 0
[exec] save result/0.100000.bin size 100
[exec] prologue 1.000000 kernel 2.0 epilogue 0.5 ratio 1.75
[exec] funcmap-find 0x20 fail
[exec] backup 8 1 1 block 64 1 1 shared 0
[benchmark] prologue 1.0 kernel 2.0 epilogue 0.5 original 1.0 impact 2.0 0
"""
PROCESS = b"""ptxas -arch=sm_80 d/probed.ptx -o d/probed.bin
ptxas info    : Used 40 registers, 400 bytes cmem[0]
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas -arch=sm_80 d/pruned.ptx -o d/pruned.bin
ptxas info    : Used 32 registers
"""
LATENCY = [["probe", "original", "ncu", "neutrino", "prologue", "kernel", "epilogue", "more"],
           ["block_sched", "1.5", "30", "2.25", "0.25", "1.5", "0.5", "x"], ["dmat", "2", "0", "4", "1", "2", "1", ""]]


def trace(grid, block, sections):
    """Of (what the entry says, bytes)."""
    at = 32 + 16 * len(sections)
    table = data = b""
    for word, content in sections:
        table += struct.pack("<QQ", word, at + len(data))
        data += content
    return struct.pack("<8I", grid, 1, 1, block, 1, 1, 0, len(sections)) + table + data


def warps(word):
    """Two blocks of two warps."""
    return trace(2, 64, [(word, b"".join(struct.pack("<QII", 100 + k, 10 + k, k // 2) for k in range(4)))])


def accesses(words):
    """One block of three threads: two places each, and a count of bytes."""
    places = struct.pack("<12Q", 7, 0x7000, 9, 0x7004, 1, 0x8000, 0, 0, 0, 0, 5, 0x9000)
    return trace(1, 3, [(words[0], places), (words[1], struct.pack("<6I", 4, 0, 8, 16, 0, 0))])


def condensed():
    groups = ((3, [(0x10000, 2), (0x20000, 1)]), (9, [(0x10000, 5)]))
    data = struct.pack("<4Q", 2, len(groups), 0x10000, 0x20000)
    for clock, pages in groups:
        data += struct.pack("<QQ", clock, len(pages)) + b"".join(struct.pack("<QI", *page) for page in pages)
    return data


def odd_bytes(whole, head):
    """Of the first ones, odd values at each; all of them away, twice, and the rest cut off."""
    for at, byte in enumerate(whole):
        for value in sorted({0, 1, 32, 64, 0x7f, 0xff, byte ^ 1, byte + 8 & 0xff} - {byte}) if at < head else ():
            yield f"byte {at} is {value}", whole[:at] + bytes([value]) + whole[at + 1:]
        yield f"cut at byte {at}", whole[:at]
        yield f"no byte {at}", whole[:at] + whole[at + 1:]
        yield f"byte {at} twice", whole[:at + 1] + whole[at:]
    for at in range(0, head, 4):
        for value in (0, 2**31, 2**32 - 1):
            yield f"{value} at {at}", whole[:at] + struct.pack("<I", value) + whole[at + 4:]


def huge_grids():
    """More blocks than can be counted one by one, without a byte for any of them."""
    for word in (0, 1 << 32, 32 << 32, 64 << 32, 2**64 - 1):
        for block in (1, 33, 1024):
            head = struct.pack("<8I", 2**31, 2**10, 1, block, 1, 1, 0, 1)
            yield f"no bytes for a block of {block}, as {word:#x}", head + struct.pack("<QQ", word, 48)


def bin_cases(byte_cases, line_cases):
    for word in (64, 16, 16 | 32 << 32, 64 | 0xdead << 32):
        for name, data in odd_bytes(warps(word), 48):
            yield f"warps as {word:#x}: {name}", {"a.bin": data, "probe.toml": NEWER}
    for words in ((32, 8), (2**64 - 1, 24), (32 | 1 << 32, 8 | 1 << 32)):
        for name, data in odd_bytes(accesses(words), 64):
            yield f"accesses as {words[0]:#x}: {name}", {"a.bin": data, "probe.toml": OLDER, "tensor.trace": TENSORS}
    for name, data in huge_grids():
        yield name, {"a.bin": data, "probe.toml": NEWER.replace(b"cap = 1", b'cap = "dynamic"')}
    for name, data in odd_bytes(condensed(), 48):
        yield f"condensed: {name}", {"a.dmat": data}
    for form, settings, data in (("newer", NEWER, warps(16)), ("older", OLDER, accesses((32, 8)))):
        for name, toml in (*byte_cases(settings), *line_cases(settings)):
            yield f"{form} settings: {name}", {"a.bin": data, "probe.toml": toml}
    for at in range(0, len(NEWER), 3):
        for odd in (b"\xff", b"\0", b"\r", b'"', b"'", b"\\", b"[", b"=", b".", b",", b"#", b"0", b"\xc3\xa9"):
            yield f"newer settings: {odd!r} at {at}", {"a.bin": warps(16), "probe.toml": NEWER[:at] + odd + NEWER[at:]}
    for name, tensors in line_cases(TENSORS):
        yield f"tensors: {name}", {"a.bin": accesses((32, 8)), "probe.toml": OLDER, "tensor.trace": tensors}


def log_cases(byte_cases, line_cases):
    for name, data in (*byte_cases(LOG), *line_cases(LOG)):
        yield name, {"event.log": data, "kernel/0_a1/process.log": PROCESS}
    for name, data in line_cases(PROCESS):
        yield f"process.log: {name}", {"event.log": LOG, "kernel/0_a1/process.log": data}
    for text in (b"", b"max memory:", b"max memory: x\n", b"max memory: -1", b"max memory: 9" * 40, b"\xff\0max memory: 1"):
        yield f"stdout.log is {text[:20]!r}", {"stdout.log": text}
