/* Lines, points, fronts and intervals; see marks.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/picture/marks.h"

static PictureNumbers *column_of(const GArray *points, size_t offset)
{
  return marks_column(points, offset);
}

static GArray *points_new(void) { return g_array_new(FALSE, FALSE, sizeof(Point)); }

static const Point *at(const GArray *points, guint i) { return &g_array_index(points, Point, i); }

/* ----------------------------------------------------------------- thinning */

static void add_extremes(GArray *out, const GArray *points, guint first, guint end)
{
  guint low = first, high = first;
  for (guint i = first; i < end; i++) {
    if (at(points, i)->y < at(points, low)->y) low = i;
    if (at(points, i)->y > at(points, high)->y) high = i;
  }
  g_array_append_val(out, *at(points, MIN(low, high)));
  if (low != high) g_array_append_val(out, *at(points, MAX(low, high)));
}

static bool ascends(const GArray *points)
{
  for (guint i = 1; i < points->len; i++)
    if (at(points, i)->x < at(points, i - 1)->x) return false;
  return true;
}

static guint column_at(const Layer *l, const Point *p, double low, double high)
{
  bool log = layer_x_scale(l) != SCALE_LINEAR;
  long double x = log ? logl(p->x) : (long double)p->x;
  long double first = log ? logl(low) : (long double)low,
              last = log ? logl(high) : (long double)high;
  return (guint)fminl((x - first) / (last - first) * MOST_COLUMNS, MOST_COLUMNS - 1);
}

/* The lowest and highest of each column of pixels; of points that go to and fro, every k-th. */
static GArray *thin_line(Marks *m, const Layer *l, const GArray *points)
{
  GArray *out = points_new();
  guint n = points->len, most = 2 * MOST_COLUMNS, step = (n + most - 1) / most;
  if (n <= most) {
    g_array_append_vals(out, points->data, n);
    return out;
  }
  m->n_thinned += n;
  if (!ascends(points) || at(points, 0)->x == at(points, n - 1)->x) {
    for (guint i = 0; i < n; i += step) g_array_append_val(out, *at(points, i));
    return out;
  }
  double low = at(points, 0)->x, high = at(points, n - 1)->x;
  for (guint first = 0, end; first < n; first = end) {
    guint column = column_at(l, at(points, first), low, high);
    for (end = first + 1; end < n && column_at(l, at(points, end), low, high) == column;) end++;
    add_extremes(out, points, first, end);
  }
  return out;
}

static GArray *thin_points(Marks *m, const Pane *p, const GArray *points)
{
  GArray *out = points_new();
  uint64_t all = 0;
  for (guint k = 0; k < p->strands->len; k++)
    all += ((const Strand *)p->strands->pdata[k])->points->len;
  guint step = (guint)((all + MOST_POINTS - 1) / MOST_POINTS);
  for (guint i = 0; i < points->len; i += MAX(1, step)) g_array_append_val(out, *at(points, i));
  if (step > 1) m->n_thinned += points->len;
  return out;
}

/* ------------------------------------------------------------------- lines */

static bool is_step(const Strand *s)
{
  return s->layer->figure->flags & MILL_FIGURE_STEP || s->layer->kind == MILL_FIGURE_HISTOGRAM;
}

/* The last bin is as wide as the others. */
static void end_bins(GArray *io_points)
{
  if (!io_points->len) return;
  Point end = *at(io_points, io_points->len - 1);
  end.x = end.x_end;
  if (end.x > at(io_points, io_points->len - 1)->x) g_array_append_val(io_points, end);
}

