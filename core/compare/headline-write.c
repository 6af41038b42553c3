/* The headline metrics of a comparison: their judgement, its tables and sentences; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "compare/parts.h"

#define BRIEF MILL_COLUMN_BRIEF
static const MillColumn metric_column = { "metric", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF,
                                          "Name of the metric" };
static const MillColumn stat_column = { "stat", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF,
                                        "Statistic" };
static const MillColumn group_column = { "group", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF,
                                         "Its rank, label and tags" };
static const MillColumn p_column = { "p_percent", NULL, MILL_REAL, 0,
                                     "Probability that chance alone makes such a difference, "
                                     "one-sided" };
static const MillColumn corrected_column = { "p_corrected_percent", NULL, MILL_REAL, BRIEF,
                                             "The same probability, corrected for the number of "
                                             "metrics" };
static const MillColumn verdict_column = { "verdict", NULL, MILL_TEXT, BRIEF,
                                           "worse, better, equal or not judged" };
static const MillColumn reason_column = { "reason", NULL, MILL_TEXT, 0, "Why it is not judged" };
/* Of all that a comparison tells of a value. */
static const uint32_t shared[] = { OUT_UNIT, OUT_BASE, OUT_NEW, OUT_PERCENT,
                                   OUT_LOW,  OUT_HIGH, OUT_N,   OUT_BETTER };

/* --------------------------------------------------------------- judgement */

static const Diff *diff_of(const GPtrArray *metrics, uint32_t side)
{
  return ((const Compared *)metrics->pdata[side])->diff;
}

static void test_side(Writing *w, const GPtrArray *metrics, uint32_t side)
{
  const Diff *d = diff_of(metrics, side);
  Meter *meter = meter_new(w->options->min_change, w->options->confidence, d->n_frames);
  for (uint32_t group = 0; group < d->match->n_groups; group++) {
    if (!diff_is_headline(d, group)) continue;
    diff_gather(d, group, &d->values[0], meter);
    HeadlineTest t = headline_test(meter, diff_better(d, group, &d->values[0]));
    t.side = side;
    t.group = group;
    g_array_append_val(w->headlines, t);
  }
  meter_free(meter);
}

static void clear_test(gpointer test) { g_free(((HeadlineTest *)test)->reason); }

void compare_judge(Writing *w, const GPtrArray *metrics)
{
  w->headlines = g_array_new(FALSE, FALSE, sizeof(HeadlineTest));
  g_array_set_clear_func(w->headlines, clear_test);
  for (uint32_t side = 0; side < metrics->len; side++) test_side(w, metrics, side);
  headline_judge((HeadlineTest *)(gpointer)w->headlines->data, w->headlines->len, w->options);
}

static const HeadlineTest *test_at(const Writing *w, guint index)
{
  return &g_array_index(w->headlines, HeadlineTest, index);
}

void compare_count_headlines(const Writing *w, uint64_t io_counts[HEADLINE_N_VERDICTS])
{
  for (guint i = 0; i < w->headlines->len; i++) io_counts[test_at(w, i)->verdict]++;
}

const char *compare_unjudged(const Writing *w)
{
  for (guint i = 0; i < w->headlines->len; i++)
    if (test_at(w, i)->reason) return test_at(w, i)->reason;
  return NULL;
}

/* ------------------------------------------------------------------- counts */

typedef struct SideCounts {
  uint64_t n[HEADLINE_N_VERDICTS];
  const char *reason; /* the first one why a metric is not judged */
} SideCounts;

static SideCounts count_side(const Writing *w, uint32_t side)
{
  SideCounts c = { { 0 }, NULL };
  for (guint i = 0; i < w->headlines->len; i++) {
    const HeadlineTest *t = test_at(w, i);
    if (t->side != side) continue;
    c.n[t->verdict]++;
    if (!c.reason) c.reason = t->reason;
  }
  return c;
}

/* headline metrics: 1 worse, 0 better, 12 equal, 2 not judged (fewer than 4 runs a side) */
void compare_say_headlines(Writing *w, const GPtrArray *metrics)
{
  for (uint32_t side = 0; side < metrics->len && w->headlines->len; side++) {
    SideCounts c = count_side(w, side);
    g_autoptr(GString) text = g_string_new("headline metrics:");
    for (int v = 0; v < HEADLINE_N_VERDICTS; v++)
      g_string_append_printf(text, "%s %" G_GUINT64_FORMAT " %s", v ? "," : "", c.n[v],
                             headline_verdict_name((HeadlineVerdict)v));
    if (c.reason) g_string_append_printf(text, " (%s)", c.reason);
    compare_say(w, metrics->pdata[side], text->str);
  }
}

