/* What this process has used so far. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_USAGE_H
#define MODEL_USAGE_H

#include <stdint.h>

/* Peak resident memory.  Not that of getrusage, which includes the parent's before exec. */
uint64_t usage_peak_bytes(void);
uint64_t usage_cpu_ns(void);  /* user and system, all threads */
int64_t usage_clock_ns(void); /* a clock that nobody sets; for differences */

#endif
