/* What the devices of a rank do at each instant, by class of work: the classes and idleness add up to the span.  Events may
 * come in any order.  Memory: 32 bytes for each piece of device work, and 72 at the end if they come out of order. */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/devices/op-category.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/state/ranked.h"
#include "kit/state/symclass.h"
#include "kit/text/words.h"
#include "kit/trace/tree-attrs.h"
#include "torch/lib/device-sweep.h"

typedef enum Class {
  CLASS_GEMM,
  CLASS_ATTENTION,
  CLASS_CONVOLUTION,
  CLASS_NORMALISATION,
  CLASS_ELEMENTWISE,
  CLASS_REDUCTION,
  CLASS_MOE,
  CLASS_EMBEDDING,
  CLASS_OPTIMISER,
  CLASS_COMMUNICATION,
  CLASS_COPIES,
  CLASS_OTHER,
  CLASS_IDLE,
  N_CLASSES
} Class;
static const char *const class_names[N_CLASSES] = {
  "GEMM",      "attention", "convolution",   "normalisation", "elementwise", "reduction", "MoE",
  "embedding", "optimiser", "communication", "copies",        "other",       "idle"
};
enum { TABLE_CLASSES };

typedef struct Classes {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym category;
  SymClass of_category, of_kernel; /* class + 1 */
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
  c->category = tree_key(c->common, TREE_CATEGORY);
  return device_works_open(&c->works, c->common) ? 0 : -MILL_LIMIT;
}

/* ---- classes */

/* How categories of operators and kernels begin; see op-category.h.  Others say nothing. */
static const struct {
  const char *category;
  Class class;
} by_category[] = {
  { "GEMM", CLASS_GEMM },
  { "GroupedGEMM", CLASS_GEMM },
  { "SDPA", CLASS_ATTENTION },
  { "InferenceAttention", CLASS_ATTENTION },
  { "CONV", CLASS_CONVOLUTION },
  { "NORM", CLASS_NORMALISATION },
  { "RMSNorm", CLASS_NORMALISATION },
  { "RoPE", CLASS_ELEMENTWISE },
  { "elementwise", CLASS_ELEMENTWISE },
  { "reduce", CLASS_REDUCTION },
  { "MoE", CLASS_MOE },
  { "embedding", CLASS_EMBEDDING },
  { "optimizer", CLASS_OPTIMISER },
  { "multi_tensor_apply", CLASS_OPTIMISER },
  { "memory", CLASS_COPIES },
  { "communication", CLASS_COMMUNICATION },
};

static Class class_of_category(const char *category)
{
  for (uint32_t i = 0; i < MILL_COUNT(by_category); i++)
    if (strncmp(category, by_category[i].category, strlen(by_category[i].category)) == 0)
      return by_category[i].class;
  return CLASS_OTHER;
}

/* As inductor names its kernels: pointwise, reductions over one or more axes, and products. */
static Class class_of_triton(const char *name, size_t len)
{
  if (words_begin_any_case(name, len, "triton_poi_")) return CLASS_ELEMENTWISE;
  if (words_begin_any_case(name, len, "triton_red_")) return CLASS_REDUCTION;
  if (words_begin_any_case(name, len, "triton_per_")) return CLASS_REDUCTION;
  if (words_begin_any_case(name, len, "triton_tem_")) return CLASS_GEMM;
  if (words_begin_any_case(name, len, "triton_mm")) return CLASS_GEMM;
  return CLASS_OTHER;
}

static Class class_of_kernel(Classes *c, MillSym kernel)
{
  size_t len;
  const uint8_t known = symclass_get(&c->of_kernel, kernel);
  if (known) return (Class)(known - 1);
  const char *name = c->common->symbol_text(c->common, kernel, &len);
  Class class = class_of_category(kernel_category_names[kernel_category(name, len, false)]);
  if (class == CLASS_OTHER) class = class_of_triton(name, len);
  symclass_put(c->common, &c->of_kernel, kernel, (uint8_t)(class + 1));
  return class;
}

/* What the operator says goes before what the kernel says. */
static Class class_of_compute(Classes *c, const MillBatch *b, const MillEvent *e)
{
  size_t len;
  const MillSym category = tree_sym(c->common, b, e, c->category);
  uint8_t known = symclass_get(&c->of_category, category);
  if (!known) {
    known = 1 + (uint8_t)class_of_category(c->common->symbol_text(c->common, category, &len));
    symclass_put(c->common, &c->of_category, category, known);
  }
  const Class class = (Class)(known - 1);
  return class == CLASS_OTHER || class == CLASS_COMMUNICATION ? class_of_kernel(c, e->name) : class;
}

static Class class_of(Classes *c, const MillBatch *b, const MillEvent *e, TorchWork does)
{
  if (does == WORK_COMMUNICATION) return CLASS_COMMUNICATION;
  return does == WORK_MEMORY ? CLASS_COPIES : class_of_compute(c, b, e);
}

/* ---- adding up */

static bool see_work(Classes *c, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  bool added;
  const TorchWork does = torch_work(&c->words, kind, e->name);
  if (!device_works_add(&c->works, e, does, class_of(c, b, e, does), &added)) return false;
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
                 "embedding, optimiser, "
                 "communication, copies, other, or idle"),
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
          "began first among those "
          "that run, else communication, else copies, else idle.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
