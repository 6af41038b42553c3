/* A walk through time with a known power of a device and the kernels that run on it: energy goes to each by its
 * time. */
/* SPDX-License-Identifier: MIT */
#ifndef POWER_STATS_METER_H
#define POWER_STATS_METER_H

#include <stagemill/types.h>

#include "power-bins.h"
#include "power-values.h"

__extension__ typedef __int128 Attojoules; /* nanowatts times nanoseconds */

typedef struct MeterShare { /* zeroed is nothing */
  Attojoules energy;
  int64_t dur_ns; /* with known power */
  int64_t max_nw;
  int64_t calls;
} MeterShare;

/* What power there was while kernels ran, or while none did; of all meters that add to it. */
typedef struct MeterLoad { /* zeroed is nothing */
  Attojoules energy;
  int64_t dur_ns, nonzero_ns;
  int64_t min_nw, max_nw; /* the smallest above 0; 0: there was none */
  PowerValues values;     /* above 0 */
} MeterLoad;

bool meter_load_merge(const MillHost *common, MeterLoad *to, const MeterLoad *from);

typedef struct MeterKernel {
  int64_t start_ns, end_ns;
  uint32_t track; /* of its event */
  MillSym name;
  Attojoules energy_at_start; /* of the meter's sums */
  int64_t known_at_start_ns;
} MeterKernel;

typedef struct MeterPeak { /* the power until then; falling from the first to the last */
  int64_t end_ns, nw;
} MeterPeak;

/* The share of a kernel that has ended; false: memory was refused. */
typedef bool (*MeterEnded)(void *user, MillSym name, const MeterShare *share);

typedef struct Meter {
  const MillHost *common;
  MeterEnded ended;
  void *user;
  int64_t now_ns, until_ns, nw; /* until: of the power that is known now; before now: none is */
  MeterKernel *running;         /* a heap, the first to end first */
  size_t n_running, max_running;
  MeterPeak *peaks; /* since the first of the running kernels began */
  size_t n_peaks, max_peaks;
  Attojoules each;  /* what a kernel would have got that ran from the beginning on */
  int64_t known_ns; /* time with known power while kernels ran */
  MeterShare all, idle;
  MeterLoad *load_busy, *load_idle;
  PowerBins *bins; /* of all meters, as the loads are */
} Meter;

#define METER_OPEN INT64_MAX /* as `until_ns`: the power holds up to the next, or to the end */

void meter_begin(Meter *m, const MillHost *common, MeterEnded ended, void *user);
/* Times must not go back.  False: memory was refused. */
bool meter_power(Meter *m, int64_t ts_ns, int64_t until_ns, int64_t nw);
bool meter_kernel(Meter *m, int64_t ts_ns, int64_t dur_ns, MillSym name, uint32_t track);
/* Kernels that run go to the meters of their processes; this one has seen no power. */
typedef Meter *(*MeterOf)(void *user, uint32_t track);
bool meter_split(Meter *m, MeterOf);
bool meter_end(Meter *m);

#endif
