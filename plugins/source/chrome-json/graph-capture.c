/* The graph-capture source: traces of PyTorch in which graphs were captured, beside those in which they run. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "parser.h"

#define LABEL "capture"

/* Like a trace: other files in the folder of the captures are left out. */
static bool is_trace(const MillSourceHost *host, const char *path)
{
  enum { LIKELY = 50 };
  const char *bytes;
  const int64_t len = host->read_head(host, path, &bytes);
  return len > 0 && jsn_probe(NULL, bytes, (size_t)len, path) >= LIKELY;
}

static int expand(const MillSource *self, const MillSourceHost *host, const char *folder)
{
  MillLane lane = { .size = sizeof lane };
  MillEntryRows entries = { 0 };
  int found = 0;
  (void)self;
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  if (strcmp(lane.label, LABEL) != 0 || host->list(host, folder, &entries) < 0) return 0;
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    g_autofree char *path = g_build_filename(folder, e->name, NULL);
    if (e->is_folder || e->name[0] == '.' || !is_trace(host, path)) continue;
    const MillInput input = { .size = sizeof input, .path = path, .source = "graph-capture" };
    const int status = host->add_input(host, &input);
    if (status < 0) return status;
    found = 1;
  }
  return found;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  static const SourceOptions kineto = { .dialect = DIALECT_KINETO,
                                        .time_unit = JSN_UNIT_US,
                                        .is_side = true };
  (void)options;
  return jsn_open(self, host, &kineto, out_instance);
}

static const MillSourceOps ops = {
  JSN_OPS,
  .expand = expand,
  .open = open_source,
};

static const char *const provides[] = { "capture", NULL };
static const char *const beside[] = { "capture_traces", "graph_capture*", NULL };

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "graph-capture",
  .version = "0.1.0",
  .tag = "GCAP",
  .title = "Captures of graphs, for the operators of what graph launches run",
  .help = "Reads inputs with the label capture: traces of PyTorch's profiler, of the time when "
          "graphs were captured, or a folder of them. They are side inputs: only stages that ask "
          "for captures see them, and they are no ranks. capture=PATH is for all ranks, "
          "rank=1:capture=PATH for rank 1. Without one, capture_traces and graph_capture* beside "
          "a trace are taken.",
  .provides = provides,
  .side = LABEL,
  .notices = MILL_ROWS(jsn_notices),
  .ops = &ops,
  .beside = beside,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
