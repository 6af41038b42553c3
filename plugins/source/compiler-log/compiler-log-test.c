/* The compiler-log source: what logs, folders and broken bytes become, however they are read. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-files.h"

#define HEAD "x Ideal/Total Cycles y\n"
#define END "====== Perf Summary End ======\n"
#define TABLE(n, phase, rows, kernels, cycles, line)                               \
  "compiler.table 0 table=" #n " phase=" phase " rows=" #rows " kernels=" #kernels \
  " ideal_cycles=" #cycles " line=" #line "\n"
#define KERNEL(n, name, cycles, category, calls, line)                             \
  "compiler.kernel 0 table=" #n " kernel=" name " Cmpt Exec ideal_cycles=" #cycles \
  " category=" category " calls=" #calls " line=" #line "\n"
#define LOG(autopilot, tables) \
  "compiler.log 0 autopilot=" #autopilot " tables=" #tables "\nstatus 0\n"
#define NOTE(n, what) "note " #n " what=" what "\n"

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

static void expect_produced(const char *path, const FakeFile *files, size_t n_files, bool recover,
                            const char *wanted)
{
  static const size_t reads[] = { 0, 1, 7 };
  for (unsigned i = 0; i < 6; i++) {
    g_autofree char *got = produced_by(path, files, n_files, recover, reads[i / 2], i % 2);
    if (!CHECK_STR(got, wanted)) {
      CHECK_ROW(files[0].bytes ? files[0].bytes : "-");
      return;
    }
  }
}

static void expect_log(const char *text, const char *wanted)
{
  const FakeFile file = { "d/compile.log", text, 0 };
  expect_produced(file.path, &file, 1, false, wanted);
}

static void expect_recovered(const char *text, const char *wanted)
{
  const FakeFile file = { "d/compile.log", text, 0 };
  expect_produced(file.path, &file, 1, true, wanted);
}

/* ---------------------------------------------------------------------- tables */

/* 11000 + 0 + 22000 + 0; the row of the total is no part of the sum. */
static void test_a_table(void)
{
  expect_log("start\n" HEAD "mm_0-opCatBmm   11000\nadd_0-NA 0  \nmm_1-opCatBmm 22000\n"
             "relu_0-opCatAct 0\nTotal 33000\n" END "after 1\n",
             TABLE(0, "UNKN", 5, 5, 33000, 2) KERNEL(0, "mm_0", 11000, "Bmm", 1, 3)
                 KERNEL(0, "add_0", 0, "NotAvailable", 1, 4) KERNEL(0, "mm_1", 22000, "Bmm", 1, 5)
                     KERNEL(0, "relu_0", 0, "Act", 1, 6) KERNEL(0, "Total", 33000, "Total", 1, 7)
                         LOG(0, 1));
}

static void test_phases_and_autopilot(void)
{
  expect_log("  PREFILL  \n" HEAD "a-NA 1\n" END "\tDECODING\n" HEAD "a-NA 2\n" END
             "PREFILL\n PREFILL x\n" HEAD "a-NA 3\n" END "DSM-AutoPilot BEGIN\n",
             TABLE(0, "TTFT", 1, 1, 1, 2) KERNEL(0, "a", 1, "NotAvailable", 1, 3)
                 TABLE(1, "ITL", 1, 1, 2, 6) KERNEL(1, "a", 2, "NotAvailable", 1, 7)
                     TABLE(2, "ITL", 1, 1, 3, 11) KERNEL(2, "a", 3, "NotAvailable", 1, 12)
                         LOG(1, 3));
}

/* A blank belongs to the head; what the compiler loads before counts nowhere. */
static void test_what_is_no_row(void)
{
  expect_log("Ideal/Total Cycles\na-NA 1\n" HEAD "\nb-Precompute-NA 1\nc-LxPreload 2\n"
             "took 3 s\nTotal time of it 3\nb-NA 2\r\n" END END,
             TABLE(0, "UNKN", 1, 1, 2, 3) KERNEL(0, "b", 2, "NotAvailable", 1, 9) LOG(0, 1));
}

