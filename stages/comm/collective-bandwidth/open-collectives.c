/* Bringing the slices of a collective together; see open-collectives.h. */
/* SPDX-License-Identifier: MIT */
#include "open-collectives.h"

#include <string.h>

OpenCollective *open_collectives_add(OpenCollectives *o, const OpenCollective *slice)
{
  OpenCollective *found = NULL;
  for (uint32_t i = 0; i < o->n && !found; i++)
    if (o->items[i].name == slice->name) found = &o->items[i];
  if (!found && o->n == OPEN_COLLECTIVES_MAX) return NULL;
  if (!found) {
    found = &o->items[o->n++];
    *found = *slice;
    found->n = 0;
  }
  if (slice->begin_ns < found->begin_ns) found->begin_ns = slice->begin_ns;
  if (slice->end_ns > found->end_ns) found->end_ns = slice->end_ns;
  if (slice->bytes > found->bytes) found->bytes = slice->bytes;
  if (slice->n_ranks > found->n_ranks) found->n_ranks = slice->n_ranks;
  found->n++;
  return found;
}

void open_collectives_remove(OpenCollectives *o, OpenCollective *gone)
{
  size_t after = (size_t)(o->items + o->n - gone) - 1;
  memmove(gone, gone + 1, after * sizeof *gone);
  o->n--;
}

int64_t open_collectives_begin(const OpenCollectives *o)
{
  int64_t begin_ns = INT64_MAX;
  for (uint32_t i = 0; i < o->n; i++)
    if (o->items[i].begin_ns < begin_ns) begin_ns = o->items[i].begin_ns;
  return begin_ns;
}
