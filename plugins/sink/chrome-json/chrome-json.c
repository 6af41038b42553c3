/* The trace sink: events as a Chrome trace in its object form.
 *
 * The layout is fixed: one line for each member around the events, one separator
 * between events.  So what this sink wrote is read and written again as the same
 * bytes.  Sorting and overlap repair are stages. */
#include <glib.h>
#include <stagemill/stage.h>

#include "document.h"
#include "event.h"
#include "parts.h"

#define PIECE_BYTES (128u << 10)
#define KEPT_BYTES (1u << 20) /* a huge event must not hold its memory for the rest of the run */

typedef struct Options {
  const char *file;
  int64_t split_size, split_time_ns;
} Options;

typedef struct Sink {
  const MillHost *host;
  char *pattern; /* the option's text */
  PartsLimit limit;
  uint32_t lane; /* MILL_NO_LANE: the run-level instance */
  bool per_lane; /* each lane writes documents of its own */
  Frame frame;
  Document *document; /* what this instance writes, or its share of one */
  Parts *parts;       /* in its place when the trace is split; NULL until a file is named */
  Text composed;      /* one event, when the trace is split */
  EventWriter writer;
} Sink;

enum { NOTE_UNFIT = 1, NOTE_MENDED = 2, NOTE_LONE_ROW = 3 };

static bool is_split(const Sink *s) { return s->limit.bytes || s->limit.window_ns; }

static int flush(Sink *s)
{
  int status = document_flush(&s->frame, s->document);
  if (s->writer.old.room > KEPT_BYTES) text_free(&s->writer.old);
  return status;
}

/* With {rank} each lane has a document; the merged stream of several has one for all of them. */
static void choose_document(Sink *s)
{
  uint32_t n_lanes = s->host->n_lanes(s->host);
  bool is_whole = s->lane != MILL_NO_LANE && s->lane >= n_lanes;
  bool has_rank = strstr(s->pattern, "{rank}") != NULL;
  s->per_lane = has_rank || is_split(s);
  s->frame.host = s->host;
  s->frame.merging = n_lanes > 1 && (!has_rank || is_whole);
  s->frame.members = is_whole || s->lane == MILL_NO_LANE ? 0 : s->lane;
  s->document = document_new(s->per_lane ? NULL : g_strdup(s->pattern));
  if (!s->frame.merging || s->lane == MILL_NO_LANE) return;
  s->frame.ranks = ranks_new(s->host);
  event_writer_merge(&s->writer, s->frame.ranks);
}

static int check_split(const Sink *s)
{
  if (s->limit.bytes && s->limit.window_ns)
    return mill_fail(s->host, MILL_STAGE_FAILED, "split-size and split-time exclude each other",
                     "give one of them");
  if (is_split(s) && !strcmp(s->pattern, "-"))
    return mill_fail(s->host, MILL_STAGE_FAILED, "standard output cannot be split into parts",
                     "name a file");
  if (is_split(s) && s->frame.merging && !strstr(s->pattern, "{rank}"))
    return mill_fail(s->host, MILL_STAGE_FAILED, "several ranks in one trace cannot be split",
                     "put {rank} into the name, so that each rank has parts of its own");
  return 0;
}

static int open_sink(const MillStage *self, const MillHost *host, const void *options,
                     void **out_instance)
{
  (void)self;
  const Options *o = options;
  MillLane own = { .size = sizeof(own) };
  Sink *s = g_new0(Sink, 1);
  host->lane(host, MILL_NO_LANE, &own);
  s->host = host;
  s->lane = own.index;
  s->pattern = g_strdup(o->file);
  s->limit = (PartsLimit){ o->split_size, o->split_time_ns };
  event_writer_init(&s->writer, host, &s->composed);
  choose_document(s);
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
  text_free(&s->composed);
  g_free(s->pattern);
  g_free(s);
}

static bool is_rank_unique(const Sink *s, int64_t rank)
{
  MillLane other = { .size = sizeof(other) };
  for (uint32_t i = 0; i < s->host->n_lanes(s->host); i++) {
    s->host->lane(s->host, i, &other);
    if (i != s->frame.members && other.rank == rank) return false;
  }
  return true;
}

/* {rank} is the rank where that is unique, else the lane's index too. */
static char *name_for_lane(const Sink *s)
{
  MillLane own = { .size = sizeof(own) };
  g_autofree char *rank = NULL;
  s->host->lane(s->host, s->frame.members, &own);
  if (s->frame.merging)
    rank = g_strdup("-all");
  else if (own.rank < 0)
    rank = g_strdup_printf("-lane%u", s->frame.members);
  else if (is_rank_unique(s, own.rank))
    rank = g_strdup_printf("%" G_GINT64_FORMAT, own.rank);
  else
    rank = g_strdup_printf("%" G_GINT64_FORMAT "-lane%u", own.rank, s->frame.members);
  g_auto(GStrv) parts = g_strsplit(s->pattern, "{rank}", -1);
  return g_strjoinv(rank, parts);
}

