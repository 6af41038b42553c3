/* Tests of microseconds in text. */
/* SPDX-License-Identifier: MIT */
#include "clock/lib/micros.h"

#include "check.h"

static const char *written(int64_t ns)
{
  static char text[MICROS_MAX + 1];
  text[micros_write(text, ns)] = 0;
  return text;
}

static void whole_numbers_have_no_point(void)
{
  CHECK_STR(written(0), "0");
  CHECK_STR(written(698000), "698");
  CHECK_STR(written(-5000), "-5");
}

static void decimals_end_in_no_zero(void)
{
  CHECK_STR(written(-9821), "-9.821");
  CHECK_STR(written(-71), "-0.071");
  CHECK_STR(written(1500), "1.5");
  CHECK_STR(written(10), "0.01");
}

static void extremes_are_exact(void)
{
  CHECK_STR(written(INT64_MAX), "9223372036854775.807");
  CHECK_STR(written(INT64_MIN), "-9223372036854775.808");
}

TEST_MAIN({ "whole numbers have no point", whole_numbers_have_no_point },
          { "decimals end in no zero", decimals_end_in_no_zero },
          { "extremes are exact", extremes_are_exact })
