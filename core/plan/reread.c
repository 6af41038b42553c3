/* Barriers that need no held events; see reread.h.
 *
 * For the events that a stage lets pass after it has decided, everything before it may run once more over the
 * input.  Single-phase stages begin afresh each time; a stage that has decided can do so only where it can
 * hand its decision over. */
/* SPDX-License-Identifier: MIT */
#include "plan/reread.h"

bool reread_replays(const Descriptor *stage)
{
  const MillStageOps *ops = stage->stage_ops;
  return stage->scope == MILL_SCOPE_LANE && ops->observe && ops->save_decision &&
         ops->load_decision;
}

static bool processes(const Segment *s, int stage)
{
  for (guint p = 0; p < s->passes->len; p++) {
    const Pass *pass = &g_array_index(s->passes, Pass, p);
    if (pass->kind == PASS_PROCESS && (int)pass->stage == stage) return true;
  }
  return false;
}

/* Why the events at the end of segment `at` have to be held, or NULL. */
static char *why_held(const Plan *plan, const PlanClass *c, guint at)
{
  const Segment *s = c->segments->pdata[at];
  const Segment *before = at ? c->segments->pdata[at - 1] : NULL;
  if (s->end == END_SORT || s->decides < 0)
    return g_strdup(s->reason ? s->reason : "lanes become one stream");
  if (!before || !processes(s, before->decides)) return NULL;
  const PlanStage *settled = &plan->stages[before->decides];
  if (reread_replays(settled->stage)) return NULL;
  return g_strdup_printf("%s cannot hand its decision over", settled->id);
}

static bool leaves_out(const Plan *plan, const Segment *s)
{
  for (guint p = 0; p < s->passes->len; p++) {
    const Pass *pass = &g_array_index(s->passes, Pass, p);
    bool may = plan->stages[pass->stage].stage->flags & MILL_MAY_DROP;
    if (pass->kind == PASS_PROCESS && may) return true;
  }
  return false;
}

void reread_find(const Plan *plan, PlanClass *c)
{
  c->thinned = c->segments->len && leaves_out(plan, c->segments->pdata[0]);
  for (guint at = 0; at + 1 < c->segments->len && !c->hold_why; at++) {
    c->hold_why = why_held(plan, c, at);
    if (!c->hold_why) c->n_reread++;
  }
}
