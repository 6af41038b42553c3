/* Which GEMMs take very different times in one run, when the shortest and the longest call ran, and beside which collectives:
 * of each lane the few rows that differ most, and over all lanes how the differences divide.  One pass, however many rows
 * are reported. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "tables.h"

#include "kit/declare/rows.h"
#include "kit/state/instance.h"

static int variance_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self, (void)level;
  Variance *v = instance_new(Variance, host, out_instance);
  if (!v) return -MILL_LIMIT;
  v->ends.common = v->rows.common = host->common;
  v->options = *(const Options *)options;
  hists_init(&v->hists, v->common, (uint64_t)v->options.exact_up_to);
  gemm_calls_open(&v->calls, v->common);
  calls_open(&v->collectives, v->common);
  v->gemms = (GemmRows){ .common = v->common, .of = &v->calls, .hists = &v->hists };
  return 0;
}

static bool see(Variance *v, const MillBatch *b, const MillEvent *e)
{
  if (!gemm_calls_see(&v->calls, b, e) || !calls_see(&v->collectives, b, e, 0)) return false;
  if (v->options.match != MATCH_PREFIX || e->kind != MILL_SLICE || e->dur_ns < 0) return true;
  return torch_kind(&v->calls.words, e) != TORCH_KERNEL || ends_add(&v->ends, e);
}

static int variance_process(void *instance, MillBatch *b)
{
  Variance *v = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!see(v, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

static int variance_flush(void *instance, MillBatch *b)
{
  Variance *v = instance;
  (void)b;
  if (!variance_find(v)) return -MILL_LIMIT;
  if (v->rows.n == 0) mill_note(v->common, NO_GEMM);
  return 0;
}

static const StateField variance_fields[] = { STATE_PART(Variance, rows, rows_state) };
static const StateType variance_state = STATE_TYPE(Variance, variance_fields);
STATE_RESULT(Variance, variance_state)

/* ---- results */

static int variance_report(void *instance)
{
  const Variance *v = instance;
  MillLane lane = { .size = sizeof lane };
  v->common->lane(v->common, MILL_NO_LANE, &lane);
  const char *path = lane.path ? lane.path : lane.name;
  const char *state = v->rows.n ? "used" : "no-gemm";
  const SweepRow row = {
    .trace = path,
    .device_events = (int64_t)v->calls.n_device,
    .gemm_calls = (int64_t)v->calls.n,
    .rows = (int64_t)v->rows.n,
    .state = state,
  };
  return mill_row(v->host, TABLE_SWEEP, &row);
}

/* Names joined by ";", in scratch memory. */
static MillText joined_names(const Variance *v, const VarianceRow *r)
{
  size_t size = 0, len;
  for (size_t i = 0; i < r->n_overlaps; i++) {
    (void)v->common->symbol_text(v->common, r->overlaps[i].name, &len);
    size += len + 1;
  }
  char *text = v->common->scratch(v->common, size + 1), *at = text;
  for (size_t i = 0; text && i < r->n_overlaps; i++) {
    MillSym name = r->overlaps[i].name;
    const char *word = v->common->symbol_text(v->common, name, &len);
    if (i) *at++ = ';';
    memcpy(at, word, len);
    at += len;
  }
  return text ? (MillText){ text, (size_t)(at - text) } : (MillText){ NULL, 0 };
}

static int64_t number_or_none(int64_t number) { return number < 0 ? MILL_NO_INT : number; }
static int64_t time_or_none(const VarianceRow *r, int64_t ns)
{
  return r->is_found ? ns : MILL_NO_INT;
}

static int64_t between(const VarianceRow *r)
{
  int64_t ns;
  if (__builtin_sub_overflow(r->max_at_ns, r->min_at_ns, &ns) || ns == INT64_MIN) return INT64_MAX;
  return ns < 0 ? -ns : ns;
}

