#!/bin/sh
# The macros of the harness compile with the build's compiler and every other at hand, as C11 and as C++20, without a
# warning: macros-test.sh INCLUDE-FOLDER FOLDER-OF-every-macro.h COMPILER
# SPDX-License-Identifier: MIT
set -u
include=$1
here=$2
own=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tried=0
failed=0

# try COMPILER STANDARD SUFFIX FLAGS...
try() {
  command -v "$1" >/dev/null 2>&1 || return 0
  compiler=$1 standard=$2 suffix=$3
  shift 3
  tried=$((tried + 1))
  echo '#include "every-macro.h"' >"$work/every.$suffix"
  "$compiler" "-std=$standard" -pedantic-errors -Wall -Wextra -Wshadow -Werror \
    -Wno-missing-field-initializers -fsyntax-only "$@" "-I$include" "-I$here" \
    "$work/every.$suffix" && return 0
  echo "FAILED: $compiler -std=$standard"
  failed=$((failed + 1))
}

for compiler in "$own" gcc clang; do
  try "$compiler" c11 c -Wstrict-prototypes -Wconversion
done
for compiler in g++ clang++; do
  try "$compiler" c++20 cc
done

# A list that does not end where the macros end it must not pass.
echo '#include "stagemill/harness.h"
void f(void) { harness_given(HARNESS_AT, "X a 0 1"); }' >"$work/open.c"
if "$own" -std=c11 -Wformat -Werror -fsyntax-only "-I$include" "$work/open.c" 2>/dev/null; then
  echo "FAILED: a list without its end compiles"
  failed=$((failed + 1))
fi

echo "$tried compilations, $failed failed"
[ "$tried" -gt 0 ] && [ "$failed" -eq 0 ]
