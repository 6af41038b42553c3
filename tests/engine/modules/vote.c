/* A stage of run scope: lanes say how many events they have, each group of lanes takes the most, and every event
 * gets that as the attribute "x". */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

typedef struct Options {
  MillList by;
} Options;
typedef struct Vote {
  const MillStageHost *host;
  MillSym x;
  int64_t most;
} Vote;

static int vote_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  (void)level;
  (void)options;
  Vote *v = mill_new(host->common, sizeof *v);
  if (!v) return -MILL_LIMIT;
  v->host = host;
  v->x = host->common->intern(host->common, "x", 1);
  *out_instance = v;
  return 0;
}

static int vote_observe(void *instance, const MillBatch *b)
{
  ((Vote *)instance)->most += b->n_events;
  return 0;
}

static int vote_put(void *instance)
{
  const Vote *v = instance;
  v->host->put_int(v->host, v->most);
  return 0;
}

static int vote_merge_observed(void *run_instance)
{
  Vote *v = run_instance;
  int64_t n = v->host->get_int(v->host);
  if (n > v->most) v->most = n;
  return 0;
}

static int vote_decide_run(void *run_instance)
{
  ((Vote *)run_instance)->most *= 10;
  return 0;
}

static int vote_load_decision(void *instance)
{
  Vote *v = instance;
  v->most = v->host->get_int(v->host);
  return 0;
}

static int vote_process(void *instance, MillBatch *b)
{
  const Vote *v = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    int status = v->host->set(v->host, b, i, v->x, mill_int(v->most));
    if (status) return status;
  }
  return 0;
}

static const MillOption options[] = { MILL_BY_OPTION(Options, by) };
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = vote_open,
  .observe = vote_observe,
  .process = vote_process,
  .save_observed = vote_put,
  .merge_observed = vote_merge_observed,
  .decide_run = vote_decide_run,
  .save_decision = vote_put,
  .load_decision = vote_load_decision,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .options_size = sizeof(Options),
  .name = "vote",
  .family = "test",
  .version = "1.0.0",
  .tag = "VOTE",
  .title = "Agree",
  .help = "Agrees on a number.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
