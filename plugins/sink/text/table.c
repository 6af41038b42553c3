/* The first rows of tables, their brief columns at a scale for people. */
#include <math.h>
#include <string.h>

#include "block.h"
#include "cell.h"
#include "grid.h"

#define NAME_WIDTH 48 /* of text cells */
#define MAX_COLUMNS 12
#define COMPARED_ROWS 1000u

/* The part of a table that is shown. */
typedef struct View {
  const MillHost *common;
  const MillResults *results;
  uint32_t index;
  MillTableResult result;
  uint64_t shown_rows;
  uint32_t shown[MAX_COLUMNS];
  uint32_t n_shown;
} View;

static const MillColumn *column_at(const View *v, uint32_t column)
{
  return MILL_AT(MillColumn, v->result.columns, column);
}

static bool is_text(const View *v, uint32_t column)
{
  return column_at(v, column)->type == MILL_TEXT;
}

static const char *text_of(const View *v, const MillValue *cell, size_t *out_len)
{
  *out_len = 0;
  if (cell->type == MILL_SYM) return v->common->symbol_text(v->common, cell->u.sym, out_len);
  if (cell->type != MILL_TEXT && cell->type != MILL_JSON) return NULL;
  *out_len = cell->len;
  return cell->u.text;
}

static bool any_value(const View *v, uint32_t column)
{
  for (uint64_t row = 0; row < v->shown_rows; row++) {
    const MillValue *cell = &v->results->row(v->results, v->index, row)[column];
    size_t len;
    double number;
    if (cell_has_number(cell, &number) || (text_of(v, cell, &len) && len)) return true;
  }
  return false;
}

static bool same_text(const View *v, const MillValue *a, const MillValue *b)
{
  size_t len_a, len_b;
  const char *x = text_of(v, a, &len_a), *y = text_of(v, b, &len_b);
  return len_a == len_b && (!len_a || !memcmp(x, y, len_a));
}

/* A column says nothing new when rows differ in it just where they differ in the other one. */
static bool tells_the_same(const View *v, uint32_t column, uint32_t other)
{
  uint64_t n = MIN(v->result.n_rows, COMPARED_ROWS);
  for (uint64_t row = 1; row < n; row++) {
    const MillValue *a = v->results->row(v->results, v->index, row - 1);
    const MillValue *b = v->results->row(v->results, v->index, row);
    if (same_text(v, &a[column], &b[column]) != same_text(v, &a[other], &b[other])) return false;
  }
  return true;
}

static bool varies(const View *v, uint32_t column)
{
  uint64_t n = MIN(v->result.n_rows, COMPARED_ROWS);
  const MillValue *first = v->results->row(v->results, v->index, 0);
  for (uint64_t row = 1; row < n; row++)
    if (!same_text(v, &first[column], &v->results->row(v->results, v->index, row)[column]))
      return true;
  return false;
}

/* Of the texts that name a lane the first, and others that part lanes in another way. */
static bool names_lane(const View *v, uint32_t column)
{
  if (!any_value(v, column)) return false;
  if (v->result.table->per != MILL_PER_LANE || !is_text(v, column)) return true;
  for (uint32_t i = 0; i < v->n_shown; i++) {
    if (!is_text(v, v->shown[i])) continue;
    if (!varies(v, column) || tells_the_same(v, column, v->shown[i])) return false;
  }
  return true;
}

static bool is_brief(const View *v, uint32_t column)
{
  return column_at(v, column)->flags & MILL_COLUMN_BRIEF;
}

/* Brief columns; all where none is declared so.  The lane's own columns come first, where they
 * say something. */
static void choose_columns(View *v)
{
  uint32_t n = v->result.columns.n, lane_columns = n - MIN(v->result.table->columns.n, n);
  bool any_brief = false;
  for (uint32_t i = lane_columns; i < n; i++) any_brief = any_brief || is_brief(v, i);
  for (uint32_t i = 0; i < n && v->n_shown < MAX_COLUMNS; i++) {
    bool brief = !any_brief || is_brief(v, i);
    if (i < lane_columns ? names_lane(v, i) : brief) v->shown[v->n_shown++] = i;
  }
}

static CellScale scale_of(const View *v, uint32_t column)
{
  double largest = 0, number;
  bool whole = true;
  for (uint64_t row = 0; row < v->shown_rows; row++) {
    const MillValue *cell = &v->results->row(v->results, v->index, row)[column];
    if (!cell_has_number(cell, &number)) continue;
    largest = MAX(largest, fabs(number));
    whole = whole && cell->type == MILL_INT;
  }
  return cell_scale(column_at(v, column)->unit, largest, whole);
}

