/* Slices for the time that firmware spent on events, from fw_begin_time and fw_end_time in cycles.
 * State of a lane: the row of each process. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <string.h>

#include "base/num-digits.h"
#include "kit/declare/rows.h"
#include "kit/trace/flow-ids.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "clock/lib/rate.h"
#include "kit/trace/stamps.h"

enum { HALF = 1, REVERSED = 2, BEFORE_ZERO = 3 };

typedef struct Options {
  double soc_mhz;
} Options;

typedef struct Firmware {
  const MillStageHost *host;
  const MillHost *common;
  int64_t hz;
  MillSym begin_key, end_key, flow_name, cat, row_name;
  uint32_t *rows; /* by an event's track: that of its process's firmware + 1; 0: not known */
  size_t n_rows;
  FlowIds ids;
} Firmware;

static int firmware_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out)
{
#define SYMBOL(text) host->common->intern(host->common, text, sizeof(text) - 1)
  const Options *o = options;
  (void)self, (void)level;
  Firmware *f = instance_new(Firmware, host, out);
  if (!f) return -MILL_LIMIT;
  f->hz = stamps_hz(o->soc_mhz);
  f->begin_key = SYMBOL("fw_begin_time");
  f->end_key = SYMBOL("fw_end_time");
  f->flow_name = SYMBOL("fw2e");
  f->cat = SYMBOL("firmware");
  f->row_name = SYMBOL("Firmware");
  return 0;
#undef SYMBOL
}

static void note(const Firmware *f, uint32_t number, const MillBatch *batch, uint32_t index)
{
  f->common->note(f->common, number, batch, index, NULL, 0);
}

static bool read_count(const MillBatch *batch, const MillAttr *attr, int64_t *out)
{
  size_t len;
  if (!attr) return false;
  if ((attr->type & MILL_ATTR_TYPE) == MILL_INT) {
    *out = attr->u.i;
    return true;
  }
  const char *text = mill_attr_text(batch, attr, &len);
  return text && digits_read(text, len, out);
}

/* A counter of 32 bits may have wrapped in between. */
static bool cycles_between(int64_t begin, int64_t end, int64_t *out)
{
  if (__builtin_sub_overflow(end, begin, out)) return false;
  if (*out < 0 && end >= 0 && begin < RATE_PERIOD) *out += RATE_PERIOD;
  return *out >= 0;
}

/* How long firmware worked on the event; false when it says nothing of that, or nothing sound. */
static bool find_span(const Firmware *f, const MillBatch *batch, uint32_t index, int64_t *out_ns)
{
  const MillEvent *e = &batch->events[index];
  const MillAttr *from = mill_attr(batch, e, f->begin_key), *to = mill_attr(batch, e, f->end_key);
  int64_t begin, end, cycles;
  if (!from && !to) return false;
  if (!read_count(batch, from, &begin) || !read_count(batch, to, &end)) {
    note(f, HALF, batch, index);
    return false;
  }
  if (!cycles_between(begin, end, &cycles)) {
    note(f, REVERSED, batch, index);
    return false;
  }
  *out_ns = stamps_span_ns(f->hz, cycles);
  return *out_ns > 0;
}

static MillSym name_of(const Firmware *f, MillSym name)
{
  size_t len;
  const char *text = f->common->symbol_text(f->common, name, &len);
  char *with = f->common->scratch(f->common, len + 3);
  if (!with) return name;
  memcpy(with, "FW_", 3);
  memcpy(with + 3, text, len);
  return f->common->intern(f->common, with, len + 3);
}

static uint32_t row_of(Firmware *f, uint32_t track)
{
  MillTrack info = { .size = sizeof info };
  if (!array_reserve_at(f->common, &f->rows, &f->n_rows, track, sizeof *f->rows))
    return MILL_FAILED;
  if (f->rows[track]) return f->rows[track] - 1;
  f->common->track_info(f->common, track, &info);
  uint32_t row = f->host->track(f->host, info.process, mill_sym(f->row_name));
  if (row != MILL_FAILED) f->rows[track] = row + 1;
  return row;
}

