/* Tests of numbers as users give them. */
/* SPDX-License-Identifier: MIT */
#include "clean/lib/ranges.h"

#include <stagemill/harness.h>

#include "check.h"

static bool read(Ranges *out, uint32_t n, const char *const *texts)
{
  const MillList list = { n, texts };
  *out = (Ranges){ .n = 0 };
  return ranges_read(harness_host()->common, &list, out) == 0;
}
#define READ(out, ...)                                            \
  read((out), MILL_COUNT(((const char *const[]){ __VA_ARGS__ })), \
       (const char *const[]){ __VA_ARGS__ })

static void ranges_are_sorted_and_apart(void)
{
  Ranges r;
  CHECK(READ(&r, "12", "5-9", "0-7", "6"));
  CHECK_INT(r.n, 2);
  CHECK(r.items[0].first == 0 && r.items[0].last == 9);
  CHECK(r.items[1].first == 12 && r.items[1].last == 12);
}

static void ends_belong_to_a_range(void)
{
  Ranges r;
  CHECK(READ(&r, "3-5"));
  CHECK(ranges_have(&r, 3) && ranges_have(&r, 5));
  CHECK(!ranges_have(&r, 2) && !ranges_have(&r, 6));
}

static void without_ranges_nothing_is_in_them(void)
{
  Ranges r;
  CHECK(read(&r, 0, NULL) && r.n == 0 && !ranges_have(&r, 0));
}

static void the_largest_number_is_one(void)
{
  Ranges r;
  CHECK(READ(&r, "9223372036854775806-9223372036854775807"));
  CHECK(ranges_have(&r, INT64_MAX) && !ranges_have(&r, INT64_MAX - 2));
}

static void what_is_no_range_is_refused(void)
{
  static const char *const bad[] = { "",    "a",     "3-",  "-3",
                                     "5-3", "1-2-3", "1,2", "9223372036854775808" };
  Ranges r;
  for (uint32_t i = 0; i < MILL_COUNT(bad); i++)
    if (!CHECK(!read(&r, 1, &bad[i]))) CHECK_ROW(bad[i]);
}

TEST_MAIN({ "ranges are sorted and apart", ranges_are_sorted_and_apart },
          { "ends belong to a range", ends_belong_to_a_range },
          { "without ranges nothing is in them", without_ranges_nothing_is_in_them },
          { "the largest number is one", the_largest_number_is_one },
          { "what is no range is refused", what_is_no_range_is_refused })
