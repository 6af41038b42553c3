/* Results appear complete or not at all; parts are joined in the order of their positions: output-open.c,
 * output-write.c and output-end.c. */
/* SPDX-License-Identifier: MIT */
#include "input/file-sum.h"
#include "output/output-folder.h"
#include "outputs.h"

/* Lanes end in every order of three; the file is the same. */
static void test_positions(void)
{
  static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
  static const char *const texts[] = { "zero", "", "two" }; /* lane 1 writes nothing */
  for (int i = 0; i < 6; i++)
    for (int late = 0; late < 2; late++) {
      char *folder = scratch_folder();
      g_autofree char *path = g_build_filename(folder, "out", NULL);
      Output *o = NULL;
      CHECK(output_folder(path, "p", false, &o) == NULL);
      output_capture(o, "sub/file.txt");
      if (!late) put(o, "sub/file.txt", OUTPUT_HEAD, "[");
      if (!late) end(o, OUTPUT_HEAD);
      for (int k = 0; k < 3; k++) {
        int lane = orders[i][k];
        if (*texts[lane]) put(o, "sub/file.txt", lane, texts[lane]);
        if (*texts[lane]) put(o, "sub/file.txt", lane, ".");
        end(o, lane);
        if (late && k == 1) put(o, "sub/file.txt", OUTPUT_HEAD, "[");
        if (late && k == 1) end(o, OUTPUT_HEAD);
      }
      output_begin_tail(o);
      put(o, "sub/file.txt", OUTPUT_TAIL, "]");
      CHECK(!g_file_test(path, G_FILE_TEST_EXISTS));
      CHECK(output_commit(o) == NULL);
      check_file(path, "sub/file.txt", "[zero.,two.]");
      CHECK_INT(entries(path), 1);
      CHECK_INT(entries(folder), 1);
      output_free(o);
      scratch_remove(folder);
    }
}

/* A part that waits for its turn holds no open file. */
static void test_waiting_parts(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  Output *o = NULL;
  CHECK(output_folder(path, "p", false, &o) == NULL);
  unsigned before = entries("/proc/self/fd");
  for (int lane = 1; lane < 50; lane++) {
    put(o, "file", lane, "x");
    end(o, lane);
  }
  CHECK(entries("/proc/self/fd") <= before + 1);
  end(o, OUTPUT_HEAD);
  end(o, 0);
  CHECK(output_commit(o) == NULL);
  g_autofree char *file = g_build_filename(path, "file", NULL), *text = NULL;
  CHECK(g_file_get_contents(file, &text, NULL, NULL) && strlen(text) == 49 + 48);
  output_free(o);
  scratch_remove(folder);
}

/* One lane writes into many files by turns, in its turn or ahead of it: the bytes are the same, and
 * of what was put aside nothing is open. */
static void test_put_aside(void)
{
  static const char *const suffixes[] = { "", ".gz", ".zst" };
  char *first[G_N_ELEMENTS(suffixes)] = { NULL };
  for (int ahead = 0; ahead < 2; ahead++) {
    char *folder = scratch_folder();
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    Output *o = NULL;
    CHECK(output_folder(path, "p", false, &o) == NULL);
    unsigned before = entries("/proc/self/fd");
    if (!ahead) end(o, OUTPUT_HEAD);
    for (int i = 0; i < 900; i++) {
      g_autofree char *name = g_strdup_printf("%d%s", i % 300, suffixes[i % 3]);
      g_autofree char *text = g_strdup_printf("%d.", i);
      put(o, name, 0, text);
      put(o, name, 0, "");
    }
    CHECK_INT(entries("/proc/self/fd"), before);
    end(o, 0);
    if (ahead) end(o, OUTPUT_HEAD);
    CHECK_INT(entries("/proc/self/fd"), before);
    put(o, "nothing", 1, "");
    CHECK(output_commit(o) == NULL);
    check_file(path, "0", "0.300.600.");
    check_file(path, "nothing", "");
    CHECK_INT(entries(path), 301);
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
      g_autofree char *name = g_strdup_printf("%zu%s", i, suffixes[i]);
      g_autofree char *file = g_build_filename(path, name, NULL);
      char *sum = file_sum_of(file, UINT64_MAX);
      if (first[i]) CHECK_STR(sum, first[i]);
      g_free(first[i]);
      first[i] = sum;
    }
    output_free(o);
    scratch_remove(folder);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(first); i++) g_free(first[i]);
}

static void test_abort(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  for (int with_log = 0; with_log < 2; with_log++) {
    Output *o = NULL;
    CHECK(output_folder(path, "p", false, &o) == NULL);
    put(o, "a", 3, "x");
    put(o, "b", OUTPUT_HEAD, "y");
    g_autoptr(Error) e = error_new_at("a.c", 7, EXIT_INPUT, "RUN-99", "why it failed");
    CHECK(output_abort(o, e, with_log) == e);
    CHECK_INT(e->help ? (int)e->help->len : 0, with_log);
    if (with_log && e->help) CHECK(g_str_has_suffix(e->help->pdata[0], "out.failed/log.txt"));
    output_free(o);
    CHECK_INT(entries(folder), with_log);
  }
  check_file(folder, "out.failed/log.txt",
             "error[RUN-99]: why it failed\n  from: why it failed (a.c:7)\n");
  scratch_remove(folder);
}

