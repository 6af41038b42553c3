/* Rows sorted into panels and series; see chart.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/chart.h"

#include <math.h>
#include <string.h>

#define BETWEEN "\x1e" /* of a column's text and the lane in a key */
/* For each row that is read: its point, and those of an array that has grown. */
#define READ_BYTES (sizeof(Point) * 3 / 2)

Strand *strand_new(const Layer *layer, uint32_t name)
{
  Strand *s = g_new0(Strand, 1);
  s->layer = layer;
  s->name = name;
  s->points = g_array_new(FALSE, FALSE, sizeof(Point));
  return s;
}

void strand_free(gpointer data)
{
  Strand *s = data;
  g_array_unref(s->points);
  g_free(s);
}

static void pane_free(gpointer data)
{
  Pane *p = data;
  g_ptr_array_unref(p->strands);
  g_array_unref(p->by_name);
  g_free(p);
}

Chart *chart_new(const Layer *layer)
{
  const MillSeed *seed = layer->source->seed;
  Chart *c = g_new0(Chart, 1);
  c->layer = layer;
  c->kind = layer->kind;
  c->facets = names_new(seed);
  c->series = names_new(seed);
  c->groups = names_new(seed);
  c->values = names_new(seed);
  c->names = g_ptr_array_new_with_free_func((GDestroyNotify)names_free);
  c->panes = g_ptr_array_new_with_free_func(pane_free);
  c->left_out = g_string_new(NULL);
  return c;
}

static void uncount(Chart *c, size_t which)
{
  const MillHost *common = c->layer->source->common;
  if (c->counted[which]) c->counted[which] = common->resize(common, c->counted[which], 0);
}

void chart_free(Chart *c)
{
  if (!c) return;
  names_free(c->facets);
  names_free(c->series);
  names_free(c->groups);
  names_free(c->values);
  g_ptr_array_unref(c->names);
  g_ptr_array_unref(c->panes);
  g_string_free(c->left_out, TRUE);
  for (size_t i = 0; i < G_N_ELEMENTS(c->counted); i++) uncount(c, i);
  g_free(c);
}

void chart_leave_out(Chart *c, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (c->left_out->len) g_string_append(c->left_out, "; ");
  g_string_append_vprintf(c->left_out, format, args);
  va_end(args);
}

/* -------------------------------------------------------------------- keys */

static char *label_of(const Layer *l, Key key, const char *text, size_t len, Row row)
{
  if (!key.lanes) return g_strndup(text, len);
  const char *lane = names_label(l->lanes.names, lanes_of(&l->lanes, row));
  if (key.column < 0) return g_strdup(lane);
  return g_strdup_printf("%.*s · %s", (int)len, text, lane);
}

/* Nothing stands where there is no text: it is said. */
static void label_nothing(const Layer *l, Names *names, int column, uint32_t index)
{
  g_autofree char *label = g_strdup_printf("no %s", source_column_at(l->source, column)->name);
  names_set_label(names, index, label);
}

/* The name of the row in that role. */
static uint32_t name_of(const Layer *l, Names *names, Key key, Row row)
{
  char buf[NUM_BUF];
  size_t len = 0;
  const char *text = key.column < 0 ? "" : source_text(l->source, &row[key.column], buf, &len);
  if (!key.lanes) {
    uint32_t index = names_add(names, text, len);
    if (key.column < 0) names_set_label(names, index, "all");
    if (key.column >= 0 && !len) label_nothing(l, names, key.column, index);
    return index;
  }
  g_autoptr(GString) full = g_string_new_len(text, (gssize)len);
  g_string_append(full, BETWEEN);
  lanes_put_key(&l->lanes, row, full);
  uint32_t before = names_len(names), index = names_add(names, full->str, full->len);
  if (index == before) {
    g_autofree char *label = label_of(l, key, text, len, row);
    names_set_label(names, index, label);
  }
  return index;
}

