/* From figures to pictures; see picture.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/picture.h"

#include <string.h>

#include "kit/picture/chart.h"
#include "kit/picture/colors.h"
#include "kit/picture/marks.h"
#include "kit/picture/pages.h"
#include "kit/picture/panels.h"

typedef struct Report { /* what all pictures of it share */
  const MillHost *common;
  const MillResults *results;
  Colors colors;
  Taken taken;
} Report;

static bool figure_at(const MillResults *results, uint32_t index, MillFigureResult *out)
{
  *out = (MillFigureResult){ .size = sizeof *out };
  return index < results->n_figures && results->figure(results, index, out);
}

/* ------------------------------------------------------------------- layers */

static void find_first(const Source *s, int column, bool *io_found, int64_t *io_first)
{
  for (uint64_t i = 0; i < s->table.n_rows; i++) {
    const MillValue *v = &s->results->row(s->results, s->index, i)[column];
    if (v->type != MILL_INT || (*io_found && v->u.i >= *io_first)) continue;
    *io_first = v->u.i;
    *io_found = true;
  }
}

/* Of that unit, in any figure of moments. */
static int64_t first_moment(const Report *r, const char *unit)
{
  MillFigureResult f;
  Source s;
  int64_t first = 0;
  bool found = false;
  for (uint32_t i = 0; figure_at(r->results, i, &f); i++) {
    if (!(f.figure->flags & MILL_FIGURE_MOMENTS)) continue;
    if (!source_open(&s, r->common, r->results, f.table)) continue;
    int column = source_column(&s, f.figure->x);
    if (column >= 0 && !g_strcmp0(source_column_at(&s, column)->unit, unit))
      find_first(&s, column, &found, &first);
  }
  return first;
}

static void open_layer(const Report *r, Layer *l, const Source *s, const MillFigure *figure,
                       const Rows *rows, const char *pages)
{
  layer_open(l, s, figure, rows, pages);
  l->since = figure->flags & MILL_FIGURE_MOMENTS;
  int x = g_array_index(l->x, int, 0);
  if (l->since && x >= 0) l->origin = first_moment(r, source_column_at(s, x)->unit);
}

/* A second use of a stage has a prefix before the names of its figures. */
static bool find_over(const MillResults *results, const MillFigureResult *figure,
                      MillFigureResult *out)
{
  size_t full = strlen(figure->name), own = strlen(figure->figure->name);
  g_autofree char *prefix = g_strndup(figure->name, full > own ? full - own : 0);
  g_autofree char *wanted = g_strconcat(prefix, figure->figure->over, NULL);
  for (uint32_t i = 0; figure_at(results, i, out); i++)
    if (!strcmp(out->name, wanted) && out->figure != figure->figure) return true;
  return false;
}

/* Places of the two must be of one kind: numbers over numbers, names over names. */
static bool fits_over(const Layer *below, const Layer *own)
{
  int x = g_array_index(own->x, int, 0), other = g_array_index(below->x, int, 0);
  return !below->problem && below->y_place == own->y_place && own->x->len == 1 &&
         layer_x_place(below, other) == layer_x_place(own, x) && own->value < 0;
}

static void read_over(const Report *r, const MillFigureResult *figure, Chart *c, Source *s,
                      Layer *l)
{
  MillFigureResult below;
  if (!figure->figure->over || !find_over(r->results, figure, &below)) return;
  if (!source_open(s, r->common, r->results, below.table)) return;
  g_autoptr(Rows) rows = source_rows(s, below.figure->where);
  open_layer(r, l, s, below.figure, rows, NULL);
  if (!fits_over(l, c->layer)) return;
  chart_read(c, l, rows);
  chart_limit_over(c);
}

/* ------------------------------------------------------------------ picture */

static void panel_key_free(gpointer data)
{
  PictureKey *key = data;
  g_free(key->share);
  g_free(key->name);
  g_free(key->color);
  g_free(key);
}

static void picture_free(gpointer data)
{
  Picture *p = data;
  g_free(p->name);
  g_free(p->file);
  g_free(p->title);
  g_free(p->table);
  g_free(p->description);
  g_free(p->left_out);
  g_free(p->footer);
  g_free(p->legend_title);
  if (p->panels) g_ptr_array_unref(p->panels);
  g_ptr_array_unref(p->legend);
  g_free(p);
}

/* "kernels · plan 12ab34cd" */
static char *footer_of(const MillResults *results)
{
  const char *profile = results->info(results, "profile"), *plan = results->info(results, "plan");
  const char *colon = plan ? strchr(plan, ':') : NULL;
  g_autofree char *text = names_clean(profile ? profile : "", profile ? strlen(profile) : 0, 60);
  if (!plan) return g_steal_pointer(&text);
  const char *hash = colon ? colon + 1 : plan;
  g_autofree char *clean = names_clean(hash, MIN(strlen(hash), 8), 8);
  return g_strdup_printf("%s%splan %s", text, *text ? " · " : "", clean);
}

