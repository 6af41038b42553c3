/* Why streams were idle between two pieces of work: the host had not launched the next one yet, the device needed a moment
 * between them, or something else.  Events may come in any order.  Memory: 32 bytes for each piece of device work,
 * and as many at the end. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/keyed.h"
#include "torch/lib/order.h"
#include "kit/state/ranked.h"
#include "kit/state/state.h"
#include "kit/devices/stream-name.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/trace/tree-attrs.h"

enum { TABLE_CAUSES };
enum { METRIC_HOST_WAIT };
enum { HOST_WAIT, KERNEL_WAIT, OTHER, UNKNOWN, N_CAUSES };
static const char *const cause_names[N_CAUSES] = { "host_wait", "kernel_wait", "other", "unknown" };

typedef struct Options {
  int64_t kernel_gap_ns;
} Options;

typedef struct Work {
  int64_t start_ns, end_ns, call_ns;
  uint32_t stream; /* number of its name */
  bool called;
} Work;

typedef struct Stream {
  uint32_t number; /* from 1 on, by first use */
  int64_t gaps[N_CAUSES], time_ns[N_CAUSES];
} Stream;

typedef struct Idle {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  TorchWords words;
  MillSym stream, call_start;
  Keyed *streams; /* Stream, by name */
  Stream **by_number;
  size_t n_numbers, number_capacity;
  Work *works;
  size_t n, capacity;
  int64_t gaps, idle_ns, host_wait_ns; /* of all streams; on the run level of all lanes */
} Idle;

static int idle_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Idle *s = instance_new(Idle, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->words.common = host->common;
  s->options = *(const Options *)options;
  s->stream = tree_key(s->common, "stream");
  s->call_start = tree_key(s->common, TREE_CALL_START);
  s->streams = keyed_new(s->common, sizeof(Stream));
  return s->streams ? 0 : -MILL_LIMIT;
}

/* ---- collecting */

static Stream *stream_of(Idle *s, const MillBatch *b, const MillEvent *e)
{
  StreamRoom room;
  Field name = stream_name(s->common, b, e, s->stream, &room);
  Stream *stream = keyed_get(s->streams, name.text, name.len);
  if (!stream || stream->number) return stream;
  if (!array_reserve(s->common, &s->by_number, &s->number_capacity, s->n_numbers + 1,
                     sizeof *s->by_number))
    return NULL;
  s->by_number[s->n_numbers++] = stream;
  stream->number = (uint32_t)s->n_numbers;
  return stream;
}

static bool add_work(Idle *s, const MillBatch *b, const MillEvent *e)
{
  const Stream *stream = stream_of(s, b, e);
  if (s->n == UINT32_MAX) {
    (void)mill_fail(s->common, MILL_LIMIT, "there are more than 4 billion pieces of device work",
                    "cut the trace (limit)");
    return false;
  }
  if (!stream || !array_reserve(s->common, &s->works, &s->capacity, s->n + 1, sizeof *s->works))
    return false;
  Work *w = &s->works[s->n++];
  *w = (Work){ .start_ns = e->ts_ns,
               .end_ns = interval_end(e->ts_ns, e->dur_ns),
               .stream = stream->number };
  w->called = mill_attr_int(b, e, s->call_start, &w->call_ns);
  return true;
}

