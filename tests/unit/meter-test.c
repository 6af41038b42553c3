/* What became of one value. */
/* SPDX-License-Identifier: MIT */
#include "compare/meter.h"

#include <math.h>

#include "check.h"

static Measure measure(double min_change, const double *base, int n_base, const double *changed,
                       int n_changed, uint32_t better)
{
  Meter *m = meter_new(min_change, 0.95, 16);
  for (int i = 0; i < n_base; i++) meter_add(m, true, base[i]);
  for (int i = 0; i < n_changed; i++) meter_add(m, false, changed[i]);
  Measure out = meter_take(m, better);
  meter_free(m);
  return out;
}

static void test_one_run(void)
{
  static const struct {
    double base, changed, change, percent;
    const char *verdict;
  } rows[] = {
    { 100, 100, 0, 0, "same" },
    { 100, 101, 1, 1, "same" }, /* not beyond 1 % */
    { 100, 101.5, 1.5, 1.5, "changed" },
    { 81, 71, -10, -12.345679012, "changed" },
    { 0, 0, 0, 0, "same" },
    { 0, 5, 5, NAN, "changed" },
    { -10, -9, 1, 10, "changed" },
    { -10, 10, 20, 200, "changed" },
    { -100, -100.5, -0.5, -0.5, "same" },
    { 5, 0, -5, -100, "changed" },
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    Measure m = measure(0.01, &rows[i].base, 1, &rows[i].changed, 1, MILL_LOWER);
    bool good = CHECK_STR(compare_verdict_name(m.verdict), rows[i].verdict);
    good = CHECK(m.change == rows[i].change) && good;
    good = CHECK(isnan(rows[i].percent) ? isnan(m.percent) : m.percent == rows[i].percent) && good;
    good = CHECK(isnan(m.low_percent) && isnan(m.high_percent)) && good;
    if (!good) printf("\n    in row %zu", i);
  }
}

static void test_lone_side(void)
{
  static const double value = 3;
  Measure m = measure(0.01, &value, 1, NULL, 0, MILL_LOWER);
  CHECK(m.verdict == COMPARE_VANISHED && m.base == 3 && isnan(m.changed) && isnan(m.change));
  m = measure(0.01, NULL, 0, &value, 1, MILL_LOWER);
  CHECK(m.verdict == COMPARE_APPEARED && m.changed == 3 && m.n_changed == 1);
  m = measure(0.01, NULL, 0, NULL, 0, MILL_LOWER);
  CHECK(m.verdict == COMPARE_SAME && isnan(m.base));
  static const double odd[] = { NAN, INFINITY, 4 };
  m = measure(0.01, odd, 3, odd, 2, MILL_LOWER);
  CHECK(m.verdict == COMPARE_VANISHED && m.n_base == 1 && m.base == 4);
}

/* All 16 ratios are from 109/103 to 112/100; with 4 and 4 runs the interval is all of them. */
static void test_repeated(void)
{
  static const double base[] = { 103, 100, 102, 101 }, slow[] = { 110, 109, 112, 111 };
  static const double wide[] = { 90, 95, 112, 130 };
  Measure m = measure(0.01, base, 4, slow, 4, MILL_LOWER);
  CHECK(m.verdict == COMPARE_REGRESSION && m.base == 101.5 && m.changed == 110.5);
  CHECK(fabs(m.low_percent - (109.0 / 103 - 1) * 100) < 1e-8);
  CHECK(fabs(m.high_percent - 12) < 1e-8);
  CHECK(measure(0.01, base, 4, slow, 4, MILL_HIGHER).verdict == COMPARE_IMPROVED);
  CHECK(measure(0.01, base, 4, slow, 4, MILL_NEITHER).verdict == COMPARE_CHANGED);
  CHECK(measure(0.01, slow, 4, base, 4, MILL_LOWER).verdict == COMPARE_IMPROVED);
  CHECK(measure(0.01, base, 4, wide, 4, MILL_LOWER).verdict == COMPARE_NEUTRAL);
  CHECK(measure(0.2, base, 4, slow, 4, MILL_LOWER).verdict == COMPARE_SAME);
  CHECK(measure(0.01, base, 3, slow, 4, MILL_LOWER).verdict == COMPARE_CHANGED);
  CHECK(measure(0.01, base, 4, base, 4, MILL_LOWER).verdict == COMPARE_SAME);
}

/* The medians are 100 and 98, a fall; the median of all ratios is above 1. */
static void test_one_statistic(void)
{
  static const double base[] = { 80, 80, 100, 101, 101 }, changed[] = { 97, 97, 98, 115, 115 };
  Measure m = measure(0.01, base, 5, changed, 5, MILL_LOWER);
  CHECK(m.base == 100 && m.changed == 98 && m.change == -2 && m.percent == -2);
  CHECK(m.low_percent <= m.percent && m.percent <= m.high_percent);
  CHECK(m.verdict == COMPARE_NEUTRAL);
}

/* Differences from -4, -2, 0, 2 to 7 more each: as parts of the base's median, -1, that is 700 %. */
static void test_negative(void)
{
  static const double base[] = { -4, -2, 0, 2 }, changed[] = { 3, 5, 7, 9 };
  Measure m = measure(0.01, base, 4, changed, 4, MILL_LOWER);
  CHECK(m.verdict == COMPARE_REGRESSION && m.change == 7 && m.percent == 700);
  CHECK(m.low_percent == 100 && m.high_percent == 1300);
}

TEST_MAIN({ "one run a side", test_one_run }, { "one side", test_lone_side },
          { "repeated runs", test_repeated }, { "negative values", test_negative },
          { "one statistic", test_one_statistic })
