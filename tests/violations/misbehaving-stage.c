/* A stage that breaks its contract in the one way that VIOLATION names; built once for each. */
/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stagemill/stage.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define IS_ANY_OF(a, b) (VIOLATION == (a) || VIOLATION == (b))

enum {
  INNOCENT,
  DEPRECATED_OPTION,
  UNMARKED_CHANGE,
  UNMARKED_ATTRIBUTE,
  UNMARKED_LIST,
  UNMARKED_TIME,
  READ_ONLY_CHANGE,
  READ_ONLY_SET,
  UNDECLARED_DROP,
  UNDECLARED_EMIT,
  FALSE_SLICES,
  FALSE_ORDER,
  FALSE_ORDER_OF_TWO_PHASES,
  FALSE_ORDER_OF_ALL,
  BROKEN_ORDER,
  OBSERVE_CHANGES,
  OBSERVE_MOVES,
  FROZEN_FIELD,
  BATCH_SIZE,
  FROZEN_LANE,
  FROZEN_ATTRIBUTES,
  FROZEN_ATTRIBUTES_SET,
  FROZEN_COUNT,
  FOREIGN_BATCH,
  PAST_EVENTS,
  PAST_ATTRIBUTES,
  RAW_BYTES,
  RAW_BYTES_OBSERVED,
  BAD_KIND,
  BAD_KIND_EMITTED,
  UNKNOWN_TRACK,
  UNKNOWN_TRACK_EMITTED,
  UNKNOWN_TRACK_AFTER_EMIT,
  UNKNOWN_NAME,
  UNKNOWN_NAME_EMITTED,
  UNKNOWN_SYMBOL_SET,
  UNKNOWN_KEY_SET,
  BAD_VALUE,
  NAN_SET,
  BAD_VALUE_IN_ROW,
  INFINITE_CELL,
  NAN_METRIC,
  NAN_IN_NOTE,
  ABSURD_NAME,
  BAD_TEXT_SET,
  BAD_JSON_SET,
  BAD_TEXT_IN_ROW,
  BAD_TEXT_IN_NOTE,
  UNDECLARED_NOTICE,
  POSITIVE_OPEN,
  POSITIVE_OBSERVE,
  POSITIVE_PROCESS,
  POSITIVE_FLUSH,
  POSITIVE_REPORT,
  WRONG_THREAD,
  DUPLICATE_ROW,
  DUPLICATE_METRIC,
  WRONG_LEVEL,
  WRONG_LEVEL_OF_METRIC,
  TOO_FEW_CELLS,
  WRONG_CELL,
  WRONG_METRIC,
  UNKNOWN_TABLE,
  UNKNOWN_STAT,
  UNKNOWN_METRIC,
  KEPT_TWICE,
  EMIT_NOWHERE,
  EMIT_IN_PLACE_WITHOUT_ORDER,
  UNDECLARED_FACT,
  EMIT_KEPT_NOWHERE,
  KEEP_NOTHING,
  NO_SUCH_EVENT,
  TOO_MANY_ATTRIBUTES,
  TRACK_OF_TEXTS,
  UNDECLARED_MOVE,
  HUGE_SCRATCH,
  HUGE_RESIZE,
  SUMMARY_ORDER,
  SUMMARY_SHORT,
  SUMMARY_UNREAD,
  HUGE_COUNT,
  LOAD_ORDER,
  SILENT_FAILURE,
  CRASH,
  NEVER_RETURNS,
  STACK_OVERFLOW,
  STACK_OVERFLOW_IN_A_THREAD,
  EXIT,
  EXIT_AT_ONCE,
  EXIT_IN_ALL_LANES,
  EXIT_IN_A_THREAD,
  CRASH_IN_A_THREAD,
  READ_PAST_EVENTS,
  READ_PAST_ATTRIBUTES,
  STALE_EVENTS,
  PAST_MEMORY,
  PAST_ODD_MEMORY,
  FREED_MEMORY,
  STALE_SCRATCH,
  LOST_MEMORY,
  UNASKED_ATTRIBUTE,
  PRINTS,
  CHANGES_LOCALE,
  CHANGES_FOLDER,
  CHANGES_ENVIRONMENT,
  BLOCKS_SIGNALS,
  LOOPS,
  EATS_MEMORY
};

