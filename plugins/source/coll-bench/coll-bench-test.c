/* The coll-bench source: logs of all versions as text, JSON and CSV, and what is cut or wrong. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/harness.h>

#define HEAD                                                                              \
  "# nThread 1 nGpus 2 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 " \
  "agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"                             \
  "#  Rank  0 Group  0 Pid   1234 on     node01 device  0 [0000:07:00] NVIDIA H100\n"     \
  "#  Rank  1 Group  0 Pid   1235 on     node02 device  1 [0000:0a:00] NVIDIA H100\n#\n"
#define COLUMNS                                                                               \
  "#                                          out-of-place                       in-place\n"  \
  "#       size         count      type   redop    root     time   algbw   busbw #wrong     " \
  "time   algbw   busbw #wrong\n"                                                             \
  "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            " \
  "(us)  (GB/s)  (GB/s)\n"
#define ROWS                                                                                  \
  "           8             2     float     sum      -1     5.50    0.00    0.00      0     " \
  "5.25    0.00    0.00      0\nnode01:1234:1240 [0] NCCL INFO comm 0x1 done\n"               \
  "123 NCCL INFO something\n"                                                                 \
  "          16             4     float     sum      -1  1.2e+01    0.50    0.50    N/A     " \
  "6.00    0.01    0.02      0\n"
#define FOOT "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.125 \n#\n"
#define NAME "# Collective test concluded: all_reduce_perf\n"

#define ROW(collective, bytes, count, place, rest)                                    \
  "- coll.row - p=- t=- {collective=" #collective ", bytes=" #bytes ", count=" #count \
  ", type=float, redop=sum, in_place=" #place ", " rest "}"
#define RUN(rest) "- coll.run - p=- t=- {" rest "}"

static void reads_a_log(void)
{
  given_bytes(HEAD COLUMNS ROWS FOOT NAME);
  expect(ROW(allreduce, 8, 2, 0, "time_us=5.5, algbw=0.0, busbw=0.0, wrong=0"),
         ROW(allreduce, 8, 2, 1, "time_us=5.25, algbw=0.0, busbw=0.0, wrong=0"),
         ROW(allreduce, 16, 4, 0, "time_us=12.0, algbw=0.5, busbw=0.5"),
         ROW(allreduce, 16, 4, 1, "time_us=6.0, algbw=0.01, busbw=0.02, wrong=0"),
         RUN("busbw=0.125, wrong=0, ranks=2, nodes=2, complete=1"));
  expect_probe(HEAD, "x", 85);
}

/* The mean of 0, 0, 0.5 and 0.02 is 0.13; printed values are rounded. */
static void averages_that_do_not_fit_are_told(void)
{
  given_bytes(HEAD COLUMNS ROWS FOOT NAME);
  expect_notice(25, 0);
  harness_clear();
  given_bytes(HEAD COLUMNS ROWS "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.26 \n");
  expect_notice(25, 1);
}

/* Without root, with "error", as old ones print it; the name of the file says which collective. */
static void reads_an_old_log_by_its_header(void)
{
  given_lane("name=all_gather_perf.log");
  given_bytes(
      "[1,0]<stdout>:#   Rank  0 Pid 1 on h device 0 [0x07]\n"
      "[1,0]<stdout>:#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  "
      "error\n"
      "[1,0]<stdout>:  8  2  float  sum  5.5  0.1  0.2  0e+00  5.0  0.3  0.4  1e-07\n" FOOT);
  with("wrong=count");
  expect(ROW(allgather, 8, 2, 0, "time_us=5.5, algbw=0.1, busbw=0.2, wrong=0"),
         ROW(allgather, 8, 2, 1, "time_us=5.0, algbw=0.3, busbw=0.4, wrong=1"),
         RUN("busbw=0.125, wrong=0, ranks=1, nodes=1, complete=1"));
  expect_notice(21, 1);
}

/* Columns of single iterations after each half, and a stamp at the end. */
static void passes_over_further_columns(void)
{
  given_lane("tag.collective=broadcast");
  given_bytes(
      "#  size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw "
      "busbw #wrong i_min i_max i_p99 i_cv%\n"
      "8 2 float sum 0 5.5 0.1 0.2 0 5 6 6 1.5 5.0 0.3 0.4 0 4 6 6 2 2026-01-01 10:00:00\n" FOOT);
  expect(ROW(broadcast, 8, 2, 0, "time_us=5.5, algbw=0.1, busbw=0.2, wrong=0"),
         ROW(broadcast, 8, 2, 1, "time_us=5.0, algbw=0.3, busbw=0.4, wrong=0"),
         RUN("busbw=0.125, wrong=0, complete=1"));
}

