/* The time that each step took on the devices of a rank.
 *
 * A step lasts from the end of the last work of the step before to the end of its own last work; where its number does
 * not follow the one before, it begins where its slice ProfilerStep# or its first work does.  So steps lie one
 * behind the other, though the host runs ahead.  Work is of the step that launched it.  Without any step, all work is
 * of step 0. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_STEP_WINDOWS_H
#define TORCH_LIB_STEP_WINDOWS_H

#include <stagemill/types.h>

#include "kit/state/keyed.h"
#include "torch/lib/order.h"

typedef struct StepWindow {
  int64_t number;
  int64_t host_ns;           /* where its slice begins */
  int64_t first_ns, last_ns; /* of its work */
  int64_t from_ns, to_ns;    /* once closed; from < to */
  bool has_host, has_work;
  bool is_warmup;
} StepWindow;

typedef struct StepWindows {
  const MillHost *common;
  Keyed *numbers; /* place + 1, by number */
  StepWindow *items;
  size_t n, capacity;
  size_t recent;   /* place of the step that was asked for last */
  StepWindow all;  /* of all work */
  OrderKey *hosts; /* starts of all slices, in order; once closed */
  size_t n_hosts;
  bool has_steps; /* once closed: work is of steps */
} StepWindows;

/* A run that is slow for longer than this is not warming up. */
enum { STEP_WARMUP_MOST = 32 };

/* Here and below false means that memory was refused. */
bool step_windows_open(StepWindows *, const MillHost *common);
bool step_windows_slice(StepWindows *, int64_t number, int64_t start_ns);
/* number -1: it is of no step */
bool step_windows_work(StepWindows *, int64_t number, int64_t start_ns, int64_t end_ns);
/* In order of time; leading steps that are longer than 1.5 times the median of those after them are warm-up. */
bool step_windows_close(StepWindows *);
/* The step of that number, once closed; NULL: it has none, or none that took time. */
const StepWindow *step_windows_find(const StepWindows *, int64_t number);
/* A slice begins in that closed range. */
bool step_windows_begins(const StepWindows *, int64_t from_ns, int64_t to_ns);

#endif
