/* The nccl-tuner sink: lines of rules, and words that the plugin does not know. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <string.h>

#define FILE_NAME "nccl_tuner.conf"
#define HEADER                                                                                \
  "# "                                                                                        \
  "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps," \
  "regBuff\n"

typedef struct Maker {
  const MillStageHost *host;
} Maker;

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

static int put(const Maker *m, int64_t min, int64_t max, const char *algorithm,
               const char *protocol)
{
  const MillValue cells[] = { text("allreduce"), mill_int(1),   mill_int(8),   mill_int(-1),
                              mill_int(0),       mill_int(min), mill_int(max), text(algorithm),
                              text(protocol),    mill_int(4) };
  return m->host->cells(m->host, 0, cells, MILL_COUNT(cells));
}

static int maker_report_run(void *instance)
{
  const Maker *m = instance;
  int status = put(m, 0, 1024, "ring", "ll128");
  if (status == 0) status = put(m, 1025, 4294967295, "nvls_tree", "simple");
  return status == 0 ? put(m, 5000000000, 5000000001, "rin", "ll") : status;
}

static int maker_save(void *instance)
{
  (void)instance;
  return 0;
}

static const MillColumn columns[] = {
  MILL_CELL_COLUMN("collective", NULL, MILL_TEXT, MILL_COLUMN_KEY, "c"),
  MILL_CELL_COLUMN("nodes", NULL, MILL_INT, MILL_COLUMN_KEY, "n"),
  MILL_CELL_COLUMN("ranks", NULL, MILL_INT, MILL_COLUMN_KEY, "r"),
  MILL_CELL_COLUMN("pipe_ops", NULL, MILL_INT, MILL_COLUMN_KEY, "p"),
  MILL_CELL_COLUMN("reg_buff", NULL, MILL_INT, MILL_COLUMN_KEY, "b"),
  MILL_CELL_COLUMN("min_bytes", NULL, MILL_INT, MILL_COLUMN_KEY, "m"),
  MILL_CELL_COLUMN("max_bytes", NULL, MILL_INT, 0, "x"),
  MILL_CELL_COLUMN("algorithm", NULL, MILL_TEXT, 0, "a"),
  MILL_CELL_COLUMN("protocol", NULL, MILL_TEXT, 0, "o"),
  MILL_CELL_COLUMN("channels", NULL, MILL_INT, 0, "h"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_RUN, .name = "nccl-rules", .help = "rules", .columns = MILL_ROWS(columns) }
};
static const MillStageOps ops = { .size = sizeof ops,
                                  .open = maker_open,
                                  .process = maker_process,
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
                                 .title = "Makes rules",
                                 .help = "Makes rules.",
                                 .tables = MILL_ROWS(tables),
                                 .ops = &ops };

static void known_words_alone(void)
{
  with_stage(&maker);
  given("X a 0 1us");
  expect_output(FILE_NAME, HEADER "allreduce,0,1024,ring,ll128,4,1,8,-1,0\n"
                                  "allreduce,1025,4294967295,nvls_tree,simple,4,1,8,-1,0\n");
  expect_notice(2, 1);
}

static void without_a_rule_there_is_no_file(void)
{
  given("X a 0 1us");
  expect_output(FILE_NAME, NULL);
}

HARNESS_MAIN({ "known words alone", known_words_alone },
             { "without a rule there is no file", without_a_rule_there_is_no_file })
