/* How fast a device's counter of 32 bits runs, from counts and the host times at which they were taken. */
/* SPDX-License-Identifier: MIT */
#ifndef CLOCK_LIB_RATE_H
#define CLOCK_LIB_RATE_H

#include <stagemill/types.h>
#include <stdbool.h>
#include <stdint.h>

#define RATE_PERIOD (INT64_C(1) << 32) /* cycles from one wrap to the next */

__extension__ typedef __int128 RateWide;

RateWide rate_divide_down(RateWide a, RateWide b); /* b above 0 */
/* Cycles of a device that counts hz a second, in a time span; rounded down. */
RateWide rate_cycles(int64_t hz, int64_t span_ns);
/* The count that differs from this one by whole periods and is nearest to the expected one. */
RateWide rate_nearest(int64_t count, RateWide expected);
/* Rounded to a kilohertz: more digits would promise too much. */
double rate_mhz(int64_t hz);

/* From pairs of counts at least RATE_PAIR_MIN_NS apart: the sum of cycles over the sum of times of
 * those within 2 % of the median pair.  Zero-initialised is empty. */
#define RATE_PAIR_MIN_NS INT64_C(1000000)
#define RATE_PAIR_MAX_NS INT64_C(1000000000) /* below a period of any counter up to 4.2 GHz */
#define RATE_PAIRS_MAX 4096u

typedef struct RatePair {
  int64_t cycles, span_ns;
} RatePair;

typedef struct RateAnchor { /* the begin of the next pair */
  int64_t ns, count;
  bool known;
} RateAnchor;

typedef struct Rate {
  RatePair *pairs; /* at most RATE_PAIRS_MAX */
  size_t capacity;
  uint32_t n;
  uint64_t seen, stride; /* every stride-th pair is kept */
  RateAnchor anchor;
} Rate;

typedef struct RateEstimate {
  int64_t hz; /* 0: no estimate */
  uint32_t pairs;
  int64_t span_ns;
} RateEstimate;

/* count in 0..RATE_PERIOD - 1.  Here and below false means that memory was refused (see MillHost.resize). */
bool rate_see(const MillHost *common, Rate *rate, int64_t ts_ns, int64_t count);
/* The same of counts that make no pairs with those of another anchor. */
bool rate_see_from(const MillHost *common, Rate *rate, RateAnchor *anchor, int64_t ts_ns,
                   int64_t count);
RateEstimate rate_estimate(Rate *rate); /* sorts the pairs */
void rate_forget(Rate *rate);           /* it is empty again, and keeps its memory */

/* Enough pairs over enough time: 10 us of host jitter are then below RATE_OFF_HZ at 1 GHz. */
#define RATE_MIN_PAIRS 8u
#define RATE_MIN_SPAN_NS INT64_C(100000000)
#define RATE_OFF_HZ INT64_C(100000) /* a frequency this far from the configured one is another */
/* The option soc-mhz takes it. */
#define RATE_LEAST_HZ INT64_C(1000000)
#define RATE_MOST_HZ INT64_C(100000000000)
static inline bool rate_can_be_given(int64_t hz)
{
  return hz >= RATE_LEAST_HZ && hz <= RATE_MOST_HZ;
}
static inline bool rate_is_sure(const RateEstimate *e)
{
  return e->pairs >= RATE_MIN_PAIRS && e->span_ns >= RATE_MIN_SPAN_NS;
}

#endif
