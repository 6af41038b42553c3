/* How often shards are given; see rounds.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/rounds.h"

#include "plan/sink-roles.h"

static bool waits_for_all(const Plan *plan, uint32_t stage)
{
  for (guint c = 0; c < plan->classes->len; c++) {
    const GPtrArray *segments = ((const PlanClass *)plan->classes->pdata[c])->segments;
    for (guint i = 0; i < segments->len; i++) {
      const Segment *s = segments->pdata[i];
      if (s->barrier == BARRIER_RUN && s->decides == (int)stage) return true;
    }
  }
  return false;
}

uint32_t plan_round_of(const Plan *plan, uint32_t stage)
{
  uint32_t n = 0;
  for (uint32_t s = 0; s <= stage && s < plan->n_stages; s++) n += waits_for_all(plan, s);
  return n;
}

uint32_t plan_rounds(const Plan *plan) { return plan_round_of(plan, plan->n_stages) + 1; }

static Error *whole(const char *id)
{
  Error *e = error_new(EXIT_PROFILE, "RUN-54", "this run cannot be shared (--state)");
  error_why(e, "stage \"%s\" needs the events of all lanes", id);
  return error_help(e, "leave it out with --disable %s, or run without --state", id);
}

static bool writes_events(Modules *modules, const char *format)
{
  const Module *m = sink_of_format(modules, format);
  return m && m->stage->sink_ops->write;
}

static Error *events(Modules *modules, const GPtrArray *formats, const char *first)
{
  g_autoptr(GString) others = g_string_new(NULL);
  for (guint i = 0; i < formats->len; i++)
    if (!writes_events(modules, formats->pdata[i]))
      g_string_append_printf(others, "%s%s", others->len ? "," : "",
                             (const char *)formats->pdata[i]);
  Error *e = error_new(EXIT_PROFILE, "RUN-54", "this run cannot be shared (--state)");
  error_why(e, "the format \"%s\" is made of events", first);
  error_help(e, "give --format %s", others->len ? others->str : "text,json");
  return error_help(e, "for one file a rank, let each process convert its own: stagemill convert");
}

Error *plan_check_shards(const Plan *plan, Modules *modules, const GPtrArray *asked)
{
  for (uint32_t s = 0; s < plan->n_stages; s++)
    if (plan->stages[s].used && plan->stages[s].stage->scope == MILL_SCOPE_WHOLE)
      return whole(plan->stages[s].id);
  g_autoptr(GPtrArray) formats = plan_formats(plan, modules, asked);
  for (guint i = 0; i < formats->len; i++)
    if (writes_events(modules, formats->pdata[i]))
      return events(modules, formats, formats->pdata[i]);
  return NULL;
}
