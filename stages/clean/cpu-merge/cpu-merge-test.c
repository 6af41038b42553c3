/* Tests of clean/cpu-merge: what goes to the row of the host, and which row that is. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

/* Its worked example. */
static void host_slices_go_to_one_row(void)
{
  given("X a 0 1us t=1300", "X \"AIU Roundtrip\" 1us 9us t=1200",
        "X \"k Cmpt Exec\" 2us 1us t=1100 {TS1=1}");
  expect("X a 0 1us t=1000", "X \"AIU Roundtrip\" 1us 9us t=1200",
         "X \"k Cmpt Exec\" 2us 1us t=1100 {TS1=1}");
}

/* 1000 is a device's, 1001 that of a round trip, if only later. */
static void the_row_of_the_host_is_nobody_elses(void)
{
  given("X a 0 1us t=7", "X k 1us 1us t=1000 {TS1=1}", "X h 2us 1us t=1000",
        "X \"AIU Roundtrip\" 3us 1us t=1001");
  expect("X a 0 1us t=1002", "X k 1us 1us t=1000 {TS1=1}", "X h 2us 1us t=1002",
         "X \"AIU Roundtrip\" 3us 1us t=1001");
}

static void each_process_has_its_row(void)
{
  given("X a 0 1us p=5 t=1", "X b 1us 1us p=6 t=2", "X k 2us 1us p=6 t=1000 {TS1=1}",
        "X c 3us 1us p=5 t=-");
  expect("X a 0 1us p=5 t=1000", "X b 1us 1us p=6 t=1001", "X k 2us 1us p=6 t=1000 {TS1=1}",
         "X c 3us 1us p=5 t=1000");
}

static void arrows_go_with_their_row(void)
{
  given("X a 0 1us t=7", "s f 0 t=7 id=1", "f f 1us t=8 id=1", "X k 1us 1us t=8 {TS1=1}",
        "i i 2us t=7", "C c 3us t=7");
  expect("X a 0 1us t=1000", "s f 0 t=1000 id=1", "f f 1us t=8 id=1", "X k 1us 1us t=8 {TS1=1}",
         "i i 2us t=7", "C c 3us t=7");
}

static void torch_rows_stay(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X a 0 1us t=7", "X k 1us 1us t=8 cat=kernel");
  expect("X a 0 1us t=7", "X k 1us 1us t=8 cat=kernel");
}

static void a_hundred_thousand_threads(void)
{
  static char lines[100000][48];
  for (int i = 0; i < 100000; i++) {
    snprintf(lines[i], sizeof lines[i], "X a %d 1 t=%d%s", i, i, i % 100 ? "" : " {TS1=1}");
    given(lines[i]);
  }
  expect_attr(99900, "TS1", "1");
}

HARNESS_MAIN({ "host slices go to one row", host_slices_go_to_one_row },
             { "the row of the host is nobody else's", the_row_of_the_host_is_nobody_elses },
             { "each process has its row", each_process_has_its_row },
             { "arrows go with their row", arrows_go_with_their_row },
             { "torch rows stay", torch_rows_stay },
             { "a hundred thousand threads", a_hundred_thousand_threads })
