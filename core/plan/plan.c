/* What a plan holds, and the names and reads that follow from it; see plan.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include <string.h>

#include "plan/facts.h"
#include "plan/sink-roles.h"

Segment *plan_segment_new(GPtrArray *segments, bool merged)
{
  Segment *s = g_new0(Segment, 1);
  s->passes = g_array_new(FALSE, TRUE, sizeof(Pass));
  s->decides = -1;
  s->merged = merged;
  g_ptr_array_add(segments, s);
  return s;
}

static void segment_free(gpointer data)
{
  Segment *s = data;
  g_array_unref(s->passes);
  g_free(s->reason);
  g_free(s);
}

/* NULL at stages that pass the class by. */
static void free_facts(gpointer facts)
{
  if (facts) g_ptr_array_unref(facts);
}

PlanClass *plan_class_new(const char *source, const char *dialect, const GPtrArray *facts)
{
  PlanClass *c = g_new0(PlanClass, 1);
  c->source = g_strdup(source);
  c->dialect = g_strdup(dialect);
  c->facts = facts_new();
  for (guint i = 0; facts && i < facts->len; i++) facts_add(c->facts, facts->pdata[i]);
  c->facts_at = g_ptr_array_new_with_free_func(free_facts);
  c->segments = g_ptr_array_new_with_free_func(segment_free);
  c->skipped = g_array_new(FALSE, TRUE, sizeof(PlanSkip));
  return c;
}

void plan_class_free(gpointer data)
{
  PlanClass *c = data;
  if (!c) return;
  for (guint i = 0; i < c->skipped->len; i++) g_free(g_array_index(c->skipped, PlanSkip, i).fact);
  g_array_unref(c->skipped);
  g_ptr_array_unref(c->facts);
  g_ptr_array_unref(c->facts_at);
  g_ptr_array_unref(c->segments);
  g_free(c->source);
  g_free(c->dialect);
  g_free(c->hold_why);
  g_free(c);
}

Plan *plan_alloc(Profile *profile)
{
  Plan *plan = g_new0(Plan, 1);
  plan->profile = profile;
  plan->classes = g_ptr_array_new_with_free_func(plan_class_free);
  plan->reads = g_array_new(FALSE, TRUE, sizeof(MillRead));
  plan->hints = g_ptr_array_new_with_free_func(g_free);
  return plan;
}

void plan_free(Plan *plan)
{
  if (!plan) return;
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    option_values_free(plan->stages[i].options);
    free_facts(plan->stages[i].facts);
    g_clear_pointer(&plan->stages[i].reads, g_array_unref);
  }
  g_free(plan->stages);
  g_clear_pointer(&plan->classes, g_ptr_array_unref);
  plan_class_free(plan->joint);
  g_clear_pointer(&plan->reads, g_array_unref);
  g_clear_pointer(&plan->hints, g_ptr_array_unref);
  g_clear_pointer(&plan->cascaded, g_ptr_array_unref);
  profile_free(plan->profile);
  g_free(plan);
}

const char *plan_missing_fact(const Plan *plan, uint32_t index)
{
  if (plan->stages[index].used) return NULL;
  for (guint c = 0; c <= plan->classes->len; c++) {
    const PlanClass *class = c < plan->classes->len ? plan->classes->pdata[c] : plan->joint;
    for (guint b = 0; class && b < class->skipped->len; b++) {
      const PlanSkip *skip = &g_array_index(class->skipped, PlanSkip, b);
      if (skip->stage == index) return skip->fact;
    }
  }
  return NULL;
}

static const GPtrArray *facts_in(const PlanClass *class, uint32_t stage)
{
  return class && stage < class->facts_at->len ? class->facts_at->pdata[stage] : NULL;
}

const GPtrArray *plan_facts_at(const Plan *plan, const PlanClass *class, uint32_t stage)
{
  if (!class) return plan->stages[stage].facts;
  const GPtrArray *own = facts_in(class, stage);
  return own ? own : facts_in(plan->joint, stage);
}

const MillFigure *plan_figures(const PlanStage *p, uint32_t *out_n)
{
  const GArray *own = p->entry->figures;
  *out_n = own ? own->len : p->stage->n_figures;
  return own ? (const MillFigure *)(const void *)own->data : p->stage->figures;
}

const char *plan_left_out(const Plan *plan, uint32_t index)
{
  return plan->stages[index].entry->optional ? plan_missing_fact(plan, index) : NULL;
}

const PlanStage *plan_stage_of(const Plan *plan, const ProfileEntry *entry)
{
  for (uint32_t i = 0; i < plan->n_stages; i++)
    if (plan->stages[i].entry == entry) return &plan->stages[i];
  return NULL;
}

char *plan_result_name(const PlanStage *p, const char *name, char joint)
{
  if (!strcmp(p->id, p->stage->name)) return g_strdup(name);
  g_autofree char *id = g_strdelimit(g_strdup(p->id), "-.", joint);
  return g_strdup_printf("%s%c%s", id, joint, name);
}

static bool changes_events(const Plan *plan)
{
  for (uint32_t s = 0; s < plan->n_stages; s++)
    if (plan->stages[s].used && !(plan->stages[s].stage->flags & MILL_READ_ONLY)) return true;
  return false;
}

GPtrArray *plan_formats(const Plan *plan, Modules *modules, const GPtrArray *asked)
{
  if (!asked) asked = plan->profile->formats;
  if (!asked) return usual_formats(modules, changes_events(plan));
  GPtrArray *formats = g_ptr_array_new();
  for (guint i = 0; i < asked->len; i++) g_ptr_array_add(formats, asked->pdata[i]);
  return formats;
}

/* Doubles are left out; a source looks for names, so order does not matter. */
/* What is asked of slices is asked of their begins, too: a stage may pair these, and a slice has the attributes of its
 * begin, decoded as they were read. */
void plan_add_read(Plan *plan, MillRead read)
{
  if (read.kinds & MILL_KIND(MILL_SLICE)) read.kinds |= MILL_KIND(MILL_BEGIN);
  for (guint k = 0; k < plan->reads->len; k++) {
    const MillRead *have = &g_array_index(plan->reads, MillRead, k);
    if (!strcmp(have->name, read.name) && have->as == read.as && have->kinds == read.kinds) return;
  }
  g_array_append_val(plan->reads, read);
}

GPtrArray *plan_decoded(const Plan *plan)
{
  GPtrArray *names = g_ptr_array_new();
  for (guint i = 0; i < plan->reads->len; i++) {
    const MillRead *read = &g_array_index(plan->reads, MillRead, i);
    if (read->as != MILL_AS_RAW) g_ptr_array_add(names, (gpointer)read->name);
  }
  return names;
}
