/* The gate-log source: what folders, files and broken bytes become, however they are read. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-files.h"

#define LOG(rows) "{\"step\":[0,1,2],\"num_tokens\":[5,6,7],\"expert_loads\":" rows "}"

static char *produced_by(const char *path, const FakeFile *files, size_t n_files, bool recover,
                         size_t max_read, uint32_t max_events)
{
  FakeFiles f;
  fake_files_init(&f, path, files, n_files);
  f.is_recover = recover;
  f.max_read = max_read;
  f.max_events = max_events;
  int status = fake_files_run(&f, false);
  g_string_append_printf(f.produced, "status %d\n", status);
  char *got = g_strconcat(f.noted->str, f.produced->str, NULL);
  fake_files_clear(&f);
  return got;
}

static void drop_events(char *got)
{
  for (char *e; (e = strstr(got, "gate.step"));) {
    char *line_end = strchr(e, '\n') + 1;
    memmove(e, line_end, strlen(line_end) + 1);
  }
}

static void expect_produced(const char *path, const FakeFile *files, size_t n_files, bool recover,
                            const char *wanted)
{
  static const size_t reads[] = { 0, 1, 7 };
  for (unsigned i = 0; i < 6; i++) {
    g_autofree char *got = produced_by(path, files, n_files, recover, reads[i / 2], i % 2);
    if (strstr(wanted, "fail")) drop_events(got); /* how many came depends on the batches */
    if (!CHECK_STR(got, wanted)) {
      CHECK_ROW(files[0].bytes ? files[0].bytes : "-");
      return;
    }
  }
}

/* One file of layer 3. */
static void expect_file(const char *text, const char *wanted)
{
  const FakeFile file = { "d/gate_logs_3.json", text, 0 };
  expect_produced("d/gate_logs_3.json", &file, 1, false, wanted);
}

static void expect_recovered(const char *text, const char *wanted)
{
  const FakeFile file = { "d/gate_logs_3.json", text, 0 };
  expect_produced("d/gate_logs_3.json", &file, 1, true, wanted);
}

/* ------------------------------------------------------------------------ rows */

#define THREE                                          \
  "gate.step 0 layer=3 step=0 tokens=5 load=1.0,2.0\n" \
  "gate.step 1 layer=3 step=1 tokens=6 load=3.0,4.0\n" \
  "gate.step 2 layer=3 step=2 tokens=7 load=5.0,60000000.0\nstatus 0\n"

static void test_forms(void)
{
  expect_file(LOG("[[1,2],[3,4],[5,60000000]]"), THREE);
  expect_file("\xef\xbb\xbf" LOG("[[1.0,2.0],[3.0,4.0],[5.0,60000000.0]]") "\r\n", THREE);
  expect_file("{\n  \"expert_loads\": [\n    [\n      1.0,\n      2.0\n    ],\n    [\n      3.0,\n"
              "      4.0\n    ],\n    [\n      5.0,\n      60000000.0\n    ]\n  ],\n"
              "  \"num_tokens\": [\n    5,\n    6,\n    7\n  ],\n"
              "  \"step\": [\n    0,\n    1,\n    2\n  ]\n}\n",
              THREE);
  expect_file("{\"x\":{\"a\":[1,-2.5e3,\"\\u00e9\\\"]\xc3\xa9\",null,NaN,{}]},\"expert_loads\":"
              "[ [1 , 2.00] ,[30e-1,4], [ 0.5E+1 ,6e7]],\"step\":[0,1,2],\"y\":[],"
              "\"num_tokens\":[5.0,6,7]}",
              "note 15 file=gate_logs_3.json why=\n" THREE);
  expect_file("{\"x\":[-Infinity,Infinity,\"NaN\",null],"
              "\"expert_loads\":[[1]]}",
              "note 11 file=gate_logs_3.json why=\nnote 15 file=gate_logs_3.json why=\nnote 15 "
              "file=gate_logs_3.json why=\n"
              "gate.step 0 layer=3 load=1.0\nstatus 0\n");
  expect_file(LOG("[[1,2,3,4,5,6,7,8],[0,0.0,-0.0,0],[123456789012,1.5]]"),
              "gate.step 0 layer=3 step=0 tokens=5 load=1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0\n"
              "gate.step 1 layer=3 step=1 tokens=6 load=0.0,0.0,0.0,0.0\n"
              "gate.step 2 layer=3 step=2 tokens=7 load=123456789012.0,1.5\nstatus 0\n");
}

