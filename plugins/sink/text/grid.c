/* Lines of cells in aligned columns; see grid.h. */
#include "grid.h"

#include "cell.h"

#define GAP 2

struct Grid {
  uint32_t n_columns;
  bool *left;
  size_t *widths;
  GPtrArray *cells;
};

Grid *grid_new(uint32_t n_columns)
{
  Grid *g = g_new0(Grid, 1);
  g->n_columns = n_columns;
  g->left = g_new0(bool, n_columns);
  g->widths = g_new0(size_t, n_columns);
  g->cells = g_ptr_array_new_with_free_func(g_free);
  return g;
}

void grid_free(Grid *g)
{
  if (!g) return;
  g_ptr_array_free(g->cells, TRUE);
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

static void pad(GString *out, size_t width)
{
  while (width--) g_string_append_c(out, ' ');
}

void grid_print(const Grid *g, GString *out)
{
  for (guint i = 0; i < g->cells->len; i++) {
    const char *text = g->cells->pdata[i];
    uint32_t column = i % g->n_columns;
    size_t capacity = g->widths[column] - cell_width(text);
    if (column) pad(out, GAP);
    if (!g->left[column]) pad(out, capacity);
    g_string_append(out, text);
    if (g->left[column]) pad(out, capacity);
    if (column + 1 < g->n_columns) continue;
    while (out->len && out->str[out->len - 1] == ' ') g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
  }
}
