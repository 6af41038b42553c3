"""Other inputs of the same kind: values, keys, order, types and units are changed, and what it is stays valid.

alter() is for inputs of any source; JSON is here, the others are where their names say."""
# SPDX-License-Identifier: MIT
import csv
import json
import re
import sqlite3
import struct

import packets
import shapes_binary
import shapes_tables
from odd_values import NUMBERS, TEXTS, a_few, changed_number, is_number, other_value

MOST_ELEMENTS = 3000
TRIES = 3  # a change can leave nothing
# Marks in texts of a document that json.dumps leaves alone; what is written there is no text.
AGAIN, LITERAL = "\ue000", "\ue001"
FORMS = ["1.50E+2", "-0", "-0.0", "1e2", "1E-2", "0.10000000000000000000001", "123456789012345678901234567890", "1e19",
         "9223372036854775807.5", "0e0", "1e308", "2.2250738585072011e-308", "18446744073709551616"]


# ---- what a document is made of

def places_of(value, found=None):
    """(container, key) of everything in a document."""
    found = [] if found is None else found
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key))
        places_of(inner, found)
    return found


def containers_of(document, kind):
    """Each once, also where it was put into several places."""
    found = {id(v): v for v in [document, *(c[k] for c, k in places_of(document))] if isinstance(v, kind) and v}
    return list(found.values())


def members_of(document):
    """{key: [objects that have it]}: as events have a time."""
    found = {}
    for holder in containers_of(document, dict):
        for key in holder:
            found.setdefault(key, []).append(holder)
    return found


def some_members(pick, document):
    """A key, and one of the objects that have it, or all of them."""
    found = members_of(document)
    if not found:
        return None, []
    key = pick.choice(sorted(found))
    holders = found[key]
    return key, holders if pick.random() < 0.5 else [pick.choice(holders)]


# ---- changes of members

def numbers_change(pick, document):
    """Times far away, negative, none, in another unit, as texts: one of them or all."""
    found = {key: [h for h in holders if is_number(h[key])] for key, holders in members_of(document).items()}
    keys = sorted(key for key, holders in found.items() if holders)
    if not keys:
        return
    key = pick.choice(keys)
    rule = changed_number(pick, found[key][0][key])
    for holder in found[key] if pick.random() < 0.5 else [pick.choice(found[key])]:
        holder[key] = rule(holder[key])


def texts_are_numbers(pick, document):
    key, holders = some_members(pick, document)
    for holder in holders:
        if isinstance(holder[key], str) and re.fullmatch("-?(0|[1-9][0-9]{0,18})", holder[key]):
            holder[key] = int(holder[key])


def members_are_equal(pick, document):
    """As labels, ids and times that should differ."""
    key, holders = some_members(pick, document)
    others = members_of(document).get(key, [])
    for holder in holders:
        holder[key] = others[0][key] if not isinstance(others[0][key], (dict, list)) else holder[key]


def members_go(pick, document):
    key, holders = some_members(pick, document)
    for holder in holders:
        del holder[key]


def members_are_renamed(pick, document):
    key, holders = some_members(pick, document)
    if not holders:
        return
    name = pick.choice([key.upper(), key.capitalize(), key + " ", key + "s", "", pick.choice(sorted(members_of(document)))])
    for holder in holders:
        holder[name] = holder.pop(key)


def members_come_again(pick, document):
    """A key that is there twice; which of them counts differs between readers."""
    key, holders = some_members(pick, document)
    for holder in holders:
        value = holder[key]
        if not isinstance(value, (dict, list)):
            holder[AGAIN + key] = pick.choice([value, other_value(pick, value)])


def members_are_shuffled(pick, document):
    _, holders = some_members(pick, document)
    for holder in holders:
        pairs = list(holder.items())
        pick.shuffle(pairs)
        holder.clear()
        holder.update(pairs)


# ---- changes of lists

def some_list(pick, document):
    """Longer ones more often: they are what stages read."""
    lists = containers_of(document, list)
    return pick.choice([pick.choice(lists), max(lists, key=len)]) if lists else None


def elements_come_again(pick, document):
    """Whole events twice, beside each other or at the end; or very many of them."""
    found = some_list(pick, document)
    if not found:
        return
    at = pick.randrange(len(found))
    times = min(pick.choice([1, 1, 1, 30, 1000]), MOST_ELEMENTS - len(found))
    if times > 0:
        where = pick.choice([at, len(found), 0])
        found[where:where] = [found[at]] * times


def all_comes_again(pick, document):
    found = some_list(pick, document)
    if found and len(found) < MOST_ELEMENTS // 2:
        found += found


def elements_change_places(pick, document):
    found = some_list(pick, document)
    if found:
        pick.choice([pick.shuffle, lambda f: f.reverse(), lambda f: f.append(f.pop(0)), lambda f: f.insert(0, f.pop())])(found)


