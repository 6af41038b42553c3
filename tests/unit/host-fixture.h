/* What instances reach of a run, without a run: two lanes, symbols, memory; callbacks answer from the fixture. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_HOST_FIXTURE_H
#define TESTS_UNIT_HOST_FIXTURE_H

#include <glib.h>

#include "check.h"
#include "host/instance.h"

enum { FIXTURE_LANES = 2 };

typedef struct HostFixture {
  HostEnv env;
  Budget budget;
  LaneInfo lanes[FIXTURE_LANES];
  bool cancelled, planned;
  MillReadRows wanted;
} HostFixture;

static inline const LaneInfo *fixture_lane(void *run, uint32_t index)
{
  return index < FIXTURE_LANES ? &((HostFixture *)run)->lanes[index] : NULL;
}
static inline uint32_t fixture_n_lanes(void *run) { return run ? FIXTURE_LANES : 0; }
static inline bool fixture_cancelled(void *run) { return ((HostFixture *)run)->cancelled; }
static inline bool fixture_planned(void *run) { return ((HostFixture *)run)->planned; }
static inline MillReadRows fixture_wanted(void *run) { return ((HostFixture *)run)->wanted; }
static inline bool fixture_move_base(void *run, LaneInfo *lane, int64_t base_ns)
{
  lane->base_ns = base_ns;
  return run != NULL;
}

static inline void host_fixture_open(HostFixture *f, bool verify)
{
  *f = (HostFixture){ .budget.limit_bytes = 1 << 20 };
  f->env = (HostEnv){ .symbols = symbols_new(),
                      .budget = &f->budget,
                      .batches = batch_pool_new(16),
                      .verify = verify,
                      .with_raw = true,
                      .run = f,
                      .lane = fixture_lane,
                      .n_lanes = fixture_n_lanes,
                      .cancelled = fixture_cancelled,
                      .planned = fixture_planned,
                      .wanted = fixture_wanted,
                      .move_base = fixture_move_base };
  for (uint32_t l = 0; l < FIXTURE_LANES; l++) {
    lane_info_init(&f->lanes[l], l, NULL);
    f->lanes[l].name = g_strdup_printf("lane %u", l);
  }
}

static inline void host_fixture_close(HostFixture *f)
{
  for (uint32_t l = 0; l < FIXTURE_LANES; l++) lane_info_clear(&f->lanes[l]);
  batch_pool_free(f->env.batches);
  symbols_free(f->env.symbols);
  CHECK_INT(f->budget.used_bytes, 0);
}

/* The failure that the call left behind has this status, code and text; e is freed. */
static inline bool fails_with(Error *e, int status, const char *code, const char *text)
{
  bool ok = CHECK(e != NULL);
  ok = ok && CHECK_INT(e->status, status) && CHECK_STR(e->code, code) &&
       (CHECK(strstr(e->what, text) != NULL) || !CHECK_ROW(e->what));
  error_free(e);
  return ok;
}

#endif
