/* Steps of a training run: when they were on the host, and what the device did in them. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_TREE_STEPS_H
#define HOST_TREE_STEPS_H

#include "torch/lib/order.h"
#include "works.h"

typedef struct Step {
  int64_t number, start_ns, end_ns; /* of the host's slice */
  int64_t busy_ns, idle_ns, computation_ns, communication_ns, exposed_ns;
  int64_t device_start_ns, device_end_ns; /* with has_work */
  int64_t period_ns;                      /* to the start of the next number; with has_period */
  bool has_work, has_period;
} Step;

typedef struct Steps { /* { .common = common } is empty */
  const MillHost *common;
  Step *items;       /* each slice; after steps_close by start */
  int64_t *until_ns; /* latest end of these up to each */
  size_t n, capacity;
  size_t n_apart; /* numbers whose slices leave time between them; after steps_measure */
} Steps;

/* Here and below false means that memory was refused. */
bool steps_add(Steps *, int64_t number, int64_t start_ns, int64_t end_ns);
bool steps_close(Steps *);
/* The step at a time, its start included and its end not: the one that began last; -1: none.  After steps_close. */
int64_t steps_at(const Steps *, int64_t ts_ns);
/* Gives each work its step: that of its call, else of itself. */
void steps_assign(const Steps *, const HostTree *, Works *);
/* From here on one item a number, by number, with its device times. */
bool steps_measure(Steps *, const Works *);

#endif
