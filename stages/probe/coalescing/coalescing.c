/* How well the threads of a warp share sectors of memory: accesses of one number in neighbouring threads. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/trace/probe.h"

enum { MAX_LANES = 64, ASSUMED_BYTES = 4 };

typedef struct Options {
  int64_t sector;
} Options;

typedef struct Access { /* of one number, in all warps */
  uint64_t warps, threads, sectors, least;
  uint32_t max;
} Access;

typedef struct Lane {
  uint64_t *address; /* by access number */
  size_t n, capacity;
} Lane;

typedef struct Coalescing {
  const MillStageHost *host;
  const Options *options;
  ProbeReader reader;
  Lane lanes[MAX_LANES]; /* threads of the warp at hand */
  uint32_t n_lanes;
  const ProbeSection *section;
  int64_t block, warp; /* at hand; block -1: none */
  Access *accesses;
  size_t n, capacity;
} Coalescing;

#define UNUSED UINT64_MAX

static int coalescing_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)level;
  Coalescing *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->options = options;
  x->block = -1;
  probe_open(&x->reader, host->common);
  *out_instance = x;
  if (x->options->sector & (x->options->sector - 1))
    return mill_fail(host->common, MILL_STAGE_FAILED, "the size of a sector is not a power of two",
                     "sector=32, 64 or 128");
  return 0;
}

/* ------------------------------------------------------------------ a warp */

/* At most 64 values: the sorted ones grow by one at a time. */
static uint32_t count_distinct(uint64_t *sectors, uint32_t n)
{
  uint32_t distinct = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t v = sectors[i];
    uint32_t k = distinct;
    while (k > 0 && sectors[k - 1] > v) k--;
    if (k > 0 && sectors[k - 1] == v) continue;
    memmove(sectors + k + 1, sectors + k, (distinct - k) * sizeof *sectors);
    sectors[k] = v;
    distinct++;
  }
  return distinct;
}

static void add_access(Coalescing *x, size_t number)
{
  uint64_t sectors[MAX_LANES];
  uint32_t threads = 0;
  for (uint32_t l = 0; l < x->n_lanes; l++)
    if (number < x->lanes[l].n && x->lanes[l].address[number] != UNUSED)
      sectors[threads++] = x->lanes[l].address[number] / (uint64_t)x->options->sector;
  if (threads == 0) return;
  Access *a = &x->accesses[number];
  uint32_t distinct = count_distinct(sectors, threads);
  uint64_t bytes = (uint64_t)threads * ASSUMED_BYTES, sector = (uint64_t)x->options->sector;
  a->warps++;
  a->threads += threads;
  a->sectors += distinct;
  a->least += (bytes + sector - 1) / sector;
  if (distinct > a->max) a->max = distinct;
}

static int end_warp(Coalescing *x)
{
  size_t longest = 0;
  for (uint32_t l = 0; l < x->n_lanes; l++)
    if (x->lanes[l].n > longest) longest = x->lanes[l].n;
  if (!array_reserve(x->host->common, &x->accesses, &x->capacity, longest, sizeof *x->accesses))
    return -MILL_LIMIT;
  for (size_t i = 0; i < longest; i++) add_access(x, i);
  if (longest > x->n) x->n = longest;
  for (uint32_t l = 0; l < x->n_lanes; l++) x->lanes[l].n = 0;
  x->n_lanes = 0;
  return 0;
}

