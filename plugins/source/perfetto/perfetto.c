/* The perfetto source: track events of Perfetto's traces (.pftrace), a list of packets in protocol buffers. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <string.h>

#include "kit/read/input.h"
#include "kit/text/symbol.h"

#define QUIET_PACKETS 4096 /* without an event, until the program is asked whether to go on */

static int64_t read_input(void *user, void *buffer, size_t max)
{
  const MillSourceHost *host = user;
  return host->read(host, buffer, max);
}

static void init_tables(Source *s)
{
  const PairTable empty = { .common = s->common, .seed = s->common->seed };
  s->sequence_by_id = s->texts = s->clock_by_id = empty;
  s->track_by_uuid = s->shown = s->flows = s->flow_counts = empty;
  s->texts.keeps = sequence_keeps_text;
  s->texts.user = s;
}

Source *source_new(const MillSourceHost *host)
{
  Source *s = mill_new(host->common, sizeof *s);
  if (!s) return NULL;
  s->host = host;
  s->common = host->common;
  s->is_recovering = host->recover(host);
  s->trace_clock = CLOCK_BOOTTIME_ID;
  s->outer = (Frames){ .read = read_input, .user = (void *)host, .common = host->common };
  s->inner = (Frames){ .read = inflater_read, .common = host->common };
  arena_init(&s->arenas[0], host->common);
  arena_init(&s->arenas[1], host->common);
  init_tables(s);
  return s;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  *out_instance = source_new(host);
  return *out_instance ? 0 : -MILL_LIMIT;
}

static int describe(void *instance)
{
  Source *s = instance;
  const char *bytes;
  input_describe(s->host, "dialect", "perfetto");
  int64_t len = s->host->peek(s->host, false, &bytes);
  if (len > 0) packets_find_base(s, bytes, (size_t)len);
  return 0;
}

static int start(void *instance)
{
  Source *s = instance;
  s->symbols = (Symbols){ .process_name = symbol_of(s->common, "process_name"),
                          .thread_name = symbol_of(s->common, "thread_name"),
                          .name = symbol_of(s->common, "name"),
                          .value = symbol_of(s->common, "value"),
                          .flow = symbol_of(s->common, "flow"),
                          .perfetto = symbol_of(s->common, "perfetto") };
  return 0;
}

/* False: the batch is full. */
static bool give_waiting(Source *s, MillBatch *b)
{
  while (s->n_names_given < s->n_names)
    if (!event_give_name(s, b)) return false;
  s->n_names = s->n_names_given = 0;
  return !s->todo.event || event_give(s, b);
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  for (unsigned n = 0; n < QUIET_PACKETS || b->n_events; n++) {
    bool is_full = !give_waiting(s, b);
    if (s->is_refused) return -MILL_LIMIT;
    if (is_full) return MILL_NEXT_MORE;
    int status = packets_next(s);
    if (status <= 0) return status; /* 0 is MILL_NEXT_END */
  }
  return MILL_NEXT_MORE;
}

static void drop(const Source *s, void *memory)
{
  if (memory) s->common->resize(s->common, memory, 0);
}

void source_clear(Source *s)
{
  PairTable *const tables[] = { &s->sequence_by_id, &s->texts, &s->clock_by_id, &s->track_by_uuid,
                                &s->shown,          &s->flows, &s->flow_counts };
  for (size_t i = 0; i < MILL_COUNT(tables); i++) pair_table_clear(tables[i]);
  for (uint32_t i = 0; i < s->n_sequences; i++) {
    drop(s, s->sequences[i]->counters.all);
    drop(s, s->sequences[i]->real_counters.all);
    drop(s, s->sequences[i]);
  }
  for (uint32_t i = 0; i < s->n_tracks; i++) drop(s, s->tracks[i]);
  clock_clear_all(s);
  void *const arrays[] = { s->sequences, s->tracks, s->clocks, s->uses, s->roles };
  for (size_t i = 0; i < MILL_COUNT(arrays); i++) drop(s, arrays[i]);
  frames_clear(&s->outer);
  frames_clear(&s->inner);
  arena_clear(&s->arenas[0]);
  arena_clear(&s->arenas[1]);
  inflater_free(s->inflater);
}

static void close_source(void *instance) { source_clear(instance); }

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = pft_probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillMagic magic[] = { { 0, 1, "\n" } };
static const char *const provides[] = { "events", "operators", NULL };

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "perfetto",
  .version = "0.1.0",
  .tag = "PFT",
  .title = "Track events of Perfetto's traces (.pftrace)",
  .help = "Reads slices, instants, counters and flows of the tracks in a Perfetto trace, packet by "
          "packet, in bounded memory. Times are nanoseconds of the trace's clock, exactly. Other "
          "packets, as of ftrace, are counted.",
  .provides = provides,
  .notices = MILL_ROWS(pft_notices),
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
