/* What runs at the same time on a rank's devices: computation, communication, memory, and none of them.  Events may come in
 * any order.  Memory: up to 32 bytes for each interval of the three unions. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/devices/device-time.h"
#include "torch/lib/name-sums.h"
#include "kit/state/ranked.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "types.h"

enum { NOTICE_NOTHING = 1 };
enum { TABLE_TEMPORAL, TABLE_OVERLAP, TABLE_TYPES, TABLE_KERNELS };

typedef struct Breakdown {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  DeviceTime device;
  NameSums names;
} Breakdown;

static const char *const type_names[N_WORKS] = { [WORK_COMMUNICATION] = "COMMUNICATION",
                                                 [WORK_COMPUTATION] = "COMPUTATION",
                                                 [WORK_MEMORY] = "MEMORY" };

static int breakdown_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                          const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Breakdown *d = instance_new(Breakdown, host, out_instance);
  if (!d) return -MILL_LIMIT;
  d->words.common = host->common;
  device_time_init(&d->device, host->common);
  return name_sums_open(&d->names, host) ? 0 : -MILL_LIMIT;
}

/* ---- adding up */

static bool add_work(Breakdown *d, const MillEvent *e, TorchKind kind)
{
  TorchWork does = torch_work(&d->words, kind, e->name);
  return device_time_add(&d->device, does, e->ts_ns, interval_end(e->ts_ns, e->dur_ns)) &&
         name_sums_add(&d->names, type_names[does], e->name, e->dur_ns);
}

static int breakdown_process(void *instance, MillBatch *b)
{
  Breakdown *d = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    TorchKind kind = torch_kind(&d->words, e);
    if (torch_is_device(kind) && !add_work(d, e, kind)) return -MILL_LIMIT;
  }
  return 0;
}

static int breakdown_flush(void *instance, MillBatch *b)
{
  const Breakdown *d = instance;
  (void)b;
  if (d->device.n_events == 0) mill_note(d->common, NOTICE_NOTHING);
  return 0;
}

/* ---- results */

typedef struct TemporalRow {
  int64_t idle_ns, compute_ns, non_compute_ns, kernel_ns;
  double idle_share, compute_share, non_compute_share;
} TemporalRow;

static int report_temporal(const Breakdown *d, const int64_t *ns)
{
  int64_t busy_ns = 0, compute_ns = 0, kernel_ns = device_time_span(&d->device);
  for (unsigned mask = 1; mask < N_MASKS; mask++) {
    busy_ns += ns[mask];
    if (mask & 1u << WORK_COMPUTATION) compute_ns += ns[mask];
  }
  int64_t idle_ns = kernel_ns - busy_ns, rest_ns = busy_ns - compute_ns;
  const TemporalRow row = {
    .idle_ns = idle_ns,
    .compute_ns = compute_ns,
    .non_compute_ns = rest_ns,
    .kernel_ns = kernel_ns,
    .idle_share = percent_of(idle_ns, kernel_ns),
    .compute_share = percent_of(compute_ns, kernel_ns),
    .non_compute_share = percent_of(rest_ns, kernel_ns),
  };
  return mill_row(d->host, TABLE_TEMPORAL, &row);
}

typedef struct OverlapRow {
  int64_t overlap_ns, communication_ns;
  double overlap_share;
} OverlapRow;

static int report_overlap(const Breakdown *d, const int64_t *ns)
{
  const unsigned both = 1u << WORK_COMMUNICATION | 1u << WORK_COMPUTATION;
  int64_t overlap_ns = 0, communication_ns = 0;
  for (unsigned mask = 1; mask < N_MASKS; mask++) {
    if (mask & 1u << WORK_COMMUNICATION) communication_ns += ns[mask];
    if ((mask & both) == both) overlap_ns += ns[mask];
  }
  const OverlapRow row = {
    .overlap_ns = overlap_ns,
    .communication_ns = communication_ns,
    .overlap_share = percent_of(overlap_ns, communication_ns),
  };
  return mill_row(d->host, TABLE_OVERLAP, &row);
}

/* "A overlapping B" */
static size_t name_types(unsigned mask, char *out)
{
  size_t n = 0;
  for (int i = 1; i < N_WORKS; i++) {
    if (!(mask & 1u << i)) continue;
    if (n) {
      memcpy(out + n, " overlapping ", 13);
      n += 13;
    }
    memcpy(out + n, type_names[i], strlen(type_names[i]));
    n += strlen(type_names[i]);
  }
  return n;
}

typedef struct TypeRow {
  MillText types;
  int64_t time_ns;
  double share;
} TypeRow;

