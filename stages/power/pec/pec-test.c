/* Power from charges: the formula, the order of readings, what is left out, and odd values. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

/* At 560 MHz 1 us is 560 cycles.  Watts = 12 * units / 512 / us. */

/* A kernel of 20 us that ends (TS4) at 1035 us: 2500 is read there.  Before it, 1000 at 1010 us,
 * after it 4000 at 1046 us (DmaI: TS4 is 1 us after its end) and 6000 at 1050 us.
 * 12 * 1500 / 512 / 25 = 1.40625; 12 * 1500 / 512 / 11 = 3.1960227; 12 * 2000 / 512 / 4 = 11.71875. */
#define EVENTS                                                                              \
  "X \"a DmaI\" 1000us 9us {TS1=0, TS2=5040, TS3=5600, TS4=5600, TS5=5600, Power=1000}",    \
      "X \"k Cmpt Exec\" 1015us 20us {TS1=5700, TS2=5800, TS3=8400, TS4=19600, TS5=22500, " \
      "Power=2500}",                                                                        \
      "X \"b DmaI\" 1040us 5us {TS1=22400, TS2=25200, TS3=25760, TS4=25760, TS5=25760, "    \
      "Power=4000}",                                                                        \
      "X \"k DmaO\" 1050us 8us {TS1=25760, TS2=25760, TS3=25760, TS4=28000, TS5=32480, "    \
      "Power=6000}"

static void power_is_charge_over_time(void)
{
  given(EVENTS);
  expect(EVENTS, "C Power 1010us cat=Power4 t=- {Watts=1.40625}",
         "C Power 1035us cat=Power4 t=- {Watts=3.196022727272727}",
         "C Power 1046us cat=Power4 t=- {Watts=11.71875}");
  expect_notice(1, 0);
  expect_notice(2, 0);
  expect_notice(3, 0);
  expect_notice(4, 0);
}

/* Kernels end at 1010, 1020, 1040 and 1060 us; the first reading is 0, which is none. */
static void a_reading_of_nothing_begins_nothing(void)
{
  given("X \"k Cmpt Exec\" 1000us 10us {TS3=0, TS4=5600, Power=0}",
        "X \"k Cmpt Exec\" 1015us 5us {TS3=8400, TS4=11200, Power=1000}",
        "X \"k Cmpt Exec\" 1030us 10us {TS3=16800, TS4=22400, Power=26600}",
        "X \"k Cmpt Exec\" 1050us 10us {TS3=28000, TS4=33600, Power=77800}");
  expect_attr(4, "Watts", "30");
  expect_attr(5, "Watts", "60");
}

/* TS3 8400 and 11200 are 5 us apart: 12 * 1500 / 512 / 5 = 7.03125 W, of the sort of the event read
 * first; it ends 1 ns before the next. */
static void with_ts3_each_sort_has_a_counter(void)
{
  with("stamp=ts3");
  given("X \"k Cmpt Exec\" 1015us 2us {TS3=8400, TS4=9520, Power=1000}",
        "X \"Rdma AllReduce_1 DmaO\" 1025us 2us {TS3=11200, TS4=14000, TS5=15120, Power=2500}",
        "X other 1100us 1us {TS1=56000, TS3=56000, TS5=56560, Power=2500}");
  expect_attr(3, "Watts", "7.03125");
  expect("X \"k Cmpt Exec\" 1015us 2us {TS3=8400, TS4=9520, Power=1000}",
         "X \"Rdma AllReduce_1 DmaO\" 1025us 2us {TS3=11200, TS4=14000, TS5=15120, Power=2500}",
         "X other 1100us 1us {TS1=56000, TS3=56000, TS5=56560, Power=2500}",
         "C \"Power Cmpt Exec\" 1015us cat=Power3 t=- {Watts=7.03125}",
         "C \"Power Cmpt Exec\" 1019999 cat=Power3 t=- {Watts=0.0}",
         "C \"Power DmaO\" 1020us cat=Power3 t=- {Watts=0.0}",
         "C \"Power DmaO\" 1099999 cat=Power3 t=- {Watts=0.0}");
}

