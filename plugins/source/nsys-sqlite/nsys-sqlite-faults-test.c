/* The nsys-sqlite source where something fails below it: the right rows or an error, never other rows. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sqlite3.h>
#include <unistd.h>

#include "check.h"
#include "kernel-rows.h"
#include "scratch.h"

enum { PAGE = 512 };

/* ------------------------------------------------------------------- running */

/* Small pages, several of each table; short rows, so that what is overwritten is never text alone. */
static void make_database(const char *path)
{
  g_autoptr(GString) sql = g_string_new(
      "PRAGMA page_size=512; BEGIN;"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "demangledName INTEGER);"
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);");
  for (int i = 0; i < 120; i++)
    g_string_append_printf(sql, "INSERT INTO StringIds VALUES (%d, 'kernel %d');", i, i);
  for (int i = 0; i < 400; i++)
    g_string_append_printf(sql, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%d, %d, %d, %d);",
                           i, i + 1 + i * 37 % 101, i % 2, i % 120);
  g_string_append(sql, "COMMIT;");
  sqlite3 *db = NULL;
  CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
  CHECK_INT(sqlite3_exec(db, sql->str, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

static char *produced_by(const char *path)
{
  const FakeFile file = { path, "", 0 };
  KernelRows r;
  kernel_rows_init(&r, path, &file);
  char *got = kernel_rows_produced(&r, NULL, 0);
  kernel_rows_clear(&r);
  return got;
}

typedef struct Base {
  char *folder, *path, *right;
} Base;

static Base base_new(void)
{
  Base b = { .folder = scratch_folder() };
  b.path = g_build_filename(b.folder, "r.sqlite", NULL);
  make_database(b.path);
  b.right = produced_by(b.path);
  CHECK(g_str_has_prefix(b.right, "kernel="));
  return b;
}

static void base_free(Base *b)
{
  scratch_remove(b->folder);
  g_free(b->path);
  g_free(b->right);
}

/* The rows as they should be, or this status and nothing that looks like an answer. */
static bool is_right_or(const Base *b, const char *got, const char *status)
{
  return !strcmp(got, b->right) || (strstr(got, "fail ") && g_str_has_suffix(got, status));
}

/* -------------------------------------------------------------------- damage */

static void damage(const Base *b, const char *bytes, gsize len, gsize at, gsize n, int with)
{
  g_autofree char *broken = g_memdup2(bytes, len);
  memset(broken + at, with, MIN(n, len - at));
  scratch_write(b->folder, "r.sqlite", broken, (gssize)len);
  g_autofree char *got = produced_by(b->path);
  if (is_right_or(b, got, "status -3\n")) return;
  if (is_right_or(b, got, "status -8\n"))
    return; /* SQLite finds an absurd length too much to allocate */
  g_autofree char *row = g_strdup_printf("%zu bytes of %d at %zu of page %zu: %.200s", n, with,
                                         at % PAGE, at / PAGE + 1, got);
  CHECK_ROW(row);
}

/* Each field of a page's header, its first cells and its last ones, and the whole page. */
static void test_damaged_pages(void)
{
  static const struct {
    gsize at, n;
  } spots[] = { { 0, 1 },   { 1, 2 },   { 3, 2 },    { 5, 2 },    { 7, 1 },    { 8, 4 },
                { 12, 64 }, { 64, 64 }, { 200, 64 }, { 320, 64 }, { 440, 72 }, { 0, PAGE } };
  Base b = base_new();
  g_autofree char *bytes = NULL;
  gsize len;
  CHECK(g_file_get_contents(b.path, &bytes, &len, NULL));
  CHECK(len >= 20 * PAGE);
  for (gsize page = 0; page < len; page += PAGE)
    for (gsize i = 0; i < G_N_ELEMENTS(spots); i++) {
      damage(&b, bytes, len, page + spots[i].at, spots[i].n, 0);
      damage(&b, bytes, len, page + spots[i].at, spots[i].n, 0xff);
    }
  for (gsize cut = PAGE; cut < len; cut += PAGE / 2) {
    scratch_write(b.folder, "r.sqlite", bytes, (gssize)cut);
    g_autofree char *got = produced_by(b.path);
    CHECK(is_right_or(&b, got, "status -3\n"));
  }
  base_free(&b);
}

/* ------------------------------------------------------------- failing reads */

static long n_left = -1; /* calls until the one that fails; negative: none does */

static bool fails_now(void) { return n_left >= 0 && n_left-- == 0; }

static ssize_t failing_read(int fd, void *buffer, size_t n)
{
  if (!fails_now()) return read(fd, buffer, n);
  errno = EIO;
  return -1;
}

static ssize_t failing_pread(int fd, void *buffer, size_t n, off_t at)
{
  if (!fails_now()) return pread(fd, buffer, n, at);
  errno = EIO;
  return -1;
}

static void replace_reads(sqlite3_syscall_ptr by_read, sqlite3_syscall_ptr by_pread)
{
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  vfs->xSetSystemCall(vfs, "read", by_read);
  vfs->xSetSystemCall(vfs, "pread", by_pread);
  vfs->xSetSystemCall(vfs, "pread64", by_pread);
}

static int count_until_none(const Base *b, const char *status)
{
  int n_failed = 0;
  for (long at = 0; at < 100000; at++) {
    n_left = at;
    g_autofree char *got = produced_by(b->path);
    bool none = n_left >= 0;
    n_left = -1;
    if (none) return n_failed;
    n_failed += strcmp(got, b->right) != 0;
    if (!is_right_or(b, got, status)) CHECK_ROW(got);
  }
  return -1;
}

static void test_failing_reads(void)
{
  Base b = base_new();
  replace_reads((sqlite3_syscall_ptr)failing_read, (sqlite3_syscall_ptr)failing_pread);
  CHECK(count_until_none(&b, "status -3\n") > 10);
  replace_reads(NULL, NULL);
  base_free(&b);
}

/* ------------------------------------------------------- failing allocations */

static sqlite3_mem_methods real;

static void *failing_malloc(int n) { return fails_now() ? NULL : real.xMalloc(n); }

static void *failing_realloc(void *old, int n)
{
  return fails_now() ? NULL : real.xRealloc(old, n);
}

static void test_no_memory(void)
{
  sqlite3_mem_methods mine;
  sqlite3_shutdown();
  CHECK_INT(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real), SQLITE_OK);
  mine = real;
  mine.xMalloc = failing_malloc;
  mine.xRealloc = failing_realloc;
  CHECK_INT(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
  Base b = base_new();
  CHECK(count_until_none(&b, "status -8\n") > 20);
  base_free(&b);
  sqlite3_shutdown();
  CHECK_INT(sqlite3_config(SQLITE_CONFIG_MALLOC, &real), SQLITE_OK);
}

/* ------------------------------------------------------------ beside the file */

/* As a writer leaves it that is killed: its changes are in the log only. */
static void leave_changes(const char *path, const char *mode)
{
  sqlite3 *db = NULL;
  g_autofree char *sql = g_strdup_printf(
      "PRAGMA journal_mode=%s; PRAGMA cache_size=1; BEGIN; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "
      "end = end + 1000; %s",
      mode, g_str_equal(mode, "wal") ? "COMMIT;" : "");
  g_autofree char *copy = g_strconcat(path, ".x", NULL);
  CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
  CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  static const char *const endings[] = { "", "-wal", "-journal" };
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
    g_autofree char *from = g_strconcat(path, endings[i], NULL);
    g_autofree char *to = g_strconcat(copy, endings[i], NULL), *bytes = NULL;
    gsize len;
    if (g_file_get_contents(from, &bytes, &len, NULL))
      CHECK(g_file_set_contents(to, bytes, (gssize)len, NULL));
  }
  sqlite3_close(db);
}

static guint n_names(const char *folder)
{
  guint n = 0;
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  while (g_dir_read_name(dir)) n++;
  return n;
}

static void expect_pending(const char *mode, const char *ending, const char *why)
{
  Base b = base_new();
  g_autofree char *copy = g_strconcat(b.path, ".x", NULL);
  g_autofree char *beside = g_strconcat(copy, ending, NULL);
  g_autofree char *link = g_strconcat(b.folder, "/link", NULL);
  leave_changes(b.path, mode);
  guint before = n_names(b.folder);
  g_autofree char *got = produced_by(copy);
  CHECK(strstr(got, "fail 11: changes of the database are in files beside it and not in it yet") &&
        strstr(got, why) && strstr(got, ending) && g_str_has_suffix(got, "status -3\n"));
  CHECK_INT(n_names(b.folder), before);
  CHECK(symlink(copy, link) == 0);
  g_autofree char *by_link = produced_by(link);
  CHECK(strstr(by_link, "fail 11"));
  CHECK(g_file_set_contents(beside, "", 0, NULL)); /* as after a checkpoint */
  g_autofree char *empty = produced_by(copy);
  CHECK(!strstr(empty, "fail 11"));
  base_free(&b);
}

static void test_pending(void)
{
  expect_pending("wal", "-wal", "is not empty");
  expect_pending("delete", "-journal", "is of a change that did not end");
}

TEST_MAIN({ "damaged pages", test_damaged_pages }, { "reads that fail", test_failing_reads },
          { "no memory", test_no_memory }, { "pending changes", test_pending })
