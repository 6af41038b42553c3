/* How the heap of the program grows. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_MEMORY_GROWTH_H
#define BASE_MEMORY_GROWTH_H

#include <stddef.h>
#include <stdint.h>

/* Once, first of all: only a program may decide this, not a library within it. */
void memory_growth_begin(void);

/* Memory is limited to so many bytes: of little memory the part of a huge page that nobody uses counts, and none is
 * asked for. */
void memory_growth_limit(uint64_t bytes);

/* After this block was asked for: what the heap has grown by is to have huge pages.  Cheap where it has not grown; does
 * nothing without memory_growth_begin. */
void memory_growth_look(const void *block, size_t bytes);

#endif
