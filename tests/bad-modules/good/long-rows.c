/* Options of a later header with longer rows: what this program does not know is left out. */
#include <stagemill/stage.h>

typedef struct Options {
  int64_t first, second;
} Options;
typedef struct LongRow {
  MillOption row;
  uint64_t later[3];
} LongRow;

static int enter(const MillStage *self, const MillHost *host, const void *given, void **out)
{
  (void)self, (void)host, (void)given;
  *out = NULL;
  return 0;
}
static int work(void *instance, MillBatch *batch)
{
  (void)instance, (void)batch;
  return 0;
}
static void leave(void *instance) { (void)instance; }

static const LongRow options[] = {
  { { sizeof(LongRow), MILL_OPT_INT, offsetof(Options, first), 0, "first", "1", NULL, NULL,
      "The first." },
    { 7, 7, 7 } },
  { { sizeof(LongRow), MILL_OPT_INT, offsetof(Options, second), 0, "second", "2", NULL, NULL,
      "The second." },
    { 7, 7, 7 } },
};
static const MillStageOps ops = {
  .size = sizeof ops, .open = enter, .process = work, .close = leave
};
static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .name = "long-rows",
  .family = "test",
  .version = "1.0.0",
  .tag = "LONG",
  .title = "Long rows",
  .help = "For tests only.",
  .options = &options[0].row,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .ops = &ops,
};
MILL_MODULE(stage, "tests", "MIT");
