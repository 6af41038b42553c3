#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The validator itself, and what the contracts of results accept and refuse."""
import copy
import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import validate

SCHEMAS = os.path.join(HERE, "..", "..", "core", "schemas")

# (schema, value, fits)
RULES = [
    ({"type": "integer"}, 1, True),
    ({"type": "integer"}, True, False),
    ({"type": "integer"}, 1.5, False),
    ({"type": ["number", "null"]}, None, True),
    ({"type": "number"}, "1", False),
    ({"minimum": 0}, -1, False),
    ({"enum": ["a", None]}, None, True),
    ({"enum": [1]}, True, False),
    ({"const": "x"}, "y", False),
    ({"pattern": "^[0-9]+$"}, "12", True),
    ({"pattern": "^[0-9]+$"}, "a", False),
    ({"minLength": 1}, "", False),
    ({"required": ["a"]}, {}, False),
    ({"properties": {"a": {"type": "string"}}}, {"a": 1}, False),
    ({"properties": {"a": True}, "additionalProperties": False}, {"a": 1}, True),
    ({"properties": {"a": True}, "additionalProperties": False}, {"b": 1}, False),
    ({"additionalProperties": {"type": "string"}}, {"b": 1}, False),
    ({"items": {"type": "string"}}, ["a", 1], False),
    ({"oneOf": [{"type": "string"}, {"minimum": 3}]}, 4, True),
    ({"oneOf": [{"type": "integer"}, {"minimum": 3}]}, 4, False),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}, 1, False),
]

SUMMARY = {
    "schema_version": "3.0",
    "program": {"name": "stagemill", "version": "0.1.0"},
    "profile": "kernels",
    "inputs": 1, "events": 7, "tags": ["k"],
    "start_ns": "1712195495519689047",
    "verdict": "a step takes 7 ms", "views": ["t"],
    "lanes": [{"index": 0, "rank": None, "label": "", "name": "a.json", "dialect": "", "tags": {"k": "v"}}],
    "findings": [
        {"name": "straggler", "text": "rank 2 holds up the others", "severity": "critical", "cost_ns": 7, "share": 20.5,
         "where": {"rank": 2}, "evidence": [{"table": "t", "keys": {"c": "a"}}], "advice": "compare it with another"},
        {"name": "hot-kernel", "text": "k takes 41 %", "severity": "critical", "share": 41, "where": {},
         "evidence": [{"table": "t", "keys": {}}], "advice": "fuse it"},
    ],
    "metrics": [
        {"name": "ttft", "stat": "p99", "value": 1, "unit": "ns", "n": 2, "better": "lower", "definition": 0},
        {"name": "comm", "unit": None, "better": None, "reason": "no collectives"},
    ],
    "definitions": [{"name": "ttft", "per": "run", "type": "int", "unit": "ns", "better": "lower", "stats": "p99", "headline": "p99"}],
    "tables": [{"name": "t", "help": "", "per": "run", "rows": [{"c": "a"}, {"c": None}],
                "brief_rows": 3, "order": "-c", "declared": {"name": "u"},
                "columns": [{"name": "c", "unit": None, "type": "text", "key": True, "lead": True, "brief": True}]}],
    "figures": [{"name": "f", "kind": "bar", "table": "t", "x": "c", "flags": ["down"], "drawn": False, "reason": "empty"}],
    "notices": [{"code": "JSN-01", "level": "warning", "count": 1, "what": "odd"}],
}

RUN = {
    "schema_version": "1.0",
    "program": {"name": "stagemill", "version": "0.1.0", "abi": "0.1"},
    "command": ["stagemill", "run"],
    "profile": {
        "name": "kernels", "chain": ["kernels"], "params": [], "formats": ["text"],
        "stages": [{"id": "f", "use": "f", "enabled": True,
                    "options": [{"name": "a", "value": "1", "origin": "default"}]}],
    },
    "inputs": [{"name": "a.json", "source": {"name": "chrome-json", "version": "1.0.0"}, "size_bytes": 3,
                "hash": "sha256:" + "0" * 64, "lanes": [0]}],
    "lanes": [{"index": 0, "rank": 1, "label": "", "name": "a.json", "dialect": "", "tags": {}}],
    "stages": [{"id": "f", "name": "f", "version": "1.0.0", "scope": "event", "events_in": 2, "events_out": 1,
                "dropped": 1, "created": 0}],
    "notices": [],
    "outputs": [{"name": "summary.txt", "size_bytes": 1, "sha256": "f" * 64}],
    "clock": {"started": "2026-01-31T09:26:53.589+01:00", "finished": "2026-01-31T08:26:54Z", "elapsed_ns": 1,
              "jobs": 1, "peak_memory_bytes": 1},
}

