/* Tests of dist.c: the cells of a distribution, and how it is saved. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/dist.h"

#include <math.h>
#include <stagemill/harness.h>

#include "check.h"

static void empty_ones_have_no_numbers(void)
{
  Dist d = { 0 };
  CHECK(isnan(dist_mean(&d)));
  CHECK(isnan(dist_std(&d)));
  CHECK(isnan(dist_percentile(&d, 50)));
}

/* 2, 4, 9: mean 5, median 4, squares of distances 9 + 1 + 16 = 26, / 2 = 13. */
static void numbers_of_three_values(void)
{
  Hists all;
  Dist d = { 0 };
  hists_init(&all, harness_host()->common, 10);
  CHECK(dist_add(&d, &all, 9) && dist_add(&d, &all, 2));
  CHECK(dist_add(&d, &all, 4));
  CHECK(dist_mean(&d) == 5 && dist_percentile(&d, 50) == 4);
  CHECK(fabs(dist_std(&d) - sqrt(13)) < 1e-12);
  CHECK_INT(d.moments.min, 2);
  hists_clear(&all);
}

TEST_MAIN({ "empty ones have no numbers", empty_ones_have_no_numbers },
          { "numbers of three values", numbers_of_three_values })
