/* Unwrapping device counters: wraps, epochs, odd stamps and the frequency estimate. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

/* At 560 MHz 1 us is 560 cycles and the counter wraps every 2^32 / 560 MHz = 7.669584 s. */

/* 9 s are 5,040,000,000 cycles: one period (4,294,967,296) and some more, so 100 becomes
 * 4,294,967,396. */
static void counts_one_wrap(void)
{
  given("X k 0 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=1}",
        "X k 9s 1us {TS1=100, TS2=100, TS3=100, TS4=100, TS5=100}");
  expect("X k 0 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=1, OVC=0}",
         "X k 9s 1us {TS1=4294967396, TS2=4294967396, TS3=4294967396, TS4=4294967396, "
         "TS5=4294967396, OVC=1}");
}

/* The counter wraps at 100 us, so it is at 2^32 - 56000 at 0. The kernel is accepted at 95 us
 * (2^32 - 2800), prepared at 96 us (2^32 - 2240), and runs from 111 us (6160) to 116 us (8960). */
static void an_event_may_straddle_a_wrap(void)
{
  given(
      "X \"a DmaI\" 0 1us {TS1=4294911296, TS2=4294911856, TS3=4294911856, TS4=4294911856, "
      "TS5=4294911856}",
      "X \"k Cmpt Exec\" 111us 5us {TS1=4294964496, TS2=4294965056, TS3=6160, TS4=8960, TS5=9520}",
      "X \"b DmaI\" 120us 1us {TS1=11200, TS2=11760, TS3=11760, TS4=11760, TS5=11760}");
  expect_attr(1, "TS1", "4294964496");
  expect_attr(1, "TS2", "4294965056");
  expect_attr(1, "TS3", "4294973456"); /* 2^32 + 6160 */
  expect_attr(1, "TS4", "4294976256");
  expect_attr(1, "TS5", "4294976816");
  expect_attr(1, "OVC", "0");
  expect_attr(1, "TSxOF", "TS3");
  expect_attr(2, "TS1", "4294978496");
  expect_attr(2, "OVC", "1");
  expect_attr(2, "TSxOF", NULL);
  /* Epoch: -(2^32 - 56000) cycles at 560 MHz = -7,669,484,457.14 ns, rounded down. */
  expect_table("ovc", "0 | 0 | 3 | 1 | 1 | 0 | -7669484458 | 560 | - | 0 | 0 | 1");
}

static void a_wrap_inside_an_event_of_unknown_kind(void)
{
  given("X k 1ms 5us {TS1=4294960000, TS2=100, TS3=100, TS4=100, TS5=100}");
  expect("X k 1ms 5us {TS1=4294960000, TS2=4294967396, TS3=4294967396, TS4=4294967396, "
         "TS5=4294967396, TSxOF=TS2, OVC=0}");
}

/* 20 s are 11,200,000,000 cycles = 2 periods + 2,610,065,408; 40 s are 5 periods + 925,163,520. */
static void any_number_of_wraps_in_any_order(void)
{
  given("X k 40s 1us {TS1=925163520, TS2=925163520, TS3=925163520, TS4=925163520, TS5=925163520}",
        "X k 0 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=1}",
        "X k 20s 1us {TS1=2610065408, TS2=2610065408, TS3=2610065408, TS4=2610065408, "
        "TS5=2610065408}");
  expect_attr(0, "TS5", "22400000000");
  expect_attr(0, "OVC", "5");
  expect_attr(1, "TS1", "0");
  expect_attr(2, "TS1", "11200000000");
  expect_attr(2, "OVC", "2");
  expect_table("ovc", "0 | 0 | 3 | 5 | 0 | 0 | 0 | 560 | - | 0 | 0 | 1");
}

/* 1015 us are 568,400 cycles, TS3 is the stamp at the start: the counter was at 0 before
 * 568,400 - 11,200 cycles = 557,200 = 995 us. */
static void accepts_texts_hex_and_the_list(void)
{
  given("X \"k Cmpt Exec\" 1015us 20us {cycles_ts=[5700,5800,11200,22400,22500]}",
        "X \"Recv_4 DmaI\" 996us 5us {TS1=\"0x10\", TS2=\"0x20\", TS3=\"32\", TS4=\"32\", "
        "TS5=\"32\"}");
  expect_attr(0, "TS1", "5700");
  expect_attr(0, "TS3", "11200");
  expect_attr(0, "TS5", "22500");
  expect_attr(1, "TS1", "16");
  expect_attr(1, "TS2", "32");
  expect_notice(6, 0);
}

