/* Which benchmark of LLM serving wrote an object, by the keys at its beginning. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_BENCH_KIND_H
#define KIT_BENCH_KIND_H

#include <stddef.h>

typedef enum {
  FORMAT_NONE,
  FORMAT_FLAT,      /* one object of totals, statistics and columns */
  FORMAT_METRICS,   /* one object, with an object for each metric */
  FORMAT_LINES,     /* an object for each request */
  FORMAT_RESPONSES, /* raw times of requests and responses */
  FORMAT_REPORT     /* totals in groups */
} Format;

/* What the keys at the beginning of an object say. */
typedef struct Kind {
  Format format;
  int sure; /* 0 to 100 */
  const char *dialect;
} Kind;
#define KIND_BYTES (8u * 1024) /* that are looked at */
Kind kind_of(const char *bytes, size_t len);

#endif
