/* Bytes that a launch moved, tensor operations that it executed, and how far its threads came. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/trace/probe.h"

enum { TABLE_BYTES, TABLE_OPERATIONS, TABLE_PROGRESS, TABLE_BLOCKS };
enum { METRIC_BYTES, METRIC_OPERATIONS };
enum { NOTICE_JOINED = 20, MAX_ROWS = 16384 };

typedef struct Part { /* of consecutive blocks */
  uint64_t bytes, operations;
} Part;

typedef struct Section { /* of program_progress: samples; of tensorop_count: operations */
  uint64_t threads, active, total, min, max;
  uint64_t first, last; /* clocks */
  int64_t capacity;
} Section;

typedef struct Thread { /* at hand: its record may go on */
  Section *section;     /* NULL: none */
  uint64_t id, sum;
} Thread;

typedef struct Traffic {
  const MillStageHost *host;
  ProbeReader reader;
  uint64_t sync, async, operations;
  bool has_bytes, has_operations;
  Section *sections; /* PROBE_MAX_SECTIONS */
  Thread thread;
  Part *parts;    /* MAX_ROWS */
  uint32_t shift; /* blocks of a part: 1 << shift */
  uint64_t n_parts;
} Traffic;

static int traffic_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Traffic *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  probe_open(&x->reader, host->common);
  x->parts = mill_new(host->common, MAX_ROWS * sizeof *x->parts);
  x->sections = mill_new(host->common, PROBE_MAX_SECTIONS * sizeof *x->sections);
  *out_instance = x;
  return x->parts && x->sections ? 0 : -MILL_LIMIT;
}

static Part *part_of(Traffic *x, uint64_t block)
{
  while (block >> x->shift >= MAX_ROWS) {
    for (uint64_t i = 0; i < MAX_ROWS / 2; i++) {
      x->parts[i] = x->parts[2 * i];
      x->parts[i].bytes += x->parts[2 * i + 1].bytes;
      x->parts[i].operations += x->parts[2 * i + 1].operations;
    }
    memset(x->parts + MAX_ROWS / 2, 0, MAX_ROWS / 2 * sizeof *x->parts);
    x->shift++;
    x->n_parts = (x->n_parts + 1) / 2;
  }
  if (x->n_parts <= block >> x->shift) x->n_parts = (block >> x->shift) + 1;
  return &x->parts[block >> x->shift];
}

/* Of the values of one field, which begin at *io_at: it comes to their end. */
static uint64_t sum_list(const MillAttr **io_at, const MillAttr *end)
{
  const MillAttr *a = *io_at;
  MillSym key = a->key;
  uint64_t sum = 0;
  for (; a < end && a->key == key; a++) sum += (uint64_t)a->u.i;
  *io_at = a;
  return sum;
}

static void add_bytes(Traffic *x, const ProbeUnit *u)
{
  Part *part = part_of(x, (uint64_t)u->block);
  for (const MillAttr *a = u->fields; a < u->end;) {
    MillSym key = a->key;
    uint64_t sum = sum_list(&a, u->end);
    if (key == x->reader.keys[PROBE_SYNC])
      x->sync += sum;
    else if (key == x->reader.keys[PROBE_ASYNC])
      x->async += sum;
    else
      continue;
    part->bytes += sum;
  }
}

static void add_thread(Section *s, uint64_t sum)
{
  if (s->threads++ == 0 || sum < s->min) s->min = sum;
  if (sum > s->max) s->max = sum;
  s->active += sum > 0;
  s->total += sum;
}

static void end_thread(Thread *t)
{
  if (t->section) add_thread(t->section, t->sum);
  t->section = NULL;
}

/* A thread's sum grows with each of its records. */
static void add_to_thread(Traffic *x, const MillEvent *e, const ProbeUnit *u, uint64_t sum)
{
  Thread *t = &x->thread;
  Section *section = &x->sections[u->section - x->reader.sections];
  if (t->section != section || t->id != e->id || u->place == 0) {
    end_thread(t);
    *t = (Thread){ .section = section, .id = e->id };
    section->capacity = u->section->capacity;
  }
  t->sum += sum;
}

/* A list is of the places of one thread, or of threads with one place each. */
static void add_operations(Traffic *x, const MillEvent *e, const ProbeUnit *u)
{
  size_t n;
  const MillAttr *a = probe_list(&x->reader, u, PROBE_COUNT, &n);
  uint64_t total = 0;
  for (size_t i = 0; i < n; i++) total += (uint64_t)a[i].u.i;
  if (u->section->capacity > 1) {
    add_to_thread(x, e, u, total);
  } else {
    Section *section = &x->sections[u->section - x->reader.sections];
    section->capacity = 1;
    for (size_t i = 0; i < n; i++) add_thread(section, (uint64_t)a[i].u.i);
  }
  x->operations += total;
  part_of(x, (uint64_t)u->block)->operations += total;
}

