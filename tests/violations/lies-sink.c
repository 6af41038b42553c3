/* A sink that tells one lie of a table; see lies.h. */
/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stagemill/sink.h>
#include <stdio.h>
#include <unistd.h>

#include "lies.h"

typedef struct Lie {
  const char *name;
  int (*tell)(const MillSinkHost *h, const MillBatch *b, const MillResults *r);
} Lie;
#define LIE(name) static int name(const MillSinkHost *h, const MillBatch *b, const MillResults *r)
#define UNUSED (void)h, (void)b, (void)r

static int file(const MillSinkHost *h, const char *name) { return h->output(h, name, NULL, "x", 1); }

LIE(file_without_a_name) { UNUSED; return file(h, NULL); }
LIE(file_of_no_name) { UNUSED; return file(h, ""); }
LIE(file_at_the_root) { UNUSED; return file(h, "/tmp/rogue-sink-was-here"); }
LIE(file_above) { UNUSED; return file(h, "a/../../b"); }
LIE(file_that_is_the_folder) { UNUSED; return file(h, "."); }
LIE(file_with_a_line) { UNUSED; return file(h, "a\nb"); }
LIE(file_of_odd_bytes) { UNUSED; return file(h, NOT_UTF8); }
LIE(file_with_a_long_name)
{
  static char name[5000];
  UNUSED;
  memset(name, 'x', sizeof name - 1);
  return file(h, name);
}
LIE(file_of_the_program) { UNUSED; return file(h, "run.json"); }
LIE(folder_of_a_file)
{
  UNUSED;
  int status = file(h, "a");
  return status ? status : file(h, "a/b");
}
LIE(bytes_of_nothing) { UNUSED; return h->output(h, "rows", NULL, NULL, 10); }
LIE(absurd_bytes) { UNUSED; return h->output(h, "rows", NULL, "x", SIZE_MAX / 2); }
LIE(writes_events) { UNUSED; mill_events((MillBatch *)(uintptr_t)b)[0].ts_ns += 5; return file(h, "rows"); }
LIE(writes_attributes) { UNUSED; ((MillAttr *)(uintptr_t)b->attrs)[0].u.i = 77; return file(h, "rows"); }
LIE(writes_the_header) { UNUSED; ((MillBatch *)(uintptr_t)b)->n_events = 0; return file(h, "rows"); }
LIE(writes_raw_bytes) { UNUSED; ((char *)(uintptr_t)b->raw_)[b->events[0].raw_off + 1] = 'Z'; return file(h, "rows"); }
LIE(reads_past_the_events) { UNUSED; volatile int64_t seen = b->events[b->n_events].ts_ns; (void)seen; return file(h, "rows"); }
LIE(prints) { UNUSED; return printf("rogue\n") < 0; }
LIE(member_of_no_lane)
{
  MillValue key, json;
  bool after;
  UNUSED;
  return h->lane_member(h, 1u << 30, 0, &after, &key, &json) ? -1 : file(h, "rows");
}
LIE(ends_the_program) { UNUSED; _exit(0); }
LIE(place_in_write) { UNUSED; return h->place(h, "x") ? 0 : -MILL_STAGE_FAILED; }
LIE(fails_while_writing)
{
  UNUSED;
  file(h, "rows");
  return mill_fail(h->common, MILL_OUTPUT_FAILED, "it had to", NULL);
}

