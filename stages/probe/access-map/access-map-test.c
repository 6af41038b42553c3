/* Tests of probe/access-map. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define SECTION(units, capacity) \
  "- probe.section - {section=0, schema=dmat, level=1, capacity=" #capacity ", units=" #units "}"
#define PAGE(clock, page, count) \
  "- probe.page - {clock=" #clock ", page=" #page ", count=" #count "}"

/* Two accesses to page 0x10000 at clock 5; the place of zeros is none, and neither is clock 2^64-1. */
static void pairs(void)
{
  given(SECTION(2, 4),
        "- probe.unit - {section=0, block=0, unit=0, clock=[5,5,0], address=[65540,131071,0]}",
        "- probe.unit - {section=0, block=0, unit=1, clock=[8,-1,12], address=[131072,7,65536]}");
  expect_table("access-map", "0 | 2 | 3 | 3 | 4 | 12 | 1 | 1 | 0 | 1 | 65536");
  expect_table("access-groups",
               "0 | 0 | Ptr 0: Unknown, Unknown | 0x10000 | 4 | 3 | 1 | 1 | 1.2 | 1.6");
  expect_table("access-cells", "0 | 0 | 99 | 8 | 1 | 1 | 8 | 0x20000 | 1 | Ptr 0: Unknown, Unknown",
               "0 | 0 | 100 | 5 | 2 | 5 | 5 | 0x10000 | 0 | Ptr 0: Unknown, Unknown",
               "0 | 0 | 100 | 12 | 1 | 1 | 12 | 0x10000 | 0 | Ptr 0: Unknown, Unknown");
  expect_table("access-pages", "0 | 0x10000 | 3", "0 | 0x20000 | 1");
  expect_table("working-set", "0 | 5 | 1 | 1", "0 | 8 | 1 | 1", "0 | 12 | 1 | 0");
  expect_table("page-reuse", "0 | 4 | 8 | 1");
}

/* A clock below 0 is no time; it made all others one column. */
static void below_zero(void)
{
  given(SECTION(1, 3),
        "- probe.unit - {section=0, block=0, unit=0, clock=[5,-6,8], address=[65540,65540,65540]}",
        PAGE(-7, 131072, 3));
  expect_table("access-map", "0 | 1 | 2 | 2 | 2 | 8 | 1 | 1 | 0 | 1 | 65536");
  expect_notice(23, 2);
}

/* Clocks beyond what a pair holds count as one, and this is said; none of them can be in the map. */
static void far_clocks(void)
{
  given(PAGE(5, 65536, 1), PAGE(1099511627776, 65536, 2), PAGE(2199023255552, 65536, 3));
  expect_table("access-map", "0 | 1 | 2 | 2 | 6 | 2199023255552 | 1 | 13830334940 | 1 | 1 | 65536");
  expect_table("access-groups",
               "0 | 0 | Ptr 0: Unknown, Unknown | 0x10000 | 1 | 1 | 1 | 1 | 1 | 1");
  expect_notice(24, 1);
  harness_clear();
  with("clock-limit=549755813888");
  given(PAGE(5, 65536, 1));
  expect_status(2);
}

/* As the published program counts: 8 places, 4 accesses and one of clock 2^64-1. */
static void kept_empty(void)
{
  with("keep-empty=true");
  given(SECTION(2, 4),
        "- probe.unit - {section=0, block=0, unit=0, clock=[5,5,0], address=[65540,131071,0]}",
        "- probe.unit - {section=0, block=0, unit=1, clock=[8,-1,12], address=[131072,7,65536]}");
  expect_table("access-pages", "0 | 0x0 | 3", "0 | 0x10000 | 3", "0 | 0x20000 | 1");
}

/* A page may belong to two tensors; what is in none comes last.  The end of a tensor belongs to it. */
static void groups(void)
{
  given("- probe.tensor - {pointer=65536, bytes=65536, shape=\"[2]\", name=x}",
        "- probe.tensor - {pointer=131072, bytes=1, shape=\"[3]\"}",
        "- probe.tensor - {pointer=131072, bytes=0, shape=\"[0]\", name=none}",
        "- probe.tensor - {pointer=65537, bytes=100, shape=\"[4]\", name=unaligned}",
        PAGE(1, 65536, 3), PAGE(2, 131072, 4), PAGE(3, 0, 5));
  expect_table("access-groups", "0 | 0 | Ptr 0: [2], x | 0x10000 | 7 | 2 | 3.2 | 3.4 | 3.6 | 3.8",
               "0 | 1 | Ptr 1: [3], Unknown | 0x20000 | 4 | 1 | 4 | 4 | 4 | 4",
               "0 | 2 | Ptr 2: Unknown, Unknown | 0x0 | 5 | 1 | 5 | 5 | 5 | 5");
}

static void regions(void)
{
  with("regions=true");
  given(PAGE(1, 0, 1), PAGE(1, 65536, 2), PAGE(1, 196608, 4));
  expect_table("access-groups",
               "0 | 0 | Ptr 0: Unknown, Unknown | 0x0 | 3 | 2 | 1.2 | 1.4 | 1.6 | 1.8",
               "0 | 1 | Ptr 1: Unknown, Unknown | 0x30000 | 4 | 1 | 4 | 4 | 4 | 4");
}