static void add_progress(Traffic *x, const MillEvent *e, const ProbeUnit *u)
{
  Section *s = &x->sections[u->section - x->reader.sections];
  bool any = s->last > 0;
  uint64_t samples = 0;
  for (const MillAttr *a = u->fields; a < u->end; a++) {
    uint64_t clock = (uint64_t)a->u.i;
    if (a->key != x->reader.keys[PROBE_CLOCK] || clock == 0) continue;
    if (!any || clock < s->first) s->first = clock;
    if (clock > s->last) s->last = clock;
    any = true;
    samples++;
  }
  add_to_thread(x, e, u, samples);
}

static int traffic_process(void *instance, MillBatch *b)
{
  Traffic *x = instance;
  const MillEvent *e;
  ProbeUnit u;
  for (uint32_t i = 0; (e = probe_next_unit(&x->reader, b, &i, &u));) {
    if (u.block < 0) continue;
    if (u.section->kind == PROBE_GMEM) {
      x->has_bytes = true;
      add_bytes(x, &u);
    } else if (u.section->kind == PROBE_TENSOROP) {
      x->has_operations = true;
      add_operations(x, e, &u);
    } else if (u.section->kind == PROBE_PROGRESS) {
      add_progress(x, e, &u);
    }
  }
  return 0;
}

/* ------------------------------------------------------------------ report */

typedef struct ByteRow {
  int64_t sync_bytes, async_bytes, total_bytes;
  MillText published;
} ByteRow;

static int bytes_row(const Traffic *x)
{
  char line[64];
  uint64_t total = x->sync + x->async;
  int len = snprintf(line, sizeof line, "gmem_bytes:%" PRIu64, total);
  const ByteRow row = {
    .sync_bytes = (int64_t)x->sync,
    .async_bytes = (int64_t)x->async,
    .total_bytes = (int64_t)total,
    .published = { line, (size_t)len },
  };
  int status = mill_row(x->host, TABLE_BYTES, &row);
  return status < 0 ? status
                    : x->host->metric(x->host, METRIC_BYTES, NULL, mill_int((int64_t)total), 1);
}

typedef struct OperationRow {
  int64_t section, total, threads, active_threads, maximum;
} OperationRow;

static int operations_row(const Traffic *x, uint32_t number)
{
  const Section *s = &x->sections[number];
  const OperationRow row = {
    .section = number,
    .total = (int64_t)s->total,
    .threads = (int64_t)s->threads,
    .active_threads = (int64_t)s->active,
    .maximum = (int64_t)s->max,
  };
  return mill_row(x->host, TABLE_OPERATIONS, &row);
}

typedef struct ProgressRow {
  int64_t section, samples, per_thread_min, per_thread_max, capacity, first_clock, last_clock;
} ProgressRow;

static int progress_row(const Traffic *x, uint32_t number)
{
  const Section *s = &x->sections[number];
  const ProgressRow row = {
    .section = number,
    .samples = (int64_t)s->total,
    .per_thread_min = (int64_t)s->min,
    .per_thread_max = (int64_t)s->max,
    .capacity = s->capacity,
    .first_clock = s->total ? (int64_t)s->first : MILL_NO_INT,
    .last_clock = s->total ? (int64_t)s->last : MILL_NO_INT,
  };
  return mill_row(x->host, TABLE_PROGRESS, &row);
}

static int section_rows(const Traffic *x)
{
  int status = 0;
  for (uint32_t i = 0; i < x->reader.n_sections && status == 0; i++) {
    if (x->sections[i].threads == 0) continue;
    bool operations = x->reader.sections[i].kind == PROBE_TENSOROP;
    status = operations ? operations_row(x, i) : progress_row(x, i);
  }
  return status;
}

typedef struct BlockRow {
  int64_t block, bytes, operations;
} BlockRow;

static int block_rows(const Traffic *x)
{
  int status = 0;
  for (uint64_t i = 0; i < x->n_parts && status == 0; i++) {
    const BlockRow row = {
      .block = (int64_t)(i << x->shift),
      .bytes = x->has_bytes ? (int64_t)x->parts[i].bytes : MILL_NO_INT,
      .operations = x->has_operations ? (int64_t)x->parts[i].operations : MILL_NO_INT,
    };
    status = mill_row(x->host, TABLE_BLOCKS, &row);
  }
  return status;
}

static int traffic_report(void *instance)
{
  Traffic *x = instance;
  int status = 0;
  end_thread(&x->thread);
  if (x->shift) mill_note(x->host->common, NOTICE_JOINED);
  if (x->has_bytes) status = bytes_row(x);
  if (status == 0) status = section_rows(x);
  if (status == 0 && x->has_operations)
    status = x->host->metric(x->host, METRIC_OPERATIONS, NULL, mill_int((int64_t)x->operations), 1);
  if (status == 0 && !x->has_bytes)
    status = x->host->no_metric(x->host, METRIC_BYTES, NULL, "the trace has no gmem_bytes");
  if (status == 0 && !x->has_operations)
    status =
        x->host->no_metric(x->host, METRIC_OPERATIONS, NULL, "the trace has no tensorop_count");
  return status < 0 ? status : block_rows(x);
}

