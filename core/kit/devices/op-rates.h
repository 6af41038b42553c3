/* Time and rates of operators that do the same work, and how near they come to what a device could do.  Rates of calls are
 * kept as whole numbers a second, so that any division of the work gives the same bytes. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_OP_RATES_H
#define KIT_OP_RATES_H

#include "kit/devices/arch.h"
#include "kit/numbers/dist.h"
#include "kit/devices/op-work.h"
#include "kit/state/state.h"
#include "kit/trace/tree-attrs.h"

typedef struct OpRates { /* zero-initialised is empty, its work not known */
  Dist time, flop_rate, byte_rate;
  double flop, bytes; /* of one call */
  bool known, has_flop, is_bound, is_upper;
} OpRates;

/* What an operator does as host-tree tells of it. */
typedef struct OpCall {
  OpFamily family;
  bool serves; /* see op_work_serves */
  OpWork work; /* not known where it is beyond an int64 */
} OpCall;
/* served NULL: nothing is known of the requests.  False: memory was refused. */
bool op_rates_work(const MillHost *, const TreeRow *, const OpServed *served, OpCall *out);
void op_rates_set(OpRates *, const OpWork *);
/* matrix_bf16, vector_fp32, ...; "" where nothing is computed, or it is not known what. */
void op_rates_spec(OpFamily, const OpWork *, char out[SPEC_BYTES]);

/* False: memory was refused. */
bool op_rates_add(OpRates *, Hists *, int64_t time_ns);
extern const StateType op_rates_state; /* of the same work */

/* The greatest rate of a call over what the device could do at most; 0 where one of them is not known. */
double op_rates_over_limit(const OpRates *, const Arch *, const char *spec);

/* Parts of rows, and their columns, of a field of the row S. */
typedef struct OpWorkCells { /* of one call */
  int64_t flop, bytes;
  double flop_per_byte;
} OpWorkCells;
OpWorkCells op_rates_work_cells(const OpRates *);

typedef struct OpRateCells {
  DistStats time_ns; /* of a call, as below */
  double all_tflops; /* of all calls over their time */
  DistStats tflops;
  double all_tbps;
  DistStats tbps;
} OpRateCells;
OpRateCells op_rates_cells(OpRates *);

typedef struct OpRoofCells {
  double roofline_ns; /* the time that the device would need */
  const char *bound;  /* by which of the two */
  double share;       /* of it in the mean time */
  int8_t above_peak;
} OpRoofCells;
OpRoofCells op_rates_roof_cells(const OpRates *, const Arch *, const char *spec);

#define OP_RATES_STATS(S, f, name, unit, what)                                                \
  MILL_COLUMN(S, f.mean, name "_mean", unit, 0, "Mean " what),                                \
      MILL_COLUMN(S, f.median, name "_median", unit, 0, "Median " what),                      \
      MILL_COLUMN(S, f.std, name "_std", unit, 0, "Standard deviation (n - 1) of the " what), \
      MILL_COLUMN(S, f.min, name "_min", unit, 0, "Smallest " what),                          \
      MILL_COLUMN(S, f.max, name "_max", unit, 0, "Largest " what)
#define OP_RATES_COLUMNS(S, f)                                                                    \
  OP_RATES_STATS(S, f.time_ns, "time", "ns", "device time of a call"),                            \
      MILL_COLUMN(S, f.all_tflops, "tflops", "count", 0,                                          \
                  "10^12 operations of all calls over their time"),                               \
      OP_RATES_STATS(S, f.tflops, "tflops", "count", "10^12 operations a second of a call"),      \
      MILL_COLUMN(S, f.all_tbps, "tbps", "count", 0, "10^12 bytes of all calls over their time"), \
      OP_RATES_STATS(S, f.tbps, "tbps", "count", "10^12 bytes a second of a call")
#define OP_RATES_ROOF_COLUMNS(S, f)                                                     \
  MILL_COLUMN(S, f.roofline_ns, "roofline", "ns", 0, "Time at the peak of the device"), \
      MILL_COLUMN(S, f.bound, "bound", NULL, 0, "compute or memory"),                   \
      MILL_COLUMN(S, f.share, "roofline_share", "percent", 0, "Of the mean time"),      \
      MILL_COLUMN(                                                                      \
          S, f.above_peak, "above_peak", NULL, 0,                                       \
          "A call computes faster than the device can: its time or its work is not what it seems")
#define OP_RATES_ARCH_OPTION(S, field)                                                        \
  MILL_OPTION(S, field, const char *, MILL_OPT_STRING, MILL_OPTION_OR_FILE, "arch", "", NULL, \
              NULL,                                                                           \
              "Device for the roofline: " ARCH_NAMES ", " ARCH_LAST_NAME                      \
              ", or a JSON file; empty: the one that the trace names")

#endif
