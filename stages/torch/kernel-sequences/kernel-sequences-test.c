/* Tests of torch/kernel-sequences.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define OP(name, ts, dur, thread) "X " name " " ts " " dur " t=" thread " cat=cpu_op"
#define KERNEL(name, ts, dur, call, track) \
  "X " name " " ts " " dur " p=1 t=7 cat=kernel {tree_call_start_ns=" call ", tree_track=" track "}"

/* Thread 1 is track 0.  Two linear of 10 and 20 us launch a, b; another one b, a, as a began later.  The inner
 * addmm is no outermost operator; what was launched at 99 us is in none. */
static void by_operator(void)
{
  given(OP("aten::linear", "0", "10us", "1"), OP("aten::addmm", "1us", "5us", "1"),
        KERNEL("b", "30us", "3us", "4000", "0"), KERNEL("a", "20us", "2us", "2000", "0"),
        OP("aten::linear", "40us", "20us", "1"), KERNEL("a", "50us", "4us", "41000", "0"),
        KERNEL("b", "60us", "4us", "60000", "0"), OP("aten::linear", "70us", "10us", "1"),
        KERNEL("b", "80us", "1us", "71000", "0"), KERNEL("a", "90us", "1us", "72000", "0"),
        KERNEL("a", "99us", "1us", "99000", "0"), OP("aten::empty", "200us", "1us", "1"));
  expect_table("kernel-sequences", "0 | aten::linear | a, b | 2 | 13000 | 30000",
               "0 | aten::linear | b, a | 1 | 2000 | 10000");
  expect_attr(0, "sequence", "1");
  expect_attr(2, "sequence", "1");
  expect_attr(7, "sequence", "2");
  expect_attr(9, "sequence", "2");
}

static void of_one_name(void)
{
  with("operator=addmm", "top=0");
  given(OP("aten::linear", "0", "10us", "1"), OP("aten::addmm", "1us", "5us", "1"),
        KERNEL("a", "20us", "2us", "2000", "0"), KERNEL("c", "20us", "2us", "8000", "0"));
  expect_table("kernel-sequences", "0 | aten::addmm | a | 1 | 2000 | 5000");
  expect_attr(1, "sequence", NULL);
}

/* The same time on another thread is another operator's. */
static void threads_are_apart(void)
{
  given(OP("x", "0", "10us", "1"), OP("y", "0", "10us", "2"),
        KERNEL("k", "20us", "2us", "2000", "1"));
  expect_table("kernel-sequences", "0 | y | k | 1 | 2000 | 10000");
}

/* Without a call, by the start of its operator. */
static void without_a_call(void)
{
  given(OP("x", "5us", "10us", "1"),
        "X Memset 20us 1us p=1 t=7 cat=gpu_memset {tree_op_start_ns=5000, tree_track=0}");
  expect_table("kernel-sequences", "0 | x | Memset | 1 | 1000 | 10000");
}

/* Where the clock begins does not matter: outer and inner begin together, before its zero and after. */
static void before_zero(void)
{
  given(OP("outer", "-20us", "40us", "1"), OP("inner", "-20us", "10us", "1"),
        KERNEL("a", "30us", "2us", "-15000", "0"), KERNEL("b", "40us", "3us", "5000", "0"),
        OP("outer", "980us", "40us", "1"), OP("inner", "980us", "10us", "1"),
        KERNEL("a", "1030us", "2us", "985000", "0"), KERNEL("b", "1040us", "3us", "1005000", "0"));
  expect_table("kernel-sequences", "0 | outer | a, b | 2 | 10000 | 80000");
}

static void nothing_launched(void)
{
  given(OP("x", "0", "10us", "1"), "X k 20us 1us p=1 t=7 cat=kernel");
  expect_empty_table("kernel-sequences");
  expect_notice(1, 1);
}

HARNESS_MAIN({ "by operator", by_operator }, { "of one name", of_one_name },
             { "threads are apart", threads_are_apart }, { "without a call", without_a_call },
             { "before zero", before_zero }, { "nothing launched", nothing_launched })
