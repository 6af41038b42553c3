/* A lane that ran in another process, as bytes; see lane-bytes.h.
 * Each stage, and what was found in the input, is a text of its own. */
/* SPDX-License-Identifier: MIT */
#include "sched/lane-bytes.h"

#include <string.h>

#include "input/found.h"
#include "results/provenance.h"

/* ----------------------------------------------------------------- notices */

/* Lanes that follow each other in an input have other numbers where fewer inputs are read, so
 * notices name them by their places in the input. */
static uint32_t place_of(const void *inputs, uint32_t index)
{
  uint32_t place = 0;
  uint32_t at = inputs_reader(inputs, index)->first_lane;
  for (; at != index && inputs_lane(inputs, at)->next_index; place++)
    at = inputs_lane(inputs, at)->next_index;
  return place;
}

typedef struct Places {
  const Inputs *inputs;
  uint32_t first; /* lane of the input */
} Places;

static uint32_t index_of(const void *places, uint32_t place)
{
  const Places *p = places;
  uint32_t at = p->first;
  for (; place && inputs_lane(p->inputs, at)->next_index; place--)
    at = inputs_lane(p->inputs, at)->next_index;
  return at;
}

static void save_notices(const Inputs *in, const Lane *lane, Notices *n, Summary *out)
{
  const Places places = { in, lane->input->first_lane };
  notices_renumber(n, place_of, in);
  notices_save(n, out);
  notices_renumber(n, index_of, &places);
}

static void load_notices(const Inputs *in, const Lane *lane, Notices *n, Summary *from)
{
  const Places places = { in, lane->input->first_lane };
  notices_load(n, from);
  if (!from->broken) notices_renumber(n, index_of, &places);
}

/* ------------------------------------------------------------------- parts */

static void put_part(Summary *part, Summary *out)
{
  summary_put_text(out, part->len ? (const char *)part->bytes : "", part->len);
  summary_clear(part);
}

/* To be read, not cleared. */
static Summary get_part(Summary *from)
{
  size_t len;
  const char *bytes = summary_get_text(from, &len);
  return (Summary){ .bytes = (uint8_t *)bytes, .len = len, .broken = from->broken };
}

/* ----------------------------------------------------------------- outcome */

static void save_counters(const Counters *c, Summary *out)
{
  summary_put_int(out, (int64_t)c->events_in);
  summary_put_int(out, (int64_t)c->events_out);
  summary_put_int(out, (int64_t)c->emitted);
  for (Fate f = FATE_USABLE; f < FATES; f++) summary_put_int(out, (int64_t)c->dropped[f]);
  summary_put_int(out, (int64_t)c->told);
}

static void load_counters(Counters *c, Summary *from)
{
  c->events_in = (uint64_t)summary_get_int(from);
  c->events_out = (uint64_t)summary_get_int(from);
  c->emitted = (uint64_t)summary_get_int(from);
  for (Fate f = FATE_USABLE; f < FATES; f++) c->dropped[f] = (uint64_t)summary_get_int(from);
  c->told = (uint64_t)summary_get_int(from);
}

static void save_stage(const Inputs *in, const Lane *lane, uint32_t stage, Summary *out)
{
  StageOutcome *o = &lane->outcome->stages[stage];
  Summary part = { 0 };
  if (o->opened) {
    summary_put_text(&part, o->result.len ? (const char *)o->result.bytes : "", o->result.len);
    reported_save(o->reported, &part);
    save_notices(in, lane, &o->notices, &part);
    save_counters(&o->counters, &part);
  }
  put_part(&part, out);
}

static void load_stage(Run *run, const Lane *lane, uint32_t stage, Summary *from)
{
  StageOutcome *o = &lane->outcome->stages[stage];
  const Descriptor *d = run->plan->stages[stage].stage;
  Summary part = get_part(from);
  size_t len;
  if (!part.len) return;
  const char *result = summary_get_text(&part, &len);
  summary_set_bytes(&o->result, result, len, &run->pools.budget);
  o->reported = reported_new(d);
  o->reported->budget = &run->pools.budget;
  o->reported->file = run->pools.rows_file;
  reported_leave_lead(o->reported, run->env.n_lead);
  notices_init(&o->notices, d);
  o->opened = true;
  reported_load(o->reported, &part);
  reported_trim(o->reported);
  load_notices(run->inputs, lane, &o->notices, &part);
  load_counters(&o->counters, &part);
  from->broken |= part.broken || part.pos < part.len;
}

