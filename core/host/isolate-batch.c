/* Batches go to the process of a stage and come back; see isolate-batch.h. */
/* SPDX-License-Identifier: MIT */
#include "host/isolate-batch.h"

#include "host/isolate-exchange.h"
#include "host/phase.h"
#include "host/placed.h"

static const char *doing_of(BatchCall call)
{
  return call == CALL_OBSERVE ? "observing" : call == CALL_FLUSH ? "flushing" : "processing";
}

/* Those in the areas, in order; *out_changed: the last one has come back. */
static Error *send_batches(Instance *i, BatchCall call, unsigned n, bool *out_changed)
{
  uint32_t phase = call == CALL_OBSERVE ? PHASE_OBSERVE : PHASE_PROCESS;
  Summary message = { 0 }, answer = { 0 };
  *out_changed = false;
  exchange_begin(i, SAY_BATCH, &message);
  summary_put_int(&message, call);
  summary_put_int(&message, n);
  Error *e = exchange_send(i, phase, doing_of(call), &message, &answer);
  if (!e) {
    e = exchange_take(i, &answer);
    *out_changed = summary_get_int(&answer) != 0;
    if (answer.broken) e = error_join(e, exchange_garbled(i));
  }
  summary_clear(&answer);
  return e;
}

Error *isolate_send_waiting(Instance *i)
{
  Remote *r = i->remote;
  unsigned n = r->n_waiting;
  bool changed;
  r->n_waiting = 0;
  return n ? send_batches(i, r->waiting_call, n, &changed) : NULL;
}

/* Only what a stage emits again needs all bytes of its event. */
static bool needs_raw(const Instance *i)
{
  return (i->env->with_raw && i->descriptor->flags & MILL_MAY_EMIT) || i->env->verify;
}

static bool marks_events(const Descriptor *d)
{
  for (uint32_t k = 0; k < d->n_notices; k++)
    if (d->notices[k].flags & MILL_NOTICE_LEFT_OUT) return true;
  return false;
}

/* Nothing of the batch comes back, so that it need not be waited for. */
static bool may_wait(const Instance *i, BatchCall call)
{
  const Descriptor *d = i->descriptor;
  bool only_looks = call == CALL_OBSERVE || (call == CALL_PROCESS && d->flags & MILL_READ_ONLY);
  return only_looks && !(d->flags & MILL_MAY_EMIT) && !marks_events(d) && !i->env->verify;
}

static Error *put_batch(Instance *i, Batch *b, WireArea *area)
{
  WireBatch with = { .next_seq = i->lane ? i->lane->next_seq : 0 };
  bool with_raw = needs_raw(i);
  Error *e = NULL;
  if (with_raw && b->block && !b->block->bytes) {
    e = block_read_again(b->block);
    b->pub.raw_ = b->block->bytes;
  }
  if (e || wire_put_batch(area, b, &with, with_raw)) return e;
  return remote_lost(i, EXIT_LIMIT, "needs more memory than there is");
}

/* Some of what was emitted is still to be put in its place, which the program does. */
static bool places_events(const Batch *b)
{
  for (uint32_t k = 0; k < b->n_fresh; k++)
    if (b->fresh_at[k] == BATCH_IN_PLACE) return true;
  return false;
}

static Error *take_batch(Instance *i, Batch *b, WireArea *area)
{
  WireBatch with;
  const char *wrong = wire_get_result(area, b, &with);
  if (!wrong) {
    if (i->lane) i->lane->next_seq = with.next_seq;
    if (!i->waiting && places_events(b)) i->waiting = placed_new();
    return NULL;
  }
  remote_reap(i->remote);
  return remote_lost(i, EXIT_STAGE, wrong);
}

Error *isolate_batch(Instance *i, BatchCall call, Batch *b)
{
  Remote *r = i->remote;
  bool changed, waits = may_wait(i, call);
  Error *e = waits && call == r->waiting_call ? NULL : isolate_send_waiting(i);
  if (e) return e;
  r->doing = doing_of(call);
  r->waiting_call = call;
  WireArea *area = &r->link.areas[r->n_waiting];
  e = put_batch(i, b, area);
  if (e) return e;
  if (waits) return ++r->n_waiting < ISOLATE_BURST ? NULL : isolate_send_waiting(i);
  e = send_batches(i, call, 1, &changed);
  return e || !changed ? e : take_batch(i, b, area);
}