/* NCCL speaks up while the first size is measured: what stands where times belong is none. */
static void rows_that_messages_break_are_counted(void)
{
  given_bytes(
      HEAD COLUMNS
      "           8             2     float     sum      -1node01:1234:1240 [0] NCCL INFO 2 coll "
      "channels, 16 nvls channels, 0 p2p\n     5.50    0.00    0.00      0     5.25    0.00    "
      "0.00      0\n"
      "           8             2     float     sum      -1 node01:1234:1240 [0] NCCL INFO 2 coll "
      "channels, 16 nvls channels, 0 p2p\n"
      "          12             3     float     sum\n"
      "          16             4     float     sum      -1    12.0    0.50    0.50      0     "
      "N/A     N/A     N/A    N/A\n2026 11 words and 1 2 3\n" FOOT NAME);
  expect(ROW(allreduce, 16, 4, 0, "time_us=12.0, algbw=0.5, busbw=0.5, wrong=0"),
         RUN("busbw=0.125, wrong=0, ranks=2, nodes=2, complete=1"));
  expect_notice(23, 3);
}

static void reads_json_of_nccl_tests(void)
{
  given_bytes(
      "{\"version\": 2, \"config\": {\"devices\": [{}, {}, {}]}, \"results\": [\n"
      "{\"size\": 8, \"count\": 2, \"type\": \"float\", \"redop\": \"sum\", \"root\": \"-1\",\n"
      "\"out_of_place\": {\"time\": 5.5, \"alg_bw\": 0.1, \"bus_bw\": \"nan\", \"nwrong\": "
      "\"0\"},\n"
      "\"in_place\": {\"cpu_time\": 5, \"alg_bw\": 0.3, \"bus_bw\": 0.4},\n"
      "\"experiment_name\": \"all_reduce_perf\"},\n"
      "{\"size\": 16, \"count\": 4, \"type\": \"float\", \"redop\": \"sum\", \"out_of_place\": "
      "null,\n"
      "\"in_place\": {\"time\": 6, \"alg_bw\": 0.3, \"bus_bw\": 0.4, \"nwrong\": 0},\n"
      "\"experiment_name\": \"all_reduce_perf\"}],\n"
      "\"out_of_bounds\": {\"count\": 0, \"okay\": \"true\"},\n"
      "\"average_bus_bandwidth\": {\"bandwidth\": 0.25, \"okay\": \"true\"}}\n");
  expect(ROW(allreduce, 8, 2, 0, "time_us=5.5, algbw=0.1, wrong=0"),
         ROW(allreduce, 8, 2, 1, "time_us=5.0, algbw=0.3, busbw=0.4"),
         ROW(allreduce, 16, 4, 1, "time_us=6.0, algbw=0.3, busbw=0.4, wrong=0"),
         RUN("busbw=0.25, wrong=0, ranks=3, complete=1"));
}

#define OBJECT(size, place, time)                                                               \
  "{\"name\": \"ReduceScatter\", \"nodes\": 2, \"ranks\": 16, \"ranksPerNode\": 8, "            \
  "\"gpusPerRank\": 1, \"size\": " #size ", \"type\": \"float\", \"redop\": \"sum\", "          \
  "\"inPlace\": " #place ", \"time\": " #time ", \"algBw\": 0.5, \"busBw\": 0.47, \"#wrong\": " \
  "0}"
#define RCCL(size, place, time)                                  \
  "- coll.row - p=- t=- {collective=reducescatter, bytes=" #size \
  ", type=float, redop=sum, in_place=" #place ", time_us=" #time \
  ", algbw=0.5, busbw=0.47, wrong=0}"

static void reads_json_of_rccl_tests(void)
{
  static const char *const forms[] = { OBJECT(8, 0, 5.5) "\n" OBJECT(8, 1, 5.0) "\n",
                                       "[" OBJECT(8, 0, 5.5) ",\n" OBJECT(8, 1, 5.0) "]" };
  for (unsigned i = 0; i < MILL_COUNT(forms); i++) {
    harness_clear();
    given_bytes(forms[i]);
    expect(RCCL(8, 0, 5.5), RCCL(8, 1, 5.0), RUN("ranks=16, nodes=2, complete=1"));
  }
}

