/* Panels of a picture; see panels.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/panels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/picture/whole.h"

static PicturePanel *panel_at(const Picture *p, guint i) { return p->panels->pdata[i]; }

/* ------------------------------------------------------------------ ranges */

static void add_numbers(Range *r, const PictureNumbers *n)
{
  for (guint i = 0; n && i < n->len; i++) range_add(r, g_array_index(n, double, i));
}

/* Both ends of an axis of a field; what overflows there is the largest number. */
static void add_ends(Range *r, const PictureAxis *a, double low, double step, guint n)
{
  const long double ends[] = { low, (long double)low + (long double)step * n };
  for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
    long double at = a->scale == SCALE_LINEAR ? ends[i] : powl(10, ends[i]);
    range_add(r, (double)fmaxl(fminl(at, G_MAXDOUBLE), -G_MAXDOUBLE));
  }
}

static void add_field(Range *x, Range *y, const PictureField *f, const PicturePanel *panel)
{
  add_ends(x, &panel->x, f->x_low, f->x_step, f->n_x);
  add_ends(y, &panel->y, f->y_low, f->y_step, f->n_y);
}

static void add_ranges(const PicturePanel *panel, Range *x, Range *y)
{
  for (guint i = 0; i < panel->series->len; i++) {
    const PictureSeries *s = panel->series->pdata[i];
    const PictureNumbers *of_x[] = { s->x, s->x_low, s->x_high };
    const PictureNumbers *of_y[] = { s->y, s->low, s->high, s->error_low, s->error_high };
    for (size_t k = 0; k < G_N_ELEMENTS(of_x); k++) add_numbers(x, of_x[k]);
    for (size_t k = 0; k < G_N_ELEMENTS(of_y); k++) add_numbers(y, of_y[k]);
    if (s->field) add_field(x, y, s->field, panel);
  }
}

static double largest_of(const Range *r)
{
  return range_is_empty(r) ? 0 : fmax(fabs(r->low), fabs(r->high));
}

/* ------------------------------------------------------------------ labels */

/* Of the figure, or of what the panel shows; NULL: from the column. */
static char *label_text(Marks *m, const char *text, const Pane *p)
{
  if (g_strcmp0(text, "$facet")) return g_strdup(text);
  return column_title(names_label(m->chart->facets, p->facet));
}

static const MillColumn *column_or_null(const Layer *l, int column)
{
  return column < 0 ? NULL : source_column_at(l->source, column);
}

static void label_axis(PictureAxis *a, const char *text, const MillColumn *column,
                       const char *otherwise, double largest)
{
  if (a->scale == SCALE_CATEGORIES) largest = 0;
  axis_label(a,
             text     ? text
             : column ? NULL
                      : otherwise,
             column ? column->name : NULL,
             column && a->scale != SCALE_CATEGORIES ? column->unit : NULL, largest);
}

static const char *lanes_title(const Layer *l)
{
  return l->lanes.columns->len == 1
             ? source_column_at(l->source, g_array_index(l->lanes.columns, int, 0))->name
             : "lane";
}

/* Seconds with as many digits as they have, or ticks. */
static char *origin_text(int64_t origin, const char *unit)
{
  uint64_t size = origin < 0 ? -(uint64_t)origin : (uint64_t)origin;
  const char *sign = origin < 0 ? "-" : "";
  char digits[32];
  if (g_strcmp0(unit, "ns"))
    return g_strdup_printf("%s%" PRIu64 " %s", sign, size, unit ? unit : "");
  int len = snprintf(digits, sizeof digits, "%" PRIu64 ".%09" PRIu64, size / 1000000000,
                     size % 1000000000);
  while (digits[len - 1] == '0') digits[--len] = '\0';
  if (digits[len - 1] == '.') digits[--len] = '\0';
  return g_strdup_printf("%s%s s", sign, digits);
}

/* "Time since 1474.8 s": where 0 is in the trace. */
static char *since_text(const Layer *l, const char *text, const MillColumn *column)
{
  g_autofree char *title = text ? g_strdup(text) : column_title(column ? column->name : "");
  g_autofree char *origin = origin_text(l->origin, column ? column->unit : NULL);
  return g_strdup_printf("%s since %s", title, origin);
}

