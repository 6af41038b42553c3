/* Tests of the lines of a counter: restarts, clocks that are set, two counters at one time, other frequencies. */
/* SPDX-License-Identifier: MIT */
#include "clock/lib/clock-lines.h"

#include <stagemill/harness.h>

#include "check.h"

#define HZ 560000000
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static int64_t count_at(int64_t hz, int64_t from_zero_ns)
{
  RateWide count = rate_cycles(hz, from_zero_ns);
  return (int64_t)(count - rate_divide_down(count, RATE_PERIOD) * RATE_PERIOD);
}

static ClockLines lines_of(int64_t hz)
{
  return (ClockLines){ .common = harness_host()->common, .hz = hz };
}

/* n counts 20 ms apart, of a counter that is at 0 at zero_ns. */
static uint32_t see(ClockLines *c, ClockJob *job, int64_t hz, int64_t from_ns, int64_t zero_ns,
                    int n)
{
  uint32_t line = UINT32_MAX;
  for (int i = 0; i < n; i++) {
    int64_t ts_ns = from_ns + i * 20 * MS;
    line = clock_lines_see(c, job, ts_ns, count_at(hz, ts_ns - zero_ns));
  }
  return line;
}

/* 1000 s are 130 periods; the drift of 20 ppm makes 20 ms. */
static void one_clock_is_one_line(void)
{
  ClockLines c = lines_of(HZ);
  ClockJob job = { 0 };
  CHECK_INT(see(&c, &job, 560011200, 5 * SECOND, 0, 100), 0);
  CHECK_INT(see(&c, &job, 560011200, 1000 * SECOND, 0, 100), 0);
  CHECK_INT(c.n, 1);
  CHECK_INT(c.found_hz, 560011200);
}

/* At 10 s the counter begins again: by the old line it would be at 5,600,000,000 - 2^32 = 1,305,032,704, 2.33 s. */
static void a_restart_begins_a_line(void)
{
  ClockLines c = lines_of(HZ);
  RateWide epochs[CLOCK_LINES_MAX];
  ClockJob job = { 0 };
  CHECK_INT(see(&c, &job, HZ, 0, 0, 500), 0);
  CHECK_INT(see(&c, &job, HZ, 10 * SECOND, 10 * SECOND, 500), 1);
  CHECK_INT(c.n, 2);
  clock_lines_epochs(&c, epochs);
  CHECK_INT((int64_t)epochs[0], 0);
  /* The last count was at 9.98 s, 5,588,800,000, beyond one period; 0 goes to the second one: 10 s are 2 periods then. */
  CHECK_INT((int64_t)(rate_cycles(HZ, 10 * SECOND) - epochs[1]), 2 * RATE_PERIOD);
}

/* The host's clock goes on by 3 s, the counter does not: its count goes on. */
static void a_clock_that_is_set_begins_a_line(void)
{
  ClockLines c = lines_of(HZ);
  RateWide epochs[CLOCK_LINES_MAX];
  ClockJob job = { 0 };
  see(&c, &job, HZ, 0, 0, 100);
  CHECK_INT(see(&c, &job, HZ, 5 * SECOND, 3 * SECOND, 100), 1);
  clock_lines_epochs(&c, epochs);
  CHECK_INT((int64_t)(rate_cycles(HZ, 5 * SECOND) - epochs[1]), 2 * (int64_t)HZ);
}

/* Two files of one rank: each is a job with a counter of its own, 1 s apart. */
static void two_counters_at_one_time(void)
{
  ClockLines c = lines_of(HZ);
  ClockJob a = { 0 }, b = { 0 };
  for (int i = 0; i < 100; i++) {
    CHECK_INT(see(&c, &a, HZ, i * 20 * MS, 0, 1), 0);
    CHECK_INT(see(&c, &b, HZ, i * 20 * MS + 5 * MS, -SECOND, 1), 1);
  }
  CHECK_INT(c.n, 2);
  CHECK_INT(c.found_hz, HZ);
}

/* 1000 MHz where 560 are true: the frequency is found, and its residual is smaller; and a half is not. */
static void the_frequency_is_found_on_the_way(void)
{
  ClockLines c = lines_of(1000000000);
  ClockJob job = { 0 };
  see(&c, &job, HZ, 0, 0, 100);
  CHECK_INT(c.found_hz, HZ);
  CHECK_INT(c.n, 1);
  CHECK(clock_lines_residual(&c, HZ) < clock_lines_residual(&c, c.hz));
  CHECK_INT((int64_t)clock_lines_residual(&c, HZ), 0);
  CHECK(clock_lines_residual(&c, HZ / 2) > 0);
}

/* 200 restarts: 64 lines, then counts stay where their job was. */
static void there_is_an_end_of_lines(void)
{
  ClockLines c = lines_of(HZ);
  ClockJob job = { 0 };
  for (int i = 0; i < 200; i++) see(&c, &job, HZ, i * 3 * SECOND, i * 3 * SECOND, 20);
  CHECK(c.n <= CLOCK_LINES_MAX);
}

static void times_at_the_ends_do_no_harm(void)
{
  ClockLines c = lines_of(HZ);
  RateWide epochs[CLOCK_LINES_MAX];
  ClockJob job = { 0 };
  clock_lines_see(&c, &job, INT64_MIN, 0);
  clock_lines_see(&c, &job, INT64_MAX, RATE_PERIOD - 1);
  clock_lines_see(&c, &job, INT64_MIN, 5);
  clock_lines_epochs(&c, epochs);
  CHECK(c.n >= 1);
  clock_lines_residual(&c, 1);
}

TEST_MAIN({ "one clock is one line", one_clock_is_one_line },
          { "a restart begins a line", a_restart_begins_a_line },
          { "a clock that is set begins a line", a_clock_that_is_set_begins_a_line },
          { "two counters at one time", two_counters_at_one_time },
          { "the frequency is found on the way", the_frequency_is_found_on_the_way },
          { "there is an end of lines", there_is_an_end_of_lines },
          { "times at the ends do no harm", times_at_the_ends_do_no_harm })