static void test_gaps_that_change(void)
{
  expect_file("{\"step\":[0],\"num_tokens\":[5],\"expert_loads\":[[1,2,3,  4,  5,\n6,\n7 ,8.0,9.0, "
              "10.0,1\t,\t2,                         3,                         4]]}",
              "gate.step 0 layer=3 step=0 tokens=5 load=1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0,10.0,"
              "1.0,2.0,3.0,4.0\nstatus 0\n");
}

static void test_empty_and_ragged_rows(void)
{
  expect_file(LOG("[[],[1],null]"), "gate.step 0 layer=3 step=1 tokens=6 load=1.0\nstatus 0\n");
  expect_file(LOG("[[1],[1,2,3],[4,5]]"), "gate.step 0 layer=3 step=0 tokens=5 load=1.0\n"
                                          "gate.step 1 layer=3 step=1 tokens=6 load=1.0,2.0,3.0\n"
                                          "gate.step 2 layer=3 step=2 tokens=7 load=4.0,5.0\n"
                                          "status 0\n");
  expect_file("{\"step\":[],\"num_tokens\":[],\"expert_loads\":[ ]}", "status 0\n");
}

static void test_lists_of_other_lengths(void)
{
  expect_file("{\"step\":[7],\"expert_loads\":[[1],[2]]}",
              "note 11 file=gate_logs_3.json why=\ngate.step 0 layer=3 step=7 load=1.0\n"
              "gate.step 1 layer=3 load=2.0\nstatus 0\n");
  expect_file("{\"step\":null,\"num_tokens\":[1,2],\"expert_loads\":[[1]]}",
              "note 11 file=gate_logs_3.json why=\ngate.step 0 layer=3 tokens=1 load=1.0\n"
              "status 0\n");
}

static void test_the_last_member_counts(void)
{
  expect_file(
      "{\"expert_loads\":[[9],[9]],\"step\":[1,2],\"num_tokens\":[3],\"expert_loads\":[[4]],"
      "\"step\":[5]}",
      "note 12 file=gate_logs_3.json why=\nnote 12 file=gate_logs_3.json why=\n"
      "gate.step 0 layer=3 step=5 tokens=3 load=4.0\nstatus 0\n");
}

