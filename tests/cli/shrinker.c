/* A stage that cuts the file it is given to half its length, while the program reads that file:
   at the first events, or when all have been seen. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Options {
  const char *file;
  bool late;
} Options;

typedef struct Shrinker {
  const MillHost *common;
  Options options;
  bool done;
} Shrinker;

static int shrinker_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Shrinker *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  s->options = *(const Options *)options;
  *out_instance = s;
  return 0;
}

static int shrink(Shrinker *s)
{
  struct stat st;
  if (s->done) return 0;
  s->done = true;
  if (stat(s->options.file, &st) == 0 && truncate(s->options.file, st.st_size / 2) == 0) return 0;
  return mill_fail(s->common, MILL_STAGE_FAILED, "the file cannot be cut", NULL);
}

static int shrinker_observe(void *instance, const MillBatch *b)
{
  Shrinker *s = instance;
  (void)b;
  return s->options.late ? 0 : shrink(s);
}

static int shrinker_decide(void *instance)
{
  Shrinker *s = instance;
  return s->options.late ? shrink(s) : 0;
}

static int shrinker_process(void *instance, MillBatch *b)
{
  (void)instance;
  (void)b;
  return 0;
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, file, "file", "", "The file to cut"),
  MILL_BOOL_OPTION(Options, late, "late", "false", "When all events have been seen"),
};

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = shrinker_open,
                                  .observe = shrinker_observe,
                                  .decide = shrinker_decide,
                                  .process = shrinker_process };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "test.shrinker",
  .family = "test",
  .version = "1.0.0",
  .tag = "SHRNK",
  .title = "Cut a file while it is read",
  .help = "For testing what becomes of a run whose input shrinks.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "test", "MIT");
