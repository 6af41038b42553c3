/* Running the segments of a lane; see lane.h. */
#include "sched/lane.h"

#include <string.h>

#include "base/num.h"
#include "sched/dump.h"
#include "host/guard.h"
#include "input/input.h"
#include "sched/merge.h"
#include "output/sinks.h"
#include "model/tags.h"
#include "model/usage.h"

static const MillStageOps *stage_ops(const Instance *i) { return i->stage->ops; }

Error *lane_open_stage(Run *run, Lane *lane, uint32_t index, Instance **out)
{
  const PlanStage *p = &run->plan->stages[index];
  Instance *i = *out = instance_new(run, lane, p->stage, p->id);
  instance_current = i;
  int status = stage_ops(i)->open(p->stage, &i->host, option_values_struct(p->options), &i->self);
  return instance_after_call(i, "opening", status);
}

/* ------------------------------------------------------------------ passes */

static void strip(Run *run, uint32_t owner, Batch *b)
{
  const char *const *names = run->plan->stages[owner].stage->private_attrs;
  MillSym keys[16];
  uint32_t n = 0;
  for (; names[n] && n < G_N_ELEMENTS(keys); n++)
    keys[n] = symbols_intern(run->symbols, names[n], strlen(names[n]));
  batch_remove_attrs(b, keys, n);
}

static int call_op(const Instance *i, PassKind kind, Batch *b, bool flush)
{
  const MillStageOps *ops = stage_ops(i);
  if (kind == PASS_OBSERVE) return ops->observe(i->self, &b->pub);
  return flush ? ops->flush(i->self, &b->pub) : ops->process(i->self, &b->pub);
}

