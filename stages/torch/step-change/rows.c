/* Rows of what changed, the largest changes first; see why.h. */
/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/noise.h"
#include "base/spread.h"
#include "why.h"

static const char *const level_names[N_LEVELS] = { "step", "part", "class", "op", "kernel" };

static int64_t change_of(const Node *n) { return n->ns[NEW] - n->ns[BASE]; }

/* ---- what kind of change it is */

/* More calls, or longer ones: what changed by the larger factor. */
static const char *kind_of(const Node *n)
{
  const int64_t change_ns = change_of(n);
  if (n->calls[BASE] == 0 && n->times[BASE] == 0) return "new";
  if (n->calls[NEW] == 0 && n->times[NEW] == 0) return "gone";
  if (n->is_replaced) return "replaced";
  if (change_ns == 0) return NULL;
  const double calls = n->calls[NEW] / n->calls[BASE];
  const double each = n->times[NEW] / n->times[BASE] / calls;
  const bool by_calls = n->level > LEVEL_PART && fabs(log(calls)) > fabs(log(each));
  if (by_calls) return calls > 1 ? "more-often" : "less-often";
  return change_ns > 0 ? "slower" : "faster";
}

/* ---- intervals */

typedef struct Repeats { /* of each side, in order of size */
  double *values[N_SIDES];
  size_t n[N_SIDES];
  uint64_t outside;
} Repeats;

static bool repeats_open(const Why *w, Repeats *out)
{
  *out = (Repeats){ 0 };
  for (int side = 0; side < N_SIDES; side++)
    if (!(out->values[side] = mill_new(w->common, (w->n_runs + 1) * sizeof **out->values)))
      return false;
  for (size_t i = 0; i < w->n_runs; i++) out->n[w->runs[i]->side]++;
  out->outside = noise_outside(out->n[BASE], out->n[NEW], NOISE_CONFIDENCE);
  return true;
}

static void put_interval(const Why *w, Repeats *r, const Node *node, WhyRow *row)
{
  size_t n[N_SIDES] = { 0 };
  row->low_ns = row->high_ns = (double)NAN;
  if (node->level != LEVEL_PART && node->level != LEVEL_CLASS) return;
  for (size_t i = 0; i < w->n_runs; i++) {
    const int side = w->runs[i]->side;
    r->values[side][n[side]++] = node->times_ns[i];
  }
  for (int side = 0; side < N_SIDES; side++) spread_sort(r->values[side], n[side]);
  const NoiseChange c = noise_change(r->values[BASE], n[BASE], r->values[NEW], n[NEW], r->outside);
  const double *base = r->values[BASE];
  const double median_ns = (base[(n[BASE] - 1) / 2] + base[n[BASE] / 2]) / 2;
  if (!c.bounded) return;
  row->low_ns = c.relative ? c.low * median_ns : c.low;
  row->high_ns = c.relative ? c.high * median_ns : c.high;
}

/* ---- rows */

