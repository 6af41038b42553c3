/* Two runs against each other, labelled base and new: calls and time of host slices and of device work by name.  Events may
 * come in any order.  Memory: the distinct names, and 80 bytes a slice of the host. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <stdio.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/text/fields.h"
#include "torch/lib/host-tree.h"
#include "torch/lib/sides.h"
#include "kit/numbers/interval.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"

enum { TABLE_TOTALS, TABLE_DIFF };
enum { NOTICE_SIDES = 1 };
static const char step_name[] = "ProfilerStep#N";

typedef struct Sums {
  int64_t calls[N_SIDES], total_ns[N_SIDES];
  int64_t self_ns[N_SIDES]; /* without what lies in it */
} Sums;

typedef struct Options {
  double noise_percent;
} Options;

typedef struct Diff {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  int side;      /* of a lane */
  Keyed *traces; /* int64_t: how many, by side and rank */
  Keyed *names;  /* Sums, by CPU or GPU and name */
  Keyed *steps;  /* int64_t: 1, by side, rank and number */
  int64_t n_steps[N_SIDES];
  HostTree host_slices; /* of a lane */
  MillSym step;         /* what all of them are called: runs number theirs from elsewhere */
  double noise_percent;
  Buffer text;
} Diff;

static int open_trace(Diff *d)
{
  char key[48];
  MillLane lane = { .size = sizeof lane };
  d->common->lane(d->common, MILL_NO_LANE, &lane);
  d->side = sides_find(d->common, NOTICE_SIDES);
  if (d->side < 0) return d->side;
  int len = snprintf(key, sizeof key, "%s %lld", side_names[d->side], (long long)lane.rank);
  int64_t *n = keyed_get(d->traces, key, (size_t)len);
  if (!n) return -MILL_LIMIT;
  *n = 1;
  return 0;
}

static int diff_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  Diff *d = instance_new(Diff, host, out_instance);
  if (!d) return -MILL_LIMIT;
  d->words.common = d->text.common = d->host_slices.common = host->common;
  d->noise_percent = ((const Options *)options)->noise_percent;
  d->step = symbol_of(host->common, step_name);
  d->steps = keyed_new(host->common, sizeof(int64_t));
  d->traces = keyed_new(d->common, sizeof(int64_t));
  d->names = keyed_new(d->common, sizeof(Sums));
  if (!d->traces || !d->names || !d->steps) return -MILL_LIMIT;
  return level == MILL_LANE ? open_trace(d) : 0;
}

/* ---- events */

static Sums *sums_of(Diff *d, const char *side, MillSym name_sym)
{
  size_t len;
  const char *name = d->common->symbol_text(d->common, name_sym, &len);
  d->text.len = 0;
  if (!fields_put(&d->text, side, strlen(side)) || !fields_put(&d->text, name, len)) return NULL;
  return keyed_get(d->names, d->text.text, d->text.len);
}

static void add_self(const Diff *d, Sums *s, int64_t ns)
{
  s->self_ns[d->side] = add_clipped(s->self_ns[d->side], ns);
}

/* Of a step, else -1. */
static int64_t step_of(Diff *d, const MillEvent *e, TorchKind kind)
{
  return kind == TORCH_RANGE || kind == TORCH_OPERATOR ? torch_step(&d->words, e->name) : -1;
}

static bool add(Diff *d, const MillEvent *e, TorchKind kind)
{
  bool host = !torch_is_device(kind), nests = host && !(e->flags & MILL_FLAG_NO_TS);
  MillSym name = step_of(d, e, kind) >= 0 ? d->step : e->name;
  Sums *s = sums_of(d, host ? "CPU" : "GPU", name);
  if (!s) return false;
  s->calls[d->side]++;
  s->total_ns[d->side] = add_clipped(s->total_ns[d->side], e->dur_ns);
  if (!nests) add_self(d, s, e->dur_ns);
  const TreeNode node = { .start_ns = e->ts_ns,
                          .end_ns = interval_end(e->ts_ns, e->dur_ns),
                          .track = e->track,
                          .name = name };
  return !nests || host_tree_add(&d->host_slices, &node);
}

