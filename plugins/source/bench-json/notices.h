/* Numbers of what the bench-json source has to say about its input. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_JSON_NOTICES_H
#define BENCH_JSON_NOTICES_H

#include <stagemill/types.h>

#include "kit/read/json-window.h"

enum { /* MillNotice.number */
       BENCH_EMPTY = 1,
       BENCH_NOT_JSON = 2,
       BENCH_TRUNCATED = 3,
       BENCH_NO_RESULT = 4,
       BENCH_BAD_VALUE = 5,
       BENCH_LENGTHS = 6,
       BENCH_HUGE = 7,
       BENCH_BESIDE = 8,
       BENCH_DUPLICATE = 20,
       BENCH_FAILED = 21,
       BENCH_TEXT = 22,
       BENCH_PHASE = 23,
       BENCH_STD = 24,
       BENCH_FOREIGN = 25,
       BENCH_NAN = 26,
       BENCH_COMPLETED = 27,
       BENCH_TOKENS = 28,
       BENCH_DIFFERS = 29
};

#define BENCH_N_NOTICES 18u
extern const MillNotice bench_notices[BENCH_N_NOTICES];
extern const WindowNotices bench_window_notices;

#endif
