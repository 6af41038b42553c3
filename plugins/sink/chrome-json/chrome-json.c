/* The trace sink: events as a Chrome trace in its object form.
 *
 * The layout is fixed: one line for each member around the events, one separator
 * between events.  So what this sink wrote is read and written again as the same
 * bytes.  Sorting and overlap repair are stages. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>

#include "kit/chrome/trace.h"
#include "parts.h"
#include "pipeline.h"
#include "places.h"

#define KEPT_BYTES (1u << 20) /* a huge event must not hold its memory for the rest of the run */

typedef struct Options {
  const char *file;
  int64_t split_size, split_time_ns;
  int64_t pids;
  int64_t layout, rank_rows;
  int64_t time_unit;
} Options;

enum { PIDS_RENUMBER, PIDS_KEEP };
enum { LAYOUT_UNIQUE, LAYOUT_PIPELINE };
enum { UNIT_KEEP, UNIT_MS, UNIT_NS };

/* What viewers label times with; they are microseconds in any case. */
static const FrameMember shown_units[][2] = {
  [UNIT_MS] = { { "displayTimeUnit", "\"ms\"" }, { NULL, NULL } },
  [UNIT_NS] = { { "displayTimeUnit", "\"ns\"" }, { NULL, NULL } },
};

/* A document of several lanes, whose ends the run level writes. */
typedef struct Shared {
  Frame frame;
  Document *document;
} Shared;

typedef struct Sink {
  const MillHost *common;
  Options options;
  NamePattern *pattern; /* of the option's text */
  bool alone;           /* its lane writes documents of its own */
  GPtrArray *places;    /* Place *, on the level of the run */
  GPtrArray *shared;    /* Shared *: those of them that several lanes write */
  Place *place;         /* on the other levels */
  uint32_t own;         /* index of its lane */
  Frame frame;
  Document *document; /* what this instance writes, or its share of one */
  Parts *parts;       /* in its place when the trace is split; NULL until its first event */
  Text composed;      /* one event, when the trace is split */
  EventWriter writer;
} Sink;

enum { NOTE_LONE_ROW = TRACE_OWN };

static bool is_split(const Sink *s) { return s->options.split_size || s->options.split_time_ns; }

static bool is_bare(const Sink *s) { return s->options.layout == LAYOUT_PIPELINE; }

/* A name without tags is that of a document of the run, also where that has one lane. */
static bool is_shared(const Sink *s, const Place *p)
{
  if (is_split(s) || name_pattern_has(s->pattern, NAME_RANK)) return false;
  return !s->pattern->tags->len || lanes_count(s->common, p->lanes) > 1;
}

static int refuse(const Sink *s, NameFault *f)
{
  MillFailure failure = { .size = sizeof failure,
                          .status = MILL_STAGE_FAILED,
                          .line = __LINE__,
                          .file = __FILE__,
                          .what = f->what,
                          .where = f->where,
                          .help = f->help };
  int status = s->common->fail(s->common, &failure);
  name_fault_clear(f);
  return status;
}

/* ------------------------------------------------------------------- opening */

static Frame frame_for(const Sink *s, const MillSinkHost *host, const Place *p)
{
  return (Frame){ .host = host,
                  .common = s->common,
                  .lanes = p->lanes,
                  .members = lanes_at(p->lanes, 0),
                  .merging = lanes_count(s->common, p->lanes) > 1 && !is_bare(s),
                  .keep_pids = s->options.pids == PIDS_KEEP,
                  .instead = s->options.time_unit ? shown_units[s->options.time_unit] : NULL,
                  .late = p->lanes.index != NULL && p->lanes.n > 1,
                  .bare = is_bare(s) };
}

static void shared_free(gpointer p)
{
  Shared *d = p;
  document_free(d->document);
  g_free(d->frame.merged);
  g_free(d);
}

static int add_shared(Sink *s, const MillSinkHost *host, Place *p)
{
  if (is_bare(s)) {
    int status = pipeline_check(s->common, p->lanes);
    if (status) return status;
  }
  if (!is_shared(s, p)) return 0;
  Shared *d = g_new0(Shared, 1);
  d->frame = frame_for(s, host, p);
  d->document = document_new(g_strdup(p->name));
  if (d->frame.merging) d->frame.merged = ranks_describe(s->common, p->lanes, d->frame.keep_pids);
  g_ptr_array_add(s->shared, d);
  return 0;
}

/* The lanes of the documents are used until the end. */
static int open_run(Sink *s, const MillSinkHost *host)
{
  NameLanes lanes = places_lanes(s->common, false);
  NameFault fault = { NULL, NULL, NULL };
  int status = 0;
  s->shared = g_ptr_array_new_with_free_func(shared_free);
  s->places = places_all(s->pattern, &lanes, &fault);
  if (!s->places) return refuse(s, &fault);
  for (guint i = 0; i < s->places->len && !status; i++)
    status = add_shared(s, host, s->places->pdata[i]);
  return status;
}

