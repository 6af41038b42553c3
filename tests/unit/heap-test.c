/* base/heap: what comes out of it, and where an item sinks to. */
/* SPDX-License-Identifier: MIT */
#include "base/heap.h"
#include "check.h"

typedef struct Item {
  int key, mark;
} Item;

static bool item_before(const Item *a, const Item *b) { return a->key < b->key; }

HEAP(items, Item, item_before)

/* The keys as they come out, one digit each; the marks must come with them. */
static const char *drained(Item *items, size_t n)
{
  static char keys[10];
  size_t len = 0;
  items_make(items, n);
  while (n > 0) {
    CHECK_INT(items[0].mark, items[0].key * 100);
    keys[len++] = (char)('0' + items[0].key);
    items[0] = items[--n];
    items_sink(items, n, 0);
  }
  keys[len] = '\0';
  return keys;
}

static void test_order(void)
{
  static const struct {
    const char *keys, *wanted;
  } rows[] = { { "", "" },
               { "7", "7" },
               { "21", "12" },
               { "123456789", "123456789" },
               { "987654321", "123456789" },
               { "518293647", "123456789" },
               { "33131", "11333" },
               { "0000", "0000" } };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    Item items[9];
    size_t n = strlen(rows[r].keys);
    for (size_t i = 0; i < n; i++) {
      int key = rows[r].keys[i] - '0';
      items[i] = (Item){ key, key * 100 };
    }
    if (!CHECK_STR(drained(items, n), rows[r].wanted)) CHECK_ROW(rows[r].keys);
  }
}

/* Each digit is put at the end and rises to its place. */
static void test_rising(void)
{
  Item items[9];
  const char *digits = "518293647";
  for (size_t n = 0; n < 9; n++) {
    int key = digits[n] - '0';
    items[n] = (Item){ key, key * 100 };
    items_rise(items, n);
    CHECK_INT(items[0].key, n < 1 ? 5 : 1);
  }
  for (size_t i = 1; i < 9; i++) CHECK(items[(i - 1) / 2].key < items[i].key);
  CHECK_STR(drained(items, 9), "123456789");
}

static void check_keys(const Item *items, const int *wanted, size_t n)
{
  for (size_t i = 0; i < n; i++) CHECK_INT(items[i].key, wanted[i]);
}

static void test_sinking(void)
{
  Item items[6] = { { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, 0 }, { 6, 0 } };
  items[0].key = 9;
  items_sink(items, 6, 0);
  check_keys(items, (int[]){ 2, 4, 3, 9, 5, 6 }, 6);
  items[1].key = 5; /* equal to the one below: stays */
  items_sink(items, 6, 1);
  check_keys(items, (int[]){ 2, 5, 3, 9, 5, 6 }, 6);
  items[0].key = 8;
  items_sink(items, 5, 0); /* the sixth is no part of it */
  check_keys(items, (int[]){ 3, 5, 8, 9, 5, 6 }, 6);
}

TEST_MAIN({ "gives the first, again and again", test_order },
          { "rises to the place of the last above", test_rising },
          { "sinks to the place of the first below", test_sinking })