static int compare_changes(const void *a, const void *b)
{
  const Node *x = *(const Node *const *)a, *y = *(const Node *const *)b;
  const int64_t x_ns = llabs(change_of(x)), y_ns = llabs(change_of(y));
  if (x->level != y->level) return x->level - y->level;
  if (x_ns != y_ns) return x_ns > y_ns ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

typedef struct Bars {
  const Why *why;
  int n;
} Bars;

/* Numbered, as pictures sort names. */
static int bar(Bars *bars, const char *name, int64_t before_ns, int64_t after_ns, const char *kind)
{
  enum { NAME_BYTES = 64 };
  char text[NAME_BYTES];
  const bool longer = after_ns > before_ns;
  const int len = snprintf(text, sizeof text, "%d %s", ++bars->n, name);
  const WaterfallRow row = { .name = { text, (size_t)(len < NAME_BYTES ? len : NAME_BYTES - 1) },
                             .from_ns = longer ? before_ns : after_ns,
                             .to_ns = longer ? after_ns : before_ns,
                             .kind = kind     ? kind
                                     : longer ? "longer"
                                              : "shorter" };
  return mill_row(bars->why->host, TABLE_WATERFALL, &row);
}

/* Class of work, or why there is none of it. */
static const char *class_text(const Node *n, char *out, size_t size)
{
  const MillText part = n->names[LEVEL_PART], class = n->names[LEVEL_CLASS];
  const bool computes = node_computes(n);
  snprintf(out, size, "%s%s%.*s", computes ? "" : part.text, computes ? "" : ", ", (int)class.len,
           class.text);
  return out;
}

/* Bars that follow one another: the step of base, what each class adds to it, the step of new.  All that are less than a
 * hundredth of the largest change are one. */
static int report_waterfall(const Why *w, const Node **order, size_t n)
{
  enum { SMALL = 100 };
  int64_t at_ns = order[0]->ns[BASE], most_ns = 0;
  Bars bars = { .why = w };
  char text[64];
  int status = bar(&bars, "base", 0, at_ns, "step");
  for (size_t i = 0; i < n && status == 0; i++) {
    const int64_t change_ns = change_of(order[i]);
    if (order[i]->level != LEVEL_CLASS) continue;
    if (!most_ns) most_ns = llabs(change_ns);
    if (llabs(change_ns) <= most_ns / SMALL) continue;
    status = bar(&bars, class_text(order[i], text, sizeof text), at_ns, at_ns + change_ns, NULL);
    at_ns += change_ns;
  }
  const int64_t new_ns = order[0]->ns[NEW];
  if (status == 0 && at_ns != new_ns) status = bar(&bars, "other", at_ns, new_ns, NULL);
  return status == 0 ? bar(&bars, "new", 0, new_ns, "step") : status;
}

/* What has no name of this level has an empty cell. */
static MillText cell_of(const Node *n, int level)
{
  return n->names[level].len ? n->names[level] : (MillText){ NULL, 0 };
}

static int report_nodes(const Why *w, const Tree *t)
{
  Repeats repeats;
  const Node **order = mill_new(w->common, (t->n_nodes + 1) * sizeof *order);
  if (!order || !repeats_open(w, &repeats)) return -MILL_LIMIT;
  for (size_t i = 0; i < t->n_nodes; i++) order[i] = &t->nodes[i];
  qsort(order, t->n_nodes, sizeof *order, compare_changes);
  int status = 0;
  for (size_t i = 0; i < t->n_nodes && status == 0; i++) {
    const Node *n = order[i];
    WhyRow row = { .level = level_names[n->level],
                   .part = cell_of(n, LEVEL_PART),
                   .class = cell_of(n, LEVEL_CLASS),
                   .op = cell_of(n, LEVEL_OP),
                   .kernel = cell_of(n, LEVEL_KERNEL),
                   .base_ns = n->ns[BASE],
                   .new_ns = n->ns[NEW],
                   .change_ns = change_of(n),
                   .kind = kind_of(n),
                   .base_calls = n->calls[BASE],
                   .new_calls = n->calls[NEW] };
    put_interval(w, &repeats, n, &row);
    status = mill_row(w->host, TABLE_WHY, &row);
  }
  return status == 0 ? report_waterfall(w, order, t->n_nodes) : status;
}

/* The rank for which the others wait longer than in base, or wait at all where base says nothing; none where they do not. */
static int64_t waited_for(const Why *w)
{
  const KeyedEntry *const *entries = keyed_sorted(w->late);
  double most_ns = 0;
  int64_t rank = MILL_NO_INT;
  for (uint32_t i = 0; entries && i < keyed_count(w->late); i++) {
    const LateRank *late = entries[i]->state;
    const double more_ns = late->waits_ns[NEW] - late->waits_ns[BASE];
    if (more_ns <= most_ns) continue;
    most_ns = more_ns;
    rank = late->rank;
  }
  return rank;
}

static void count_side(const Why *w, int side, int64_t *out_runs, int64_t *out_ranks)
{
  for (size_t i = 0; i < w->n_runs; i++) {
    if (w->runs[i]->side != side) continue;
    if (!*out_runs) *out_ranks = (int64_t)w->runs[i]->facts.n_lanes;
    ++*out_runs;
  }
}

static bool has_steps(const Why *w)
{
  bool all = true;
  for (size_t i = 0; i < w->n_runs; i++)
    for (size_t k = 0; k < w->runs[i]->facts.n_lanes; k++)
      all = all && w->runs[i]->facts.lanes[k].has_steps;
  return all;
}

int why_report(Why *w, const Tree *t, const Match *match)
{
  if (!t->n_nodes) return 0;
  const Node *step = &t->nodes[0];
  SummaryRow row = { .base_ns = step->ns[BASE],
                     .new_ns = step->ns[NEW],
                     .change_ns = change_of(step),
                     .change_percent = step->ns[BASE] > 0
                                           ? 100 * (double)change_of(step) / (double)step->ns[BASE]
                                           : (double)NAN,
                     .has_steps = has_steps(w),
                     .base_matched = match->percent[BASE],
                     .new_matched = match->percent[NEW],
                     .factor = match->factor,
                     .waited_for = waited_for(w) };
  count_side(w, BASE, &row.base_runs, &row.base_ranks);
  count_side(w, NEW, &row.new_runs, &row.new_ranks);
  const int status = mill_row(w->host, TABLE_SUMMARY, &row);
  return status == 0 ? report_nodes(w, t) : status;
}
