/* Frequencies of counters: by kernels, by intervals, by jobs; over wraps and long gaps. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define KERNEL(ts, dur, from, to) "X \"k Cmpt Exec\" " ts " " dur " {TS3=" from ", TS4=" to "}"
#define JOB(ts, count, job) "X \"a DmaI\" " ts " 1us {TS1=" count ", jobname=\"" job "\"}"

static void expect_no_notice(void)
{
  for (uint32_t number = 1; number <= 7; number++) expect_notice(number, 0);
}

/* 11,200 cycles in 20 us are 560 MHz; from 11,200 to 22,800 in 21 us, 552.381. The first kernel has no
 * interval: its own frequency stands in. */
static void kernels_and_intervals_show_the_frequency(void)
{
  given(KERNEL("1015us", "20us", "11200", "22400"), KERNEL("1036us", "20us", "22800", "34000"));
  expect_table("frequencies", "0 | 0 | duration | 2 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 2 | 552.380952 | 556.190476 | 560 | 560");
  expect_no_notice();
}

/* 5,600 cycles before the wrap, 5,600 after it: 11,200 in 20 us. The second kernel lies across the
 * next one; the third is after `ovc`. */
static void wraps_do_not_matter(void)
{
  given(KERNEL("100us", "5us", "4294961696", "4294964496"), KERNEL("120us", "5us", "5600", "8400"),
        KERNEL("140us", "5us", "4294984096", "4294986896"));
  expect_table("frequencies", "0 | 0 | duration | 3 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 3 | 560 | 560 | 560 | 560");
  expect_no_notice();
}

static void a_kernel_may_lie_across_a_wrap(void)
{
  given(KERNEL("100us", "20us", "4294961696", "5600"));
  expect_table("frequencies", "0 | 0 | duration | 1 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 1 | 560 | 560 | 560 | 560");
}

/* 3 s are 1,680,000,000 cycles; 20 s more 11,200,000,000, which is 2 periods (8,589,934,592) and
 * 2,610,065,408: 4,290,065,408 in all. */
static void kernels_may_be_seconds_apart(void)
{
  given(KERNEL("0", "1us", "0", "560"), KERNEL("3s", "1us", "1680000000", "1680000560"),
        KERNEL("23s", "1us", "4290065408", "4290065968"));
  expect_table("frequencies", "0 | 0 | duration | 3 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 3 | 560 | 560 | 560 | 560");
  expect_no_notice();
}

/* 557.2 MHz for 100 s are 55,720,000,000 cycles: 12 periods and 4,180,392,448. At 560 MHz they would
 * be 99.5 s.  For 150 s they are 83,580,000,000: 19 periods and 1,975,621,376. */
#define JOBS_OF_557_2                                           \
  JOB("0", "0", "j0.json(0)"), JOB("1us", "557", "j0.json(0)"), \
      JOB("100s", "4180392448", "j1.json(1)"), JOB("150s", "1975621376", "j2.json(2)")

static void jobs_show_the_frequency(void)
{
  given(JOBS_OF_557_2);
  expect_table("frequencies", "0 | 0 | drift | 2 | 557.2 | 557.2 | 557.2 | 560");
  expect_notice(1, 1);
  expect_notice(2, 0);
}

static void and_with_it_all_is_well(void)
{
  with("soc-mhz=557.2");
  given(JOBS_OF_557_2);
  expect_table("frequencies", "0 | 0 | drift | 2 | 557.2 | 557.2 | 557.2 | 557.2");
  expect_no_notice();
}

/* Two jobs agree with some frequency, also where the device was reset in between. */
static void two_jobs_are_too_few(void)
{
  given(JOB("0", "0", "j0.json(0)"), JOB("100s", "4180392448", "j1.json(1)"));
  expect_table("frequencies", "0 | 0 | drift | 1 | 557.2 | 557.2 | 557.2 | 560");
  expect_notice(1, 0);
  expect_notice(12, 1);
}

/* Eleven events 20 ms apart, 11,144,000 cycles each: 557.2 MHz. */
static void given_steps_of_20_ms(void)
{
  for (int i = 0; i <= 10; i++) {
    char line[100];
    snprintf(line, sizeof line, "X \"a DmaI\" %dms 1us {TS1=%d, jobname=\"j0.json(0)\"}", i * 20,
             i * 11144000);
    given(line);
  }
}

/* 557,200,000,000 cycles in 1000 s are 129 periods and 3,149,218,816. 560 MHz would be 2,800,000,000
 * more, and a period too many; the frequency found over short spans knows better. */