static char *title_of(const MillFigureResult *figure, const Page *page)
{
  const char *title = figure->figure->title ? figure->figure->title : figure->name;
  g_autofree char *clean = names_clean(title, strlen(title), 2 * NAMES_LONGEST);
  return g_strconcat(clean, *page->title ? " · " : "", page->title, NULL);
}

static void say_left_out(Marks *m)
{
  Chart *c = m->chart;
  if (c->n_not_positive)
    chart_leave_out(c,
                    "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                    " values are not positive and have no place on a log axis",
                    c->n_not_positive, c->n_rows);
  if (c->n_without_x)
    chart_leave_out(
        c, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " rows have no place on the x axis",
        c->n_without_x, c->n_rows);
  if (c->n_without_y)
    chart_leave_out(c, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " rows have no number in %s",
                    c->n_without_y, c->n_rows, layer_measured(c->layer));
  if (m->n_thinned)
    chart_leave_out(c, "of %" G_GUINT64_FORMAT " points those are drawn that can be told apart",
                    m->n_thinned);
  if (m->n_texts) chart_leave_out(c, "there are too many points to label each");
  if (m->n_rules) chart_leave_out(c, "there are too many lines to draw across a panel");
}

/* The one series without a name gets that of the axis when others are beside it. */
static void name_series(Chart *c)
{
  uint32_t unnamed = names_find(c->series, "", 0);
  const Layer *l = c->layer;
  if (unnamed == NAMES_NONE || key_is_set(l->series) || names_len(c->series) < 2) return;
  const char *title = l->figure->title ? l->figure->title : l->figure->name;
  names_set_label(c->series, unnamed, title);
}

static Picture *draw(Report *r, const MillFigureResult *figure, Chart *c, const Page *page)
{
  Picture *p = g_new0(Picture, 1);
  Marks m = { .chart = c, .colors = &r->colors };
  name_series(c);
  m.alone = names_len(c->series) < 2;
  p->name = g_strdup(page->name);
  p->file = g_strdup(page->file);
  p->table = g_strdup(c->layer->source->table.name);
  p->title = title_of(figure, page);
  p->footer = footer_of(r->results);
  p->kind = c->kind;
  p->legend = g_ptr_array_new_with_free_func(panel_key_free);
  panels_fill(&m, p);
  say_left_out(&m);
  p->left_out = c->left_out->len ? names_clean(c->left_out->str, c->left_out->len, 1000) : NULL;
  p->description = picture_describe(&m, p);
  return p;
}

/* NULL when nothing can be drawn: *out_reason says why. */
static Picture *draw_page(Report *r, const MillFigureResult *figure, const Source *s,
                          const Page *page, char **out_reason)
{
  Layer layer, below = { 0 };
  Source below_source;
  Picture *picture = NULL;
  open_layer(r, &layer, s, figure->figure, page->rows, figure->figure->pages);
  Chart *c = chart_new(&layer);
  if (!layer.problem) chart_read(c, &layer, page->rows);
  *out_reason = chart_problem(c);
  if (!*out_reason) {
    read_over(r, figure, c, &below_source, &below);
    chart_shape(c);
    *out_reason = chart_problem(c);
    if (!*out_reason) *out_reason = chart_in_words(c);
  }
  if (!*out_reason) picture = draw(r, figure, c, page);
  chart_free(c);
  layer_close(&layer);
  if (below.source) layer_close(&below);
  return picture;
}

/* --------------------------------------------------------------------- sets */

static void set_free(gpointer data)
{
  PictureSet *set = data;
  g_ptr_array_unref(set->pictures);
  g_free(set->reason);
  g_free(set);
}

static void add_left_out(Picture *p, const char *text)
{
  g_autofree char *old = p->left_out;
  p->left_out = old ? g_strdup_printf("%s; %s", old, text) : g_strdup(text);
}

static void say_pages(Picture *last, uint32_t left_out)
{
  g_autofree char *text = g_strdup_printf("%u more pages are not drawn", left_out);
  add_left_out(last, text);
}

/* Which rows of the table they show, where that is not all of them. */
static void say_part(GPtrArray *pictures, const Source *s, const char *where, guint n)
{
  g_autofree char *part = n < s->table.n_rows ? source_where_text(s, where) : NULL;
  if (!part) return;
  g_autofree char *text =
      g_strdup_printf("%u of %" G_GUINT64_FORMAT " rows: %s", n, s->table.n_rows, part);
  for (guint i = 0; i < pictures->len; i++) add_left_out(pictures->pdata[i], text);
}

