/* Device events placed by cycles: each kind, times that cannot be, overlaps, parts. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include <stdio.h>

/* At 560 MHz 1 us is 560 cycles. */
#define TS(a, b, c, d, e) "{TS1=" a ", TS2=" b ", TS3=" c ", TS4=" d ", TS5=" e
#define KERNEL TS("5700", "5800", "11200", "22400", "22500")

/* 11,200 cycles are 20 us: the kernel is where the host saw it. TS1 lies 16,700 cycles = 29,821.4 ns
 * before its end, so 9,821.4 ns before its begin. */
static void a_kernel_goes_from_its_third_to_its_fourth_stamp(void)
{
  given("X \"k Cmpt Exec\" 1015us 20us " KERNEL "}");
  expect("X \"k Cmpt Exec\" 1015us 20us " KERNEL ", time_adjust={\"ts\":-9.821,\"dur\":9.821}}");
  expect_table("cycles", "0 | 1 | 0 | 0 | 0 | 1 | 0 | 0");
}

/* 11,200 cycles at 1000 MHz are 11.2 us, 1035 - 11.2 = 1023.8; 16,700 are 16.7, so 3.3 us later. */
static void another_frequency_gives_another_length(void)
{
  with("soc-mhz=1000");
  given("X \"k Cmpt Exec\" 1015us 20us " KERNEL "}");
  expect("X \"k Cmpt Exec\" 1023.8us 11.2us " KERNEL ", time_adjust={\"ts\":3.3,\"dur\":-3.3}}");
  expect_table("cycles", "0 | 1 | 1 | 0 | 8800 | 1 | 0 | 0");
}

/* 40 cycles are 71.4 ns. */
static void a_slice_without_length_gets_that_of_its_cycles(void)
{
  given("X n 5410us 0 " TS("100", "110", "120", "130", "140") "}");
  expect("X n 5409929 71 " TS("100", "110", "120", "130",
                              "140") ", time_adjust={\"ts\":-0.071,\"dur\":0.071}}");
  expect_notice(5, 1);
}

/* In: 2,800 cycles = 5 us. Preparation: 5,600 = 10 us, ending 20 us after TS1. Out: 2,800, ending 15
 * us after TS1. All end at 110 us. */
static void each_kind_shows_its_own_stamps(void)
{
  given("X \"a DmaI\" 100us 10us " TS("0", "2800", "2800", "2800", "9000") "}",
        "X \"a Cmpt Prep\" 100us 10us " TS("0", "5600", "11200", "11200", "11300") "}",
        "X \"a DmaO\" 100us 10us " TS("0", "0", "0", "5600", "8400") "}",
        "X \"b DmaI\" 100us 5us " TS("0", "2800", "2800", "2800", "9000") "}");
  expect("X \"a DmaI\" 105us 5us " TS("0", "2800", "2800", "2800",
                                      "9000") ", time_adjust={\"ts\":5,\"dur\":-5}}",
         "X \"a Cmpt Prep\" 100us 10us " TS("0", "5600", "11200", "11200",
                                            "11300") ", time_adjust={\"ts\":-10,\"dur\":10}}",
         "X \"a DmaO\" 105us 5us " TS("0", "0", "0", "5600",
                                      "8400") ", time_adjust={\"ts\":-5,\"dur\":5}}",
         "X \"b DmaI\" 100us 5us " TS("0", "2800", "2800", "2800", "9000") "}");
  for (uint32_t number = 1; number <= 6; number++) expect_notice(number, 0);
}

/* 20 us of cycles before 10 us. */
static void nothing_begins_before_time_zero(void)
{
  given("X \"k Cmpt Exec\" 5us 5us " KERNEL "}", "X \"k Cmpt Exec\" 15us 5us " KERNEL "}");
  expect("X \"k Cmpt Exec\" 5us 5us " KERNEL "}",
         "X \"k Cmpt Exec\" 0 20us " KERNEL ", time_adjust={\"ts\":-24.821,\"dur\":24.821}}");
  expect_notice(1, 1);
}

