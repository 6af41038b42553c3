/* The plan of a run; see planning.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/planning.h"

#include <string.h>

#include "input/beside.h"
#include "input/classes.h"
#include "input/counted-twice.h"
#include "input/rank-files.h"
#include "model/engine.h"
#include "plan/planner.h"
#include "plan/rounds.h"
#include "sched/lanes.h"
#include "sched/reread.h"
#include "sched/shared.h"
#include "sched/totals.h"

/* --------------------------------------------------------------------- plan */

static Error *only_sides(const LaneInfo *first)
{
  Error *e =
      error_new(EXIT_INPUT, "RUN-18", "no input is a trace, only the side input %s", first->name);
  error_why(e, "inputs labelled \"%s\" only describe traces", first->label);
  return error_help(e, "also name a trace: stagemill run -p PROFILE TRACE... %s=PATH",
                    first->label);
}

static Error *make_plan(const Run *run, Profile *profile, guint *out_of_lane, Plan **out)
{
  g_autoptr(GArray) classes = classes_of_inputs(run->inputs, out_of_lane);
  if (!classes->len || !g_array_index(classes, PlanInputClass, 0).side)
    return plan_new(profile, run->modules, (const PlanInputClass *)classes->data, classes->len,
                    run->options.cascade, out);
  profile_free(profile);
  return only_sides(inputs_lane(run->inputs, 0));
}

Error *run_fits(const Run *run, Profile *profile)
{
  g_autofree guint *of_lane = g_new(guint, run->inputs->lanes->len);
  g_autoptr(Plan) plan = NULL;
  return make_plan(run, profile, of_lane, &plan);
}

/* ------------------------------------------------------------------- notices */

static void note_skipped(Run *run, const Lane *lane)
{
  for (guint b = 0; b < lane->class->skipped->len; b++) {
    const PlanSkip *skip = &g_array_index(lane->class->skipped, PlanSkip, b);
    if (plan_left_out(run->plan, skip->stage)) continue; /* the plan says so */
    engine_note(&run->aside.notices, ENGINE_SKIPPED, lane->info->index, "stage",
                run->plan->stages[skip->stage].id, "fact", skip->fact, NULL);
  }
}

/* Options that a profile or the command line sets, although their author has deprecated them. */
static void note_deprecated(Run *run)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const PlanStage *p = &run->plan->stages[s];
    for (guint i = 0; i < p->entry->with->len; i++) {
      const ProfileSetting *set = p->entry->with->pdata[i];
      const MillOption *o = option_find(p->stage->options, p->stage->n_options, set->name);
      if (!o || !(o->flags & MILL_OPTION_DEPRECATED) || !strcmp(set->origin, "default")) continue;
      engine_note(&run->aside.notices, ENGINE_DEPRECATED, 0, "stage", p->id, "option", o->name,
                  "origin", set->origin, NULL);
    }
  }
}

/* --------------------------------------------------------------------- sinks */

static void add_read(void *plan, MillRead read) { plan_add_read(plan, read); }

static bool has_rank(const char *name) { return name && strstr(name, "{rank}"); }

static bool writes_one_file(const Run *run)
{
  const GPtrArray *set = run->options.sink_set;
  for (guint i = 0; set && i < set->len; i++)
    if (has_rank(set->pdata[i])) return false;
  return sinks_write_events(run->out.sinks) && !has_rank(run->options.output_file);
}

static Error *choose_sinks(Run *run)
{
  g_autoptr(GPtrArray) formats = plan_formats(run->plan, run->modules, run->options.formats);
  if (shared_is_shard(run)) g_ptr_array_set_size(formats, 0); /* it writes no results */
  g_ptr_array_add(formats, NULL);
  Error *e = sinks_new(run->modules, (const char *const *)formats->pdata, run->options.sink_set,
                       &run->out.sinks);
  run->out.sinks->asked = run->options.formats_asked;
  run->env.with_raw = sinks_read_raw(run->out.sinks) || run->options.dump_after;
  if (!e) sinks_each_read(run->out.sinks, add_read, run->plan);
  if (!e && run->env.with_raw) plan_add_read(run->plan, (MillRead){ "*", MILL_AS_RAW, 0 });
  run->inputs->one_file = !e && writes_one_file(run);
  return e;
}

/* --------------------------------------------------------------------- lanes */

static void prepare_lanes(Run *run, const guint *of_lane)
{
  for (guint i = 0; i < run->inputs->lanes->len; i++) {
    Lane *lane = run_add_lane(run, i);
    run_prepare_lane(run, lane, run->plan->classes->pdata[of_lane[i]]);
    note_skipped(run, lane);
  }
}

/* A pattern that nothing matches is misspelt; "*" is for any run. */
static Error *check_isolated(const Run *run)
{
  const GPtrArray *patterns = run->options.isolate;
  for (guint k = 0; patterns && k < patterns->len; k++) {
    const char *pattern = patterns->pdata[k];
    bool found = !strcmp(pattern, "*");
    for (uint32_t s = 0; s < run->plan->n_stages && !found; s++)
      found = run_isolates(pattern, &run->plan->stages[s]);
    if (found) continue;
    Error *e =
        error_new(EXIT_USAGE, "RUN-90", "--isolate: no stage of this run matches \"%s\"", pattern);
    return error_help(e, "stagemill plan shows the stages of a run");
  }
  return NULL;
}

Error *run_plan(Run *run, Profile *profile)
{
  Inputs *in = run->inputs;
  Error *e = inputs_take_beside(in, profile);
  if (!e) e = counted_twice_refuse(in);
  if (e) {
    profile_free(profile);
    return e;
  }
  counted_twice_note_copies(in);
  if (profile->join_ranks) rank_files_join(in);
  rank_files_note_duplicates(in);
  inputs_name_lanes(in);
  g_autofree guint *of_lane = g_new(guint, in->lanes->len);
  e = make_plan(run, profile, of_lane, &run->plan);
  if (!e && run->options.state)
    e = plan_check_shards(run->plan, run->modules, run->options.formats);
  if (!e) e = check_isolated(run);
  if (!e) e = choose_sinks(run);
  if (e) return e;
  note_deprecated(run);
  totals_init(run);
  prepare_lanes(run, of_lane);
  return reread_plan(run);
}
