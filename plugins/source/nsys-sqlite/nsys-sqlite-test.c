/* The nsys-sqlite source: sums, order and devices computed by hand; and databases that are none. */
/* SPDX-License-Identifier: MIT */
#include <sqlite3.h>

#include "check.h"
#include "kernel-rows.h"
#include "scratch.h"

#define KERNELS                                                                             \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, " \
  "streamId INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER);"
#define STRINGS                                                           \
  "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);" \
  "INSERT INTO StringIds VALUES (1, 'gemm<int>(a, b)'), (2, 'attn'), (3, 'copy'), (4, 'short');"
#define EXPORT "CREATE TABLE TARGET_INFO_GPU (id INTEGER);"
#define KERNEL(start, end, device, name) \
  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" start "," end "," device ",7," name ");"

static void make_database(const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  char *why = NULL;
  CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
  if (!CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, &why), SQLITE_OK)) CHECK_ROW(why);
  sqlite3_free(why);
  sqlite3_close(db);
}

/* Notices, rows without "kernel.row 0 ", failure without its folder, status. */
static char *produced_by(const char *path, uint32_t max_events, const MillRead *reads,
                         uint32_t n_reads)
{
  const FakeFile file = { path, "", 0 };
  KernelRows r;
  kernel_rows_init(&r, path, &file);
  r.files.max_events = max_events;
  char *got = kernel_rows_produced(&r, reads, n_reads);
  kernel_rows_clear(&r);
  return got;
}

static void expect_file(const char *path, const char *wanted)
{
  for (uint32_t max_events = 0; max_events < 3; max_events++) {
    g_autofree char *got = produced_by(path, max_events, NULL, 0);
    CHECK_STR(got, wanted);
  }
}

/* The path asks for being escaped. */
static void expect(const char *sql, const char *wanted)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "a b%20?x=1#\xc3\xa9.sqlite", NULL);
  make_database(path, sql);
  expect_file(path, wanted);
  scratch_remove(folder);
}

/* gemm: 10 20 60 (mean 30, median 20, variance (400 + 100 + 900) / 3); attn: 40 50 (median 45). */
static void test_one_device(void)
{
  expect(KERNELS STRINGS EXPORT KERNEL("1000", "1060", "0", "1,4,NULL")
             KERNEL("2000", "2010", "0", "1,4,NULL") KERNEL("3000", "3020", "0", "1,4,NULL")
                 KERNEL("100", "150", "0", "2,4,NULL") KERNEL("200", "240", "0", "2,4,NULL"),
         "kernel=attn total_ns=90 count=2 avg_ns=45.0 med_ns=45.0 min_ns=40 max_ns=50 std_ns=5.0 "
         "pct=50.0\n"
         "kernel=gemm<int>(a, b) total_ns=90 count=3 avg_ns=30.0 med_ns=20.0 min_ns=10 max_ns=60 "
         "std_ns=21.602468994692867 pct=50.0\n");
}

/* Device 2 has copy 30 and attn 10 10; device 5 has copy 50: of all 100, of the devices 50 and 50. */
static void test_devices(void)
{
  expect(KERNELS STRINGS KERNEL("0", "50", "5", "3,4,NULL") KERNEL("0", "30", "2", "3,4,NULL")
             KERNEL("40", "50", "2", "2,4,NULL") KERNEL("60", "70", "2", "2,4,NULL"),
         "kernel=copy total_ns=80 count=2 avg_ns=40.0 med_ns=40.0 min_ns=30 max_ns=50 std_ns=10.0 "
         "pct=80.0\n"
         "kernel=attn total_ns=20 count=2 avg_ns=10.0 med_ns=10.0 min_ns=10 max_ns=10 std_ns=0.0 "
         "pct=20.0\n"
         "kernel=copy total_ns=30 count=1 avg_ns=30.0 med_ns=30.0 min_ns=30 max_ns=30 std_ns=0.0 "
         "pct=60.0 device=2\n"
         "kernel=attn total_ns=20 count=2 avg_ns=10.0 med_ns=10.0 min_ns=10 max_ns=10 std_ns=0.0 "
         "pct=40.0 device=2\n"
         "kernel=copy total_ns=50 count=1 avg_ns=50.0 med_ns=50.0 min_ns=50 max_ns=50 std_ns=0.0 "
         "pct=100.0 device=5\n");
}

