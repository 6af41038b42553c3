/* Columns of a terminal: wide characters, marks, and bytes that are no characters. */
/* SPDX-License-Identifier: MIT */
#include "base/columns.h"

#include <string.h>

#include "check.h"

#define E_ACUTE "e\xcc\x81" /* e and a mark on it */
#define WIDE "\xe6\xbc\xa2" /* a Chinese character */
#define HANGUL "\xed\x95\x9c"
#define ROCKET "\xf0\x9f\x9a\x80"

static void test_widths(void)
{
  static const struct {
    const char *text;
    size_t columns;
  } rows[] = {
    { "", 0 },
    { "abc", 3 },
    { "\xc3\xa9", 1 },     /* e with its mark, in one */
    { "\xe2\x80\xa6", 1 }, /* an ellipsis */
    { E_ACUTE, 1 },
    { WIDE, 2 },
    { HANGUL "a" WIDE, 5 },
    { ROCKET, 2 },
    { "\xef\xbc\xa1", 2 },  /* a wide A */
    { "\xe2\x80\x8b", 0 },  /* a blank of no width */
    { "a\xff\xe6\xbc", 4 }, /* bytes, each shown somehow */
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!CHECK_INT(columns_of(rows[i].text, strlen(rows[i].text)), rows[i].columns))
      CHECK_ROW(rows[i].text);
}

static void test_ends(void)
{
  static const struct {
    const char *text;
    size_t most;
    const char *head, *tail;
  } rows[] = {
    { "abcd", 2, "ab", "cd" },
    { "abcd", 0, "", "" },
    { "ab", 9, "ab", "ab" },
    { WIDE WIDE "b", 3, WIDE, WIDE "b" },
    { WIDE WIDE, 3, WIDE, WIDE },
    { WIDE WIDE, 1, "", "" },
    { E_ACUTE E_ACUTE, 1, E_ACUTE, E_ACUTE },
    { "ab" E_ACUTE "c", 1, "a", "c" },
    { "a\xcc\x81\xcc\x81"
      "b",
      1, "a\xcc\x81\xcc\x81", "b" },
    { "a\xff", 1, "a", "\xff" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *text = rows[i].text;
    size_t len = strlen(text), tail = columns_tail(text, len, rows[i].most);
    g_autofree char *head = g_strndup(text, columns_head(text, len, rows[i].most));
    bool ok = CHECK_STR(head, rows[i].head);
    if (!CHECK_STR(text + len - tail, rows[i].tail) || !ok) CHECK_ROW(text);
  }
}

TEST_MAIN({ "widths", test_widths }, { "beginnings and ends", test_ends })
