/* A stage that uses each macro and helper of the header, in what C11 and C++11 have in common. */
#include <stagemill/stage.h>

typedef struct Options {
  bool flag;
  int64_t count, choice, wait_ns, room_bytes;
  double share;
  const char *text, *path;
  const MillPattern *pattern;
  MillList list;
} Options;

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, flag, "flag", "false", "a flag"),
  MILL_INT_OPTION(Options, count, "count", "1", "0:9", "count", "a number"),
  MILL_CHOICE_OPTION(Options, choice, "choice", "a", "a|b", "one of two"),
  MILL_DURATION_OPTION(Options, wait_ns, "wait", "1ms", "0:", "a time"),
  MILL_SIZE_OPTION(Options, room_bytes, "room", "1MiB", "0:", "a size"),
  MILL_REAL_OPTION(Options, share, "share", "0.5", "0:1", "percent", "a share"),
  MILL_STRING_OPTION(Options, text, "text", "", "a text"),
  MILL_PATH_OPTION(Options, path, "path", "", "a path"),
  MILL_REGEX_OPTION(Options, pattern, "pattern", "", "a pattern"),
  MILL_LIST_OPTION(Options, list, "list", "", "a list"),
};

static int every_open(const MillStage *self, const MillHost *host, const void *given,
                      void **out_instance)
{
  (void)self;
  (void)given;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int every_process(void *instance, MillBatch *b)
{
  const MillHost *host = (const MillHost *)instance;
  const MillValue values[] = { mill_none(),    mill_int(1), mill_bool(true),
                               mill_real(0.5), mill_sym(0), mill_text("a", 1) };
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = &b->events[i];
    size_t len = 0;
    int64_t number = 0;
    const MillAttr *a = mill_attr(b, e, e->name);
    if (a && !mill_attr_text(b, a, &len) && !mill_attr_int(b, e, e->name, &number)) mill_drop(e);
    mill_set_ts(e, e->ts_ns);
    mill_set_dur(e, e->dur_ns);
    mill_set_name(e, e->name);
    mill_set_cat(e, e->cat);
    mill_set_track(e, e->track);
    mill_set_kind(e, MILL_SLICE);
    mill_set_id(e, MILL_ID_INT, (uint64_t)number);
    for (uint32_t v = 0; v < MILL_COUNT(values); v++)
      if (host->set(host, b, i, e->name, values[v]) < 0) return -1;
  }
  return b->n_events ? 0 : mill_fail(host, MILL_STAGE_FAILED, "what", "help");
}

static const MillStageOps ops = { (uint32_t)sizeof(MillStageOps),
                                  every_open,
                                  NULL,
                                  NULL,
                                  NULL,
                                  every_process,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL,
                                  NULL };

static const MillStage stage = {
  (uint32_t)sizeof(MillStage),
  MILL_KIND_STAGE,
  MILL_SCOPE_EVENT,
  MILL_MAY_DROP,
  "test.every",
  "test",
  "1.0.0",
  "EVERY",
  "Use everything",
  "Uses everything.",
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  options,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  NULL,
  MILL_COUNT(options),
  0,
  0,
  0,
  0,
  0,
  0,
  (uint32_t)sizeof(Options),
  &ops,
  NULL,
};
MILL_MODULE(stage, "test", "MIT");