/* 10 s are 5,600,000,000 cycles, the end is at 5.6e9 - 2^32 = 1,305,032,704; 1 us later
 * 1,305,033,264. */
static void a_duration_beyond_a_period_is_counted_in(void)
{
  given("X \"k Cmpt Exec\" 0 10s {TS1=0, TS2=0, TS3=0, TS4=1305032704, TS5=1305033264}");
  expect_attr(0, "TS4", "5600000000");
  expect_attr(0, "TS5", "5600000560");
  expect_attr(0, "OVC", "0");
  expect_notice(4, 1);
}

static void disorder_is_kept_and_counted(void)
{
  given("X k 1ms 5us {TS1=1000, TS2=990, TS3=1010, TS4=1020, TS5=1030}");
  expect("X k 1ms 5us {TS1=1000, TS2=990, TS3=1010, TS4=1020, TS5=1030, OVC=0}");
  expect_notice(5, 1);
  harness_clear();
  given("X k 1ms 5us {TS1=5, TS2=4, TS3=5, TS4=5, TS5=5}",
        "X k 2ms 5us {TS1=560005, TS2=560005, TS3=560006, TS4=560007, TS5=560007}");
  expect("X k 1ms 5us {TS1=5, TS2=4, TS3=5, TS4=5, TS5=5, OVC=0}",
         "X k 2ms 5us {TS1=560005, TS2=560005, TS3=560006, TS4=560007, TS5=560007, OVC=0}");
  expect_notice(5, 1);
}

static void missing_stamps_are_counted(void)
{
  given("X k 0 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=1}", "X \"k DmaO\" 9s 1us {TS1=100, TS5=200}",
        "X k 10s 1us {TS1=soon}", "X host 9s 1us {other=1}");
  expect_attr(1, "TS1", "4294967396");
  expect_attr(1, "TS5", "4294967496");
  expect_attr(2, "OVC", NULL);
  expect_attr(3, "OVC", NULL);
  expect_notice(6, 2);
}

static void stamps_that_were_not_taken_are_none(void)
{
  given("X \"k Cmpt Exec\" 1ms 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=0}",
        "X k 2ms 1us {cycles_ts=[0,0,0,0,0]}");
  expect("X \"k Cmpt Exec\" 1ms 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=0}",
         "X k 2ms 1us {cycles_ts=[0,0,0,0,0]}");
  expect_notice(8, 2);
  expect_notice(6, 0);
  expect_empty_table("ovc");
}

static void absolute_stamps_are_left_alone(void)
{
  given(
      "X k 0 1us {TS1=4294967396, TS2=4294967396, TS3=4294967396, TS4=4294967396, TS5=4294967396}",
      "X k 0 1us {TS1=-1, TS2=0, TS3=0, TS4=0, TS5=0}");
  expect(
      "X k 0 1us {TS1=4294967396, TS2=4294967396, TS3=4294967396, TS4=4294967396, TS5=4294967396}",
      "X k 0 1us {TS1=-1, TS2=0, TS3=0, TS4=0, TS5=0}");
  expect_notice(7, 2);
  expect_empty_table("ovc");
}

/* Eleven events every 20 ms of a counter at 560 MHz: 11,200,000 cycles a step. */
static void given_steps_of_20_ms(void)
{
  for (int i = 0; i <= 10; i++) {
    char line[160];
    int cycles = i * 11200000;
    snprintf(line, sizeof line, "X k %dms 1us {TS1=%d, TS2=%d, TS3=%d, TS4=%d, TS5=%d}", i * 20,
             cycles, cycles, cycles, cycles, cycles + 1);
    given(line);
  }
}

/* Ten pairs over 200 ms. At 1000 MHz the last event is expected at 200,000,000 and found at
 * 112,000,000: 88,000,000 cycles, or ns. */
static void recommends_the_frequency_of_the_data(void)
{
  with("soc-mhz=1000");
  given_steps_of_20_ms();
  expect_table("ovc", "0 | 0 | 11 | 0 | 0 | 0 | 0 | 1000 | 560 | 10 | 88000000 | 1");
  expect_notice(1, 1);
  expect_notice(2, 0);
}

/* As above; what clock/freq says is not said again. */
static void the_advice_is_left_to_another_stage(void)
{
  with("soc-mhz=1000");
  with("judge-frequency=false");
  given_steps_of_20_ms();
  expect_table("ovc", "0 | 0 | 11 | 0 | 0 | 0 | 0 | 1000 | 560 | 10 | 88000000 | 1");
  expect_notice(1, 0);
}

