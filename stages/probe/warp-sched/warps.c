/* Rows of warps: by SM, and of one SM. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "probe/lib/probe-sms.h"
#include "kit/state/sort.h"
#include "warp-sched.h"

typedef struct Sm {
  const ProbeSm *by;
  int64_t peak_blocks, peak_warps, span, busy, origin;
  double tail_sum, tail_max;
} Sm;

typedef struct Sms {
  ProbeSms by;
  Sm *at; /* as many as there are in `by` */
  int64_t longest;
} Sms;

static int64_t end_of(const Sched *x, const Warp *w) { return w->start + warp_length(x, w); }

static const Warp *warps_of(const Sched *x, size_t block)
{
  return &x->warps[block * (size_t)x->per_block];
}

typedef struct Times { /* of blocks, or of warps: room for all of the largest SM */
  int64_t *starts, *ends;
  size_t n;
} Times;

static void add_times(Times *t, int64_t start, int64_t end)
{
  t->starts[t->n] = start;
  t->ends[t->n++] = end;
}

/* Most of them open at once; what ends is closed before what starts at the same time. */
static int64_t peak(Times *t)
{
  int64_t most = 0;
  sort_rows(t->starts, t->n, 1);
  sort_rows(t->ends, t->n, 1);
  for (size_t s = 0, e = 0; s < t->n; s++) {
    while (e < s && t->ends[e] <= t->starts[s]) e++;
    if ((int64_t)(s + 1 - e) > most) most = (int64_t)(s + 1 - e);
  }
  return most;
}

/* Times of a block's warps, of those that ran; where the block begins among them. */
static size_t add_warps(const Sched *x, size_t block, Times *warps, int64_t *io_busy)
{
  const Warp *w = warps_of(x, block);
  size_t first = warps->n;
  for (int64_t k = 0; k < x->per_block; k++) {
    if (!warp_has_run(x, &w[k])) continue;
    add_times(warps, w[k].start, end_of(x, &w[k]));
    *io_busy = add_clipped(*io_busy, warp_length(x, &w[k]));
  }
  return first;
}

/* 0 to 1: how much of the block's time its warps had ended. */
static double tail_of(const Times *warps, size_t first, int64_t start, int64_t end)
{
  double sum = 0;
  for (size_t i = first; i < warps->n; i++) sum += (double)(end - warps->ends[i]);
  return end > start ? sum / ((double)(warps->n - first) * (double)(end - start)) : 0;
}

static void measure_block(const Sched *x, size_t block, Sm *m, Times *blocks, Times *warps)
{
  size_t first = add_warps(x, block, warps, &m->busy);
  int64_t start = warps->starts[first], end = warps->ends[first];
  for (size_t i = first + 1; i < warps->n; i++) {
    if (warps->starts[i] < start) start = warps->starts[i];
    if (warps->ends[i] > end) end = warps->ends[i];
  }
  add_times(blocks, start, end);
  double tail = tail_of(warps, first, start, end);
  m->tail_sum += tail;
  if (tail > m->tail_max) m->tail_max = tail;
}

static void measure(const Sched *x, Sm *m, Times *blocks, Times *warps)
{
  blocks->n = warps->n = 0;
  for (size_t i = 0; i < m->by->n; i++) measure_block(x, m->by->blocks[i], m, blocks, warps);
  m->peak_blocks = peak(blocks);
  m->peak_warps = peak(warps);
  m->origin = blocks->starts[0];
  m->span = blocks->ends[blocks->n - 1] - blocks->starts[0];
}

/* -------------------------------------------------------------------- by SM */

/* A block's SM and start are those of its first warp; where that left no record, of the next one that did. */
static void mark_blocks(Sched *x)
{
  size_t per = (size_t)x->per_block;
  for (size_t i = 0; i + per <= x->n; i += per) {
    Warp *w = &x->warps[i];
    size_t k = 0;
    if (warp_has_run(x, w)) continue;
    while (k < per && !warp_has_run(x, &w[k])) k++;
    if (k == per)
      w->start = PROBE_NO_START;
    else if (!x->of_waves)
      w->high = w[k].high;
  }
}

static bool find_sms(Sched *x, Sms *all)
{
  static const uint32_t none = 0;
  const MillHost *common = x->host->common;
  size_t stride = (size_t)x->per_block * sizeof *x->warps;
  mark_blocks(x);
  const ProbeBlockColumns columns = { &x->warps->start, stride,
                                      x->of_waves ? &none : &x->warps->high,
                                      x->of_waves ? 0 : stride, x->n / (size_t)x->per_block };
  if (!probe_sms_make(&all->by, common, &columns)) return false;
  all->at = mill_new(common, (all->by.n + 1) * sizeof *all->at);
  for (size_t i = 0; all->at && i < all->by.n; i++) all->at[i].by = &all->by.at[i];
  return all->at != NULL;
}

static bool measure_all(const Sched *x, Sms *all)
{
  const MillHost *common = x->host->common;
  size_t most = 0;
  for (size_t i = 0; i < all->by.n; i++)
    if (all->by.at[i].n > most) most = all->by.at[i].n;
  size_t n_warps = most * (size_t)x->per_block;
  int64_t *room = mill_new(common, 2 * (most + n_warps + 1) * sizeof *room);
  if (!room) return false;
  Times blocks = { room, room + most, 0 };
  Times warps = { room + 2 * most, room + 2 * most + n_warps, 0 };
  for (size_t i = 0; i < all->by.n; i++) {
    measure(x, &all->at[i], &blocks, &warps);
    if (all->at[i].span > all->longest) all->longest = all->at[i].span;
  }
  array_free(common, room);
  return true;
}

