/* A call of the process of a stage, and its return; see isolate-exchange.h. */
/* SPDX-License-Identifier: MIT */
#include "host/isolate-exchange.h"

#include "host/isolate-answer.h"
#include "host/slots.h"

/* What is new since the last message.  Rows of tracks name symbols that were there before them. */
static void put_news(Instance *i, Summary *out)
{
  Remote *r = i->remote;
  uint32_t n_tracks = i->tracks ? tracks_count(i->tracks) : 0;
  uint32_t n_symbols = symbols_count(i->env->symbols);
  summary_put_int(out, n_symbols - r->n_symbols);
  for (; r->n_symbols < n_symbols; r->n_symbols++) {
    size_t len;
    const char *text = symbols_text(i->env->symbols, r->n_symbols, &len);
    summary_put_text(out, text, len);
  }
  summary_put_int(out, n_tracks - r->n_tracks);
  for (; r->n_tracks < n_tracks; r->n_tracks++) {
    const MillTrack *row = tracks_get(i->tracks, r->n_tracks);
    summary_put_int(out, row->lane);
    talk_put_value(out, &row->process);
    talk_put_value(out, &row->thread);
  }
}

void exchange_begin(Instance *i, int64_t what, Summary *out)
{
  summary_put_int(out, what);
  put_news(i, out);
  summary_put_int(out, i->mute);
}

/* The answer comes before the news that it may have made, and is sent after them. */
static Error *serve(Instance *i, Summary *asked)
{
  Summary said = { 0 }, message = { 0 };
  isolate_answer(i, asked, &said);
  bool garbled = asked->broken;
  summary_clear(asked);
  if (!garbled) {
    summary_put_int(&message, SAY_ANSWER);
    put_news(i, &message);
    summary_put_text(&message, said.len ? (const char *)said.bytes : "", said.len);
  }
  summary_clear(&said);
  if (garbled) return exchange_garbled(i);
  return wire_send(i->remote->link.fd, &message) ? NULL : remote_ended(i);
}

/* A message of the stage, or none so far: a look at it instead.  *out_returned: it is the return. */
static Error *hear_once(Instance *i, Summary *out, bool *out_returned)
{
  switch (wire_receive(i->remote->link.fd, out)) {
  case WIRE_GONE: return remote_ended(i);
  case WIRE_NOTHING: return remote_look(i);
  case WIRE_GARBLED: return exchange_garbled(i);
  default: break;
  }
  int64_t what = summary_get_int(out);
  *out_returned = what == SAY_RETURN && !out->broken;
  if (*out_returned) return NULL;
  if (what == SAY_ASK) return serve(i, out);
  summary_clear(out);
  return exchange_garbled(i);
}

/* The return, what the stage asks for answered on the way. */
static Error *hear(Instance *i, Summary *out)
{
  bool returned = false;
  Error *e = NULL;
  while (!e && !returned) e = hear_once(i, out, &returned);
  return e;
}

/* What the stage asks for is asked here by this thread. */
static void enter(Instance *i, uint32_t phase)
{
  i->phase = phase;
  i->thread = pthread_self();
  slot_set(i);
}

static void leave(Instance *i)
{
  i->phase = 0;
  slot_set(NULL);
}

Error *exchange_hear(Instance *i, uint32_t phase, Summary *out)
{
  enter(i, phase);
  Error *e = hear(i, out);
  leave(i);
  return e;
}

Error *exchange_send(Instance *i, uint32_t phase, const char *doing, Summary *message, Summary *out)
{
  Remote *r = i->remote;
  if (!r->pid) {
    summary_clear(message);
    return remote_lost(i, EXIT_STAGE, "has ended before");
  }
  remote_enter(r, doing);
  return wire_send(r->link.fd, message) ? exchange_hear(i, phase, out) : remote_ended(i);
}

static void take_memory(Instance *i, uint64_t bytes)
{
  Remote *r = i->remote;
  if (bytes > r->memory_bytes)
    budget_take(i->env->budget, USE_MODULES, bytes - r->memory_bytes);
  else
    budget_give(i->env->budget, USE_MODULES, r->memory_bytes - bytes);
  r->memory_bytes = bytes;
}

/* What the host refused on this side is an error of the same call. */
Error *exchange_take(Instance *i, Summary *message)
{
  Error *e = error_load(message);
  take_memory(i, (uint64_t)summary_get_int(message));
  i->counters.told += (uint64_t)summary_get_int(message);
  return error_join(e, g_steal_pointer(&i->error));
}

Error *exchange_garbled(Instance *i)
{
  remote_reap(i->remote);
  return remote_lost(i, EXIT_STAGE, "wrote into what it and the program say to each other");
}
