/* What the tests of the trace sink share: an open instance, events of given text. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_CHROME_JSON_CHROME_JSON_TEST_H
#define SINK_CHROME_JSON_CHROME_JSON_TEST_H

#include <string.h>

#include "check.h"
#include "fake-host.h"

static inline const MillSinkOps *sink_ops(void) { return sink_under_test()->ops; }

/* As the sink has them. */
typedef struct SinkOptions {
  const char *file;
  int64_t split_size, split_time_ns, pids, layout, rank_rows, time_unit;
} SinkOptions;

static const SinkOptions default_options = { .file = "trace.json.gz" },
                         rank_options = { .file = "rank{rank}.json" },
                         keep_options = { .file = "trace.json.gz", .pids = 1 };

typedef struct Sink {
  FakeHost fake;
  void *instance;
} Sink;

static inline void sink_open(Sink *s, const FakeLane *lanes, uint32_t n_lanes, uint32_t own,
                             const void *options)
{
  fake_host_init(&s->fake, lanes, n_lanes, own);
  CHECK_INT(fake_host_open(&s->fake, options, &s->instance), 0);
}

static inline void sink_close(Sink *s)
{
  fake_host_close(s->instance);
  fake_host_clear(&s->fake);
}

/* What the lane part is for these events. */
static inline const char *write_events(Sink *s, MillBatch *b, MillEvent *events, uint32_t n)
{
  b->size = sizeof(*b);
  b->events = events;
  b->n_events = n;
  CHECK_INT(sink_ops()->write(s->instance, b), 0);
  CHECK_INT(sink_ops()->finish(s->instance), 0);
  const char *text = fake_output(&s->fake, "trace.json.gz");
  return text ? text : "";
}

static const FakeLane one_lane[] = { { .rank = 0, .base_ns = MILL_NO_BASE, .name = "a.json" } };

static inline MillEvent raw_event(const char *all, const char *raw)
{
  const char *at = strstr(all, raw);
  return (MillEvent){ .dur_ns = -1,
                      .kind = MILL_SLICE,
                      .raw_off = (uint32_t)(at - all),
                      .raw_len = (uint32_t)strlen(raw) };
}

#endif
