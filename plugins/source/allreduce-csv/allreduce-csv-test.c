/* The allreduce-csv source: every form of the benchmark's table, and everything that is none. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <string.h>

#define A "world_size,dtype,size,num_tokens,hidden_size,strategy,fusion,time (us)\n"
#define B "world_size,dtype,size,num_tokens,hidden_size,strategy,fusion,op,time (us)\n"
#define C "world_size,dtype,size,shape,strategy,fusion,version,time (us)\n"
#define D "world_size,dtype,fusion,num_tokens,hidden_size,size_bytes,strategy,time_us,algbw_GBps\n"

static void knows_its_headers(void)
{
  expect_probe(A, "x", 95);
  expect_probe("\xef\xbb\xbf" A, "x", 95);
  expect_probe(B, "x", 95);
  expect_probe(C, "x", 95);
  expect_probe(D, "x", 95);
  expect_probe("world_size,strategy,fusion,num_tokens\n", "x", 40);
  expect_probe("a,b\n1,2\n", "benchmark.tp2.sm90.csv", 30);
  expect_probe("", "benchmark.tp2.sm90.csv", 30);
  expect_probe("strategy,size\n", "x", 0);
  expect_probe("{}", "x.csv", 0);
}

static void reads_the_form_of_the_original(void)
{
  given_lane("name=benchmark.tp4.sm90.csv");
  given_bytes(A "4,bfloat16,16384,64,128,NCCL,NONE,10.5\n"
                "4,bfloat16,16384,64,128,ONESHOT,RESIDUAL_RMS_NORM,7.123456789012345\n");
  expect("- allreduce.row - p=- t=- {tp=4, fusion=NONE, strategy=NCCL, tokens=64, hidden=128, "
         "bytes=16384, dtype=bfloat16, time_us=10.5}",
         "- allreduce.row - p=- t=- {tp=4, fusion=RESIDUAL_RMS_NORM, strategy=ONESHOT, tokens=64, "
         "hidden=128, bytes=16384, dtype=bfloat16, time_us=7.123456789012345}");
  expect_described(0, "tag.sm=90 fact=input.allreduce fact=input.allreduce-times");
}

static void the_name_of_the_file_says_which_gpus(void)
{
  static const char *const names[][2] = { { "benchmark.tp2.sm100.csv", "tag.sm=100 " },
                                          { "sm90-tp2.csv", "tag.sm=90 " },
                                          { "prism8.sm.csv", "" },
                                          { "small.csv", "" } };
  for (unsigned i = 0; i < MILL_COUNT(names); i++) {
    harness_clear();
    char facts[80] = "name=", all[80] = "";
    given_lane(strcat(facts, names[i][0]));
    given_bytes(A "4,bfloat16,16384,64,128,NCCL,NONE,10.5\n");
    strcat(strcpy(all, names[i][1]), "fact=input.allreduce fact=input.allreduce-times");
    expect_described(0, all);
  }
}

static void reads_the_newer_form_with_an_operation(void)
{
  given_bytes(B "2,bfloat16,256,1,128,NCCL,NONE,gemm_allreduce,10.5\n");
  expect("- allreduce.row - p=- t=- {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, "
         "bytes=256, op=gemm_allreduce, dtype=bfloat16, time_us=10.5}");
}

static void reads_the_older_form_with_a_shape(void)
{
  given_bytes(C "2,float16,256,1x128,AUTO,NONE,1.0,10.5\n2,float16,512,2X128,AUTO,NONE,1.0,11\n"
                "2,float16,512,\"(2, 128)\",AUTO,NONE,1.0,12\n");
  expect("- allreduce.row - p=- t=- {tp=2, fusion=NONE, strategy=AUTO, tokens=1, hidden=128, "
         "bytes=256, dtype=float16, time_us=10.5}",
         "- allreduce.row - p=- t=- {tp=2, fusion=NONE, strategy=AUTO, tokens=2, hidden=128, "
         "bytes=512, dtype=float16, time_us=11.0}",
         "- allreduce.row - p=- t=- {tp=2, fusion=NONE, strategy=AUTO, tokens=2, hidden=128, "
         "bytes=512, dtype=float16, time_us=12.0}");
}

static void a_shape_says_what_has_no_column(void)
{
  given_bytes("world_size,strategy,fusion,num_tokens,shape,time (us)\n2,NCCL,NONE,4,8x128,1\n");
  expect("- allreduce.row - p=- t=- {tp=2, fusion=NONE, strategy=NCCL, tokens=4, hidden=128, "
         "bytes=1024, time_us=1.0}");
}

/* A case that was skipped is 0.0 there. */
static void reads_the_form_side_by_side(void)
{
  given_bytes(D "8,bfloat16,NONE,16,1024,32768,NCCL,12.5,2.6\n"
                "8,bfloat16,NONE,16,1024,32768,ONESHOT,0.0,0.0\n");
  expect("- allreduce.row - p=- t=- {tp=8, fusion=NONE, strategy=NCCL, tokens=16, hidden=1024, "
         "bytes=32768, dtype=bfloat16, time_us=12.5}",
         "- allreduce.row - p=- t=- {tp=8, fusion=NONE, strategy=ONESHOT, tokens=16, hidden=1024, "
         "bytes=32768, dtype=bfloat16}");
  expect_notice(20, 1);
}

