/* Durations by a group and a name in it, as tables of a lane show them. */
#ifndef TORCH_LIB_NAME_SUMS_H
#define TORCH_LIB_NAME_SUMS_H

#include "kit/text/fields.h"
#include "kit/state/keyed.h"

typedef struct NameSums {
  const MillStageHost *host;
  Keyed *sums; /* Moments, by group and name */
  Buffer text;
} NameSums;

/* Here and below false means that memory was refused. */
bool name_sums_open(NameSums *, const MillStageHost *);
bool name_sums_add(NameSums *, const char *group, MillSym name, int64_t dur_ns);
/* Fills a table of NameSumRow; 0, or what the host's `row` returned. */
int name_sums_report(NameSums *, uint32_t table);

typedef struct NameSumRow {
  MillText group, name;
  int64_t calls, total_ns;
  double mean_ns, std_ns;
  int64_t min_ns, max_ns;
  double share; /* of the sum over all rows */
} NameSumRow;

/* The columns of a table of these after the group and the name. */
#define NAME_SUMS_COLUMNS                                                        \
  MILL_BRIEF(NameSumRow, calls, "calls", "count", "Number of calls"),            \
      MILL_BRIEF(NameSumRow, total_ns, "total", "ns", "Sum of their durations"), \
      MILL_COLUMN(NameSumRow, mean_ns, "mean", "ns", 0, "Mean duration"),        \
      MILL_COLUMN(NameSumRow, std_ns, "std", "ns", 0,                            \
                  "Standard deviation (n - 1); empty for one"),                  \
      MILL_COLUMN(NameSumRow, min_ns, "min", "ns", 0, "Shortest duration"),      \
      MILL_COLUMN(NameSumRow, max_ns, "max", "ns", 0, "Longest duration")

#endif
