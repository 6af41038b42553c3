/* The first rows of tables, their brief columns at a scale for people. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "block.h"
#include "kit/sink/cell.h"
#include "grid.h"

#define NAME_WIDTH 48u   /* of text cells, at least */
#define MOST_LANES 40u   /* whose only rows are all shown */
#define FIRST_OTHERS 2   /* tables that lines are left for beside whole ones */
#define OTHER_LINES 10   /* so many for each at most */
#define LEAST_GROUPS 4   /* rows of groups that are never cut */
#define LONGEST_NAME 400 /* before it is cut for its column */
#define MAX_COLUMNS 32
#define MOST_OF_LANE 4 /* columns that tell lanes apart */
#define COMPARED_ROWS 1000u

/* The part of a table that is shown. */
typedef struct View {
  const MillHost *common;
  const MillResults *results;
  uint32_t index;
  const Extent *extent;
  MillTableResult result;
  uint64_t shown_rows;
  bool whole;     /* all its rows are shown, whatever `lines` says */
  GString *alike; /* "model a, phase b": what is said once for all rows; or NULL */
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

static bool same_cell(const View *v, const MillValue *a, const MillValue *b)
{
  size_t len_a, len_b;
  if (a->type == MILL_INT || b->type == MILL_INT) return a->type == b->type && a->u.i == b->u.i;
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
    if (same_cell(v, &a[column], &b[column]) != same_cell(v, &a[other], &b[other])) return false;
  }
  return true;
}

static bool varies(const View *v, uint32_t column)
{
  const MillValue *first = v->results->row(v->results, v->index, 0);
  for (uint64_t row = 1; row < v->result.n_rows; row++)
    if (!same_cell(v, &first[column], &v->results->row(v->results, v->index, row)[column]))
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

/* What is the same in all rows is said once; that there is but one lane, not at all. */
static bool is_said_above(View *v, uint32_t column)
{
  enum { LONGEST = 60 };
  if (v->result.n_rows < 2 || !any_value(v, column) || varies(v, column)) return false;
  if (v->common->n_lanes(v->common) == 1) return true;
  const MillValue *cell = &v->results->row(v->results, v->index, 0)[column];
  size_t len;
  const char *text = text_of(v, cell, &len);
  if (!v->alike) v->alike = g_string_new(NULL);
  const char *name = column_at(v, column)->name;
  if (g_str_has_prefix(name, "tag_"))
    name += strlen("tag_"); /* where a column has the name of the tag */
  g_string_append_printf(v->alike, "%s%s ", v->alike->len ? ", " : "", name);
  if (text)
    cell_text(v->alike, text, len, LONGEST);
  else
    g_string_append_printf(v->alike, "%" G_GINT64_FORMAT, cell->u.i);
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
    if (i < lane_columns && is_said_above(v, i)) continue;
    if (i < lane_columns && v->result.table->per == MILL_PER_LANE && v->n_shown >= MOST_OF_LANE)
      continue;
    if (v->extent->only && !any_value(v, i)) continue;
    if (i < lane_columns ? names_lane(v, i) : brief) v->shown[v->n_shown++] = i;
  }
}

static NumScale scale_of(const View *v, uint32_t column)
{
  double largest = 0, number;
  bool whole = true;
  for (uint64_t row = 0; row < v->shown_rows; row++) {
    const MillValue *cell = &v->results->row(v->results, v->index, row)[column];
    if (!cell_has_number(cell, &number)) continue;
    largest = MAX(largest, fabs(number));
    whole = whole && cell->type == MILL_INT;
  }
  return num_scale(column_at(v, column)->unit, largest, whole);
}

static void put_cell(const View *v, Grid *grid, const MillValue *cell, const NumScale *scale)
{
  g_autoptr(GString) out = g_string_new(NULL);
  size_t len;
  double number;
  const char *text = text_of(v, cell, &len);
  if (text)
    cell_text(out, text, len, LONGEST_NAME);
  else if (cell->type == MILL_BOOL)
    g_string_append(out, cell->u.i ? "yes" : "no");
  else if (cell_has_number(cell, &number))
    num_scale_put(out, scale, number);
  else
    g_string_append_c(out, '-');
  grid_cell(grid, out->str);
}

/* Where a column "unit" says what the numbers of its row are in; those that say percent are not meant. */
static bool has_unit_of_row(const View *v, uint32_t column)
{
  const MillColumn *c = column_at(v, column);
  return c->type == MILL_REAL && !c->unit && !g_str_has_suffix(c->name, "_percent");
}

static int unit_column(const View *v)
{
  for (uint32_t i = 0; i < v->n_shown; i++)
    if (is_text(v, v->shown[i]) && !strcmp(column_at(v, v->shown[i])->name, "unit"))
      return (int)v->shown[i];
  return -1;
}

static NumScale scale_of_row(const View *v, const MillValue *cells, const char *unit)
{
  double largest = 0, number;
  for (uint32_t i = 0; i < v->n_shown; i++)
    if (has_unit_of_row(v, v->shown[i]) && cell_has_number(&cells[v->shown[i]], &number))
      largest = fmax(largest, fabs(number));
  return num_scale(unit, largest, false);
}

