/* A stage, a source and a sink that use each macro and helper of the headers, in what C11 and C++20 have in
 * common. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>
#include <stagemill/source.h>
#include <stagemill/stage.h>

typedef struct Options {
  bool flag;
  int64_t count, choice, wait_ns, room_bytes;
  double share;
  const char *text, *path;
  const MillPattern *pattern;
  MillList list, by, statistics;
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
  MILL_BY_OPTION(Options, by),
  MILL_OPTION(Options, statistics, MillList, MILL_OPT_LIST,
              MILL_OPTION_STATS | MILL_OPTION_DEPRECATED, "statistics", "", NULL, NULL, "a list"),
};
static const MillNotice notices[] = {
  MILL_WARNING(1, "{count} event[|s]", "left out", "look", "a warning"),
  MILL_INFO(2, "{count} event[|s]", NULL, NULL, "a word"),
  MILL_LEFT_OUT(4, "{count} event[|s]", "left out", NULL, "what results are without"),
  MILL_ERROR(3, "nothing", "look", "an error"),
};
struct EveryRow { /* each kind of field */
  MillText name;
  int64_t step, total_ns;
  double share;
  bool yes;
  int8_t maybe;
  const char *word;
  MillSym symbol;
};
typedef struct EveryRow EveryRow;
static const MillColumn columns[] = {
  MILL_KEY(EveryRow, name, "name", NULL, "a key"),
  MILL_KEY_BRIEF(EveryRow, step, "step", NULL, "a key that is shown"),
  MILL_BRIEF(EveryRow, total_ns, "total", "ns", "a sum"),
  MILL_COLUMN(EveryRow, share, "share", "percent", MILL_COLUMN_LOWER, "a share"),
  MILL_COLUMN(EveryRow, yes, "yes", NULL, 0, "a truth"),
  MILL_COLUMN(EveryRow, maybe, "maybe", NULL, 0, "a truth that may not be known"),
  MILL_COLUMN(EveryRow, word, "word", NULL, 0, "a text that ends"),
  MILL_COLUMN(EveryRow, symbol, "symbol", NULL, 0, "a name"),
};
static const MillColumn run_time_columns[] = {
  MILL_CELL_COLUMN("key", NULL, MILL_TEXT, MILL_COLUMN_KEY, "a key"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 3,
    .name = "every",
    .help = "a table",
    .order = "-total",
    .columns = MILL_ROWS(columns) },
  { .per = MILL_PER_RUN,
    .brief_rows = 0,
    .name = "every-run",
    .help = "a table of what the input holds",
    .order = NULL,
    .columns = MILL_ROWS(run_time_columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_REAL,
    .inputs = MILL_INPUTS_ANY,
    .name = "every",
    .unit = "ns",
    .stats = "mean,p*",
    .aliases = NULL,
    .help = "a metric",
    .headline = "mean" },
};
static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "every",
    .title = "Every",
    .table = "every",
    .x = "name",
    .y = "total",
    .flags = MILL_FIGURE_OWN_AXES,
    .top = 8,
    .y_label = "Total" },
};
static const MillRead reads[] = {
  { .name = "stream", .as = MILL_AS_INT, .kinds = MILL_KIND(MILL_SLICE) | MILL_KIND(MILL_RECORD) },
};
static const char *const facts[] = { "order.lane", NULL };

typedef struct Every {
  const MillStageHost *host;
  const MillHost *common;
} Every;

/* -------------------------------------------------------------------- stage */

static int every_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *given, void **out_instance)
{
  Every *every = (Every *)mill_new(host->common, sizeof *every);
  if (!every) return -MILL_LIMIT;
  every->host = host;
  every->common = host->common;
  *out_instance = every;
  if (level == MILL_LANE || ((const Options *)given)->flag) return 0;
  return mill_fail(every->common, MILL_STAGE_FAILED, self->name, "help");
}

static void every_helper(const Every *every, MillBatch *b, MillEvent *e)
{
  MillLane lane;
  int64_t number = 0;
  size_t len = 0;
  lane.size = (uint32_t)sizeof lane;
  every->common->lane(every->common, MILL_NO_LANE, &lane);
  const MillAttr *a = mill_attr(b, e, e->name);
  if (a && !mill_attr_text(b, a, &len) && !mill_attr_int(b, e, e->name, &number)) mill_drop(e);
  if (lane.base_ns != MILL_NO_BASE && mill_abs_ts(&lane, e->ts_ns, &number)) mill_set_ts(e, number);
  if (b->n_events && b->n_attrs) mill_events(b)[0].name = mill_attrs(b)[0].key;
  mill_set_dur(e, e->dur_ns);
  mill_set_name(e, e->name);
  mill_set_cat(e, e->cat);
  mill_set_track(e, e->track);
  mill_set_kind(e, MILL_SLICE);
  mill_set_id(e, MILL_ID_INT, (uint64_t)number);
}

