/* The nsys-csv source: every form of a kernel summary, and everything that is none. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "kernel-rows.h"

static const MillSourceOps *ops(void) { return source_under_test()->ops; }

typedef struct Cut {
  size_t max_read;
  uint32_t max_events;
} Cut;

/* Notices, rows without "kernel.row 0 ", failure, status. */
static char *produced_by(const char *bytes, size_t len, Cut cut, const MillRead *reads,
                         uint32_t n_reads)
{
  const FakeFile file = { "runs/t.csv", bytes, len };
  KernelRows r;
  kernel_rows_init(&r, "runs/t.csv", &file);
  r.files.max_read = cut.max_read;
  r.files.max_events = cut.max_events;
  char *got = kernel_rows_produced(&r, reads, n_reads);
  CHECK_STR(r.files.described->str, "tag=file=t.csv;");
  kernel_rows_clear(&r);
  return got;
}

static void expect_bytes(const char *bytes, size_t len, const char *wanted)
{
  static const Cut cuts[] = { { 0, 0 }, { 1, 1 }, { 7, 2 }, { 64, 1 } };
  for (size_t i = 0; i < G_N_ELEMENTS(cuts); i++) {
    g_autofree char *got = produced_by(bytes, len, cuts[i], NULL, 0);
    if (!CHECK_STR(got, wanted)) {
      CHECK_ROW(bytes);
      return;
    }
  }
}

static void expect(const char *text, const char *wanted)
{
  expect_bytes(text, strlen(text), wanted);
}

static int probe(const char *bytes, size_t len)
{
  return ops()->probe(source_under_test(), bytes, len, "x");
}

#define GUI "Time,Total Time,Instances,Avg,Med,Min,Max,StdDev,Name\r\n"
#define STATS \
  "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
#define TITLE "\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
#define PREAMBLE                                      \
  "Generating SQLite file r.sqlite from r.nsys-rep\n" \
  "Processing [\"r.sqlite\"] with [/opt/nvidia/reports/cuda_gpu_kern_sum.py]... \n"

#define ROW_A "50.0,3000,2,1500.0,1500.5,1000,2000,707.1,\"f<int, 2>(T*)\"\n"
#define TOLD_A                                                                        \
  "kernel=f<int, 2>(T*) total_ns=3000 count=2 min_ns=1000 max_ns=2000 avg_ns=1500.0 " \
  "med_ns=1500.5 std_ns=707.1 pct=50.0\n"
#define ROW_B "50.0,3000,1,3000.0,3000.0,3000,3000,0.0,g\n"
#define TOLD_B                                                                          \
  "kernel=g total_ns=3000 count=1 min_ns=3000 max_ns=3000 avg_ns=3000.0 med_ns=3000.0 " \
  "std_ns=0.0 pct=50.0\n"

static void test_window(void)
{
  expect(GUI "0.10%,241 ns,1,241 ns,241 ns,241 ns,241 ns,0 ns,small\r\n"
             "48.30%,102.664 s,428,239.809 ms,383.682 \xce\xbcs,1.5 ms,1 s,2 us,"
             "\"ncclDevKernel_AllReduce(a, b)\"",
         "kernel=small total_ns=241 count=1 min_ns=241 max_ns=241 avg_ns=241.0 med_ns=241.0 "
         "std_ns=0.0 pct=0.1\n"
         "kernel=ncclDevKernel_AllReduce(a, b) total_ns=102664000000 count=428 min_ns=1500000 "
         "max_ns=1000000000 avg_ns=239809000.0 med_ns=383682.0 std_ns=2000.0 pct=48.3\n");
  CHECK_INT(probe(GUI, strlen(GUI)), 95);
}

static void test_stats(void)
{
  expect(STATS ROW_A ROW_B, TOLD_A TOLD_B);
  expect("Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name\n"
         "100.0,20,2,10.5,5,15,k\n",
         "kernel=k total_ns=20 count=2 min_ns=5 max_ns=15 avg_ns=10.5 pct=100.0\n");
  expect("\"Time(%)\",\"Total Time (ns)\",\"Instances\",\"Average (ns)\",\"Minimum (ns)\","
         "\"Maximum (ns)\",\"StdDev (ns)\",\"Name\"\n100.0,20,2,10.5,5,15,3,k\n",
         "kernel=k total_ns=20 count=2 min_ns=5 max_ns=15 avg_ns=10.5 std_ns=3.0 pct=100.0\n");
  expect("Name , 'x' ,Time%, Total Time (us),INSTANCES,Std Dev,Median (ms)\nk,z,1,2.5,3,4,5\n",
         "kernel=k total_ns=2500 count=3 med_ns=5000000.0 std_ns=4000.0 pct=1.0\n");
  expect("Total Time (s);Instances;Kernel Name;Standard Deviation\n0.000000001;1;a,b;\n",
         "kernel=a,b total_ns=1 count=1\n");
  expect("Total Time (ms)\tInstances\tFunction Name\tGridXYZ\n1.5\t1\tk\t1 2 3\n",
         "kernel=k total_ns=1500000 count=1\n");
}

