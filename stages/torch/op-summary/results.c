/* Results of op-summary: operators, categories, arguments and modules by their time. */
/* SPDX-License-Identifier: MIT */
#include "summary.h"

static int report_ops(Summary *s, uint32_t table)
{
  Ranked r;
  int status = 0;
  if (!ranked_make(s->common, s->ops, op_sum_total, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n && status == 0; i++) {
    const KeyedEntry *e = r.entries[i].entry;
    const OpSum *sum = e->state;
    const OpRow row = {
      .name = { e->key, e->len },
      .category = op_sum_categories(s->common, sum),
      .calls = sum->calls,
      .total_ns = sum->total_ns,
      .subtree_ns = sum->subtree_ns,
      .kernels = sum->kernels,
      .share = ranked_share(&r, i),
      .cumulative = ranked_cumulative(&r, i),
    };
    status = mill_row(s->host, table, &row);
  }
  return status;
}

static int report_sums(Summary *s, Keyed *k, uint32_t table)
{
  Ranked r;
  int status = 0;
  if (!ranked_make(s->common, k, op_sum_total, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n && status == 0; i++) {
    const KeyedEntry *e = r.entries[i].entry;
    const OpSum *sum = e->state;
    const SumRow row = {
      .key = { e->key, e->len },
      .calls = sum->calls,
      .total_ns = sum->total_ns,
      .share = ranked_share(&r, i),
      .cumulative = ranked_cumulative(&r, i),
    };
    status = mill_row(s->host, table, &row);
  }
  return status;
}

/* For each row the kernel with the largest time; of equal ones the first by name. */
static bool find_kernels(Summary *s)
{
  const KeyedEntry *const *entries = keyed_sorted(s->arg_kernels);
  if (!entries) return false;
  for (uint32_t i = 0; i < keyed_count(s->arg_kernels); i++) {
    const char *at = entries[i]->key, *end = at + entries[i]->len;
    Field row = fields_next(&at, end), name = fields_next(&at, end);
    ArgsSum *sum = keyed_find(s->args, row.text, row.len);
    int64_t total_ns = *(const int64_t *)entries[i]->state;
    if (!sum || (sum->kernel && total_ns <= sum->kernel_ns)) continue;
    sum->kernel = name.text;
    sum->kernel_len = name.len;
    sum->kernel_ns = total_ns;
  }
  return true;
}

static int report_args_row(Summary *s, Ranked *r, uint32_t i)
{
  const KeyedEntry *e = r->entries[i].entry;
  ArgsSum *sum = e->state;
  const TreeRow key = tree_row(e->key, e->len);
  const ArgsRow row = {
    .name = key.at[ROW_NAME],
    .category = key.at[ROW_CATEGORY],
    .pass = key.at[ROW_PASS],
    .dims = key.at[ROW_DIMS],
    .types = key.at[ROW_TYPES],
    .strides = key.at[ROW_STRIDES],
    .concrete = key.at[ROW_CONCRETE],
    .calls = (int64_t)sum->time.moments.n,
    .total_ns = r->entries[i].size,
    .mean_ns = dist_mean(&sum->time),
    .median_ns = dist_percentile(&sum->time, 50),
    .std_ns = dist_std(&sum->time),
    .min_ns = sum->time.moments.min,
    .max_ns = sum->time.moments.max,
    .kernels = sum->kernels,
    .kernel = { sum->kernel ? sum->kernel : "", sum->kernel_len },
    .share = ranked_share(r, i),
    .first_ns = sum->first_ns,
  };
  return mill_row(s->host, TABLE_ARGS, &row);
}

static int report_args(Summary *s)
{
  Ranked r;
  int status = 0;
  if (!find_kernels(s) || !ranked_make(s->common, s->args, args_sum_total, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n && status == 0; i++) status = report_args_row(s, &r, i);
  return status;
}

static int report_metric(Summary *s)
{
  Ranked r;
  int64_t calls = 0;
  if (!ranked_make(s->common, s->ops, op_sum_total, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n; i++) calls += ((const OpSum *)r.entries[i].entry->state)->calls;
  if (calls == 0)
    return s->host->no_metric(s->host, METRIC_TIME, NULL, "no operator launched device work");
  int64_t total_ns = r.total > INT64_MAX ? INT64_MAX : (int64_t)r.total;
  return s->host->metric(s->host, METRIC_TIME, NULL, mill_int(total_ns), (uint64_t)calls);
}

int summary_report(void *instance)
{
  Summary *s = instance;
  int status = report_ops(s, TABLE_OPS_RANK);
  return status == 0 ? report_sums(s, s->categories, TABLE_CATEGORY_RANK) : status;
}

int summary_report_run(void *instance)
{
  Summary *s = instance;
  if (!hists_settle(&s->hists)) return -MILL_LIMIT;
  hists_note(&s->hists, BINNED);
  int status = report_ops(s, TABLE_OPS);
  if (status == 0) status = report_sums(s, s->categories, TABLE_CATEGORY);
  if (status == 0) status = report_args(s);
  if (status == 0) status = report_sums(s, s->modules, TABLE_MODULES);
  return status == 0 ? report_metric(s) : status;
}
