/* What the allocator had given out on each device: the most at a time, and at the end.  Events may come in any order. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/names.h"
#include "kit/text/fields.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"

enum { NOTICE_NOTHING = 1 };
enum { TABLE_MEMORY };
enum { METRIC_PEAK };
enum { TYPE_CPU = 0 };
static const char event_name[] = "[memory]";

typedef struct Options {
  bool counters;
} Options;

typedef struct Device {
  bool is_cpu;
  int64_t peak, peak_ns, end, end_ns;
  int64_t allocations, frees;
} Device;

typedef struct Memory {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  MillSym name, total, bytes, id, type, value;
  Names names;
  Device *devices;
  size_t n_devices;
  int64_t peak; /* of devices other than the CPU; on the run level of all lanes */
  int64_t events;
} Memory;

static int memory_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  Memory *m = instance_new(Memory, host, out_instance);
  if (!m) return -MILL_LIMIT;
  m->names.common = host->common;
  m->options = *(const Options *)options;
  m->name = symbol_of(common, event_name);
  m->total = symbol_of(common, "Total Allocated");
  m->bytes = symbol_of(common, "Bytes");
  m->id = symbol_of(common, "Device Id");
  m->type = symbol_of(common, "Device Type");
  m->value = symbol_of(common, "bytes");
  return 0;
}

/* "cpu", "gpu 0"; NULL: memory was refused. */
static Device *device_of(Memory *m, const MillBatch *b, const MillEvent *e, uint32_t *out_number)
{
  char text[8 + DIGITS_MAX] = "gpu ";
  int64_t type = 1, id = 0;
  size_t len = 4;
  (void)mill_attr_int(b, e, m->type, &type);
  (void)mill_attr_int(b, e, m->id, &id);
  if (type == TYPE_CPU)
    memcpy(text, "cpu", len = 3);
  else
    len += digits_write(text + len, id);
  if (!names_number(&m->names, text, len, out_number) ||
      !array_reserve_at(m->common, &m->devices, &m->n_devices, *out_number, sizeof *m->devices))
    return NULL;
  m->devices[*out_number].is_cpu = type == TYPE_CPU;
  return &m->devices[*out_number];
}

/* Of equal peaks the first in time; of equal times the last in the file is the end. */
static void add_event(Memory *m, Device *d, int64_t ts_ns, int64_t total, int64_t bytes)
{
  bool first = d->allocations + d->frees == 0;
  if (first || total > d->peak || (total == d->peak && ts_ns < d->peak_ns)) {
    d->peak = total;
    d->peak_ns = ts_ns;
  }
  if (first || ts_ns >= d->end_ns) {
    d->end = total;
    d->end_ns = ts_ns;
  }
  d->allocations += bytes >= 0;
  d->frees += bytes < 0;
  m->events++;
  if (!d->is_cpu && total > m->peak) m->peak = total;
}

/* After the event itself. */
static int emit_counter(Memory *m, MillBatch *b, uint32_t i, uint32_t device, int64_t total)
{
  const KeyedEntry *entry = m->names.entries[device];
  Buffer name = { .common = m->common };
  if (!buffer_add(&name, "memory ", 7) || !buffer_add(&name, entry->key, entry->len))
    return -MILL_LIMIT;
  const MillEvent counter = { .ts_ns = b->events[i].ts_ns,
                              .dur_ns = -1,
                              .track = b->events[i].track,
                              .name = m->common->intern(m->common, name.text, name.len),
                              .kind = MILL_COUNTER };
  array_free(m->common, name.text);
  uint32_t index = m->host->emit(m->host, b, i, &counter);
  if (index == MILL_FAILED) return -MILL_LIMIT;
  return m->host->set(m->host, b, index, m->value, mill_int(total));
}

static int memory_process(void *instance, MillBatch *b)
{
  Memory *m = instance;
  const uint32_t n = b->n_events;
  int status = 0;
  for (uint32_t i = 0; i < n && status >= 0; i++) {
    const MillEvent *e = &b->events[i];
    int64_t total, bytes = 0;
    uint32_t number;
    if (e->kind != MILL_INSTANT || e->name != m->name || e->flags & MILL_FLAG_NO_TS) continue;
    if (!mill_attr_int(b, e, m->total, &total)) continue;
    (void)mill_attr_int(b, e, m->bytes, &bytes);
    Device *d = device_of(m, b, e, &number);
    if (!d) return -MILL_LIMIT;
    add_event(m, d, e->ts_ns, total, bytes);
    if (m->options.counters) status = emit_counter(m, b, i, number, total);
  }
  return status;
}

