/* Tests of torch/phases. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define STEP(name, ts, dur) "X \"" name "\" " ts " " dur " t=1 cat=user_annotation"
#define CALL(ts, id) "X cudaGraphLaunch " ts " 1us t=1 cat=cuda_runtime {correlation=" id "}"
#define KERNEL(ts, dur, id) "X k " ts " " dur " p=1 t=7 cat=kernel {correlation=" id "}"

/* Decode: [50,70) and [60,90) us, and [200,210): 50 us for 32 + 16 tokens. Prefill: 30 us for 512 tokens; mixed 12 for
 * 4 + 100.  What is launched in no step is of no phase. */
static void three_phases(void)
{
  given(STEP("execute_context_0(0)_generation_32(32)", "0", "10us"), CALL("1us", "1"),
        CALL("2us", "2"), STEP("execute_512_context_2(512)_generation_0(0)", "20us", "5us"),
        CALL("21us", "3"), STEP("execute_context_1(100)_generation_4(4)", "30us", "4us"),
        CALL("31us", "4"), STEP("step[DECODE bs=16]", "40us", "6us"), CALL("40us", "5"),
        CALL("48us", "6"), KERNEL("50us", "20us", "1"), KERNEL("60us", "30us", "2"),
        KERNEL("100us", "30us", "3"), KERNEL("150us", "12us", "4"), KERNEL("200us", "10us", "5"),
        KERNEL("300us", "10us", "6"));
  expect_table("phases", "0 | prefill | 1 | 2 | 512 | 5000 | 30000 | 58.59375",
               "0 | decode | 2 | 48 | 48 | 16000 | 50000 | 1041.66667",
               "0 | mixed | 1 | 5 | 104 | 4000 | 12000 | 115.384615");
}

/* An annotation does not say how many tokens a prompt has. */
static void what_is_not_said_is_empty(void)
{
  given(STEP("step[EXTEND bs=2 toks=10]", "0", "10us"), STEP("step[EXTEND bs=2]", "20us", "10us"),
        CALL("21us", "1"), KERNEL("50us", "7us", "1"));
  expect_table("phases", "0 | prefill | 2 | 4 | - | 20000 | 7000 | -");
}

/* A step within a step is a part of it; one of another thread is not. */
static void steps_within_steps(void)
{
  given(STEP("step[DECODE bs=4]", "0", "20us"), STEP("step[DECODE bs=4]", "5us", "5us"),
        "X \"step[DECODE bs=4]\" 5us 5us t=2 cat=user_annotation", CALL("12us", "1"),
        KERNEL("50us", "8us", "1"));
  expect_table("phases", "0 | decode | 2 | 8 | 8 | 25000 | 8000 | 1000");
}

static void without_steps(void)
{
  given(STEP("ProfilerStep#3", "0", "10us"),
        STEP("execute_context_0(0)_generation_0(0)", "0", "9us"), CALL("1us", "1"),
        KERNEL("50us", "8us", "1"));
  expect_empty_table("phases");
}

HARNESS_MAIN({ "three phases", three_phases },
             { "what is not said is empty", what_is_not_said_is_empty },
             { "steps within steps", steps_within_steps }, { "without steps", without_steps })
