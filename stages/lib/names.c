/* An open hash table over one growing block of bytes; see names.h. */
#include "names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct Name {
  uint64_t hash;
  size_t offset;
  size_t len;
} Name;

struct Names {
  Name *items;
  uint32_t n_items, room, max;
  uint32_t *slots; /* number + 1 of a name; 0: free */
  uint32_t n_slots;
  char *bytes;
  size_t n_bytes, bytes_room;
};

static uint64_t hash_of(const char *text, size_t len)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return h ^ h >> 29;
}

Names *names_new(uint32_t max)
{
  Names *names = calloc(1, sizeof *names);
  if (!names) return NULL;
  names->max = max < NAMES_NONE - 1 ? max : NAMES_NONE - 1;
  return names;
}

void names_free(Names *names)
{
  if (!names) return;
  free(names->items);
  free(names->slots);
  free(names->bytes);
  free(names);
}

static bool same(const Names *names, uint32_t number, uint64_t hash, const char *text, size_t len)
{
  const Name *name = &names->items[number];
  return name->hash == hash && name->len == len &&
         (len == 0 || memcmp(names->bytes + name->offset, text, len) == 0);
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t *slot_of(const Names *names, uint64_t hash, const char *text, size_t len)
{
  uint32_t mask = names->n_slots - 1;
  uint32_t at = (uint32_t)hash & mask;
  while (names->slots[at] && !same(names, names->slots[at] - 1, hash, text, len))
    at = (at + 1) & mask;
  return &names->slots[at];
}

static bool grow_slots(Names *names)
{
  if (names->n_slots && names->n_items < names->n_slots / 2) return true;
  uint32_t n = names->n_slots ? names->n_slots * 2 : 64;
  if (n < names->n_slots) return false;
  uint32_t *slots = calloc(n, sizeof *slots);
  if (!slots) return false;
  for (uint32_t i = 0; i < names->n_items; i++) {
    uint32_t at = (uint32_t)names->items[i].hash & (n - 1);
    while (slots[at]) at = (at + 1) & (n - 1);
    slots[at] = i + 1;
  }
  free(names->slots);
  names->slots = slots;
  names->n_slots = n;
  return true;
}

static bool grow_items(Names *names, size_t len)
{
  if (names->n_items == names->room) {
    uint32_t room = names->room ? names->room * 2 : 64;
    Name *items = realloc(names->items, room * sizeof *items);
    if (!items) return false;
    names->items = items;
    names->room = room;
  }
  if (len <= names->bytes_room - names->n_bytes) return true;
  size_t room = names->bytes_room ? names->bytes_room : 4096;
  while (room - names->n_bytes < len) room *= 2;
  char *bytes = realloc(names->bytes, room);
  if (!bytes) return false;
  names->bytes = bytes;
  names->bytes_room = room;
  return true;
}

uint32_t names_find(const Names *names, const char *text, size_t len)
{
  if (!names->n_slots) return NAMES_NONE;
  uint32_t *slot = slot_of(names, hash_of(text, len), text, len);
  return *slot ? *slot - 1 : NAMES_NONE;
}

uint32_t names_add(Names *names, const char *text, size_t len)
{
  if (!grow_slots(names)) return NAMES_NONE;
  uint64_t hash = hash_of(text, len);
  uint32_t *slot = slot_of(names, hash, text, len);
  if (*slot) return *slot - 1;
  if (names->n_items >= names->max || !grow_items(names, len)) return NAMES_NONE;
  names->items[names->n_items] = (Name){ hash, names->n_bytes, len };
  if (len) memcpy(names->bytes + names->n_bytes, text, len);
  names->n_bytes += len;
  *slot = ++names->n_items;
  return names->n_items - 1;
}

uint32_t names_count(const Names *names) { return names->n_items; }

const char *names_text(const Names *names, uint32_t number, size_t *out_len)
{
  const Name *name = &names->items[number];
  *out_len = name->len;
  return name->len ? names->bytes + name->offset : "";
}