static int memory_flush(void *instance, MillBatch *b)
{
  const Memory *m = instance;
  (void)b;
  if (m->events == 0) mill_note(m->common, NOTICE_NOTHING);
  return 0;
}

/* ---- summaries and results */

static const StateField memory_fields[] = {
  STATE_MOST(Memory, peak),
  STATE_SUM(Memory, events),
};
static const StateType memory_state = STATE_TYPE(Memory, memory_fields);
STATE_RESULT(Memory, memory_state)

typedef struct MemoryRow {
  MillText device;
  int64_t peak_bytes, peak_at_ns, end_bytes, allocations, frees;
} MemoryRow;

static int memory_report(void *instance)
{
  const Memory *m = instance;
  int status = 0;
  for (size_t i = 0; i < m->names.n && status == 0; i++) {
    const Device *d = &m->devices[i];
    const MemoryRow row = {
      .device = { m->names.entries[i]->key, m->names.entries[i]->len },
      .peak_bytes = d->peak,
      .peak_at_ns = d->peak_ns,
      .end_bytes = d->end,
      .allocations = d->allocations,
      .frees = d->frees,
    };
    status = mill_row(m->host, TABLE_MEMORY, &row);
  }
  return status;
}

static int memory_report_run(void *instance)
{
  const Memory *m = instance;
  if (m->peak <= 0)
    return m->host->no_metric(m->host, METRIC_PEAK, NULL,
                              "no event has the size allocated on a device");
  return m->host->metric(m->host, METRIC_PEAK, NULL, mill_int(m->peak), (uint64_t)m->events);
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, counters, "counters", "false",
                   "Add counters with what is allocated to the trace"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "{lane} has no events of memory allocation",
            "the table memory leaves it out",
            "record memory: torch.profiler.profile(profile_memory=True)",
            "No instant [memory] has the attribute Total Allocated."),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(MemoryRow, device, "device", NULL, "cpu, or gpu and its number"),
  MILL_BRIEF(MemoryRow, peak_bytes, "peak", "bytes", "Largest allocated size"),
  MILL_COLUMN(MemoryRow, peak_at_ns, "peak_at", "ns", 0,
              "First time of this maximum, in the trace's time"),
  MILL_BRIEF(MemoryRow, end_bytes, "end", "bytes", "Size still allocated at the end"),
  MILL_COLUMN(MemoryRow, allocations, "allocations", "count", 0, "Number of allocations"),
  MILL_COLUMN(MemoryRow, frees, "frees", "count", 0, "Number of frees"),
};
static const MillTable tables[] = {
  [TABLE_MEMORY] = { .per = MILL_PER_LANE,
                     .brief_rows = 8,
                     .name = "memory",
                     .help = "Memory allocated on each device",
                     .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  [METRIC_PEAK] = { .per = MILL_PER_RUN,
                    .better = MILL_LOWER,
                    .kind = MILL_INT,
                    .name = "peak_memory",
                    .unit = "bytes",
                    .help = "Largest allocated size on any device of any rank, without the CPU" },
};

static const MillRead reads[] = {
  { "Total Allocated", MILL_AS_INT, MILL_KIND(MILL_INSTANT) },
  { "Bytes", MILL_AS_INT, MILL_KIND(MILL_INSTANT) },
  { "Device Id", MILL_AS_INT, MILL_KIND(MILL_INSTANT) },
  { "Device Type", MILL_AS_INT, MILL_KIND(MILL_INSTANT) },
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.memory", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = memory_open,
  .process = memory_process,
  .flush = memory_flush,
  .report = memory_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = memory_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "memory",
  .family = "torch",
  .version = "1.0.0",
  .tag = "TMEM",
  .title = "Memory allocated on each device",
  .help = "Reads the instants of PyTorch's allocator. Shows the largest allocated size, the size "
          "at the end, and counters.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
