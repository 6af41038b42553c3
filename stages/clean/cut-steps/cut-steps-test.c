/* Tests of clean/cut-steps: what starts in a step, what it launched, and steps that are not there. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define STEP(n, ts, dur) "X ProfilerStep#" n " " ts " " dur " cat=user_annotation"
#define LAUNCH(ts, id) "X cudaLaunchKernel " ts " 2us cat=cuda_runtime {correlation=" id "}"
#define KERNEL(name, ts, id) "X " name " " ts " 9us p=1 t=7 cat=kernel {correlation=" id "}"

/* Step 1 is [10,20) us, step 2 is [20,30) us; a stands before them in the file, begins before and ends in step 1. */
static void host_events_that_start_in_a_step(void)
{
  with("steps=1");
  given("X a 9us 5us", "X b 10us 50us", "i c 19999ns", "C d 20us {v=1}", "M m -", "- row -",
        STEP("1", "10us", "10us"), STEP("2", "20us", "10us"), "X e 15us 1us t=4");
  expect("X b 10us 50us", "i c 19999ns", "M m -", "- row -", STEP("1", "10us", "10us"),
         "X e 15us 1us t=4");
}

/* The kernel of step 0 runs within step 1, that of step 1 within step 2, and one long after all. */
static void device_work_stays_with_its_launch(void)
{
  with("steps=1");
  given(KERNEL("old", "12us", "5"), KERNEL("own", "22us", "6"), KERNEL("late", "500us", "7"),
        KERNEL("next", "40us", "8"), LAUNCH("5us", "5"), LAUNCH("11us", "6"), LAUNCH("19us", "7"),
        LAUNCH("21us", "8"), STEP("0", "0", "10us"), STEP("1", "10us", "10us"),
        STEP("2", "20us", "10us"));
  expect(KERNEL("own", "22us", "6"), KERNEL("late", "500us", "7"), LAUNCH("11us", "6"),
         LAUNCH("19us", "7"), STEP("1", "10us", "10us"));
  expect_notice(1, 0);
  expect_notice(2, 0);
}

/* One launch of a graph runs many kernels. */
static void all_work_of_a_launch(void)
{
  with("steps=1");
  given(STEP("1", "0", "10us"), LAUNCH("1us", "3"), KERNEL("a", "20us", "3"),
        KERNEL("b", "30us", "3"));
  expect(STEP("1", "0", "10us"), LAUNCH("1us", "3"), KERNEL("a", "20us", "3"),
         KERNEL("b", "30us", "3"));
}

#define START(ts, id, cat) "s f " ts " t=1 id=" id " cat=" cat
#define END(ts, id, cat) "f f " ts " p=1 t=7 id=" id " cat=" cat " bp=e"
#define PLAIN(name, ts) "X " name " " ts " 5us p=1 t=7 cat=kernel"

/* Flow 1 of ac2g starts in step 1 and ends where "own" begins; flow 1 of another category is another one. */
static void flows_tell_of_launches(void)
{
  with("steps=1");
  given(STEP("0", "0", "10us"), STEP("1", "10us", "10us"), START("5us", "9", "ac2g"),
        START("11us", "1", "ac2g"), START("6us", "1", "fwdbwd"), END("15us", "9", "ac2g"),
        END("25us", "1", "ac2g"), END("35us", "1", "fwdbwd"), PLAIN("old", "15us"),
        PLAIN("own", "25us"), PLAIN("other", "35us"), PLAIN("unknown", "16us"));
  expect(STEP("1", "10us", "10us"), START("11us", "1", "ac2g"), END("25us", "1", "ac2g"),
         PLAIN("own", "25us"));
  expect_notice(2, 1);
}

/* Forward and backward: an end on a host's row is kept only within the steps. */
static void flows_between_host_events(void)
{
  with("steps=1-2");
  given(STEP("1", "0", "10us"), STEP("2", "10us", "10us"), STEP("3", "20us", "10us"),
        "s f 5us id=1 cat=fwdbwd", "f f 15us id=1 cat=fwdbwd bp=e", "s f 6us id=2 cat=fwdbwd",
        "f f 25us id=2 cat=fwdbwd bp=e");
  expect(STEP("1", "0", "10us"), STEP("2", "10us", "10us"), "s f 5us id=1 cat=fwdbwd",
         "f f 15us id=1 cat=fwdbwd bp=e", "s f 6us id=2 cat=fwdbwd");
}

