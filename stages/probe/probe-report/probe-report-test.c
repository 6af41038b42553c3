/* Tests of probe/probe-report. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define LOG "tag.trace=t"

/* 1 + 2 + 1 ms; 600 bytes in 2 ms, 60 operations of 600 bytes. */
static void joined(void)
{
  given_lane(LOG);
  given("- probe.exec - {kernel=k, result=succeed, launch=\"0.5\", memory=64, prologue_ms=1.0, "
        "kernel_ms=2.0, epilogue_ms=1.0}",
        "- probe.exec - {kernel=k, result=failed}",
        "- probe.exec - {kernel=j, result=backup, why=\"cannot find\"}",
        "- probe.kernel - {kernel=k, state=probed, registers=40, probed_registers=44}",
        "- probe.kernel - {kernel=j, state=\"cannot find\"}");
  given_lane(LOG " tag.launch=0.5");
  given("- probe.section - {section=0, schema=gmem_bytes, level=1, capacity=1, units=2}",
        "- probe.section - {section=1, schema=tensorop_count, level=1, capacity=1, units=2}",
        "- probe.unit - {section=0, block=0, unit=0, sync=100, async=200}",
        "- probe.unit - {section=0, block=0, unit=1, sync=300, async=0}",
        "- probe.unit - {section=1, block=0, unit=0, count=60}");
  expect_table("launches",
               "t | - | 0 | k | 0.5 | succeed | - | 64 | 2 | 25 | 25 | 600 | 60 | 300 | 0.1",
               "t | - | 1 | k | - | failed | - | - | - | - | - | - | - | - | -",
               "t | - | 2 | j | - | backup | cannot find | - | - | - | - | - | - | - | -");
  expect_table("kernels", "t | - | j | cannot find | 1 | 0 | 0 | 1 | 0 | - | - | - | -",
               "t | - | k | probed | 2 | 1 | 1 | 0 | 64 | 2 | 50 | 40 | 44");
}

/* The same name of a file in another trace is another launch. */
static void of_another_trace(void)
{
  given_lane("tag.trace=a");
  given("- probe.exec - {kernel=k, result=succeed, launch=\"0.5\"}");
  given_lane("tag.trace=b tag.launch=0.5");
  given("- probe.section - {section=0, schema=gmem_bytes, level=1, capacity=1, units=2}",
        "- probe.unit - {section=0, block=0, unit=0, sync=100, async=200}");
  expect_table("launches", "a | - | 0 | k | 0.5 | succeed | - | - | - | - | - | - | - | - | -");
}

/* Two traces of one name, as each operation has its folder `trace`: their launches are counted apart, from 0. */
static void of_one_name(void)
{
  given_lane("name=gemm/trace/event.log tag.trace=trace");
  given("- probe.exec - {kernel=k, result=succeed, launch=\"0.5\"}",
        "- probe.exec - {kernel=k, result=failed}");
  given_lane("name=attn/trace/event.log tag.trace=trace");
  given("- probe.exec - {kernel=k, result=succeed, launch=\"0.5\"}");
  given_lane("name=attn/trace/result/0.5.bin tag.trace=trace tag.launch=0.5");
  given("- probe.section - {section=0, schema=gmem_bytes, level=1, capacity=1, units=2}",
        "- probe.unit - {section=0, block=0, unit=0, sync=100, async=200}");
  expect_table("launches",
               "trace | attn/trace | 0 | k | 0.5 | succeed | - | - | - | - | - | 300 | - | - | -",
               "trace | gemm/trace | 0 | k | 0.5 | succeed | - | - | - | - | - | - | - | - | -",
               "trace | gemm/trace | 1 | k | - | failed | - | - | - | - | - | - | - | - | -");
  expect_table("kernels", "trace | attn/trace | k | - | 1 | 1 | 0 | 0 | 0 | - | - | - | -",
               "trace | gemm/trace | k | - | 2 | 1 | 1 | 0 | 0 | - | - | - | -");
}

/* Two kernels of one name: what is not known of the second does not replace what is known of the first. */
static void kernels_of_one_name(void)
{
  given_lane(LOG);
  given("- probe.kernel - {kernel=k, state=probed, registers=40, probed_registers=44}",
        "- probe.kernel - {kernel=k, state=probed, probed_registers=42}");
  expect_table("kernels", "t | - | k | probed | 0 | 0 | 0 | 0 | 0 | - | - | 40 | 44");
}

HARNESS_MAIN({ "kernels of one name", kernels_of_one_name }, { "joined", joined },
             { "of one name", of_one_name }, { "of another trace", of_another_trace })
