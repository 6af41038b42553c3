/* Tests of clean/normalise: one form for all slices, and what is not a slice. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

/* 0x10 is 16, 0x20 is 32; bytes keep their form. */
static void stamps_names_and_bytes_get_one_form(void)
{
  given_lane("rank=0 name=a.json");
  given("X \"SenRDMAReceive_4 DmaI\" 1ms 5us {TS1=\"0x10\", TS2=\"0x20\", TS3=\"0x20\", "
        "TS4=\"0x20\", TS5=\"0x20\", Bytes=\"64\"}");
  expect("X \"SenRdmaRecv_4 DmaI\" 1ms 5us {TS1=16, TS2=32, TS3=32, TS4=32, TS5=32, bytes=\"64\", "
         "jobname=\"a.json(0)\"}");
}

static void counts_may_have_any_base(void)
{
  with("jobs=false");
  given("X a 0 1us {TS1=\"0b101\", TS2=\"0o17\", TS3=\"-3\", TS4=7.0, TS5=4294967295, "
        "Power=\"0x1f4\"}");
  expect_attr(0, "TS1", "5");
  expect_attr(0, "TS2", "15");
  expect_attr(0, "TS3", "-3");
  expect_attr(0, "TS4", "7");
  expect_attr(0, "TS5", "4294967295");
  expect_attr(0, "Power", "500");
  expect_notice(6, 0);
}

static void what_is_no_count_is_left_and_counted(void)
{
  with("jobs=false");
  given("X a 0 1us {TS1=NaN, TS2=\"0b2\", TS3=\"\", Power=\"99999999999999999999\"}",
        "X b 0 1us {Power=1.5}");
  expect("X a 0 1us {TS1=NaN, TS2=\"0b2\", TS3=\"\", Power=\"99999999999999999999\"}",
         "X b 0 1us {Power=1.5}");
  expect_notice(6, 4);
}

static void every_word_of_a_name_is_spelled_anew(void)
{
  with("jobs=false");
  given("X ReceiveRDMARDMA 0 1us", "X RDM 0 1us", "i RDMA 5us", "X ReceiveRDMARDMA 6us 1us");
  expect("X RecvRdmaRdma 0 1us", "X RDM 0 1us", "i RDMA 5us", "X RecvRdmaRdma 6us 1us");
}

static void numbers_stay_numbers(void)
{
  with("jobs=false");
  given("X a 0 1us {Bytes=4096, bytes=1}", "X b 0 1us {bytes=\"64\"}", "C c 0 {Bytes=5}");
  expect("X a 0 1us {bytes=4096}", "X b 0 1us {bytes=\"64\"}", "C c 0 {Bytes=5}");
}

static void a_slice_says_of_which_file_it_is(void)
{
  given_lane("rank=0 name=a.json");
  given("X a 0 1us", "X b 1us 1us {jobname=\"j1.json(1)\"}", "i i 5us");
  given_lane("rank=1 name=t.json dialect=kineto");
  given("X a 0 1us");
  expect("X a 0 1us {jobname=\"a.json(0)\"}", "X b 1us 1us {jobname=\"j1.json(1)\"}", "i i 5us");
  expect_lane(1, "X a 0 1us");
}

static void what_is_no_slice_is_dropped_and_counted(void)
{
  with("jobs=false");
  given("X a - 1us", "X b 1us -", "X c 2us -5us", "X d 3us 0");
  expect("X d 3us 0");
  expect_notice(1, 1);
  expect_notice(2, 1);
  expect_notice(3, 1);
}

/* Metadata and records need none; of what nobody knows nothing is said. */
static void events_without_a_time_are_dropped_and_counted(void)
{
  with("jobs=false");
  given("C c - {v=1}", "i i -", "s f - id=1", "e g - id=1", "M m -", "- row -", "? q -", "C d 0");
  expect("M m -", "- row -", "? q -", "C d 0");
  expect_notice(9, 4);
  expect_notice(1, 0);
}

static void what_is_missing_is_counted(void)
{
  with("jobs=false");
  given("X \"\" 0 1us", "X b 1us 1us p=-", "C \"\" 2us p=-");
  expect("X \"\" 0 1us", "X b 1us 1us p=-", "C \"\" 2us p=-");
  expect_notice(4, 1);
  expect_notice(5, 1);
}

static void cycles_without_time_are_counted(void)
{
  with("jobs=false");
  given("X a 0 0 {TS1=\"100\", TS5=140}", "X b 1us 0 {TS1=100, TS5=\"0x64\"}", "X c 2us 0 {TS5=7}",
        "X d 3us 1us {TS1=1, TS5=2}");
  expect_notice(7, 1);
}

static void clean_slices_need_no_notice(void)
{
  given("B a 0", "E a 1us", "X k 0 1us {TS1=1, TS2=2, TS3=3, TS4=4, TS5=9, Power=7}",
        "X h -5us 0 {bytes=\"64\"}", "t f 0 id=1", "P p 0", "C c 0 {v=1}");
  for (uint32_t number = 1; number <= 9; number++) expect_notice(number, 0);
}

static void extremes_are_numbers_like_others(void)
{
  with("jobs=false");
  given("X a 0 1us {TS1=\"-9223372036854775808\", TS5=\"0x7fffffffffffffff\", Power=1e300}");
  expect_attr(0, "TS1", "-9223372036854775808");
  expect_attr(0, "TS5", "9223372036854775807");
  expect_attr(0, "Power", "1e+300");
}

static void events_without_a_phase_are_counted(void)
{
  with("jobs=false");
  given("? a 1us", "X b 2us 1us", "C c 3us {v=1}");
  expect("? a 1us", "X b 2us 1us", "C c 3us {v=1}");
  expect_notice(8, 1);
}

static void a_hundred_thousand_events(void)
{
  char line[96];
  with("jobs=false");
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X RDMA_%d %d 1 {TS1=\"%d\"}", i, i, i);
    given(line);
  }
  expect_attr(99999, "TS1", "99999");
  expect_notice(6, 0);
}

HARNESS_MAIN({ "stamps, names and bytes get one form", stamps_names_and_bytes_get_one_form },
             { "counts may have any base", counts_may_have_any_base },
             { "what is no count is left and counted", what_is_no_count_is_left_and_counted },
             { "every word of a name is spelled anew", every_word_of_a_name_is_spelled_anew },
             { "numbers stay numbers", numbers_stay_numbers },
             { "a slice says of which file it is", a_slice_says_of_which_file_it_is },
             { "what is no slice is dropped and counted", what_is_no_slice_is_dropped_and_counted },
             { "events without a time are dropped and counted",
               events_without_a_time_are_dropped_and_counted },
             { "what is missing is counted", what_is_missing_is_counted },
             { "cycles without time are counted", cycles_without_time_are_counted },
             { "clean slices need no notice", clean_slices_need_no_notice },
             { "extremes are numbers like others", extremes_are_numbers_like_others },
             { "events without a phase are counted", events_without_a_phase_are_counted },
             { "a hundred thousand events", a_hundred_thousand_events })
