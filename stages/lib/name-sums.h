/* Durations by a group and a name in it, as tables of a lane show them. */
#ifndef STAGE_LIB_NAME_SUMS_H
#define STAGE_LIB_NAME_SUMS_H

#include "lib/fields.h"
#include "lib/keyed.h"

typedef struct NameSums {
  const MillStageHost *host;
  Keyed *sums; /* Moments, by group and name */
  Buffer text;
} NameSums;

/* Here and below false means that memory was refused. */
bool name_sums_open(NameSums *, const MillStageHost *);
bool name_sums_add(NameSums *, const char *group, MillSym name, int64_t dur_ns);
/* Rows of group, name, calls, total, mean, std, min, max, and share of the table's total where it is asked for; 0,
 * or what the host's `row` returned. */
int name_sums_report(NameSums *, uint32_t table, bool with_share);

/* The columns of these after the group and the name. */
#define NAME_SUMS_COLUMNS                                                               \
  MILL_BRIEF("calls", "count", MILL_INT, "How many there are"),                         \
      MILL_BRIEF("total", "ns", MILL_INT, "Sum of their durations"),                    \
      MILL_COLUMN("mean", "ns", MILL_REAL, "Mean duration"),                            \
      MILL_COLUMN("std", "ns", MILL_REAL, "Standard deviation (n - 1); empty for one"), \
      MILL_COLUMN("min", "ns", MILL_INT, "Shortest"),                                   \
      MILL_COLUMN("max", "ns", MILL_INT, "Longest")

#endif