static void the_right_frequency_needs_no_advice(void)
{
  given_steps_of_20_ms();
  expect_table("ovc", "0 | 0 | 11 | 0 | 0 | 0 | 0 | 560 | 560 | 10 | 0 | 1");
  expect_notice(1, 0);
}

/* One event that is 10 % early in cycles spoils the two pairs it is in; the others still agree. */
static void one_bad_stamp_does_not_spoil_the_estimate(void)
{
  given_steps_of_20_ms();
  given(
      "X k 220ms 1us {TS1=110880000, TS2=110880000, TS3=110880000, TS4=110880000, TS5=110880000}",
      "X k 240ms 1us {TS1=134400000, TS2=134400000, TS3=134400000, TS4=134400000, TS5=134400000}");
  /* 13 events; expected at 220 ms: 123,200,000. The bad one is 12,320,000 cycles = 22 ms early,
   * which moves no epoch since the smallest distance counts: 0. */
  expect_table("ovc", "0 | 0 | 13 | 0 | 0 | 0 | 0 | 560 | 560 | 10 | 22000000 | 1");
}

/* At 3 s the counter at 560 MHz shows 1,680,000,000, at 1000 MHz 3,000,000,000 are expected: the
 * distance of 1,320,000,000 is more than a quarter period (1,073,741,824). */
static void unmatched_with_a_better_frequency(void)
{
  with("soc-mhz=1000");
  given_steps_of_20_ms();
  given("X k 3s 1us {TS1=1680000000, TS2=1680000000, TS3=1680000000, TS4=1680000000, "
        "TS5=1680000000}");
  expect_notice(1, 1);
  expect_notice(2, 1);
  expect_notice(3, 0);
}

/* 3 s are 1,680,000,000 cycles, but the counter is where it was. */
static void unmatched_without_advice(void)
{
  given("X k 0 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=1}",
        "X k 3s 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=1}");
  expect_attr(1, "TS1", "0");
  expect_notice(3, 1);
  expect_table("ovc", "0 | 0 | 2 | 0 | 0 | 1 | 0 | 560 | - | 0 | 3000000000 | 1");
}

/* The device starts again after 4 s, at 0: 2,240,000,000 cycles were expected.  Both parts agree with the host, and counts
 * go on: 2^32 and more, from 1,904,000,000 at 3.4 s. */
static void a_device_that_starts_again_has_parts(void)
{
  given("X k 1s 1us {TS1=560000000, TS2=560000000, TS3=560000000, TS4=560000000, TS5=560000560}",
        "X k 3400ms 1us {TS1=1904000000, TS2=1904000000, TS3=1904000000, TS4=1904000000, "
        "TS5=1904000560}",
        "X k 4000ms 1us {TS1=1, TS2=1, TS3=1, TS4=1, TS5=561}",
        "X k 4010ms 1us {TS1=5600001, TS2=5600001, TS3=5600001, TS4=5600001, TS5=5600561}");
  expect_attr(1, "TS1", "1904000000");
  expect_attr(2, "TS1", "4294967297");
  expect_attr(3, "TS1", "4300567297");
  expect_table("ovc", "0 | 0 | 4 | 1 | 0 | 0 | 0 | 560 | - | 0 | 0 | 2");
  expect_notice(9, 1);
  expect_notice(3, 0);
}

/* The host's clock goes on by 3 s, and the counter by 10 ms. */
static void a_clock_that_is_set_begins_a_part(void)
{
  given("X k 0 1us {TS1=5600000, TS2=5600000, TS3=5600000, TS4=5600000, TS5=5600560}",
        "X k 10ms 1us {TS1=11200000, TS2=11200000, TS3=11200000, TS4=11200000, TS5=11200560}",
        "X k 3020ms 1us {TS1=16800000, TS2=16800000, TS3=16800000, TS4=16800000, TS5=16800560}",
        "X k 3030ms 1us {TS1=22400000, TS2=22400000, TS3=22400000, TS4=22400000, TS5=22400560}");
  expect_attr(2, "TS1", "16800000");
  expect_notice(9, 1);
  expect_notice(1, 0);
  expect_notice(3, 0);
}

/* Two files of one rank at one time: each has a counter, 3 s apart. */
static void jobs_at_one_time_have_counters_of_their_own(void)
{
  given("X k 0 1us {TS1=5, TS2=5, TS3=5, TS4=5, TS5=9, jobname=a}",
        "X k 1ms 1us {TS1=1680000000, TS2=1680000000, TS3=1680000000, TS4=1680000000, "
        "TS5=1680000009, jobname=b}",
        "X k 2ms 1us {TS1=1120005, TS2=1120005, TS3=1120005, TS4=1120005, TS5=1120009, jobname=a}",
        "X k 3ms 1us {TS1=1681120000, TS2=1681120000, TS3=1681120000, TS4=1681120000, "
        "TS5=1681120009, jobname=b}");
  expect_table("ovc", "0 | 0 | 4 | 0 | 0 | 0 | -9 | 560 | - | 0 | 0 | 2");
  expect_notice(3, 0);
}