static int open_merged(Sink *s)
{
  NameLanes lanes = places_lanes(s->common, true);
  NameFault fault = { NULL, NULL, NULL };
  GPtrArray *names = name_of_lanes(s->pattern, &lanes, &fault);
  if (!names) return refuse(s, &fault);
  g_ptr_array_unref(names);
  s->place = place_of_lane(s->pattern, &lanes, 0);
  return 0;
}

static void open_lane(Sink *s)
{
  MillLane own = { .size = sizeof own };
  NameLanes lanes = places_lanes(s->common, false);
  s->common->lane(s->common, MILL_NO_LANE, &own);
  s->place = place_of_lane(s->pattern, &lanes, own.index);
  s->own = own.index;
}

static void open_document(Sink *s, const MillSinkHost *host, uint32_t level)
{
  s->frame = frame_for(s, host, s->place);
  s->alone = !is_shared(s, s->place);
  if (level == MILL_LANE) s->frame.members = s->own;
  if (s->frame.merging && s->alone)
    s->frame.merged = ranks_describe(s->common, s->place->lanes, s->frame.keep_pids);
  s->frame.ranks =
      ranks_new(s->common, s->place->lanes, level, s->frame.merging, s->frame.keep_pids);
  s->document = document_new(g_strdup(s->place->name));
  event_writer_init(&s->writer, s->common, &s->composed, s->frame.ranks);
  s->writer.bare = is_bare(s);
  if (!is_split(s)) s->writer.text = &s->document->text;
}

static int check_split(const Sink *s)
{
  if (!is_split(s)) return 0;
  if (s->options.split_size && s->options.split_time_ns)
    return mill_fail(s->common, MILL_STAGE_FAILED, "split-size and split-time exclude each other",
                     "give one of them");
  if (!strcmp(s->options.file, "-"))
    return mill_fail(s->common, MILL_STAGE_FAILED, "standard output cannot be split into parts",
                     "name a file");
  if (is_bare(s))
    return mill_fail(s->common, MILL_STAGE_FAILED,
                     "a trace in the layout pipeline cannot be split into parts",
                     "leave out the split, or the layout");
  return 0;
}

/* How far one rank has come says nothing of another. */
static int check_merging(const Sink *s)
{
  bool joint = is_split(s) && s->place && lanes_count(s->common, s->place->lanes) > 1;
  if (!joint || name_pattern_has(s->pattern, NAME_RANK)) return 0;
  return mill_fail(s->common, MILL_STAGE_FAILED, "several ranks in one trace cannot be split",
                   "put {rank} into the name, so that each rank has parts of its own");
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  NameFault fault = { NULL, NULL, NULL };
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  s->options = *(const Options *)options;
  *out_instance = s;
  s->pattern = name_pattern_read(s->options.file, &fault);
  if (!s->pattern) return refuse(s, &fault);
  int status = check_split(s);
  if (status) return status;
  if (level == MILL_RUN) return open_run(s, host);
  if (level == MILL_MERGED) status = open_merged(s);
  if (level == MILL_LANE) open_lane(s);
  if (status) return status;
  open_document(s, host, level);
  return check_merging(s);
}

static void close_sink(void *instance)
{
  Sink *s = instance;
  if (s->document) event_writer_free(&s->writer);
  parts_free(s->parts);
  document_free(s->document);
  ranks_free(s->frame.ranks);
  g_free(s->frame.merged);
  place_free(s->place);
  if (s->shared) g_ptr_array_unref(s->shared);
  if (s->places) g_ptr_array_unref(s->places);
  name_pattern_free(s->pattern);
  text_free(&s->composed);
}

/* ------------------------------------------------------------------- writing */

static int begin_run(void *instance)
{
  Sink *s = instance;
  int status = 0;
  for (guint i = 0; i < s->shared->len && !status; i++) {
    Shared *d = s->shared->pdata[i];
    document_head(&d->frame, d->document, d->frame.members);
    status = document_flush(&d->frame, d->document);
  }
  return status;
}

/* A lane's own documents start late, when its members are known. */
static void start_documents(Sink *s)
{
  s->document->opened = true;
  if (is_split(s))
    s->parts = parts_new(&s->frame, s->place->name,
                         (PartsLimit){ s->options.split_size, s->options.split_time_ns });
  else
    document_head(&s->frame, s->document, s->frame.members);
}

