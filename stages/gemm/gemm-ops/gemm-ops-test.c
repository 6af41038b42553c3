/* Tests of gemm/gemm-ops: rows, rates, kernels.  Events come as torch/host-tree leaves them. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define MM(dims, types, strides) "8:aten::mm4:GEMM7:forward" dims types strides "0:"
#define DIMS "21:[[200,300],[300,400]]"
#define TYPES "29:[c10::BFloat16,c10::BFloat16]"
#define ROW_MM MM(DIMS, TYPES, "17:[[300,1],[400,1]]")
#define ROW_TURNED MM(DIMS, TYPES, "17:[[1,200],[400,1]]")
#define ROW_BARE MM("0:", "0:", "0:")
#define ROW_ADDMM                                                            \
  "11:aten::addmm4:GEMM7:forward21:[[400],[2,3],[3,400]]16:[half,half,half]" \
  "19:[[1],[3,1],[400,1]]0:"
#define ROW_BMM "9:aten::bmm4:GEMM7:forward17:[[5,2,3],[5,3,4]]15:[double,double]0:0:"
#define OP(name, time, gemm, row) \
  "X " name " 0 9us cat=cpu_op {tree_gemm=" gemm ", tree_subtree_ns=" time ", tree_row=\"" row "\"}"
#define PART(name, ts, dur, gemm, stream) \
  "X " name " " ts " " dur " cat=kernel {tree_gemm=" gemm ", stream=" stream "}"

#define MAIN "Cijk_Ailk_Bljk_BBS_MT64x64x32"

/* 2 * 200 * 400 * 300 = 48e6 operations; (60e3 + 120e3 + 80e3) * 2 = 520e3 bytes.  In 10 and 30 us: 4.8 and 1.6 TFLOP/s,
 * 3.2 in the middle and 2.4 of both, std 2.2627417; 0.052 and 0.0173333 TB/s, mean 0.0346667, std 0.0245130.  Of the first kernel 8 and 25 us: 33,
 * mean and median 16.5, std 8.5; of the second 2 and 5: mean 3.5, std 1.5.  The second call stands first in the file. */
static void given_two_calls(void)
{
  given(PART("post", "126us", "5us", "1", "7"), OP("aten::mm", "30000", "1", ROW_MM),
        PART(MAIN, "0", "8us", "0", "7"), OP("aten::mm", "10000", "0", ROW_MM),
        PART("post", "9us", "2us", "0", "7"), PART(MAIN, "100us", "25us", "1", "7"));
}
#define TWO_CALLS                                                                            \
  "0 | aten::mm | 200 | 400 | 300 | 1 | false | [300,1] | [400,1] | "                        \
  "c10::BFloat16,c10::BFloat16 | NN | " MAIN " | [[200,300],[300,400]] | "                   \
  "[c10::BFloat16,c10::BFloat16] | [[300,1],[400,1]] | | "                                   \
  "[{\"name\": \"" MAIN "\", \"stream\": \"7\", \"count\": 2, \"total_ns\": 33000, "         \
  "\"mean_ns\": 16500.0, \"median_ns\": 16500.0, \"std_ns\": 8500.0, \"min_ns\": 8000, "     \
  "\"max_ns\": 25000}, {\"name\": \"post\", \"stream\": \"7\", \"count\": 2, "               \
  "\"total_ns\": 7000, \"mean_ns\": 3500.0, \"median_ns\": 3500.0, \"std_ns\": 1500.0, "     \
  "\"min_ns\": 2000, \"max_ns\": 5000}] | 1 | 2 | 48000000 | 520000 | 92.3076923 | 40000 | " \
  "20000 | 20000 | 14142.1356 | 10000 | 30000 | 2.4 | 3.2 | 3.2 | 2.26274170 | 1.6 | 4.8 | " \
  "0.026 | 0.0346666666665 | 0.0346666666665 | 0.0245130350813 | 0.017333333333 | 0.052 | "