/* Two devices in a file, of which each process has one: 0 and 2,000,000,000 at 0. */
static void processes_have_counters_of_their_own(void)
{
  given("X k 0 1us p=1 {TS1=0, TS2=0, TS3=0, TS4=0, TS5=9}",
        "X k 0 1us p=2 {TS1=2000000000, TS2=2000000000, TS3=2000000000, TS4=2000000000, "
        "TS5=2000000009}",
        "X k 1ms 1us p=1 {TS1=560000, TS2=560000, TS3=560000, TS4=560000, TS5=560009}");
  expect_table("ovc", "0 | 1 | 2 | 0 | 0 | 0 | 0 | 560 | - | 0 | 0 | 1",
               "0 | 2 | 1 | 0 | 0 | 0 | -3571428572 | 560 | - | 0 | 0 | 1");
  expect_notice(9, 0);
  expect_notice(3, 0);
}

/* Times were written in ns, and read as us: a counter of 560 MHz seems to run at 0.56, which cannot be given. */
static void a_frequency_that_cannot_be_given_is_not_advised(void)
{
  for (int i = 0; i <= 20; i++) {
    char line[160];
    int cycles = i * 11200;
    snprintf(line, sizeof line, "X k %dms 1us {TS1=%d, TS2=%d, TS3=%d, TS4=%d, TS5=%d}", i * 20,
             cycles, cycles, cycles, cycles, cycles + 1);
    given(line);
  }
  expect_notice(1, 0);
}

/* The advice is followed: what was 88 ms (see above) is nothing. */
static void the_advice_makes_the_residual_smaller(void)
{
  with("soc-mhz=560");
  given_steps_of_20_ms();
  expect_table("ovc", "0 | 0 | 11 | 0 | 0 | 0 | 0 | 560 | 560 | 10 | 0 | 1");
  expect_notice(1, 0);
}

static void lanes_have_counters_of_their_own(void)
{
  given_lane("rank=0");
  given("X k 0 1us {TS1=5, TS2=5, TS3=5, TS4=5, TS5=5}");
  given_lane("rank=1");
  given("X k 9s 1us {TS1=7, TS2=7, TS3=7, TS4=7, TS5=7}");
  expect_lane(1, "X k 9s 1us {TS1=7, TS2=7, TS3=7, TS4=7, TS5=7, OVC=0}");
}

HARNESS_MAIN(
    { "the advice is left to another stage", the_advice_is_left_to_another_stage },
    { "counts one wrap", counts_one_wrap },
    { "an event may straddle a wrap", an_event_may_straddle_a_wrap },
    { "a wrap inside an event of unknown kind", a_wrap_inside_an_event_of_unknown_kind },
    { "any number of wraps in any order", any_number_of_wraps_in_any_order },
    { "accepts texts, hex and the list", accepts_texts_hex_and_the_list },
    { "a duration beyond a period is counted in", a_duration_beyond_a_period_is_counted_in },
    { "disorder is kept and counted", disorder_is_kept_and_counted },
    { "missing stamps are counted", missing_stamps_are_counted },
    { "stamps that were not taken are none", stamps_that_were_not_taken_are_none },
    { "absolute stamps are left alone", absolute_stamps_are_left_alone },
    { "recommends the frequency of the data", recommends_the_frequency_of_the_data },
    { "the right frequency needs no advice", the_right_frequency_needs_no_advice },
    { "one bad stamp does not spoil the estimate", one_bad_stamp_does_not_spoil_the_estimate },
    { "unmatched with a better frequency", unmatched_with_a_better_frequency },
    { "unmatched without advice", unmatched_without_advice },
    { "a device that starts again has parts", a_device_that_starts_again_has_parts },
    { "a clock that is set begins a part", a_clock_that_is_set_begins_a_part },
    { "jobs at one time have counters of their own", jobs_at_one_time_have_counters_of_their_own },
    { "processes have counters of their own", processes_have_counters_of_their_own },
    { "a frequency that cannot be given is not advised",
      a_frequency_that_cannot_be_given_is_not_advised },
    { "the advice makes the residual smaller", the_advice_makes_the_residual_smaller },
    { "lanes have counters of their own", lanes_have_counters_of_their_own })
