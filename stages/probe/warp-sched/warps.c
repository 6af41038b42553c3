/* Rows of warps: by SM, and of one SM. */
#include <math.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/probe-sms.h"
#include "lib/sort.h"
#include "warp-sched.h"

typedef struct Sm {
  const ProbeSm *by;
  int64_t blocks, peak_blocks, peak_warps, span, busy, origin;
  double tail_sum, tail_max;
} Sm;

typedef struct Sms {
  ProbeSms by;
  size_t n_blocks;
  Sm *at; /* as many as there are in `by` */
  int64_t longest;
} Sms;

static int64_t end_of(const Sched *x, const Warp *w) { return w->start + warp_length(x, w); }

static void block_ends(const Sched *x, size_t block, int64_t *out_start, int64_t *out_end)
{
  const Warp *w = &x->warps[block * (size_t)x->per_block];
  *out_start = w->start;
  *out_end = end_of(x, w);
  for (int64_t k = 1; k < x->per_block; k++) {
    int64_t end = end_of(x, &w[k]);
    if (w[k].start < *out_start) *out_start = w[k].start;
    if (end > *out_end) *out_end = end;
  }
}

/* 0 to 1: how much of the block's time its warps had ended. */
static double block_tail(const Sched *x, size_t block)
{
  const Warp *w = &x->warps[block * (size_t)x->per_block];
  int64_t start, end;
  double sum = 0;
  block_ends(x, block, &start, &end);
  for (int64_t k = 0; k < x->per_block; k++) sum += (double)(end - end_of(x, &w[k]));
  return end > start ? sum / ((double)x->per_block * (double)(end - start)) : 0;
}

/* Most of them open at once; what ends is closed before what starts at the same time. */
static int64_t peak(int64_t *starts, int64_t *ends, size_t n)
{
  int64_t most = 0;
  sort_rows(starts, n, 1);
  sort_rows(ends, n, 1);
  for (size_t s = 0, e = 0; s < n; s++) {
    while (e < s && ends[e] <= starts[s]) e++;
    if ((int64_t)(s + 1 - e) > most) most = (int64_t)(s + 1 - e);
  }
  return most;
}

static bool measure_peaks(const Sched *x, Sm *m)
{
  const MillHost *common = x->host->common;
  size_t per = (size_t)x->per_block, n = m->by->n * per;
  int64_t *starts = mill_new(common, 2 * n * sizeof *starts), *ends = starts + n;
  if (!starts) return false;
  for (size_t i = 0; i < m->by->n; i++) block_ends(x, m->by->blocks[i], &starts[i], &ends[i]);
  m->peak_blocks = peak(starts, ends, m->by->n);
  m->origin = starts[0];
  m->span = ends[m->by->n - 1] - starts[0];
  for (size_t i = 0; i < n; i++) {
    const Warp *w = &x->warps[m->by->blocks[i / per] * per + i % per];
    starts[i] = w->start;
    ends[i] = end_of(x, w);
    m->busy += ends[i] - starts[i];
  }
  m->peak_warps = peak(starts, ends, n);
  array_free(common, starts);
  return true;
}

static bool measure(const Sched *x, Sm *m)
{
  for (size_t i = 0; i < m->by->n; i++) {
    double tail = block_tail(x, m->by->blocks[i]);
    m->tail_sum += tail;
    if (tail > m->tail_max) m->tail_max = tail;
  }
  return measure_peaks(x, m);
}

/* -------------------------------------------------------------------- by SM */

static bool find_sms(const Sched *x, Sms *all)
{
  static const uint32_t none = 0;
  const MillHost *common = x->host->common;
  size_t n = x->n / (size_t)x->per_block;
  const uint32_t *sm = x->of_waves ? &none : &x->warps->high;
  size_t stride = x->of_waves ? 0 : (size_t)x->per_block * sizeof *x->warps;
  all->n_blocks = n;
  if (!probe_sms_make(&all->by, common, sm, stride, n)) return false;
  all->at = mill_new(common, all->by.n * sizeof *all->at);
  for (size_t i = 0; all->at && i < all->by.n; i++) all->at[i].by = &all->by.at[i];
  return all->at != NULL;
}

