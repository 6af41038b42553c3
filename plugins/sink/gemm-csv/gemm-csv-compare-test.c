/* The gemm-csv sink: reports of a rank across threads (compare.c), and the collectives of all configurations (nccl.c). */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <string.h>

typedef struct Maker {
  const MillStageHost *host;
} Maker;

enum { TIMELINE, OPS, SUMMARY };

static int maker_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Maker *m = mill_new(host->common, sizeof *m);
  if (!m) return -MILL_LIMIT;
  m->host = host;
  *out_instance = m;
  return 0;
}

static MillValue text(const char *s) { return mill_text(s, strlen(s)); }

static int time_row(const Maker *m, const char *type, int64_t ns, double share)
{
  const MillValue cells[] = { text(type), mill_int(ns), mill_real(share) };
  return m->host->cells(m->host, TIMELINE, cells, MILL_COUNT(cells));
}

static int op_row(const Maker *m, const char *name, int64_t calls, int64_t total)
{
  const MillValue cells[] = { text(name),          text("GEMM"),  mill_int(calls), mill_int(total),
                              mill_int(total * 2), mill_real(50), mill_real(75) };
  return m->host->cells(m->host, OPS, cells, MILL_COUNT(cells));
}

static int maker_process(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static const char *threads_of(const Maker *m)
{
  MillLane lane = { .size = sizeof lane };
  m->host->common->lane(m->host->common, MILL_NO_LANE, &lane);
  const char *threads = m->host->common->tag(m->host->common, lane.index, "threads");
  return threads ? threads : "";
}

/* The lane's tag says what its report has. */
static int maker_report(void *instance)
{
  const Maker *m = instance;
  const char *threads = threads_of(m);
  int status = time_row(m, "busy_time", strcmp(threads, "1024") ? 2000000 : 3000000, 40);
  if (status == 0) status = time_row(m, "unlinked_time", 0, 0);
  if (status == 0) status = time_row(m, "idle_time", strcmp(threads, "1024") ? 0 : 500000, 10);
  if (status == 0) status = op_row(m, "both", strcmp(threads, "1024") ? 4 : 3, 1000);
  if (status) return status;
  if (strcmp(threads, "1024") == 0) return op_row(m, "late, only", 1, 5000);
  return op_row(m, "first", 2, 8000);
}

static int summary_row(const Maker *m, const char *name, int64_t full, int64_t threads)
{
  const MillValue none = mill_none();
  const MillValue cells[] = { mill_int(threads), mill_int(28),
                              text(name),        text("Float"),
                              mill_int(9),       full < 0 ? none : mill_int(full),
                              mill_real(1500),   mill_real(1.073741824),
                              mill_int(3),       mill_int(4500000) };
  return m->host->cells(m->host, SUMMARY, cells, MILL_COUNT(cells));
}

/* 1 MiB, 200 MiB, 5000 bytes (0.00477 MiB) and one that is not known. */
static int maker_report_run(void *instance)
{
  const Maker *m = instance;
  int status = summary_row(m, "large", 200 * 1048576, 256);
  if (status == 0) status = summary_row(m, "unknown", -1, 256);
  if (status == 0) status = summary_row(m, "medium", 1048576, 1024);
  if (status == 0) status = summary_row(m, "medium", 1048576, 256);
  return status == 0 ? summary_row(m, "tiny", 5000, 256) : status;
}

static int maker_save(void *instance)
{
  (void)instance;
  return 0;
}

static const MillColumn timeline_columns[] = {
  MILL_CELL_COLUMN("type", NULL, MILL_TEXT, MILL_COLUMN_KEY, "y"),
  MILL_CELL_COLUMN("time", "ns", MILL_INT, 0, "t"),
  MILL_CELL_COLUMN("share", "percent", MILL_REAL, 0, "s"),
};
static const MillColumn op_columns[] = {
  MILL_CELL_COLUMN("name", NULL, MILL_TEXT, MILL_COLUMN_KEY, "n"),
  MILL_CELL_COLUMN("category", NULL, MILL_TEXT, 0, "c"),
  MILL_CELL_COLUMN("calls", "count", MILL_INT, 0, "c"),
  MILL_CELL_COLUMN("total", "ns", MILL_INT, 0, "t"),
  MILL_CELL_COLUMN("subtree", "ns", MILL_INT, 0, "s"),
  MILL_CELL_COLUMN("share", "percent", MILL_REAL, 0, "s"),
  MILL_CELL_COLUMN("cumulative", "percent", MILL_REAL, 0, "c"),
};
static const MillColumn summary_columns[] = {
  MILL_CELL_COLUMN("threads", "count", MILL_INT, MILL_COLUMN_KEY, "t"),
  MILL_CELL_COLUMN("channels", "count", MILL_INT, MILL_COLUMN_KEY, "c"),
  MILL_CELL_COLUMN("name", NULL, MILL_TEXT, MILL_COLUMN_KEY, "n"),
  MILL_CELL_COLUMN("dtype", NULL, MILL_TEXT, MILL_COLUMN_KEY, "d"),
  MILL_CELL_COLUMN("in_elements", "count", MILL_INT, 0, "i"),
  MILL_CELL_COLUMN("full", "bytes", MILL_INT, 0, "f"),
  MILL_CELL_COLUMN("latency_mean", "ns", MILL_REAL, 0, "l"),
  MILL_CELL_COLUMN("algbw_max", "GB/s", MILL_REAL, 0, "a"),
  MILL_CELL_COLUMN("calls", "count", MILL_INT, 0, "n"),
  MILL_CELL_COLUMN("total_latency", "ns", MILL_INT, 0, "t"),
};
static const MillTable tables[] = {
  [TIMELINE] = { .per = MILL_PER_LANE,
                 .name = "gpu-timeline",
                 .help = "t",
                 .columns = MILL_ROWS(timeline_columns) },
  [OPS] = { .per = MILL_PER_LANE,
            .name = "ops-rank",
            .help = "o",
            .columns = MILL_ROWS(op_columns) },
  [SUMMARY] = { .per = MILL_PER_RUN,
                .name = "collective-summary",
                .help = "s",
                .columns = MILL_ROWS(summary_columns) },
};
static const MillStageOps ops = { .size = sizeof ops,
                                  .open = maker_open,
                                  .process = maker_process,
                                  .report = maker_report,
                                  .save_result = maker_save,
                                  .merge_result = maker_save,
                                  .report_run = maker_report_run };
static const MillStage maker = { .size = sizeof maker,
                                 .scope = MILL_SCOPE_LANE,
                                 .flags = MILL_READ_ONLY | MILL_MERGES,
                                 .name = "maker",
                                 .family = "test",
                                 .version = "1",
                                 .tag = "MAKER",
                                 .title = "Makes reports",
                                 .help = "Makes reports.",
                                 .tables = MILL_ROWS(tables),
                                 .ops = &ops };

static void lanes(const char *more)
{
  static const char *const facts[] = { "rank=3 tag.threads=1024 tag.channels=28",
                                       "rank=3 tag.threads=256 tag.channels=28",
                                       "rank=3 tag.threads=256 tag.channels=56" };
  char line[120];
  with_stage(&maker);
  for (int i = 0; i < 3; i++) {
    strcat(strcat(strcpy(line, facts[i]), " "), more);
    given_lane(line);
    given("X a 0 1us");
  }
}

/* 256 is the base, whatever came first: 2 to 3 ms are 1 ms more, 50 %; of 0 there is no share. */
static void the_timeline_across_threads(void)
{
  lanes("");
  expect_output(
      "compare_28ch_rank3_across_threads_gpu_timeline.csv",
      "type,256thread::time ms,256thread::percent,1024thread::time ms,1024thread::percent,"
      "time ms__1024thread_diff,time "
      "ms__1024thread_pct,percent__1024thread_diff,percent__1024thread_pct\n"
      "busy_time,2.0,40.0,3.0,40.0,1.0,50.0,0.0,0.0\n"
      "idle_time,0.0,10.0,0.5,10.0,0.5,,0.0,0.0\n");
  expect_output("compare_56ch_rank3_across_threads_gpu_timeline.csv", NULL);
  expect_output("compare_56ch_rank3_across_threads_ops_summary.csv", NULL);
}

#define OPS_HEADER(tag)                                                                        \
  tag "thread::total_direct_kernel_time_sum," tag "thread::total_subtree_kernel_time_sum," tag \
      "thread::Count," tag "thread::total_direct_kernel_time_ms," tag                          \
      "thread::Percentage (%)," tag "thread::Cumulative Percentage (%)," tag "thread::Categories,"

/* By the base's time; what it lacks comes last, without a change. */
static void operators_across_threads(void)
{
  lanes("");
  expect_output("compare_28ch_rank3_across_threads_ops_summary.csv",
                "name," OPS_HEADER("256") OPS_HEADER(
                    "1024") "Count__1024thread_diff,Count__1024thread_pct,"
                            "total_direct_kernel_time_ms__1024thread_diff,total_direct_kernel_time_"
                            "ms__1024thread_pct\n"
                            "first,8.0,16.0,2,0.008,50.0,75.0,GEMM,,,,,,,,,,,\n"
                            "both,1.0,2.0,4,0.001,50.0,75.0,GEMM,1.0,2.0,3,0.001,50.0,75.0,GEMM,-1,"
                            "-25.0,0.0,0.0\n"
                            "\"late, only\",,,,,,,,5.0,10.0,1,0.005,50.0,75.0,GEMM,,,,\n");
}

#define NCCL_HEADER                                                                                \
  "operation_id,operation_name,full_config,threads_num,channels_num,Collective name,dtype,In msg " \
  "nelems,"                                                                                        \
  "Process Group Name,Group size,Full msg size "                                                   \
  "(MB),comm_latency_mean,comm_latency_median,comm_latency_min,"                                   \
  "comm_latency_max,skew in start time_mean,skew in start time_median,skew in start "              \
  "time_min,skew in start "                                                                        \
  "time_max,skew in end time_mean,skew in end time_median,skew in end time_min,skew in end "       \
  "time_max,algo bw "                                                                              \
  "(GB/s)_mean,algo bw (GB/s)_median,algo bw (GB/s)_min,algo bw (GB/s)_max,bus bw "                \
  "(GB/s)_mean,bus bw "                                                                            \
  "(GB/s)_median,bus bw (GB/s)_min,bus bw (GB/s)_max,count,Total comm latency (ms)\n"
#define NCCL_ROW(id, threads, name, mib)                              \
  id "," threads "thread_28ch," threads ",28," name ",Float,9,,," mib \
     ",1.5,,,,,,,,,,,,,,,1.0,,,,,3,4.5\n"

/* 5000 bytes are 0.00477 MiB, 4.77 thousandths; 1.073741824 GB/s are 1 GiB/s. */
static void collectives_by_size(void)
{
  lanes("");
  expect_output("nccl_master_all_configs.csv",
                NCCL_HEADER NCCL_ROW("OP_01,tiny_4.77KB", "256", "tiny", "0.00476837158203125")
                    NCCL_ROW("OP_02,medium_1.00MB", "256", "medium", "1.0")
                        NCCL_ROW("OP_02,medium_1.00MB", "1024", "medium", "1.0")
                            NCCL_ROW("OP_03,large_200.00MB", "256", "large", "200.0")
                                NCCL_ROW(",", "256", "unknown", ""));
  expect_notice(3, 0);
  expect_notice(4, 0);
}

static void two_sweeps_are_not_mixed(void)
{
  lanes("label=base");
  expect_output("nccl_master_all_configs.csv", NULL);
  expect_output("compare_28ch_rank3_across_threads_ops_summary.csv", NULL);
  expect_notice(5, 1);
}

static void without_the_tables_there_are_warnings(void)
{
  given("X a 0 1us");
  expect_output("nccl_master_all_configs.csv", NULL);
  expect_notice(3, 1);
  expect_notice(4, 1);
}

HARNESS_MAIN({ "the timeline across threads", the_timeline_across_threads },
             { "operators across threads", operators_across_threads },
             { "collectives by size", collectives_by_size },
             { "two sweeps are not mixed", two_sweeps_are_not_mixed },
             { "without the tables there are warnings", without_the_tables_there_are_warnings })
