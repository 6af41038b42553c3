/* Tests of clean/drop-globals: which names go. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void its_words_go_and_case_counts(void)
{
  given("X \"Execute Graph\" 0 1us", "X \"Execute graph\" 1us 1us",
        "X \"SenFusedDeviceNode_0 DmaI\" 2us 1us");
  expect("X \"Execute Graph\" 0 1us");
}

static void all_ten_words(void)
{
  given("X SenFusedDeviceNode 0 1us", "X \"AIU Roundtrip\" 1us 1us", "X \"Flex RoundTrip\" 2us 1us",
        "X PostKeys 3us 1us", "X FetchKeys 4us 1us", "X Callback 5us 1us", "X HostPrep 6us 1us",
        "X \"AllocateFrame of x\" 7us 1us", "X \"AllocateFrame\" 8us 1us",
        "X \"Update CBs\" 9us 1us");
  expect("X AllocateFrame 8us 1us");
}

static void of_any_kind_and_dialect(void)
{
  given_lane("rank=0 dialect=kineto");
  given("s \"a Callback\" 0 id=1", "C HostPrep 1us", "b HostPrep 1us id=2",
        "M process_name - {name=Callback}");
  expect("M process_name - {name=Callback}");
}

static void words_can_be_given(void)
{
  with("names=foo,b a");
  given("X afoo 0 1us", "X \"b a\" 1us 1us", "X Callback 2us 1us", "X \"\" 3us 1us");
  expect("X Callback 2us 1us", "X \"\" 3us 1us");
}

static void a_hundred_thousand_names(void)
{
  char line[64];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X %s_%d %d 1", i % 2 ? "Callback" : "k", i, i);
    given(line);
  }
  given("X last 1ms 1");
  expect_attr(50000, "none", NULL);
}

HARNESS_MAIN({ "its words go, and case counts", its_words_go_and_case_counts },
             { "all ten words", all_ten_words },
             { "of any kind and dialect", of_any_kind_and_dialect },
             { "words can be given", words_can_be_given },
             { "a hundred thousand names", a_hundred_thousand_names })
