/* Puts what a device did on rows of process R, the rank, and what its host did on rows of process R + 1000, names the
 * two, and gives slices the categories by which viewers know device work.  The first pass learns which threads there
 * are and what is on them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/declare/rows.h"
#include "kit/devices/device.h"
#include "kit/state/instance.h"
#include "kit/state/keyed.h"
#include "kit/trace/meta.h"
#include "kit/state/symclass.h"
#include "kit/text/symbol.h"
#include "kit/trace/threads.h"
#include "kit/text/words.h"

enum { NO_RANK = 1 };
enum { DEVICE, HOST, SIDES };
enum { HOST_PROCESS = 1000, SIDE_NAME_MAX = 16 + DIGITS_MAX };
enum { KERNEL = 1, COPY = 2, ANNOTATION = 3 };            /* classes of names of device slices */
enum { HAS_NOTHING = 1, HAS_OTHERS = 2, HAS_DEVICE = 3 }; /* classes of tracks */

typedef struct Thread {   /* by thread, whatever its process */
  uint32_t owners[SIDES]; /* the track that is on this row of that side, plus 1 */
  uint32_t number;        /* plus 1 */
} Thread;

typedef struct DeviceRows {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords device;
  SymClass works, tracks, metas;
  Keyed *threads;
  ThreadSlots slots; /* of these, by number */
  uint32_t n_numbers;
  uint32_t *moves; /* by 2 * track + side: the new one, plus 1 */
  size_t n_moves;
  MillSym device_key, name_key, order_key, kernel, copy, annotation, cpu_op;
  int64_t rank;
  uint32_t names_after; /* the event after which the processes are named */
  bool has_side[SIDES], knows_rank, is_named;
} DeviceRows;

static uint32_t number_of(void *rows, MillValue thread)
{
  DeviceRows *r = rows;
  Thread *t = keyed_get_value(r->threads, &thread);
  if (!t) return MILL_FAILED;
  if (!t->number) t->number = ++r->n_numbers;
  return t->number - 1;
}

static int rows_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  const MillHost *common = host->common;
  DeviceRows *r = instance_new(DeviceRows, host, out_instance);
  if (!r) return -MILL_LIMIT;
  device_open(&r->device, common);
  r->device_key = symbol_of(common, "device");
  r->name_key = symbol_of(common, "name");
  r->order_key = symbol_of(common, "sort_index");
  r->kernel = symbol_of(common, "kernel");
  r->copy = symbol_of(common, "gpu_memcpy");
  r->annotation = symbol_of(common, "user_annotation");
  r->cpu_op = symbol_of(common, "cpu_op");
  r->threads = keyed_new(common, sizeof(Thread));
  r->slots = (ThreadSlots){ .common = common, .number_of = number_of, .user = r };
  return r->threads ? 0 : -MILL_LIMIT;
}

/* ---- what is on a track */

static int note_thread(DeviceRows *r, uint32_t track)
{
  MillTrack row = { .size = sizeof row };
  r->common->track_info(r->common, track, &row);
  uint32_t number = number_of(r, row.thread);
  ThreadSlot *slot = number == MILL_FAILED ? NULL : threads_slot(&r->slots, number);
  if (!slot) return -MILL_LIMIT;
  slot->used = true;
  return 0;
}

static int see(DeviceRows *r, const MillBatch *b, const MillEvent *e)
{
  uint8_t had = symclass_get(&r->tracks, e->track), has = HAS_OTHERS;
  if (e->kind == MILL_META) has = HAS_NOTHING;
  if (device_has(&r->device, b, e)) {
    r->has_side[DEVICE] = true;
    has = HAS_DEVICE;
  } else if (e->kind == MILL_COUNTER) {
    has = HAS_NOTHING;
  } else if (e->kind == MILL_SLICE) {
    r->has_side[HOST] = true;
  }
  if (has > had) symclass_put(r->common, &r->tracks, e->track, has);
  return had ? 0 : note_thread(r, e->track);
}

static int rows_observe(void *instance, const MillBatch *b)
{
  DeviceRows *r = instance;
  if (r->device.is_named) return 0;
  for (uint32_t i = 0; i < b->n_events; i++) {
    if (b->events[i].kind == MILL_RECORD) continue;
    int status = see(r, b, &b->events[i]);
    if (status < 0) return status;
  }
  return 0;
}

/* ---- rows; MILL_FAILED: the instance has failed */

