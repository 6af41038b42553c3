/* Lines of cells in aligned columns; see grid.h. */
/* SPDX-License-Identifier: MIT */
#include "grid.h"

#include <string.h>

#include "base/columns.h"
#include "cut.h"
#include "kit/sink/cell.h"

enum { GAP = 2, LEAST_TEXT = 12, LEAST_CUT = 6, LONG_NAME = 20 };

struct Grid {
  uint32_t n_columns;
  bool *left;
  size_t *widths;
  GPtrArray *cells;
  GPtrArray **titles; /* lines of the title of each column */
  bool prose;         /* the last column takes several lines */
};

Grid *grid_new(uint32_t n_columns)
{
  Grid *g = g_new0(Grid, 1);
  g->n_columns = n_columns;
  g->left = g_new0(bool, n_columns);
  g->widths = g_new0(size_t, n_columns);
  g->titles = g_new0(GPtrArray *, n_columns);
  g->cells = g_ptr_array_new_with_free_func(g_free);
  return g;
}

void grid_free(Grid *g)
{
  if (!g) return;
  for (uint32_t c = 0; c < g->n_columns; c++)
    if (g->titles[c]) g_ptr_array_unref(g->titles[c]);
  g_ptr_array_unref(g->cells);
  g_free(g->titles);
  g_free(g->left);
  g_free(g->widths);
  g_free(g);
}

void grid_left(Grid *g, uint32_t column) { g->left[column] = true; }

void grid_cell(Grid *g, const char *text)
{
  size_t *width = &g->widths[g->cells->len % g->n_columns];
  *width = MAX(*width, cell_width(text));
  g_ptr_array_add(g->cells, g_strdup(text));
}

static guint n_lines(const Grid *g) { return g->cells->len / g->n_columns; }

static const char *cell_at(const Grid *g, guint line, uint32_t column)
{
  return g->cells->pdata[line * g->n_columns + column];
}

/* Of the first n columns. */
static size_t width_of(const Grid *g, uint32_t n)
{
  size_t total = n ? (size_t)GAP * (n - 1) : 0;
  for (uint32_t c = 0; c < n; c++) total += g->widths[c];
  return total;
}

static size_t total_width(const Grid *g) { return width_of(g, g->n_columns); }

/* -------------------------------------------------------------------- titles */

static size_t body_width(const Grid *g, uint32_t column)
{
  size_t width = 0;
  for (guint i = 1; i < n_lines(g); i++) width = MAX(width, cell_width(cell_at(g, i, column)));
  return width;
}

/* The length in bytes of the part of a title that stays together: up to a blank, or with an underscore. */
static size_t part_of(const char *text)
{
  size_t n = strcspn(text, " _");
  return n + (text[n] == '_');
}

static size_t longest_part(const char *text)
{
  size_t longest = 0;
  while (*text) {
    size_t n = part_of(text);
    g_autofree char *part = g_strndup(text, n);
    longest = MAX(longest, cell_width(part));
    text += n;
    text += strspn(text, " ");
  }
  return longest;
}

static GPtrArray *break_words(const char *text, size_t width)
{
  g_autoptr(GString) wrapped = g_string_new(NULL);
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  cell_wrap(wrapped, text, width, 0);
  g_auto(GStrv) split = g_strsplit(g_strchomp(wrapped->str), "\n", -1);
  for (char **line = split; *line; line++) {
    g_autoptr(GString) fit = g_string_new(NULL);
    cell_text(fit, *line, strlen(*line), MAX(width, 3));
    g_ptr_array_add(lines, g_strdup(fit->str));
  }
  return lines;
}

static GPtrArray *break_title(const char *text, size_t width)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  GString *line = g_string_new(NULL);
  while (*text) {
    size_t n = part_of(text), blanks = strspn(text + n, " ");
    g_autofree char *part = g_strndup(text, n);
    bool joined = line->len && line->str[line->len - 1] == '_';
    if (line->len && cell_width(line->str) + !joined + cell_width(part) > width) {
      g_ptr_array_add(lines, g_string_free(line, FALSE));
      line = g_string_new(NULL);
      joined = true;
    }
    if (line->len && !joined) g_string_append_c(line, ' ');
    g_string_append(line, part);
    text += n + blanks;
  }
  g_ptr_array_add(lines, g_string_free(line, FALSE));
  return lines;
}

