/* Arithmetic of a 32-bit device counter against the host's clock: no events, no host. */
/* SPDX-License-Identifier: MIT */
#ifndef OVC_CLOCK_H
#define OVC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "clock/lib/rate.h"

#define OVC_STAMPS 5

int64_t ovc_span_ns(int64_t hz, RateWide cycles); /* rounded down, clipped to int64 */

/* Where the absolute count of a line is at host time 0. */
typedef struct OvcClock {
  int64_t hz;
  RateWide epoch;
} OvcClock;

typedef struct OvcEvent {
  int64_t ts_ns, dur_ns;
  int64_t stamp[OVC_STAMPS]; /* in: as counted, below RATE_PERIOD; out: absolute */
  bool has[OVC_STAMPS];
  uint8_t start; /* the stamp that the host's ts shows; must be there */
  uint8_t stop;  /* the stamp that the host's ts + dur shows */
} OvcEvent;

typedef struct OvcVerdict {
  int64_t residual_cycles; /* expected minus found, of stamp `start` */
  int64_t wraps;           /* of the counter before the first stamp */
  int64_t wraps_last;      /* before the last stamp */
  bool unmatched;          /* more than a quarter period from where it was expected */
  bool disordered;         /* a stamp before its predecessor */
} OvcVerdict;

/* False when a count would not fit in an int64; the event is then unchanged. */
bool ovc_unwrap(const OvcClock *clock, OvcEvent *event, OvcVerdict *out);

#endif