/* A step of several threads is one of its rank. */
static bool add_step(Diff *d, const MillEvent *e, TorchKind kind)
{
  char key[80];
  int64_t number = step_of(d, e, kind);
  if (number < 0) return true;
  MillLane lane = { .size = sizeof lane };
  d->common->lane(d->common, MILL_NO_LANE, &lane);
  int len = snprintf(key, sizeof key, "%s %lld %lld", side_names[d->side], (long long)lane.rank,
                     (long long)number);
  int64_t *step = keyed_get(d->steps, key, (size_t)len);
  if (step) *step = 1;
  return step != NULL;
}

static int diff_process(void *instance, MillBatch *b)
{
  Diff *d = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0) continue;
    TorchKind kind = torch_kind(&d->words, e);
    if (kind == TORCH_DEVICE_RANGE || kind == TORCH_WAIT)
      continue; /* these repeat annotations and calls of the host */
    if (!add(d, e, kind) || !add_step(d, e, kind)) return -MILL_LIMIT;
  }
  return 0;
}

/* What lies in a slice is not its own time. */
static int diff_flush(void *instance, MillBatch *b)
{
  Diff *d = instance;
  HostTree *t = &d->host_slices;
  (void)b;
  int64_t *own_ns = mill_new(d->common, (t->n + 1) * sizeof *own_ns);
  if (!own_ns || !host_tree_nest(t)) return -MILL_LIMIT;
  for (size_t i = 0; i < t->n; i++) {
    int64_t ns = interval_span(t->nodes[i].start_ns, t->nodes[i].end_ns);
    own_ns[i] = add_clipped(own_ns[i], ns);
    if (t->nodes[i].parent == TREE_NONE) continue;
    int64_t *around_ns = &own_ns[t->nodes[i].parent];
    *around_ns = interval_span(ns, *around_ns);
  }
  for (size_t i = 0; i < t->n; i++) {
    Sums *s = sums_of(d, "CPU", t->nodes[i].name);
    if (!s) return -MILL_LIMIT;
    add_self(d, s, own_ns[i] > 0 ? own_ns[i] : 0);
  }
  return 0;
}

/* ---- summaries */

static const StateField sums_fields[] = {
  STATE_SUMS(Sums, calls),
  STATE_SUMS(Sums, total_ns),
  STATE_SUMS(Sums, self_ns),
};
static const StateType sums_state = STATE_TYPE(Sums, sums_fields);

static const StateField diff_fields[] = {
  STATE_KEYED(Diff, traces, state_of_sum),
  STATE_KEYED(Diff, steps, state_of_sum),
  STATE_KEYED(Diff, names, sums_state),
};
static const StateType diff_state = STATE_TYPE(Diff, diff_fields);
STATE_RESULT(Diff, diff_state)

/* ---- results */

/* Each side has traces, and of no rank two. */
static int check_sides(Diff *d)
{
  bool any[N_SIDES] = { false };
  const KeyedEntry *const *entries = keyed_sorted(d->traces);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(d->traces); i++) {
    int side = strncmp(entries[i]->key, side_names[BASE], strlen(side_names[BASE])) ? NEW : BASE;
    any[side] = true;
    if (*(const int64_t *)entries[i]->state > 1)
      return sides_wrong(d->common, NOTICE_SIDES,
                         side == BASE ? "several traces of one rank are labelled base"
                                      : "several traces of one rank are labelled new");
  }
  return sides_check(d->common, NOTICE_SIDES, any);
}

static bool by_step(const Diff *d) { return d->n_steps[BASE] > 0 && d->n_steps[NEW] > 0; }

/* Of runs with steps a step is compared with a step: they need not have as many. */
static double share_of(const Diff *d, int64_t ns, int side)
{
  return by_step(d) ? (double)ns / (double)d->n_steps[side] : (double)ns;
}

static double per_step(const Diff *d, int64_t ns, int side)
{
  return d->n_steps[side] > 0 ? (double)ns / (double)d->n_steps[side] : (double)NAN;
}

static const char *verdict(const Diff *d, const int64_t ns[N_SIDES])
{
  double base = share_of(d, ns[BASE], BASE), new = share_of(d, ns[NEW], NEW);
  double noise = base * d->noise_percent / 100;
  if (new > base + noise) return "slower";
  return new < base - noise ? "faster" : "unchanged";
}

static const char *change_of(const Diff *d, const Sums *s)
{
  if (!s->calls[BASE]) return "added";
  return s->calls[NEW] ? verdict(d, s->self_ns) : "deleted";
}

typedef struct TraceDiffRow {
  MillText side, name;
  int64_t base_calls, new_calls, base_total_ns, new_total_ns, base_self_ns, new_self_ns;
  double base_per_step_ns, new_per_step_ns;
  int64_t diff_calls, diff_total_ns, diff_self_ns;
  const char *change;
} TraceDiffRow;

