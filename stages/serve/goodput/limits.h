/* Limits on the latencies of a request, and whether it keeps them. */
/* SPDX-License-Identifier: MIT */
#ifndef GOODPUT_LIMITS_H
#define GOODPUT_LIMITS_H

#include "serve/lib/bench.h"

enum { TTFT, TPOT, ITL, E2E, N_LIMITS };
enum { LIMITS_TEXT = 256 };

typedef struct OpenRequest {
  BenchRequest request;
  int64_t gaps;
  __int128 gap_sum_ns;
} OpenRequest;

typedef enum Kept { NOT_KEPT, KEPT, NOT_KNOWN } Kept;

/* limits: ns by the names above; 0: none. */
Kept limits_kept(const OpenRequest *open, const int64_t *limits);
void open_add_gaps(OpenRequest *open, const int64_t *limits, MillSym gap_ns, const MillBatch *b,
                   const MillEvent *e);
/* "ttft<=200ms tpot<=50ms": at most LIMITS_TEXT bytes, no NUL; returns their number. */
size_t limits_write(const int64_t *limits, char *to);

#endif
