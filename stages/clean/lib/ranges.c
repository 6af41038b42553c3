/* Numbers as users give them; see ranges.h. */
/* SPDX-License-Identifier: MIT */
#include "clean/lib/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/num-digits.h"

static bool read_number(const char **io_text, int64_t *out)
{
  uint64_t v;
  const char *p = *io_text, *after = digits_scan(p, p + strlen(p), 10, INT64_MAX, &v);
  if (!after || after == p) return false;
  *io_text = after;
  *out = (int64_t)v;
  return true;
}

static bool read_range(const char *text, Range *out)
{
  if (!read_number(&text, &out->first)) return false;
  out->last = out->first;
  if (*text == '-') {
    text++;
    if (!read_number(&text, &out->last)) return false;
  }
  return *text == 0 && out->first <= out->last;
}

static int compare_ranges(const void *a, const void *b)
{
  int64_t x = ((const Range *)a)->first, y = ((const Range *)b)->first;
  return (x > y) - (x < y);
}

/* Sorted, and apart: overlapping ranges become one. */
int ranges_read(const MillHost *common, const MillList *list, Ranges *out)
{
  out->items = mill_new(common, (list->n + (size_t)1) * sizeof(Range));
  if (!out->items) return -MILL_LIMIT;
  for (uint32_t i = 0; i < list->n; i++)
    if (!read_range(list->items[i], &out->items[i]))
      return mill_fail(common, MILL_STAGE_FAILED,
                       "steps and ranks are numbers and ranges of numbers", "for example 0-7,12");
  qsort(out->items, list->n, sizeof(Range), compare_ranges);
  for (uint32_t i = 0; i < list->n; i++) {
    Range *last = out->n ? &out->items[out->n - 1] : NULL;
    if (!last || out->items[i].first > last->last)
      out->items[out->n++] = out->items[i];
    else if (out->items[i].last > last->last)
      last->last = out->items[i].last;
  }
  return 0;
}

bool ranges_have(const Ranges *ranges, int64_t number)
{
  for (uint32_t i = 0; i < ranges->n; i++)
    if (number >= ranges->items[i].first && number <= ranges->items[i].last) return true;
  return false;
}
