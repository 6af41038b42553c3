/* A lane that ran in another process, as bytes; see lane-bytes.h. */
#include "sched/lane-bytes.h"

#include "model/engine.h"

/* ----------------------------------------------------------------- outcome */

static void save_counters(const Counters *c, Summary *out)
{
  summary_put_int(out, (int64_t)c->events_in);
  summary_put_int(out, (int64_t)c->events_out);
  summary_put_int(out, (int64_t)c->emitted);
  summary_put_int(out, (int64_t)c->batches);
  for (Fate f = FATE_USABLE; f < FATES; f++) summary_put_int(out, (int64_t)c->dropped[f]);
  summary_put_int(out, (int64_t)c->told);
  summary_put_int(out, (int64_t)c->time_ns);
}

static void load_counters(Counters *c, Summary *from)
{
  c->events_in = (uint64_t)summary_get_int(from);
  c->events_out = (uint64_t)summary_get_int(from);
  c->emitted = (uint64_t)summary_get_int(from);
  c->batches = (uint64_t)summary_get_int(from);
  for (Fate f = FATE_USABLE; f < FATES; f++) c->dropped[f] = (uint64_t)summary_get_int(from);
  c->told = (uint64_t)summary_get_int(from);
  c->time_ns = (uint64_t)summary_get_int(from);
}

static void save_stage(const StageOutcome *o, Summary *out)
{
  summary_put_int(out, o->opened);
  if (!o->opened) return;
  summary_put_text(out, o->result.len ? (const char *)o->result.bytes : "", o->result.len);
  reported_save(o->reported, out);
  notices_save(&o->notices, out);
  save_counters(&o->counters, out);
}

static void load_stage(Run *run, StageOutcome *o, const Descriptor *stage, Summary *from)
{
  size_t len;
  if (summary_get_int(from) != 1) return;
  const char *result = summary_get_text(from, &len);
  summary_set_bytes(&o->result, result, len, &run->pools.budget);
  o->reported = reported_new(stage);
  o->reported->budget = &run->pools.budget;
  notices_init(&o->notices, stage);
  o->opened = true;
  reported_load(o->reported, from);
  notices_load(&o->notices, from);
  load_counters(&o->counters, from);
}

static void save_outcome(const LaneOutcome *o, Summary *out)
{
  summary_put_int(out, o != NULL);
  for (uint32_t s = 0; o && s < o->n_stages; s++) save_stage(&o->stages[s], out);
}

static void load_outcome(Run *run, Lane *lane, Summary *from)
{
  if (summary_get_int(from) != 1) return;
  lane->outcome = outcome_new(run->plan->n_stages);
  for (uint32_t s = 0; s < run->plan->n_stages && !from->broken; s++)
    load_stage(run, &lane->outcome->stages[s], run->plan->stages[s].stage, from);
}

/* ----------------------------------------------------------------- reading */

/* Several files may be one lane, and each may have found something. */
static void save_input(const Input *in, Summary *out)
{
  lane_info_save(in->lane, out);
  summary_put_int(out, (int64_t)in->text_bytes);
  summary_put_int(out, (int64_t)atomic_load(&in->done_bytes));
  for (guint i = 0; in->files && i < in->files->len; i++) save_input(in->files->pdata[i], out);
}

static void load_input(Input *in, Summary *from)
{
  lane_info_load(in->lane, from);
  in->text_bytes = (uint64_t)summary_get_int(from);
  atomic_store(&in->done_bytes, (uint64_t)summary_get_int(from));
  for (guint i = 0; in->files && i < in->files->len && !from->broken; i++)
    load_input(in->files->pdata[i], from);
}

static void save_account(const Lane *lane, Summary *out)
{
  summary_put_int(out, (int64_t)lane->account.read);
  for (Fate f = FATE_USABLE; f < FATES; f++) summary_put_int(out, (int64_t)lane->account.ended[f]);
}

static void load_account(Lane *lane, Summary *from)
{
  lane->account.read = (uint64_t)summary_get_int(from);
  for (Fate f = FATE_USABLE; f < FATES; f++)
    lane->account.ended[f] = (uint64_t)summary_get_int(from);
}

/* -------------------------------------------------------------- everything */

void lane_bytes_begin(Run *run)
{
  notices_clear(&run->aside.notices);
  notices_init(&run->aside.notices, engine_stage());
  sources_forget_notices(run->inputs->env.sources);
  atomic_store(&run->pools.spilled_bytes, 0);
}

void lane_save(Run *run, const Lane *lane, Summary *out)
{
  save_input(lane->input, out);
  save_account(lane, out);
  save_outcome(lane->outcome, out);
  notices_save(&run->aside.notices, out);
  sources_save_notices(run->inputs->env.sources, out);
  summary_put_int(out, (int64_t)atomic_load(&run->pools.spilled_bytes));
  lane_bytes_begin(run);
}

static void add_notices(Run *run, Summary *from)
{
  Notices own;
  notices_init(&own, engine_stage());
  notices_load(&own, from);
  if (!from->broken) notices_merge(&run->aside.notices, &own, 0);
  notices_clear(&own);
  sources_load_notices(run->inputs->env.sources, from);
}

Error *lane_load(Run *run, Lane *lane, Summary *from)
{
  load_input(lane->input, from);
  load_account(lane, from);
  load_outcome(run, lane, from);
  add_notices(run, from);
  atomic_fetch_add(&run->pools.spilled_bytes, (uint64_t)summary_get_int(from));
  if (!from->broken) return NULL;
  g_clear_pointer(&lane->outcome, outcome_free);
  return error_new(EXIT_INTERNAL, "RUN-71", "what another process made of %s is damaged",
                   lane->info->name);
}