static Error *call_stage(Run *run, Instance *i, PassKind kind, Batch *b, bool flush)
{
  const char *doing = kind == PASS_OBSERVE ? "observing" : flush ? "flushing" : "processing";
  Guard *guard = run->options.verify ? guard_before(b) : NULL;
  int64_t start = run->options.timings ? usage_clock_ns() : 0;
  instance_current = i;
  Error *e = instance_after_call(i, doing, call_op(i, kind, b, flush));
  if (guard)
    e = error_join(e, kind == PASS_OBSERVE ? guard_after_observe(guard, i, b)
                                           : guard_after(guard, i, b));
  if (!e && kind == PASS_PROCESS) {
    batch_settle(b, i->stage->flags & MILL_MAY_DROP || guard, &i->counters.dropped,
                 &i->counters.emitted);
    if (guard) e = guard_settled(i, b);
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
  if (pass->kind == PASS_OBSERVE) return call_stage(run, i, pass->kind, b, false);
  Error *e = NULL;
  i->counters.batches++;
  i->counters.events_in += flush ? 0 : b->pub.n_events;
  if (flush || stage_ops(i)->process) e = call_stage(run, i, pass->kind, b, flush);
  i->counters.events_out += b->pub.n_events;
  return e ? e : dump_after(run, i, b);
}

/* Takes b: to the sinks, or to the store that the next segment reads. */
static Error *deliver(Run *run, Lane *lane, Store *to, Batch *b)
{
  if (to) return store_add(to, b);
  Error *e = b->pub.n_events ? sinks_write(run, lane, b) : NULL;
  batch_give(run->batches, b);
  return e;
}

/* From pass `first` on.  Takes b. */
static Error *push(Run *run, Lane *lane, const Segment *seg, guint first, Batch *b, Store *to)
{
  uint64_t seq = b->pub.n_events ? b->pub.events[0].seq : lane->n_events;
  for (guint p = first; p < seg->passes->len; p++) {
    Error *e = run_pass(run, lane, &g_array_index(seg->passes, Pass, p), b, false);
    if (!e) continue;
    batch_give(run->batches, b);
    return error_cause(e, "lane %s, batch from event %" G_GUINT64_FORMAT, lane->name, seq);
  }
  return deliver(run, lane, to, b);
}

/* What a stage let go at once may be all that it ever saw: later stages get it in batches of the usual size.
 * Takes b. */
static Error *push_in_pieces(Run *run, Lane *lane, const Segment *seg, guint first, Batch *b,
                             Store *to)
{
  uint32_t size = batch_pool_events(run->batches), at = 0;
  Error *e = NULL;
  if (b->pub.n_events <= MAX(size, BATCH_EVENTS)) return push(run, lane, seg, first, b, to);
  while (at < b->pub.n_events && !e) {
    Batch *piece = batch_take(run->batches, lane->index);
    while (at < b->pub.n_events && !batch_is_full(piece, size))
      batch_copy_event(piece, &b->pub, &b->pub.events[at++], run->want_raw);
    e = push(run, lane, seg, first, piece, to);
  }
  batch_give(run->batches, b);
  return e;
}

/* Front to back: what one stage still holds passes the later ones before those are flushed. */
static Error *flush_passes(Run *run, Lane *lane, const Segment *seg, Store *to)
{
  for (guint p = 0; p < seg->passes->len; p++) {
    const Pass *pass = &g_array_index(seg->passes, Pass, p);
    if (pass->kind != PASS_PROCESS || !stage_ops(lane->instances[pass->stage])->flush) continue;
    Batch *b = batch_take(run->batches, lane->index);
    Error *e = run_pass(run, lane, pass, b, true);
    if (e || !b->pub.n_events)
      batch_give(run->batches, b);
    else
      e = push_in_pieces(run, lane, seg, p + 1, b, to);
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
    Error *e = lane_open_stage(run, lane, pass->stage, &lane->instances[pass->stage]);
    if (e) return e;
  }
  return NULL;
}

/* Names are kept once each for the whole run; where every event has its own, they add up. */
static Error *too_many_names(const Run *run, const Lane *lane)
{
  char size[NUM_BUF];
  num_format_size(size, symbols_bytes(run->symbols));
  Error *e = error_new(EXIT_LIMIT, "RUN-12", "the names of the events take more than --max-memory");
  error_at(e, "while reading %s, at %s of different names, categories and texts", lane->name, size);
  return error_help(e, "raise --max-memory, or cut the input with stagemill convert");
}

static Error *next_batch(Run *run, Lane *lane, bool keep, Batch **out)
{
  *out = NULL;
  if (run_cancelled(run)) return run_stopped(run);
  if (symbols_bytes(run->symbols) > run->budget.limit_bytes) return too_many_names(run, lane);
  if (lane->store) return store_next(lane->store, keep, out);
  return lane->merge ? merge_next(lane->merge, out) : input_next(lane->input, out);
}

static Error *run_batches(Run *run, Lane *lane, const Segment *seg, Store *to)
{
  for (;;) {
    Batch *b;
    Error *e = next_batch(run, lane, false, &b);
    if (e) return e;
    if (!b) return flush_passes(run, lane, seg, to);
    e = push(run, lane, seg, 0, b, to);
    if (e) return e;
  }
}

/* The only pass observes: the store stays where it is. */
static Error *reread(Run *run, Lane *lane, const Segment *seg)
{
  const Pass *pass = &g_array_index(seg->passes, Pass, 0);
  for (;;) {
    Batch *b;
    Error *e = next_batch(run, lane, true, &b);
    if (!e && !b) break;
    if (!e) e = run_pass(run, lane, pass, b, false);
    if (b) store_give(lane->store, b, true);
    if (e) return e;
  }
  store_rewind(lane->store);
  return NULL;
}

static Store *new_store(const Run *run, bool sort)
{
  StoreEnv env = { (Budget *)&run->budget, run->batches, run->spill, run->want_raw };
  return store_new(&env, sort);
}

static Error *run_segment(Run *run, Lane *lane, const Segment *seg)
{
  Error *e = open_passes(run, lane, seg);
  if (!e && seg->end == END_SINK) e = sinks_open_lane(run, lane);
  if (e) return e;
  if (seg->end == END_REREAD && lane->store) return reread(run, lane, seg);
  Store *to = seg->end == END_SINK ? NULL : new_store(run, seg->end == END_SORT);
  bool from_input = !lane->store && lane->input;
  if (from_input) e = input_start(lane->input);
  if (!e) e = run_batches(run, lane, seg, to);
  if (from_input) input_stop(lane->input);
  if (!e && to) e = store_close(to);
  if (to) atomic_fetch_add(&run->spilled_bytes, store_spilled_bytes(to));
  g_clear_pointer(&lane->store, store_free);
  lane->store = to;
  return e;
}

/* ------------------------------------------------------------------ ending */

/* What the run-level instance and the report need stays in the instance. */
static Error *retire_stage(Run *run, Lane *lane, uint32_t index)
{
  Instance *i = lane->instances[index];
  bool folds = i->stage->flags & MILL_MERGES || i->stage->scope == MILL_SCOPE_RUN;
  Error *e = folds ? instance_save(i, MILL_RESULT, &i->result) : NULL;
  if (!e) e = instance_report(i);
  guard_add_counters(run, index, &i->counters);
  instance_close(i);
  return e;
}

static Error *retire(Run *run, Lane *lane)
{
  Error *errors = NULL;
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    if (lane->instances[s]) errors = error_join(errors, retire_stage(run, lane, s));
  if (!errors) errors = sinks_finish_lane(run, lane);
  lane->reported = true;
  lane->done = true;
  Error *e = output_end_place(run->output, (int)lane->index);
  return error_join(errors, e);
}

Error *lane_run(Run *run, Lane *lane)
{
  for (const Segment *seg; (seg = lane_segment(lane));) {
    Error *e = run_segment(run, lane, seg);
    if (e) return e;
    if (seg->barrier == BARRIER_LANE) e = instance_settle(lane->instances[seg->settles]);
    if (e) return e;
    if (seg->barrier > BARRIER_LANE) {
      lane->at_barrier = true;
      return NULL;
    }
    lane->next_segment++;
  }
  return retire(run, lane);
}

Instance *lane_reported(const Lane *lane, uint32_t stage)
{
  return lane->reported ? lane->instances[stage] : NULL;
}

const char *lane_path(const Lane *lane)
{
  return lane->input && strcmp(lane->input->spec->path, "-") ? lane->input->spec->path : NULL;
}

const char *lane_tag(const Lane *lane, const char *name, char **out_made)
{
  const char *told = tags_get(lane->tags, name);
  if (told) return told;
  if (!strcmp(name, "label")) return lane->label && *lane->label ? lane->label : NULL;
  if (!strcmp(name, "input")) return lane->name;
  if (!strcmp(name, "rank") && lane->rank >= 0)
    return *out_made = g_strdup_printf("%" G_GINT64_FORMAT, lane->rank);
  if (!strcmp(name, "file") && lane_path(lane))
    return *out_made = g_path_get_basename(lane_path(lane));
  return NULL;
}

char **lanes_tag_names(const GPtrArray *lanes)
{
  GPtrArray *names = g_ptr_array_new();
  for (guint l = 0; l < lanes->len; l++) {
    const Lane *lane = lanes->pdata[l];
    for (guint t = 0; t < lane->tags->len; t++) {
      const Tag *tag = lane->tags->pdata[t];
      if (!g_ptr_array_find_with_equal_func(names, tag->name, g_str_equal, NULL))
        g_ptr_array_add(names, tag->name);
    }
  }
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

void lane_free(Lane *lane)
{
  if (!lane) return;
  store_free(lane->store);
  merge_free(lane->merge);
  g_free(lane->name);
  g_free(lane->label);
  g_free(lane->dialect);
  g_free(lane->rank_origin);
  if (lane->tags) g_ptr_array_unref(lane->tags);
  g_ptr_array_unref(lane->facts);
  g_ptr_array_unref(lane->members);
  if (lane->segments) g_ptr_array_unref(lane->segments);
  tracks_free(lane->tracks);
  error_free(lane->error);
  g_free(lane);
}
