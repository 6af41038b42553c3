/* Cells that differ between two lookup tables of all-reduce strategies, and what the change costs where it was
 * measured. */
/* SPDX-License-Identifier: MIT */
#include "kit/declare/rows.h"
#include "tune/lib/allreduce.h"

enum { NOTICE_ONE_SIDED = AR_FIRST_OWN };

typedef struct Options {
  ArOptions of;
} Options;

typedef struct Diff {
  const MillStageHost *host;
  ArInputs in;
  ArPoints points; /* of the GPUs at hand; perhaps none */
  uint64_t changed, compared;
} Diff;

static int diff_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  Diff *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  *out_instance = x;
  return ar_open(&x->in, host, level, &((const Options *)options)->of);
}

AR_CALLS(Diff)

/* ------------------------------------------------------------------- cells */

/* NaN: not measured. */
static double time_of(const Diff *x, const ArCell *c)
{
  const ArPoint like = { .tp = c->tp,
                         .hidden = c->hidden,
                         .tokens = c->tokens,
                         .fusion = c->fusion,
                         .strategy = c->strategy };
  const ArPoint *p = ar_points_find(&x->points, &like);
  return p ? p->min : (double)NAN;
}

typedef struct TableDiffRow {
  int64_t sm, tp;
  MillSym fusion;
  int64_t hidden_size, num_tokens;
  MillSym base, new;
  double change;
} TableDiffRow;

/* Either may be NULL: the other table alone has the cell. */
static int cell_row(Diff *x, int64_t sm, const ArCell *base, const ArCell *new)
{
  const ArCell *c = base ? base : new;
  x->compared++;
  if (base && new &&ar_cells_agree(base, new)) return 0;
  x->changed++;
  double change = base && new ? ar_longer(time_of(x, base), time_of(x, new)) : (double)NAN;
  const TableDiffRow row = {
    .sm = sm,
    .tp = c->tp,
    .fusion = c->fusion,
    .hidden_size = c->hidden,
    .num_tokens = c->tokens,
    .base = base ? base->strategy : 0,
    .new = new ? new->strategy : 0,
    .change = change,
  };
  return mill_row(x->host, 0, &row);
}

/* Both are sorted alike. */
static int compare(Diff *x, int64_t sm, const ArTable *base, const ArTable *new)
{
  size_t i = 0, k = 0;
  int status = 0;
  while (status == 0 && (i < base->n || k < new->n)) {
    int order = i == base->n  ? 1
                : k == new->n ? -1
                              : ar_cells_compare(x->in.common, &base->at[i], &new->at[k]);
    status = cell_row(x, sm, order <= 0 ? &base->at[i] : NULL, order >= 0 ? &new->at[k] : NULL);
    i += order <= 0;
    k += order >= 0;
  }
  return status;
}

/* ------------------------------------------------------------------- kinds */

static bool has(const Diff *x, const char *label, int64_t sm)
{
  for (size_t i = 0; i < x->in.n; i++) {
    const ArLane *lane = &x->in.lanes[i];
    bool fits = lane->sm == sm || lane->sm == AR_NO_SM || sm == AR_NO_SM;
    if (lane->table.n && fits && ar_is_labelled(&x->in, lane, label)) return true;
  }
  return false;
}

static bool has_times(const Diff *x, int64_t sm)
{
  for (size_t i = 0; i < x->in.n; i++) {
    const ArLane *lane = &x->in.lanes[i];
    bool fits = lane->sm == sm || lane->sm == AR_NO_SM || sm == AR_NO_SM;
    if (lane->points.n_rows && fits) return true;
  }
  return false;
}

static void note_one_sided(const Diff *x, int64_t sm)
{
  const MillNamed named[] = { { "sm", mill_int(sm) } };
  x->in.common->note(x->in.common, NOTICE_ONE_SIDED, NULL, MILL_NO_EVENT, named, 1);
}

