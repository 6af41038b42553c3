/* Tests of lib/blocks: longest common blocks, worked out by hand. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/blocks.h"

#include <stagemill/harness.h>
#include <string.h>

#include "check.h"

enum { MOST = 64 };

static uint32_t numbers(const char *text, uint32_t *out)
{
  uint32_t n = 0;
  for (; text[n]; n++) out[n] = (uint32_t)text[n];
  return n;
}

/* Letters are items; the places in a are letters from A on, . for none. */
static void expect_blocks(const char *a, const char *b, const char *wanted)
{
  uint32_t as[MOST], bs[MOST], out[MOST], matched, dots = 0;
  char got[MOST + 1] = "";
  const BlockSide left = { as, numbers(a, as) }, right = { bs, numbers(b, bs) };
  CHECK(blocks_match(harness_host()->common, left, right, out, &matched));
  for (uint32_t j = 0; j < right.n; j++) {
    got[j] = out[j] ? (char)('A' + out[j] - 1) : '.';
    dots += out[j] == 0;
  }
  CHECK_STR(got, wanted);
  CHECK_INT(matched, right.n - dots);
}

static void blocks_in_order(void)
{
  expect_blocks("abcdef", "abcdef", "ABCDEF");
  expect_blocks("abcdef", "bcd", "BCD");
  expect_blocks("abcdef", "xyz", "...");
  expect_blocks("abcdef", "abxdef", "AB.DEF");
  expect_blocks("", "abc", "...");
  expect_blocks("abc", "", "");
  /* "def" is longer than "abc", which lies behind it in one and before it in the other */
  expect_blocks("abcxdefg", "defgabc", "EFGH...");
}

/* Of those that are equally long the one at the most alike place, then the first in a. */
static void equals_by_their_places(void)
{
  expect_blocks("abxab", "ab", "AB");
  expect_blocks("ab", "abyab", "AB...");
  expect_blocks("cdab", "abcd", "..AB");
  /* what both begin with, and what both end with */
  expect_blocks("aaa", "aabaa", "AB..C");
}

/* Three kernels more, and one at each end: what repeats is found where it is. */
static void layers_stay_in_order(void)
{
  expect_blocks("abcabcabcabcabcabc", "abcxabcabcyabcabczabc", "ABC.DEFGHI.JKLMNO.PQR");
  expect_blocks("abcabcabcabcabcabc", "xabcabcyabczabcabcx", ".ABCDEF.GHI.MNOPQR.");
}

/* What has hardly any order in common ends, too. */
static void time_is_bounded(void)
{
  enum { N = 20000 };
  const MillHost *common = harness_host()->common;
  uint32_t *a = mill_new(common, N * sizeof *a), *b = mill_new(common, N * sizeof *b), matched;
  uint32_t *out = mill_new(common, N * sizeof *out), state = 1;
  for (uint32_t i = 0; i < N; i++) {
    a[i] = (state = state * 1664525u + 1013904223u) >> 30;
    b[i] = (state = state * 1664525u + 1013904223u) >> 30;
  }
  CHECK(blocks_match(common, (BlockSide){ a, N }, (BlockSide){ b, N }, out, &matched));
  CHECK(matched > 0);
}

TEST_MAIN({ "blocks in order", blocks_in_order },
          { "equals by their places", equals_by_their_places },
          { "layers stay in order", layers_stay_in_order }, { "time is bounded", time_is_bounded })
