/* Rows of several tables that are about the same thing. */
/* SPDX-License-Identifier: MIT */
#include "compare/match.h"

#include <glib.h>

#include "check.h"

#define TEXT(t)                             \
  {                                         \
    MILL_TEXT, sizeof(t) - 1, { .text = t } \
  }
#define INT(n)              \
  {                         \
    MILL_INT, 0, { .i = n } \
  }
#define REAL(x)              \
  {                          \
    MILL_REAL, 0, { .r = x } \
  }
#define NONE         \
  {                  \
    0, 0, { .i = 0 } \
  }

typedef const MillValue Row[3];

static const MillValue **rows_of(const Row *rows, uint32_t n)
{
  const MillValue **list = g_new(const MillValue *, n + 1);
  for (uint32_t i = 0; i < n; i++) list[i] = rows[i];
  return list;
}

static Match *match(const Row *a, uint32_t n_a, const Row *b, uint32_t n_b, uint32_t n_keys,
                    uint32_t n_more)
{
  static const uint32_t keys[] = { 0, 1 };
  MatchTable tables[] = { { rows_of(a, n_a), n_a, keys }, { rows_of(b, n_b), n_b, keys } };
  Match *m = match_rows(tables, 2, n_keys, n_more);
  g_free((gpointer)tables[0].rows);
  g_free((gpointer)tables[1].rows);
  return m;
}

/* Each group as "row of a:row of b", - for none. */
static const char *shape(const Match *m)
{
  static char text[256];
  char *at = text;
  *at = 0;
  for (uint32_t g = 0; g < m->n_groups; g++)
    for (uint32_t t = 0; t < 2; t++) {
      uint32_t row = match_row(m, g, t);
      if (row == MATCH_NONE)
        at += sprintf(at, "%s-", t ? ":" : g ? " " : "");
      else
        at += sprintf(at, "%s%u", t ? ":" : g ? " " : "", row);
    }
  return text;
}

static void check_match(const Row *a, uint32_t n_a, const Row *b, uint32_t n_b, uint32_t n_keys,
                        uint32_t n_more, bool needs_more, const char *wanted)
{
  Match *m = match(a, n_a, b, n_b, n_keys, n_more);
  CHECK_STR(shape(m), wanted);
  CHECK_INT(m->needs_more, needs_more);
  match_free(m);
}

static void test_keys(void)
{
  static const Row a[] = { { TEXT("x"), INT(1) }, { TEXT("y"), INT(1) }, { TEXT("x"), NONE } };
  static const Row b[] = { { TEXT("y"), REAL(1.0) }, { TEXT("z"), INT(1) }, { TEXT("x"), NONE } };
  check_match(a, 3, b, 3, 2, 0, false, "0:- 1:0 2:2 -:1");
  check_match(a, 0, b, 3, 2, 0, false, "-:0 -:1 -:2");
  check_match(a, 0, b, 0, 2, 0, false, "");
}

/* Without an answer from the keys, rows follow each other. */
static void test_repeated_rows(void)
{
  static const Row a[] = { { TEXT("x") }, { TEXT("y") }, { TEXT("x") }, { TEXT("x") } };
  static const Row b[] = { { TEXT("x") }, { TEXT("x") } };
  check_match(a, 4, b, 2, 1, 0, false, "0:0 1:- 2:1 3:-");
  check_match(a, 4, b, 2, 0, 0, false, "0:0 1:1 2:- 3:-");
}

/* The second key counts between the rows that the first one does not tell apart, and only there. */
static void test_more_keys(void)
{
  static const Row a[] = { { TEXT("x"), TEXT("f1") },
                           { TEXT("x"), TEXT("f2") },
                           { TEXT("y"), TEXT("f1") } };
  static const Row b[] = { { TEXT("x"), TEXT("f2") },
                           { TEXT("y"), TEXT("f9") },
                           { TEXT("x"), TEXT("f1") } };
  check_match(a, 3, b, 3, 1, 1, true, "0:2 1:0 2:1");
  check_match(a, 1, b, 1, 1, 1, false, "0:0");
  static const Row twice[] = { { TEXT("x"), TEXT("f1") }, { TEXT("x"), TEXT("f1") } };
  check_match(twice, 2, b, 3, 1, 1, true, "0:2 1:- -:0 -:1");
}

static void test_cells(void)
{
  static const MillValue eight = INT(8), real = REAL(8.0), half = REAL(8.5), none = NONE,
                         text = TEXT("8"), empty = TEXT("");
  CHECK(match_equal(&eight, &real) && match_equal(&half, &half) && match_equal(&none, &none));
  CHECK(!match_equal(&eight, &half) && !match_equal(&eight, &text) && !match_equal(&none, &empty));
}

/* Many rows with one key, and many with a key each: no step is repeated for all of them. */
static void test_many(void)
{
  enum { N = 100000 };
  MillValue *cells = g_new0(MillValue, N);
  const MillValue **rows = g_new(const MillValue *, N);
  static const uint32_t key = 0;
  for (int same = 0; same < 2; same++) {
    for (uint32_t i = 0; i < N; i++) {
      cells[i] = mill_int(same ? 1 : (int64_t)i * 64);
      rows[i] = &cells[i];
    }
    MatchTable tables[] = { { rows, N, &key }, { rows, N, &key } };
    Match *m = match_rows(tables, 2, 1, 0);
    CHECK_INT(m->n_groups, N);
    CHECK_INT(match_row(m, N - 1, 1), N - 1);
    match_free(m);
  }
  g_free(cells);
  g_free(rows);
}

TEST_MAIN({ "keys", test_keys }, { "rows with equal keys", test_repeated_rows },
          { "keys that count between ties", test_more_keys }, { "cells", test_cells },
          { "many rows", test_many })
