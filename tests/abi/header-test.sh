#!/bin/sh
# The header compiles with every compiler at hand, as C11, C17, C++11 and C++17, without a warning:
# header-test.sh INCLUDE-FOLDER FOLDER-OF-every.h
set -u
include=$1
here=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tried=0
failed=0

# try COMPILER STANDARD SUFFIX [FLAGS]
try() {
  command -v "$1" >/dev/null 2>&1 || return 0
  compiler=$1 standard=$2 suffix=$3
  shift 3
  tried=$((tried + 1))
  echo '#include "every.h"' >"$work/every.$suffix"
  "$compiler" "-std=$standard" -pedantic -Wall -Wextra -Wshadow -Werror -fsyntax-only "$@" \
    "-I$include" "-I$here" "$work/every.$suffix" && return 0
  echo "FAILED: $compiler -std=$standard"
  failed=$((failed + 1))
}

for compiler in gcc clang; do
  try "$compiler" c11 c -Wstrict-prototypes -Wconversion
  try "$compiler" c17 c -Wstrict-prototypes -Wconversion
done
for compiler in g++ clang++; do
  try "$compiler" c++11 cc
  try "$compiler" c++17 cc
done

# A field of the wrong type must not compile in C.
sed 's/double share;/float share;/' "$here/every.h" >"$work/wrong.c"
if cc -std=c11 -fsyntax-only "-I$include" "$work/wrong.c" 2>/dev/null; then
  echo "FAILED: an option field of the wrong type compiles"
  failed=$((failed + 1))
fi

echo "$tried compilations, $failed failed"
[ "$tried" -gt 0 ] && [ "$failed" -eq 0 ]
