/* Tests of torch/launch-stats.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define KERNEL(name, ts, dur, ...) "X " name " " ts " " dur " p=1 t=7 cat=kernel {" __VA_ARGS__ "}"
#define CALL(ts, dur) "tree_call_start_ns=" ts ", tree_call_dur_ns=" dur
#define OP(name, ts, list) ", tree_op=" name ", tree_op_start_ns=" ts ", tree_list=\"" list "\""

/* Calls of 10, 60 and 20 us; work of 30, 50 and 20 us: one is shorter than its call; delays: 30 - 10 = 20; it began before
 * the call ended: 0; 250 - 100 - 20 = 130 us. */
static void three_launches(void)
{
  given(KERNEL("a", "30us", "30us", CALL("0", "10000") OP("aten::x", "0", "a, b")),
        KERNEL("b", "70us", "50us", CALL("20000", "60000") OP("aten::x", "0", "a, b")),
        KERNEL("c", "250us", "20us", CALL("100000", "20000") OP("aten::y", "90000", "c")),
        KERNEL("d", "300us", "90us", "tree_link=none"), "X aten::x 0 80us cat=cpu_op");
}

/* Call: mean 30, std sqrt((400 + 900 + 100) / 2) = 26.4575131, p25 15, p50 20, p75 40.  Device: 33.3333, squares 11.1111,
 * 277.7778, 177.7778: / 2, root 15.2752523; p25 25, p50 30, p75 40.  Delay: 50, squares 900, 2500, 6400: root 70; p25 10,
 * p50 20, p75 75. */
static void values_of_launches(void)
{
  three_launches();
  expect_table("launch-stats",
               "0 | call | 3 | 30000 | 26457.5131 | 10000 | 15000 | 20000 | 40000 | 60000",
               "0 | device | 3 | 33333.3333 | 15275.2523 | 20000 | 25000 | 30000 | 40000 | 50000",
               "0 | delay | 3 | 50000 | 70000 | 0 | 10000 | 20000 | 75000 | 130000");
  expect_metric("launch_delay", "mean", "50000");
  expect_metric("launch_delay", "p50", "20000");
  expect_metric("launch_delay", "p99", "127800");
}

static void odd_launches(void)
{
  three_launches();
  expect_table("launch-flags", "0 | short_kernel | 1 | 33.3333333",
               "0 | long_call | 1 | 33.3333333", "0 | long_delay | 1 | 33.3333333");
}

static void limits_are_options(void)
{
  with("long-call=60us", "long-delay=19999ns");
  three_launches();
  expect_table("launch-flags", "0 | short_kernel | 1 | 33.3333333", "0 | long_call | 0 | 0",
               "0 | long_delay | 2 | 66.6666667");
}

/* aten::x: to the calls 0 and 20, to the device 30 and 50 us; aten::y: 10 and 150. */
static void delays_of_operators(void)
{
  three_launches();
  expect_table("op-delay", "0 | aten::y | c | 1 | 10000 | 150000",
               "0 | aten::x | a, b | 2 | 10000 | 40000");
}

/* Three values of each of three launches are nine. */
static void more_values_than_are_kept(void)
{
  with("exact-up-to=8");
  three_launches();
  expect_notice(2, 1);
  harness_clear();
  with("exact-up-to=9");
  three_launches();
  expect_notice(2, 0);
}

static void without_calls(void)
{
  given(KERNEL("d", "300us", "90us", "tree_link=none"));
  expect_empty_table("launch-stats");
  expect_empty_table("launch-flags");
  expect_metric("launch_delay", "mean", NULL);
  expect_notice(1, 1);
}

static void the_metric_is_over_all_lanes(void)
{
  given_lane("rank=0");
  given(KERNEL("a", "30us", "30us", CALL("0", "10000")));
  given_lane("rank=1");
  given(KERNEL("a", "50us", "30us", CALL("0", "10000")));
  expect_metric("launch_delay", "mean", "30000");
  expect_empty_table("op-delay");
}

HARNESS_MAIN({ "values of launches", values_of_launches }, { "odd launches", odd_launches },
             { "limits are options", limits_are_options },
             { "delays of operators", delays_of_operators },
             { "more values than are kept", more_values_than_are_kept },
             { "without calls", without_calls },
             { "the metric is over all lanes", the_metric_is_over_all_lanes })
