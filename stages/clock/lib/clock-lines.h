/* The lines on which a counter of 32 bits runs against the host's clock.  Counts of one line agree with one frequency;
 * where the device was reset, or the host's clock was set, another line begins, and two counters that share a row have
 * a line each. */
/* SPDX-License-Identifier: MIT */
#ifndef CLOCK_LIB_CLOCK_LINES_H
#define CLOCK_LIB_CLOCK_LINES_H

#include "clock/lib/rate.h"

#define CLOCK_LINES_MAX \
  64u /* what is on none of them is taken to be on the one that its job was on */
#define CLOCK_MARKS_MAX 1024u /* kept, to compare frequencies by */

/* A count may be this far from where its line has it, by the host's jitter; and by this share of the time since the last
 * one: the frequency is known by then, or it is not. */
#define CLOCK_JITTER_NS INT64_C(20000000)
#define CLOCK_SURE_SHARE 1000
#define CLOCK_UNSURE_SHARE 2

typedef struct ClockJob ClockJob;

typedef struct ClockMark {
  int64_t ts_ns, count;
  ClockJob *job;
  uint32_t line;
} ClockMark;

typedef struct ClockLine {
  ClockMark first, last;
  ClockMark before; /* the count before its first one, on another line; of the first line nothing */
  uint64_t n;       /* counts; a single one is damaged, and no part */
  RateWide epoch; /* the absolute count at host time 0: the smallest distance of any to its time */
} ClockLine;

struct ClockJob { /* zero-initialised: of a job that has no counts yet; it stays where it is */
  RateAnchor anchor;
  uint32_t line;
  bool has_line;
};

typedef struct ClockLines { /* zero-initialised but for these */
  const MillHost *common;
  int64_t hz; /* configured */
  Rate rate;
  int64_t
      found_hz; /* 0: not sure yet; then the same to the end.  Given from the begin where `is_anew` was true */
  bool is_anew; /* when it was found, all counts until then were put on lines again, by it */
  uint64_t next_estimate;
  ClockLine *lines; /* at most CLOCK_LINES_MAX */
  size_t max_lines;
  uint32_t n;
  uint32_t latest;   /* the line of the count before */
  RateAnchor anchor; /* after it: a job that goes on from there takes it over */
  ClockMark *marks;  /* at most CLOCK_MARKS_MAX */
  size_t max_marks;
  uint32_t n_marks;
  uint64_t seen, stride;
} ClockLines;

/* The line of a count in 0..RATE_PERIOD - 1; the same counts in the same order have the same lines, and those that they
 * have in the end if found_hz is given where it was found.  When is_anew becomes true, all marks have new ones.
 * UINT32_MAX: memory was refused. */
uint32_t clock_lines_see(ClockLines *, ClockJob *, int64_t ts_ns, int64_t count);

/* The epoch of each line, `c->n` of them, so that absolute counts go on from line to line and never back.  A single count
 * has that of the line before. */
void clock_lines_epochs(const ClockLines *, RateWide *out);

/* Lines of more than a single count; at least 1. */
uint32_t clock_lines_parts(const ClockLines *);

/* How far counts are from where their lines would have them at this frequency, in ns, all together. */
RateWide clock_lines_residual(const ClockLines *, int64_t hz);

void clock_lines_clear(ClockLines *); /* gives back what they hold */

#endif
