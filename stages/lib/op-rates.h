/* Time and rates of operators that do the same work, and how near they come to what a device could do.  Rates of calls are
 * kept as whole numbers a second, so that any division of the work gives the same bytes. */
#ifndef STAGE_LIB_OP_RATES_H
#define STAGE_LIB_OP_RATES_H

#include "lib/arch.h"
#include "lib/dist.h"
#include "lib/op-work.h"
#include "lib/tree-attrs.h"

typedef struct OpRates { /* zero-initialised is empty, its work not known */
  Dist time, flop_rate, byte_rate;
  double flop, bytes; /* of one call */
  bool known, has_flop, is_bound;
} OpRates;

/* The work of an operator as host-tree tells of it; not known where it is beyond an int64.  False: memory was refused. */
bool op_rates_work(const MillHost *, const TreeRow *, OpFamily *out_family, OpWork *out);
void op_rates_set(OpRates *, const OpWork *);
/* matrix_bf16, vector_fp32, ...; "" where nothing is computed, or it is not known what. */
void op_rates_spec(OpFamily, const OpWork *, char out[SPEC_BYTES]);

/* False: memory was refused. */
bool op_rates_add(OpRates *, Hists *, int64_t time_ns);
void op_rates_save(OpRates *, const MillStageHost *);
bool op_rates_load(OpRates *, Hists *, const MillStageHost *); /* adds to what is there */

/* Cells: of the work; of a distribution over a unit; of the roofline. */
enum { WORK_CELLS = 3, DIST_CELLS = 5, ALL_CELLS = 3 * DIST_CELLS + 2, ROOFLINE_CELLS = 4 };
void op_rates_put_work(const OpRates *, MillValue out[WORK_CELLS]);
void op_rates_put_dist(Dist *, double unit, MillValue out[DIST_CELLS]);
void op_rates_put_all(OpRates *,
                      MillValue out[ALL_CELLS]); /* time, 10^12 operations, bytes a second */
/* The greatest rate of a call over what the device could do at most; 0 where one of them is not known. */
double op_rates_over_limit(const OpRates *, const Arch *, const char *spec);
void op_rates_put_roofline(const OpRates *, const Arch *, const char *spec,
                           MillValue out[ROOFLINE_CELLS]);

#define OP_RATES_STATS(name, unit, what)                                                    \
  MILL_COLUMN(name "_mean", unit, MILL_REAL, "Mean " what),                                 \
      MILL_COLUMN(name "_median", unit, MILL_REAL, "Median " what),                         \
      MILL_COLUMN(name "_std", unit, MILL_REAL, "Standard deviation (n - 1) of the " what), \
      MILL_COLUMN(name "_min", unit, MILL_REAL, "Smallest " what),                          \
      MILL_COLUMN(name "_max", unit, MILL_REAL, "Largest " what)
#define OP_RATES_ALL_COLUMNS                                                                      \
  OP_RATES_STATS("time", "ns", "device time of a call"),                                          \
      MILL_COLUMN("tflops", "count", MILL_REAL, "10^12 operations of all calls over their time"), \
      OP_RATES_STATS("tflops", "count", "10^12 operations a second of a call"),                   \
      MILL_COLUMN("tbps", "count", MILL_REAL, "10^12 bytes of all calls over their time"),        \
      OP_RATES_STATS("tbps", "count", "10^12 bytes a second of a call")
#define OP_RATES_ROOFLINE_COLUMNS                                              \
  MILL_COLUMN("roofline", "ns", MILL_REAL, "Time at the peak of the device"),  \
      MILL_COLUMN("bound", NULL, MILL_TEXT, "compute or memory"),              \
      MILL_COLUMN("roofline_share", "percent", MILL_REAL, "Of the mean time"), \
      MILL_COLUMN(                                                             \
          "above_peak", NULL, MILL_BOOL,                                       \
          "A call computes faster than the device can: its time or its work is not what it seems")
#define OP_RATES_ARCH_OPTION(S, field)                                                        \
  MILL_OPTION(S, field, const char *, MILL_OPT_STRING, MILL_OPTION_OR_FILE, "arch", "", NULL, \
              NULL,                                                                           \
              "Device for the roofline: " ARCH_NAMES ", " ARCH_LAST_NAME                      \
              ", or a JSON file; empty: the one that the trace names")

#endif
