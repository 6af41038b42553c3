/* Arrays that grow, by appending or to one element a track or symbol; their elements may move. */
#ifndef STAGES_ROOM_H
#define STAGES_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Room for n elements of that size; io_array is the address of the pointer to them.  False when
 * there is no memory; the array then stays as it was. */
static inline bool room_for(void *io_array, size_t *io_room, size_t n, size_t size)
{
  if (n <= *io_room) return true;
  size_t room = *io_room ? *io_room : 8;
  void *array;
  while (room < n) room *= 2;
  memcpy(&array, io_array, sizeof array);
  array = realloc(array, room * size);
  if (!array) return false;
  memcpy(io_array, &array, sizeof array);
  *io_room = room;
  return true;
}

/* The same up to an element's number, where those that are new are zero. */
static inline bool room_at(void *io_array, size_t *io_room, size_t number, size_t size)
{
  size_t before = *io_room;
  if (number < before) return true;
  if (!room_for(io_array, io_room, number + 1, size)) return false;
  char *array;
  memcpy(&array, io_array, sizeof array);
  memset(array + before * size, 0, (*io_room - before) * size);
  return true;
}

#endif
