/* Numbers of texts, from 0 on in the order of first use. */
#ifndef KIT_NAMES_H
#define KIT_NAMES_H

#include "kit/text/fields.h"
#include "kit/state/keyed.h"

typedef struct Names { /* { .common = common } is empty */
  const MillHost *common;
  Keyed *numbers; /* number + 1 */
  const KeyedEntry **entries;
  size_t n, capacity;
} Names;

/* False: memory was refused. */
static inline bool names_number(Names *s, const char *text, size_t len, uint32_t *out)
{
  if (!s->numbers) s->numbers = keyed_new(s->common, sizeof(uint32_t));
  const KeyedEntry *e = s->numbers ? keyed_entry(s->numbers, text, len) : NULL;
  uint32_t *number = e ? (uint32_t *)e->state : NULL;
  if (!number) return false;
  if (*number == 0) {
    if (!array_reserve(s->common, &s->entries, &s->capacity, s->n + 1, sizeof *s->entries))
      return false;
    s->entries[s->n++] = e;
    *number = (uint32_t)s->n;
  }
  *out = *number - 1;
  return true;
}

#endif
