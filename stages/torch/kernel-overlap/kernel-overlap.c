/* Which kernels of a rank run at the same time on two streams.  Events may come in any order.  Memory: 40 bytes for each
 * kernel, and 32 while they are sorted. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/names.h"
#include "kit/text/fields.h"
#include "torch/lib/order.h"
#include "kit/state/ranked.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/trace/tree-attrs.h"

enum { CROWDED = 1 };
enum { TABLE_OVERLAP };
enum { MAX_RUNNING = 256 }; /* kernels at a time */

typedef struct Kernel {
  int64_t start_ns, end_ns;
  uint32_t track, name; /* number of operator and kernel */
} Kernel;

typedef struct Pair {
  int64_t calls, overlap_ns;
} Pair;

typedef struct Overlap {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym op;
  Names names;       /* of operator and kernel as fields */
  int64_t *times_ns; /* of each name */
  size_t n_times;
  Kernel *kernels;
  size_t n, capacity;
  uint32_t running[MAX_RUNNING];
  uint32_t n_running;
  Keyed *pairs; /* Pair, by two names as fields */
  Buffer text;
} Overlap;

static int overlap_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Overlap *o = instance_new(Overlap, host, out_instance);
  if (!o) return -MILL_LIMIT;
  o->words.common = o->names.common = o->text.common = host->common;
  o->op = tree_key(o->common, TREE_OP);
  o->pairs = keyed_new(o->common, sizeof(Pair));
  return o->pairs ? 0 : -MILL_LIMIT;
}

/* ---- collecting */

static bool put_sym(Overlap *o, MillSym sym)
{
  size_t len;
  const char *text = o->common->symbol_text(o->common, sym, &len);
  return fields_put(&o->text, text, len);
}

static bool add_kernel(Overlap *o, const MillBatch *b, const MillEvent *e)
{
  Kernel k = { e->ts_ns, interval_end(e->ts_ns, e->dur_ns), e->track, 0 };
  if (o->n == UINT32_MAX) {
    (void)mill_fail(o->common, MILL_LIMIT, "there are more than 4 billion kernels",
                    "cut the trace (limit)");
    return false;
  }
  o->text.len = 0;
  if (!put_sym(o, tree_sym(o->common, b, e, o->op)) || !put_sym(o, e->name) ||
      !names_number(&o->names, o->text.text, o->text.len, &k.name) ||
      !array_reserve_at(o->common, &o->times_ns, &o->n_times, k.name, sizeof *o->times_ns) ||
      !array_reserve(o->common, &o->kernels, &o->capacity, o->n + 1, sizeof *o->kernels))
    return false;
  o->times_ns[k.name] = add_clipped(o->times_ns[k.name], e->dur_ns);
  o->kernels[o->n++] = k;
  return true;
}

