/* Series of steps: a value holds until the next one of its series; see crowd.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/picture/crowd.h"

enum { MOST_INSTANTS = 2000, MOST_VALUES = 4 << 20 };

static const At *at(const GArray *points, guint i) { return &g_array_index(points, At, i); }

static GArray *distinct_x(const GArray *sorted)
{
  GArray *out = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < sorted->len; i++)
    if (!i || at(sorted, i)->x != at(sorted, i - 1)->x) g_array_append_val(out, at(sorted, i)->x);
  return out;
}

/* Where the series are compared: wherever one of them changes; of too many places some at equal distances. */
static GArray *instants_of(const GArray *sorted, uint32_t n_series)
{
  GArray *all = distinct_x(sorted);
  guint most = (guint)CLAMP(MOST_VALUES / MAX(n_series, 1), 2, MOST_INSTANTS);
  if (all->len <= most) return all;
  double low = at(sorted, 0)->x, high = at(sorted, sorted->len - 1)->x;
  g_array_set_size(all, 0);
  for (guint i = 0; i < most; i++) {
    double part = (double)i / (most - 1), x = i + 1 < most ? low * (1 - part) + high * part : high;
    g_array_append_val(all, x);
  }
  return all;
}

typedef struct Held { /* what each series has */
  double *value;      /* by name; NaN before its first */
  GArray *names;      /* uint32_t: those that have begun */
} Held;

static void change(Held *h, const At *to)
{
  if (isnan(h->value[to->name])) g_array_append_val(h->names, to->name);
  h->value[to->name] = to->y;
}

static void put_values(const Held *h, double x, GArray *out)
{
  for (guint i = 0; i < h->names->len; i++) {
    uint32_t name = g_array_index(h->names, uint32_t, i);
    At held = { x, h->value[name], name };
    g_array_append_val(out, held);
  }
}

GArray *crowd_held(const GArray *sorted, uint32_t n_names, uint32_t n_series)
{
  GArray *out = g_array_new(FALSE, FALSE, sizeof(At));
  g_autoptr(GArray) instants = instants_of(sorted, n_series);
  g_autoptr(GArray) names = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autofree double *values = g_new(double, n_names + 1);
  Held h = { values, names };
  for (uint32_t i = 0; i < n_names; i++) values[i] = (double)NAN;
  for (guint i = 0, next = 0; i < instants->len; i++) {
    double x = g_array_index(instants, double, i);
    while (next < sorted->len && at(sorted, next)->x <= x) change(&h, at(sorted, next++));
    put_values(&h, x, out);
  }
  return out;
}
