/* The legend of a picture: names with their colours, and what the names are; see panels.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/picture/panels.h"

enum { LEGEND_KEYS = 24 };

static void add_key(Picture *out, Names *seen, const char *name, const char *color)
{
  uint32_t before = names_len(seen);
  if (!*name || !color || names_add(seen, name, strlen(name)) != before) return;
  if (before >= LEGEND_KEYS) return; /* colours of a timeline repeat */
  PictureKey *key = g_new0(PictureKey, 1);
  key->name = g_strdup(name);
  key->color = g_strdup(color);
  g_ptr_array_add(out->legend, key);
}

static void add_series(Picture *out, Names *seen)
{
  for (guint i = 0; i < out->panels->len; i++) {
    const PicturePanel *panel = out->panels->pdata[i];
    for (guint k = 0; k < panel->series->len; k++) {
      const PictureSeries *s = panel->series->pdata[k];
      add_key(out, seen, s->name, s->color);
    }
  }
}

/* ------------------------------------------------------------------- title */

/* The figure that this one is drawn over has names of its own. */
static bool is_over(const Chart *c)
{
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++) {
      const Layer *l = ((const Strand *)p->strands->pdata[k])->layer;
      if (l != c->layer && l->kind != MILL_FIGURE_RULE) return true;
    }
  }
  return false;
}

/* "rank 3" says it already; and labels and inputs are called by their names alone. */
static bool say_it(const GPtrArray *legend, const char *column)
{
  size_t len = strlen(column);
  if (!strcmp(column, "label") || !strcmp(column, "input")) return true;
  for (guint i = 0; i < legend->len; i++) {
    const char *name = ((const PictureKey *)legend->pdata[i])->name;
    if (!strncmp(name, column, len) && name[len] == ' ') return true;
  }
  return false;
}

static char *title_of(const Chart *c, const Picture *out, guint n_series)
{
  const Layer *l = c->layer;
  bool of_values = out->legend->len > n_series;
  int column = of_values ? l->value : l->series.column;
  if (!out->legend->len || column < 0 || (of_values && n_series) || is_over(c)) return NULL;
  const char *text = of_values ? l->figure->value_label : NULL;
  if (text && *text != '$') return names_clean(text, strlen(text), NAMES_LONGEST);
  const char *name = source_column_at(l->source, column)->name;
  return say_it(out->legend, name) ? NULL : column_title(name);
}

/* The names stand below their bars. */
static bool x_says_it(const Layer *l)
{
  return l->series.column >= 0 && !l->series.lanes && l->x->len == 1 &&
         g_array_index(l->x, int, 0) == l->series.column;
}

/* Of the cells of a heatmap those with each name; how many have one. */
static uint64_t count_cells(const PictureSeries *s, uint64_t *io_cells, uint32_t n_names)
{
  const PictureNumbers *values = s->field ? s->field->value : s->value;
  uint64_t all = 0;
  for (guint i = 0; values && i < values->len; i++) {
    double name = g_array_index(values, double, i);
    if (!(name >= 0 && name < n_names)) continue;
    io_cells[(uint32_t)name]++;
    all++;
  }
  return all;
}

static void add_shares(Picture *out, guint n_series)
{
  uint32_t n_names = out->legend->len - n_series;
  g_autofree uint64_t *cells = g_new0(uint64_t, n_names + 1);
  uint64_t all = 0;
  for (guint i = 0; i < out->panels->len; i++) {
    const PicturePanel *panel = out->panels->pdata[i];
    for (guint k = 0; k < panel->series->len; k++)
      all += count_cells(panel->series->pdata[k], cells, n_names);
  }
  for (guint i = 0; all && i < n_names; i++) {
    PictureKey *key = out->legend->pdata[n_series + i];
    key->share = g_strdup_printf("%" G_GUINT64_FORMAT ", %.1f %%", cells[i],
                                 100 * (double)cells[i] / (double)all);
  }
}

char *picture_key_text(const PictureKey *key)
{
  return key->share ? g_strdup_printf("%s (%s)", key->name, key->share) : g_strdup(key->name);
}

void legend_fill(Marks *m, Picture *out)
{
  if (x_says_it(m->chart->layer)) return;
  g_autoptr(Names) seen = names_new(m->chart->layer->source->seed);
  add_series(out, seen);
  guint n_series = out->legend->len;
  for (uint32_t i = 0; i < names_len(m->chart->values); i++)
    add_key(out, seen, names_label(m->chart->values, i), marks_value_color(m, i));
  bool all_cells = out->legend->len - n_series == names_len(m->chart->values);
  if (m->chart->layer->kind == MILL_FIGURE_HEATMAP && all_cells) add_shares(out, n_series);
  out->legend_title = title_of(m->chart, out, n_series);
}
