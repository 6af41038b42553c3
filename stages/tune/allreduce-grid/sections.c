/* What was measured with one number of GPUs and one fusion; see sections.h. */
/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <stdlib.h>

#include "kit/state/grow.h"

static SectionStrategy *strategy_of(const Section *s, MillSym strategy)
{
  for (uint32_t i = 0; i < s->n_strategies; i++)
    if (s->strategies[i].strategy == strategy) return &s->strategies[i];
  return NULL;
}

static bool add_point(const MillHost *common, Section *s, const ArPoint *p)
{
  SectionStrategy *x = strategy_of(s, p->strategy);
  if (!x) {
    if (!array_reserve(common, &s->strategies, &s->capacity, s->n_strategies + 1u, sizeof *x))
      return false;
    x = &s->strategies[s->n_strategies++];
    *x = (SectionStrategy){ .strategy = p->strategy, .first = p->first };
  }
  if (p->first < x->first) x->first = p->first;
  x->points++;
  x->rows += p->n;
  if (s->rows == 0 || p->min < s->time_min) s->time_min = p->min;
  if (p->max > s->time_max) s->time_max = p->max;
  s->rows += p->n;
  return ar_axis_add(common, &s->tokens, p->tokens) && ar_axis_add(common, &s->hidden, p->hidden);
}

static int compare_first(const void *a, const void *b)
{
  const SectionStrategy *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* Of the rows of a point the mean difference is that of their mean time. */
static void add_gaps(Section *s, const ArSpan *shape, MillSym except)
{
  ArBest best, winner;
  ar_best(shape, 0, AR_MIN, &best);
  if (ar_best(shape, except, AR_MIN, &winner)) {
    strategy_of(s, winner.winner->strategy)->wins++;
    s->positions++;
  }
  for (size_t i = 0; i < shape->n; i++) {
    const ArPoint *p = shape->at[i];
    SectionStrategy *x = strategy_of(s, p->strategy);
    double longest = ar_longer(best.time, p->max), shortest = ar_longer(best.time, p->min);
    x->gap_sum += ar_longer(best.time, ar_time(p, AR_MEAN)) * (double)p->n;
    if (longest > x->gap_max) x->gap_max = longest;
    if (longest > s->gap_max) s->gap_max = longest;
    if (shortest < s->gap_min) s->gap_min = shortest;
  }
}

bool section_read(const MillHost *common, const ArSpan *points, MillSym except, Section *out)
{
  ArSpan shape;
  *out = (Section){ .tp = points->at[0]->tp,
                    .fusion = points->at[0]->fusion,
                    .points = *points,
                    .gap_min = (double)INFINITY };
  for (size_t i = 0; i < points->n; i++)
    if (!add_point(common, out, points->at[i])) return false;
  qsort(out->strategies, out->n_strategies, sizeof *out->strategies, compare_first);
  for (size_t at = 0; ar_next_shape(points, &at, &shape);) add_gaps(out, &shape, except);
  return true;
}

void section_clear(const MillHost *common, Section *s)
{
  array_free(common, s->strategies);
  array_free(common, s->tokens.at);
  array_free(common, s->hidden.at);
}

int64_t section_position(const Section *s, MillSym strategy)
{
  return strategy_of(s, strategy) - s->strategies + 1;
}
