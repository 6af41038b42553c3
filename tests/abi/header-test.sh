#!/bin/sh
# The headers compile with every compiler at hand, as C11, C17 and C++20, each alone and all together, without a
# warning: header-test.sh INCLUDE-FOLDER FOLDER-OF-every.h
# They are narrow enough to be read beside code, and the two that a stage needs in one sitting; what must not
# compile does not; every.h leaves nothing out.
# SPDX-License-Identifier: MIT
set -u
include=$1
here=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tried=0
failed=0

wrong() {
  echo "FAILED: $*"
  failed=$((failed + 1))
}

# try COMPILER STANDARD FILE [FLAGS]
try() {
  compiler=$1 standard=$2 file=$3
  shift 3
  tried=$((tried + 1))
  "$compiler" "-std=$standard" -pedantic-errors -Wall -Wextra -Wshadow -Werror -fsyntax-only "$@" \
    "-I$include" "-I$here" "$file" || wrong "$compiler -std=$standard $(head -n 1 "$file")"
}

# refuse COMPILER STANDARD FILE WHAT: without warnings, as an author may build
refuse() {
  tried=$((tried + 1))
  if "$1" "-std=$2" -w -fsyntax-only "-I$include" "-I$here" "$3" 2>/dev/null; then
    wrong "$1 -std=$2: $4 compiles"
  fi
}

# Each header, and every.h, as sources of both languages.
for header in "$include"/stagemill/*.h; do
  name=$(basename "$header")
  # The harness is GLib's and C's; it has a test of its own.
  [ "$name" = harness.h ] || echo "#include <stagemill/$name>" >"$work/$name.c"
done
echo '#include "every.h"' >"$work/every.c"
for file in "$work"/*.c; do cp "$file" "${file%.c}.cc"; done

for compiler in gcc clang musl-gcc; do
  command -v "$compiler" >/dev/null 2>&1 || continue
  for file in "$work"/*.c; do
    try "$compiler" c11 "$file" -Wstrict-prototypes -Wconversion
    try "$compiler" c17 "$file" -Wstrict-prototypes -Wconversion
  done
done
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null 2>&1 || continue
  for file in "$work"/*.cc; do try "$compiler" c++20 "$file"; done
done

# What an observer is given cannot be changed without a cast.
printf '%s\n' '#include <stagemill/stage.h>' 'int observe(const MillBatch *b);' \
  'int observe(const MillBatch *b) { b->events[0].ts_ns = 1; return 0; }' >"$work/writes-event.c"
printf '%s\n' '#include <stagemill/stage.h>' 'int observe(const MillBatch *b);' \
  'int observe(const MillBatch *b) { b->attrs[0].key = 1; return 0; }' >"$work/writes-attr.c"

# An option and a column whose fields have another type, and a descriptor of another kind.
sed 's/double share;/float share;/' "$here/every.h" >"$work/wrong-field.c"
sed 's/int8_t maybe;/uint16_t maybe;/' "$here/every.h" >"$work/wrong-column.c"
sed 's/MILL_STAGE_MODULE(stage,/MILL_STAGE_MODULE(sink,/; s/^static const MillStage stage/extern const MillSink sink;\n&/
  s/^static const MillSink sink/const MillSink sink/' "$here/every.h" >"$work/wrong-kind.c"
for what in wrong-field wrong-column wrong-kind writes-event writes-attr; do
  cp "$work/$what.c" "$work/$what.cc"
  for compiler in gcc clang; do
    command -v "$compiler" >/dev/null 2>&1 && refuse "$compiler" c11 "$work/$what.c" "$what"
  done
  for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null 2>&1 && refuse "$compiler" c++20 "$work/$what.cc" "$what"
  done
done
# They are right but for that.
sed 's/^static const MillStage stage/extern const MillSink sink;\n&/
  s/^static const MillSink sink/const MillSink sink/' "$here/every.h" >"$work/right.c"
cp "$work/right.c" "$work/right.cc"
try cc c11 "$work/right.c"
try c++ c++20 "$work/right.cc"

# Each macro with arguments and each helper is in every.h, but for those that others of them are made of.
inner='MILL_(ROWS_OF|FIELD|CELL_TYPE|CELL_FIELD|IS|DECLARE|MODULE_OF|EXPORT)|mill_fail_at'
names=$(grep -hoE '^#define MILL_[A-Z_]+\(|^static inline [^(]*\bmill_[a-z_]+\(' "$include"/stagemill/[!h]*.h |
  grep -oE '(MILL|mill)_[A-Za-z_]+' | grep -vxE "$inner" | sort -u)
for name in $names; do
  grep -qw "$name" "$here/every.h" || wrong "every.h does not use $name"
done
[ "$(echo "$names" | wc -l)" -gt 40 ] || wrong "only $(echo "$names" | wc -l) macros and helpers were found"

wide=$(grep -nE '^.{121,}' "$include"/stagemill/*.h)
[ -z "$wide" ] || wrong "lines of more than 120 columns: $wide"

echo "$tried compilations, $failed failed"
[ "$tried" -gt 0 ] && [ "$failed" -eq 0 ]
