/* Tests of clean/overlap: what conflicts, and where it goes. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void nested_and_touching_slices_stay(void)
{
  given("X a 0 10us t=1", "X b 2us 8us t=1", "X c 3us 1us t=1", "X d 10us 5us t=1",
        "X e 12us 0 t=1", "X f 15us 1us t=1");
  expect("X a 0 10us t=1", "X b 2us 8us t=1", "X c 3us 1us t=1", "X d 10us 5us t=1",
         "X e 12us 0 t=1", "X f 15us 1us t=1");
  expect_table("overlaps", "0 | 6 | 0 | 0 | 0");
}

/* A [100,110]; B [105,115] ends after A: row 2.  C [107,109] lies in A.  D [108,128] conflicts
 * with A and with B: row 3.  That is two slices, although D was tried on two rows. */
static void the_later_slice_moves_to_the_first_row_where_it_fits(void)
{
  given("X A 100us 10us t=1000", "X B 105us 10us t=1000", "X C 107us 2us t=1000",
        "X D 108us 20us t=1000", "X E 130us 5us t=1000", "X F 132us 5us t=1000");
  expect("X A 100us 10us t=1000", "X B 105us 10us t=1001", "X C 107us 2us t=1000",
         "X D 108us 20us t=1002", "X E 130us 5us t=1000", "X F 132us 5us t=1001");
  expect_table("overlaps", "0 | 6 | 3 | 3 | 2");
  expect_notice(1, 3);
}

/* 8 exists, if only later and for metadata or another slice; 9 in another process does not
 * matter. */
static void new_rows_never_meet_threads_that_exist(void)
{
  given("X a 0 10us t=7", "X b 5us 10us t=7", "X c 20us 1us t=8", "X d 21us 1us p=1 t=9");
  expect("X a 0 10us t=7", "X b 5us 10us t=9", "X c 20us 1us t=8", "X d 21us 1us p=1 t=9");
}

/* Both want the row above 7; the first to conflict gets 8, the other (above 9) 10. */
static void rows_of_two_tracks_do_not_mix(void)
{
  given("X a 0 10us t=7", "X b 0 9us t=9", "X c 5us 10us t=7", "X d 6us 10us t=9");
  expect("X a 0 10us t=7", "X b 0 9us t=9", "X c 5us 10us t=8", "X d 6us 10us t=10");
}

static void threads_with_names_get_a_number(void)
{
  given("X a 0 10us t=\"stream 7\"", "X b 5us 10us t=\"stream 7\"", "X c 6us 10us t=\"stream 7\"");
  expect("X a 0 10us t=\"stream 7\"", "X b 5us 10us t=\"stream 7 +1\"",
         "X c 6us 10us t=\"stream 7 +2\"");
}

static void flows_go_with_their_slice(void)
{
  given("X a 0 10us t=7", "X b 5us 10us t=7", "f ac2g 5us t=7 id=1 bp=e", "f ac2g 6us t=7 id=2");
  expect("X a 0 10us t=7", "X b 5us 10us t=8", "f ac2g 5us t=8 id=1 bp=e", "f ac2g 6us t=7 id=2");
}

static void equal_starts_are_ordered_longer_first(void)
{
  given("X short 0 1us", "X long 0 9us", "X longer 0 9us");
  expect("X long 0 9us", "X longer 0 9us", "X short 0 1us");
  expect_table("overlaps", "0 | 3 | 0 | 0 | 0");
}

/* E ends at 135 us, F begins 2 ns before that: F starts 2 ns later and is as much shorter. */
static void shift_starts_the_slice_where_the_other_ends(void)
{
  with("method=shift");
  given("X E 130us 5us", "X F 134998 6us", "X G 200us 5us", "X H 204us 5us");
  expect("X E 130us 5us", "X F 135us 5998 {orig_ts_ns=134998, orig_dur_ns=6000}", "X G 200us 5us",
         "X H 204us 5us");
  expect_table("overlaps", "0 | 4 | 2 | 1 | 0");
  expect_notice(2, 1);
}