static int report_row(const Variance *v, const VarianceRow *r)
{
  size_t len;
  double share;
  const Overlap *largest = row_largest(r);
  const char *key = v->common->symbol_text(v->common, r->key, &len);
  const VarianceCells row = {
    .threads = number_or_none(r->threads),
    .channels = number_or_none(r->channels),
    .rank = number_or_none(r->rank),
    .key = gemm_key(key, len),
    .kernel = r->kernel,
    .calls = r->calls,
    .min_ns = r->min_ns,
    .max_ns = r->max_ns,
    .diff_ns = row_diff(r),
    .min_ts_ns = time_or_none(r, r->min_at_ns),
    .max_ts_ns = time_or_none(r, r->max_at_ns),
    .between_ns = time_or_none(r, between(r)),
    .min_found_ns = time_or_none(r, r->min_found_ns),
    .max_found_ns = time_or_none(r, r->max_found_ns),
    .overlap_count = (int64_t)r->n_overlaps,
    .overlap_names = joined_names(v, r),
    .overlap_max = row_share(r, largest ? largest->ns : 0, &share) ? share : (double)NAN,
    .overlap_max_name = largest ? largest->name : 0,
    .overlap_ns = r->overlap_ns,
    .input = r->shares_rank ? r->input : 0,
  };
  return mill_row(v->host, TABLE_VARIANCE, &row);
}

/* ---- overlap */

typedef struct Shares { /* of the longest calls, beside one collective at most */
  int64_t overlapping, above_half, found;
  double sum;
} Shares;

static Shares add_shares(const Variance *v)
{
  Shares s = { 0 };
  for (size_t i = 0; i < v->rows.n; i++) {
    const VarianceRow *r = &v->rows.items[i];
    const Overlap *largest = row_largest(r);
    double share = 0;
    s.found += r->is_found;
    if (!largest || !row_share(r, largest->ns, &share)) continue;
    s.overlapping++;
    s.above_half += share > 50;
    s.sum += share;
  }
  return s;
}

static int report_summary(const Variance *v)
{
  const Shares s = add_shares(v);
  const double n = (double)s.overlapping;
  if (v->rows.n == 0)
    return v->host->no_metric(v->host, METRIC_OVERLAP, "mean", "there is no GEMM");
  const SummaryRow row = {
    .rows = (int64_t)v->rows.n,
    .overlapping = s.overlapping,
    .above_half = s.above_half,
    .mean = s.overlapping ? s.sum / n : (double)NAN,
    .timestamps_found = s.found,
  };
  int status = mill_row(v->host, TABLE_SUMMARY, &row);
  if (status != 0) return status;
  return v->host->metric(v->host, METRIC_OVERLAP, "mean", mill_real(s.sum / (double)v->rows.n),
                         v->rows.n);
}

typedef struct NameSum {
  int64_t rows, ns;
  size_t last_row; /* plus 1 */
} NameSum;

static int report_names(const Variance *v)
{
  Keyed *sums = keyed_new(v->common, sizeof(NameSum));
  int status = 0;
  for (size_t i = 0; sums && i < v->rows.n; i++) {
    const VarianceRow *r = &v->rows.items[i];
    for (size_t k = 0; k < r->n_overlaps; k++) {
      const Overlap *o = &r->overlaps[k];
      NameSum *sum = keyed_get_sym(sums, o->name);
      if (!sum) return -MILL_LIMIT;
      sum->rows += sum->last_row != i + 1;
      sum->last_row = i + 1;
      if (__builtin_add_overflow(sum->ns, o->ns, &sum->ns)) sum->ns = INT64_MAX;
    }
  }
  const KeyedEntry *const *entries = sums ? keyed_sorted(sums) : NULL;
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(sums) && status == 0; i++) {
    const NameSum *sum = entries[i]->state;
    const NameRow row = {
      .name = { entries[i]->key, entries[i]->len },
      .rows = sum->rows,
      .overlap_ns = sum->ns,
    };
    status = mill_row(v->host, TABLE_NAMES, &row);
  }
  return status;
}

/* ---- the run */

