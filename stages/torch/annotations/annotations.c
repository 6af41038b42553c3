/* Times of what users marked, on the host and on the device, by name.  Events may come in any order. */
#include <stagemill/stage.h>
#include <string.h>

#include "torch/lib/name-sums.h"
#include "kit/devices/torch-words.h"

enum { TABLE_ANNOTATIONS };

typedef struct Annotations {
  const MillStageHost *host;
  TorchWords words;
  NameSums names;
} Annotations;

static int annotations_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Annotations *a = mill_new(host->common, sizeof *a);
  if (!a) return -MILL_LIMIT;
  a->host = host;
  a->words.common = host->common;
  *out_instance = a;
  return name_sums_open(&a->names, host) ? 0 : -MILL_LIMIT;
}

static int annotations_process(void *instance, MillBatch *b)
{
  Annotations *a = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0) continue;
    TorchKind kind = torch_kind(&a->words, e);
    if (kind != TORCH_RANGE && kind != TORCH_DEVICE_RANGE) continue;
    if (!name_sums_add(&a->names, kind == TORCH_RANGE ? "host" : "device", e->name, e->dur_ns))
      return -MILL_LIMIT;
  }
  return 0;
}

static int annotations_report(void *instance)
{
  Annotations *a = instance;
  return name_sums_report(&a->names, TABLE_ANNOTATIONS);
}

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(NameSumRow, group, "side", NULL, "host or device"),
  MILL_KEY_BRIEF(NameSumRow, name, "name", NULL, "Name of the annotation"),
  NAME_SUMS_COLUMNS,
};
static const MillTable tables[] = {
  [TABLE_ANNOTATIONS] = { .per = MILL_PER_LANE,
                          .brief_rows = 10,
                          .name = "annotations",
                          .help = "Times of annotations, for each rank",
                          .order = "-total,side,name",
                          .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "events", NULL };
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
          "host and on the device.",
  .needs = needs,
  .provides = provides,
  .tables = MILL_ROWS(tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
