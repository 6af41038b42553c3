/* The chrome-json source: Chrome trace events in JSON, as Kineto, FLEX and Chrome write them. */
#include "parser.h"

#include <sys/mman.h>

/* Zeros that take no memory until they are written to, also where the allocator has old memory to give:
 * small inputs touch little of the tables, and there may be very many of them. */
static void *zero_pages(size_t bytes)
{
  void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

/* What only parsing takes; false: there is no memory. */
static bool make_tables(Source *s)
{
  s->names = zero_pages(NAMES_BYTES);
  s->shapes.all = zero_pages(SHAPES_BYTES);
  if (!s->names || !s->shapes.all) {
    mill_fail(s->common, MILL_LIMIT, "there is no memory for its tables", NULL);
    return false;
  }
  s->event = jsn_event_for(s->container);
  shapes_init(&s->shapes);
  s->tracks = g_new0(TrackSlot, TRACK_SLOTS);
  s->kept = g_string_chunk_new(4096);
  s->repaired = g_string_new(NULL);
  s->scratch = g_string_new(NULL);
  jsn_projection_build(s);
  return true;
}

static void free_tables(Source *s)
{
  if (s->names) munmap(s->names, NAMES_BYTES);
  if (s->shapes.all) munmap(s->shapes.all, SHAPES_BYTES);
  if (!s->tracks) return;
  jsn_projection_clear(s);
  g_free(s->tracks);
  g_string_chunk_free(s->kept);
  g_string_free(s->repaired, TRUE);
  g_string_free(s->scratch, TRUE);
}

/* NULL: refused. */
static Source *new_source(const MillSourceHost *host)
{
  Source *s = mill_new(host->common, sizeof *s);
  if (!s) return NULL;
  s->host = host;
  s->common = host->common;
  s->container = scan_container; /* jsn_parse asks for a better one */
  s->strict = host->strict(host);
  s->decimals = JSN_MICROSECONDS;
  return s;
}

static const int decimals_of[] = {
  [JSN_UNIT_US] = JSN_MICROSECONDS, [JSN_UNIT_NS] = 0, [JSN_UNIT_MS] = 6
};

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self;
  Source *s = new_source(host);
  if (!s) return -MILL_LIMIT;
  s->dialect = ((const SourceOptions *)options)->dialect;
  s->reads_processed = ((const SourceOptions *)options)->processed;
  s->decimals = decimals_of[((const SourceOptions *)options)->time_unit];
  *out_instance = s;
  return 0;
}

static int start(void *instance) { return make_tables(instance) ? 0 : -MILL_LIMIT; }

static bool in_events(void *instance) { return ((const Source *)instance)->section == IN_EVENTS; }

/* Symbols, tracks and the projection are made anew: a fork's host has its own numbers. */
static int fork_source(void *instance, const MillSourceHost *host, void **out_instance)
{
  const Source *parent = instance;
  Source *s = new_source(host);
  if (!s) return -MILL_LIMIT;
  s->is_fork = true;
  s->section = IN_EVENTS;
  s->separator = SEPARATOR_ANY;
  s->bare = parent->bare;
  s->is_part = parent->is_part;
  s->part = parent->part;
  s->decimals = parent->decimals;
  s->same = parent->same;
  s->other = parent->other;
  s->all = parent->all;
  s->own_pids = parent->own_pids ? g_array_ref(parent->own_pids) : NULL;
  s->foreign_pids = parent->foreign_pids ? g_array_ref(parent->foreign_pids) : NULL;
  *out_instance = s;
  return make_tables(s) ? 0 : -MILL_LIMIT;
}

static void close_source(void *instance)
{
  Source *s = instance;
  free_tables(s);
  g_clear_pointer(&s->own_pids, g_array_unref);
  g_clear_pointer(&s->foreign_pids, g_array_unref);
}

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = jsn_probe,
  .open = open_source,
  .describe = jsn_describe,
  .start = start,
  .parse = jsn_parse,
  .in_events = in_events,
  .sync = jsn_sync,
  .fork = fork_source,
  .close = close_source,
};

static const MillMagic magic[] = {
  { 0, 1, "{" },  { 0, 1, "[" },  { 0, 1, "\n" },           { 0, 1, " " },
  { 0, 1, "\r" }, { 0, 1, "\t" }, { 0, 3, "\xef\xbb\xbf" },
};

static const MillOption options[] = {
  MILL_CHOICE_OPTION(SourceOptions, dialect, "dialect", "auto", "auto|kineto|aiu|generic",
                     "Producer of the trace; auto finds it from keys at both ends of the file"),
  MILL_BOOL_OPTION(SourceOptions, processed, "processed", "false",
                   "Also read traces that the AIU trace analyser has processed already"),
  MILL_CHOICE_OPTION(SourceOptions, time_unit, "time-unit", "us", "us|ns|ms",
                     "Unit of ts and dur in the input; the format requires microseconds, and "
                     "outputs use them"),
};

static const char *const provides[] = { "events", "operators", NULL };
static const char *const may_provide[] = { /* by dialect */
                                           "clock.cycles", "trace.kineto", "device-work",
                                           "launches",     "annotations",  NULL
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .options_size = sizeof(SourceOptions),
  .name = "chrome-json",
  .version = "0.1.0",
  .tag = "JSN",
  .title = "Chrome trace events in JSON (Kineto, PyTorch profiler, FLEX, Chrome)",
  .help = "Reads an object with traceEvents, or a bare list of events, of any size and in bounded "
          "memory. Times become integer nanoseconds, exactly. Attributes are decoded only if a "
          "stage asks for them; everything else keeps its bytes. Errors with only one sensible "
          "reading are repaired and counted; with --strict they end the run.",
  .provides = provides,
  .may_provide = may_provide,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(jsn_notices),
  .magic = MILL_ROWS(magic),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