/* Of series and panels: "rank 3" says more than "3". */
static uint32_t titled_name_of(const Layer *l, Names *names, Key key, Row row)
{
  uint32_t before = names_len(names), index = name_of(l, names, key, row);
  double number;
  size_t len;
  const char *text = names_key(names, index, &len);
  if (index < before || key.lanes || key.column < 0 || !num_real(text, len, &number)) return index;
  g_autofree char *label =
      g_strdup_printf("%s %s", source_column_at(l->source, key.column)->name, text);
  names_set_label(names, index, label);
  return index;
}

/* ------------------------------------------------------------------- panes */

static Names *axis_names(Chart *c)
{
  Names *n = names_new(c->layer->source->seed);
  g_ptr_array_add(c->names, n);
  return n;
}

/* Panels of the same x have the same names, unless their axes are their own. */
static void share_names(Chart *c, Pane *p)
{
  bool own = c->layer->figure->flags & MILL_FIGURE_OWN_AXES;
  for (guint i = 0; !own && i < c->panes->len; i++) {
    const Pane *other = c->panes->pdata[i];
    p->y_names = other->y_names;
    if (other->x == p->x) p->x_names = other->x_names;
  }
  if (!p->x_names) p->x_names = axis_names(c);
  if (!p->y_names) p->y_names = axis_names(c);
}

static Pane *add_pane(Chart *c, uint32_t facet, uint32_t x)
{
  Pane *p = g_new0(Pane, 1);
  p->facet = facet;
  p->x = x;
  p->x_place = layer_x_place(c->layer, g_array_index(c->layer->x, int, x));
  p->strands = g_ptr_array_new_with_free_func(strand_free);
  p->by_name = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  share_names(c, p);
  g_ptr_array_add(c->panes, p);
  return p;
}

Strand *pane_strand(Pane *p, const Layer *layer, uint32_t name)
{
  if (p->by_name->len <= name) g_array_set_size(p->by_name, name + 1);
  uint32_t at = g_array_index(p->by_name, uint32_t, name);
  if (at) return p->strands->pdata[at - 1];
  Strand *s = strand_new(layer, name);
  g_ptr_array_add(p->strands, s);
  g_array_index(p->by_name, uint32_t, name) = p->strands->len;
  return s;
}

/* -------------------------------------------------------------------- rows */

static double number_at(const Layer *l, Row row, int column)
{
  return column < 0 ? (double)NAN : cell_number(l->source, &row[column]);
}

/* Whole numbers are subtracted as such: of nanoseconds since 1970 a double has lost the last hundreds. */
static double moment_at(const Layer *l, Row row, int column)
{
  if (!l->since || column < 0 || row[column].type != MILL_INT) return number_at(l, row, column);
  return (double)((long double)row[column].u.i - (long double)l->origin);
}

/* On a log scale of colours that begins at a number, what is below has the first colour. */
static double clipped(const Layer *l, double value)
{
  double low;
  const char *text = l->figure->value_low;
  bool log = layer_value_scale(l) != SCALE_LINEAR && l->value_place == PLACE_NUMBERS;
  if (!log || l->value_low >= 0 || !text || !num_real(text, strlen(text), &low)) return value;
  return low > 0 && value >= 0 && value < low ? low : value;
}

static double value_at(Chart *c, const Layer *l, Row row)
{
  if (l->value < 0) return (double)NAN;
  if (l->value_place == PLACE_NUMBERS) return clipped(l, number_at(l, row, l->value));
  if (row[l->value].type == MILL_NONE) return (double)NAN;
  return name_of(l, c->values, (Key){ l->value, false }, row);
}

static double x_of(const Layer *l, const Pane *p, Row row, guint x)
{
  Key key = { g_array_index(l->x, int, MIN(x, l->x->len - 1)), l->x_lanes };
  if (p->x_place == PLACE_NUMBERS) return moment_at(l, row, key.column);
  return name_of(l, p->x_names, key, row);
}

static double y_of(const Layer *l, const Pane *p, Row row)
{
  if (l->y_place == PLACE_NAMES) return name_of(l, p->y_names, l->y_key, row);
  if (l->kind == MILL_FIGURE_RULE && l->y < 0) return 0;
  return l->counts ? 1 : number_at(l, row, l->y);
}