static void put_row(const View *v, Grid *grid, const MillValue *cells, const NumScale *scales)
{
  int own = unit_column(v);
  size_t len = 0;
  const char *text = own < 0 ? NULL : text_of(v, &cells[own], &len);
  g_autofree char *unit = text && len ? g_strndup(text, len) : NULL;
  NumScale of_row = scale_of_row(v, cells, unit);
  MillValue shown = mill_text(of_row.unit, strlen(of_row.unit));
  for (uint32_t i = 0; i < v->n_shown; i++) {
    uint32_t column = v->shown[i];
    bool scaled = unit && has_unit_of_row(v, column), named = unit && (int)column == own;
    put_cell(v, grid, named && *of_row.unit ? &shown : &cells[column],
             scaled ? &of_row : &scales[i]);
  }
}

/* "kernel-time", or "kernel-time (10 of 53)"; of a view what its rows are, which need not be all that there are. */
static char *heading(const View *v)
{
  const MillTableResult *t = &v->result;
  if (v->extent->only) return g_strdup(column_at(v, v->shown[0])->name);
  if (v->shown_rows == t->n_rows) return g_strdup(t->name);
  return g_strdup_printf("%s (%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ")", t->name,
                         v->shown_rows, t->n_rows);
}

/* The table's name is over a first column of text, which needs no name of its own. */
static void put_titles(const View *v, Grid *grid, const NumScale *scales)
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

/* Once for tables that follow each other with the same words. */
static void put_alike(GString *out, const View *v, const GString **before)
{
  if (v->alike && (!*before || !g_string_equal(*before, v->alike))) {
    g_autofree char *line = g_strdup_printf("all rows: %s", v->alike->str);
    cell_wrap(out, line, v->extent->width, 2);
  }
  *before = v->alike;
}

/* Sentences are never cut: each has lines of its own. */
static bool is_list_of_findings(const View *v)
{
  return v->n_shown == 1 && column_at(v, v->shown[0])->flags & MILL_COLUMN_FINDING;
}

static void print_findings(GString *out, const View *v)
{
  g_autofree char *name = heading(v);
  g_string_append_printf(out, "\n%s\n", name);
  for (uint64_t row = 0; row < v->shown_rows; row++) {
    const MillValue *cell = &v->results->row(v->results, v->index, row)[v->shown[0]];
    g_autoptr(GString) line = g_string_new("  ");
    size_t len;
    const char *text = text_of(v, cell, &len);
    if (!text) continue;
    cell_text(line, text, len, LONGEST_NAME);
    cell_wrap(out, line->str, v->extent->width, 4);
  }
}

static void print(GString *out, View *v, const GString **before)
{
  if (is_list_of_findings(v)) {
    *before = NULL;
    print_findings(out, v);
    return;
  }
  NumScale scales[MAX_COLUMNS];
  for (uint32_t i = 0; i < v->n_shown; i++) scales[i] = scale_of(v, v->shown[i]);
  g_autoptr(Grid) grid = grid_new(v->n_shown);
  g_autofree char *name = heading(v);
  g_string_append_c(out, '\n');
  put_alike(out, v, before);
  if (has_name_line(v)) g_string_append_printf(out, "%s\n", name);
  put_titles(v, grid, scales);
  for (uint64_t row = 0; row < v->shown_rows; row++) {
    put_row(v, grid, v->results->row(v->results, v->index, row), scales);
  }
  grid_limit(grid, MAX(NAME_WIDTH, v->extent->width / 2 - 2));
  grid_print(grid, v->extent->width, out);
}

/* By groups, or with one row for each of several lanes. */
static bool is_answer(const View *v)
{
  uint32_t n_lanes = v->common->n_lanes(v->common);
  const MillTableResult *t = &v->result;
  if (t->table->per != MILL_PER_LANE) return t->columns.n > t->table->columns.n;
  return n_lanes > 1 && t->n_rows <= MIN(n_lanes, MOST_LANES);
}

/* False when the table shows nothing. */
static bool look_at(View *v)
{
  v->results->table(v->results, v->index, &v->result);
  uint64_t asked = v->result.table->brief_rows;
  v->whole = v->extent->rows || (is_answer(v) && !v->extent->is_screen);
  if (v->whole && (asked || v->extent->only))
    asked = v->extent->rows ? v->extent->rows : UINT64_MAX;
  v->shown_rows = MIN(v->result.n_rows, asked);
  if (v->shown_rows) choose_columns(v);
  return v->n_shown != 0;
}

/* Titles and a row. */
static uint32_t least_lines(const View *v) { return has_name_line(v) ? 3 : 2; }

static uint64_t all_lines(const View *v) { return least_lines(v) + v->shown_rows - 1; }