static void test_output(void)
{
  expect(PREAMBLE TITLE STATS ROW_A ROW_B "\n", TOLD_A TOLD_B);
  expect(PREAMBLE STATS ROW_A, TOLD_A);
  expect(PREAMBLE TITLE STATS ROW_A "\n\n" ROW_B "\nGenerated:\n    r.sqlite\n", TOLD_A TOLD_B);
  CHECK_INT(probe(PREAMBLE TITLE STATS, strlen(PREAMBLE TITLE STATS)), 95);
  CHECK_INT(probe(PREAMBLE TITLE, strlen(PREAMBLE TITLE)), 40);
}

#define API                                                                                   \
  "\n ** CUDA API Summary (cuda_api_sum):\n\n"                                                \
  "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n" \
  "9.0,1,1,1.0,1.0,1,1,0.0,cudaLaunchKernel\n\n"
#define MARKERS " ** Vulkan GPU Marker Summary (vulkan_gpu_marker_sum):\n\n" STATS ROW_B "\n"
#define NVTX                                                                                  \
  "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style," \
  "Range\n1.0,1,1,1,1,1,1,0,PushPop,step\n\n"

static void test_other_tables(void)
{
  expect(PREAMBLE API TITLE STATS ROW_A "\n" MARKERS NVTX, "note 20\nnote 20\nnote 20\n" TOLD_A);
  expect(STATS ROW_A "\n" STATS ROW_B "\n" TITLE STATS ROW_B, "note 21\nnote 21\n" TOLD_A);
}

static void test_no_table(void)
{
  expect(STATS, "");
  expect(GUI "\r\n\r\n", "");
  expect("\n \n", "fail 1: the input is empty |  | \nstatus -3\n");
  expect("\xef\xbb\xbf", "fail 1: the input is empty |  | \nstatus -3\n");
  expect("hello\nworld\n", "fail 2: the input holds no kernel summary |  | \nstatus -3\n");
  expect(PREAMBLE "SKIPPED: r.sqlite does not contain NVTX data.\n"
                  "SKIPPED: r.sqlite does not contain CUDA kernel data.\n",
         "fail 3: nsys found no kernels to sum up |  | SKIPPED: r.sqlite does not contain CUDA "
         "kernel data.\nstatus -3\n");
  expect(API, "fail 2: the input holds no kernel summary |  | \nstatus -3\n");
  CHECK_INT(probe("SKIPPED: r.sqlite does not contain CUDA kernel data.\n", 53), 40);
  CHECK_INT(probe("hello, world\n", 13), 0);
  CHECK_INT(probe("{\"traceEvents\":[]}", 18), 0);
  CHECK_INT(probe("", 0), 0);
  CHECK_INT(probe("model: x\nphase: inference\n", 26), 0);
}

static void test_columns(void)
{
  expect("\nTime,Total Time,Instances,Avg\n1,2,3,4\n",
         "fail 4: the kernel summary has no column Name | input:2:1 | \nstatus -3\n");
  expect("Name,Instances,Avg\n", "fail 4: the kernel summary has no column Total Time | input:1:1 "
                                 "| \nstatus -3\n");
  expect("Name,Total Time,Calls\n", "fail 4: the kernel summary has no column Instances | "
                                    "input:1:1 | \nstatus -3\n");
  expect("Name,Total Time (MB),Total Time,Instances\nk,7,5,1\n", "kernel=k total_ns=5 count=1\n");
  expect("Name,Total Time,Instances,Avg,Average\n",
         "fail 5: the kernel summary has two columns Avg | input:1:31 | \nstatus -3\n");
  CHECK_INT(probe("Name,Instances,Avg\n", 19), 35);
}