static void draw_pages(Report *r, const MillFigureResult *figure, const Source *s, PictureSet *set)
{
  uint32_t left_out;
  Rows *rows = source_rows(s, figure->figure->where);
  guint n_rows = rows->len;
  g_autoptr(GPtrArray) pages =
      pages_split(s, figure->figure, figure->name, rows, &r->taken, &left_out);
  for (guint i = 0; i < pages->len; i++) {
    char *reason;
    Picture *p = draw_page(r, figure, s, pages->pdata[i], &reason);
    if (p) g_ptr_array_add(set->pictures, p);
    if (!set->reason)
      set->reason = reason;
    else
      g_free(reason);
  }
  if (set->pictures->len) g_clear_pointer(&set->reason, g_free);
  say_part(set->pictures, s, figure->figure->where, n_rows);
  if (left_out && set->pictures->len)
    say_pages(set->pictures->pdata[set->pictures->len - 1], left_out);
}

static char *own_reason(const MillHost *common, const MillResults *results,
                        const MillFigureResult *f);

/* Why a figure that another one is drawn over has no picture of its own; NULL: the other one has none. */
static char *reason_below(const MillHost *common, const MillResults *results,
                          const MillFigureResult *figure)
{
  MillFigureResult above, below;
  for (uint32_t i = 0; figure_at(results, i, &above); i++) {
    if (!above.figure->over || !find_over(results, &above, &below)) continue;
    if (strcmp(below.name, figure->name) != 0 || figure->figure->over) continue;
    g_autofree char *reason = own_reason(common, results, &above);
    if (!reason) return g_strdup_printf("it is drawn in %s", above.name);
  }
  return NULL;
}

static PictureSet *set_of(Report *r, const MillFigureResult *figure)
{
  PictureSet *set = g_new0(PictureSet, 1);
  Source s;
  set->figure = figure->figure;
  set->name = figure->name;
  set->pictures = g_ptr_array_new_with_free_func(picture_free);
  set->reason = reason_below(r->common, r->results, figure);
  set->below = set->reason != NULL;
  if (set->below) return set;
  if (source_open(&s, r->common, r->results, figure->table))
    draw_pages(r, figure, &s, set);
  else
    set->reason = g_strdup("its table is not there");
  return set;
}

static void report_open(Report *r, const MillHost *common, const MillResults *results)
{
  MillFigureResult figure;
  *r = (Report){ .common = common, .results = results };
  r->taken = (Taken){ names_new(common->seed), names_new(common->seed) };
  colors_open(&r->colors, common->seed);
  for (uint32_t i = 0; figure_at(results, i, &figure); i++)
    colors_give(&r->colors, figure.figure->colors);
}

static void report_close(Report *r)
{
  names_free(r->taken.names);
  names_free(r->taken.files);
  colors_close(&r->colors);
}

/* These are drawn first: bars of names that have a colour in any of them have it too. */
static bool names_colors(const MillFigure *f) { return f->series || f->value; }

GPtrArray *picture_sets(const MillHost *common, const MillResults *results)
{
  GPtrArray *sets = g_ptr_array_new_with_free_func(set_free);
  MillFigureResult figure;
  Report r;
  report_open(&r, common, results);
  for (uint32_t i = 0; figure_at(results, i, &figure); i++) g_ptr_array_add(sets, NULL);
  for (int names = 1; names >= 0; names--)
    for (uint32_t i = 0; figure_at(results, i, &figure); i++)
      if (names_colors(figure.figure) == names) sets->pdata[i] = set_of(&r, &figure);
  report_close(&r);
  return sets;
}

/* Whether one point makes a picture of it, which nothing takes away: these are never said in words, and tables of
 * intervals and samples are the largest. */
static bool needs_one_point(const Layer *l)
{
  return !l->problem && layer_y_scale(l) == SCALE_LINEAR &&
         (l->kind == MILL_FIGURE_DENSITY || l->kind == MILL_FIGURE_TIMELINE);
}

static char *reason_of_all(Chart *c, const Layer *l, const Rows *rows)
{
  if (!l->problem) chart_read(c, l, rows);
  char *reason = chart_problem(c);
  if (reason) return reason;
  chart_shape(c);
  reason = chart_problem(c);
  return reason ? reason : chart_in_words(c);
}

static char *own_reason(const MillHost *common, const MillResults *results,
                        const MillFigureResult *f)
{
  Source s;
  Layer layer;
  char *reason;
  if (!source_open(&s, common, results, f->table)) return g_strdup("its table is not there");
  g_autoptr(Rows) rows = source_rows(&s, f->figure->where);
  layer_open(&layer, &s, f->figure, rows, f->figure->pages);
  Chart *c = chart_new(&layer);
  if (needs_one_point(&layer))
    reason = chart_has_point(c, rows) ? NULL : chart_problem(c);
  else
    reason = reason_of_all(c, &layer, rows);
  chart_free(c);
  layer_close(&layer);
  return reason;
}

char *picture_reason(const MillHost *common, const MillResults *results, uint32_t figure)
{
  MillFigureResult f;
  if (!figure_at(results, figure, &f)) return g_strdup("there is no such figure");
  char *below = reason_below(common, results, &f);
  return below ? below : own_reason(common, results, &f);
}