static void test_names(void)
{
  static const struct {
    const char *name;
    bool good;
  } rows[] = { { "a", true },     { "a/b.csv", true }, { "a..b", true },    { "", false },
               { "/a", false },   { "../a", false },   { "a/../b", false }, { "./a", true },
               { "a/./b", true }, { "a//b", true },    { ".", false },      { "a/", false },
               { "./", false },   { "a/..", false },   { "...", true },     { "a\nb", false } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *folder = scratch_folder();
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    Output *o = NULL;
    CHECK(output_folder(path, "p", false, &o) == NULL);
    g_autoptr(Error) e = output_write(o, rows[i].name, 0, NULL, "x", 1);
    if (!CHECK_INT(e == NULL, rows[i].good)) CHECK_ROW(rows[i].name);
    output_abort(o, NULL, false);
    output_free(o);
    scratch_remove(folder);
  }
}

static void write_run(const char *path, const char *profile, bool force)
{
  Output *o = NULL;
  g_autofree char *record =
      g_strdup_printf("{\"profile\":{\"name\":\"%s\"},\"outputs\":[{\"name\":\"t/a\"}]}", profile);
  g_autoptr(Error) e = output_folder(path, profile, force, &o);
  if (!CHECK(e == NULL)) return;
  put(o, "t/a", OUTPUT_HEAD, profile);
  put(o, "run.json", OUTPUT_HEAD, record);
  end(o, OUTPUT_HEAD);
  CHECK(output_commit(o) == NULL);
  output_free(o);
}

static void test_earlier_runs(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  Output *o = NULL;
  write_run(path, "one", false);
  scratch_write(path, "mine.txt", "mine", -1);
  scratch_write(path, "t/mine.txt", "mine too", -1);
  scratch_write(path, "notes/deep/mine.txt", "deep", -1);
  write_run(path, "one", false);
  check_file(path, "t/a", "one");
  check_file(path, "mine.txt", "mine");
  check_file(path, "t/mine.txt", "mine too");
  check_file(path, "notes/deep/mine.txt", "deep");
  g_autoptr(Error) other = output_folder(path, "two", false, &o);
  if (CHECK(other != NULL)) CHECK_INT(other->status, EXIT_OUTPUT);
  write_run(path, "two", true);
  check_file(path, "t/a", "two");
  check_file(path, "mine.txt", "mine");
  CHECK_INT(entries(folder), 1);
  scratch_remove(folder);
}

/* Somebody changed the record of the earlier run: names that are no texts name no file. */
static void test_strange_record(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  scratch_write(path, "run.json",
                "{\"profile\":{\"name\":\"one\"},"
                "\"outputs\":[{\"name\":5},{\"name\":null},{\"name\":[]},{},7,{\"name\":\"old\"}]}",
                -1);
  scratch_write(path, "old", "ours", -1);
  scratch_write(path, "mine.txt", "mine", -1);
  write_run(path, "one", false);
  check_file(path, "t/a", "one");
  check_file(path, "mine.txt", "mine");
  check_file(path, "old", NULL);
  scratch_remove(folder);
}

/* What cannot be put in place leaves what was there where it was. */
static void test_not_replaced(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  g_autofree char *missing = g_build_filename(folder, "missing", NULL);
  scratch_write(path, "mine.txt", "mine", -1);
  FolderSwap swap = { missing, path, .replaces = true };
  g_autoptr(Error) e = folder_swap(&swap);
  CHECK(e != NULL && !swap.old);
  check_file(path, "mine.txt", "mine");
  CHECK_INT(entries(folder), 1);
  scratch_remove(folder);
}

/* In a folder of somebody else something is in the way of the second file. */
static void test_foreign_folder(void)
{
  static const char *const in_the_way[] = { "b/theirs", "b" }; /* of "b" and of "b/c" */
  static const char *const second[] = { "b", "b/c" };
  for (int i = 0; i < 2; i++) {
    char *folder = scratch_folder();
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    Output *o = NULL;
    scratch_write(path, in_the_way[i], "theirs", -1);
    CHECK(output_folder(path, "p", true, &o) == NULL);
    put(o, "a", OUTPUT_HEAD, "new");
    put(o, second[i], OUTPUT_HEAD, "new");
    end(o, OUTPUT_HEAD);
    g_autoptr(Error) e = output_commit(o);
    if (CHECK(e != NULL)) CHECK_STR(e->code, "OUT-03");
    output_abort(o, NULL, false);
    output_free(o);
    check_file(path, in_the_way[i], "theirs");
    check_file(path, "a", NULL);
    CHECK_INT(entries(folder), 1);
    scratch_remove(folder);
  }
}

/* Of two files one is in the way: neither appears. */
static void test_files(void)
{
  char *folder = scratch_folder();
  g_autofree char *pattern = g_build_filename(folder, "{rank}.json", NULL);
  scratch_write(folder, "1.json", "mine", -1);
  for (int force = 0; force < 2; force++) {
    Output *o = NULL;
    CHECK(output_file(pattern, force, &o) == NULL);
    put(o, "0.json", 0, "zero");
    put(o, "1.json", 1, "one");
    for (int position = OUTPUT_HEAD; position < 2; position++) end(o, position);
    g_autoptr(Error) e = output_commit(o);
    CHECK_INT(e == NULL, force);
    if (e) output_abort(o, NULL, false);
    output_free(o);
    CHECK_INT(entries(folder), 1 + force);
  }
  check_file(folder, "1.json", "one");
  scratch_remove(folder);
}

TEST_MAIN({ "parts in the order of positions", test_positions },
          { "parts that wait", test_waiting_parts }, { "files put aside", test_put_aside },
          { "aborted", test_abort }, { "names", test_names },
          { "over earlier runs", test_earlier_runs },
          { "over a strange record", test_strange_record }, { "not replaced", test_not_replaced },
          { "a foreign folder", test_foreign_folder }, { "all files or none", test_files })