static void stamps_that_lack_are_counted(void)
{
  given("X \"k Cmpt Exec\" 9us 5us {TS1=1, TS2=2, TS3=3, TS5=5}",
        "X \"a DmaO\" 9us 5us {TS4=0, TS5=560}", "X k 9us 5us {TS1=1, TS5=soon}",
        "X host 9us 5us {a=1}");
  expect("X \"k Cmpt Exec\" 9us 5us {TS1=1, TS2=2, TS3=3, TS5=5}",
         "X \"a DmaO\" 13us 1us {TS4=0, TS5=560, time_adjust={\"ts\":4,\"dur\":-4}}",
         "X k 9us 5us {TS1=1, TS5=soon}", "X host 9us 5us {a=1}");
  expect_notice(2, 2);
  expect_table("cycles", "0 | 3 | 1 | 2 | 4000 | 0 | 0 | 0");
}

static void kernels_without_stamps_are_counted(void)
{
  given("X \"k Cmpt Exec\" 9us 5us {a=1}", "X \"k Cmpt Exec\" 20us 5us",
        "X \"k Cmpt Exec\" 30us 5us {TS3=soon}", "X host 40us 5us", "X \"a DmaI\" 50us 5us",
        "i \"k Cmpt Exec\" 60us");
  expect("X \"k Cmpt Exec\" 9us 5us {a=1}", "X \"k Cmpt Exec\" 20us 5us",
         "X \"k Cmpt Exec\" 30us 5us {TS3=soon}", "X host 40us 5us", "X \"a DmaI\" 50us 5us",
         "i \"k Cmpt Exec\" 60us");
  expect_notice(7, 2);
  expect_notice(2, 0);
}

static void reversed_stamps_and_lost_ends_are_counted(void)
{
  given("X \"k Cmpt Exec\" 9us 5us " TS("0", "0", "9", "8", "9") "}",
        "X \"k Cmpt Exec\" 9us - " KERNEL "}");
  expect("X \"k Cmpt Exec\" 9us 5us " TS("0", "0", "9", "8", "9") "}",
         "X \"k Cmpt Exec\" 9us - " KERNEL "}");
  expect_notice(3, 1);
  expect_notice(4, 1);
}

/* The second kernel begins 100 cycles before the first has ended; the third touches the second; the
 * fourth begins when the third does, by time, and is no successor. */
static void kernels_that_overlap_by_their_stamps_are_counted(void)
{
  given("X \"k Cmpt Exec\" 1015us 20us " KERNEL "}",
        "X \"l Cmpt Exec\" 1036us 20us " TS("5700", "5800", "22300", "33500", "33500") "}",
        "X \"m Cmpt Exec\" 1057us 20us " TS("5700", "5800", "33500", "44700", "44700") "}",
        "X \"n Cmpt Exec\" 1057us 20us " TS("5700", "5800", "33500", "44700", "44700") "}");
  expect_table("cycles", "0 | 4 | 0 | 0 | 0 | 4 | 1 | 100");
  expect_notice(6, 1);
}

/* As the first two above, on two devices: none overlaps another one of its own. */
static void kernels_of_two_processes_do_not_overlap(void)
{
  given("X \"k Cmpt Exec\" 1015us 20us p=1 " KERNEL "}",
        "X \"l Cmpt Exec\" 1036us 20us p=2 " TS("5700", "5800", "22300", "33500", "33500") "}");
  expect_table("cycles", "0 | 2 | 0 | 0 | 0 | 2 | 0 | 0");
  expect_notice(6, 0);
}

/* 19,999.1 ns: half a cycle less than 20 us. */
static void a_kernel_has_one_part(void)
{
  with("split=true");
  given("X \"k_1 Cmpt Exec\" 1015us 20us " KERNEL "}",
        "X \"k_1 Cmpt Prep\" 1005us 10us " KERNEL "}",
        "X \"k_1 DmaI\" 1005us 10us " TS("0", "5600", "5600", "5600", "5600") "}",
        "X \"k_1 DmaO\" 1005us 10us " TS("0", "0", "0", "5600", "5600") "}");
  expect("X \"k_1 Cmpt Exec\" 1015us 19999 " KERNEL ", time_adjust={\"ts\":-9.821,\"dur\":9.821}}",
         "X \"k_1 DmaI\" 1005us 9999 " TS("0", "5600", "5600", "5600", "5600") "}");
}

