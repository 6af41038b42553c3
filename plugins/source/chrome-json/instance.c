/* Instances of the sources that read Chrome trace events; see parser.h. */
/* SPDX-License-Identifier: MIT */
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

int jsn_open(const MillSource *self, const MillSourceHost *host, const void *options,
             void **out_instance)
{
  (void)self;
  const SourceOptions *o = options;
  Source *s = new_source(host);
  if (!s) return -MILL_LIMIT;
  s->dialect = o->dialect;
  s->reads_processed = o->processed;
  s->decimals = decimals_of[o->time_unit];
  s->is_side = o->is_side;
  *out_instance = s;
  return 0;
}

int jsn_start(void *instance) { return make_tables(instance) ? 0 : -MILL_LIMIT; }

bool jsn_in_events(void *instance) { return ((const Source *)instance)->section == IN_EVENTS; }

/* Symbols, tracks and the projection are made anew: a fork's host has its own numbers. */
int jsn_fork(void *instance, const MillSourceHost *host, void **out_instance)
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

void jsn_close(void *instance)
{
  Source *s = instance;
  free_tables(s);
  g_clear_pointer(&s->own_pids, g_array_unref);
  g_clear_pointer(&s->foreign_pids, g_array_unref);
}
