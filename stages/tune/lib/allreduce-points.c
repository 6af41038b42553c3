/* Times of all-reduce strategies by shape; see allreduce-points.h. */
/* SPDX-License-Identifier: MIT */
#include "tune/lib/allreduce-points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"

/* -------------------------------------------------------------------- rows */

static uint64_t hash_of(const ArPoints *p, const ArRow *r)
{
  const int64_t key[] = { r->tp, r->hidden, r->tokens, r->fusion, r->strategy };
  return hash_bytes(p->seed, (const char *)key, sizeof key);
}

static bool is_of(const ArPoint *p, const ArRow *r)
{
  return p->tokens == r->tokens && p->hidden == r->hidden && p->strategy == r->strategy &&
         p->fusion == r->fusion && p->tp == r->tp;
}

static ArRow row_of(const ArPoint *p)
{
  return (ArRow){ .tp = p->tp,
                  .hidden = p->hidden,
                  .tokens = p->tokens,
                  .bytes = p->bytes,
                  .fusion = p->fusion,
                  .strategy = p->strategy };
}

static uint32_t *slot_of(const ArPoints *p, const ArRow *r)
{
  size_t i = hash_of(p, r) & (p->n_slots - 1);
  while (p->slots[i] && !is_of(&p->at[p->slots[i] - 1], r)) i = (i + 1) & (p->n_slots - 1);
  return &p->slots[i];
}

static bool grow_slots(ArPoints *p)
{
  if (p->n_slots > p->n * 2) return true;
  p->seed = p->common->seed;
  size_t n = p->n_slots ? p->n_slots * 2 : 64;
  uint32_t *slots = mill_new(p->common, n * sizeof *slots);
  if (!slots) return false;
  array_free(p->common, p->slots);
  p->slots = slots;
  p->n_slots = n;
  for (size_t i = 0; i < p->n; i++) {
    ArRow row = row_of(&p->at[i]);
    *slot_of(p, &row) = (uint32_t)i + 1;
  }
  return true;
}

/* Its number plus 1; 0: refused. */
static uint32_t find(ArPoints *p, const ArRow *r, uint64_t ordinal)
{
  if (!grow_slots(p)) return 0;
  uint32_t *slot = slot_of(p, r);
  if (*slot) return *slot;
  if (p->n >= UINT32_MAX / 2) return 0;
  if (!array_reserve(p->common, &p->at, &p->capacity, p->n + 1, sizeof *p->at)) return 0;
  p->at[p->n++] = (ArPoint){ .tp = r->tp,
                             .hidden = r->hidden,
                             .tokens = r->tokens,
                             .bytes = r->bytes,
                             .fusion = r->fusion,
                             .strategy = r->strategy,
                             .first = ordinal };
  return *slot = (uint32_t)p->n;
}

const ArPoint *ar_points_find(const ArPoints *p, const ArPoint *like)
{
  ArRow row = row_of(like);
  uint32_t number = p->n_slots ? *slot_of(p, &row) : 0;
  return number && p->at[number - 1].n ? &p->at[number - 1] : NULL;
}

static uint32_t guess(const ArPoints *p, const ArRow *r)
{
  uint32_t then = p->last ? p->at[p->last - 1].then : 0;
  return then && is_of(&p->at[then - 1], r) ? then : 0;
}

static bool keep_time(ArPoints *p, ArPoint *point, double time_us)
{
  if (!p->keeps_times) return true;
  if (!array_reserve(p->common, &point->times, &point->capacity, point->n_times + 1,
                     sizeof *point->times))
    return false;
  point->times[point->n_times++] = time_us;
  return true;
}

/* Welford and Chan: n of `to` is still without the others. */
static void add_spread(ArPoint *to, double n, double log_mean, double log_squares)
{
  double before = (double)to->n, all = before + n, step = log_mean - to->log_mean;
  to->log_mean += step * n / all;
  to->log_squares += log_squares + step * step * before * n / all;
}

