/* The rocprof-json source: what rocprofv3 records with --output-format json. */
/* SPDX-License-Identifier: MIT */
#include "rocprof-json.h"

#include "kit/read/input.h"
#include "kit/read/source-new.h"

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  return 0;
}

static int describe(void *instance)
{
  input_describe(((const Source *)instance)->host, "dialect", "rocprof");
  return 0;
}

/* Memory for reading only now: many inputs may be open at once. */
static int start(void *instance)
{
  Source *s = instance;
  window_init(&s->window, s->host, &roc_window_notices);
  s->window.recovers = s->host->recover(s->host);
  names_init(&s->own);
  s->scratch = g_string_new(NULL);
  s->started = true;
  event_prepare(s);
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  if (!s->started) return;
  window_clear(&s->window);
  names_clear(&s->own);
  g_clear_pointer(&s->surveyed, g_ptr_array_unref);
  g_string_free(s->scratch, TRUE);
}

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = roc_probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = roc_next,
  .close = close_source,
};

static const MillMagic magic[] = {
  { 0, 1, "{" },  { 0, 1, "\n" }, { 0, 1, " " },
  { 0, 1, "\r" }, { 0, 1, "\t" }, { 0, 3, "\xef\xbb\xbf" },
};

static const char *const provides[] = { "events", "device-work", "launches", "annotations", NULL };

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "rocprof-json",
  .version = "1.0.0",
  .tag = "ROCPF",
  .title = "Kernels, copies and calls as rocprofv3 writes them in JSON",
  .help =
      "Reads the output of rocprofv3 --output-format json: dispatches, copies, and calls of HIP, "
      "HSA, RCCL and markers, of one or several processes, of any size and in bounded memory. They "
      "become slices with the categories of PyTorch's traces, so that the same stages read them.",
  .provides = provides,
  .notices = MILL_ROWS(roc_notices),
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
