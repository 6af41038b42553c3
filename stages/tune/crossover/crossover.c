/* From which size of message one all-reduce strategy is faster than another, and the rule that follows for two. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tune/lib/allreduce-fit.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"

enum { TABLE_CROSSOVER, TABLE_FIT };

typedef struct Options {
  ArOptions of;
} Options;

typedef struct Crossover {
  const MillStageHost *host;
  ArInputs in;
  ArPoints points; /* of the GPUs that are looked at */
} Crossover;

/* One strategy at one size: means over the rows of all shapes of that size. */
typedef struct Size {
  MillSym strategy;
  int64_t bytes;
  double sum;
  uint64_t n;
} Size;

typedef struct Sizes { /* by strategy, then bytes */
  Size *at;
  size_t n;
} Sizes;

static int crossover_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                          const void *options, void **out_instance)
{
  (void)self;
  Crossover *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  *out_instance = x;
  return ar_open(&x->in, host, level, &((const Options *)options)->of);
}

AR_CALLS(Crossover)

/* ------------------------------------------------------------------- sizes */

static int compare_sizes(const void *a, const void *b, void *common)
{
  const Size *x = a, *y = b;
  int order = x->strategy == y->strategy
                  ? 0
                  : strcmp(ar_text(common, x->strategy), ar_text(common, y->strategy));
  return order ? order : x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* AUTO chooses among the others, and messages of unknown size stand nowhere. */
static bool read_sizes(const Crossover *x, const ArSpan *section, Sizes *out)
{
  size_t n = 0;
  *out = (Sizes){ mill_new(x->in.common, section->n * sizeof *out->at), 0 };
  if (!out->at) return false;
  for (size_t i = 0; i < section->n; i++) {
    const ArPoint *p = section->at[i];
    if (p->strategy != x->in.auto_strategy && p->bytes > 0)
      out->at[n++] = (Size){ p->strategy, p->bytes, p->sum, p->n };
  }
  if (n) qsort_r(out->at, n, sizeof *out->at, compare_sizes, (void *)x->in.common);
  for (size_t i = 0; i < n; i++) {
    Size *last = out->n ? &out->at[out->n - 1] : NULL;
    if (last && compare_sizes(last, &out->at[i], (void *)x->in.common) == 0) {
      last->sum += out->at[i].sum;
      last->n += out->at[i].n;
    } else
      out->at[out->n++] = out->at[i];
  }
  return true;
}

static size_t end_of(const Sizes *s, size_t begin)
{
  size_t end = begin;
  while (end < s->n && s->at[end].strategy == s->at[begin].strategy) end++;
  return end;
}

static bool is_faster(const Size *a, const Size *b)
{
  return a->sum / (double)a->n < b->sum / (double)b->n;
}

typedef struct CrossoverRow {
  int64_t tp;
  MillSym fusion, first, second;
  int64_t bytes, sizes;
} CrossoverRow;

/* From the largest size on down, as long as the second wins. */
static int pair_row(const Crossover *x, const ArSpan *section, const Sizes *s, size_t first,
                    size_t second)
{
  size_t i = end_of(s, first), k = end_of(s, second);
  int64_t bytes = 0, sizes = 0;
  bool wins = true;
  while (i > first && k > second) {
    const Size *a = &s->at[i - 1], *b = &s->at[k - 1];
    if (a->bytes == b->bytes) {
      wins = wins && is_faster(b, a);
      if (wins) bytes = a->bytes;
      sizes++;
    }
    i -= a->bytes >= b->bytes;
    k -= b->bytes >= a->bytes;
  }
  const CrossoverRow row = {
    .tp = section->at[0]->tp,
    .fusion = section->at[0]->fusion,
    .first = s->at[first].strategy,
    .second = s->at[second].strategy,
    .bytes = bytes ? bytes : MILL_NO_INT,
    .sizes = sizes,
  };
  return sizes ? mill_row(x->host, TABLE_CROSSOVER, &row) : 0;
}

static int pair_rows(const Crossover *x, const ArSpan *section)
{
  Sizes s;
  int status = 0;
  if (!read_sizes(x, section, &s)) return -MILL_LIMIT;
  for (size_t i = 0; i < s.n; i = end_of(&s, i))
    for (size_t k = 0; k < s.n && status == 0; k = end_of(&s, k))
      if (i != k) status = pair_row(x, section, &s, i, k);
  array_free(x->in.common, s.at);
  return status;
}

typedef struct FitRow {
  int64_t tp;
  MillSym fusion;
  int64_t elements;
  double geomean;
  int64_t cells;
} FitRow;

static int fit_row(const Crossover *x, const ArSpan *section)
{
  ArFit fit;
  if (!ar_fit(&x->in, section, &fit)) return -MILL_LIMIT;
  if (fit.cells == 0) return 0;
  const FitRow row = {
    .tp = section->at[0]->tp,
    .fusion = section->at[0]->fusion,
    .elements = fit.rule.elements == INT64_MAX ? MILL_NO_INT : fit.rule.elements,
    .geomean = fit.geomean,
    .cells = (int64_t)fit.cells,
  };
  return mill_row(x->host, TABLE_FIT, &row);
}

static int crossover_report_run(void *instance)
{
  Crossover *x = instance;
  ArSpan all, section;
  int64_t sm;
  int status = ar_pick_points(&x->in, NULL, &x->points, &sm);
  if (status < 0) return status;
  if (!ar_sorted(&x->points, &all)) return -MILL_LIMIT;
  for (size_t at = 0; status == 0 && ar_next_section(&all, &at, &section);) {
    status = pair_rows(x, &section);
    if (status == 0) status = fit_row(x, &section);
  }
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  AR_SM_OPTION(Options, of),
  AR_OP_OPTION(Options, of),
  AR_DTYPE_OPTION(Options, of),
};
static const MillNotice notices[] = { AR_NOTICES };
static const MillRead reads[] = { AR_READS };

static const MillColumn crossover_columns[] = {
  MILL_KEY_BRIEF(CrossoverRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF(CrossoverRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY_BRIEF(CrossoverRow, first, "first", NULL, "First strategy of the pair"),
  MILL_KEY_BRIEF(CrossoverRow, second, "second", NULL, "Second strategy of the pair"),
  MILL_BRIEF(CrossoverRow, bytes, "bytes", "bytes",
             "Smallest message from which `second` is faster at every larger size measured for "
             "both; empty: `second` is not faster at the largest"),
  MILL_BRIEF(CrossoverRow, sizes, "sizes", "count", "Number of sizes that were measured for both"),
};

static const MillColumn fit_columns[] = {
  MILL_KEY_BRIEF(FitRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF(FitRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_BRIEF(FitRow, elements, "elements", "count",
             "Best threshold of tokens times hidden size: ONESHOT below it, TWOSHOT from it on; "
             "empty: always ONESHOT"),
  MILL_BRIEF(FitRow, geomean, "geomean", "ratio",
             "Geometric mean of the time by this rule divided by the best"),
  MILL_COLUMN(FitRow, cells, "cells", "count", 0,
              "Shapes at which ONESHOT and TWOSHOT were measured"),
};

static const MillTable tables[] = {
  [TABLE_CROSSOVER] = { .per = MILL_PER_RUN,
                        .brief_rows = 12,
                        .name = "crossover",
                        .help = "Size from which one strategy is faster than another",
                        .columns = MILL_ROWS(crossover_columns) },
  [TABLE_FIT] = { .per = MILL_PER_RUN,
                  .brief_rows = 12,
                  .name = "threshold-fit",
                  .help = "The best rule between ONESHOT and TWOSHOT",
                  .columns = MILL_ROWS(fit_columns) },
};

static const char *const needs[] = { "input.allreduce", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = crossover_open,
  .process = take_rows,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = crossover_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "crossover",
  .family = "tune",
  .version = "1.0.0",
  .tag = "CROSS",
  .title = "Sizes from which one all-reduce strategy is faster than another",
  .help = "Finds, for each pair of strategies, the size of message from which the one is faster "
          "than the other, and the best number of elements at which to switch from ONESHOT to "
          "TWOSHOT.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
