#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks JSON documents against a JSON Schema, with the standard library alone.

Usage: validate.py SCHEMA DOCUMENT...

Knows the keywords that our schemas use.  Any other keyword is an error, so that
a schema can never promise more than is checked.
"""
import json
import re
import sys

ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description", "default", "examples", "$comment"}

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}


class Refused(Exception):
    """The document is not what a strict reader accepts."""


def no_duplicates(pairs):
    members = {}
    for key, value in pairs:
        if key in members:
            raise Refused("duplicate key %r" % key)
        members[key] = value
    return members


def no_constant(text):
    raise Refused("%s is not JSON" % text)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=no_duplicates, parse_constant=no_constant)


def same(a, b):
    """Equality of JSON: 1 and true differ."""
    return type(a) is type(b) and a == b


class Validator:
    def __init__(self, schema):
        self.root = schema

    def resolve(self, ref):
        if not ref.startswith("#/"):
            raise ValueError("only local references are known: %s" % ref)
        node = self.root
        for part in ref[2:].split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node

    def check(self, schema, value, place=""):
        """Yields one line for each violation."""
        if schema is True:
            return
        if schema is False:
            yield "%s: nothing is allowed here" % (place or "/")
            return
        for keyword, rule in schema.items():
            if keyword in ANNOTATIONS:
                continue
            method = getattr(self, "on_" + keyword.lstrip("$"), None)
            if method is None:
                raise ValueError("unknown keyword %r" % keyword)
            yield from method(rule, value, place, schema)

    def on_ref(self, rule, value, place, schema):
        yield from self.check(self.resolve(rule), value, place)

    def on_type(self, rule, value, place, schema):
        names = rule if isinstance(rule, list) else [rule]
        if not any(TYPES[name](value) for name in names):
            yield "%s: expected %s, found %s" % (place or "/", " or ".join(names), json.dumps(value)[:60])

    def on_enum(self, rule, value, place, schema):
        if not any(same(value, item) for item in rule):
            yield "%s: %s is none of %s" % (place or "/", json.dumps(value)[:60], json.dumps(rule))

    def on_const(self, rule, value, place, schema):
        if not same(value, rule):
            yield "%s: expected %s" % (place or "/", json.dumps(rule))

    def on_pattern(self, rule, value, place, schema):
        if isinstance(value, str) and not re.search(rule, value):
            yield "%s: %s does not match %s" % (place or "/", json.dumps(value)[:60], rule)

    def on_minLength(self, rule, value, place, schema):
        if isinstance(value, str) and len(value) < rule:
            yield "%s: shorter than %d" % (place or "/", rule)

    def on_minimum(self, rule, value, place, schema):
        if TYPES["number"](value) and value < rule:
            yield "%s: %s is less than %s" % (place or "/", value, rule)

    def on_maximum(self, rule, value, place, schema):
        if TYPES["number"](value) and value > rule:
            yield "%s: %s is more than %s" % (place or "/", value, rule)

    def on_required(self, rule, value, place, schema):
        if isinstance(value, dict):
            for key in rule:
                if key not in value:
                    yield "%s: %r is missing" % (place or "/", key)

    def on_properties(self, rule, value, place, schema):
        if isinstance(value, dict):
            for key, part in rule.items():
                if key in value:
                    yield from self.check(part, value[key], "%s/%s" % (place, key))

    def on_additionalProperties(self, rule, value, place, schema):
        if isinstance(value, dict):
            for key in value:
                if key not in schema.get("properties", {}):
                    where = "%s/%s" % (place, key)
                    if rule is False:
                        yield "%s: not a known member" % where
                    else:
                        yield from self.check(rule, value[key], where)

    def on_items(self, rule, value, place, schema):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.check(rule, item, "%s/%d" % (place, index))

    def on_minItems(self, rule, value, place, schema):
        if isinstance(value, list) and len(value) < rule:
            yield "%s: fewer than %d items" % (place or "/", rule)

    def on_oneOf(self, rule, value, place, schema):
        failures = [list(self.check(part, value, place)) for part in rule]
        matches = sum(1 for lines in failures if not lines)
        if matches != 1:
            yield "%s: fits %d of %d alternatives, not exactly one" % (place or "/", matches, len(rule))
            if matches == 0:
                yield from ("  " + line for lines in failures for line in lines)


def rows_fit(document):
    """What a schema cannot say: a row has a cell for each column of its table, and no other."""
    for table in document.get("tables", []) if isinstance(document, dict) else []:
        names = [column["name"] for column in table["columns"]]
        for index, row in enumerate(table.get("rows", [])):
            if list(row) != names:
                yield "table %s row %d: cells %s for the columns %s" % (table["name"], index, list(row), names)


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    validator = Validator(load(arguments[0]))
    bad = 0
    for path in arguments[1:]:
        try:
            document = load(path)
            lines = list(validator.check(validator.root, document))
            lines += [] if lines else list(rows_fit(document))
        except (Refused, json.JSONDecodeError, UnicodeDecodeError, OSError) as problem:
            lines = [str(problem)]
        for line in lines:
            print("%s: %s" % (path, line))
        bad += bool(lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
