/* Gives threads short numbers: the first one that is met becomes 1000, the next 1100, and so on, which leaves
 * room between them for rows that later stages add.  A thread has one number in all processes of its lane. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/devices/device.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/keyed.h"

enum { FIRST = 1000, STEP = 100 };

typedef struct TrackMap {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords device;
  SymClass namings; /* of metadata, by name */
  uint32_t *moves;  /* by track: the new one, plus 1 */
  size_t n_moves;
  Keyed *threads; /* int64_t: the number */
} TrackMap;

static int map_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                    const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  TrackMap *m = instance_new(TrackMap, host, out_instance);
  if (!m) return -MILL_LIMIT;
  device_open(&m->device, host->common);
  m->threads = keyed_new(host->common, sizeof(int64_t));
  return m->threads ? 0 : -MILL_LIMIT;
}

/* ---- numbers */

/* The number of a thread, made if need be; 0: memory was refused. */
static int64_t number_of(TrackMap *m, const MillValue *thread)
{
  int64_t *number = keyed_get_value(m->threads, thread);
  if (!number) return 0;
  if (*number == 0) *number = FIRST + STEP * (int64_t)(keyed_count(m->threads) - 1);
  return *number;
}

/* MILL_FAILED: memory was refused. */
static uint32_t find_row(TrackMap *m, uint32_t track)
{
  MillTrack row = { .size = sizeof row };
  m->common->track_info(m->common, track, &row);
  if (row.thread.type == MILL_NONE) return track;
  int64_t number = number_of(m, &row.thread);
  return number ? m->host->track(m->host, row.process, mill_int(number)) : MILL_FAILED;
}

static uint32_t row_of(TrackMap *m, uint32_t track)
{
  if (!array_reserve_at(m->common, &m->moves, &m->n_moves, track, sizeof *m->moves))
    return MILL_FAILED;
  if (m->moves[track]) return m->moves[track] - 1;
  uint32_t row = find_row(m, track);
  if (row != MILL_FAILED) m->moves[track] = row + 1;
  return row;
}

/* ---- which events */

static bool names_a_thread(const char *name, size_t len)
{
  return len >= 7 && memcmp(name, "thread_", 7) == 0;
}

static bool is_on_a_thread(TrackMap *m, const MillEvent *e)
{
  if (e->kind == MILL_META) return symclass_is(m->common, &m->namings, e->name, names_a_thread);
  return e->kind != MILL_COUNTER && e->kind != MILL_RECORD;
}

static int map_process(void *instance, MillBatch *b)
{
  TrackMap *m = instance;
  if (m->device.is_named) return 0;
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillEvent *e = &mill_events(b)[i];
    if (!is_on_a_thread(m, e)) continue;
    uint32_t row = row_of(m, e->track);
    if (row == MILL_FAILED) return -MILL_LIMIT;
    if (row != e->track) mill_set_track(e, row);
  }
  return 0;
}

static const char *const needs[] = { "events", NULL };

static const MillStageOps ops = { .size = sizeof ops, .open = map_open, .process = map_process };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .name = "track-map",
  .family = "clean",
  .version = "1.0.0",
  .tag = "TMAP",
  .title = "Give threads short numbers with room between them",
  .help = "Renumbers the first thread of a lane to 1000, the next to 1100, and so on without a "
          "limit; a thread has one number in all processes. Threads of torch traces are streams "
          "and are not changed.",
  .needs = needs,
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
