/* Configurations of a sweep: the time of their devices over ranks, and each number of threads against the smallest. */
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
    const MillValue cells[] = { mill_sym(lane->label),
                                number_cell(lane->threads),
                                number_cell(lane->channels),
                                mill_int(ranks),
                                mill_text(name, strlen(name)),
                                mill_real(sum / (double)ranks),
                                mill_real(exp(logs / (double)ranks)),
                                total > 0 ? mill_real(100 * sum / total) : mill_none() };
    status = c->host->row(c->host, TABLE_TIMELINE, cells, MILL_COUNT(cells));
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
  MillValue key;
} Both;

static int report_both(Compare *c, const Both *b, const NameTime *x, const NameTime *y)
{
  const bool both = x && y;
  const bool has_calls = strcmp(b->table, "ops") == 0;
  int64_t diff_ns = 0;
  if (both && __builtin_sub_overflow(y->total_ns, x->total_ns, &diff_ns)) diff_ns = INT64_MAX;
  const MillValue cells[] = {
    mill_sym(b->base->label),
    mill_text(b->table, strlen(b->table)),
    number_cell(b->base->channels),
    number_cell(b->base->rank),
    b->key,
    number_cell(b->base->threads),
    number_cell(b->variant->threads),
    x ? mill_int(x->total_ns) : mill_none(),
    y ? mill_int(y->total_ns) : mill_none(),
    both ? mill_int(diff_ns) : mill_none(),
    change_cell(both, x ? (double)x->total_ns : 0, y ? (double)y->total_ns : 0),
    x && has_calls ? mill_int(x->calls) : mill_none(),
    y && has_calls ? mill_int(y->calls) : mill_none(),
  };
  return c->host->row(c->host, TABLE_CONFIGS, cells, MILL_COUNT(cells));
}

static int compare_times(Compare *c, const LaneFacts *base, const LaneFacts *variant)
{
  int status = 0;
  if (!base->has_device || !variant->has_device) return 0;
  for (int t = 0; t < N_SHOWN_TIMES && status == 0; t++) {
    const char *name = device_time_names[shown_times[t]];
    const Both b = { base, variant, "timeline", mill_text(name, strlen(name)) };
    const NameTime x = { .total_ns = base->times_ns[shown_times[t]] };
    const NameTime y = { .total_ns = variant->times_ns[shown_times[t]] };
    status = report_both(c, &b, &x, &y);
  }
  return status;
}

/* Those of the base, then those that it lacks. */
static int compare_ops(Compare *c, const LaneFacts *base, const LaneFacts *variant)
{
  int status = 0;
  for (size_t i = 0; i < base->ops.n && status == 0; i++) {
    const NameTime *x = &base->ops.items[i];
    const Both b = { base, variant, "ops", mill_sym(x->name) };
    status = report_both(c, &b, x, name_times_find(c->common, &variant->ops, x->name));
  }
  for (size_t i = 0; i < variant->ops.n && status == 0; i++) {
    const NameTime *y = &variant->ops.items[i];
    const Both b = { base, variant, "ops", mill_sym(y->name) };
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
