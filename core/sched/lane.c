/* Running the segments of a lane; see lane.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/lane.h"

#include <string.h>

#include "sched/account.h"
#include "sched/reread.h"
#include "sched/dump.h"
#include "host/placed.h"
#include "host/verify.h"
#include "input/no-events.h"
#include "sched/merge.h"
#include "sched/lanes.h"
#include "sched/lost.h"
#include "sched/replay.h"
#include "sched/writer.h"
#include "model/usage.h"

static const MillStageOps *stage_ops(const Instance *i) { return i->descriptor->stage_ops; }

/* ------------------------------------------------------------------ passes */

static void strip(Run *run, uint32_t owner, Batch *b)
{
  const char *const *names = run->plan->stages[owner].stage->private_attrs;
  uint32_t n = g_strv_length((char **)names);
  g_autofree MillSym *keys = g_new(MillSym, n);
  for (uint32_t i = 0; i < n; i++)
    keys[i] = symbols_intern(run->env.symbols, names[i], strlen(names[i]));
  batch_remove_attrs(b, keys, n);
}

static Error *call_stage(Run *run, Instance *i, PassKind kind, Batch *b, bool flush)
{
  bool verify = run->options.verify;
  BatchCall call = kind == PASS_OBSERVE ? CALL_OBSERVE : flush ? CALL_FLUSH : CALL_PROCESS;
  b->before = i->left;
  int64_t start = run->options.timings ? usage_clock_ns() : 0;
  Error *e = instance_batch(i, call, b);
  if (!e && kind == PASS_PROCESS) e = placed_settle(i, b, flush);
  if (!e && kind == PASS_PROCESS) {
    i->left = batch_end(b);
    batch_compact(b, i->descriptor->flags & MILL_MAY_DROP || verify, i->counters.dropped,
                  &i->counters.emitted);
    if (verify) e = verify_compacted(i, b);
  }
  if (run->options.timings) i->counters.time_ns += (uint64_t)(usage_clock_ns() - start);
  return e;
}

static Error *run_pass(Run *run, Lane *lane, const Pass *pass, Batch *b, bool flush)
{
  if (pass->kind == PASS_STRIP) {
    strip(run, pass->stage, b);
    return NULL;
  }
  Instance *i = lane->instances[pass->stage];
  Error *e = NULL;
  if (i->lost) return NULL;
  if (pass->kind == PASS_OBSERVE) {
    e = call_stage(run, i, pass->kind, b, false);
    return lost_set_aside(run, pass->stage, i, e);
  }
  i->counters.events_in += flush ? 0 : b->pub.n_events;
  reread_enter(lane, pass);
  if (flush || stage_ops(i)->process) e = call_stage(run, i, pass->kind, b, flush);
  reread_leave(lane, pass);
  i->counters.events_out += b->pub.n_events;
  e = lost_set_aside(run, pass->stage, i, e);
  return e || i->mute ? e : dump_after(run, i, b);
}

static bool has_time(const MillBatch *b)
{
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!(b->events[i].flags & MILL_FLAG_NO_TS)) return true;
  return false;
}

/* Stages that run together over the events, and where the events go. */
typedef struct Stretch {
  const GArray *passes;
  bool to_sinks;
  bool ends;             /* no stage sees the events after it */
  struct Writer *writer; /* the thread that calls the sinks, or NULL */
  Store *to;             /* the next segment reads it; NULL and no sinks: events are dropped */
} Stretch;

/* Takes b: gives it to the sinks, or to the store that the next segment reads. */
static Error *deliver(Run *run, Lane *lane, const Stretch *s, Batch *b)
{
  lane->info->timed = lane->info->timed || has_time(&b->pub);
  if (s->ends) account_end(lane, &b->pub);
  if (s->to) return store_add(s->to, b);
  if (s->to_sinks && lane->kept) return store_add(lane->kept, b);
  if (s->writer && b->pub.n_events) return writer_add(s->writer, b);
  Error *e = NULL;
  if (s->to_sinks && b->pub.n_events) e = sinks_write(run->out.sinks, lane->info, lane->sinks, b);
  batch_give(run->pools.batches, b);
  return e;
}

