/* Why a step of one run is longer than one of another: each instant of the steps after warm-up is of one part, class, operator
 * and kernel, and the changes of each level add up to that of the step.  Memory: as step-parts, and 20 bytes for each piece of
 * device work. */
/* SPDX-License-Identifier: MIT */
#include "why.h"

#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/trace/tree-attrs.h"
#include "rows.h"

typedef struct Options {
  int64_t sync_slack_ns;
} Options;

static int why_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                    const void *options, void **out_instance)
{
  (void)self;
  Why *w = instance_new(Why, host, out_instance);
  if (!w) return -MILL_LIMIT;
  w->text.common = w->common;
  if (level != MILL_LANE) {
    w->ranks = keyed_new(w->common, sizeof(int64_t));
    w->late = keyed_new(w->common, sizeof(LateRank));
    return w->ranks && w->late ? 0 : -MILL_LIMIT;
  }
  const int side = sides_find(w->common, NOTICE_SIDES);
  if (side < 0) return side;
  w->facts.sync_slack_ns = ((const Options *)options)->sync_slack_ns;
  w->facts.watch = &leaf_watch;
  w->facts.watcher = w;
  if (!facts_open(&w->facts, host) || !leaves_open(w)) return -MILL_LIMIT;
  w->lane.side = side;
  w->lane.rank = facts_rank(&w->facts);
  return 0;
}

static int why_process(void *instance, MillBatch *b)
{
  return facts_see(&((Why *)instance)->facts, b) ? 0 : -MILL_LIMIT;
}

static int why_flush(void *instance, MillBatch *b)
{
  Why *w = instance;
  (void)b;
  return facts_close(&w->facts) && leaves_close(w) ? 0 : -MILL_LIMIT;
}

static int why_save_result(void *instance)
{
  lane_save(instance);
  return 0;
}

static int why_merge_result(void *instance) { return lane_merge(instance); }

static int check_sides(const Why *w)
{
  bool any[N_SIDES] = { false };
  for (size_t i = 0; i < w->n_runs; i++) any[w->runs[i]->side] = true;
  return sides_check(w->common, NOTICE_SIDES, any);
}

static int why_report_run(void *instance)
{
  Why *w = instance;
  Tree tree;
  Match match;
  int status = check_sides(w);
  if (status == 0) status = runs_close(w);
  if (status) return status;
  if (!tree_make(w, &tree) || !match_work(w, &tree, &match)) return -MILL_LIMIT;
  return why_report(w, &tree, &match);
}

/* ---- the descriptor */

static const MillColumn why_columns[] = {
  MILL_KEY_BRIEF(WhyRow, level, "level", NULL,
                 "step, part, class, op or kernel; the changes of each level add up to the step's"),
  MILL_KEY_BRIEF(WhyRow, part, "part", NULL, "compute, exposed-comm, exposed-copy, or idle"),
  MILL_KEY_BRIEF(WhyRow, class, "class", NULL,
                 "Of compute as in device-classes; of the others the cause, as in step-parts"),
  MILL_KEY_BRIEF(WhyRow, op, "op", NULL,
                 "Operator and its shapes, else the kernel without template arguments; collective; "
                 "copy; what the host was doing"),
  MILL_KEY_BRIEF(WhyRow, kernel, "kernel", NULL, "Kernel"),
  MILL_BRIEF(WhyRow, base_ns, "base", "ns", "In a mean step of a mean rank of base"),
  MILL_BRIEF(WhyRow, new_ns, "new", "ns", "In one of new"),
  MILL_BRIEF(WhyRow, change_ns, "change", "ns", "new - base"),
  MILL_BRIEF(
      WhyRow, kind, "kind", NULL,
      "slower, faster, more-often, less-often, new, gone, or replaced: other kernels under the "
      "same operator"),
  MILL_COLUMN(WhyRow, low_ns, "change_low", "ns", 0,
              "Lower end of the 95 % interval of the change, with four runs a side"),
  MILL_COLUMN(WhyRow, high_ns, "change_high", "ns", 0, "Upper end"),
  MILL_COLUMN(WhyRow, base_calls, "base_calls", "count", 0, "How often in a step of base"),
  MILL_COLUMN(WhyRow, new_calls, "new_calls", "count", 0, "How often in a step of new"),
};

