/* Finds the words of classes in kernel names.  Nearly every name of a large table has none of
 * them, so a name is searched, 16 bytes per step, for pairs of letters that the words hold and
 * other names rarely do; where there is one, its words are looked for. */
/* SPDX-License-Identifier: MIT */
#include "kernel-names.h"

#include <stdbool.h>
#include <string.h>

#include "base/scan.h"

enum { STEP = 16, BLOCK = 64 };
typedef signed char Bytes __attribute__((vector_size(STEP)));

static const char pairs[][2] = { "oe", "xp", "cc", "cv", "lt", "lr", "tt", "sh" };
enum { N_PAIRS = sizeof pairs / sizeof pairs[0], N_WORDS = 2 };

typedef struct Word {
  char text[32]; /* and eight zeros after it, at least */
  size_t before; /* bytes of it before its pair */
  uint32_t class;
} Word;

/* By the first letter of their pair. */
static const Word words[32][N_WORDS] = {
  ['o' & 31] = { { "moe", 1, KERNEL_MOE }, { "fused_moe", 7, KERNEL_FUSED } },
  ['x' & 31] = { { "expert", 1, KERNEL_MOE } },
  ['c' & 31] = { { "nccl", 1, KERNEL_NCCL }, { "sendrecv", 6, KERNEL_SENDRECV } },
  ['l' & 31] = { { "alltoall", 2, KERNEL_ALLTOALL }, { "allreduce", 2, KERNEL_ALLREDUCE } },
  ['t' & 31] = { { "attention", 1, KERNEL_ATTENTION }, { "attn", 1, KERNEL_ATTENTION } },
  ['s' & 31] = { { "flash", 3, KERNEL_ATTENTION }, { "reshape_and_cache", 2, KERNEL_CACHE } },
};
static const uint32_t of_nccl = KERNEL_ALLTOALL | KERNEL_SENDRECV | KERNEL_ALLREDUCE;

static inline Bytes all_of(char c) { return (Bytes){ 0 } + (signed char)c; }

/* A bit for each byte of 0xff, the first one lowest. */
static inline uint64_t bits_of(Bytes bytes)
{
#if defined(SCAN_SSE2)
  return (unsigned)_mm_movemask_epi8((__m128i)bytes);
#else
  const uint64_t ones = UINT64_C(0x0101010101010101), gather = UINT64_C(0x0102040810204080);
  char copy[STEP];
  memcpy(copy, &bytes, STEP);
  uint64_t low = (scan_load64(copy) & ones) * gather >> 56;
  uint64_t high = (scan_load64(copy + 8) & ones) * gather >> 56;
  return high << 8 | low;
#endif
}

/* Bits of the bytes at p where a pair begins; one byte more is read.  Setting bit 5 lowers letters,
 * and makes a letter of nothing else. */
static inline uint64_t pairs_in_step(const char *p)
{
  Bytes first, second, found = { 0 };
  memcpy(&first, p, STEP);
  memcpy(&second, p + 1, STEP);
  first |= all_of(0x20);
  second |= all_of(0x20);
  for (int i = 0; i < N_PAIRS; i++)
    found |= (first == all_of(pairs[i][0])) & (second == all_of(pairs[i][1]));
  return bits_of(found);
}

/* The same for the first BLOCK of len bytes. */
static uint64_t pairs_in_block(const char *p, size_t len)
{
  char small[STEP + 1] = { 0 };
  if (len <= STEP) {
    memcpy(small, p, len);
    return pairs_in_step(small);
  }
  size_t n = len > BLOCK ? BLOCK : len - 1, i = 0;
  uint64_t found = 0;
  for (; i + STEP < n; i += STEP) found |= pairs_in_step(p + i) << i;
  return found | pairs_in_step(p + n - STEP) << (n - STEP);
}

/* Whether eight bytes of a name are those of a word, up to the zeros after it.  Letters of a word
 * are small and have bit 5, which '_' has not. */
static inline bool same_eight(uint64_t name, uint64_t word)
{
  const uint64_t seven = UINT64_C(0x7f7f7f7f7f7f7f7f), ones = UINT64_C(0x0101010101010101);
  uint64_t of_word = (((word + seven) & ~seven) >> 7) * 0xff;
  return (((name | (word & (ones << 5))) ^ word) & of_word) == 0;
}

static bool begins_with(const char *p, const char *end, const char *word)
{
  for (; *word && end - p >= 8; word += 8, p += 8)
    if (!same_eight(scan_load64(p), scan_load64(word))) return false;
  for (; *word; word++, p++)
    if (p == end || (*p | (*word & 0x20)) != *word) return false;
  return true;
}

static uint32_t classes_at(const char *name, size_t len, size_t pair)
{
  uint32_t classes = 0;
  const Word *its = words[name[pair] & 31];
  for (int i = 0; i < N_WORDS; i++) {
    bool fits = *its[i].text && its[i].before <= pair;
    if (fits && begins_with(name + pair - its[i].before, name + len, its[i].text))
      classes |= its[i].class;
  }
  return classes;
}

uint32_t kernel_classes(const char *name, size_t len)
{
  uint32_t classes = 0;
  for (size_t at = 0; at < len; at += BLOCK)
    for (uint64_t found = pairs_in_block(name + at, len - at); found; found &= found - 1)
      classes |= classes_at(name, len, at + (size_t)__builtin_ctzll(found));
  return classes & KERNEL_NCCL ? classes : classes & ~of_nccl;
}
