/* Tests of probe/slowdown. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define EXEC(kernel, time, original, impact)                                          \
  "- probe.exec - {kernel=" #kernel ", result=succeed, benchmark=1, kernel_ms=" #time \
  ", original_ms=" #original ", impact=" #impact "}"
#define KERNEL(kernel, plain, probed, spill)                                              \
  "- probe.kernel - {kernel=" #kernel ", registers=" #plain ", probed_registers=" #probed \
  ", spill=" #spill "}"

/* k: 5 of 4 ms, mean of 1.5 and 1; j: 6 of 2.  Together 11 of 6. */
static void sums(void)
{
  given_lane("tag.group=g tag.op=o tag.probe=dmat");
  given(EXEC(k, 3.0, 2.0, 1.5), EXEC(k, 2.0, 2.0, 1.0), "- probe.exec - {kernel=k, result=failed}",
        KERNEL(k, 40, 44, 16));
  given_lane("tag.group=g tag.op=o tag.probe=dmat");
  given(EXEC(j, 6.0, 2.0, 3.0), "- probe.exec - {kernel=j, result=backup, why=filter}",
        KERNEL(j, 10, 20, 0));
  given_lane("tag.group=g tag.op=o tag.probe=block_sched");
  given(EXEC(k, 2.5, 2.0, 1.25), "- probe.kernel - {kernel=k}");
  expect_table("slowdown-kernels", "g | o | block_sched | k | 1 | 1.25 | 1.25 | - | - | - | -",
               "g | o | dmat | j | 1 | 3 | 3 | 10 | 20 | 10 | 0",
               "g | o | dmat | k | 2 | 1.25 | 1.25 | 40 | 44 | 4 | 16");
  expect_table("slowdown", "g | o | block_sched | 1 | 0 | 0 | 1.25 | 1.25 | - | -",
               "g | o | dmat | 3 | 1 | 1 | 1.833333 | 1.833333 | 7 | 10");
  expect_table("slowdown-matrix", "g | o | 1.25\xc3\x97 | - | - | 1.83\xc3\x97 / +10");
}

/* An original time of 0 is none; runs without benchmark have no slowdown. */
static void no_original(void)
{
  given(EXEC(k, 3.0, 0.0, 0.0), "- probe.exec - {kernel=k, result=succeed, kernel_ms=3.0}",
        KERNEL(k, 40, 38, 0));
  expect_table("slowdown", "- | - | - | 1 | 0 | 0 | - | - | -2 | -2");
  expect_table("slowdown-matrix", "- | - | - | - | - | -");
  expect_notice(20, 1);
}

HARNESS_MAIN({ "sums", sums }, { "no original", no_original })
