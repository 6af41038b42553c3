/* Attributes that a stage declares: a name that is spelt otherwise than in its code is in nothing that it does. */
/* SPDX-License-Identifier: MIT */
#include "declared.h"

#include <string.h>

#define ATTR "attr."

/* Facts are in lower case, whatever the name of the attribute. */
static gboolean is_same(gconstpointer a, gconstpointer b) { return !g_ascii_strcasecmp(a, b); }

static bool is_in(const char *const *list, const char *name)
{
  for (; list && *list; list++)
    if (is_same(*list, name)) return true;
  return false;
}

static bool has(const GPtrArray *names, const char *name)
{
  return g_ptr_array_find_with_equal_func((GPtrArray *)names, name, is_same, NULL);
}

void declared_seen(const HarnessRun *r, GPtrArray *names)
{
  for (guint l = 0; l < r->ends.lanes->len; l++) {
    const GPtrArray *events = r->ends.lanes->pdata[l];
    for (guint i = 0; i < events->len; i++) {
      const HarnessLine *line = events->pdata[i];
      for (guint k = 0; k < line->attrs->len; k++) {
        const char *key = g_array_index(line->attrs, HarnessAttr, k).key;
        if (!has(names, key)) g_ptr_array_add(names, g_strdup(key));
      }
    }
  }
}

/* Names that options give are not known here. */
static bool reads(const Descriptor *d, const char *name)
{
  for (uint32_t i = 0; i < d->n_reads; i++) {
    const char *read = d->reads[i].name;
    if (is_same(read, name) || !strcmp(read, "*") || *read == '$') return true;
  }
  return false;
}

static void check_read(const Descriptor *d, const char *const *facts, const char *word,
                       GPtrArray *wrong)
{
  for (; facts && *facts; facts++)
    if (g_str_has_prefix(*facts, ATTR) && !reads(d, *facts + strlen(ATTR)))
      g_ptr_array_add(wrong, g_strdup_printf("it %s %s, and reads no attribute of that name", word,
                                             *facts));
}

void declared_check(const Descriptor *d, const GPtrArray *names, GPtrArray *wrong)
{
  if (d->kind != MILL_KIND_STAGE) return;
  for (const char *const *fact = d->provides; fact && *fact; fact++) {
    if (!g_str_has_prefix(*fact, ATTR)) continue;
    const char *name = *fact + strlen(ATTR);
    if (!has(names, name) && !is_in(d->private_attrs, name))
      g_ptr_array_add(wrong, g_strdup_printf("it provides %s, and no case has an event with that "
                                             "attribute", *fact));
  }
  check_read(d, d->needs, "needs", wrong);
  check_read(d, d->wants, "wants", wrong);
}
