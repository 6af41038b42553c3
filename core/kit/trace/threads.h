/* Further rows beside one of a process: the next thread that nothing is on. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_THREADS_H
#define KIT_THREADS_H

#include "kit/state/grow.h"

typedef struct ThreadSlot {
  bool used;
  uint64_t passed; /* so many threads beyond this one are in use, as no others are known to be */
} ThreadSlot;

/* Slots by numbers that the user gives to threads. */
typedef struct ThreadSlots {
  const MillHost *common;
  /* The same number each time, and no other thread's; MILL_FAILED: refused. */
  uint32_t (*number_of)(void *user, MillValue thread);
  void *user;
  ThreadSlot *slots;
  size_t n;
} ThreadSlots;

/* NULL: memory was refused.  Good until the next is asked for. */
ThreadSlot *threads_slot(ThreadSlots *, uint32_t number);
/* A thread that is not in use, and is from now on: the number `from` and as much more as it takes, or the name with a
 * number after it.  False after a failure: no number is that high, or memory was refused.
 * What was passed on the way is remembered, so that the next way is half as long. */
bool threads_take(ThreadSlots *, const MillValue *from, MillValue *out, uint32_t *out_number);

/* ---- its part: the thread that is `tries` beyond that one */
bool threads_next(const MillHost *, const MillValue *thread, uint64_t tries, MillValue *out);

#endif