/* What was asked for may be in the first of the others, also where the whole ones alone are too long. */
static uint32_t lines_of_first(GArray *views)
{
  uint64_t lines = 0;
  guint n = 0;
  for (guint i = 0; i < views->len && n < FIRST_OTHERS; i++) {
    const View *v = &g_array_index(views, View, i);
    if (v->whole) continue;
    lines += MIN(all_lines(v), OTHER_LINES);
    n++;
  }
  return (uint32_t)lines;
}

/* What is left for the others. */
static uint32_t lines_beside_whole(GArray *views, uint32_t lines)
{
  uint64_t used = 0;
  for (guint i = 0; i < views->len; i++) {
    const View *v = &g_array_index(views, View, i);
    if (v->whole) used += all_lines(v);
  }
  return used < lines ? lines - (uint32_t)used : lines_of_first(views);
}

/* A line saved is not worth the two that say that something is missing. */
static bool nearly_fits(GArray *views, uint32_t lines)
{
  uint64_t all = 0;
  for (guint i = 0; i < views->len; i++) all += all_lines(&g_array_index(views, View, i));
  return all <=
         (uint64_t)lines + (views->len && g_array_index(views, View, 0).extent->only ? 0 : 2);
}

/* Every table that fits gets its titles and a row, then further rows in turn.  Where some do not
 * fit, a line is left to say so.  Tables that get nothing have no row left; their number. */
static guint share_lines(GArray *views, uint32_t lines)
{
  uint64_t least = 0;
  guint n_hidden = 0;
  bool any = true;
  if (nearly_fits(views, lines)) return 0;
  lines = lines_beside_whole(views, lines);
  for (guint i = 0; i < views->len; i++)
    if (!g_array_index(views, View, i).whole) least += least_lines(&g_array_index(views, View, i));
  if (least > lines && lines) lines--;
  g_autofree uint64_t *wanted = g_new0(uint64_t, views->len + 1);
  for (guint i = 0; i < views->len; i++) {
    View *v = &g_array_index(views, View, i);
    wanted[i] = v->shown_rows;
    if (v->whole) continue;
    bool fits = !n_hidden && least_lines(v) <= lines;
    if (fits) lines -= least_lines(v);
    if (!fits) wanted[i] = 0;
    n_hidden += !fits;
    v->shown_rows = fits;
  }
  while (any && lines) {
    any = false;
    for (guint i = 0; i < views->len && lines; i++) {
      View *v = &g_array_index(views, View, i);
      if (v->shown_rows == wanted[i]) continue;
      v->shown_rows++;
      lines--;
      any = true;
    }
  }
  return n_hidden;
}

static void view_clear(gpointer data)
{
  View *v = data;
  if (v->alike) g_string_free(v->alike, TRUE);
}

static bool is_listed(const char *list, const char *name)
{
  const size_t len = strlen(name);
  for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == len && !strncmp(at, name, len)) return true;
  return false;
}

/* Groups of a profile: their tags take titles of several lines, so that what fits is known once it is printed. */
static bool is_cut_to_fit(const View *v)
{
  return v->extent->is_screen && v->result.columns.n > v->result.table->columns.n;
}

static uint32_t lines_in(const GString *text, size_t from)
{
  uint32_t n = 0;
  for (size_t i = from + 1; i < text->len; i++)
    n += text->str[i] == '\n' && text->str[i - 1] != '\n';
  return n;
}

static void print_fitting(GString *out, View *v, const GString **before)
{
  static const char more[] = "more rows: --rows all\n";
  const size_t from = out->len;
  const GString *said = *before;
  v->shown_rows = MIN(v->result.n_rows, v->extent->lines);
  for (;; v->shown_rows--) {
    print(out, v, before);
    if (v->shown_rows < v->result.n_rows) g_string_append(out, more);
    if (v->shown_rows <= LEAST_GROUPS || lines_in(out, from) <= v->extent->lines) return;
    g_string_truncate(out, from);
    *before = said;
  }
}

void block_tables(GString *out, const MillHost *common, const MillResults *r, const Extent *x)
{
  g_autoptr(GArray) views = g_array_new(FALSE, FALSE, sizeof(View));
  const GString *said = NULL;
  bool hides = false;
  g_array_set_clear_func(views, view_clear);
  for (uint32_t i = 0; i < r->n_tables; i++) {
    View v = { .common = common, .results = r, .index = i, .extent = x };
    v.result.size = sizeof v.result;
    if (look_at(&v) && (!x->only || is_listed(x->only, v.result.name)))
      g_array_append_val(views, v);
    else
      view_clear(&v);
  }
  guint n_hidden = share_lines(views, x->lines);
  for (guint i = 0; i < views->len; i++) {
    View *v = &g_array_index(views, View, i);
    if (!v->shown_rows) continue;
    hides = hides || v->shown_rows < v->result.n_rows;
    if (is_cut_to_fit(v))
      print_fitting(out, v, &said);
    else
      print(out, v, &said);
  }
  if (x->only) return;
  if (n_hidden)
    g_string_append_printf(out, "\nand %u more table%s: --rows all\n", n_hidden,
                           n_hidden == 1 ? "" : "s");
  else if (hides)
    g_string_append(out, "\nmore rows: --rows all\n");
}