/* Runs the passes from `first` on. Takes b. */
static Error *push(Run *run, Lane *lane, const Stretch *s, guint first, Batch *b)
{
  uint64_t seq = b->pub.n_events ? b->pub.events[0].seq : lane->info->n_events;
  for (guint p = first; p < s->passes->len; p++) {
    Error *e = run_pass(run, lane, &g_array_index(s->passes, Pass, p), b, false);
    if (!e) continue;
    batch_give(run->pools.batches, b);
    return error_cause(e, "lane %s, batch from event %" G_GUINT64_FORMAT, lane->info->name, seq);
  }
  return deliver(run, lane, s, b);
}

/* A stage may release at once all that it held: later stages get it in batches of the usual
 * size. Takes b. */
static Error *push_in_pieces(Run *run, Lane *lane, const Stretch *s, guint first, Batch *b)
{
  uint32_t size = batch_pool_events(run->pools.batches), at = 0;
  Error *e = NULL;
  if (b->pub.n_events <= MAX(size, BATCH_EVENTS)) return push(run, lane, s, first, b);
  while (at < b->pub.n_events && !e) {
    Batch *piece = batch_take(run->pools.batches, lane->info->index);
    while (at < b->pub.n_events && !batch_is_full(piece, size))
      batch_copy_event(piece, &b->pub, &b->pub.events[at++], run->env.with_raw);
    e = push(run, lane, s, first, piece);
  }
  batch_give(run->pools.batches, b);
  return e;
}

/* Flushes from front to back: what a stage still holds goes through the later stages before
 * these are flushed. */
static Error *flush_passes(Run *run, Lane *lane, const Stretch *s)
{
  for (guint p = 0; p < s->passes->len; p++) {
    const Pass *pass = &g_array_index(s->passes, Pass, p);
    const Instance *i = lane->instances[pass->stage];
    if (pass->kind != PASS_PROCESS || !(stage_ops(i)->flush || placed_waits(i))) continue;
    Batch *b = batch_take(run->pools.batches, lane->info->index);
    Error *e = run_pass(run, lane, pass, b, true);
    if (e || !b->pub.n_events)
      batch_give(run->pools.batches, b);
    else
      e = push_in_pieces(run, lane, s, p + 1, b);
    if (e) return e;
  }
  return NULL;
}

/* ---------------------------------------------------------------- segments */

const Segment *lane_segment(const Lane *lane)
{
  return lane->next_segment < lane->segments->len ? lane->segments->pdata[lane->next_segment]
                                                  : NULL;
}

static Error *open_passes(Run *run, Lane *lane, const Segment *seg)
{
  for (guint p = 0; p < seg->passes->len; p++) {
    const Pass *pass = &g_array_index(seg->passes, Pass, p);
    if (pass->kind == PASS_STRIP || lane->instances[pass->stage]) continue;
    Error *e = lane_open_stage(run, lane, pass->stage, false, &lane->instances[pass->stage]);
    if (e) return e;
  }
  return NULL;
}

/* Names are kept once for the whole run. If every event has a name of its own, they take much
 * memory, and so does the state of stages for each. */
static Error *too_much(const Run *run, const Lane *lane)
{
  g_autofree char *uses = budget_text(&run->pools.budget);
  Error *e = error_new(EXIT_LIMIT, "RUN-12", "%s take more than --max-memory",
                       budget_largest(&run->pools.budget));
  error_at(e, "while reading %s", lane->info->name);
  error_why(e, "%s", uses);
  return error_help(e, "raise --max-memory, or cut the input with stagemill convert");
}

/* Only sinks, --verify and --dump-after use the bytes as read. */
static bool needs_bytes(const Run *run, const Segment *seg)
{
  return seg->end == END_SINK || run->options.verify || run->options.dump_after;
}

static Error *next_batch(Run *run, Lane *lane, const Segment *seg, bool keep, Batch **out)
{
  bool with_bytes = needs_bytes(run, seg);
  *out = NULL;
  if (run_cancelled(run)) return run_stopped(run);
  if (budget_is_full(&run->pools.budget)) return too_much(run, lane);
  if (lane->store) return store_next(lane->store, keep, with_bytes, out);
  if (lane->merge) return merge_next(lane->merge, with_bytes, out);
  Error *e = input_next(lane->input, out);
  if (*out) no_events_see(lane->info, &(*out)->pub);
  if (*out && (!reread_is_reading(lane) || reread_is_last(lane))) account_read(lane, &(*out)->pub);
  return e;
}