static void reads_csv_of_rccl_tests(void)
{
  given_bytes("Collective,Nodes,Ranks,RanksPerNode,GpusPerRank,gpus,Size,Type,RedOp,InPlace,Time,"
              "AlgBw,BusBw,#Wrong\nReduceScatter,2,16,8,1,16,8,float,sum,0,5.5,0.5,0.47,0\n");
  expect(RCCL(8, 0, 5.5), RUN("ranks=16, nodes=2, complete=1"));
  harness_clear();
  given_bytes("name,ranks,ranksPerNode,gpusPerRank,gpus,size,type,redop,inPlace,time,algBw,busBw,"
              "#wrong\nReduceScatter,2,16,8,1,16,8,float,sum,1,5.0,0.5,0.47,0\n");
  expect(RCCL(8, 1, 5.0), RUN("ranks=16, nodes=2, complete=1"));
  expect_notice(22, 1);
}

/* Numbers are decimal, as in JSON: a row of size 0x10 has no size. */
static void a_number_of_csv_is_decimal(void)
{
  given_bytes("name,ranks,nodes,size,type,redop,inPlace,time,busBw,#wrong\n"
              "ReduceScatter,16,2,8.0,float,sum,0,5.5,0.47,0\n"
              "ReduceScatter,0x10,2,0x10,float,sum,0,6.5,0.47,0\n");
  expect("- coll.row - p=- t=- {collective=reducescatter, bytes=8, type=float, redop=sum, "
         "in_place=0, time_us=5.5, busbw=0.47, wrong=0}",
         RUN("ranks=16, nodes=2, complete=1"));
}

static void refused(unsigned number, const char *bytes)
{
  harness_clear();
  given_bytes(bytes);
  expect_status(MILL_BAD_INPUT);
  expect_notice(number, 1);
}

static void what_is_cut_or_wrong_is_refused(void)
{
  refused(1, HEAD COLUMNS FOOT);
  refused(1, "hello\n");
  refused(2, HEAD COLUMNS ROWS);
  refused(3, HEAD COLUMNS ROWS "# Out of bounds values : 3 FAILED\n# Avg bus bandwidth : 1\n");
  refused(3, HEAD COLUMNS "8 2 float sum -1 5 1 1 7 5 1 1 0\n" FOOT);
  refused(4, HEAD COLUMNS "99999999999999999999 2 float sum -1 5 1 1 0 5 1 1 0\n" ROWS FOOT);
  refused(4, HEAD COLUMNS "8 99999999999999999999 float sum -1 5 1 1 0 5 1 1 0\n" ROWS FOOT);
  refused(4, "{\"results\": [{\"out_of_place\": }]}");
  refused(4, OBJECT(8, 0, 5.5) "\n{\"inPlace\": 1, \"busBw\"\n");
  refused(4, "name,ranks,size,inPlace,time,busBw\nall_reduce,2,8,0,5\n");
}

/* Each run has its own collective, ranks, hosts and choice of NCCL; srun labels each line with its task. */
static void runs_in_one_log_stay_apart(void)
{
  given_bytes("NCCL_ALGO=Ring NCCL_PROTO=LL128\n"
              " 0: # nThread 1 nGpus 1 minBytes 8\n"
              " 0: #  Rank  0 Group 0 Pid 1 on a device 0\n"
              " 0: #  Rank  1 Group 0 Pid 2 on b device 0\n"
              " 1: b:2:2 [0] NCCL INFO something\n"
              " 0:            8 2 float sum -1 5.5 0.1 0.1 0 N/A N/A N/A N/A\n"
              " 0: # Out of bounds values : 0 OK\n"
              " 0: # Avg bus bandwidth    : 0.1\n 0: #\n"
              "0: # Collective test concluded: all_reduce_perf\n"
              "# Collective test starting: all_gather_perf\n"
              "# nThread 1 nGpus 1 minBytes 8\n"
              "#  Rank  0 Group 0 Pid 1 on a device 0\n"
              "#  Rank  1 Group 0 Pid 2 on a device 1\n"
              "#  Rank  2 Group 0 Pid 3 on a device 2\n"
              "#  Rank  3 Group 0 Pid 4 on a device 3\n"
              "a:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Tree\n"
              "8 2 float none -1 6.5 0.4 0.3 0 N/A N/A N/A N/A\n" FOOT);
  expect(ROW(allreduce, 8, 2, 0,
             "time_us=5.5, algbw=0.1, busbw=0.1, wrong=0, algorithm=ring, protocol=ll128"),
         RUN("busbw=0.1, wrong=0, ranks=2, nodes=2, complete=1"),
         "- coll.row - p=- t=- {collective=allgather, bytes=8, count=2, type=float, redop=none, "
         "in_place=0, time_us=6.5, algbw=0.4, busbw=0.3, wrong=0, algorithm=tree}",
         RUN("busbw=0.125, wrong=0, ranks=4, nodes=1, complete=1"));
}

