/* Options of a later header with longer rows: what this program does not know is left out. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  int64_t first, second;
} Options;
typedef struct LongRow {
  MillOption row;
  uint64_t later[3];
} LongRow;

static int enter(const MillStage *self, const MillStageHost *host, uint32_t level,
                 const void *given, void **out)
{
  (void)self, (void)host, (void)level, (void)given;
  *out = NULL;
  return 0;
}
static int work(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}

static const LongRow options[] = {
  { { MILL_OPT_INT, offsetof(Options, first), 0, "first", "1", NULL, NULL, "The first." },
    { 7, 7, 7 } },
  { { MILL_OPT_INT, offsetof(Options, second), 0, "second", "2", NULL, NULL, "The second." },
    { 7, 7, 7 } },
};
static const MillStageOps ops = { .size = sizeof ops, .open = enter, .process = work };
static const MillStage stage = {
  .size = sizeof(MillStage),
  .scope = MILL_SCOPE_LANE,
  .options_size = sizeof(Options),
  .name = "long-rows",
  .family = "test",
  .version = "1.0.0",
  .tag = "LONG",
  .title = "Long rows",
  .help = "For tests only.",
  .options = { &options[0].row, MILL_COUNT(options), sizeof(LongRow) },
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
