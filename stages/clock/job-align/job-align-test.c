/* Jobs whose device events lie outside of the round trip: moved, left alone, overlapping. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define TRIP(ts, dur) "X \"AIU Roundtrip\" " ts " " dur
#define TRIP_OF(job, ts, dur) TRIP(ts, dur) " {jobname=" job "}"
#define DEVICE(ts, dur) "X \"a DmaI\" " ts " " dur " {TS1=1, TS2=2"
#define DEVICE_OF(job, ts, dur) DEVICE(ts, dur) ", jobname=" job

/* The first device event begins 698 us before the round trip. */
static void a_shifted_job_is_moved_into_its_round_trip(void)
{
  given(TRIP("300018us", "138.2us"), DEVICE("299320us", "6us") "}", "X host 299400us 5us {a=1}",
        DEVICE("299330us", "100us") "}");
  expect(TRIP("300018us", "138.2us"), DEVICE("300018us", "6us") ", ts_adj=698.0}",
         "X host 299400us 5us {a=1}", DEVICE("300028us", "100us") ", ts_adj=698.0}");
  expect_table("job-align",
               "0 |  | 300018000 | 300156200 | 299320000 | 299430000 | 698000 | 28200");
  expect_notice(1, 1);
}

static void the_order_of_events_does_not_matter(void)
{
  given(DEVICE("299320us", "6us") "}", TRIP("300018us", "138.2us"));
  expect(DEVICE("300018us", "6us") ", ts_adj=698.0}", TRIP("300018us", "138.2us"));
}

/* Behind the round trip, 50 to 60 us; 30 us back. */
static void a_job_may_be_shifted_backwards(void)
{
  given(TRIP("20us", "20us"), DEVICE("50us", "10us") "}");
  expect(TRIP("20us", "20us"), DEVICE("20us", "10us") ", ts_adj=-30.0}");
}

static void jobs_that_fit_stay(void)
{
  given(TRIP("10us", "10us"), TRIP("30us", "10us"), DEVICE("10us", "5us") "}",
        DEVICE("25us", "15us") "}");
  expect(TRIP("10us", "10us"), TRIP("30us", "10us"), DEVICE("10us", "5us") "}",
         DEVICE("25us", "15us") "}");
  for (uint32_t number = 1; number <= 4; number++) expect_notice(number, 0);
}

/* j1 fits: its device begins 10 us after its round trip, and so do the others. */
static void each_job_has_an_offset_of_its_own(void)
{
  given(TRIP_OF("j0", "100us", "50us"), DEVICE_OF("j0", "80us", "10us") "}",
        TRIP_OF("j1", "200us", "50us"), DEVICE_OF("j1", "210us", "10us") "}",
        TRIP_OF("j2", "300us", "50us"), DEVICE_OF("j2", "345us", "10us") "}");
  expect(TRIP_OF("j0", "100us", "50us"), DEVICE_OF("j0", "110us", "10us") ", ts_adj=30.0}",
         TRIP_OF("j1", "200us", "50us"), DEVICE_OF("j1", "210us", "10us") "}",
         TRIP_OF("j2", "300us", "50us"), DEVICE_OF("j2", "310us", "10us") ", ts_adj=-35.0}");
  expect_notice(1, 2);
  expect_notice(3, 0);
}

/* Of 4, 6 and 30 us the middle one. */
static void the_usual_slack_is_a_median(void)
{
  given(TRIP_OF("j0", "100us", "50us"), DEVICE_OF("j0", "104us", "10us") "}",
        TRIP_OF("j1", "200us", "50us"), DEVICE_OF("j1", "230us", "10us") "}",
        TRIP_OF("j2", "300us", "50us"), DEVICE_OF("j2", "306us", "10us") "}",
        TRIP_OF("j3", "400us", "50us"), DEVICE_OF("j3", "370us", "10us") "}");
  expect_attr(7, "ts_adj", "36.0");
  expect_notice(1, 1);
}

/* The device began 5 us after the round trip, and its times are 205 us early. */
static void the_slack_may_be_given(void)
{
  with("slack=5us");
  given(TRIP("1000us", "100us"), DEVICE("800us", "60us") "}");
  expect(TRIP("1000us", "100us"), DEVICE("1005us", "60us") ", ts_adj=205.0}");
  expect_table("job-align", "0 |  | 1000000 | 1100000 | 800000 | 860000 | 205000 | 40000");
}

/* 97 of 100 us are the device's: only 3 are left. */
static void the_slack_stays_within_the_round_trip(void)
{
  with("slack=5us");
  given(TRIP("1000us", "100us"), DEVICE("800us", "97us") "}");
  expect_attr(1, "ts_adj", "203.0");
}

