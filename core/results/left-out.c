/* Stages that were left out for all inputs, or for some; see left-out.h. */
/* SPDX-License-Identifier: MIT */
#include "results/left-out.h"

#include <string.h>

typedef struct Left { /* stages for which the same number of inputs lacks the same fact */
  const char *fact;
  guint n_inputs;
  GString *stages;
} Left;

static void left_clear(gpointer data) { g_string_free(((Left *)data)->stages, TRUE); }

static const char *lacks(const PlanClass *class, uint32_t stage)
{
  for (guint i = 0; class && i < class->skipped->len; i++) {
    const PlanSkip *skip = &g_array_index(class->skipped, PlanSkip, i);
    if (skip->stage == stage) return skip->fact;
  }
  return NULL;
}

/* The number of inputs that lack a need of the stage; *out_fact is the fact that the first of
 * them lacks. */
static guint count_lacking(const EndedRun *run, uint32_t stage, guint *out_of,
                           const char **out_fact)
{
  guint n = 0;
  *out_of = 0;
  *out_fact = NULL;
  for (guint i = 0; i < run->inputs->lanes->len; i++) {
    if (inputs_lane(run->inputs, i)->side) continue;
    const char *fact = lacks(run->classes[i], stage);
    if (!fact) fact = lacks(run->plan->joint, stage);
    *out_of += 1;
    n += fact != NULL;
    if (!*out_fact) *out_fact = fact;
  }
  return n;
}

static void add(GArray *all, const char *fact, guint n_inputs, const char *stage)
{
  for (guint i = 0; i < all->len; i++) {
    Left *l = &g_array_index(all, Left, i);
    if (l->n_inputs != n_inputs || strcmp(l->fact, fact) != 0) continue;
    g_string_append_printf(l->stages, ",%s", stage);
    return;
  }
  const Left l = { fact, n_inputs, g_string_new(stage) };
  g_array_append_val(all, l);
}

/* Side inputs that are found by themselves are there or not: that they are not is no news. */
static bool is_looked_for(const EndedRun *run, const char *fact)
{
  Sources *sources = run->inputs->env.sources;
  return sources && sources_beside(sources, fact);
}

char *left_out_text(const EndedRun *run)
{
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Left));
  GString *out = g_string_new(NULL);
  guint of = 0;
  g_array_set_clear_func(all, left_clear);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const char *fact;
    guint n = count_lacking(run, s, &of, &fact);
    if (n && !is_looked_for(run, fact)) add(all, fact, n, run->plan->stages[s].id);
  }
  for (guint i = 0; i < all->len; i++) {
    const Left *l = &g_array_index(all, Left, i);
    g_string_append_printf(out, "%s %u %u %s\n", l->fact, l->n_inputs, of, l->stages->str);
  }
  return g_string_free(out, FALSE);
}