static void test_rows(void)
{
  expect(STATS ROW_A "1,2,3\n",
         "fail 6: a row has 3 cells, and the header 9 | input:3:5 | \nstatus -3\n");
  expect("Name,Total Time,Instances\nf<a,b>,1,2\n",
         "fail 6: a row has 4 cells, and the header 3 | input:2:10 | \nstatus -3\n");
  expect("Name,Total Time,Instances\na,1,2\n\"b,1,2\n",
         "fail 8: a quote is not closed | input:3:1 | \nstatus -3\n");
  expect("Name,Total Time,Instances\n\"a\"b,1,2\n",
         "fail 8: text follows a closing quote | input:2:4 | \nstatus -3\n");
  expect("Name,Total Time,Instances\n\"a\n\"\"b\"\"\",1,2\n,3,4\n",
         "kernel=a\n\"b\" total_ns=1 count=2\nkernel= total_ns=3 count=4\n");
}

/* One cell of a column of times, of counts, of percentages. */
static void expect_cell(const char *column, const char *cell, const char *wanted)
{
  g_autofree char *text = g_strdup_printf("Name,Total Time,Instances,%s\nk,7,1,%s\n", column, cell);
  g_autofree char *got = produced_by(text, strlen(text), (Cut){ 0, 0 }, NULL, 0);
  g_autofree char *row = g_strdup_printf("kernel=k total_ns=7 count=1%s\n", wanted);
  if (!CHECK_STR(got, row)) CHECK_ROW(cell);
}

static void test_times(void)
{
  static const char *const rows[][2] = {
    { "5", " max_ns=5" },
    { "5 ns", " max_ns=5" },
    { "5ns", " max_ns=5" },
    { "1.5 us", " max_ns=1500" },
    { "1.5 \xce\xbcs", " max_ns=1500" },
    { "1.5\xc2\xb5s", " max_ns=1500" },
    { "2.000001 ms", " max_ns=2000001" },
    { "102.664 s", " max_ns=102664000000" },
    { "1 MS", " max_ns=1000000" },
    { "\"1,234\"", " max_ns=1234" },
    { "\"12,345,678.5 us\"", " max_ns=12345678500" },
    { "1.5e6", " max_ns=1500000" },
    { "1.5e3 us", " max_ns=1500000" },
    { "1E2", " max_ns=100" },
    { "-", "" },
    { " - ", "" },
    { "", "" },
    { "7\xc2\xa0ms", " max_ns=7000000" },
    { "7\xe2\x80\xafms", " max_ns=7000000" },
    { "9223372036854775807", " max_ns=9223372036854775807" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) expect_cell("Max", rows[i][0], rows[i][1]);
  expect_cell("Max (ms)", "2", " max_ns=2000000");
  expect_cell("Max (ms)", "2 us", " max_ns=2000");
  expect_cell("Max (\xc2\xb5s)", "2", " max_ns=2000");
  expect_cell("Med (us)", "0.1234567", " med_ns=123.4567");
  expect_cell("Med", "\"1,234.25 ns\"", " med_ns=1234.25");
  expect_cell("Med", "239.809 ms", " med_ns=239809000.0");
}

static void test_percents(void)
{
  expect_cell("Time", "48.30%", " pct=48.3");
  expect_cell("Time (%)", "48.3", " pct=48.3");
  expect_cell("Time%", "1e1 %", " pct=10.0");
  expect_cell("Time", "-", "");
}

static void test_rounding(void)
{
  expect("Name,Total Time,Instances,Min\nk,2.5,1,3.5\nl,0.0025 us,1,1\n",
         "note 22\nnote 22\nkernel=k total_ns=2 count=1 min_ns=4\nkernel=l total_ns=2 count=1 "
         "min_ns=1\n");
}

/* "Max is not a time: ..." with the reason behind it. */
static void expect_bad(const char *column, const char *cell, const char *wanted)
{
  g_autofree char *text =
      g_strdup_printf("Name,Total Time,Instances,%s\nk,1,1,1\nk,1,1,%s\n", column, cell);
  g_autofree char *got = produced_by(text, strlen(text), (Cut){ 0, 0 }, NULL, 0);
  g_autofree char *line = g_strdup_printf("fail 7: %s\nstatus -3\n", wanted);
  if (!CHECK_STR(got, line)) CHECK_ROW(cell);
}

static void test_bad_cells(void)
{
  static const char *const times[] = { "abc", "1 min", "1.2.3", "nan", "inf", "NaN ms",
                                       "1 2", "0x10",  "ms",    "1e",  "5%",  "1ms2" };
  for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
    g_autofree char *wanted = g_strdup_printf(
        "Max is not a time: \"%s\" | input:3:7 | it cannot be read as one", times[i]);
    expect_bad("Max", times[i], wanted);
  }
  expect_bad("Avg", "\"1,5 ms\"",
             "Avg is not a time: \"1,5 ms\" | input:3:7 | it cannot be read as one");
  expect_bad("Min", "\"1,2345\"",
             "Min is not a time: \"1,2345\" | input:3:7 | it cannot be read as one");
  expect_bad("Min", "\"1234,567\"",
             "Min is not a time: \"1234,567\" | input:3:7 | it cannot be read as one");
  expect_bad("Min", "\"1,234.5,6\"",
             "Min is not a time: \"1,234.5,6\" | input:3:7 | it cannot be read as one");
  expect_bad("Max", "-5 ns", "Max is not a time: \"-5 ns\" | input:3:7 | it is below zero");
  expect_bad("StdDev", "-0.5", "StdDev is not a time: \"-0.5\" | input:3:7 | it is below zero");
  expect_bad("Max", "9223372037 s",
             "Max is not a time: \"9223372037 s\" | input:3:7 | it is beyond 292 years");
  expect_bad("Time", "x%",
             "Time is not a percentage: \"x%\" | input:3:7 | it cannot be read as one");
  expect(
      "Name,Total Time,Instances\nk,-,1\n",
      "fail 7: Total Time is not a time: \"-\" | input:2:3 | a number must be here\nstatus -3\n");
  expect("Name,Total Time,Instances\nk,1,\n",
         "fail 7: Instances is not a whole number: \"\" | input:2:5 | a number must be here\n"
         "status -3\n");
  expect("Name,Total Time,Instances\nk,1,1.5\n",
         "fail 7: Instances is not a whole number: \"1.5\" | input:2:5 | it cannot be read as one\n"
         "status -3\n");
  expect(
      "Name,Total Time,Instances\nk,1,2 ns\n",
      "fail 7: Instances is not a whole number: \"2 ns\" | input:2:5 | it cannot be read as one\n"
      "status -3\n");
  expect("Name,Total Time,Instances\n\"two\nlines\",1,\"1,200\"\nk,1,x\n",
         "fail 7: Instances is not a whole number: \"x\" | input:4:5 | it cannot be read as one\n"
         "status -3\n");
}

