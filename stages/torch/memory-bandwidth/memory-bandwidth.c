/* Bandwidth of copies and fills, by kind, as the sum over those under way.  Events may come in any order.  Memory:
 * 80 bytes for each copy or fill, and 64 at the end. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "torch/lib/change-counter.h"
#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/state/names.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"

enum { TABLE_BANDWIDTH };
enum { ENDS, BEGINS };            /* of equal times what ends comes first */
enum { SHORTEST_NS = 1000 };      /* what has no length lasts so long */
static const double PER_GB = 1e6; /* rates are kept as kB/s */

typedef struct Options {
  int64_t exact_up_to;
  bool counters;
} Options;

typedef struct Kind {
  int64_t copies, bytes;
  uint32_t track;
  ChangeStats stats;
} Kind;

typedef struct Bandwidth {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  TorchWords words;
  MillSym bytes, rate, value;
  Names names;
  Kind *kinds;
  size_t n_kinds;
  Changes changes;
  Hists hists;
} Bandwidth;

static int bandwidth_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                          const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  Bandwidth *w = instance_new(Bandwidth, host, out_instance);
  if (!w) return -MILL_LIMIT;
  w->words.common = w->names.common = w->changes.common = host->common;
  w->options = *(const Options *)options;
  w->bytes = symbol_of(common, "bytes");
  w->rate = symbol_of(common, "memory bandwidth (GB/s)");
  w->value = symbol_of(common, "GB/s");
  hists_init(&w->hists, common, (uint64_t)w->options.exact_up_to);
  return 0;
}

/* ---- copies */

/* The first two words of a name; fills are one kind. */
static Field kind_of(const Bandwidth *w, TorchKind kind, MillSym name)
{
  size_t len, end = 0;
  const char *text = w->common->symbol_text(w->common, name, &len);
  if (kind == TORCH_FILL) return (Field){ "Memset", 6 };
  for (int words = 0; end < len; end++)
    if (text[end] == ' ' && ++words == 2) break;
  return (Field){ text, end };
}

/* In kB/s: what the event says, else its bytes over its duration; 0: neither is known. */
static int64_t rate_of(const Bandwidth *w, const MillBatch *b, const MillEvent *e, int64_t bytes)
{
  const MillAttr *a = mill_attr(b, e, w->rate);
  double gbps = bytes > 0 && e->dur_ns > 0 ? (double)bytes / (double)e->dur_ns : 0;
  if (a && (a->type & MILL_ATTR_TYPE) == MILL_REAL) gbps = a->u.r;
  if (a && (a->type & MILL_ATTR_TYPE) == MILL_INT) gbps = (double)a->u.i;
  if (!(gbps > 0) || gbps > 1e9) return 0;
  return (int64_t)(gbps * PER_GB + 0.5);
}

static bool add_copy(Bandwidth *w, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  uint32_t number;
  int64_t bytes = 0;
  size_t before = w->names.n;
  Field name = kind_of(w, kind, e->name);
  if (!names_number(&w->names, name.text, name.len, &number) ||
      !array_reserve_at(w->common, &w->kinds, &w->n_kinds, number, sizeof *w->kinds))
    return false;
  Kind *k = &w->kinds[number];
  if (w->names.n > before) k->track = e->track;
  if (mill_attr_int(b, e, w->bytes, &bytes) && bytes > 0) k->bytes = add_clipped(k->bytes, bytes);
  k->copies++;
  int64_t rate = rate_of(w, b, e, bytes), dur_ns = e->dur_ns > 0 ? e->dur_ns : SHORTEST_NS;
  return changes_add(&w->changes, number, e->ts_ns, BEGINS, rate) &&
         changes_add(&w->changes, number, interval_end(e->ts_ns, dur_ns), ENDS, -rate);
}

