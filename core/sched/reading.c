/* The events of a planned run, one lane after the other; see reading.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/reading.h"

#include "sched/lanes.h"

struct Reading {
  Run *run;
  bool (*passes)(void *context, const LaneInfo *lane);
  void *context;
  bool kept; /* events come from where they were kept */
  GPtrArray *
      inputs; /* Input *: still to be read; one whose lane another one follows stands there again */
  guint next; /* of the inputs, or of the lanes */
  Input *input; /* the one that is read */
  Lane *from;       /* the same of what was kept */
  uint64_t n_passed; /* events of that lane */
  const LaneInfo *lane;
  Batch *batch; /* the last one given */
};

Reading *reading_new(Run *run, bool (*passes)(void *context, const LaneInfo *lane), void *context)
{
  Reading *r = g_new0(Reading, 1);
  r->run = run;
  r->passes = passes;
  r->context = context;
  r->kept = run->options.keep_events;
  r->inputs = g_ptr_array_new();
  for (guint i = 0; i < inputs_n_traces(run->inputs); i++)
    g_ptr_array_add(r->inputs, inputs_reader(run->inputs, i));
  return r;
}

static void give_back(Reading *r)
{
  batch_give(r->run->pools.batches, r->batch);
  r->batch = NULL;
}

static bool is_read(const Reading *r, const LaneInfo *lane)
{
  return !r->passes || r->passes(r->context, lane);
}

/* ---------------------------------------------------------------- from inputs */

static Error *start_input(Reading *r)
{
  Input *in = r->inputs->pdata[r->next++];
  if (!in->follows && !is_read(r, in->lane)) return NULL;
  r->input = in;
  r->lane = in->lane;
  in->threads = MAX(r->run->options.jobs, 1);
  return input_start(in);
}

static Error *end_input(Reading *r)
{
  Input *in = r->input;
  r->input = NULL;
  Error *e = input_stop(in);
  if (e || !in->follows) return e;
  inputs_follow(r->run->inputs, in);
  g_ptr_array_add(r->inputs, in);
  return NULL;
}

/* The next batch, or *out stays NULL: that input has ended. */
static Error *next_of_input(Reading *r)
{
  if (run_cancelled(r->run)) return run_stopped(r->run);
  Error *e = r->input ? NULL : start_input(r);
  if (e || !r->input) return e;
  e = input_next(r->input, &r->batch);
  return e || r->batch ? e : end_input(r);
}

static bool inputs_are_through(const Reading *r) { return !r->input && r->next >= r->inputs->len; }

/* ------------------------------------------------------------- from what was kept */

static void start_store(Reading *r)
{
  Lane *lane = run_lane(r->run, r->next++);
  if (!lane->kept || !is_read(r, lane->info)) return;
  r->from = lane;
  r->n_passed = 0;
  r->lane = lane->info;
}

/* A store has one place to read at: where another reading has moved it, the way is gone once more. */
static Error *take_store(Reading *r)
{
  Store *store = r->from->kept;
  Held held;
  Error *e = NULL;
  if (r->from->kept_for == r) return NULL;
  r->from->kept_for = r;
  store_rewind(store);
  for (uint64_t i = 0; i < r->n_passed && !e; i++) {
    e = store_peek(store, true, &held);
    if (!e) e = store_pass(store, true);
  }
  return e;
}

static void leave_store(Reading *r)
{
  if (r->from && r->from->kept_for == r) r->from->kept_for = NULL;
  r->from = NULL;
}

static Error *next_of_store(Reading *r)
{
  if (!r->from) start_store(r);
  if (!r->from) return NULL;
  Error *e = take_store(r);
  if (!e) e = store_next(r->from->kept, true, false, &r->batch);
  if (r->batch) r->n_passed += r->batch->pub.n_events;
  if (!e && !r->batch) leave_store(r);
  return e;
}

static bool stores_are_through(const Reading *r) { return !r->from && !run_lane(r->run, r->next); }

/* ------------------------------------------------------------------------ both */

Error *reading_next(Reading *r, const MillBatch **out, const LaneInfo **out_lane)
{
  Error *e = NULL;
  give_back(r);
  while (!e && !(r->batch && r->batch->pub.n_events)) {
    give_back(r);
    if (r->kept ? stores_are_through(r) : inputs_are_through(r)) break;
    e = r->kept ? next_of_store(r) : next_of_input(r);
  }
  *out = r->batch ? &r->batch->pub : NULL;
  *out_lane = r->lane;
  return e;
}

void reading_free(Reading *r)
{
  if (!r) return;
  give_back(r);
  if (r->input) error_free(input_stop(r->input));
  leave_store(r);
  g_ptr_array_unref(r->inputs);
  g_free(r);
}