static void label_x(Marks *m, const Pane *p, PictureAxis *a, const Range *r)
{
  const Layer *l = m->chart->layer;
  int column = g_array_index(l->x, int, p->x);
  g_autofree char *lanes = l->x_lanes ? column_title(lanes_title(l)) : NULL;
  g_autofree char *own = label_text(m, l->figure->x_label, p);
  g_autofree char *text = l->since && l->origin && a->scale != SCALE_CATEGORIES
                              ? since_text(l, own, column_or_null(l, column))
                              : g_steal_pointer(&own);
  label_axis(a, text, column_or_null(l, column), lanes, largest_of(r));
}

static void label_y(Marks *m, const Pane *p, PictureAxis *a, const Range *r)
{
  const Layer *l = m->chart->layer;
  bool density = l->kind == MILL_FIGURE_DENSITY && l->y < 0;
  const MillColumn *column =
      l->counts && l->y_place != PLACE_NAMES ? NULL : column_or_null(l, l->y);
  const char *otherwise = density ? "Density" : l->counts ? "Count" : NULL;
  g_autofree char *text = label_text(m, l->figure->y_label, p);
  label_axis(a, text, column, otherwise, largest_of(r));
}

/* -------------------------------------------------------------------- axes */

static bool own_axes(const Marks *m)
{
  return m->chart->layer->figure->flags & MILL_FIGURE_OWN_AXES;
}

enum { FEW_POINTS = 24 }; /* each of them is seen */

static Fit fit_x(const Marks *m, const PicturePanel *panel)
{
  uint32_t kind = m->chart->kind;
  bool few = kind == MILL_FIGURE_LINE;
  for (guint i = 0; few && i < panel->series->len; i++) {
    const PictureSeries *s = panel->series->pdata[i];
    few = s->mark == MARK_LINE && s->x->len <= FEW_POINTS;
  }
  return few || kind == MILL_FIGURE_SCATTER || kind == MILL_FIGURE_PARETO ? FIT_LOOSE : FIT_TIGHT;
}

static Fit fit_y(const Marks *m, const PicturePanel *panel)
{
  if (m->chart->kind == MILL_FIGURE_HISTOGRAM) return FIT_FROM_ZERO;
  for (guint i = 0; i < panel->series->len; i++) {
    PictureMark mark = ((const PictureSeries *)panel->series->pdata[i])->mark;
    if (mark == MARK_BARS || mark == MARK_BINS) return FIT_FROM_ZERO;
  }
  if (m->chart->kind == MILL_FIGURE_DENSITY)
    return m->chart->layer->value >= 0 || m->chart->layer->counts ? FIT_TIGHT : FIT_FROM_ZERO;
  return FIT_LOOSE;
}

static bool is_log(const PictureAxis *a) { return a->scale == SCALE_LOG || a->scale == SCALE_LOG2; }

static void lift(PictureNumbers *n, double low)
{
  for (guint k = 0; n && k < n->len; k++)
    if (g_array_index(n, double, k) <= 0) g_array_index(n, double, k) = low;
}

/* Bars, bands and error bars begin at the lower end of a log axis: it has no zero. */
static void lift_lows(PicturePanel *panel)
{
  for (guint i = 0; i < panel->series->len; i++) {
    PictureSeries *s = panel->series->pdata[i];
    if (is_log(&panel->x)) {
      lift(s->x_low, panel->x.low);
      lift(s->x_high, panel->x.low);
    }
    if (!is_log(&panel->y)) continue;
    lift(s->low, panel->y.low);
    lift(s->high, panel->y.low);
    lift(s->error_low, panel->y.low);
    lift(s->error_high, panel->y.low);
  }
}

static void add_positive(Range *r, const PictureNumbers *n)
{
  for (guint i = 0; n && i < n->len; i++)
    if (g_array_index(n, double, i) > 0) range_add(r, g_array_index(n, double, i));
}

