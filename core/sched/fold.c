/* Run-level instances, and merging lanes into them; see fold.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/fold.h"

#include <string.h>

#include "host/verify.h"
#include "sched/lane.h"
#include "sched/lanes.h"
#include "sched/lost.h"
#include "model/engine.h"
#include "model/lane-groups.h"
#include "model/lane-names.h"
#include "model/tags.h"

/* ------------------------------------------------------------------ groups */

static void group_free(gpointer data)
{
  FoldGroup *g = data;
  instance_free(g->instance);
  g_strfreev(g->values);
  if (g->waiting) g_ptr_array_unref(g->waiting);
  summary_clear(&g->decision);
  g_free(g);
}

/* Of one stage, so both have the same number of values. */
static gint compare_values(gconstpointer a, gconstpointer b, gpointer unused)
{
  char *const *x = a, *const *y = b;
  gint order = 0;
  (void)unused;
  for (; *x && !order; x++, y++) order = strcmp(*x, *y);
  return order;
}

/* Of all its options, as a stage may know of tags that never make groups. */
static GPtrArray *words_of(const PlanStage *p)
{
  GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < p->stage->n_options; i++) {
    const MillOption *row = &p->stage->options[i];
    if (!(row->flags & MILL_OPTION_GROUP_BY) || row->type != MILL_OPT_LIST) continue;
    const char *values = option_values_struct(p->options);
    MillList list;
    memcpy(&list, values + row->offset, sizeof list);
    for (uint32_t k = 0; k < list.n; k++) g_ptr_array_add(words, g_strdup(list.items[k]));
  }
  return words;
}

static Fold new_fold(const PlanStage *p)
{
  g_autoptr(GPtrArray) words = words_of(p);
  Fold f = { .groups = g_ptr_array_new_with_free_func(group_free),
             .of_values = g_tree_new_full(compare_values, NULL, NULL, NULL) };
  if (lane_groups_need_lanes(words))
    f.words = g_steal_pointer(&words);
  else
    f.by = lane_groups_by(words, NULL);
  return f;
}

static void choose_tags(const Run *run, Fold *f)
{
  if (f->words) f->by = lane_groups_by(f->words, run->inputs->lanes);
  g_clear_pointer(&f->words, g_ptr_array_unref);
}

Fold *folds_new(Run *run)
{
  uint32_t n = run->plan->n_stages;
  Fold *folds = g_new0(Fold, n + 1);
  for (uint32_t s = 0; s < n; s++) folds[s] = new_fold(&run->plan->stages[s]);
  return folds;
}

void folds_free(Run *run)
{
  for (uint32_t s = 0; run->totals.folds && s < run->plan->n_stages; s++) {
    g_tree_unref(run->totals.folds[s].of_values);
    g_clear_pointer(&run->totals.folds[s].words, g_ptr_array_unref);
    g_clear_pointer(&run->totals.folds[s].by, g_ptr_array_unref);
    g_ptr_array_unref(run->totals.folds[s].groups);
  }
  g_clear_pointer(&run->totals.folds, g_free);
}

static char **values_of(const Fold *f, const Lane *lane)
{
  char **values = g_new0(char *, f->by->len + 1);
  for (guint i = 0; i < f->by->len; i++) {
    g_autofree char *made = NULL;
    const char *value = lane ? lane_info_tag(lane->info, f->by->pdata[i], &made) : NULL;
    values[i] = g_strdup(value ? value : "");
  }
  return values;
}

Error *fold_group(Run *run, uint32_t stage, const Lane *lane, FoldGroup **out)
{
  Fold *f = &run->totals.folds[stage];
  choose_tags(run, f);
  g_auto(GStrv) values = values_of(f, lane);
  FoldGroup *group = *out = g_tree_lookup(f->of_values, values);
  if (!group) {
    group = *out = g_new0(FoldGroup, 1);
    group->values = g_steal_pointer(&values);
    g_ptr_array_add(f->groups, group);
    g_tree_insert(f->of_values, group->values, group);
  }
  if (group->instance) return NULL;
  Error *e = lane_open_stage(run, NULL, stage, false, &group->instance);
  if (!group->instance) return e;
  group->instance->shared_count = &f->n_values;
  reported_leave_lead(group->instance->reported, f->by->len);
  return e;
}

/* ----------------------------------------------------------------- results */

static Error *merge_result(Run *run, uint32_t stage, const Lane *lane)
{
  FoldGroup *group;
  StageOutcome *own = &lane->outcome->stages[stage];
  if (lane->info->skipped || !own->opened || lost_is(run, stage) || !lane_results_merge(&run->plan->stages[stage]))
    return NULL;
  Error *e = fold_group(run, stage, lane, &group);
  if (e || !own->result.len) return e;
  e = instance_load(group->instance, PHASE_MERGE, "merging results",
                    group->instance->descriptor->stage_ops->merge_result, &own->result);
  return lost_set_aside(run, stage, group->instance, e);
}

static void add_counters(Counters *sum, const Counters *c)
{
  sum->events_in += c->events_in;
  sum->events_out += c->events_out;
  for (Fate f = FATE_USABLE; f < FATES; f++) sum->dropped[f] += c->dropped[f];
  sum->told += c->told;
  sum->emitted += c->emitted;
  sum->time_ns += c->time_ns;
}

/* A lane without anything to report keeps less, because there may be very many lanes. */
static void keep_reported(const Run *run, Lane *lane, uint32_t stage)
{
  StageOutcome *own = &lane->outcome->stages[stage];
  if (run->options.keep_outcomes || reported_is_empty(own->reported)) return;
  if (!lane->results) lane->results = g_new0(Reported *, run->plan->n_stages);
  lane->results[stage] = g_steal_pointer(&own->reported);
}

