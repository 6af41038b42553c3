/* Tests of torch/memory. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define MEMORY(ts, total, bytes, type)                                               \
  "i [memory] " ts " cat=cpu_instant_event {Total Allocated=" total ", Bytes=" bytes \
  ", Device Id=3, Device Type=" type "}"

/* On the device 100, 300, 200 and again 300 bytes, in another order; the last is at 40 us.  On the CPU 900. */
static void peaks_and_ends(void)
{
  given(MEMORY("40us", "300", "100", "1"), MEMORY("10us", "100", "100", "1"),
        MEMORY("20us", "300", "200", "1"), MEMORY("30us", "200", "-100", "1"),
        MEMORY("5us", "900", "900", "0"), "i other 50us {Total Allocated=5}", "i [memory] 60us");
  expect_table("memory", "0 | gpu 3 | 300 | 20000 | 300 | 3 | 1",
               "0 | cpu | 900 | 5000 | 900 | 1 | 0");
  expect_metric("peak_memory", NULL, "300");
  expect_notice(1, 0);
}

static void the_largest_of_all_ranks(void)
{
  given_lane("rank=0");
  given(MEMORY("1us", "50", "50", "1"));
  given_lane("rank=1");
  given(MEMORY("1us", "70", "70", "1"));
  expect_metric("peak_memory", NULL, "70");
}

static void nothing_is_no_number(void)
{
  given("X k 0 5us cat=kernel");
  expect_empty_table("memory");
  expect_metric("peak_memory", NULL, NULL);
  expect_notice(1, 1);
}

static void counters_on_request(void)
{
  with("counters=true");
  given(MEMORY("1us", "50", "50", "1"), MEMORY("2us", "0", "-50", "1"));
  expect(MEMORY("1us", "50", "50", "1"), "C \"memory gpu 3\" 1us {bytes=50}",
         MEMORY("2us", "0", "-50", "1"), "C \"memory gpu 3\" 2us {bytes=0}");
}

HARNESS_MAIN({ "peaks and ends", peaks_and_ends },
             { "the largest of all ranks", the_largest_of_all_ranks },
             { "nothing is no number", nothing_is_no_number },
             { "counters on request", counters_on_request })