enum { NOBODY = 1 << 30 }; /* neither a symbol nor a track */

typedef struct Misbehaving {
  const MillStageHost *host;
  const MillHost *common;
  MillSym key;
  bool done;
  const MillEvent *stale_events;
  volatile char *stale_scratch;
} Misbehaving;

static const char not_utf8[] = "\xff\xfe";

static int misbehaving_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self;
  (void)options;
  Misbehaving *c = mill_new(host->common, sizeof *c);
  if (!c) return -MILL_LIMIT;
  c->host = host;
  c->common = host->common;
  c->key = c->common->intern(c->common, "x", 1);
  *out_instance = c;
  return VIOLATION == POSITIVE_OPEN && level == MILL_LANE;
}

/* ------------------------------------------------------------- on one batch */

static int emit_kept_twice(const Misbehaving *c, MillBatch *b)
{
  uint64_t kept = c->host->keep(c->host, b, 0);
  c->host->emit_kept(c->host, b, 0, kept);
  return c->host->emit_kept(c->host, b, 0, kept) == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

static int emit_kept_nowhere(const Misbehaving *c, MillBatch *b)
{
  uint64_t kept = c->host->keep(c->host, b, 0);
  return c->host->emit_kept(c->host, b, MILL_NO_EVENT, kept) == MILL_FAILED ? -MILL_STAGE_FAILED
                                                                            : 0;
}

/* An event like the first, with one field changed by the caller. */
static int emit(const Misbehaving *c, MillBatch *b, uint32_t after, MillEvent e)
{
  return c->host->emit(c->host, b, after, &e) == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

static int emit_odd(const Misbehaving *c, MillBatch *b)
{
  MillEvent e = b->events[0];
  if (VIOLATION == BAD_KIND_EMITTED) e.kind = 200;
  if (VIOLATION == UNKNOWN_TRACK_EMITTED) e.track = NOBODY;
  if (VIOLATION == UNKNOWN_NAME_EMITTED) e.name = NOBODY;
  if (VIOLATION == EMIT_NOWHERE) return emit(c, b, b->n_events + 7, e);
  uint32_t index = c->host->emit(c->host, b, MILL_AT_START, &e);
  if (VIOLATION == UNKNOWN_TRACK_AFTER_EMIT) c->host->event(c->host, b, index)->track = NOBODY;
  return 0;
}

/* Attributes are the program's: a stage that writes there has cast const away or the like. */
static void change_attribute(MillBatch *b, MillSym key)
{
  for (uint32_t i = 0; i < b->n_attrs; i++)
    if (b->attrs[i].key == key) mill_attrs(b)[i].u.i++;
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

/* Several threads call exit at once. */
static _Noreturn void exit_with_others(void)
{
  struct timespec now;
  do {
    clock_gettime(CLOCK_REALTIME, &now);
  } while (now.tv_nsec / 1000000 % 100);
  exit(0);
}

static void *end_process(void *data)
{
  (void)data;
  if (VIOLATION == CRASH_IN_A_THREAD) raise(SIGSEGV);
  _exit(0);
}

static void end_elsewhere(void)
{
  pthread_t thread;
  if (!pthread_create(&thread, NULL, end_process, NULL)) pthread_join(thread, NULL);
}

static int use_own_batch(const Misbehaving *c, const MillBatch *b)
{
  MillBatch own = *b;
  return c->host->set(c->host, &own, 0, c->key, mill_int(1));
}

/* Attributes that only the stage has. */
static int use_own_attributes(const Misbehaving *c, MillBatch *b)
{
  size_t bytes = (b->n_attrs + 1) * sizeof(MillAttr);
  MillAttr *own = c->common->resize(c->common, NULL, bytes);
  for (uint32_t i = 0; own && i < b->n_attrs; i++) own[i] = b->attrs[i];
  b->attrs = own;
  return VIOLATION == FROZEN_ATTRIBUTES_SET ? c->host->set(c->host, b, 0, c->key, mill_int(1)) : 0;
}

static int set_many(const Misbehaving *c, MillBatch *b)
{
  int status = 0;
  for (uint32_t i = 0; i <= UINT16_MAX && status == 0; i++) {
    char name[8] = { (char)('a' + i % 16), (char)('a' + i / 16 % 16), (char)('a' + i / 256 % 16),
                     (char)('a' + i / 4096 % 16) };
    MillSym key = c->common->intern(c->common, name, 4);
    status = c->host->set(c->host, b, 0, key, mill_int(1));
  }
  return status;
}

static MillValue odd_value(void)
{
  MillValue v = mill_text(not_utf8, 2);
  if (IS_ANY_OF(BAD_VALUE, BAD_VALUE_IN_ROW)) v.type = 99;
  if (IS_ANY_OF(NAN_SET, NAN_METRIC) || VIOLATION == NAN_IN_NOTE) return mill_real(NAN);
  if (VIOLATION == INFINITE_CELL) return mill_real(INFINITY);
  if (VIOLATION == BAD_JSON_SET) return mill_json("}{", 2);
  return VIOLATION == UNKNOWN_SYMBOL_SET ? mill_sym(NOBODY) : v;
}

static void *ask_from_elsewhere(void *data)
{
  const Misbehaving *c = data;
  c->common->intern(c->common, "y", 1);
  return NULL;
}

static void start_thread(Misbehaving *c)
{
  pthread_t thread;
  if (!pthread_create(&thread, NULL, ask_from_elsewhere, c)) pthread_join(thread, NULL);
}

static void note_odd(const Misbehaving *c, const MillBatch *b)
{
  bool undeclared = VIOLATION == UNDECLARED_NOTICE;
  MillNamed value = { "name", undeclared ? mill_int(1) : odd_value() };
  c->common->note(c->common, undeclared ? 7 : 1, b, 0, &value, 1);
}

static int track_of_texts(const Misbehaving *c)
{
  uint32_t track = c->host->track(c->host, mill_text("a", 1), mill_none());
  return track == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

static int too_large(const Misbehaving *c)
{
  const MillHost *common = c->common;
  size_t bytes = (size_t)1 << 50;
  void *memory = VIOLATION == HUGE_SCRATCH ? common->scratch(common, bytes)
                                           : common->resize(common, NULL, bytes);
  return memory ? 0 : -MILL_LIMIT;
}

static int change_event(Misbehaving *c, MillBatch *b, MillEvent *e)
{
  switch (VIOLATION) {
  case UNMARKED_CHANGE: e->dur_ns++; break;
  case UNMARKED_ATTRIBUTE: change_attribute(b, c->key); break;
  case UNMARKED_LIST:
    e->n_attrs = (uint16_t)(e->n_attrs + 100);
    e->dirty |= MILL_DIRTY_ATTRS;
    break;
  case UNMARKED_TIME: e->flags |= MILL_FLAG_NO_TS; break;
  case READ_ONLY_CHANGE: mill_set_name(e, c->key); break;
  case UNDECLARED_DROP: mill_drop(e); break;
  case FALSE_ORDER:
  case FALSE_ORDER_OF_TWO_PHASES:
  case FALSE_ORDER_OF_ALL:
  case BROKEN_ORDER: mill_set_ts(e, b->events[0].ts_ns - 1); break;
  case FROZEN_FIELD: e->seq++; break;
  case BAD_KIND: mill_set_kind(e, MILL_N_KINDS); break;
  case UNKNOWN_TRACK: mill_set_track(e, NOBODY); break;
  case UNKNOWN_NAME: mill_set_name(e, NOBODY); break;
  case BATCH_SIZE: b->n_events--; break;
  case FROZEN_LANE: b->lane++; break;
  case FROZEN_COUNT: b->n_attrs++; break;
  case PAST_EVENTS: mill_events(b)[b->n_events] = *e; break;
  case PAST_ATTRIBUTES: mill_attrs(b)[b->n_attrs].key = c->key; break;
  case RAW_BYTES: ((char *)b->raw_)[e->raw_off]++; break;
  default: break;
  }
  return 0;
}

/* --------------------------------------------------- memory of the program */

enum { LARGE = 1 << 20, ODD = 13 };

static int use_memory(const Misbehaving *c)
{
  const MillHost *common = c->common;
  volatile char *memory = common->resize(common, NULL, VIOLATION == PAST_ODD_MEMORY ? ODD : LARGE);
  if (!memory) return -MILL_LIMIT;
  if (VIOLATION == PAST_MEMORY) memory[LARGE] = 1;
  if (VIOLATION == PAST_ODD_MEMORY) memory[ODD] = 1;
  if (VIOLATION == FREED_MEMORY) {
    common->resize(common, (void *)(uintptr_t)memory, 0);
    memory[0] = 1;
  }
  return 0;
}

static int64_t look_past(const MillBatch *b)
{
  volatile int64_t seen = VIOLATION == READ_PAST_EVENTS ? b->events[b->n_events].ts_ns
                                                        : b->attrs[b->n_attrs].u.i;
  return seen;
}

/* Only the sinks have asked for it. */
static int look_for_unasked(const Misbehaving *c, const MillBatch *b)
{
  int64_t value;
  for (uint32_t k = 0; k < b->n_events; k++)
    if (mill_attr_int(b, &b->events[k], c->key, &value))
      return mill_fail(c->common, MILL_STAGE_FAILED, "rogue.unasked-attribute saw it", NULL);
  return 0;
}

static int change_world(void)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  switch (VIOLATION) {
  case PRINTS: return printf("13\n") < 0;
  case CHANGES_LOCALE: return setlocale(LC_ALL, "C.UTF-8") == NULL;
  case CHANGES_FOLDER: return chdir("/");
  case CHANGES_ENVIRONMENT: return setenv("ROGUE", "1", 1);
  default: return pthread_sigmask(SIG_BLOCK, &set, NULL);
  }
}

/* Not from the program: what that refuses is a failure. */
static void eat_memory(void)
{
  enum { PIECE = 1 << 20 };
  for (;;) {
    volatile char *piece = malloc(PIECE);
    for (int k = 0; k < PIECE; k += 1024) piece[k] = 1;
  }
}

static int violate(Misbehaving *c, MillBatch *b)
{
  switch (VIOLATION) {
  case READ_ONLY_SET:
  case INNOCENT: return c->host->set(c->host, b, 0, c->key, mill_int(1));
  case NO_SUCH_EVENT: return c->host->set(c->host, b, b->n_events, c->key, mill_int(1));
  case UNKNOWN_KEY_SET: return c->host->set(c->host, b, 0, NOBODY, mill_int(1));
  case UNKNOWN_SYMBOL_SET:
  case BAD_VALUE:
  case NAN_SET:
  case BAD_JSON_SET:
  case BAD_TEXT_SET: return c->host->set(c->host, b, 0, c->key, odd_value());
  case ABSURD_NAME: return c->common->intern(c->common, "x", SIZE_MAX / 2) ? 0 : -MILL_STAGE_FAILED;
  case UNDECLARED_FACT: return c->host->has_fact(c->host, "slices") ? 0 : -MILL_STAGE_FAILED;
  case EMIT_IN_PLACE_WITHOUT_ORDER: return emit(c, b, MILL_IN_PLACE, b->events[0]);
  case TOO_MANY_ATTRIBUTES: return set_many(c, b);
  case FOREIGN_BATCH: return use_own_batch(c, b);
  case FROZEN_ATTRIBUTES:
  case FROZEN_ATTRIBUTES_SET: return use_own_attributes(c, b);
  case UNDECLARED_EMIT:
  case UNKNOWN_TRACK_EMITTED:
  case UNKNOWN_TRACK_AFTER_EMIT:
  case UNKNOWN_NAME_EMITTED:
  case EMIT_NOWHERE:
  case BAD_KIND_EMITTED: return emit_odd(c, b);
  case KEPT_TWICE: return emit_kept_twice(c, b);
  case EMIT_KEPT_NOWHERE: return emit_kept_nowhere(c, b);
  case KEEP_NOTHING: return c->host->keep(c->host, b, MILL_AT_START) ? 0 : -MILL_STAGE_FAILED;
  case BAD_TEXT_IN_NOTE:
  case NAN_IN_NOTE:
  case UNDECLARED_NOTICE: note_odd(c, b); break;
  case WRONG_THREAD: start_thread(c); break;
  case TRACK_OF_TEXTS: return track_of_texts(c);
  case HUGE_SCRATCH:
  case HUGE_RESIZE: return too_large(c);
  case POSITIVE_PROCESS: return 1;
  case SILENT_FAILURE: return -1;
  case CRASH: raise(SIGSEGV); break;
  case STACK_OVERFLOW: return dig(0);
  case STACK_OVERFLOW_IN_A_THREAD: dig_elsewhere(); break;
  case NEVER_RETURNS:
    for (;;) sleep(1);
  case EXIT: exit(0);
  case EXIT_AT_ONCE: _exit(0);
  case EXIT_IN_ALL_LANES: exit_with_others();
  case EXIT_IN_A_THREAD:
  case CRASH_IN_A_THREAD: end_elsewhere(); break;
  case READ_PAST_EVENTS:
  case READ_PAST_ATTRIBUTES: return look_past(b) == 1;
  case STALE_EVENTS: c->stale_events = b->events; break;
  case STALE_SCRATCH: c->stale_scratch = c->common->scratch(c->common, 100); break;
  case LOST_MEMORY:
  case PAST_MEMORY:
  case PAST_ODD_MEMORY:
  case FREED_MEMORY: return use_memory(c);
  case UNASKED_ATTRIBUTE: return look_for_unasked(c, b);
  case PRINTS:
  case CHANGES_LOCALE:
  case CHANGES_FOLDER:
  case CHANGES_ENVIRONMENT:
  case BLOCKS_SIGNALS: return change_world();
  case LOOPS:
    for (;;) continue;
  case EATS_MEMORY: eat_memory(); break;
  default: return change_event(c, b, &mill_events(b)[b->n_events - 1]);
  }
  return 0;
}

static int misbehaving_process(void *instance, MillBatch *b)
{
  Misbehaving *c = instance;
  if (c->done || b->n_events < 2) return 0;
  c->done = true;
  return violate(c, b);
}

static int misbehaving_flush(void *instance, MillBatch *b)
{
  const Misbehaving *c = instance;
  (void)b;
  if (VIOLATION == STALE_SCRATCH && c->stale_scratch) c->stale_scratch[0] = 1;
  if (VIOLATION == STALE_EVENTS && c->stale_events) return c->stale_events->seq == UINT64_MAX;
  return VIOLATION == POSITIVE_FLUSH;
}

static int misbehaving_observe(void *instance, const MillBatch *b)
{
  const Misbehaving *c = instance;
  if (VIOLATION == OBSERVE_CHANGES && b->n_events)
    mill_events((MillBatch *)(uintptr_t)b)[0].name = c->key;
  if (VIOLATION == OBSERVE_MOVES) ((MillBatch *)(uintptr_t)b)->events++;
  if (VIOLATION == RAW_BYTES_OBSERVED && b->n_events) ((char *)b->raw_)[b->events[0].raw_off]++;
  return VIOLATION == POSITIVE_OBSERVE;
}

static int misbehaving_decide(void *instance)
{
  const Misbehaving *c = instance;
  return c->host->move_base(c->host, 5);
}

/* ---------------------------------------------------------------- summaries */

static int misbehaving_load(void *instance)
{
  const Misbehaving *c = instance;
  c->host->get_int(c->host);
  return 0;
}

static int misbehaving_save(void *instance)
{
  const Misbehaving *c = instance;
  if (VIOLATION == HUGE_COUNT) c->host->put_int(c->host, (int64_t)1 << 40);
  c->host->put_text(c->host, "text", 4);
  return 0;
}

static int misbehaving_merge(void *instance)
{
  const Misbehaving *c = instance;
  if (VIOLATION == SUMMARY_UNREAD) return 0;
  if (VIOLATION == SUMMARY_ORDER) c->host->get_int(c->host);
  if (VIOLATION == HUGE_COUNT && c->host->get_count(c->host, 3) != 0) raise(SIGABRT);
  c->host->get_text(c->host, NULL);
  if (VIOLATION == SUMMARY_SHORT) c->host->get_text(c->host, NULL);
  return 0;
}

/* ------------------------------------------------------------------ results */

static const MillValue cells[] = {
  { .type = MILL_INT, .u.i = 1 },
  { .type = MILL_TEXT, .len = 1, .u.text = "a" },
};

static int row(const Misbehaving *c, uint32_t table, const MillValue *of, uint32_t n)
{
  return c->host->cells(c->host, table, of, n);
}

static int misbehaving_report(void *instance)
{
  const Misbehaving *c = instance;
  const MillStageHost *h = c->host;
  const MillValue wrong[] = { cells[1], cells[1] };
  const MillValue bad[] = { cells[0], odd_value() };
  switch (VIOLATION) {
  case TOO_FEW_CELLS: return row(c, 0, cells, 1);
  case WRONG_CELL: return row(c, 0, wrong, 2);
  case BAD_VALUE_IN_ROW:
  case INFINITE_CELL:
  case BAD_TEXT_IN_ROW: return row(c, 0, bad, 2);
  case NAN_METRIC: return h->metric(h, 0, "mean", odd_value(), 1);
  case UNKNOWN_TABLE: return row(c, 1, cells, 2);
  case UNKNOWN_STAT: return h->metric(h, 0, "p50", mill_int(1), 1);
  case UNKNOWN_METRIC: return h->metric(h, 1, NULL, mill_int(1), 1);
  case WRONG_METRIC: return h->metric(h, 0, "mean", cells[1], 1);
  case DUPLICATE_METRIC:
    h->metric(h, 0, "mean", mill_int(1), 1);
    return h->metric(h, 0, "mean", mill_int(2), 1);
  case DUPLICATE_ROW: row(c, 0, cells, 2); return row(c, 0, cells, 2);
  case POSITIVE_REPORT: return 1;
  default: return row(c, 0, cells, 2);
  }
}

static int misbehaving_report_run(void *run_instance)
{
  const Misbehaving *c = run_instance;
  if (VIOLATION == WRONG_LEVEL_OF_METRIC)
    return c->host->metric(c->host, 0, "mean", mill_int(1), 1);
  return VIOLATION == WRONG_LEVEL ? row(c, 0, cells, 2) : 0;
}

/* --------------------------------------------------------------- descriptor */

#define OBSERVES                                                                             \
  (IS_ANY_OF(OBSERVE_CHANGES, OBSERVE_MOVES) || IS_ANY_OF(RAW_BYTES_OBSERVED, LOAD_ORDER) || \
   IS_ANY_OF(POSITIVE_OBSERVE, FALSE_ORDER_OF_TWO_PHASES) || VIOLATION == UNDECLARED_MOVE)
#define READS_ONLY                                                                        \
  (IS_ANY_OF(READ_ONLY_CHANGE, READ_ONLY_SET) || IS_ANY_OF(CRASH, CRASH_IN_A_THREAD) ||    \
   IS_ANY_OF(EXIT, EXIT_AT_ONCE) || IS_ANY_OF(EXIT_IN_A_THREAD, STACK_OVERFLOW) ||         \
   IS_ANY_OF(LOOPS, EATS_MEMORY))
#define FLUSHES \
  (IS_ANY_OF(POSITIVE_FLUSH, STALE_EVENTS) || VIOLATION == STALE_SCRATCH)
#define EMITS                                                                               \
  (IS_ANY_OF(KEPT_TWICE, EMIT_KEPT_NOWHERE) || IS_ANY_OF(EMIT_NOWHERE, BAD_KIND_EMITTED) || \
   IS_ANY_OF(UNKNOWN_TRACK_EMITTED, UNKNOWN_TRACK_AFTER_EMIT) ||                            \
   IS_ANY_OF(UNKNOWN_NAME_EMITTED, EMIT_IN_PLACE_WITHOUT_ORDER))

#define IS_WHOLE (VIOLATION == FALSE_ORDER_OF_ALL)

static const MillColumn columns[] = {
  MILL_CELL_COLUMN("count", "count", MILL_INT, MILL_COLUMN_KEY, "A number"),
  MILL_CELL_COLUMN("text", NULL, MILL_TEXT, 0, "A text"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "violations", .help = "A table", .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE,
    .kind = MILL_INT,
    .name = "violations",
    .unit = "count",
    .stats = "mean",
    .help = "A metric" },
};
static const MillNotice notices[] = {
  MILL_WARNING(1, "{count} violation[|s] (first: {name})", NULL, NULL, "Something is odd."),
};
static const MillRead reads[] = {
  { VIOLATION == UNASKED_ATTRIBUTE ? "y" : "x", MILL_AS_INT, 0 }
};
static const char *const needs[] = { IS_ANY_OF(FALSE_ORDER, FALSE_ORDER_OF_TWO_PHASES)
                                         ? "order.lane"
                                     : IS_WHOLE ? "order.run"
                                                : NULL,
                                     NULL };
static const char *const provides[] = { VIOLATION == FALSE_SLICES   ? "slices"
                                        : VIOLATION == BROKEN_ORDER ? "order.lane"
                                                                    : NULL,
                                        NULL };

typedef struct Options {
  int64_t old;
} Options;
static const MillOption options[] = {
  MILL_OPTION(Options, old, int64_t, MILL_OPT_INT, MILL_OPTION_DEPRECATED, "old", "0", NULL, NULL,
              "Does nothing any more"),
};

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = misbehaving_open,
  .observe = OBSERVES ? misbehaving_observe : NULL,
  .decide = VIOLATION == UNDECLARED_MOVE ? misbehaving_decide : NULL,
  .process = misbehaving_process,
  .flush = FLUSHES ? misbehaving_flush : NULL,
  .report = misbehaving_report,
  .save_observed = VIOLATION == LOAD_ORDER ? misbehaving_save : NULL,
  .merge_observed = VIOLATION == LOAD_ORDER ? misbehaving_merge : NULL,
  .save_decision = VIOLATION == LOAD_ORDER ? misbehaving_save : NULL,
  .load_decision = VIOLATION == LOAD_ORDER ? misbehaving_load : NULL,
  .save_result = IS_WHOLE ? NULL : misbehaving_save,
  .merge_result = IS_WHOLE ? NULL : misbehaving_merge,
  .report_run = IS_WHOLE ? NULL : misbehaving_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = VIOLATION == LOAD_ORDER ? MILL_SCOPE_RUN
           : IS_WHOLE              ? MILL_SCOPE_WHOLE
                                   : MILL_SCOPE_LANE,
  .flags = (IS_WHOLE ? 0 : MILL_MERGES) |
           (READS_ONLY ? MILL_READ_ONLY : 0) |
           (EMITS ? MILL_MAY_EMIT : 0),
  .options_size = sizeof(Options),
  .name = "rogue." NAME,
  .family = "test",
  .version = "1.0.0",
  .tag = VIOLATION == UNASKED_ATTRIBUTE ? "UNASK" : "ROGUE",
  .title = "Break the contract",
  .help = "Breaks one promise.",
  .needs = needs,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "rogue", "MIT");
