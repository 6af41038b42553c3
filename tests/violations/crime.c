/* A stage that breaks its contract in the one way that CRIME names; built once for each. */
#include <signal.h>
#include <stagemill/stage.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  INNOCENT,
  DEPRECATED_OPTION,
  UNMARKED_CHANGE,
  UNMARKED_ATTRIBUTE,
  READ_ONLY_CHANGE,
  READ_ONLY_SET,
  UNDECLARED_DROP,
  UNDECLARED_EMIT,
  FALSE_SLICES,
  FALSE_ORDER,
  FALSE_ORDER_OF_TWO_PHASES,
  BROKEN_ORDER,
  OBSERVE_CHANGES,
  FROZEN_FIELD,
  BATCH_SIZE,
  BAD_KIND,
  BAD_KIND_EMITTED,
  UNDECLARED_NOTICE,
  WRONG_LEVEL,
  TOO_FEW_CELLS,
  WRONG_CELL,
  UNKNOWN_TABLE,
  UNKNOWN_STAT,
  UNKNOWN_METRIC,
  KEPT_TWICE,
  SUMMARY_ORDER,
  SUMMARY_SHORT,
  ADOPT_ORDER,
  NO_SUCH_EVENT,
  SILENT_FAILURE,
  CRASH,
  STACK_OVERFLOW,
  STACK_OVERFLOW_IN_A_THREAD,
  EXIT
};

typedef struct Crime {
  const MillHost *host;
  MillSym key;
  bool is_run, done;
} Crime;

static void crime_close(void *instance) { free(instance); }

static int crime_open(const MillStage *self, const MillHost *host, const void *options,
                      void **out_instance)
{
  (void)self;
  (void)options;
  MillLane lane = { .size = sizeof lane };
  Crime *c = calloc(1, sizeof *c);
  if (!c) return mill_fail(host, MILL_LIMIT, "out of memory", NULL);
  host->lane(host, MILL_NO_LANE, &lane);
  c->host = host;
  c->key = host->intern(host, "x", 1);
  c->is_run = lane.index == MILL_NO_LANE;
  *out_instance = c;
  return 0;
}

static int emit_kept_twice(Crime *c, MillBatch *b)
{
  uint64_t kept = c->host->keep(c->host, b, 0);
  c->host->emit_kept(c->host, b, 0, kept);
  return c->host->emit_kept(c->host, b, 0, kept) == MILL_NO_EVENT ? -MILL_STAGE_FAILED : 0;
}

static void emit_like(Crime *c, MillBatch *b, uint8_t kind)
{
  MillEvent e = b->events[0];
  e.kind = kind;
  c->host->emit(c->host, b, 0, &e);
}

/* Attributes are the program's: a stage that writes there has cast const away or the like. */
static void change_attribute(MillBatch *b, MillSym key)
{
  for (uint32_t i = 0; i < b->n_attrs; i++)
    if (b->attrs[i].key == key) b->attrs[i].u.i++;
}

static int dig(int depth)
{
  volatile char page[512]; /* less than the page that guards the stack */
  page[0] = (char)depth;
  return depth < 0 ? depth : dig(depth + 1) + page[0];
}

/* A lane of the main thread waits for that of another one. */
static void dig_elsewhere(void)
{
  if (gettid() == getpid()) sleep(20);
  dig(0);
}

static int commit_crime(Crime *c, MillBatch *b)
{
  MillEvent *e = &b->events[b->n_events - 1];
  switch (CRIME) {
  case UNMARKED_CHANGE: e->dur_ns++; break;
  case UNMARKED_ATTRIBUTE: change_attribute(b, c->key); break;
  case READ_ONLY_CHANGE: mill_set_name(e, c->key); break;
  case READ_ONLY_SET:
  case INNOCENT: return c->host->set(c->host, b, 0, c->key, mill_int(1));
  case UNDECLARED_DROP: mill_drop(e); break;
  case UNDECLARED_EMIT: emit_like(c, b, MILL_SLICE); break;
  case FALSE_ORDER:
  case FALSE_ORDER_OF_TWO_PHASES:
  case BROKEN_ORDER: mill_set_ts(e, b->events[0].ts_ns - 1); break;
  case FROZEN_FIELD: e->seq++; break;
  case BATCH_SIZE: b->n_events--; break;
  case BAD_KIND: mill_set_kind(e, MILL_N_KINDS); break;
  case BAD_KIND_EMITTED: emit_like(c, b, 200); break;
  case UNDECLARED_NOTICE: c->host->note(c->host, 7, b, 0, NULL, 0); break;
  case KEPT_TWICE: return emit_kept_twice(c, b);
  case NO_SUCH_EVENT: return c->host->set(c->host, b, b->n_events, c->key, mill_int(1));
  case SILENT_FAILURE: return -1;
  case CRASH: raise(SIGSEGV); break;
  case STACK_OVERFLOW: return dig(0);
  case STACK_OVERFLOW_IN_A_THREAD: dig_elsewhere(); break;
  case EXIT: exit(0);
  default: break;
  }
  return 0;
}

