/* Bases that become known after the events; see bases.h. */
#include "sched/bases.h"

#include <string.h>

#include "model/engine.h"
#include "sched/lanes.h"

/* ------------------------------------------------------------ who needs them */

/* Its events reach the sinks before it has met the other lanes. */
static bool streams(const Lane *lane)
{
  if (lane->class->joins) return false;
  for (guint s = 0; s < lane->segments->len; s++)
    if (((const Segment *)lane->segments->pdata[s])->barrier > BARRIER_LANE) return false;
  return true;
}

static bool has_rank(const char *name) { return name && strstr(name, "{rank}"); }

static bool writes_one_file(const Run *run)
{
  for (guint i = 0; run->options.sink_set && i < run->options.sink_set->len; i++)
    if (has_rank(run->options.sink_set->pdata[i])) return false;
  return sinks_write_events(run->sinks) && !has_rank(run->options.output_file);
}

static bool needs_bases(const Run *run)
{
  guint n = 0, n_stream = 0;
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *lane = run->lanes->pdata[i];
    n += !lane->info->side;
    n_stream += !lane->info->side && streams(lane);
  }
  return n > 1 && n_stream && writes_one_file(run);
}

/* ---------------------------------------------------------------- searching */

static void search(Run *run, Lane *lane)
{
  (void)run; /* as run_each_lane calls it */
  if (lane->info->side) return;
  if (!lane->input->files && input_may_have_base(lane->input)) input_describe_again(lane->input);
  lane->info->base_fixed = true;
}

void bases_find(Run *run)
{
  if (needs_bases(run)) run_each_lane(run, run->lanes, search);
}

/* ----------------------------------------------------------------- checking */

static bool is_known(const Lane *lane) { return lane->info->base_ns != MILL_NO_BASE; }

/* Whether times of all count from this lane's base: it is the first whose base is known. */
static bool is_first(const Run *run, uint32_t index)
{
  for (guint i = 0; i < index && i < run->lanes->len; i++)
    if (is_known(run->lanes->pdata[i])) return false;
  return true;
}

/* Lanes that do not wait may have been written by the base of the first one. */
static bool is_in_use(const Run *run, const LaneInfo *lane)
{
  if (!is_first(run, lane->index) || !writes_one_file(run)) return false;
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *other = run->lanes->pdata[i];
    if (i != lane->index && is_known(other) && streams(other)) return true;
  }
  return false;
}

bool bases_move(const Run *run, LaneInfo *lane, int64_t base_ns)
{
  if (is_in_use(run, lane)) return false;
  lane->base_ns = base_ns;
  lane->base_differs = false;
  return true;
}

/* By how much the base that was used differs from the true one. */
static int64_t miss_ns(const Lane *lane)
{
  const LaneInfo *l = lane->info;
  int64_t miss = 0, used = l->base_ns == MILL_NO_BASE ? 0 : l->base_ns;
  if (l->base_differs && __builtin_sub_overflow(l->final_base_ns, used, &miss)) return INT64_MAX;
  return miss;
}

static Error *wrong_base(const Lane *lane)
{
  Error *e = error_new(EXIT_INPUT, "RUN-11", "%s cannot share a base time with the other inputs",
                       lane->info->name);
  error_why(e, "its base time comes after its events, and it cannot be read twice");
  return error_help(e,
                    "save it to a file first, or write one file per rank: -o 'NAME-{rank}.json'");
}

void bases_note_unknown(Run *run, const GPtrArray *lanes)
{
  bool any = false;
  for (guint i = 0; i < lanes->len; i++) {
    const Lane *lane = lanes->pdata[i];
    any = any || (lane->timed && is_known(lane));
  }
  for (guint i = 0; any && i < lanes->len; i++) {
    const Lane *lane = lanes->pdata[i];
    if (lane->timed && !is_known(lane))
      engine_note(&run->notices, ENGINE_UNKNOWN_BASE, lane->info->index, NULL);
  }
}

/* A file that is joined with others, and says after its events from when they count. */
static Error *check_joined(const Input *in)
{
  for (guint i = 0; i < in->files->len; i++) {
    Lane file = { .info = ((const Input *)in->files->pdata[i])->lane };
    if (miss_ns(&file)) return wrong_base(&file);
  }
  return NULL;
}

Error *bases_check(Run *run)
{
  for (guint i = 0; i < run->joined->len; i++) {
    Error *e = check_joined(run->joined->pdata[i]);
    if (e) return e;
  }
  if (!run->lanes->len) return NULL;
  int64_t first = miss_ns(run->lanes->pdata[0]);
  for (guint i = 1; i < run->lanes->len; i++) {
    const Lane *lane = run->lanes->pdata[i];
    if (!lane->info->side && miss_ns(lane) != first)
      return wrong_base(miss_ns(lane) ? lane : run->lanes->pdata[0]);
  }
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    if (lane->info->base_differs) lane->info->base_ns = lane->info->final_base_ns;
  }
  /* A merged stream had its own. */
  if (!run->merged && writes_one_file(run)) bases_note_unknown(run, run->lanes);
  return NULL;
}