/* ---------------------------------------------------------- the descriptor */

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_JOINED, "{count} launch[|es] [has|have] more than 16,384 blocks",
            "a row of traffic-block covers several blocks, from the block in the row on", NULL,
            "Neighbouring rows are merged in pairs until there are at most 16,384."),
};

static const MillRead reads[] = { PROBE_READS, RECORD_INT("sync"), RECORD_INT("async"),
                                  RECORD_INT("count"), RECORD_INT("clock") };

static const MillColumn byte_columns[] = {
  MILL_BRIEF(ByteRow, sync_bytes, "sync", "bytes", "Bytes of loads and stores"),
  MILL_BRIEF(ByteRow, async_bytes, "async", "bytes", "Bytes of asynchronous copies"),
  MILL_BRIEF(ByteRow, total_bytes, "total", "bytes", "Sum of both"),
  MILL_BRIEF(ByteRow, published, "published", NULL, "Line that the published program prints"),
};
static const MillColumn operation_columns[] = {
  MILL_KEY(OperationRow, section, "section", NULL, "Number of the section in the trace"),
  MILL_BRIEF(OperationRow, total, "total", "count", "Tensor operations, summed over threads"),
  MILL_BRIEF(OperationRow, threads, "threads", "count", "Threads of the launch"),
  MILL_BRIEF(OperationRow, active_threads, "active_threads", "count",
             "Threads that executed a tensor operation"),
  MILL_BRIEF(OperationRow, maximum, "maximum", "count",
             "Largest number of tensor operations of a thread"),
};
static const MillColumn progress_columns[] = {
  MILL_KEY(ProgressRow, section, "section", NULL, "Number of the section in the trace"),
  MILL_BRIEF(ProgressRow, samples, "samples", "count", "Branches that were recorded"),
  MILL_BRIEF(ProgressRow, per_thread_min, "per_thread_min", "count",
             "Smallest number of branches of a thread"),
  MILL_BRIEF(ProgressRow, per_thread_max, "per_thread_max", "count",
             "Largest number of branches of a thread"),
  MILL_COLUMN(ProgressRow, capacity, "capacity", "count", 0,
              "Branches for which a thread has room"),
  MILL_COLUMN(ProgressRow, first_clock, "first_clock", "ticks", 0, "Lowest clock"),
  MILL_COLUMN(ProgressRow, last_clock, "last_clock", "ticks", 0, "Highest clock"),
};
static const MillColumn block_columns[] = {
  MILL_KEY(BlockRow, block, "block", NULL, "Number of the block"),
  MILL_COLUMN(BlockRow, bytes, "bytes", "bytes", 0, "Bytes that the block moved"),
  MILL_COLUMN(BlockRow, operations, "operations", "count", 0, "Tensor operations of the block"),
};

static const MillTable tables[] = {
  [TABLE_BYTES] = { .per = MILL_PER_LANE,
                    .brief_rows = 12,
                    .name = "gmem-bytes",
                    .help = "Bytes of global memory that a launch moved",
                    .columns = MILL_ROWS(byte_columns) },
  [TABLE_OPERATIONS] = { .per = MILL_PER_LANE,
                         .brief_rows = 12,
                         .name = "tensorop",
                         .help = "Tensor operations that a launch executed",
                         .columns = MILL_ROWS(operation_columns) },
  [TABLE_PROGRESS] = { .per = MILL_PER_LANE,
                       .brief_rows = 12,
                       .name = "progress",
                       .help = "Branches of a launch",
                       .columns = MILL_ROWS(progress_columns) },
  [TABLE_BLOCKS] = { .per = MILL_PER_LANE,
                     .name = "traffic-block",
                     .help = "Bytes and operations by block",
                     .columns = MILL_ROWS(block_columns) },
};

static const MillMetric metrics[] = {
  [METRIC_BYTES] = { .per = MILL_PER_LANE,
                     .kind = MILL_INT,
                     .name = "gmem_bytes",
                     .unit = "bytes",
                     .help = "Bytes of global memory that a launch moved" },
  [METRIC_OPERATIONS] = { .per = MILL_PER_LANE,
                          .kind = MILL_INT,
                          .name = "tensorops",
                          .unit = "count",
                          .help = "Tensor operations that a launch executed" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_LINE,
    .name = "traffic-block",
    .title = "Bytes by Block",
    .table = "traffic-block",
    .x = "block",
    .y = "bytes",
    .flags = MILL_FIGURE_STEP },
};

static const char *const needs[] = { "probe.counts", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = traffic_open,
  .process = traffic_process,
  .report = traffic_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "traffic",
  .family = "probe",
  .version = "1.0.0",
  .tag = "TRAFIC",
  .title = "Bytes and tensor operations of a launch",
  .help = "Sums the bytes of global memory, the tensor operations and the branches that a probe "
          "counted for each thread.",
  .needs = needs,
  OWN_ROWS(notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
