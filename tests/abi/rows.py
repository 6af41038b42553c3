#!/usr/bin/env python3
"""Writes a row for each public struct of headers and each of its fields: rows.py HEADER... OUT"""
import re
import sys


def structs(text):
    """Yields (name, body) of each struct that is defined under its own name."""
    for match in re.finditer(r"\bstruct\s+(Mill\w+)\s*\{", text):
        depth, end = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match.group(1), text[match.end():end - 1]


def members(body):
    """Splits a struct's body at the semicolons that end its own members."""
    depth, start = 0, 0
    for i, char in enumerate(body):
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(char, 0)
        if char == ";" and depth == 0:
            yield body[start:i].strip()
            start = i + 1


def names(member):
    if "{" in member:
        return [member[member.rindex("}") + 1:].strip()]
    pointer = re.search(r"\(\*\s*(\w+)\)\s*\(", member)
    if pointer:
        return [pointer.group(1)]
    return [re.findall(r"\w+", part)[-1] for part in member.split(",")]


def rows(text):
    """(struct, its fields); lists of rows are made by a macro."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#.*(\\\n.*)*", "", text, flags=re.M)
    for name, body in structs(text):
        yield name, [field for member in members(body) for field in names(member)]
    for name in re.findall(r"^MILL_ROWS_OF\((\w+)\);", text, re.M):
        yield name + "Rows", ["at", "n", "stride"]


def main():
    *headers, out = sys.argv[1:]
    with open(out, "w", encoding="utf-8") as file:
        for header in headers:
            with open(header, encoding="utf-8") as source:
                for name, fields in rows(source.read()):
                    file.write(f"ROW_STRUCT({name})\n")
                    file.writelines(f"ROW_FIELD({name}, {field})\n" for field in fields)


if __name__ == "__main__":
    main()
