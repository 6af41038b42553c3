/* Puts times of all ranks on one base: the earliest absolute time of all of them becomes 0. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

enum { NOTICE_NO_BASE = 1 };

/* In a lane: its least ts_ns; on the run level, and as the decision: the least absolute time. */
typedef struct FirstTime {
  const MillStageHost *host;
  int64_t first_ns, shift_ns;
  bool known;
} FirstTime;

static int first_time_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  FirstTime *f = mill_new(host->common, sizeof *f);
  if (!f) return -MILL_LIMIT;
  f->host = host;
  *out_instance = f;
  return 0;
}

static void consider(FirstTime *f, int64_t ns)
{
  if (!f->known || ns < f->first_ns) f->first_ns = ns;
  f->known = true;
}

static int first_time_observe(void *instance, const MillBatch *b)
{
  FirstTime *f = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!(b->events[i].flags & MILL_FLAG_NO_TS)) consider(f, b->events[i].ts_ns);
  return 0;
}

static MillLane own_lane(const FirstTime *f)
{
  MillLane lane = { .size = sizeof lane };
  f->host->common->lane(f->host->common, MILL_NO_LANE, &lane);
  return lane;
}

static void put(const FirstTime *f, bool known, int64_t ns)
{
  f->host->put_int(f->host, known);
  f->host->put_int(f->host, ns);
}

/* A source may give the base after the events, so it is asked for here. */
static int first_time_save_observed(void *instance)
{
  const FirstTime *f = instance;
  const MillLane lane = own_lane(f);
  int64_t absolute_ns = 0;
  bool known = f->known && mill_abs_ts(&lane, f->first_ns, &absolute_ns);
  put(f, known, absolute_ns);
  return 0;
}

static int first_time_merge_observed(void *run_instance)
{
  FirstTime *f = run_instance;
  bool known = f->host->get_int(f->host) != 0;
  int64_t ns = f->host->get_int(f->host);
  if (known) consider(f, ns);
  return 0;
}

static int first_time_decide_run(void *run_instance)
{
  const FirstTime *f = run_instance;
  if (!f->known) mill_note(f->host->common, NOTICE_NO_BASE);
  return 0;
}

static int first_time_save_decision(void *run_instance)
{
  const FirstTime *f = run_instance;
  put(f, f->known, f->first_ns);
  return 0;
}

/* Times count from the first one from here on: of this much the events are shifted, and the base the other way. */
static int first_time_load_decision(void *instance)
{
  FirstTime *f = instance;
  const MillLane lane = own_lane(f);
  bool known = f->host->get_int(f->host) != 0;
  int64_t first_ns = f->host->get_int(f->host);
  if (!known || lane.base_ns == MILL_NO_BASE) return 0;
  f->shift_ns = lane.base_ns - first_ns;
  return f->host->move_base(f->host, 0);
}

static int first_time_process(void *instance, MillBatch *b)
{
  const FirstTime *f = instance;
  for (uint32_t i = 0; i < b->n_events && f->shift_ns; i++) {
    MillEvent *e = &mill_events(b)[i];
    if (!(e->flags & MILL_FLAG_NO_TS)) mill_set_ts(e, e->ts_ns + f->shift_ns);
  }
  return 0;
}

static const MillNotice notices[] = {
  MILL_WARNING(NOTICE_NO_BASE, "no lane says when it was", "times stay as they are", NULL,
               "Absolute times are the sum of a time and the base of its lane, which the source "
               "gives.  Without "
               "any base nothing can be compared."),
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = first_time_open,
  .observe = first_time_observe,
  .process = first_time_process,
  .save_observed = first_time_save_observed,
  .merge_observed = first_time_merge_observed,
  .decide_run = first_time_decide_run,
  .save_decision = first_time_save_decision,
  .load_decision = first_time_load_decision,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .flags = MILL_MOVES_BASE,
  .name = "acme.first-time",
  .family = "acme",
  .version = "1.0.0",
  .tag = "FIRST",
  .title = "Count times from the first of all ranks",
  .help = "The earliest absolute time of all lanes becomes 0, and the base of every lane with it.",
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "acme", "MIT");