/* The second reading was taken before the first: TS4 of a transfer out is where its slice begins. */
static void readings_are_put_in_order(void)
{
  given("X \"a DmaI\" 100us 1us {TS1=0, TS2=560, TS4=11200, Power=3000}",
        "X \"b DmaO\" 110us 1us {TS4=5600, TS5=6160, Power=1000}",
        "X \"c DmaO\" 130us 1us {TS4=5600, TS5=6160, Power=4000}");
  /* 110: 1000, 120: 3000, 130: 4000 */
  expect_attr(3, "Watts", "4.6875");
  expect_attr(4, "Watts", "2.34375");
}

/* TS4 of the first is 33,040 cycles = 59 us after its end: 1060 us.  2000 units in 40 us. */
static void events_do_not_wait_for_readings(void)
{
  given("X \"a DmaI\" 1000us 1us {TS1=0, TS2=560, TS4=33600, Power=3000}", "X x 1005us 1us",
        "X \"b DmaO\" 1020us 1us {TS4=0, TS5=560, Power=1000}");
  expect("X \"a DmaI\" 1000us 1us {TS1=0, TS2=560, TS4=33600, Power=3000}", "X x 1005us 1us",
         "X \"b DmaO\" 1020us 1us {TS4=0, TS5=560, Power=1000}",
         "C Power 1020us cat=Power4 t=- {Watts=1.171875}");
}

static void equal_charges_are_no_power_and_equal_times_one_reading(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110us 1us {TS4=0, TS5=560, Power=9000}",
        "X \"k DmaO\" 120us 1us {TS4=0, TS5=560, Power=3000}");
  expect_attr(4, "Watts", "0");
  expect_attr(5, "Watts", "4.6875");
  expect_notice(1, 0);
}

/* A unit over 23 ns would be 1.02 W: the reading at 110.023 us counts for none, and what it has counted, 4 of 2004
 * units, is in the interval up to 120 us.  One that is 24 ns later counts: 12 * 1000 * 4 / 512 / 24. */
static void readings_that_are_too_close_are_one(void)
{
  given("X \"k DmaO\" 110us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110023ns 1us {TS4=0, TS5=560, Power=1004}",
        "X \"k DmaO\" 120us 1us {TS4=0, TS5=560, Power=3004}",
        "X \"k DmaO\" 120024ns 1us {TS4=0, TS5=560, Power=3008}");
  expect_attr(4, "Watts", "4.696875");
  expect_attr(5, "Watts", "3.90625");
  expect_notice(1, 0);
}

/* 2^32 - 1000 to 1000 are 2000 units in 10 us. */
static void the_meter_wraps(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=4294966296}",
        "X \"k DmaO\" 110us 1us {TS4=0, TS5=560, charge=\"0x3e8\"}");
  expect_attr(2, "Watts", "4.6875");
}

/* 10 s: at 100 W up to 1000 J, 42,666,666,666 units, which are 9.93 periods: 1000 units and none to nine of 2^32, so
 * 0.0000234375 to 905.9696874375 J.  Then 10 us at 4.6875 W: 46.875 uJ. */
static void a_gap_that_may_hold_a_period_is_not_known(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 10000100us 1us {TS4=0, TS5=560, Power=2000}",
        "X \"k DmaO\" 10000110us 1us {TS4=0, TS5=560, Power=4000}");
  expect_attr(3, "Watts", "0");
  expect_attr(4, "Watts", "4.6875");
  expect_notice(5, 1);
  expect_notice(1, 0);
  expect_table(
      "power-meter",
      "0 | 3 | 0 | 1 | 10000 | 0.000046875 | 1 | 10000000000 | 0.0000234375 | 905.9696874375");
}

/* 100.66 J in 1.006 s are 100.06 W: no room for a period.  In 1.007 s they are 99.96 W. */
static void a_shorter_gap_is_known(void)
{
  given("X \"k DmaO\" 0 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 1006ms 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 2013ms 1us {TS4=0, TS5=560, Power=1000}");
  expect_notice(5, 1);
  expect_table("power-meter", "0 | 3 | 0 | 1 | 1006000000 | 0 | 1 | 1007000000 | 0 | 100.663296");
}

