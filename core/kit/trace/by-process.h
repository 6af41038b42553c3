/* A state for each process of a lane: what one device counts says nothing of another's. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_BY_PROCESS_H
#define KIT_BY_PROCESS_H

#include "kit/state/keyed.h"

typedef struct ByProcess {
  const MillHost *common;
  Keyed *states; /* zeroed when made */
  void **of;     /* by an event's track; NULL: not known yet */
  size_t n_of;
} ByProcess;

/* Here and below false, or NULL, means that memory was refused (see MillHost.resize). */
bool by_process_open(ByProcess *, const MillHost *common, size_t state_size);
void *by_process_of(ByProcess *, uint32_t track);
/* Its process as a cell: a text, empty where the row names none. */
static inline MillText by_process_text(const KeyedEntry *entry)
{
  return (MillText){ entry->len ? entry->key + 1 : "", entry->len ? entry->len - 1 : 0 };
}

#endif
