/* Tests of probe/exposed-latency. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ROW(probe, original, ncu, neutrino, prologue, kernel, epilogue)                            \
  "- probe.latency - {probe=" #probe ", original=" #original ", ncu=" #ncu ", neutrino=" #neutrino \
  ", prologue=" #prologue ", kernel=" #kernel ", epilogue=" #epilogue "}"

/* 16 of 20: 2 + 11 + 1 are 14, and 30 % of 20 has no part. */
static void parts(void)
{
  given(ROW(dmat, 8.0, 50.0, 20.0, 2.0, 11.0, 1.0));
  expect_table("exposed-latency",
               "0 | dmat | 6.25 | 2.5 | 0.125 | 1.5 | 1.75 | 6.25x | 2.50x | 2.5 | 30");
  expect_table("latency-bars", "0 | dmat | ncu | Nsight Compute | 6.25 | 6.25x",
               "0 | dmat | neutrino | Neutrino (Epilogue) | 0.125 | -",
               "0 | dmat | neutrino | Neutrino (Kernel) | 1.375 | -",
               "0 | dmat | neutrino | Neutrino (Prologue) | 0.25 | 2.50x");
}

/* A source refuses them: here they are no rows. */
static void nothing_to_divide_by(void)
{
  given(ROW(a, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0), ROW(b, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0));
  expect_empty_table("exposed-latency");
}

/* 1e300 has 301 digits before the point; 1e300 / 1e-300 is beyond all numbers. */
static void beyond_clocks(void)
{
  given(ROW(a, 1.0, 1e300, 1.0, 0.0, 1.0, 0.0), ROW(b, 1e-300, 1e300, 1.0, 0.0, 1.0, 0.0));
  expect_table("exposed-latency", "0 | a | 1e+300 | 1 | 0 | 1 | 1 | - | 1.00x | 1e+300 | 0",
               "0 | b | - | 9.999999999999999e+299 | 0 | 9.999999999999999e+299 | "
               "9.999999999999999e+299 | - | - | 1e+300 | 0");
}

HARNESS_MAIN({ "beyond clocks", beyond_clocks }, { "parts", parts },
             { "nothing to divide by", nothing_to_divide_by })
