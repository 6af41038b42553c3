/* The trace sink: events as a Chrome trace in its object form.
 *
 * The layout is fixed: one line for each member around the events, one separator
 * between events.  So what this sink wrote is read and written again as the same
 * bytes.  Sorting and overlap repair are stages. */
#include <glib.h>
#include <stagemill/stage.h>

#include "event.h"

#define PIECE_BYTES (128u << 10)
#define KEPT_BYTES (1u << 20) /* a huge event must not hold its memory for the rest of the run */

typedef struct Options {
  const char *file;
} Options;

typedef struct Sink {
  const MillHost *host;
  char *file;       /* the output's name; NULL until a lane's own is known */
  char *pattern;    /* the option's text */
  uint32_t lane;    /* MILL_NO_LANE: the run-level instance */
  uint32_t members; /* the lane whose members come first */
  bool per_lane;    /* each lane writes a document of its own */
  bool merging;     /* several lanes go into the document */
  Ranks *ranks;     /* when merging */
  bool opened;      /* its head is written */
  bool any;         /* an event was written */
  GHashTable *keys; /* members written so far */
  Text text;
  EventWriter writer;
} Sink;

enum { NOTE_UNFIT = 1, NOTE_MENDED = 2 };

static int flush(Sink *s)
{
  if (!s->text.len) return 0;
  int status = s->host->output(s->host, s->file, ",\n", s->text.bytes, s->text.len);
  s->text.len = 0;
  if (s->text.room > KEPT_BYTES) text_free(&s->text);
  if (s->writer.old.room > KEPT_BYTES) text_free(&s->writer.old);
  return status;
}

/* With {rank} each lane has a document; the merged stream of several has one for all of them. */
static void choose_document(Sink *s)
{
  uint32_t n_lanes = s->host->n_lanes(s->host);
  bool is_whole = s->lane != MILL_NO_LANE && s->lane >= n_lanes;
  s->per_lane = strstr(s->pattern, "{rank}") != NULL;
  s->merging = n_lanes > 1 && (!s->per_lane || is_whole);
  s->members = is_whole || s->lane == MILL_NO_LANE ? 0 : s->lane;
  if (!s->per_lane) s->file = g_strdup(s->pattern);
  if (!s->merging || s->lane == MILL_NO_LANE) return;
  s->ranks = ranks_new(s->host);
  event_writer_merge(&s->writer, s->ranks);
}

static int open_sink(const MillStage *self, const MillHost *host, const void *options,
                     void **out_instance)
{
  (void)self;
  MillLane own = { .size = sizeof(own) };
  Sink *s = g_new0(Sink, 1);
  host->lane(host, MILL_NO_LANE, &own);
  s->host = host;
  s->lane = own.index;
  s->pattern = g_strdup(((const Options *)options)->file);
  s->keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  event_writer_init(&s->writer, host, &s->text);
  choose_document(s);
  *out_instance = s;
  return 0;
}

static void close_sink(void *instance)
{
  Sink *s = instance;
  event_writer_free(&s->writer);
  ranks_free(s->ranks);
  text_free(&s->text);
  g_hash_table_destroy(s->keys);
  g_free(s->pattern);
  g_free(s->file);
  g_free(s);
}

static bool is_rank_unique(const Sink *s, int64_t rank)
{
  MillLane other = { .size = sizeof(other) };
  for (uint32_t i = 0; i < s->host->n_lanes(s->host); i++) {
    s->host->lane(s->host, i, &other);
    if (i != s->members && other.rank == rank) return false;
  }
  return true;
}

/* {rank} is the rank where that is unique, else the lane's index too. */
static char *name_for_lane(const Sink *s)
{
  MillLane own = { .size = sizeof(own) };
  g_autofree char *rank = NULL;
  s->host->lane(s->host, s->members, &own);
  if (s->merging)
    rank = g_strdup("-all");
  else if (own.rank < 0)
    rank = g_strdup_printf("-lane%u", s->members);
  else if (is_rank_unique(s, own.rank))
    rank = g_strdup_printf("%" G_GINT64_FORMAT, own.rank);
  else
    rank = g_strdup_printf("%" G_GINT64_FORMAT "-lane%u", own.rank, s->members);
  g_auto(GStrv) parts = g_strsplit(s->pattern, "{rank}", -1);
  return g_strjoinv(rank, parts);
}

