/* The tuner-csv source. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define ALL                                                                                    \
  "collective,size_bytes,algorithm,protocol,channels,nodes,ranks,pipeOps,regBuff,cost_metric," \
  "bandwidth_gbps,latency_us\n"

static void reads_rows(void)
{
  given_bytes(ALL "allreduce,1024,ring,ll,4,1,8,-1,0,7,1.5,12.5\n"
                  "allgather,0,tree,simple,-1,2,16,1,1,,,nan\n");
  expect("- tuner.row - p=- t=- {collective=allreduce, algorithm=ring, protocol=ll, bytes=1024, "
         "channels=4, nodes=1, ranks=8, pipe_ops=-1, reg_buff=0, bandwidth=1.5, time_us=12.5}",
         "- tuner.row - p=- t=- {collective=allgather, algorithm=tree, protocol=simple, bytes=0, "
         "channels=-1, nodes=2, ranks=16, pipe_ops=1, reg_buff=1}");
  expect_probe(ALL, "x", 95);
  expect_probe("collective,size_bytes,algorithm,protocol\n", "x", 40);
  expect_probe("world_size,strategy,fusion\n", "x", 0);
}

static void columns_that_may_be_missing(void)
{
  given_bytes("\xef\xbb\xbfLatency_us,Protocol,algorithm,SIZE_BYTES,collective,nodes\r\n5, ll "
              ",ring,8,reduce,\r\n");
  expect("- tuner.row - p=- t=- {collective=reduce, algorithm=ring, protocol=ll, bytes=8, "
         "channels=-1, nodes=-1, ranks=-1, pipe_ops=-1, reg_buff=-1, time_us=5.0}");
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
  refused(1, "\n");
  refused(2, "collective,size_bytes,algorithm,latency_us\na,1,b,1\n");
  refused(2, "collective,size_bytes,algorithm,protocol\na,1,b,c\n");
  refused(3, ALL "allreduce,1024,ring\n");
  refused(4, ALL "allreduce,big,ring,ll,4,1,8,-1,0,7,1.5,12.5\n");
  refused(4, ALL "allreduce,8,ring,ll,-2,1,8,-1,0,7,1.5,12.5\n");
  refused(4, ALL "allreduce,8,ring,ll,2147483648,1,8,-1,0,7,1.5,12.5\n");
  refused(5, ALL "\"allreduce,8\n");
  refused(6, ALL);
}

/* An optional number behind it would be taken for none. */
static void a_nul_byte_is_refused(void)
{
  static const char bytes[] = ALL "allreduce,8,ring,ll,\0,1,8,-1,0,7,1.5,12.5\n";
  given_data(bytes, sizeof bytes - 1);
  expect_status(MILL_BAD_INPUT);
  expect_notice(5, 1);
}

HARNESS_MAIN({ "reads rows", reads_rows },
             { "columns that may be missing", columns_that_may_be_missing },
             { "what is no table is refused", what_is_no_table_is_refused },
             { "a NUL byte is refused", a_nul_byte_is_refused })
