/* Arrows from launches to kernels and waits: ids, ranks, and what has no partner. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

#define HEAD                                                             \
  "X \"aiuLaunchControlBlock\" 5000us 20us cat=cpu_op {correlation=11}", \
      "s ac2g 5010us t=1 cat=ac2g id=11",                                \
      "X \"aiuScheduleWait\" 5030us 405us t=2 {correlation=11}",         \
      "X \"aiuMalloc\" 5035us 1us {correlation=13}"

/* Kernels of 80 us at 5060, 5160 and 5260; the wait ends at 5435; 13 is the largest id. */
static void each_kernel_and_the_wait_get_an_arrow(void)
{
  given(HEAD, "X k 5060us 80us t=7 cat=kernel {correlation=11}",
        "X k 5160us 80us t=7 cat=kernel {correlation=11}",
        "X k 5260us 80us t=8 cat=kernel {correlation=11}");
  expect(HEAD, "X k 5060us 80us t=7 cat=kernel {correlation=11}",
         "s ac2g 5010us t=1 cat=ac2g id=14", "f ac2g 5060us t=7 cat=ac2g id=14 bp=e",
         "X k 5160us 80us t=7 cat=kernel {correlation=11}", "s ac2g 5010us t=1 cat=ac2g id=15",
         "f ac2g 5160us t=7 cat=ac2g id=15 bp=e", "X k 5260us 80us t=8 cat=kernel {correlation=11}",
         "s ac2g 5010us t=1 cat=ac2g id=16", "f ac2g 5260us t=8 cat=ac2g id=16 bp=e",
         "s ac2g 5339999 t=8 cat=ac2g id=17", "f ac2g 5435us t=2 cat=ac2g id=17 bp=e");
  expect_notice(1, 0);
  expect_notice(2, 0);
  expect_notice(3, 0);
}

/* The launch may come after the kernel in the file, and ids pass over those of flows, too. */
static void the_order_of_the_file_does_not_matter(void)
{
  given("X k 60us 80us cat=kernel {correlation=3}", "f x 65us id=0x14", "s l 10us id=3");
  expect("X k 60us 80us cat=kernel {correlation=3}", "s l 10us id=21", "f l 60us id=21 bp=e",
         "f x 65us id=0x14", "s l 10us id=3");
}

/* Rank 2 has the same correlation; its ids begin at 2 * 2^32. */
static void ranks_do_not_mix(void)
{
  given_lane("rank=0");
  given("s l 10us id=3", "X k 60us 80us cat=kernel {correlation=3}");
  given_lane("rank=2");
  given("X k 60us 80us cat=kernel {correlation=4}", "s l 20us id=4");
  expect_lane(0, "s l 10us id=3", "X k 60us 80us cat=kernel {correlation=3}", "s l 10us id=4",
              "f l 60us id=4 bp=e");
  expect_lane(1, "X k 60us 80us cat=kernel {correlation=4}", "s l 20us id=8589934597",
              "f l 60us id=8589934597 bp=e", "s l 20us id=4");
}

static void kernels_of_flex_have_no_correlation(void)
{
  given_lane("dialect=aiu");
  given("X k 60us 80us cat=kernel");
  expect("X k 60us 80us cat=kernel");
  expect_notice(2, 0);
}

/* The second kernel ends 1 ns after the wait, the third just with it. */
static void a_kernel_after_its_wait_is_counted(void)
{
  given("s l 10us id=3", "X k 60us 80us cat=kernel {correlation=3}",
        "X k 60us 140002 cat=kernel {correlation=3}", "X ScheduleWait 50us 150us {correlation=3}");
  expect("s l 10us id=3", "X k 60us 80us cat=kernel {correlation=3}", "s l 10us id=4",
         "f l 60us id=4 bp=e", "X k 60us 140002 cat=kernel {correlation=3}", "s l 10us id=5",
         "f l 60us id=5 bp=e", "X ScheduleWait 50us 150us {correlation=3}", "s l 139999 id=6",
         "f l 200us id=6 bp=e");
  expect_notice(1, 1);
}

static void what_has_no_launch_gets_no_arrow(void)
{
  given("X k 60us 80us cat=kernel", "X k 61us 80us cat=kernel {correlation=0}",
        "X k 62us 80us cat=kernel {correlation=5}", "X k 63us 80us cat=kernel {correlation=soon}",
        "X k 64us 80us cat=gpu_memcpy {correlation=6}", "s b 1us cat=fwdbwd id=7",
        "X k 65us 80us cat=kernel {correlation=7}", "X ScheduleWait 70us 80us {correlation=5}",
        "X ScheduleWait 70us 80us {correlation=8}", "s b 1us id=8");
  expect("X k 60us 80us cat=kernel", "X k 61us 80us cat=kernel {correlation=0}",
         "X k 62us 80us cat=kernel {correlation=5}", "X k 63us 80us cat=kernel {correlation=soon}",
         "X k 64us 80us cat=gpu_memcpy {correlation=6}", "s b 1us cat=fwdbwd id=7",
         "X k 65us 80us cat=kernel {correlation=7}", "X ScheduleWait 70us 80us {correlation=5}",
         "X ScheduleWait 70us 80us {correlation=8}", "s b 1us id=8");
  expect_notice(2, 2);
  expect_notice(3, 2);
}

static void odd_values_do_no_harm(void)
{
  given("s l -9223372036854775808 id=0x7fffffffffffffff", "s l 5 id=3",
        "X k 9223372036854775807 9223372036854775807 cat=kernel {correlation=9223372036854775807}",
        "X k -9223372036854775808 0 cat=kernel {correlation=3}",
        "X ScheduleWait 9223372036854775807 5 {correlation=3}",
        "X k 7 0 cat=kernel {correlation=-9223372036854775808}");
  expect_notice(3, 1); /* the last */
  expect_notice(1, 0);
}

/* Each of 50,000 launches has a kernel; the last id is 50,000. */
static void a_hundred_thousand_events(void)
{
  char line[80];
  for (int i = 1; i <= 50000; i++) {
    snprintf(line, sizeof line, "s l %d id=%d", i, i);
    given(line);
    snprintf(line, sizeof line, "X k %d 1 cat=kernel {correlation=%d}", 50000 + i, i);
    given(line);
  }
  expect_notice(3, 0);
  expect_notice(1, 0);
}

HARNESS_MAIN({ "each kernel and the wait get an arrow", each_kernel_and_the_wait_get_an_arrow },
             { "the order of the file does not matter", the_order_of_the_file_does_not_matter },
             { "ranks do not mix", ranks_do_not_mix },
             { "a kernel after its wait is counted", a_kernel_after_its_wait_is_counted },
             { "what has no launch gets no arrow", what_has_no_launch_gets_no_arrow },
             { "kernels of FLEX have no correlation", kernels_of_flex_have_no_correlation },
             { "odd values do no harm", odd_values_do_no_harm },
             { "a hundred thousand events", a_hundred_thousand_events })
