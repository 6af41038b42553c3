/* Longest common blocks; see blocks.h.
 *
 * The length of the longest block is searched by halves: where both have a block of a length, they have one of each
 * shorter length.  Blocks of one length are compared by sums over them, as Karp and Rabin do, and then by themselves. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/blocks.h"

#include <string.h>

#include "kit/state/grow.h"
#include "kit/state/pairmap.h"
#include "torch/lib/order.h"

#define MODULUS ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(0x1d3a5c7e9b2f4681)
enum { VISITS = 256 }; /* of each item, at most */

typedef struct Window {
  uint32_t a, a_end, b, b_end;
} Window;

typedef struct Block {
  uint32_t a, b, n;
} Block;

typedef struct Blocks {
  const MillHost *common;
  BlockSide a, b;
  uint64_t *a_sums, *b_sums, *powers; /* of the first items; of BASE */
  PairMap first; /* of a's blocks of one length, by sum: where the first begins, plus 1 */
  Window *open;
  size_t n_open, capacity;
  uint64_t visits;
} Blocks;

static uint64_t times(uint64_t x, uint64_t y)
{
  __extension__ typedef unsigned __int128 Product;
  const Product p = (Product)x * y;
  const uint64_t folded = (uint64_t)(p & MODULUS) + (uint64_t)(p >> 61);
  return folded >= MODULUS ? folded - MODULUS : folded;
}

static uint64_t plus(uint64_t x, uint64_t y)
{
  const uint64_t sum = x + y;
  return sum >= MODULUS ? sum - MODULUS : sum;
}

static uint64_t *sums_of(const MillHost *common, BlockSide s)
{
  uint64_t *sums = mill_new(common, (s.n + 1) * sizeof *sums);
  for (uint32_t i = 0; sums && i < s.n; i++)
    sums[i + 1] = plus(times(sums[i], BASE), (uint64_t)s.items[i] + 1);
  return sums;
}

static bool prepare(Blocks *x)
{
  const uint32_t n = x->a.n > x->b.n ? x->a.n : x->b.n;
  x->a_sums = sums_of(x->common, x->a);
  x->b_sums = sums_of(x->common, x->b);
  x->powers = mill_new(x->common, (n + 1) * sizeof *x->powers);
  if (!x->a_sums || !x->b_sums || !x->powers) return false;
  x->powers[0] = 1;
  for (uint32_t i = 0; i < n; i++) x->powers[i + 1] = times(x->powers[i], BASE);
  x->visits = (uint64_t)VISITS * (x->a.n + x->b.n + 1);
  pairmap_open(&x->first, x->common);
  return true;
}

static uint64_t sum_of(const Blocks *x, const uint64_t *sums, uint32_t at, uint32_t n)
{
  return plus(sums[at + n], MODULUS - times(sums[at], x->powers[n]));
}

static bool is_block(const Blocks *x, uint32_t a, uint32_t b, uint32_t n)
{
  return memcmp(&x->a.items[a], &x->b.items[b], n * sizeof *x->a.items) == 0;
}

/* Whether there is a block of that length. */
static bool has_length(Blocks *x, const Window *w, uint32_t n, bool *out)
{
  *out = false;
  pairmap_clear(&x->first);
  for (uint32_t i = w->a; i + n <= w->a_end; i++) {
    uint64_t *at = pairmap_at(&x->first, sum_of(x, x->a_sums, i, n), n);
    if (!at) return false;
    if (*at == 0) *at = (uint64_t)i + 1;
  }
  for (uint32_t j = w->b; j + n <= w->b_end && !*out; j++) {
    const uint64_t at = pairmap_get(&x->first, sum_of(x, x->b_sums, j, n), n);
    *out = at != 0 && is_block(x, (uint32_t)(at - 1), j, n);
  }
  return true;
}

static bool spend(Blocks *x, const Window *w)
{
  const uint64_t visits = (uint64_t)(w->a_end - w->a) + (w->b_end - w->b);
  x->visits = visits > x->visits ? 0 : x->visits - visits;
  return x->visits > 0;
}

static bool longest_length(Blocks *x, const Window *w, uint32_t *out)
{
  const uint32_t in_a = w->a_end - w->a, in_b = w->b_end - w->b;
  uint32_t low = 0, high = in_a < in_b ? in_a : in_b; /* there is one of low, and none above high */
  while (low < high && spend(x, w)) {
    bool has;
    const uint32_t n = low + (high - low + 1) / 2;
    if (!has_length(x, w, n, &has)) return false;
    if (has)
      low = n;
    else
      high = n - 1;
  }
  *out = low;
  return true;
}