#define NOTE(name, ts, id) \
  "X " name " " ts " 5us p=1 t=7 cat=gpu_user_annotation {External id=" id "}"

static void annotations_of_the_device(void)
{
  with("steps=1");
  given(STEP("0", "0", "10us"), STEP("1", "10us", "10us"), LAUNCH("1us", "3"),
        "X nccl 12us 1us cat=user_annotation {External id=4}",
        "X nccl 2us 1us cat=user_annotation {External id=5}", NOTE("ProfilerStep#1", "40us", "8"),
        NOTE("ProfilerStep#0", "12us", "9"), NOTE("nccl", "42us", "4"), NOTE("nccl", "14us", "5"));
  expect(STEP("1", "10us", "10us"), "X nccl 12us 1us cat=user_annotation {External id=4}",
         NOTE("ProfilerStep#1", "40us", "8"), NOTE("nccl", "42us", "4"));
}

/* Nothing tells what launched the work: it is cut by when it began. */
static void without_any_launch(void)
{
  with("steps=1");
  given(STEP("1", "10us", "10us"), PLAIN("a", "15us"), PLAIN("b", "25us"));
  expect(STEP("1", "10us", "10us"), PLAIN("a", "15us"));
  expect_notice(2, 0);
  expect_notice(3, 1);
}

static void categories_of_the_device_can_be_given(void)
{
  with("steps=1", "device=^npu$");
  given(STEP("1", "10us", "10us"), LAUNCH("12us", "3"), "X k 50us 1us cat=npu {correlation=3}",
        KERNEL("host", "60us", "3"));
  expect(STEP("1", "10us", "10us"), LAUNCH("12us", "3"), "X k 50us 1us cat=npu {correlation=3}");
}

/* Two threads mark step 1; a slice without length has what is at its time. */
static void windows_of_one_step_add_up(void)
{
  with("steps=1,4");
  given(STEP("1", "0", "5us"), STEP("1", "3us", "5us"), STEP("4", "20us", "0"), "i a 7us",
        "i b 9us", "i c 20us");
  expect(STEP("1", "0", "5us"), STEP("1", "3us", "5us"), STEP("4", "20us", "0"), "i a 7us",
         "i c 20us");
}

static void a_step_that_one_input_lacks(void)
{
  with("steps=1-3");
  given_lane("rank=0");
  given(STEP("1", "0", "5us"), STEP("2", "5us", "5us"), STEP("3", "10us", "5us"));
  given_lane("rank=1");
  given(STEP("2", "5us", "5us"), STEP("7", "25us", "5us"));
  given_lane("rank=2");
  given("M m -");
  expect_lane(0, STEP("1", "0", "5us"), STEP("2", "5us", "5us"), STEP("3", "10us", "5us"));
  expect_lane(1, STEP("2", "5us", "5us"));
  expect_lane(2, "M m -");
  expect_notice(1, 1);
}

static void a_step_that_no_input_has(void)
{
  with("steps=2,9-12");
  given(STEP("1", "0", "5us"), STEP("2", "5us", "5us"), STEP("10", "25us", "5us"));
  expect_status(MILL_BAD_INPUT);
  expect_notice(4, 1);
}

static void names_that_only_look_like_steps(void)
{
  with("steps=1");
  given("X ProfilerStep#1x 0 5us", "X ProfilerStep# 0 5us", "X ProfilerStep#-1 0 5us",
        "C ProfilerStep#1 0 {v=1}");
  expect_status(MILL_BAD_INPUT);
}

HARNESS_MAIN({ "host events that start in a step", host_events_that_start_in_a_step },
             { "device work stays with its launch", device_work_stays_with_its_launch },
             { "all work of a launch", all_work_of_a_launch },
             { "flows tell of launches", flows_tell_of_launches },
             { "flows between host events", flows_between_host_events },
             { "annotations of the device", annotations_of_the_device },
             { "without any launch", without_any_launch },
             { "categories of the device can be given", categories_of_the_device_can_be_given },
             { "windows of one step add up", windows_of_one_step_add_up },
             { "a step that one input lacks", a_step_that_one_input_lacks },
             { "a step that no input has", a_step_that_no_input_has },
             { "names that only look like steps", names_that_only_look_like_steps })