/* From 1,000,000,000 to 500 in 2 s a wrap would be 38.6 W.  500 units are 11.71875 uJ; 200 J at most. */
static void a_meter_that_starts_again_adds_nothing(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000000000}",
        "X \"k DmaO\" 2000100us 1us {TS4=0, TS5=560, Power=500}",
        "X \"k DmaO\" 2000110us 1us {TS4=0, TS5=560, Power=2500}",
        "X \"k DmaO\" 2000120us 1us {TS4=0, TS5=560, Power=500}");
  expect_attr(4, "Watts", "0");
  expect_attr(5, "Watts", "4.6875");
  expect_attr(6, "Watts", "0");
  expect_notice(6, 2);
  expect_notice(5, 0);
  expect_notice(1, 0);
  expect_table("power-meter", "0 | 4 | 0 | 1 | 10000 | 0.000046875 | 2 | 2000010000 | "
                              "0.0000234375 | 200.00099998125");
}

/* Each process has a device: 2000 units in 20 us, 8000 units in 20 us. */
static void processes_have_meters_of_their_own(void)
{
  given("X \"k DmaO\" 100us 1us p=7 {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 105us 1us p=8 {TS4=0, TS5=560, Power=900000}",
        "X \"k DmaO\" 120us 1us p=7 {TS4=0, TS5=560, Power=3000}",
        "X \"k DmaO\" 125us 1us p=8 {TS4=0, TS5=560, Power=908000}");
  expect_attr(4, "Watts", "2.34375");
  expect_attr(5, "Watts", "9.375");
  expect_notice(5, 0);
}

/* 50,000 units in 10 us are 117.1875 W. */
static void too_much_is_nothing_and_counted(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110us 1us {TS4=0, TS5=560, Power=51000}");
  expect_attr(2, "Watts", "0");
  expect_notice(1, 1);
}

/* 50,000,000 units in 10 us are 117,187.5 W. */
static void what_no_device_takes_is_not_advised(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110us 1us {TS4=0, TS5=560, Power=50001000}");
  expect_notice(1, 0);
  expect_notice(8, 1);
}

/* 118 is what the advice says: 117.1875, rounded up. */
static void the_advice_makes_it_known(void)
{
  with("max-watts=118");
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110us 1us {TS4=0, TS5=560, Power=51000}");
  expect_notice(1, 0);
  expect_table("power-meter", "0 | 2 | 0 | 1 | 10000 | 0.001171875 | 0 | 0 | 0 | 0");
}

static void the_limit_is_an_option(void)
{
  with("max-watts=117.1875");
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110us 1us {TS4=0, TS5=560, Power=51000}");
  expect_attr(2, "Watts", "117.1875");
  expect_notice(1, 0);
}

/* Readings at 110, 120 (kernels), 130 (transfer in), 140 (transfer out), 150 (in), 160 (kernel).
 * Left out: 120, 130 (after a kernel) and 150 (in after out). */
#define PAIRS                                                           \
  "X \"k Cmpt Exec\" 100us 10us {TS3=0, TS4=5600, Power=1000}",         \
      "X \"k Cmpt Exec\" 115us 5us {TS3=0, TS4=2800, Power=2000}",      \
      "X \"k DmaI\" 125us 4us {TS1=0, TS2=2240, TS4=2800, Power=3000}", \
      "X \"k DmaO\" 140us 4us {TS4=0, TS5=2240, Power=4000}",           \
      "X \"k DmaI\" 145us 4us {TS1=0, TS2=2240, TS4=2800, Power=5000}", \
      "X \"k Cmpt Exec\" 155us 5us {TS3=0, TS4=2800, Power=7000}"

static void some_pairs_can_be_skipped(void)
{
  with("skip=true");
  given(PAIRS);
  /* 110 to 140: 3000 units in 30 us; 140 to 160: 3000 in 20 us */
  expect(PAIRS, "C Power 110us cat=Power4 t=- {Watts=2.34375}",
         "C Power 140us cat=Power4 t=- {Watts=3.515625}");
}

