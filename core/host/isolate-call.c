/* Calls of an isolated stage, and what comes back with their return; see isolate-call.h. */
/* SPDX-License-Identifier: MIT */
#include "host/isolate-call.h"

#include "host/isolate-batch.h"
#include "host/isolate-exchange.h"
#include "host/phase.h"

/* A summary that the call writes, reads, or does without. */
static int64_t use_of_summary(const Instance *i, uint32_t phase)
{
  if (!i->summary) return SUMMARY_NONE;
  return phase == PHASE_SAVE ? SUMMARY_WRITTEN : SUMMARY_READ;
}

static void put_call(Instance *i, uint32_t phase, const char *doing, int (*op)(void *),
                     Summary *out)
{
  int64_t use = use_of_summary(i, phase);
  exchange_begin(i, SAY_CALL, out);
  summary_put_int(out, phase);
  summary_put_int(out, (int64_t)(uintptr_t)doing);
  summary_put_int(out, (int64_t)(uintptr_t)op);
  summary_put_int(out, i->shared_count != NULL);
  summary_put_int(out, i->shared_count ? (int64_t)*i->shared_count : 0);
  summary_put_int(out, use);
  if (use == SUMMARY_READ)
    summary_put_text(out, i->summary->len ? (const char *)i->summary->bytes : "", i->summary->len);
}

static void take_summary(Instance *i, Summary *message)
{
  size_t len;
  int64_t use = summary_get_int(message);
  if (use == SUMMARY_READ) {
    i->summary->pos = (size_t)summary_get_int(message);
    i->summary->broken = summary_get_int(message) != 0;
  }
  if (use != SUMMARY_WRITTEN) return;
  const char *bytes = summary_get_text(message, &len);
  if (i->summary) summary_set_bytes(i->summary, bytes, len, i->env->budget);
}

static void take_results(Instance *i, Summary *message)
{
  Notices counted;
  int64_t shared = summary_get_int(message);
  if (i->shared_count) *i->shared_count = (uint64_t)shared;
  take_summary(i, message);
  notices_init(&counted, i->descriptor);
  notices_load(&counted, message);
  if (!message->broken) notices_merge(&i->notices, &counted, 0);
  notices_clear(&counted);
  if (summary_get_int(message) && reported_is_empty(i->reported))
    reported_load(i->reported, message);
}

static Error *take_message(Instance *i, Summary *message)
{
  Error *e = exchange_take(i, message);
  take_results(i, message);
  return message->broken ? error_join(e, exchange_garbled(i)) : e;
}

static Error *send_call(Instance *i, uint32_t phase, const char *doing, Summary *message)
{
  Summary returned = { 0 };
  Error *e = exchange_send(i, phase, doing, message, &returned);
  if (!e) e = take_message(i, &returned);
  summary_clear(&returned);
  return e;
}

Error *isolate_hear_opened(Instance *i, uint32_t phase)
{
  Summary returned = { 0 };
  Error *e = exchange_hear(i, phase, &returned);
  if (!e) e = take_message(i, &returned);
  summary_clear(&returned);
  return e;
}

Error *isolate_call(Instance *i, uint32_t phase, const char *doing, int (*op)(void *))
{
  Summary message = { 0 };
  Error *e = isolate_send_waiting(i);
  if (e) return e;
  put_call(i, phase, doing, op, &message);
  e = send_call(i, phase, doing, &message);
  i->summary = NULL;
  return e;
}

Error *isolate_call_close(Instance *i)
{
  Summary message = { 0 };
  Error *e = isolate_send_waiting(i);
  if (!i->remote->pid) return e;
  exchange_begin(i, SAY_CLOSE, &message);
  return error_join(e, send_call(i, PHASE_CLOSE, "closing", &message));
}
