/* Tests of view/device-rows: which process an event gets, and what slices are called. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

/* Of rank 2: the device is process 2, its host 1002; sort indices are 3 * 2 + 1 and 3 * 2. */
static void device_and_host_get_rows_of_their_rank(void)
{
  given_lane("rank=2 dialect=aiu");
  given("M process_name - p=5 t=0 {name=flex}",
        "X \"k Cmpt Exec\" 0 1us p=5 t=1100 cat=Bmm {TS1=1}", "X op 1us 1us p=5 t=1000",
        "X n 2us 1us p=5 t=1000 cat=launch");
  expect("M process_name - p=2 t=- {name=\"AIU Device2\"}",
         "M process_sort_index - p=2 t=- {sort_index=7}",
         "M process_name - p=1002 t=- {name=Host2}",
         "M process_sort_index - p=1002 t=- {sort_index=6}",
         "X \"k Cmpt Exec\" 0 1us p=2 t=1100 cat=kernel {TS1=1, device=2}",
         "X op 1us 1us p=1002 t=1000 cat=cpu_op", "X n 2us 1us p=1002 t=1000 cat=launch");
}

static void names_tell_the_category(void)
{
  given("X \"a DmaI\" 0 1us {TS1=1}", "X \"a DmaO\" 1us 1us {TS1=1}",
        "X \"SenRdmaSend_1 DmaO\" 2us 1us {TS1=1}",
        "X \"AllReduce_all_reduce_1 Cmpt Exec\" 3us 1us {TS1=1}",
        "X AllReduce_all_reduce_1 4us 1us {TS1=1}", "X \"k Cmpt Prep\" 5us 1us cat=x {TS1=1}");
  expect("M process_name - t=- {name=\"AIU Device0\"}", "M process_sort_index - t=- {sort_index=1}",
         "X \"a DmaI\" 0 1us cat=gpu_memcpy {TS1=1, device=0}",
         "X \"a DmaO\" 1us 1us cat=gpu_memcpy {TS1=1, device=0}",
         "X \"SenRdmaSend_1 DmaO\" 2us 1us cat=user_annotation {TS1=1, device=0}",
         "X \"AllReduce_all_reduce_1 Cmpt Exec\" 3us 1us cat=user_annotation {TS1=1, device=0}",
         "X AllReduce_all_reduce_1 4us 1us cat=kernel {TS1=1, device=0}",
         "X \"k Cmpt Prep\" 5us 1us cat=kernel {TS1=1, device=0}");
}

/* No placeholder for a device that is not there. */
static void a_side_that_is_not_there_has_no_name(void)
{
  given("X op 0 1us p=9 t=1");
  expect("M process_name - p=1000 t=- {name=Host0}",
         "M process_sort_index - p=1000 t=- {sort_index=0}", "X op 0 1us p=1000 t=1 cat=cpu_op");
}

/* Thread 20 is a device's, 10 the host's, 30 nobody's: it goes to the host. The counter of process -1 is of no rank. */
static void everything_goes_with_its_row(void)
{
  given("M thread_name - p=7 t=20 {name=dma}", "M thread_name - p=7 t=30 {name=idle}",
        "X op 0 1us p=7 t=10", "s f 0 p=7 t=10 id=1", "f f 1us p=7 t=20 id=1",
        "X k 1us 1us p=7 t=20 {TS1=1}", "C Power 1us p=7 t=- {Watts=1}", "C bw 1us p=-1 t=- {v=1}",
        "i i 2us p=7 t=10");
  expect("M thread_name - t=20 {name=dma}", "M process_name - t=- {name=\"AIU Device0\"}",
         "M process_sort_index - t=- {sort_index=1}", "M process_name - p=1000 t=- {name=Host0}",
         "M process_sort_index - p=1000 t=- {sort_index=0}",
         "M thread_name - p=1000 t=30 {name=idle}", "X op 0 1us p=1000 t=10 cat=cpu_op",
         "s f 0 p=1000 t=10 id=1", "f f 1us t=20 id=1",
         "X k 1us 1us t=20 cat=kernel {TS1=1, device=0}", "C Power 1us t=- {Watts=1}",
         "C bw 1us p=-1 t=- {v=1}", "i i 2us p=1000 t=10");
}

