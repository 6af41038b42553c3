/* Puts what the host did on one row of each process: thread 1000, or the next one that no device uses.  The first pass
 * learns which threads do. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "kit/devices/device.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/keyed.h"
#include "kit/text/words.h"

enum { HOST_THREAD = 1000 };

typedef struct CpuMerge {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords device;
  SymClass names;
  SymClass taken;   /* by track: 1 where a device slice is, or one that stays apart */
  Keyed *processes; /* uint32_t: its row of the host, plus 1 */
  uint32_t *rows;   /* the same by track */
  size_t n_rows;
} CpuMerge;

static int merge_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  CpuMerge *m = instance_new(CpuMerge, host, out_instance);
  if (!m) return -MILL_LIMIT;
  device_open(&m->device, host->common);
  m->processes = keyed_new(host->common, sizeof(uint32_t));
  return m->processes ? 0 : -MILL_LIMIT;
}

static bool stays_apart(const char *name, size_t len)
{
  return words_have(name, len, "AIU Roundtrip");
}

static bool is_of_host(CpuMerge *m, const MillBatch *b, const MillEvent *e)
{
  return e->kind == MILL_SLICE && !device_has(&m->device, b, e) &&
         !symclass_is(m->common, &m->names, e->name, stays_apart);
}

static int merge_observe(void *instance, const MillBatch *b)
{
  CpuMerge *m = instance;
  if (m->device.is_named) return 0;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || symclass_get(&m->taken, e->track)) continue;
    if (!is_of_host(m, b, e)) symclass_put(m->common, &m->taken, e->track, 1);
  }
  return 0;
}

/* ---- the row of a process; MILL_FAILED: memory was refused */

static uint32_t free_row(CpuMerge *m, MillValue process)
{
  for (int64_t thread = HOST_THREAD;; thread++) {
    uint32_t row = m->host->track(m->host, process, mill_int(thread));
    if (row == MILL_FAILED || !symclass_get(&m->taken, row)) return row;
  }
}

static uint32_t find_row(CpuMerge *m, uint32_t track)
{
  MillTrack from = { .size = sizeof from };
  m->common->track_info(m->common, track, &from);
  uint32_t *known = keyed_get_value(m->processes, &from.process);
  if (!known) return MILL_FAILED;
  if (*known) return *known - 1;
  uint32_t row = free_row(m, from.process);
  if (row != MILL_FAILED) *known = row + 1;
  return row;
}

static uint32_t row_of(CpuMerge *m, uint32_t track)
{
  if (!array_reserve_at(m->common, &m->rows, &m->n_rows, track, sizeof *m->rows))
    return MILL_FAILED;
  if (m->rows[track]) return m->rows[track] - 1;
  uint32_t row = find_row(m, track);
  if (row != MILL_FAILED) m->rows[track] = row + 1;
  return row;
}

/* Arrows begin and end in slices: those on a row that only the host used go where its slices went. */
static bool goes_along(const CpuMerge *m, const MillEvent *e)
{
  bool is_flow = e->kind >= MILL_FLOW_START && e->kind <= MILL_FLOW_END;
  return is_flow && !symclass_get(&m->taken, e->track);
}

static int merge_process(void *instance, MillBatch *b)
{
  CpuMerge *m = instance;
  if (m->device.is_named) return 0;
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = &mill_events(b)[i];
    if (!is_of_host(m, b, e) && !goes_along(m, e)) continue;
    uint32_t row = row_of(m, e->track);
    if (row == MILL_FAILED) return -MILL_LIMIT;
    if (row != e->track) mill_set_track(e, row);
  }
  return 0;
}

static const MillRead reads[] = { DEVICE_HAS_READS };
static const char *const needs[] = { "slices", NULL };
static const char *const spoils[] = { "nested", NULL };

static const MillStageOps ops = {
  .size = sizeof ops, .open = merge_open, .observe = merge_observe, .process = merge_process
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .name = "cpu-merge",
  .family = "clean",
  .version = "1.0.0",
  .tag = "CPU",
  .title = "Put slices of the host on one track",
  .help = "Moves slices of the host to thread 1000 of their process, or to the next thread that no "
          "device uses. AIU Roundtrip is not moved. Torch traces are not changed.",
  .needs = needs,
  .spoils = spoils,
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
