/* A sound stage whose parts can be replaced: a bad module defines the part it gets wrong. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#ifndef STAGE_NAME
#define STAGE_NAME "good"
#endif
#ifndef VENDOR
#define VENDOR "stagemill"
#endif
#ifndef STAGE_FAMILY
#define STAGE_FAMILY "test"
#endif
#ifndef STAGE_TAG
#define STAGE_TAG "GOOD"
#endif
#ifndef STAGE_TITLE
#define STAGE_TITLE "A stage for tests"
#endif
#ifndef STAGE_FLAGS
#define STAGE_FLAGS 0
#endif
#ifndef STAGE_SIZE
#define STAGE_SIZE sizeof(MillStage)
#endif
#ifndef N_OPTIONS
#define N_OPTIONS MILL_COUNT(options)
#endif
#ifndef OPTION_STRIDE
#define OPTION_STRIDE sizeof(MillOption)
#endif
#ifndef OPTION_FLAGS
#define OPTION_FLAGS 0
#endif
#ifndef OPTION_DEFAULT
#define OPTION_DEFAULT "10"
#endif
#ifndef OPTION_UNIT
#define OPTION_UNIT "ns"
#endif
#ifndef SECOND_OPTION
#define SECOND_OPTION "second"
#endif
#ifndef NOTICE_WHAT
#define NOTICE_WHAT "{count} event[|s] [is|are] odd"
#endif
#ifndef NOTICE_EFFECT
#define NOTICE_EFFECT NULL
#endif
#ifndef COLUMN_STRIDE
#define COLUMN_STRIDE sizeof(MillColumn)
#endif
#ifndef COLUMN_TYPE
#define COLUMN_TYPE MILL_INT
#endif
#ifndef COLUMN_FIELD
#define COLUMN_FIELD MILL_FIELD_NONE, 0, 0
#endif
#ifndef COLUMN_NAME
#define COLUMN_NAME "count"
#endif
#ifndef COLUMN_UNIT
#define COLUMN_UNIT "count"
#endif
#ifndef TABLE_ORDER
#define TABLE_ORDER NULL
#endif
#ifndef METRIC_ALIASES
#define METRIC_ALIASES NULL
#endif
#ifndef METRIC_PER
#define METRIC_PER MILL_PER_LANE
#endif
#ifndef METRIC_BETTER
#define METRIC_BETTER MILL_HIGHER
#endif
#ifndef METRIC_HEADLINE
#define METRIC_HEADLINE NULL
#endif
#ifndef METRIC_UNIT
#define METRIC_UNIT "tok/s"
#endif
#ifndef METRIC_STATS
#define METRIC_STATS "mean,p50,p99.9,p*,max"
#endif
#ifndef FIGURE_TABLE
#define FIGURE_TABLE "counts"
#endif
#ifndef FIGURE_COLUMN
#define FIGURE_COLUMN "rank"
#endif
#ifndef FIGURE_MORE
#define FIGURE_MORE
#endif
#ifndef MODULE_MAGIC
#define MODULE_MAGIC MILL_MAGIC
#endif
#ifndef MODULE_ABI
#define MODULE_ABI MILL_ABI
#endif
#ifndef MODULE_KIND
#define MODULE_KIND MILL_KIND_STAGE
#endif

typedef struct Options {
  int64_t first, second;
} Options;

static int call(const MillStage *self, const MillStageHost *host, uint32_t level,
                const void *options, void **out)
{
  (void)self, (void)host, (void)level, (void)options;
  *out = NULL;
  return 0;
}
static int work(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}
static int end(void *instance)
{
  (void)instance;
  return 0;
}
#ifndef STAGE_OPS
static const MillStageOps ops = {
  .size = sizeof ops, .open = call, .process = work, .report = end
};
#define STAGE_OPS &ops
#endif
#ifdef OPS_WITHOUT_WORK
static const MillStageOps idle = { .size = sizeof idle, .open = call, .report = end };
#endif
#ifdef OPS_WITHOUT_MERGE
static const MillStageOps lossy = {
  .size = sizeof lossy, .open = call, .process = work, .report = end, .save_result = end
};
#endif
#ifdef OPS_WITHOUT_REPORT
static const MillStageOps silent = {
  .size = sizeof silent, .open = call, .process = work, .save_result = end, .merge_result = end
};
#endif

static const MillOption options[] = {
  { MILL_OPT_INT, offsetof(Options, first), OPTION_FLAGS, "first", OPTION_DEFAULT, "1:100",
    OPTION_UNIT, "The first." },
  MILL_INT_OPTION(Options, second, SECOND_OPTION, "1", NULL, NULL, "The second."),
};
static const MillNotice notices[] = { MILL_WARNING(1, NOTICE_WHAT, NOTICE_EFFECT, NULL, "Odd.") };
static const MillColumn columns[] = { { COLUMN_NAME, COLUMN_UNIT, COLUMN_TYPE, MILL_COLUMN_KEY,
                                        "How many.", COLUMN_FIELD } };
static const MillTable tables[] = { { .per = MILL_PER_LANE,
                                      .name = "counts",
                                      .help = "Counts.",
                                      .order = TABLE_ORDER,
                                      .columns = { columns, 1, COLUMN_STRIDE } } };
static const MillMetric metrics[] = { { .per = METRIC_PER,
                                        .better = METRIC_BETTER,
                                        .kind = MILL_REAL,
                                        .name = "rate",
                                        .unit = METRIC_UNIT,
                                        .stats = METRIC_STATS,
                                        .aliases = METRIC_ALIASES,
                                        .help = "A rate.",
                                        .headline = METRIC_HEADLINE } };
static const MillFigure figures[] = { { .kind = MILL_FIGURE_BAR,
                                        .name = "counts",
                                        .title = "Counts",
                                        .table = FIGURE_TABLE,
                                        .x = FIGURE_COLUMN,
                                        .y = COLUMN_NAME,
                                        FIGURE_MORE } };

static const MillStage stage = {
  .size = STAGE_SIZE,
  .scope = MILL_SCOPE_LANE,
  .flags = STAGE_FLAGS,
  .options_size = sizeof(Options),
  .name = STAGE_NAME,
  .family = STAGE_FAMILY,
  .version = "1.0.0",
  .tag = STAGE_TAG,
  .title = STAGE_TITLE,
  .help = "For tests only.",
  .options = { options, N_OPTIONS, OPTION_STRIDE },
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .figures = MILL_ROWS(figures),
  .ops = STAGE_OPS,
};
MILL_DECLARE mill_module_v1 = {
  MODULE_MAGIC, sizeof(MillModule), MODULE_ABI, MODULE_KIND, &stage, VENDOR, "MIT"
};