static void load_outcome(Run *run, Lane *lane, Summary *from)
{
  if (summary_get_int(from) != 1) return;
  lane->outcome = outcome_new(run->plan->n_stages);
  for (uint32_t s = 0; s < run->plan->n_stages && !from->broken; s++)
    load_stage(run, lane, s, from);
}

/* ----------------------------------------------------------------- reading */

/* It is with the last lane of the input, once that is through: then the whole input was read. */
static char *hash_of(const Lane *lane, const Input *in)
{
  return lane->outcome && !lane->input->follows ? provenance_hash_of(in) : NULL;
}

/* Several files may be one lane, and each may have found something. */
static void save_input(const Inputs *inputs, const Lane *lane, Input *in, Summary *out)
{
  g_autofree char *hash = hash_of(lane, in);
  summary_put_string(out, hash);
  lane_info_save(in->lane, out);
  save_notices(inputs, lane, &in->found, out);
  for (guint i = 0; in->files && i < in->files->len; i++)
    save_input(inputs, lane, in->files->pdata[i], out);
}

/* counts: what the source counted is not with the sources yet. */
static void load_input(const Inputs *inputs, const Lane *lane, Input *in, bool counts,
                       Summary *from)
{
  Notices found;
  char *hash = summary_get_string(from);
  if (hash) {
    g_free(in->known_hash);
    in->known_hash = hash;
  }
  lane_info_load(in->lane, from);
  notices_init(&found, in->source);
  load_notices(inputs, lane, &found, from);
  if (counts && !from->broken) found_take(in, &found);
  notices_clear(&found);
  for (guint i = 0; in->files && i < in->files->len && !from->broken; i++)
    load_input(inputs, lane, in->files->pdata[i], counts, from);
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

void lane_bytes_save(const Run *run, const Lane *lane, Summary *out)
{
  Summary part = { 0 };
  save_input(run->inputs, lane, lane->input, &part);
  save_account(lane, &part);
  put_part(&part, out);
  summary_put_int(out, lane->outcome != NULL);
  for (uint32_t s = 0; lane->outcome && s < lane->outcome->n_stages; s++)
    save_stage(run->inputs, lane, s, out);
}

static Error *damaged(const Lane *lane)
{
  return error_new(EXIT_INTERNAL, "RUN-71", "what another process made of %s is damaged",
                   lane->info->name);
}

static Error *load_known(Run *run, Lane *lane, bool counts, Summary *from)
{
  Summary part = get_part(from);
  load_input(run->inputs, lane, lane->input, counts, &part);
  load_account(lane, &part);
  from->broken |= part.broken || part.pos < part.len;
  return from->broken ? damaged(lane) : NULL;
}

Error *lane_bytes_load_waiting(Run *run, Lane *lane, Summary *from)
{
  return load_known(run, lane, false, from);
}

Error *lane_bytes_load(Run *run, Lane *lane, Summary *from)
{
  Error *e = load_known(run, lane, true, from);
  if (e) return e;
  load_outcome(run, lane, from);
  if (!from->broken) return NULL;
  g_clear_pointer(&lane->outcome, outcome_free);
  return damaged(lane);
}

static bool same_part(Summary *one, Summary *other)
{
  Summary a = get_part(one), b = get_part(other);
  return a.len == b.len && !memcmp(a.bytes, b.bytes, a.len);
}

const char *lane_bytes_difference(const Run *run, Summary *one, Summary *other)
{
  bool same = same_part(one, other);
  summary_get_int(one);
  summary_get_int(other);
  for (uint32_t s = 0; same && s < run->plan->n_stages; s++)
    if (!same_part(one, other)) return run->plan->stages[s].id;
  return NULL;
}
