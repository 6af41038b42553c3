/* Tests of what is open over time: samples of a counter, as a host would get them. */
/* SPDX-License-Identifier: MIT */
#include "compute/lib/level.h"

#include <stagemill/harness.h>

#include "check.h"

enum { MAX_SAMPLES = 16 };
static struct {
  int64_t ts_ns;
  uint32_t after;
  MillValue value;
} samples[MAX_SAMPLES];
static uint32_t n_samples;

static uint32_t emit(const MillStageHost *host, MillBatch *b, uint32_t after, const MillEvent *e)
{
  (void)host, (void)b;
  if (n_samples == MAX_SAMPLES || e->kind != MILL_COUNTER) return MILL_FAILED;
  samples[n_samples].ts_ns = e->ts_ns;
  samples[n_samples].after = after;
  return n_samples++;
}

static int set(const MillStageHost *host, MillBatch *b, uint32_t index, MillSym key,
               MillValue value)
{
  (void)host, (void)b, (void)key;
  samples[index].value = value;
  return 0;
}

static MillStageHost host_of_test(void)
{
  MillStageHost host = *harness_host();
  host.emit = emit;
  host.set = set;
  n_samples = 0;
  return host;
}

static MillEvent slice(const MillStageHost *host, int64_t ts_ns, int64_t dur_ns)
{
  return (MillEvent){ .ts_ns = ts_ns,
                      .dur_ns = dur_ns,
                      .kind = MILL_SLICE,
                      .track = harness_host()->track(host, mill_int(7), mill_int(1)) };
}

static bool is_sample(uint32_t i, int64_t ts_ns, int64_t value)
{
  return i < n_samples && samples[i].ts_ns == ts_ns && samples[i].value.type == MILL_INT &&
         samples[i].value.u.i == value;
}

/* 0..10 with 3 and 4..6 with 5: the level is 3, 8, 3, 0. */
static void steps_are_where_intervals_begin_and_end(void)
{
  const MillStageHost host = host_of_test();
  Level l = { .host = &host };
  MillEvent events[] = { slice(harness_host(), 0, 10), slice(harness_host(), 4, 2) };
  MillBatch b = { .size = sizeof b, .events = events, .n_events = 2 };
  CHECK_INT(level_open(&l, &events[0], 3), 0);
  CHECK_INT(level_reach(&l, &b, 1), 0);
  CHECK(n_samples == 1 && is_sample(0, 0, 3) && samples[0].after == 0);
  CHECK_INT(level_open(&l, &events[1], 5), 0);
  CHECK_INT(level_finish(&l, &b), 0);
  CHECK_INT(n_samples, 4);
  CHECK(is_sample(1, 4, 8) && is_sample(2, 6, 3) && is_sample(3, 10, 0));
  CHECK(samples[3].after == MILL_AT_END);
}

/* One that ends where the next begins makes one sample there, of what is open from then on. */
static void an_end_and_a_begin_are_one_step(void)
{
  const MillStageHost host = host_of_test();
  Level l = { .host = &host };
  MillEvent events[] = { slice(harness_host(), 0, 5), slice(harness_host(), 5, 5) };
  MillBatch b = { .size = sizeof b, .events = events, .n_events = 2 };
  for (uint32_t i = 0; i < 2; i++) {
    CHECK_INT(level_reach(&l, &b, i), 0);
    CHECK_INT(level_open(&l, &events[i], 2), 0);
  }
  CHECK_INT(level_finish(&l, &b), 0);
  CHECK(n_samples == 3 && is_sample(0, 0, 2) && is_sample(1, 5, 2) && is_sample(2, 10, 0));
}

static void the_first_event_of_a_batch_has_samples_before_it(void)
{
  const MillStageHost host = host_of_test();
  Level l = { .host = &host };
  MillEvent first = slice(harness_host(), 0, 5), next = slice(harness_host(), 9, 0);
  MillBatch b = { .size = sizeof b, .events = &next, .n_events = 1 };
  CHECK_INT(level_open(&l, &first, 1), 0);
  CHECK_INT(level_reach(&l, &b, 0), 0);
  CHECK(n_samples == 2 && samples[1].after == MILL_AT_START && is_sample(1, 5, 0));
}

/* 1.2 of a level that ends at 1 is shown as 1.5. */
static void a_value_beyond_the_bound_is_shown_as_such(void)
{
  const MillStageHost host = host_of_test();
  Level l = { .host = &host, .per = 10, .most = 1, .beyond = 1.5 };
  const MillEvent e = slice(harness_host(), 0, 4), later = slice(harness_host(), 2, 4);
  MillBatch b = { .size = sizeof b };
  CHECK_INT(level_open(&l, &e, 5), 0);
  CHECK_INT(level_reach_time(&l, &b, MILL_AT_END, 2), 0);
  CHECK_INT(level_open(&l, &later, 7), 0);
  CHECK_INT(level_finish(&l, &b), 0);
  CHECK(n_samples == 4 && samples[0].value.u.r == 0.5 && samples[1].value.u.r == 1.5);
  CHECK(samples[2].value.u.r == 0.7 && samples[3].value.u.r == 0);
}

TEST_MAIN({ "steps are where intervals begin and end", steps_are_where_intervals_begin_and_end },
          { "an end and a begin are one step", an_end_and_a_begin_are_one_step },
          { "the first event of a batch has samples before it",
            the_first_event_of_a_batch_has_samples_before_it },
          { "a value beyond the bound is shown as such",
            a_value_beyond_the_bound_is_shown_as_such })
