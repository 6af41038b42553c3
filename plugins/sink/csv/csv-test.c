/* The CSV sink: quoting, formulas, headers, numbers, file names. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-run.h"

static void test_table(void)
{
  FakeHost fake;
  FakeResults r;
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake_run_init(&r);
  fake_run_write(&fake, &r, NULL);
  CHECK_STR(
      fake_output(&fake, "tables/kernel-time.csv"),
      "name,total_ns,share_percent,calls,traffic_bytes,hidden\r\n"
      "\"'" FAKE_RUN_FORMULA "\",12345678,41.04,1482113,3145728,true\r\n"
      "\033[31mred\a \xc2\x9b \xe2\x80\xae end\xef\xbf\xbd" /* FAKE_RUN_ESCAPE, but for its bad byte */
      ",999,0.1,1,0,false\r\n"
      "\"a, \"\"b\"\"\r\nc\",-5,,,9223372036854775807,\r\n"
      "\"'+1\",0,1e+300,2,1,\r\n");
  CHECK_STR(fake_output(&fake, "tables/busy-time.csv"),
            "rank,label,busy_ns\r\n0,,1500\r\n1,,2000000000\r\n");
  fake_host_clear(&fake);
}

static void test_names_stay_in_the_folder(void)
{
  FakeHost fake;
  FakeResults r;
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake_run_init(&r);
  fake_run_write(&fake, &r, NULL);
  CHECK_STR(fake_output(&fake, "tables/_._silent.csv"), "name,total_ns\r\n");
  fake_host_clear(&fake);
}

static const struct {
  const char *text, *wanted;
} cells[] = {
  { "plain", "plain" },
  { "", "" },
  { "-5 degrees", "\"'-5 degrees\"" },
  { "@sum", "\"'@sum\"" },
  { "\t=1", "\"'\t=1\"" },
  { " =1", "\"' =1\"" },
  { "a=1", "a=1" },
  { " x", "\" x\"" },
  { "x\ny", "\"x\ny\"" },
  { "\"", "\"\"\"\"" },
};

static void test_cells(void)
{
  static const MillColumn columns[] = { MILL_CELL_COLUMN("c", NULL, MILL_TEXT, 0, NULL) };
  static const MillTable table = { .name = "t", .columns = MILL_ROWS(columns) };
  for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
    FakeHost fake;
    MillValue cell = mill_text(cells[i].text, strlen(cells[i].text));
    FakeTable one = { &table, "t", table.columns, &cell, 1 };
    FakeResults r = { .tables = &one };
    g_autofree char *wanted = g_strdup_printf("c\r\n%s\r\n", cells[i].wanted);
    fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
    r.results.n_tables = 1;
    fake_results_init(&r);
    fake_run_write(&fake, &r, NULL);
    if (!CHECK_STR(fake_output(&fake, "tables/t.csv"), wanted)) CHECK_ROW(cells[i].text);
    fake_host_clear(&fake);
  }
}

static void test_output_failure(void)
{
  FakeHost fake;
  FakeResults r;
  void *instance;
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake.fail_output = -MILL_OUTPUT_FAILED;
  fake_run_init(&r);
  CHECK_INT(fake_host_open(&fake, NULL, &instance), 0);
  CHECK_INT(sink_under_test()->ops->results(instance, &r.results), -MILL_OUTPUT_FAILED);
  fake_host_close(instance);
  fake_host_clear(&fake);
}

TEST_MAIN({ "writes a table", test_table },
          { "keeps names harmless", test_names_stay_in_the_folder }, { "quotes cells", test_cells },
          { "reports failed output", test_output_failure })
