/* Tests of torch/osrt-sum. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

/* Of 10, 20 and 60 us: mean 30, median 20, squares of distances (400 + 100 + 900) / 2, root 26.4575131 us. */
static void by_name(void)
{
  given("X wait 0 10us cat=osrt", "X wait 20us 20us cat=osrt", "X wait 50us 60us cat=osrt",
        "X poll 5us 1us cat=cuda_runtime", "i wait 7us cat=osrt", "X k 0 5us cat=kernel",
        "X launch 40us 4us cat=osrt");
  expect_table("osrt-sum", "0 | wait | 3 | 90000 | 30000 | 20000 | 10000 | 60000 | 26457.5131",
               "0 | launch | 1 | 4000 | 4000 | 4000 | 4000 | 4000 | -");
}

static void without_calls(void)
{
  given("X k 0 5us cat=kernel");
  expect_empty_table("osrt-sum");
}

HARNESS_MAIN({ "by name", by_name }, { "without calls", without_calls })