static void put_cell(const View *v, Grid *grid, const MillValue *cell, const CellScale *scale)
{
  g_autoptr(GString) out = g_string_new(NULL);
  size_t len;
  double number;
  const char *text = text_of(v, cell, &len);
  if (text)
    cell_text(out, text, len, NAME_WIDTH);
  else if (cell->type == MILL_BOOL)
    g_string_append(out, cell->u.i ? "yes" : "no");
  else if (cell_has_number(cell, &number))
    cell_number(out, scale, number);
  else
    g_string_append_c(out, '-');
  grid_cell(grid, out->str);
}

/* "kernel-time", or "kernel-time (10 of 53)" */
static char *heading(const View *v)
{
  const MillTableResult *t = &v->result;
  if (v->shown_rows == t->n_rows) return g_strdup(t->name);
  return g_strdup_printf("%s (%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ")", t->name,
                         v->shown_rows, t->n_rows);
}

/* The table's name is over a first column of text, which needs no name of its own. */
static void put_titles(const View *v, Grid *grid, const CellScale *scales)
{
  for (uint32_t i = 0; i < v->n_shown; i++) {
    const char *name = column_at(v, v->shown[i])->name;
    bool text = is_text(v, v->shown[i]);
    g_autofree char *title = NULL;
    if (!i && text)
      title = heading(v);
    else if (*scales[i].unit)
      title = g_strdup_printf("%s %s", name, scales[i].unit);
    else
      title = g_strdup(name);
    if (text) grid_left(grid, i);
    grid_cell(grid, title);
  }
}

/* The name has a line of its own where no text column can carry it. */
static bool has_name_line(const View *v) { return !is_text(v, v->shown[0]); }

static void print(GString *out, View *v)
{
  CellScale scales[MAX_COLUMNS];
  for (uint32_t i = 0; i < v->n_shown; i++) scales[i] = scale_of(v, v->shown[i]);
  g_autoptr(Grid) grid = grid_new(v->n_shown);
  g_autofree char *name = heading(v);
  g_string_append_c(out, '\n');
  if (has_name_line(v)) g_string_append_printf(out, "%s\n", name);
  put_titles(v, grid, scales);
  for (uint64_t row = 0; row < v->shown_rows; row++) {
    const MillValue *cells = v->results->row(v->results, v->index, row);
    for (uint32_t i = 0; i < v->n_shown; i++) put_cell(v, grid, &cells[v->shown[i]], &scales[i]);
  }
  grid_print(grid, out);
}

/* False when the table shows nothing. */
static bool look_at(View *v)
{
  v->results->table(v->results, v->index, &v->result);
  v->shown_rows = MIN(v->result.n_rows, v->result.table->brief_rows);
  if (v->shown_rows) choose_columns(v);
  return v->n_shown != 0;
}

/* Titles and a row. */
static uint32_t least_lines(const View *v) { return has_name_line(v) ? 3 : 2; }

/* Every table that fits gets its titles and a row, then further rows in turn.  Where some do not
 * fit, a line is left to say so. */
static guint share_lines(GArray *views, uint32_t lines)
{
  uint64_t least = 0;
  guint n = 0;
  bool any = true;
  for (guint i = 0; i < views->len; i++) least += least_lines(&g_array_index(views, View, i));
  if (least > lines && lines) lines--;
  g_autofree uint64_t *wanted = g_new0(uint64_t, views->len + 1);
  for (; n < views->len; n++) {
    View *v = &g_array_index(views, View, n);
    if (least_lines(v) > lines) break;
    lines -= least_lines(v);
    wanted[n] = v->shown_rows;
    v->shown_rows = 1;
  }
  while (any && lines) {
    any = false;
    for (guint i = 0; i < n && lines; i++) {
      View *v = &g_array_index(views, View, i);
      if (v->shown_rows == wanted[i]) continue;
      v->shown_rows++;
      lines--;
      any = true;
    }
  }
  return n;
}

void block_tables(GString *out, const MillHost *common, const MillResults *r, uint32_t lines)
{
  g_autoptr(GArray) views = g_array_new(FALSE, FALSE, sizeof(View));
  for (uint32_t i = 0; i < r->n_tables; i++) {
    View v = { .common = common, .results = r, .index = i };
    v.result.size = sizeof v.result;
    if (look_at(&v)) g_array_append_val(views, v);
  }
  guint n = share_lines(views, lines);
  for (guint i = 0; i < n; i++) print(out, &g_array_index(views, View, i));
  if (n < views->len)
    g_string_append_printf(out, "\nand %u more table%s\n", views->len - n,
                           views->len - n == 1 ? "" : "s");
}
