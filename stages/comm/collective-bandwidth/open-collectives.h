/* Collectives of which ranks are still missing. */
/* SPDX-License-Identifier: MIT */
#ifndef OPEN_COLLECTIVES_H
#define OPEN_COLLECTIVES_H

#include <stagemill/types.h>

#define OPEN_COLLECTIVES_MAX 1024u

typedef struct OpenCollective {
  MillSym name;
  int64_t begin_ns, end_ns, bytes;
  uint64_t n, n_ranks;
} OpenCollective;

typedef struct OpenCollectives {
  OpenCollective items[OPEN_COLLECTIVES_MAX]; /* in order of their first slice */
  uint32_t n;
} OpenCollectives;

/* Adds a slice of n_ranks; the collective that it belongs to, or NULL where there is no space for a new one. */
OpenCollective *open_collectives_add(OpenCollectives *, const OpenCollective *slice);
void open_collectives_remove(OpenCollectives *, OpenCollective *);
/* No slice that is still missing can be of a collective that began before; INT64_MAX: none is open. */
int64_t open_collectives_begin(const OpenCollectives *);

#endif