static bool wanted_member(const Sink *s, uint32_t lane, const char *key)
{
  if (g_hash_table_contains(s->keys, key)) return false;
  if (!strcmp(key, "traceEvents")) return false;
  if (!s->merging) return true;
  /* They describe one rank; in a merged trace times count from the first lane's base. */
  if (!strcmp(key, "distributedInfo")) return false;
  return lane == 0 || strcmp(key, "baseTimeNanoseconds") != 0;
}

/* Writes the lane's members that are not written yet: those before the events, or all. */
static void write_members(Sink *s, uint32_t lane, bool all)
{
  MillValue key, json;
  bool after;
  for (uint32_t i = 0; s->host->lane_member(s->host, lane, i, &after, &key, &json); i++) {
    if (after && !all) continue;
    char *name = g_strndup(key.u.text, key.len);
    if (!wanted_member(s, lane, name)) {
      g_free(name);
      continue;
    }
    g_hash_table_add(s->keys, name);
    if (all) text_literal(&s->text, ",\n");
    text_quote(&s->text, key.u.text, key.len);
    text_literal(&s->text, ": ");
    text_put(&s->text, json.u.text, json.len);
    if (!all) text_literal(&s->text, ",\n");
  }
}

static void write_head(Sink *s, uint32_t lane)
{
  text_literal(&s->text, "{\n");
  write_members(s, lane, false);
  text_literal(&s->text, "\"traceEvents\": [\n");
  s->opened = true;
}

static void write_tail(Sink *s, uint32_t first_lane, uint32_t last_lane)
{
  text_literal(&s->text, "\n]");
  for (uint32_t lane = first_lane; lane < last_lane; lane++) write_members(s, lane, true);
  text_literal(&s->text, "\n}\n");
}

static int begin(void *instance)
{
  Sink *s = instance;
  if (s->lane != MILL_NO_LANE || s->per_lane) return 0;
  write_head(s, 0);
  return flush(s);
}

/* A lane's own document starts late, when its rank is known. */
static void start_document(Sink *s)
{
  s->file = name_for_lane(s);
  write_head(s, s->members);
}

static int write_batch(void *instance, const MillBatch *b)
{
  Sink *s = instance;
  if (s->per_lane && !s->opened) start_document(s);
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->flags & MILL_FLAG_DROPPED) continue;
    size_t mark = s->text.len;
    if (s->any) text_literal(&s->text, ",\n");
    EventFate fate = event_write(&s->writer, b, e);
    if (fate == EVENT_UNFIT) {
      s->text.len = mark;
      s->host->note(s->host, NOTE_UNFIT, b, i, NULL, 0);
      continue;
    }
    if (fate == EVENT_MENDED) s->host->note(s->host, NOTE_MENDED, b, i, NULL, 0);
    s->any = true;
    if (s->text.len < PIECE_BYTES) continue;
    int status = flush(s);
    if (status) return status;
  }
  return 0;
}

static void finish_document(Sink *s)
{
  if (s->merging)
    write_tail(s, 0, s->host->n_lanes(s->host));
  else
    write_tail(s, s->members, s->members + 1);
}

static int finish(void *instance)
{
  Sink *s = instance;
  bool is_run = s->lane == MILL_NO_LANE;
  if (is_run && s->per_lane) return 0;
  if (s->per_lane && !s->opened) start_document(s);
  if (s->ranks) ranks_write(s->ranks, &s->text, ",\n", s->any);
  if (is_run || s->per_lane) finish_document(s);
  return flush(s);
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, file, "file", "trace.json.gz",
                     "Name of the trace; .gz and .zst compress, {rank} makes one file a rank"),
};

static const MillNotice notices[] = {
  { sizeof(MillNotice), NOTE_UNFIT, MILL_LEVEL_INFO,
    "{count} events have no form in a Chrome trace", "they are not in the written trace", NULL,
    "Rows of tables (records), and events that a stage made without a known phase, cannot be shown "
    "by trace "
    "viewers. They take part in the analysis and are left out of the trace only." },
  { sizeof(MillNotice), NOTE_MENDED, MILL_LEVEL_WARNING,
    "{count} events held malformed text that was mended when they were written",
    "members that could not be read are lost in the written trace",
    "run with --strict to find the first one",
    "The reader checks events only as far as the analysis needs them. When a stage changes one "
    "whose other members are not valid JSON, or when words like nan and inf stand for numbers, the "
    "sink mends what is unambiguous (nan becomes null) and otherwise writes what was decoded of the "
    "event." },
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