static const MillColumn summary_columns[] = {
  MILL_BRIEF(SummaryRow, base_ns, "base", "ns", "A mean step of a mean rank of base"),
  MILL_BRIEF(SummaryRow, new_ns, "new", "ns", "One of new"),
  MILL_BRIEF(SummaryRow, change_ns, "change", "ns", "new - base"),
  MILL_BRIEF(SummaryRow, change_percent, "relative_change", "percent",
             "The change, as a share of base"),
  MILL_COLUMN(SummaryRow, has_steps, "steps", NULL, 0,
              "Both sides have steps; else the whole time of the devices is one"),
  MILL_COLUMN(SummaryRow, base_runs, "base_runs", "count", 0, "Recordings of base"),
  MILL_COLUMN(SummaryRow, new_runs, "new_runs", "count", 0, "Recordings of new"),
  MILL_COLUMN(SummaryRow, base_ranks, "base_ranks", "count", 0, "Ranks of the first one of base"),
  MILL_COLUMN(SummaryRow, new_ranks, "new_ranks", "count", 0, "Ranks of the first one of new"),
  MILL_BRIEF(SummaryRow, base_matched, "base_matched", "percent",
             "Computing time of base in operators and kernels that new has, too"),
  MILL_BRIEF(SummaryRow, new_matched, "new_matched", "percent",
             "Computing time of new in those that base has, too"),
  MILL_COLUMN(
      SummaryRow, factor, "factor", "ratio", 0,
      "Nearly all computing work takes so many times as long, and that is most of the change"),
  MILL_COLUMN(SummaryRow, waited_for, "waited_for", NULL, 0,
              "Rank for which the others wait longer in new"),
};

static const MillColumn waterfall_columns[] = {
  MILL_KEY_BRIEF(WaterfallRow, name, "name", NULL,
                 "In order: base, classes of work or causes, new"),
  MILL_BRIEF(WaterfallRow, from_ns, "from", "ns", "The step before this change"),
  MILL_BRIEF(WaterfallRow, to_ns, "to", "ns", "The step with it"),
  MILL_BRIEF(WaterfallRow, kind, "kind", NULL, "step, longer or shorter"),
};

static const MillTable tables[] = {
  [TABLE_WHY] = { .per = MILL_PER_RUN,
                  .brief_rows = 20,
                  .name = "why",
                  .help = "What became longer and shorter in a step, by level",
                  .columns = MILL_ROWS(why_columns) },
  [TABLE_SUMMARY] = { .per = MILL_PER_RUN,
                      .name = "why-summary",
                      .help = "How long a step takes on both sides, and how much of it is matched",
                      .columns = MILL_ROWS(summary_columns) },
  [TABLE_WATERFALL] = { .per = MILL_PER_RUN,
                        .name = "why-waterfall",
                        .help = "From a step of base to one of new, one change after the other",
                        .columns = MILL_ROWS(waterfall_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_TIMELINE,
    .name = "why",
    .title = "From a step of base to one of new",
    .table = "why-waterfall",
    .x = "from",
    .x_end = "to",
    .y = "name",
    .series = "kind",
    .colors = "step=#7f7f7f,longer=#d55e00,shorter=#009e73",
    .x_label = "time of a step",
    .y_label = "change" },
};

static const MillOption options[] = {
  MILL_DURATION_OPTION(
      Options, sync_slack_ns, "sync-slack", "5us", "0:1s",
      "A gap that begins this long after a call that waited for the device is still its doing"),
};

static const MillNotice notices[] = {
  SIDES_NOTICE(NOTICE_SIDES, "A rank that comes again on a side is of a repeat of that run."),
};

static const MillRead reads[] = {
  TREE_READ(TREE_CALL_START), TREE_READ(TREE_CALL_DUR), TREE_READ(TREE_TRACK),
  TREE_READ(TREE_STEP),       TREE_READ(TREE_CATEGORY), TREE_READ(TREE_ROW),
  TREE_READ(TREE_OUTER_MODULE),     TREE_READ(TREE_OUTER),    CALLS_READS
};

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.why", "table.why-summary", "table.why-waterfall",
                                        NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = why_open,
  .process = why_process,
  .flush = why_flush,
  .save_result = why_save_result,
  .merge_result = why_merge_result,
  .report_run = why_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "step-change",
  .family = "torch",
  .version = "1.0.0",
  .tag = "WHY",
  .title = "Why a step of one run is longer than one of another",
  .help =
      "Compares a mean step of the runs labelled base and new: each instant is of one part, class, "
      "operator and kernel, so that the changes of each level add up to that of the step.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
