/* Rows of a kernel table, one by one; see kernel-table.h. */
/* SPDX-License-Identifier: MIT */
#include "kernel-table.h"

#include <math.h>
#include <string.h>

#include "kit/state/grow.h"

enum { NAMES_MAX = 4096, NAME_BYTES_MAX = 1 << 20 }; /* of a list */

bool kernel_table_init(KernelTable *table, const MillHost *common, uint32_t top)
{
  *table = (KernelTable){ .common = common, .max_top = top };
  table->top = mill_new(common, top * sizeof *table->top);
  return table->top != NULL;
}

/* ---- names */

static bool list_add(const MillHost *common, NameList *list, const char *name, size_t len,
                     bool *out_full)
{
  MillText *const names = &list->names;
  if (list->n >= NAMES_MAX || names->len + len + 1 > NAME_BYTES_MAX) {
    *out_full = true;
    return true;
  }
  if (!array_reserve(common, &names->text, &list->capacity, names->len + len + 1, 1)) return false;
  char *to = (char *)names->text + names->len;
  memcpy(to, name, len);
  to[len] = '\0';
  names->len += len + 1;
  list->n++;
  return true;
}

/* ---- top kernels */

static bool top_fill(const MillHost *common, TopKernel *to, const KernelRow *row)
{
  if (!array_reserve(common, &to->name, &to->capacity, row->name_len + 1, 1)) return false;
  memcpy(to->name, row->name, row->name_len);
  to->name[row->name_len] = '\0';
  to->len = row->name_len;
  to->total_ns = row->total_ns;
  to->count = row->count;
  to->pct = row->has_pct ? row->pct : (double)NAN;
  return true;
}

/* The array stays sorted; what falls out at its end gives its memory to what comes in. */
static bool top_add(KernelTable *table, const KernelRow *row)
{
  TopKernel *top = table->top;
  bool full = table->n_top == table->max_top;
  if (full && row->total_ns <= top[table->n_top - 1].total_ns) return true;
  uint32_t last = full ? table->n_top - 1 : table->n_top;
  if (!top_fill(table->common, &top[last], row)) return false;
  TopKernel added = top[last];
  uint32_t at = last;
  while (at > 0 && top[at - 1].total_ns < added.total_ns) at--;
  memmove(top + at + 1, top + at, (last - at) * sizeof *top);
  top[at] = added;
  table->n_top = last + 1;
  return true;
}

/* ---- rows */

/* Which sums a kernel with these classes is in: bits. */
static uint32_t sums_of(uint32_t is, bool sendrecv)
{
  const uint32_t known = KERNEL_MOE | KERNEL_NCCL | KERNEL_ATTENTION | KERNEL_CACHE;
  const uint32_t alltoall = sendrecv ? KERNEL_ALLTOALL | KERNEL_SENDRECV : KERNEL_ALLTOALL;
  const bool member[N_SUMS] = {
    [CLASS_ALL] = true,
    [CLASS_MOE] = is & KERNEL_MOE,
    [CLASS_FUSED] = is & KERNEL_FUSED,
    [CLASS_NCCL] = is & KERNEL_NCCL,
    [CLASS_ALLTOALL] = is & alltoall,
    [CLASS_ALLREDUCE] = is & KERNEL_ALLREDUCE,
    [CLASS_ATTENTION] = (is & KERNEL_ATTENTION) && !(is & KERNEL_CACHE),
    [CLASS_CACHE] = is & KERNEL_CACHE,
    [CLASS_OTHER] = !(is & known),
    [CLASS_NAMED_ALLTOALL] = is & KERNEL_ALLTOALL,
    [CLASS_ANY_ATTENTION] = is & KERNEL_ATTENTION,
  };
  uint32_t sums = 0;
  for (uint32_t i = 0; i < N_SUMS; i++) sums |= (uint32_t)member[i] << i;
  return sums;
}

static int64_t columns_of(const KernelRow *row)
{
  return (row->min_ns >= 0 ? COLUMN_MIN : 0) | (row->max_ns >= 0 ? COLUMN_MAX : 0) |
         (row->has_std ? COLUMN_STD : 0) | (row->has_pct ? COLUMN_PCT : 0);
}

int64_t kernel_table_lacks(const KernelTable *table)
{
  return table->sums[CLASS_ALL].rows ? COLUMNS & ~table->columns : 0;
}

bool kernel_table_add(KernelTable *table, const KernelRow *row, bool sendrecv, bool *out_full)
{
  uint32_t is = kernel_classes(row->name, row->name_len);
  *out_full = false;
  table->columns |= columns_of(row);
  kernel_sums_add(table->sums, sums_of(is, sendrecv), row);
  if ((is & KERNEL_FUSED) && !table->has_fused) {
    table->first_fused = *row;
    table->first_fused.name = NULL;
    table->has_fused = true;
  }
  if ((is & KERNEL_MOE) &&
      !list_add(table->common, &table->moe, row->name, row->name_len, out_full))
    return false;
  if ((is & KERNEL_NCCL) &&
      !list_add(table->common, &table->nccl, row->name, row->name_len, out_full))
    return false;
  return top_add(table, row);
}

/* ---- saved state: loaded into tables that are new */

static const StateField list_fields[] = { STATE_FIRST(NameList, names), STATE_FIRST(NameList, n) };
static const StateType list_state = STATE_TYPE(NameList, list_fields);

static const StateField top_fields[] = {
  STATE_FIRST(TopKernel, total_ns), STATE_FIRST(TopKernel, count), STATE_FIRST(TopKernel, pct),
  STATE_FIRST(TopKernel, name),     STATE_FIRST(TopKernel, len),
};
static const StateType top_state = STATE_TYPE(TopKernel, top_fields);

static const StateField table_fields[] = {
  STATE_PART(KernelTable, sums, kernel_sums_state),
  STATE_FIRST(KernelTable, columns),
  STATE_PART(KernelTable, first_fused, kernel_row_state),
  STATE_FIRST(KernelTable, has_fused),
  STATE_PART(KernelTable, moe, list_state),
  STATE_PART(KernelTable, nccl, list_state),
  STATE_EXACT_LIST(KernelTable, top, n_top, top_state),
};
const StateType kernel_table_state = STATE_TYPE(KernelTable, table_fields);
