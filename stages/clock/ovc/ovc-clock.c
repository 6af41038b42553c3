/* Unwrapping by nearest epoch; see ovc-clock.h. */
/* SPDX-License-Identifier: MIT */
#include "ovc-clock.h"

#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)
#define SLACK \
  (RATE_PERIOD / 16) /* stamps this much before their predecessor are disorder, not a wrap */

int64_t ovc_span_ns(int64_t hz, RateWide cycles)
{
  RateWide ns = rate_divide_down(cycles * NS_PER_S, hz);
  if (ns > INT64_MAX) return INT64_MAX;
  return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

static RateWide at_or_after(int64_t stamp, RateWide limit)
{
  return stamp + rate_divide_down(limit - stamp + RATE_PERIOD - 1, RATE_PERIOD) * RATE_PERIOD;
}

static RateWide at_or_before(int64_t stamp, RateWide limit)
{
  return stamp + rate_divide_down(limit - stamp, RATE_PERIOD) * RATE_PERIOD;
}

/* The stamp at the end of the slice lies one duration after the one at its
 * start, however many wraps that is; a duration that contradicts the order of
 * stamps is not believed. */
static RateWide place_stop(const OvcClock *clock, const OvcEvent *event, RateWide start,
                           RateWide last)
{
  int64_t stamp = event->stamp[event->stop];
  if (event->dur_ns < 0) return at_or_after(stamp, last - SLACK);
  RateWide found = rate_nearest(stamp, start + rate_cycles(clock->hz, event->dur_ns));
  return found < last - SLACK ? at_or_after(stamp, last - SLACK) : found;
}

static void place_all(const OvcClock *clock, const OvcEvent *event, RateWide start, RateWide *found)
{
  RateWide last = start;
  found[event->start] = start;
  for (int i = event->start + 1; i < OVC_STAMPS; i++) {
    if (!event->has[i]) continue;
    found[i] = i == event->stop ? place_stop(clock, event, start, last)
                                : at_or_after(event->stamp[i], last - SLACK);
    last = found[i];
  }
  RateWide next = start;
  for (int i = event->start - 1; i >= 0; i--) {
    if (!event->has[i]) continue;
    found[i] = at_or_before(event->stamp[i], next + SLACK);
    next = found[i];
  }
}

static bool fits(const OvcEvent *event, const RateWide *found)
{
  for (int i = 0; i < OVC_STAMPS; i++)
    if (event->has[i] && (found[i] > INT64_MAX || found[i] < INT64_MIN)) return false;
  return true;
}

bool ovc_unwrap(const OvcClock *clock, OvcEvent *event, OvcVerdict *out)
{
  RateWide found[OVC_STAMPS] = { 0 };
  RateWide expected = rate_cycles(clock->hz, event->ts_ns) - clock->epoch;
  RateWide start = rate_nearest(event->stamp[event->start], expected);
  place_all(clock, event, start, found);
  if (!fits(event, found)) return false;
  OvcVerdict v = { 0 };
  v.residual_cycles = (int64_t)(expected - start);
  v.unmatched = llabs(v.residual_cycles) > RATE_PERIOD / 4;
  int previous = -1;
  for (int i = 0; i < OVC_STAMPS; i++) {
    if (!event->has[i]) continue;
    v.wraps_last = (int64_t)((found[i] - event->stamp[i]) / RATE_PERIOD);
    if (previous < 0) v.wraps = v.wraps_last;
    v.disordered |= previous >= 0 && found[i] < found[previous];
    event->stamp[i] = (int64_t)found[i];
    previous = i;
  }
  *out = v;
  return true;
}
