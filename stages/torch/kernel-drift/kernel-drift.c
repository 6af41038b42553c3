/* Whether kernels become slower from the first steps to the last.  Events may come in any order.  Memory: 24 bytes for
 * each kernel of a step, 32 at the end. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/devices/torch-words.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/trace/tree-attrs.h"
#include "torch/lib/order.h"
#include "torch/lib/step-windows.h"

enum { TABLE_DRIFT };
enum { QUARTERS = 4, SMALL_PARTS = 1000 /* kernels with less of the compute time are left out */ };

typedef struct Kernel { /* and what it is called for */
  MillSym name, row;
} Kernel;

typedef struct Timed {
  int64_t step, dur_ns;
  uint32_t kernel; /* its number */
} Timed;

typedef struct Drift {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym step, row;
  StepWindows windows;
  Keyed *numbers; /* of kernels, + 1 */
  Kernel *kernels;
  Timed *items;
  size_t n_kernels, kernel_capacity, n, capacity;
  OrderKey *sorted; /* the items after warm-up by kernel, quarter and duration */
  size_t n_sorted;
} Drift;

static int drift_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Drift *d = instance_new(Drift, host, out_instance);
  if (!d) return -MILL_LIMIT;
  d->words.common = host->common;
  d->step = tree_key(d->common, TREE_STEP);
  d->row = tree_key(d->common, TREE_ROW);
  d->numbers = keyed_new(d->common, sizeof(uint32_t));
  return d->numbers && step_windows_open(&d->windows, d->common) ? 0 : -MILL_LIMIT;
}

static bool number_of(Drift *d, const Kernel *kernel, uint32_t *out)
{
  uint32_t *number = keyed_get(d->numbers, (const char *)kernel, sizeof *kernel);
  if (!number) return false;
  if (*number == 0) {
    if (!array_reserve(d->common, &d->kernels, &d->kernel_capacity, d->n_kernels + 1,
                       sizeof *d->kernels))
      return false;
    d->kernels[d->n_kernels++] = *kernel;
    *number = (uint32_t)d->n_kernels;
  }
  *out = *number - 1;
  return true;
}

static bool see_kernel(Drift *d, const MillBatch *b, const MillEvent *e, int64_t step)
{
  const Kernel kernel = { e->name, tree_sym(d->common, b, e, d->row) };
  Timed timed = { .step = step, .dur_ns = e->dur_ns };
  if (!number_of(d, &kernel, &timed.kernel) ||
      !array_reserve(d->common, &d->items, &d->capacity, d->n + 1, sizeof *d->items))
    return false;
  d->items[d->n++] = timed;
  return true;
}

static bool see(Drift *d, const MillBatch *b, const MillEvent *e)
{
  int64_t step;
  const TorchKind kind = torch_kind(&d->words, e);
  if (!torch_is_device(kind) || !mill_attr_int(b, e, d->step, &step) || step < 0) return true;
  if (!step_windows_work(&d->windows, step, e->ts_ns, interval_end(e->ts_ns, e->dur_ns)))
    return false;
  const bool computes = torch_work(&d->words, kind, e->name) == WORK_COMPUTATION;
  return !computes || see_kernel(d, b, e, step);
}

