/* Tests of compute/categorise: classes by name, and of transfers between kernels. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void slices_get_a_class_and_nothing_else_does(void)
{
  given("X PrepareAndSyncRdma 0 1us", "X \"Barrier: x\" 0 1us", "X \"Compute of foo\" 0 1us",
        "X \"x DmaO\" 0 1us {class=old}", "X a - -", "i \"Barrier: x\" 1us", "C c 1us {v=1}");
  expect_attr(0, "class", "MAIU_WIREUP");
  expect_attr(1, "class", "MAIU_BARRIER");
  expect_attr(2, "class", "SEN_DATA_CONVERT");
  expect_attr(3, "class", "DATA_OUT");
  expect_attr(4, "class", "OTHER");
  expect_attr(5, "class", NULL);
  expect_attr(6, "class", NULL);
}

static void a_group_makes_it_a_collective(void)
{
  given("X \"SenRdmaSend_1 DmaO\" 0 1us {CollGroup=AR_1}", "X \"SenRdmaSend_1 DmaO\" 0 1us",
        "X \"AR Cmpt Exec\" 0 1us {CollGroup=AR_1}");
  expect_attr(0, "class", "MAIU_P2PRDMA_PROTOCOL_SEND_DATA");
  expect_attr(1, "class", "DATA_OUT");
  expect_attr(2, "class", "COMPUTE_EXEC");
}

/* Kernels start at 1000 and 1020: transfers at 1012 lie between them, at 1000, 1020 and 1032 they do not. */
static void transfers_between_kernels_are_of_the_protocol(void)
{
  given("X \"x DmaO\" 1032us 1us {TS1=1}", "X \"x DmaO\" 1012us 1us {TS1=1}",
        "X \"k Cmpt Exec\" 1000us 1us {TS1=1}", "X \"x DmaI\" 1012us 1us {cycles_ts=[1,2,3,4,5]}",
        "X \"k Cmpt Exec\" 1020us 1us {TS1=1}", "X \"x DmaO\" 1000us 1us {TS1=1}",
        "X \"x DmaI\" 1020us 1us {TS1=1}", "X \"x DmaO\" 1012us 1us",
        "X \"x DmaO\" 1012us 1us {TS1=1, CollGroup=g}", "X \"x DmaO\" - 1us {TS1=1}");
  expect_attr(0, "class", "DATA_OUT");
  expect_attr(1, "class", "MAIU_PROTOCOL_SEND_DATA");
  expect_attr(2, "class", "COMPUTE_EXEC");
  expect_attr(3, "class", "MAIU_PROTOCOL_RECV_DATA");
  expect_attr(5, "class", "DATA_OUT");
  expect_attr(6, "class", "DATA_IN");
  expect_attr(7, "class", "DATA_OUT"); /* not of the device */
  expect_attr(8, "class", "MAIU_P2PRDMA_PROTOCOL_SEND_DATA");
  expect_attr(9, "class", "DATA_OUT");
}

/* As a number or as a text. */
static void transfers_of_128_bytes_are_signals(void)
{
  given("X \"k Cmpt Exec\" 0 1us", "X \"x DmaO\" 1us 1us {TS1=1, bytes=128}",
        "X \"x DmaO\" 2us 1us {TS1=1, bytes=\"128\"}",
        "X \"x DmaI\" 3us 1us {TS1=1, bytes=\"0x80\"}",
        "X \"x DmaI\" 4us 1us {TS1=1, bytes=\"NaN\"}", "X \"x DmaI\" 5us 1us {TS1=1, bytes=256}",
        "X \"k Cmpt Exec\" 9us 1us");
  expect_attr(1, "class", "MAIU_PROTOCOL_SIGNAL_DATA");
  expect_attr(2, "class", "MAIU_PROTOCOL_SIGNAL_DATA");
  expect_attr(3, "class", "MAIU_PROTOCOL_SIGNAL_ACK");
  expect_attr(4, "class", "MAIU_PROTOCOL_RECV_DATA");
  expect_attr(5, "class", "MAIU_PROTOCOL_RECV_DATA");
}

/* Kernels of job a at 0 and 10, of b at 20 and 30: at 15 nothing is between, at 25 only what is of b. */
static void jobs_are_apart(void)
{
  given("X \"k Cmpt Exec\" 0 1us {jobname=a}", "X \"k Cmpt Exec\" 10us 1us {jobname=a}",
        "X \"x DmaO\" 15us 1us {TS1=1, jobname=a}", "X \"k Cmpt Exec\" 20us 1us {jobname=b}",
        "X \"x DmaO\" 25us 1us {TS1=1, jobname=b}", "X \"x DmaO\" 25us 1us {TS1=1, jobname=a}",
        "X \"x DmaO\" 25us 1us {TS1=1}", "X \"k Cmpt Exec\" 30us 1us {jobname=b}");
  expect_attr(2, "class", "DATA_OUT");
  expect_attr(4, "class", "MAIU_PROTOCOL_SEND_DATA");
  expect_attr(5, "class", "DATA_OUT");
  expect_attr(6, "class", "DATA_OUT");
}

static void torch_traces_go_by_category(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X gemm 0 1us cat=kernel", "X \"Memcpy (HtoD)\" 1us 1us cat=gpu_memcpy",
        "X gemm 2us 1us cat=kernel", "X gemm 2us 1us cat=cpu_op",
        "X \"HCOLL Signal\" 3us 1us cat=kernel");
  expect_attr(0, "class", "COMPUTE_EXEC");
  expect_attr(1, "class", "DATA_IN");
  expect_attr(3, "class", "OTHER");
  expect_attr(4, "class", "MAIU_HDMA_PROTOCOL_SIGNAL_DATA");
}

static void extremes_are_times_too(void)
{
  given("X \"k Cmpt Exec\" -9223372036854775808 1 {TS1=1}",
        "X \"x DmaO\" 0 1 {TS1=1, bytes=-9223372036854775808}",
        "X \"k Cmpt Exec\" 9223372036854775807 1 {TS1=1}");
  expect_attr(1, "class", "MAIU_PROTOCOL_SEND_DATA");
}

/* 100,000 slices in 100 jobs: of each job the kernels are the first and the last, the others lie between. */
static void a_hundred_thousand_slices(void)
{
  char line[96];
  for (int job = 0; job < 100; job++)
    for (int i = 0; i < 1000; i++) {
      bool kernel = i == 0 || i == 999;
      snprintf(line, sizeof line, "X \"x %s\" %dus 1us {TS1=1, jobname=\"j%d.json(%d)\"}",
               kernel ? "Cmpt Exec" : "DmaO", i, job, job);
      given(line);
    }
  expect_attr(0, "class", "COMPUTE_EXEC");
  expect_attr(1, "class", "MAIU_PROTOCOL_SEND_DATA");
  expect_attr(99998, "class", "MAIU_PROTOCOL_SEND_DATA");
  expect_attr(99999, "class", "COMPUTE_EXEC");
}

HARNESS_MAIN({ "slices get a class and nothing else does",
               slices_get_a_class_and_nothing_else_does },
             { "a group makes it a collective", a_group_makes_it_a_collective },
             { "transfers between kernels are of the protocol",
               transfers_between_kernels_are_of_the_protocol },
             { "transfers of 128 bytes are signals", transfers_of_128_bytes_are_signals },
             { "jobs are apart", jobs_are_apart },
             { "torch traces go by category", torch_traces_go_by_category },
             { "extremes are times, too", extremes_are_times_too },
             { "a hundred thousand slices", a_hundred_thousand_slices })
