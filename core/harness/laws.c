/* The laws of merging, on instances that are opened for it. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "harness-internal.h"
#include "sched/fold.h"
#include "sched/lane.h"
#include "sched/lanes.h"

typedef struct Laws {
  const HarnessRun *r;
  GPtrArray *states; /* Summary *: what each lane saved; not owned */
  GPtrArray *broken;
} Laws;

static const Descriptor *stage_of(const Laws *l) { return l->r->run->plan->stages[0].stage; }

static void complain(const Laws *l, const char *text)
{
  g_ptr_array_add(l->broken, g_strdup(text));
}

static void take_error(const Laws *l, Error *e)
{
  if (!e) return;
  g_autofree char *text = harness_error_text(e);
  g_ptr_array_add(l->broken, g_strdup_printf("merging by hand: %s", text));
  error_free(e);
}

/* A fresh run-level instance that has merged them in this order. */
static Error *merged(const Laws *l, Summary *const *states, guint n, Instance **out)
{
  int (*merge)(void *) = stage_of(l)->stage_ops->merge_result;
  Error *e = lane_open_stage(l->r->run, NULL, 0, false, out);
  for (guint i = 0; i < n && !e; i++)
    if (states[i]->len) e = instance_load(*out, PHASE_MERGE, "merging results", merge, states[i]);
  return e;
}

/* What that instance saves. */
static Summary fold(const Laws *l, Summary *const *states, guint n)
{
  Instance *top = NULL;
  Summary out = { 0 };
  Error *e = merged(l, states, n, &top);
  if (!e) e = instance_save(top, stage_of(l)->stage_ops->save_result, &out);
  take_error(l, e);
  instance_free(top);
  return out;
}

static Summary fold_two(const Laws *l, Summary *a, Summary *b)
{
  Summary *const both[] = { a, b };
  return fold(l, both, 2);
}

static bool same_bytes(const Summary *a, const Summary *b)
{
  return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

/* Only MILL_ANY_ORDER promises that the run level can save. */
static void check_any_order(const Laws *l)
{
  guint n = l->states->len;
  Summary *x = l->states->pdata[0], *y = l->states->pdata[1 % n], *z = l->states->pdata[2 % n];
  Summary same = fold(l, &x, 1), xy = fold_two(l, x, y), yx = fold_two(l, y, x);
  Summary yz = fold_two(l, y, z), xy_z = fold_two(l, &xy, z), x_yz = fold_two(l, x, &yz);
  if (!same_bytes(&same, x))
    complain(l, "saving and merging into a fresh instance changes the state");
  if (!same_bytes(&xy_z, &x_yz)) complain(l, "merging is not associative");
  if (!same_bytes(&xy, &yx)) complain(l, "MILL_ANY_ORDER, but the order of merging matters");
  Summary *const all[] = { &same, &xy, &yx, &yz, &xy_z, &x_yz };
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) summary_clear(all[i]);
}

/* What lanes saved must be all that the report comes from. */
static void check_report(const Laws *l, const Instance *first)
{
  Instance *top = NULL;
  g_autoptr(GString) was = g_string_new(NULL), is = g_string_new(NULL);
  Error *e = merged(l, (Summary *const *)l->states->pdata, l->states->len, &top);
  if (!e) e = instance_call(top, PHASE_REPORT, "reporting", stage_of(l)->stage_ops->report_run);
  harness_report_text(was, stage_of(l), &(HarnessReport){ .reported = first->reported });
  harness_report_text(is, stage_of(l), &(HarnessReport){ .reported = top->reported });
  if (!e && strcmp(was->str, is->str) != 0)
    complain(l, "merging the same states again gives another report");
  take_error(l, e);
  instance_free(top);
}

static void find_states(Laws *l)
{
  for (guint i = 0; i < l->r->run->lanes.list->len; i++) {
    const Lane *lane = l->r->run->lanes.list->pdata[i];
    StageOutcome *own = lane->outcome ? &lane->outcome->stages[0] : NULL;
    if (own && own->opened && !lane->info->skipped) g_ptr_array_add(l->states, &own->result);
  }
}

void harness_check_merging(const HarnessRun *r, GPtrArray *broken)
{
  const PlanStage *p = &r->run->plan->stages[0];
  const Fold *f = &r->run->totals.folds[0];
  if (!lane_results_merge(p) || !p->stage->stage_ops->merge_result) return;
  g_autoptr(GPtrArray) states = g_ptr_array_new();
  Laws l = { r, states, broken };
  find_states(&l);
  if (states->len && p->stage->flags & MILL_ANY_ORDER) check_any_order(&l);
  bool alone = p->stage->scope != MILL_SCOPE_RUN && !f->by->len && f->groups->len;
  if (alone) check_report(&l, ((const FoldGroup *)f->groups->pdata[0])->instance);
}
