/* Stages that no lane can feed: which fact is missing, and who could provide it. */
#include "plan/plan-parts.h"

#include <string.h>

#include "plan/facts.h"

static bool provides(const Descriptor *s, const char *fact)
{
  return fact_in_list(s->provides, fact) ||
         (s->kind == MILL_KIND_SOURCE && fact_in_list(s->wants, fact));
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

static void explain_providers(Error *e, const Plan *plan, Modules *modules, uint32_t index,
                              const char *fact)
{
  g_autoptr(GPtrArray) all = modules_all(modules, 0);
  g_autoptr(GPtrArray) known = g_ptr_array_new();
  bool any = false;
  for (uint32_t i = index + 1; i < plan->n_stages; i++)
    if (provides(plan->stages[i].stage, fact)) {
      error_help(e, "move \"%s\" before \"%s\": it provides %s", plan->stages[i].id,
                 plan->stages[index].id, fact);
      any = true;
    }
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    for (const char *const *p = s->provides; p && *p; p++) g_ptr_array_add(known, (gpointer)*p);
    if (any || !provides(s, fact)) continue;
    const ProfileEntry *off = NULL;
    for (guint k = 0; k < plan->profile->entries->len; k++) {
      const ProfileEntry *entry = plan->profile->entries->pdata[k];
      if (!entry->enabled && !strcmp(entry->use, s->name)) off = entry;
    }
    if (off)
      error_help(e, "add --enable %s: it provides %s and is disabled (%s)", off->id, fact,
                 off->enabled_origin);
    else if (s->kind == MILL_KIND_SOURCE)
      error_help(e, "inputs of format %s may provide it, these do not", s->family);
    else
      error_help(e, "stage \"%s\" provides it", s->name);
  }
  g_ptr_array_add(known, NULL);
  error_suggest(e, fact, (const char *const *)known->pdata);
}

Error *plan_check_used(const Plan *plan, Modules *modules)
{
  Error *errors = NULL;
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    const PlanStage *s = &plan->stages[i];
    const char *fact = plan_missing_fact(plan, i);
    if (!fact) continue;
    Error *e =
        error_new(EXIT_PROFILE, "PRF-20",
                  "stage \"%s\" needs the fact %s, which nothing before it provides", s->id, fact);
    error_of_kind(e, ERROR_MISSING_FACT);
    if (s->entry->place) error_at(e, "at %s", s->entry->place);
    explain_providers(e, plan, modules, i, fact);
    error_help(e, "or disable it: --disable %s", s->id);
    errors = error_join(errors, e);
  }
  return errors;
}