# (document, path to the member, value that must be refused; DELETE removes it)
DELETE = object()
WRONG = [
    ("summary", ["schema_version"], "1.1"),
    ("summary", ["schema_version"], DELETE),
    ("summary", ["start_ns"], 1712195495519689047),
    ("summary", ["surprise"], 1),
    ("summary", ["verdict"], None),
    ("summary", ["views"], "t"),
    ("summary", ["findings"], DELETE),
    ("summary", ["findings", 0, "text"], DELETE),
    ("summary", ["findings", 0, "severity"], "info"),
    ("summary", ["findings", 0, "cost_ns"], None),
    ("summary", ["findings", 0, "share"], 4.9),
    ("summary", ["findings", 0, "where", "rank"], None),
    ("summary", ["findings", 0, "evidence"], []),
    ("summary", ["findings", 0, "evidence", 0, "keys"], DELETE),
    ("summary", ["findings", 1, "advice"], ""),
    ("summary", ["metrics", 0, "n"], DELETE),
    ("summary", ["metrics", 0, "n"], -1),
    ("summary", ["metrics", 0, "value"], None),
    ("summary", ["metrics", 0, "reason"], "both"),
    ("summary", ["metrics", 0, "better"], "bigger"),
    ("summary", ["metrics", 1, "reason"], ""),
    ("summary", ["tables", 0, "columns", 0, "type"], "date"),
    ("summary", ["tables", 0, "rows", 0, "c"], {}),
    ("summary", ["tables", 0, "rows", 0], ["a"]),
    ("summary", ["tables", 0, "rows", 0], {}),
    ("summary", ["tables", 0, "rows", 0], {"c": "a", "d": "b"}),
    ("summary", ["tables", 0, "brief_rows"], 0),
    ("summary", ["tables", 0, "columns", 0, "better"], None),
    ("summary", ["figures", 0, "kind"], "pie"),
    ("summary", ["figures", 0, "flags", 0], "up"),
    ("summary", ["figures", 0, "colour"], "red"),
    ("summary", ["definitions", 0, "type"], "json"),
    ("summary", ["notices", 0, "code"], "odd"),
    ("run", ["clock"], DELETE),
    ("run", ["clock", "started"], "yesterday"),
    ("run", ["outputs", 0, "sha256"], "0"),
    ("run", ["inputs", 0, "hash"], "md5:00"),
    ("run", ["stages", 0, "dropped"], DELETE),
    ("run", ["profile", "stages", 0, "options", 0, "origin"], DELETE),
    ("run", ["lanes", 0, "rank"], "1"),
]


def problems(schema, document):
    found = list(validate.Validator(schema).check(schema, document))
    return found or list(validate.rows_fit(document))


def changed(document, path, value):
    document = copy.deepcopy(document)
    node = document
    for part in path[:-1]:
        node = node[part]
    if value is DELETE:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return document


def main():
    failures = []
    for schema, value, fits in RULES:
        if (not list(validate.Validator(schema).check(schema, value))) != fits:
            failures.append("rule %s with %s" % (json.dumps(schema), json.dumps(value)))
    documents = {"summary": SUMMARY, "run": RUN}
    schemas = {name: validate.load(os.path.join(SCHEMAS, name + ".schema.json")) for name in documents}
    for name, document in documents.items():
        failures += ["%s: %s" % (name, line) for line in problems(schemas[name], document)]
    for name, path, value in WRONG:
        if not problems(schemas[name], changed(documents[name], path, value)):
            failures.append("%s accepts a wrong %s" % (name, "/".join(map(str, path))))
    for line in failures:
        print(line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