static int crime_process(void *instance, MillBatch *b)
{
  Crime *c = instance;
  if (c->done || b->n_events < 2) return 0;
  c->done = true;
  return commit_crime(c, b);
}

static int crime_observe(void *instance, const MillBatch *b)
{
  const Crime *c = instance;
  if (CRIME == OBSERVE_CHANGES && b->n_events) b->events[0].name = c->key;
  return 0;
}

static int crime_adopt(void *instance)
{
  const Crime *c = instance;
  c->host->get_int(c->host);
  return 0;
}

static int crime_save(void *instance, uint32_t what)
{
  const Crime *c = instance;
  (void)what;
  c->host->put_text(c->host, "text", 4);
  return 0;
}

static int crime_merge(void *instance, uint32_t what)
{
  const Crime *c = instance;
  (void)what;
  if (CRIME == SUMMARY_ORDER) c->host->get_int(c->host);
  c->host->get_text(c->host, NULL);
  if (CRIME == SUMMARY_SHORT) c->host->get_text(c->host, NULL);
  return 0;
}

static int crime_report(void *instance)
{
  const Crime *c = instance;
  const MillHost *h = c->host;
  const MillValue cells[] = { mill_int(1), mill_text("a", 1) };
  const MillValue wrong[] = { mill_text("a", 1), mill_text("a", 1) };
  if (c->is_run) return CRIME == WRONG_LEVEL ? h->row(h, 0, cells, 2) : 0;
  switch (CRIME) {
  case TOO_FEW_CELLS: return h->row(h, 0, cells, 1);
  case WRONG_CELL: return h->row(h, 0, wrong, 2);
  case UNKNOWN_TABLE: return h->row(h, 1, cells, 2);
  case UNKNOWN_STAT: return h->metric(h, 0, "p50", mill_int(1), 1);
  case UNKNOWN_METRIC: return h->metric(h, 1, NULL, mill_int(1), 1);
  default: return h->row(h, 0, cells, 2);
  }
}

#define IS_ANY_OF(a, b) (CRIME == (a) || CRIME == (b))
#define TWO_PHASE (IS_ANY_OF(OBSERVE_CHANGES, ADOPT_ORDER) || CRIME == FALSE_ORDER_OF_TWO_PHASES)

static const MillColumn columns[] = {
  { "count", "count", MILL_INT, 0, "A number" },
  { "text", NULL, MILL_TEXT, 0, "A text" },
};
static const MillTable tables[] = {
  { .size = sizeof(MillTable),
    .per = MILL_PER_LANE,
    .name = "crimes",
    .help = "A table",
    .columns = columns,
    .n_columns = MILL_COUNT(columns) },
};
static const MillMetric metrics[] = {
  { .size = sizeof(MillMetric),
    .per = MILL_PER_LANE,
    .name = "crimes",
    .unit = "count",
    .kind = MILL_INT,
    .stats = "mean",
    .help = "A metric" },
};
static const MillRead reads[] = { { "x", MILL_AS_INT, 0 } };
static const char *const needs[] = {
  IS_ANY_OF(FALSE_ORDER, FALSE_ORDER_OF_TWO_PHASES) ? "order.lane" : NULL, NULL
};
static const char *const provides[] = { CRIME == FALSE_SLICES   ? "slices"
                                        : CRIME == BROKEN_ORDER ? "order.lane"
                                                                : NULL,
                                        NULL };

typedef struct Options {
  int64_t old;
} Options;
static const MillOption options[] = {
  MILL_OPTION_ROW(MILL_OPT_INT, MILL_FIELD(Options, old, int64_t), MILL_OPTION_DEPRECATED, "old",
                  "0", NULL, NULL, "Does nothing any more"),
};

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = crime_open,
  .observe = TWO_PHASE ? crime_observe : NULL,
  .adopt = CRIME == ADOPT_ORDER ? crime_adopt : NULL,
  .process = crime_process,
  .save = crime_save,
  .merge = crime_merge,
  .report = crime_report,
  .close = crime_close,
};

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = CRIME == ADOPT_ORDER ? MILL_SCOPE_RUN : MILL_SCOPE_LANE,
  .flags = MILL_MERGES | (IS_ANY_OF(READ_ONLY_CHANGE, READ_ONLY_SET) ? MILL_READ_ONLY : 0) |
           (IS_ANY_OF(KEPT_TWICE, BAD_KIND_EMITTED) ? MILL_MAY_EMIT : 0),
  .name = "crime." NAME,
  .family = "crime",
  .version = "1.0.0",
  .tag = "CRIME",
  .title = "Break the contract",
  .help = "Breaks one promise.",
  .needs = needs,
  .provides = provides,
  .reads = reads,
  .n_reads = MILL_COUNT(reads),
  .tables = tables,
  .n_tables = MILL_COUNT(tables),
  .metrics = metrics,
  .n_metrics = MILL_COUNT(metrics),
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .ops = &ops,
};
MILL_MODULE(stage, "test", "MIT");
