/* Results on their way to where the user wants them: nothing of the user is lost, whatever is there. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "output/output-folder.h"
#include "output/place.h"
#include "outputs.h"

/* In place of the system's: what would survive a crash of the machine, or why it cannot. */
static int n_synced, sync_error;

int fsync(int fd)
{
  (void)fd;
  n_synced++;
  errno = sync_error;
  return sync_error ? -1 : 0;
}

static Output *begin_run(const char *path, bool force)
{
  Output *o = NULL;
  g_autoptr(Error) e = output_folder(path, "p", force, &o);
  CHECK(e == NULL);
  return o;
}

static void commits(Output *o, const char *code)
{
  g_autoptr(Error) e = output_commit(o);
  if (CHECK_INT(e == NULL, code == NULL) && e) CHECK_STR(e->code, code);
  if (e) output_abort(o, NULL, false);
  output_free(o);
}

#define RECORD "{\"profile\":{\"name\":\"p\"},\"outputs\":[{\"name\":\"t/a\"}]}"

/* An earlier run wrote t/a; the user has something where new results go. */
static void test_in_the_way(void)
{
  static const struct {
    const char *mine, *result, *code, *with_force;
  } rows[] = {
    { "b", "b", "OUT-02", NULL },   { "t/b", "t/b", "OUT-02", NULL },
    { "b", "b/c", "OUT-02", NULL }, { "b/c", "b", "OUT-07", "OUT-07" },
    { "b/c", "b/d", NULL, NULL },   { "t/a/b", "t/a", "OUT-07", "OUT-07" },
    { "b", "t/a", NULL, NULL },
  };
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
    bool force = i % 2;
    const char *code = force ? rows[i / 2].with_force : rows[i / 2].code;
    const char *mine = rows[i / 2].mine, *result = rows[i / 2].result;
    char *folder = scratch_folder();
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    g_autofree char *empty = g_build_filename(path, "empty", "deep", NULL);
    scratch_write(path, "run.json", RECORD, -1);
    if (!g_str_has_prefix(mine, "t/a/")) scratch_write(path, "t/a", "old", -1);
    scratch_write(path, mine, "mine", -1);
    g_mkdir_with_parents(empty, 0755);
    Output *o = begin_run(path, force);
    put(o, result, OUTPUT_HEAD, "new");
    put(o, "run.json", OUTPUT_HEAD, RECORD);
    commits(o, code);
    bool over = force && !code && (!strcmp(mine, result) || g_str_has_prefix(result, "b/c"));
    if (!over) check_file(path, mine, "mine");
    if (!code) check_file(path, result, "new");
    CHECK(g_file_test(empty, G_FILE_TEST_IS_DIR));
    if (!CHECK_INT(entries(folder), 1)) CHECK_ROW(mine);
    scratch_remove(folder);
  }
}

/* What the user put there cannot be moved: it is named, and stays. */
static void test_left_aside(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  FolderSwap swap = { .from = folder, .to = path, .force = false };
  g_autofree char *old = g_build_filename(folder, "old", NULL);
  scratch_write(old, "run.json", RECORD, -1);
  scratch_write(old, "t/a", "old", -1);
  scratch_write(old, "mine", "mine", -1);
  scratch_write(old, "other", "other", -1);
  scratch_write(path, "mine", "a result", -1);
  swap.old = g_strdup(old);
  g_autoptr(Error) e = folder_carry_over(&swap);
  if (CHECK(e != NULL)) CHECK_STR(e->code, "OUT-09");
  if (e) CHECK(strstr(e->at->pdata[0], old) != NULL);
  check_file(old, "mine", "mine");
  check_file(path, "mine", "a result");
  check_file(path, "other", "other");
  g_free(swap.old);
  scratch_remove(folder);
}

static void test_two_writers(void)
{
  static const struct {
    const char *first, *second, *name;
    bool good;
  } rows[] = { { "one", "two", "a", false },  { "one", NULL, "a", false },
               { NULL, "two", "./a", false }, { "one", "one", ".//a", true },
               { "one", "two", "b", true },   { "one", "two", "run.json", false } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *folder = scratch_folder();
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    Output *o = begin_run(path, false);
    CHECK(output_write_of(o, rows[i].first, "a", 0, NULL, "x", 1) == NULL);
    g_autoptr(Error) e = output_write_of(o, rows[i].second, rows[i].name, 1, NULL, "y", 1);
    if (!CHECK_INT(e == NULL, rows[i].good)) CHECK_ROW(rows[i].name);
    if (e) CHECK_STR(e->code, "OUT-08");
    output_abort(o, NULL, false);
    output_free(o);
    scratch_remove(folder);
  }
}

