/* A folder that a run made for itself: it alone is removed, with all in it, and only while it is the run's. */
/* SPDX-License-Identifier: MIT */
#include "output/own-folder.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

static unsigned entries(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  unsigned n = 0;
  while (dir && g_dir_read_name(dir)) n++;
  return n;
}

static Error *make(OwnFolder *own, const char *path, OwnFolderHeal heal)
{
  g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
  return own_folder_make(own, path, heal, made);
}

static OwnFolder make_in(const char *folder)
{
  OwnFolder own;
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  CHECK(make(&own, path, NULL) == NULL);
  CHECK(own.path && g_str_has_prefix(own.path, folder) &&
        atomic_load(&own.state) == OWN_FOLDER_OURS);
  scratch_write(own.path, "a", "x", 1);
  scratch_write(own.path, "deep/er/b", "x", 1);
  return own;
}

static void test_removed(void)
{
  char *folder = scratch_folder();
  scratch_write(folder, "mine", "mine", 4);
  g_autofree char *mine = g_build_filename(folder, "mine", NULL);
  OwnFolder own = make_in(folder);
  g_autofree char *link = g_build_filename(own.path, "link", NULL);
  CHECK(!symlink(folder, link)); /* it is not followed */
  CHECK_INT(entries(folder), 2);
  own_folder_remove(&own);
  CHECK_INT(entries(folder), 1);
  CHECK(g_file_test(mine, G_FILE_TEST_EXISTS));
  own_folder_remove(&own); /* again: nothing */
  own_folder_clear(&own);
  scratch_remove(folder);
}

/* No more files can be opened: nothing is left behind. */
static void test_not_opened(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  struct rlimit before, none;
  OwnFolder own;
  CHECK(!getrlimit(RLIMIT_NOFILE, &before));
  none = (struct rlimit){ 0, before.rlim_max };
  CHECK(!setrlimit(RLIMIT_NOFILE, &none));
  g_autoptr(Error) e = make(&own, path, NULL);
  CHECK(!setrlimit(RLIMIT_NOFILE, &before));
  CHECK(e != NULL && !own.path);
  CHECK_INT(entries(folder), 0);
  own_folder_clear(&own);
  scratch_remove(folder);
}

/* A folder in it that cannot be opened: a later run finds the marker, and removes all. */
static void test_not_emptied(void)
{
  char *folder = scratch_folder();
  struct rlimit before, now;
  OwnFolder own = make_in(folder);
  g_autofree char *marker = g_build_filename(own.path, ".stagemill-run", NULL),
                  *deep = g_build_filename(own.path, "deep", NULL);
  getrlimit(RLIMIT_NOFILE, &before);
  now = (struct rlimit){ 0, before.rlim_max };
  setrlimit(RLIMIT_NOFILE, &now);
  own_folder_remove(&own);
  setrlimit(RLIMIT_NOFILE, &before);
  own_folder_clear(&own);
  CHECK(g_file_test(marker, G_FILE_TEST_EXISTS) && g_file_test(deep, G_FILE_TEST_EXISTS));
  own = make_in(folder);
  CHECK_INT(entries(folder), 1);
  own_folder_remove(&own);
  CHECK_INT(entries(folder), 0);
  own_folder_clear(&own);
  scratch_remove(folder);
}

static void test_released(void)
{
  char *folder = scratch_folder();
  OwnFolder own = make_in(folder);
  own_folder_release(&own);
  own_folder_remove(&own);
  CHECK_INT(entries(own.path), 3); /* with the marker */
  own_folder_reclaim(&own);
  own_folder_remove(&own);
  CHECK_INT(entries(folder), 0);
  own_folder_clear(&own);
  scratch_remove(folder);
}

/* Another folder took its name: what is in the old one goes, and nothing else. */
static void test_swapped(void)
{
  char *folder = scratch_folder();
  OwnFolder own = make_in(folder);
  g_autofree char *aside = g_build_filename(folder, "aside", NULL);
  CHECK(!rename(own.path, aside));
  scratch_write(own.path, "theirs", "x", 1);
  own_folder_remove(&own);
  CHECK_INT(entries(aside), 0);
  CHECK_INT(entries(own.path), 1);
  own_folder_clear(&own);
  scratch_remove(folder);
}