static MillValue process_of(const DeviceRows *r, int side)
{
  return mill_int(side == DEVICE ? r->rank : r->rank + HOST_PROCESS);
}

/* A track gets the row of its thread, or, where one of another process is on it already, a further one. */
static bool thread_for(DeviceRows *r, uint32_t track, int side, MillValue *io_thread)
{
  Thread *own = keyed_get_value(r->threads, io_thread);
  const MillValue from = *io_thread;
  uint32_t number;
  if (!own) return false;
  if (!own->owners[side]) own->owners[side] = track + 1;
  return own->owners[side] == track + 1 || threads_take(&r->slots, &from, io_thread, &number);
}

static uint32_t row_on(DeviceRows *r, uint32_t track, int side)
{
  MillTrack row = { .size = sizeof row };
  size_t at = (size_t)track * SIDES + (size_t)side;
  if (!array_reserve_at(r->common, &r->moves, &r->n_moves, at, sizeof *r->moves))
    return MILL_FAILED;
  if (r->moves[at]) return r->moves[at] - 1;
  r->common->track_info(r->common, track, &row);
  if (!thread_for(r, track, side, &row.thread)) return MILL_FAILED;
  uint32_t to = r->host->track(r->host, process_of(r, side), row.thread);
  if (to != MILL_FAILED) r->moves[at] = to + 1;
  return to;
}

/* A process of no rank has a negative number: its counters stay, and so does its name. */
static bool is_of_no_rank(const MillTrack *row)
{
  return row->process.type == MILL_INT && row->process.u.i < 0;
}

/* Counters belong to a process: the device's, or where no device did anything, the host's. */
static uint32_t counter_row(DeviceRows *r, uint32_t track)
{
  MillTrack row = { .size = sizeof row };
  r->common->track_info(r->common, track, &row);
  if (is_of_no_rank(&row)) return track;
  int side = !r->has_side[DEVICE] && r->has_side[HOST] ? HOST : DEVICE;
  return r->host->track(r->host, process_of(r, side), row.thread);
}

/* ---- slices */

static uint8_t work_of_name(const char *text, size_t len)
{
  if (words_have(text, len, "DmaI") || words_have(text, len, "DmaO"))
    return words_have(text, len, "Rdma") ? ANNOTATION : COPY;
  bool reduces =
      words_have(text, len, "AllReduce_all_reduce") && words_have(text, len, "Cmpt Exec");
  return reduces ? ANNOTATION : KERNEL;
}

static MillSym category_of(DeviceRows *r, MillSym name)
{
  uint8_t work = symclass_of(r->common, &r->works, name, work_of_name);
  return work == KERNEL ? r->kernel : work == COPY ? r->copy : r->annotation;
}

static int mark_slice(DeviceRows *r, MillBatch *b, uint32_t i, int side)
{
  MillEvent *e = &mill_events(b)[i];
  MillSym cat = side == DEVICE ? category_of(r, e->name) : e->cat ? e->cat : r->cpu_op;
  if (cat != e->cat) mill_set_cat(e, cat);
  if (side == HOST) return 0;
  return r->host->set(r->host, b, i, r->device_key, mill_int(r->rank));
}

/* ---- names of the two processes */

static int add_meta(DeviceRows *r, MillBatch *b, int side, const char *name, MillSym key,
                    MillValue value)
{
  uint32_t track = r->host->track(r->host, process_of(r, side), mill_none());
  return meta_emit(r->host, b, r->names_after, track, symbol_of(r->common, name), key, value);
}

static int name_side(DeviceRows *r, MillBatch *b, int side)
{
  char text[SIDE_NAME_MAX];
  const char *what = side == DEVICE ? "AIU Device" : "Host";
  size_t len = strlen(what);
  memcpy(text, what, len);
  len += digits_write(text + len, r->rank);
  int status = add_meta(r, b, side, "process_name", r->name_key, mill_text(text, len));
  if (status < 0) return status;
  /* The host of a rank stands above its device. */
  return add_meta(r, b, side, "process_sort_index", r->order_key,
                  mill_int(3 * r->rank + (side == DEVICE)));
}

static int name_sides(DeviceRows *r, MillBatch *b, uint32_t after)
{
  r->is_named = true;
  r->names_after = after;
  for (int side = 0; side < SIDES; side++) {
    int status = r->has_side[side] ? name_side(r, b, side) : 0;
    if (status < 0) return status;
  }
  return 0;
}

