#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The documents that tests of pictures expect fit their schema, which refuses others: pictures-test.py SOURCE-ROOT"""
import copy
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import validate

# (path to the member, value that must be refused)
WRONG = [
    (["schema_version"], "2.0"),
    (["file"], "../x"),
    (["kind"], "pie"),
    (["panels"], []),
    (["panels", 0, "x", "low"], None),
    (["panels", 0, "x", "surprise"], 1),
    (["panels", 0, "series", 0, "mark"], "dots"),
    (["panels", 0, "series", 0, "x"], ["a"]),
]


def main():
    root = pathlib.Path(sys.argv[1])
    validator = validate.Validator(validate.load(root / "core/schemas/picture.schema.json"))
    failures, documents = [], {}
    for path in sorted((root / "tests/unit/pictures").glob("*.json")):
        documents[path.name] = validate.load(path)
        failures += [f"{path.name}: {line}" for line in validator.check(validator.root, documents[path.name])]
    for path, value in WRONG:
        document = copy.deepcopy(documents["bar-few.json"])
        node = document
        for part in path[:-1]:
            node = node[part]
        node[path[-1]] = value
        if not list(validator.check(validator.root, document)):
            failures.append(f"a wrong {'/'.join(map(str, path))} is accepted")
    print(*failures, f"{len(documents)} documents", sep="\n")
    return 1 if failures or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
