/* The nsys-csv source: kernel summaries of Nsight Systems as tables of text. */
/* SPDX-License-Identifier: MIT */
#include "nsys-csv.h"

#include <string.h>

#include "kit/read/input.h"
#include "kit/read/source-new.h"

static int64_t read_bytes(void *user, char *buffer, size_t max)
{
  const MillSourceHost *host = user;
  return host->read(host, buffer, max);
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
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
  static const char *const keys[N_COLUMNS] = { "kernel", "total_ns", "count",  "avg_ns", "med_ns",
                                               "min_ns", "max_ns",   "std_ns", "pct" };
  Source *s = instance;
  text_reader_init(&s->text, read_bytes, (void *)s->host);
  s->csv = csv_new(text_reader_read, &s->text);
  record_init(&s->writer, s->host, keys, N_COLUMNS);
  s->record = symbol_of(s->host->common, "kernel.row");
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  csv_free(s->csv);
  text_reader_clear(&s->text);
  search_clear(&s->search);
}

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = nsys_probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = nsys_next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "nsys-csv",
  .version = "0.1.0",
  .tag = "NSYS",
  .title = "Kernel summaries of Nsight Systems (CSV from nsys stats or from its window)",
  .help =
      "Reads the table of GPU kernels that nsys stats prints or writes (cuda_gpu_kern_sum and its "
      "predecessor), with or without the lines around it, and the one exported from the window, in "
      "any of their encodings, separators and units. Each row becomes a record kernel.row with "
      "exact nanoseconds, in the order of the file.",
  .provides = provides,
  .notices = MILL_ROWS(nsys_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