/* The first of two has no end. */
static void a_cut_run_among_others_is_refused(void)
{
  refused(2, HEAD COLUMNS ROWS HEAD COLUMNS ROWS FOOT NAME);
}

/* 4 processes of 2 devices: 2 * 7 / 8 of an all-reduce of 8. */
static void devices_are_ranks(void)
{
  static const char *const said[] = { "\"ranks\": 4, \"gpusPerRank\": 2, \"gpus\": 8",
                                      "\"ranks\": 4, \"gpusPerRank\": 2", "\"gpus\": 8" };
  for (unsigned i = 0; i < MILL_COUNT(said); i++) {
    g_autofree char *text =
        g_strdup_printf("{\"name\": \"AllReduce\", %s, \"size\": 8, \"type\": \"float\", "
                        "\"redop\": \"sum\", \"inPlace\": 0, \"time\": 5.5, \"algBw\": 100, "
                        "\"busBw\": 175, \"#wrong\": 0}\n",
                        said[i]);
    harness_clear();
    given_bytes(text);
    expect(
        "- coll.row - p=- t=- {collective=allreduce, bytes=8, type=float, redop=sum, in_place=0, "
        "time_us=5.5, algbw=100.0, busbw=175.0, wrong=0}",
        RUN("ranks=8, complete=1"));
  }
}

/* 175 / 100 is of 8 ranks, and the log names two. */
static void bandwidths_of_other_ranks_are_told(void)
{
  given_bytes(HEAD COLUMNS "8 2 float sum -1 5.5 100.00 175.00 0 N/A N/A N/A N/A\n" FOOT NAME);
  expect(ROW(allreduce, 8, 2, 0, "time_us=5.5, algbw=100.0, busbw=175.0, wrong=0"),
         RUN("busbw=0.125, wrong=0, ranks=2, nodes=2, complete=1"));
  expect_notice(24, 1);
}

/* Without lines of ranks the header counts, if the bandwidths are of as many. */
static void the_header_gives_ranks(void)
{
  given_bytes("# nThread 1 nGpus 8 minBytes 8\n"
              "8 2 float sum -1 5.5 100.00 175.00 0 N/A N/A N/A N/A\n" FOOT NAME);
  expect(ROW(allreduce, 8, 2, 0, "time_us=5.5, algbw=100.0, busbw=175.0, wrong=0"),
         RUN("busbw=0.125, wrong=0, ranks=8, complete=1"));
}

HARNESS_MAIN({ "averages that do not fit are told", averages_that_do_not_fit_are_told },
             { "reads a log", reads_a_log },
             { "reads an old log by its header", reads_an_old_log_by_its_header },
             { "passes over further columns", passes_over_further_columns },
             { "rows that messages break are counted", rows_that_messages_break_are_counted },
             { "reads JSON of nccl-tests", reads_json_of_nccl_tests },
             { "reads JSON of rccl-tests", reads_json_of_rccl_tests },
             { "reads CSV of rccl-tests", reads_csv_of_rccl_tests },
             { "a number of CSV is decimal", a_number_of_csv_is_decimal },
             { "runs in one log stay apart", runs_in_one_log_stay_apart },
             { "a cut run among others is refused", a_cut_run_among_others_is_refused },
             { "devices are ranks", devices_are_ranks },
             { "bandwidths of other ranks are told", bandwidths_of_other_ranks_are_told },
             { "the header gives ranks", the_header_gives_ranks },
             { "what is cut or wrong is refused", what_is_cut_or_wrong_is_refused })