static int row(const Diff *d, const KeyedEntry *entry)
{
  const Sums *s = entry->state;
  const char *at = entry->key, *end = at + entry->len, *change = change_of(d, s);
  Field side = fields_next(&at, end), name = fields_next(&at, end);
  const TraceDiffRow cells = {
    .side = side,
    .name = name,
    .base_calls = s->calls[BASE],
    .new_calls = s->calls[NEW],
    .base_total_ns = s->total_ns[BASE],
    .new_total_ns = s->total_ns[NEW],
    .base_self_ns = s->self_ns[BASE],
    .new_self_ns = s->self_ns[NEW],
    .base_per_step_ns = per_step(d, s->self_ns[BASE], BASE),
    .new_per_step_ns = per_step(d, s->self_ns[NEW], NEW),
    .diff_calls = s->calls[NEW] - s->calls[BASE],
    .diff_total_ns = s->total_ns[NEW] - s->total_ns[BASE],
    .diff_self_ns = s->self_ns[NEW] - s->self_ns[BASE],
    .change = change,
  };
  return mill_row(d->host, TABLE_DIFF, &cells);
}

typedef struct TotalsRow {
  const char *side;
  int64_t base_calls, new_calls, base_total_ns, new_total_ns, diff_total_ns, base_steps, new_steps;
  double base_per_step_ns, new_per_step_ns;
  const char *change;
} TotalsRow;

static int totals_row(const Diff *d, const char *side, const Sums *all)
{
  const char *change = verdict(d, all->self_ns);
  const TotalsRow row = {
    .side = side,
    .base_calls = all->calls[BASE],
    .new_calls = all->calls[NEW],
    .base_total_ns = all->self_ns[BASE],
    .new_total_ns = all->self_ns[NEW],
    .diff_total_ns = all->self_ns[NEW] - all->self_ns[BASE],
    .base_steps = d->n_steps[BASE],
    .new_steps = d->n_steps[NEW],
    .base_per_step_ns = per_step(d, all->self_ns[BASE], BASE),
    .new_per_step_ns = per_step(d, all->self_ns[NEW], NEW),
    .change = change,
  };
  return mill_row(d->host, TABLE_TOTALS, &row);
}

/* Exclusive times add up to the time that anything ran on each thread, and was at work on each stream. */
static int report_totals(const Diff *d, const KeyedEntry *const *entries)
{
  Sums all[2] = { 0 };
  for (uint32_t i = 0; i < keyed_count(d->names); i++) {
    const Sums *s = entries[i]->state;
    const char *at = entries[i]->key;
    Sums *sum = &all[fields_next(&at, at + entries[i]->len).text[0] == 'G'];
    for (int side = 0; side < N_SIDES; side++) {
      sum->calls[side] += s->calls[side];
      sum->self_ns[side] = add_clipped(sum->self_ns[side], s->self_ns[side]);
    }
  }
  int status = totals_row(d, "CPU", &all[0]);
  return status == 0 ? totals_row(d, "GPU", &all[1]) : status;
}

static bool count_steps(Diff *d)
{
  const KeyedEntry *const *entries = keyed_sorted(d->steps);
  for (uint32_t i = 0; entries && i < keyed_count(d->steps); i++)
    d->n_steps[strncmp(entries[i]->key, side_names[BASE], strlen(side_names[BASE])) ? NEW : BASE]++;
  return entries != NULL;
}

static int diff_report_run(void *instance)
{
  Diff *d = instance;
  int status = check_sides(d);
  if (status != 0) return status;
  const KeyedEntry *const *entries = keyed_sorted(d->names);
  if (!entries || !count_steps(d)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(d->names) && status == 0; i++) status = row(d, entries[i]);
  return status == 0 ? report_totals(d, entries) : status;
}

