/* Tables of one side: kept apart until the end, so that how lanes were grouped on the way cannot
 * change a digit of what is added up. */
/* SPDX-License-Identifier: MIT */
#include "kernel-side.h"

#include <string.h>

#include "kit/state/grow.h"

KernelTable *kernel_side_add(KernelSide *side, uint32_t top)
{
  bool fits = array_reserve(side->common, &side->tables, &side->capacity, side->n_tables + 1,
                            sizeof *side->tables);
  if (!fits || !kernel_table_init(&side->tables[side->n_tables], side->common, top)) return NULL;
  return &side->tables[side->n_tables++];
}

void kernel_side_sum(KernelSide *side)
{
  memset(side->sums, 0, sizeof side->sums);
  for (uint32_t i = 0; i < side->n_tables; i++)
    for (uint32_t k = 0; k < N_SUMS; k++)
      kernel_sums_merge(&side->sums[k], &side->tables[i].sums[k]);
}

const KernelRow *kernel_side_first_fused(const KernelSide *side)
{
  for (uint32_t i = 0; i < side->n_tables; i++)
    if (side->tables[i].has_fused) return &side->tables[i].first_fused;
  return NULL;
}

/* The next of each table in turn; on ties the earlier table. */
static const TopKernel *next_top(const KernelSide *side, uint32_t *taken)
{
  const TopKernel *best = NULL;
  uint32_t from = 0;
  for (uint32_t i = 0; i < side->n_tables; i++) {
    const KernelTable *table = &side->tables[i];
    if (taken[i] == table->n_top) continue;
    if (best && table->top[taken[i]].total_ns <= best->total_ns) continue;
    best = &table->top[taken[i]];
    from = i;
  }
  if (best) taken[from]++;
  return best;
}

int kernel_side_top(const KernelSide *side, uint32_t n, const TopKernel **out)
{
  const MillHost *common = side->common;
  uint32_t *taken = common->scratch(common, (side->n_tables + 1) * sizeof *taken), found = 0;
  if (!taken) return -MILL_LIMIT;
  for (; found < n; found++) {
    out[found] = next_top(side, taken);
    if (!out[found]) break;
  }
  return (int)found;
}

static const StateField side_fields[] = {
  STATE_LIST(KernelSide, tables, n_tables, capacity, kernel_table_state),
};
const StateType kernel_side_state = STATE_TYPE(KernelSide, side_fields);