static void test_names(void)
{
  expect(KERNELS STRINGS KERNEL("0", "3", "0", "NULL,4,2") KERNEL("0", "2", "0", "NULL,NULL,2")
             KERNEL("0", "1", "0", "99,4,2") KERNEL("0", "0", "0", "NULL,NULL,NULL"),
         "note 21\nnote 21\n"
         "kernel=short total_ns=3 count=1 avg_ns=3.0 med_ns=3.0 min_ns=3 max_ns=3 std_ns=0.0 "
         "pct=50.0\n"
         "kernel=attn total_ns=2 count=1 avg_ns=2.0 med_ns=2.0 min_ns=2 max_ns=2 std_ns=0.0 "
         "pct=33.333333333333336\n"
         "kernel=(string 99) total_ns=1 count=1 avg_ns=1.0 med_ns=1.0 min_ns=1 max_ns=1 std_ns=0.0 "
         "pct=16.666666666666668\n"
         "kernel=(no name) total_ns=0 count=1 avg_ns=0.0 med_ns=0.0 min_ns=0 max_ns=0 std_ns=0.0 "
         "pct=0.0\n");
  expect("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, shortName INT);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 7, 4);" STRINGS,
         "kernel=short total_ns=2 count=1 avg_ns=2.0 med_ns=2.0 min_ns=2 max_ns=2 std_ns=0.0 "
         "pct=100.0\n");
}

/* Latin-1, a cut character, a NUL, UTF-16 in a BLOB; good bytes stay. */
static void test_bad_names(void)
{
  expect(KERNELS
         "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
         "INSERT INTO StringIds VALUES (1, CAST(x'6be96d' AS TEXT)), (2, CAST(x'61e4b8' AS TEXT)), "
         "(3, CAST(x'620063' AS TEXT)), (4, x'6400ff');" EXPORT KERNEL("0", "40", "0", "1,1,1")
             KERNEL("0", "30", "0", "2,1,1") KERNEL("0", "20", "0", "3,1,1")
                 KERNEL("0", "10", "0", "4,1,1"),
         "note 23\nnote 23\nnote 23\nnote 23\n"
         "kernel=k\xef\xbf\xbd"
         "m total_ns=40 count=1 avg_ns=40.0 med_ns=40.0 min_ns=40 max_ns=40 std_ns=0.0 pct=40.0\n"
         "kernel=a\xef\xbf\xbd\xef\xbf\xbd total_ns=30 count=1 avg_ns=30.0 med_ns=30.0 min_ns=30 "
         "max_ns=30 std_ns=0.0 pct=30.0\n"
         "kernel=b\xef\xbf\xbd"
         "c total_ns=20 count=1 avg_ns=20.0 med_ns=20.0 min_ns=20 max_ns=20 std_ns=0.0 pct=20.0\n"
         "kernel=d\xef\xbf\xbd\xef\xbf\xbd total_ns=10 count=1 avg_ns=10.0 med_ns=10.0 min_ns=10 "
         "max_ns=10 std_ns=0.0 pct=10.0\n");
}

static void test_bad_times(void)
{
  expect(KERNELS STRINGS KERNEL("10", "5", "0", "2,4,NULL") KERNEL("10", "NULL", "0", "2,4,NULL")
             KERNEL("-9223372036854775808", "9223372036854775807", "0", "2,4,NULL")
                 KERNEL("10", "14", "0", "2,4,NULL"),
         "note 20\nnote 20\nnote 20\n"
         "kernel=attn total_ns=4 count=1 avg_ns=4.0 med_ns=4.0 min_ns=4 max_ns=4 std_ns=0.0 "
         "pct=100.0\n");
  expect(KERNELS STRINGS, "");
}

/* 1 to 5000 in some other order: mean and median 2500.5, variance (5000^2 - 1) / 12. */
static void test_many(void)
{
  GString *sql = g_string_new("BEGIN;" KERNELS STRINGS);
  for (int i = 0; i < 5000; i++)
    g_string_append_printf(sql, KERNEL("0", "%d", "%d", "2,4,NULL"), i * 1999 % 5000 + 1, i % 2);
  g_string_append(sql, "COMMIT;");
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "r.sqlite", NULL);
  make_database(path, sql->str);
  g_autofree char *got = produced_by(path, 0, NULL, 0);
  *strchr(got, '\n') = '\0';
  CHECK_STR(got, "kernel=attn total_ns=12502500 count=5000 avg_ns=2500.5 med_ns=2500.5 min_ns=1 "
                 "max_ns=5000 std_ns=1443.3756441065507 pct=100.0");
  static const MillRead reads[] = { { "kernel", MILL_AS_TEXT, 0 },
                                    { "total_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) } };
  g_autofree char *few = produced_by(path, 0, reads, 2);
  CHECK_STR(few, "kernel=attn total_ns=12502500\nkernel=attn total_ns=6250000\n"
                 "kernel=attn total_ns=6252500\n");
  scratch_remove(folder);
  g_string_free(sql, TRUE);
}

static void test_absurd(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "r.sqlite", NULL);
  make_database(path, KERNELS STRINGS KERNEL("0", "9223372036854775807", "0", "2,4,NULL")
                          KERNEL("0", "9223372036854775807", "0", "2,4,NULL"));
  expect_file(path, "fail 8: the kernels of one name take more than 292 years |  | \n"
                    "status -3\n");
  scratch_remove(folder);
}

