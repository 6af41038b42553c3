/* From the first to the last time of a launch: differences of times within it fit into 63 bits. */
/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIB_PROBE_SPAN_H
#define PROBE_LIB_PROBE_SPAN_H

#include <stagemill/types.h>
#include <stdbool.h>

typedef struct ProbeSpan {
  int64_t first, last;
  bool any;
} ProbeSpan;

/* False: they are too far apart. */
static inline bool probe_span_add(ProbeSpan *s, int64_t from, int64_t to)
{
  int64_t length;
  if (!s->any || from < s->first) s->first = from;
  if (!s->any || to > s->last) s->last = to;
  s->any = true;
  return !__builtin_sub_overflow(s->last, s->first, &length);
}

static inline int probe_too_far(const MillHost *common)
{
  return mill_fail(common, MILL_BAD_INPUT, "times of the trace are too far apart",
                   "check whether the schema is the right one");
}

#endif
