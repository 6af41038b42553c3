/* Leading columns that a figure does not use; see lanes.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/lanes.h"

#include <string.h>

#define BETWEEN "\x1f" /* of cells in a key */

static void put_cell(const Source *s, Row row, int column, GString *out)
{
  char buf[NUM_BUF];
  size_t len;
  const char *text = source_text(s, &row[column], buf, &len);
  g_string_append_len(out, text, (gssize)len);
  g_string_append(out, BETWEEN);
}

static void put_cells(const Source *s, Row row, const GArray *columns, GString *out)
{
  for (guint c = 0; c < columns->len; c++) put_cell(s, row, g_array_index(columns, int, c), out);
}

/* How many different rows there are as far as these columns go. */
static uint32_t count_different(const Source *s, const Rows *rows, const GArray *columns)
{
  g_autoptr(Names) seen = names_new(s->seed);
  g_autoptr(GString) key = g_string_new(NULL);
  for (guint r = 0; r < rows->len; r++) {
    g_string_truncate(key, 0);
    put_cells(s, source_row(s, rows, r), columns, key);
    names_add(seen, key->str, key->len);
  }
  return names_len(seen);
}

/* ------------------------------------------------------------------ labels */

/* "rank 3", "tp 8", "base": the name of a column says what a bare number is. */
static char *cell_label(const Source *s, Row row, int column)
{
  char buf[NUM_BUF];
  double number;
  size_t len;
  const char *text = source_text(s, &row[column], buf, &len);
  const char *name = source_column_at(s, column)->name;
  if (!len) return g_strdup_printf("no %s", name);
  if (num_real(text, len, &number)) return g_strdup_printf("%s %.*s", name, (int)len, text);
  return g_strndup(text, len);
}

/* One for each row that stands for a lane. */
static GPtrArray *labels_by(const Source *s, const Rows *lanes, const GArray *columns)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < lanes->len; i++) g_ptr_array_add(labels, g_strdup(""));
  for (guint c = 0; c < columns->len; c++) {
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    int column = g_array_index(columns, int, c);
    for (guint i = 0; i < lanes->len; i++)
      g_ptr_array_add(parts, cell_label(s, source_row(s, lanes, i), column));
    if (!strcmp(source_column_at(s, column)->name, "input")) names_shorten(parts);
    for (guint i = 0; i < lanes->len; i++) {
      g_autofree char *old = labels->pdata[i];
      labels->pdata[i] = g_strconcat(old, *old ? " " : "", (char *)parts->pdata[i], NULL);
    }
  }
  return labels;
}

static size_t total_len(const GPtrArray *labels)
{
  size_t sum = 0;
  for (guint i = 0; i < labels->len; i++) sum += strlen(labels->pdata[i]);
  return sum;
}

typedef struct Best {
  GPtrArray *labels;
  size_t len;
} Best;

/* Takes these columns if they tell all lanes apart, in shorter names. */
static void try_columns(Best *io_best, const Source *s, const Rows *lanes, const GArray *columns)
{
  if (count_different(s, lanes, columns) < lanes->len) return;
  g_autoptr(GPtrArray) labels = labels_by(s, lanes, columns);
  size_t len = total_len(labels);
  if (io_best->labels && len >= io_best->len) return;
  g_clear_pointer(&io_best->labels, g_ptr_array_unref);
  io_best->labels = g_steal_pointer(&labels);
  io_best->len = len;
}

static void try_some(Best *io_best, const Source *s, const Rows *lanes, const GArray *all,
                     guint first, guint second)
{
  g_autoptr(GArray) some = g_array_new(FALSE, FALSE, sizeof(int));
  g_array_append_val(some, g_array_index(all, int, first));
  if (second != first) g_array_append_val(some, g_array_index(all, int, second));
  try_columns(io_best, s, lanes, some);
}

/* The rank or one other column if that will do, else two, else all. */
static GPtrArray *shortest_labels(const Source *s, const Rows *lanes, const GArray *columns)
{
  Best best = { 0 };
  for (guint c = 0; c < columns->len; c++) {
    const char *name = source_column_at(s, g_array_index(columns, int, c))->name;
    try_some(&best, s, lanes, columns, c, c);
    if (best.labels && !strcmp(name, "rank")) return best.labels;
  }
  for (guint c = 0; !best.labels && c < columns->len; c++)
    for (guint k = c + 1; k < columns->len; k++) try_some(&best, s, lanes, columns, c, k);
  return best.labels ? best.labels : labels_by(s, lanes, columns);
}

/* ------------------------------------------------------------------- lanes */

static void add_if_varies(Lanes *l, const Rows *rows, int column)
{
  g_autoptr(GArray) one = g_array_new(FALSE, FALSE, sizeof(int));
  g_array_append_val(one, column);
  if (count_different(l->source, rows, one) > 1) g_array_append_val(l->columns, column);
}

/* A column that follows from those the figure uses tells nothing: the input's name beside its rank. */
static bool follows(const Lanes *l, const Rows *rows, const bool *used)
{
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(int));
  for (int c = 0; c < (int)l->source->n_lead; c++)
    if (used[c]) g_array_append_val(columns, c);
  uint32_t before = count_different(l->source, rows, columns);
  g_array_append_vals(columns, l->columns->data, l->columns->len);
  return count_different(l->source, rows, columns) == before;
}

void lanes_put_key(const Lanes *l, Row row, GString *out)
{
  put_cells(l->source, row, l->columns, out);
}

uint32_t lanes_of(const Lanes *l, Row row)
{
  g_autoptr(GString) key = g_string_new(NULL);
  lanes_put_key(l, row, key);
  return names_find(l->names, key->str, key->len);
}

static void name_lanes(Lanes *l, const Rows *rows)
{
  g_autoptr(Rows) lanes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  g_autoptr(GString) key = g_string_new(NULL);
  for (guint r = 0; r < rows->len; r++) {
    g_string_truncate(key, 0);
    lanes_put_key(l, source_row(l->source, rows, r), key);
    if (names_add(l->names, key->str, key->len) == lanes->len)
      g_array_append_val(lanes, g_array_index(rows, uint64_t, r));
  }
  g_autoptr(GPtrArray) labels = shortest_labels(l->source, lanes, l->columns);
  for (guint i = 0; i < lanes->len; i++) names_set_label(l->names, i, labels->pdata[i]);
}

void lanes_open(Lanes *l, const Source *s, const Rows *rows, const bool *used, const bool *named)
{
  *l = (Lanes){ .source = s,
                .columns = g_array_new(FALSE, FALSE, sizeof(int)),
                .names = names_new(s->seed) };
  for (int c = 0; c < (int)s->n_lead; c++)
    if (!used[c] && !named[c]) add_if_varies(l, rows, c);
  if (l->columns->len && follows(l, rows, used)) g_array_set_size(l->columns, 0);
  if (l->columns->len) name_lanes(l, rows);
}

void lanes_close(Lanes *l)
{
  if (l->columns) g_array_unref(l->columns);
  names_free(l->names);
}