static void a_row_of_two_calls(void)
{
  given_two_calls();
  expect_table("gemm-ops", TWO_CALLS "- | - | - | -");
  expect_metric("gemm_time", NULL, "40000");
  expect_metric("gemm_tflops", "mean", "2.4");
  expect_metric("gemm_tflops", "p50", "3.2");
  expect_metric("gemm_tflops", "max", "4.8");
  expect_notice(2, 0);
  expect_notice(4, 1);
}

/* Two calls on two ranks have the same rates as on one. */
static void rates_are_those_of_all_ranks(void)
{
  given_lane("rank=0");
  given(OP("aten::mm", "10000", "0", ROW_MM), PART(MAIN, "0", "10us", "0", "7"));
  given_lane("rank=1");
  given(OP("aten::mm", "30000", "0", ROW_MM), PART(MAIN, "0", "30us", "0", "7"));
  expect_metric("gemm_time", NULL, "40000");
  expect_metric("gemm_tflops", "mean", "2.4");
  expect_metric("gemm_tflops", "p50", "3.2");
}

/* MI300X: 48e6 / 708e12 = 67.797 ns of operations, 520e3 / 5300e9 = 98.113 ns of bytes. */
static void the_roofline(void)
{
  with("arch=MI300X");
  given_two_calls();
  expect_table("gemm-ops", TWO_CALLS "98.1132075 | memory | 0.490566038 | false");
  expect_notice(4, 0);
}

#define RATE(rate) rate " | " ONE(rate)
#define ONE(time) time " | " time " | - | " time " | " time
#define NO_RATES "- | - | - | - | - | - | - | - | - | - | - | - | - | - | - | -"

/* Strides and transposition make rows; so does the lack of dims.  addmm: 2*2*400*3 + 2*400 = 5600 operations in 7 us =
 * 0.0008 TFLOP/s; (6 + 1200 + 800 + 400) * 2 = 4812 bytes, 0.000687429 TB/s.  bmm: 5 * 48 = 240 operations in 1 us;
 * 5 * (6 + 12 + 8) * 8 = 1040 bytes. */
static void what_makes_a_row(void)
{
  given(OP("aten::mm", "9000", "0", ROW_MM), PART("nvjet_hsh_128_TNT", "0", "9us", "0", "7"),
        OP("aten::mm", "8000", "1", ROW_TURNED), PART("k", "20us", "8us", "1", "7"),
        OP("aten::addmm", "7000", "2", ROW_ADDMM),
        PART("Cijk_Alik_Bjlk_HSS", "40us", "7us", "2", "8"), OP("aten::mm", "6000", "3", ROW_BARE),
        PART("k", "60us", "6us", "3", "7"), OP("aten::bmm", "1000", "4", ROW_BMM),
        PART("k", "80us", "1us", "4", "7"));
#define DETAILS(name, stream, ns)                                                         \
  "[{\"name\": \"" name "\", \"stream\": \"" stream "\", \"count\": 1, \"total_ns\": " ns \
  ", \"mean_ns\": " ns ".0, \"median_ns\": " ns ".0, \"std_ns\": 0.0, \"min_ns\": " ns    \
  ", \"max_ns\": " ns "}]"
#define HEAD "[[200,300],[300,400]] | [c10::BFloat16,c10::BFloat16] | "
#define WORK "48000000 | 520000 | 92.3076923 | "
  expect_table(
      "gemm-ops",
      "0 | aten::mm | 200 | 400 | 300 | 1 | false | [300,1] | [400,1] | "
      "c10::BFloat16,c10::BFloat16 | TN | nvjet_hsh_128_TNT | " HEAD
      "[[300,1],[400,1]] | | " DETAILS(
          "nvjet_hsh_128_TNT", "7",
          "9000") " | 0 | 1 | " WORK
                  "9000 | " ONE("9000") " | " RATE("5.333333333333") " | " RATE(
                      "0.057777777778") " | - | - | - | -",
      "0 | aten::mm | 200 | 400 | 300 | 1 | false | [1,200] | [400,1] | "
      "c10::BFloat16,c10::BFloat16 | | k | " HEAD
      "[[1,200],[400,1]] | | " DETAILS("k", "7", "8000") " | 2 | 1 | " WORK "8000 | " ONE(
          "8000") " | " RATE("6") " | " RATE("0.065") " | - | - | - | -",
      "0 | aten::addmm | 2 | 400 | 3 | 1 | true | [3,1] | [400,1] | half,half | TT | "
      "Cijk_Alik_Bjlk_HSS | [[400],[2,3],[3,400]] | [half,half,half] | "
      "[[1],[3,1],[400,1]] | | " DETAILS("Cijk_Alik_Bjlk_HSS", "8",
                                         "7000") " | 4 | 1 | 5600 | 4812 | 1.16375727 | 7000 "
                                                 "| " ONE("7000") " | " RATE("0.0008") " | " RATE(
                                                     "0."
                                                     "00"
                                                     "06"
                                                     "87"
                                                     "42"
                                                     "85"
                                                     "7"
                                                     "1") " | - | - | - | -",
      "0 | aten::mm | - | - | - | - | - | | | | | k | | | | | " DETAILS(
          "k", "7", "6000") " | 6 | 1 | - | - | - | 6000 | " ONE("6000") " | " NO_RATES,
      "0 | aten::bmm | 2 | 4 | 3 | 5 | false | | | double,double | | k | [[5,2,3],[5,3,4]] | "
      "[double,double] | | | " DETAILS("k", "7",
                                       "1000") " | 8 | 1 | 240 | 1040 | 0.230769231 | "
                                               "1000 | " ONE("1000") " | " RATE(
                                                   "0.00024") " | " RATE("0.00104") " | - | - "
                                                                                    "| - | -");
  expect_notice(3, 1);
}

