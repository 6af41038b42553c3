"""Damage to the bytes of inputs, which parsers see; shapes.py is for what stages see."""
# SPDX-License-Identifier: MIT
import re

TOKENS = re.compile(rb'"[^"\n]{0,40}"|[0-9.]+|[A-Za-z_]+|\s+|.', re.S)
ODD = [b"NaN", b"-Infinity", b"null", b"1e400", b"-1", b"99999999999999999999", b"\\u0000", b"\\ud800", b"\xff", b"\x00",
       b"\xef\xbb\xbf", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"[" * 1200, b"\r", b"\n\n", b"0x10", b"1e-400",
       b"'", b"=1", b"<<: *a", b"&a ", b"\t", b"- ", b"true", b"9007199254740993", b"0.0000000001", b"\xe2\x80\xae"]


def flip(pick, data, _):
    at = pick.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << pick.randrange(8)]) + data[at + 1:]


def truncate(pick, data, _):
    return data[:pick.randrange(len(data))]


def chunk(pick, data):
    at = pick.randrange(len(data))
    return at, min(len(data), at + pick.choice([1, 4, 30, 300, 3000]))


def duplicate(pick, data, _):
    at, end = chunk(pick, data)
    return data[:end] + data[at:end] * pick.choice([1, 1, 1, 50]) + data[end:]


def remove(pick, data, _):
    at, end = chunk(pick, data)
    return data[:at] + data[end:]


def splice(pick, data, other):
    at, end = chunk(pick, other)
    where = pick.randrange(len(data))
    return data[:where] + other[at:end] + data[where + pick.choice([0, end - at]):]


def digits(pick, data, _):
    places = [m.start() for m in re.finditer(rb"[0-9]", data)]
    for at in pick.sample(places, min(len(places), pick.randint(1, 8))):
        data = data[:at] + pick.choice([b"0", b"9", b"-", b".", b"e", b"1"]) + data[at + 1:]
    return data


def swap(pick, data, _):
    tokens = TOKENS.findall(data)
    a, b = pick.randrange(len(tokens)), pick.randrange(len(tokens))
    tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def odd(pick, data, _):
    at, end = chunk(pick, data)
    return data[:at] + pick.choice(ODD) + data[pick.choice([at, at + 1, end]):]


def odd_token(pick, data, _):
    tokens = TOKENS.findall(data)
    tokens[pick.randrange(len(tokens))] = pick.choice(ODD)
    return b"".join(tokens)


KINDS = [flip, truncate, duplicate, remove, splice, digits, swap, odd, odd_token, odd_token]


def damage(pick, data, other):
    for _ in range(pick.choice([1, 1, 2, 4])):
        if data:
            data = pick.choice(KINDS)(pick, data, other)
    return data