/* What is positive of it, for a log axis. */
static void leave_positive(const PicturePanel *panel, Range *io_x, Range *io_y)
{
  Range x = RANGE_EMPTY, y = RANGE_EMPTY;
  for (guint i = 0; i < panel->series->len; i++) {
    const PictureSeries *s = panel->series->pdata[i];
    const PictureNumbers *of_x[] = { s->x, s->x_low, s->x_high };
    const PictureNumbers *of_y[] = { s->y, s->low, s->high, s->error_low, s->error_high };
    for (size_t k = 0; k < G_N_ELEMENTS(of_x); k++) add_positive(&x, of_x[k]);
    for (size_t k = 0; k < G_N_ELEMENTS(of_y); k++) add_positive(&y, of_y[k]);
  }
  if (is_log(&panel->x) && io_x->low <= 0) *io_x = x;
  if (is_log(&panel->y) && io_y->low <= 0) *io_y = y;
}

static void set_scales(Marks *m, const Pane *p, PicturePanel *out)
{
  const Layer *l = m->chart->layer;
  out->x.scale = layer_x_scale(l);
  out->y.scale = layer_y_scale(l);
  if (p->x_place == PLACE_NAMES) axis_names(&out->x, p->x_names);
  if (l->y_place == PLACE_NAMES) axis_names(&out->y, p->y_names);
  out->y.down = l->figure->flags & MILL_FIGURE_DOWN || l->kind == MILL_FIGURE_TIMELINE;
}

/* Of all panels that share an axis with it; of the ones beside a ranking there is none here. */
static void shared_ranges(Marks *m, const Picture *p, guint step, guint at, Range *x, Range *y)
{
  const Pane *pane = m->chart->panes->pdata[at];
  for (guint i = 0; i < m->chart->panes->len; i++) {
    const Pane *other = m->chart->panes->pdata[i];
    const PicturePanel *panel = panel_at(p, i * step);
    Range own_x = RANGE_EMPTY, own_y = RANGE_EMPTY;
    if (i != at && own_axes(m)) continue;
    add_ranges(panel, &own_x, &own_y);
    leave_positive(panel, &own_x, &own_y);
    if (other->x == pane->x) {
      range_add(x, range_is_empty(&own_x) ? (double)NAN : own_x.low);
      range_add(x, range_is_empty(&own_x) ? (double)NAN : own_x.high);
    }
    range_add(y, range_is_empty(&own_y) ? (double)NAN : own_y.low);
    range_add(y, range_is_empty(&own_y) ? (double)NAN : own_y.high);
  }
}

static void set_axes(Marks *m, Picture *out, guint step)
{
  g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(Range));
  for (guint i = 0; i < m->chart->panes->len; i++) {
    Range xy[2] = { RANGE_EMPTY, RANGE_EMPTY };
    shared_ranges(m, out, step, i, &xy[0], &xy[1]);
    g_array_append_vals(ranges, xy, 2);
  }
  for (guint i = 0; i < m->chart->panes->len; i++) {
    const Pane *pane = m->chart->panes->pdata[i];
    PicturePanel *panel = panel_at(out, i * step);
    Range *xy = &g_array_index(ranges, Range, 2 * i);
    label_x(m, pane, &panel->x, &xy[0]);
    label_y(m, pane, &panel->y, &xy[1]);
    whole_axes(m->chart, pane, !own_axes(m), panel);
    if (m->chart->layer->since && panel->x.scale == SCALE_LINEAR) range_add(&xy[0], 0);
    axis_limits(&panel->x, xy[0], fit_x(m, panel));
    axis_limits(&panel->y, xy[1], fit_y(m, panel));
    panel->x.ends = m->chart->kind == MILL_FIGURE_HISTOGRAM;
    axis_mark(m->chart->layer, pane, &panel->y);
    lift_lows(panel);
  }
}

/* -------------------------------------------------------------- colour bar */

static bool has_color(const Layer *l)
{
  bool heat = l->kind == MILL_FIGURE_HEATMAP || l->kind == MILL_FIGURE_DENSITY;
  return l->value >= 0 || (heat && l->counts);
}

static void add_values(Range *r, const PicturePanel *panel)
{
  for (guint i = 0; i < panel->series->len; i++) {
    const PictureSeries *s = panel->series->pdata[i];
    add_numbers(r, s->value);
    if (s->field) add_numbers(r, s->field->value);
  }
}

static void add_column(Range *r, const Layer *l, const Pane *p, int column)
{
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint i = 0; s->layer == l && i < s->points->len; i++)
      if (strand_point(s, i)->row)
        range_add(r, cell_number(l->source, &strand_point(s, i)->row[column]));
  }
}

