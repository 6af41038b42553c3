/* Memory that ends at a page which nobody may touch, and becomes such pages when it is freed: a byte too far is a
 * crash of whoever went there.  For --verify; safe for threads. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed, aligned for any type; NULL: there is no memory.  Where no more pages can be guarded it is usual memory. */
void *guard_new(size_t bytes);
void guard_free(void *at, size_t bytes); /* as many as were asked for; NULL is fine */
/* Bytes after the last one, up to the page: they are zero unless somebody wrote there. */
size_t guard_slack(size_t bytes);
/* Whether an address is in such a page, or in what was freed; safe in a signal handler. */
bool guard_has(const void *address);

/* Whether a dear check is made this time: always at first, then once of so many.  A process that lives long is checked as
 * surely, as what a module does wrong it does again. */
enum { CHECKS_AT_FIRST = 20000, CHECKS_LATER = 64 };
/* Not while what was checked runs again. */
extern _Atomic bool checks_are_off;
static inline bool check_is_due(_Atomic uint64_t *io_n)
{
  if (atomic_load_explicit(&checks_are_off, memory_order_relaxed)) return false;
  const uint64_t n = atomic_fetch_add_explicit(io_n, 1, memory_order_relaxed);
  return n < CHECKS_AT_FIRST || n % CHECKS_LATER == 0;
}

#endif