static int sm_row(const Sched *x, const Sms *all, const Sm *m)
{
  double blocks = (double)m->by->n;
  const SmRow row = {
    .sm = m->by->sm,
    .blocks = (int64_t)m->by->n,
    .peak_blocks = m->peak_blocks,
    .peak_warps = m->peak_warps,
    .span = m->span,
    .busy = m->busy,
    .occupancy = probe_percent((double)m->busy, (double)m->peak_warps * (double)m->span),
    .block_tail = 100 * m->tail_sum / blocks,
    .block_tail_max = 100 * m->tail_max,
    .sm_tail = probe_percent((double)(all->longest - m->span), (double)all->longest),
  };
  return mill_row(x->host, TABLE_SM, &row);
}

enum { MAX_BARS = 512 };

static int64_t first_start(const Sched *x, size_t block)
{
  const Warp *w = warps_of(x, block);
  int64_t first = INT64_MAX;
  for (int64_t k = 0; k < x->per_block; k++)
    if (warp_has_run(x, &w[k]) && w[k].start < first) first = w[k].start;
  return first;
}

/* A row of the picture for each of the first warps: more are thinner than can be seen. */
static int bars_of(const Sched *x, const Sm *m, size_t block, int64_t *io_row)
{
  const Warp *w = warps_of(x, block);
  char text[PROBE_SM_TEXT];
  const MillText where = probe_sm_text(&x->reader, m->by->sm, text);
  int status = 0;
  for (int64_t k = 0; k < x->per_block && status == 0; k++) {
    if (!warp_has_run(x, &w[k])) continue;
    const BarRow cells = {
      .block = (int64_t)block,
      .warp = k,
      .start = w[k].start - m->origin,
      .end = end_of(x, &w[k]) - m->origin,
      .row = *io_row < MAX_BARS ? *io_row : MILL_NO_INT,
      .shown = where,
    };
    ++*io_row;
    status = mill_row(x->host, TABLE_BARS, &cells);
  }
  return status;
}

static int bar_rows(const Sched *x, const Sm *m)
{
  int64_t *order = mill_new(x->host->common, 2 * m->by->n * sizeof *order), row = 0;
  int status = 0;
  if (!order) return -MILL_LIMIT;
  for (size_t i = 0; i < m->by->n; i++) {
    order[2 * i] = first_start(x, m->by->blocks[i]);
    order[2 * i + 1] = m->by->blocks[i];
  }
  probe_sort_starts(order, m->by->n);
  for (size_t i = 0; i < m->by->n && status == 0; i++)
    status = bars_of(x, m, (size_t)order[2 * i + 1], &row);
  array_free(x->host->common, order);
  return status;
}

/* ------------------------------------------------------------------ the launch */

static int all_row(const Sched *x, const Sms *all, const Sm *shown)
{
  double slots = 0, tail = 0, sm_tail = 0, sms = (double)all->by.n;
  for (size_t i = 0; i < all->by.n; i++) {
    const Sm *m = &all->at[i];
    if ((double)m->peak_blocks > slots) slots = (double)m->peak_blocks;
    tail += 100 * m->tail_sum / (double)m->by->n;
    if (all->longest) sm_tail += 100 * (double)(all->longest - m->span) / (double)all->longest;
  }
  double waves = (double)all->by.n_blocks / (sms * slots);
  const char *kind = slots > 1 ? "shared" : "exclusive";
  const double none = (double)NAN;
  const AllRow row = {
    .kind = x->of_waves ? NULL : kind,
    .sms = x->of_waves ? MILL_NO_INT : (int64_t)all->by.n,
    .blocks = (int64_t)all->by.n_blocks,
    .warps_per_block = x->per_block,
    .slots = x->of_waves ? MILL_NO_INT : (int64_t)slots,
    .waves = x->of_waves ? none : waves,
    .wave_efficiency = x->of_waves ? none : 100 * waves / ceil(waves),
    .sm = shown ? shown->by->sm : MILL_NO_INT,
    .block_tail = tail / sms,
    .sm_tail = x->of_waves ? none : sm_tail / sms,
  };
  return mill_row(x->host, TABLE_ALL, &row);
}

int sched_warp_rows(Sched *x)
{
  Sms all = { 0 };
  int status = 0;
  if (x->n < (size_t)x->per_block) return 0;
  if (!find_sms(x, &all) || !measure_all(x, &all)) return -MILL_LIMIT;
  const ProbeSm *picked = x->of_waves ? NULL : probe_sms_pick(&all.by, x->options->sm);
  const Sm *shown = picked ? &all.at[picked - all.by.at] : NULL;
  if (all.by.n && !shown && !x->of_waves) mill_note(x->host->common, NOTICE_NO_SM);
  if (all.by.n) status = all_row(x, &all, shown);
  for (size_t i = 0; i < all.by.n && status == 0 && !x->of_waves; i++)
    status = sm_row(x, &all, &all.at[i]);
  if (status == 0 && shown) status = bar_rows(x, shown);
  probe_sms_free(&all.by, x->host->common);
  array_free(x->host->common, all.at);
  return status;
}
