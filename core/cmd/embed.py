#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes files as a table of C strings: embed.py OUTPUT FILE..."""
import os
import sys


def literal(data):
    pieces = []
    for start in range(0, len(data), 64):
        piece = data[start:start + 64]
        text = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else "\\%03o" % b for b in piece)
        pieces.append('    "%s"' % text)
    return "\n".join(pieces) or '    ""'


def main():
    out = ['/* Made by embed.py: files that are part of the program. */', '#include "cmd/cli.h"', '',
           '#include <string.h>', '', 'const Embedded embedded_files[] = {']
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            data = file.read()
        out.append('  { "%s",\n%s,\n    %d },' % (os.path.basename(path), literal(data), len(data)))
    out += ['  { NULL, NULL, 0 },', '};', '']
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(out))


main()