/* Of those that b's block at j equals, the one nearest to the same place. */
static void look_near(const Blocks *x, const Window *w, const OrderKey *keys, size_t n_keys,
                      uint32_t j, Block *io, int64_t *io_away)
{
  const int64_t sum = (int64_t)sum_of(x, x->b_sums, j, io->n);
  const int64_t wanted = (int64_t)w->a + (j - w->b);
  const size_t behind = order_find(keys, n_keys, sum, wanted);
  for (size_t at = behind > 0 ? behind - 1 : 0; at <= behind && at < n_keys; at++) {
    const uint32_t i = keys[at].i;
    const int64_t away = i < wanted ? wanted - i : i - wanted;
    const bool is_nearer = away < *io_away || (away == *io_away && i < io->a);
    if (keys[at].a != sum || !is_nearer || !is_block(x, i, j, io->n)) continue;
    *io = (Block){ i, j, io->n };
    *io_away = away;
  }
}

static bool find_longest(Blocks *x, const Window *w, Block *longest)
{
  int64_t away = INT64_MAX;
  *longest = (Block){ .n = 0 };
  if (!longest_length(x, w, &longest->n)) return false;
  if (longest->n == 0) return true;
  const size_t n = w->a_end - w->a - longest->n + 1;
  OrderKey *keys = mill_new(x->common, n * sizeof *keys);
  if (!keys) return false;
  for (uint32_t i = 0; i < n; i++)
    keys[i] =
        (OrderKey){ (int64_t)sum_of(x, x->a_sums, w->a + i, longest->n), w->a + i, 0, w->a + i };
  order_sort(keys, n);
  for (uint32_t j = w->b; j + longest->n <= w->b_end; j++)
    look_near(x, w, keys, n, j, longest, &away);
  array_free(x->common, keys);
  if (away == INT64_MAX) longest->n = 0;
  return true;
}

static bool open_window(Blocks *x, Window w)
{
  if (w.a == w.a_end || w.b == w.b_end) return true;
  if (!array_reserve(x->common, &x->open, &x->capacity, x->n_open + 1, sizeof *x->open))
    return false;
  x->open[x->n_open++] = w;
  return true;
}

/* What both begin and end with is in place already. */
static Window trim(const Blocks *x, uint32_t *out, uint32_t *out_matched)
{
  Window w = { 0, x->a.n, 0, x->b.n };
  for (; w.a < w.a_end && w.b < w.b_end && x->a.items[w.a] == x->b.items[w.b]; w.b++)
    out[w.b] = ++w.a;
  for (; w.a < w.a_end && w.b < w.b_end && x->a.items[w.a_end - 1] == x->b.items[w.b_end - 1];
       w.a_end--)
    out[--w.b_end] = w.a_end;
  *out_matched = w.a + (x->a.n - w.a_end);
  return w;
}

static bool match(Blocks *x, uint32_t *out, uint32_t *out_matched)
{
  bool fits = open_window(x, trim(x, out, out_matched));
  while (fits && x->n_open) {
    Block block;
    const Window w = x->open[--x->n_open];
    fits = find_longest(x, &w, &block);
    if (!fits || block.n == 0) continue;
    for (uint32_t i = 0; i < block.n; i++) out[block.b + i] = block.a + i + 1;
    *out_matched += block.n;
    fits = open_window(x, (Window){ block.a + block.n, w.a_end, block.b + block.n, w.b_end }) &&
           open_window(x, (Window){ w.a, block.a, w.b, block.b });
  }
  return fits;
}

bool blocks_match(const MillHost *common, BlockSide a, BlockSide b, uint32_t *out,
                  uint32_t *out_matched)
{
  Blocks x = { .common = common, .a = a, .b = b };
  memset(out, 0, b.n * sizeof *out);
  *out_matched = 0;
  const bool fits = prepare(&x) && match(&x, out, out_matched);
  array_free(common, x.a_sums);
  array_free(common, x.b_sums);
  array_free(common, x.powers);
  array_free(common, x.open);
  pairmap_clear(&x.first);
  return fits;
}
