/* The header of a kernel summary, as all generations of nsys and its window write it. */
/* SPDX-License-Identifier: MIT */
#include "nsys-csv.h"

#include <string.h>

#define MAX_TITLE 40u

static const struct {
  const char *title; /* small letters without blanks, stops and the unit */
  uint32_t column;
} titles[] = {
  { "name", COLUMN_NAME },       { "kernelname", COLUMN_NAME }, { "functionname", COLUMN_NAME },
  { "totaltime", COLUMN_TOTAL }, { "instances", COLUMN_COUNT }, { "avg", COLUMN_AVG },
  { "average", COLUMN_AVG },     { "med", COLUMN_MED },         { "median", COLUMN_MED },
  { "min", COLUMN_MIN },         { "minimum", COLUMN_MIN },     { "max", COLUMN_MAX },
  { "maximum", COLUMN_MAX },     { "stddev", COLUMN_STD },      { "standarddeviation", COLUMN_STD },
  { "time", COLUMN_PCT },
};

const char *column_title(uint32_t column)
{
  static const char *const names[N_COLUMNS] = { "Name", "Total Time", "Instances", "Avg", "Med",
                                                "Min",  "Max",        "StdDev",    "Time" };
  return names[column];
}

typedef struct Title {
  char text[MAX_TITLE + 1];
  const char *unit;
  size_t unit_len;
} Title;

static const char *trim_end(const char *p, const char *end)
{
  while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '"')) end--;
  return end;
}

/* "Total Time (ns)" is "totaltime" and "ns"; "Time%" is "time" and "%". */
static bool read_title(const CsvCell *cell, Title *out)
{
  const char *p = cell->text, *end = trim_end(p, p + cell->len);
  uint32_t n = 0;
  *out = (Title){ .unit = end };
  if (end > p && end[-1] == '%') {
    out->unit = --end;
    out->unit_len = 1;
  } else if (end > p && end[-1] == ')') {
    const char *open = memrchr(p, '(', (size_t)(end - p));
    if (!open) return false;
    out->unit = open + 1;
    out->unit_len = (size_t)(end - 1 - out->unit);
    end = open;
  }
  for (; p < end; p++) {
    if (*p == ' ' || *p == '\t' || *p == '"' || *p == '.' || *p == '_') continue;
    if (n == MAX_TITLE || *p == '\0') return false;
    out->text[n++] = g_ascii_tolower(*p);
  }
  return n > 0;
}

/* The column of that title, if its unit is possible; *out_decimals -1: no unit given. */
static uint32_t find_column(const Title *t, int *out_decimals)
{
  uint32_t column = N_COLUMNS;
  *out_decimals = -1;
  for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
    if (!strcmp(titles[i].title, t->text)) column = titles[i].column;
  if (t->unit_len == 0 || column == N_COLUMNS) return column;
  if (column == COLUMN_PCT) return t->unit_len == 1 && *t->unit == '%' ? column : N_COLUMNS;
  if (column == COLUMN_NAME || column == COLUMN_COUNT) return N_COLUMNS;
  return unit_decimals(t->unit, t->unit_len, out_decimals) ? column : N_COLUMNS;
}

bool header_read(const CsvCell *cells, uint32_t n, Header *out)
{
  *out = (Header){ .n_cells = n, .twice = N_COLUMNS };
  for (uint32_t c = 0; c < N_COLUMNS; c++) out->cell[c] = NO_CELL;
  for (uint32_t i = 0; i < n; i++) {
    Title title;
    int decimals;
    uint32_t column = read_title(&cells[i], &title) ? find_column(&title, &decimals) : N_COLUMNS;
    if (column == N_COLUMNS) continue;
    if (out->cell[column] != NO_CELL) {
      out->twice = column;
      out->twice_at = cells[i].at;
      continue;
    }
    out->cell[column] = i;
    out->decimals[column] = decimals;
    out->n_known++;
  }
  /* nsys counts in nanoseconds; where one column names another unit, the others share it. */
  int shared = MAX(out->decimals[COLUMN_TOTAL], 0);
  for (uint32_t c = 0; c < N_COLUMNS; c++)
    if (out->decimals[c] < 0) out->decimals[c] = shared;
  bool typical = out->cell[COLUMN_TOTAL] != NO_CELL || out->cell[COLUMN_COUNT] != NO_CELL;
  return typical && out->n_known >= 2;
}

const char *header_missing(const Header *h)
{
  for (uint32_t c = 0; c < N_REQUIRED; c++)
    if (h->cell[c] == NO_CELL) return column_title(c);
  return NULL;
}
