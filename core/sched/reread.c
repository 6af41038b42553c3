/* Readings of an input that is reread; see reread.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/reread.h"

#include "plan/reread.h"
#include "sched/lanes.h"
#include "sched/replay.h"

/* Memory of held events, as a multiple of the size on disk: more for a compressed trace, less
 * for a plain one. */
#define INFLATED 10u
#define PACKED 2u
#define READINGS_AT_EASE 2u /* in addition to the first */

typedef struct Reread {
  guint n; /* readings before the last one */
  uint32_t n_stages;
  GArray *passes;       /* Pass, of the current reading */
  Instance **deciders;  /* one per stage: the instance that decided, if others load its decision */
  Summary *decisions;   /* of them */
  uint64_t *first_seq;  /* number after what each segment emits at the end of batches */
  uint64_t *next_seq;   /* the same, during the current reading */
  uint64_t seq_outside; /* that of the lane, while a pass of a later segment runs */
  uint64_t n_events;    /* that the first reading gave */
} Reread;

/* ---------------------------------------------------------------- planning */

static Error *cannot(const Lane *lane, const char *why)
{
  Error *e = error_new(EXIT_USAGE, "RUN-16", "%s cannot be reread, as --hold never requires",
                       lane->info->name);
  error_why(e, "%s", why);
  return error_help(e, "remove --hold: events are then held where necessary");
}

static const char *why_impossible(const Lane *lane)
{
  const Input *in = lane->input;
  if (input_can_be_read_again(in)) return NULL;
  if (in->files) return "it is several files";
  if (!in->source->source_ops->parse) return "its source reads by itself";
  return in->is_folder ? "it is a folder" : "it is not a regular file";
}

static uint64_t share_of(const Run *run)
{
  return run->pools.budget.limit_bytes / MAX(1u, run->lanes.list->len);
}

/* The text of a compressed file is held with its events; that of a plain file stays in the file. */
static bool fits(const Run *run, const Input *in)
{
  uint64_t share = share_of(run);
  return in->size_bytes < (in->compressed ? share / INFLATED : share * PACKED);
}

/* Holding takes less time than inflating once more, and than rereading more than once or twice.
 * If a later barrier holds events anyway, rereading saves no memory. */
static const char *why_dear(const Run *run, const Lane *lane)
{
  if (!fits(run, lane->input)) return NULL;
  bool few = lane->class->thinned && lane->input->size_bytes < share_of(run);
  if (few) return "stages remove events before they are held";
  if (lane->input->compressed)
    return "they fit into memory, and decompressing once more takes longer";
  if (lane->class->hold_why || lane->class->ends_in_merge) return "later events are held anyway";
  return lane->class->n_reread > READINGS_AT_EASE ? "reading so often takes longer" : NULL;
}

static const char *why_held(const Run *run, const Lane *lane)
{
  const char *why = why_impossible(lane);
  if (why || run->options.hold == HOLD_NEVER) return why;
  return run->options.hold == HOLD_ALWAYS ? "--hold always" : why_dear(run, lane);
}

static Reread *reread_new(const Run *run, const Lane *lane)
{
  Reread *a = g_new0(Reread, 1);
  a->n = lane->class->n_reread;
  a->n_stages = run->plan->n_stages;
  a->passes = g_array_new(FALSE, FALSE, sizeof(Pass));
  a->deciders = g_new0(Instance *, a->n_stages + 1);
  a->decisions = g_new0(Summary, a->n_stages + 1);
  a->first_seq = g_new0(uint64_t, a->n + 2);
  a->next_seq = g_new0(uint64_t, a->n + 2);
  lane->input->readings = a->n + 1;
  return a;
}

static Error *plan_lane(Run *run, Lane *lane)
{
  PlanClass *c = lane->class;
  if (!c->n_reread || lane->info->side) return NULL;
  const char *why = why_held(run, lane);
  c->n_lanes++;
  if (why && !c->lanes_why) c->lanes_why = why;
  if (why) return run->options.hold == HOLD_NEVER ? cannot(lane, why) : NULL;
  c->n_lanes_reread++;
  lane->reread = reread_new(run, lane);
  return NULL;
}

Error *reread_plan(Run *run)
{
  Error *errors = NULL;
  for (guint i = 0; i < run->lanes.list->len; i++)
    errors = error_join(errors, plan_lane(run, run->lanes.list->pdata[i]));
  return errors;
}

void reread_free(Reread *a)
{
  if (!a) return;
  for (uint32_t s = 0; s < a->n_stages; s++) {
    instance_free(a->deciders[s]);
    summary_clear(&a->decisions[s]);
  }
  g_array_unref(a->passes);
  g_free(a->deciders);
  g_free(a->decisions);
  g_free(a->first_seq);
  g_free(a->next_seq);
  g_free(a);
}

