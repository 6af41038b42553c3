/* Tests of clean/pair: which begin meets which end. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void a_begin_and_its_end_are_a_slice(void)
{
  given("B a 20us t=1", "E a 25us t=1");
  expect("X a 20us 5us t=1");
}

static void times_below_a_microsecond_are_exact(void)
{
  given("B a 1us p=0 t=1", "E a 3200 p=0 t=1");
  expect("X a 1us 2200 p=0 t=1");
}

static void ends_close_the_last_begin(void)
{
  given("B a 0", "B b 1us", "E \"\" 3us", "B c 4us", "E c 4us", "E a 9us");
  expect("X b 1us 2us", "X c 4us 0", "X a 0 9us");
}

static void tracks_do_not_mix(void)
{
  given("B a 0 t=1", "B a 1us t=2", "E a 2us t=1", "E a 3us p=5 t=2", "E a 4us t=2");
  expect("X a 0 2us t=1", "X a 1us 3us t=2");
  expect_notice(2, 1);
}

static void everything_else_passes_where_it_stands(void)
{
  given("M m -", "B a 0 cat=c id=7", "b x 0 id=1", "X y 1us 1us", "e x 2us id=1", "E a 3us",
        "i z 4us");
  expect("M m -", "b x 0 id=1", "X y 1us 1us", "e x 2us id=1", "X a 0 3us cat=c id=7", "i z 4us");
}

static void arguments_of_both_are_there_and_the_end_wins(void)
{
  given("B a 0 {k=1, size=\"4 MB\", both=old}", "E a 1us {both=\"new one\", r=1.5, list=[1,2.5]}");
  expect("X a 0 1us {k=1, size=\"4 MB\", both=\"new one\", r=1.5, list=[1,2.5]}");
}

static void a_named_end_skips_other_begins(void)
{
  given("B a 0", "B lost 1us", "E a 5us", "E lost 6us");
  expect("X a 0 5us");
  expect_notice(1, 1);
  expect_notice(2, 1);
}

static void a_begin_without_a_name_takes_any_end(void)
{
  given("B \"\" 0", "E a 2us");
  expect("X \"\" 0 2us");
}

static void unmatched_ones_can_be_kept(void)
{
  with("unmatched=keep");
  given("E x 0", "B a 1us {k=1}", "B b 2us", "E b 3us", "B c 4us");
  expect("E x 0", "X b 2us 1us", "B a 1us {k=1}", "B c 4us");
  expect_notice(1, 2);
  expect_notice(2, 1);
}

/* 20 - 30 us is not a duration. */
static void what_ends_before_it_begins_is_counted(void)
{
  given("B a 30us", "E a 20us", "B b 1us", "E b 2us");
  expect("X b 1us 1us");
  expect_notice(3, 1);
}

static void reversed_pairs_can_be_kept(void)
{
  with("unmatched=keep");
  given("B a 30us", "E a 20us");
  expect("E a 20us", "B a 30us");
  expect_notice(3, 1);
}

static void times_need_not_ascend_across_tracks(void)
{
  given("B a 9us t=1", "B b 1us t=2", "E b 2us t=2", "E a 10us t=1");
  expect("X b 1us 1us t=2", "X a 9us 1us t=1");
}

static void without_a_time_nothing_can_be_paired(void)
{
  given("B a -", "E a 1us", "E b -");
  expect_nothing(0);
  expect_notice(1, 1);
  expect_notice(2, 2);
}

HARNESS_MAIN({ "a begin and its end are a slice", a_begin_and_its_end_are_a_slice },
             { "times below a microsecond are exact", times_below_a_microsecond_are_exact },
             { "ends close the last begin", ends_close_the_last_begin },
             { "tracks do not mix", tracks_do_not_mix },
             { "everything else passes where it stands", everything_else_passes_where_it_stands },
             { "arguments of both are there, and the end wins",
               arguments_of_both_are_there_and_the_end_wins },
             { "a named end skips other begins", a_named_end_skips_other_begins },
             { "a begin without a name takes any end", a_begin_without_a_name_takes_any_end },
             { "unmatched ones can be kept", unmatched_ones_can_be_kept },
             { "what ends before it begins is counted", what_ends_before_it_begins_is_counted },
             { "reversed pairs can be kept", reversed_pairs_can_be_kept },
             { "times need not ascend across tracks", times_need_not_ascend_across_tracks },
             { "without a time nothing can be paired", without_a_time_nothing_can_be_paired })