def elements_go(pick, document):
    """One, a half, all but one, or all."""
    found = some_list(pick, document)
    if found:
        at = pick.randrange(len(found))
        del found[pick.choice([slice(at, at + 1), slice(at, at + 1), slice(0, len(found) // 2), slice(1, None), slice(None)])]


# ---- changes of any value

def one_place(pick, document):
    places = places_of(document)
    return pick.choice(places) if places else (None, None)


def a_value_is_another(pick, document):
    container, key = one_place(pick, document)
    if container is not None:
        container[key] = other_value(pick, container[key])


def a_value_comes_from_elsewhere(pick, document):
    container, key = one_place(pick, document)
    if container is None:
        return
    source, other = one_place(pick, document)
    container[key] = source[other] if not isinstance(source[other], (dict, list)) else container[key]


def a_number_is_written_otherwise(pick, document):
    places = [(c, k) for c, k in places_of(document) if is_number(c[k])]
    if places:
        container, key = pick.choice(places)
        container[key] = LITERAL + pick.choice([pick.choice(FORMS), f"{container[key]:e}"]) + LITERAL


def a_value_lies_deeper(pick, document):
    container, key = one_place(pick, document)
    if container is None:
        return
    for _ in range(pick.choice([1, 3, 40, 300])):
        container[key] = [container[key]] if pick.random() < 0.5 else {"a": container[key]}


def a_value_is_empty(pick, document):
    container, key = one_place(pick, document)
    if container is not None:
        value = container[key]
        container[key] = type(value)() if isinstance(value, (dict, list, str)) else pick.choice([[], {}, "", None, 0])


def a_value_is_huge(pick, document):
    container, key = one_place(pick, document)
    if container is not None:
        value = container[key]
        container[key] = value * 2000 if isinstance(value, str) else [pick.choice(NUMBERS)] * MOST_ELEMENTS \
            if isinstance(value, list) else pick.choice(NUMBERS)


def arguments_are_more(pick, document):
    """Members that nobody asked for."""
    holders = containers_of(document, dict)
    if holders:
        holder = pick.choice(holders)
        for _ in range(pick.choice([1, 5, 300])):
            holder[f"{pick.choice(TEXTS)}{pick.randrange(1000)}"] = other_value(pick, pick.choice(NUMBERS))


CHANGES = [numbers_change, numbers_change, numbers_change, numbers_change, texts_are_numbers, members_are_equal, members_are_equal,
           members_go, members_are_renamed, members_come_again, members_are_shuffled, elements_come_again, elements_come_again,
           all_comes_again, elements_change_places, elements_change_places, elements_go, elements_go, a_value_is_another,
           a_value_is_another, a_value_comes_from_elsewhere, a_number_is_written_otherwise, a_value_lies_deeper, a_value_is_empty,
           a_value_is_huge, arguments_are_more]


# ---- texts

def escaped(pick, text):
    """Characters of names and keys as numbers: the same document."""
    return re.sub('"([A-Za-z])', lambda m: f'"\\u{ord(m[1]):04x}' if pick.random() < 0.2 else m[0], text)


def text_of(pick, document):
    text = json.dumps(document, separators=pick.choice([(",", ":"), (",", ":"), (" ,\n", "\t: ")]),
                      ensure_ascii=pick.random() < 0.5, allow_nan=False)
    text = text.replace("\\ue000", AGAIN).replace("\\ue001", LITERAL)
    text = re.sub(f'"{LITERAL}([^{LITERAL}]*){LITERAL}"', r"\1", text).replace(AGAIN, "").replace(LITERAL, "")
    return escaped(pick, text) if pick.random() < 0.1 else text


def alter_json(pick, data):
    document = json.loads(data)
    for _ in a_few(pick):
        pick.choice(CHANGES)(pick, document)
    return text_of(pick, document).encode("utf-8", "surrogatepass")


def alter_lines(pick, data):
    """JSON Lines: the documents as one list, or one of them."""
    documents = [json.loads(line) for line in data.splitlines() if line.strip()]
    for _ in a_few(pick):
        pick.choice(CHANGES)(pick, documents)
    if not documents:
        raise ValueError("no lines are left")
    return b"".join(text_of(pick, one).replace("\n", " ").encode("utf-8", "surrogatepass") + b"\n" for one in documents)


# ---- any input

NOT_SO = (ValueError, KeyError, IndexError, RecursionError, TypeError, OverflowError, csv.Error, sqlite3.Error, struct.error, packets.Bad)
WAYS = {
    "csv": [shapes_tables.alter_csv],
    "lines": [shapes_tables.alter_text],
    "json": [alter_json, alter_lines],
    "sqlite": [shapes_tables.alter_database],
    "packets": [shapes_binary.alter_packets],
    "records": [shapes_binary.alter_probe],
}
KINDS = {"bench-json": ["json"], "chrome-json": ["json"], "gate-log": ["json"], "rocprof-json": ["json"], "latency-csv": ["csv"],
         "nsys-csv": ["csv"], "allreduce-csv": ["csv"], "tuner-csv": ["csv"], "nsys-sqlite": ["sqlite"], "perfetto": ["packets"],
         "probe-bin": ["records"], "coll-bench": ["json", "csv", "lines"], "strategy-table": ["csv", "lines"]}


def kinds_of(source):
    """What an input of this source can be; a text by lines where nothing is said."""
    return KINDS.get(source, ["lines"])


def alter(pick, source, data):
    """Another input of the same kind; nothing where it is of none."""
    for way in [way for _ in range(TRIES) for kind in kinds_of(source) for way in WAYS[kind]]:
        try:
            return way(pick, data)
        except NOT_SO:
            continue
    return None