/* ------------------------------------------------------------------- readings */

bool reread_is_reading(const Lane *lane)
{
  return lane->reread && lane->next_segment <= lane->reread->n;
}

bool reread_is_last(const Lane *lane) { return lane->next_segment == lane->reread->n; }

/* The passes of the segments up to this one, without stages that have observed everything. */
static void collect_passes(const Lane *lane)
{
  GArray *passes = lane->reread->passes;
  g_array_set_size(passes, 0);
  for (guint s = 0; s <= lane->next_segment; s++) {
    const Segment *seg = lane->segments->pdata[s];
    for (guint p = 0; p < seg->passes->len; p++) {
      const Pass *pass = &g_array_index(seg->passes, Pass, p);
      if (pass->kind != PASS_OBSERVE || s == lane->next_segment) g_array_append_val(passes, *pass);
    }
  }
}

/* The last reading uses the instance that decided; other readings use one that is thrown away. */
static Error *open_decided(Run *run, Lane *lane, uint32_t stage)
{
  Reread *a = lane->reread;
  Instance *decider = a->deciders[stage];
  Error *e = replay_fresh(run, lane, stage, &a->decisions[stage], &lane->instances[stage]);
  lane->instances[stage]->mute = !reread_is_last(lane);
  if (e || !reread_is_last(lane)) return e;
  e = replay_succeed(decider, lane->instances[stage]);
  instance_free(decider);
  a->deciders[stage] = NULL;
  return e;
}

static Error *open_instances(Run *run, Lane *lane)
{
  Reread *a = lane->reread;
  Error *e = NULL;
  for (guint p = 0; p < a->passes->len && !e; p++) {
    const Pass *pass = &g_array_index(a->passes, Pass, p);
    Instance **at = &lane->instances[pass->stage];
    if (pass->kind == PASS_STRIP || *at) continue;
    if (a->deciders[pass->stage]) {
      e = open_decided(run, lane, pass->stage);
      continue;
    }
    bool mute = pass->kind == PASS_PROCESS && !reread_is_last(lane);
    e = lane_open_stage(run, lane, pass->stage, mute, at);
  }
  return e;
}

Error *reread_begin(Run *run, Lane *lane, const GArray **out_passes)
{
  Reread *a = lane->reread;
  collect_passes(lane);
  if (lane->next_segment) input_read_again(lane->input);
  for (guint s = 1; s <= lane->next_segment; s++) a->next_seq[s] = a->first_seq[s];
  *out_passes = a->passes;
  return open_instances(run, lane);
}

/* In later segments, numbers of emitted events go on where this reading ended. */
static void count_on(Lane *lane)
{
  Reread *a = lane->reread;
  guint reading = lane->next_segment;
  if (!reading) a->n_events = lane->info->n_events;
  a->first_seq[reading + 1] = reading ? a->next_seq[reading] : lane->info->next_seq;
}

Error *reread_end(Lane *lane)
{
  Reread *a = lane->reread;
  Error *e = NULL;
  count_on(lane);
  if (lane->info->n_events != a->n_events) e = origin_changed(lane->info->name, "changed");
  if (reread_is_last(lane)) return e;
  for (guint p = 0; p < a->passes->len; p++) {
    const Pass *pass = &g_array_index(a->passes, Pass, p);
    Instance **at = &lane->instances[pass->stage];
    if (pass->kind != PASS_PROCESS || !*at) continue;
    e = error_join(e, instance_close(*at));
    instance_free(*at);
    *at = NULL;
  }
  return e;
}

Error *reread_decided(Lane *lane, uint32_t stage)
{
  Reread *a = lane->reread;
  if (!reread_is_reading(lane) || lane->next_segment + 1 >= a->n) return NULL;
  Instance *i = lane->instances[stage];
  if (!reread_replays(i->descriptor)) return NULL;
  a->deciders[stage] = i;
  lane->instances[stage] = NULL;
  return instance_save(i, i->descriptor->stage_ops->save_decision, &a->decisions[stage]);
}

/* ---------------------------------------------------------------- numbering */

void reread_enter(Lane *lane, const Pass *pass)
{
  if (!lane->reread || !pass->segment || !reread_is_reading(lane)) return;
  lane->reread->seq_outside = lane->info->next_seq;
  lane->info->next_seq = lane->reread->next_seq[pass->segment];
}

void reread_leave(Lane *lane, const Pass *pass)
{
  if (!lane->reread || !pass->segment || !reread_is_reading(lane)) return;
  lane->reread->next_seq[pass->segment] = lane->info->next_seq;
  lane->info->next_seq = lane->reread->seq_outside;
}
