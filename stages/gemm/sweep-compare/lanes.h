/* What is known of each rank of each configuration, once its trace was read: some numbers, and sums by name. */
/* SPDX-License-Identifier: MIT */
#ifndef SWEEP_COMPARE_LANES_H
#define SWEEP_COMPARE_LANES_H

#include <stagemill/stage.h>

#include "kit/devices/device-time.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"

typedef struct NameTime { /* of an operator, or a collective */
  MillSym name;
  int64_t total_ns, calls;
} NameTime;

typedef struct NameTimes { /* by name */
  NameTime *items;
  size_t n, capacity;
} NameTimes;

typedef struct LaneFacts {
  MillSym label;
  int64_t threads, channels, rank; /* -1: none */
  bool has_device;
  int64_t times_ns[N_DEVICE_TIMES];
  int64_t gemm_ns, gemm_calls;
  int64_t *spreads_ns; /* differences of its rows of GEMM, the largest first */
  size_t n_spreads;
  NameTimes ops, collectives;
} LaneFacts;

typedef struct
    Lanes { /* { .common = common } is empty; by label, threads, channels, rank once sorted */
  const MillHost *common;
  LaneFacts *items;
  size_t n, capacity;
} Lanes;

/* Here and below false means that memory was refused. */
bool name_times_take(const MillHost *, Keyed *of /* NameTime */, NameTimes *out);
const NameTime *name_times_find(const MillHost *, const NameTimes *, MillSym name);
LaneFacts *lanes_add(Lanes *); /* NULL: memory was refused */
extern const StateType lane_state;
void lanes_sort(Lanes *);
/* Of one label, threads and channels: where the lanes after that begin. */
size_t lanes_config_end(const Lanes *, size_t first);
bool lane_has_label(const MillHost *, const LaneFacts *, const char *label);
int lane_order(const MillHost *, const LaneFacts *, const LaneFacts *);

static inline int64_t number_or_none(int64_t number) { return number < 0 ? MILL_NO_INT : number; }
/* What tables show of the device's time, in their order. */
enum { N_SHOWN_TIMES = 8 };
extern const int shown_times[N_SHOWN_TIMES];

#endif
