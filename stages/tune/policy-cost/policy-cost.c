/* What it costs to choose all-reduce strategies by a rule instead of by measurement. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "tune/lib/allreduce-cost.h"
#include "tune/lib/allreduce-fit.h"
#include "tune/lib/allreduce-names.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/text/symbol.h"

enum { NOTICE_NO_RULE = AR_FIRST_OWN };

typedef struct Options {
  ArOptions of;
  const char *fallback;
} Options;

typedef struct PolicyCost {
  const MillStageHost *host;
  ArInputs in;
  ArPoints points; /* of the GPUs that are looked at */
  MillSym fallback;
  int64_t sm;
  ArTable table; /* without cells: none was given */
} PolicyCost;

typedef enum { BY_STRATEGY, BY_THRESHOLD, BY_FIT, BY_TABLE } By;

typedef struct Policy {
  By by;
  MillSym name; /* of a strategy, this one everywhere */
  ArRule rule;
  uint64_t first; /* place of the strategy's first row */
} Policy;

static int policy_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self;
  const Options *o = options;
  PolicyCost *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->fallback = symbol_of(host->common, o->fallback);
  *out_instance = x;
  return ar_open(&x->in, host, level, &o->of);
}

AR_CALLS(PolicyCost)

/* ------------------------------------------------------------------- costs */

static MillSym choice_of(const PolicyCost *x, const Policy *policy, const ArPoint *at)
{
  if (policy->by == BY_STRATEGY) return policy->name;
  if (policy->by != BY_TABLE) return ar_rule_strategy(&policy->rule, at->tokens, at->hidden);
  const ArCell *cell = ar_table_lookup(&x->table, at->tp, at->fusion, at->hidden, at->tokens);
  return cell ? cell->strategy : x->fallback;
}

static void add_shape(const PolicyCost *x, const Policy *policy, const ArSpan *shape, ArCost *out)
{
  ArBest best;
  const ArPoint *taken = ar_of_strategy(shape, choice_of(x, policy, shape->at[0]));
  if ((policy->by == BY_THRESHOLD || policy->by == BY_FIT) && !ar_rule_counts(&policy->rule, shape))
    return;
  if (!taken || !ar_best(shape, x->in.auto_strategy, AR_MIN, &best)) return;
  ar_cost_add(out, taken->min / best.time, taken);
}

typedef struct PolicyCostRow {
  int64_t tp;
  MillSym fusion, policy;
  int64_t cells;
  double geomean, worst;
  MillText worst_shape;
  int64_t position;
  double best;
} PolicyCostRow;

static int policy_row(const PolicyCost *x, const ArSpan *section, const Policy *policy,
                      int64_t position)
{
  ArCost c = { 0 };
  ArSpan shape;
  char worst[48];
  for (size_t at = 0; ar_next_shape(section, &at, &shape);) add_shape(x, policy, &shape, &c);
  if (c.cells == 0) return 0;
  int len = snprintf(worst, sizeof worst, "%lldx%lld", (long long)c.tokens, (long long)c.hidden);
  const PolicyCostRow row = {
    .tp = section->at[0]->tp,
    .fusion = section->at[0]->fusion,
    .policy = policy->name,
    .cells = (int64_t)c.cells,
    .geomean = ar_cost_mean(&c),
    .worst = c.worst,
    .worst_shape = { worst, (size_t)len },
    .position = position,
    .best = 1,
  };
  return mill_row(x->host, 0, &row);
}

/* ---------------------------------------------------------------- policies */

typedef struct Policies {
  Policy *at;
  size_t n, capacity;
} Policies;

static bool add(const PolicyCost *x, Policies *all, Policy policy)
{
  if (!array_reserve(x->in.common, &all->at, &all->capacity, all->n + 1, sizeof *all->at))
    return false;
  all->at[all->n++] = policy;
  return true;
}

static bool add_named(const PolicyCost *x, Policies *all, By by, const char *name,
                      const ArRule *rule)
{
  Policy policy = { .by = by, .name = x->in.common->intern(x->in.common, name, strlen(name)) };
  if (rule) policy.rule = *rule;
  return add(x, all, policy);
}

/* In the order of their first rows. */
static bool add_strategies(const PolicyCost *x, const ArSpan *section, Policies *all)
{
  for (size_t i = 0; i < section->n; i++) {
    const ArPoint *p = section->at[i];
    size_t k = 0;
    while (k < all->n && all->at[k].name != p->strategy) k++;
    if (k == all->n && !add(x, all, (Policy){ .name = p->strategy, .first = p->first }))
      return false;
    if (p->first < all->at[k].first) all->at[k].first = p->first;
  }
  for (size_t i = 1; i < all->n; i++)
    for (size_t k = i; k > 0 && all->at[k].first < all->at[k - 1].first; k--) {
      Policy swapped = all->at[k];
      all->at[k] = all->at[k - 1];
      all->at[k - 1] = swapped;
    }
  return true;
}