static int begin(void *instance)
{
  Sink *s = instance;
  if (s->lane != MILL_NO_LANE || s->per_lane) return 0;
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

/* False: it has no form in a trace. */
static bool compose(Sink *s, const MillBatch *b, uint32_t i)
{
  EventFate fate = event_write(&s->writer, b, &b->events[i]);
  if (fate == EVENT_UNFIT) s->host->note(s->host, NOTE_UNFIT, b, i, NULL, 0);
  if (fate == EVENT_MENDED) s->host->note(s->host, NOTE_MENDED, b, i, NULL, 0);
  return fate != EVENT_UNFIT;
}

static int write_to_part(Sink *s, const MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  uint64_t n_lone = parts_lone_rows(s->parts);
  s->composed.len = 0;
  if (!compose(s, b, i)) return 0;
  PartEvent about = { .is_row = e->kind == MILL_META,
                      .timed = !(e->flags & MILL_FLAG_NO_TS),
                      .ts_ns = event_time(&s->writer, e) };
  int status = parts_add(s->parts, &about, s->composed.bytes, s->composed.len);
  if (parts_lone_rows(s->parts) > n_lone) s->host->note(s->host, NOTE_LONE_ROW, b, i, NULL, 0);
  if (s->composed.room > KEPT_BYTES) text_free(&s->composed);
  if (s->writer.old.room > KEPT_BYTES) text_free(&s->writer.old);
  return status;
}

static int write_event(Sink *s, const MillBatch *b, uint32_t i)
{
  Document *d = s->document;
  size_t mark = d->text.len;
  bool any = d->any;
  document_join(d);
  if (!compose(s, b, i)) {
    d->text.len = mark;
    d->any = any;
  }
  return d->text.len < PIECE_BYTES ? 0 : flush(s);
}

static int write_batch(void *instance, const MillBatch *b)
{
  Sink *s = instance;
  if (s->per_lane && !s->document->opened) start_documents(s);
  for (uint32_t i = 0; i < b->n_events; i++) {
    if (b->events[i].flags & MILL_FLAG_DROPPED) continue;
    int status = s->parts ? write_to_part(s, b, i) : write_event(s, b, i);
    if (status) return status;
  }
  return 0;
}

static int finish(void *instance)
{
  Sink *s = instance;
  bool is_run = s->lane == MILL_NO_LANE;
  if (is_run && s->per_lane) return 0;
  if (s->per_lane && !s->document->opened) start_documents(s);
  if (s->parts) return parts_finish(s->parts);
  document_ranks(&s->frame, s->document);
  if (is_run || s->per_lane) document_tail(&s->frame, s->document);
  return flush(s);
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, file, "file", "trace.json.gz",
                     "Name of the trace; .gz and .zst compress, {rank} makes one file a rank"),
  MILL_SIZE_OPTION(Options, split_size, "split-size", "0",
                   "0:", "Go on in another file after so many bytes of text; 0: never"),
  MILL_DURATION_OPTION(Options, split_time_ns, "split-time", "0",
                       "0:", "One file for each span of this length; 0: one for all"),
};

static const MillNotice notices[] = {
  { sizeof(MillNotice), NOTE_UNFIT, MILL_LEVEL_INFO,
    "{count} event[|s] [has|have] no form in a Chrome trace",
    "[it is|they are] not in the written trace", NULL,
    "Rows of tables (records), and events that a stage made without a known phase, cannot be shown "
    "by trace "
    "viewers. They take part in the analysis and are left out of the trace only." },
  { sizeof(MillNotice), NOTE_MENDED, MILL_LEVEL_WARNING,
    "{count} event[|s] held malformed text that was mended when [it was|they were] written",
    "members that could not be read are lost in the written trace",
    "run with --strict to find the first one",
    "The reader checks events only as far as the analysis needs them. When a stage changes one "
    "whose other members are not valid JSON, or when words like nan and inf stand for numbers, the "
    "sink mends what is unambiguous (nan becomes null) and otherwise writes what was decoded of "
    "the "
    "event." },
  { sizeof(MillNotice), NOTE_LONE_ROW, MILL_LEVEL_WARNING,
    "{count} row[|s] of metadata [stands|stand] in one part of the trace only",
    "other parts may lack names of processes and threads", NULL,
    "Each part of a trace that is split gets all rows of metadata, so that it can be read alone, "
    "up "
    "to 4 MiB of them. What goes beyond that is written once, where it stood." },
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .begin = begin,
  .write = write_batch,
  .finish = finish,
  .close = close_sink,
};

static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_SINK,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "chrome-json",
  .family = "trace",
  .version = "1.0.0",
  .tag = "TRC",
  .title = "Write a Chrome trace that viewers load",
  .help = "Events that no stage touched are copied byte for byte; of the others only the changed "
          "members are written "
          "anew. Integers stay integers and times keep all their digits. Members around the events "
          "are kept.",
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .notices = notices,
  .n_notices = MILL_COUNT(notices),
  .ops = &ops,
};

MILL_MODULE(stage, "stagemill", "MIT");
