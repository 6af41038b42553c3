/* Says what is in a lane: events by kind, time span, tracks, and categories.  Method: one pass
 * of counting; a category is kept by its text, so state grows with distinct categories only, up
 * to MAX_CATEGORIES.  Times are those of the trace: an end is that of the latest slice, and
 * nothing is said about gaps. */
#include <stagemill/stage.h>
#include <stdlib.h>
#include <string.h>

#include "lib/keyed.h"
#include "lib/room.h"

enum { MAX_CATEGORIES = 4096 };
enum { NOTICE_CATEGORIES = 1, NOTICE_NOTHING = 2 };
enum { TABLE_LANES, TABLE_KINDS, TABLE_CATEGORIES };

typedef struct Category {
  int64_t events, duration_ns;
} Category;

typedef struct Contents {
  const MillHost *host;
  int64_t kinds[MILL_N_KINDS];
  int64_t events, timed;
  int64_t first_ns, last_ns;
  uint8_t *tracks; /* a byte a track: seen */
  size_t max_tracks;
  uint32_t n_tracks;
  Keyed *categories;
  bool too_many;
} Contents;

static const char *const kind_names[MILL_N_KINDS] = {
  "other",    "slice",       "begin",      "end",       "instant",    "counter",
  "metadata", "async begin", "async step", "async end", "flow start", "flow step",
  "flow end", "sample",      "object",     "record"
};
static const char *const kind_letters[MILL_N_KINDS] = { "?", "X", "B", "E", "i", "C", "M", "b",
                                                        "n", "e", "s", "t", "f", "P", "N", "-" };

static void contents_close(void *instance)
{
  Contents *c = instance;
  keyed_free(c->categories);
  free(c->tracks);
  free(c);
}

static int contents_open(const MillStage *self, const MillHost *host, const void *options,
                         void **out_instance)
{
  (void)self, (void)options;
  Contents *c = calloc(1, sizeof *c);
  if (!c) return mill_fail(host, MILL_LIMIT, "out of memory", NULL);
  c->host = host;
  *out_instance = c;
  c->categories = keyed_new(sizeof(Category), NULL);
  return c->categories ? 0 : mill_fail(host, MILL_LIMIT, "out of memory", NULL);
}

/* ---- counting */

static void add_time(Contents *c, const MillEvent *e)
{
  int64_t end_ns;
  if (e->flags & MILL_FLAG_NO_TS) return;
  if (__builtin_add_overflow(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0, &end_ns)) end_ns = INT64_MAX;
  if (!c->timed || e->ts_ns < c->first_ns) c->first_ns = e->ts_ns;
  if (!c->timed || end_ns > c->last_ns) c->last_ns = end_ns;
  c->timed++;
}

static int add_track(Contents *c, uint32_t track)
{
  if (!room_at(&c->tracks, &c->max_tracks, track, 1))
    return mill_fail(c->host, MILL_LIMIT, "out of memory", NULL);
  c->n_tracks += !c->tracks[track];
  c->tracks[track] = 1;
  return 0;
}

static Category *find_category(Contents *c, MillSym cat)
{
  if (keyed_count(c->categories) < MAX_CATEGORIES)
    return keyed_get_sym(c->categories, c->host, cat);
  size_t len;
  const char *text = c->host->symbol_text(c->host, cat, &len);
  Category *found = keyed_find(c->categories, text, len);
  c->too_many = c->too_many || !found;
  return found;
}

static void add_category(Contents *c, const MillEvent *e)
{
  Category *category = find_category(c, e->cat);
  if (!category) return;
  category->events++;
  if (e->dur_ns > 0 &&
      __builtin_add_overflow(category->duration_ns, e->dur_ns, &category->duration_ns))
    category->duration_ns = INT64_MAX;
}

static int contents_process(void *instance, MillBatch *b)
{
  Contents *c = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    c->kinds[e->kind % MILL_N_KINDS]++;
    c->events++;
    add_time(c, e);
    if (e->kind == MILL_META) continue;
    add_category(c, e);
    int status = add_track(c, e->track);
    if (status < 0) return status;
  }
  return 0;
}