static void test_only_what_is_wanted(void)
{
  static const MillRead reads[] = { { "tokens", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
                                    { "load", MILL_AS_REAL, MILL_KIND(MILL_SLICE) } };
  const FakeFile file = { "d/gate_logs_3.json", LOG("[[1],[2],[3]]"), 0 };
  FakeFiles f;
  fake_files_init(&f, file.path, &file, 1);
  f.reads = reads;
  f.n_reads = 2;
  CHECK_INT(fake_files_run(&f, false), 0);
  CHECK_STR(f.produced->str, "gate.step 0 tokens=5\ngate.step 1 tokens=6\ngate.step 2 tokens=7\n");
  CHECK_STR(f.described->str, "dialect=gate-log;tag=file=gate_logs_3.json;");
  fake_files_clear(&f);
}

/* ------------------------------------------------------------------ bad files */

#define NOTHING "fail 2: d/gate_logs_3.json | "
#define FIRST "the first is d/gate_logs_3.json: "
#define DAMAGE(why, at)                                                \
  "note 8 file=gate_logs_3.json why=" why ", at byte " at "\n" NOTHING \
  "1 cut short or damaged, " FIRST why ", at byte " at "\nstatus -3\n"

static void test_damage(void)
{
  static const char *const cut[] = { "{",
                                     "{\"st",
                                     "{\"step\":[0,1",
                                     "{\"step\":[0,1],",
                                     "{\"x\":tru",
                                     "{\"expert_loads\":[[1,2],[3",
                                     "{\"expert_loads\":[[1,2]]",
                                     "{\"expert_loads\":[[1,2],",
                                     " " };
  for (size_t i = 0; i < G_N_ELEMENTS(cut); i++) {
    const char *why = i == 4 ? "this is not a value" : "the text ends too early";
    int at = i == 4 ? 5 : (int)strlen(cut[i]);
    g_autofree char *wanted =
        g_strdup_printf("note 8 file=gate_logs_3.json why=%s, at byte %d\n" NOTHING
                        "1 cut short or damaged, " FIRST "%s, at byte %d\nstatus -3\n",
                        why, at, why, at);
    expect_file(cut[i], wanted);
  }
  expect_file("{\"expert_loads\":[[1 2]]}",
              DAMAGE("a comma or a closing bracket is missing", "20"));
  expect_file("{\"expert_loads\":[[1,]]}", DAMAGE("this is not a value", "20"));
  expect_file("{\"expert_loads\":[[01]]}", DAMAGE("this is not a number", "18"));
  expect_file("{\"expert_loads\":[[1.]]}", DAMAGE("this is not a number", "20"));
  expect_file("{\"expert_loads\":[[1],]}", DAMAGE("this is not a value", "21"));
  expect_file("{\"expert_loads\":[[1]]} x", DAMAGE("text follows the end", "23"));
  expect_file("{\"expert_loads\":[[1]],}", DAMAGE("a key is missing", "22"));
  expect_file("{\"expert_loads\" [[1]]}", DAMAGE("a colon is missing", "16"));
  expect_file("{\"x\":\"\xff\",\"expert_loads\":[[1]]}", DAMAGE("this text is not valid", "6"));
  expect_file("{\"x\":\"a\nb\",\"expert_loads\":[[1]]}", DAMAGE("this text is not valid", "7"));
}

static void test_recovery(void)
{
  expect_recovered("{\"num_tokens\":[5],\"step\":[2],\"expert_loads\":[[1,2],[3",
                   "note 9 file=gate_logs_3.json why=the text ends too early, at byte 53\n"
                   "gate.step 0 layer=3 step=2 tokens=5 load=1.0,2.0\nstatus 0\n");
  expect_recovered("{\"expert_loads\":[[1,2],[3,4",
                   "note 9 file=gate_logs_3.json why=the text ends too early, at byte 27\n"
                   "note 11 file=gate_logs_3.json why=\n"
                   "gate.step 0 layer=3 load=1.0,2.0\nstatus 0\n");
  expect_recovered("{\"expert_loads\":[[1,2", DAMAGE("the text ends too early", "21"));
}

static void test_other_files(void)
{
  const char *wanted = "note 10 file=gate_logs_3.json why=it has no expert_loads\n" NOTHING
                       "1 without expert_loads, " FIRST "it has no expert_loads\nstatus -3\n";
  static const char *const others[] = { "{}",    "{\"step\":[1]}", "[1,[2]]",
                                        "\"x\"", "1.5e3",          "{\"expert_loads\":null}" };
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) expect_file(others[i], wanted);
}