static void jobs_may_be_many_wraps_apart(void)
{
  given_steps_of_20_ms();
  given(JOB("1000s", "3149218816", "j1.json(1)"));
  expect_table("frequencies", "0 | 0 | drift | 1 | 557.2 | 557.2 | 557.2 | 560",
               "0 | 0 | pairs | 10 | - | 557.2 | - | 560");
  expect_notice(1, 1);
}

static void one_job_is_enough_for_advice(void)
{
  given_steps_of_20_ms();
  expect_table("frequencies", "0 | 0 | pairs | 10 | - | 557.2 | - | 560");
  expect_notice(1, 1);
}

/* After 100 ms the device starts again, at 5, and the second job with it: no frequency leads from one to the other. */
static void a_device_that_starts_again_has_no_other_frequency(void)
{
  char line[100];
  for (int i = 0; i < 40; i++) {
    long count = i < 20 ? 1000000000L + i * 5600000L : 5 + (i - 20) * 5600000L;
    snprintf(line, sizeof line, "X \"a DmaI\" %dms 1us {TS1=%ld, jobname=\"%s\"}",
             i < 20 ? i * 10 : 3000 + i * 10, count, i < 20 ? "a" : "b");
    given(line);
  }
  expect_table("frequencies", "0 | 0 | pairs | 38 | - | 560 | - | 560");
  expect_no_notice();
}

/* Eleven events of each process, or rank. */
static void given_steps_of(const char *process, int cycles)
{
  char line[100];
  for (int i = 0; i <= 10; i++) {
    snprintf(line, sizeof line, "X \"a DmaI\" %dms 1us p=%s {TS1=%d}", i * 20, process, i * cycles);
    given(line);
  }
}

static void devices_of_their_own_frequencies_are_told(void)
{
  given_lane("rank=0");
  given_steps_of("0", 11144000);
  given_lane("rank=1");
  given_steps_of("1", 11280000);
  given_lane("rank=2");
  given_steps_of("2", 11200000);
  expect_table("frequencies", "0 | 0 | pairs | 10 | - | 557.2 | - | 560",
               "1 | 1 | drift | 1 | 564 | 564 | 564 | 560",
               "1 | 1 | pairs | 10 | - | 564 | - | 560", "2 | 2 | pairs | 10 | - | 560 | - | 560");
  expect_notice(1, 0);
  expect_notice(8, 2);
}

static void processes_have_counters_of_their_own(void)
{
  given_steps_of("0", 11144000);
  given_steps_of("7", 11280000);
  expect_table("frequencies", "0 | 0 | pairs | 10 | - | 557.2 | - | 560",
               "0 | 7 | drift | 1 | 564 | 564 | 564 | 560",
               "0 | 7 | pairs | 10 | - | 564 | - | 560");
  expect_notice(8, 2);
}

/* 11,200 cycles in 20 ms are 0.56 MHz: times are a thousand times too long. */
static void times_in_nanoseconds_are_told(void)
{
  given_steps_of("0", 11200);
  expect_notice(1, 0);
  expect_notice(11, 1);
}

static void the_right_frequency_needs_no_advice(void)
{
  with("soc-mhz=557.2");
  given_steps_of_20_ms();
  given(JOB("1000s", "3149218816", "j1.json(1)"));
  expect_table("frequencies", "0 | 0 | drift | 1 | 557.2 | 557.2 | 557.2 | 557.2",
               "0 | 0 | pairs | 10 | - | 557.2 | - | 557.2");
  expect_no_notice();
}

/* 10 ms are 5,600,000 cycles, but 16,800,000 pass in 20 ms: the counter would have been at 0 first by
 * the third job. Back from it: 16,800,000 in 20 ms are 840 MHz, 11,200,000 in 10 ms 1120. */
static void jobs_that_disagree_are_noticed(void)
{
  given(JOB("0", "0", "a"), JOB("10ms", "5600000", "b"), JOB("20ms", "16800000", "c"));
  expect_table("frequencies", "0 | 0 | drift | 2 | 840 | 980 | 1120 | 560");
  expect_notice(2, 1);
  expect_notice(1, 0);
}

/* 9,000 cycles in 20 us are 450 MHz, more than a tenth off. Intervals: 450, 560, 560, on average
 * 523.3, within a tenth of which they are not. */
