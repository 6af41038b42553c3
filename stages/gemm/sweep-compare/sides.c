/* Two sweeps, labelled base and new: what became of differences, device time, GEMM and collectives, over all ranks and by
 * threads, channels and rank. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "kit/numbers/dist.h"
#include "kit/text/fail.h"

enum { BY_ALL, BY_CHANNELS, BY_RANK, BY_THREADS, N_BY };
static const char *const by_names[N_BY] = { "all", "channels", "rank", "threads" };
static const char *const sides[2] = { "base", "new" };

typedef struct Group {
  Compare *c;
  int by;
  int64_t value;
} Group;

/* A number of each side, and how many it is of. */
typedef struct Pair {
  double value[2];
  int64_t n[2];
} Pair;

static int64_t value_of(const LaneFacts *l, int by)
{
  const int64_t values[N_BY] = { 0, l->channels, l->rank, l->threads };
  return values[by];
}

static bool is_member(const Group *g, const LaneFacts *l, int side)
{
  return value_of(l, g->by) == g->value && lane_has_label(g->c->common, l, sides[side]);
}

static int report_pair(const Group *g, const char *table, MillText value, const Pair *p)
{
  const bool both = p->n[0] > 0 && p->n[1] > 0;
  if (p->n[0] == 0 && p->n[1] == 0) return 0;
  const SideRow row = {
    .table = table,
    .by = by_names[g->by],
    .group = g->by == BY_ALL ? MILL_NO_INT : g->value,
    .value = value,
    .base_ns = p->n[0] ? p->value[0] : (double)NAN,
    .new_ns = p->n[1] ? p->value[1] : (double)NAN,
    .diff_ns = both ? p->value[1] - p->value[0] : (double)NAN,
    .change = change_percent(both, p->value[0], p->value[1]),
    .n_base = p->n[0],
    .n_new = p->n[1],
  };
  return mill_row(g->c->host, TABLE_SIDES, &row);
}

static int report_named(const Group *g, const char *table, const char *name, const Pair *p)
{
  return report_pair(g, table, (MillText){ name, strlen(name) }, p);
}

/* ---- differences of GEMM rows */

static bool add_spreads(const Group *g, int side, Dist *all, Hists *hists)
{
  for (size_t i = 0; i < g->c->lanes.n; i++) {
    const LaneFacts *l = &g->c->lanes.items[i];
    if (!is_member(g, l, side)) continue;
    for (size_t k = 0; k < l->n_spreads; k++)
      if (!dist_add(all, hists, l->spreads_ns[k])) return false;
  }
  return true;
}

static int report_variance(const Group *g)
{
  static const char *const values[] = { "max", "mean", "median" };
  Hists hists;
  Dist all[2] = { 0 };
  int status = 0;
  hists_init(&hists, g->c->common, HIST_NO_BOUND);
  Pair pairs[3] = { 0 };
  for (int side = 0; side < 2; side++) {
    if (!add_spreads(g, side, &all[side], &hists)) return -MILL_LIMIT;
    const double spreads[] = { (double)all[side].moments.max, dist_mean(&all[side]),
                               dist_percentile(&all[side], 50) };
    for (int v = 0; v < 3; v++) {
      pairs[v].value[side] = spreads[v];
      pairs[v].n[side] = (int64_t)all[side].moments.n;
    }
  }
  hists_clear(&hists);
  for (int v = 0; v < 3 && status == 0; v++)
    status = report_named(g, "variance", values[v], &pairs[v]);
  return status;
}

/* ---- means */

typedef struct Sum {
  double total;
  int64_t n;
} Sum;

static Pair pair_of(const Sum sums[2])
{
  Pair p = { .n = { sums[0].n, sums[1].n } };
  for (int side = 0; side < 2; side++)
    if (sums[side].n) p.value[side] = sums[side].total / (double)sums[side].n;
  return p;
}

static int report_timeline(const Group *g)
{
  int status = 0;
  for (int t = 0; t < N_SHOWN_TIMES && status == 0; t++) {
    Sum sums[2] = { 0 };
    for (size_t i = 0; i < g->c->lanes.n; i++) {
      const LaneFacts *l = &g->c->lanes.items[i];
      for (int side = 0; side < 2; side++) {
        if (!l->has_device || !is_member(g, l, side)) continue;
        sums[side].total += (double)l->times_ns[shown_times[t]];
        sums[side].n++;
      }
    }
    const Pair p = pair_of(sums);
    status = report_named(g, "timeline", device_time_names[shown_times[t]], &p);
  }
  return status;
}