static void test_wrong_values(void)
{
  static const struct {
    const char *text, *place, *why;
  } rows[] = {
    { "{\"expert_loads\":[[1,null]]}", "1:21", "this is null" },
    { "{\n \"expert_loads\": [\n  [1,\n   -2]]}", "4:4", "this is negative" },
    { "{\"\xc3\xa9\":1,\n\"expert_loads\":[[\"1\"]]}", "2:18", "this is a text" },
    { "{\"\xc3\xa9\":1,\"expert_loads\":[[NaN]]}", "1:25", "this is NaN" },
    { "{\"expert_loads\":[[Infinity]]}", "1:19", "this is not finite" },
    { "{\"expert_loads\":[[-Infinity]]}", "1:19", "this is not finite" },
    { "{\"expert_loads\":[[1e999]]}", "1:19", "this is beyond the numbers of a double" },
    { "{\"expert_loads\":[[true]]}", "1:19", "this is true" },
    { "{\"expert_loads\":[[[1]]]}", "1:19", "this is a list" },
    { "{\"expert_loads\":[[{}]]}", "1:19", "this is an object" },
    { "{\"expert_loads\":[7]}", "1:18", "this is not a row" },
    { "{\"expert_loads\":7}", "1:17", "this is not a list" },
    { "{\"num_tokens\":[0.5]}", "1:16", "this is not a whole number" },
    { "{\"step\":[null]}", "1:10", "this is null" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *wanted = g_strdup_printf("fail 1: d/gate_logs_3.json:%s | %s\nstatus -3\n",
                                              rows[i].place, rows[i].why);
    expect_file(rows[i].text, wanted);
    expect_recovered(rows[i].text, wanted);
  }
}

/* -------------------------------------------------------------------- folders */

static void test_a_folder(void)
{
  static const FakeFile files[] = {
    { "r/a.txt", "x", 0 },
    { "r/gate_logs_0.json", "{\"expert_loads\":[[1]],\"step\":[0],\"num_tokens\":[1]}", 0 },
    { "r/gate_logs_1.json", "{\"expert_loads\":[[1],[2", 0 },
    { "r/gate_logs_10.json", "{\"expert_loads\":[[3]],\"step\":[0],\"num_tokens\":[1]}", 0 },
    { "r/gate_logs_2.json", NULL, 1 },
    { "r/gate_logs_x.json", "{\"expert_loads\":[[4]],\"step\":[0],\"num_tokens\":[1]}", 0 },
  };
  expect_produced("r", files, G_N_ELEMENTS(files), false,
                  "note 8 file=gate_logs_1.json why=the text ends too early, at byte 23\n"
                  "fail 13: r/gate_logs_2.json | there is no such file\nstatus -3\n");
  expect_produced("r", files, G_N_ELEMENTS(files), true,
                  "note 9 file=gate_logs_1.json why=the text ends too early, at byte 23\n"
                  "note 11 file=gate_logs_1.json why=\n"
                  "note 13 file=gate_logs_2.json why=there is no such file\n"
                  "gate.step 0 layer=0 step=0 tokens=1 load=1.0\n"
                  "gate.step 1 layer=1 load=1.0\n"
                  "gate.step 2 layer=10 step=0 tokens=1 load=3.0\n"
                  "gate.step 3 layer=4 step=0 tokens=1 load=4.0\nstatus 0\n");
}

/* What was compressed counts as its own text; beside that text it is a copy. */
static void test_compressed_names(void)
{
  static const FakeFile files[] = {
    { "r/gate_logs_0.json", LOG("[[1],[],[]]"), 0 },
    { "r/gate_logs_0.json.gz", LOG("[[9],[9],[9]]"), 0 },
    { "r/gate_logs_0.json.zst", LOG("[[9],[9],[9]]"), 0 },
    { "r/gate_logs_12.json.zst", LOG("[[2],[],[]]"), 0 },
    { "r/gate_logs_3.json.bz2", LOG("[[9],[9],[9]]"), 0 },
    { "r/gate_logs_5.json.gz", LOG("[[3],[],[]]"), 0 },
    { "r/gate_logs_5.json.zst", LOG("[[9],[9],[9]]"), 0 },
    { "r/gate_logs_x.json.gz", LOG("[[4],[],[]]"), 0 },
  };
  expect_produced("r", files, G_N_ELEMENTS(files), false,
                  "note 14 file=gate_logs_0.json.gz why=\nnote 14 file=gate_logs_0.json.zst why=\n"
                  "note 14 file=gate_logs_5.json.zst why=\n"
                  "gate.step 0 layer=0 step=0 tokens=5 load=1.0\n"
                  "gate.step 1 layer=12 step=0 tokens=5 load=2.0\n"
                  "gate.step 2 layer=5 step=0 tokens=5 load=3.0\n"
                  "gate.step 3 layer=3 step=0 tokens=5 load=4.0\nstatus 0\n");
}

/* Reading fails behind the text, as it does with compressed data that breaks off. */
static void expect_broken(const char *text, bool recover, const char *wanted)
{
  const FakeFile file = { "d/gate_logs_3.json.gz", text, 0 };
  for (size_t max_read = 0; max_read < 3; max_read++) {
    FakeFiles f;
    fake_files_init(&f, file.path, &file, 1);
    f.is_recover = recover;
    f.max_read = max_read;
    f.broken = file.path;
    f.why = "it breaks off";
    int status = fake_files_run(&f, false);
    g_string_append_printf(f.noted, "%sstatus %d\n", f.produced->str, status);
    CHECK_STR(f.noted->str, wanted);
    fake_files_clear(&f);
  }
}

static void test_data_that_breaks_off(void)
{
  const char *nothing = "note 8 file=gate_logs_3.json.gz why=it breaks off\n"
                        "fail 2: d/gate_logs_3.json.gz | 1 cut short or damaged, the first is "
                        "d/gate_logs_3.json.gz: it breaks off\nstatus -3\n";
  static const char *const cut[] = { " ", "{\"step\":[0,1", "{\"expert_loads\":[[1,2]" };
  for (size_t i = 0; i < G_N_ELEMENTS(cut); i++) expect_broken(cut[i], false, nothing);
  expect_broken(LOG("[[1],[2],[3]]"), false, nothing);
  expect_broken("{\"step\":[7],\"num_tokens\":[5],\"expert_loads\":[[1],[2", true,
                "note 9 file=gate_logs_3.json.gz why=it breaks off\n"
                "gate.step 0 layer=3 step=7 tokens=5 load=1.0\nstatus 0\n");
  expect_broken(LOG("[[1],[],[]]"), true,
                "note 9 file=gate_logs_3.json.gz why=it breaks off\n"
                "gate.step 0 layer=3 step=0 tokens=5 load=1.0\nstatus 0\n");
  /* What is wrong before that place is wrong all the same. */
  expect_broken("{\"expert_loads\":[[null],[2", false,
                "fail 1: d/gate_logs_3.json.gz:1:19 | this is null\nstatus -3\n");
}

static void test_a_folder_without_logs(void)
{
  static const FakeFile files[] = { { "r/a.txt", "x", 0 } };
  expect_produced("r", files, 1, false,
                  "fail 2: r | no file is named gate_logs_*.json\nstatus -3\n");
}

static void test_probe(void)
{
  static const struct {
    const char *text;
    int sure;
  } rows[] = {
    { LOG("[[1]]"), 95 },
    { "\xef\xbb\xbf { \n \"expert_loads\" : [ [", 95 },
    { "{\"num_tokens\":[1,2", 80 },
    { "{\"step\":[1,2", 40 },
    { "{\"step\":1}", 0 },
    { "{\"steps\":[1]}", 0 },
    { "{\"traceEvents\":[],\"expert_loads\":[]}", 0 },
    { "[1]", 0 },
    { "", 0 },
    { "{", 0 },
  };
  const MillSourceOps *ops = source_under_test()->ops;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!CHECK_INT(ops->probe(source_under_test(), rows[i].text, strlen(rows[i].text), "x.json"),
                   rows[i].sure))
      CHECK_ROW(rows[i].text);
  CHECK_INT(ops->probe(source_under_test(), "{\"step\":[1,2", 12, "d/gate_logs_0.json"), 80);
  CHECK_INT(ops->probe(source_under_test(), "{\"step\":[1,2", 12, "d/gate_logs_0.json.zst"), 80);
}

