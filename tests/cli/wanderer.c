/* A stage that changes what the whole process has: its current folder, or how many of it there are. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <unistd.h>

enum { LEAVES, FORKS };

typedef struct Options {
  int64_t does;
} Options;

typedef struct Wanderer {
  const MillHost *common;
  Options options;
  bool done;
} Wanderer;

static int wanderer_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Wanderer *w = mill_new(host->common, sizeof *w);
  if (!w) return -MILL_LIMIT;
  w->common = host->common;
  w->options = *(const Options *)options;
  *out_instance = w;
  return 0;
}

static int wanderer_process(void *instance, MillBatch *b)
{
  Wanderer *w = instance;
  (void)b;
  if (w->done) return 0;
  w->done = true;
  int status = w->options.does == LEAVES ? chdir("/") : fork() < 0;
  return status ? mill_fail(w->common, MILL_STAGE_FAILED, "the system refused", NULL) : 0;
}

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, does, "does", "leaves", "leaves|forks", "What it does"),
};

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = wanderer_open,
  .process = wanderer_process,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "test.wanderer",
  .family = "test",
  .version = "1.0.0",
  .tag = "WANDR",
  .title = "Change what the process has",
  .help = "For testing where results go when a stage changes the current folder or forks.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "test", "MIT");