static void break_titles(Grid *g)
{
  for (uint32_t c = 0; c < g->n_columns; c++) {
    const char *title = cell_at(g, 0, c);
    size_t width = MAX(body_width(g, c), longest_part(title));
    if (width >= g->widths[c]) continue;
    g->widths[c] = width;
    g->titles[c] = break_title(title, width);
  }
}

static guint title_lines(const Grid *g, uint32_t column)
{
  return g->titles[column] ? g->titles[column]->len : 1;
}

/* Titles stand on their last line. */
static const char *title_line(const Grid *g, uint32_t column, guint line, guint n)
{
  guint own = title_lines(g, column);
  if (line + own < n) return "";
  if (!g->titles[column]) return cell_at(g, 0, column);
  return g->titles[column]->pdata[line + own - n];
}

/* --------------------------------------------------------------------- texts */

static bool is_prose(const Grid *g, uint32_t column)
{
  if (!column || column + 1 < g->n_columns) return false;
  for (guint i = 1; i < n_lines(g); i++)
    if (strchr(cell_at(g, i, column), ' ')) return true;
  return false;
}

static void cut_column(Grid *g, uint32_t column, size_t width)
{
  if (is_prose(g, column)) {
    g->prose = true;
    g->widths[column] = width;
    return;
  }
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 1; i < n_lines(g); i++) g_ptr_array_add(names, (gpointer)cell_at(g, i, column));
  g_autoptr(GPtrArray) cut = cut_names(names, width);
  size_t widest = 0;
  for (guint i = 0; i < cut->len; i++) {
    gpointer *cell = &g->cells->pdata[(i + 1) * g->n_columns + column];
    widest = MAX(widest, cell_width(cut->pdata[i]));
    g_free(*cell);
    *cell = g_strdup(cut->pdata[i]);
  }
  g_autofree char *title = g_strdup(cell_at(g, 0, column));
  size_t wanted = cell_width(title);
  if (g->titles[column]) wanted = longest_part(title);
  g->widths[column] = MAX(widest, MIN(wanted, width));
  if (wanted > width) { /* of a title not even a word fits */
    g_autoptr(GPtrArray) one = g_ptr_array_new();
    g_ptr_array_add(one, title);
    g_autoptr(GPtrArray) short_title = cut_names(one, width);
    gpointer *cell = &g->cells->pdata[column];
    g_free(*cell);
    *cell = g_strdup(short_title->pdata[0]);
    g_clear_pointer(&g->titles[column], g_ptr_array_unref);
  }
}

/* The widest text of the first n columns that can give way: long names before what takes several lines.  n: none. */
static uint32_t next_to_cut(const Grid *g, uint32_t n, const size_t *to, size_t least)
{
  bool prose = n == g->n_columns && is_prose(g, n - 1);
  uint32_t widest = n, name = n;
  for (uint32_t c = 0; c < n; c++) {
    if (!g->left[c] || to[c] <= least) continue;
    if (widest == n || to[c] > to[widest]) widest = c;
    if (c + 1 < n && to[c] > LONG_NAME && (name == n || to[c] > to[name])) name = c;
  }
  return prose && name < n ? name : widest;
}

/* Of the first n columns: the widest texts give way first.  Nothing is cut where that would not do. */
static void cut_texts(Grid *g, uint32_t n, size_t width, size_t least)
{
  g_autofree size_t *to = g_memdup2(g->widths, g->n_columns * sizeof *g->widths);
  size_t total = width_of(g, n);
  while (total > width) {
    uint32_t widest = next_to_cut(g, n, to, least);
    if (widest == n) return;
    to[widest]--;
    total--;
  }
  for (uint32_t c = 0; c < n; c++)
    if (to[c] < g->widths[c]) cut_column(g, c, to[c]);
}

