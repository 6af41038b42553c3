/* Tests of lib/order and lib/fields: places in an order, and texts in a text. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/order.h"

#include <stagemill/harness.h>

#include "check.h"
#include "kit/text/fields.h"

static bool is_before(const OrderKey *x, const OrderKey *y)
{
  const int64_t differ[] = { y->a - x->a, y->b - x->b, y->c - x->c, (int64_t)y->i - x->i };
  for (int i = 0; i < 4; i++)
    if (differ[i]) return differ[i] > 0;
  return false;
}

static void by_three_numbers_then_by_place(void)
{
  OrderKey keys[] = {
    { 2, 0, 0, 0 }, { 1, 5, 0, 1 }, { 1, 5, -1, 2 }, { -1, 9, 9, 3 }, { 1, 5, 0, 4 }
  };
  const uint32_t wanted[] = { 3, 2, 1, 4, 0 };
  order_sort(keys, 5);
  for (int i = 0; i < 5; i++) CHECK_INT(keys[i].i, wanted[i]);
}

enum { MANY = 2000 };

static int64_t number_of(int shape, int64_t i)
{
  switch (shape) {
  case 0: return i;
  case 1: return MANY - i;
  case 2: return i < MANY / 2 ? i : MANY - i;              /* up, then down */
  case 3: return i % 2 ? i : i - MANY;                     /* two that take turns */
  case 4: return i % 3;                                    /* hardly any that differ */
  case 5: return i % 50 ? i : i / 50;                      /* nearly in order */
  case 6: return i % 2 ? MANY + i : (i * 7919) % MANY / 2; /* splits badly */
  default: return (int64_t)((uint64_t)i * 6364136223846793005u >> 20);
  }
}

/* Compared to where each must be: behind all that are before it. */
static void any_order_becomes_this_one(void)
{
  static OrderKey keys[MANY];
  for (int shape = 0; shape < 8; shape++) {
    bool seen[MANY] = { false };
    for (uint32_t i = 0; i < MANY; i++)
      keys[i] = (OrderKey){ number_of(shape, i), number_of(7, i) % 5, -(int64_t)i % 3, i };
    order_sort(keys, MANY);
    for (uint32_t i = 0; i < MANY; i++) seen[keys[i].i] = true;
    for (uint32_t i = 0; i < MANY; i++) {
      CHECK(seen[i] && keys[i].a == number_of(shape, keys[i].i));
      if (i) CHECK(is_before(&keys[i - 1], &keys[i]));
    }
  }
}

/* What makes each split take off two only: the middle of three is always the next to smallest. */
static void splits_that_take_off_little(void)
{
  static OrderKey keys[MANY];
  for (uint32_t i = 0; i < MANY; i++) keys[i] = (OrderKey){ .a = i, .i = i };
  for (uint32_t n = MANY; n > 3; n--) { /* of what a sort would do, the last step first */
    OrderKey was = keys[n / 2];
    keys[n / 2] = keys[n - 2];
    keys[n - 2] = was;
  }
  for (uint32_t i = 0; i < MANY; i++) keys[i].i = i;
  order_sort(keys, MANY);
  for (uint32_t i = 0; i < MANY; i++) CHECK_INT(keys[i].a, i);
}

static void the_first_that_is_not_before(void)
{
  const OrderKey keys[] = { { 1, 1, 0, 0 }, { 1, 3, 0, 1 }, { 1, 3, 0, 2 }, { 4, 0, 0, 3 } };
  CHECK_INT(order_find(keys, 4, 1, 3), 1);
  CHECK_INT(order_find(keys, 4, 1, 4), 3);
  CHECK_INT(order_find(keys, 4, 0, 9), 0);
  CHECK_INT(order_find(keys, 4, 4, 1), 4);
  CHECK_INT(order_find(keys, 0, 4, 1), 0);
}

static void check_field(const char **io_at, const char *end, const char *wanted)
{
  Field f = fields_next(io_at, end);
  CHECK_INT(f.len, strlen(wanted));
  CHECK(memcmp(f.text, wanted, f.len) == 0);
}

static void texts_with_anything_in_them(void)
{
  Buffer b = { .common = harness_host()->common };
  CHECK(fields_put(&b, "aten::mm", 8) && fields_put(&b, "", 0) && fields_put(&b, "3:x", 3));
  CHECK_STR(b.text, "8:aten::mm0:3:3:x");
  const char *at = b.text, *end = b.text + b.len;
  check_field(&at, end, "aten::mm");
  check_field(&at, end, "");
  check_field(&at, end, "3:x");
  CHECK(at == end);
  check_field(&at, end, "");
}

static void what_is_no_list_of_fields(void)
{
  static const char *const texts[] = { "x", "5:abc", ":a", "3", "99999999999999999999:a" };
  for (int i = 0; i < 5; i++) {
    const char *at = texts[i], *end = at + strlen(at);
    check_field(&at, end, "");
    CHECK(at == end);
  }
}

TEST_MAIN({ "by three numbers, then by place", by_three_numbers_then_by_place },
          { "any order becomes this one", any_order_becomes_this_one },
          { "splits that take off little", splits_that_take_off_little },
          { "the first that is not before", the_first_that_is_not_before },
          { "texts with anything in them", texts_with_anything_in_them },
          { "what is no list of fields", what_is_no_list_of_fields })