void marks_lines(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  bool names = p->x_place == PLACE_NAMES;
  g_autoptr(GArray) points = names ? g_array_ref(s->points) : thin_line(m, s->layer, s->points);
  if (s->layer->kind == MILL_FIGURE_HISTOGRAM) end_bins(points);
  bool steps = is_step(s) && points->len > 1; /* of one point only the point is seen */
  PictureSeries *series = marks_series(m, s, steps ? MARK_STEPS : MARK_LINE, out);
  series->x = column_of(points, offsetof(Point, x));
  series->y = column_of(points, offsetof(Point, y));
  series->low = column_of(points, offsetof(Point, y_low));
  series->high = column_of(points, offsetof(Point, y_high));
  if (s->layer->value >= 0) series->value = column_of(points, offsetof(Point, value));
  series->text = marks_texts(m, p, s, points);
  if (s->layer->kind != MILL_FIGURE_DENSITY || s->band || p->strands->len > 1) return;
  series->low = numbers_new(points->len); /* a density is filled down to 0 */
  for (guint i = 0; i < points->len; i++) numbers_add(series->low, 0);
  series->high = column_of(points, offsetof(Point, y));
}

static void add_corner(PictureSeries *series, double x, double y)
{
  numbers_add(series->x, x);
  numbers_add(series->y, y);
}

/* Areas of several series would cover one another: only their outline, which is at 0 where there is no bin. */
void marks_outline(Marks *m, const Strand *s, PicturePanel *out)
{
  const GArray *points = s->points;
  PictureSeries *series = marks_series(m, s, MARK_STEPS, out);
  double nothing = layer_y_scale(s->layer) == SCALE_LINEAR ? 0 : (double)NAN;
  series->x = numbers_new(2 * points->len + 1);
  series->y = numbers_new(2 * points->len + 1);
  for (guint i = 0; i < points->len; i++) {
    const Point *bin = at(points, i);
    bool ends = i + 1 == points->len || at(points, i + 1)->x > bin->x_end;
    if (!i) add_corner(series, bin->x, nothing);
    add_corner(series, bin->x, bin->y);
    if (ends) add_corner(series, bin->x_end, nothing);
  }
}

/* "p50 7.2 ms", or after its annotation "ring until 64 KiB" */
static char *rule_text(const Layer *l, const Point *rule)
{
  const MillColumn *column = source_column_at(l->source, g_array_index(l->x, int, rule->group));
  g_autofree char *number = number_text(rule->x, column->unit, NULL);
  g_autofree char *what = marks_annotation(l, rule);
  return g_strdup_printf("%s%s%s %s", what, *what ? " " : "", column->name, number);
}

static uint32_t count_rules(const PicturePanel *panel)
{
  uint32_t n = 0;
  for (guint i = 0; i < panel->series->len; i++) {
    const PictureSeries *s = panel->series->pdata[i];
    if (s->mark == MARK_RULE) n += s->text ? s->text->len : 1;
  }
  return n;
}

static bool are_too_many(const Pane *p)
{
  enum { RULES = 7 }; /* in a panel, as each has its text in a row of its own */
  guint n = 0;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    if (s->layer->kind == MILL_FIGURE_RULE) n += s->points->len;
  }
  return n > RULES;
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Lines from side to side: one for each y that there is. */
static void mark_across(Marks *m, const Strand *s, PicturePanel *out)
{
  g_autoptr(GArray) all = column_of(s->points, offsetof(Point, y));
  PictureSeries *series = marks_series(m, s, MARK_RULE, out);
  g_free(series->color);
  series->color = g_strdup(COLOR_RULE);
  series->y = numbers_new(1);
  g_array_sort(all, compare_numbers);
  for (guint i = 0; i < all->len; i++) {
    double y = g_array_index(all, double, i);
    if (!i || y != g_array_index(all, double, i - 1)) numbers_add(series->y, y);
  }
}

/* A line down the panel for each; of the one series they are no part of it. */
void marks_rules(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  uint32_t before = count_rules(out);
  if (s->layer->y >= 0) {
    mark_across(m, s, out);
    return;
  }
  if (are_too_many(p)) {
    m->n_rules += s->points->len;
    return;
  }
  PictureSeries *series = marks_series(m, s, MARK_RULE, out);
  series->slot = before;
  series->n_slots = before + s->points->len;
  series->x = column_of(s->points, offsetof(Point, x));
  series->text = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < s->points->len; i++)
    g_ptr_array_add(series->text, rule_text(s->layer, at(s->points, i)));
  if (*series->name) return;
  g_free(series->color);
  series->color = g_strdup(COLOR_RULE);
}

