/* Configurations of a sweep: the time of their devices over ranks, and each number of threads against the smallest. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* ---- config-timeline */

/* A rank without any of it counts as 1e-10 ms, as in the original. */
static double logarithm(int64_t ns) { return log(ns > 0 ? (double)ns : 1e-4); }

static int report_config(Compare *c, size_t first, size_t end)
{
  const LaneFacts *lane = &c->lanes.items[first];
  int status = 0;
  int64_t ranks = 0;
  for (size_t i = first; i < end; i++) ranks += c->lanes.items[i].has_device;
  for (int t = 0; t < N_SHOWN_TIMES && ranks > 0 && status == 0; t++) {
    double sum = 0, total = 0, logs = 0;
    const char *name = device_time_names[shown_times[t]];
    for (size_t i = first; i < end; i++) {
      const LaneFacts *l = &c->lanes.items[i];
      if (!l->has_device) continue;
      sum += (double)l->times_ns[shown_times[t]];
      total += (double)l->times_ns[TOTAL];
      logs += logarithm(l->times_ns[shown_times[t]]);
    }
    const TimelineRow row = {
      .label = lane->label,
      .threads = number_or_none(lane->threads),
      .channels = number_or_none(lane->channels),
      .ranks = ranks,
      .type = name,
      .mean_ns = sum / (double)ranks,
      .geomean_ns = exp(logs / (double)ranks),
      .share = total > 0 ? 100 * sum / total : (double)NAN,
    };
    status = mill_row(c->host, TABLE_TIMELINE, &row);
  }
  return status;
}

int compare_report_timeline(Compare *c)
{
  int status = 0;
  for (size_t i = 0, end; i < c->lanes.n && status == 0; i = end) {
    end = lanes_config_end(&c->lanes, i);
    status = report_config(c, i, end);
  }
  return status;
}

/* ---- config-compare */

typedef struct Both { /* sides of a row; NULL: not there */
  const LaneFacts *base, *variant;
  const char *table;
  MillText key;
} Both;

static int report_both(Compare *c, const Both *b, const NameTime *x, const NameTime *y)
{
  const bool both = x && y;
  const bool has_calls = strcmp(b->table, "ops") == 0;
  int64_t diff_ns = 0;
  if (both && __builtin_sub_overflow(y->total_ns, x->total_ns, &diff_ns)) diff_ns = INT64_MAX;
  const ConfigRow row = {
    .label = b->base->label,
    .table = b->table,
    .channels = number_or_none(b->base->channels),
    .rank = number_or_none(b->base->rank),
    .key = b->key,
    .base = number_or_none(b->base->threads),
    .variant = number_or_none(b->variant->threads),
    .base_ns = x ? x->total_ns : MILL_NO_INT,
    .variant_ns = y ? y->total_ns : MILL_NO_INT,
    .diff_ns = both ? diff_ns : MILL_NO_INT,
    .change = change_percent(both, x ? (double)x->total_ns : 0, y ? (double)y->total_ns : 0),
    .base_calls = x && has_calls ? x->calls : MILL_NO_INT,
    .variant_calls = y && has_calls ? y->calls : MILL_NO_INT,
  };
  return mill_row(c->host, TABLE_CONFIGS, &row);
}

static int compare_times(Compare *c, const LaneFacts *base, const LaneFacts *variant)
{
  int status = 0;
  if (!base->has_device || !variant->has_device) return 0;
  for (int t = 0; t < N_SHOWN_TIMES && status == 0; t++) {
    const char *name = device_time_names[shown_times[t]];
    const Both b = { base, variant, "timeline", { name, strlen(name) } };
    const NameTime x = { .total_ns = base->times_ns[shown_times[t]] };
    const NameTime y = { .total_ns = variant->times_ns[shown_times[t]] };
    status = report_both(c, &b, &x, &y);
  }
  return status;
}

static MillText name_of(const Compare *c, const NameTime *op)
{
  MillText name;
  name.text = c->common->symbol_text(c->common, op->name, &name.len);
  return name;
}

/* Those of the base, then those that it lacks. */
static int compare_ops(Compare *c, const LaneFacts *base, const LaneFacts *variant)
{
  int status = 0;
  for (size_t i = 0; i < base->ops.n && status == 0; i++) {
    const NameTime *x = &base->ops.items[i];
    const Both b = { base, variant, "ops", name_of(c, x) };
    status = report_both(c, &b, x, name_times_find(c->common, &variant->ops, x->name));
  }
  for (size_t i = 0; i < variant->ops.n && status == 0; i++) {
    const NameTime *y = &variant->ops.items[i];
    const Both b = { base, variant, "ops", name_of(c, y) };
    if (!name_times_find(c->common, &base->ops, y->name)) status = report_both(c, &b, NULL, y);
  }
  return status;
}

/* Lanes that differ in threads alone, the fewest first; of equal ones none is compared with itself. */
static const LaneFacts *base_of(const Compare *c, const LaneFacts *variant)
{
  for (size_t i = 0; i < c->lanes.n; i++) {
    const LaneFacts *l = &c->lanes.items[i];
    if (l->label == variant->label && l->channels == variant->channels &&
        l->rank == variant->rank && l->threads >= 0)
      return l;
  }
  return NULL;
}

int compare_report_configs(Compare *c)
{
  int status = 0;
  for (size_t i = 0; i < c->lanes.n && status == 0; i++) {
    const LaneFacts *variant = &c->lanes.items[i], *base = base_of(c, variant);
    bool repeated = i > 0 && lane_order(c->common, &c->lanes.items[i - 1], variant) == 0;
    if (!base || base->threads == variant->threads || repeated) continue;
    status = compare_times(c, base, variant);
    if (status == 0) status = compare_ops(c, base, variant);
  }
  return status;
}