/* 24576 + 7 + 1000000 + 5 + 6 + 0. */
static void test_rows_of_other_shapes(void)
{
  expect_log(
      "x\tIdeal/Total Cycles\n"
      "aten.mm.default_0-opCatBmm\t24,576\n  a-NA \t 7 \t\nns::op<f[2]>-opCatX 1,000,000\n"
      "Total\t1,024,594\na.b 5\n1234-NA 6\n0-1-NA 0\n" END,
      TABLE(0, "UNKN", 7, 7, 1024589, 1) KERNEL(0, "aten.mm.default_0", 24576, "Bmm", 1, 2)
          KERNEL(0, "a", 7, "NotAvailable", 1, 3) KERNEL(0, "ns::op<f[2]>", 1000000, "X", 1, 4)
              KERNEL(0, "Total", 1024594, "Total", 1, 5) KERNEL(0, "a.b", 5, "Total", 1, 6)
                  KERNEL(0, "1234", 6, "NotAvailable", 1, 7)
                      KERNEL(0, "0-1", 0, "NotAvailable", 1, 8) LOG(0, 1));
}

static void test_stamped_lines(void)
{
  static const char *const stamps[] = { "12:00:00 ",
                                        "12:00:00.123456: ",
                                        "2026-05-13T12:00:00Z ",
                                        "2026-05-13 12:00:00,123 - INFO - ",
                                        "[2026-05-13 12:00:00] ",
                                        "[12.5]\t",
                                        "[INFO] ",
                                        "13/05/2026 12:00 warn perf: ",
                                        "I0513 12:00:00.5 1234 perf.cc:12] " };
  for (unsigned i = 0; i < G_N_ELEMENTS(stamps); i++) {
    const char *p = stamps[i];
    g_autofree char *text = g_strconcat(p, "PREFILL\n", p, HEAD, p, "a.b_0-opCatBmm 24,576\n", p,
                                        "\n", p, "took 3 s\n", p, "Total 24576\n", p, END, NULL);
    expect_log(text, TABLE(0, "TTFT", 2, 2, 24576, 2) KERNEL(0, "a.b_0", 24576, "Bmm", 1, 3)
                         KERNEL(0, "Total", 24576, "Total", 1, 6) LOG(0, 1));
  }
}

/* The first number that is not 0, the first category; each call is a row. */
static void test_repeated_rows(void)
{
  expect_log(HEAD "a-opCatX 0\na-opCatX 5\na-opCatX 0\na-opCatX 6\na-opCatY 5\n" END,
             NOTE(4, "a Cmpt Exec") NOTE(5, "a Cmpt Exec") TABLE(0, "UNKN", 5, 1, 16, 1)
                 KERNEL(0, "a", 5, "X", 5, 2) LOG(0, 1));
}

/* --------------------------------------------------------------------- notices */

static void expect_unreadable(const char *line, const char *shown)
{
  g_autofree char *text = g_strconcat(HEAD "a-NA 1\n", line, "\n" END, NULL);
  g_autofree char *wanted = g_strconcat(
      "note 11 what=line 3: ", shown,
      "\n" TABLE(0, "UNKN", 1, 1, 1, 1) KERNEL(0, "a", 1, "NotAvailable", 1, 2) LOG(0, 1), NULL);
  expect_log(text, wanted);
}

static void test_rows_that_cannot_be_read(void)
{
  static const char *const rows[] = { "b-NA 1 x",         "b-NA",          "b-NA 1.5",
                                      "b-opCatBmm 24,57", "b-NA ,576",     "b-NA 2457,600",
                                      "b-NA 24,,576",     "b -opCatBmm 7", "b-opCatBmm 12O0",
                                      "Total 3300O",      "Total",         "b-NA -5" };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) expect_unreadable(rows[i], rows[i]);
  expect_unreadable("12:00:00 INFO Total x", "Total x");
}

/* No row was read: no table is there, so that nobody takes its ideal time for 0. */
static void test_tables_without_rows(void)
{
  expect_log("x\n" HEAD END, "note 12 what=line 2\nnote 2\n" LOG(0, 0));
  expect_log(HEAD "Total x\n" END HEAD "a-NA 2\n" END,
             NOTE(11, "line 2: Total x") "note 12 what=line 1\n" TABLE(0, "UNKN", 1, 1, 2, 4)
                 KERNEL(0, "a", 2, "NotAvailable", 1, 5) LOG(0, 1));
}

static void test_odd_lines(void)
{
  expect_log("Ideal Clock Scaling: 2\n" HEAD "a:b 7\nbig-NA 9223372036854775808\n"
             "top-NA 9223372036854775807\none-NA 1\n" END,
             "note 6\n" NOTE(7, "line 3: a:b 7") NOTE(9, "line 4: big-NA 9223372036854775808")
                 TABLE(0, "UNKN", 2, 2, 9223372036854775807, 2)
                     KERNEL(0, "top", 9223372036854775807, "NotAvailable", 1, 5)
                         KERNEL(0, "one", 1, "NotAvailable", 1, 6) LOG(0, 1));
}

