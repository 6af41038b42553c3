/* Tests of events that a stage emits in their place, and of facts that it asks for, by the harness itself. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <string.h>

#include "hear.h"

enum { BEGINS = 1, ENDS, KEPT };
static int emits;            /* what the stage does */
static const char *asks_for; /* a fact, or NULL */

typedef struct Marks {
  const MillStageHost *host;
  MillSym of, holds;
} Marks;

static int marks_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out)
{
  (void)self, (void)level, (void)options;
  Marks *m = mill_new(host->common, sizeof *m);
  if (!m) return -MILL_LIMIT;
  m->host = host;
  m->of = host->common->intern(host->common, "of", 2);
  m->holds = host->common->intern(host->common, "holds", 5);
  *out = m;
  return 0;
}

/* An instant at a moment of the slice, with its name. */
static int mark(const Marks *m, MillBatch *b, uint32_t i, int64_t ts_ns)
{
  const MillEvent *slice = &b->events[i];
  const MillEvent instant = { .ts_ns = ts_ns,
                              .dur_ns = -1,
                              .name = m->host->common->intern(m->host->common, "m", 1),
                              .track = slice->track,
                              .kind = MILL_INSTANT };
  MillSym name = slice->name;
  uint32_t index = m->host->emit(m->host, b, MILL_IN_PLACE, &instant);
  return index == MILL_FAILED ? -1 : m->host->set(m->host, b, index, m->of, mill_sym(name));
}

/* Every slice gives way to a copy of itself. */
static int replace(const Marks *m, MillBatch *b, uint32_t i)
{
  uint64_t kept = m->host->keep(m->host, b, i);
  if (!kept) return -1;
  mill_drop(&mill_events(b)[i]);
  return m->host->emit_kept(m->host, b, MILL_IN_PLACE, kept) == MILL_FAILED ? -1 : 0;
}

static int marks_process(void *instance, MillBatch *b)
{
  const Marks *m = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status >= 0; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE) continue;
    if (asks_for)
      status =
          m->host->set(m->host, b, i, m->holds, mill_bool(m->host->has_fact(m->host, asks_for)));
    if (emits == BEGINS) status = mark(m, b, i, e->ts_ns);
    if (emits == ENDS) status = mark(m, b, i, e->ts_ns + e->dur_ns);
    if (emits == KEPT) status = replace(m, b, i);
  }
  return status;
}

static const char *const ordered[] = { "order.lane", NULL };
static const char *const wants[] = { "bytes", NULL };
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = marks_open,
  .process = marks_process,
};
static MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT | MILL_MAY_DROP,
  .name = "acme.marks",
  .family = "test",
  .version = "1",
  .tag = "MARKS",
  .title = "Marks slices",
  .help = "For tests of the harness.",
  .needs = ordered,
  .wants = wants,
  .ops = &ops,
};
static const MillModule module = {
  MILL_MAGIC, sizeof(MillModule), MILL_ABI, MILL_KIND_STAGE, &stage, "acme", "MIT"
};

static void does(int what, const char *fact)
{
  emits = what;
  asks_for = fact;
  stage.needs = ordered;
}

/* ------------------------------------------------------------------- in place */

/* Of one time the longest is first, so that an instant follows all slices that begin with its own. */
static void a_mark_of_a_begin(void)
{
  does(BEGINS, NULL);
  given("X outer 5 10", "X inner 5 4", "X innermost 5 1", "i other 5", "X next 6 1");
  expect("X outer 5 10", "X inner 5 4", "X innermost 5 1", "i other 5", "i m 5 {of=outer}",
         "i m 5 {of=inner}", "i m 5 {of=innermost}", "X next 6 1", "i m 6 {of=next}");
}

static void a_mark_of_an_end(void)
{
  does(ENDS, NULL);
  given("X outer 0 100", "X inner 10 20", "X next 200 5");
  expect("X outer 0 100", "X inner 10 20", "i m 30 {of=inner}", "i m 100 {of=outer}",
         "X next 200 5", "i m 205 {of=next}");
}

static void a_kept_event_goes_back_to_where_it_was(void)
{
  does(KEPT, NULL);
  given("X a 5 10 {of=1}", "X b 5 10 {of=2}", "i c 5", "X d 7 1");
  expect("X a 5 10 {of=1}", "X b 5 10 {of=2}", "i c 5", "X d 7 1");
}

static void events_without_a_time_come_first(void)
{
  does(BEGINS, NULL);
  given("- row -", "X a 3 1");
  expect("- row -", "X a 3 1", "i m 3 {of=a}");
}

static void what_is_in_place_stays_in_order(void)
{
  hear_good(&module, a_mark_of_a_begin);
  hear_good(&module, a_mark_of_an_end);
  hear_good(&module, a_kept_event_goes_back_to_where_it_was);
  hear_good(&module, events_without_a_time_come_first);
}

static void without_order(void)
{
  does(BEGINS, NULL);
  stage.needs = NULL;
  given("X a 0 1");
}

static void no_order_means_no_place(void)
{
  hear_bad(&module, without_order,
           "emitted an event in its place, but asks for no order of events");
}

/* ---------------------------------------------------------------------- facts */

static void a_lane_has_the_fact(void)
{
  does(0, "bytes");
  given_lane("fact=bytes");
  given("X a 0 1");
  given_lane("rank=1 dialect=other");
  given("X b 0 1");
  expect_lane(0, "X a 0 1 {holds=true}");
  expect_lane(1, "X b 0 1 {holds=false}");
}

static void the_sort_made_it_so(void)
{
  does(0, "order.lane");
  given("X a 0 1");
  expect("X a 0 1 {holds=true}");
}

static void an_undeclared_fact(void)
{
  does(0, "slices");
  given("X a 0 1");
}

static void a_stage_learns_what_holds(void)
{
  hear_good(&module, a_lane_has_the_fact);
  hear_good(&module, the_sort_made_it_so);
  hear_bad(&module, an_undeclared_fact, "asked for a fact that it does not declare");
}

TEST_MAIN({ "what is in place stays in order", what_is_in_place_stays_in_order },
          { "no order means no place", no_order_means_no_place },
          { "a stage learns what holds", a_stage_learns_what_holds })
