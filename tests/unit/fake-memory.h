/* The memory of instances under test, as a host gives it: zeroed, and freed all together. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_FAKE_MEMORY_H
#define TESTS_UNIT_FAKE_MEMORY_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

typedef struct FakeMemory {
  GHashTable *sizes; /* address to bytes */
  bool refuses;
} FakeMemory;

static inline void fake_memory_init(FakeMemory *m)
{
  *m = (FakeMemory){ .sizes = g_hash_table_new_full(NULL, NULL, g_free, NULL) };
}

static inline void fake_memory_clear(FakeMemory *m) { g_hash_table_destroy(m->sizes); }

/* What grows always moves, so that nobody gets by with the old address. */
static inline void *fake_memory_resize(FakeMemory *m, void *old, size_t bytes)
{
  void *fresh = NULL;
  if (m->refuses && bytes) return NULL;
  if (bytes) {
    fresh = g_malloc0(bytes);
    g_hash_table_insert(m->sizes, fresh, GSIZE_TO_POINTER(bytes));
  }
  if (!old) return fresh;
  g_assert(g_hash_table_contains(m->sizes, old));
  if (fresh) memcpy(fresh, old, MIN(bytes, GPOINTER_TO_SIZE(g_hash_table_lookup(m->sizes, old))));
  g_hash_table_remove(m->sizes, old);
  return fresh;
}

#endif
