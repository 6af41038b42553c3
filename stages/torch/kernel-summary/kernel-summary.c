/* Kernels by the operator that launched them, with short ones apart: for each rank.  Events may come in any order. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/hist.h"
#include "kit/numbers/interval.h"
#include "kit/devices/kernel-class.h"
#include "kit/numbers/moments.h"
#include "kit/state/ranked.h"
#include "kit/devices/stream-name.h"
#include "kit/state/symmap.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/tree-attrs.h"

enum { NOTICE_NOTHING = 1, BINNED };
enum { TABLE_KERNELS, TABLE_SHORT, TABLE_HISTOGRAM };

typedef struct Options {
  int64_t short_ns, bins, exact_up_to;
} Options;

typedef struct ShortKey {
  MillSym op, row, kernel;
} ShortKey;

typedef struct Kernels {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  TorchWords words;
  SymMap classes; /* of kernels by name */
  MillSym op, category, launcher, called, row, stream, graph, call;
  Keyed *kernels; /* Moments, by category, operator, kernel, class and stream */
  Keyed *shorts;  /* Moments, by ShortKey: a text for each takes three times the memory */
  Hists hists;
  Hist durations;            /* of short ones */
  int64_t first_ns, last_ns; /* of all device work */
  uint64_t n_works;
  Buffer text;
} Kernels;

static int kernels_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level;
  Kernels *k = instance_new(Kernels, host, out_instance);
  if (!k) return -MILL_LIMIT;
  k->words.common = k->text.common = host->common;
  k->options = *(const Options *)options;
  k->op = tree_key(k->common, TREE_OP);
  k->category = tree_key(k->common, TREE_CATEGORY);
  k->launcher = tree_key(k->common, TREE_LAUNCHER);
  k->called = tree_key(k->common, TREE_CALL);
  k->row = tree_key(k->common, TREE_ROW);
  k->stream = symbol_of(k->common, "stream");
  k->graph = symbol_of(k->common, "graph");
  k->call = symbol_of(k->common, "call");
  hists_init(&k->hists, k->common, (uint64_t)k->options.exact_up_to);
  hist_init(&k->durations, &k->hists);
  k->kernels = keyed_new(k->common, sizeof(Moments));
  k->shorts = keyed_new(k->common, sizeof(Moments));
  return k->kernels && k->shorts ? 0 : -MILL_LIMIT;
}

/* ---- adding up */

static bool put_sym(Kernels *k, MillSym sym)
{
  size_t len;
  const char *text = k->common->symbol_text(k->common, sym, &len);
  return fields_put(&k->text, text, len);
}

static bool put_stream(Kernels *k, const MillBatch *b, const MillEvent *e)
{
  StreamRoom room;
  Field name = stream_name(k->common, b, e, k->stream, &room);
  return fields_put(&k->text, name.text, name.len);
}

/* Without an operator: what launched it. */
static bool put_category(Kernels *k, const MillBatch *b, const MillEvent *e, MillSym op)
{
  MillSym launcher = tree_sym(k->common, b, e, k->launcher);
  if (op) return put_sym(k, tree_sym(k->common, b, e, k->category));
  const char *text = launcher == k->graph ? "graph" : launcher == k->call ? "runtime" : "none";
  return fields_put(&k->text, text, strlen(text));
}

static bool add_to(Keyed *to, const char *key, size_t len, int64_t dur_ns)
{
  Moments *m = keyed_get(to, key, len);
  if (m) moments_add(m, dur_ns);
  return m != NULL;
}

static bool add_short(Kernels *k, const MillBatch *b, const MillEvent *e, MillSym op)
{
  const ShortKey key = { op, op ? tree_sym(k->common, b, e, k->row) : 0, e->name };
  return add_to(k->shorts, (const char *)&key, sizeof key, e->dur_ns) &&
         hist_add(&k->durations, e->dur_ns);
}

static MillSym class_of(Kernels *k, MillSym kernel)
{
  size_t len;
  MillSym class;
  if (symmap_get(&k->classes, kernel, &class)) return class;
  const char *text = k->common->symbol_text(k->common, kernel, &len);
  class = symbol_of(k->common, kernel_class(text, len));
  symmap_put(k->common, &k->classes, kernel, class);
  return class;
}

