/* The repeated word of a sequence; see word.h.
 *
 * A square of half h that begins at p < h has names[h-1] as one of those that equal the one h later.  How far the
 * equality goes on to both sides of it, by hashes and bisection, gives the smallest p; so each h takes O(log n), and
 * most of them one comparison.  Hashes only choose: the word is compared in the end. */
/* SPDX-License-Identifier: MIT */
#include "compute/lib/word.h"

#include <string.h>

#include "base/hash.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

__extension__ typedef unsigned __int128 Wide;

typedef struct Hashes { /* of the first i names, and powers of the base */
  uint64_t *sums, *powers;
  const uint32_t *names;
  size_t n;
} Hashes;

static uint64_t reduce(Wide v)
{
  uint64_t r = (uint64_t)(v & PRIME) + (uint64_t)(v >> 61);
  return r >= PRIME ? r - PRIME : r;
}

static bool hashes_make(Hashes *h, const MillHost *common, uint64_t base)
{
  h->sums = common->scratch(common, (h->n + 1) * sizeof *h->sums);
  h->powers = common->scratch(common, (h->n + 1) * sizeof *h->powers);
  if (!h->sums || !h->powers) return false;
  h->sums[0] = 0;
  h->powers[0] = 1;
  for (size_t i = 0; i < h->n; i++) {
    h->sums[i + 1] = reduce((Wide)h->sums[i] * base + h->names[i] + 1);
    h->powers[i + 1] = reduce((Wide)h->powers[i] * base);
  }
  return true;
}

static uint64_t hash_at(const Hashes *h, size_t from, size_t len)
{
  uint64_t before = reduce((Wide)h->sums[from] * h->powers[len]), all = h->sums[from + len];
  return all >= before ? all - before : all + PRIME - before;
}

/* How many names from a on equal those from b on, or with `back` those before a those before b; at most `most`. */
static size_t equal_run(const Hashes *h, size_t a, size_t b, size_t most, bool back)
{
  size_t low = 0, high = most;
  while (low < high) {
    size_t middle = high - (high - low) / 2;
    bool same = back ? hash_at(h, a - middle, middle) == hash_at(h, b - middle, middle)
                     : hash_at(h, a, middle) == hash_at(h, b, middle);
    if (same)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* The first square of that half: p <= h - 2 is p <= n/3 - 1 of n = p + 2h. */
static bool square_of(const Hashes *h, size_t half, size_t *out_prefix)
{
  const uint32_t *names = h->names;
  if (names[half - 1] != names[2 * half - 1] || names[half - 2] != names[2 * half - 2])
    return false;
  size_t before = equal_run(h, half, 2 * half, half, true), prefix = half - before;
  size_t after = equal_run(h, half, 2 * half, h->n - 2 * half, false);
  if (prefix + 2 * half < WORD_LEAST) prefix = WORD_LEAST - 2 * half;
  *out_prefix = prefix;
  return prefix <= after && prefix <= half - 2;
}

/* Later squares begin at more than 2h, so the search ends soon after the first. */
static bool choose(const Hashes *h, Word *out)
{
  size_t end = SIZE_MAX, prefix;
  for (size_t half = 2; 2 * half <= h->n && 2 * half <= end; half++) {
    if (!square_of(h, half, &prefix) || prefix + 2 * half > end) continue;
    end = prefix + 2 * half; /* of equal ends the larger half has the smaller prefix */
    *out = (Word){ prefix, half };
  }
  return end != SIZE_MAX;
}

bool word_find(const MillHost *common, const uint32_t *names, size_t n, Word *out)
{
  const MillSeed *seed = common->seed;
  for (uint64_t round = 0;; round++) { /* a second one where hashes collided */
    Hashes h = { .names = names, .n = n };
    uint64_t base = hash_pair(seed, round, n) % (PRIME - 2) + 2;
    if (!hashes_make(&h, common, base) || !choose(&h, out)) return false;
    const uint32_t *word = names + out->prefix;
    if (memcmp(word, word + out->length, out->length * sizeof *word) == 0) return true;
  }
}

uint32_t *word_borders(const MillHost *common, const uint32_t *names, size_t length)
{
  uint32_t *borders = mill_new(common, (length + 1) * sizeof *borders);
  for (size_t i = 1, same = 0; borders && i < length; i++) {
    while (same > 0 && names[i] != names[same]) same = borders[same];
    same += names[i] == names[same];
    borders[i + 1] = (uint32_t)same;
  }
  return borders;
}
