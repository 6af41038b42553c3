/* The account of a run; see account.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/account.h"

#include "sched/lanes.h"

void account_read(Lane *lane, const MillBatch *b) { lane->account.read += b->n_events; }

void account_end(Lane *lane, const MillBatch *b)
{
  uint64_t ended[FATES] = { 0 };
  for (uint32_t i = 0; i < b->n_events; i++) ended[fate_of(&b->events[i])]++;
  for (Fate f = FATE_USABLE; f < FATES; f++) lane->account.ended[f] += ended[f];
}

/* The events of a lane that failed were read, but are not in the results. */
static void add_lane(RunEvents *s, const Lane *lane)
{
  s->read += lane->account.read;
  if (!lane->through) return;
  s->used += lane->account.ended[FATE_USABLE];
  for (Fate f = FATE_PHASE; f < FATES; f++) s->left_out[f] += lane->account.ended[f];
}

static void add_stage(RunEvents *s, const Counters *c)
{
  uint64_t told = MIN(c->told, c->dropped[FATE_USABLE]);
  s->made += c->emitted;
  for (Fate f = FATE_USABLE; f < FATES; f++) s->left_out[f] += c->dropped[f];
  s->left_out[FATE_USABLE] -= told;
  s->left_out[FATE_NOTICE] += told;
}

/* Events that sources read but did not give to stages. */
static uint64_t kept_back(const Inputs *in)
{
  g_autoptr(GPtrArray) sources = inputs_sources(in);
  uint64_t n = 0;
  for (guint s = 0; s < sources->len; s++) {
    const Descriptor *d = sources->pdata[s];
    const Notices *read = sources_notices(in->env.sources, d);
    for (uint32_t i = 0; read && i < d->n_notices; i++)
      if (d->notices[i].flags & MILL_NOTICE_LEFT_OUT) n += read->counts[i].count;
  }
  return n;
}

RunEvents account_sum(const Run *run)
{
  RunEvents s = { 0 };
  const Lane *lane;
  for (guint i = 0; (lane = run_lane(run, i)); i++) add_lane(&s, lane);
  for (uint32_t i = 0; i < run->plan->n_stages; i++) add_stage(&s, &run->totals.counters[i]);
  uint64_t ended = s.used;
  for (Fate f = FATE_USABLE; f < FATES; f++) ended += s.left_out[f];
  if (run->aside.errors->len && s.read + s.made > ended) s.failed = s.read + s.made - ended;
  uint64_t back = kept_back(run->inputs);
  s.read += back;
  s.left_out[FATE_NOTICE] += back;
  return s;
}
