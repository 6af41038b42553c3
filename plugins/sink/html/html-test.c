/* The HTML sink: the page stays whole around any data, and its data is valid, short enough and the same each time. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "check.h"
#include "fake-run.h"

#define DATA_BEGINS "<script type=\"application/json\" id=\"data\">"
#define DATA_ENDS "</script>"

enum { HELPER_MISSING = 7 };

typedef struct Options {
  int64_t max_rows, max_size;
} Options;

static const Options usual = { 5000, 10 << 20 };

static char *page(const FakeResults *r, const Options *options)
{
  return fake_run_file(fake_run_lanes, 2, r, options, "report.html");
}

/* A build may have no page: then results are refused, and nothing is written. */
static bool without_page(void)
{
  FakeHost fake;
  FakeResults r;
  void *instance = NULL;
  fake_run_empty(&r);
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  CHECK_INT(fake_host_open(&fake, &usual, &instance), 0);
  int status = sink_under_test()->ops->results(instance, &r.results);
  CHECK(status == 0 || (status == -HELPER_MISSING && fake.output_calls == 0));
  fake_host_close(instance);
  fake_host_clear(&fake);
  return status != 0;
}

/* What stands in the page as data; g_free. */
static char *data_of(const char *text)
{
  const char *begin = strstr(text, DATA_BEGINS);
  if (!CHECK(begin != NULL)) return g_strdup("");
  begin += strlen(DATA_BEGINS);
  const char *end = strstr(begin, DATA_ENDS);
  return CHECK(end != NULL) ? g_strndup(begin, (gsize)(end - begin)) : g_strdup("");
}

static char *data(const FakeResults *r, const Options *options)
{
  g_autofree char *text = page(r, options);
  return data_of(text);
}

static void check_valid(const char *text)
{
  const char *at, *why;
  if (!CHECK(json_check(text, strlen(text), &at, &why))) CHECK_ROW(text);
  CHECK(strchr(text, '<') == NULL);
}

static void check_has(const char *text, const char *part)
{
  if (!CHECK(strstr(text, part) != NULL)) CHECK_ROW(part);
}

static void test_page(void)
{
  FakeResults r;
  if (without_page()) return;
  fake_run_init(&r);
  g_autofree char *text = page(&r, &usual), *again = page(&r, &usual), *json = data_of(text);
  CHECK_STR(text, again);
  CHECK(g_str_has_prefix(text, "<!doctype html>\n"));
  CHECK(g_str_has_suffix(text, "</html>\n"));
  check_has(text, "content=\"default-src 'none'; script-src 'sha256-");
  check_has(text, "; style-src 'sha256-");
  check_valid(json);
}

static const char *const parts[] = {
  "\"profile\":\"kernels\"",
  "\"program\":{\"name\":\"stagemill\",\"version\":\"0.1.0\"}",
  "\"lanes\":{\"n\":2,\"names\":[\"rank0.json.gz\",\"rank1.json\"]}",
  "{\"name\":\"ttft\",\"stat\":\"p99\",\"value\":410800000,\"unit\":\"ns\",\"n\":24000,\"better\":"
  "\"lower\",",
  "{\"name\":\"throughput\",\"lane\":1,\"rank\":1,\"value\":7.5,\"unit\":\"tok/"
  "s\",\"n\":3,\"better\":\"higher\"}",
  "\"better\":\"higher\",\"reason\":\"not a finite number\"}",
  "\"name\":\"comm\",\"unit\":null,\"better\":null,\"reason\":\"no collectives in \\u001bthis "
  "trace\"}",
  "\"name\":\"bins\",\"value\":{},",
  "{\"code\":\"OVC-02\",\"level\":\"warning\",\"count\":30,",
  "{\"name\":\"total\",\"unit\":\"ns\",\"type\":\"int\",\"help\":\"Time in all calls\"}",
  "{\"name\":\"name\",\"unit\":null,\"type\":\"text\",\"key\":true}",
  "[\"a, \\\"b\\\"\\r\\nc\",-5,null,null,\"9223372036854775807\",null]",
  "[\"" FAKE_RUN_FORMULA "\",12345678,41.04,1482113,3145728,true]",
  "\"name\":\"../silent\",\n",
  "\"left_out\":[]",
};

static void test_data(void)
{
  FakeResults r;
  if (without_page()) return;
  fake_run_init(&r);
  g_autofree char *json = data(&r, &usual);
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) check_has(json, parts[i]);
}

static void test_empty(void)
{
  FakeResults r;
  if (without_page()) return;
  fake_run_empty(&r);
  g_autofree char *json = data(&r, &usual);
  check_valid(json);
  check_has(json, "\"metrics\":[]");
  check_has(json, "\"tables\":[]");
}

static bool give_finding(const MillResults *r, uint32_t index, MillFindingResult *out)
{
  static const MillFindingResult finding = {
    .severity = MILL_FINDING_CRITICAL,
    .name = "sync",
    .text = "</script> waits",
    .cost_ns = { MILL_INT, 0, { .i = 8547600 } },
    .share = 23.4,
    .where_json = "{\"rank\": 1}",
    .evidence_json = "[{\"table\": \"<t>\", \"keys\": {\"c\": 2}}]",
    .advice = "do not",
  };
  if (index >= r->n_findings) return false;
  *out = finding;
  return true;
}

