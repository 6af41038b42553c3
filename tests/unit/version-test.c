/* Versions, and ranges of them. */
/* SPDX-License-Identifier: MIT */
#include "base/version.h"

#include <glib.h>

#include "check.h"

/* Each is before all that follow it. */
static void test_order(void)
{
  static const char *const versions[] = {
    "0.9", "1.0.0-rc1", "1.0.0", "1.0.1", "1.2", "1.10", "2"
  };
  for (size_t a = 0; a < G_N_ELEMENTS(versions); a++)
    for (size_t b = 0; b < G_N_ELEMENTS(versions); b++) {
      int order = version_compare(versions[a], versions[b]);
      if (!CHECK_INT((order > 0) - (order < 0), (a > b) - (a < b)))
        CHECK_ROW(versions[a]), CHECK_ROW(versions[b]);
    }
  CHECK_INT(version_compare("1.2", "1.2.0"), 0);
}

static void test_fits(void)
{
  static const struct {
    const char *version, *range;
    bool fits;
  } rows[] = {
    { "1.2.0", ">=1.2", true },  { "1.1.9", ">=1.2", false },  { "1.2", ">1.2", false },
    { "1.2.1", ">1.2", true },   { "2.0", ">=1.2,<2", false }, { "1.9", ">=1.2, <2", true },
    { "1.2.0", "1.2", true },    { "1.2.1", "=1.2", false },   { "1.2", "<=1.2", true },
    { "2.0.0-rc1", "<2", true }, { "1.3", "<=1.2", false },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!CHECK_INT(version_fits(rows[i].version, rows[i].range), rows[i].fits))
      CHECK_ROW(rows[i].version), CHECK_ROW(rows[i].range);
}

static void test_ranges(void)
{
  static const char *const good[] = { "1", "1.2.0", ">=1.2,<2", " >1 ", "=1.0-rc1" };
  static const char *const bad[] = { "",     ",",    ">=",     "x",    "1.",
                                     "1..2", "^1.2", ">=1.2,", "1.2x", "1-" };
  for (size_t i = 0; i < G_N_ELEMENTS(good); i++)
    if (!CHECK(version_is_range(good[i]))) CHECK_ROW(good[i]);
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
    if (!CHECK(!version_is_range(bad[i]))) CHECK_ROW(bad[i]);
}

TEST_MAIN({ "order", test_order }, { "what fits", test_fits }, { "what is a range", test_ranges })
