/* The event-rows sink: slices as rows of one CSV file, with what stages found of each. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>

#include "kit/sink/cells.h"
#include "kit/chrome/ranks.h"
#include "kit/text/symbol.h"

#define PIECE_BYTES (128u << 10)
#define EVENTS_FILE "events.csv"
#define HEADER "rank,ts_ns,dur_ns,category,name,class,job,bytes,pt_active" CELLS_END_OF_ROW

enum { CLASS, JOB, BYTES, PT_ACTIVE, N_KEYS };
static const char *const attributes[N_KEYS] = { "class", "jobname", "bytes", "pt_active" };

typedef struct Sink {
  const MillSinkHost *host;
  const MillHost *common;
  MillSym keys[N_KEYS];
  bool merged;      /* each event's track says whose it is */
  int64_t shift_ns; /* from the lane's base to that of the written trace */
  GString *text;
} Sink;

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)options;
  const MillHost *common = host->common;
  Sink *s = mill_new(common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->common = common;
  s->merged = level == MILL_MERGED;
  for (int i = 0; i < N_KEYS; i++) s->keys[i] = symbol_of(common, attributes[i]);
  s->text = g_string_new(NULL);
  *out_instance = s;
  return 0;
}

static void close_sink(void *instance) { g_string_free(((Sink *)instance)->text, TRUE); }

static int flush(Sink *s)
{
  if (!s->text->len) return 0;
  int status = s->host->output(s->host, EVENTS_FILE, NULL, s->text->str, s->text->len);
  g_string_truncate(s->text, 0);
  return status;
}

static MillValue rank_of(const Sink *s, const MillEvent *e)
{
  MillLane lane = { .size = sizeof lane };
  s->common->lane(s->common, s->merged ? s->common->track_lane(s->common, e->track) : MILL_NO_LANE,
                  &lane);
  return lane.rank < 0 ? mill_none() : mill_int(lane.rank);
}

static MillValue time_of(const Sink *s, const MillEvent *e)
{
  int64_t ts_ns;
  if (e->flags & MILL_FLAG_NO_TS) return mill_none();
  if (__builtin_add_overflow(e->ts_ns, s->shift_ns, &ts_ns))
    ts_ns = e->ts_ns < 0 ? INT64_MIN : INT64_MAX;
  return mill_int(ts_ns);
}

static MillValue attribute(const MillBatch *b, const MillEvent *e, MillSym key)
{
  const MillAttr *a = mill_attr(b, e, key);
  size_t len;
  if (!a) return mill_none();
  const char *text = mill_attr_text(b, a, &len);
  if (text) return mill_text(text, len);
  MillValue v = mill_int(a->u.i);
  v.type = a->type & MILL_ATTR_TYPE;
  if (v.type == MILL_REAL) return mill_real(a->u.r);
  return v.type == MILL_SYM ? mill_sym(a->u.sym) : v;
}

static void put_row(Sink *s, const MillBatch *b, const MillEvent *e)
{
  const MillValue cells[] = { rank_of(s, e),
                              time_of(s, e),
                              e->dur_ns < 0 ? mill_none() : mill_int(e->dur_ns),
                              e->cat ? mill_sym(e->cat) : mill_none(),
                              mill_sym(e->name),
                              attribute(b, e, s->keys[CLASS]),
                              attribute(b, e, s->keys[JOB]),
                              attribute(b, e, s->keys[BYTES]),
                              attribute(b, e, s->keys[PT_ACTIVE]) };
  for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
    if (i) g_string_append_c(s->text, ',');
    cells_put(s->text, s->common, &cells[i]);
  }
  g_string_append(s->text, CELLS_END_OF_ROW);
}

static int write_batch(void *instance, const MillBatch *b)
{
  Sink *s = instance;
  int status = 0;
  s->shift_ns = ranks_shift_ns(s->common, (TraceLanes){ NULL, 0 });
  for (uint32_t i = 0; i < b->n_events && !status; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_DROPPED) continue;
    put_row(s, b, e);
    if (s->text->len >= PIECE_BYTES) status = flush(s);
  }
  return status;
}

static int finish(void *instance) { return flush(instance); }

static int begin_run(void *instance)
{
  Sink *s = instance;
  g_string_append(s->text, HEADER);
  return flush(s);
}

static const MillRead reads[] = {
  { "class", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "jobname", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "bytes", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "pt_active", MILL_AS_REAL, MILL_KIND(MILL_SLICE) },
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .write = write_batch,
  .finish = finish,
  .begin_run = begin_run,
  .close = close_sink,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .name = "event-rows",
  .format = "events",
  .files = EVENTS_FILE,
  .version = "1.0.0",
  .tag = "EVT",
  .title = "Write slices as rows of a CSV file",
  .help = "events.csv, by RFC 4180: one row for each slice, with its rank, start and duration in "
          "nanoseconds, category, name, and the attributes class, jobname, bytes and pt_active. If "
          "a slice lacks a value, its cell is empty.",
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