static void read_point(Chart *c, const Layer *l, const Pane *p, Row row, guint x, Point *out)
{
  Point point = { .x = x_of(l, p, row, x),
                  .x_end = l->x_end_is_length ? number_at(l, row, l->x_end)
                                              : moment_at(l, row, l->x_end),
                  .x_low = moment_at(l, row, l->x_low),
                  .x_high = moment_at(l, row, l->x_high),
                  .y = y_of(l, p, row),
                  .y_low = number_at(l, row, l->y_low),
                  .y_high = number_at(l, row, l->y_high),
                  .value = value_at(c, l, row),
                  .row = row };
  if (p->x_place == PLACE_NAMES) point.x_low = point.x_high = (double)NAN;
  if (l->y_place == PLACE_NAMES) point.y_low = point.y_high = (double)NAN;
  if (l->x_end_is_length) point.x_end += point.x;
  if (l->kind == MILL_FIGURE_HEATMAP && l->counts) point.value = 1;
  if (l->kind == MILL_FIGURE_DENSITY && l->counts) point.value = 1;
  if (l->kind == MILL_FIGURE_DENSITY && l->y < 0) point.y = 0;
  if (key_is_set(l->group)) point.group = name_of(l, c->groups, l->group, row);
  if (l->kind == MILL_FIGURE_RULE) point.group = x;
  *out = point;
}

static bool is_positive(const Layer *l, const Pane *p, const Point *at)
{
  bool x = p->x_place == PLACE_NUMBERS && layer_x_scale(l) != SCALE_LINEAR;
  bool y = l->y_place == PLACE_NUMBERS && layer_y_scale(l) != SCALE_LINEAR && !l->counts;
  bool value = layer_value_scale(l) != SCALE_LINEAR && !isnan(at->value);
  return !(x && at->x <= 0) && !(y && at->y <= 0) && !(value && at->value <= 0);
}

/* Whether it has all that its kind needs; counts what it lacks. */
static bool is_drawn(Chart *c, const Layer *l, const Pane *p, const Point *at)
{
  bool heat = l->kind == MILL_FIGURE_HEATMAP ||
              (l->kind == MILL_FIGURE_DENSITY && (l->value >= 0 || l->counts));
  bool span =
      l->kind == MILL_FIGURE_TIMELINE || (l->kind == MILL_FIGURE_HISTOGRAM && l->x_end >= 0);
  c->n_rows++;
  if (isnan(at->x) || (span && !(at->x_end >= at->x)))
    c->n_without_x++;
  else if (isnan(heat ? at->value : at->y) || isnan(at->y))
    c->n_without_y++;
  else if (!is_positive(l, p, at))
    c->n_not_positive++;
  else
    return true;
  return false;
}

/* Lanes of a figure below another one, whose panels are lanes, are told apart by these. */
static bool has_lane_panels(const Chart *c, const Layer *l)
{
  return l != c->layer && c->layer->facet.lanes && l->series.lanes;
}

/* A figure below another one is called by its title. */
static uint32_t series_of(Chart *c, const Layer *l, Row row)
{
  if (key_is_set(l->series) && !has_lane_panels(c, l))
    return titled_name_of(l, c->series, l->series, row);
  bool is_down = l->kind == MILL_FIGURE_RULE && l->y < 0;
  if (l == c->layer || is_down) return names_add(c->series, "", 0);
  const char *title = l->figure->title ? l->figure->title : l->figure->name;
  return names_add(c->series, title, strlen(title));
}

/* x: which of its columns. */
static void read_row(Chart *c, const Layer *l, Pane *p, Row row, guint x)
{
  Point at;
  read_point(c, l, p, row, x, &at);
  bool rule = l->kind == MILL_FIGURE_RULE; /* what has none is no row that is missing */
  bool some = !isnan(at.x) && !isnan(at.y);
  if (rule ? !some || !is_positive(l, p, &at) : !is_drawn(c, l, p, &at)) return;
  Strand *s = pane_strand(p, l, series_of(c, l, row));
  g_array_append_val(s->points, at);
  c->n_points++;
}

