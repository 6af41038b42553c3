/* The allreduce-csv source: measured times of all-reduce strategies. */
#include "allreduce-csv.h"

#include <string.h>

#include "kit/read/input.h"

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  *out_instance = s;
  return 0;
}

/* "benchmark.tp8.sm90.csv": the number after sm, where a word begins. */
static void describe_sm(const MillSourceHost *host)
{
  MillLane lane = { .size = sizeof lane };
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  g_autofree char *base = g_path_get_basename(lane.path ? lane.path : lane.name);
  for (const char *p = strstr(base, "sm"); p; p = strstr(p + 1, "sm")) {
    size_t n = strspn(p + 2, "0123456789");
    if ((p > base && g_ascii_isalnum(p[-1])) || n == 0 || n > 6) continue;
    g_autofree char *tag = g_strdup_printf("sm=%.*s", (int)n, p + 2);
    input_describe(host, "tag", tag);
    return;
  }
}

static int describe(void *instance)
{
  const Source *s = instance;
  input_tag_file(s->host);
  describe_sm(s->host);
  return 0;
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "tp",    "fusion", "strategy", "tokens", "hidden",
                                            "bytes", "op",     "dtype",    "time_us" };
  Source *s = instance;
  csv_input_open(&s->in, s->host);
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->record = record_symbol(s->host->common, "allreduce.row");
  return 0;
}

static void close_source(void *instance) { csv_input_close(&((Source *)instance)->in); }

static const char *const provides[] = { "input.allreduce", "input.allreduce-times", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = allreduce_csv_probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = allreduce_csv_next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "allreduce-csv",
  .version = "0.1.0",
  .tag = "ARCSV",
  .title = "Measured times of all-reduce strategies (CSV of TensorRT-LLM's benchmark)",
  .help = "Reads the files of TensorRT-LLM's all-reduce benchmark, in all of its forms, with "
          "columns in any order.  Each row becomes a record allreduce.row with its time in "
          "microseconds; the number after sm in the name of the file becomes the tag sm.",
  .provides = provides,
  .notices = MILL_ROWS(allreduce_csv_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
