/* Times of what users marked, on the host and on the device, by name.
 * Device work belongs to the ranges of the host in which it was launched. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/devices/torch-words.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "torch/lib/name-sums.h"
#include "torch/lib/range-work.h"

enum { TABLE_ANNOTATIONS };

typedef struct Work { /* of all ranges of one name */
  int64_t device_ns, exclusive_ns, projected_ns;
} Work;

typedef struct Annotations {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym text, correlation;
  NameSums names;
  RangeWork work;
  Keyed *by_name; /* of Work */
} Annotations;

static int annotations_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Annotations *a = instance_new(Annotations, host, out_instance);
  if (!a) return -MILL_LIMIT;
  a->words.common = host->common;
  a->text = symbol_of(host->common, "annotation");
  a->correlation = symbol_of(host->common, "correlation");
  range_work_open(&a->work, host->common);
  a->by_name = keyed_new(host->common, sizeof(Work));
  return a->by_name && name_sums_open(&a->names, host) ? 0 : -MILL_LIMIT;
}

/* The whole text of a range that was cut to the name of an operator or a step; 0: there is none. */
static MillSym whole_text(const Annotations *a, const MillBatch *b, const MillEvent *e)
{
  size_t len;
  const MillAttr *attr = mill_attr(b, e, a->text);
  if (!attr) return 0;
  if ((attr->type & MILL_ATTR_TYPE) == MILL_SYM) return attr->u.sym;
  const char *text = mill_attr_text(b, attr, &len);
  return text ? a->common->intern(a->common, text, len) : 0;
}

static bool add_range(Annotations *a, const MillEvent *e, MillSym name)
{
  return name_sums_add(&a->names, "host", name, e->dur_ns) && range_work_range(&a->work, e, name);
}

static bool add_work(Annotations *a, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  int64_t correlation;
  bool works = torch_is_device(kind);
  if (!works && kind != TORCH_CALL) return true;
  if (!mill_attr_int(b, e, a->correlation, &correlation)) return true;
  if (!works) return range_work_call(&a->work, e, correlation);
  range_work_device(&a->work, e, correlation);
  return true;
}

static bool take(Annotations *a, const MillBatch *b, const MillEvent *e)
{
  TorchKind kind = torch_kind(&a->words, e);
  if (kind == TORCH_DEVICE_RANGE) return name_sums_add(&a->names, "device", e->name, e->dur_ns);
  if (kind != TORCH_RANGE && kind != TORCH_OPERATOR) return add_work(a, b, e, kind);
  MillSym text = whole_text(a, b, e);
  return kind == TORCH_RANGE || text ? add_range(a, e, text ? text : e->name) : true;
}

static int annotations_process(void *instance, MillBatch *b)
{
  Annotations *a = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0) continue;
    if (!take(a, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- results */

typedef struct AnnotationRow {
  NameSumRow sums;
  int64_t device_ns, exclusive_ns, projected_ns;
} AnnotationRow;

static bool sum_work(Annotations *a)
{
  for (size_t i = 0; i < a->work.n_nodes; i++) {
    const RangeNode *n = &a->work.nodes[i];
    Work *w = keyed_get_sym(a->by_name, n->name);
    if (!w) return false;
    if (n->last_ns < n->first_ns) continue;
    w->device_ns = add_clipped(w->device_ns, n->device_ns);
    w->exclusive_ns = add_clipped(w->exclusive_ns, n->exclusive_ns);
    w->projected_ns = add_clipped(w->projected_ns, interval_span(n->first_ns, n->last_ns));
  }
  return true;
}

static int give_row(void *user, const NameSumRow *sums)
{
  const Annotations *a = user;
  AnnotationRow row = { *sums, MILL_NO_INT, MILL_NO_INT, MILL_NO_INT };
  bool is_host = sums->group.len == 4 && !memcmp(sums->group.text, "host", 4);
  const Work *w = is_host ? keyed_find(a->by_name, sums->name.text, sums->name.len) : NULL;
  if (w) row = (AnnotationRow){ *sums, w->device_ns, w->exclusive_ns, w->projected_ns };
  return mill_row(a->host, TABLE_ANNOTATIONS, &row);
}

static int annotations_report(void *instance)
{
  Annotations *a = instance;
  return sum_work(a) ? name_sums_each(&a->names, give_row, a) : -MILL_LIMIT;
}

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(AnnotationRow, sums.group, "side", NULL, "host or device"),
  MILL_KEY_BRIEF(AnnotationRow, sums.name, "name", NULL, "Name of the annotation"),
  NAME_SUMS_COLUMNS_AT(AnnotationRow, sums.),
  MILL_COLUMN(AnnotationRow, device_ns, "device", "ns", 0,
              "Sum of the device work that was launched within it; empty on the device"),
  MILL_COLUMN(AnnotationRow, exclusive_ns, "exclusive", "ns", 0,
              "The part of it that was launched in no annotation within it"),
  MILL_COLUMN(AnnotationRow, projected_ns, "projected", "ns", 0,
              "From the start of its first device work to the end of its last, summed over calls"),
};
static const MillTable tables[] = {
  [TABLE_ANNOTATIONS] = { .per = MILL_PER_LANE,
                          .brief_rows = 10,
                          .name = "annotations",
                          .help = "Times of annotations, for each rank",
                          .order = "-total,side,name",
                          .columns = MILL_ROWS(columns) },
};

static const MillRead reads[] = {
  { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "annotation", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", "order.lane", NULL };
static const char *const provides[] = { "table.annotations", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = annotations_open,
  .process = annotations_process,
  .report = annotations_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "annotations",
  .family = "torch",
  .version = "1.0.0",
  .tag = "ANNOT",
  .title = "Times of annotations by name",
  .help = "Sums the durations of annotations (record_function, steps, collectives) by name, on the "
          "host and on the device, and the device work that was launched within them.",
  .needs = needs,
  .provides = provides,
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