static Error *run_batches(Run *run, Lane *lane, const Segment *seg, const Stretch *s)
{
  for (;;) {
    Batch *b;
    Error *e = next_batch(run, lane, seg, false, &b);
    if (e) return e;
    if (!b) return flush_passes(run, lane, s);
    e = push(run, lane, s, 0, b);
    if (e) return e;
  }
}

/* The only pass observes, so the store stays where it is. */
static Error *observe_again(Run *run, Lane *lane, const Segment *seg)
{
  const Pass *pass = &g_array_index(seg->passes, Pass, 0);
  for (;;) {
    Batch *b;
    Error *e = next_batch(run, lane, seg, true, &b);
    if (!e && !b) break;
    if (!e) e = run_pass(run, lane, pass, b, false);
    batch_give(run->pools.batches, b);
    if (e) return e;
  }
  store_rewind(lane->store);
  return NULL;
}

static Store *new_store(const Run *run, bool sort)
{
  StoreEnv env = run_store_env(run);
  return store_new(&env, sort);
}

/* Over the input, or the store of the segment before. */
static Error *run_stretch(Run *run, Lane *lane, const Segment *seg, Stretch *s)
{
  bool from_input = !lane->store && lane->input;
  Error *e = from_input ? input_start(lane->input) : NULL;
  lane->info->timed = false;
  /* the threads of an input are better used for reading it */
  if (s->to_sinks && !lane->kept && !from_input && lane->threads > 1)
    s->writer = writer_new(run, lane);
  if (!e) e = run_batches(run, lane, seg, s);
  if (s->writer) e = error_join(e, writer_end(s->writer));
  if (from_input) e = error_join(e, input_stop(lane->input));
  return e;
}

/* Runs everything up to the barrier of this segment over the input; later segments reread the
 * input. */
static Error *run_reading(Run *run, Lane *lane, const Segment *seg)
{
  Stretch s = { 0 };
  Error *e = reread_begin(run, lane, &s.passes);
  if (!e) e = run_stretch(run, lane, seg, &s);
  return e ? e : reread_end(lane);
}

static Error *run_held(Run *run, Lane *lane, const Segment *seg)
{
  Stretch s = { .passes = seg->passes, .to_sinks = seg->end == END_SINK };
  bool last_reading = reread_is_reading(lane);
  Error *e = last_reading ? reread_begin(run, lane, &s.passes) : open_passes(run, lane, seg);
  if (!e && s.to_sinks) e = sinks_open_lane(run->out.sinks, lane->info, lane->sinks);
  if (e) return e;
  if (!s.to_sinks) s.to = new_store(run, seg->end == END_SORT);
  if (s.to_sinks && run->options.keep_events) lane->kept = new_store(run, false);
  s.ends = s.to_sinks;
  e = run_stretch(run, lane, seg, &s);
  if (!e && last_reading) e = reread_end(lane);
  if (!e && s.to) e = store_close(s.to);
  if (!e && lane->kept) e = store_close(lane->kept);
  if (s.to) lane->spilled_bytes += store_spilled_bytes(s.to);
  g_clear_pointer(&lane->store, store_free);
  lane->store = s.to;
  return e;
}

static Error *run_segment(Run *run, Lane *lane, const Segment *seg)
{
  if (reread_is_reading(lane) && !reread_is_last(lane)) return run_reading(run, lane, seg);
  if (seg->end != END_REREAD || !lane->store) return run_held(run, lane, seg);
  Error *e = open_passes(run, lane, seg);
  return e ? e : observe_again(run, lane, seg);
}

/* ------------------------------------------------------------------ ending */

bool lane_results_merge(const PlanStage *p)
{
  return p->used && (p->stage->scope == MILL_SCOPE_RUN ||
                     (p->stage->flags & MILL_MERGES && p->stage->scope != MILL_SCOPE_WHOLE));
}

