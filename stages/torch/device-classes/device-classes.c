/* What the devices of a rank do at each instant, by class of work: the classes and idleness add up to the span.  Events may
 * come in any order.  Memory: 32 bytes for each piece of device work, and 72 at the end if they come out of order. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/state/ranked.h"
#include "kit/trace/tree-attrs.h"
#include "torch/lib/device-sweep.h"
#include "torch/lib/work-class.h"

enum { TABLE_CLASSES };

typedef struct Classes {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  WorkClasses classes;
  DeviceWorks works;
  int64_t first_ns, last_ns;
  int64_t sums_ns[N_CLASSES]; /* of all devices */
} Classes;

static int classes_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Classes *c = instance_new(Classes, host, out_instance);
  if (!c) return -MILL_LIMIT;
  c->words.common = host->common;
  work_classes_open(&c->classes, c->common);
  return device_works_open(&c->works, c->common) ? 0 : -MILL_LIMIT;
}

/* ---- adding up */

static bool see_work(Classes *c, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  bool added;
  const TorchWork does = torch_work(&c->words, kind, e->name);
  if (!device_works_add(&c->works, e, does, work_class(&c->classes, b, e, does), &added))
    return false;
  if (!added) return true;
  const DeviceWork *work = &c->works.items[c->works.n - 1];
  if (c->works.n == 1 || work->start_ns < c->first_ns) c->first_ns = work->start_ns;
  if (c->works.n == 1 || work->end_ns > c->last_ns) c->last_ns = work->end_ns;
  return true;
}

static int classes_process(void *instance, MillBatch *b)
{
  Classes *c = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    const TorchKind kind = torch_kind(&c->words, e);
    if (torch_is_device(kind) && !see_work(c, b, e, kind)) return -MILL_LIMIT;
  }
  return 0;
}

static int classes_flush(void *instance, MillBatch *b)
{
  Classes *c = instance;
  (void)b;
  if (!device_works_sort(&c->works)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < c->works.n_devices; i++) {
    DeviceSweep sweep = device_sweep(&c->works, i, c->first_ns, c->last_ns);
    for (SweepPiece piece; device_sweep_next(&sweep, &piece);) {
      int64_t *sum_ns = &c->sums_ns[piece.owner ? piece.owner->data : CLASS_IDLE];
      *sum_ns = add_clipped(*sum_ns, interval_span(piece.from_ns, piece.to_ns));
    }
  }
  return 0;
}

/* ---- results */

typedef struct ClassRow {
  const char *class;
  int64_t time_ns;
  double share;
} ClassRow;

/* Means of several devices are rounded so that the classes add up to the span. */
static int classes_report(void *instance)
{
  const Classes *c = instance;
  __int128 sum_ns = 0;
  int64_t reported_ns = 0;
  int status = 0;
  for (int i = 0; i < N_CLASSES && status == 0; i++) {
    if (c->sums_ns[i] == 0) continue;
    sum_ns += c->sums_ns[i];
    const int64_t until_ns = (int64_t)(sum_ns / c->works.n_devices);
    const int64_t time_ns = until_ns - reported_ns;
    const ClassRow row = { .class = class_names[i],
                           .time_ns = time_ns,
                           .share = percent_of(time_ns, (__int128)c->last_ns - c->first_ns) };
    reported_ns = until_ns;
    status = mill_row(c->host, TABLE_CLASSES, &row);
  }
  return status;
}

/* ---- the descriptor */

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(ClassRow, class, "class", NULL,
                 "GEMM, attention, convolution, normalisation, elementwise, reduction, MoE, "
                 "embedding, optimiser, communication, copies, other, or idle"),
  MILL_BRIEF(ClassRow, time_ns, "time", "ns", "Mean over the devices of the rank"),
  MILL_BRIEF(ClassRow, share, "share", "percent",
             "Share of the time from the first start to the last end of device work"),
};
static const MillTable tables[] = {
  [TABLE_CLASSES] = { .per = MILL_PER_LANE,
                      .brief_rows = N_CLASSES,
                      .name = "device-classes",
                      .help = "What devices do at each instant; the classes add up to the span",
                      .order = "-time",
                      .columns = MILL_ROWS(columns) },
};
static const MillRead reads[] = { TREE_READ(TREE_CATEGORY) };
static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "torch.tree", NULL };
static const char *const provides[] = { "table.device-classes", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = classes_open,
  .process = classes_process,
  .flush = classes_flush,
  .report = classes_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "device-classes",
  .family = "torch",
  .version = "1.0.0",
  .tag = "CLASS",
  .title = "What devices do at each instant, by class of work",
  .help = "Gives each instant of a device's span to one class: that of the computing kernel that "
          "began first among those that run, else communication, else copies, else idle.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
