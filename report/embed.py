#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the page of the html sink into constants of C: embed.py OUTPUT [PAGE].  Without PAGE they are empty."""
import pathlib
import re
import sys

MARK = b"@DATA@"
PARTS = ("head", "tail")


def literal(data):
    def escape(match):
        byte = match.group()
        return {b"\n": b'\\n"\n"', b'"': b'\\"', b"\\": b"\\\\"}.get(byte, b"\\%03o" % byte[0])

    return b'"' + re.sub(rb'[^ !#->@-\[\]-~]', escape, data) + b'"'


def main():
    page = pathlib.Path(sys.argv[2]).read_bytes() if len(sys.argv) > 2 else MARK
    parts = page.split(MARK)
    if len(parts) != len(PARTS):
        sys.exit(f"{sys.argv[2]}: is no page of reports: it has {MARK.decode()} {len(parts) - 1} times")
    out = b'/* Generated from the page of reports. */\n#include "page.h"\n'
    for name, part in zip(PARTS, parts):
        variable = b"html_page_" + name.encode()
        out += b"const char %s[] =\n%s;\nconst size_t %s_len = %d;\n" % (variable, literal(part), variable, len(part))
    pathlib.Path(sys.argv[1]).write_bytes(out)


if __name__ == "__main__":
    main()