/* Adds its counts to the sums of the run; keeps rows and metrics. */
static void take_outcome(Run *run, Lane *lane)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const StageOutcome *own = &lane->outcome->stages[s];
    if (!own->opened) continue;
    add_counters(&run->totals.counters[s], &own->counters);
    notices_merge(&run->totals.notices[s], &own->notices, 0);
    keep_reported(run, lane, s);
  }
  if (!run->options.keep_outcomes) g_clear_pointer(&lane->outcome, outcome_free);
  lane_free_instances(run, lane);
}

static Error *fold_lane(Run *run, Lane *lane)
{
  Error *e = NULL;
  for (uint32_t s = 0; s < run->plan->n_stages && !e; s++) e = merge_result(run, s, lane);
  take_outcome(run, lane);
  return e;
}

/* Which groups there are may depend on the tags of all lanes. */
static bool waits_for_lanes(const Run *run)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    if (run->totals.folds[s].words) return true;
  return false;
}

/* What it has left is an outcome; the rest of it need not wait. */
static void free_instances(Run *run, Lane *ran)
{
  if (ran && ran->outcome && !ran->info->merged) lane_free_instances(run, ran);
}

/* After a failure, other threads leave the half merged or half opened instances alone. */
static Error *fold_lanes(Run *run)
{
  Error *e = NULL;
  while (!run->totals.fold_failed && run->totals.next_fold < run->lanes.list->len) {
    Lane *lane = run->lanes.list->pdata[run->totals.next_fold];
    if (!atomic_load(&lane->done)) break;
    if (lane->outcome)
      e = fold_lane(run, lane);
    else if (!run->options.keep_outcomes) /* the lane was given up */
      lane_free_instances(run, lane);
    run->totals.fold_failed = e != NULL;
    run->totals.next_fold++;
  }
  return e;
}

Error *fold_done_lanes(Run *run, Lane *ran)
{
  Error *e = NULL;
  pthread_mutex_lock(&run->totals.fold_lock);
  if (waits_for_lanes(run))
    free_instances(run, ran);
  else
    e = fold_lanes(run);
  pthread_mutex_unlock(&run->totals.fold_lock);
  return e;
}

/* A profile may name tags that only some inputs have. */
static bool typed_by_hand(const PlanStage *p)
{
  for (guint i = 0; i < p->entry->with->len; i++) {
    const ProfileSetting *set = p->entry->with->pdata[i];
    const MillOption *o = option_find(p->stage->options, p->stage->n_options, set->name);
    if (o && o->flags & MILL_OPTION_GROUP_BY && set->given) return true;
  }
  return false;
}

/* Without this notice, a misspelt tag would look like one group. */
static void note_unknown_tags(Run *run, uint32_t stage)
{
  const GPtrArray *by = run->totals.folds[stage].by;
  if (!typed_by_hand(&run->plan->stages[stage])) return;
  g_autofree char **names = lane_names_groups(run->inputs->lanes);
  g_autofree char *tags = g_strjoinv(", ", names);
  for (guint i = 0; i < by->len; i++) {
    const char *tag = by->pdata[i];
    if (g_strv_contains((const char *const *)names, tag)) continue;
    engine_note(&run->aside.notices, ENGINE_UNKNOWN_TAG, 0, "stage", run->plan->stages[stage].id,
                "tag", tag, "tags", tags, NULL);
  }
}

/* If no input has any of the tags that a profile names, there is one group, without columns,
 * which would always be empty. */
static void forget_unknown_tags(Run *run, uint32_t stage)
{
  Fold *f = &run->totals.folds[stage];
  if (typed_by_hand(&run->plan->stages[stage])) return;
  g_autofree char **names = lane_names_groups(run->inputs->lanes);
  for (guint i = 0; i < f->by->len; i++)
    if (g_strv_contains((const char *const *)names, f->by->pdata[i])) return;
  g_ptr_array_set_size(f->by, 0);
  for (guint g = 0; g < f->groups->len; g++)
    for (char **value = ((FoldGroup *)f->groups->pdata[g])->values; *value; value++)
      g_clear_pointer(value, g_free);
}

static Error *report(const Run *run, Instance *i)
{
  Error *e = instance_call(i, PHASE_REPORT, "reporting", i->descriptor->stage_ops->report_run);
  if (!e && run->options.verify) e = verify_reported(i);
  return error_join(e, instance_close(i));
}

Error *fold_report(Run *run)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++) choose_tags(run, &run->totals.folds[s]);
  Error *e = fold_done_lanes(run, NULL);
  Lane *merged = run->lanes.merged;
  if (!e && merged && merged->outcome) take_outcome(run, merged);
  for (uint32_t s = 0; s < run->plan->n_stages && !e; s++) {
    const Fold *f = &run->totals.folds[s];
    FoldGroup *all;
    if (!lane_results_merge(&run->plan->stages[s])) continue;
    note_unknown_tags(run, s);
    forget_unknown_tags(run, s);
    if (lost_is(run, s)) continue;
    if (!f->by->len && !f->groups->len) e = fold_group(run, s, NULL, &all);
    for (guint g = 0; g < f->groups->len && !e; g++) {
      Instance *i = ((FoldGroup *)f->groups->pdata[g])->instance;
      if (!lost_is(run, s)) e = lost_set_aside(run, s, i, report(run, i));
    }
  }
  lost_tell(run);
  return e;
}
