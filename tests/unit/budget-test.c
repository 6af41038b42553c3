/* The meter of held memory. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "model/budget.h"

static void test_meter(void)
{
  Budget b = { .limit_bytes = 1000 };
  static const struct {
    int64_t change;
    bool tight, exceeded;
    uint64_t peak;
  } rows[] = {
    { 700, false, false, 700 }, { 50, false, false, 750 }, { 1, true, false, 751 },
    { 249, true, false, 1000 }, { 1, true, true, 1001 },   { -900, false, false, 1001 }
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].change > 0)
      budget_charge(&b, (uint64_t)rows[i].change);
    else
      budget_release(&b, (uint64_t)-rows[i].change);
    CHECK_INT(budget_is_tight(&b), rows[i].tight);
    CHECK_INT(budget_exceeded(&b), rows[i].exceeded);
    CHECK_INT(b.peak_bytes, rows[i].peak);
  }
}

static void test_default(void)
{
  uint64_t bytes = budget_default();
  CHECK(bytes >= 1 << 20);
  CHECK(bytes < UINT64_MAX / 4);
}

TEST_MAIN({ "charged and released", test_meter }, { "half of what there is", test_default })
