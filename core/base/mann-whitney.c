/* Whether one side is lower or higher by more than chance; see mann-whitney.h. */
/* SPDX-License-Identifier: MIT */
#include "base/mann-whitney.h"

#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define MOST_EXACT 800 /* values of both sides, times those of the smaller one */

/* ------------------------------------------------------------------- ranks */

/* The values of both sides in order.  A score is twice the mean place of equal values, from 0: a whole number. */
typedef struct Pool {
  size_t n, few;     /* all values; those of the side that has fewer */
  uint32_t *scores;  /* ascending */
  uint64_t sum;      /* of the scores of that side */
  uint64_t low, top; /* the smallest and the largest that this could be */
} Pool;

/* Equal values from both sides share a score. */
static void fill_scores(Pool *p, const double *few, const double *many)
{
  size_t f = 0, m = 0, at = 0, n_many = p->n - p->few;
  while (at < p->n) {
    size_t first_f = f, first_m = m;
    double value = m == n_many || (f < p->few && few[f] < many[m]) ? few[f] : many[m];
    while (f < p->few && few[f] == value) f++;
    while (m < n_many && many[m] == value) m++;
    size_t end = at + (f - first_f) + (m - first_m);
    uint32_t score = (uint32_t)(at + end - 1);
    while (at < end) p->scores[at++] = score;
    p->sum += (uint64_t)score * (f - first_f);
  }
  for (size_t i = 0; i < p->few; i++) p->low += p->scores[i];
  for (size_t i = 0; i < p->few; i++) p->top += p->scores[p->n - 1 - i];
}

typedef struct Tails { /* of the sum: up to it, and from it on */
  double up_to, from;
} Tails;

/* ------------------------------------------------------------------- exact */

/* In how many ways so many of the scores have this sum: a row for each number of them, a score at a time. */
static double *count_sums(const Pool *p, size_t width)
{
  double *ways = g_new0(double, (p->few + 1) * width);
  ways[0] = 1;
  for (size_t i = 0; i < p->n; i++)
    for (size_t k = MIN(i + 1, p->few); k > 0; k--) {
      double *to = ways + k * width;
      const double *from = to - width;
      for (size_t sum = p->scores[i]; sum < width; sum++) to[sum] += from[sum - p->scores[i]];
    }
  return ways;
}

static Tails add_tails(const double *ways, const Pool *p, uint64_t at)
{
  double all = 0;
  Tails t = { 0, 0 };
  for (uint64_t sum = p->low; sum <= p->top; sum++) {
    all += ways[sum];
    if (sum <= at) t.up_to += ways[sum];
    if (sum >= at) t.from += ways[sum];
  }
  return (Tails){ t.up_to / all, t.from / all };
}

static void find_exact(const Pool *p, Tails *out, Tails *out_least)
{
  size_t width = p->top + 1;
  g_autofree double *ways = count_sums(p, width);
  const double *row = ways + p->few * width;
  *out = add_tails(row, p, p->sum);
  out_least->up_to = add_tails(row, p, p->low).up_to;
  out_least->from = add_tails(row, p, p->top).from;
}

/* ------------------------------------------------------------------ normal */

/* Half a place, which is 1 here, nearer to the middle than the sum is. */
static Tails normal_tails(double sum, double mean, double sd)
{
  double unit = sd * G_SQRT2;
  if (!(sd > 0)) return (Tails){ 1, 1 };
  return (Tails){ 0.5 * erfc((mean - sum - 1) / unit), 0.5 * erfc((sum - 1 - mean) / unit) };
}

static void find_normal(const Pool *p, Tails *out, Tails *out_least)
{
  double n = (double)p->n, few = (double)p->few, middle = n - 1, squares = 0;
  for (size_t i = 0; i < p->n; i++) squares += (p->scores[i] - middle) * (p->scores[i] - middle);
  double sd = sqrt(few * (n - few) / (n * (n - 1)) * squares), mean = few * middle;
  *out = normal_tails((double)p->sum, mean, sd);
  out_least->up_to = normal_tails((double)p->low, mean, sd).up_to;
  out_least->from = normal_tails((double)p->top, mean, sd).from;
}

/* -------------------------------------------------------------------- test */

void mann_whitney(const double *base, size_t n_base, const double *changed, size_t n_changed,
                  MannWhitney *out_lower, MannWhitney *out_higher)
{
  Pool p = { .n = n_base + n_changed, .few = MIN(n_base, n_changed) };
  bool few_changed = n_changed <= n_base;
  Tails t = { 1, 1 }, least = { 1, 1 };
  g_autofree uint32_t *scores = g_new(uint32_t, p.n + 1);
  p.scores = scores;
  if (p.few) fill_scores(&p, few_changed ? changed : base, few_changed ? base : changed);
  if (p.few && p.n * p.few <= MOST_EXACT)
    find_exact(&p, &t, &least);
  else if (p.few)
    find_normal(&p, &t, &least);
  MannWhitney low = { t.up_to, least.up_to }, high = { t.from, least.from };
  *out_lower = few_changed ? low : high;
  *out_higher = few_changed ? high : low;
}

/* -------------------------------------------------------------- correction */

static size_t count_within(const MannWhitney *tests, size_t n, double least)
{
  size_t within = 0;
  for (size_t i = 0; i < n; i++) within += tests[i].least <= least;
  return within;
}

typedef struct Member {
  double p;
  size_t at;
} Member;

static gint compare_members(gconstpointer a, gconstpointer b)
{
  const Member *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

void mann_whitney_correct(const MannWhitney *tests, size_t n, double chance, double *out_p)
{
  size_t shares = 1;
  double reached = 0;
  g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(Member));
  while (count_within(tests, n, chance / (double)shares) > shares) shares++;
  for (size_t i = 0; i < n; i++) {
    Member m = { tests[i].p, i };
    out_p[i] = NAN;
    if (tests[i].least <= chance / (double)shares) g_array_append_val(members, m);
  }
  g_array_sort(members, compare_members);
  for (guint k = 0; k < members->len; k++) {
    const Member *m = &g_array_index(members, Member, k);
    reached = fmax(reached, fmin(1, m->p * (double)(members->len - k)));
    out_p[m->at] = reached;
  }
}

/* Of k and k values, all of one side below the other are one order of (2k over k). */
size_t mann_whitney_needed(size_t n, double chance)
{
  double orders = 2;
  size_t k = 1;
  for (; (double)n > chance * orders && k < 500; k++)
    orders *= (double)(2 * (2 * k + 1)) / (double)(k + 1);
  return k;
}