static int sm_row(const Sched *x, const Sms *all, const Sm *m)
{
  double blocks = (double)m->by->n;
  const MillValue cells[] = {
    mill_int(m->by->sm),
    mill_int((int64_t)m->by->n),
    mill_int(m->peak_blocks),
    mill_int(m->peak_warps),
    mill_int(m->span),
    mill_int(m->busy),
    probe_percent((double)m->busy, (double)m->peak_warps * (double)m->span),
    mill_real(100 * m->tail_sum / blocks),
    mill_real(100 * m->tail_max),
    probe_percent((double)(all->longest - m->span), (double)all->longest),
  };
  return x->host->row(x->host, TABLE_SM, cells, MILL_COUNT(cells));
}

enum { MAX_BARS = 512 };

/* A row of the picture for each of the first warps: more are thinner than can be seen. */
static int bar_rows(const Sched *x, const Sm *m)
{
  int64_t *order = mill_new(x->host->common, 2 * m->by->n * sizeof *order), end, row = 0;
  int status = 0;
  if (!order) return -MILL_LIMIT;
  for (size_t i = 0; i < m->by->n; i++) {
    order[2 * i + 1] = m->by->blocks[i];
    block_ends(x, m->by->blocks[i], &order[2 * i], &end);
  }
  probe_sort_starts(order, m->by->n);
  for (size_t i = 0; i < m->by->n; i++) {
    size_t block = (size_t)order[2 * i + 1];
    for (int64_t k = 0; k < x->per_block && status == 0; k++) {
      const Warp *w = &x->warps[block * (size_t)x->per_block + (size_t)k];
      const MillValue cells[] = { mill_int((int64_t)block), mill_int(k),
                                  mill_int(w->start - m->origin),
                                  mill_int(end_of(x, w) - m->origin),
                                  row < MAX_BARS ? mill_int(row) : mill_none() };
      row++;
      status = x->host->row(x->host, TABLE_BARS, cells, MILL_COUNT(cells));
    }
  }
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
  double waves = (double)all->n_blocks / (sms * slots);
  const char *kind = slots > 1 ? "shared" : "exclusive";
  const MillValue none = mill_none();
  const MillValue cells[] = {
    x->of_waves ? none : mill_text(kind, strlen(kind)),
    x->of_waves ? none : mill_int((int64_t)all->by.n),
    mill_int((int64_t)all->n_blocks),
    mill_int(x->per_block),
    x->of_waves ? none : mill_int((int64_t)slots),
    x->of_waves ? none : mill_real(waves),
    x->of_waves ? none : mill_real(100 * waves / ceil(waves)),
    shown ? mill_int(shown->by->sm) : none,
    mill_real(tail / sms),
    x->of_waves ? none : mill_real(sm_tail / sms),
  };
  return x->host->row(x->host, TABLE_ALL, cells, MILL_COUNT(cells));
}

int sched_warp_rows(Sched *x)
{
  Sms all = { 0 };
  int status = 0;
  if (x->n < (size_t)x->per_block) return 0;
  if (!find_sms(x, &all)) return -MILL_LIMIT;
  for (size_t i = 0; i < all.by.n; i++) {
    if (!measure(x, &all.at[i])) return -MILL_LIMIT;
    if (all.at[i].span > all.longest) all.longest = all.at[i].span;
  }
  const ProbeSm *picked = x->of_waves ? NULL : probe_sms_pick(&all.by, x->options->sm);
  const Sm *shown = picked ? &all.at[picked - all.by.at] : NULL;
  status = all_row(x, &all, shown);
  for (size_t i = 0; i < all.by.n && status == 0 && !x->of_waves; i++)
    status = sm_row(x, &all, &all.at[i]);
  if (status == 0 && shown) status = bar_rows(x, shown);
  probe_sms_free(&all.by, x->host->common);
  array_free(x->host->common, all.at);
  return status;
}
