/* Arithmetic of a 32-bit device counter against the host's clock: no events, no host. */
#ifndef OVC_CLOCK_H
#define OVC_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define OVC_STAMPS 5
#define OVC_PERIOD (INT64_C(1) << 32) /* cycles from one wrap to the next */

__extension__ typedef __int128 OvcWide;

/* Cycles of a device that count hz a second, in a time span; rounded down. */
OvcWide ovc_cycles(int64_t hz, int64_t span_ns);
int64_t ovc_span_ns(int64_t hz, OvcWide cycles); /* rounded down, clipped to int64 */

/* Where the absolute count is at host time 0: the smallest distance of any
 * stamp to its host time, so that no event lies before the reference epoch. */
typedef struct OvcClock {
  int64_t hz;
  OvcWide epoch;
  bool known;
} OvcClock;

void ovc_clock_see(OvcClock *clock, int64_t ts_ns, int64_t stamp);

typedef struct OvcEvent {
  int64_t ts_ns, dur_ns;
  int64_t stamp[OVC_STAMPS]; /* in: as counted, below OVC_PERIOD; out: absolute */
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

/* Frequency from pairs of stamps at least OVC_PAIR_MIN_NS apart: the sum of
 * cycles over the sum of times of those within 2 % of the median pair. */
#define OVC_PAIR_MIN_NS INT64_C(1000000)
#define OVC_PAIR_MAX_NS INT64_C(1000000000) /* below a period of any counter up to 4.2 GHz */
#define OVC_PAIRS_MAX 4096u

typedef struct OvcPair {
  int64_t cycles, span_ns;
} OvcPair;

typedef struct OvcRate {
  OvcPair pairs[OVC_PAIRS_MAX];
  uint32_t n;
  uint64_t seen, stride; /* every stride-th pair is kept */
  int64_t anchor_ns, anchor_stamp;
  bool anchored;
} OvcRate;

typedef struct OvcEstimate {
  int64_t hz; /* 0: no estimate */
  uint32_t pairs;
  int64_t span_ns;
} OvcEstimate;

void ovc_rate_see(OvcRate *rate, int64_t ts_ns, int64_t stamp);
OvcEstimate ovc_rate_estimate(OvcRate *rate); /* sorts the pairs */

#endif
