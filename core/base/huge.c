/* Memory of large arrays; see huge.h. */
/* SPDX-License-Identifier: MIT */
#include "base/huge.h"

#include <glib.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *huge_alloc(size_t bytes)
{
  size_t rounded = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
  void *memory = bytes < HUGE_PAGE ? NULL : aligned_alloc(HUGE_PAGE, rounded);
  if (!memory) return g_malloc(bytes);
  madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}