static void test_nowhere(void)
{
  OwnFolder own;
  g_autoptr(Error) e = make(&own, "/proc/self/nothing/out", NULL);
  if (CHECK(e != NULL)) CHECK_STR(e->code, "OUT-03");
  CHECK(own.path == NULL);
  own_folder_remove(&own);
  own_folder_clear(&own);
}

/* Of a run that was killed between making the folder and marking it: long ago, or just now. */
static void test_abandoned(void)
{
  char *folder = scratch_folder();
  const struct timespec long_ago[] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  g_autofree char *old = g_build_filename(folder, ".out.abcdef", NULL);
  g_autofree char *new = g_build_filename(folder, ".out.ghijkl", NULL);
  g_autofree char *filled = g_build_filename(folder, ".out.mnopqr", NULL);
  scratch_write(folder, ".out.mnopqr/file", "mine", -1);
  scratch_write(folder, ".out.abcdef/.stagemill-new", "", 0);
  CHECK(!mkdir(new, 0777));
  CHECK(!utimensat(AT_FDCWD, old, long_ago, 0) && !utimensat(AT_FDCWD, filled, long_ago, 0));
  OwnFolder own = make_in(folder);
  CHECK_INT(entries(folder), 3);
  CHECK(access(old, F_OK) && !access(new, F_OK) && !access(filled, F_OK));
  own_folder_remove(&own);
  own_folder_clear(&own);
  scratch_remove(folder);
}

static int n_healed;

static bool heal(const char *left, const char *path)
{
  CHECK(g_str_has_suffix(path, "/out") && strstr(left, "/.out."));
  return ++n_healed > 1;
}

/* One that was replacing something goes only when what is of the user was given back. */
static void test_healed(void)
{
  char *folder = scratch_folder();
  pid_t child = fork();
  if (!child) {
    OwnFolder left = make_in(folder);
    own_folder_mark_replacing(&left);
    _exit(0);
  }
  CHECK(waitpid(child, NULL, 0) == child);
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  const int expected[] = { 2, 2,
                           1 }; /* without anybody to heal it, when that fails, when it succeeds */
  for (int i = 0; i < 3; i++) {
    OwnFolder own;
    CHECK(make(&own, path, i ? heal : NULL) == NULL);
    CHECK_INT(entries(folder), expected[i]);
    own_folder_remove(&own);
    own_folder_clear(&own);
  }
  CHECK_INT(n_healed, 2);
  scratch_remove(folder);
}

/* Ends without removing its folder, as when it is killed. */
static void leave_in(const char *folder, bool unmarked)
{
  pid_t child = fork();
  if (!child) {
    OwnFolder own = make_in(folder);
    if (unmarked) own_folder_unmark(&own);
    _exit(0);
  }
  CHECK(waitpid(child, NULL, 0) == child);
}

/* Folders of runs that ended go, those of runs that live and all others stay. */
static void test_left(void)
{
  char *folder = scratch_folder();
  OwnFolder living = make_in(folder);
  leave_in(folder, false);
  CHECK_INT(entries(folder), 2);
  leave_in(folder, true); /* holds something of the user; the first is removed */
  CHECK_INT(entries(folder), 2);
  scratch_write(folder, ".out.abcdef/.stagemill-run", "not ours", -1);
  scratch_write(folder, ".out.ghijkl/file", "mine", -1);
  CHECK_INT(entries(folder), 4);
  OwnFolder own = make_in(folder);
  CHECK_INT(entries(folder), 5);
  CHECK_INT(entries(living.path), 3);
  own_folder_remove(&own);
  own_folder_remove(&living);
  CHECK_INT(entries(folder), 3);
  own_folder_clear(&own);
  own_folder_clear(&living);
  scratch_remove(folder);
}

TEST_MAIN({ "removed with all in it", test_removed }, { "cannot be opened", test_not_opened },
          { "cannot be emptied", test_not_emptied }, { "given away", test_released },
          { "its name is another's", test_swapped }, { "left behind by another", test_left },
          { "made and never marked", test_abandoned },
          { "left while it replaced something", test_healed },
          { "where nothing can be made", test_nowhere })