/* Ends of 8 and 10 lie in [6,20]: it must start at 10, 4 ns later. */
static void shift_goes_after_all_that_end_inside(void)
{
  with("method=shift");
  given("X a 0 10", "X b 1 7", "X c 6 14");
  expect("X a 0 10", "X b 1 7", "X c 10 10 {orig_ts_ns=6, orig_dur_ns=14}");
}

static void drop_leaves_the_earlier_one(void)
{
  with("method=drop");
  given("X a 0 10us", "X b 5us 10us", "X c 12us 1us");
  expect("X a 0 10us", "X c 12us 1us");
}

static void warn_changes_nothing(void)
{
  with("method=warn");
  given("X a 0 10us", "X b 5us 10us", "X c 12us 9us");
  expect("X a 0 10us", "X b 5us 10us", "X c 12us 9us");
  expect_table("overlaps", "0 | 3 | 2 | 0 | 0");
  expect_notice(2, 2);
}

static void other_events_are_left_alone(void)
{
  given("C c 0", "M m -", "X a 0 10us", "X b 5us -", "i i 6us");
  expect("M m -", "X a 0 10us", "C c 0", "X b 5us -", "i i 6us");
}

/* Ids go on after 4, which an asynchronous event has; c nests in b, but b is on no row any more. */
static void async_makes_pairs_of_the_later_ones(void)
{
  with("method=async");
  given("X a 0 10us cat=k", "X b 5us 10us cat=k {n=1}", "X c 7us 2us", "X d 8us 4us",
        "b x 20us id=4", "e x 21us id=4");
  expect("X a 0 10us cat=k", "b b 5us cat=k id=5 {n=1}", "e b 15us cat=k id=5", "X c 7us 2us",
         "b d 8us id=6", "e d 12us id=6", "b x 20us id=4", "e x 21us id=4");
  expect_table("overlaps", "0 | 4 | 2 | 2 | 0");
  expect_notice(1, 2);
  expect_notice(2, 0);
}

static void async_ids_begin_with_zero(void)
{
  with("method=async");
  given("X a 0 10us", "X b 5us 10us");
  expect("X a 0 10us", "b b 5us id=0", "e b 15us id=0");
}

/* Its worked example, and every form of a number: _1_2_ is one match, as both would need the mark between them. */
static void async_takes_numbers_of_requests_out_of_names(void)
{
  with("method=async");
  given("X foo_12_bar 0 1us", "X Recv_3_x 1us 1us", "X a_1_2_b 2us 1us",
        "X \"a_1 b_22-c_3\" 3us 1us", "X a_x_1 4us 1us", "i foo_12_bar 5us");
  expect("X \"foo bar\" 0 1us {reqID=\"12\"}", "X Recv_3_x 1us 1us",
         "X \"a 2_b\" 2us 1us {reqID=\"1\"}", "X \"a b c_3\" 3us 1us {reqID=\"1\"}",
         "X a_x_1 4us 1us", "i foo_12_bar 5us");
}

static void other_methods_leave_names(void)
{
  given("X foo_12_bar 0 1us");
  expect("X foo_12_bar 0 1us");
}

/* 100,000 slices of which each ends after the next begins. */
static void a_hundred_thousand_open_slices(void)
{
  static char lines[100000][32];
  with("method=warn");
  for (int i = 0; i < 100000; i++) {
    snprintf(lines[i], sizeof lines[i], "X a %d 1ms", i);
    given(lines[i]);
  }
  expect_table("overlaps", "0 | 100000 | 99999 | 0 | 0");
}

/* Each ends a millisecond after it begins: too far to be shifted there. */
static void a_hundred_thousand_that_cannot_be_shifted(void)
{
  static char lines[100000][32];
  with("method=shift");
  for (int i = 0; i < 100000; i++) {
    snprintf(lines[i], sizeof lines[i], "X a %d 1ms", i);
    given(lines[i]);
  }
  expect_table("overlaps", "0 | 100000 | 99999 | 0 | 0");
  expect_notice(2, 99999);
}

