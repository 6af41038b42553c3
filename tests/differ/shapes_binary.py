"""Other traces of the same kind: fields of packets, and words of what probes wrote."""
# SPDX-License-Identifier: MIT
import struct
import sys
import pathlib

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "gen")]
import pftrace as pf  # noqa: E402
from odd_values import AWAY, NUMBERS, TEXTS, UNITS, a_few  # noqa: E402
from packets import SCHEMAS, Bad, varint, wire_value  # noqa: E402
from shapes_tables import alter_text  # noqa: E402

WHOLE = [n for n in NUMBERS if isinstance(n, int)]


# ---- packets: fields are [number, wire, value], and the value of a message is a list of them

def fields_of(data, schema):
    fields, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = wire_value(data, at, tag & 7)
        kind = SCHEMAS.get(schema, {}).get(tag >> 3, "").lstrip("*")
        fields.append([tag >> 3, tag & 7, fields_of(value, kind) if kind in SCHEMAS and tag & 7 == 2 else value])
    return fields


def written(fields):
    out = b""
    for number, wire, value in fields:
        out += pf.varint(number << 3 | wire)
        if wire == 0:
            out += pf.varint(value)
            continue
        value = written(value) if isinstance(value, list) else value
        out += (pf.varint(len(value)) if wire == 2 else b"") + value
    return out


def leaves_of(fields, found=None):
    found = [] if found is None else found
    for field in fields:
        if isinstance(field[2], list):
            leaves_of(field[2], found)
        else:
            found.append(field)
    return found


def messages_of(fields):
    return [fields, *(inner for field in fields if isinstance(field[2], list) for inner in messages_of(field[2]))]


def other_bytes(pick, field):
    number, wire, value = field
    if wire == 0:
        return pick.choice([0, value + 1, value * 1000, -value, value + pick.choice(AWAY), pick.choice(WHOLE)]) & (2**64 - 1)
    if wire == 2:
        return pick.choice(TEXTS).encode("utf-8", "replace")
    return struct.pack("<d", pick.choice(NUMBERS))[:len(value)]


def one_field_is_another(pick, packets):
    field = pick.choice(leaves_of(packets))
    field[2] = other_bytes(pick, field)


def numbers_of_a_kind_change(pick, packets):
    """As the times of all packets, or of one sequence."""
    number = pick.choice(leaves_of(packets))[0]
    unit, away = pick.choice([u for u in UNITS if isinstance(u, int)]), pick.choice(AWAY)
    rule = pick.choice([lambda v: v * unit, lambda v: v + away, lambda v: 0])
    for field in leaves_of(packets):
        if field[0] == number and field[1] == 0:
            field[2] = rule(field[2]) & (2**64 - 1)


def a_field_comes_again(pick, packets):
    message = pick.choice(messages_of(packets))
    if message:
        where = pick.randrange(len(message))
        message[where:where] = [message[pick.randrange(len(message))]] * pick.choice([1, 1, 30])


def a_field_goes(pick, packets):
    message = pick.choice([packets, pick.choice(messages_of(packets))])
    if message and (message is not packets or len(packets) > 1):
        del message[pick.randrange(len(message))]


def packets_change_places(pick, packets):
    pick.choice([pick.shuffle, lambda found: found.reverse(), lambda found: found.append(found.pop(0))])(packets)


def packets_of(data):
    packets, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = wire_value(data, at, tag & 7)
        if tag != 0x0a:
            raise Bad("no packet")
        packets.append([1, 2, fields_of(value, "packet")])
    return packets


def alter_packets(pick, data):
    packets = packets_of(data)
    for _ in a_few(pick):
        pick.choice([one_field_is_another, one_field_is_another, numbers_of_a_kind_change, a_field_comes_again, a_field_goes,
                     packets_change_places])(pick, packets)
    return written(packets)


# ---- traces of probes: settings up to a NUL, a head of eight words, a table of sections, records

HEAD = struct.Struct("<8I")


def alter_probe(pick, data):
    settings, nul, trace = data.partition(b"\0")
    if not nul:
        raise ValueError("no trace")
    words = alter_words(pick, trace) if settings and len(trace) >= HEAD.size else condensed(pick, trace)
    if settings and pick.random() < 0.1:
        settings = alter_text(pick, settings)
    return settings + b"\0" + words


def alter_words(pick, trace):
    """The records; now and then what the head says of them."""
    head, sections = list(HEAD.unpack_from(trace)), trace[HEAD.size:]
    begin = HEAD.size + 16 * head[7]
    if begin >= len(trace):
        raise ValueError("no records")
    out = bytearray(trace)
    for _ in a_few(pick):
        change_records(pick, out, begin)
    if pick.random() < 0.1:
        at = pick.randrange(7)
        struct.pack_into("<I", out, 4 * at, pick.choice([0, 1, head[at] * 2, head[at] // 2, 2**31, 2**32 - 1]) & (2**32 - 1))
    elif pick.random() < 0.05 and len(sections) >= 16 * head[7] > 16:
        out[HEAD.size:HEAD.size + 32] = sections[16:32] + sections[:16]
    return bytes(out)


def change_records(pick, out, begin):
    """One word or every second one, by 4 or 8 bytes; or a record that stands for its neighbours."""
    size = pick.choice([4, 8, 8])
    places = range(begin, len(out) - size + 1, size)
    if not places:
        return
    at = pick.choice(places)
    form = "<I" if size == 4 else "<Q"
    most = (1 << 8 * size) - 1
    unit, away, odd = pick.choice([1000, 0, -1, 1]), pick.choice(AWAY), pick.choice(WHOLE)
    rule = pick.choice([lambda v: v * unit, lambda v: v + away, lambda v: odd])
    step = pick.choice([2 * size, 16, 16])
    for place in pick.choice([[at], range(at, len(out) - size + 1, step)]):
        struct.pack_into(form, out, place, rule(struct.unpack_from(form, out, place)[0]) & most)
    if pick.random() < 0.2:
        at = min(at, len(out) - 16)
        whole = (len(out) - begin) // 16 * 16
        out[begin:begin + whole] = out[at:at + 16] * (whole // 16)


def condensed(pick, trace):
    """Records of condensed accesses, whole ones."""
    if len(trace) < 16:
        raise ValueError("no records")
    out = bytearray(trace)
    for _ in a_few(pick):
        change_records(pick, out, 0)
    return bytes(out)
