/* The worst requests of a run; see worst.h. */
/* SPDX-License-Identifier: MIT */
#include "worst.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "kit/state/grow.h"

#define ERROR_MAX_LEN 400u

size_t text_cut(const char *text, size_t len, size_t max)
{
  if (len <= max) return len;
  while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80) max--;
  return max;
}

static bool is_less_bad(const Row *a, const Row *b)
{
  if (a->rank_by != b->rank_by) return a->rank_by < b->rank_by;
  return a->index > b->index;
}

HEAP(rows, Row, is_less_bad)

static bool copy_error(const MillHost *common, Row *row, const char *error, size_t len)
{
  row->error = NULL;
  if (!error || len == 0) return true;
  len = text_cut(error, len, ERROR_MAX_LEN);
  row->error = mill_new(common, len + 1);
  if (!row->error) return false;
  memcpy(row->error, error, len);
  return true;
}

/* As many rows as the bound allows are a heap.  Without a bound every row is kept, in the order of
 * the requests. */
bool worst_offer(Worst *w, const Row *row, const char *error, size_t error_len)
{
  Row copy = *row;
  bool is_bounded = w->bound != WORST_NO_BOUND;
  if (is_bounded && (w->bound == 0 || isnan(row->rank_by))) return true;
  bool is_full = w->n == w->bound;
  if (is_full && !is_less_bad(&w->rows[0], row)) return true;
  if (!is_full && !array_reserve(w->common, &w->rows, &w->capacity, w->n + 1, sizeof *w->rows))
    return false;
  if (!copy_error(w->common, &copy, error, error_len)) return false;
  if (is_full) {
    array_free(w->common, w->rows[0].error);
    w->rows[0] = copy;
    rows_sink(w->rows, w->n, 0);
    return true;
  }
  w->rows[w->n++] = copy;
  if (w->n == w->bound) rows_make(w->rows, w->n);
  return true;
}

static int from_the_worst(const void *a, const void *b)
{
  return is_less_bad(b, a) ? -1 : is_less_bad(a, b);
}

void worst_sort(Worst *w)
{
  if (w->n && w->bound != WORST_NO_BOUND) qsort(w->rows, w->n, sizeof *w->rows, from_the_worst);
}
