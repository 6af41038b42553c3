/* The header of an all-reduce benchmark: the words of all its versions. */
#include <string.h>

#include "allreduce-csv.h"

static const struct {
  const char *title;
  uint32_t column;
  int decimals; /* of times */
} titles[] = {
  { "world_size", COLUMN_WORLD, 0 },
  { "tp_size", COLUMN_WORLD, 0 },
  { "fusion", COLUMN_FUSION, 0 },
  { "fusion_op", COLUMN_FUSION, 0 },
  { "strategy", COLUMN_STRATEGY, 0 },
  { "num_tokens", COLUMN_TOKENS, 0 },
  { "hidden_size", COLUMN_HIDDEN, 0 },
  { "shape", COLUMN_SHAPE, 0 },
  { "size", COLUMN_BYTES, 0 },
  { "size_bytes", COLUMN_BYTES, 0 },
  { "dtype", COLUMN_DTYPE, 0 },
  { "op", COLUMN_OP, 0 },
  { "time (us)", COLUMN_TIME, 0 },
  { "time_us", COLUMN_TIME, 0 },
  { "time (\xce\xbcs)", COLUMN_TIME, 0 },
  { "time_ms", COLUMN_TIME, 3 },
  { "time (ms)", COLUMN_TIME, 3 },
};

const char *column_title(uint32_t column)
{
  static const char *const names[N_COLUMNS] = {
    "world_size", "fusion", "strategy", "num_tokens", "hidden_size",
    "shape",      "size",   "dtype",    "op",         "time (us)",
  };
  return names[column];
}

static uint32_t find(const CsvCell *cell, int *out_decimals)
{
  g_autofree char *text = g_strndup(cell->text, cell->len);
  g_strstrip(text);
  for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
    if (!g_ascii_strcasecmp(titles[i].title, text)) {
      *out_decimals = titles[i].decimals;
      return titles[i].column;
    }
  return N_COLUMNS;
}

void header_read(const CsvCell *cells, uint32_t n, Header *out)
{
  *out = (Header){ .n_cells = n, .twice = N_COLUMNS };
  for (uint32_t c = 0; c < N_COLUMNS; c++) out->cell[c] = NO_CELL;
  for (uint32_t i = 0; i < n; i++) {
    int decimals = 0;
    uint32_t column = find(&cells[i], &decimals);
    if (column == N_COLUMNS) continue;
    if (out->cell[column] != NO_CELL) {
      out->twice = column;
      out->twice_at = cells[i].at;
      continue;
    }
    out->cell[column] = i;
    out->n_known++;
    if (column == COLUMN_TIME) out->time_decimals = decimals;
  }
}

const char *header_missing(const Header *h)
{
  static const uint32_t always[] = { COLUMN_WORLD, COLUMN_FUSION, COLUMN_STRATEGY, COLUMN_TIME };
  for (size_t i = 0; i < G_N_ELEMENTS(always); i++)
    if (h->cell[always[i]] == NO_CELL) return column_title(always[i]);
  if (h->cell[COLUMN_SHAPE] != NO_CELL) return NULL;
  for (uint32_t c = COLUMN_TOKENS; c <= COLUMN_HIDDEN; c++)
    if (h->cell[c] == NO_CELL) return column_title(c);
  return NULL;
}

/* ------------------------------------------------------------------ probe */
static bool is_benchmark(const char *name)
{
  g_autofree char *base = g_path_get_basename(name ? name : "");
  return g_str_has_prefix(base, "benchmark.tp") && strstr(base, ".csv");
}

static bool see_header(void *user, const Csv *csv, const CsvCell *cells, uint32_t n)
{
  (void)csv;
  header_read(cells, n, user);
  return false;
}

/* Other tables have a strategy, too, but hardly a world size. */
int allreduce_csv_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  Header h = { 0 };
  (void)self;
  csv_first_row_of(bytes, len, see_header, &h);
  if (h.n_known < 2) return is_benchmark(name) ? 30 : 0;
  if (!header_missing(&h)) return 95;
  bool typical = h.cell[COLUMN_WORLD] != NO_CELL || h.cell[COLUMN_STRATEGY] != NO_CELL;
  return typical && h.n_known >= 4 ? 40 : is_benchmark(name) ? 30 : 0;
}
