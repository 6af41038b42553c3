/* A walk through time with a known power and the kernels that run: energy goes to each by its time. */
#ifndef POWER_STATS_METER_H
#define POWER_STATS_METER_H

#include <stagemill/types.h>

#include "power-bins.h"

__extension__ typedef __int128 Attojoules; /* nanowatts times nanoseconds */

typedef struct MeterShare { /* zeroed is nothing */
  Attojoules energy;
  int64_t dur_ns; /* with known power */
  int64_t max_nw;
  int64_t calls;
} MeterShare;

typedef struct MeterKernel {
  int64_t start_ns, end_ns;
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
  PowerBins bins;
} Meter;

#define METER_OPEN INT64_MAX /* as `until_ns`: the power holds up to the next, or to the end */

void meter_begin(Meter *m, const MillHost *common, MeterEnded ended, void *user);
/* Times must not go back.  False: memory was refused. */
bool meter_power(Meter *m, int64_t ts_ns, int64_t until_ns, int64_t nw);
bool meter_kernel(Meter *m, int64_t ts_ns, int64_t dur_ns, MillSym name);
bool meter_end(Meter *m);

#endif