/* Two processes of a host, and a counter: no device did anything. */
static void a_host_alone_has_no_device(void)
{
  given_lane("rank=100 dialect=aiu");
  given("M process_name - p=5 t=- {name=flex}", "X a 0 9us p=5 t=1", "X b 1us 9us p=6 t=2",
        "C mem 2us p=5 t=- {MiB=1}");
  expect("M process_name - p=1100 t=- {name=Host100}",
         "M process_sort_index - p=1100 t=- {sort_index=300}", "X a 0 9us p=1100 t=1 cat=cpu_op",
         "X b 1us 9us p=1100 t=2 cat=cpu_op", "C mem 2us p=1100 t=- {MiB=1}");
}

/* Thread 1 of processes 5 and 6: the second goes to 3, as 2 exists. */
static void a_process_of_no_rank_keeps_its_name(void)
{
  given("M process_name - p=-1 t=- {name=CollectiveBW}", "M process_name - p=7 t=- {name=flex}",
        "X k 1us 1us p=7 t=20 {TS1=1}", "C Coll_Bandwidth 1us p=-1 t=- {GBps=1}");
  expect("M process_name - p=-1 t=- {name=CollectiveBW}",
         "M process_name - t=- {name=\"AIU Device0\"}", "M process_sort_index - t=- {sort_index=1}",
         "X k 1us 1us t=20 cat=kernel {TS1=1, device=0}", "C Coll_Bandwidth 1us p=-1 t=- {GBps=1}");
}

static void threads_of_two_processes_do_not_share_a_row(void)
{
  given("X a 0 9us p=5 t=1", "X b 1us 9us p=6 t=1", "X c 2us 9us p=6 t=2",
        "X k 3us 1us p=6 t=1 {TS1=1}");
  expect("M process_name - t=- {name=\"AIU Device0\"}", "M process_sort_index - t=- {sort_index=1}",
         "M process_name - p=1000 t=- {name=Host0}",
         "M process_sort_index - p=1000 t=- {sort_index=0}", "X a 0 9us p=1000 t=1 cat=cpu_op",
         "X b 1us 9us p=1000 t=3 cat=cpu_op", "X c 2us 9us p=1000 t=2 cat=cpu_op",
         "X k 3us 1us t=1 cat=kernel {TS1=1, device=0}");
}

static void torch_rows_stay(void)
{
  given_lane("rank=0 dialect=kineto");
  given("M process_name - p=4 t=0 {name=python}", "X a 0 1us p=4 t=7",
        "X k 1us 1us p=0 t=8 cat=kernel {TS1=1}");
  expect("M process_name - p=4 t=0 {name=python}", "X a 0 1us p=4 t=7",
         "X k 1us 1us p=0 t=8 cat=kernel {TS1=1}");
  expect_notice(1, 0);
}

static void without_a_rank_rows_stay(void)
{
  given_lane("rank=-");
  given("X a 0 1us p=4 t=7", "X k 1us 1us p=4 t=8 {TS1=1}");
  expect("X a 0 1us p=4 t=7", "X k 1us 1us p=4 t=8 {TS1=1}");
  expect_notice(1, 1);
}

static void without_events_there_is_nothing_to_name(void)
{
  given("M process_name - p=4 t=0 {name=python}");
  expect("M process_name - p=4 t=0 {name=python}");
  expect_notice(1, 0);
}

static void slices_without_a_time_come_first(void)
{
  given("X a - 5us p=7", "X b - 3us p=7");
  expect("X a - 5us p=1000 cat=cpu_op", "X b - 3us p=1000 cat=cpu_op",
         "M process_name - p=1000 t=- {name=Host0}",
         "M process_sort_index - p=1000 t=- {sort_index=0}");
}

static void a_hundred_thousand_processes_of_one_thread(void)
{
  char line[64];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X a %d 1 p=%d t=1 {n=%d}", i, i, i);
    given(line);
  }
  expect_attr(100001, "n", "99999");
}

HARNESS_MAIN({ "a host alone has no device", a_host_alone_has_no_device },
             { "device and host get rows of their rank", device_and_host_get_rows_of_their_rank },
             { "names tell the category", names_tell_the_category },
             { "a side that is not there has no name", a_side_that_is_not_there_has_no_name },
             { "everything goes with its row", everything_goes_with_its_row },
             { "a process of no rank keeps its name", a_process_of_no_rank_keeps_its_name },
             { "threads of two processes do not share a row",
               threads_of_two_processes_do_not_share_a_row },
             { "torch rows stay", torch_rows_stay },
             { "without a rank rows stay", without_a_rank_rows_stay },
             { "without events there is nothing to name", without_events_there_is_nothing_to_name },
             { "slices without a time come first", slices_without_a_time_come_first },
             { "a hundred thousand processes of one thread",
               a_hundred_thousand_processes_of_one_thread })
