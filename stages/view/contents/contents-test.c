/* Tests of view/contents: counts, spans and categories of a lane. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void counts_by_kind(void)
{
  given("X a 0 1us", "X b 1us 1us", "C load 0", "M process_name - {name=p}");
  expect_table("contents-kinds", "0 | slice | X | 2", "0 | counter | C | 1",
               "0 | metadata | M | 1");
}

static void the_span_ends_with_the_latest_end(void)
{
  given("X long 1us 9us", "X short 5us 1us", "i mark 2us t=1");
  expect_table("contents", "0 | 3 | 2 | 1000 | 9000 | 2 | 1");
}

static void negative_times_count(void)
{
  given("i early -5us", "i late 5us");
  expect_table("contents", "0 | 2 | 0 | -5000 | 10000 | 1 | 1");
}

static void categories_sum_durations(void)
{
  given("X a 0 1us cat=kernel", "X b 0 3us cat=kernel", "X c 0 1us", "i m 0 cat=mark");
  expect_table("contents-categories", "0 |  | 1 | 1000", "0 | kernel | 2 | 4000",
               "0 | mark | 1 | 0");
}

static void metadata_has_no_category_and_no_track(void)
{
  given("M process_name - p=7 {name=p}", "X a 0 1us cat=kernel");
  expect_table("contents", "0 | 2 | 1 | 0 | 1000 | 1 | 1");
  expect_table("contents-categories", "0 | kernel | 1 | 1000");
}

static void nothing_but_metadata_is_noticed(void)
{
  given("M process_name - {name=p}");
  expect_notice(2, 1);
  expect_table("contents", "0 | 1 | 0 | - | - | 0 | 0");
}

static void every_lane_has_its_own_rows(void)
{
  given_lane("rank=0");
  given("X a 0 1us");
  given_lane("rank=1");
  given("X a 0 1us", "X b 0 2us");
  expect_table("contents", "0 | 1 | 1 | 0 | 1000 | 1 | 1", "1 | 2 | 2 | 0 | 2000 | 1 | 1");
}

static void categories_are_bounded(void)
{
  char line[64];
  for (int i = 0; i < 4097; i++) {
    snprintf(line, sizeof line, "i mark %d cat=c%d", i, i);
    given(line);
  }
  expect_notice(1, 1);
  expect_table("contents", "0 | 4097 | 0 | 0 | 4096 | 1 | 4096");
}

static void changes_nothing(void)
{
  given("X a 0 1us cat=kernel {x=1}", "- row -");
  expect("X a 0 1us cat=kernel {x=1}", "- row -");
}

HARNESS_MAIN({ "counts by kind", counts_by_kind },
             { "the span ends with the latest end", the_span_ends_with_the_latest_end },
             { "negative times count", negative_times_count },
             { "categories sum durations", categories_sum_durations },
             { "metadata has no category and no track", metadata_has_no_category_and_no_track },
             { "nothing but metadata is noticed", nothing_but_metadata_is_noticed },
             { "every lane has its own rows", every_lane_has_its_own_rows },
             { "categories are bounded", categories_are_bounded },
             { "changes nothing", changes_nothing })
