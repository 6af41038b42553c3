/* Tests of clean/pipeline-layout: which events stay, and what their processes, threads and names become. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

/* The worked example: process 0 has kernels, 77 calls; the operator goes. */
static void two_processes_a_rank(void)
{
  given_lane("rank=3");
  given("X op 0 9us p=77 t=77 cat=cpu_op", "X launch 1us 1us p=77 t=77 cat=cuda_runtime",
        "X k 2us 1us p=0 t=7 cat=kernel", "s ac2g 1us p=77 t=77 cat=ac2g id=5",
        "f ac2g 2us p=0 t=7 cat=ac2g id=5 bp=e", "X k 3us 1us p=0 t=20 cat=kernel",
        "M process_name - p=0 {name=python}");
  expect("X \"[R3] launch\" 1us 1us p=3500 t=0 cat=cuda_runtime {rank=3}",
         "X \"[R3] k\" 2us 1us p=3000 t=0 cat=kernel {rank=3}",
         "s \"[R3] ac2g\" 1us p=3500 t=0 cat=ac2g id=5 {rank=3}",
         "f \"[R3] ac2g\" 2us p=3000 t=0 cat=ac2g id=5 bp=e {rank=3}",
         "X \"[R3] k\" 3us 1us p=3000 t=1 cat=kernel {rank=3}");
  expect_notice(1, 1);
}

/* What a process is may be known only at its end: a device's event makes it one. */
static void one_event_of_a_device_decides(void)
{
  given("X a 0 1us p=5 t=1 cat=cuda_runtime", "X b 1us 1us p=6 t=1 cat=user_annotation",
        "X c 2us 1us p=5 t=2 cat=gpu_memset");
  expect("X \"[R0] a\" 0 1us p=0 t=0 cat=cuda_runtime {rank=0}",
         "X \"[R0] b\" 1us 1us p=500 t=0 cat=user_annotation {rank=0}",
         "X \"[R0] c\" 2us 1us p=0 t=1 cat=gpu_memset {rank=0}");
}

/* Neither "Kernel" nor arrows say what a process is, though they would be kept. */
static void processes_that_are_neither_go(void)
{
  given("X a 0 1us p=5 t=1 cat=Kernel", "s f 1us p=5 t=1 cat=ac2g id=1",
        "i m 2us p=6 t=1 cat=cpu_instant_event", "X d 3us 1us p=6 t=2 cat=cuda_driver",
        "X e 4us 1us p=8 t=1 cat=Trace");
  expect_nothing(0);
}

/* An operator makes a process the host's, so that its other events stay. */
static void operators_decide_and_go(void)
{
  given("X d 3us 1us p=6 t=2 cat=cuda_driver", "X op 4us 1us p=6 t=2 cat=cpu_op",
        "X K 5us 1us p=6 t=3 cat=Kernel");
  expect("X \"[R0] d\" 3us 1us p=500 t=0 cat=cuda_driver {rank=0}",
         "X \"[R0] K\" 5us 1us p=500 t=1 cat=Kernel {rank=0}");
}

/* Threads are those of all processes that become one; a thread that is missing is 0. */
static void threads_are_numbered_as_they_come(void)
{
  given("X a 0 1us p=1 t=9 cat=kernel", "X b 1us 1us p=2 t=9 cat=kernel",
        "X c 2us 1us p=1 t=- cat=kernel", "X d 3us 1us p=1 t=0 cat=kernel",
        "X e 4us 1us p=1 t=\"9\" cat=kernel", "X f 5us 1us p=1 t=9 cat=kernel");
  expect("X \"[R0] a\" 0 1us p=0 t=0 cat=kernel {rank=0}",
         "X \"[R0] b\" 1us 1us p=0 t=1 cat=kernel {rank=0}",
         "X \"[R0] c\" 2us 1us p=0 t=2 cat=kernel {rank=0}",
         "X \"[R0] d\" 3us 1us p=0 t=2 cat=kernel {rank=0}",
         "X \"[R0] e\" 4us 1us p=0 t=3 cat=kernel {rank=0}",
         "X \"[R0] f\" 5us 1us p=0 t=0 cat=kernel {rank=0}");
}

static void without_a_process_all_stays_as_it_is(void)
{
  given("X a 0 1us p=- t=9 cat=kernel {rank=7}", "X b 1us 1us p=- t=9 cat=cpu_op");
  expect("X a 0 1us p=- t=9 cat=kernel {rank=7}");
}

static void texts_are_processes_too(void)
{
  given("X a 0 1us p=Spans t=\"stream 7\" cat=kernel", "X b 1us 1us p=1 t=1 cat=fwdbwd",
        "X c 2us 1us p=\"1\" t=1 cat=ac2g");
  expect("X \"[R0] a\" 0 1us p=0 t=0 cat=kernel {rank=0}",
         "X \"[R0] b\" 1us 1us p=500 t=0 cat=fwdbwd {rank=0}");
}

static void a_rank_that_was_there_is_replaced(void)
{
  given("X a 0 1us p=1 t=1 cat=kernel {rank=7, stream=3}");
  expect("X \"[R0] a\" 0 1us p=0 t=0 cat=kernel {rank=0, stream=3}");
}

static void each_lane_by_its_own(void)
{
  given("X a 0 1us p=5 t=1 cat=kernel");
  given_lane("rank=12");
  given("X a 0 1us p=5 t=1 cat=cuda_runtime");
  expect("X \"[R0] a\" 0 1us p=0 t=0 cat=kernel {rank=0}");
  expect_lane(1, "X \"[R12] a\" 0 1us p=12500 t=0 cat=cuda_runtime {rank=12}");
}

static void a_lane_without_a_rank(void)
{
  given_lane("rank=-");
  given("X a 0 1us p=5 t=1 cat=kernel");
  expect_status(MILL_BAD_INPUT);
  expect_notice(2, 1);
}

static void fifty_thousand_processes(void)
{
  static char line[96];
  for (int i = 0; i < 50000; i++) {
    snprintf(line, sizeof line, "X k%d %d 1 p=%d t=%d cat=%s", i, i, i, -i,
             i % 2 ? "kernel" : "cuda_runtime");
    given(line);
  }
  expect_attr(49999, "rank", "0");
}

HARNESS_MAIN({ "two processes a rank", two_processes_a_rank },
             { "one event of a device decides", one_event_of_a_device_decides },
             { "processes that are neither go", processes_that_are_neither_go },
             { "operators decide and go", operators_decide_and_go },
             { "threads are numbered as they come", threads_are_numbered_as_they_come },
             { "without a process all stays as it is", without_a_process_all_stays_as_it_is },
             { "texts are processes, too", texts_are_processes_too },
             { "a rank that was there is replaced", a_rank_that_was_there_is_replaced },
             { "each lane by its own", each_lane_by_its_own },
             { "a lane without a rank", a_lane_without_a_rank },
             { "fifty thousand processes", fifty_thousand_processes })
