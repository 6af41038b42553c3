/* Calls of all ranks of a configuration that are one collective. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_COLL_MATCH_H
#define KIT_COLL_MATCH_H

#include "kit/numbers/interval.h"
#include "kit/trace/coll-calls.h"

typedef struct Collective {
  const Call *calls; /* by rank */
  size_t n;
  int64_t size; /* as the calls say, else how many there are */
  int64_t latency_ns, start_skew_ns,
      end_skew_ns;           /* shortest duration; between the first and last start; end */
  int64_t first_ns, last_ns; /* starts */
  int64_t first_end_ns, last_end_ns;
  int64_t earliest, latest; /* ranks; of equal ones the higher, the lower */
  double wait_mean_ns;
  bool complete;
} Collective;

/* A list of numbers, "" for one that nobody told: neither cut short nor anything else. */
bool match_is_whole(const char *list);
/* Puts the calls into the order of match_next. */
void match_sort(Calls *);
/* The collective that begins at *io_at, which moves past it; false at the end. */
bool match_next(const Calls *, size_t *io_at, Collective *out);
static inline int64_t match_wait(const Collective *c, const Call *call)
{
  return interval_span(call->ts_ns, c->last_ns);
}
/* "group_number" in scratch memory. */
MillText match_id(const MillHost *, const Call *);

#endif
