/* A counter of what collectives move: for each, data over time from the first begin to the last end; where
 * several run at one time their sum.  Changes wait until no collective that begins before can come. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "base/heap.h"
#include "kit/declare/rows.h"
#include "kit/trace/counter.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/attr-value.h"
#include "kit/trace/meta.h"
#include "open-collectives.h"

enum { INCOMPLETE = 1, NO_TIME = 2 };
enum { METRIC_BANDWIDTH };

#define CHANGES_MAX 65536u

typedef struct Change {
  int64_t at_ns, mb_per_s; /* more, or less than before; a thousandth of GB/s is a MB/s */
} Change;

typedef struct Bandwidth {
  const MillStageHost *host;
  const MillHost *common;
  MillSym data_key, peers_key, orig_key, counter_name, counter_key;
  OpenCollectives open;
  Change *changes; /* a heap, the earliest first */
  size_t n_changes, max_changes;
  int64_t now_mb_per_s;
  bool is_named;           /* the row of the counter */
  __int128 bytes, time_ns; /* of all collectives */
  double max;
  uint64_t n;
} Bandwidth;

static bool is_before(const Change *a, const Change *b) { return a->at_ns < b->at_ns; }

HEAP(changes, Change, is_before)

static int bandwidth_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                          const void *options, void **out)
{
  const MillHost *common = host->common;
  (void)self, (void)level, (void)options;
  Bandwidth *b = instance_new(Bandwidth, host, out);
  if (!b) return -MILL_LIMIT;
  b->data_key = symbol_of(common, "Coll_data_size");
  b->peers_key = symbol_of(common, "peers");
  b->orig_key = symbol_of(common, "orig_name");
  b->counter_name = symbol_of(common, "Coll_Bandwidth");
  b->counter_key = symbol_of(common, "GBps");
  return 0;
}

static void note(const Bandwidth *b, uint32_t number, const MillBatch *batch, uint32_t after)
{
  uint32_t example = after == MILL_AT_END ? MILL_NO_EVENT : after;
  b->common->note(b->common, number, batch, example, NULL, 0);
}

/* ----------------------------------------------------------------- counter */

static int name_row(Bandwidth *b, MillBatch *batch, uint32_t after, uint32_t track)
{
  static const char name[] = "CollectiveBW";
  if (b->is_named) return 0;
  b->is_named = true;
  return meta_emit(b->host, batch, after, track, symbol_of(b->common, "process_name"),
                   symbol_of(b->common, "name"), mill_text(name, sizeof name - 1));
}

/* All changes of one time together. */
static int emit_next(Bandwidth *b, MillBatch *batch, uint32_t after)
{
  int64_t at_ns = b->changes[0].at_ns, before = b->now_mb_per_s;
  while (b->n_changes > 0 && b->changes[0].at_ns == at_ns) {
    b->now_mb_per_s += b->changes[0].mb_per_s;
    b->changes[0] = b->changes[--b->n_changes];
    changes_sink(b->changes, b->n_changes, 0);
  }
  if (b->now_mb_per_s == before) return 0;
  const Counter counter = { .ts_ns = at_ns,
                            .name = b->counter_name,
                            .key = b->counter_key,
                            .track = b->host->track(b->host, mill_int(-1), mill_none()),
                            .value = (double)b->now_mb_per_s / 1000 };
  if (name_row(b, batch, after, counter.track) < 0) return -MILL_LIMIT;
  return counter_emit(b->host, batch, after, &counter) == MILL_FAILED ? -MILL_LIMIT : 0;
}

static int emit_before(Bandwidth *b, MillBatch *batch, uint32_t after, int64_t limit_ns)
{
  int status = 0;
  while (status == 0 && b->n_changes > 0 && b->changes[0].at_ns < limit_ns)
    status = emit_next(b, batch, after);
  return status;
}

static bool add_change(Bandwidth *b, int64_t at_ns, int64_t mb_per_s)
{
  if (!array_reserve(b->common, &b->changes, &b->max_changes, b->n_changes + 1, sizeof(Change)))
    return false;
  b->changes[b->n_changes] = (Change){ at_ns, mb_per_s };
  changes_rise(b->changes, b->n_changes++);
  return true;
}

/* ------------------------------------------------------------- collectives */

/* GB/s are bytes a nanosecond. */
static int finish(Bandwidth *b, OpenCollective *c, MillBatch *batch, uint32_t after)
{
  const OpenCollective done = *c;
  int64_t dur_ns;
  open_collectives_remove(&b->open, c);
  if (done.n < done.n_ranks) note(b, INCOMPLETE, batch, after);
  if (__builtin_sub_overflow(done.end_ns, done.begin_ns, &dur_ns) || dur_ns <= 0) {
    note(b, NO_TIME, batch, after);
    return 0;
  }
  double gb_per_s = (double)done.bytes / (double)dur_ns;
  int64_t mb_per_s = gb_per_s < 1e12 ? (int64_t)(gb_per_s * 1000 + 0.5) : INT64_C(1000000000000000);
  b->bytes += done.bytes;
  b->time_ns += dur_ns;
  if (gb_per_s > b->max) b->max = gb_per_s;
  b->n++;
  bool fits = add_change(b, done.begin_ns, mb_per_s) && add_change(b, done.end_ns, -mb_per_s);
  return fits ? 0 : -MILL_LIMIT;
}

