/* The markdown sink: its sections, and texts that try to break out of them. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-run.h"

static void test_run(void)
{
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *text = fake_run_file(fake_run_lanes, 2, &r, NULL, "summary.md");
  static const char wanted[] =
      "# kernels\n\nkernels · 2 inputs · stagemill 0.1.0\n"
      "\n## Metrics\n\n| metric | of | value | n |\n| --- | --- | ---: | ---: |\n"
      "| ttft |  | p50 96.40 ms, p99 410.8 ms | 24,000 |\n"
      "| throughput |  | 2,140.2 tok/s | 12 |\n"
      "| throughput | rank 1 | 7.500 tok/s | 3 |\n"
      "| by_lane | a\"b rank 0 | 4 | 1 |\n"
      "\nNot applicable:\n\n"
      "- throughput (a\"b rank 0): not a finite number\n"
      "- comm: no collectives in \\\\x1bthis trace\n"
      "- bins (a\"b rank 0): not a valid JSON object\n"
      "\n## Tables\n\n### kernel-time (3 of 4)\n\nTime by name\n\n"
      "| name | total ms | share % | calls | traffic TiB |\n"
      "| --- | ---: | ---: | ---: | ---: |\n"
      "| \\=cmd\\|' /C calc'!A0 | 12.35 | 41.0 | 1,482,113 | &lt;0.1 |\n"
      "| \\\\x1b\\[31mred\\\\x07 \\\\x9b \\\\u202e end\\\\xff | &lt;0.01 | 0.1 | 1 | 0.0 |\n"
      "| a, \"b\"\\\\x0d\\\\x0ac | &gt;-0.01 |  |  | 8,388,608.0 |\n"
      "\n### busy-time\n\nBusy time\n\n"
      "| rank | busy s |\n| ---: | ---: |\n| 0 | &lt;0.001 |\n| 1 | 2.000 |\n"
      "\n## Notices\n\n| code | level | count | what | help |\n| --- | --- | ---: | --- | --- |\n"
      "| OVC-02 | warning | 30 | odd \\\\x01 times; wrong | do |\n"
      "| JSN-09 | info | 4 | just so |  |\n"
      "| JSN-01 | warning | 1,207 | odd \\\\x01 times; wrong | do |\n";
  if (!CHECK(!strcmp(text, wanted))) CHECK_ROW(text);
}

static void test_empty(void)
{
  FakeResults r;
  fake_run_empty(&r);
  g_autofree char *text = fake_run_file(fake_run_one_lane, 1, &r, NULL, "summary.md");
  CHECK_STR(text, "# kernels\n\nkernels · 1 input · stagemill 0.1.0\n");
}

static const MillColumn columns[] = {
  { "rank", NULL, MILL_INT, MILL_COLUMN_KEY, NULL },
  { "text", NULL, MILL_TEXT, MILL_COLUMN_FINDING, NULL },
};
/* The declared one; the rank comes before it. */
static const MillTable table = { .per = MILL_PER_LANE,
                                 .name = "found",
                                 .columns = { &columns[1], 1, sizeof *columns } };

static char *write_captions(const MillValue *cells, uint64_t n_rows)
{
  FakeTable one = { &table, "found", MILL_ROWS(columns), cells, n_rows };
  FakeResults r = { .tables = &one, .results.n_tables = 1 };
  fake_results_init(&r);
  return fake_run_file(fake_run_lanes, 2, &r, NULL, "summary.md");
}

static void test_captions(void)
{
  const MillValue cells[] = { mill_int(3), mill_text("arrives last", 12),
                              mill_int(4), mill_text("", 0),
                              mill_none(), mill_text("alone", 5) };
  g_autofree char *text = write_captions(cells, 3);
  CHECK_STR(text,
            "# results\n\nresults · 2 inputs\n\n## Captions\n\n- arrives last (rank 3)\n- alone\n");
}

static bool give_finding(const MillResults *r, uint32_t index, MillFindingResult *out)
{
  static const MillFindingResult findings[] = {
    { .severity = MILL_FINDING_CRITICAL,
      .name = "sync",
      .text = "*a* waits",
      .cost_ns = { MILL_INT, 0, { .i = 8547600 } },
      .share = 23.4,
      .where_json = "{}",
      .evidence_json = "[]",
      .advice = "do not" },
    { .severity = MILL_FINDING_NOTE,
      .name = "hot",
      .text = "b",
      .share = 5.6,
      .where_json = "{}",
      .evidence_json = "[]",
      .advice = "fuse" },
  };
  if (index >= r->n_findings) return false;
  *out = findings[index];
  return true;
}