/* Columns in any order, quotes, CRLF, blank lines, a mark; sizes that follow from the type. */
static void reads_the_words_of_the_viewer(void)
{
  given_bytes("\xef\xbb\xbftime_ms,fusion_op,strategy,hidden_size,num_tokens,world_size,dtype\r\n"
              "\r\n0.0125,NONE,\"NCCL\",128,2.0,2,float32\r\n \r\n1e-3,NONE, NCCL ,128,1,2,fp8");
  expect("- allreduce.row - p=- t=- {tp=2, fusion=NONE, strategy=NCCL, tokens=2, hidden=128, "
         "bytes=1024, dtype=float32, time_us=12.5}",
         "- allreduce.row - p=- t=- {tp=2, fusion=NONE, strategy=NCCL, tokens=1, hidden=128, "
         "bytes=128, dtype=fp8, time_us=1.0}");
}

/* 128 elements of 2 bytes are 256; what a type or a fused GEMM needs is not known. */
static void sizes_that_do_not_fit_are_counted(void)
{
  given_bytes(A "2,bfloat16,256,1,128,NCCL,NONE,1\n2,bfloat16,512,1,128,NCCL,NONE,1\n"
                "2,float32,256,1,128,NCCL,NONE,1\n2,int4,64,1,128,NCCL,NONE,1\n");
  expect_notice(22, 2);
  harness_clear();
  given_bytes(
      "world_size,dtype,size,num_tokens,hidden_size,strategy,fusion,op,time (us)\n"
      "2,fp16,512,1,128,NCCL,NONE,gemm_allreduce,1\n2,fp16,512,1,128,NCCL,NONE,allreduce,1\n");
  expect_notice(22, 1);
}

static void times_that_are_none_are_counted(void)
{
  given_bytes(A "2,bfloat16,256,1,128,NCCL,NONE,\n2,bfloat16,256,1,128,NCCL,NONE,nan\n"
                "2,bfloat16,256,1,128,NCCL,NONE,-inf\n2,bfloat16,256,1,128,NCCL,NONE,-1\n"
                "2,bfloat16,256,1,128,NCCL,NONE,0\n2,bfloat16,256,1,128,NCCL,NONE,1e999\n"
                "2,bfloat16,256,1,128,NCCL,NONE,1\n");
  expect_notice(20, 6);
  expect_attr(6, "time_us", "1.0");
}

static void refused(unsigned number, const char *bytes)
{
  harness_clear();
  given_bytes(bytes);
  expect_status(MILL_BAD_INPUT);
  expect_notice(number, 1);
}

static void what_is_no_table_is_refused(void)
{
  refused(1, "\n\n");
  refused(2, A);
  refused(2, A "\n\n");
  refused(3, "world_size,dtype,size,num_tokens,hidden_size,strategy,time (us)\n");
  refused(3, "world_size,num_tokens,strategy,fusion,time (us)\n");
  refused(4, "world_size,shape,strategy,fusion,time (us),time_ms\n");
  refused(5, A "2,bfloat16,256,1,128,NCCL,NONE\n");
  refused(5, A "2,bfloat16,256,1,128,NCCL,NONE,1,2\n");
  refused(6, A "two,bfloat16,256,1,128,NCCL,NONE,1\n");
  refused(6, A "2,bfloat16,256,0,128,NCCL,NONE,1\n");
  refused(6, A "2,bfloat16,256,1,12.5,NCCL,NONE,1\n");
  refused(6, A "2,bfloat16,-256,1,128,NCCL,NONE,1\n");
  refused(6, A "2,bfloat16,256,1,128,NCCL,NONE,fast\n");
  refused(6, A "2,bfloat16,256,1,128,NCCL,NONE,-\n");
  refused(6, A "2,bfloat16,256,1,128,,NONE,1\n");
  refused(6, A "2,bfloat16,256,1,128,NCCL, ,1\n");
  refused(6, C "2,float16,256,128,AUTO,NONE,1.0,10.5\n");
  refused(6, C "2,float16,256,1xtwo,AUTO,NONE,1.0,10.5\n");
  refused(7, A "2,bfloat16,256,1,128,\"NCCL,NONE,1\n");
}

HARNESS_MAIN({ "sizes that do not fit are counted", sizes_that_do_not_fit_are_counted },
             { "knows its headers", knows_its_headers },
             { "reads the form of the original", reads_the_form_of_the_original },
             { "the name of the file says which GPUs", the_name_of_the_file_says_which_gpus },
             { "reads the newer form with an operation", reads_the_newer_form_with_an_operation },
             { "reads the older form with a shape", reads_the_older_form_with_a_shape },
             { "a shape says what has no column", a_shape_says_what_has_no_column },
             { "reads the form side by side", reads_the_form_side_by_side },
             { "reads the words of the viewer", reads_the_words_of_the_viewer },
             { "times that are none are counted", times_that_are_none_are_counted },
             { "what is no table is refused", what_is_no_table_is_refused })