/* An end of the colour bar: a number, or the least or most of a column, in the panel or in all of them (NULL). */
static double end_of(const Layer *l, const GPtrArray *panes, const Pane *p, const char *text,
                     int column, bool low)
{
  double number;
  Range r = RANGE_EMPTY;
  if (!text) return (double)NAN;
  if (column < 0) return num_real(text, strlen(text), &number) ? number : (double)NAN;
  if (p) add_column(&r, l, p, column);
  for (guint i = 0; !p && i < panes->len; i++) add_column(&r, l, panes->pdata[i], column);
  return range_is_empty(&r) ? (double)NAN : low ? r.low : r.high;
}

static void set_ends(const Layer *l, const GPtrArray *panes, const Pane *p, Range *io_range)
{
  const MillFigure *f = l->figure;
  double low = end_of(l, panes, p, f->value_low, l->value_low, true);
  double high = end_of(l, panes, p, f->value_high, l->value_high, false);
  Range r = { isnan(low) ? io_range->low : low, isnan(high) ? io_range->high : high };
  if (r.low < r.high) *io_range = r;
}

static PicturePalette palette_of(const MillFigure *f)
{
  static const char *const names[] = { "magnitude", "worse", "change", "ramps" };
  for (uint32_t i = 0; f->palette && i < G_N_ELEMENTS(names); i++)
    if (!strcmp(f->palette, names[i])) return (PicturePalette)i;
  return PALETTE_MAGNITUDE;
}

/* A name has the colour that it has everywhere. */
static void set_names(Marks *m, PictureColorBar *bar)
{
  axis_names(&bar->axis, m->chart->values);
  bar->colors = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < names_len(m->chart->values); i++)
    g_ptr_array_add(bar->colors, g_strdup(marks_value_color(m, i)));
}

static void set_color(Marks *m, const Pane *p, const Picture *out, PicturePanel *panel, Range r)
{
  const Layer *l = m->chart->layer;
  PictureColorBar *bar = g_new0(PictureColorBar, 1);
  panel->color = bar;
  bar->palette = palette_of(l->figure);
  bar->axis.scale = layer_value_scale(l);
  if (l->value_place == PLACE_NAMES && l->value >= 0) set_names(m, bar);
  set_ends(l, m->chart->panes, own_axes(m) ? p : NULL, &r);
  if (bar->palette == PALETTE_CHANGE && !range_is_empty(&r) && !l->figure->value_low) {
    double most = largest_of(&r);
    r = (Range){ -most, most };
  }
  g_autofree char *text = label_text(m, l->figure->value_label, p);
  label_axis(&bar->axis, text, l->counts ? NULL : column_or_null(l, l->value), "Count",
             largest_of(&r));
  if (own_axes(m))
    whole_color(m->chart, &panel, 1, &bar->axis);
  else
    whole_color(m->chart, (PicturePanel **)out->panels->pdata, out->panels->len, &bar->axis);
  bool log = is_log(&bar->axis);
  if (log && r.low <= 0) bar->axis.scale = SCALE_LINEAR;
  axis_limits(&bar->axis, r, FIT_TIGHT);
}

static void set_colors(Marks *m, Picture *out, guint step)
{
  Range all = RANGE_EMPTY;
  if (!has_color(m->chart->layer)) return;
  for (guint i = 0; i < m->chart->panes->len; i++) add_values(&all, panel_at(out, i * step));
  for (guint i = 0; i < m->chart->panes->len; i++) {
    Range own = RANGE_EMPTY;
    add_values(&own, panel_at(out, i * step));
    set_color(m, m->chart->panes->pdata[i], out, panel_at(out, i * step), own_axes(m) ? own : all);
  }
}

/* ------------------------------------------------------------------ panels */