static void test_findings(void)
{
  FakeResults r = { .results.n_findings = 2, .results.finding = give_finding };
  fake_results_init(&r);
  g_autofree char *text = fake_run_file(fake_run_lanes, 2, &r, NULL, "summary.md");
  CHECK_STR(text, "# results\n\nresults · 2 inputs\n\n## Findings\n\nThe most costly first; what "
                  "they cost overlaps.\n\n"
                  "- **23 %**, 8.548 ms: \\*a\\* waits  \n  do not\n- **6 %**: b  \n  fuse\n");
}

static void test_many_captions(void)
{
  MillValue cells[2 * 102];
  for (int i = 0; i < 102; i++) {
    cells[2 * i] = mill_none();
    cells[2 * i + 1] = mill_text("x", 1);
  }
  g_autofree char *text = write_captions(cells, 102);
  CHECK(g_str_has_suffix(text, "- x\n- x\n\n2 more: see the tables\n"));
}

/* As a finding: the start of a list item is the place where most can begin. */
static void test_hostile_texts(void)
{
  static const char *const rows[][2] = {
    { "</x><img onerror=a>", "&lt;/x&gt;&lt;img onerror=a&gt;" },
    { "a|b", "a\\|b" },
    { "`rm`", "\\`rm\\`" },
    { "*b* _i_ ~~s~~ $m$", "\\*b\\* \\_i\\_ \\~\\~s\\~\\~ \\$m\\$" },
    { "snake_case_name", "snake_case_name" },
    { "[a](http://b)", "\\[a\\](http\\://b)" },
    { "www.example.com", "www\\.example.com" },
    { "# head", "\\# head" },
    { "- item", "\\- item" },
    { "12. item", "12\\. item" },
    { "1.5 times", "1.5 times" },
    { "     code", "code" },
    { "a\n\n# b", "a\\\\x0a\\\\x0a# b" },
    { "&lt;", "&amp;lt;" },
    { "\\", "\\\\" },
    { "\xe4\xb8\xad", "\xe4\xb8\xad" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const MillValue cells[] = { mill_none(), mill_text(rows[i][0], (uint32_t)strlen(rows[i][0])) };
    g_autofree char *text = write_captions(cells, 1);
    g_autofree char *wanted = g_strdup_printf("## Captions\n\n- %s\n", rows[i][1]);
    if (!CHECK(g_str_has_suffix(text, wanted))) CHECK_ROW(text);
  }
}

static void test_long_text(void)
{
  g_autofree char *name = g_strnfill(100000, 'x');
  const MillValue cells[] = { mill_none(), mill_text(name, 100000) };
  g_autofree char *text = write_captions(cells, 1);
  CHECK(strlen(text) < 600);
  CHECK(strstr(text, "x\xe2\x80\xa6x") != NULL);
}

static void test_groups(void)
{
  static const MillMetric m = { .kind = MILL_INT, .name = "m" };
  const FakeMetric metrics[] = {
    { &m, NULL, mill_int(1), 1, MILL_NO_LANE, NULL, "model=a|b\ntp=8" },
    { &m, NULL, mill_int(2), 1, MILL_NO_LANE, NULL, "model=c\ntp=8" }
  };
  FakeResults r = { .metrics = metrics, .results.n_metrics = 2 };
  fake_results_init(&r);
  g_autofree char *text = fake_run_file(fake_run_lanes, 2, &r, NULL, "summary.md");
  CHECK(
      g_str_has_suffix(text, "| m | model a\\|b, tp 8 | 1 | 1 |\n| m | model c, tp 8 | 2 | 1 |\n"));
}

/* 4,096 of them are looked up in summary.json. */
static void test_many_lanes(void)
{
  enum { N = 41 };
  static const MillMetric m = { .per = MILL_PER_LANE, .kind = MILL_INT, .name = "m" };
  FakeLane lanes[N];
  FakeMetric metrics[N];
  for (uint32_t i = 0; i < N; i++) {
    lanes[i] = (FakeLane){ .rank = i, .name = "x" };
    metrics[i] = (FakeMetric){ &m, NULL, mill_int(i), 1, i, NULL, NULL };
  }
  FakeResults r = { .metrics = metrics, .results.n_metrics = N };
  fake_results_init(&r);
  g_autofree char *text = fake_run_file(lanes, N, &r, NULL, "summary.md");
  CHECK_STR(
      text,
      "# results\n\nresults · 41 inputs\n\n## Metrics\n\n41 more metrics: see summary.json\n");
}

TEST_MAIN({ "a run", test_run }, { "no results", test_empty }, { "captions", test_captions },
          { "findings", test_findings }, { "many captions", test_many_captions },
          { "hostile texts", test_hostile_texts }, { "a long text", test_long_text },
          { "groups", test_groups }, { "many lanes", test_many_lanes })
