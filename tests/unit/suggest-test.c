/* base/suggest: edit distance, and which word is near enough. */
/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"
#include "check.h"

static void test_distance(void)
{
  static const struct {
    const char *a, *b;
    size_t distance;
  } rows[] = { { "", "", 0 },
               { "", "abc", 3 },
               { "abc", "", 3 },
               { "abc", "abc", 0 },
               { "abc", "abd", 1 },
               { "abc", "acb", 1 },
               { "abc", "bc", 1 },
               { "kitten", "sitting", 3 },
               { "ca", "abc", 3 },
               { "kernal-time", "kernel-time", 1 },
               { "overlpa", "overlap", 1 } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!CHECK_INT(suggest_distance(rows[i].a, rows[i].b), rows[i].distance)) CHECK_ROW(rows[i].a);
    if (!CHECK_INT(suggest_distance(rows[i].b, rows[i].a), rows[i].distance)) CHECK_ROW(rows[i].b);
  }
}

static void test_long_words(void)
{
  char a[2001], b[2001];
  memset(a, 'a', 2000);
  memset(b, 'a', 2000);
  a[2000] = b[2000] = '\0';
  CHECK_INT(suggest_distance(a, b), 0);
  b[1999] = 'b';
  CHECK(suggest_distance(a, b) > 0);
}

static void test_nearest(void)
{
  static const char *const words[] = { "clock-fix", "kernel-time", "overlap", "gap", "gaps", NULL };
  static const struct {
    const char *word, *nearest;
  } rows[] = { { "kernal-time", "kernel-time" },
               { "kernle-tiem", "kernel-time" },
               { "gap", "gap" },
               { "gps", "gaps" },
               { "gapp", "gap" },
               { "overlay", "overlap" },
               { "memory", NULL },
               { "clock", NULL },
               { "", NULL },
               { "ovrlp", NULL } };
  static const char *const none[] = { NULL };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!CHECK_STR(suggest_nearest(rows[i].word, words), rows[i].nearest)) CHECK_ROW(rows[i].word);
  CHECK_STR(suggest_nearest("gap", none), NULL);
}

TEST_MAIN({ "distance", test_distance }, { "long words", test_long_words },
          { "nearest", test_nearest })
