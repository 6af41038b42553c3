/* The cpp-table sink: bytes of both layouts, and tables that cannot be written. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <string.h>

#define FILE_NAME "gen_heuristic_code/generated_lookup_table.cpp"

/* A stage that reports cells as records name them: sm in the id, or none. */
static const MillStageHost *host;
static int maker_open(const MillStage *self, const MillStageHost *of, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)options;
  if (level == MILL_RUN) host = of;
  *out_instance = mill_new(of->common, 1);
  return *out_instance ? 0 : -MILL_LIMIT;
}

static int n_cells = 8;
static bool names_sm = true, is_alike, is_diagonal;

static int maker_report_run(void *instance)
{
  (void)instance;
  static const char *const fusions[] = { "NONE", "MORE\nint x;", "N NE", "N_NE" };
  int status = 0;
  for (int i = 0; i < n_cells && status == 0; i++) {
    const char *fusion = fusions[i / 4 % 2 + (is_alike ? 2 : 0)];
    const MillValue cells[] = { names_sm ? mill_int(90) : mill_none(),
                                mill_int(is_diagonal ? i + 2 : 2),
                                mill_text(fusion, strlen(fusion)),
                                mill_int(is_diagonal ? i + 1
                                         : i / 2 % 2 ? 256
                                                     : 128),
                                mill_int(n_cells > 4096 || is_diagonal ? i + 1 : i % 2 + 1),
                                mill_int(i),
                                mill_int(i + 1) };
    status = host->cells(host, 0, cells, MILL_COUNT(cells));
  }
  return status;
}

static int maker_save(void *instance)
{
  (void)instance;
  return 0;
}

static int maker_process(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static const MillColumn columns[] = {
  MILL_CELL_COLUMN("sm", NULL, MILL_INT, MILL_COLUMN_KEY, "s"),
  MILL_CELL_COLUMN("tp", NULL, MILL_INT, MILL_COLUMN_KEY, "t"),
  MILL_CELL_COLUMN("fusion", NULL, MILL_TEXT, MILL_COLUMN_KEY, "f"),
  MILL_CELL_COLUMN("hidden_size", NULL, MILL_INT, MILL_COLUMN_KEY, "h"),
  MILL_CELL_COLUMN("num_tokens", NULL, MILL_INT, MILL_COLUMN_KEY, "n"),
  MILL_CELL_COLUMN("number", NULL, MILL_INT, 0, "c"),
  MILL_CELL_COLUMN("position", NULL, MILL_INT, 0, "p"),
};
static const MillTable tables[] = { { .per = MILL_PER_RUN,
                                      .name = "allreduce-table",
                                      .help = "cells",
                                      .order = "position",
                                      .columns = MILL_ROWS(columns) } };
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
                                 .title = "Makes cells",
                                 .help = "Makes cells.",
                                 .tables = MILL_ROWS(tables),
                                 .ops = &ops };

#define TYPE "inline AllReduceBestStrategyTableType AllReduceBestStrategyTableSM90 = {\n"

static void cells(int n, bool with_sm)
{
  n_cells = n;
  names_sm = with_sm;
  is_alike = is_diagonal = false;
  with_stage(&maker);
  given("X a 0 1us");
}

static void the_published_layout(void)
{
  cells(8, true);
  expect_output(
      FILE_NAME,
      "// AllReduce lookup: [tp][fusion][hidden][tokens] = strategy\n// TP:[2]\n"
      "// Fusion:['NONE', 'MORE_int_x_']\n// Hidden:[128, 256]\n// Tokens:[1, 2]\n" TYPE
      "    {\n        // TP=2\n        { // Fusion=NONE\n            {0,1},\n"
      "            {2,3}\n        },\n        { // Fusion=MORE_int_x_\n            {4,5},\n"
      "            {6,7}\n        }\n    }\n};\n");
}

static void the_annotated_layout(void)
{
  with("layout=annotated");
  cells(8, true);
  expect_output(
      FILE_NAME,
      "// AllReduce lookup: [tp][fusion][hidden][tokens] = strategy\n"
      "// TP:[2] Fusion:['NONE', 'MORE_int_x_']\n" TYPE
      "    {\n        // TP=2\n        { // Fusion=NONE\n"
      "            {0,1}, // hidden_size=128\n            {2,3} // hidden_size=256\n"
      "        },\n        { // Fusion=MORE_int_x_\n            {4,5}, // hidden_size=128\n"
      "            {6,7} // hidden_size=256\n        }\n    }\n};\n");
}

static void what_cannot_be_written_is_refused(void)
{
  cells(8, false);
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
  harness_clear();
  cells(7, true);
  expect_status(MILL_BAD_INPUT);
  expect_notice(3, 1);
}

/* "N NE" and "N_NE" are one in a comment: their cells would take each other's place. */
static void fusions_that_become_one_are_refused(void)
{
  cells(8, true);
  is_alike = true;
  expect_status(MILL_BAD_INPUT);
  expect_notice(4, 1);
}

/* As many cells as 4000 to the third power, and far fewer rows. */
static void what_is_no_table_is_refused(void)
{
  cells(4000, true);
  is_diagonal = true;
  expect_status(MILL_BAD_INPUT);
  expect_notice(3, 1);
  harness_clear();
  cells(4097, true);
  expect_status(MILL_BAD_INPUT);
}

static void without_a_row_there_is_no_file(void)
{
  given("X a 0 1us");
  expect_output(FILE_NAME, NULL);
  harness_clear();
  cells(0, true);
  expect_output(FILE_NAME, NULL);
}

HARNESS_MAIN({ "the published layout", the_published_layout },
             { "the annotated layout", the_annotated_layout },
             { "what cannot be written is refused", what_cannot_be_written_is_refused },
             { "fusions that become one are refused", fusions_that_become_one_are_refused },
             { "what is no table is refused", what_is_no_table_is_refused },
             { "without a row there is no file", without_a_row_there_is_no_file })
