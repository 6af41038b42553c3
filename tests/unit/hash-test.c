/* Hashes of tables: keys that collide for one seed do not for another, so nobody can make a table
 * slow who does not know its seed.  The tables of symbol.c and track.c are looked at from inside. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>

#include "check.h"

#include "model/symbol.c"
#include "model/track.c"

enum { KEYS = 8192, LONG_WAY = KEYS / 16, KEY_LEN = 16 };

/* ---------------------------------------------------------------- function */

static void test_seeds(void)
{
  MillSeed one = hash_seed_of_text("one"), again = hash_seed_of_text("one");
  MillSeed other = hash_seed_of_text("other");
  CHECK(!memcmp(&one, &again, sizeof one));
  CHECK(one.start != other.start && one.left != other.left && one.right != other.right);
  CHECK(one.start != one.left && one.left != one.right && one.right != one.start);
  CHECK(hash_seed.start != 0 || hash_seed.left != 0 || hash_seed.right != 0);
}

/* Every bit of every byte counts, and so does the number of bytes. */
static void test_lengths(void)
{
  enum { LONGEST = 70 };
  MillSeed seed = hash_seed_of_text("lengths");
  char text[LONGEST] = { 0 };
  for (size_t len = 0; len <= LONGEST; len++) {
    uint64_t hash = hash_bytes(&seed, text, len);
    if (len > 0) CHECK(hash != hash_bytes(&seed, text, len - 1));
    for (size_t bit = 0; bit < 8 * len; bit++) {
      text[bit / 8] ^= (char)(1 << bit % 8);
      CHECK((uint32_t)hash_bytes(&seed, text, len) != (uint32_t)hash);
      text[bit / 8] ^= (char)(1 << bit % 8);
    }
  }
}

static void test_pairs(void)
{
  MillSeed seed = hash_seed_of_text("pairs");
  CHECK(hash_pair(&seed, 1, 2) != hash_pair(&seed, 2, 1));
  CHECK(hash_pair(&seed, 0, 0) != hash_pair(&seed, 0, 1));
  gint64 number = 7;
  CHECK_INT(hash_int64(&number), (unsigned)hash_pair(&hash_seed, 7, 0));
  CHECK_INT(hash_text("seven"), (unsigned)hash_bytes(&hash_seed, "seven", 5));
  g_autoptr(GBytes) bytes = g_bytes_new("seven", 5);
  CHECK_INT(hash_gbytes(bytes), hash_text("seven"));
}

/* ---------------------------------------------------------------- collisions */

/* The second half is a factor's seed, so that the product is 0 whatever the first half is. */
static void put_key(char *out, uint64_t number, uint64_t secret)
{
  memcpy(out, &number, 8);
  memcpy(out + 8, &secret, 8);
}

static unsigned n_hashes(const MillSeed *seed, uint64_t secret)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (uint64_t i = 0; i < KEYS; i++) {
    char key[KEY_LEN];
    put_key(key, i, secret);
    g_hash_table_add(seen, GUINT_TO_POINTER((guint)hash_bytes(seed, key, KEY_LEN)));
  }
  return g_hash_table_size(seen);
}

static void test_known_seed(void)
{
  MillSeed known = hash_seed_of_text("known"), other = hash_seed_of_text("other");
  CHECK_INT(n_hashes(&known, known.right), 1);
  CHECK(n_hashes(&other, known.right) > KEYS - 8);
}

static uint32_t longest_way(const Symbols *s)
{
  const Table *t = s->table;
  uint32_t longest = 0;
  for (uint32_t i = 0; i <= t->mask; i++) {
    uint64_t slot = t->slots[i];
    uint32_t way = (i - (uint32_t)(slot >> 32)) & t->mask;
    if (slot && way > longest) longest = way;
  }
  return longest;
}

/* These collided in a table of symbols when its hash had no seed: there the factor was a constant. */
static void test_symbols(void)
{
  const uint64_t constant = 0xd6e8feb86659fd93u;
  Symbols *s = symbols_new();
  for (uint64_t i = 0; i < KEYS; i++) {
    char key[KEY_LEN];
    put_key(key, i, constant);
    CHECK_INT(symbols_intern(s, key, KEY_LEN), i + 1);
  }
  CHECK(longest_way(s) < LONG_WAY);
  symbols_free(s);
}

/* So did these tracks: thread = process * factor made one sum of both. */
static void test_tracks(void)
{
  Tracks *t = tracks_new();
  for (uint64_t i = 0; i < KEYS; i++)
    CHECK_INT(tracks_find(t, 0, mill_int((int64_t)i), mill_int((int64_t)(i * 0x9e3779b97f4a7c15u))),
              i);
  uint32_t longest = 0;
  for (uint32_t i = 0; i <= t->mask; i++) {
    if (!t->slots[i]) continue;
    const MillTrack *row = row_at(t, t->slots[i] - 1);
    uint32_t way = (i - hash_row(row->lane, &row->process, &row->thread)) & t->mask;
    if (way > longest) longest = way;
  }
  CHECK(longest < LONG_WAY);
  tracks_free(t);
}

TEST_MAIN({ "seeds", test_seeds }, { "every bit and length", test_lengths },
          { "pairs, and functions of GHashTable", test_pairs },
          { "collisions for a known seed", test_known_seed },
          { "symbols that collided", test_symbols }, { "tracks that collided", test_tracks })