/* "{0, 1}" has one comma fewer than ranks. */
static uint64_t count_peers(const MillBatch *batch, const MillAttr *peers)
{
  size_t len = 0;
  const char *text = peers ? mill_attr_text(batch, peers, &len) : NULL;
  uint64_t n = 1;
  for (size_t i = 0; text && i < len; i++) n += text[i] == ',';
  return n;
}

/* All-reduces share a name; their own says which is which. */
static MillSym own_name(const Bandwidth *b, const MillBatch *batch, const MillEvent *e)
{
  MillSym own = attr_sym(b->common, batch, mill_attr(batch, e, b->orig_key));
  return own ? own : e->name;
}

static int take_slice(Bandwidth *b, MillBatch *batch, uint32_t index, int64_t bytes)
{
  const MillEvent *e = &batch->events[index];
  const OpenCollective slice = { .name = own_name(b, batch, e),
                                 .begin_ns = e->ts_ns,
                                 .end_ns = interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0),
                                 .bytes = bytes,
                                 .n_ranks = count_peers(batch, mill_attr(batch, e, b->peers_key)) };
  int status = 0;
  int64_t now_ns = e->ts_ns;
  OpenCollective *c = open_collectives_add(&b->open, &slice);
  if (!c) {
    status = finish(b, &b->open.items[0], batch, index);
    c = open_collectives_add(&b->open, &slice);
  }
  if (status == 0 && c && c->n >= c->n_ranks) status = finish(b, c, batch, index);
  while (status == 0 && b->n_changes >= CHANGES_MAX && b->open.n > 0)
    status = finish(b, &b->open.items[0], batch, index);
  int64_t limit_ns = open_collectives_begin(&b->open);
  if (status == 0) status = emit_before(b, batch, index, now_ns < limit_ns ? now_ns : limit_ns);
  return status;
}

static int bandwidth_process(void *instance, MillBatch *batch)
{
  Bandwidth *b = instance;
  int status = 0;
  uint32_t n = batch->n_events;
  for (uint32_t i = 0; i < n && status == 0; i++) {
    const MillEvent *e = &batch->events[i];
    int64_t bytes;
    if (e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS) && e->n_attrs > 0 &&
        mill_attr_int(batch, e, b->data_key, &bytes) && bytes >= 0)
      status = take_slice(b, batch, i, bytes);
  }
  return status;
}

static int bandwidth_flush(void *instance, MillBatch *batch)
{
  Bandwidth *b = instance;
  int status = 0;
  while (status == 0 && b->open.n > 0) status = finish(b, &b->open.items[0], batch, MILL_AT_END);
  while (status == 0 && b->n_changes > 0) status = emit_next(b, batch, MILL_AT_END);
  return status;
}

static int bandwidth_report(void *instance)
{
  Bandwidth *b = instance;
  const MillStageHost *host = b->host;
  if (b->n == 0)
    return host->no_metric(host, METRIC_BANDWIDTH, NULL,
                           "there are no collectives (see the stage collectives)");
  double mean = (double)b->bytes / (double)b->time_ns;
  int status = host->metric(host, METRIC_BANDWIDTH, "mean", mill_real(mean), b->n);
  return status < 0 ? status : host->metric(host, METRIC_BANDWIDTH, "max", mill_real(b->max), b->n);
}

/* -------------------------------------------------------------- descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = bandwidth_open,
  .process = bandwidth_process,
  .flush = bandwidth_flush,
  .report = bandwidth_report,
};

static const MillNotice notices[] = {
  MILL_WARNING(
      INCOMPLETE, "{count} collective[|s] [lacks|lack] slices of some ranks",
      "the bandwidth covers only the ranks present", "give the traces of all ranks",
      "The attribute peers of a slice names the ranks that take part. Some of them have no slice "
      "of that name, or more than 1,024 collectives were open at one time."),
  MILL_WARNING(
      NO_TIME, "{count} collective[|s] [takes|take] no time", "[it has|they have] no bandwidth",
      "check whether the ranks are on one clock: table rank-sync",
      "Bytes cannot be divided by a time of 0. Slices of 0 ns come from damaged times, or from "
      "clocks that differ much."),
};

#define ON_SLICES MILL_KIND(MILL_SLICE)
static const MillRead reads[] = {
  { "Coll_data_size", MILL_AS_INT, ON_SLICES },
  { "orig_name", MILL_AS_TEXT, ON_SLICES },
  { "peers", MILL_AS_TEXT, ON_SLICES },
};

static const MillMetric metrics[] = {
  [METRIC_BANDWIDTH] = { .per = MILL_PER_RUN,
                         .better = MILL_HIGHER,
                         .kind = MILL_REAL,
                         .name = "collective_bandwidth",
                         .unit = "GB/s",
                         .stats = "mean,max",
                         .help = "Data that collectives move, 2 * (ranks - 1) * bytes each, "
                                 "divided by their time",
                         .headline = "mean" },
};

static const char *const needs[] = { "collectives", "order.lane", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_WHOLE,
  .flags = MILL_MAY_EMIT,
  .name = "collective-bandwidth",
  .family = "comm",
  .version = "1.0.0",
  .tag = "CBW",
  .title = "Count the bandwidth of collectives over time",
  .help = "The time of a collective is the time from the first begin to the last end of its "
          "slices, which the stage collectives makes. Its bandwidth is the data that it moves "
          "divided by this time. The counter Coll_Bandwidth is the sum of all collectives that run "
          "at one time, in GB/s.",
  .needs = needs,
  .spoils = spoils,
  OWN_ROWS(notices, reads, metrics),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
