/* Sums by phase and category. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_RESULTS_H
#define UTIL_RESULTS_H

#include "kit/state/keyed.h"
#include "kit/state/state.h"

typedef struct UtilCategory {
  struct UtilCategory *total; /* of the phase: all categories */
  MillSym name;
  uint32_t phase_len; /* in its key */
  int64_t time_ns, calls, cycles;
} UtilCategory;

typedef struct UtilResults {
  const MillHost *common;
  Keyed *categories;
  /* On the run level, of all lanes: */
  int64_t with_ns, without_ns; /* kernels with ideal cycles, and those without */
  int64_t cycles;
  int64_t kernels; /* with ideal cycles */
} UtilResults;

/* Here and below false, or NULL, means that memory was refused. */
bool util_results_open(UtilResults *, const MillHost *common);
UtilCategory *util_category(UtilResults *, const char *phase, size_t phase_len,
                            const char *category, size_t category_len);
/* One kernel; it counts once where it has no category but Total. */
void util_results_add(UtilResults *, UtilCategory *, int64_t time_ns, int64_t cycles,
                      bool has_ideal);

int util_results_report(UtilResults *, const MillStageHost *, int64_t core_hz, uint32_t categories,
                        uint32_t utilisation);
int util_results_report_run(const UtilResults *, const MillStageHost *, int64_t core_hz);
extern const StateType util_results_state; /* what the run needs of a lane */

typedef struct UtilisationRow {
  double pt, overall;
  int64_t with_ideal_ns, without_ideal_ns;
} UtilisationRow;

typedef struct CategoryRow {
  MillText phase;
  MillSym category;
  int64_t time_ns;
  double share;
  int64_t calls, ideal_time_ns, ideal_cycles;
  double ideal_share, pt;
} CategoryRow;

#endif
