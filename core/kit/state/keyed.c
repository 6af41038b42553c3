/* A map from text to state; see keyed.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/num-digits.h"
#include "kit/state/grow.h"
#include "kit/state/state.h"
#include "kit/state/symmap.h"

enum { KEY_BYTES = 5 }; /* of an empty key in a summary: the smallest that an entry takes */

struct Keyed {
  const MillHost *common;
  const MillSeed *seed;
  size_t state_size;
  KeyedEntry **slots; /* open addressing; a power of two */
  uint32_t n, n_slots;
  SymMap by_sym;                /* place in by_number, plus 1 */
  const KeyedEntry **by_number; /* of those that were asked for by symbol */
  size_t max_by_number;
  KeyedEntry **sorted; /* NULL: to be made anew */
};

Keyed *keyed_new(const MillHost *common, size_t state_size)
{
  Keyed *k = mill_new(common, sizeof *k);
  if (!k) return NULL;
  k->common = common;
  k->seed = common->seed;
  k->state_size = state_size;
  k->n_slots = 64;
  k->slots = mill_new(common, k->n_slots * sizeof *k->slots);
  return k->slots ? k : NULL;
}

uint32_t keyed_count(const Keyed *k) { return k->n; }

static uint32_t hash_of(const Keyed *k, const char *key, size_t len)
{
  return (uint32_t)hash_bytes(k->seed, key, len);
}

static uint32_t slot_of(const Keyed *k, const char *key, size_t len, uint32_t hash)
{
  uint32_t i = hash & (k->n_slots - 1);
  for (; k->slots[i]; i = (i + 1) & (k->n_slots - 1)) {
    const KeyedEntry *e = k->slots[i];
    if (e->hash == hash && e->len == len && (!len || memcmp(e->key, key, len) == 0)) break;
  }
  return i;
}

static bool grow(Keyed *k)
{
  Keyed bigger = { .n_slots = k->n_slots * 2 };
  bigger.slots = mill_new(k->common, bigger.n_slots * sizeof *bigger.slots);
  if (!bigger.slots) return false;
  for (uint32_t i = 0; i < k->n_slots; i++) {
    KeyedEntry *e = k->slots[i];
    if (e) bigger.slots[slot_of(&bigger, e->key, e->len, e->hash)] = e;
  }
  array_free(k->common, k->slots);
  k->slots = bigger.slots;
  k->n_slots = bigger.n_slots;
  return true;
}

/* Entry, state and key in one piece; states are aligned for anything. */
static KeyedEntry *entry_new(const Keyed *k, const char *key, size_t len, uint32_t hash)
{
  size_t head = (sizeof(KeyedEntry) + 15) & ~(size_t)15, body = (k->state_size + 15) & ~(size_t)15;
  char *piece = mill_new(k->common, head + body + len + 1);
  if (!piece) return NULL;
  KeyedEntry *e = (KeyedEntry *)(void *)piece;
  char *text = piece + head + body;
  memcpy(text, key, len);
  *e = (KeyedEntry){ text, (uint32_t)len, hash, piece + head };
  return e;
}

const KeyedEntry *keyed_entry(Keyed *k, const char *key, size_t len)
{
  uint32_t hash = hash_of(k, key, len), slot = slot_of(k, key, len, hash);
  if (k->slots[slot]) return k->slots[slot];
  if (k->n >= k->n_slots / 2) {
    if (!grow(k)) return NULL;
    slot = slot_of(k, key, len, hash);
  }
  k->slots[slot] = entry_new(k, key, len, hash);
  if (!k->slots[slot]) return NULL;
  k->n++;
  array_free(k->common, k->sorted);
  k->sorted = NULL;
  return k->slots[slot];
}

void *keyed_get(Keyed *k, const char *key, size_t len)
{
  const KeyedEntry *e = keyed_entry(k, key, len);
  return e ? e->state : NULL;
}

void *keyed_find(const Keyed *k, const char *key, size_t len)
{
  const KeyedEntry *e = k->slots[slot_of(k, key, len, hash_of(k, key, len))];
  return e ? e->state : NULL;
}

/* Apart, so that the way of all later times is short. */
static void *get_new_sym(Keyed *k, MillSym sym)
{
  size_t len;
  const char *text = k->common->symbol_text(k->common, sym, &len);
  const KeyedEntry *entry = keyed_entry(k, text, len);
  uint32_t n = k->by_sym.n;
  if (!entry || !array_reserve(k->common, &k->by_number, &k->max_by_number, n + (size_t)1,
                               sizeof *k->by_number))
    return NULL;
  k->by_number[n] = entry;
  return symmap_put_value(k->common, &k->by_sym, sym, n + 1) ? entry->state : NULL;
}

void *keyed_get_sym(Keyed *k, MillSym sym)
{
  uint32_t number = symmap_value(&k->by_sym, sym);
  return number ? k->by_number[number - 1]->state : get_new_sym(k, sym);
}

void *keyed_get_value(Keyed *k, const MillValue *value)
{
  char digits[DIGITS_MAX + 1] = "#";
  size_t len;
  if (value->type == MILL_NONE) return keyed_get(k, "", 0);
  if (value->type == MILL_INT)
    return keyed_get(k, digits, 1 + digits_write(digits + 1, value->u.i));
  const char *text = k->common->symbol_text(k->common, value->u.sym, &len);
  char *key = k->common->scratch(k->common, len + 1);
  if (!key) return NULL;
  key[0] = '$';
  memcpy(key + 1, text, len);
  return keyed_get(k, key, len + 1);
}

static int compare_entries(const void *a, const void *b)
{
  const KeyedEntry *x = *(KeyedEntry *const *)a, *y = *(KeyedEntry *const *)b;
  int order = memcmp(x->key, y->key, x->len < y->len ? x->len : y->len);
  return order ? order : (x->len > y->len) - (x->len < y->len);
}

const KeyedEntry *const *keyed_sorted(Keyed *k)
{
  if (k->sorted) return (const KeyedEntry *const *)k->sorted;
  k->sorted = mill_new(k->common, (k->n + (size_t)1) * sizeof *k->sorted);
  if (!k->sorted) return NULL;
  for (uint32_t i = 0, n = 0; i < k->n_slots; i++)
    if (k->slots[i]) k->sorted[n++] = k->slots[i];
  qsort(k->sorted, k->n, sizeof *k->sorted, compare_entries);
  return (const KeyedEntry *const *)k->sorted;
}

static void save_state(StateIo *io, const StateField *f, void *owner, void *at)
{
  Keyed *const k = *(Keyed **)at;
  const KeyedEntry *const *sorted = keyed_sorted(k);
  uint32_t n = sorted ? k->n : 0;
  (void)owner;
  io->host->put_int(io->host, n);
  for (uint32_t i = 0; i < n; i++) {
    io->host->put_text(io->host, sorted[i]->key, sorted[i]->len);
    state_put(io, f->of, sorted[i]->state);
  }
}

static bool load_state(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  Keyed *const k = *(Keyed **)at;
  (void)owner, (void)is_new;
  for (uint64_t n = io->host->get_count(io->host, KEY_BYTES); n > 0; n--) {
    size_t len;
    const char *key = io->host->get_text(io->host, &len);
    const uint32_t before = k->n;
    void *state = keyed_get(k, key, len);
    if (!state || !state_get(io, f->of, state, k->n > before)) return false;
  }
  return true;
}

const StateOps state_of_keyed = { save_state, load_state, 2 };
