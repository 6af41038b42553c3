/* Wraps of a counter, and the robust estimate of its frequency; see rate.h. */
/* SPDX-License-Identifier: MIT */
#include "clock/lib/rate.h"

#include <stdlib.h>

#include "kit/state/grow.h"

#define NS_PER_S INT64_C(1000000000)

RateWide rate_divide_down(RateWide a, RateWide b)
{
  RateWide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

RateWide rate_cycles(int64_t hz, int64_t span_ns)
{
  return rate_divide_down((RateWide)span_ns * hz, NS_PER_S);
}

RateWide rate_nearest(int64_t count, RateWide expected)
{
  return count + rate_divide_down(expected - count + RATE_PERIOD / 2, RATE_PERIOD) * RATE_PERIOD;
}

double rate_mhz(int64_t hz) { return (double)((hz + 500) / 1000) / 1000.0; }

static bool keep_pair(const MillHost *common, Rate *rate, RatePair pair)
{
  if (rate->stride == 0) rate->stride = 1;
  if (rate->seen++ % rate->stride != 0) return true;
  if (!array_reserve_at(common, &rate->pairs, &rate->capacity, rate->n, sizeof *rate->pairs))
    return false;
  rate->pairs[rate->n++] = pair;
  if (rate->n < RATE_PAIRS_MAX) return true;
  for (uint32_t i = 0; i < RATE_PAIRS_MAX / 2; i++) rate->pairs[i] = rate->pairs[2 * i];
  rate->n = RATE_PAIRS_MAX / 2;
  rate->stride *= 2;
  return true;
}

bool rate_see_from(const MillHost *common, Rate *rate, RateAnchor *anchor, int64_t ts_ns,
                   int64_t count)
{
  RateWide span_ns = (RateWide)ts_ns - anchor->ns;
  bool fits = true;
  if (anchor->known && span_ns >= 0 && span_ns < RATE_PAIR_MIN_NS) return true;
  if (anchor->known && span_ns > 0 && span_ns <= RATE_PAIR_MAX_NS) {
    int64_t cycles = (count - anchor->count) & (RATE_PERIOD - 1);
    fits = keep_pair(common, rate, (RatePair){ cycles, (int64_t)span_ns });
  }
  *anchor = (RateAnchor){ ts_ns, count, true };
  return fits;
}

bool rate_see(const MillHost *common, Rate *rate, int64_t ts_ns, int64_t count)
{
  return rate_see_from(common, rate, &rate->anchor, ts_ns, count);
}

void rate_forget(Rate *rate) { *rate = (Rate){ .pairs = rate->pairs, .capacity = rate->capacity }; }

/* By frequency, compared as fractions. */
static int by_rate(const void *a, const void *b)
{
  const RatePair *p = a, *q = b;
  RateWide left = (RateWide)p->cycles * q->span_ns, right = (RateWide)q->cycles * p->span_ns;
  return (left > right) - (left < right);
}

static bool near_rate(const RatePair *pair, const RatePair *middle)
{
  RateWide a = (RateWide)pair->cycles * middle->span_ns,
           b = (RateWide)middle->cycles * pair->span_ns;
  return 50 * (a > b ? a - b : b - a) <= b;
}

RateEstimate rate_estimate(Rate *rate)
{
  RateEstimate estimate = { 0 };
  if (rate->n == 0) return estimate;
  qsort(rate->pairs, rate->n, sizeof rate->pairs[0], by_rate);
  RatePair middle = rate->pairs[rate->n / 2];
  RateWide cycles = 0, span_ns = 0;
  for (uint32_t i = 0; i < rate->n; i++) {
    if (!near_rate(&rate->pairs[i], &middle)) continue;
    cycles += rate->pairs[i].cycles;
    span_ns += rate->pairs[i].span_ns;
    estimate.pairs++;
  }
  estimate.span_ns = (int64_t)span_ns;
  estimate.hz = (int64_t)((cycles * NS_PER_S + span_ns / 2) / span_ns);
  return estimate;
}
