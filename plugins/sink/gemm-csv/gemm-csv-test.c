/* The gemm-csv sink: joined tables in the columns and units of the original, and Python's words. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <string.h>

typedef struct Maker {
  const MillStageHost *host;
} Maker;

enum { VARIANCE, TIMELINE, OPS };

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

static int maker_process(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static MillValue text(const char *s) { return mill_text(s, strlen(s)); }

static int maker_report(void *instance)
{
  const Maker *m = instance;
  const MillValue cells[] = {
    text("aten::mm"),
    mill_int(2),
    text("[[2, 3],[], \"it's\"]"),
    text("TN"),
    mill_bool(true),
    text("a,b"),
    mill_int(1048576),
    text("[{\"name\": \"k \\\"x\\\"\", \"count\": 2, \"total_ns\": 2500, \"std_ns\": 0.5}]"),
  };
  return m->host->cells(m->host, OPS, cells, MILL_COUNT(cells));
}

static int maker_report_run(void *instance)
{
  const Maker *m = instance;
  const MillValue variance[] = { mill_int(256), mill_int(28),  mill_int(0),    text("aten::mm"),
                                 mill_int(2),   text("a,\"k"), mill_int(1500), mill_none() };
  const MillValue timeline[] = { mill_int(256),     mill_int(28),       mill_int(2),
                                 text("busy_time"), mill_real(1500000), mill_real(250000),
                                 mill_real(62.5) };
  int status = m->host->cells(m->host, VARIANCE, variance, MILL_COUNT(variance));
  return status == 0 ? m->host->cells(m->host, TIMELINE, timeline, MILL_COUNT(timeline)) : status;
}

static int maker_save(void *instance)
{
  (void)instance;
  return 0;
}

#define TAGS                                                            \
  MILL_CELL_COLUMN("threads", "count", MILL_INT, MILL_COLUMN_KEY, "t"), \
      MILL_CELL_COLUMN("channels", "count", MILL_INT, MILL_COLUMN_KEY, "c")
static const MillColumn variance_columns[] = {
  TAGS,
  MILL_CELL_COLUMN("rank", "count", MILL_INT, MILL_COLUMN_KEY, "r"),
  MILL_CELL_COLUMN("op", NULL, MILL_TEXT, MILL_COLUMN_KEY, "o"),
  MILL_CELL_COLUMN("m", "count", MILL_INT, MILL_COLUMN_KEY, "m"),
  MILL_CELL_COLUMN("kernel", NULL, MILL_TEXT, 0, "k"),
  MILL_CELL_COLUMN("diff", "ns", MILL_INT, 0, "d"),
  MILL_CELL_COLUMN("overlap_max", "percent", MILL_REAL, 0, "x"),
};
static const MillColumn timeline_columns[] = {
  TAGS,
  MILL_CELL_COLUMN("ranks", "count", MILL_INT, 0, "r"),
  MILL_CELL_COLUMN("type", NULL, MILL_TEXT, MILL_COLUMN_KEY, "y"),
  MILL_CELL_COLUMN("mean", "ns", MILL_REAL, 0, "m"),
  MILL_CELL_COLUMN("geomean", "ns", MILL_REAL, 0, "g"),
  MILL_CELL_COLUMN("share", "percent", MILL_REAL, 0, "s"),
};
static const MillColumn op_columns[] = {
  MILL_CELL_COLUMN("op", NULL, MILL_TEXT, MILL_COLUMN_KEY, "o"),
  MILL_CELL_COLUMN("m", "count", MILL_INT, MILL_COLUMN_KEY, "m"),
  MILL_CELL_COLUMN("dims", NULL, MILL_TEXT, 0, "d"),
  MILL_CELL_COLUMN("transpose", NULL, MILL_TEXT, 0, "t"),
  MILL_CELL_COLUMN("bias", NULL, MILL_BOOL, 0, "b"),
  MILL_CELL_COLUMN("dtype", NULL, MILL_TEXT, 0, "y"),
  MILL_CELL_COLUMN("bytes", "bytes", MILL_INT, 0, "n"),
  MILL_CELL_COLUMN("kernel_details", NULL, MILL_TEXT, 0, "k"),
};
static const MillTable tables[] = {
  [VARIANCE] = { .per = MILL_PER_RUN,
                 .name = "gemm-variance",
                 .help = "v",
                 .columns = MILL_ROWS(variance_columns) },
  [TIMELINE] = { .per = MILL_PER_RUN,
                 .name = "config-timeline",
                 .help = "t",
                 .columns = MILL_ROWS(timeline_columns) },
  [OPS] = { .per = MILL_PER_LANE,
            .name = "gemm-ops",
            .help = "o",
            .columns = MILL_ROWS(op_columns) },
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
                                 .title = "Makes rows of GEMM",
                                 .help = "Makes rows of GEMM.",
                                 .tables = MILL_ROWS(tables),
                                 .ops = &ops };

#define STATS(header) header "_max," header "_mean," header "_median," header "_min," header "_std"
#define HEADER                                                                                 \
  "threads,channel,rank,kernel_name,kernel_time_min_us,kernel_time_max_us,time_diff_us,"       \
  "col_Concrete Inputs_first,col_Data Moved (MB)_first,col_FLOPS/Byte_first,col_GFLOPS_first," \
  "col_Input Dims_first,col_Input Strides_first,col_Input type_first," STATS(                  \
      "col_Kernel Time "                                                                       \
      "(µs)") ",col_"                                                                          \
              "Kernel "                                                                        \
              "Time "                                                                          \
              "(µs)_"                                                                         \
              "sum," STATS("col_TB/s") "," STATS("col_"                                        \
                                                 "TFLOPS/"                                     \
                                                 "s") ",c"                                     \
                                                      "ol"                                     \
                                                      "_U"                                     \
                                                      "ID"                                     \
                                                      "_f"                                     \
                                                      "ir"                                     \
                                                      "st"                                     \
                                                      ",c"                                     \
                                                      "ol"                                     \
                                                      "_k"                                     \
                                                      "er"                                     \
                                                      "ne"                                     \
                                                      "l_"                                     \
                                                      "de"                                     \
                                                      "ta"                                     \
                                                      "il"                                     \
                                                      "s_"                                     \
                                                      "_s"                                     \
                                                      "um"                                     \
                                                      "ma"                                     \
                                                      "ri"                                     \
                                                      "ze"                                     \
                                                      "_k"                                     \
                                                      "er"                                     \
                                                      "ne"                                     \
                                                      "l_"                                     \
                                                      "st"                                     \
                                                      "at"                                     \
                                                      "s,"                                     \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "na"                                     \
                                                      "me"                                     \
                                                      ",c"                                     \
                                                      "ol"                                     \
                                                      "_n"                                     \
                                                      "am"                                     \
                                                      "e_"                                     \
                                                      "co"                                     \
                                                      "un"                                     \
                                                      "t,"                                     \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "pa"                                     \
                                                      "ra"                                     \
                                                      "m:"                                     \
                                                      " B"                                     \
                                                      ",c"                                     \
                                                      "ol"                                     \
                                                      "_p"                                     \
                                                      "ar"                                     \
                                                      "am"                                     \
                                                      ": "                                     \
                                                      "K,"                                     \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "pa"                                     \
                                                      "ra"                                     \
                                                      "m:"                                     \
                                                      " M"                                     \
                                                      ",c"                                     \
                                                      "ol"                                     \
                                                      "_p"                                     \
                                                      "ar"                                     \
                                                      "am"                                     \
                                                      ": "                                     \
                                                      "N,"                                     \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "pa"                                     \
                                                      "ra"                                     \
                                                      "m:"                                     \
                                                      " b"                                     \
                                                      "ia"                                     \
                                                      "s,"                                     \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "pa"                                     \
                                                      "ra"                                     \
                                                      "m:"                                     \
                                                      " d"                                     \
                                                      "ty"                                     \
                                                      "pe"                                     \
                                                      "_A"                                     \
                                                      "_B"                                     \
                                                      ","                                      \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "pa"                                     \
                                                      "ra"                                     \
                                                      "m:"                                     \
                                                      " s"                                     \
                                                      "tr"                                     \
                                                      "id"                                     \
                                                      "e_"                                     \
                                                      "A,"                                     \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "pa"                                     \
                                                      "ra"                                     \
                                                      "m:"                                     \
                                                      " s"                                     \
                                                      "tr"                                     \
                                                      "id"                                     \
                                                      "e_"                                     \
                                                      "B,"                                     \
                                                      "co"                                     \
                                                      "l_"                                     \
                                                      "pa"                                     \
                                                      "ra"                                     \
                                                      "m:"                                     \
                                                      " t"                                     \
                                                      "ra"                                     \
                                                      "ns"                                     \
                                                      "po"                                     \
                                                      "se"
#define ROW                                                                                      \
  "256,28,0,\"a,\"\"k\",,,1.5,,1.0,,,\"((2, 3), (), 'it\\'s')\",,,,,,,,,,,,,,,,,,,,\"[{'name': " \
  "'k "                                                                                          \
  "\"\"x\"\"', 'count': 2, 'total_duration_us': 2.5, 'std_dev_duration_us': "                    \
  "0.0005}]\",aten::mm,,,,2,,"                                                                   \
  "True,\"('a', 'b')\",,,\"(True, False)\""

/* 1500 ns are 1.5 us, 1,500,000 are 1.5 ms; a text with commas and quotes is one cell. */
static void joined_tables(void)
{
  with_stage(&maker);
  given_lane("rank=0 tag.threads=256 tag.channels=28");
  given("X a 0 1us");
  expect_output("top5_gemm_kernels_time_variance.csv", HEADER "\r\n" ROW "\r\n");
  expect_output("gpu_timeline_all_configs_mean.csv",
                "full_config,threads_num,thread_config,channels_num,channel_config,num_ranks,type,"
                "time ms,percent\n256thread_28ch,256,256thread,28,28ch,2,busy_time,1.5,62.5\n");
  expect_output("gpu_timeline_all_configs_geomean.csv",
                "full_config,threads_num,thread_config,channels_num,channel_config,num_ranks,type,"
                "time ms,percent\n256thread_28ch,256,256thread,28,28ch,2,busy_time,0.25,62.5\n");
  expect_output("top5_gemm_kernels_time_variance_with_timestamps.csv",
                HEADER ",min_duration_timestamp_ms,max_duration_timestamp_ms,"
                       "time_between_min_max_ms,min_duration_found_us,max_duration_found_us\n" ROW
                       ",,,,,\n");
  expect_notice(1, 0);
}

static void without_the_tables_there_are_warnings(void)
{
  given("X a 0 1us");
  expect_output("top5_gemm_kernels_time_variance.csv", NULL);
  expect_output("gpu_timeline_all_configs_mean.csv", NULL);
  expect_notice(1, 1);
  expect_notice(2, 1);
}

HARNESS_MAIN({ "joined tables", joined_tables },
             { "without the tables there are warnings", without_the_tables_there_are_warnings })
