/* The kernels of a row of GEMM calls, position by position, as JSON. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_OPS_DETAILS_H
#define GEMM_OPS_DETAILS_H

#include <glib.h>

#include "gemm/lib/gemm-rows.h"

/* One object for each kernel of the row's first call, by start: name, stream, count, total_ns, mean_ns, median_ns, std_ns
 * (population), min_ns, max_ns.  Calls with another number of kernels are left out.  False: memory was refused. */
bool details_write(const GemmRows *, const GemmRow *, GString *out);

#endif
