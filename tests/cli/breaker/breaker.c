/* A stage that ends the program in ways that no stage should, or says what steers a terminal. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define NASTY "\033[2J\r\ndone\x7f"

enum { ABORT, QUICK_EXIT, FAIL, LOG, NOTE };

typedef struct Options {
  int64_t how;
  int64_t lanes;
} Options;

typedef struct Breaker {
  const MillHost *common;
  Options options;
} Breaker;

static int breaker_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  Breaker *b = mill_new(host->common, sizeof *b);
  if (!b) return -MILL_LIMIT;
  b->common = host->common;
  b->options = *(const Options *)options;
  *out_instance = b;
  return 0;
}

/* All lanes at the same moment; not for ever, should there be fewer threads. */
static void abort_together(const Breaker *b)
{
  static atomic_long n_here;
  time_t start = time(NULL);
  atomic_fetch_add(&n_here, 1);
  while (atomic_load(&n_here) < b->options.lanes && time(NULL) < start + 3) continue;
  abort();
}

static int breaker_process(void *instance, MillBatch *batch)
{
  Breaker *b = instance;
  MillNamed value = { "text", { .type = MILL_TEXT, .len = sizeof NASTY - 1, .u.text = NASTY } };
  switch (b->options.how) {
  case ABORT: abort_together(b); break;
  case QUICK_EXIT: quick_exit(0);
  case FAIL: return mill_fail(b->common, MILL_STAGE_FAILED, "what " NASTY, "help " NASTY);
  case LOG: b->common->log(b->common, MILL_LEVEL_WARNING, "log " NASTY); break;
  case NOTE: b->common->note(b->common, 1, batch, MILL_NO_EVENT, &value, 1); break;
  }
  return 0;
}

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, how, "how", "abort", "abort|quick-exit|fail|log|note",
                     "What it does"),
  MILL_INT_OPTION(Options, lanes, "lanes", "1", "1:", NULL, "How many abort together"),
};

static const MillNotice notices[] = {
  { 1, MILL_LEVEL_WARNING, "an event says {text}", NULL, NULL, "For testing." },
};

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = breaker_open,
                                  .process = breaker_process };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_EVENT,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "test.breaker",
  .family = "test",
  .version = "1.0.0",
  .tag = "BREAK",
  .title = "End the program, or steer the terminal",
  .help = "For testing how the program ends, and what reaches a terminal.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "test", "MIT");