/* ------------------------------------------------------ what is no export */
static void test_other_databases(void)
{
  expect("CREATE TABLE t (a);",
         "fail 4: the database is not an export of nsys |  | it has no table "
         "CUPTI_ACTIVITY_KIND_KERNEL\nstatus -3\n");
  expect(
      KERNELS,
      "fail 4: the database is not an export of nsys |  | it has no table StringIds\nstatus -3\n");
  expect(STRINGS EXPORT, "fail 5: the profile has no GPU kernels |  | the database has no table "
                         "CUPTI_ACTIVITY_KIND_KERNEL\nstatus -3\n");
  expect("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1 AS start;" STRINGS,
         "fail 4: the database is not an export of nsys |  | it has no table "
         "CUPTI_ACTIVITY_KIND_KERNEL\nstatus -3\n");
  expect("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, shortName INT);" STRINGS,
         "fail 6: the table of kernels lacks a column |  | it has no start or no end\n"
         "status -3\n");
  expect("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT);" STRINGS,
         "fail 6: the table of kernels lacks a column |  | it has no demangledName, shortName or "
         "mangledName\nstatus -3\n");
}

static void test_files(void)
{
  char *folder = scratch_folder();
  g_autofree char *zipped = g_build_filename(folder, "z.gz", NULL);
  g_autofree char *missing = g_build_filename(folder, "missing", NULL);
  scratch_write(folder, "z.gz", "\x1f\x8b\b...", -1);
  const FakeFile unpacked = { zipped, "no database, not even when unpacked ..............", 0 };
  KernelRows z;
  kernel_rows_init(&z, zipped, &unpacked);
  g_autofree char *got = kernel_rows_produced(&z, NULL, 0);
  CHECK_STR(got, "fail 2: the file itself is not an SQLite database |  | file is not a "
                 "database\nstatus -3\n");
  kernel_rows_clear(&z);
  expect_file(missing, "fail 3: the database cannot be read |  | unable to open database file\n"
                       "status -3\n");
  g_autofree char *report = g_build_filename(folder, "r.nsys-rep", NULL);
  scratch_write(folder, "r.nsys-rep", "NSYS, no database at all", -1);
  expect_file(report, "fail 13: reports of nsys are not read |  | \nstatus -3\n");
  const FakeFile file = { "-", "SQLite format 3", 0 };
  KernelRows r;
  kernel_rows_init(&r, NULL, &file);
  CHECK_INT(fake_files_run(&r.files, false), -3);
  CHECK_STR(r.files.produced->str, "fail 1: a database cannot be read from standard input |  | \n");
  CHECK_STR(r.files.described->str, "");
  kernel_rows_clear(&r);
  scratch_remove(folder);
}

/* Cut in the middle of its pages, and with garbage in each of them: never a crash. */
static void test_damaged(void)
{
  GString *sql = g_string_new("BEGIN;" KERNELS STRINGS);
  for (int i = 0; i < 2000; i++)
    g_string_append_printf(sql, KERNEL("0", "%d", "0", "%d,4,NULL"), i, 1 + i % 3);
  g_string_append(sql, "COMMIT;");
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "r.sqlite", NULL);
  g_autofree char *bytes = NULL;
  gsize len;
  make_database(path, sql->str);
  CHECK(g_file_get_contents(path, &bytes, &len, NULL));
  scratch_write(folder, "r.sqlite", bytes, (gssize)len / 2);
  expect_file(path, "fail 3: the database cannot be read |  | database disk image is malformed\n"
                    "status -3\n");
  for (gsize at = 100; at < len; at += 509) {
    g_autofree char *broken = g_memdup2(bytes, len);
    memset(broken + at, 0xfe, MIN(len - at, 23));
    scratch_write(folder, "r.sqlite", broken, (gssize)len);
    g_autofree char *got = produced_by(path, 0, NULL, 0);
    CHECK(g_str_has_suffix(got, "status -3\n") || strstr(got, "kernel="));
  }
  scratch_remove(folder);
  g_string_free(sql, TRUE);
}

static void test_probe(void)
{
  const MillSourceOps *ops = source_under_test()->ops;
  CHECK_INT(ops->probe(source_under_test(), "SQLite format 3\0 and more", 24, "x"), 60);
  CHECK_INT(ops->probe(source_under_test(), "SQLite format 3", 15, "x"), 0);
  CHECK_INT(ops->probe(source_under_test(), "SQLite format 2\0", 16, "x"), 0);
  CHECK_INT(ops->probe(source_under_test(), "any", 3, "dir/a.nsys-rep"), 60);
  CHECK_INT(ops->probe(source_under_test(), "any", 3, "a.nsys-rep.json"), 0);
}

TEST_MAIN({ "one device", test_one_device }, { "several devices", test_devices },
          { "names", test_names }, { "names that are not UTF-8", test_bad_names },
          { "bad times", test_bad_times }, { "many", test_many }, { "absurd times", test_absurd },
          { "other databases", test_other_databases }, { "files", test_files },
          { "damaged files", test_damaged }, { "probe", test_probe })
