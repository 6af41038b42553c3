"""The files of a folder of --state, and summaries in them that are damaged although every checksum fits."""
# SPDX-License-Identifier: MIT
import random
import struct
import zlib

HEAD, RECORD = 80, struct.Struct("<8I")
OBSERVED, DECISION, LANE = 1, 2, 3


# ---- summaries: integers, reals and texts, each with a mark

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def items(data):
    """(mark, value): the bytes of a text, else the item as it is."""
    at = 0
    while at < len(data):
        mark = data[at:at + 1]
        if mark == b"t":
            size, begin = varint(data, at + 1)
            yield mark, data[begin:begin + size]
            at = begin + size + 1
            continue
        end = at + 9 if mark == b"r" else varint(data, at + 1)[1]
        yield mark, data[at:end]
        at = end


def text_item(data):
    size, out = len(data), bytearray(b"t")
    while size >= 0x80:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(out) + bytes([size]) + data + b"\0"


def joined(parts):
    return b"".join(text_item(value) if mark == b"t" else value for mark, value in parts)


# ---- records

def split(data):
    """The records of a file: ([words of the head], bytes)."""
    at = HEAD
    while at + RECORD.size <= len(data):
        words = list(RECORD.unpack_from(data, at))
        at += RECORD.size
        yield words, data[at:at + words[5]]
        at += words[5]


def made(words, data):
    words = [*words[:5], len(data), zlib.crc32(data)]
    head = struct.pack("<7I", *words)
    return head + struct.pack("<I", zlib.crc32(head)) + data


def places(kind, data):
    """What in a record is a summary of a stage: (how to put another one there, the summary)."""
    if kind == DECISION:
        yield (lambda new: new), data
    parts = list(items(data)) if kind in (OBSERVED, LANE) else []
    if kind == OBSERVED:
        yield (lambda new: joined([*parts[:-1], (b"t", new)])), parts[-1][1]
    for n, (mark, part) in enumerate(parts[2:] if kind == LANE else [], 2):
        inner = list(items(part)) if mark == b"t" else []
        if inner and inner[0][1]:
            yield (lambda new, n=n, inner=inner: joined(
                [*parts[:n], (b"t", joined([(b"t", new), *inner[1:]])), *parts[n + 1:]])), inner[0][1]


def hurt(summary, chance):
    """Cut, with a bit flipped, or any bytes."""
    how, at = chance.randrange(3), chance.randrange(len(summary)) if summary else 0
    if how == 0 or not summary:
        return summary[:at]
    if how == 1:
        return summary[:at] + bytes([summary[at] ^ 1 << chance.randrange(8)]) + summary[at + 1:]
    return chance.randbytes(chance.randrange(40))


def hurt_files(folder, seed):
    """Damages one summary of each file; false: there is none."""
    chance, any_hurt = random.Random(seed), False
    for path in sorted(folder.glob("*.mill")):
        if path.name == "job.mill":
            continue
        data = path.read_bytes()
        records = list(split(data))
        found = [(n, put, summary) for n, (words, record) in enumerate(records)
                 for put, summary in places(words[0] & 0xFF, record)]
        if not found:
            continue
        n, put, summary = chance.choice(found)
        records[n] = (records[n][0], put(hurt(summary, chance)))
        path.write_bytes(data[:HEAD] + b"".join(made(*r) for r in records))
        any_hurt = True
    return any_hurt
