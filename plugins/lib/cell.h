/* Cells for people: numbers at a scale that their column shares, text that is safe on a terminal. */
#ifndef LIB_CELL_H
#define LIB_CELL_H

#include <glib.h>
#include <stagemill/types.h>

/* How the numbers of one column, or of one metric, are shown. */
typedef struct CellScale {
  const char *unit; /* shown, or "" */
  double divisor;
  int decimals;
} CellScale;

/* `largest` is the largest magnitude shown; `whole` says that all values are integers. */
CellScale cell_scale(const char *unit, double largest, bool whole);
bool cell_has_number(const MillValue *v, double *out); /* a finite one */
void cell_number(GString *out, const CellScale *scale, double v);
/* Control characters, direction overrides and invalid UTF-8 become escapes; at most max_width
 * characters, the middle given up for an ellipsis. */
void cell_text(GString *out, const char *text, size_t len, size_t max_width);
/* Words of a text in lines of at most `width`, those after the first indented; ends the last line. */
void cell_wrap(GString *out, const char *text, size_t width, size_t indent);
size_t cell_width(const char *text); /* in columns of a terminal */

#endif
