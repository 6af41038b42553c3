/* How the heap of the program grows. */
#ifndef BASE_MEMORY_GROWTH_H
#define BASE_MEMORY_GROWTH_H

#include <stddef.h>

/* Once, first of all: only a program may decide this, not a library within it. */
void memory_growth_begin(void);

/* After this block was asked for: what the heap has grown by is to have huge pages.  Cheap where it has not grown; does
 * nothing without memory_growth_begin. */
void memory_growth_look(const void *block, size_t bytes);

#endif
