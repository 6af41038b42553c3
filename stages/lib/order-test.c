/* Tests of lib/order and lib/fields: places in an order, and texts in a text. */
#include "lib/order.h"

#include <stagemill/harness.h>

#include "check.h"
#include "lib/fields.h"

static void by_three_numbers_then_by_place(void)
{
  OrderKey keys[] = {
    { 2, 0, 0, 0 }, { 1, 5, 0, 1 }, { 1, 5, -1, 2 }, { -1, 9, 9, 3 }, { 1, 5, 0, 4 }
  };
  const uint32_t wanted[] = { 3, 2, 1, 4, 0 };
  order_sort(keys, 5);
  for (int i = 0; i < 5; i++) CHECK_INT(keys[i].i, wanted[i]);
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
          { "the first that is not before", the_first_that_is_not_before },
          { "texts with anything in them", texts_with_anything_in_them },
          { "what is no list of fields", what_is_no_list_of_fields })