/* A kernel that is named after a collective is one, and a transfer of one is that. */
static void a_kernel_of_a_collective_is_skipped_as_one(void)
{
  with("skip=true");
  given("X \"AllReduce_1 Cmpt Exec\" 100us 10us {TS3=0, TS4=5600, Power=1000}",
        "X \"AllReduce_2 Cmpt Exec\" 115us 5us {TS3=0, TS4=2800, Power=2000}",
        "X \"AllReduce_2 DmaO\" 140us 4us {TS4=0, TS5=2240, Power=4000}");
  expect_attr(3, "Watts", "2.34375"); /* 3000 units from 110 to 140 us */
  expect_table("power-meter", "0 | 3 | 1 | 1 | 30000 | 0.0000703125 | 0 | 0 | 0 | 0");
}

static void when_all_is_skipped_it_is_said(void)
{
  with("skip=true");
  given("X \"k Cmpt Exec\" 100us 10us {TS3=0, TS4=5600, Power=1000}",
        "X \"k Cmpt Exec\" 115us 5us {TS3=0, TS4=2800, Power=2000}");
  expect_notice(7, 1);
  expect_table("power-meter", "0 | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0");
}

static void short_events_preparations_and_others_give_none(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 101us 100 {TS4=0, TS5=56, Power=2000}",
        "X \"k Cmpt Prep\" 102us 1us {TS2=0, TS3=560, TS4=560, Power=2000}",
        "X \"k DmaO\" 103us - {TS4=0, TS5=56, Power=2000}",
        "X \"k DmaO\" 104us 1us {TS4=0, TS5=560}",
        "i \"k DmaO\" 105us {TS4=0, TS5=560, Power=2000}",
        "X \"k DmaO\" 120us 1us {TS4=0, TS5=560, Power=3000}");
  expect_attr(7, "Watts", "2.34375"); /* 2000 units in the 20 us from the first to the last */
  expect_notice(2, 0);
  expect_notice(3, 0);
}

static void what_cannot_be_read_is_counted(void)
{
  given("X \"k DmaO\" 100us 1us {TS4=0, TS5=560, Power=NaN}",
        "X \"k DmaO\" 101us 1us {TS4=0, TS5=560, Power=-1}",
        "X \"k DmaO\" 102us 1us {TS4=0, TS5=560, Power=4294967296}",
        "X \"k DmaO\" 103us 1us {TS4=0, TS5=560, Power=1.5}",
        "X \"k DmaO\" 104us 1us {TS1=0, TS5=560, Power=1000}",
        "X \"k Cmpt Exec\" 105us 1us {TS4=0, TS5=560, Power=1000}", "X k 106us 1us {Power=1000}");
  expect_notice(2, 4);
  expect_notice(3, 0);
  expect_notice(9, 3);
}

/* Transfers in that have TS3 and no TS4: 2000 units in 10 us. */
#define ONLY_TS3                                                  \
  "X \"k DmaI\" 100us 1us {TS1=0, TS2=560, TS3=560, Power=1000}", \
      "X \"k DmaI\" 110us 1us {TS1=0, TS2=560, TS3=560, Power=3000}"

static void the_other_stamp_is_advised(void)
{
  given(ONLY_TS3);
  expect_notice(3, 2);
}

static void and_it_helps(void)
{
  with("stamp=ts3");
  given(ONLY_TS3);
  expect_notice(3, 0);
  expect_attr(2, "Watts", "4.6875");
}

/* Nothing was taken, which ovc says. */
static void stamps_of_zero_time_nothing(void)
{
  given("X \"k DmaO\" 100us 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=0, Power=1000}",
        "X \"k DmaO\" 110us 1us {TS1=0, TS2=0, TS3=0, TS4=0, TS5=0, Power=3000}");
  expect_notice(3, 0);
  expect_notice(9, 0);
  expect_empty_table("power-meter");
}

static void times_at_the_ends_do_no_harm(void)
{
  given("X k -9223372036854775808 1us {TS1=9223372036854775807, TS4=-9223372036854775808, Power=1}",
        "X k 9223372036854775807 9223372036854775807 {TS1=-9223372036854775808, "
        "TS4=9223372036854775807, Power=4294967295}");
  expect_notice(1, 0);
}