/* ------------------------------------------------------------------ printing */

static void pad(GString *out, size_t width)
{
  while (width--) g_string_append_c(out, ' ');
}

static void put_cell(const Grid *g, const char *text, uint32_t column, bool first, GString *out)
{
  size_t used = cell_width(text), room = g->widths[column] - MIN(used, g->widths[column]);
  if (!first) pad(out, GAP);
  if (!g->left[column]) pad(out, room);
  g_string_append(out, text);
  if (g->left[column]) pad(out, room);
}

/* The lines of a text below each other. */
static void put_prose(const Grid *g, const char *text, GString *out)
{
  uint32_t last = g->n_columns - 1;
  size_t begin = out->len;
  while (begin && out->str[begin - 1] != '\n') begin--;
  size_t indent = columns_of(out->str + begin, out->len - begin) + GAP;
  g_autoptr(GPtrArray) lines = break_words(text, g->widths[last]);
  for (guint i = 0; i < lines->len; i++) {
    if (i) g_string_append_c(out, '\n');
    pad(out, i ? indent : GAP);
    g_string_append(out, lines->pdata[i]);
  }
}

static void end_line(GString *out)
{
  while (out->len && out->str[out->len - 1] == ' ') g_string_truncate(out, out->len - 1);
  g_string_append_c(out, '\n');
}

/* The columns before `keys`, and those from `from` up to `to`. */
static void print_columns(const Grid *g, uint32_t keys, uint32_t from, uint32_t to, GString *out)
{
  guint heads = 1;
  for (uint32_t c = 0; c < to; c++)
    if (c < keys || c >= from) heads = MAX(heads, title_lines(g, c));
  for (guint line = 0; line < heads + n_lines(g) - 1; line++) {
    for (uint32_t c = 0; c < to; c++) {
      if (c >= keys && c < from) continue;
      bool title = line < heads;
      if (!title && g->prose && c + 1 == g->n_columns) {
        put_prose(g, cell_at(g, line - heads + 1, c), out);
        continue;
      }
      put_cell(g, title ? title_line(g, c, line, heads) : cell_at(g, line - heads + 1, c), c, !c,
               out);
    }
    end_line(out);
  }
}

void grid_limit(Grid *g, size_t width)
{
  for (uint32_t c = 0; c < g->n_columns; c++)
    if (g->left[c] && body_width(g, c) > width) cut_column(g, c, width);
}

static size_t widest_from(const Grid *g, uint32_t column)
{
  size_t widest = 0;
  for (uint32_t c = column; c < g->n_columns; c++)
    if (!g->left[c]) widest = MAX(widest, g->widths[c]);
  return widest;
}

/* Each after the columns of text that begin the line, which take half of it, or what the widest number leaves. */
static void print_below(Grid *g, size_t width, GString *out)
{
  uint32_t keys = 0;
  while (keys < g->n_columns && g->left[keys]) keys++;
  if (keys == g->n_columns) keys = 1;
  cut_texts(g, keys, width / 2, LEAST_CUT);
  const size_t number = widest_from(g, keys) + GAP;
  if (number < width) cut_texts(g, keys, width - number, LEAST_CUT);
  size_t lead = width_of(g, keys) + GAP;
  for (uint32_t c = keys; c < g->n_columns; c++)
    if (g->left[c] && lead + g->widths[c] > width) cut_column(g, c, width - MIN(lead, width));
  for (uint32_t from = keys, to = keys; to < g->n_columns; from = to) {
    size_t used = lead;
    for (; to < g->n_columns && (to == from || used + g->widths[to] <= width); to++)
      used += g->widths[to] + GAP;
    print_columns(g, keys, from, to, out);
  }
}

void grid_print(Grid *g, size_t width, GString *out)
{
  if (total_width(g) > width) break_titles(g);
  if (total_width(g) > width) cut_texts(g, g->n_columns, width, LEAST_TEXT);
  if (total_width(g) > width && g->n_columns > 1)
    print_below(g, width, out);
  else
    print_columns(g, g->n_columns, g->n_columns, g->n_columns, out);
}