static Error *retire_stage(Run *run, Lane *lane, uint32_t index)
{
  Instance *i = lane->instances[index];
  const MillStageOps *ops = stage_ops(i);
  bool merges = i->level == MILL_LANE && lane_results_merge(&run->plan->stages[index]);
  Summary *result = &lane->outcome->stages[index].result;
  Error *e = merges ? instance_save(i, ops->save_result, result) : NULL;
  if (!e) e = instance_call(i, PHASE_REPORT, "reporting", ops->report);
  if (!e && run->options.verify) e = verify_reported(i);
  e = lost_set_aside(run, index, i, e);
  return error_join(e, instance_close(i));
}

/* Its events reach the sinks later: in the merged stream, or in the lanes after its split. */
static bool goes_on(const Lane *lane)
{
  const GPtrArray *segments = lane->segments;
  if (lane->class->ends_in_merge || !lane->info->merged || !segments->len)
    return lane->class->ends_in_merge;
  return ((const Segment *)segments->pdata[segments->len - 1])->barrier == BARRIER_SPLIT;
}

static void take_outcome(const Run *run, Lane *lane)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    if (!lane->instances[s]) continue;
    outcome_take(&lane->outcome->stages[s], lane->instances[s]);
    g_clear_pointer(&lane->instances[s], instance_free);
  }
}

/* Turns the lane into its outcome. */
static Error *retire(Run *run, Lane *lane)
{
  Error *errors = NULL;
  lane->outcome = outcome_new(run->plan->n_stages);
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    if (lane->instances[s]) errors = error_join(errors, retire_stage(run, lane, s));
  if (errors)
    g_clear_pointer(&lane->outcome, outcome_free);
  else
    take_outcome(run, lane);
  return errors;
}

Error *lane_end_output(Run *run, Lane *lane)
{
  Error *e = sinks_finish_lane(run->out.sinks, lane->info, goes_on(lane), lane->sinks);
  e = error_join(e, output_end_position(run->out.output, (int)lane->info->index));
  if (e) g_clear_pointer(&lane->outcome, outcome_free);
  return e;
}

Error *lane_decide(Run *run, Lane *lane, uint32_t stage)
{
  Instance *i = lane->instances[stage];
  Error *e = instance_call(i, PHASE_DECIDE, "deciding", stage_ops(i)->decide);
  e = lost_set_aside(run, stage, i, e);
  if (i->lost) return NULL;
  if (!e && run->options.replay) e = replay_stage(run, lane, stage);
  return e || !lane->reread ? e : reread_decided(lane, stage);
}

Error *lane_run(Run *run, Lane *lane)
{
  for (const Segment *seg; (seg = lane_segment(lane));) {
    Error *e = run_segment(run, lane, seg);
    if (e) return e;
    if (seg->barrier == BARRIER_LANE) e = lane_decide(run, lane, (uint32_t)seg->decides);
    if (e) return e;
    if (seg->barrier > BARRIER_LANE) {
      lane->at_barrier = true;
      return NULL;
    }
    lane->next_segment++;
  }
  return retire(run, lane);
}

const Reported *lane_reported(const Lane *lane, uint32_t stage)
{
  if (lane->outcome) return lane->outcome->stages[stage].reported;
  return lane->results ? lane->results[stage] : NULL;
}

void lane_free_instances(Run *run, Lane *lane)
{
  for (uint32_t s = 0; lane->instances && s < run->plan->n_stages; s++)
    instance_free(lane->instances[s]);
  sinks_free_lane(run->out.sinks, lane->sinks);
  g_clear_pointer(&lane->instances, g_free);
  g_clear_pointer(&lane->sinks, g_free);
  if (!lane->kept) tracks_clear(lane->info->tracks); /* events that are kept are still of them */
}

void lane_free(Lane *lane)
{
  if (!lane) return;
  reread_free(lane->reread);
  store_free(lane->store);
  store_free(lane->kept);
  merge_free(lane->merge);
  if (!lane->input) { /* the merged stream has its own */
    lane_info_clear(lane->info);
    g_free(lane->info);
  }
  error_free(lane->error);
  g_free(lane);
}