/* The arrow goes from the slice's begin into the event, never back in time. */
static int emit_arrow(Firmware *f, MillBatch *batch, uint32_t index, const MillEvent *slice)
{
  const MillEvent *e = &batch->events[index];
  MillEvent end = { .ts_ns = slice->ts_ns > e->ts_ns ? slice->ts_ns : e->ts_ns,
                    .dur_ns = -1,
                    .id = flow_ids_next(&f->ids),
                    .name = f->flow_name,
                    .cat = f->cat,
                    .track = e->track,
                    .kind = MILL_FLOW_END,
                    .flags = MILL_FLAG_BIND_END,
                    .id_kind = MILL_ID_INT };
  MillEvent start = end;
  start.ts_ns = slice->ts_ns;
  start.track = slice->track;
  start.kind = MILL_FLOW_START;
  start.flags = 0;
  if (f->host->emit(f->host, batch, index, &start) == MILL_FAILED) return -MILL_LIMIT;
  return f->host->emit(f->host, batch, index, &end) == MILL_FAILED ? -MILL_LIMIT : 0;
}

static int show(Firmware *f, MillBatch *batch, uint32_t index, int64_t span_ns)
{
  const MillEvent *e = &batch->events[index];
  int64_t end_ns, dur_ns = e->dur_ns > 0 ? e->dur_ns : 0;
  MillEvent slice = { .dur_ns = span_ns, .kind = MILL_SLICE, .cat = f->cat };
  if (__builtin_add_overflow(e->ts_ns, dur_ns, &end_ns) ||
      __builtin_sub_overflow(end_ns, span_ns, &slice.ts_ns) || slice.ts_ns < 0) {
    note(f, BEFORE_ZERO, batch, index);
    return 0;
  }
  slice.name = name_of(f, e->name);
  slice.track = row_of(f, e->track);
  if (slice.track == MILL_FAILED) return -MILL_LIMIT;
  if (f->host->emit(f->host, batch, index, &slice) == MILL_FAILED) return -MILL_LIMIT;
  return emit_arrow(f, batch, index, &slice);
}

static int firmware_process(void *instance, MillBatch *batch)
{
  Firmware *f = instance;
  int64_t span_ns;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    const MillEvent *e = &batch->events[i];
    flow_ids_see(&f->ids, e);
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS || e->n_attrs == 0) continue;
    if (!find_span(f, batch, i, &span_ns)) continue;
    int status = show(f, batch, i, span_ns);
    if (status < 0) return status;
  }
  return 0;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = firmware_open,
  .process = firmware_process,
};

static const MillOption options[] = { STAMPS_SOC_OPTION(Options, soc_mhz) };

static const MillNotice notices[] = {
  MILL_WARNING(
      HALF, "{count} event[|s] in {lane} [has|have] only one of fw_begin_time and fw_end_time",
      "[its|their] firmware time is not shown",
      "check what wrote the trace: the firmware gives both or none",
      "The firmware time of an event is the time from fw_begin_time to fw_end_time. Both are "
      "counts of the device's counter: whole numbers, decimal or 0x texts. One of them is missing "
      "or cannot be read in the trace."),
  MILL_WARNING(
      REVERSED, "{count} event[|s] in {lane} [has|have] a fw_end_time before fw_begin_time",
      "[its|their] firmware time is not shown",
      "check whether its counter wrapped, or the values are damaged",
      "The counter has 32 bits, so a smaller end means one wrap. Here the counts are beyond 32 "
      "bits or negative, and the end is before the begin. The counts are damaged, or come from two "
      "counters."),
  MILL_WARNING(BEFORE_ZERO, "firmware of {count} event[|s] in {lane} would begin before time 0",
               "[its|their] firmware time is not shown",
               "check that soc-mhz is the device's frequency: --set soc-mhz=MHZ",
               "Firmware time ends with its event. By its cycles, it is longer than the time from "
               "the trace's begin to that end. Either soc-mhz is too low, or the counts are "
               "damaged."),
};

static const MillRead reads[] = {
  { "fw_begin_time", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "fw_end_time", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "slices", "clock.device", "clock.shared", NULL };
static const char *const spoils[] = { "order.lane", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "firmware",
  .family = "clock",
  .version = "1.0.0",
  .tag = "FW",
  .title = "Show the firmware time of events",
  .help = "Adds a slice FW_<name> for each slice with the attributes fw_begin_time and "
          "fw_end_time, which are counts of the device's counter. The new slice ends with the old "
          "one and is on a track Firmware of the same process; an arrow fw2e leads from the new to "
          "the old slice.",
  .needs = needs,
  .wants = wants,
  .spoils = spoils,
  OWN_ROWS(options, notices, reads),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