/* The second call has one kernel more: it is in no position's times, but its time counts, and its kernels for `kernel`: a
 * has 3 + 1 us, b 3 + 5. */
static void calls_with_other_kernels(void)
{
  given(OP("aten::mm", "3000", "0", ROW_BARE), PART("a", "0", "3us", "0", "7"),
        OP("aten::mm", "4000", "1", ROW_BARE), PART("a", "10us", "1us", "1", "7"),
        PART("b", "11us", "3us", "1", "7"), OP("aten::mm", "5000", "2", ROW_BARE),
        PART("b", "20us", "5us", "2", "9"));
  expect_table("gemm-ops",
               "0 | aten::mm | - | - | - | - | - | | | | | b | | | | | [{\"name\": \"a\", "
               "\"stream\": \"7\", \"count\": 2, \"total_ns\": 8000, \"mean_ns\": 4000.0, "
               "\"median_ns\": 4000.0, \"std_ns\": 1000.0, \"min_ns\": 3000, \"max_ns\": 5000}] | "
               "0 | 3 | - | - | - | 12000 | 4000 | 4000 | 1000 | 3000 | 5000 | " NO_RATES);
}

static void more_values_than_are_kept(void)
{
  with("exact-up-to=1");
  given_two_calls();
  expect_notice(5, 1);
}

static void nothing_is_no_row(void)
{
  given("X aten::mm 0 9us cat=cpu_op", "X aten::add 0 9us cat=cpu_op {tree_subtree_ns=5}",
        "X k 0 1us cat=kernel");
  expect_empty_table("gemm-ops");
  expect_metric("gemm_time", NULL, NULL);
  expect_metric("gemm_tflops", "mean", NULL);
  expect_notice(1, 1);
  expect_notice(2, 1);
}

HARNESS_MAIN({ "a row of two calls", a_row_of_two_calls }, { "the roofline", the_roofline },
             { "rates are those of all ranks", rates_are_those_of_all_ranks },
             { "what makes a row", what_makes_a_row },
             { "calls with other kernels", calls_with_other_kernels },
             { "more values than are kept", more_values_than_are_kept },
             { "nothing is no row", nothing_is_no_row })
