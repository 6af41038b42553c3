/* How the program's heap grows: by large steps, with huge pages, and it is kept. */
/* SPDX-License-Identifier: MIT */
#include "base/memory-growth.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* What one batch or lane gives back the next one asks for: given to the system in between, its pages would be
 * cleared each time, which is a tenth of the time of an analysis.  Larger arrays are mapped, and grow without a copy. */
enum { MAPPED_FROM = 8 << 20, KEPT = 128 << 20 };

/* Pages of 4 KiB cost a fault each, a third of the time of an analysis on virtual machines.  A step is one of them:
 * what is not touched of it takes no memory. */
enum { STEP = 2 << 20, HUGE_PAGE = 2 << 20 };

enum { LITTLE = 256 << 20, USUAL_PAD = 128 << 10 };

static atomic_uintptr_t seen_end; /* of the heap; 0: not begun */

/* Where addresses are counted, those that are not used yet count, too. */
static bool is_limited(int what)
{
  struct rlimit limit;
  return !getrlimit(what, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

void memory_growth_begin(void)
{
  mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
  mallopt(M_TRIM_THRESHOLD, KEPT);
  if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) return;
  mallopt(M_TOP_PAD, STEP);
  atomic_store(&seen_end, (uintptr_t)sbrk(0));
}

void memory_growth_limit(uint64_t bytes)
{
  if (bytes >= LITTLE) return;
  mallopt(M_TOP_PAD, USUAL_PAD);
  atomic_store(&seen_end, 0);
}

static void want_huge(uintptr_t from, uintptr_t end)
{
  madvise((void *)from, end - from, MADV_HUGEPAGE);
}

void memory_growth_look(const void *block, size_t bytes)
{
  uintptr_t from = atomic_load_explicit(&seen_end, memory_order_relaxed);
  uintptr_t end = (uintptr_t)sbrk(0), at = (uintptr_t)block;
  if (!from) return;
  if (bytes >= MAPPED_FROM) want_huge(at + HUGE_PAGE - at % HUGE_PAGE, at + bytes);
  if (end == from || !atomic_compare_exchange_strong(&seen_end, &from, end)) return;
  /* with the huge page that the step before has begun */
  if (end > from) want_huge(from - from % HUGE_PAGE, end);
}