bool ar_points_add(ArPoints *p, const ArRow *row)
{
  uint64_t ordinal = p->n_rows++;
  uint32_t number = guess(p, row);
  if (!number) number = find(p, row, ordinal);
  if (!number) return false;
  ArPoint *point = &p->at[number - 1];
  if (p->last) p->at[p->last - 1].then = number;
  p->last = number;
  if (!(row->time_us > 0)) return true;
  if (!keep_time(p, point, row->time_us)) return false;
  if (p->keeps_spread) add_spread(point, 1, log(row->time_us), 0);
  if (point->n == 0 || row->time_us < point->min) {
    point->min = row->time_us;
    point->first_min = ordinal;
  }
  if (row->time_us > point->max) point->max = row->time_us;
  point->sum += row->time_us;
  point->n++;
  return true;
}

/* ----------------------------------------------------------------- merging */

/* Rows of `from` into what may have some; `base` of all rows came before. */
static bool add_point(ArPoints *p, const ArPoint *from, uint64_t base)
{
  ArRow row = row_of(from);
  uint32_t number = find(p, &row, base + from->first);
  if (!number) return false;
  ArPoint *to = &p->at[number - 1];
  if (from->n == 0) return true;
  if (p->keeps_times) {
    uint64_t n = to->n_times + from->n_times;
    if (!array_reserve(p->common, &to->times, &to->capacity, n, sizeof *to->times)) return false;
    memcpy(to->times + to->n_times, from->times, from->n_times * sizeof *from->times);
    to->n_times = n;
  }
  if (p->keeps_spread) add_spread(to, (double)from->n, from->log_mean, from->log_squares);
  if (to->n == 0 || from->min < to->min) {
    to->min = from->min;
    to->first_min = base + from->first_min;
  }
  if (from->max > to->max) to->max = from->max;
  to->sum += from->sum;
  to->n += from->n;
  return true;
}

bool ar_points_join(ArPoints *p, const ArPoints *more)
{
  for (size_t i = 0; i < more->n; i++)
    if (!add_point(p, &more->at[i], p->n_rows)) return false;
  p->n_rows += more->n_rows;
  return true;
}

const char *ar_text(const MillHost *common, MillSym sym)
{
  size_t len;
  return common->symbol_text(common, sym, &len);
}

/* ------------------------------------------------------------- saved state */

static const StateField point_fields[] = {
  STATE_FIRST(ArPoint, tp),
  STATE_FIRST(ArPoint, hidden),
  STATE_FIRST(ArPoint, tokens),
  STATE_FIRST(ArPoint, bytes),
  STATE_SYM(ArPoint, fusion),
  STATE_SYM(ArPoint, strategy),
  STATE_FIRST(ArPoint, n),
  STATE_FIRST(ArPoint, first),
  STATE_FIRST(ArPoint, first_min),
  STATE_FIRST(ArPoint, sum),
  STATE_FIRST(ArPoint, min),
  STATE_FIRST(ArPoint, max),
  STATE_FIRST(ArPoint, log_mean),
  STATE_FIRST(ArPoint, log_squares),
  STATE_LIST(ArPoint, times, n_times, capacity, state_of_real),
};
static const StateType point_state = STATE_TYPE(ArPoint, point_fields);

static const StateField points_fields[] = {
  STATE_FIRST(ArPoints, n_rows),
  STATE_LIST(ArPoints, at, n, capacity, point_state),
};
const StateType ar_points_state = STATE_TYPE(ArPoints, points_fields);

/* ------------------------------------------------------------------- views */