static void test_long_cell(void)
{
  char cell[101];
  memset(cell, 'x', 100);
  cell[100] = '\0';
  g_autofree char *wanted = g_strdup_printf(
      "Max is not a time: \"%.60s...\" | input:3:7 | it cannot be read as one", cell);
  expect_bad("Max", cell, wanted);
}

/* ------------------------------------------------------------- encodings */
#define MU_TABLE "Time;Total Time;Instances;Name\r\n1.5%;2 \xce\xbcs;1;k\xc3\xa9rnel\r\n"
#define TOLD_MU "kernel=k\xc3\xa9rnel total_ns=2000 count=1 pct=1.5\n"

static void expect_encoded(const char *text, const char *charset, const char *mark,
                           const char *wanted)
{
  gsize len;
  g_autofree char *bytes = g_convert(text, -1, charset, "UTF-8", NULL, &len, NULL);
  GString *all = g_string_new(mark);
  if (!CHECK(bytes != NULL)) return;
  g_string_append_len(all, bytes, (gssize)len);
  expect_bytes(all->str, all->len, wanted);
  CHECK_INT(probe(all->str, all->len), 95);
  g_string_free(all, TRUE);
}

static void test_encodings(void)
{
  expect_encoded(MU_TABLE, "UTF-8", "", TOLD_MU);
  expect_encoded(MU_TABLE, "UTF-8", "\xef\xbb\xbf", TOLD_MU);
  expect_encoded(MU_TABLE, "UTF-16LE", "\xff\xfe", TOLD_MU);
  expect_encoded(MU_TABLE, "UTF-16BE", "\xfe\xff", TOLD_MU);
  expect_encoded(MU_TABLE, "UTF-16LE", "", TOLD_MU);
  expect_encoded(MU_TABLE, "UTF-16BE", "", TOLD_MU);
  expect_encoded("Total Time,Instances,Name\n2 \xc2\xb5s,1,k\xc3\xa9rnel\n", "ISO-8859-1", "",
                 "note 24\nkernel=k\xc3\xa9rnel total_ns=2000 count=1\n");
  expect("Total Time,Instances,Name\n2 \xce\xbcs,1,k\xff\n",
         "note 23\nkernel=k\xef\xbf\xbd total_ns=2000 count=1\n");
}

