/* The bench-json source: results of LLM serving benchmarks in JSON, of many producers. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/input.h"
#include "kit/read/run-names.h"
#include "kit/read/source-new.h"
#include "notices.h"
#include "source.h"

void bench_duplicate(Source *s)
{
  s->common->note(s->common, BENCH_DUPLICATE, NULL, MILL_NO_EVENT, NULL, 0);
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  (void)name;
  return kind_of(bytes, len).sure;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self;
  (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  s->scratch = g_string_new(NULL);
  return 0;
}

static const char *const provides[] = { "input.bench", NULL };

static int describe(void *instance)
{
  Source *s = instance;
  const char *bytes = NULL;
  int64_t len = s->host->peek(s->host, false, &bytes);
  if (len <= 0) return 0;
  Kind kind = kind_of(bytes, (size_t)len);
  if (kind.format != FORMAT_NONE) input_describe(s->host, "dialect", kind.dialect);
  return 0;
}

/* Memory for reading only now: many inputs may be open at once. */
static int start(void *instance)
{
  Source *s = instance;
  window_init(&s->window, s->host, &bench_window_notices);
  run_init(&s->run, s->common);
  s->window.refused = &s->run.memory.refused;
  s->started = true;
  emit_prepare(s);
  return 0;
}

static bool read_run(Source *s)
{
  Window *w = &s->window;
  run_reset(&s->run);
  if (s->in_list) return read_responses(s);
  int c = window_peek(w);
  if (w->status) return false;
  if (c < 0) return window_fail(w, BENCH_EMPTY, w->p, "the input is empty", NULL);
  if (!window_ensure(w, KIND_BYTES)) return false;
  Kind kind = kind_of(w->p, (size_t)(w->end - w->p));
  s->sample_std = strcmp(kind.dialect, "aiperf") == 0;
  switch (kind.format) {
  case FORMAT_FLAT: return read_flat(s);
  case FORMAT_METRICS: return read_metrics(s);
  case FORMAT_LINES: return read_lines(s);
  case FORMAT_RESPONSES: return read_responses(s);
  case FORMAT_REPORT: return read_report(s);
  default: return read_foreign(s);
  }
}

/* Of a file that was named itself; in a run folder these are told before, and weigh more.  What the result says comes
 * later, and wins. */
static void tell_names(const Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  g_autofree char *folder = lane.path ? names_folder_of(lane.path) : NULL;
  g_autofree char *name = folder ? names_of_run(folder) : NULL;
  g_autoptr(GPtrArray) tags = g_ptr_array_new_with_free_func(g_free);
  if (name) tags_add(tags, "run", name);
  if (name) names_hints(name, tags);
  names_label_tags(lane.label ? lane.label : "", tags);
  for (guint i = 0; i < tags->len; i++) input_describe(s->host, "tag", tags->pdata[i]);
}

static void tell_tags(Source *s)
{
  tell_names(s);
  for (guint i = 0; i < s->run.tags->len; i++)
    input_describe(s->host, "tag", s->run.tags->pdata[i]);
}

/* What `next` gives after a run. */
static int end_run(Source *s)
{
  s->section = AT_RUN;
  if (s->in_list && more_responses(s)) return MILL_NEXT_LANE;
  if (window_peek(&s->window) >= 0) return MILL_NEXT_LANE;
  return s->window.status ? s->window.status : MILL_NEXT_END;
}

static int skip(Source *s)
{
  s->host->describe(s->host, "skipped", mill_bool(true));
  return MILL_NEXT_END;
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  if (s->section == AT_RUN) {
    if (!read_run(s)) return s->run.memory.refused ? -MILL_LIMIT : s->window.status;
    if (s->is_foreign) return skip(s);
    s->has_runs = true;
    tell_tags(s);
    s->section = IN_REQUESTS;
  }
  if (s->section == IN_REQUESTS) {
    if (!emit_requests(s, b)) return MILL_NEXT_MORE;
    s->section = AT_TOTALS;
  }
  if (!emit_run(s, b)) return MILL_NEXT_MORE;
  return end_run(s);
}

static void close_source(void *instance)
{
  Source *s = instance;
  if (s->started) {
    window_clear(&s->window);
    run_clear(&s->run);
  }
  g_string_free(s->scratch, TRUE);
  g_free(s->beside);
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

static const MillMagic magic[] = {
  { 0, 1, "{" },  { 0, 1, "\n" }, { 0, 1, " " },
  { 0, 1, "\r" }, { 0, 1, "\t" }, { 0, 3, "\xef\xbb\xbf" },
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "bench-json",
  .version = "0.1.0",
  .tag = "BENCH",
  .title =
      "Results of LLM serving benchmarks in JSON (vLLM, SGLang, AIPerf, genai-perf, TensorRT-LLM)",
  .help = "Reads results of LLM serving benchmarks: totals, statistics and, if the file has them, "
          "every request with its gaps between tokens. Each run in a file is a lane. Times become "
          "integer nanoseconds, exactly. The first keys identify the benchmark.",
  .provides = provides,
  .notices = MILL_ROWS(bench_notices),
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