static void write_counts(Writing *w, const GPtrArray *metrics)
{
  static const MillColumn columns[HEADLINE_N_VERDICTS] = {
    { "worse", "count", MILL_INT, 0, "Headline metrics that became worse" },
    { "better", "count", MILL_INT, 0, "Headline metrics that became better" },
    { "equal", "count", MILL_INT, 0,
      "Headline metrics whose change is within --min-change or within noise" },
    { "not_judged", "count", MILL_INT, 0,
      "Headline metrics that could not be judged, as with too few runs" },
  };
  bool has_side = w->n_sides > 2;
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  if (has_side) g_array_append_val(all, compare_side_column);
  g_array_append_vals(all, columns, HEADLINE_N_VERDICTS);
  Sheet *s = compare_sheet(w->out, "headline-counts",
                           "Number of headline metrics that became worse", 0, all);
  for (uint32_t side = 0; side < metrics->len; side++) {
    SideCounts c = count_side(w, side);
    MillValue *out = sheet_add_cells(s);
    if (has_side) *out++ = compare_text(((const Compared *)metrics->pdata[side])->side);
    for (int v = 0; v < HEADLINE_N_VERDICTS; v++) out[v] = mill_int((int64_t)c.n[v]);
  }
  results_add_sorted(w->out, s);
}

/* --------------------------------------------------------------------- rows */

/* By verdict, the largest change first. */
static gint compare_tests(gconstpointer a, gconstpointer b)
{
  const HeadlineTest *x = *(const HeadlineTest *const *)a, *y = *(const HeadlineTest *const *)b;
  double one = fabs(x->measure.part), other = fabs(y->measure.part);
  if (x->verdict != y->verdict) return x->verdict < y->verdict ? -1 : 1;
  if (isnan(one) != isnan(other)) return isnan(one) ? 1 : -1;
  if (one > other || one < other) return one > other ? -1 : 1;
  return x < y ? -1 : x > y;
}

static bool has_places(const Writing *w, const GPtrArray *metrics)
{
  for (guint i = 0; i < w->headlines->len; i++) {
    const HeadlineTest *t = test_at(w, i);
    g_autofree char *place = diff_place(diff_of(metrics, t->side), t->group);
    if (*place) return true;
  }
  return false;
}

static GArray *make_columns(const Writing *w, bool has_group)
{
  GArray *all = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  if (w->n_sides > 2) g_array_append_val(all, compare_side_column);
  g_array_append_val(all, metric_column);
  g_array_append_val(all, stat_column);
  if (has_group) g_array_append_val(all, group_column);
  for (size_t i = 0; i < G_N_ELEMENTS(shared); i++)
    g_array_append_val(all, compare_columns[shared[i]]);
  g_array_append_val(all, p_column);
  g_array_append_val(all, corrected_column);
  g_array_append_val(all, verdict_column);
  g_array_append_val(all, reason_column);
  return all;
}

static void add_row(const Writing *w, Sheet *s, const GPtrArray *metrics, const HeadlineTest *t,
                    bool has_group)
{
  const Diff *d = diff_of(metrics, t->side);
  MillValue all[OUT_N_COLUMNS], *out = sheet_add_cells(s);
  compare_fill_measure(&t->measure, all);
  all[OUT_UNIT] = compare_either(d, t->group, &d->keys[FRAME_UNIT]);
  all[OUT_BETTER] = compare_better(t->better);
  if (w->n_sides > 2) *out++ = compare_text(((const Compared *)metrics->pdata[t->side])->side);
  *out++ = compare_either(d, t->group, &d->keys[FRAME_METRIC]);
  *out++ = compare_either(d, t->group, &d->keys[FRAME_STAT]);
  if (has_group) {
    g_autofree char *place = diff_place(d, t->group);
    *out++ = compare_text(results_text(w->out, place, strlen(place)));
  }
  for (size_t i = 0; i < G_N_ELEMENTS(shared); i++) *out++ = all[shared[i]];
  *out++ = compare_number(t->p * 100);
  *out++ = compare_number(t->corrected * 100);
  *out++ = compare_text(headline_verdict_name(t->verdict));
  *out++ = compare_text(t->reason ? results_text(w->out, t->reason, strlen(t->reason)) : NULL);
}

void compare_write_headlines(Writing *w, const GPtrArray *metrics)
{
  if (!w->headlines->len) return;
  bool has_group = has_places(w, metrics);
  g_autoptr(GArray) columns = make_columns(w, has_group);
  g_autoptr(GPtrArray) order = g_ptr_array_new();
  Sheet *s = compare_sheet(w->out, "headline",
                           "Whether the headline metrics became worse, by one test for all of them",
                           w->repeated ? 10 : 0, columns);
  for (guint i = 0; i < w->headlines->len; i++) g_ptr_array_add(order, (gpointer)test_at(w, i));
  g_ptr_array_sort(order, compare_tests);
  for (guint i = 0; i < order->len; i++) add_row(w, s, metrics, order->pdata[i], has_group);
  results_add_sorted(w->out, s);
  write_counts(w, metrics);
}
