/* Says what is in a lane: events by kind, time span, tracks, and categories.  Method: one pass
 * of counting; a category is kept by its text, so state grows with distinct categories only, up
 * to MAX_CATEGORIES.  Times are those of the trace: an end is that of the latest slice, and
 * nothing is said about gaps. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/keyed.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"

enum { MAX_CATEGORIES = 4096 };
enum { NOTICE_CATEGORIES = 1, NOTICE_NOTHING = 2 };
enum { TABLE_LANES, TABLE_KINDS, TABLE_CATEGORIES };

typedef struct Category {
  int64_t events, duration_ns;
} Category;

typedef struct Contents {
  const MillStageHost *host;
  const MillHost *common;
  int64_t kinds[MILL_N_KINDS];
  int64_t events, timed;
  int64_t first_ns, last_ns;
  uint8_t *tracks; /* one byte per track: seen */
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

static int contents_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Contents *c = instance_new(Contents, host, out_instance);
  if (!c) return -MILL_LIMIT;
  c->categories = keyed_new(host->common, sizeof(Category));
  return c->categories ? 0 : -MILL_LIMIT;
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
  if (!array_reserve_at(c->common, &c->tracks, &c->max_tracks, track, 1)) return -MILL_LIMIT;
  c->n_tracks += !c->tracks[track];
  c->tracks[track] = 1;
  return 0;
}

static Category *find_category(Contents *c, MillSym cat)
{
  if (keyed_count(c->categories) < MAX_CATEGORIES) return keyed_get_sym(c->categories, cat);
  size_t len;
  const char *text = c->common->symbol_text(c->common, cat, &len);
  Category *found = keyed_find(c->categories, text, len);
  c->too_many = c->too_many || !found;
  return found;
}

static void add_category(Contents *c, const MillEvent *e)
{
  Category *category = find_category(c, e->cat);
  if (!category) return;
  category->events++;
  if (e->kind == MILL_SLICE && e->dur_ns > 0 &&
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
  if (c->too_many) c->common->note(c->common, NOTICE_CATEGORIES, NULL, MILL_NO_EVENT, NULL, 0);
  if (c->events == c->kinds[MILL_META])
    c->common->note(c->common, NOTICE_NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* -- reporting */

typedef struct KindRow {
  const char *kind, *phase;
  int64_t events;
} KindRow;

static int report_kinds(const Contents *c)
{
  for (uint32_t kind = 0; kind < MILL_N_KINDS; kind++) {
    if (!c->kinds[kind]) continue;
    const KindRow row = {
      .kind = kind_names[kind],
      .phase = kind_letters[kind],
      .events = c->kinds[kind],
    };
    int status = mill_row(c->host, TABLE_KINDS, &row);
    if (status < 0) return status;
  }
  return 0;
}

typedef struct CategoryRow {
  MillText category;
  int64_t events, duration_ns;
} CategoryRow;

static int report_categories(Contents *c)
{
  const KeyedEntry *const *sorted = keyed_sorted(c->categories);
  uint32_t n = keyed_count(c->categories);
  if (!sorted) return -MILL_LIMIT;
  for (uint32_t i = 0; i < n; i++) {
    const Category *category = sorted[i]->state;
    const CategoryRow row = {
      .category = { sorted[i]->key, sorted[i]->len },
      .events = category->events,
      .duration_ns = category->duration_ns,
    };
    int status = mill_row(c->host, TABLE_CATEGORIES, &row);
    if (status < 0) return status;
  }
  return 0;
}

typedef struct LaneRow {
  int64_t events, slices, first_ns, span_ns, tracks, categories;
} LaneRow;

static int contents_report(void *instance)
{
  Contents *c = instance;
  int64_t span_ns;
  if (__builtin_sub_overflow(c->last_ns, c->first_ns, &span_ns)) span_ns = INT64_MAX;
  const LaneRow row = {
    .events = c->events,
    .slices = c->kinds[MILL_SLICE],
    .first_ns = c->timed ? c->first_ns : MILL_NO_INT,
    .span_ns = c->timed ? span_ns : MILL_NO_INT,
    .tracks = c->n_tracks,
    .categories = keyed_count(c->categories),
  };
  int status = mill_row(c->host, TABLE_LANES, &row);
  if (status == 0) status = report_kinds(c);
  return status == 0 ? report_categories(c) : status;
}

/* ---- descriptor */

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_CATEGORIES, "{lane} has more than 4096 categories", "the others are not listed",
            NULL,
            "A trace should have few categories. If every event has its own, categories hold names "
            "or ids, and a list of them is useless."),
  MILL_WARNING(NOTICE_NOTHING, "{lane} has no events but metadata", "analyses find no data in it",
               "check whether the profiler was active when the trace was written",
               "The file is a trace that holds at most names of processes and threads. Profilers "
               "write such a file if they stop before any work runs."),
};

static const MillColumn lane_columns[] = {
  MILL_BRIEF(LaneRow, events, "events", "count", "All events, metadata included"),
  MILL_BRIEF(LaneRow, slices, "slices", "count", "Complete slices (X)"),
  MILL_COLUMN(LaneRow, first_ns, "first", "ns", 0,
              "Time of the earliest event, from the lane's base"),
  MILL_BRIEF(LaneRow, span_ns, "span", "ns",
             "Time from the start of the earliest event to the end of the latest"),
  MILL_BRIEF(LaneRow, tracks, "tracks", "count", "Pairs of process and thread that have events"),
  MILL_BRIEF(LaneRow, categories, "categories", "count",
             "Distinct categories, that of events without one included"),
};
static const MillColumn kind_columns[] = {
  MILL_KEY_BRIEF(KindRow, kind, "kind", NULL, "Kind of the events"),
  MILL_COLUMN(KindRow, phase, "phase", NULL, 0, "Letter of the Chrome format"),
  MILL_BRIEF(KindRow, events, "events", "count", "Number of events"),
};
static const MillColumn category_columns[] = {
  MILL_KEY_BRIEF(CategoryRow, category, "category", NULL, "Empty for events that have none"),
  MILL_BRIEF(CategoryRow, events, "events", "count", "Number of events, without metadata"),
  MILL_BRIEF(CategoryRow, duration_ns, "duration", "ns",
             "Sum of their durations; overlapping times count twice"),
};

static const MillTable tables[] = {
  [TABLE_LANES] = { .per = MILL_PER_LANE,
                    .brief_rows = 16,
                    .name = "contents",
                    .help = "Contents of each input",
                    .columns = MILL_ROWS(lane_columns) },
  [TABLE_KINDS] = { .per = MILL_PER_LANE,
                    .brief_rows = 16,
                    .name = "contents-kinds",
                    .help = "Events by kind",
                    .order = "-events,kind",
                    .columns = MILL_ROWS(kind_columns) },
  [TABLE_CATEGORIES] = { .per = MILL_PER_LANE,
                         .brief_rows = 16,
                         .name = "contents-categories",
                         .help = "Events by category",
                         .order = "-events,category",
                         .columns = MILL_ROWS(category_columns) },
};

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = contents_open,
  .process = contents_process,
  .flush = contents_flush,
  .report = contents_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "contents",
  .family = "view",
  .version = "1.0.0",
  .tag = "CONT",
  .title = "List the contents of the inputs",
  .help = "Counts events by kind and by category, and gives the time span and the number of tracks "
          "of each input.",
  OWN_ROWS(notices, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