/* Whoever forked: the child neither writes nor commits nor removes anything. */
static void in_child(Output *o, int what)
{
  if (what == 0) put(o, "a", OUTPUT_HEAD, "child");
  if (what == 1) end(o, OUTPUT_HEAD);
  if (what == 2) error_free(output_commit(o));
  if (what == 3) output_abort(o, error_new(EXIT_INPUT, "RUN-99", "child"), true);
  output_remove_after_crash();
  _exit(what == 4 ? EXIT_STAGE : 0);
}

static void test_child(void)
{
  for (int what = 0; what < 5; what++) {
    char *folder = scratch_folder();
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    Output *o = begin_run(path, false);
    put(o, "a", OUTPUT_HEAD, "parent");
    int status = 0;
    pid_t child = fork();
    if (!child) in_child(o, what);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, EXIT_STAGE);
    commits(o, NULL);
    check_file(path, "a", "parent");
    CHECK_INT(entries(folder), 1);
    scratch_remove(folder);
  }
}

static void test_current_folder(void)
{
  char *folder = scratch_folder();
  g_autofree char *before = g_get_current_dir(), *path = g_build_filename(folder, "a", "out", NULL);
  CHECK(!chdir(folder));
  Output *o = begin_run("a/out", false);
  CHECK(!chdir("/"));
  put(o, "b", OUTPUT_HEAD, "x");
  commits(o, NULL);
  check_file(path, "b", "x");
  CHECK(!chdir(before));
  scratch_remove(folder);
}

/* Files, their folders, and the folder in which names change; only where it matters, or when asked. */
static void test_synced(void)
{
  static const int wanted[2][3] = { { 0, 4, 0 }, { 4, 4, 4 } };
  for (int asked = 0; asked < 2; asked++) {
    char *folder = scratch_folder();
    g_autofree char *path = g_build_filename(folder, "out", NULL);
    g_autofree char *other = g_build_filename(folder, "other", NULL);
    for (int i = 0; i < 3; i++) {
      Output *o = begin_run(i < 2 ? path : other, false);
      if (asked) output_sync(o);
      n_synced = 0;
      put(o, "run.json", OUTPUT_HEAD, RECORD);
      put(o, "t/a", OUTPUT_HEAD, "x");
      commits(o, NULL);
      CHECK_INT(n_synced, wanted[asked][i] ? wanted[asked][i] + 1 : 0);
    }
    scratch_remove(folder);
  }
}

/* The disk does not take it: what was there stays. */
static void test_not_synced(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  g_autofree char *file = g_build_filename(folder, "x.json", NULL);
  scratch_write(path, "run.json", RECORD, -1);
  scratch_write(path, "t/a", "old", -1);
  scratch_write(folder, "x.json", "old", -1);
  sync_error = EIO;
  Output *o = begin_run(path, false);
  put(o, "t/a", OUTPUT_HEAD, "new");
  commits(o, "OUT-03");
  CHECK(output_file(file, true, &o) == NULL);
  put(o, "x.json", OUTPUT_HEAD, "new");
  commits(o, "OUT-03");
  sync_error = EINVAL; /* the file system has no such thing */
  CHECK(output_file(file, true, &o) == NULL);
  put(o, "x.json", OUTPUT_HEAD, "new");
  commits(o, NULL);
  sync_error = 0;
  check_file(path, "t/a", "old");
  check_file(folder, "x.json", "new");
  CHECK_INT(entries(folder), 2);
  scratch_remove(folder);
}

/* The second of three cannot be moved; the first and the third are as they were. */
static void test_taken_back(void)
{
  for (int force = 0; force < 2; force++) {
    char *folder = scratch_folder();
    g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(place_free);
    scratch_write(folder, "new-a", "new", -1);
    scratch_write(folder, "new-c", "new", -1);
    if (force) scratch_write(folder, "a", "old", -1);
    g_autofree char *from_a = g_build_filename(folder, "new-a", NULL);
    g_autofree char *from_b = g_build_filename(folder, "missing", NULL);
    const char *const from[] = { from_a, from_b };
    for (int i = 0; i < 2; i++) {
      Place *p = g_new0(Place, 1);
      p->from = from[i];
      p->to = g_build_filename(folder, i ? "b" : "a", NULL);
      CHECK(place_check(p, force, true) == NULL);
      g_ptr_array_add(places, p);
    }
    bool stuck = false;
    g_autoptr(Error) e = place_all(places, folder, &stuck);
    CHECK(e != NULL && !stuck);
    check_file(folder, "a", force ? "old" : NULL);
    check_file(folder, "b", NULL);
    scratch_remove(folder);
  }
}

TEST_MAIN({ "something is in the way", test_in_the_way },
          { "what cannot be moved", test_left_aside }, { "two write one file", test_two_writers },
          { "a child of the process", test_child },
          { "another current folder", test_current_folder }, { "on the disk", test_synced },
          { "not on the disk", test_not_synced }, { "moved and taken back", test_taken_back })