/* The window holds 16,384: that many later ones push the first out, and what lies before it is late. */
static void memory_is_bounded(void)
{
  char line[120];
  for (int i = 0; i < 16386; i++) {
    snprintf(line, sizeof line, "X \"k DmaO\" %dus 1us {TS4=0, TS5=560, Power=%d}", 100 + i, 1 + i);
    given(line);
  }
  given("X k 17000us 1us {TS1=9520000, TS4=0, TS5=9520560, Power=20000}"); /* at 0 us */
  expect_notice(4, 1);
  expect_attr(16386, "Watts", "0.0234375"); /* made at the event before it */
}

static void ranks_have_meters_of_their_own(void)
{
  given_lane("rank=3");
  given("X \"k DmaO\" 100us 1us p=7 t=5 {TS4=0, TS5=560, Power=1000}",
        "X \"k DmaO\" 110us 1us p=7 t=6 {TS4=0, TS5=560, Power=3000}");
  given_lane("rank=-");
  given("X \"k DmaO\" 105us 1us p=7 t=5 {TS4=0, TS5=560, Power=9000}",
        "X \"k DmaO\" 115us 1us p=7 t=5 {TS4=0, TS5=560, Power=9512}");
  expect_lane(0, "X \"k DmaO\" 100us 1us p=7 t=5 {TS4=0, TS5=560, Power=1000}",
              "X \"k DmaO\" 110us 1us p=7 t=6 {TS4=0, TS5=560, Power=3000}",
              "C Power 100us p=3 t=- cat=Power4 {Watts=4.6875}");
  expect_lane(1, "X \"k DmaO\" 105us 1us p=7 t=5 {TS4=0, TS5=560, Power=9000}",
              "X \"k DmaO\" 115us 1us p=7 t=5 {TS4=0, TS5=560, Power=9512}",
              "C Power 105us p=7 t=- cat=Power4 {Watts=1.2}");
}

HARNESS_MAIN(
    { "power is charge over time", power_is_charge_over_time },
    { "a reading of nothing begins nothing", a_reading_of_nothing_begins_nothing },
    { "with ts3 each sort has a counter", with_ts3_each_sort_has_a_counter },
    { "readings are put in order", readings_are_put_in_order },
    { "events do not wait for readings", events_do_not_wait_for_readings },
    { "equal charges are no power, and equal times one reading",
      equal_charges_are_no_power_and_equal_times_one_reading },
    { "readings that are too close are one", readings_that_are_too_close_are_one },
    { "the meter wraps", the_meter_wraps },
    { "too much is nothing, and counted", too_much_is_nothing_and_counted },
    { "what no device takes is not advised", what_no_device_takes_is_not_advised },
    { "the advice makes it known", the_advice_makes_it_known },
    { "the limit is an option", the_limit_is_an_option },
    { "a gap that may hold a period is not known", a_gap_that_may_hold_a_period_is_not_known },
    { "a shorter gap is known", a_shorter_gap_is_known },
    { "a meter that starts again adds nothing", a_meter_that_starts_again_adds_nothing },
    { "processes have meters of their own", processes_have_meters_of_their_own },
    { "a kernel of a collective is skipped as one", a_kernel_of_a_collective_is_skipped_as_one },
    { "when all is skipped it is said", when_all_is_skipped_it_is_said },
    { "some pairs can be skipped", some_pairs_can_be_skipped },
    { "short events, preparations and others give none",
      short_events_preparations_and_others_give_none },
    { "what cannot be read is counted", what_cannot_be_read_is_counted },
    { "the other stamp is advised", the_other_stamp_is_advised }, { "and it helps", and_it_helps },
    { "stamps of zero time nothing", stamps_of_zero_time_nothing },
    { "times at the ends do no harm", times_at_the_ends_do_no_harm },
    { "memory is bounded", memory_is_bounded },
    { "ranks have meters of their own", ranks_have_meters_of_their_own })
