/* Tests of torch/queue-length.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#define KERNEL(ts, call) "X k " ts " 5us p=1 t=7 cat=kernel {stream=7, tree_call_start_ns=" call "}"

/* Calls at 0, 10, 20, work at 15, 20 and 40 us: lengths 1 at 0, 2 at 10, 1 at 15, then at 20 the call first: 2, 1, and 0 at
 * 40.  Mean 7 / 6; over 40 us: 10 + 2 * 5 + 5 + 20 = 45 / 40. */
static void calls_and_work(void)
{
  given(KERNEL("40us", "20000"), KERNEL("15us", "0"), KERNEL("20us", "10000"),
        "X k 7us 5us p=1 t=7 cat=kernel {stream=7}");
  expect_table("queue-length", "0 | 7 | 6 | 1.16666667 | 1.125 | 0 | 1 | 2 | 0");
}

static void streams_are_apart(void)
{
  given(KERNEL("40us", "20000"),
        "X k 60us 5us p=1 t=8 cat=kernel {stream=8, tree_call_start_ns=20000}");
  expect_table("queue-length", "0 | 7 | 2 | 0.5 | 1 | 0 | 0.5 | 1 | 0",
               "0 | 8 | 2 | 0.5 | 1 | 0 | 0.5 | 1 | 0");
}

/* 1,030 calls, one each ns; work begins at 5000 ns, one each ns: 1,024 or more wait from the call at 1023 ns to the
 * seventh work at 5006: 3983 ns.  Each waits 5000 of 6029 ns. */
static void a_full_queue(void)
{
  char line[100];
  with("exact-up-to=1");
  for (int i = 0; i < 1030; i++) {
    snprintf(line, sizeof line, "X k %d 1us p=1 t=7 cat=kernel {stream=7, tree_call_start_ns=%d}",
             5000 + i, i);
    given(line);
  }
  expect_table("queue-length", "0 | 7 | 2060 | 515 | 854.204677 | 0 | 515 | 1030 | 3983");
  expect_notice(1, 1);
}

static void counters_on_request(void)
{
  with("counters=true");
  given(KERNEL("15us", "0"), KERNEL("20us", "10000"));
  expect("X k 15us 5us p=1 t=7 cat=kernel {stream=7, tree_call_start_ns=0}",
         "X k 20us 5us p=1 t=7 cat=kernel {stream=7, tree_call_start_ns=10000}",
         "C \"queue length 7\" 0 p=1 t=7 {launches=1}",
         "C \"queue length 7\" 10us p=1 t=7 {launches=2}",
         "C \"queue length 7\" 15us p=1 t=7 {launches=1}",
         "C \"queue length 7\" 20us p=1 t=7 {launches=0}");
}

HARNESS_MAIN({ "calls and work", calls_and_work }, { "streams are apart", streams_are_apart },
             { "a full queue", a_full_queue }, { "counters on request", counters_on_request })
