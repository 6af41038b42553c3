/* A stage of event scope that emits: "first" at the start of each batch, an echo after each event that is named "a",
 * and "last" when the lane ends.  It keeps a private attribute for those after it, drops what is named "gone", and
 * fails at what is named "bad". */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  bool first;
} Options;
typedef struct Echo {
  const MillStageHost *host;
  MillSym a, gone, bad, echo, first, last, secret;
  bool says_first;
} Echo;

static MillSym sym(const MillHost *h, const char *text, size_t len)
{
  return h->intern(h, text, len);
}

static int echo_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  const MillHost *h = host->common;
  Echo *e = mill_new(h, sizeof *e);
  if (!e) return -MILL_LIMIT;
  *e = (Echo){ .host = host,
               .a = sym(h, "a", 1),
               .gone = sym(h, "gone", 4),
               .bad = sym(h, "bad", 3),
               .echo = sym(h, "echo", 4),
               .first = sym(h, "first", 5),
               .last = sym(h, "last", 4),
               .secret = sym(h, "secret", 6),
               .says_first = ((const Options *)options)->first };
  *out_instance = e;
  return 0;
}

static int emit(const Echo *e, MillBatch *b, uint32_t after, MillEvent like, MillSym name)
{
  like.name = name;
  return e->host->emit(e->host, b, after, &like) == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

static int echo_one(const Echo *e, MillBatch *b, uint32_t i)
{
  MillEvent *at = &mill_events(b)[i];
  if (at->name == e->gone) mill_drop(at);
  if (at->name == e->bad) return mill_fail(e->host->common, MILL_BAD_INPUT, "a bad event", "none");
  int status = e->host->set(e->host, b, i, e->secret, mill_int(1));
  return status || at->name != e->a ? status : emit(e, b, i, *at, e->echo);
}

static int echo_process(void *instance, MillBatch *b)
{
  const Echo *e = instance;
  int status = b->n_events && e->says_first ? emit(e, b, MILL_AT_START, b->events[0], e->first) : 0;
  for (uint32_t i = 0; i < b->n_events && !status; i++) status = echo_one(e, b, i);
  return status;
}

static int echo_flush(void *instance, MillBatch *b)
{
  const Echo *e = instance;
  MillEvent last = { .ts_ns = 99, .dur_ns = -1, .kind = MILL_INSTANT };
  last.track = e->host->track(e->host, mill_int(1), mill_none());
  return emit(e, b, MILL_AT_END, last, e->last);
}

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, first, "first", "false", "Emit at the start of each batch"),
};
static const char *const private_attrs[] = { "secret", NULL };
static const char *const spoils[] = { "order.lane", NULL };
static const MillStageOps ops = {
  .size = sizeof ops, .open = echo_open, .process = echo_process, .flush = echo_flush
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_EVENT,
  .flags = MILL_MAY_EMIT | MILL_MAY_DROP,
  .options_size = sizeof(Options),
  .name = "echo",
  .family = "test",
  .version = "1.0.0",
  .tag = "ECHO",
  .title = "Emit",
  .help = "Emits and drops.",
  .spoils = spoils,
  .private_attrs = private_attrs,
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