LIE(place_above) { UNUSED; return h->place(h, "../stolen") ? 0 : -MILL_OUTPUT_FAILED; }
LIE(place_without_a_name) { UNUSED; return h->place(h, NULL) ? 0 : -MILL_OUTPUT_FAILED; }
LIE(place_of_a_folder)
{
  UNUSED;
  const char *path = h->place(h, "folder");
  char command[4200];
  snprintf(command, sizeof command, "mkdir '%s'", path ? path : "");
  return system(command) ? -MILL_OUTPUT_FAILED : 0;
}
LIE(place_of_a_link)
{
  UNUSED;
  const char *path = h->place(h, "link");
  return path ? symlink("/etc/hostname", path) : -MILL_OUTPUT_FAILED;
}
LIE(place_that_is_a_file)
{
  UNUSED;
  int status = h->output(h, "twice", NULL, "x", 1);
  return status ? status : h->place(h, "twice") ? 0 : -MILL_OUTPUT_FAILED;
}
LIE(rows_that_are_not_there)
{
  MillTableResult table = { .size = sizeof table };
  UNUSED;
  if (r->table(r, 1u << 30, &table)) return -1;
  return r->row(r, 1u << 30, 0) || r->row(r, 0, UINT64_MAX) ? -1 : file(h, "rows");
}
LIE(results_of_no_size)
{
  MillTableResult table = { .size = 0 };
  MillMetricResult metric = { .size = 0 };
  UNUSED;
  r->table(r, 0, &table);
  r->metric(r, 0, &metric);
  return table.table || metric.metric ? -1 : file(h, "rows");
}
LIE(info_of_nothing) { UNUSED; return r->info(r, "rogue") ? -1 : file(h, "rows"); }
LIE(writes_results)
{
  UNUSED;
  MillMetricResult metric = { .size = sizeof metric };
  if (!r->n_metrics || !r->metric(r, 0, &metric)) return -1;
  ((char *)(uintptr_t)metric.name)[0] = 'Z';
  return file(h, "rows");
}
LIE(asks_for_the_lane_in_results) { UNUSED; h->common->track_lane(h->common, 5); return file(h, "rows"); }

#define AT(name) { #name, name }
static const Lie in_write[] = {
  AT(file_without_a_name), AT(file_of_no_name), AT(file_at_the_root), AT(file_above), AT(file_that_is_the_folder),
  AT(file_with_a_line), AT(file_of_odd_bytes), AT(file_with_a_long_name), AT(file_of_the_program),
  AT(folder_of_a_file), AT(bytes_of_nothing), AT(absurd_bytes), AT(writes_events), AT(writes_attributes),
  AT(writes_the_header), AT(writes_raw_bytes), AT(reads_past_the_events), AT(prints), AT(member_of_no_lane),
  AT(ends_the_program), AT(place_in_write), AT(fails_while_writing),
};
static const Lie in_results[] = {
  AT(place_above), AT(place_without_a_name), AT(place_of_a_folder), AT(place_of_a_link), AT(place_that_is_a_file),
  AT(rows_that_are_not_there), AT(results_of_no_size), AT(info_of_nothing), AT(writes_results),
  AT(asks_for_the_lane_in_results),
};

static bool tell(const Lie *lies, uint32_t n, const MillSinkHost *h, const MillBatch *b, const MillResults *r, int *out)
{
  for (uint32_t k = 0; k < n; k++)
    if (is_lie(lies[k].name)) {
      *out = lies[k].tell(h, b, r);
      return true;
    }
  return false;
}

static int liar_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)options;
  if (is_lie("opens_nothing")) return 0;
  if (is_lie("refuses_the_run") && level == MILL_RUN) return -MILL_STAGE_FAILED;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int liar_write(void *instance, const MillBatch *b)
{
  int status = 0;
  if (!instance || !b->n_events) return 0;
  return tell(in_write, MILL_COUNT(in_write), instance, b, NULL, &status) ? status : file(instance, "rows");
}

static int liar_finish(void *instance)
{
  (void)instance;
  return is_lie("fails_silently_at_the_end") ? -1 : 0;
}

static int liar_begin(void *instance)
{
  (void)instance;
  return is_lie("positive_begin");
}

static int liar_results(void *instance, const MillResults *r)
{
  int status = 0;
  if (!instance) return 0;
  tell(in_results, MILL_COUNT(in_results), instance, NULL, r, &status);
  return status;
}

static int liar_finish_run(void *instance)
{
  (void)instance;
  if (is_lie("crashes_at_the_end")) raise(SIGSEGV);
  return is_lie("positive_finish_run");
}

static const MillSinkOps ops = {
  .size = sizeof ops,
  .open = liar_open,
  .write = liar_write,
  .finish = liar_finish,
  .begin_run = liar_begin,
  .results = liar_results,
  .finish_run = liar_finish_run,
};
static const MillRead reads[] = { { "x", MILL_AS_INT, 0 } };
static const MillSink sink = {
  .size = sizeof sink,
  .flags = MILL_READS_RAW,
  .name = "rogue.lies-sink",
  .format = "lies-sink",
  .version = "1.0.0",
  .tag = "LIESW",
  .title = "Tell a lie",
  .help = "Breaks one promise.",
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "rogue", "MIT");
