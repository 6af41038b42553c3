/* What must hold for a plan; see plan-check.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/plan-check.h"

#include <string.h>

#include "base/hash-seed.h"
#include "plan/facts.h"

/* ------------------------------------------------- stages that no lane can feed */

static bool provides(const Descriptor *s, const char *fact)
{
  return fact_in_list(s->provides, fact) ||
         (s->kind == MILL_KIND_SOURCE && fact_in_list(s->wants, fact));
}

/* The last disabled entry of the profile that uses the stage, or NULL. */
static const ProfileEntry *disabled_entry(const Profile *profile, const char *use)
{
  for (guint k = profile->entries->len; k-- > 0;) {
    const ProfileEntry *entry = profile->entries->pdata[k];
    if (!entry->enabled && !strcmp(entry->use, use)) return entry;
  }
  return NULL;
}

/* A module that is not in the plan. */
static void explain_provider(Error *e, const Plan *plan, const Descriptor *s, const char *fact)
{
  const ProfileEntry *off = disabled_entry(plan->profile, s->name);
  if (off)
    error_help(e, "add --enable %s: it provides %s and is disabled (%s)", off->id, fact,
               off->enabled_origin);
  else if (s->kind == MILL_KIND_SOURCE)
    error_help(e, "inputs of format %s may provide it, but these do not", s->family);
  else
    error_help(e, "stage \"%s\" provides it", s->name);
}

/* True when an earlier one would do, but is left out. */
static bool explain_left_out(Error *e, const Plan *plan, uint32_t index, const char *fact)
{
  bool any = false;
  for (uint32_t i = 0; i < index; i++) {
    const char *lacked = plan_left_out(plan, i);
    if (!lacked || !provides(plan->stages[i].stage, fact)) continue;
    error_help(e, "\"%s\" provides it, but is left out because no input has %s", plan->stages[i].id,
               lacked);
    any = true;
  }
  return any;
}

/* True when a later stage of the plan would do. */
static bool explain_later(Error *e, const Plan *plan, uint32_t index, const char *fact)
{
  bool any = false;
  for (uint32_t i = index + 1; i < plan->n_stages; i++) {
    if (!provides(plan->stages[i].stage, fact)) continue;
    error_help(e, "move \"%s\" before \"%s\": it provides %s", plan->stages[i].id,
               plan->stages[index].id, fact);
    any = true;
  }
  return any;
}

static void explain_providers(Error *e, const Plan *plan, Modules *modules, uint32_t index,
                              const char *fact)
{
  g_autoptr(GPtrArray) all = modules_all(modules, 0);
  g_autoptr(GPtrArray) known = g_ptr_array_new();
  bool planned = explain_left_out(e, plan, index, fact);
  planned = explain_later(e, plan, index, fact) || planned;
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    for (const char *const *p = s->provides; p && *p; p++) g_ptr_array_add(known, (gpointer)*p);
    if (!planned && provides(s, fact)) explain_provider(e, plan, s, fact);
  }
  g_ptr_array_add(known, NULL);
  error_suggest(e, fact, (const char *const *)known->pdata);
}

/* Nothing but an input could provide it. */
static bool is_of_inputs(Modules *modules, const char *fact)
{
  g_autoptr(GPtrArray) all = modules_all(modules, 0);
  bool of_source = false;
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    if (s->kind == MILL_KIND_STAGE && provides(s, fact)) return false;
    of_source = of_source || (s->kind == MILL_KIND_SOURCE && provides(s, fact));
  }
  return of_source;
}

Error *plan_check_used(const Plan *plan, Modules *modules)
{
  Error *errors = NULL;
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    const PlanStage *s = &plan->stages[i];
    const char *fact = plan_missing_fact(plan, i);
    if (!fact || s->entry->optional) continue;
    Error *e =
        error_new(EXIT_PROFILE, "PRF-20",
                  "stage \"%s\" needs the fact %s, which nothing before it provides", s->id, fact);
    error_of_kind(e, is_of_inputs(modules, fact) ? ERROR_WRONG_INPUT : ERROR_MISSING_FACT);
    if (s->entry->place) error_at(e, "at %s", s->entry->place);
    explain_providers(e, plan, modules, i, fact);
    error_help(e, "or disable it: --disable %s", s->id);
    errors = error_join(errors, e);
  }
  return errors;
}

/* ------------------------------------------------------- names of results */

static Error *same_name(const PlanStage *first, const PlanStage *second, const char *what,
                        const char *name)
{
  Error *e = error_new(EXIT_PROFILE, "PRF-17", "the stages \"%s\" and \"%s\" both have %s \"%s\"",
                       first->id, second->id, what, name);
  error_at(e, "file: %s", first->entry->module->path);
  error_at(e, "file: %s", second->entry->module->path);
  return error_help(e, "give one of them another id, with \"as\" in the profile");
}

/* Takes the name; the error when an earlier stage has it. */
static Error *claim(GHashTable *owners, const PlanStage *p, const char *what, char *name)
{
  const PlanStage *owner = g_hash_table_lookup(owners, name);
  Error *e = owner ? same_name(owner, p, what, name) : NULL;
  if (owner)
    g_free(name);
  else
    g_hash_table_insert(owners, name, (gpointer)p);
  return e;
}

Error *plan_check_names(const Plan *plan)
{
  g_autoptr(GHashTable) tables = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) metrics = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) figures = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  Error *errors = NULL;
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    const PlanStage *p = &plan->stages[i];
    for (uint32_t t = 0; p->used && t < p->stage->n_tables; t++)
      errors = error_join(
          errors, claim(tables, p, "a table", plan_result_name(p, p->stage->tables[t].name, '-')));
    uint32_t n_figures;
    const MillFigure *all = plan_figures(p, &n_figures);
    for (uint32_t f = 0; p->used && p->entry->figures && f < n_figures; f++)
      errors =
          error_join(errors, claim(figures, p, "a figure", plan_result_name(p, all[f].name, '-')));
    for (uint32_t m = 0; p->used && m < p->stage->n_metrics; m++)
      errors = error_join(errors, claim(metrics, p, "a metric",
                                        plan_result_name(p, p->stage->metrics[m].name, '_')));
  }
  return errors;
}