/* 28,000 cycles = 50 us up to 100 us: in 50 to 60, computation 70 to 90, out 90 to 100. Of the
 * second, nothing goes out. A host's slice stays. */
static void other_events_have_three_parts(void)
{
  with("split=true");
  given("X node 50us 50us " TS("0", "5600", "11200", "22400", "28000") ", a=1}",
        "X \"a Cmpt node\" 50us 50us " TS("0", "5600", "11200", "28000", "28000") "}",
        "X host 60us 1us");
  expect("X node_DmaI 50us 9999 " TS("0", "5600", "11200", "22400", "28000") ", a=1}",
         "X node_Cmpt 70us 19999 " TS("0", "5600", "11200", "22400", "28000") ", a=1}",
         "X node_DmaO 90us 9999 " TS("0", "5600", "11200", "22400", "28000") ", a=1}",
         "X \"a Cmpt node_DmaI\" 50us 9999 " TS("0", "5600", "11200", "28000", "28000") "}",
         "X \"a Cmpt node\" 70us 29999 " TS("0", "5600", "11200", "28000", "28000") "}",
         "X host 60us 1us");
}

static void torch_kernels_pass_unchanged(void)
{
  given_lane("dialect=kineto");
  given("X gemm 100us 10us cat=kernel " KERNEL "}");
  expect("X gemm 100us 10us cat=kernel " KERNEL "}");
  expect_empty_table("cycles");
}

static void extremes_stay_as_they_are(void)
{
  given("X k 9223372036854775807 5us " TS("0", "0", "0", "0", "1") "}",
        "X k 0 5us {TS1=-9223372036854775808, TS5=9223372036854775807}",
        "X k 1us 5us {TS1=-9223372036854775807, TS5=0}", "i k 2us {TS1=1, TS5=2}",
        "X k 3us 5us {TS1=nan, TS5=nan}");
  expect("X k 9223372036854775807 5us " TS("0", "0", "0", "0", "1") "}",
         "X k 0 5us {TS1=-9223372036854775808, TS5=9223372036854775807}",
         "X k 1us 5us {TS1=-9223372036854775807, TS5=0}", "i k 2us {TS1=1, TS5=2}",
         "X k 3us 5us {TS1=nan, TS5=nan}");
  expect_notice(1, 2);
  expect_notice(3, 1);
}

/* 100,000 kernels of 1 us, one each 2 us, written 0.5 us too long. */
static void many_events_are_no_matter(void)
{
  char line[160];
  for (long i = 0; i < 100000; i++) {
    long ts = i * 2000 + 10000, cycles = i * 1120;
    snprintf(line, sizeof line, "X \"k Cmpt Exec\" %ld 1500 {TS3=%ld, TS4=%ld}", ts, cycles,
             cycles + 560);
    given(line);
  }
  expect_table("cycles", "0 | 100000 | 100000 | 0 | 500 | 100000 | 0 | 0");
  expect_notice(6, 0);
}

HARNESS_MAIN({ "a kernel goes from its third to its fourth stamp",
               a_kernel_goes_from_its_third_to_its_fourth_stamp },
             { "another frequency gives another length", another_frequency_gives_another_length },
             { "a slice without length gets that of its cycles",
               a_slice_without_length_gets_that_of_its_cycles },
             { "each kind shows its own stamps", each_kind_shows_its_own_stamps },
             { "nothing begins before time zero", nothing_begins_before_time_zero },
             { "stamps that lack are counted", stamps_that_lack_are_counted },
             { "kernels without stamps are counted", kernels_without_stamps_are_counted },
             { "reversed stamps and lost ends are counted",
               reversed_stamps_and_lost_ends_are_counted },
             { "kernels that overlap by their stamps are counted",
               kernels_that_overlap_by_their_stamps_are_counted },
             { "kernels of two processes do not overlap", kernels_of_two_processes_do_not_overlap },
             { "a kernel has one part", a_kernel_has_one_part },
             { "other events have three parts", other_events_have_three_parts },
             { "torch kernels pass unchanged", torch_kernels_pass_unchanged },
             { "extremes stay as they are", extremes_stay_as_they_are },
             { "many events are no matter", many_events_are_no_matter })