static int write_to_part(Sink *s, const MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  uint64_t n_lone = parts_lone_rows(s->parts);
  s->composed.len = 0;
  if (!trace_compose(&s->writer, b, i)) return 0;
  PartEvent about = { .is_row = e->kind == MILL_META,
                      .timed = !(e->flags & MILL_FLAG_NO_TS),
                      .ts_ns = event_time(&s->writer, e) };
  int status = parts_add(s->parts, &about, s->composed.bytes, s->composed.len);
  if (parts_lone_rows(s->parts) > n_lone) s->common->note(s->common, NOTE_LONE_ROW, b, i, NULL, 0);
  if (s->composed.capacity > KEPT_BYTES) text_free(&s->composed);
  if (s->writer.old.capacity > KEPT_BYTES) text_free(&s->writer.old);
  return status;
}

static int write_batch(void *instance, const MillBatch *b)
{
  Sink *s = instance;
  if (s->alone && !s->document->opened) start_documents(s);
  for (uint32_t i = 0; i < b->n_events; i++) {
    if (b->events[i].flags & MILL_FLAG_DROPPED) continue;
    int status =
        s->parts ? write_to_part(s, b, i) : trace_write(&s->frame, s->document, &s->writer, b, i);
    if (status) return status;
  }
  return 0;
}

static int finish(void *instance)
{
  Sink *s = instance;
  if (s->alone && !s->document->opened) start_documents(s);
  if (s->parts) return parts_finish(s->parts);
  if (is_bare(s) && s->alone) return pipeline_tail(&s->frame, s->document, s->options.rank_rows);
  if (!is_bare(s)) document_ranks(&s->frame, s->document);
  if (s->alone) document_tail(&s->frame, s->document);
  return trace_flush(&s->frame, s->document, &s->writer);
}

static int finish_shared(const Sink *s, Shared *d)
{
  if (is_bare(s)) return pipeline_tail(&d->frame, d->document, s->options.rank_rows);
  document_tail(&d->frame, d->document);
  return document_flush(&d->frame, d->document);
}

static int finish_run(void *instance)
{
  Sink *s = instance;
  int status = 0;
  for (guint i = 0; i < s->shared->len && !status; i++)
    status = finish_shared(s, s->shared->pdata[i]);
  return status;
}

static const MillOption options[] = {
  MILL_STRING_OPTION(
      Options, file, "file", "trace.json.gz",
      "Name of the trace; .gz and .zst compress, {rank} makes one file per rank, {TAG} one for "
      "each value of that tag"),
  MILL_SIZE_OPTION(Options, split_size, "split-size", "0",
                   "0:", "Begin a new file after this many bytes of text; 0: never"),
  MILL_DURATION_OPTION(Options, split_time_ns, "split-time", "0",
                       "0:", "One file for each window of this length; 0: one for all"),
  MILL_CHOICE_OPTION(Options, pids, "pids", "renumber", "renumber|keep",
                     "For several ranks in one trace: number all processes anew, or keep a number "
                     "that is the rank, or the rank + 1000 for its host"),
  MILL_CHOICE_OPTION(
      Options, layout, "layout", "unique", "unique|pipeline",
      "unique: each rank has its own process numbers and ids, and all events are kept; pipeline: "
      "only events, unchanged, and metadata that names the processes of each rank, as in aorta's "
      "merge"),
  MILL_INT_OPTION(Options, rank_rows, "rank-rows", "0", "0:100000", NULL,
                  "With layout=pipeline: number of ranks to name, also of missing ones; 0: up to "
                  "the highest rank"),
  MILL_CHOICE_OPTION(Options, time_unit, "time-unit", "keep", "keep|ms|ns",
                     "displayTimeUnit, the unit that viewers show; default: that of the first "
                     "input that has one"),
};

static const MillNotice notices[] = {
  TRACE_NOTICES,
  MILL_WARNING(NOTE_LONE_ROW, "{count} metadata event[|s] [is|are] in one part of the trace only",
               "other parts may lack names of processes and threads", NULL,
               "Each part of a split trace gets all metadata, up to 4 MiB, so that it can be read "
               "alone. Further metadata is written once, in its own place."),
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .write = write_batch,
  .finish = finish,
  .begin_run = begin_run,
  .finish_run = finish_run,
  .close = close_sink,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .flags = MILL_READS_RAW | MILL_USUAL | MILL_CONVERTS,
  .options_size = sizeof(Options),
  .name = "chrome-json",
  .format = "trace",
  .files = "trace.json.gz",
  .version = "1.0.0",
  .tag = "TRC",
  .title = "Write a Chrome trace that viewers load",
  .help = "Events that no stage changed are copied byte for byte; of the others only the changed "
          "members are written anew. Integers stay integers and times keep all their digits. "
          "Members around the events are kept.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
