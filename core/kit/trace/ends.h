/* When the open slices of a row end: slices that come in the order of time nest unless one that is open ends inside of
 * the next.  A heap, so that any number of open slices costs little. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_ENDS_H
#define KIT_ENDS_H

#include "kit/state/grow.h"

typedef struct Ends {
  int64_t *at_ns; /* each is no later than those at 2i + 1 and 2i + 2 */
  uint32_t n;
  size_t capacity;
} Ends;

/* Slices that ended at ts_ns or before are open no more. */
void ends_forget(Ends *, int64_t ts_ns);
/* After ends_forget: an open slice ends inside of one that ends at end_ns. */
static inline bool ends_conflict(const Ends *e, int64_t end_ns)
{
  return e->n && e->at_ns[0] < end_ns;
}
/* False when memory is refused. */
bool ends_push(const MillHost *common, Ends *, int64_t end_ns);
/* The latest end before end_ns, if it is later than *io_latest_ns; false where one of them is after limit_ns.  Looks at
 * no more ends than lie up to the limit. */
bool ends_latest_before(const Ends *, int64_t end_ns, int64_t limit_ns, int64_t *io_latest_ns);

#endif
