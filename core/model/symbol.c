/* Interned strings.
 *
 * Readers find a name without a lock: slots of the hash table and segments of
 * entries are published with release stores and never move.  Writers hold the
 * mutex.  A table that became too small is replaced, and kept until the end for
 * readers that still look at it (the old ones together are smaller than the
 * new one). */
/* SPDX-License-Identifier: MIT */
#include "model/symbol.h"

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash-seed.h"

#define SEGMENT_BITS 12 /* first segment; each next one doubles */
#define N_SEGMENTS 20
#define FIRST_SLOTS (1u << 13)
#define TEXT_CHUNK (64u << 10)

typedef struct Entry {
  const char *text;
  uint32_t len;
} Entry;

/* A slot is hash << 32 | symbol + 1; 0 is free. */
typedef struct Table {
  struct Table *older;
  uint32_t mask;
  _Atomic uint64_t slots[];
} Table;

typedef struct Chunk {
  struct Chunk *older;
  char bytes[];
} Chunk;

struct Symbols {
  MillSeed seed;
  _Atomic(Table *) table;
  _Atomic(Entry *) segments[N_SEGMENTS];
  _Atomic uint32_t count;
  _Atomic size_t bytes;
  Budget *budget; /* or NULL */
  pthread_mutex_t lock;
  Chunk *chunk;
  size_t chunk_used, chunk_size;
};

/* Segment s holds 2^(SEGMENT_BITS + s) entries. */
static inline Entry *entry_of(const Symbols *s, MillSym sym)
{
  uint64_t n = (uint64_t)sym + (1u << SEGMENT_BITS);
  unsigned segment = 63u - (unsigned)__builtin_clzll(n) - SEGMENT_BITS;
  Entry *base = atomic_load_explicit(&s->segments[segment], memory_order_acquire);
  return &base[n - (1ull << (SEGMENT_BITS + segment))];
}

static Table *table_new(uint32_t slots)
{
  Table *t = g_malloc0(sizeof(Table) + (size_t)slots * sizeof(uint64_t));
  t->mask = slots - 1;
  return t;
}

static void add_bytes(Symbols *s, size_t bytes)
{
  atomic_fetch_add(&s->bytes, bytes);
  if (s->budget) budget_take(s->budget, USE_NAMES, bytes);
}

void symbols_charge_to(Symbols *s, Budget *budget) { s->budget = budget; }

Symbols *symbols_new(void)
{
  Symbols *s = g_new0(Symbols, 1);
  s->seed = hash_seed;
  pthread_mutex_init(&s->lock, NULL);
  atomic_init(&s->table, table_new(FIRST_SLOTS));
  atomic_init(&s->bytes, FIRST_SLOTS * sizeof(uint64_t));
  symbols_intern(s, "", 0);
  return s;
}

void symbols_free(Symbols *s)
{
  if (!s) return;
  for (Table *t = s->table, *older; t; t = older) {
    older = t->older;
    g_free(t);
  }
  for (Chunk *c = s->chunk, *older; c; c = older) {
    older = c->older;
    g_free(c);
  }
  for (unsigned i = 0; i < N_SEGMENTS; i++) g_free(s->segments[i]);
  pthread_mutex_destroy(&s->lock);
  g_free(s);
}

/* The symbol, or the free slot where it belongs with *out_found false. */
static inline uint32_t probe(const Symbols *s, Table *t, const char *text, size_t len,
                             uint32_t hash, bool *out_found)
{
  for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
    uint64_t slot = atomic_load_explicit(&t->slots[i], memory_order_acquire);
    if (!slot) {
      *out_found = false;
      return i;
    }
    if ((uint32_t)(slot >> 32) != hash) continue;
    MillSym sym = (uint32_t)slot - 1;
    const Entry *e = entry_of(s, sym);
    if (e->len == len && !memcmp(e->text, text, len)) {
      *out_found = true;
      return sym;
    }
  }
}