/* The names stand where order lets them: after the first other metadata, else before the first event with a time. */
static int name_in_order(DeviceRows *r, MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  bool is_timed = !(e->flags & MILL_FLAG_NO_TS);
  if (r->is_named || (!is_timed && e->dur_ns >= 0)) return 0;
  return name_sides(r, b, !is_timed ? i : i > 0 ? i - 1 : MILL_AT_START);
}

/* ---- the calls */

static bool names_a_process(const char *name, size_t len)
{
  return len >= 8 && memcmp(name, "process_", 8) == 0;
}

/* Of what is no slice: the side of its row; a row on which nothing happens goes to a side that there is. */
static int side_of_row(const DeviceRows *r, uint32_t track)
{
  uint8_t has = symclass_get(&r->tracks, track);
  if (has == HAS_DEVICE || !r->has_side[HOST]) return DEVICE;
  return HOST;
}

static void drop_old_name(const DeviceRows *r, MillEvent *e)
{
  MillTrack row = { .size = sizeof row };
  r->common->track_info(r->common, e->track, &row);
  if (!is_of_no_rank(&row)) mill_drop(e);
}

static int move(DeviceRows *r, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  if (e->kind == MILL_RECORD) return 0;
  if (e->kind == MILL_META && symclass_is(r->common, &r->metas, e->name, names_a_process)) {
    drop_old_name(r, e);
    return 0;
  }
  bool is_slice = e->kind == MILL_SLICE;
  int side = is_slice ? device_has(&r->device, b, e) ? DEVICE : HOST : side_of_row(r, e->track);
  uint32_t row = e->kind == MILL_COUNTER ? counter_row(r, e->track) : row_on(r, e->track, side);
  if (row == MILL_FAILED) return -MILL_LIMIT;
  if (row != e->track) mill_set_track(e, row);
  return is_slice ? mark_slice(r, b, i, side) : 0;
}

/* False: rows stay as they are. */
static bool has_rank(DeviceRows *r)
{
  if (r->knows_rank) return r->rank >= 0;
  MillLane lane = { .size = sizeof lane };
  r->common->lane(r->common, MILL_NO_LANE, &lane);
  r->rank = lane.rank > INT64_MAX / 4 ? -1 : lane.rank;
  r->knows_rank = true;
  if (r->rank < 0) mill_note(r->common, NO_RANK);
  return r->rank >= 0;
}

static int rows_process(void *instance, MillBatch *b)
{
  DeviceRows *r = instance;
  uint32_t n = b->n_events;
  if (r->device.is_named || !(r->has_side[DEVICE] || r->has_side[HOST]) || !has_rank(r)) return 0;
  for (uint32_t i = 0; i < n; i++) {
    int status = name_in_order(r, b, i);
    if (status == 0) status = move(r, b, i);
    if (status < 0) return status;
  }
  return 0;
}

static int rows_flush(void *instance, MillBatch *b)
{
  DeviceRows *r = instance;
  if (r->is_named || r->device.is_named || !r->knows_rank || r->rank < 0) return 0;
  return name_sides(r, b, MILL_AT_END);
}

static const MillNotice notices[] = {
  MILL_INFO(NO_RANK, "{lane} has no rank", "tracks of devices and hosts keep their process numbers",
            "name the ranks with --rank-regex",
            "The tracks of a device belong to the process whose number is the rank; the tracks of "
            "its host belong to process rank + 1000. Without a rank, two inputs would share these "
            "numbers. The rank is in the metadata of an input or in its name; stagemill info shows "
            "it."),
};

static const MillRead reads[] = { DEVICE_HAS_READS };
static const char *const needs[] = { "slices", NULL };
static const char *const provides[] = { "attr.device", NULL };

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = rows_open,
                                  .observe = rows_observe,
                                  .process = rows_process,
                                  .flush = rows_flush };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP | MILL_MAY_EMIT,
  .name = "device-rows",
  .family = "view",
  .version = "1.0.0",
  .tag = "ROWS",
  .title = "Name and number the tracks of devices and hosts by rank",
  .help = "Moves device work to process R (the rank) and host work to process R + 1000, with the "
          "names AIU DeviceR and HostR. Device slices get the attribute device and a category: "
          "kernel, gpu_memcpy or user_annotation. Torch traces are not changed.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(notices, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