/* ---- the descriptor */

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(TraceDiffRow, side, "side", NULL,
                 "CPU: slices of the host; GPU: work of the device"),
  MILL_KEY_BRIEF(TraceDiffRow, name, "name", NULL, "Name of the slices"),
  MILL_BRIEF(TraceDiffRow, base_calls, "base_calls", "count", "Calls in base"),
  MILL_BRIEF(TraceDiffRow, new_calls, "new_calls", "count", "Calls in new"),
  MILL_COLUMN(TraceDiffRow, base_total_ns, "base_total", "ns", 0, "Sum of their durations in base"),
  MILL_COLUMN(TraceDiffRow, new_total_ns, "new_total", "ns", 0, "Sum of their durations in new"),
  MILL_BRIEF(TraceDiffRow, base_self_ns, "base_self", "ns",
             "Sum of their durations in base, without nested slices"),
  MILL_BRIEF(TraceDiffRow, new_self_ns, "new_self", "ns",
             "Sum of their durations in new, without nested slices"),
  MILL_COLUMN(TraceDiffRow, base_per_step_ns, "base_per_step", "ns", 0,
              "base_self for each step of a rank of base"),
  MILL_COLUMN(TraceDiffRow, new_per_step_ns, "new_per_step", "ns", 0,
              "new_self for each step of a rank of new"),
  MILL_COLUMN(TraceDiffRow, diff_calls, "diff_calls", "count", 0,
              "Difference of calls, new - base"),
  MILL_COLUMN(TraceDiffRow, diff_total_ns, "diff_total", "ns", 0,
              "Difference of the sums, new - base"),
  MILL_BRIEF(TraceDiffRow, diff_self_ns, "diff_self", "ns",
             "Difference of the sums without nested slices, new - base"),
  MILL_BRIEF(
      TraceDiffRow, change, "change", NULL,
      "added or deleted; else by the time without nested slices, per step if both runs have steps: "
      "slower, faster, unchanged"),
};
static const MillColumn totals_columns[] = {
  MILL_KEY_BRIEF(TotalsRow, side, "side", NULL,
                 "CPU: threads of the host; GPU: work of the device"),
  MILL_COLUMN(TotalsRow, base_calls, "base_calls", "count", 0, "Number of slices of base"),
  MILL_COLUMN(TotalsRow, new_calls, "new_calls", "count", 0, "Number of slices of new"),
  MILL_BRIEF(TotalsRow, base_total_ns, "base_total", "ns",
             "Their time in base; nested slices count once"),
  MILL_BRIEF(TotalsRow, new_total_ns, "new_total", "ns",
             "Their time in new; nested slices count once"),
  MILL_BRIEF(TotalsRow, diff_total_ns, "diff_total", "ns", "Difference of the times, new - base"),
  MILL_COLUMN(TotalsRow, base_steps, "base_steps", "count", 0, "Steps of base, those of each rank"),
  MILL_COLUMN(TotalsRow, new_steps, "new_steps", "count", 0, "Steps of new, those of each rank"),
  MILL_BRIEF(TotalsRow, base_per_step_ns, "base_per_step", "ns", "base_total for each of them"),
  MILL_BRIEF(TotalsRow, new_per_step_ns, "new_per_step", "ns", "new_total for each of them"),
  MILL_BRIEF(TotalsRow, change, "change", NULL,
             "By time, per step if both have steps: slower, faster, unchanged"),
};
static const MillOption options[] = {
  MILL_REAL_OPTION(Options, noise_percent, "noise", "1", "0:", "percent",
                   "Times that differ by no more than this share of base are unchanged"),
};
static const MillTable tables[] = {
  [TABLE_TOTALS] = { .per = MILL_PER_RUN,
                     .name = "trace-diff-totals",
                     .help = "Time of two runs on host and device",
                     .columns = MILL_ROWS(totals_columns) },
  [TABLE_DIFF] = { .per = MILL_PER_RUN,
                   .brief_rows = 20,
                   .name = "trace-diff",
                   .help = "Calls and times of two runs",
                   .order = "-diff_self,side,name",
                   .columns = MILL_ROWS(columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "trace-diff",
    .title = "Slower and faster names",
    .table = "trace-diff",
    .x = "name",
    .y = "diff_self",
    .series = "side",
    .y_label = "longer in new",
    .top = 20 },
};

static const MillNotice notices[] = {
  SIDES_NOTICE(NOTICE_SIDES, "Each side has a rank at most once; traces without a rank count as "
                             "one rank."),
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.trace-diff", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = diff_open,
  .process = diff_process,
  .flush = diff_flush,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = diff_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "trace-diff",
  .family = "torch",
  .version = "1.0.0",
  .tag = "TRDIFF",
  .title = "Compare two runs by name",
  .help = "Sums calls and durations of host slices and of device work by name in the traces "
          "labelled base and new. Shows what was added, was deleted, or takes another time.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