void panel_free(gpointer data)
{
  PicturePanel *p = data;
  PictureAxis *axes[] = { &p->x, &p->y, p->color ? &p->color->axis : NULL };
  for (size_t i = 0; i < G_N_ELEMENTS(axes); i++) {
    if (!axes[i]) continue;
    g_free(axes[i]->label);
    g_free(axes[i]->unit);
    if (axes[i]->categories) g_ptr_array_unref(axes[i]->categories);
    if (axes[i]->mark_at) g_array_unref(axes[i]->mark_at);
    if (axes[i]->mark_text) g_ptr_array_unref(axes[i]->mark_text);
  }
  if (p->color && p->color->colors) g_ptr_array_unref(p->color->colors);
  g_free(p->color);
  g_free(p->title);
  g_free(p->note);
  g_ptr_array_unref(p->series);
  g_free(p);
}

static void series_free(gpointer data)
{
  PictureSeries *s = data;
  PictureNumbers *columns[] = { s->x,         s->x_low,      s->x_high,
                                s->y,         s->low,        s->high,
                                s->error_low, s->error_high, s->value,
                                s->q1,        s->median,     s->q3,
                                s->mean,      s->n,          s->field ? s->field->value : NULL };
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
    if (columns[i]) g_array_unref(columns[i]);
  if (s->text) g_ptr_array_unref(s->text);
  if (s->shapes) g_ptr_array_unref(s->shapes);
  g_free(s->field);
  g_free(s->name);
  g_free(s->color);
  g_free(s);
}

static PicturePanel *add_panel(Marks *m, const Pane *p, Picture *out)
{
  PicturePanel *panel = g_new0(PicturePanel, 1);
  bool many = names_len(m->chart->facets) > 1;
  panel->series = g_ptr_array_new_with_free_func(series_free);
  panel->title = g_strdup(many ? names_label(m->chart->facets, p->facet) : "");
  g_ptr_array_add(out->panels, panel);
  set_scales(m, p, panel);
  return panel;
}

static void add_shares(Marks *m, const Pane *p, Picture *out)
{
  PicturePanel *panel = add_panel(m, p, out);
  panel->sideways = true;
  marks_shares(m, p, panel);
  panel->x.label = g_strdup("");
  panel->x.unit = g_strdup("");
  panel->x.factor = 1;
  axis_limits(&panel->x, RANGE_EMPTY, FIT_TIGHT);
  panel->y.scale = SCALE_LINEAR;
  axis_label(&panel->y, NULL, "cumulative_share", "percent", 100);
  panel->y.low = 0;
  panel->y.high = 100;
}

/* Long names stand beside their bars. */
static bool is_sideways(Marks *m)
{
  const Chart *c = m->chart;
  if (c->kind == MILL_FIGURE_RANKED) return true;
  if (c->kind != MILL_FIGURE_BAR && c->kind != MILL_FIGURE_STACKED_BAR &&
      c->kind != MILL_FIGURE_BOX && c->kind != MILL_FIGURE_VIOLIN)
    return false;
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    size_t longest = 0, sum = 0;
    for (uint32_t k = 0; k < names_len(p->x_names); k++) {
      size_t len = (size_t)g_utf8_strlen(names_label(p->x_names, k), -1);
      longest = MAX(longest, len);
      sum += len + 1;
    }
    if (longest > 24 || (longest > 6 && sum * MIN(c->panes->len, 3) > 110)) return true;
  }
  return false;
}

enum { TALL = 4 }; /* panels below each other */

static uint32_t columns_for(guint n_panels)
{
  return n_panels < 4 ? n_panels : n_panels == 4 ? 2 : 3;
}

void panels_fill(Marks *m, Picture *out)
{
  bool ranked = m->chart->kind == MILL_FIGURE_RANKED, sideways = is_sideways(m);
  out->panels = g_ptr_array_new_with_free_func(panel_free);
  for (guint i = 0; i < m->chart->panes->len; i++) {
    const Pane *p = m->chart->panes->pdata[i];
    PicturePanel *panel = add_panel(m, p, out);
    panel->sideways = sideways;
    marks_fill(m, p, panel);
    if (ranked) add_shares(m, p, out);
  }
  set_axes(m, out, ranked ? 2 : 1);
  set_colors(m, out, ranked ? 2 : 1);
  colors_keep_apart(m, out);
  legend_fill(m, out);
  bool long_x =
      m->chart->layer->since && out->panels->len <= TALL; /* times are seen along the whole width */
  out->n_columns = ranked ? 2 : long_x ? 1 : columns_for(out->panels->len);
}
