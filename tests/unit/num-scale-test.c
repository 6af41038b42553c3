/* Numbers of a column, or of a limit and what is held to it, at one scale: num-scale.c */
/* SPDX-License-Identifier: MIT */
#include "base/num-scale.h"

#include <math.h>

#include "check.h"

static void test_scales(void)
{
  static const struct {
    const char *unit;
    double largest, shown;
    bool whole;
    const char *text, *wanted_unit;
  } rows[] = {
    { "ns", 999, 999, true, "999", "ns" },
    { "ns", 1000, 999, true, "0.999", "us" },
    { "ns", 113500, 50000, true, "50.0", "us" },
    { "ns", 12345678, 12345678, true, "12.35", "ms" },
    { "ns", 5e12, 5e12, true, "5,000.0", "s" },
    { "ns", 0.25, 0.25, false, "0.2500", "ns" },
    { "bytes", 1048576, 1572864, true, "1.500", "MiB" },
    { "percent", 12.34, 12.34, false, "12.3", "%" },
    { "percent", 12, 12, true, "12", "%" },
    { "count", 1234567, 1234567, true, "1,234,567", "" },
    { NULL, 7, -7, true, "-7", "" },
    { "ms", 106, 106, true, "106", "ms" },
    { "ms", 31.7, -0.001, false, ">-0.01", "ms" },
    { "ms", 31.7, 0.0049, false, "<0.01", "ms" },
    { "ms", 31.7, 0.005, false, "<0.01",
      "ms" }, /* between the two: rounded to even it would be nothing */
    { "ms", 31.7, 0.0051, false, "0.01", "ms" },
    { "ms", 31.7, 0, false, "0.00", "ms" },
    { "percent", 100, 1e-300, false, "<0.1", "%" },
    { "ns", 5000000000, 1, true, "<0.001", "s" },
    { "us", 1e300, 1e300, false, "1e+300", "us" },
    { "us", 1, NAN, false, "-", "us" },
    { "us", 1, INFINITY, false, "-", "us" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GString) out = g_string_new(NULL);
    NumScale scale = num_scale(rows[i].unit, rows[i].largest, rows[i].whole);
    num_scale_put(out, &scale, rows[i].shown);
    bool good = CHECK_STR(out->str, rows[i].text) && CHECK_STR(scale.unit, rows[i].wanted_unit);
    CHECK(scale.decimals >= 0 && scale.decimals <= NUM_SCALE_MAX_DECIMALS);
    if (!good) CHECK_ROW(rows[i].text);
  }
}

TEST_MAIN({ "scales", test_scales })