static int add_unit(Coalescing *x, const ProbeUnit *u, int64_t width)
{
  size_t n, n_clocks;
  const MillAttr *a = probe_list(&x->reader, u, PROBE_ADDRESS, &n);
  const MillAttr *clock = probe_list(&x->reader, u, PROBE_CLOCK, &n_clocks);
  int64_t warp = u->unit / width;
  uint32_t at = (uint32_t)(u->unit % width);
  int status = 0;
  if (u->block != x->block || warp != x->warp || u->section != x->section) status = end_warp(x);
  if (status < 0) return status;
  x->section = u->section;
  x->block = u->block;
  x->warp = warp;
  Lane *lane = &x->lanes[at];
  if (at >= x->n_lanes) x->n_lanes = at + 1;
  size_t from = (size_t)u->place;
  if (n == 0) return 0;
  if (from > (size_t)u->section->capacity) return 0;
  if (!array_reserve(x->host->common, &lane->address, &lane->capacity, from + n,
                     sizeof *lane->address))
    return -MILL_LIMIT;
  for (; lane->n < from; lane->n++) lane->address[lane->n] = UNUSED;
  for (size_t i = 0; i < n; i++) {
    bool used = a[i].u.i || (i < n_clocks && clock[i].u.i);
    lane->address[from + i] = used ? (uint64_t)a[i].u.i : UNUSED;
  }
  lane->n = from + n;
  return 0;
}

static int coalescing_process(void *instance, MillBatch *b)
{
  Coalescing *x = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    ProbeUnit u;
    if (e->kind != MILL_RECORD) continue;
    if (e->name != x->reader.unit)
      probe_take(&x->reader, b, e);
    else if (probe_unit(&x->reader, b, e, &u) && u.section->kind == PROBE_DMAT && u.unit >= 0 &&
             u.place >= 0)
      status = add_unit(x, &u, 32);
  }
  return status;
}

/* ------------------------------------------------------------------ report */

typedef struct CoalescingRow {
  int64_t access, warps, threads;
  double sectors_mean;
  int64_t sectors_max;
  double efficiency;
} CoalescingRow;

static int coalescing_report(void *instance)
{
  Coalescing *x = instance;
  int status = end_warp(x);
  for (size_t i = 0; i < x->n && status == 0; i++) {
    const Access *a = &x->accesses[i];
    if (a->warps == 0) continue;
    const CoalescingRow row = {
      .access = (int64_t)i,
      .warps = (int64_t)a->warps,
      .threads = (int64_t)a->threads,
      .sectors_mean = (double)a->sectors / (double)a->warps,
      .sectors_max = a->max,
      .efficiency = a->least < a->sectors ? 100 * (double)a->least / (double)a->sectors : 100,
    };
    status = mill_row(x->host, 0, &row);
  }
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  MILL_SIZE_OPTION(Options, sector, "sector", "32", "8:4096",
                   "Size of a sector, the smallest transfer of memory"),
};

static const MillRead reads[] = { PROBE_READS, RECORD_INT("unit"), RECORD_INT("clock"),
                                  RECORD_INT("address") };

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(CoalescingRow, access, "access", NULL,
                 "Number of the access in its thread, from 0"),
  MILL_BRIEF(CoalescingRow, warps, "warps", "count", "Warps with this access"),
  MILL_BRIEF(CoalescingRow, threads, "threads", "count", "Threads with this access"),
  MILL_BRIEF(CoalescingRow, sectors_mean, "sectors_mean", "count",
             "Mean number of sectors that a warp touches"),
  MILL_COLUMN(CoalescingRow, sectors_max, "sectors_max", "count", 0,
              "Largest number of sectors that a warp touches"),
  MILL_BRIEF(CoalescingRow, efficiency, "efficiency", "percent",
             "Sectors needed for 4 bytes per thread, as a share of those touched"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 12,
    .name = "coalescing",
    .help = "Sectors of memory that warps touch, by access",
    .columns = MILL_ROWS(columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_LINE,
    .name = "coalescing",
    .title = "Sectors of a Warp by Access",
    .table = "coalescing",
    .x = "access",
    .y = "sectors_mean" },
};

static const char *const needs[] = { "probe.access", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = coalescing_open,
  .process = coalescing_process,
  .report = coalescing_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "coalescing",
  .family = "probe",
  .version = "1.0.0",
  .tag = "COALES",
  .title = "Sharing of memory sectors by the threads of a warp",
  .help = "Counts, for each warp and each access number, the distinct sectors of its 32 threads. "
          "Condensed traces have no threads, so they give no rows.",
  .needs = needs,
  OWN_ROWS(options, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