static void test_findings(void)
{
  FakeResults r;
  if (without_page()) return;
  fake_run_empty(&r);
  g_autofree char *none = data(&r, &usual);
  check_has(none, "\"findings\":[]");
  r.results.n_findings = 1;
  r.results.finding = give_finding;
  g_autofree char *json = data(&r, &usual);
  check_valid(json);
  check_has(
      json,
      "{\"name\":\"sync\",\"text\":\"\\u003c/script> waits\",\"severity\":\"critical\",\"cost_ns\":"
      "8547600,\"share\":23.4,\"where\":{\"rank\": 1},");
  check_has(
      json,
      "\"evidence\":[{\"table\": \"\\u003ct>\", \"keys\": {\"c\": 2}}],\"advice\":\"do not\"}");
}

static void test_many_findings(void)
{
  FakeResults r;
  if (without_page()) return;
  fake_run_empty(&r);
  r.results.n_findings = 1000;
  r.results.finding = give_finding;
  g_autofree char *json = data(&r, &(Options){ 0, 64 << 10 });
  check_valid(json);
  CHECK(strlen(json) < 20 << 10);
  check_has(json, " of 1000 findings; all are in summary.json");
}

/* ------------------------------------------------------------- what is read */

#define TEXT(t)                                          \
  {                                                      \
    .type = MILL_TEXT, .len = sizeof(t) - 1, .u.text = t \
  }

static const FakeColumn columns[] = {
  { { "text", NULL, MILL_TEXT, MILL_COLUMN_FINDING, NULL } },
};
static const MillTable table = { .name = "t", .help = "", .columns = FAKE_COLUMNS(columns) };
static const MillValue cells[] = {
  TEXT("</script><script>x()</script>"),
  TEXT("<!-- & ]]>"),
  TEXT("a\xe2\x80\xa8"
       "b\xe2\x80\xa9"
       "c\xe2\x80\xa7"),
};

static void one_table(FakeResults *r, FakeTable *t, const MillValue *values, uint64_t n_rows)
{
  *t = (FakeTable){ &table, "t", FAKE_COLUMNS(columns), values, n_rows };
  fake_run_empty(r);
  r->tables = t;
  r->results.n_tables = 1;
}

static void test_escapes(void)
{
  FakeResults r;
  FakeTable t;
  if (without_page()) return;
  one_table(&r, &t, cells, G_N_ELEMENTS(cells));
  g_autofree char *json = data(&r, &usual);
  check_valid(json);
  check_has(json, "[\"\\u003c/script>\\u003cscript>x()\\u003c/script>\"]");
  check_has(json, "[\"\\u003c!-- & ]]>\"]");
  check_has(json, "[\"a\\u2028b\\u2029c\xe2\x80\xa7\"]");
  check_has(json, "\"type\":\"text\",\"finding\":true}");
}

/* ------------------------------------------------------------- what has room */

enum { N_ROWS = 12000 };

static MillValue *many_rows(void)
{
  MillValue *rows = g_new(MillValue, N_ROWS);
  for (size_t i = 0; i < N_ROWS; i++)
    rows[i] = (MillValue)TEXT("a text of some length, to fill the page");
  return rows;
}

static size_t count(const char *text, const char *part)
{
  size_t n = 0;
  for (const char *p = text; (p = strstr(p, part)); p++) n++;
  return n;
}

static void test_rows(void)
{
  FakeResults r;
  FakeTable t;
  if (without_page()) return;
  g_autofree MillValue *rows = many_rows();
  one_table(&r, &t, rows, N_ROWS);
  g_autofree char *first = data(&r, &usual), *all = data(&r, &(Options){ 0, 10 << 20 });
  CHECK_INT(count(first, "to fill the page"), 5000);
  check_has(first, "\"n_rows\":12000,");
  check_has(
      first,
      "\"left_out\":\"Only the first 5,000 of 12,000 rows are here. All of them: --format csv\"");
  check_has(first,
            "\"left_out\":[\"7,000 of 12,000 rows of the table t: --format csv has all of them, ");
  CHECK_INT(count(all, "to fill the page"), N_ROWS);
  check_has(all, "\"left_out\":[]");
  check_valid(first);
  check_valid(all);
}

/* A table leaves what it does not need to those after it, and no more than its share is taken from them. */
static void test_size(void)
{
  FakeResults r;
  FakeTable tables[3];
  if (without_page()) return;
  g_autofree MillValue *rows = many_rows();
  one_table(&r, &tables[0], rows, 10);
  tables[1] = tables[2] = tables[0];
  tables[1].n_rows = tables[2].n_rows = N_ROWS;
  r.tables = tables;
  r.results.n_tables = 3;
  g_autofree char *json = data(&r, &(Options){ 0, 256 << 10 });
  check_valid(json);
  CHECK(strlen(json) > 250 << 10 && strlen(json) < 257 << 10);
  size_t n = count(json, "to fill the page"), half = (256 << 10) / 45 / 2 /* bytes of a row */;
  CHECK(n > 2 * half - 200 && n < 2 * half + 200);
  CHECK_INT(count(json, "of 12,000 rows are here"), 2);
}

static void test_failure(void)
{
  FakeHost fake;
  FakeResults r;
  void *instance;
  if (without_page()) return;
  fake_run_init(&r);
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake.fail_output = -MILL_OUTPUT_FAILED;
  CHECK_INT(fake_host_open(&fake, &usual, &instance), 0);
  CHECK_INT(sink_under_test()->ops->results(instance, &r.results), -MILL_OUTPUT_FAILED);
  CHECK_INT(fake.output_calls, 1);
  fake_host_close(instance);
  fake_host_clear(&fake);
}

TEST_MAIN({ "writes a page that is whole", test_page }, { "writes every part", test_data },
          { "writes findings", test_findings }, { "leaves findings out", test_many_findings },
          { "writes an empty one", test_empty }, { "lets no text end its element", test_escapes },
          { "writes so many rows", test_rows }, { "writes so many bytes", test_size },
          { "stops when output fails", test_failure })