/* 14 groups: the 11 with the most accesses are named, 0 to 2 are the others. */
static void many_groups(void)
{
  static char lines[14][80], rows[14][120];
  with("regions=true");
  for (int i = 0; i < 14; i++) {
    snprintf(lines[i], sizeof lines[i], "- probe.page - {clock=0, page=%d, count=%d}", i * 131072,
             i + 1);
    given(lines[i]);
    snprintf(rows[i], sizeof rows[i], "0 | %d | %d | 0 | %d | 1 | 0 | 0x%x | %d | %s%d%s", i,
             100 - i, i + 1, (unsigned)i * 131072, i, i < 3 ? "others (" : "Ptr ", i < 3 ? 3 : i,
             i < 3 ? ")" : ": Unknown, Unknown");
  }
  expect_table("access-cells", rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6],
               rows[7], rows[8], rows[9], rows[10], rows[11], rows[12], rows[13]);
}

/* 320 clocks: 159 columns would be two each, and 320 / 2 is 160, the last of 161.  200 pages: 2 a row. */
static void a_grid(void)
{
  static char lines[200][80];
  given(PAGE(320, 0, 1));
  for (int i = 1; i < 200; i++) {
    snprintf(lines[i], sizeof lines[i], "- probe.page - {clock=0, page=%d, count=1}", i * 65536);
    given(lines[i]);
  }
  expect_table("access-map", "0 | 200 | 2 | 200 | 200 | 320 | 2 | 2 | 0 | 1 | 65536");
  expect_table("working-set", "0 | 0 | 199 | 199", "0 | 160 | 1 | 1");
}

/* What is late is left out of the map, but not of its width. */
static void late(void)
{
  with("clock-limit=100");
  given(PAGE(1600, 0, 1), PAGE(99, 65536, 2), PAGE(100, 65536, 2));
  expect_table("access-map", "0 | 2 | 3 | 3 | 5 | 1600 | 1 | 10 | 2 | 1 | 65536");
  expect_table("access-cells",
               "0 | 0 | 99 | 9 | 2 | 1 | 90 | 0x10000 | 1 | Ptr 0: Unknown, Unknown");
  expect_notice(20, 2);
}

static void pages_of_another_size(void)
{
  with("page=32");
  given(SECTION(1, 2), "- probe.unit - {section=0, block=0, unit=0, clock=[5,6], address=[95,96]}");
  expect_table("access-pages", "0 | 0x40 | 1", "0 | 0x60 | 1");
  harness_clear();
  with("page=100");
  given(SECTION(1, 2));
  expect_status(MILL_STAGE_FAILED);
}

/* 40 clocks of one page and one far away: 16 pairs are not enough for them, nor at steps of 2; at 4 there are 10 + 1. */
static void rounded(void)
{
  static char lines[40][80];
  with("max-pairs=16");
  given(PAGE(160000, 0, 1));
  for (int i = 0; i < 40; i++) {
    snprintf(lines[i], sizeof lines[i], "- probe.page - {clock=%d, page=0, count=1}", i);
    given(lines[i]);
  }
  expect_table("access-map", "0 | 1 | 11 | 11 | 41 | 160000 | 1 | 1006 | 0 | 4 | 65536");
  expect_notice(21, 1);
  harness_clear();
  with("max-pairs=16");
  for (int i = 0; i < 40; i++) given(lines[i]);
  expect_table("access-map", "0 | 1 | 40 | 40 | 40 | 39 | 1 | 1 | 0 | 1 | 65536");
  expect_notice(21, 0);
}

/* 1,000 pages are more than 16 pairs may have: every two become one.  Then a page that holds a part of a tensor is its. */
static void larger(void)
{
  static char lines[1000][80];
  with("max-pairs=16");
  given("- probe.tensor - {pointer=65537, bytes=100, shape=\"[2]\", name=x}");
  for (int i = 0; i < 1000; i++) {
    snprintf(lines[i], sizeof lines[i], "- probe.page - {clock=1, page=%d, count=1}", i * 65536);
    given(lines[i]);
  }
  expect_table("access-map", "0 | 500 | 1 | 500 | 1000 | 1 | 5 | 1 | 0 | 1 | 131072");
  expect_table("access-groups", "0 | 0 | Ptr 0: [2], x | 0x10001 | 2 | 1 | 2 | 2 | 2 | 2",
               "0 | 1 | Ptr 1: Unknown, Unknown | 0x0 | 998 | 100 | 10 | 10 | 10 | 10");
  expect_notice(22, 1);
}

/* 5,120 clocks of each of 160 pages: more than 65,536 pairs, also after rounding to steps of 2, which are a 16th of a
 * column; then all of them are held. */
static void no_fewer(void)
{
  static char lines[160][64][96];
  with("max-pairs=4Ki");
  for (int i = 0; i < 160; i++)
    for (int k = 0; k < 64; k++) {
      snprintf(lines[i][k], sizeof lines[i][k], "- probe.page - {clock=%d, page=%d, count=%d}",
               80 * k + i % 80, i * 65536, i + 1);
      given(lines[i][k]);
    }
  /* 80 * 63 + 79 is 5119: 32 a column, and steps of 2. */
  expect_table("access-map", "0 | 160 | 2560 | 10240 | 824320 | 5119 | 2 | 32 | 0 | 2 | 65536");
}

/* Counts beyond 32 bits. */
static void large_counts(void)
{
  given(PAGE(1, 0, 4294967295), PAGE(1, 0, 4294967295), PAGE(1, 0, 5));
  expect_table("access-pages", "0 | 0x0 | 8589934595");
}

HARNESS_MAIN({ "far clocks", far_clocks }, { "pairs", pairs }, { "kept empty", kept_empty },
             { "below zero", below_zero }, { "groups", groups }, { "regions", regions },
             { "many groups", many_groups }, { "a grid", a_grid }, { "late", late },
             { "pages of another size", pages_of_another_size }, { "rounded", rounded },
             { "larger", larger }, { "no fewer", no_fewer }, { "large counts", large_counts })