/* Each on a row of its own, until all have ended: then the first rows are used again. */
static void twenty_thousand_rows(void)
{
  static char lines[20000][32];
  for (int i = 0; i < 20000; i++) {
    snprintf(lines[i], sizeof lines[i], "X a %d 1ms t=1", i);
    given(lines[i]);
  }
  given("X a 2ms 10 t=1", "X b 2000005 10 t=1", "X c 2000006 20 t=1", "X d 2000015 4 t=1");
  expect_table("overlaps", "0 | 20004 | 20001 | 20001 | 19999");
}

/* The first to need a row gets the first thread that is free, whatever lies between. */
static void threads_in_use_are_passed_over(void)
{
  given("X a 0 10us t=0", "X b 0 9us t=1", "X c 0 8us t=2", "X d 0 1us t=5", "X e 1us 10us t=0",
        "X f 2us 10us t=2", "X g 3us 10us t=1", "X h 4us 10us t=1", "X i 5us 10us t=0");
  expect("X a 0 10us t=0", "X b 0 9us t=1", "X c 0 8us t=2", "X d 0 1us t=5", "X e 1us 10us t=3",
         "X f 2us 10us t=4", "X g 3us 10us t=6", "X h 4us 10us t=7", "X i 5us 10us t=8");
}

/* Threads 0 to 9,999 have two slices that overlap. */
static void ten_thousand_threads_side_by_side(void)
{
  static char lines[20000][40];
  for (int i = 0; i < 20000; i++) {
    snprintf(lines[i], sizeof lines[i], "X a %d 20000 t=%d", i, i % 10000);
    given(lines[i]);
  }
  expect_table("overlaps", "0 | 20000 | 10000 | 10000 | 10000");
}

static void a_hundred_thousand_asynchronous_ones(void)
{
  static char lines[100000][40];
  with("method=async");
  for (int i = 0; i < 100000; i++) {
    snprintf(lines[i], sizeof lines[i], "X a_%d_b %d 1ms", i, i);
    given(lines[i]);
  }
  expect_table("overlaps", "0 | 100000 | 99999 | 99999 | 0");
}

HARNESS_MAIN({ "nested and touching slices stay", nested_and_touching_slices_stay },
             { "the later slice moves to the first row where it fits",
               the_later_slice_moves_to_the_first_row_where_it_fits },
             { "new rows never meet threads that exist", new_rows_never_meet_threads_that_exist },
             { "rows of two tracks do not mix", rows_of_two_tracks_do_not_mix },
             { "threads with names get a number", threads_with_names_get_a_number },
             { "flows go with their slice", flows_go_with_their_slice },
             { "equal starts are ordered longer first", equal_starts_are_ordered_longer_first },
             { "shift starts the slice where the other ends",
               shift_starts_the_slice_where_the_other_ends },
             { "shift goes after all that end inside", shift_goes_after_all_that_end_inside },
             { "drop leaves the earlier one", drop_leaves_the_earlier_one },
             { "warn changes nothing", warn_changes_nothing },
             { "async makes pairs of the later ones", async_makes_pairs_of_the_later_ones },
             { "async ids begin with zero", async_ids_begin_with_zero },
             { "async takes numbers of requests out of names",
               async_takes_numbers_of_requests_out_of_names },
             { "other methods leave names", other_methods_leave_names },
             { "a hundred thousand open slices", a_hundred_thousand_open_slices },
             { "a hundred thousand that cannot be shifted",
               a_hundred_thousand_that_cannot_be_shifted },
             { "threads in use are passed over", threads_in_use_are_passed_over },
             { "twenty thousand rows", twenty_thousand_rows },
             { "ten thousand threads side by side", ten_thousand_threads_side_by_side },
             { "a hundred thousand asynchronous ones", a_hundred_thousand_asynchronous_ones },
             { "other events are left alone", other_events_are_left_alone })