static int contents_flush(void *instance, MillBatch *b)
{
  Contents *c = instance;
  (void)b;
  if (c->too_many) c->host->note(c->host, NOTICE_CATEGORIES, NULL, MILL_NO_EVENT, NULL, 0);
  if (c->events == c->kinds[MILL_META])
    c->host->note(c->host, NOTICE_NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* ---- reporting */

static int report_kinds(const Contents *c)
{
  for (uint32_t kind = 0; kind < MILL_N_KINDS; kind++) {
    if (!c->kinds[kind]) continue;
    const MillValue cells[] = { mill_text(kind_names[kind], strlen(kind_names[kind])),
                                mill_text(kind_letters[kind], strlen(kind_letters[kind])),
                                mill_int(c->kinds[kind]) };
    int status = c->host->row(c->host, TABLE_KINDS, cells, MILL_COUNT(cells));
    if (status < 0) return status;
  }
  return 0;
}

static int report_categories(Contents *c)
{
  const KeyedEntry *const *sorted = keyed_sorted(c->categories);
  uint32_t n = keyed_count(c->categories);
  if (n && !sorted) return mill_fail(c->host, MILL_LIMIT, "out of memory", NULL);
  for (uint32_t i = 0; i < n; i++) {
    const Category *category = sorted[i]->state;
    const MillValue cells[] = { mill_text(sorted[i]->key, sorted[i]->len),
                                mill_int(category->events), mill_int(category->duration_ns) };
    int status = c->host->row(c->host, TABLE_CATEGORIES, cells, MILL_COUNT(cells));
    if (status < 0) return status;
  }
  return 0;
}

static int contents_report(void *instance)
{
  Contents *c = instance;
  MillLane lane = { .size = sizeof lane };
  c->host->lane(c->host, MILL_NO_LANE, &lane);
  if (lane.index == MILL_NO_LANE) return 0;
  int64_t span_ns;
  if (__builtin_sub_overflow(c->last_ns, c->first_ns, &span_ns)) span_ns = INT64_MAX;
  const MillValue cells[] = {
    mill_int(c->events),
    mill_int(c->kinds[MILL_SLICE]),
    c->timed ? mill_int(c->first_ns) : mill_none(),
    c->timed ? mill_int(span_ns) : mill_none(),
    mill_int(c->n_tracks),
    mill_int(keyed_count(c->categories)),
  };
  int status = c->host->row(c->host, TABLE_LANES, cells, MILL_COUNT(cells));
  if (status == 0) status = report_kinds(c);
  return status == 0 ? report_categories(c) : status;
}

/* ---- descriptor */

static const MillNotice notices[] = {
  { sizeof(MillNotice), NOTICE_CATEGORIES, MILL_LEVEL_INFO, "{lane} has more than 4096 categories",
    "the others are not listed", NULL,
    "Categories are meant to be few. Where every event has its own, they carry names or ids, and a "
    "list of them says "
    "nothing." },
  { sizeof(MillNotice), NOTICE_NOTHING, MILL_LEVEL_WARNING, "{lane} has no events but metadata",
    "no analysis will find anything in it",
    "look whether the profiler was active when the trace was written",
    "The file is a trace, and it holds at most names of processes and threads. This is what "
    "profilers write when they were "
    "stopped before anything ran." },
};

static const MillColumn lane_columns[] = {
  { "events", "count", MILL_INT, MILL_COLUMN_BRIEF, "All events, metadata included" },
  { "slices", "count", MILL_INT, MILL_COLUMN_BRIEF, "Complete slices (X)" },
  { "first", "ns", MILL_INT, 0, "Time of the earliest event, from the lane's base" },
  { "span", "ns", MILL_INT, MILL_COLUMN_BRIEF, "From the earliest event to the end of the latest" },
  { "tracks", "count", MILL_INT, MILL_COLUMN_BRIEF,
    "Pairs of process and thread that have events" },
  { "categories", "count", MILL_INT, MILL_COLUMN_BRIEF,
    "Distinct categories, that of events without one included" },
};
static const MillColumn kind_columns[] = {
  { "kind", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "What the events are" },
  { "phase", NULL, MILL_TEXT, 0, "Letter of the Chrome format" },
  { "events", "count", MILL_INT, MILL_COLUMN_BRIEF, "How many there are" },
};
static const MillColumn category_columns[] = {
  { "category", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF,
    "Empty for events that have none" },
  { "events", "count", MILL_INT, MILL_COLUMN_BRIEF, "How many there are, metadata left out" },
  { "duration", "ns", MILL_INT, MILL_COLUMN_BRIEF,
    "Sum of their durations; those that overlap count twice" },
};

static const MillTable tables[] = {
  [TABLE_LANES] = { sizeof(MillTable), MILL_PER_LANE, "contents", "What each input holds",
                    lane_columns, MILL_COUNT(lane_columns), 16, NULL },
  [TABLE_KINDS] = { sizeof(MillTable), MILL_PER_LANE, "contents-kinds", "Events by kind",
                    kind_columns, MILL_COUNT(kind_columns), 16, "-events,kind" },
  [TABLE_CATEGORIES] = { sizeof(MillTable), MILL_PER_LANE, "contents-categories",
                         "Events by category", category_columns, MILL_COUNT(category_columns), 16,
                         "-events,category" },
};

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = contents_open,
  .process = contents_process,
  .flush = contents_flush,
  .report = contents_report,
  .close = contents_close,
};

static const MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "contents",
  .family = "view",
  .version = "1.0.0",
  .tag = "CONT",
  .title = "What is in the inputs",
  .help = "Counts events by kind and by category, and gives the time span and the number of tracks "
          "of each input.",
  .notices = notices,
  .n_notices = MILL_COUNT(notices),
  .tables = tables,
  .n_tables = MILL_COUNT(tables),
  .ops = &ops,
};
MILL_MODULE(stage, "stagemill", "MIT");