static int report_types(const Breakdown *d, const int64_t *ns)
{
  __int128 busy_ns = 0;
  int status = 0;
  for (unsigned mask = 1; mask < N_MASKS; mask++) busy_ns += ns[mask];
  for (unsigned mask = 1; mask < N_MASKS && status == 0; mask++) {
    char text[80];
    if (ns[mask] == 0) continue;
    const TypeRow row = {
      .types = { text, name_types(mask, text) },
      .time_ns = ns[mask],
      .share = percent_of(ns[mask], busy_ns),
    };
    status = mill_row(d->host, TABLE_TYPES, &row);
  }
  return status;
}

static int breakdown_report(void *instance)
{
  Breakdown *d = instance;
  int64_t ns[N_MASKS];
  if (d->device.n_events == 0) return 0;
  if (!types_measure(d->common, d->device.sets, ns)) return -MILL_LIMIT;
  int status = report_temporal(d, ns);
  if (status == 0) status = report_overlap(d, ns);
  if (status == 0) status = report_types(d, ns);
  return status == 0 ? name_sums_report(&d->names, TABLE_KERNELS) : status;
}

/* ---- the descriptor */

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "{lane} has no device work", "these tables leave it out",
            "record the device too: ProfilerActivity.CUDA",
            "No slice has a category of device work, such as kernel or gpu_memcpy."),
};

static const MillColumn temporal_columns[] = {
  MILL_BRIEF(TemporalRow, idle_ns, "idle", "ns", "Time in which nothing ran"),
  MILL_BRIEF(TemporalRow, compute_ns, "compute", "ns", "Time in which computation ran"),
  MILL_BRIEF(TemporalRow, non_compute_ns, "non_compute", "ns",
             "Time in which other work ran, without computation"),
  MILL_BRIEF(TemporalRow, kernel_ns, "kernel", "ns", "Time from the first to the last device work"),
  MILL_COLUMN(TemporalRow, idle_share, "idle_share", "percent", 0, "idle as a share of kernel"),
  MILL_COLUMN(TemporalRow, compute_share, "compute_share", "percent", 0,
              "compute as a share of kernel"),
  MILL_COLUMN(TemporalRow, non_compute_share, "non_compute_share", "percent", 0,
              "non_compute as a share of kernel"),
};
static const MillColumn overlap_columns[] = {
  MILL_BRIEF(OverlapRow, overlap_ns, "overlap", "ns",
             "Communication and computation ran at the same time"),
  MILL_BRIEF(OverlapRow, communication_ns, "communication", "ns",
             "Time in which communication ran"),
  MILL_BRIEF(OverlapRow, overlap_share, "overlap_share", "percent",
             "overlap as a share of communication"),
};
static const MillColumn type_columns[] = {
  MILL_KEY_BRIEF(TypeRow, types, "types", NULL, "Kinds of work that ran; no other kind ran"),
  MILL_BRIEF(TypeRow, time_ns, "time", "ns", "Time in which they ran"),
  MILL_BRIEF(TypeRow, share, "share", "percent", "Share of the time in which any work ran"),
};
static const MillColumn kernel_columns[] = {
  MILL_KEY_BRIEF(NameSumRow, group, "type", NULL, "COMPUTATION, COMMUNICATION or MEMORY"),
  MILL_KEY_BRIEF(NameSumRow, name, "name", NULL, "Name of the device work"),
  NAME_SUMS_COLUMNS,
  MILL_BRIEF(NameSumRow, share, "share", "percent", "Share of the sum over all device work"),
};

static const MillTable tables[] = {
  [TABLE_TEMPORAL] = { .per = MILL_PER_LANE,
                       .brief_rows = 8,
                       .name = "temporal-breakdown",
                       .help =
                           "Time in which the device computed, did something else, and was idle",
                       .columns = MILL_ROWS(temporal_columns) },
  [TABLE_OVERLAP] = { .per = MILL_PER_LANE,
                      .brief_rows = 8,
                      .name = "comm-overlap",
                      .help = "Share of the communication that ran at the same time as computation",
                      .columns = MILL_ROWS(overlap_columns) },
  [TABLE_TYPES] = { .per = MILL_PER_LANE,
                    .name = "kernel-types",
                    .help = "Kinds of work that ran at the same time",
                    .order = "-time,types",
                    .columns = MILL_ROWS(type_columns) },
  [TABLE_KERNELS] = { .per = MILL_PER_LANE,
                      .name = "kernel-breakdown",
                      .help = "Device work by type and name",
                      .order = "-total,type,name",
                      .columns = MILL_ROWS(kernel_columns) },
};

static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "torch.tree", NULL };
static const char *const provides[] = { "table.temporal-breakdown", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = breakdown_open,
  .process = breakdown_process,
  .flush = breakdown_flush,
  .report = breakdown_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "device-breakdown",
  .family = "torch",
  .version = "1.0.0",
  .tag = "DEVBD",
  .title = "Computation, communication and memory work of devices, and their overlap",
  .help = "Shows for each rank how long its devices computed, communicated, moved memory, did "
          "several of these at once, or were idle.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(notices, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