/* The panels of its facet, one for each x. */
static void read_facet(Chart *c, const Layer *l, Row row)
{
  uint32_t before = names_len(c->facets);
  uint32_t facet = key_is_set(l->facet) ? titled_name_of(l, c->facets, l->facet, row)
                                        : names_add(c->facets, "", 0);
  if (facet == before)
    for (guint x = 0; x < l->x->len; x++) add_pane(c, facet, x);
  for (guint x = 0; x < l->x->len; x++)
    read_row(c, l, c->panes->pdata[facet * l->x->len + x], row, x);
}

/* A figure that this one is drawn over has its rows in the panels of its own facet, or in all. */
static void read_over(Chart *c, const Layer *l, Row row)
{
  char buf[NUM_BUF];
  size_t len;
  uint32_t facet = NAMES_NONE;
  if (l->facet.column >= 0 && key_is_set(c->layer->facet)) {
    const char *text = source_text(l->source, &row[l->facet.column], buf, &len);
    facet = names_find(c->facets, text, len);
    if (facet == NAMES_NONE) return;
  } else if (has_lane_panels(c, l)) {
    g_autoptr(GString) full = g_string_new(BETWEEN);
    lanes_put_key(&l->lanes, row, full);
    facet = names_find(c->facets, full->str, full->len);
    if (facet == NAMES_NONE) return;
  }
  for (guint i = 0; i < c->panes->len; i++) {
    Pane *p = c->panes->pdata[i];
    if (facet != NAMES_NONE && p->facet != facet) continue;
    guint end = l->kind == MILL_FIGURE_RULE ? l->x->len : p->x + 1;
    for (guint x = end == p->x + 1 ? p->x : 0; x < end; x++) read_row(c, l, p, row, x);
  }
}

/* Points lie in arrays of GLib, which the host does not see.  As much is asked of it, so that it counts, and is never
 * touched, so that it takes no memory.  False: it does not fit, and the instance has failed. */
static bool count_points(Chart *c, const Layer *l, guint n_rows)
{
  const MillHost *common = l->source->common;
  const size_t which = l == c->layer ? 0 : 1;
  uncount(c, which);
  c->counted[which] = mill_new(common, (size_t)(n_rows + 1) * l->x->len * READ_BYTES);
  return c->counted[which] != NULL;
}

void chart_read(Chart *c, const Layer *layer, const Rows *rows)
{
  if (!count_points(c, layer, rows->len)) return;
  for (guint i = 0; i < c->panes->len; i++)
    g_array_set_size(((Pane *)c->panes->pdata[i])->by_name, 0);
  for (guint r = 0; r < rows->len; r++)
    if (layer == c->layer)
      read_facet(c, layer, source_row(layer->source, rows, r));
    else
      read_over(c, layer, source_row(layer->source, rows, r));
}

bool chart_has_point(Chart *c, const Rows *rows)
{
  for (guint r = 0; r < rows->len && !c->n_points; r++)
    read_facet(c, c->layer, source_row(c->layer->source, rows, r));
  return c->n_points;
}

/* ----------------------------------------------------------------- problem */

const char *layer_measured(const Layer *l)
{
  const MillFigure *f = l->figure;
  bool heat = l->kind == MILL_FIGURE_HEATMAP || l->kind == MILL_FIGURE_DENSITY;
  if (heat && l->value >= 0) return f->value ? f->value : f->series;
  return f->y ? f->y : "its value";
}

char *chart_problem(const Chart *c)
{
  const Layer *l = c->layer;
  for (guint i = 0; i < c->panes->len; i++) {
    const Pane *p = c->panes->pdata[i];
    for (guint k = 0; k < p->strands->len; k++)
      if (((Strand *)p->strands->pdata[k])->layer == l) return NULL;
  }
  if (l->problem) return g_strdup(l->problem);
  if (!l->source->table.n_rows)
    return g_strdup_printf("table \"%s\" has no rows", l->source->table.name);
  if (!c->n_rows)
    return g_strdup_printf("table \"%s\" has no rows where %s", l->source->table.name,
                           l->figure->where ? l->figure->where : "a value is drawn");
  if (c->n_not_positive) return g_strdup("no positive value for a log axis");
  if (c->n_without_x == c->n_rows)
    return g_strdup_printf("no value of %s is a number", l->figure->x);
  return g_strdup_printf("no value of %s is a number", layer_measured(l));
}
