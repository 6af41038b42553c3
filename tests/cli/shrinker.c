/* A stage that cuts the file it is given to half its length, while the program reads that file:
   at the first events, or when all have been seen. */
#include <stagemill/stage.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Options {
  const char *file;
  bool late;
} Options;

typedef struct Shrinker {
  const MillHost *host;
  Options options;
  bool done;
} Shrinker;

static int shrinker_open(const MillStage *self, const MillHost *host, const void *options,
                         void **out_instance)
{
  (void)self;
  Shrinker *s = calloc(1, sizeof *s);
  if (!s) return mill_fail(host, MILL_LIMIT, "out of memory", NULL);
  s->host = host;
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
  return mill_fail(s->host, MILL_STAGE_FAILED, "the file cannot be cut", NULL);
}

static int shrinker_observe(void *instance, const MillBatch *b)
{
  Shrinker *s = instance;
  (void)b;
  return s->options.late ? 0 : shrink(s);
}

static int shrinker_settle(void *instance)
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

static void shrinker_close(void *instance) { free(instance); }

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, file, "file", "", "The file to cut"),
  MILL_BOOL_OPTION(Options, late, "late", "false", "When all events have been seen"),
};

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = shrinker_open,
                                  .observe = shrinker_observe,
                                  .settle = shrinker_settle,
                                  .process = shrinker_process,
                                  .close = shrinker_close };

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "test.shrinker",
  .family = "test",
  .version = "1.0.0",
  .tag = "SHRNK",
  .title = "Cut a file while it is read",
  .help = "For testing what becomes of a run whose input shrinks.",
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .ops = &ops,
};
MILL_MODULE(stage, "stagemill", "MIT");
