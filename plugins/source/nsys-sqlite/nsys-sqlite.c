/* The nsys-sqlite source: kernel summaries computed from databases that Nsight Systems exports. */
#include "nsys-sqlite.h"

#include <string.h>

#include "kit/read/input.h"
#include "kit/read/source-new.h"

static const char first_bytes[] = "SQLite format 3"; /* with its NUL */

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self, (void)name;
  return len >= sizeof first_bytes && memcmp(bytes, first_bytes, sizeof first_bytes) == 0 ? 60 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  groups_init(&s->groups, s->common->seed);
  return 0;
}

static const char *const provides[] = { "input.kernel-summary", NULL };

static int describe(void *instance)
{
  const Source *s = instance;
  input_tag_file(s->host);
  return 0;
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "kernel", "total_ns", "count",  "avg_ns", "med_ns",
                                            "min_ns", "max_ns",   "std_ns", "pct",    "device" };
  Source *s = instance;
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->record = symbol_of(s->common, "kernel.row");
  return database_open(s);
}

static void close_source(void *instance)
{
  Source *s = instance;
  database_close(s);
  groups_clear(&s->groups);
}

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = summary_next,
  .close = close_source,
};

static const MillMagic magic[] = { { 0, sizeof first_bytes, first_bytes } };
static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "nsys-sqlite",
  .version = "0.1.0",
  .tag = "NSQL",
  .title = "Databases that Nsight Systems exports (SQLite): the kernel summary",
  .help =
      "Computes the summary of GPU kernels from the database that nsys export writes: time, "
      "number, mean, median, extremes and deviation of each kernel, for all devices together "
      "and, if there are several, for each. The file is opened for reading only and must not be "
      "compressed.",
  .provides = provides,
  .notices = MILL_ROWS(nsql_notices),
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
