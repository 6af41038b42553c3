/* GTrees by keys of an input, which no key makes slow: in a module, which has no seed for the
 * functions of a GHashTable, and where somebody sees the order of the keys. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_TREES_H
#define BASE_TREES_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

static inline gint trees_by_text(gconstpointer a, gconstpointer b, gpointer unused)
{
  (void)unused;
  return strcmp(a, b);
}

static inline gint trees_by_int64(gconstpointer a, gconstpointer b, gpointer unused)
{
  const gint64 *x = a, *y = b;
  (void)unused;
  return (*x > *y) - (*x < *y);
}

/* A set of texts, which it owns: add gives it one more. */
static inline GTree *text_set_new(void)
{
  return g_tree_new_full(trees_by_text, NULL, g_free, NULL);
}

static inline void text_set_add(GTree *set, char *text) { g_tree_insert(set, text, set); }

static inline bool text_set_has(GTree *set, const char *text)
{
  return g_tree_lookup(set, text) != NULL;
}

#endif
