/* The rule that tells ONESHOT from TWOSHOT; see allreduce-fit.h. */
/* SPDX-License-Identifier: MIT */
#include "tune/lib/allreduce-fit.h"

#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"
#include "kit/text/symbol.h"

static ArRule rule_of(const MillHost *common, int64_t elements)
{
  return (ArRule){ .oneshot = symbol_of(common, "ONESHOT"),
                   .twoshot = symbol_of(common, "TWOSHOT"),
                   .elements = elements };
}

bool ar_library_rule(const MillHost *common, int64_t sm, int64_t tp, ArRule *out)
{
  static const struct {
    int64_t tp, sm90, sm100;
  } numbers[] = { { 2, 4096 * 4096, 4096 * 4096 },
                  { 4, 1024 * 1024, 1024 * 2048 },
                  { 8, 512 * 512, 1024 * 1024 } };
  for (size_t i = 0; i < MILL_COUNT(numbers) && sm != AR_NO_SM; i++)
    if (numbers[i].tp == tp) {
      *out = rule_of(common, sm < 100 ? numbers[i].sm90 : numbers[i].sm100);
      return true;
    }
  return false;
}

static int64_t elements_of(int64_t tokens, int64_t hidden)
{
  int64_t elements;
  return __builtin_mul_overflow(tokens, hidden, &elements) ? INT64_MAX : elements;
}

MillSym ar_rule_strategy(const ArRule *rule, int64_t tokens, int64_t hidden)
{
  bool two = rule->elements != INT64_MAX && elements_of(tokens, hidden) >= rule->elements;
  return two ? rule->twoshot : rule->oneshot;
}

bool ar_rule_counts(const ArRule *rule, const ArSpan *shape)
{
  return ar_of_strategy(shape, rule->oneshot) && ar_of_strategy(shape, rule->twoshot);
}

/* --------------------------------------------------------------------- fit */

typedef struct Cost { /* of a shape: logarithms of times over the best */
  int64_t elements;
  double one, two;
} Cost;

static int compare_costs(const void *a, const void *b)
{
  const Cost *x = a, *y = b;
  return x->elements < y->elements ? -1 : x->elements > y->elements;
}

/* Sums in another order differ by rounding: a geometric mean that is smaller by less than this is equal. */
#define TIE 1e-12

/* ONESHOT below each number in turn, TWOSHOT from there on. */
static void least_of(const Cost *costs, size_t n, ArFit *out)
{
  double below = 0, above = 0, least;
  for (size_t i = 0; i < n; i++) above += costs[i].two;
  least = above;
  out->rule.elements = costs[0].elements;
  for (size_t i = 0; i < n; i++) {
    below += costs[i].one;
    above -= costs[i].two;
    bool last = i + 1 == n;
    if (!last && costs[i + 1].elements == costs[i].elements) continue;
    double sum = last ? below : below + above;
    if (sum >= least - TIE * (double)n) continue;
    least = sum;
    out->rule.elements = last ? INT64_MAX : costs[i + 1].elements;
  }
  out->geomean = exp(least / (double)n);
}

bool ar_fit(const ArInputs *in, const ArSpan *section, ArFit *out)
{
  *out = (ArFit){ .rule = rule_of(in->common, INT64_MAX) };
  Cost *costs = mill_new(in->common, section->n * sizeof *costs);
  ArSpan shape;
  ArBest best;
  if (!costs) return false;
  for (size_t at = 0; ar_next_shape(section, &at, &shape);) {
    if (!ar_rule_counts(&out->rule, &shape)) continue;
    const ArPoint *one = ar_of_strategy(&shape, out->rule.oneshot);
    const ArPoint *two = ar_of_strategy(&shape, out->rule.twoshot);
    ar_best(&shape, in->auto_strategy, AR_MIN, &best);
    costs[out->cells++] = (Cost){ elements_of(one->tokens, one->hidden), log(one->min / best.time),
                                  log(two->min / best.time) };
  }
  qsort(costs, out->cells, sizeof *costs, compare_costs);
  if (out->cells) least_of(costs, out->cells, out);
  array_free(in->common, costs);
  return true;
}