static int idle_process(void *instance, MillBatch *b)
{
  Idle *s = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    if (torch_is_device(torch_kind(&s->words, e)) && !add_work(s, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- gaps */

static int cause_of(const Idle *s, const Work *w, int64_t before_ns, int64_t gap_ns)
{
  if (!w->called) return UNKNOWN;
  if (w->call_ns > before_ns) return HOST_WAIT;
  return gap_ns < s->options.kernel_gap_ns ? KERNEL_WAIT : OTHER;
}

/* A gap is from the end of the work that began before to the start. */
static void add_gap(Idle *s, const Work *before, const Work *w)
{
  int64_t gap_ns;
  if (__builtin_sub_overflow(w->start_ns, before->end_ns, &gap_ns) || gap_ns <= 0) return;
  int cause = cause_of(s, w, before->end_ns, gap_ns);
  Stream *stream = s->by_number[w->stream - 1];
  stream->gaps[cause]++;
  stream->time_ns[cause] = add_clipped(stream->time_ns[cause], gap_ns);
  s->gaps++;
  s->idle_ns = add_clipped(s->idle_ns, gap_ns);
  if (cause == HOST_WAIT) s->host_wait_ns = add_clipped(s->host_wait_ns, gap_ns);
}

static int idle_flush(void *instance, MillBatch *b)
{
  Idle *s = instance;
  (void)b;
  OrderKey *keys = mill_new(s->common, (s->n + 1) * sizeof *keys);
  if (!keys) return -MILL_LIMIT;
  for (size_t i = 0; i < s->n; i++)
    keys[i] =
        (OrderKey){ s->works[i].stream, s->works[i].start_ns, s->works[i].end_ns, (uint32_t)i };
  order_sort(keys, s->n);
  for (size_t i = 1; i < s->n; i++)
    if (keys[i].a == keys[i - 1].a) add_gap(s, &s->works[keys[i - 1].i], &s->works[keys[i].i]);
  array_free(s->common, keys);
  array_free(s->common, s->works);
  s->works = NULL;
  s->n = s->capacity = 0;
  return 0;
}

/* ---- summaries and results */

static const StateField idle_fields[] = {
  STATE_SUM(Idle, gaps),
  STATE_SUM(Idle, idle_ns),
  STATE_SUM(Idle, host_wait_ns),
};
static const StateType idle_state = STATE_TYPE(Idle, idle_fields);
STATE_RESULT(Idle, idle_state)

typedef struct IdleCauseRow {
  MillText stream;
  const char *cause;
  int64_t gaps, time_ns;
  double share;
} IdleCauseRow;

static int report_stream(const Idle *s, const KeyedEntry *entry)
{
  const Stream *stream = entry->state;
  int status = 0;
  for (int c = 0; c < N_CAUSES && status == 0; c++) {
    if (stream->gaps[c] == 0) continue;
    const IdleCauseRow row = {
      .stream = { entry->key, entry->len },
      .cause = cause_names[c],
      .gaps = stream->gaps[c],
      .time_ns = stream->time_ns[c],
      .share = percent_of(stream->time_ns[c], s->idle_ns),
    };
    status = mill_row(s->host, TABLE_CAUSES, &row);
  }
  return status;
}

static int idle_report(void *instance)
{
  Idle *s = instance;
  int status = 0;
  const KeyedEntry *const *entries = keyed_sorted(s->streams);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(s->streams) && status == 0; i++)
    status = report_stream(s, entries[i]);
  return status;
}

static int idle_report_run(void *instance)
{
  const Idle *s = instance;
  if (s->gaps == 0)
    return s->host->no_metric(s->host, METRIC_HOST_WAIT, NULL,
                              "no stream was idle between two pieces of work");
  return s->host->metric(s->host, METRIC_HOST_WAIT, NULL,
                         mill_real(percent_of(s->host_wait_ns, s->idle_ns)), (uint64_t)s->gaps);
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, kernel_gap_ns, "kernel-gap", "30us",
                       "0:", "The device needs shorter gaps between two pieces of work"),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(IdleCauseRow, stream, "stream", NULL, "The idle stream"),
  MILL_KEY_BRIEF(IdleCauseRow, cause, "cause", NULL,
                 "host_wait, kernel_wait, other, or unknown (without a known call)"),
  MILL_BRIEF(IdleCauseRow, gaps, "gaps", "count", "Number of gaps"),
  MILL_BRIEF(IdleCauseRow, time_ns, "time", "ns", "Total time of the gaps"),
  MILL_BRIEF(IdleCauseRow, share, "share", "percent",
             "Share of the idle time of all streams of the rank"),
};
static const MillTable tables[] = {
  [TABLE_CAUSES] = { .per = MILL_PER_LANE,
                     .brief_rows = 8,
                     .name = "idle-cause",
                     .help = "Why streams were idle",
                     .order = "stream,-time",
                     .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  [METRIC_HOST_WAIT] = { .per = MILL_PER_RUN,
                         .better = MILL_LOWER,
                         .kind = MILL_REAL,
                         .name = "idle_host_wait",
                         .unit = "percent",
                         .help = "Share of the idle time of streams in which the host had not "
                                 "launched the next work" },
};

static const MillRead reads[] = { TREE_READ(TREE_CALL_START), STREAM_READ };

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.idle-cause", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = idle_open,
  .process = idle_process,
  .flush = idle_flush,
  .report = idle_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = idle_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "idle-cause",
  .family = "torch",
  .version = "1.0.0",
  .tag = "IDLE",
  .title = "Why streams were idle",
  .help = "Finds the cause of each gap between two pieces of work of a stream: the host launched "
          "the next one late, the device, or another cause.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
