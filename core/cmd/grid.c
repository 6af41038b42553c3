/* Rows of cells as columns; see cli.h. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/standard.h"
#include "cmd/cli.h"
#include "cmd/fold.h"

enum { GAP = 2, LEAST = 8, LONGEST_WORD = 24 };

struct CliGrid {
  unsigned n_columns;
  GPtrArray *cells;
};

CliGrid *cli_grid_new(unsigned n_columns)
{
  CliGrid *g = g_new0(CliGrid, 1);
  g->n_columns = n_columns;
  g->cells = g_ptr_array_new_with_free_func(g_free);
  return g;
}

void cli_grid_put(CliGrid *g, const char *cell)
{
  GString *text = g_string_new(NULL);
  cli_append_name(text, cell);
  g_ptr_array_add(g->cells, g_string_free(text, FALSE));
}

void cli_grid_add(CliGrid *g, ...)
{
  va_list args;
  va_start(args, g);
  for (const char *cell; (cell = va_arg(args, const char *));) cli_grid_put(g, cell);
  va_end(args);
  g_assert(g->cells->len % g->n_columns == 0);
}

static glong longest_word(const char *text)
{
  glong longest = 0;
  while (*text) {
    size_t n = strcspn(text, " ");
    longest = MAX(longest, fold_width(text, (gssize)n));
    text += n;
    text += strspn(text, " ");
  }
  return MIN(longest, LONGEST_WORD);
}

/* The widest give way first; false when all are as narrow as `least` and do not fit. */
static bool fit_widths(const CliGrid *g, glong *widths, const glong *least, glong width)
{
  glong total = (glong)(g->n_columns - 1) * GAP;
  for (unsigned c = 0; c < g->n_columns; c++) total += widths[c];
  for (; total > width; total--) {
    unsigned widest = g->n_columns;
    for (unsigned c = 0; c < g->n_columns; c++)
      if (widths[c] > least[c] && (widest == g->n_columns || widths[c] > widths[widest]))
        widest = c;
    if (widest == g->n_columns) return false;
    widths[widest]--;
  }
  return true;
}

/* Words stay whole if that is possible. */
static void fit(const CliGrid *g, glong *widths, glong width)
{
  g_autofree glong *least = g_new0(glong, g->n_columns);
  for (guint i = 0; i < g->cells->len; i++)
    least[i % g->n_columns] = MAX(least[i % g->n_columns], longest_word(g->cells->pdata[i]));
  if (fit_widths(g, widths, least, width)) return;
  for (unsigned c = 0; c < g->n_columns; c++) least[c] = LEAST;
  fit_widths(g, widths, least, width);
}

/* At most `width` columns: up to a blank where there is one, else up to a slash or comma, else just so many. */
static size_t line_of(const char *text, glong width)
{
  if (fold_width(text, -1) <= width) return strlen(text);
  size_t one = (size_t)(g_utf8_next_char(text) - text); /* a wide one is shown in any case */
  size_t room = MAX(one, columns_head(text, strlen(text), (size_t)width)), n = room;
  while (n && text[n] != ' ') n--;
  if (n) return n;
  for (n = room; n > room / 2; n--)
    if (strchr("/,", text[n - 1])) return n;
  return room;
}

/* Cells take as many lines as they need. */
static void put_row(const CliGrid *g, guint row, const glong *widths, const char *indent,
                    GString *out)
{
  g_autofree const char **left = g_new(const char *, g->n_columns);
  for (unsigned c = 0; c < g->n_columns; c++) left[c] = g->cells->pdata[row * g->n_columns + c];
  for (bool more = true; more;) {
    more = false;
    g_string_append(out, indent);
    for (unsigned c = 0; c < g->n_columns; c++) {
      size_t n = line_of(left[c], widths[c]);
      glong pad = widths[c] - fold_width(left[c], (gssize)n) + GAP;
      g_string_append_len(out, left[c], (gssize)n);
      for (; c + 1 < g->n_columns && pad > 0; pad--) g_string_append_c(out, ' ');
      left[c] += n;
      left[c] += strspn(left[c], " ");
      more = more || *left[c];
    }
    while (out->len && out->str[out->len - 1] == ' ') g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
  }
}

void cli_grid_write(CliGrid *g, const char *indent, GString *out)
{
  g_autofree glong *widths = g_new0(glong, g->n_columns);
  for (guint i = 0; i < g->cells->len; i++)
    widths[i % g->n_columns] = MAX(widths[i % g->n_columns], fold_width(g->cells->pdata[i], -1));
  if (cli_has_width(standard_out()))
    fit(g, widths, cli_width(standard_out()) - (glong)strlen(indent));
  for (guint row = 0; out && row < g->cells->len / g->n_columns; row++)
    put_row(g, row, widths, indent, out);
  g_ptr_array_unref(g->cells);
  g_free(g);
}
