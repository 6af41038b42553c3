/* Rows of a kernel table, one by one; see kernel-table.h. */
#include "kernel-table.h"

#include <math.h>
#include <string.h>

#include "lib/grow.h"

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
  if (list->n >= NAMES_MAX || list->len + len + 1 > NAME_BYTES_MAX) {
    *out_full = true;
    return true;
  }
  if (!array_reserve(common, &list->bytes, &list->capacity, list->len + len + 1, 1)) return false;
  memcpy(list->bytes + list->len, name, len);
  list->bytes[list->len + len] = '\0';
  list->len += len + 1;
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

/* ---- summaries */

static void save_row(const KernelRow *row, const MillStageHost *host)
{
  host->put_int(host, row->total_ns);
  host->put_int(host, row->count);
  host->put_int(host, row->min_ns);
  host->put_int(host, row->max_ns);
  host->put_real(host, row->avg_ns);
  host->put_real(host, row->med_ns);
  host->put_real(host, row->std_ns);
  host->put_int(host, row->has_med | row->has_std << 1 | row->has_pct << 2);
}

static void load_row(KernelRow *row, const MillStageHost *host)
{
  *row = (KernelRow){ .total_ns = host->get_int(host) };
  row->count = host->get_int(host);
  row->min_ns = host->get_int(host);
  row->max_ns = host->get_int(host);
  row->avg_ns = host->get_real(host);
  row->med_ns = host->get_real(host);
  row->std_ns = host->get_real(host);
  int64_t flags = host->get_int(host);
  row->has_med = flags & 1;
  row->has_std = flags & 2;
  row->has_pct = flags & 4;
}

static void save_list(const NameList *list, const MillStageHost *host)
{
  const char *name = list->bytes;
  host->put_int(host, list->n);
  for (int64_t i = 0; i < list->n; i++) {
    size_t len = strlen(name);
    host->put_text(host, name, len);
    name += len + 1;
  }
}

static bool load_list(NameList *list, const MillStageHost *host)
{
  bool fits = true, full;
  int64_t n = host->get_int(host);
  for (int64_t i = 0; i < n && fits && host->get_more(host); i++) {
    size_t len;
    const char *name = host->get_text(host, &len);
    fits = list_add(host->common, list, name, len, &full);
  }
  return fits;
}

void kernel_table_save(const KernelTable *table, const MillStageHost *host)
{
  for (uint32_t i = 0; i < N_SUMS; i++) kernel_sums_save(&table->sums[i], host);
  host->put_int(host, table->columns);
  host->put_int(host, table->has_fused);
  if (table->has_fused) save_row(&table->first_fused, host);
  save_list(&table->moe, host);
  save_list(&table->nccl, host);
  host->put_int(host, table->n_top);
  for (uint32_t i = 0; i < table->n_top; i++) {
    host->put_int(host, table->top[i].total_ns);
    host->put_int(host, table->top[i].count);
    host->put_int(host, !isnan(table->top[i].pct));
    host->put_real(host, isnan(table->top[i].pct) ? 0 : table->top[i].pct);
    host->put_text(host, table->top[i].name, table->top[i].len);
  }
}

static bool load_top(KernelTable *table, const MillStageHost *host)
{
  bool fits = true;
  int64_t n = host->get_int(host);
  for (int64_t i = 0; i < n && fits && host->get_more(host); i++) {
    KernelRow row = { .total_ns = host->get_int(host) };
    row.count = host->get_int(host);
    row.has_pct = host->get_int(host) != 0;
    row.pct = host->get_real(host);
    row.name = host->get_text(host, &row.name_len);
    fits = top_add(table, &row);
  }
  return fits;
}

bool kernel_table_load(KernelTable *table, const MillStageHost *host)
{
  for (uint32_t i = 0; i < N_SUMS; i++) kernel_sums_load(&table->sums[i], host);
  table->columns = host->get_int(host);
  table->has_fused = host->get_int(host) != 0;
  if (table->has_fused) load_row(&table->first_fused, host);
  return load_list(&table->moe, host) && load_list(&table->nccl, host) && load_top(table, host);
}
