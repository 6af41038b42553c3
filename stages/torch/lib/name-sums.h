/* Durations by a group and a name in it, as tables of a lane show them. */
/* SPDX-License-Identifier: MIT */
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
typedef struct NameSumRow {
  MillText group, name;
  int64_t calls, total_ns;
  double mean_ns, std_ns;
  int64_t min_ns, max_ns;
  double share; /* of the sum over all rows */
} NameSumRow;

/* Gives each row to the caller, largest sum first; 0, or what `give` returned. */
int name_sums_each(NameSums *, int (*give)(void *user, const NameSumRow *), void *user);
/* Fills a table of NameSumRow. */
int name_sums_report(NameSums *, uint32_t table);

/* The columns of a table after the group and the name, where its row S has a NameSumRow at `at`: "sums.", or nothing. */
#define NAME_SUMS_COLUMNS_AT(S, at)                                                           \
  MILL_BRIEF(S, at calls, "calls", "count", "Number of calls"),                               \
      MILL_BRIEF(S, at total_ns, "total", "ns", "Sum of their durations"),                    \
      MILL_COLUMN(S, at mean_ns, "mean", "ns", 0, "Mean duration"),                           \
      MILL_COLUMN(S, at std_ns, "std", "ns", 0, "Standard deviation (n - 1); empty for one"), \
      MILL_COLUMN(S, at min_ns, "min", "ns", 0, "Shortest duration"),                         \
      MILL_COLUMN(S, at max_ns, "max", "ns", 0, "Longest duration")
#define NAME_SUMS_COLUMNS NAME_SUMS_COLUMNS_AT(NameSumRow, )

#endif
