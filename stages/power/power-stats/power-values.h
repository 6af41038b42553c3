/* How long each power lasted: for a median by time.  Up to 32,768 different powers are told apart exactly; for more,
 * their last bits are dropped, as few as will do. */
/* SPDX-License-Identifier: MIT */
#ifndef POWER_STATS_VALUES_H
#define POWER_STATS_VALUES_H

#include <stagemill/types.h>

#define POWER_VALUES_MAX 32768u

typedef struct PowerValue {
  int64_t key; /* the power in nanowatts, without its last bits, and 1; 0: a free place */
  int64_t dur_ns;
} PowerValue;

/* Zeroed is empty.  What is in it does not depend on the order in which it came. */
typedef struct PowerValues {
  PowerValue *slots; /* by a hash of the key; at least half of them are free */
  uint32_t n_slots, n, shift;
} PowerValues;

/* Powers are not below 0.  False: memory was refused. */
bool power_values_add(const MillHost *common, PowerValues *v, int64_t nw, int64_t dur_ns);
bool power_values_merge(const MillHost *common, PowerValues *to, const PowerValues *from);
/* The first power up to which half of the time lies; MILL_NONE when it is empty, or memory was refused. */
double power_values_median(const MillHost *common, const PowerValues *v);

#endif
