/* The JSON sink: the document is valid, fits its contract, and is the same each time.
 *
 * Where SOURCE_ROOT is set, as the build sets it, documents are checked against the schema too. */
/* SPDX-License-Identifier: MIT */
#include <glib/gstdio.h>

#include "base/json.h"
#include "check.h"
#include "fake-run.h"

static char *document(const FakeLane *lanes, uint32_t n_lanes, const FakeResults *r)
{
  static const int64_t most_rows = 10000;
  return fake_run_file(lanes, n_lanes, r, &most_rows, "summary.json");
}

static void check_schema(const char *text)
{
  const char *root = g_getenv("SOURCE_ROOT");
  g_autofree char *path = NULL;
  if (!root) return;
  g_autofree char *validate = g_build_filename(root, "tests/schema/validate.py", NULL);
  g_autofree char *schema = g_build_filename(root, "core/schemas/summary.schema.json", NULL);
  int file = g_file_open_tmp("summary-XXXXXX.json", &path, NULL);
  if (!CHECK(file >= 0)) return;
  g_close(file, NULL);
  CHECK(g_file_set_contents(path, text, -1, NULL));
  const char *const command[] = { "python3", validate, schema, path, NULL };
  int status = -1;
  CHECK(g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                     &status, NULL));
  CHECK_INT(status, 0);
  g_unlink(path);
}

static void check_valid(const char *text)
{
  const char *at, *why;
  if (!CHECK(text != NULL)) return;
  if (!CHECK(json_check(text, strlen(text), &at, &why))) CHECK_ROW(text);
  CHECK(g_str_has_suffix(text, "}\n"));
  check_schema(text);
}

static void test_full(void)
{
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *text = document(fake_run_lanes, 2, &r), *again = document(fake_run_lanes, 2, &r);
  check_valid(text);
  CHECK_STR(text, again);
}

static void test_empty(void)
{
  FakeResults r;
  fake_run_empty(&r);
  g_autofree char *none = document(NULL, 0, &r), *one = document(fake_run_one_lane, 1, &r);
  check_valid(none);
  check_valid(one);
  CHECK_STR(none, "{\n  \"schema_version\": \"3.0\",\n"
                  "  \"program\": {\"name\": \"stagemill\", \"version\": \"0.1.0\"},\n"
                  "  \"profile\": \"kernels\",\n  \"tags\": [\"model\", \"threads\"],\n"
                  "  \"lanes\": [],\n  \"findings\": [],\n  \"metrics\": [],\n  \"definitions\": "
                  "[],\n  \"tables\": [],\n"
                  "  \"figures\": [],\n  \"notices\": []\n}\n");
}

static void test_left_out(void)
{
  static const char *const info[] = { "left-out", "f.a 1 2 s,t\nf.b 2 2 u\n", NULL };
  FakeResults r = { .info = info };
  fake_results_init(&r);
  g_autofree char *text = document(NULL, 0, &r);
  check_valid(text);
  CHECK(strstr(text,
               "\"left_out\": [\n"
               "    {\"lacks\": \"f.a\", \"inputs\": 1, \"of\": 2, \"stages\": [\"s\", \"t\"]},\n"
               "    {\"lacks\": \"f.b\", \"inputs\": 2, \"of\": 2, \"stages\": [\"u\"]}\n  ],\n") ||
        !CHECK_ROW(text));
}