void marks_points(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  g_autoptr(GArray) points = thin_points(m, p, s->points);
  PictureSeries *series = marks_series(m, s, MARK_POINTS, out);
  series->x = column_of(points, offsetof(Point, x));
  series->y = column_of(points, offsetof(Point, y));
  series->x_low = column_of(points, offsetof(Point, x_low));
  series->x_high = column_of(points, offsetof(Point, x_high));
  series->low = column_of(points, offsetof(Point, y_low));
  series->high = column_of(points, offsetof(Point, y_high));
  if (s->layer->value >= 0) series->value = column_of(points, offsetof(Point, value));
  series->text = marks_texts(m, p, s, points);
  marks_slot(m, p, s, series);
}

/* ------------------------------------------------------------------- front */

static int better_of(uint32_t given, const Layer *l, int column)
{
  uint32_t flags = column < 0 ? 0 : source_column_at(l->source, column)->flags;
  if (given == MILL_NEITHER) return flags & MILL_COLUMN_LOWER ? -1 : 1;
  return given == MILL_LOWER ? -1 : 1;
}

typedef struct Ways { /* which is better: 1 the higher, -1 the lower */
  int x, y;
} Ways;

/* The best x first; of equal ones the best y. */
static gint compare_best(gconstpointer a, gconstpointer b, gpointer ways)
{
  const Point *p = a, *q = b;
  const Ways *w = ways;
  double x = w->x * p->x, other_x = w->x * q->x, y = w->y * p->y, other_y = w->y * q->y;
  if (x != other_x) return x > other_x ? -1 : 1;
  return y > other_y ? -1 : y < other_y;
}

/* Points stand from the best x on; a front runs to the right. */
static void add_to_front(GArray *front, Point point, bool leftwards)
{
  if (leftwards)
    g_array_prepend_val(front, point);
  else
    g_array_append_val(front, point);
}

/* With the corners: between two neighbours nothing is better than the worse x and the worse y of both. */
void marks_front(Marks *m, const Strand *s, PicturePanel *out)
{
  const Layer *l = s->layer;
  Ways ways = { better_of(l->figure->x_better, l, g_array_index(l->x, int, 0)),
                better_of(l->figure->y_better, l, l->y) };
  g_autoptr(GArray) sorted = points_new();
  g_autoptr(GArray) front = points_new();
  g_array_append_vals(sorted, s->points->data, s->points->len);
  g_array_sort_with_data(sorted, compare_best, &ways);
  const Point *last = NULL;
  for (guint i = 0; i < sorted->len; i++) {
    const Point *next = at(sorted, i);
    if (last && ways.y * next->y <= ways.y * last->y) continue;
    Point corner = *next;
    if (last) corner.y = last->y;
    if (last) add_to_front(front, corner, ways.x > 0);
    add_to_front(front, *next, ways.x > 0);
    last = next;
  }
  PictureSeries *series = marks_series(m, s, MARK_FRONT, out);
  series->x = column_of(front, offsetof(Point, x));
  series->y = column_of(front, offsetof(Point, y));
}

/* --------------------------------------------------------------- intervals */

static gint compare_length(gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;
  long double x = (long double)p->x_end - p->x, y = (long double)q->x_end - q->x;
  return x > y ? -1 : x < y;
}

static gint compare_start(gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return p->x < q->x ? -1 : p->x > q->x;
}

void marks_intervals(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  g_autoptr(GArray) points = points_new();
  guint most = MAX(1, MOST_POINTS / p->strands->len);
  g_array_append_vals(points, s->points->data, s->points->len);
  if (points->len > most) { /* the longest are seen */
    m->n_thinned += points->len;
    g_array_sort(points, compare_length);
    g_array_set_size(points, most);
  }
  g_array_sort(points, compare_start);
  PictureSeries *series = marks_series(m, s, MARK_INTERVALS, out);
  series->x = column_of(points, offsetof(Point, x));
  series->x_high = column_of(points, offsetof(Point, x_end));
  series->y = column_of(points, offsetof(Point, y));
  if (s->layer->value >= 0) series->value = column_of(points, offsetof(Point, value));
  series->text = marks_texts(m, p, s, points);
}