static void test_tables_without_end(void)
{
  expect_log("nothing\n", "note 2\n" LOG(0, 0));
  expect_log("", "note 2\n" LOG(0, 0));
  expect_log(HEAD "a-NA 1\n" HEAD "b-NA 2\n" END HEAD "c-NA 3",
             "note 3\nnote 3\n" TABLE(0, "UNKN", 1, 1, 2, 3) KERNEL(0, "b", 2, "NotAvailable", 1, 4)
                 LOG(0, 1));
  expect_recovered(HEAD "c-NA 3",
                   TABLE(0, "UNKN", 1, 1, 3, 1) KERNEL(0, "c", 3, "NotAvailable", 1, 2) LOG(0, 1));
}

static void test_long_lines(void)
{
  g_autoptr(GString) text = g_string_new(HEAD);
  for (int i = 0; i < 200000; i++) g_string_append_c(text, 'x');
  g_string_append(text, " 5\na-NA 1\n" END);
  expect_log(text->str, "note 8\n" TABLE(0, "UNKN", 1, 1, 1, 1)
                            KERNEL(0, "a", 1, "NotAvailable", 1, 3) LOG(0, 1));
}

static void test_bytes_that_are_no_text(void)
{
  static const char bytes[] = HEAD "a\0b-NA 1\n\xff\xfe 2\nc-NA 3\n" END;
  const FakeFile file = { "d/compile.log", bytes, sizeof bytes - 1 };
  g_autofree char *got = produced_by(file.path, &file, 1, false, 0, 100);
  CHECK(strstr(got, KERNEL(0, "c", 3, "NotAvailable", 1, 4) LOG(0, 1)) != NULL);
  CHECK(strstr(got, "rows=1 ") != NULL);
}

static void test_too_many_rows(void)
{
  g_autoptr(GString) text = g_string_new(HEAD);
  for (int i = 0; i <= 1 << 20; i++) g_string_append(text, "a-NA 1\n");
  g_string_append(text, END);
  const FakeFile file = { "d/compile.log", text->str, text->len };
  g_autofree char *got = produced_by(file.path, &file, 1, false, 0, 100);
  CHECK(strstr(got, "fail 1") != NULL && strstr(got, "status -8") != NULL);
}

/* ---------------------------------------------------------------------- folder */

#define FILE_OF(kernel) "d/inductor-spyre/" kernel "/perf/ideal_cycles.json"

static void test_a_folder(void)
{
  static const FakeFile files[] = {
    { FILE_OF("bad"), "[{\"ideal_cycles\":1", 0 },
    { FILE_OF("mm_0"),
      "[{\"ideal_cycles\":0,\"op_category\":\"Bmm\",\"x\":[]},"
      "{\"op_category\":\"Bmm\",\"ideal_cycles\":7}]",
      0 },
    { FILE_OF("other"), "{\"ideal_cycles\":1}", 0 },
    { FILE_OF("relu"), "[{\"ideal_cycles\":3}]", 0 },
    { FILE_OF("text"), "[{\"ideal_cycles\":\"3\"}]", 0 },
  };
  expect_produced("d", files, G_N_ELEMENTS(files), false,
                  NOTE(10, "bad") NOTE(10, "other") NOTE(10, "text") TABLE(0, "UNKN", 3, 2, 10, 1)
                      KERNEL(0, "mm_0", 7, "Bmm", 2, 2) KERNEL(0, "relu", 3, "NotAvailable", 1, 4)
                          LOG(0, 1));
}

static void test_a_folder_without_kernels(void)
{
  static const FakeFile files[] = { { "d/inductor-spyre/readme", "hello", 0 } };
  expect_produced("d", files, 1, false, "note 2\n" LOG(0, 0));
}

TEST_MAIN({ "a table", test_a_table }, { "phases and autopilot", test_phases_and_autopilot },
          { "what is no row", test_what_is_no_row },
          { "rows of other shapes", test_rows_of_other_shapes },
          { "stamped lines", test_stamped_lines },
          { "rows that cannot be read", test_rows_that_cannot_be_read },
          { "tables without rows", test_tables_without_rows },
          { "repeated rows", test_repeated_rows }, { "odd lines", test_odd_lines },
          { "tables without end", test_tables_without_end }, { "long lines", test_long_lines },
          { "bytes that are no text", test_bytes_that_are_no_text },
          { "too many rows", test_too_many_rows }, { "a folder", test_a_folder },
          { "a folder without kernels", test_a_folder_without_kernels })