static const char *const parts[] = {
  "\"start_ns\": \"1712195495519689047\"",
  "{\"index\": 0, \"rank\": 0, \"label\": \"a\\\"b\", \"name\": \"rank0.json.gz\", \"file\": null, "
  "\"dialect\": \"kineto\", \"offset_ns\": 0, \"tags\": {\"threads\": \"256\"}}",
  "\"offset_ns\": 1000, \"tags\": {}}",
  "{\"name\": \"ttft\", \"stat\": \"p99\", \"value\": 410800000, \"unit\": \"ns\", \"n\": 24000, "
  "\"better\": \"lower\", \"help\": \"Time to first token\", \"definition\": 0}",
  "{\"name\": \"throughput\", \"lane\": 1, \"rank\": 1, \"value\": 7.5, \"unit\": \"tok/s\", "
  "\"n\": 3, \"better\": \"higher\", \"definition\": 1}",
  "\"unit\": \"tok/s\", \"n\": 12, \"better\": \"higher\", \"reason\": \"not a finite number\", "
  "\"definition\": 1}",
  "{\"name\": \"comm\", \"unit\": null, \"better\": null, \"reason\": \"no collectives in "
  "\\u001bthis trace\", \"definition\": 3}",
  "{\"name\": \"ttft\", \"per\": \"run\", \"type\": \"int\", \"unit\": \"ns\", \"better\": "
  "\"lower\", \"stats\": \"p50,p99\", \"help\": \"Time to first token\"}",
  "\"value\": {\"a\":[1]}",
  "\"reason\": \"not a valid JSON object\"",
  "{\"name\": \"total\", \"unit\": \"ns\", \"type\": \"int\", \"key\": false, \"brief\": true, "
  "\"help\": \"Time in all calls\"}",
  "{\"name\": \"label\", \"unit\": null, \"type\": \"text\", \"key\": true, \"lead\": true}",
  "{\"name\": \"a, \\\"b\\\"\\r\\nc\", \"total\": -5, \"share\": null, \"calls\": null, "
  "\"traffic\": 9223372036854775807, \"hidden\": null}",
  "{\"name\": \"" FAKE_RUN_FORMULA "\", \"total\": 12345678, \"share\": 41.04, "
  "\"calls\": 1482113, \"traffic\": 3145728, \"hidden\": true}",
  "{\"code\": \"JSN-09\", \"level\": \"info\", \"count\": 4, \"what\": \"just so\", \"declared\": "
  "{}}",
  "\"brief_rows\": 8,",
  "\"per\": \"lane\"",
};

static void test_parts(void)
{
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *text = document(fake_run_lanes, 2, &r);
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
    if (!CHECK(strstr(text, parts[i]) != NULL)) CHECK_ROW(parts[i]);
}

/* A lane without a base has no offset; a base of 0 is one. */
static void test_bases(void)
{
  static const FakeLane lanes[] = { { .rank = 0, .base_ns = MILL_NO_BASE },
                                    { .rank = 1, .base_ns = 700 },
                                    { .rank = 2, .base_ns = 0 } };
  FakeResults r;
  fake_run_empty(&r);
  g_autofree char *text = document(lanes, 3, &r), *unknown = document(lanes, 1, &r);
  check_valid(text);
  CHECK(strstr(text, "\"start_ns\": \"0\"") != NULL);
  CHECK(strstr(text, "\"rank\": 0, \"label\": \"\", \"name\": \"\", \"dialect\": \"\", \"tags\": "
                     "{}}") != NULL);
  CHECK(strstr(text, "\"rank\": 1, \"label\": \"\", \"name\": \"\", \"dialect\": \"\", "
                     "\"offset_ns\": 700, ") != NULL);
  CHECK(strstr(text, "\"rank\": 2, \"label\": \"\", \"name\": \"\", \"dialect\": \"\", "
                     "\"offset_ns\": 0, ") != NULL);
  CHECK(strstr(unknown, "start_ns") == NULL && strstr(unknown, "offset_ns") == NULL);
}

/* With tables of any size in files of their own. */
static void test_rows_files(void)
{
  static const int64_t most_rows = 0;
  static const char name[] = "rows/0-kernel-time.json";
  FakeResults r;
  fake_run_init(&r);
  g_autofree char *text = fake_run_file(fake_run_lanes, 2, &r, &most_rows, "summary.json");
  g_autofree char *rows = fake_run_file(fake_run_lanes, 2, &r, &most_rows, name);
  if (!CHECK(rows != NULL)) return;
  g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, rows, -1);
  g_autofree char *wanted =
      g_strdup_printf("\"rows_file\": \"%s\",\n      \"rows_sha256\": \"%s\"", name, sum);
  check_valid(text);
  if (!CHECK(strstr(text, wanted) != NULL)) CHECK_ROW(text);
  CHECK(g_str_has_prefix(
      rows, "{\"table\":\"kernel-time\",\"columns\":[\"name\",\"total\",\"share\",\"calls\","
            "\"traffic\",\"hidden\"],\"rows\":[\n"
            "[\"" FAKE_RUN_FORMULA "\",12345678,41.04,1482113,3145728,true],\n"));
  CHECK(g_str_has_suffix(rows, ",\n[\"+1\",0,1e+300,2,1,null]\n]}\n"));
}

TEST_MAIN({ "writes a valid document", test_full }, { "writes an empty one", test_empty },
          { "writes every part", test_parts }, { "writes known bases", test_bases },
          { "writes stages that were left out", test_left_out },
          { "writes files of rows", test_rows_files })
