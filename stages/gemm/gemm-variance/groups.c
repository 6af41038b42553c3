/* The differences of rows by configuration and rank. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "variance.h"

static const char *const by_names[] = { "channels", "rank", "threads" };
enum { N_BY = MILL_COUNT(by_names) };

static int64_t group_of(const VarianceRow *r, int by)
{
  return by == 0 ? r->channels : by == 1 ? r->rank : r->threads;
}

static const char *by_name(int by) { return by_names[by]; }

typedef struct Point {
  int64_t group, diff_ns;
} Point;

static int by_group(const void *p, const void *q)
{
  const Point *a = p, *b = q;
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  return (a->diff_ns > b->diff_ns) - (a->diff_ns < b->diff_ns);
}

/* In scratch memory, by group and difference; rows without that tag have no point. */
static Point *points_of(Variance *v, int by, size_t *out_n)
{
  Point *points = v->common->scratch(v->common, (v->rows.n + 1) * sizeof *points);
  size_t n = 0;
  for (size_t i = 0; points && i < v->rows.n; i++) {
    const VarianceRow *r = &v->rows.items[i];
    if (group_of(r, by) >= 0) points[n++] = (Point){ group_of(r, by), row_diff(r) };
  }
  if (n) qsort(points, n, sizeof *points, by_group);
  *out_n = n;
  return points;
}

int variance_report_points(Variance *v)
{
  int status = 0;
  size_t n;
  for (int by = 0; by < N_BY && status == 0; by++) {
    const Point *points = points_of(v, by, &n);
    if (!points) return -MILL_LIMIT;
    for (size_t i = 0; i < n && status == 0; i++) {
      const PointRow row = {
        .by = by_name(by),
        .group = points[i].group,
        .diff_ns = points[i].diff_ns,
      };
      status = mill_row(v->host, TABLE_POINTS, &row);
    }
  }
  return status;
}

/* ---- groups */

typedef struct Box {
  Dist all;
  double q1, q3;
  int64_t low, high; /* ends of the whiskers */
  int64_t outliers;
} Box;

/* Whiskers end at the last points within one and a half of the box's height. */
static void find_whiskers(Box *box, const Point *points, size_t n)
{
  double reach = 1.5 * (box->q3 - box->q1);
  box->low = box->all.moments.max;
  box->high = box->all.moments.min;
  for (size_t i = 0; i < n; i++) {
    int64_t ns = points[i].diff_ns;
    bool outside = (double)ns < box->q1 - reach || (double)ns > box->q3 + reach;
    box->outliers += outside;
    if (!outside && ns < box->low) box->low = ns;
    if (!outside && ns > box->high) box->high = ns;
  }
}

static int report_group(Variance *v, int by, const Point *points, size_t n)
{
  Hists alone;
  Box box = { 0 };
  bool fits = true;
  hists_init(&alone, v->common, HIST_NO_BOUND);
  for (size_t i = 0; i < n && fits; i++) fits = dist_add(&box.all, &alone, points[i].diff_ns);
  if (!fits) return -MILL_LIMIT;
  (void)hist_percentile(&box.all.hist, 25, &box.q1);
  (void)hist_percentile(&box.all.hist, 75, &box.q3);
  find_whiskers(&box, points, n);
  const Moments *m = &box.all.moments;
  const GroupRow row = {
    .by = by_name(by),
    .group = points[0].group,
    .n = (int64_t)n,
    .mean_ns = dist_mean(&box.all),
    .median_ns = dist_percentile(&box.all, 50),
    .min_ns = m->min,
    .max_ns = m->max,
    .q1_ns = box.q1,
    .q3_ns = box.q3,
    .whisker_low_ns = box.low,
    .whisker_high_ns = box.high,
    .outliers = box.outliers,
  };
  int status = mill_row(v->host, TABLE_GROUPS, &row);
  hists_clear(&alone);
  return status;
}

int variance_report_groups(Variance *v)
{
  int status = 0;
  size_t n, end;
  for (int by = 0; by < N_BY && status == 0; by++) {
    const Point *points = points_of(v, by, &n);
    if (!points) return -MILL_LIMIT;
    for (size_t i = 0; i < n && status == 0; i = end) {
      for (end = i + 1; end < n && points[end].group == points[i].group;) end++;
      status = report_group(v, by, points + i, end - i);
    }
  }
  return status;
}

/* ---- both */

typedef struct Pair {
  int64_t threads, channels, diff_ns;
} Pair;

static int by_pair(const void *p, const void *q)
{
  const Pair *a = p, *b = q;
  if (a->threads != b->threads) return a->threads < b->threads ? -1 : 1;
  return (a->channels > b->channels) - (a->channels < b->channels);
}

static int report_pair(Variance *v, const Pair *pairs, size_t n)
{
  Moments m = { 0 };
  for (size_t i = 0; i < n; i++) moments_add(&m, pairs[i].diff_ns);
  const InteractionRow row = {
    .threads = pairs->threads,
    .channels = pairs->channels,
    .n = (int64_t)n,
    .mean_ns = moments_mean_or_none(&m),
  };
  return mill_row(v->host, TABLE_INTERACTION, &row);
}

int variance_report_interaction(Variance *v)
{
  Pair *pairs = v->common->scratch(v->common, (v->rows.n + 1) * sizeof *pairs);
  size_t n = 0, end;
  int status = 0;
  if (!pairs) return -MILL_LIMIT;
  for (size_t i = 0; i < v->rows.n; i++) {
    const VarianceRow *r = &v->rows.items[i];
    if (r->threads >= 0 && r->channels >= 0)
      pairs[n++] = (Pair){ r->threads, r->channels, row_diff(r) };
  }
  if (n) qsort(pairs, n, sizeof *pairs, by_pair);
  for (size_t i = 0; i < n && status == 0; i = end) {
    for (end = i + 1; end < n && by_pair(&pairs[i], &pairs[end]) == 0;) end++;
    status = report_pair(v, pairs + i, end - i);
  }
  return status;
}
