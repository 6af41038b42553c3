/* The nsys-sqlite source: events, and summaries of kernels, of databases that Nsight Systems exports. */
/* SPDX-License-Identifier: MIT */
#include "nsys-sqlite.h"

#include <string.h>

#include "kit/read/input.h"
#include "kit/read/source-new.h"

static const char first_bytes[] = "SQLite format 3"; /* with its NUL */

/* A report that was not exported is recognised, so that the command to export it can be named. */
static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  if (database_is_report(name)) return 60;
  return len >= sizeof first_bytes && memcmp(bytes, first_bytes, sizeof first_bytes) == 0 ? 60 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  s->options = options;
  groups_init(&s->groups, s->common->seed);
  return 0;
}

static const char *const provides[] = { "events", "order.lane", NULL };
static const char *const may_provide[] = {
  "input.kernel-summary", "device-work", "launches", "operators", "annotations", NULL
};

/* What was unpacked stays open; else many inputs may be open at once. */
static int describe(void *instance)
{
  Source *s = instance;
  input_tag_file(s->host);
  int status = database_open(s);
  if (!status) status = lanes_describe(s);
  if (!s->is_unpacked) database_close(s);
  return status;
}

/* Whether a stage reads the rows of a kernel table. */
static bool wants_groups(const Source *s)
{
  MillReadRows reads = s->host->wanted(s->host);
  for (uint32_t i = 0; i < reads.n; i++) {
    const MillRead *r = MILL_AT(MillRead, reads, i);
    if (!strcmp(r->name, "total_ns") && r->kinds == MILL_KIND(MILL_RECORD)) return true;
  }
  return false;
}

static int start_groups(Source *s)
{
  static const char *const keys[N_KEYS] = { "kernel", "total_ns", "count",  "avg_ns", "med_ns",
                                            "min_ns", "max_ns",   "std_ns", "pct",    "device" };
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->record = symbol_of(s->common, "kernel.row");
  return database_prepare_groups(s);
}

static int start(void *instance)
{
  Source *s = instance;
  s->gives_events = !wants_groups(s);
  int status = database_open(s);
  if (status) return status;
  if (!s->gives_events) return start_groups(s);
  events_prepare(s);
  status = database_check_events(s);
  if (!status && s->part == 0) lanes_note_schema(s);
  return status;
}

static int next(void *instance, MillBatch *batch)
{
  Source *s = instance;
  if (s->gives_events) return events_next(s, batch);
  return s->part ? MILL_NEXT_END : summary_next(s, batch); /* the first lane sums up all */
}

static void close_source(void *instance)
{
  Source *s = instance;
  merge_close(s);
  database_close(s);
  groups_clear(&s->groups);
  g_clear_pointer(&s->processes, g_array_unref);
}

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillOption options[] = {
  MILL_REGEX_OPTION(Options, steps, "steps", "^(ProfilerStep#|step|iteration)\\W*\\d+$",
                    "Ranges that are steps; their number is the last one in the name"),
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "nsys-sqlite",
  .options_size = sizeof(Options),
  .version = "1.0.0",
  .tag = "NSQL",
  .title = "Databases that Nsight Systems exports (SQLite)",
  .help =
      "Reads the database that nsys export writes, plain or compressed: kernels, copies, calls, "
      "ranges of NVTX and the rest of its tables become events in order of time, with the "
      "categories of PyTorch's traces, so that the same stages read them; each process is an input "
      "of its own. Stages that read kernel tables get time, number, mean, median, extremes and "
      "deviation of each kernel, for all devices together and, if there are several, for each.",
  .provides = provides,
  .may_provide = may_provide,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(nsql_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