static int overlap_process(void *instance, MillBatch *b)
{
  Overlap *o = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns <= 0 || e->flags & MILL_FLAG_NO_TS) continue;
    if (torch_kind(&o->words, e) == TORCH_KERNEL && !add_kernel(o, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- pairs */

static bool add_pair(Overlap *o, const Kernel *k, const Kernel *other, int64_t overlap_ns)
{
  const KeyedEntry *a = o->names.entries[k->name], *b = o->names.entries[other->name];
  o->text.len = 0;
  if (!fields_put(&o->text, a->key, a->len) || !fields_put(&o->text, b->key, b->len)) return false;
  Pair *pair = keyed_get(o->pairs, o->text.text, o->text.len);
  if (!pair) return false;
  pair->calls++;
  pair->overlap_ns = add_clipped(pair->overlap_ns, overlap_ns);
  return true;
}

/* With all that still runs on another stream; what has ended is forgotten. */
static bool meet_running(Overlap *o, const Kernel *k)
{
  uint32_t left = 0;
  bool fits = true;
  for (uint32_t i = 0; i < o->n_running && fits; i++) {
    const Kernel *other = &o->kernels[o->running[i]];
    if (other->end_ns <= k->start_ns) continue;
    o->running[left++] = o->running[i];
    if (other->track == k->track) continue;
    int64_t overlap_ns = (other->end_ns < k->end_ns ? other->end_ns : k->end_ns) - k->start_ns;
    fits = add_pair(o, k, other, overlap_ns) && add_pair(o, other, k, overlap_ns);
  }
  o->n_running = left;
  return fits;
}

static int overlap_flush(void *instance, MillBatch *b)
{
  Overlap *o = instance;
  (void)b;
  OrderKey *keys = mill_new(o->common, (o->n + 1) * sizeof *keys);
  if (!keys) return -MILL_LIMIT;
  for (size_t i = 0; i < o->n; i++)
    keys[i] = (OrderKey){ o->kernels[i].start_ns, o->kernels[i].track, o->kernels[i].end_ns,
                          (uint32_t)i };
  order_sort(keys, o->n);
  for (size_t i = 0; i < o->n; i++) {
    if (!meet_running(o, &o->kernels[keys[i].i])) return -MILL_LIMIT;
    if (o->n_running < MAX_RUNNING)
      o->running[o->n_running++] = keys[i].i;
    else
      mill_note(o->common, CROWDED);
  }
  array_free(o->common, keys);
  return 0;
}

/* ---- results */

static int64_t overlap_of(const void *pair) { return ((const Pair *)pair)->overlap_ns; }

static int64_t time_of(Overlap *o, Field name)
{
  uint32_t number;
  return names_number(&o->names, name.text, name.len, &number) ? o->times_ns[number] : 0;
}

typedef struct OverlapRow {
  MillText ops[2], kernels[2];
  int64_t calls, overlap_ns;
  double share;
} OverlapRow;

static int report_pair(Overlap *o, const KeyedEntry *entry)
{
  const Pair *pair = entry->state;
  const char *at = entry->key, *end = at + entry->len;
  Field names[2];
  OverlapRow row = { .calls = pair->calls, .overlap_ns = pair->overlap_ns };
  for (int i = 0; i < 2; i++) {
    names[i] = fields_next(&at, end);
    const char *p = names[i].text, *last = p + names[i].len;
    row.ops[i] = fields_next(&p, last);
    row.kernels[i] = fields_next(&p, last);
  }
  row.share = percent_of(pair->overlap_ns, time_of(o, names[0]));
  return mill_row(o->host, TABLE_OVERLAP, &row);
}

static int overlap_report(void *instance)
{
  Overlap *o = instance;
  Ranked r;
  int status = 0;
  if (!ranked_make(o->common, o->pairs, overlap_of, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n && status == 0; i++) status = report_pair(o, r.entries[i].entry);
  return status;
}

/* ---- the descriptor */

static const MillNotice notices[] = {
  MILL_INFO(CROWDED, "{count} kernel[|s] of {lane} ran beside 256 others",
            "later kernels are not compared with [it|them]", NULL,
            "The stage compares at most 256 kernels that run at a time with the next one. So many "
            "streams are unusual: times may be wrong."),
};

static const MillColumn columns[] = {
  MILL_KEY(OverlapRow, ops[0], "op", NULL, "The operator that launched it"),
  MILL_KEY_BRIEF(OverlapRow, kernels[0], "kernel", NULL, "Name of the kernel"),
  MILL_KEY(OverlapRow, ops[1], "other_op", NULL, "The operator that launched the other one"),
  MILL_KEY_BRIEF(OverlapRow, kernels[1], "other_kernel", NULL,
                 "Name of the kernel beside which it ran"),
  MILL_BRIEF(OverlapRow, calls, "calls", "count", "Number of pairs that overlapped"),
  MILL_BRIEF(OverlapRow, overlap_ns, "overlap", "ns", "Total time of these overlaps"),
  MILL_BRIEF(OverlapRow, share, "share", "percent",
             "Share of the kernel's time; above 100 if it ran beside several at a time"),
};
static const MillTable tables[] = {
  [TABLE_OVERLAP] = { .per = MILL_PER_LANE,
                      .brief_rows = 10,
                      .name = "kernel-overlap",
                      .help = "Kernels that run at the same time on two streams",
                      .order = "-overlap,kernel,other_kernel",
                      .columns = MILL_ROWS(columns) },
};

static const MillRead reads[] = { TREE_READ(TREE_OP) };

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "table.kernel-overlap", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = overlap_open,
  .process = overlap_process,
  .flush = overlap_flush,
  .report = overlap_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "kernel-overlap",
  .family = "torch",
  .version = "1.0.0",
  .tag = "KOVER",
  .title = "Kernels that run at the same time on two streams",
  .help = "Sums the time in which kernels ran at the same time as kernels of another stream, by "
          "operator and name of both.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(notices, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