/* The first device event ends last, at 65 us, 15 us behind the round trip; 55 us do not go into 30. */
static void the_range_is_that_of_all_device_events(void)
{
  given(TRIP("20us", "30us"), DEVICE("10us", "55us") "}", DEVICE("22us", "1us") "}");
  expect(TRIP("20us", "30us"), DEVICE("10us", "55us") "}", DEVICE("22us", "1us") "}");
  expect_notice(2, 1);
  expect_notice(1, 0);
}

static void a_job_without_round_trip_is_left_alone(void)
{
  given("X \"AIU Roundtrip 2\" 20us 30us", DEVICE("10us", "55us") "}", TRIP_OF("j1", "5us", "5us"));
  expect("X \"AIU Roundtrip 2\" 20us 30us", DEVICE("10us", "55us") "}",
         TRIP_OF("j1", "5us", "5us"));
  expect_table("job-align", "0 |  | - | - | 10000 | 65000 | 0 | -",
               "0 | j1 | 5000 | 10000 | - | - | 0 | -");
  expect_notice(4, 1);
}

/* j1 begins when j0 ends; j2's device events follow those of j0, but not its round trip. j3 is apart. */
static void jobs_that_overlap_are_counted(void)
{
  given(TRIP_OF("j0", "100us", "50us"), TRIP_OF("j1", "150us", "50us"),
        TRIP_OF("j2", "120us", "100us"), DEVICE_OF("j2", "130us", "10us") "}",
        TRIP_OF("j3", "300us", "50us"), DEVICE_OF("j3", "310us", "10us") "}");
  expect_notice(3, 2);
}

/* Round trips follow each other, device events do not: those of j0 do not go into their round trip and
 * end at 230 us. */
static void devices_that_overlap_are_counted(void)
{
  given(TRIP_OF("j0", "100us", "50us"), DEVICE_OF("j0", "100us", "130us") "}",
        TRIP_OF("j1", "200us", "50us"), DEVICE_OF("j1", "210us", "10us") "}");
  expect_notice(2, 1);
  expect_notice(3, 1);
}

static void torch_traces_pass_unchanged(void)
{
  given_lane("dialect=kineto");
  given(TRIP("20us", "20us"), DEVICE("50us", "10us") "}");
  expect(TRIP("20us", "20us"), DEVICE("50us", "10us") "}");
  expect_empty_table("job-align");
}

static void extremes_stay_as_they_are(void)
{
  given("X \"AIU Roundtrip\" 9223372036854775807 9223372036854775807",
        DEVICE("-9223372036854775807", "1") "}", DEVICE("9223372036854775807", "-") "}",
        "X \"a DmaI\" 5 5 {TS1=nan}", "X \"AIU Roundtrip\" 7 -");
  expect_attr(1, "ts_adj", NULL);
  expect_notice(2, 1);
}

/* Device events 2 us long, one each 10 us, all 40 us early; the first at 1 s. */
static void many_events_are_no_matter(void)
{
  char line[100];
  given(TRIP("1000040us", "1000010us"));
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X \"a DmaI\" %dus 2us {TS1=%d, TS2=%d}", 1000000 + i * 10, i, i);
    given(line);
  }
  expect_table("job-align",
               "0 |  | 1000040000 | 2000050000 | 1000000000 | 1999992000 | 40000 | 18000");
  expect_attr(100000, "ts_adj", "40.0");
}

HARNESS_MAIN({ "a shifted job is moved into its round trip",
               a_shifted_job_is_moved_into_its_round_trip },
             { "the order of events does not matter", the_order_of_events_does_not_matter },
             { "a job may be shifted backwards", a_job_may_be_shifted_backwards },
             { "jobs that fit stay", jobs_that_fit_stay },
             { "each job has an offset of its own", each_job_has_an_offset_of_its_own },
             { "the usual slack is a median", the_usual_slack_is_a_median },
             { "the slack may be given", the_slack_may_be_given },
             { "the slack stays within the round trip", the_slack_stays_within_the_round_trip },
             { "the range is that of all device events", the_range_is_that_of_all_device_events },
             { "a job without round trip is left alone", a_job_without_round_trip_is_left_alone },
             { "jobs that overlap are counted", jobs_that_overlap_are_counted },
             { "devices that overlap are counted", devices_that_overlap_are_counted },
             { "torch traces pass unchanged", torch_traces_pass_unchanged },
             { "extremes stay as they are", extremes_stay_as_they_are },
             { "many events are no matter", many_events_are_no_matter })
