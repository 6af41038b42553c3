/* How many launches wait for each stream: one more when a call begins, one less when what it launched begins to run.  Events
 * may come in any order.  Memory: 80 bytes for each piece of device work, and 64 at the end. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "torch/lib/change-counter.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/names.h"
#include "kit/devices/stream-name.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/trace/tree-attrs.h"

enum { TABLE_QUEUE };
enum { CALL_BEGINS, WORK_BEGINS }; /* of equal times calls come first */
enum { FULL = 1024 };              /* so many launches a stream holds: the next call waits */

enum { BINNED = 1 };

typedef struct Options {
  int64_t exact_up_to;
  bool counters;
} Options;

typedef struct Queue {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  TorchWords words;
  MillSym stream, call_start, value;
  Names streams;
  uint32_t *tracks; /* of the first work of each stream */
  size_t n_tracks;
  Changes changes;
  Hists hists;
  ChangeStats *stats; /* by stream */
} Queue;

static int queue_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  Queue *q = instance_new(Queue, host, out_instance);
  if (!q) return -MILL_LIMIT;
  q->words.common = q->streams.common = q->changes.common = host->common;
  q->options = *(const Options *)options;
  q->stream = tree_key(q->common, "stream");
  q->call_start = tree_key(q->common, TREE_CALL_START);
  q->value = tree_key(q->common, "launches");
  hists_init(&q->hists, q->common, (uint64_t)q->options.exact_up_to);
  return 0;
}

static bool add_work(Queue *q, const MillBatch *b, const MillEvent *e, int64_t call_ns)
{
  uint32_t stream;
  StreamRoom room;
  Field name = stream_name(q->common, b, e, q->stream, &room);
  size_t before = q->streams.n;
  if (!names_number(&q->streams, name.text, name.len, &stream) ||
      !array_reserve_at(q->common, &q->tracks, &q->n_tracks, stream, sizeof *q->tracks))
    return false;
  if (q->streams.n > before) q->tracks[stream] = e->track;
  return changes_add(&q->changes, stream, call_ns, CALL_BEGINS, 1) &&
         changes_add(&q->changes, stream, e->ts_ns, WORK_BEGINS, -1);
}

static int queue_process(void *instance, MillBatch *b)
{
  Queue *q = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    int64_t call_ns;
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) continue;
    if (!torch_is_device(torch_kind(&q->words, e)) || !mill_attr_int(b, e, q->call_start, &call_ns))
      continue;
    if (!add_work(q, b, e, call_ns)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- the end of a lane */

static int walk_stream(Queue *q, MillBatch *b, size_t *io_at)
{
  uint32_t stream = (uint32_t)q->changes.keys[*io_at].a;
  const KeyedEntry *entry = q->streams.entries[stream];
  ChangeCounter c = { .host = q->host, .batch = b, .key = q->value };
  if (!change_counter_open(&c, "queue length", (Field){ entry->key, entry->len },
                           q->tracks[stream]))
    return -MILL_LIMIT;
  return changes_walk(&q->changes, io_at, FULL, &q->hists, &q->stats[stream],
                      q->options.counters ? change_counter_emit : NULL, &c);
}

static int queue_flush(void *instance, MillBatch *b)
{
  Queue *q = instance;
  int status = 0;
  q->stats = mill_new(q->common, (q->streams.n + 1) * sizeof *q->stats);
  if (!q->stats) return -MILL_LIMIT;
  changes_sort(&q->changes);
  for (size_t at = 0; at < q->changes.n && status >= 0;) status = walk_stream(q, b, &at);
  changes_clear(&q->changes);
  return status;
}

static double time_mean(const ChangeStats *s)
{
  return s->span_ns > 0 ? (double)s->area / (double)s->span_ns : (double)NAN;
}

typedef struct QueueLengthRow {
  MillText stream;
  int64_t changes;
  double mean, time_mean;
  int64_t min;
  double p50;
  int64_t max, blocked_ns;
} QueueLengthRow;

static int queue_report(void *instance)
{
  Queue *q = instance;
  int status = 0;
  hists_note(&q->hists, BINNED);
  for (size_t i = 0; i < q->streams.n && status == 0; i++) {
    ChangeStats *s = &q->stats[i];
    const QueueLengthRow row = {
      .stream = { q->streams.entries[i]->key, q->streams.entries[i]->len },
      .changes = (int64_t)s->samples.moments.n,
      .mean = dist_mean(&s->samples),
      .time_mean = time_mean(s),
      .min = s->samples.moments.min,
      .p50 = dist_percentile(&s->samples, 50),
      .max = s->samples.moments.max,
      .blocked_ns = s->at_limit_ns,
    };
    status = mill_row(q->host, TABLE_QUEUE, &row);
  }
  return status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, counters, "counters", "false",
                   "Add counters with the length of each queue to the trace"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "changes",
                  "Medians are exact up to this many changes, 8 bytes each; with more changes they "
                  "are within 0.1 %"),
};

static const MillNotice notices[] = {
  HIST_NOTICE(BINNED),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(QueueLengthRow, stream, "stream", NULL, "The stream that launches wait for"),
  MILL_COLUMN(QueueLengthRow, changes, "changes", "count", 0,
              "Number of changes of the length: two for each launch"),
  MILL_BRIEF(QueueLengthRow, mean, "mean", "count", "Mean length after a change"),
  MILL_BRIEF(QueueLengthRow, time_mean, "time_mean", "count",
             "Mean length over time, from the first change to the last"),
  MILL_COLUMN(QueueLengthRow, min, "min", "count", 0,
              "Minimum; below 0 if work began before its call"),
  MILL_COLUMN(QueueLengthRow, p50, "p50", "count", 0, "Median length after a change"),
  MILL_BRIEF(QueueLengthRow, max, "max", "count", "Largest"),
  MILL_BRIEF(QueueLengthRow, blocked_ns, "blocked", "ns", "Time with 1,024 or more: calls wait"),
};
static const MillTable tables[] = {
  [TABLE_QUEUE] = { .per = MILL_PER_LANE,
                    .brief_rows = 8,
                    .name = "queue-length",
                    .help = "Number of launches that wait for each stream",
                    .columns = MILL_ROWS(columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "queue-length",
    .title = "Launches that wait, by stream",
    .table = "queue-length",
    .x = "stream",
    .y = "time_mean",
    .y_label = "Launches that wait, mean over time" },
};

static const MillRead reads[] = { TREE_READ(TREE_CALL_START), STREAM_READ };

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.queue-length", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = queue_open,
  .process = queue_process,
  .flush = queue_flush,
  .report = queue_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "queue-length",
  .family = "torch",
  .version = "1.0.0",
  .tag = "QUEUE",
  .title = "Number of launches that wait for each stream",
  .help = "The length of a stream's queue grows by one when a call begins, and shrinks by one when "
          "the work that it launched begins; statistics by stream, and counters.",
  .needs = needs,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