static const char *copy_text(Symbols *s, const char *text, size_t len)
{
  size_t need = len + 1;
  if (s->chunk_used + need > s->chunk_size || !s->chunk) {
    size_t size = need > TEXT_CHUNK ? need : TEXT_CHUNK;
    Chunk *c = g_malloc(sizeof(Chunk) + size);
    c->older = s->chunk;
    s->chunk = c;
    s->chunk_used = 0;
    s->chunk_size = size;
    add_bytes(s, size);
  }
  char *copy = s->chunk->bytes + s->chunk_used;
  memcpy(copy, text, len);
  copy[len] = '\0';
  s->chunk_used += need;
  return copy;
}

static Table *grow_table(Symbols *s, Table *old)
{
  Table *t = table_new((old->mask + 1) * 2);
  for (uint32_t i = 0; i <= old->mask; i++) {
    uint64_t slot = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
    if (!slot) continue;
    uint32_t at = (uint32_t)(slot >> 32) & t->mask;
    while (atomic_load_explicit(&t->slots[at], memory_order_relaxed)) at = (at + 1) & t->mask;
    atomic_store_explicit(&t->slots[at], slot, memory_order_relaxed);
  }
  t->older = old;
  add_bytes(s, ((size_t)t->mask + 1) * sizeof(uint64_t));
  atomic_store_explicit(&s->table, t, memory_order_release);
  return t;
}

static MillSym add_entry(Symbols *s, const char *text, size_t len)
{
  MillSym sym = atomic_load_explicit(&s->count, memory_order_relaxed);
  uint64_t n = (uint64_t)sym + (1u << SEGMENT_BITS);
  unsigned segment = 63u - (unsigned)__builtin_clzll(n) - SEGMENT_BITS;
  if (!atomic_load_explicit(&s->segments[segment], memory_order_relaxed)) {
    size_t entries = (size_t)1 << (SEGMENT_BITS + segment);
    atomic_store_explicit(&s->segments[segment], g_new(Entry, entries), memory_order_release);
    add_bytes(s, entries * sizeof(Entry));
  }
  Entry *e = entry_of(s, sym);
  e->text = copy_text(s, text, len);
  e->len = (uint32_t)len;
  atomic_store_explicit(&s->count, sym + 1, memory_order_release);
  return sym;
}

static MillSym intern_new(Symbols *s, const char *text, size_t len, uint32_t hash)
{
  bool found;
  pthread_mutex_lock(&s->lock);
  Table *t = atomic_load_explicit(&s->table, memory_order_relaxed);
  uint32_t at = probe(s, t, text, len, hash, &found);
  if (!found) {
    MillSym sym = add_entry(s, text, len);
    if ((uint64_t)sym * 2 > t->mask) {
      t = grow_table(s, t);
      at = probe(s, t, text, len, hash, &found);
    }
    atomic_store_explicit(&t->slots[at], (uint64_t)hash << 32 | (sym + 1), memory_order_release);
    at = sym;
  }
  pthread_mutex_unlock(&s->lock);
  return at;
}

MillSym symbols_intern(Symbols *s, const char *text, size_t len)
{
  bool found;
  uint32_t hash = (uint32_t)hash_bytes(&s->seed, text, len);
  Table *t = atomic_load_explicit(&s->table, memory_order_acquire);
  uint32_t sym = probe(s, t, text, len, hash, &found);
  return found ? sym : intern_new(s, text, len, hash);
}

bool symbols_find(const Symbols *s, const char *text, size_t len, MillSym *out)
{
  bool found;
  uint32_t hash = (uint32_t)hash_bytes(&s->seed, text, len);
  Table *t = atomic_load_explicit(&((Symbols *)s)->table, memory_order_acquire);
  *out = probe(s, t, text, len, hash, &found);
  return found;
}

void symbols_hold(Symbols *s) { pthread_mutex_lock(&s->lock); }
void symbols_release(Symbols *s) { pthread_mutex_unlock(&s->lock); }

const char *symbols_text(const Symbols *s, MillSym sym, size_t *out_len)
{
  if (sym >= atomic_load_explicit(&s->count, memory_order_acquire)) sym = 0;
  const Entry *e = entry_of(s, sym);
  if (out_len) *out_len = e->len;
  return e->text;
}

size_t symbols_bytes(const Symbols *s)
{
  return atomic_load_explicit(&s->bytes, memory_order_relaxed);
}

uint32_t symbols_count(const Symbols *s)
{
  return atomic_load_explicit(&((Symbols *)s)->count, memory_order_acquire);
}