/* Mean of a call, and of a rank that has any. */
static int report_gemm(const Group *g)
{
  Sum calls[2] = { 0 }, ranks[2] = { 0 };
  for (size_t i = 0; i < g->c->lanes.n; i++) {
    const LaneFacts *l = &g->c->lanes.items[i];
    for (int side = 0; side < 2; side++) {
      if (l->gemm_calls == 0 || !is_member(g, l, side)) continue;
      ranks[side].total += (double)l->gemm_ns;
      ranks[side].n++;
      calls[side].total += (double)l->gemm_ns;
      calls[side].n += l->gemm_calls;
    }
  }
  const Pair call = pair_of(calls), rank = pair_of(ranks);
  int status = report_named(g, "gemm", "call", &call);
  return status == 0 ? report_named(g, "gemm", "total", &rank) : status;
}

/* ---- collectives */

typedef struct Sides {
  Sum sums[2];
} Sides;

static bool add_collectives(const Group *g, Keyed *names)
{
  for (size_t i = 0; i < g->c->lanes.n; i++) {
    const LaneFacts *l = &g->c->lanes.items[i];
    for (int side = 0; side < 2; side++) {
      if (!is_member(g, l, side)) continue;
      for (size_t k = 0; k < l->collectives.n; k++) {
        Sides *s = keyed_get_sym(names, l->collectives.items[k].name);
        if (!s) return false;
        s->sums[side].total += (double)l->collectives.items[k].total_ns;
        s->sums[side].n += l->collectives.items[k].calls;
      }
    }
  }
  return true;
}

static int report_collectives(const Group *g)
{
  Keyed *names = keyed_new(g->c->common, sizeof(Sides));
  int status = 0;
  if (!names || !add_collectives(g, names)) return -MILL_LIMIT;
  const KeyedEntry *const *entries = keyed_sorted(names);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(names) && status == 0; i++) {
    const Pair p = pair_of(((const Sides *)entries[i]->state)->sums);
    status = report_pair(g, "collectives", (MillText){ entries[i]->key, entries[i]->len }, &p);
  }
  return status;
}

static int report_group(const Group *g)
{
  int status = report_variance(g);
  if (status == 0) status = report_timeline(g);
  if (status == 0) status = report_gemm(g);
  return status == 0 ? report_collectives(g) : status;
}

/* ---- both sides */

static int64_t *values_of(Compare *c, int by, size_t *out_n)
{
  int64_t *values = c->common->scratch(c->common, (c->lanes.n + 1) * sizeof *values);
  size_t n = 0;
  for (size_t i = 0; values && i < c->lanes.n; i++) {
    int64_t value = value_of(&c->lanes.items[i], by);
    size_t k = 0;
    while (k < n && values[k] != value) k++;
    if (k == n && value >= 0) values[n++] = value;
  }
  *out_n = n;
  return values;
}

/* A sweep that was given twice under one label. */
static const LaneFacts *find_doubled(const Compare *c)
{
  for (size_t i = 1; i < c->lanes.n; i++)
    if (lane_order(c->common, &c->lanes.items[i - 1], &c->lanes.items[i]) == 0)
      return &c->lanes.items[i];
  return NULL;
}

static bool has_side(const Compare *c, const char *label)
{
  for (size_t i = 0; i < c->lanes.n; i++)
    if (lane_has_label(c->common, &c->lanes.items[i], label)) return true;
  return false;
}

static bool has_other(const Compare *c)
{
  for (size_t i = 0; i < c->lanes.n; i++)
    if (!lane_has_label(c->common, &c->lanes.items[i], "base") &&
        !lane_has_label(c->common, &c->lanes.items[i], "new"))
      return true;
  return false;
}

static int fail(const Compare *c, uint32_t number, const char *what)
{
  return fail_input(c->common, number, what, NULL, "give two sweeps: base=SWEEP new=SWEEP");
}

int compare_report_sides(Compare *c)
{
  bool has_base = has_side(c, "base"), has_new = has_side(c, "new");
  int status = 0;
  if (c->options.pair && (!has_base || !has_new))
    return fail(c, NO_SIDES, has_base ? "no input is labelled new" : "no input is labelled base");
  if (c->options.pair && has_other(c))
    return fail(c, NO_SIDES, "an input is labelled neither base nor new");
  if (c->options.pair && find_doubled(c))
    return fail(c, DOUBLED, "two traces of one label have the same threads, channels and rank");
  if (!has_base || !has_new) {
    if (has_base || has_new) mill_note(c->common, ONE_SIDED);
    return 0;
  }
  for (int by = 0; by < N_BY && status == 0; by++) {
    size_t n;
    const int64_t *values = values_of(c, by, &n);
    if (!values) return -MILL_LIMIT;
    for (size_t i = 0; i < n && status == 0; i++)
      status = report_group(&(Group){ c, by, values[i] });
  }
  return status;
}