static void test_refused_memory(void)
{
  const MillSource *source = source_under_test();
  FakeFiles f;
  void *instance = NULL;
  fake_files_init(&f, "d", NULL, 0);
  f.fake.memory.refuses = true;
  CHECK_INT(source->ops->open(source, &f.source, NULL, &instance), -MILL_LIMIT);
  CHECK(instance == NULL);
  fake_files_clear(&f);
}

/* ---------------------------------------------------------------- large files */

static GString *large_log(unsigned n_rows, unsigned n_experts, const char *tail)
{
  GString *text = g_string_new("{\"num_tokens\":[7,8],\"expert_loads\":[");
  for (unsigned r = 0; r < n_rows; r++) {
    g_string_append(text, r ? ",\n  [" : "[");
    for (unsigned e = 0; e < n_experts; e++)
      g_string_append_printf(text, "%s%u.0", e ? ", " : "", (r + e) % 1000);
    g_string_append_c(text, ']');
  }
  return g_string_append(text, tail);
}

static uint64_t n_events_of(const FakeFile *file, const char *path, bool recover, int *out_status)
{
  FakeFiles f;
  fake_files_init(&f, path, file, 1);
  f.is_recover = recover;
  *out_status = fake_files_run(&f, true);
  uint64_t n = f.n_events;
  fake_files_clear(&f);
  return n;
}

