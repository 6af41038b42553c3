/* Tests of the map from text to state. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/keyed.h"

#include <glib.h>
#include <stagemill/harness.h>
#include <stdio.h>

#include "check.h"

static void states_are_found_again(void)
{
  Keyed *k = keyed_new(harness_host()->common, sizeof(int64_t));
  *(int64_t *)keyed_get(k, "b", 1) += 2;
  *(int64_t *)keyed_get(k, "a", 1) += 1;
  *(int64_t *)keyed_get(k, "b", 1) += 40;
  CHECK_INT(*(int64_t *)keyed_find(k, "b", 1), 42);
  CHECK(keyed_find(k, "c", 1) == NULL);
  CHECK_INT(keyed_count(k), 2);
}

static void walks_in_the_order_of_bytes(void)
{
  static const char *const keys[] = { "b", "a", "", "ab", "B", "\xc3\xa4", "a" };
  static const char *const wanted[] = { "", "B", "a", "ab", "b", "\xc3\xa4" };
  Keyed *k = keyed_new(harness_host()->common, 1);
  for (size_t i = 0; i < 7; i++) keyed_get(k, keys[i], strlen(keys[i]));
  CHECK_INT(keyed_count(k), 6);
  for (size_t i = 0; i < 6; i++) CHECK_STR(keyed_sorted(k)[i]->key, wanted[i]);
}

static void many_keys_keep_their_states(void)
{
  enum { N = 10000 };
  char key[16];
  Keyed *k = keyed_new(harness_host()->common, sizeof(int));
  int *first = keyed_get(k, "first", 5);
  *first = 7;
  for (int i = 0; i < N; i++) *(int *)keyed_get(k, key, (size_t)sprintf(key, "%d", i)) = i;
  CHECK(keyed_find(k, "first", 5) == first && *first == 7);
  for (int i = 0; i < N; i += 97)
    CHECK_INT(*(int *)keyed_find(k, key, (size_t)sprintf(key, "%d", i)), i);
  CHECK_INT(keyed_count(k), N + 1);
}

/* One hash for all of these, had it no seed: the second word undid what the first had done. */
static void no_key_is_made_to_collide(void)
{
  enum { N = 4096, DISTINCT = N - 8 };
  Keyed *k = keyed_new(harness_host()->common, 1);
  for (uint64_t i = 0; i < N; i++) {
    uint64_t key[2] = { i, (sizeof key ^ i) * 0x9e3779b97f4a7c15u };
    key[1] ^= key[1] >> 32;
    keyed_get(k, (const char *)key, sizeof key);
  }
  g_autoptr(GHashTable) hashes = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; i < N; i++)
    g_hash_table_add(hashes, GUINT_TO_POINTER(keyed_sorted(k)[i]->hash));
  CHECK_INT(keyed_count(k), N);
  CHECK(g_hash_table_size(hashes) > DISTINCT);
}

static void symbols_and_texts_are_one(void)
{
  const MillHost *common = harness_host()->common;
  Keyed *k = keyed_new(common, sizeof(int));
  MillSym sym = common->intern(common, "gemm", 4);
  int *state = keyed_get_sym(k, sym);
  CHECK(state == keyed_get(k, "gemm", 4));
  CHECK(state == keyed_get_sym(k, sym));
  CHECK_INT(keyed_count(k), 1);
}

static void rows_are_told_apart_by_type(void)
{
  const MillHost *common = harness_host()->common;
  Keyed *k = keyed_new(common, sizeof(int));
  const MillValue rows[] = { mill_none(), mill_int(7), mill_sym(common->intern(common, "7", 1)),
                             mill_sym(common->intern(common, "#7", 2)), mill_int(INT64_MIN) };
  for (int i = 0; i < 5; i++) *(int *)keyed_get_value(k, &rows[i]) = i;
  CHECK_INT(keyed_count(k), 5);
  for (int i = 0; i < 5; i++) CHECK_INT(*(int *)keyed_get_value(k, &rows[i]), i);
}

TEST_MAIN({ "states are found again", states_are_found_again },
          { "walks in the order of bytes", walks_in_the_order_of_bytes },
          { "many keys keep their states", many_keys_keep_their_states },
          { "no key is made to collide", no_key_is_made_to_collide },
          { "symbols and texts are one", symbols_and_texts_are_one },
          { "rows are told apart by type", rows_are_told_apart_by_type })
