/* What the stage remembers of a lane: numbers of steps, their windows, launches, and where flows end. */
/* SPDX-License-Identifier: MIT */
#ifndef STEPS_SET_H
#define STEPS_SET_H

#include <stagemill/stage.h>

#include "clean/lib/ranges.h"

/* Everywhere below, false: memory was refused. */

typedef struct StepSet { /* ascending */
  int64_t *items;
  size_t n, max;
} StepSet;

bool step_set_add(const MillHost *common, StepSet *s, int64_t step);
/* "0-3, 7", cut with an ellipsis. */
void step_set_text(const StepSet *s, char *out, size_t size);
/* The same of what is wanted and not there; false: all is there. */
bool step_set_missing(const StepSet *s, const Ranges *wanted, char *out, size_t size);

typedef struct StepWindows { /* of time: [first, last) */
  Range *items;
  size_t n, max;
} StepWindows;

bool step_windows_add(const MillHost *common, StepWindows *w, int64_t first_ns, int64_t end_ns);
void step_windows_join(StepWindows *w); /* sorted, and apart; before step_windows_have */
bool step_windows_have(const StepWindows *w, int64_t ts_ns);

typedef struct Launch {
  uint64_t id;
  MillSym cat; /* of a flow: ids count within it */
  int64_t ts_ns;
} Launch;

typedef struct LaunchSet {
  Launch *items;
  size_t n, max;
} LaunchSet;

bool launch_set_add(const MillHost *common, LaunchSet *s, Launch launch);
/* Only those within the windows stay; before launch_set_has. */
void launch_set_keep(LaunchSet *s, const StepWindows *windows);
bool launch_set_has(const LaunchSet *s, uint64_t id, MillSym cat);

typedef struct Arrival { /* of a flow */
  uint64_t id;
  MillSym cat;
  uint32_t track;
  int64_t ts_ns;
  bool kept;
} Arrival;

typedef struct ArrivalSet {
  Arrival *items;
  size_t n, max;
} ArrivalSet;

typedef enum { ARRIVED_NEVER, ARRIVED_OTHER, ARRIVED_KEPT } Arrived;

bool arrivals_add(const MillHost *common, ArrivalSet *s, Arrival arrival);
void arrivals_keep(ArrivalSet *s, const LaunchSet *flows); /* before arrivals_find */
Arrived arrivals_find(const ArrivalSet *s, uint32_t track, int64_t ts_ns);

#endif
