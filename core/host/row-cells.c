/* The cells of a row that a stage gives as a struct; see row-cells.h. */
/* SPDX-License-Identifier: MIT */
#include "host/row-cells.h"

#include <math.h>
#include <string.h>

/* A module may have packed its struct: nothing is read where it lies. */
#define READ(T, from)                     \
  __extension__({                         \
    T value;                              \
    memcpy(&value, (from), sizeof value); \
    value;                                \
  })

static MillValue cell_of_int(int64_t v) { return v == MILL_NO_INT ? mill_none() : mill_int(v); }
static MillValue cell_of_real(double v) { return isfinite(v) ? mill_real(v) : mill_none(); }
static MillValue cell_of_maybe(int8_t v) { return v < 0 ? mill_none() : mill_bool(v); }
static MillValue cell_of_sym(MillSym sym) { return sym ? mill_sym(sym) : mill_none(); }
static MillValue cell_of_text(const char *text, size_t len)
{
  return text ? mill_text(text, len) : mill_none();
}

static MillValue cell_at(const MillColumn *column, const void *at)
{
  switch (column->field) {
  case MILL_FIELD_INT: return cell_of_int(READ(int64_t, at));
  case MILL_FIELD_REAL: return cell_of_real(READ(double, at));
  case MILL_FIELD_BOOL: return mill_bool(READ(bool, at));
  case MILL_FIELD_MAYBE: return cell_of_maybe(READ(int8_t, at));
  case MILL_FIELD_SYM: return cell_of_sym(READ(MillSym, at));
  case MILL_FIELD_TEXT: {
    MillText t = READ(MillText, at);
    return cell_of_text(t.text, t.len);
  }
  default: {
    const char *text = READ(const char *, at);
    return cell_of_text(text, text ? strlen(text) : 0);
  }
  }
}

void row_cells(MillColumnRows columns, const void *row, MillValue *out)
{
  for (uint32_t c = 0; c < columns.n; c++)
    out[c] = cell_at(&columns.at[c], (const char *)row + columns.at[c].offset);
}