static int compare_kind(Diff *x, int64_t sm)
{
  ArTable base, new;
  int64_t chosen;
  if (sm != AR_NO_SM) {
    x->in.options.sm_version = sm;
    if (!has(x, "base", sm) || !has(x, "new", sm)) {
      note_one_sided(x, sm);
      return 0;
    }
  }
  x->points = (ArPoints){ .common = x->in.common };
  int status = ar_pick_table(&x->in, "base", &base, &chosen);
  if (status == 0) status = ar_pick_table(&x->in, "new", &new, &chosen);
  if (status == 0 && has_times(x, sm)) status = ar_pick_points(&x->in, NULL, &x->points, &chosen);
  return status == 0 ? compare(x, sm, &base, &new) : status;
}

/* The kinds of GPUs of either table. */
static bool kinds_of(const Diff *x, ArAxis *out)
{
  for (size_t i = 0; i < x->in.n; i++) {
    const ArLane *lane = &x->in.lanes[i];
    int64_t asked = x->in.options.sm_version;
    if (!lane->table.n || lane->sm == AR_NO_SM || (asked && lane->sm != asked)) continue;
    if (!ar_axis_add(x->in.common, out, lane->sm)) return false;
  }
  return true;
}

static int diff_report_run(void *instance)
{
  Diff *x = instance;
  ArAxis kinds = { 0 };
  int status = 0;
  if (!kinds_of(x, &kinds)) return -MILL_LIMIT;
  bool both = has(x, "base", AR_NO_SM) && has(x, "new", AR_NO_SM);
  /* Fails where a side is not there, and says which. */
  if (!both || kinds.n == 0) status = compare_kind(x, AR_NO_SM);
  for (size_t i = 0; i < kinds.n && both && status == 0; i++) status = compare_kind(x, kinds.at[i]);
  if (status < 0) return status;
  if (x->compared == 0)
    return mill_fail(x->in.common, MILL_BAD_INPUT, "the tables are of different kinds of GPUs",
                     "give tables of the same kind as base=A and new=B");
  return x->host->metric(x->host, 0, NULL, mill_int((int64_t)x->changed), x->compared);
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  AR_SM_OPTION(Options, of),
  AR_OP_OPTION(Options, of),
  AR_DTYPE_OPTION(Options, of),
};

static const MillNotice notices[] = {
  AR_NOTICES,
  MILL_WARNING(NOTICE_ONE_SIDED, "only one side has a table of sm {sm}", "it is left out", NULL,
               "The stage compares tables of the same kind of GPUs. An input may have tables of "
               "several kinds, and the other side may lack some of them."),
};
static const MillRead reads[] = { AR_READS };

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(TableDiffRow, sm, "sm", NULL, "Kind of GPUs"),
  MILL_KEY_BRIEF(TableDiffRow, tp, "tp", NULL, "GPUs of the all-reduce"),
  MILL_KEY_BRIEF(TableDiffRow, fusion, "fusion", NULL, "Operation fused into the same kernel"),
  MILL_KEY_BRIEF(TableDiffRow, hidden_size, "hidden_size", NULL, "Number of elements of a token"),
  MILL_KEY_BRIEF(TableDiffRow, num_tokens, "num_tokens", NULL, "Number of tokens of the message"),
  MILL_BRIEF(TableDiffRow, base, "base", NULL,
             "Strategy of the table base; empty: it has no such cell"),
  MILL_BRIEF(TableDiffRow, new, "new", NULL, "Strategy of the table new"),
  MILL_BRIEF(TableDiffRow, change, "change", "percent",
             "How much longer the new strategy takes, if both were measured"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_RUN,
    .brief_rows = 24,
    .name = "table-diff",
    .help = "Cells that differ",
    .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_INT,
    .name = "allreduce_changed",
    .unit = "count",
    .help = "Cells that differ between two lookup tables" },
};

static const char *const needs[] = { "input.allreduce", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = diff_open,
  .process = take_rows,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = diff_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "table-diff",
  .family = "tune",
  .version = "1.0.0",
  .tag = "TDIFF",
  .title = "Cells that differ between two lookup tables of all-reduce strategies",
  .help = "Compares two lookup tables, base=A new=B, cell by cell. If measurements are among the "
          "inputs, shows the cost of each change.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