static int bandwidth_process(void *instance, MillBatch *b)
{
  Bandwidth *w = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    TorchKind kind = torch_kind(&w->words, e);
    if ((kind == TORCH_COPY || kind == TORCH_FILL) && !add_copy(w, b, e, kind)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- the end of a lane */

static int walk_kind(Bandwidth *w, MillBatch *b, size_t *io_at)
{
  uint32_t number = (uint32_t)w->changes.keys[*io_at].a;
  const KeyedEntry *entry = w->names.entries[number];
  Kind *k = &w->kinds[number];
  ChangeCounter c = { .host = w->host, .batch = b, .key = w->value, .per = PER_GB };
  if (!change_counter_open(&c, "memory bandwidth", (Field){ entry->key, entry->len }, k->track))
    return -MILL_LIMIT;
  return changes_walk(&w->changes, io_at, INT64_MAX, &w->hists, &k->stats,
                      w->options.counters ? change_counter_emit : NULL, &c);
}

static int bandwidth_flush(void *instance, MillBatch *b)
{
  Bandwidth *w = instance;
  int status = 0;
  changes_sort(&w->changes);
  for (size_t at = 0; at < w->changes.n && status >= 0;) status = walk_kind(w, b, &at);
  changes_clear(&w->changes);
  return status;
}

typedef struct MemoryBandwidthRow {
  MillText kind;
  int64_t copies, bytes;
  double mean, max;
  int64_t busy_ns;
} MemoryBandwidthRow;

/* The mean is over the time in which anything is under way. */
static int bandwidth_report(void *instance)
{
  const Bandwidth *w = instance;
  int status = 0;
  for (size_t i = 0; i < w->names.n && status == 0; i++) {
    const Kind *k = &w->kinds[i];
    const ChangeStats *s = &k->stats;
    const MemoryBandwidthRow row = {
      .kind = { w->names.entries[i]->key, w->names.entries[i]->len },
      .copies = k->copies,
      .bytes = k->bytes,
      .mean = s->busy_ns > 0 ? (double)s->area / (double)s->busy_ns / PER_GB : (double)NAN,
      .max = (double)s->max / PER_GB,
      .busy_ns = s->busy_ns,
    };
    status = mill_row(w->host, TABLE_BANDWIDTH, &row);
  }
  return status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, counters, "counters", "false",
                   "Add counters with the bandwidth of each kind to the trace"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "changes",
                  "Hold up to this many changes one by one, 8 bytes each"),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(MemoryBandwidthRow, kind, "kind", NULL, "First two words of the name; Memset"),
  MILL_BRIEF(MemoryBandwidthRow, copies, "copies", "count", "Number of copies or fills"),
  MILL_BRIEF(MemoryBandwidthRow, bytes, "bytes", "bytes", "Bytes that they moved"),
  MILL_BRIEF(MemoryBandwidthRow, mean, "mean", "GB/s",
             "Mean over the time in which one is running; 1e9 bytes per second"),
  MILL_BRIEF(MemoryBandwidthRow, max, "max", "GB/s", "Largest bandwidth at a time"),
  MILL_COLUMN(MemoryBandwidthRow, busy_ns, "busy", "ns", 0, "Time in which one is running"),
};
static const MillTable tables[] = {
  [TABLE_BANDWIDTH] = { .per = MILL_PER_LANE,
                        .brief_rows = 8,
                        .name = "memory-bandwidth",
                        .help = "Bandwidth of copies and fills",
                        .columns = MILL_ROWS(columns) },
};

static const MillRead reads[] = {
  { "bytes", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "memory bandwidth (GB/s)", MILL_AS_REAL, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "torch.tree", NULL };
static const char *const provides[] = { "table.memory-bandwidth", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = bandwidth_open,
  .process = bandwidth_process,
  .flush = bandwidth_flush,
  .report = bandwidth_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "memory-bandwidth",
  .family = "torch",
  .version = "1.0.0",
  .tag = "MEMBW",
  .title = "Bandwidth of copies and fills",
  .help = "Adds up the bandwidth of the copies and fills that are under way, by kind: statistics, "
          "and counters.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
