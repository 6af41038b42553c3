/* Which instance each thread is inside of; see slots.h. */
/* SPDX-License-Identifier: MIT */
#include "host/slots.h"

#include <stdatomic.h>
#include <stddef.h>

typedef _Atomic(const Instance *) Slot;

static Slot slots[SLOTS];
static atomic_uint n_threads;

void slot_set(const Instance *i)
{
  static _Thread_local Slot *own;
  if (!own) own = &slots[atomic_fetch_add(&n_threads, 1) % SLOTS];
  atomic_store_explicit(own, i, memory_order_relaxed);
}

const Instance *slot_at(unsigned index)
{
  return atomic_load_explicit(&slots[index], memory_order_relaxed);
}