static bool add_kernel(Kernels *k, const MillBatch *b, const MillEvent *e)
{
  MillSym op = tree_sym(k->common, b, e, k->op);
  k->text.len = 0;
  if (!put_category(k, b, e, op) || !put_sym(k, op ? op : tree_sym(k->common, b, e, k->called)) ||
      !put_sym(k, e->name) || !put_sym(k, class_of(k, e->name)) || !put_stream(k, b, e) ||
      !add_to(k->kernels, k->text.text, k->text.len, e->dur_ns))
    return false;
  return e->dur_ns >= k->options.short_ns || add_short(k, b, e, op);
}

static void see(Kernels *k, const MillEvent *e)
{
  int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
  if (k->n_works == 0 || e->ts_ns < k->first_ns) k->first_ns = e->ts_ns;
  if (k->n_works == 0 || end_ns > k->last_ns) k->last_ns = end_ns;
  k->n_works++;
}

static int kernels_process(void *instance, MillBatch *b)
{
  Kernels *k = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    TorchKind kind = torch_kind(&k->words, e);
    if (!torch_is_device(kind)) continue;
    see(k, e);
    if (kind == TORCH_KERNEL && !add_kernel(k, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

static int kernels_flush(void *instance, MillBatch *b)
{
  const Kernels *k = instance;
  (void)b;
  if (keyed_count(k->kernels) == 0) mill_note(k->common, NOTICE_NOTHING);
  return 0;
}

/* ---- results */

static int64_t total_of(const void *moments) { return moments_sum(moments); }

/* Of the time from the first to the last device work. */
static double timeline_share(const Kernels *k, int64_t part_ns)
{
  return percent_of(part_ns, (__int128)k->last_ns - k->first_ns);
}

typedef struct KernelRow {
  MillText category, op, kernel, class, stream;
  int64_t calls, total_ns;
  double mean_ns;
  int64_t min_ns, max_ns;
  double share, timeline_share;
} KernelRow;

static int report_kernel(Kernels *k, const Ranked *r, uint32_t i)
{
  const KeyedEntry *entry = r->entries[i].entry;
  const Moments *m = entry->state;
  const char *at = entry->key, *end = at + entry->len;
  Field category = fields_next(&at, end), op = fields_next(&at, end),
        kernel = fields_next(&at, end), class = fields_next(&at, end),
        stream = fields_next(&at, end);
  const KernelRow row = {
    .category = category,
    .op = op,
    .kernel = kernel,
    .class = class,
    .stream = stream,
    .calls = (int64_t)m->n,
    .total_ns = r->entries[i].size,
    .mean_ns = moments_mean_or_none(m),
    .min_ns = m->min,
    .max_ns = m->max,
    .share = ranked_share(r, i),
    .timeline_share = timeline_share(k, r->entries[i].size),
  };
  return mill_row(k->host, TABLE_KERNELS, &row);
}

typedef struct ShortRow {
  MillText op, dims, strides, concrete, kernel;
  int64_t calls, total_ns;
  double mean_ns, timeline_share;
} ShortRow;

/* Operator, dims, strides, concrete inputs and kernel. */
static bool put_short(Kernels *k, const ShortKey *key)
{
  static const int fields[] = { ROW_DIMS, ROW_STRIDES, ROW_CONCRETE };
  size_t len;
  const char *text = k->common->symbol_text(k->common, key->row, &len);
  const TreeRow row = tree_row(text, len);
  k->text.len = 0;
  bool fits = put_sym(k, key->op);
  for (uint32_t i = 0; i < MILL_COUNT(fields) && fits; i++)
    fits = fields_put(&k->text, row.at[fields[i]].text, row.at[fields[i]].len);
  return fits && put_sym(k, key->kernel);
}

/* Rows of operators that differ in what is not shown are one here. */
static Keyed *shorts_by_text(Kernels *k)
{
  Keyed *out = keyed_new(k->common, sizeof(Moments));
  const KeyedEntry *const *entries = keyed_sorted(k->shorts);
  if (!out || !entries) return NULL;
  for (uint32_t i = 0; i < keyed_count(k->shorts); i++) {
    ShortKey key;
    memcpy(&key, entries[i]->key, sizeof key);
    Moments *m = put_short(k, &key) ? keyed_get(out, k->text.text, k->text.len) : NULL;
    if (!m) return NULL;
    moments_merge(m, entries[i]->state);
  }
  return out;
}

static int report_short(Kernels *k, const Ranked *r, uint32_t i)
{
  const KeyedEntry *entry = r->entries[i].entry;
  const Moments *m = entry->state;
  const char *at = entry->key, *end = at + entry->len;
  Field fields[5];
  for (uint32_t f = 0; f < MILL_COUNT(fields); f++) fields[f] = fields_next(&at, end);
  const ShortRow row = {
    .op = fields[0],
    .dims = fields[1],
    .strides = fields[2],
    .concrete = fields[3],
    .kernel = fields[4],
    .calls = (int64_t)m->n,
    .total_ns = r->entries[i].size,
    .mean_ns = moments_mean_or_none(m),
    .timeline_share = timeline_share(k, r->entries[i].size),
  };
  return mill_row(k->host, TABLE_SHORT, &row);
}

static int report_all(Kernels *k, Keyed *from,
                      int (*report)(Kernels *k, const Ranked *r, uint32_t i))
{
  Ranked r;
  int status = 0;
  if (!from || !ranked_make(k->common, from, total_of, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n && status == 0; i++) status = report(k, &r, i);
  return status;
}

/* Durations are whole: those below an edge are those below the next whole number. */
static uint64_t below(Kernels *k, double edge)
{
  return hist_count_below(&k->durations, (int64_t)ceil(edge));
}

typedef struct HistogramRow {
  int64_t bin;
  double low_ns, high_ns;
  int64_t calls;
} HistogramRow;

/* Equal bins from the shortest to the longest short kernel, which the last one has in it. */
static int report_histogram(Kernels *k)
{
  double first, last, edges[2];
  int status = 0;
  if (!hist_percentile(&k->durations, 0, &first) || !hist_percentile(&k->durations, 100, &last))
    return 0;
  const int64_t bins = last > first ? k->options.bins : 1;
  uint64_t before = 0;
  for (int64_t i = 0; i < bins && status == 0; i++) {
    for (int end = 0; end < 2; end++)
      edges[end] = first + (last - first) * (double)(i + end) / (double)bins;
    uint64_t until = i == bins - 1 ? k->durations.n : below(k, edges[1]);
    const HistogramRow row = {
      .bin = i,
      .low_ns = edges[0],
      .high_ns = edges[1],
      .calls = (int64_t)(until - before),
    };
    before = until;
    status = mill_row(k->host, TABLE_HISTOGRAM, &row);
  }
  return status;
}

static int kernels_report(void *instance)
{
  Kernels *k = instance;
  hists_note(&k->hists, BINNED);
  int status = report_all(k, k->kernels, report_kernel);
  if (status == 0) status = report_all(k, shorts_by_text(k), report_short);
  return status == 0 ? report_histogram(k) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, short_ns, "short", "10us",
                       "0:", "Kernels below this duration are short"),
  MILL_INT_OPTION(Options, bins, "bins", "100", "1:10000", "bins",
                  "Bins of the histogram of short kernels"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "calls",
                  "The histogram is exact up to this many short kernels, 8 bytes each"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "{lane} has no kernels", "kernel-summary leaves it out",
            "record the device too: ProfilerActivity.CUDA",
            "No slice has the category kernel, Kernel or mtia_ccp_events. Traces of the host alone "
            "have none."),
  MILL_INFO(
      BINNED, "{lane} has more short kernels than exact-up-to",
      "lengths in short-kernel-histogram are within 0.1 %", "raise exact-up-to: 8 bytes for each",
      "Up to exact-up-to lengths are kept exactly. More lengths are counted in bins whose width is "
      "0.2 % of the length."),
};

static const MillColumn kernel_columns[] = {
  MILL_KEY_BRIEF(KernelRow, category, "category", NULL,
                 "Category of the operator; graph, runtime or none without an operator"),
  MILL_KEY_BRIEF(KernelRow, op, "op", NULL, "The operator that launched it, else the call"),
  MILL_KEY_BRIEF(KernelRow, kernel, "kernel", NULL, "Name of the kernel"),
  MILL_COLUMN(KernelRow, class, "class", NULL, 0, "Class of the kernel by its name"),
  MILL_KEY(KernelRow, stream, "stream", NULL, "Stream of the kernel"),
  MILL_BRIEF(KernelRow, calls, "calls", "count", "Number of calls"),
  MILL_BRIEF(KernelRow, total_ns, "total", "ns", "Sum of its durations"),
  MILL_COLUMN(KernelRow, mean_ns, "mean", "ns", 0, "Mean duration"),
  MILL_COLUMN(KernelRow, min_ns, "min", "ns", 0, "Shortest duration"),
  MILL_COLUMN(KernelRow, max_ns, "max", "ns", 0, "Longest duration"),
  MILL_BRIEF(KernelRow, share, "share", "percent", "Share of the sum over all kernels"),
  MILL_COLUMN(KernelRow, timeline_share, "timeline_share", "percent", 0,
              "Share of the time from first to last device work"),
};
static const MillColumn short_columns[] = {
  MILL_KEY(ShortRow, op, "op", NULL, "The operator that launched it"),
  MILL_KEY(ShortRow, dims, "dims", NULL, "Input Dims of the operator"),
  MILL_KEY(ShortRow, strides, "strides", NULL, "Input Strides of the operator"),
  MILL_KEY(ShortRow, concrete, "concrete", NULL, "Concrete Inputs of the operator"),
  MILL_KEY(ShortRow, kernel, "kernel", NULL, "Name of the kernel"),
  MILL_COLUMN(ShortRow, calls, "calls", "count", 0, "Number of short calls"),
  MILL_COLUMN(ShortRow, total_ns, "total", "ns", 0, "Sum of the short durations"),
  MILL_COLUMN(ShortRow, mean_ns, "mean", "ns", 0, "Mean of the short durations"),
  MILL_COLUMN(ShortRow, timeline_share, "timeline_share", "percent", 0,
              "Share of the time from first to last device work"),
};
static const MillColumn histogram_columns[] = {
  MILL_KEY(HistogramRow, bin, "bin", "count", "Number of the bin"),
  MILL_COLUMN(HistogramRow, low_ns, "low", "ns", 0, "Begin of the bin"),
  MILL_COLUMN(HistogramRow, high_ns, "high", "ns", 0,
              "End of the bin; only the last bin includes it"),
  MILL_COLUMN(HistogramRow, calls, "calls", "count", 0, "Number of short kernels in the bin"),
};

static const MillTable tables[] = {
  [TABLE_KERNELS] = { .per = MILL_PER_LANE,
                      .brief_rows = 10,
                      .name = "kernel-summary",
                      .help = "Kernels by operator, for each rank",
                      .order = "-total,category,op,kernel",
                      .columns = MILL_ROWS(kernel_columns) },
  [TABLE_SHORT] = { .per = MILL_PER_LANE,
                    .name = "short-kernels",
                    .help = "Short kernels by operator and its arguments",
                    .order = "-total,op,kernel",
                    .columns = MILL_ROWS(short_columns) },
  [TABLE_HISTOGRAM] = { .per = MILL_PER_LANE,
                        .name = "short-kernel-histogram",
                        .help = "Distribution of the durations of short kernels",
                        .columns = MILL_ROWS(histogram_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_HISTOGRAM,
    .name = "short-kernels",
    .title = "Short kernels by duration",
    .table = "short-kernel-histogram",
    .x = "low",
    .x_end = "high",
    .y = "calls",
    .x_label = "Duration" },
};

static const MillRead reads[] = {
  TREE_READ(TREE_OP),   TREE_READ(TREE_CATEGORY), TREE_READ(TREE_LAUNCHER),
  TREE_READ(TREE_CALL), TREE_READ(TREE_ROW),      STREAM_READ,
};

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.kernel-summary", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = kernels_open,
  .process = kernels_process,
  .flush = kernels_flush,
  .report = kernels_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "kernel-summary",
  .family = "torch",
  .version = "1.0.0",
  .tag = "KSUM",
  .title = "Kernels by the operator that launched them",
  .help = "Sums kernels by category and operator, name and stream, and short kernels by the "
          "operator's arguments.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
