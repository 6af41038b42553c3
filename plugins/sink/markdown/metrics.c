/* The metrics, a row for all statistics of one. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/tag-text.h"
#include "escape.h"
#include "kit/sink/cell.h"
#include "kit/sink/result.h"
#include "page.h"

#define MOST_LANES 40u /* whose metrics are shown */
#define MOST_ROWS 200u

typedef struct Metrics {
  const MillHost *common;
  GString *rows, *absent;
  uint32_t n_rows, n_hidden;
} Metrics;

/* "rank 3", "model a, tp 8", or nothing */
static void put_of(GString *out, const MillHost *common, const MillMetricResult *m)
{
  const char *group = m->group, *joint = "";
  char *tag, *value;
  if (m->lane != MILL_NO_LANE) {
    MillLane lane;
    g_autofree char *name = result_lane(common, m->lane, &lane);
    if (lane.label && *lane.label) escape_string(out, lane.label);
    if (lane.label && *lane.label) g_string_append_c(out, ' ');
    if (lane.rank >= 0)
      g_string_append_printf(out, "rank %" G_GINT64_FORMAT, lane.rank);
    else
      escape_string(out, name ? name : "-");
  }
  while (tag_text_next(&group, &tag, &value)) {
    if (*value) {
      g_string_append(out, joint);
      escape_string(out, tag);
      g_string_append_c(out, ' ');
      escape_string(out, value);
      joint = ", ";
    }
    g_free(tag);
    g_free(value);
  }
}

static bool same_row(const MillMetricResult *a, const MillMetricResult *b)
{
  return a->metric == b->metric && a->lane == b->lane && !strcmp(a->name, b->name) &&
         !strcmp(a->group, b->group);
}

/* "p50 96.4 ms"; how many there are has a column of its own. */
static void put_value(GString *out, const MillMetricResult *m)
{
  double number;
  if (m->reason || !strcmp(m->stat, "n") || !cell_has_number(&m->value, &number)) return;
  NumScale scale = num_scale(result_unit(m), fabs(number), m->value.type == MILL_INT);
  if (out->len) g_string_append(out, ", ");
  if (*m->stat) escape_string(out, m->stat);
  if (*m->stat) g_string_append_c(out, ' ');
  escape_number(out, &scale, number);
  if (!*scale.unit) return;
  g_string_append_c(out, ' ');
  escape_string(out, scale.unit);
}

static void put_absent(Metrics *s, const MillMetricResult *m)
{
  const char *reason = result_absence(&m->value, m->reason);
  g_autoptr(GString) of = g_string_new(NULL);
  if (!reason) return; /* an object */
  g_string_append(s->absent, "- ");
  escape_string(s->absent, m->name);
  put_of(of, s->common, m);
  if (of->len) g_string_append_printf(s->absent, " (%s)", of->str);
  g_string_append(s->absent, ": ");
  escape_string(s->absent, reason);
  g_string_append_c(s->absent, '\n');
}

static void put_row(Metrics *s, const MillMetricResult *m, const char *values, uint64_t n)
{
  char count[NUM_BUF];
  num_format_count(count, (int64_t)MIN(n, INT64_MAX));
  g_string_append(s->rows, "| ");
  escape_string(s->rows, m->name);
  g_string_append(s->rows, " | ");
  put_of(s->rows, s->common, m);
  g_string_append_printf(s->rows, " | %s | %s |\n", values, count);
}

/* From that index on; the next one. */
static uint32_t add_row(Metrics *s, const MillResults *r, uint32_t index)
{
  g_autoptr(GString) values = g_string_new(NULL);
  MillMetricResult first = { .size = sizeof first }, m = { .size = sizeof m };
  uint64_t n = 0;
  r->metric(r, index, &first);
  for (; r->metric(r, index, &m) && same_row(&first, &m); index++) {
    put_value(values, &m);
    if (!m.reason) n = MAX(n, m.n);
  }
  bool of_one = first.lane != MILL_NO_LANE;
  bool hidden = s->n_rows >= MOST_ROWS || (of_one && s->common->n_lanes(s->common) > MOST_LANES);
  if (hidden) {
    s->n_hidden++;
  } else if (!values->len) {
    s->n_rows++;
    put_absent(s, &first);
  } else {
    s->n_rows++;
    put_row(s, &first, values->str, n);
  }
  return index;
}

void page_metrics(GString *out, const MillHost *common, const MillResults *r)
{
  Metrics s = { .common = common, .rows = g_string_new(NULL), .absent = g_string_new(NULL) };
  for (uint32_t i = 0; i < r->n_metrics;) i = add_row(&s, r, i);
  if (s.n_rows || s.absent->len || s.n_hidden) g_string_append(out, "\n## Metrics\n");
  if (s.rows->len)
    g_string_append_printf(out, "\n| metric | of | value | n |\n| --- | --- | ---: | ---: |\n%s",
                           s.rows->str);
  if (s.absent->len) g_string_append_printf(out, "\nNot applicable:\n\n%s", s.absent->str);
  if (s.n_hidden)
    g_string_append_printf(out, "\n%u more metric%s: see summary.json\n", s.n_hidden,
                           s.n_hidden == 1 ? "" : "s");
  g_string_free(s.rows, TRUE);
  g_string_free(s.absent, TRUE);
}
