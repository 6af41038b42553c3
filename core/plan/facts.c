/* Sets of facts: named promises about the stream at a point. */
/* SPDX-License-Identifier: MIT */
#include "plan/facts.h"

#include <string.h>

Facts *facts_new(void) { return g_ptr_array_new_with_free_func(g_free); }

Facts *facts_copy(const Facts *f)
{
  Facts *copy = facts_new();
  for (guint i = 0; i < f->len; i++) g_ptr_array_add(copy, g_strdup(f->pdata[i]));
  return copy;
}

/* Where the fact is, or belongs. */
static guint index_of(const Facts *f, const char *fact, bool *out_found)
{
  guint i = 0;
  while (i < f->len && strcmp(f->pdata[i], fact) < 0) i++;
  *out_found = i < f->len && !strcmp(f->pdata[i], fact);
  return i;
}

void facts_add(Facts *f, const char *fact)
{
  bool found;
  guint i = index_of(f, fact, &found);
  if (!found) g_ptr_array_insert(f, (gint)i, g_strdup(fact));
}

void facts_remove(Facts *f, const char *fact)
{
  bool found;
  guint i = index_of(f, fact, &found);
  if (found) g_ptr_array_remove_index(f, i);
}

bool facts_has(const Facts *f, const char *fact)
{
  bool found;
  index_of(f, fact, &found);
  return found;
}

void facts_add_list(Facts *f, const char *const *list)
{
  for (; list && *list; list++) facts_add(f, *list);
}

void facts_remove_list(Facts *f, const char *const *list)
{
  for (; list && *list; list++) facts_remove(f, *list);
}

void facts_intersect(Facts *f, const Facts *other)
{
  for (guint i = f->len; i-- > 0;)
    if (!facts_has(other, f->pdata[i])) g_ptr_array_remove_index(f, i);
}

/* The family that the planner understands. */
static bool is_order(const char *fact)
{
  return !strcmp(fact, "order.lane") || !strcmp(fact, "order.run");
}

const char *facts_first_missing(const Facts *f, const char *const *needs)
{
  for (; needs && *needs; needs++)
    if (!is_order(*needs) && !facts_has(f, *needs)) return *needs;
  return NULL;
}

bool fact_in_list(const char *const *list, const char *fact)
{
  for (; list && *list; list++)
    if (!strcmp(*list, fact)) return true;
  return false;
}
