/* Numbers for people, at a scale that several of them share: of a column, of a metric, of a limit and what is held to it. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_NUM_SCALE_H
#define BASE_NUM_SCALE_H

#include <glib.h>
#include <stdbool.h>

#define NUM_SCALE_MAX_DECIMALS 9

typedef struct NumScale {
  const char *unit; /* shown, or "" */
  double divisor;
  int decimals; /* at most NUM_SCALE_MAX_DECIMALS */
} NumScale;

/* `largest` is the largest magnitude shown; `whole` says that all values are integers. */
NumScale num_scale(const char *unit, double largest, bool whole);
void num_scale_put(GString *out, const NumScale *scale,
                   double v); /* "-": no number; "<0.001": not nothing */

#endif
