/* Tests of clean/track-map: which number a thread gets. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

/* Its worked example. */
static void threads_are_numbered_as_they_come(void)
{
  given("X a 0 1us t=9876543210", "X b 1us 1us t=77", "X c 2us 1us t=9876543210");
  expect("X a 0 1us t=1000", "X b 1us 1us t=1100", "X c 2us 1us t=1000");
}

static void a_thread_has_one_number_in_all_processes(void)
{
  given("X a 0 1us p=5 t=3", "X b 1us 1us p=6 t=4", "X c 2us 1us p=6 t=3");
  expect("X a 0 1us p=5 t=1000", "X b 1us 1us p=6 t=1100", "X c 2us 1us p=6 t=1000");
}

static void texts_and_numbers_differ(void)
{
  given("X a 0 1us t=\"stream 7\"", "X b 1us 1us t=7", "X c 2us 1us t=\"7\"", "X d 3us 1us t=-1");
  expect("X a 0 1us t=1000", "X b 1us 1us t=1100", "X c 2us 1us t=1200", "X d 3us 1us t=1300");
}

/* What is not on a thread stays: counters, names of processes, events without a thread. */
static void names_and_arrows_go_with_their_row(void)
{
  given("M process_name - t=1 {name=p}", "M thread_name - t=20 {name=dma}", "X a 0 1us t=10",
        "s f 0 t=10 id=1", "X b 1us 1us t=20", "C c 1us t=10", "X d 2us 1us t=-", "i i 3us t=30");
  expect("M process_name - t=1 {name=p}", "M thread_name - t=1000 {name=dma}", "X a 0 1us t=1100",
         "s f 0 t=1100 id=1", "X b 1us 1us t=1000", "C c 1us t=10", "X d 2us 1us t=-",
         "i i 3us t=1200");
}

static void torch_rows_stay(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X a 0 1us t=7", "X b 1us 1us t=8");
  given_lane("rank=1 dialect=aiu");
  given("X a 0 1us t=7");
  expect("X a 0 1us t=7", "X b 1us 1us t=8");
  expect_lane(1, "X a 0 1us t=1000");
}

/* The 31st and 32nd thread: 1000 + 100 * 30 and 31. */
static void there_is_no_limit(void)
{
  static char in[32][32], out[32][32];
  for (int i = 0; i < 32; i++) {
    snprintf(in[i], sizeof in[i], "X a %d 1 t=%d", i, 50 - i);
    snprintf(out[i], sizeof out[i], "X a %d 1 t=%d", i, 1000 + 100 * i);
    given(in[i]);
  }
  expect(out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9], out[10],
         out[11], out[12], out[13], out[14], out[15], out[16], out[17], out[18], out[19], out[20],
         out[21], out[22], out[23], out[24], out[25], out[26], out[27], out[28], out[29], out[30],
         out[31]);
}

static void a_hundred_thousand_threads(void)
{
  char line[48];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X a %d 1 t=%d {n=%d}", i, -i, i);
    given(line);
  }
  expect_attr(99999, "n", "99999");
}

HARNESS_MAIN({ "threads are numbered as they come", threads_are_numbered_as_they_come },
             { "a thread has one number in all processes",
               a_thread_has_one_number_in_all_processes },
             { "texts and numbers differ", texts_and_numbers_differ },
             { "names and arrows go with their row", names_and_arrows_go_with_their_row },
             { "torch rows stay", torch_rows_stay }, { "there is no limit", there_is_no_limit },
             { "a hundred thousand threads", a_hundred_thousand_threads })