static int drift_process(void *instance, MillBatch *b)
{
  Drift *d = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    if (!see(d, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* The quarter of the steps after warm-up in which the step is, from 1 on; 0: it is in none. */
static int64_t quarter_of(const StepWindows *s, size_t n_warmup, int64_t number)
{
  const StepWindow *w = step_windows_find(s, number);
  if (!w || w->is_warmup) return 0;
  const size_t place = (size_t)(w - s->items) - n_warmup, n = s->n - n_warmup;
  return 1 + (int64_t)(place * QUARTERS / n);
}

static int drift_flush(void *instance, MillBatch *b)
{
  Drift *d = instance;
  const StepWindows *s = &d->windows;
  size_t n_warmup = 0;
  (void)b;
  if (!step_windows_close(&d->windows)) return -MILL_LIMIT;
  while (n_warmup < s->n && s->items[n_warmup].is_warmup) n_warmup++;
  if (s->n < n_warmup + QUARTERS) return 0;
  d->sorted = mill_new(d->common, (d->n + 1) * sizeof *d->sorted);
  if (!d->sorted) return -MILL_LIMIT;
  for (size_t i = 0; i < d->n; i++) {
    const Timed *timed = &d->items[i];
    const int64_t quarter = quarter_of(s, n_warmup, timed->step);
    if (quarter) d->sorted[d->n_sorted++] = (OrderKey){ timed->kernel, quarter, timed->dur_ns, 0 };
  }
  array_free(d->common, d->items);
  d->items = NULL;
  d->n = d->capacity = 0;
  order_sort(d->sorted, d->n_sorted);
  return 0;
}

/* ---- results */

typedef struct DriftRow {
  MillSym kernel;
  MillText op, shapes;
  int64_t quarter, calls, time_ns;
  double median_ns;
} DriftRow;

static int report_quarter(const Drift *d, const OrderKey *keys, size_t n)
{
  size_t len;
  const Kernel *kernel = &d->kernels[keys->a];
  const char *text = d->common->symbol_text(d->common, kernel->row, &len);
  const TreeRow tree = tree_row(text, len);
  int64_t time_ns = 0;
  for (size_t i = 0; i < n; i++) time_ns = add_clipped(time_ns, keys[i].c);
  const DriftRow row = { .kernel = kernel->name,
                         .op = { tree.at[ROW_NAME].text, tree.at[ROW_NAME].len },
                         .shapes = { tree.at[ROW_DIMS].text, tree.at[ROW_DIMS].len },
                         .quarter = keys->b,
                         .calls = (int64_t)n,
                         .time_ns = time_ns,
                         .median_ns = ((double)keys[(n - 1) / 2].c + (double)keys[n / 2].c) / 2 };
  return mill_row(d->host, TABLE_DRIFT, &row);
}

/* Where the keys of one kernel, or of one quarter of it, end. */
static size_t end_of(const Drift *d, size_t from, bool of_quarter)
{
  const OrderKey *first = &d->sorted[from];
  size_t end = from + 1;
  while (end < d->n_sorted && d->sorted[end].a == first->a &&
         (!of_quarter || d->sorted[end].b == first->b))
    end++;
  return end;
}

static __int128 time_of(const Drift *d, size_t from, size_t end)
{
  __int128 time_ns = 0;
  for (size_t i = from; i < end; i++) time_ns += d->sorted[i].c;
  return time_ns;
}

static int drift_report(void *instance)
{
  const Drift *d = instance;
  const __int128 all_ns = time_of(d, 0, d->n_sorted);
  int status = 0;
  for (size_t i = 0, end; i < d->n_sorted && status == 0; i = end) {
    end = end_of(d, i, false);
    if (time_of(d, i, end) * SMALL_PARTS < all_ns) continue;
    for (size_t k = i, until; k < end && status == 0; k = until) {
      until = end_of(d, k, true);
      status = report_quarter(d, &d->sorted[k], until - k);
    }
  }
  return status;
}

/* ---- the descriptor */

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(DriftRow, kernel, "kernel", NULL, "Name of the kernel"),
  MILL_KEY(DriftRow, op, "op", NULL, "Operator that launched it"),
  MILL_KEY(DriftRow, shapes, "shapes", NULL, "Shapes of the operator's inputs"),
  MILL_KEY_BRIEF(DriftRow, quarter, "quarter", NULL,
                 "Quarter of the steps after warm-up, from 1 to 4"),
  MILL_BRIEF(DriftRow, calls, "calls", "count", "Calls in it"),
  MILL_BRIEF(DriftRow, time_ns, "time", "ns", "Their total time"),
  MILL_BRIEF(DriftRow, median_ns, "median", "ns", "Their median"),
};
static const MillTable tables[] = {
  [TABLE_DRIFT] = { .per = MILL_PER_LANE,
                    .name = "kernel-drift",
                    .help = "Kernels by quarter of the steps: whether they become slower",
                    .columns = MILL_ROWS(columns) },
};
static const MillRead reads[] = { TREE_READ(TREE_STEP), TREE_READ(TREE_ROW) };
static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.kernel-drift", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = drift_open,
  .process = drift_process,
  .flush = drift_flush,
  .report = drift_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "kernel-drift",
  .family = "torch",
  .version = "1.0.0",
  .tag = "DRIFT",
  .title = "Whether kernels become slower from the first steps to the last",
  .help = "Counts the calls of each kernel, operator and shapes in each quarter of the steps after "
          "warm-up, with their median.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
