/* A stage of a third party, with an option of every type. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  bool deep;
  int64_t bins, window_ns, cap_bytes, mode;
  double ratio;
  const char *label, *file;
  const MillPattern *match;
  MillList kinds;
} Options;

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

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, deep, "deep", "false", "Look deeper."),
  MILL_INT_OPTION(Options, bins, "bins", "16", "1:1024", NULL, "Number of bins."),
  MILL_DURATION_OPTION(Options, window_ns, "window", "10ms", "1us:10s", "Length of a window."),
  MILL_SIZE_OPTION(Options, cap_bytes, "cap", "4MiB", NULL, "Memory to use."),
  MILL_CHOICE_OPTION(Options, mode, "mode", "fast", "fast|exact|tight", "How to count."),
  MILL_REAL_OPTION(Options, ratio, "ratio", "0.5", "0:1", NULL, "Share that counts."),
  MILL_STRING_OPTION(Options, label, "label", "", "Text beside the values."),
  MILL_PATH_OPTION(Options, file, "file", "", "A side file."),
  MILL_REGEX_OPTION(Options, match, "match", "", "Names to look at."),
  MILL_LIST_OPTION(Options, kinds, "kinds", "a,b", "Kinds to look at."),
};
static const MillStageOps ops = { .size = sizeof ops, .open = enter, .process = work };
static const MillStage stage = {
  .size = sizeof(MillStage),
  .scope = MILL_SCOPE_LANE,
  .options_size = sizeof(Options),
  .name = "acme.heat",
  .family = "thermal",
  .version = "2.1.0",
  .tag = "HEAT",
  .title = "Heat",
  .help = "For tests only.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "acme", "MIT");