static bool add_rules(const PolicyCost *x, const ArSpan *section, Policies *all)
{
  ArRule library;
  ArFit fit;
  bool has_library = ar_library_rule(x->in.common, x->sm, section->at[0]->tp, &library);
  if (!has_library) mill_note(x->in.common, NOTICE_NO_RULE);
  if (has_library && !add_named(x, all, BY_THRESHOLD, "threshold", &library)) return false;
  if (!ar_fit(&x->in, section, &fit)) return false;
  if (fit.cells && !add_named(x, all, BY_FIT, "fit", &fit.rule)) return false;
  return x->table.n == 0 || add_named(x, all, BY_TABLE, "table", NULL);
}

static int section_rows(const PolicyCost *x, const ArSpan *section)
{
  Policies all = { 0 };
  int status = 0;
  if (!add_strategies(x, section, &all) || !add_rules(x, section, &all)) return -MILL_LIMIT;
  for (size_t i = 0; i < all.n && status == 0; i++)
    status = policy_row(x, section, &all.at[i], (int64_t)i + 1);
  array_free(x->in.common, all.at);
  return status;
}

static int policy_report_run(void *instance)
{
  PolicyCost *x = instance;
  ArSpan all, section;
  int64_t table_sm;
  int status = ar_pick_points(&x->in, NULL, &x->points, &x->sm);
  if (status < 0) return status;
  x->table.common = x->in.common;
  if (x->sm != AR_NO_SM)
    x->in.options.sm_version = x->sm; /* of several tables that of these GPUs */
  if (ar_has_tables(&x->in)) status = ar_pick_table(&x->in, NULL, &x->table, &table_sm);
  if (status < 0) return status;
  if (!ar_sorted(&x->points, &all)) return -MILL_LIMIT;
  for (size_t at = 0; status == 0 && ar_next_section(&all, &at, &section);)
    status = section_rows(x, &section);
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  AR_SM_OPTION(Options, of),
  AR_OP_OPTION(Options, of),
  AR_DTYPE_OPTION(Options, of),
  MILL_STRING_OPTION(Options, fallback, "default", "NCCL",
                     "Strategy that a table gives for shapes beyond its axes"),
};

static const MillNotice notices[] = {
  AR_NOTICES,
  MILL_INFO(NOTICE_NO_RULE, "the library has no threshold for these GPUs",
            "the policy threshold is left out {count} time[|s]", "set sm-version",
            "TensorRT-LLM chooses between ONESHOT and TWOSHOT by thresholds for 2, 4 and 8 GPUs of "
            "sm 90 and 100. The kind of GPU comes from the file names, or from the option "
            "sm-version."),
};
static const MillRead reads[] = { AR_READS };

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(PolicyCostRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF(PolicyCostRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY_BRIEF(PolicyCostRow, policy, "policy", NULL,
                 "Name of a strategy: always this strategy; threshold: the library's rule; fit: "
                 "the best such rule; table: the lookup table among the inputs"),
  MILL_BRIEF(PolicyCostRow, cells, "cells", "count",
             "Shapes at which the policy's strategy was measured"),
  MILL_BRIEF(PolicyCostRow, geomean, "geomean", "ratio",
             "Geometric mean of its time divided by the best of all strategies but AUTO"),
  MILL_BRIEF(PolicyCostRow, worst, "worst", "ratio", "Largest time divided by the best"),
  MILL_BRIEF(PolicyCostRow, worst_shape, "worst_shape", NULL,
             "Tokens and hidden size with this largest value"),
  MILL_COLUMN(PolicyCostRow, position, "position", NULL, 0, "Order of the policies"),
  MILL_COLUMN(PolicyCostRow, best, "best", "ratio", 0,
              "1, for the line of the best strategy in the figure"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_RUN,
    .brief_rows = 24,
    .name = "policy-cost",
    .help = "Loss of choosing strategies by a rule",
    .order = "tp,fusion,position",
    .columns = MILL_ROWS(columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "policy-cost",
    .title = "Time of Each Policy over the Best Strategy",
    .table = "policy-cost",
    .x = "policy",
    .y = "geomean",
    .series = "tp",
    .facet = "fusion",
    .y_label = "Geometric mean over the best",
    .colors = "tp 2=#88ccee,tp 4=#ddcc77,tp 8=#cc6677", /* the line at 1 is seen across them */
    .over = "policy-best" },
  { .kind = MILL_FIGURE_RULE,
    .name = "policy-best",
    .title = "The Best Strategy",
    .table = "policy-cost",
    .x = "policy",
    .y = "best",
    .facet = "fusion" },
};

static const char *const needs[] = { "input.allreduce", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = policy_open,
  .process = take_rows,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = policy_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "policy-cost",
  .family = "tune",
  .version = "1.0.0",
  .tag = "POLICY",
  .title = "Loss of choosing all-reduce strategies by a rule",
  .help = "Compares with the best strategy of each shape: one strategy always, the library's "
          "threshold between ONESHOT and TWOSHOT, the best such threshold, and a lookup table.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