static void durations_that_are_off_are_noticed(void)
{
  given(KERNEL("0", "20us", "0", "9000"), KERNEL("100us", "20us", "56000", "65000"),
        KERNEL("200us", "20us", "112000", "121000"));
  expect_table("frequencies", "0 | 0 | duration | 3 | 450 | 450 | 450 | 560",
               "0 | 0 | interval | 3 | 450 | 523.333333 | 560 | 560");
  expect_notice(3, 0);
  expect_notice(9, 1); /* begins agree with 560 MHz: no advice */
  expect_notice(4, 0);
  expect_notice(5, 1);
}

/* The only interval is its own duration, of which it is said already. */
static void one_kernel_is_said_once(void)
{
  given(KERNEL("0", "20us", "0", "9000"));
  expect_table("frequencies", "0 | 0 | duration | 1 | 450 | 450 | 450 | 560",
               "0 | 0 | interval | 1 | 450 | 450 | 450 | 560");
  expect_notice(3, 0);
  expect_notice(9, 1);
  expect_notice(4, 0);
  expect_notice(10, 0);
}

/* 40,000 cycles in 100 us are 400 MHz; with 560 for the first, 453.3 on average. */
static void intervals_that_are_off_are_noticed(void)
{
  given(KERNEL("0", "20us", "0", "11200"), KERNEL("100us", "20us", "40000", "51200"),
        KERNEL("200us", "20us", "80000", "91200"));
  expect_table("frequencies", "0 | 0 | duration | 3 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 3 | 400 | 453.333333 | 560 | 560");
  expect_notice(3, 0);
  expect_notice(4, 1);
  expect_notice(5, 0);
}

/* Kernels of 20 us and 11,200 cycles whose durations say 20 ms, 15 s apart: no pairs, but kernels that all say so. */
static void kernels_tell_the_unit_of_times(void)
{
  given(KERNEL("0", "20ms", "0", "11200"), KERNEL("15s", "20ms", "8400000", "8411200"),
        KERNEL("30s", "20ms", "16800000", "16811200"));
  expect_notice(11, 1);
  expect_notice(1, 0);
  expect_notice(3, 0);
  expect_notice(9, 0);
}

/* The same in ms: 20 of them are written as 20 us. */
static void and_the_other_one(void)
{
  given(KERNEL("0", "20us", "0", "11200000"), KERNEL("30us", "20us", "16800000", "28000000"),
        KERNEL("60us", "20us", "33600000", "44800000"));
  expect_notice(11, 1);
  expect_notice(1, 0);
}

/* 450 MHz by all: 9,000 cycles in 20 us, 45,000 from begin to begin. */
#define KERNELS_OF_450                                                         \
  KERNEL("0", "20us", "0", "9000"), KERNEL("100us", "20us", "45000", "54000"), \
      KERNEL("200us", "20us", "90000", "99000")

static void durations_and_begins_that_agree_are_advised(void)
{
  given(KERNELS_OF_450);
  expect_notice(3, 1);
  expect_notice(4, 1);
  expect_notice(9, 0);
}

static void and_the_advice_helps(void)
{
  with("soc-mhz=450");
  given(KERNELS_OF_450);
  expect_no_notice();
}

/* 11,200 cycles in 10 us, 50,400 in 100 us: 1120 and 504, with 560 for the first 728 on average.  By 560 MHz counts are 20 us
 * from where they should be, all together; by 728 it is 36. */
static void late_begins_are_no_other_frequency(void)
{
  given(KERNEL("0", "5us", "0", "2800"), KERNEL("10us", "5us", "11200", "14000"),
        KERNEL("110us", "5us", "61600", "64400"));
  expect_table("frequencies", "0 | 0 | duration | 3 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 3 | 504 | 728 | 1120 | 560");
  expect_notice(4, 0);
  expect_notice(10, 1);
}

/* 10,416 cycles in 20 us are 520.8 MHz, 11,984 are 599.2: 14 % of their mean. */
static void frequencies_that_scatter_are_noticed(void)
{
  given(KERNEL("0", "20us", "0", "10416"), KERNEL("100us", "20us", "56000", "67984"));
  expect_table("frequencies", "0 | 0 | duration | 2 | 520.8 | 560 | 599.2 | 560",
               "0 | 0 | interval | 2 | 520.8 | 540.4 | 560 | 560");
  expect_notice(5, 1);
  expect_notice(3, 0);
}

