/* A map from text to a state of fixed size; always walked in the order of the keys' bytes. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_KEYED_H
#define KIT_KEYED_H

#include <stagemill/stage.h>

typedef struct Keyed Keyed;

typedef struct KeyedEntry {
  const char *key; /* ends in NUL */
  uint32_t len;
  uint32_t hash;
  void *state; /* zeroed when made; never moves */
} KeyedEntry;

/* Here and below NULL, or false, means that memory was refused (see MillHost.resize). */
Keyed *keyed_new(const MillHost *common, size_t state_size);
uint32_t keyed_count(const Keyed *k);

/* The entry, or the state, of a key, made if need be. */
const KeyedEntry *keyed_entry(Keyed *k, const char *key, size_t len);
void *keyed_get(Keyed *k, const char *key, size_t len);
void *keyed_find(const Keyed *k, const char *key, size_t len); /* NULL: not there */
/* By symbol: its text is looked at the first time only. */
void *keyed_get_sym(Keyed *k, MillSym sym);
/* By the process or thread of a row: none, a number and a text of its digits differ. */
void *keyed_get_value(Keyed *k, const MillValue *value);

/* All entries in order of their keys; valid until the next key is made. */
const KeyedEntry *const *keyed_sorted(Keyed *k);

#endif
