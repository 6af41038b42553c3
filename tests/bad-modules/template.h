/* A sound stage whose parts can be replaced: a bad module defines the part it gets wrong. */
#include <stagemill/stage.h>

#ifndef STAGE_NAME
#define STAGE_NAME "good"
#endif
#ifndef STAGE_KIND
#define STAGE_KIND MILL_KIND_STAGE
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
#ifndef OPTION_FLAGS
#define OPTION_FLAGS 0
#endif
#ifndef OPTION_DEFAULT
#define OPTION_DEFAULT "10"
#endif
#ifndef OPTION_SIZE
#define OPTION_SIZE sizeof(MillOption)
#endif
#ifndef SECOND_OPTION
#define SECOND_OPTION "second"
#endif
#ifndef COLUMN_TYPE
#define COLUMN_TYPE MILL_INT
#endif
#ifndef COLUMN_NAME
#define COLUMN_NAME "count"
#endif
#ifndef MODULE_MAGIC
#define MODULE_MAGIC MILL_MAGIC
#endif
#ifndef MODULE_ABI
#define MODULE_ABI MILL_ABI
#endif

typedef struct Options {
  int64_t first, second;
} Options;

static int call(const MillStage *self, const MillHost *host, const void *options, void **out)
{
  (void)self, (void)host, (void)options;
  *out = NULL;
  return 0;
}
static void leave(void *instance) { (void)instance; }
#ifndef STAGE_OPS
static int work(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}
static const MillStageOps ops = {
  .size = sizeof ops, .open = call, .process = work, .close = leave
};
#define STAGE_OPS &ops
#endif
#ifdef OPS_WITHOUT_WORK
static const MillStageOps idle = { .size = sizeof idle, .open = call, .close = leave };
#endif

static const MillOption options[] = {
  { OPTION_SIZE, MILL_OPT_INT, offsetof(Options, first), OPTION_FLAGS, "first", OPTION_DEFAULT,
    "1:100", "ns", "The first." },
  MILL_INT_OPTION(Options, second, SECOND_OPTION, "1", NULL, NULL, "The second."),
};
static const MillColumn columns[] = { { COLUMN_NAME, "count", COLUMN_TYPE, MILL_COLUMN_KEY,
                                        "How many." } };
static const MillTable tables[] = { { .size = sizeof tables[0],
                                      .name = "counts",
                                      .help = "Counts.",
                                      .columns = columns,
                                      .n_columns = 1 } };

static const MillStage stage = {
  .size = STAGE_SIZE,
  .kind = STAGE_KIND,
  .scope = MILL_SCOPE_LANE,
  .flags = STAGE_FLAGS,
  .name = STAGE_NAME,
  .family = STAGE_FAMILY,
  .version = "1.0.0",
  .tag = STAGE_TAG,
  .title = STAGE_TITLE,
  .help = "For tests only.",
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .tables = tables,
  .n_tables = 1,
  .ops = STAGE_OPS,
};
static const MillStage *const stages[] = { &stage };
MILL_DECLARE mill_module_v1 = { MODULE_MAGIC, sizeof(MillModule), MODULE_ABI, 1, stages, "tests",
                                "MIT" };
