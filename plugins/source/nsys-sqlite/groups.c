/* Groups of kernel executions, found by name and device. */
/* SPDX-License-Identifier: MIT */
#include "nsys-sqlite.h"

#define FIRST_SLOTS 1024u

void groups_init(Groups *g, const MillSeed *seed)
{
  g->seed = seed;
  g->all = g_array_new(FALSE, TRUE, sizeof(Group));
  g->slots = g_new0(uint32_t, FIRST_SLOTS);
  g->mask = FIRST_SLOTS - 1;
}

void groups_clear(Groups *g)
{
  if (!g->all) return;
  g_array_free(g->all, TRUE);
  g_free(g->slots);
  *g = (Groups){ 0 };
}

static uint32_t *find_slot(const Groups *g, int64_t name, int64_t device)
{
  for (uint32_t i = (uint32_t)hash_pair(g->seed, (uint64_t)name, (uint64_t)device);; i++) {
    uint32_t *slot = &g->slots[i & g->mask];
    if (*slot == 0) return slot;
    const Group *group = &g_array_index(g->all, Group, *slot - 1);
    if (group->name == name && group->device == device) return slot;
  }
}

static void grow(Groups *g)
{
  uint32_t n_slots = (g->mask + 1) * 2;
  g_free(g->slots);
  g->slots = g_new0(uint32_t, n_slots);
  g->mask = n_slots - 1;
  for (guint i = 0; i < g->all->len; i++) {
    const Group *group = &g_array_index(g->all, Group, i);
    *find_slot(g, group->name, group->device) = i + 1;
  }
}

Group *groups_get(Groups *g, int64_t name, int64_t device)
{
  uint32_t *slot = find_slot(g, name, device);
  if (*slot) return &g_array_index(g->all, Group, *slot - 1);
  if (g->all->len == MAX_GROUPS) return NULL;
  Group fresh = { .name = name, .device = device };
  g_array_append_val(g->all, fresh);
  *slot = g->all->len;
  if (g->all->len > g->mask / 2) grow(g);
  return &g_array_index(g->all, Group, g->all->len - 1);
}

/* The middle of n sorted values are those at (n - 1) / 2 and n / 2. */
void group_pass(Group *g, int64_t duration_ns)
{
  uint64_t n = g->durations.n;
  if (g->n_passed == (n - 1) / 2) g->middles[0] = duration_ns;
  if (g->n_passed == n / 2) g->middles[1] = duration_ns;
  g->n_passed++;
}

double group_median(const Group *g)
{
  return (double)((__int128)g->middles[0] + g->middles[1]) / 2;
}