static int every_process(void *instance, MillBatch *b)
{
  const Every *every = (const Every *)instance;
  const MillValue values[] = { mill_none(), mill_int(1),       mill_bool(true),   mill_real(0.5),
                               mill_sym(0), mill_text("a", 1), mill_json("[]", 2) };
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = every->host->event(every->host, b, i);
    every_helper(every, b, e);
    for (uint32_t v = 0; v < MILL_COUNT(values); v++)
      if (every->host->set(every->host, b, i, e->name, values[v]) < 0) return -1;
    if (every->host->emit(every->host, b, MILL_AT_START, e) == MILL_FAILED) return -1;
    if (every->host->emit(every->host, b, MILL_AT_END, e) == MILL_FAILED) return -1;
  }
  mill_note(every->common, 1);
  every->common->note(every->common, 1, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

static const MillStageOps stage_ops = {
  .size = (uint32_t)sizeof(MillStageOps),
  .open = every_open,
  .process = every_process,
};
static const void *every_extension(const char *id) { return id == NULL ? NULL : MILL_EXAMPLES; }

static const MillStage stage = {
  .size = (uint32_t)sizeof(MillStage),
  .scope = MILL_SCOPE_EVENT,
  .flags = MILL_MAY_DROP | MILL_MAY_EMIT,
  .options_size = (uint32_t)sizeof(Options),
  .name = "test.every",
  .family = "test",
  .version = "1.0.0",
  .tag = "EVERY",
  .title = "Use everything",
  .help = "Uses everything.",
  .wants = facts,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .figures = MILL_ROWS(figures),
  .ops = &stage_ops,
  .extension = every_extension,
};
#define mill_module_v1 every_stage_module
MILL_STAGE_MODULE(stage, "test", "MIT");
#undef mill_module_v1

/* ------------------------------------------------------------------- source */

static int source_open(const MillSource *self, const MillSourceHost *host, const void *given,
                       void **out_instance)
{
  const MillReadRows wanted = host->wanted(host);
  const void *program = host->common->extension(host->common, MILL_PROGRAM);
  (void)given;
  *out_instance = (void *)(uintptr_t)self;
  for (uint32_t i = 0; i < wanted.n; i++)
    if (MILL_AT(MillRead, wanted, i)->as == MILL_AS_INT && program) return 0;
  return 0;
}

static int source_next(void *instance, MillBatch *batch)
{
  return instance && batch ? MILL_NEXT_END : -1;
}

static const MillMagic magic[] = { { .offset = 0, .len = 1, .bytes = "{" } };
static const MillSourceOps source_ops = {
  .size = (uint32_t)sizeof(MillSourceOps),
  .open = source_open,
  .next = source_next,
};
static const MillSource source = {
  .size = (uint32_t)sizeof(MillSource),
  .name = "test.every",
  .version = "1.0.0",
  .tag = "EVERY",
  .title = "Read everything",
  .help = "Reads everything.",
  .provides = facts,
  .magic = MILL_ROWS(magic),
  .ops = &source_ops,
};
#define mill_module_v1 every_source_module
MILL_SOURCE_MODULE(source, "test", "MIT");
#undef mill_module_v1

/* --------------------------------------------------------------------- sink */

static int sink_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *given, void **out_instance)
{
  (void)host;
  (void)given;
  *out_instance = (void *)(uintptr_t)self;
  return level == MILL_RUN ? 0 : -MILL_OUTPUT_FAILED;
}

static int sink_write(void *instance, const MillBatch *b)
{
  size_t len = 0;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!mill_raw(b, &b->events[i], &len) && len) return -1;
  return instance ? 0 : -1;
}

static const MillSinkOps sink_ops = {
  .size = (uint32_t)sizeof(MillSinkOps),
  .open = sink_open,
  .write = sink_write,
};
static const MillSink sink = {
  .size = (uint32_t)sizeof(MillSink),
  .flags = MILL_READS_RAW,
  .name = "test.every",
  .format = "every",
  .version = "1.0.0",
  .tag = "EVERY",
  .title = "Write everything",
  .help = "Writes everything.",
  .ops = &sink_ops,
};
#define mill_module_v1 every_sink_module
MILL_SINK_MODULE(sink, "test", "MIT");
#undef mill_module_v1
