/* Hashes for tables whose keys come from an input: without the seed nobody can make keys collide.
 *
 * Never for what is written or compared between processes: each process has its own seed.
 * See docs/decisions/0019-seeded-tables.md. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stagemill/types.h>
#include <string.h>

/* For what is written, or the same in every run. */
static inline const MillSeed *hash_seed_fixed(void)
{
  static const MillSeed fixed = { 0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u };
  return &fixed;
}

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
  __extension__ typedef unsigned __int128 Product;
  Product product = (Product)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_load(const char *p, size_t bytes)
{
  uint64_t word = 0;
  memcpy(&word, p, bytes);
  return word;
}

/* 16 bytes a step; the last step reads some of them again. */
static inline uint64_t hash_bytes(const MillSeed *seed, const char *p, size_t len)
{
  uint64_t h = seed->start, a = 0, b = 0;
  if (len >= 8) {
    const char *end = p + len;
    for (; end - p > 16; p += 16)
      h = hash_fold(hash_load(p, 8) ^ h, hash_load(p + 8, 8) ^ seed->left);
    a = hash_load(len > 16 ? end - 16 : p, 8);
    b = hash_load(end - 8, 8);
  } else if (len >= 4) {
    a = hash_load(p, 4);
    b = hash_load(p + len - 4, 4);
  } else if (len > 0) {
    a = (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[len / 2] << 8 |
        (unsigned char)p[len - 1];
  }
  return hash_fold(hash_fold(a ^ h, b ^ seed->right) ^ seed->left, len ^ seed->start);
}

static inline uint64_t hash_pair(const MillSeed *seed, uint64_t a, uint64_t b)
{
  return hash_fold(hash_fold(a ^ seed->start, b ^ seed->right) ^ seed->left, seed->start);
}

#endif
