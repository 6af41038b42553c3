/* Tests of counter frequencies: wraps, outliers, and how sure an estimate is. */
/* SPDX-License-Identifier: MIT */
#include "clock/lib/rate.h"

#include <stagemill/harness.h>

#include "check.h"

static void cycles_are_rounded_down(void)
{
  CHECK_INT(rate_cycles(560000000, 1), 0);
  CHECK_INT(rate_cycles(560000000, -1), -1);
  CHECK_INT(rate_cycles(560000000, 9000000000), 5040000000);
}

/* 5,040,000,000 is a period (4,294,967,296) and 745,032,704. */
static void a_count_goes_to_the_nearest_period(void)
{
  CHECK_INT(rate_nearest(100, 5040000000), INT64_C(4294967396));
  CHECK_INT(rate_nearest(100, 90), 100);
  CHECK_INT(rate_nearest(4294967290, 10), -6);
  CHECK_INT(rate_nearest(-10, 20), -10);
  CHECK_INT(rate_nearest(0, RATE_PERIOD / 2), RATE_PERIOD);
}

static void a_frequency_is_shown_in_kilohertz(void)
{
  CHECK(rate_mhz(557200499) == 557.2);
  CHECK(rate_mhz(557200500) == 557.201);
}

/* Ten pairs 20 ms apart at 560 MHz, across a wrap. */
static void wraps_do_not_count(void)
{
  static Rate rate;
  int64_t count = RATE_PERIOD - 56000000;
  for (int64_t i = 0; i <= 10; i++)
    rate_see(harness_host()->common, &rate, i * 20000000, (count + i * 11200000) % RATE_PERIOD);
  RateEstimate e = rate_estimate(&rate);
  CHECK_INT(e.hz, 560000000);
  CHECK_INT(e.pairs, 10);
  CHECK_INT(e.span_ns, 200000000);
  CHECK(rate_is_sure(&e));
}

/* Only pairs of 1 ms to 1 s count; 2 are not enough. */
static void short_and_long_gaps_are_left_out(void)
{
  static Rate rate;
  rate_see(harness_host()->common, &rate, 0, 0);
  rate_see(harness_host()->common, &rate, 999999, 5);
  rate_see(harness_host()->common, &rate, 1000000, 560000);
  rate_see(harness_host()->common, &rate, 5000000000, 77);
  rate_see(harness_host()->common, &rate, 5002000000, 1120077);
  RateEstimate e = rate_estimate(&rate);
  CHECK_INT(e.pairs, 2);
  CHECK_INT(e.hz, 560000000);
  CHECK(!rate_is_sure(&e));
}

static void nothing_gives_no_estimate(void)
{
  static Rate rate;
  CHECK_INT(rate_estimate(&rate).hz, 0);
}

/* 20,000 pairs: memory is bounded, and the estimate stays. */
static void many_pairs_are_thinned(void)
{
  static Rate rate;
  for (int64_t i = 0; i <= 20000; i++)
    rate_see(harness_host()->common, &rate, i * 1000000, i * 557200 % RATE_PERIOD);
  RateEstimate e = rate_estimate(&rate);
  CHECK(e.pairs < RATE_PAIRS_MAX);
  CHECK_INT(e.hz, 557200000);
}

TEST_MAIN({ "cycles are rounded down", cycles_are_rounded_down },
          { "a count goes to the nearest period", a_count_goes_to_the_nearest_period },
          { "a frequency is shown in kilohertz", a_frequency_is_shown_in_kilohertz },
          { "wraps do not count", wraps_do_not_count },
          { "short and long gaps are left out", short_and_long_gaps_are_left_out },
          { "nothing gives no estimate", nothing_gives_no_estimate },
          { "many pairs are thinned", many_pairs_are_thinned })
