/* Tests of probe/traffic. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define BYTES "- probe.section - {section=0, schema=gmem_bytes, level=1, capacity=1, units=4}"
#define OPERATIONS \
  "- probe.section - {section=1, schema=tensorop_count, level=1, capacity=1, units=4}"
#define PROGRESS \
  "- probe.section - {section=0, schema=program_progress, level=1, capacity=9, units=3}"

static void totals(void)
{
  given(BYTES, OPERATIONS, "- probe.unit - {section=0, block=0, unit=0, sync=4294967295, async=1}",
        "- probe.unit - {section=0, block=0, unit=1, sync=4294967295, async=0}",
        "- probe.unit - {section=0, block=1, unit=0, sync=2, async=16}",
        "- probe.unit - {section=1, block=0, unit=0, count=5}",
        "- probe.unit - {section=1, block=1, unit=0, count=0}",
        "- probe.unit - {section=1, block=1, unit=1, count=7}");
  expect_table("gmem-bytes", "0 | 8589934592 | 17 | 8589934609 | gmem_bytes:8589934609");
  expect_table("tensorop", "0 | 1 | 12 | 3 | 2 | 7");
  expect_table("traffic-block", "0 | 0 | 8589934591 | 5", "0 | 1 | 18 | 7");
  expect_metric("gmem_bytes", NULL, "8589934609");
  expect_metric("tensorops", NULL, "12");
}

/* The same by the block: lists of its threads, with one place each. */
static void lists(void)
{
  given(BYTES, OPERATIONS,
        "- probe.unit - {section=0, block=0, sync=[4294967295,4294967295], async=[1,0]}",
        "- probe.unit - {section=0, block=1, sync=2, async=16}",
        "- probe.unit - {section=1, block=0, count=5}",
        "- probe.unit - {section=1, block=1, count=[0,7]}");
  expect_table("gmem-bytes", "0 | 8589934592 | 17 | 8589934609 | gmem_bytes:8589934609");
  expect_table("tensorop", "0 | 1 | 12 | 3 | 2 | 7");
  expect_table("traffic-block", "0 | 0 | 8589934591 | 5", "0 | 1 | 18 | 7");
}

/* A list of a thread with several places is that thread's. */
static void places(void)
{
  given("- probe.section - {section=0, schema=tensorop_count, level=1, capacity=3, units=2}",
        "- probe.unit - {section=0, block=0, unit=0, count=[5,6]}",
        "- probe.unit - {section=0, block=0, unit=1}");
  expect_table("tensorop", "0 | 0 | 11 | 2 | 1 | 11");
}

/* What goes on in a further record is of the same thread. */
static void long_thread(void)
{
  given("- probe.section - {section=0, schema=tensorop_count, level=1, capacity=5000, units=2}",
        "- probe.unit - id=0 {section=0, block=0, unit=0, count=[5,6]}",
        "- probe.unit - id=0 {section=0, block=0, unit=0, place=4096, count=[7]}",
        "- probe.unit - id=1 {section=0, block=0, unit=1}");
  expect_table("tensorop", "0 | 0 | 18 | 2 | 1 | 18");
}

/* Two probes of the same threads: these are not twice as many. */
static void of_two_sections(void)
{
  given("- probe.section - {section=0, schema=tensorop_count, level=1, capacity=1, units=2}",
        OPERATIONS, "- probe.unit - {section=0, block=0, unit=0, count=[5,6]}",
        "- probe.unit - {section=1, block=0, unit=0, count=[0,7]}");
  expect_table("tensorop", "0 | 0 | 11 | 2 | 2 | 6", "0 | 1 | 7 | 2 | 1 | 7");
  expect_metric("tensorops", NULL, "18");
}

/* The second thread goes on in a further record. */
static void progress(void)
{
  given(PROGRESS, "- probe.unit - id=0 {section=0, block=0, unit=0, clock=[30,0,40]}",
        "- probe.unit - id=1 {section=0, block=0, unit=1, clock=[10,11,12]}",
        "- probe.unit - id=1 {section=0, block=0, unit=1, place=3, clock=[13,99]}",
        "- probe.unit - id=2 {section=0, block=0, unit=2}");
  expect_table("progress", "0 | 0 | 7 | 0 | 5 | 9 | 10 | 99");
  expect_empty_table("gmem-bytes");
  expect_metric("gmem_bytes", NULL, NULL);
}

static void many_blocks(void)
{
  given(BYTES, "- probe.unit - {section=0, block=0, unit=0, sync=1, async=0}",
        "- probe.unit - {section=0, block=1, unit=0, sync=2, async=0}",
        "- probe.unit - {section=0, block=16384, unit=0, sync=4, async=0}",
        "- probe.unit - {section=0, block=16385, unit=0, sync=8, async=0}");
  static char lines[8193][40];
  const char *rows[8194];
  for (int i = 0; i < 8193; i++) {
    snprintf(lines[i], sizeof lines[i], "0 | %d | %d | -", 2 * i, i == 0 ? 3 : i == 8192 ? 12 : 0);
    rows[i] = lines[i];
  }
  rows[8193] = NULL;
  harness_expect_table(HARNESS_AT, "traffic-block", rows);
  expect_notice(20, 1);
}

HARNESS_MAIN({ "totals", totals }, { "lists", lists }, { "places", places },
             { "long thread", long_thread }, { "of two sections", of_two_sections },
             { "progress", progress }, { "many blocks", many_blocks })
