/* Rows of single SMs, and the published procedure. */
/* SPDX-License-Identifier: MIT */
#include "block-sched.h"
#include "kit/state/grow.h"
#include "kit/state/sort.h"

void sched_fifo(const ProbeBlocks *x, const ProbeSm *m, double *io_running, double *io_scheduling)
{
  size_t head = 0;
  for (size_t i = 0; i < m->n; i++) {
    const ProbeBlock *b = &x->at[m->blocks[i]];
    int64_t start = b->start + b->warp0_lag;
    *io_running += b->warp0_elapsed;
    if (head == i) continue;
    const ProbeBlock *oldest = &x->at[m->blocks[head]];
    int64_t end = oldest->start + oldest->warp0_lag + oldest->warp0_elapsed;
    if (end > start) continue;
    *io_scheduling += (double)(start - end);
    head++;
  }
}

int sched_slot_rows(const Sched *x, const ProbeSm *m, const ProbeSlots *slots)
{
  int status = 0;
  int64_t first = slots->placed[0].start;
  char text[PROBE_SM_TEXT];
  const MillText where = probe_sm_text(&x->blocks.reader, m->sm, text);
  for (size_t i = 0; i < slots->n && status == 0; i++) {
    const ProbePlaced *p = &slots->placed[i];
    const SlotRow row = {
      .sm = m->sm,
      .slot = p->slot,
      .block = p->block,
      .start = p->start - first,
      .end = p->end - first,
      .shown = where,
    };
    status = mill_row(x->host, TABLE_SLOTS, &row);
  }
  return status;
}

int sched_gap_rows(const Sched *x)
{
  int status = 0;
  for (uint32_t k = 0; k < GAP_BINS && status == 0; k++) {
    if (x->totals.bins[k] == 0 || k == 64) continue;
    int64_t low = k ? (int64_t)1 << (k - 1) : 0;
    const GapRow row = {
      .low = low,
      .high = k == 0   ? 1
              : k < 63 ? (int64_t)1 << k
                       : INT64_MAX,
      .count = (int64_t)x->totals.bins[k],
      .kernel = probe_kernel_text(&x->blocks.reader),
    };
    status = mill_row(x->host, TABLE_GAPS, &row);
  }
  return status;
}

/* --------------------------------------------------------------- occupancy */

typedef struct Changes {
  int64_t *starts, *ends;
  size_t n;
} Changes;

static int occupancy_row(const Sched *x, uint32_t sm, int64_t time, int64_t blocks)
{
  const OccupancyRow row = {
    .sm = sm,
    .time = time,
    .blocks = blocks,
    .warps = blocks * x->blocks.warps_per_block,
    .kernel = probe_kernel_text(&x->blocks.reader),
  };
  return mill_row(x->host, TABLE_OCCUPANCY, &row);
}

/* The first change after `time` of both lists; what ended is taken off before what starts. */
static bool next_change(const Changes *c, size_t *io_start, size_t *io_end, int64_t *out_time)
{
  if (*io_end == c->n) return false;
  int64_t time = c->ends[*io_end];
  if (*io_start < c->n && c->starts[*io_start] < time) time = c->starts[*io_start];
  while (*io_end < c->n && c->ends[*io_end] <= time) ++*io_end;
  while (*io_start < c->n && c->starts[*io_start] <= time) ++*io_start;
  /* A block of no length has ended where it starts. */
  while (*io_end < *io_start && c->ends[*io_end] <= time) ++*io_end;
  *out_time = time;
  return true;
}

static size_t count_changes(const Changes *c)
{
  size_t start = 0, end = 0, n = 0;
  int64_t time;
  while (n <= OCCUPANCY_STEPS && next_change(c, &start, &end, &time)) n++;
  return n;
}

static int exact_rows(const Sched *x, uint32_t sm, const Changes *c)
{
  size_t start = 0, end = 0;
  int64_t time;
  int status = 0;
  while (status == 0 && next_change(c, &start, &end, &time))
    status = occupancy_row(x, sm, time - c->starts[0], (int64_t)(start - end));
  return status;
}

/* The level at times that are equally far apart. */
static int sampled_rows(const Sched *x, uint32_t sm, const Changes *c)
{
  size_t start = 0, end = 0;
  int64_t first = c->starts[0], span = c->ends[c->n - 1] - first;
  int status = 0;
  for (int64_t k = 0; k < OCCUPANCY_STEPS && status == 0; k++) {
    int64_t time = (int64_t)((double)span * (double)k / (OCCUPANCY_STEPS - 1));
    while (start < c->n && c->starts[start] - first <= time) start++;
    while (end < c->n && c->ends[end] - first <= time) end++;
    status = occupancy_row(x, sm, time, (int64_t)(start - end));
  }
  return status;
}

int sched_occupancy_rows(const Sched *x, const ProbeSm *m, const ProbeSlots *slots)
{
  const MillHost *common = x->host->common;
  int64_t *times = mill_new(common, 2 * slots->n * sizeof *times);
  if (!times) return -MILL_LIMIT;
  const Changes c = { times, times + slots->n, slots->n };
  for (size_t i = 0; i < c.n; i++) {
    c.starts[i] = slots->placed[i].start;
    c.ends[i] = slots->placed[i].end;
  }
  sort_rows(c.ends, c.n, 1);
  bool few = count_changes(&c) <= OCCUPANCY_STEPS;
  int status = few ? exact_rows(x, m->sm, &c) : sampled_rows(x, m->sm, &c);
  array_free(common, times);
  return status;
}