/* More than are held: the file is read twice, and standard input cannot be. */
static void test_two_passes(void)
{
  int status;
  g_autoptr(GString) text = large_log(1300, 500, "],\"step\":[1,2]}");
  const FakeFile file = { "d/gate_logs_0.json", text->str, text->len };
  CHECK_INT(n_events_of(&file, file.path, false, &status), 1300);
  CHECK_INT(status, 0);
  n_events_of(&file, NULL, false, &status);
  CHECK_INT(status, -MILL_LIMIT);
  g_autoptr(GString) cut = large_log(1300, 500, ",[1,2");
  const FakeFile broken = { "d/gate_logs_0.json", cut->str, cut->len };
  CHECK_INT(n_events_of(&broken, broken.path, true, &status), 1300);
  CHECK_INT(status, 0);
  CHECK_INT(n_events_of(&broken, broken.path, false, &status), 0);
  CHECK_INT(status, -MILL_BAD_INPUT);
}

static void test_two_passes_give_the_same(void)
{
  g_autoptr(GString) text = large_log(1300, 500, "],\"step\":[1,2]}");
  const FakeFile file = { "d/gate_logs_0.json", text->str, text->len };
  g_autofree char *got = produced_by(file.path, &file, 1, false, 0, 1024);
  const char *at = strchr(got, '\n') + 1; /* behind the notice of two lists that are short */
  CHECK(g_str_has_prefix(got, "note 11"));
  for (unsigned r = 0; r < 1300; r++) {
    GString *row = g_string_new(NULL);
    g_string_printf(row, "gate.step %u layer=0%s", r,
                    r == 0   ? " step=1 tokens=7"
                    : r == 1 ? " step=2 tokens=8"
                             : "");
    for (unsigned e = 0; e < 500; e++)
      g_string_append_printf(row, "%s%u.0", e ? "," : " load=", (r + e) % 1000);
    bool same = g_str_has_prefix(at, row->str);
    at += same ? row->len + 1 : 0;
    g_string_free(row, TRUE);
    if (!CHECK(same)) return;
  }
  CHECK_STR(at, "status 0\n");
}

static void test_many_rows(void)
{
  int status;
  GString *text = g_string_new("{\"expert_loads\":[");
  for (unsigned r = 0; r < 530000; r++) g_string_append(text, r % 2 ? ",[1]" : r ? ",[]" : "[]");
  g_string_append(text, "],\"num_tokens\":[");
  for (unsigned r = 0; r < 530000; r++) g_string_append(text, r ? ",1" : "1");
  g_string_append(text, "]}");
  const FakeFile file = { "d/gate_logs_0.json", text->str, text->len };
  CHECK_INT(n_events_of(&file, file.path, false, &status), 265000);
  CHECK_INT(status, 0);
  g_string_free(text, TRUE);
}

static void test_a_long_row_goes_on(void)
{
  g_autoptr(GString) text = large_log(1, 5000, "]}");
  const FakeFile file = { "d/gate_logs_0.json", text->str, text->len };
  g_autofree char *got = produced_by(file.path, &file, 1, false, 0, 1024);
  const char *second = strstr(got, "gate.step 0 layer=0 load=96.0,97.0");
  CHECK(strstr(got, "gate.step 0 layer=0 tokens=7 load=0.0,1.0") != NULL);
  CHECK(second != NULL); /* value 4096 is 96 */
  g_autoptr(GString) longer = large_log(1, 525000, "]}");
  const FakeFile too_long = { "d/gate_logs_0.json", longer->str, longer->len };
  int status;
  n_events_of(&too_long, too_long.path, false, &status);
  CHECK_INT(status, -MILL_LIMIT);
}

TEST_MAIN({ "forms", test_forms }, { "gaps that change", test_gaps_that_change },
          { "empty and ragged rows", test_empty_and_ragged_rows },
          { "lists of other lengths", test_lists_of_other_lengths },
          { "the last member counts", test_the_last_member_counts },
          { "only what is wanted", test_only_what_is_wanted }, { "damage", test_damage },
          { "recovery", test_recovery }, { "other files", test_other_files },
          { "wrong values", test_wrong_values }, { "a folder", test_a_folder },
          { "compressed names", test_compressed_names },
          { "data that breaks off", test_data_that_breaks_off },
          { "a folder without logs", test_a_folder_without_logs }, { "probe", test_probe },
          { "refused memory", test_refused_memory }, { "two passes", test_two_passes },
          { "two passes give the same", test_two_passes_give_the_same },
          { "many rows", test_many_rows }, { "a long row goes on", test_a_long_row_goes_on })
