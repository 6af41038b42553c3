/* Adding up frequencies; see freq-basis.h. */
/* SPDX-License-Identifier: MIT */
#include "freq-basis.h"

#include "kit/state/grow.h"

void basis_add(FreqBasis *basis, double mhz)
{
  if (basis->n == 0 || mhz < basis->min) basis->min = mhz;
  if (basis->n == 0 || mhz > basis->max) basis->max = mhz;
  basis->sum += mhz;
  basis->n++;
}

double basis_mean(const FreqBasis *basis) { return basis->n ? basis->sum / (double)basis->n : 0; }

FreqBasis basis_without(const FreqBasis *basis, const FreqBasis *some)
{
  FreqBasis rest = *basis;
  rest.n -= some->n;
  rest.sum -= some->sum;
  return rest;
}

double basis_range(const FreqBasis *basis)
{
  double mean = basis_mean(basis);
  return mean > 0 ? (basis->max - basis->min) / mean : 0;
}

bool basis_add_span(FreqBasis *basis, int64_t hz, int64_t count_by, int64_t span_ns)
{
  RateWide cycles = rate_nearest(count_by, rate_cycles(hz, span_ns));
  if (span_ns < 0) cycles = -cycles;
  if (cycles <= 0 || span_ns == 0) return false;
  double span = (double)span_ns;
  basis_add(basis, (double)cycles * 1000.0 / (span < 0 ? -span : span));
  return true;
}

bool basis_span(int64_t from_ns, int64_t to_ns, int64_t *out_ns)
{
  return !__builtin_sub_overflow(to_ns, from_ns, out_ns) && *out_ns > 0;
}

bool gaps_add(const MillHost *common, FreqGaps *gaps, int64_t count_by, int64_t span_ns)
{
  if (!array_reserve(common, &gaps->items, &gaps->capacity, gaps->n + 1, sizeof *gaps->items))
    return false;
  gaps->items[gaps->n++] = (RatePair){ count_by, span_ns };
  return true;
}