static int report_spread(const Variance *v)
{
  static const char *const stats[] = { "max", "mean", "p50" };
  Hists alone;
  Dist all = { 0 };
  int status = 0;
  bool fits = true;
  hists_init(&alone, v->common, HIST_NO_BOUND);
  for (size_t i = 0; i < v->rows.n && fits; i++)
    fits = dist_add(&all, &alone, row_diff(&v->rows.items[i]));
  if (!fits) return -MILL_LIMIT;
  const double values[] = { (double)all.moments.max, dist_mean(&all), dist_percentile(&all, 50) };
  for (uint32_t i = 0; i < MILL_COUNT(stats) && status == 0; i++)
    status = v->rows.n ? v->host->metric(v->host, METRIC_SPREAD, stats[i], mill_real(values[i]),
                                         v->rows.n)
                       : v->host->no_metric(v->host, METRIC_SPREAD, stats[i], "there is no GEMM");
  hists_clear(&alone);
  return status;
}

static int variance_report_run(void *instance)
{
  Variance *v = instance;
  int status = 0;
  if (!rows_sort(&v->rows)) return -MILL_LIMIT;
  for (size_t i = 0; i < v->rows.n && status == 0; i++) status = report_row(v, &v->rows.items[i]);
  if (status == 0) status = report_summary(v);
  if (status == 0) status = report_names(v);
  if (status == 0) status = variance_report_points(v);
  if (status == 0) status = variance_report_groups(v);
  if (status == 0) status = variance_report_interaction(v);
  return status == 0 ? report_spread(v) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, top_k, "top-k", "5", "0:", "rows",
                  "Number of rows of each rank, those with the largest differences; 0: all"),
  MILL_CHOICE_OPTION(Options, match, "match", "exact", "exact|prefix",
                     "Where to look for the shortest and the longest call: exact, in the calls of "
                     "the row; prefix, in all kernels whose names begin with the name of the row's "
                     "kernel"),
  MILL_REAL_OPTION(Options, tolerance_percent, "tolerance", "1", "0:", "percent",
                   "With match=prefix: count kernels found whose time differs by more than this"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",
                  "Largest number of values of calls kept for each rank, 8 bytes each"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(NO_GEMM, "{lane} has no GEMM", "gemm-variance leaves it out",
            "record host and device: activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
            "No host operator that multiplies matrices (aten::mm, aten::addmm, aten::bmm, ...) "
            "launched device work. The table sweep lists what each trace holds."),
  MILL_WARNING(ELSEWHERE,
               "{count} row[|s] of {lane} found a kernel whose time differs by more than tolerance",
               "[its|their] times and overlap belong to another GEMM whose kernel name has the "
               "same beginning",
               "leave out match=prefix",
               "With match=prefix, kernels are found by the beginning of their names, over all "
               "sizes. The shortest or longest kernel found may belong to another row. The "
               "default, match=exact, uses only the calls of the row."),
  MILL_INFO(NO_KERNEL, "for {count} row[|s] of {lane} no kernel was found",
            "[its|their] times are empty", "leave out match=prefix",
            "The row's kernel is a copy or a fill; match=prefix searches only kernels."),
};

static const MillMetric metrics[] = {
  [METRIC_SPREAD] = { .per = MILL_PER_RUN,
                      .better = MILL_LOWER,
                      .kind = MILL_REAL,
                      .name = "gemm_spread",
                      .unit = "ns",
                      .stats = "max,mean,p50",
                      .help = "Difference between the longest and the shortest call of a GEMM, of "
                              "the rows in gemm-variance" },
  [METRIC_OVERLAP] = { .per = MILL_PER_RUN,
                       .better = MILL_LOWER,
                       .kind = MILL_REAL,
                       .name = "gemm_overlap",
                       .unit = "percent",
                       .stats = "mean",
                       .help = "Share of the longest call of each of these rows that ran at the "
                               "same time as one collective" },
};

static const MillRead reads[] = { GEMM_CALLS_READS, CALLS_READS };
static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const wants[] = { "clock.shared", "operators", NULL };
static const char *const provides[] = { "table.gemm-variance", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = variance_open,
  .process = variance_process,
  .flush = variance_flush,
  .report = variance_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = variance_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "gemm-variance",
  .family = "gemm",
  .version = "1.0.0",
  .tag = "GVAR",
  .title = "GEMMs whose calls differ most in time, and the collectives beside them",
  .help = "Lists, for each rank, the GEMMs with the largest difference between their longest and "
          "shortest call, when these calls ran, and which collectives ran at the same time as the "
          "longest. Shows how the differences depend on threads, channels and ranks of a sweep.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
