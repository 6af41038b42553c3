/* Events that tests make for themselves: a few letters a field. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_EVENTS_H
#define TESTS_UNIT_EVENTS_H

#include <glib.h>

#include "check.h"
#include "model/batch.h"

static const int64_t NO_TS = INT64_MIN + 77; /* stands for an event without time */

static inline MillEvent event_at(int64_t ts_ns, int64_t dur_ns, uint64_t seq)
{
  MillEvent e = { .ts_ns = ts_ns, .dur_ns = dur_ns, .seq = seq, .kind = MILL_SLICE };
  if (ts_ns == NO_TS) {
    e.ts_ns = 0;
    e.flags = MILL_FLAG_NO_TS;
  }
  return e;
}

static inline MillEvent *batch_append(Batch *b, MillEvent e)
{
  if (b->pub.n_events == b->pub.max_events) {
    b->pub.max_events *= 2;
    b->pub.events = g_renew(MillEvent, b->pub.events, b->pub.max_events);
  }
  b->pub.events_[b->pub.n_events] = e;
  return &b->pub.events_[b->pub.n_events++];
}

/* The event also has bytes of its own, as if they had been read and moved. */
static inline MillEvent *batch_append_raw(Batch *b, MillEvent e, const char *raw)
{
  MillEvent *made = batch_append(b, e);
  made->raw_off = batch_own_text(b, raw, strlen(raw));
  made->raw_len = (uint32_t)strlen(raw);
  made->flags |= MILL_FLAG_OWN_RAW;
  return made;
}

static inline bool raw_is(const Batch *b, const MillEvent *e, const char *text)
{
  return e->raw_len == strlen(text) && !memcmp(batch_raw(&b->pub, e), text, e->raw_len);
}

#endif
