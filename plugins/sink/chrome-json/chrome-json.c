/* The trace sink: events as a Chrome trace in its object form.
 *
 * The layout is fixed: one line for each member around the events, one separator
 * between events.  So what this sink wrote is read and written again as the same
 * bytes.  Sorting and overlap repair are stages. */
#include <glib.h>
#include <stagemill/sink.h>

#include "lib/trace/trace.h"
#include "parts.h"

#define KEPT_BYTES (1u << 20) /* a huge event must not hold its memory for the rest of the run */

typedef struct Options {
  const char *file;
  int64_t split_size, split_time_ns;
  int64_t pids;
} Options;

enum { PIDS_RENUMBER, PIDS_KEEP };

typedef struct Sink {
  const MillHost *common;
  char *pattern; /* the option's text */
  PartsLimit limit;
  bool per_lane; /* each lane writes documents of its own */
  Frame frame;
  Document *document; /* what this instance writes, or its share of one */
  Parts *parts;       /* in its place when the trace is split; NULL until a file is named */
  Text composed;      /* one event, when the trace is split */
  EventWriter writer;
} Sink;

enum { NOTE_LONE_ROW = TRACE_OWN };

static bool is_split(const Sink *s) { return s->limit.bytes || s->limit.window_ns; }

static int flush(Sink *s) { return trace_flush(&s->frame, s->document, &s->writer); }

/* With {rank} each lane has a document; the merged stream of several has one for all of them. */
static void choose_document(Sink *s, const MillSinkHost *host, uint32_t level)
{
  MillLane own = { .size = sizeof(own) };
  bool has_rank = strstr(s->pattern, "{rank}") != NULL;
  s->common->lane(s->common, MILL_NO_LANE, &own);
  s->per_lane = has_rank || is_split(s);
  s->frame.host = host;
  s->frame.common = s->common;
  s->frame.merging = s->common->n_lanes(s->common) > 1 && (!has_rank || level == MILL_MERGED);
  s->frame.members = level == MILL_LANE ? own.index : 0;
  s->document = document_new(s->per_lane ? NULL : g_strdup(s->pattern));
  if (s->frame.merging && level != MILL_LANE)
    s->frame.merged = ranks_describe(s->common, s->frame.keep_pids);
  if (level != MILL_RUN)
    s->frame.ranks = ranks_new(s->common, level, s->frame.merging, s->frame.keep_pids);
}

static int check_split(const Sink *s)
{
  if (s->limit.bytes && s->limit.window_ns)
    return mill_fail(s->common, MILL_STAGE_FAILED, "split-size and split-time exclude each other",
                     "give one of them");
  if (is_split(s) && !strcmp(s->pattern, "-"))
    return mill_fail(s->common, MILL_STAGE_FAILED, "standard output cannot be split into parts",
                     "name a file");
  if (is_split(s) && s->frame.merging && !strstr(s->pattern, "{rank}"))
    return mill_fail(s->common, MILL_STAGE_FAILED, "several ranks in one trace cannot be split",
                     "put {rank} into the name, so that each rank has parts of its own");
  return 0;
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  const Options *o = options;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->common = host->common;
  s->pattern = g_strdup(o->file);
  s->limit = (PartsLimit){ o->split_size, o->split_time_ns };
  s->frame.keep_pids = o->pids == PIDS_KEEP;
  choose_document(s, host, level);
  event_writer_init(&s->writer, s->common, &s->composed, s->frame.ranks);
  if (!is_split(s)) s->writer.text = &s->document->text;
  *out_instance = s;
  return check_split(s);
}

static void close_sink(void *instance)
{
  Sink *s = instance;
  event_writer_free(&s->writer);
  parts_free(s->parts);
  document_free(s->document);
  ranks_free(s->frame.ranks);
  g_free(s->frame.merged);
  text_free(&s->composed);
  g_free(s->pattern);
}

/* {rank} is the rank where that is unique, else the lane's index too. */
static char *name_for_lane(const Sink *s)
{
  g_autofree char *rank = s->frame.merging ? g_strdup("-all") : document_worker(&s->frame, "-");
  g_auto(GStrv) parts = g_strsplit(s->pattern, "{rank}", -1);
  return g_strjoinv(rank, parts);
}

static int begin_run(void *instance)
{
  Sink *s = instance;
  if (s->per_lane) return 0;
  document_head(&s->frame, s->document, 0);
  return flush(s);
}

/* A lane's own documents start late, when its rank is known. */
static void start_documents(Sink *s)
{
  char *name = name_for_lane(s);
  s->document->file = name;
  s->document->opened = true;
  if (is_split(s))
    s->parts = parts_new(&s->frame, name, s->limit);
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
  if (s->per_lane && !s->document->opened) start_documents(s);
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
  if (s->per_lane && !s->document->opened) start_documents(s);
  if (s->parts) return parts_finish(s->parts);
  document_ranks(&s->frame, s->document);
  if (s->per_lane) document_tail(&s->frame, s->document);
  return flush(s);
}

static int finish_run(void *instance)
{
  Sink *s = instance;
  if (s->per_lane) return 0;
  document_tail(&s->frame, s->document);
  return flush(s);
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, file, "file", "trace.json.gz",
                     "Name of the trace; .gz and .zst compress, {rank} makes one file per rank"),
  MILL_SIZE_OPTION(Options, split_size, "split-size", "0",
                   "0:", "Start another file after this many bytes of text; 0: never"),
  MILL_DURATION_OPTION(Options, split_time_ns, "split-time", "0",
                       "0:", "One file for each span of this length; 0: one for all"),
  MILL_CHOICE_OPTION(
      Options, pids, "pids", "renumber", "renumber|keep",
      "Of several ranks in one trace: number all processes anew, or keep the numbers that are "
      "a rank, or a rank and 1000 for its host"),
};

static const MillNotice notices[] = {
  TRACE_NOTICES,
  MILL_WARNING(NOTE_LONE_ROW, "{count} metadata event[|s] [is|are] in one part of the trace only",
               "other parts may lack names of processes and threads", NULL,
               "Each part of a trace that is split gets all metadata, so that it can be read "
               "alone, up to 4 MiB. What goes beyond that is written once, in its own place."),
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
  .flags = MILL_READS_RAW,
  .options_size = sizeof(Options),
  .name = "chrome-json",
  .format = "trace",
  .version = "1.0.0",
  .tag = "TRC",
  .title = "Write a Chrome trace that viewers load",
  .help = "Events that no stage changed are copied byte for byte; of the others only the changed "
          "members are written "
          "anew. Integers stay integers and times keep all their digits. Members around the events "
          "are kept.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
