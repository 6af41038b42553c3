/* Tests of clean/limit: windows, counts, and what is held for them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void an_open_window_keeps_all(void)
{
  given("M m -", "X a 0 1us", "- row -", "C c -");
  expect("M m -", "X a 0 1us", "- row -", "C c -");
}

/* [100,200] reaches into the window from 200 us on; [120,125] ends before it. */
static void a_slice_passes_if_any_part_lies_inside(void)
{
  with("from=200us", "to=300us");
  given("X a 100us 100us", "X b 120us 5us", "X c 300us 1us", "X d 301us 1us", "i e 250us");
  expect("X a 100us 100us", "X c 300us 1us", "i e 250us");
}

static void without_a_time_only_records_and_metadata_pass_a_window(void)
{
  with("from=1us");
  given("M m -", "- row -", "C c -", "X a 1us 1us");
  expect("M m -", "- row -", "X a 1us 1us");
}

/* The first event in the file is at 50 us: the window is [60,80]. */
static void the_window_can_count_from_the_first_event(void)
{
  with("origin=first", "from=10us", "to=30us");
  given("M m 0", "X a 50us 1us", "X b 60us 1us", "X c 80us 1us", "X d 81us 1us", "X e 10us 1us");
  expect("M m 0", "X b 60us 1us", "X c 80us 1us");
}

static void metadata_is_not_counted(void)
{
  with("skip-events=1", "max-events=2");
  given("M m -", "X a 0 1us", "M n -", "X b 1us 1us", "C c 2us", "X d 3us 1us", "M o -");
  expect("M m -", "M n -", "X b 1us 1us", "C c 2us", "M o -");
}

/* b and d lie in the window; only these are counted, so skip-events=1 leaves d. */
static void only_what_lies_in_the_window_is_counted(void)
{
  with("from=2us", "skip-events=1");
  given("X a 0 1us", "X b 2us 1us", "X c 1us 0", "X d 3us 1us");
  expect("X d 3us 1us");
}

static void no_events_at_all_can_be_asked_for(void)
{
  with("max-events=0");
  given("M m -", "X a 0 1us");
  expect("M m -");
  expect_notice(1, 0);
}

static void an_empty_window_is_noticed(void)
{
  with("from=10us", "to=20us");
  given("X a 5s 1us");
  expect_nothing(0);
  expect_notice(1, 1);
}

static void ranks_that_no_lane_has(void)
{
  with("ranks=5");
  given_lane("rank=0");
  given("X a 0 1us");
  given_lane("rank=2");
  given("X b 0 1us");
  expect_nothing(0);
  expect_nothing(1);
  expect_notice(4, 1);
}

static void ranks_choose_lanes(void)
{
  with("ranks=1-2,7");
  given_lane("rank=0");
  given("M m -", "X a 0 1us");
  given_lane("rank=2");
  given("M m -", "X b 0 1us");
  given_lane("rank=-");
  given("X c 0 1us");
  expect_nothing(0);
  expect_lane(1, "M m -", "X b 0 1us");
  expect_nothing(2);
  expect_notice(3, 1);
  expect_notice(4, 0);
}

static void bad_ranges_are_errors(void)
{
  with("ranks=9-5");
  given("X a 0 1us");
  expect_status(2); /* before anything is read */
}

static void a_window_that_ends_early_is_an_error(void)
{
  with("from=2us", "to=1us");
  given("X a 0 1us");
  expect_status(MILL_STAGE_FAILED);
}

HARNESS_MAIN({ "an open window keeps all", an_open_window_keeps_all },
             { "a slice passes if any part lies inside", a_slice_passes_if_any_part_lies_inside },
             { "without a time only records and metadata pass",
               without_a_time_only_records_and_metadata_pass_a_window },
             { "the window can count from the first event",
               the_window_can_count_from_the_first_event },
             { "metadata is not counted", metadata_is_not_counted },
             { "only what lies in the window is counted", only_what_lies_in_the_window_is_counted },
             { "no events at all can be asked for", no_events_at_all_can_be_asked_for },
             { "an empty window is noticed", an_empty_window_is_noticed },
             { "ranks choose lanes", ranks_choose_lanes },
             { "ranks that no lane has", ranks_that_no_lane_has },
             { "bad ranges are errors", bad_ranges_are_errors },
             { "a window that ends early is an error", a_window_that_ends_early_is_an_error })