/* Cycles in no time; time without cycles; neither, which is nothing. Then a kernel of the same time. */
static void contradictions_are_left_out(void)
{
  given(KERNEL("1ms", "0", "560000", "560560"), KERNEL("1010us", "1us", "565600", "565600"),
        KERNEL("1020us", "0", "571200", "571200"), KERNEL("1020us", "1us", "571200", "571760"));
  expect_table("frequencies", "0 | 0 | duration | 1 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 3 | 560 | 560 | 560 | 560");
  expect_notice(6, 2);
  expect_notice(7, 1);
}

static void what_says_nothing_is_passed_over(void)
{
  given("X \"k Cmpt Exec\" 1us 1us {TS3=nan, TS4=5}", "X \"k Cmpt Exec\" 2us 1us {TS3=-5, TS4=5}",
        "X \"k Cmpt Exec\" 3us - {TS3=5, TS4=565}", "X host 4us 1us",
        "X k 9223372036854775807 1us {TS1=9223372036854775807, TS5=0}",
        "X k -9223372036854775807 1us {TS1=0, TS5=-9223372036854775808}");
  expect_empty_table("frequencies");
  expect_notice(6, 0);
}

static void lanes_have_counters_of_their_own(void)
{
  given_lane("rank=3");
  given(KERNEL("0", "20us", "0", "11200"));
  given_lane("rank=5");
  given(KERNEL("0", "20us", "7", "11147"));
  expect_table("frequencies", "3 | 0 | duration | 1 | 560 | 560 | 560 | 560",
               "3 | 0 | interval | 1 | 560 | 560 | 560 | 560",
               "5 | 0 | duration | 1 | 557 | 557 | 557 | 560",
               "5 | 0 | interval | 1 | 557 | 557 | 557 | 560");
}

/* 100,000 kernels, 112,000 cycles every 200 us, through 2.6 wraps. */
static void many_events_are_no_matter(void)
{
  char line[100];
  for (long i = 0; i < 100000; i++) {
    long count = i * 112000 % 4294967296;
    snprintf(line, sizeof line, "X \"k Cmpt Exec\" %ldus 10us {TS3=%ld, TS4=%ld}", i * 200, count,
             (count + 5600) % 4294967296);
    given(line);
  }
  expect_table("frequencies", "0 | 0 | duration | 100000 | 560 | 560 | 560 | 560",
               "0 | 0 | interval | 100000 | 560 | 560 | 560 | 560",
               "0 | 0 | pairs | 2500 | - | 560 | - | 560");
  expect_no_notice();
}

HARNESS_MAIN(
    { "kernels tell the unit of times", kernels_tell_the_unit_of_times },
    { "and the other one", and_the_other_one },
    { "one kernel is said once", one_kernel_is_said_once },
    { "kernels and intervals show the frequency", kernels_and_intervals_show_the_frequency },
    { "wraps do not matter", wraps_do_not_matter },
    { "a kernel may lie across a wrap", a_kernel_may_lie_across_a_wrap },
    { "kernels may be seconds apart", kernels_may_be_seconds_apart },
    { "jobs show the frequency", jobs_show_the_frequency },
    { "jobs may be many wraps apart", jobs_may_be_many_wraps_apart },
    { "and with it all is well", and_with_it_all_is_well },
    { "two jobs are too few", two_jobs_are_too_few },
    { "a device that starts again has no other frequency",
      a_device_that_starts_again_has_no_other_frequency },
    { "devices of their own frequencies are told", devices_of_their_own_frequencies_are_told },
    { "processes have counters of their own", processes_have_counters_of_their_own },
    { "times in nanoseconds are told", times_in_nanoseconds_are_told },
    { "one job is enough for advice", one_job_is_enough_for_advice },
    { "the right frequency needs no advice", the_right_frequency_needs_no_advice },
    { "jobs that disagree are noticed", jobs_that_disagree_are_noticed },
    { "durations that are off are noticed", durations_that_are_off_are_noticed },
    { "intervals that are off are noticed", intervals_that_are_off_are_noticed },
    { "durations and begins that agree are advised", durations_and_begins_that_agree_are_advised },
    { "and the advice helps", and_the_advice_helps },
    { "late begins are no other frequency", late_begins_are_no_other_frequency },
    { "frequencies that scatter are noticed", frequencies_that_scatter_are_noticed },
    { "contradictions are left out", contradictions_are_left_out },
    { "what says nothing is passed over", what_says_nothing_is_passed_over },
    { "lanes have counters of their own", lanes_have_counters_of_their_own },
    { "many events are no matter", many_events_are_no_matter })
