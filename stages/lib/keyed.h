/* A map from text to a state of fixed size; always walked in the order of the keys' bytes. */
#ifndef STAGES_KEYED_H
#define STAGES_KEYED_H

#include <stagemill/stage.h>

typedef struct Keyed Keyed;

typedef struct KeyedEntry {
  const char *key; /* ends in NUL */
  uint32_t len;
  uint32_t hash;
  void *state; /* zeroed when made; never moves */
} KeyedEntry;

/* `clear` frees what a state holds (may be NULL). */
Keyed *keyed_new(size_t state_size, void (*clear)(void *state)); /* NULL: out of memory */
void keyed_free(Keyed *k);
uint32_t keyed_count(const Keyed *k);

/* The entry, or the state, of a key, made if need be; NULL when memory is out. */
const KeyedEntry *keyed_entry(Keyed *k, const char *key, size_t len);
void *keyed_get(Keyed *k, const char *key, size_t len);
void *keyed_find(const Keyed *k, const char *key, size_t len); /* NULL: not there */
/* By symbol: an array lookup after the first time. */
void *keyed_get_sym(Keyed *k, const MillHost *host, MillSym sym);

/* All entries in order of their keys; valid until the next key is made. */
const KeyedEntry *const *keyed_sorted(Keyed *k);

/* Summaries: a count, then key and state in order.  `load` adds a saved state to one that may
 * have values; it and keyed_merge return false when memory is out. */
void keyed_save(Keyed *k, const MillHost *host, void (*save)(void *state, const MillHost *host));
bool keyed_merge(Keyed *k, const MillHost *host, bool (*load)(void *state, const MillHost *host));

#endif
