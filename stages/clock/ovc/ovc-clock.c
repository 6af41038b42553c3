/* Unwrapping by nearest epoch and the robust frequency estimate; see ovc-clock.h. */
#include "ovc-clock.h"

#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)
#define SLACK \
  (OVC_PERIOD / 16) /* stamps this much before their predecessor are disorder, not a wrap */

static OvcWide divide_down(OvcWide a, OvcWide b)
{
  OvcWide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

OvcWide ovc_cycles(int64_t hz, int64_t span_ns)
{
  return divide_down((OvcWide)span_ns * hz, NS_PER_S);
}

int64_t ovc_span_ns(int64_t hz, OvcWide cycles)
{
  OvcWide ns = divide_down(cycles * NS_PER_S, hz);
  if (ns > INT64_MAX) return INT64_MAX;
  return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

void ovc_clock_see(OvcClock *clock, int64_t ts_ns, int64_t stamp)
{
  OvcWide distance = ovc_cycles(clock->hz, ts_ns) - stamp;
  if (clock->known && distance >= clock->epoch) return;
  clock->epoch = distance;
  clock->known = true;
}

/* The count congruent to the stamp that is nearest to the expected one. */
static OvcWide nearest(int64_t stamp, OvcWide expected)
{
  return stamp + divide_down(expected - stamp + OVC_PERIOD / 2, OVC_PERIOD) * OVC_PERIOD;
}

static OvcWide at_or_after(int64_t stamp, OvcWide limit)
{
  return stamp + divide_down(limit - stamp + OVC_PERIOD - 1, OVC_PERIOD) * OVC_PERIOD;
}

static OvcWide at_or_before(int64_t stamp, OvcWide limit)
{
  return stamp + divide_down(limit - stamp, OVC_PERIOD) * OVC_PERIOD;
}

/* The stamp at the end of the slice lies one duration after the one at its
 * start, however many wraps that is; a duration that contradicts the order of
 * stamps is not believed. */
static OvcWide place_stop(const OvcClock *clock, const OvcEvent *event, OvcWide start, OvcWide last)
{
  int64_t stamp = event->stamp[event->stop];
  if (event->dur_ns < 0) return at_or_after(stamp, last - SLACK);
  OvcWide found = nearest(stamp, start + ovc_cycles(clock->hz, event->dur_ns));
  return found < last - SLACK ? at_or_after(stamp, last - SLACK) : found;
}

static void place_all(const OvcClock *clock, const OvcEvent *event, OvcWide start, OvcWide *found)
{
  OvcWide last = start;
  found[event->start] = start;
  for (int i = event->start + 1; i < OVC_STAMPS; i++) {
    if (!event->has[i]) continue;
    found[i] = i == event->stop ? place_stop(clock, event, start, last)
                                : at_or_after(event->stamp[i], last - SLACK);
    last = found[i];
  }
  OvcWide next = start;
  for (int i = event->start - 1; i >= 0; i--) {
    if (!event->has[i]) continue;
    found[i] = at_or_before(event->stamp[i], next + SLACK);
    next = found[i];
  }
}

static bool fits(const OvcEvent *event, const OvcWide *found)
{
  for (int i = 0; i < OVC_STAMPS; i++)
    if (event->has[i] && (found[i] > INT64_MAX || found[i] < INT64_MIN)) return false;
  return true;
}

bool ovc_unwrap(const OvcClock *clock, OvcEvent *event, OvcVerdict *out)
{
  OvcWide found[OVC_STAMPS] = { 0 };
  OvcWide expected = ovc_cycles(clock->hz, event->ts_ns) - clock->epoch;
  OvcWide start = nearest(event->stamp[event->start], expected);
  place_all(clock, event, start, found);
  if (!fits(event, found)) return false;
  OvcVerdict v = { 0 };
  v.residual_cycles = (int64_t)(expected - start);
  v.unmatched = llabs(v.residual_cycles) > OVC_PERIOD / 4;
  int previous = -1;
  for (int i = 0; i < OVC_STAMPS; i++) {
    if (!event->has[i]) continue;
    v.wraps_last = (int64_t)((found[i] - event->stamp[i]) / OVC_PERIOD);
    if (previous < 0) v.wraps = v.wraps_last;
    v.disordered |= previous >= 0 && found[i] < found[previous];
    event->stamp[i] = (int64_t)found[i];
    previous = i;
  }
  *out = v;
  return true;
}

static void keep_pair(OvcRate *rate, OvcPair pair)
{
  if (rate->stride == 0) rate->stride = 1;
  if (rate->seen++ % rate->stride != 0) return;
  rate->pairs[rate->n++] = pair;
  if (rate->n < OVC_PAIRS_MAX) return;
  for (uint32_t i = 0; i < OVC_PAIRS_MAX / 2; i++) rate->pairs[i] = rate->pairs[2 * i];
  rate->n = OVC_PAIRS_MAX / 2;
  rate->stride *= 2;
}

void ovc_rate_see(OvcRate *rate, int64_t ts_ns, int64_t stamp)
{
  OvcWide span_ns = (OvcWide)ts_ns - rate->anchor_ns;
  if (rate->anchored && span_ns >= 0 && span_ns < OVC_PAIR_MIN_NS) return;
  if (rate->anchored && span_ns > 0 && span_ns <= OVC_PAIR_MAX_NS) {
    int64_t cycles = (stamp - rate->anchor_stamp) & (OVC_PERIOD - 1);
    keep_pair(rate, (OvcPair){ cycles, (int64_t)span_ns });
  }
  rate->anchored = true;
  rate->anchor_ns = ts_ns;
  rate->anchor_stamp = stamp;
}

/* By frequency, compared as fractions. */
static int by_rate(const void *a, const void *b)
{
  const OvcPair *p = a, *q = b;
  OvcWide left = (OvcWide)p->cycles * q->span_ns, right = (OvcWide)q->cycles * p->span_ns;
  return (left > right) - (left < right);
}

static bool near_rate(const OvcPair *pair, const OvcPair *middle)
{
  OvcWide a = (OvcWide)pair->cycles * middle->span_ns, b = (OvcWide)middle->cycles * pair->span_ns;
  return 50 * (a > b ? a - b : b - a) <= b;
}

OvcEstimate ovc_rate_estimate(OvcRate *rate)
{
  OvcEstimate estimate = { 0 };
  if (rate->n == 0) return estimate;
  qsort(rate->pairs, rate->n, sizeof rate->pairs[0], by_rate);
  OvcPair middle = rate->pairs[rate->n / 2];
  OvcWide cycles = 0, span_ns = 0;
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
