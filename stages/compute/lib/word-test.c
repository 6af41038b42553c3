/* Tests of lib/word.c: the first repetition, against a search by its definition. */
/* SPDX-License-Identifier: MIT */
#include "compute/lib/word.h"

#include <stagemill/harness.h>
#include <string.h>

#include "check.h"

static bool find(const char *text, size_t n, Word *out)
{
  uint32_t names[256];
  for (size_t i = 0; i < n; i++) names[i] = (unsigned char)text[i];
  return word_find(harness_host()->common, names, n, out);
}

static void expect_word(const char *text, size_t prefix, size_t length)
{
  Word w = { 0 };
  CHECK(find(text, strlen(text), &w));
  CHECK_INT(w.prefix, prefix);
  CHECK_INT(w.length, length);
}

static void a_word_is_found_with_what_comes_before(void)
{
  expect_word("abcdeabcde", 0, 5);
  expect_word("xyabcdefabcdef", 2, 6);
  expect_word("xyabcdefabcdefabcdef", 2, 6);
  expect_word("aaaaaaaaaa", 0, 5); /* of p = 0 and p = 2 the smaller */
  expect_word("ababababab", 2, 4); /* "ababa" is not "babab" */
  expect_word("wxyzabcdeabcdeabcdeabcde", 4, 10);
}

static void short_and_late_ones_are_none(void)
{
  Word w;
  CHECK(!find("abcdabcd", 8, &w));        /* shorter than 10 */
  CHECK(!find("wxyzabcdeabcde", 13, &w)); /* cut off */
  CHECK(!find("vwxyzabcdabcd", 13, &w));  /* p = 5 is more than 13 / 3 - 1 */
  CHECK(!find("abcdefghijklmnopqrstuvwxyz", 26, &w));
  CHECK(!find("", 0, &w));
}

/* For each length from 10 on, each p from 0 on, as the definition says. */
static bool by_definition(const uint32_t *names, size_t n, Word *out)
{
  for (size_t len = WORD_LEAST; len <= n; len++)
    for (size_t p = 0; p < len / 3; p++) {
      size_t h = (len - p) / 2;
      if ((len - p) % 2 || memcmp(names + p, names + p + h, h * sizeof *names) != 0) continue;
      *out = (Word){ p, h };
      return true;
    }
  return false;
}

static void agree(const uint32_t *names, size_t n)
{
  Word wanted = { 0 }, got = { 0 };
  bool is = by_definition(names, n, &wanted);
  CHECK(word_find(harness_host()->common, names, n, &got) == is);
  CHECK_INT(got.prefix, wanted.prefix);
  CHECK_INT(got.length, wanted.length);
}

/* Sequences of few names repeat early and by chance, those of many late. */
static void random_sequences_agree_with_the_definition(void)
{
  uint32_t names[200], seed = 1;
  for (uint32_t round = 0; round < 4000; round++) {
    uint32_t kinds = 2 + round % 4, period = 5 + round % 60, prefix = round % 23;
    for (uint32_t i = 0; i < 200; i++) {
      seed = seed * 1664525u + 1013904223u;
      bool repeats = i >= prefix + period && seed >> 8 & 255;
      names[i] = repeats ? names[i - period] : (seed >> 20) % kinds;
    }
    agree(names, round % 200);
  }
}

static void borders_of_a_word(void)
{
  static const uint32_t word[] = { 'a', 'b', 'a', 'c', 'a', 'b' },
                        wanted[] = { 0, 0, 0, 1, 0, 1, 2 };
  const uint32_t *borders = word_borders(harness_host()->common, word, 6);
  for (int i = 0; i <= 6; i++) CHECK_INT(borders[i], wanted[i]);
}

TEST_MAIN({ "borders of a word", borders_of_a_word },
          { "a word is found with what comes before", a_word_is_found_with_what_comes_before },
          { "short and late ones are none", short_and_late_ones_are_none },
          { "random sequences agree with the definition",
            random_sequences_agree_with_the_definition })
