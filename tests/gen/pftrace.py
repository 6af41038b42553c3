"""Writes messages in protocol buffers by field numbers, and Perfetto's packets made of them."""
# SPDX-License-Identifier: MIT

import struct
import zlib

SEQUENCE_CLEARED, NEEDS_STATE = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
REALTIME, MONOTONIC, BOOTTIME = 1, 3, 6


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Fixed(int):
    """An integer that is written in eight bytes."""


def field(number, value):
    """One field: numbers as varints, floats and Fixed in eight bytes, texts and bytes with their length."""
    if isinstance(value, (list, tuple)):
        return b"".join(field(number, one) for one in value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, Fixed):
        return varint(number << 3 | 1) + struct.pack("<Q", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(fields):
    """{number: value}; a value of None is left out."""
    return b"".join(field(number, value) for number, value in fields.items() if value is not None)


def packet(fields):
    """As it stands in a trace."""
    return field(1, message(fields))


def compressed(packets):
    return packet({50: zlib.compress(b"".join(packets))})


def clocks(readings, unit=None, incremental=()):
    """A ClockSnapshot of {clock: time}."""
    return message({1: [message({1: clock, 2: time, 3: 1 if clock in incremental else None,
                                 4: unit if clock in incremental else None}) for clock, time in readings.items()]})


def process_track(uuid, pid, name):
    return message({1: uuid, 3: message({1: pid, 6: name})})


def thread_track(uuid, parent, pid, tid, name):
    return message({1: uuid, 5: parent, 4: message({1: pid, 2: tid, 5: name})})


def custom_track(uuid, parent, name):
    return message({1: uuid, 5: parent, 2: name})


def counter_track(uuid, parent, name=None, unit=None, kind=None, multiplier=None, incremental=None, unit_name=None):
    return message({1: uuid, 5: parent, 2: name, 8: message({1: kind, 3: unit, 4: multiplier, 5: incremental, 6: unit_name})})


def annotation(name, value, number=None, interned=None):
    """A debug annotation of a Python value; `number`: that of the field, where the kind of value does not say it."""
    head = {1: interned} if interned else {10: name} if name is not None else {}
    if isinstance(value, dict):
        return message({**head, 11: [annotation(key, one) for key, one in value.items()]})
    if isinstance(value, list):
        return message({**head, 12: [annotation(None, one) for one in value]})
    if number is None:
        number = 2 if isinstance(value, bool) else 4 if isinstance(value, int) else 5 if isinstance(value, float) else 6
    return message({**head, number: int(value) if isinstance(value, bool) else value})