/* 3.6 us in two calls of 1.5 us, an average below the minimum, and a minimum above the maximum; 3.02 us is rounding. */
static void test_disagreement(void)
{
  expect("Total Time,Instances,Avg,Name\n3.6 us,2,1.5 us,k\n",
         "note 25 kernel=k\nkernel=k total_ns=3600 count=2 avg_ns=1500.0\n");
  expect("Total Time,Instances,Avg,Name\n3.02 us,2,1.5 us,k\n",
         "kernel=k total_ns=3020 count=2 avg_ns=1500.0\n");
  expect("Total Time,Instances,Min,Max,Name\n3 us,2,1.6 us,2 us,k\n",
         "note 25 kernel=k\nkernel=k total_ns=3000 count=2 min_ns=1600 max_ns=2000\n");
  expect("Total Time,Instances,Min,Max,Name\n3 us,2,1.5 us,1 us,k\n",
         "note 25 kernel=k\nkernel=k total_ns=3000 count=2 min_ns=1500 max_ns=1000\n");
}

/* 3 of 4 us are 75 %; of all rows twice they are 37.5 %.  Of a part of a table they may be more than it says. */
static void test_shares(void)
{
#define TWO_ROWS "75.0%,3 us,2,a\n25.0%,1 us,1,b\n"
#define TWO_RECORDS \
  "kernel=a total_ns=3000 count=2 pct=75.0\nkernel=b total_ns=1000 count=1 pct=25.0\n"
  expect("Time,Total Time,Instances,Name\n" TWO_ROWS, TWO_RECORDS);
  expect("Time,Total Time,Instances,Name\n" TWO_ROWS TWO_ROWS,
         "note 26 share=37.5 said=75.0\n" TWO_RECORDS TWO_RECORDS);
  expect("Time,Total Time,Instances,Name\n25.0%,1 us,1,b\n",
         "kernel=b total_ns=1000 count=1 pct=25.0\n");
}

/* ------------------------------------------------------------ projection */
static void test_wanted(void)
{
  static const MillRead reads[] = { { "kernel", MILL_AS_TEXT, 0 },
                                    { "total_ns", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
                                    { "count", MILL_AS_INT, MILL_KIND(MILL_SLICE) } };
  g_autofree char *got =
      produced_by(STATS ROW_A, strlen(STATS ROW_A), (Cut){ 0, 0 }, reads, MILL_COUNT(reads));
  CHECK_STR(got, "kernel=f<int, 2>(T*) total_ns=3000\n");
  g_autofree char *none = produced_by(STATS ROW_A, strlen(STATS ROW_A), (Cut){ 0, 0 }, reads, 0);
  CHECK_STR(none, "kernel.row 0\n");
}

/* Many long names: batches end at their share of bytes, and no row is lost. */
static void test_many(void)
{
  GString *text = g_string_new(STATS);
  for (int i = 0; i < 3000; i++) g_string_append_printf(text, "1,%d,1,1,1,1,1,0,%0300d\n", i, i);
  const FakeFile file = { "runs/t.csv", text->str, text->len };
  KernelRows r;
  kernel_rows_init(&r, "runs/t.csv", &file);
  CHECK_INT(fake_files_run(&r.files, true), 0);
  CHECK_INT(r.files.n_events, 3000);
  kernel_rows_clear(&r);
  g_string_free(text, TRUE);
}

TEST_MAIN({ "table of the window", test_window }, { "tables of nsys stats", test_stats },
          { "output with preamble", test_output }, { "other tables", test_other_tables },
          { "no table", test_no_table }, { "columns", test_columns }, { "rows", test_rows },
          { "times", test_times }, { "percents", test_percents }, { "rounding", test_rounding },
          { "bad cells", test_bad_cells }, { "long bad cell", test_long_cell },
          { "encodings", test_encodings }, { "rows that disagree", test_disagreement },
          { "shares", test_shares }, { "only what is wanted", test_wanted },
          { "many rows", test_many })
