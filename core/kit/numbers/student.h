/* Student's distribution, and whether the mean of some values is above 0 by more than chance: his test, one-sided. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_STUDENT_H
#define KIT_STUDENT_H

#include <stdbool.h>
#include <stdint.h>

/* How probable a t above this one is; freedom: 1 or more. */
double student_tail(double t, uint64_t freedom);
/* The t above which that much of the distribution is; tail: above 0, below 0.5. */
double student_quantile(double tail, uint64_t freedom);

typedef struct StudentSeries { /* values in the order of time; zero-initialised is empty */
  uint64_t n;
  double sum, squares, products; /* of neighbours */
  double first, last;
} StudentSeries;

void student_add(StudentSeries *, double value);
/* False for fewer than 2.  Values that resemble their neighbours, as those of one step do, count as fewer. */
bool student_above_zero(const StudentSeries *, double chance);

#endif
