/* Times of all-reduce strategies by shape: what the stages of family tune work on. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_ALLREDUCE_POINTS_H
#define TUNE_LIB_ALLREDUCE_POINTS_H

#include "base/hash.h"
#include "kit/state/state.h"

enum { AR_MOST_STRATEGIES = 64 }; /* all pairs of them are compared, and each is a colour */

typedef struct ArRow {
  int64_t tp, hidden, tokens, bytes;
  MillSym fusion, strategy;
  double time_us; /* 0: not measured */
} ArRow;

/* The rows of one strategy at one shape. */
typedef struct ArPoint {
  int64_t tp, hidden, tokens, bytes; /* bytes 0: not known */
  MillSym fusion, strategy;
  uint64_t n;                /* measured rows */
  uint64_t first, first_min; /* place among all rows of the first, and of the first smallest */
  double sum, min, max;      /* us */
  double *times;             /* of each measured row, with keeps_times */
  uint64_t n_times;
  /* With keeps_spread: of the logarithms of the rows, which are ratios whatever the unit. */
  double log_mean, log_squares; /* squares of what differs from the mean, added */
  size_t capacity;
  uint32_t then; /* the point after it the last time, as rows repeat in order; plus 1 */
} ArPoint;

typedef struct ArPoints { /* { .common = common } is empty */
  const MillHost *common;
  bool keeps_times;  /* for medians */
  bool keeps_spread; /* for what is noise */
  ArPoint *at;
  size_t n, capacity;
  const MillSeed *seed;
  uint32_t *slots; /* of the hash: number plus 1 */
  size_t n_slots;
  uint64_t n_rows; /* measured or not */
  uint32_t last;   /* point of the last row, plus 1 */
} ArPoints;
extern const StateType ar_points_state; /* what is loaded can be joined to others, no more */

/* Here and below false means that memory was refused (see MillHost.resize). */
bool ar_points_add(ArPoints *p, const ArRow *row);
/* As if the rows of `more` followed. */
bool ar_points_join(ArPoints *p, const ArPoints *more);
/* The point of the same key, if it was measured; NULL: none. */
const ArPoint *ar_points_find(const ArPoints *p, const ArPoint *like);

const char *ar_text(const MillHost *common, MillSym sym);

/* ------------------------------------------------------------------- views */
typedef struct ArSpan {
  ArPoint **at;
  size_t n;
} ArSpan;

/* What was measured, by tp, fusion, hidden size, tokens, first row; until the call of the stage returns. */
bool ar_sorted(const ArPoints *p, ArSpan *out);
/* The next points of one tp and fusion, or of one shape; false at the end.  *io_at is 0 at first. */
bool ar_next_section(const ArSpan *all, size_t *io_at, ArSpan *out);
bool ar_next_shape(const ArSpan *section, size_t *io_at, ArSpan *out);

/* ------------------------------------------------------------------- times */
enum { AR_MIN, AR_MEDIAN, AR_MEAN };
#define AR_REPEATS "min|median|mean"

void ar_sort_reals(double *io_values, size_t n);
double ar_time(const ArPoint *point, int64_t repeat);
/* In GB/s; NaN where the size is not known. */
double ar_algbw(const ArPoint *point, double time_us);
double ar_busbw(const ArPoint *point, double time_us);

/* Who is fastest at a shape. */
typedef struct ArBest {
  const ArPoint *winner, *runner_up; /* or NULL */
  double time, runner_up_time;       /* us */
  uint64_t rows;                     /* of all strategies that took part */
} ArBest;

/* Without the strategy `except`; of equal ones that with the first such row.  False: nobody took part. */
bool ar_best(const ArSpan *shape, MillSym except, int64_t repeat, ArBest *out);
const ArPoint *ar_of_strategy(const ArSpan *shape, MillSym strategy); /* or NULL */
/* By how many percent b is longer than a. */
static inline double ar_longer(double a, double b) { return (b - a) / a * 100; }

#endif
