/* An array with one element a track, made larger as tracks appear; new elements are zero. */
#ifndef STAGES_BYTRACK_H
#define STAGES_BYTRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* False when there is no memory; the array then stays as it was.  May move the elements. */
static inline bool bytrack_reach(void **io_array, uint32_t *io_n, uint32_t track, size_t size)
{
  if (track < *io_n) return true;
  uint32_t n = *io_n ? *io_n : 16;
  while (n <= track) n *= 2;
  char *array = realloc(*io_array, n * size);
  if (!array) return false;
  memset(array + *io_n * size, 0, (n - *io_n) * size);
  *io_array = array;
  *io_n = n;
  return true;
}

#endif