static int compare(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int compare_points(const void *a, const void *b, void *common_)
{
  const ArPoint *x = *(ArPoint *const *)a, *y = *(ArPoint *const *)b;
  const MillHost *common = common_;
  int order = compare(x->tp, y->tp);
  if (!order && x->fusion != y->fusion)
    order = strcmp(ar_text(common, x->fusion), ar_text(common, y->fusion));
  if (!order) order = compare(x->hidden, y->hidden);
  if (!order) order = compare(x->tokens, y->tokens);
  return order ? order : x->first < y->first ? -1 : x->first > y->first;
}

bool ar_sorted(const ArPoints *p, ArSpan *out)
{
  *out = (ArSpan){ NULL, 0 };
  if (p->n == 0) return true;
  out->at = p->common->scratch(p->common, p->n * sizeof(ArPoint *));
  if (!out->at) return false;
  for (size_t i = 0; i < p->n; i++)
    if (p->at[i].n) out->at[out->n++] = &p->at[i];
  if (out->n) qsort_r(out->at, out->n, sizeof *out->at, compare_points, (void *)p->common);
  return true;
}

typedef bool (*Alike)(const ArPoint *, const ArPoint *);

static bool same_section(const ArPoint *a, const ArPoint *b)
{
  return a->tp == b->tp && a->fusion == b->fusion;
}

static bool same_shape(const ArPoint *a, const ArPoint *b)
{
  return a->hidden == b->hidden && a->tokens == b->tokens;
}

static bool next_span(const ArSpan *all, size_t *io_at, Alike alike, ArSpan *out)
{
  size_t end = *io_at;
  while (end < all->n && alike(all->at[*io_at], all->at[end])) end++;
  *out = (ArSpan){ all->at + *io_at, end - *io_at };
  *io_at = end;
  return out->n > 0;
}

bool ar_next_section(const ArSpan *all, size_t *io_at, ArSpan *out)
{
  return next_span(all, io_at, same_section, out);
}

bool ar_next_shape(const ArSpan *section, size_t *io_at, ArSpan *out)
{
  return next_span(section, io_at, same_shape, out);
}

/* ------------------------------------------------------------------- times */

static int compare_reals(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

void ar_sort_reals(double *io_values, size_t n)
{
  if (n > 1) qsort(io_values, n, sizeof *io_values, compare_reals);
}

static double median(const ArPoint *p)
{
  ar_sort_reals(p->times, p->n_times);
  return (p->times[(p->n_times - 1) / 2] + p->times[p->n_times / 2]) / 2;
}

double ar_time(const ArPoint *point, int64_t repeat)
{
  if (repeat == AR_MIN) return point->min;
  return repeat == AR_MEDIAN ? median(point) : point->sum / (double)point->n;
}

double ar_algbw(const ArPoint *point, double time_us)
{
  return point->bytes > 0 ? (double)point->bytes / time_us / 1000 : (double)NAN;
}

double ar_busbw(const ArPoint *point, double time_us)
{
  double n = (double)point->tp;
  return ar_algbw(point, time_us) * (2 * (n - 1) / n);
}

const ArPoint *ar_of_strategy(const ArSpan *shape, MillSym strategy)
{
  for (size_t i = 0; i < shape->n; i++)
    if (shape->at[i]->strategy == strategy) return shape->at[i];
  return NULL;
}

/* Points of a shape come by their first row: of equal times the first stays, but for smallest times the row that has
 * it counts. */
static bool is_before(const ArPoint *a, double a_time, const ArPoint *b, double b_time,
                      int64_t repeat)
{
  if (!b || a_time < b_time) return true;
  return repeat == AR_MIN && a_time == b_time && a->first_min < b->first_min;
}

bool ar_best(const ArSpan *shape, MillSym except, int64_t repeat, ArBest *out)
{
  *out = (ArBest){ 0 };
  for (size_t i = 0; i < shape->n; i++) {
    const ArPoint *p = shape->at[i];
    if (p->strategy == except) continue;
    double time = ar_time(p, repeat);
    out->rows += p->n;
    if (is_before(p, time, out->winner, out->time, repeat)) {
      out->runner_up = out->winner;
      out->runner_up_time = out->time;
      out->winner = p;
      out->time = time;
    } else if (is_before(p, time, out->runner_up, out->runner_up_time, repeat)) {
      out->runner_up = p;
      out->runner_up_time = time;
    }
  }
  return out->winner != NULL;
}
