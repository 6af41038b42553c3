/* Arrays that grow, by appending or to one element per track or symbol; their elements may move. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_GROW_H
#define KIT_GROW_H

#include <stagemill/types.h>
#include <string.h>

/* A larger array grows by a quarter instead of twofold: unused space counts as memory, and the system moves an array of this size
 * page by page, without copying.  A smaller one is copied, and each copy leaves a hole. */
enum { ARRAY_LARGE = 8 << 20 };

/* Space for n elements of that size, new ones zero; io_array is the address of the pointer to them.
 * False when it was refused (see MillHost.resize); the array then stays as it was. */
static inline bool array_reserve(const MillHost *common, void *io_array, size_t *io_capacity,
                                 size_t n, size_t size)
{
  if (n <= *io_capacity) return true;
  size_t capacity = *io_capacity ? *io_capacity : 8;
  void *array;
  while (capacity < n) capacity += capacity * size < ARRAY_LARGE ? capacity : capacity / 4 + 1;
  memcpy(&array, io_array, sizeof array);
  array = common->resize(common, array, capacity * size);
  if (!array) return false;
  memcpy(io_array, &array, sizeof array);
  *io_capacity = capacity;
  return true;
}

/* The same up to an element's number. */
static inline bool array_reserve_at(const MillHost *common, void *io_array, size_t *io_capacity,
                                    size_t number, size_t size)
{
  return number < *io_capacity || array_reserve(common, io_array, io_capacity, number + 1, size);
}

static inline void array_free(const MillHost *common, void *array)
{
  if (array) common->resize(common, array, 0);
}

#endif
