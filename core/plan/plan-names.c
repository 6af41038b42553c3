/* Names of results: those of a stage that is used twice, and those that two stages share. */
#include <string.h>

#include "plan/plan-parts.h"

char *plan_result_name(const PlanStage *p, const char *name, char joint)
{
  if (!strcmp(p->id, p->stage->name)) return g_strdup(name);
  g_autofree char *id = g_strdelimit(g_strdup(p->id), "-.", joint);
  return g_strdup_printf("%s%c%s", id, joint, name);
}

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
  g_autoptr(GHashTable) tables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) metrics = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  Error *errors = NULL;
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    const PlanStage *p = &plan->stages[i];
    for (uint32_t t = 0; p->used && t < p->stage->n_tables; t++)
      errors = error_join(
          errors, claim(tables, p, "a table", plan_result_name(p, p->stage->tables[t].name, '-')));
    for (uint32_t m = 0; p->used && m < p->stage->n_metrics; m++)
      errors = error_join(errors, claim(metrics, p, "a metric",
                                        plan_result_name(p, p->stage->metrics[m].name, '_')));
  }
  return errors;
}
