/* Firmware time: its slice, its row, its arrow, and counts that say nothing. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define FW(name, ts, dur, from, to) \
  "X " name " " ts " " dur " p=2 t=7 {fw_begin_time=" from ", fw_end_time=" to "}"

/* What is made of an event: the slice, its arrow's begin and its arrow's end. */
#define MADE(name, ts, dur, to, id)                           \
  "X FW_" name " " ts " " dur " cat=firmware p=2 t=Firmware", \
      "s fw2e " ts " cat=firmware p=2 t=Firmware id=" id,     \
      "f fw2e " to " cat=firmware p=2 t=7 id=" id " bp=e"

/* At 560 MHz 5,600 cycles are 10 us: from 100 to 110 us, up to the end of the event. */
static void firmware_ends_with_its_event(void)
{
  given(FW("launch", "105us", "5us", "1000", "6600"), "X host 120us 1us");
  expect(FW("launch", "105us", "5us", "1000", "6600"),
         MADE("launch", "100us", "10us", "105us", "1000001"), "X host 120us 1us");
}

static void the_frequency_is_that_of_the_option(void)
{
  with("soc-mhz=1000");
  given(FW("launch", "105us", "5us", "1000", "6600"));
  expect(FW("launch", "105us", "5us", "1000", "6600"),
         MADE("launch", "104.4us", "5.6us", "105us", "1000001"));
}

/* 560 cycles = 1 us: shorter than the event, so that the arrow enters the event where it begins. */
static void an_arrow_never_goes_back(void)
{
  given(FW("launch", "105us", "5us", "0", "560"));
  expect(FW("launch", "105us", "5us", "0", "560"),
         MADE("launch", "109us", "1us", "109us", "1000001"));
}

/* 2,800 cycles before the wrap and as many after it: 10 us. Texts do as well, 0xaf0 is 2800. */
static void a_wrap_in_between_counts(void)
{
  given(FW("launch", "105us", "5us", "4294964496", "\"0xaf0\""));
  expect(FW("launch", "105us", "5us", "4294964496", "\"0xaf0\""),
         MADE("launch", "100us", "10us", "105us", "1000001"));
}

static void arrows_have_numbers_of_their_own(void)
{
  given("s a 1us id=1000001", "f a 2us id=1000001", "s b 3us id=7",
        FW("x", "105us", "5us", "0", "560"), FW("y", "205us", "5us", "0", "560"));
  expect("s a 1us id=1000001", "f a 2us id=1000001", "s b 3us id=7",
         FW("x", "105us", "5us", "0", "560"), MADE("x", "109us", "1us", "109us", "1000002"),
         FW("y", "205us", "5us", "0", "560"), MADE("y", "209us", "1us", "209us", "1000003"));
  for (uint32_t number = 1; number <= 3; number++) expect_notice(number, 0);
}

static void counts_that_say_nothing_are_noticed(void)
{
  given("X a 5us 5us {fw_begin_time=1}", "X b 6us 5us {fw_begin_time=1, fw_end_time=nan}",
        "X c 7us 5us {fw_begin_time=4294967296, fw_end_time=5}",
        "X d 8us 5us {fw_begin_time=5, fw_end_time=-5}",
        "X e 9us 5us {fw_begin_time=-9223372036854775808, fw_end_time=9223372036854775807}",
        "X f 10us 5us {fw_begin_time=0, fw_end_time=9000}",
        "X g 11us 5us {fw_begin_time=7, fw_end_time=7}",
        "i h 12us {fw_begin_time=7, fw_end_time=567}",
        "X j 9223372036854775807 5us {fw_begin_time=7, fw_end_time=567}");
  expect("X a 5us 5us {fw_begin_time=1}", "X b 6us 5us {fw_begin_time=1, fw_end_time=nan}",
         "X c 7us 5us {fw_begin_time=4294967296, fw_end_time=5}",
         "X d 8us 5us {fw_begin_time=5, fw_end_time=-5}",
         "X e 9us 5us {fw_begin_time=-9223372036854775808, fw_end_time=9223372036854775807}",
         "X f 10us 5us {fw_begin_time=0, fw_end_time=9000}",
         "X g 11us 5us {fw_begin_time=7, fw_end_time=7}",
         "i h 12us {fw_begin_time=7, fw_end_time=567}",
         "X j 9223372036854775807 5us {fw_begin_time=7, fw_end_time=567}");
  expect_notice(1, 2);
  expect_notice(2, 3);
  expect_notice(3, 2);
}

static void many_events_are_no_matter(void)
{
  char line[120];
  given("X host 0 1us");
  for (int i = 1; i <= 25000; i++) {
    snprintf(line, sizeof line, FW("x", "%dus", "2us", "%d", "%d"), i * 10, i, i + 560);
    given(line);
  }
  /* Four events for each of the first 24,999, after the host's. */
  expect_attr(99997, "fw_end_time", "25560");
  expect_notice(3, 0);
}

HARNESS_MAIN({ "firmware ends with its event", firmware_ends_with_its_event },
             { "the frequency is that of the option", the_frequency_is_that_of_the_option },
             { "an arrow never goes back", an_arrow_never_goes_back },
             { "a wrap in between counts", a_wrap_in_between_counts },
             { "arrows have numbers of their own", arrows_have_numbers_of_their_own },
             { "counts that say nothing are noticed", counts_that_say_nothing_are_noticed },
             { "many events are no matter", many_events_are_no_matter })
