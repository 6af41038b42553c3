/* The probe-log source: logs in older and newer words, registers beside them, and the memory of a program. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/harness.h>

#define NEWER                                                                            \
  "[init] pid 42\n[init] success\n[benchmark] ENABLED L2 Flush Size 33554432\n"          \
  "[exec] funcmap-not-find 0x10\n[probe] find 0x10 name _Z1k\xff\x01 bin 0x2 size 100\n" \
  "[probe] rename _Z1k\xff\x01 0_ab\n[probe] python succeed\n"                           \
  "[probe] finish 0x10 name _Z1k\xff\x01 n_param 3\n"
#define LAUNCH                                                                                  \
  "[exec] funcmap-find 0x10 success\n[exec] 1700000000000000001 param 7f00 4 \n"                \
  "[exec] grid 8 1 1 block 64 1 1 shared 0\n[count] size: 320\n"                                \
  "[exec] grid 8 warp  2 probe 0 total 4096\n[exec] probe-mem 4096 (bytes)\n[exec] succeed 0\n" \
  "[exec] save trace/result/0.500000.bin size 4096\n"                                           \
  "[exec] prologue 0.500000 kernel 2.000000 epilogue 0.250000 ratio 1.375000\n"
#define BENCHMARK                                                                             \
  "[benchmark] prologue 0.500000 kernel 3.000000 epilogue 0.250000 original 2.000000 impact " \
  "1.500000 0\n"

static void a_log(void)
{
  given_bytes(NEWER LAUNCH BENCHMARK "[exec] funcmap-find 0x10 success\n[exec] failed 700\n"
                                     "not [exec] funcmap-find 0x10 success\n");
  expect(
      "- probe.exec - p=- t=- {kernel=\"_Z1k\xef\xbf\xbd\x01\", folder=\"0_ab\", result=succeed, "
      "launch=\"0.500000\", time_ns=1700000000000000001, memory=4096, capacity=320, "
      "prologue_ms=0.5, kernel_ms=3.0, epilogue_ms=0.25, original_ms=2.0, impact=1.5, benchmark=1}",
      "- probe.exec - p=- t=- {kernel=\"_Z1k\xef\xbf\xbd\x01\", folder=\"0_ab\", result=failed}",
      "- probe.kernel - p=- t=- {kernel=\"_Z1k\xef\xbf\xbd\x01\", folder=\"0_ab\", state=probed, "
      "launches=2, params=3}");
  expect_notice(20, 1);
  expect_probe(NEWER, "x", 85);
  expect_probe("x", "a/event.log", 60);
  expect_probe("x", "x", 0);
}

/* Older words; why launches ran without the probe. */
static void without_the_probe(void)
{
  given_bytes(
      "[pid] 42\n[exec] funcmap-not-find 0x1\n[jit] can't-find 0x1\n[exec] funcmap-find 0x1 fail\n"
      "[exec] backup 1 1 1 block 1 1 1 shared 0\n[jit] find 0x2 name two words bin 0x3 size 1\n"
      "[jit] python failed\n[exec] funcmap-find 0x2 fail\n[exec] backup 1 1 1 block 1 1 1 shared "
      "0\n"
      "[exec] funcmap-find 0x3 fail\n[exec] backup 1 1 1 block 1 1 1 shared 0\n"
      "[jit] finish 0x4 name d n_param 1\n[exec] funcmap-find 0x4 success\n"
      "[exec] probe-mem 64 (bytes)\n[exec] backup 1 1 1 block 1 1 1 shared 0\n");
  expect("- probe.exec - p=- t=- {result=backup, why=\"cannot find\"}",
         "- probe.exec - p=- t=- {kernel=\"two words\", result=backup, why=\"python failed\"}",
         "- probe.exec - p=- t=- {result=backup, why=filter}",
         "- probe.exec - p=- t=- {kernel=d, result=backup, why=\"memory only\", memory=64}",
         "- probe.kernel - p=- t=- {state=\"cannot find\", launches=1}",
         "- probe.kernel - p=- t=- {kernel=\"two words\", state=\"python failed\", launches=1}",
         "- probe.kernel - p=- t=- {state=\"not said\", launches=1}",
         "- probe.kernel - p=- t=- {kernel=d, state=probed, launches=1, params=1}");
}

static void write_file(const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *above = g_path_get_dirname(path);
  g_mkdir_with_parents(above, 0700);
  g_file_set_contents(path, text, -1, NULL);
}

/* Probed, pruned, counted; spills are those of the probed one. */
static void registers(void)
{
  g_autofree char *folder = g_dir_make_tmp("probe-log-XXXXXX", NULL);
  g_autofree char *log = g_build_filename(folder, "event.log", NULL);
  write_file(folder, "event.log", NEWER);
  write_file(folder, "kernel/0_ab/process.log",
             "ptxas -arch=sm_90 -v k/probed.ptx -o k/probed.bin\n"
             "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
             "ptxas info    : Used 44 registers, used 1 barriers, 400 bytes cmem[0]\n"
             "ptxas -arch=sm_90 -v k/pruned.ptx -o k/pruned.bin\n"
             "    8 bytes stack frame, 100 bytes spill stores, 100 bytes spill loads\n"
             "ptxas info    : Used 40 registers, 400 bytes cmem[0]\n"
             "ptxas -arch=sm_90 -v k/countd.ptx -o k/countd.bin\n"
             "ptxas info    : Used 60 registers, 400 bytes cmem[0]\n");
  given_file(log);
  expect(
      "- probe.exec - p=- t=- {kernel=\"_Z1k\xef\xbf\xbd\x01\", folder=\"0_ab\", result=crashed}",
      "- probe.kernel - p=- t=- {kernel=\"_Z1k\xef\xbf\xbd\x01\", folder=\"0_ab\", state=probed, "
      "launches=1, params=3, registers=40, probed_registers=44, spill=28}");
  expect_notice(20, 0);
}

/* The first line counts, and its last word. */
static void output(void)
{
  given_lane("name=stdout.log");
  given_bytes("loading\nmax memory: about 123\nmax memory: 456\n");
  expect_attr(0, "max_memory", "123");
  harness_clear();
  given_lane("name=stdout.log");
  given_bytes("max memory: many\nmax memory: 456\n");
  expect_attr(0, "max_memory", NULL);
  expect_notice(21, 1);
}

static void no_log(void)
{
  given_lane("name=event.log");
  given_bytes("hello\nworld\n");
  expect_status(MILL_BAD_INPUT);
  expect_notice(1, 1);
}

static void a_long_line(void)
{
  g_autofree char *words = g_strnfill(100000, 'x');
  g_autofree char *text =
      g_strconcat("[init] pid 1\n", words, "\n[exec] funcmap-find 0x10 success\n", NULL);
  given_bytes(text);
  expect("- probe.exec - p=- t=- {result=crashed}",
         "- probe.kernel - p=- t=- {state=\"not said\", launches=1}");
  expect_notice(22, 1);
  /* One that is as long as what is read at once. */
  g_autofree char *first = g_strconcat("[init] ", words, NULL);
  harness_clear();
  given_bytes(first);
  expect_notice(22, 1);
}

#define PARAM "[exec] 17 param 7f00 \n[exec] grid 8 1 1 block 64 1 1 shared 0\n"
#define BACKUP "[exec] backup 8 1 1 block 64 1 1 shared 0\n"

/* Each way through a launch once.  First launches are launches, also of kernels that cannot be probed; what failed and
 * ran again has failed; of two sizes of its memory the larger counts; what says nothing more has crashed. */
static void ways_of_launches(void)
{
  given_bytes("[init] pid 1\n"
              "[exec] funcmap-not-find 0x1\n[probe] find 0x1 name a bin 0x9 size 1\n"
              "[probe] finish 0x1 name a n_param 1\n[exec] funcmap-find 0x1 success\n" PARAM
              "[exec] probe-mem 64 (bytes)\n[exec] succeed 0\n"
              "[exec] funcmap-not-find 0x2\n[probe] can't-find 0x2\n" PARAM BACKUP
              "[exec] funcmap-not-find 0x3\n[probe] find 0x3 name c bin 0x9 size 1\n"
              "[probe] python failed\n" PARAM BACKUP "[exec] funcmap-find 0x1 success\n" PARAM
              "[exec] probe-mem 4096 (bytes)\n"
              "[exec] probe-mem 64 (bytes)\n[exec] failed 700\n" BACKUP
              "[exec] funcmap-find 0x1 success\n" PARAM "[exec] probe-mem 128 (bytes)\n" BACKUP
              "[exec] funcmap-find 0x3 fail\n" PARAM BACKUP
              "[exec] funcmap-find 0x1 success\n" PARAM "[exec] probe-mem 32 (bytes)\n");
#define EXEC "- probe.exec - p=- t=- "
#define REST ", time_ns=17"
  expect(EXEC "{kernel=a, result=succeed" REST ", memory=64}",
         EXEC "{result=backup, why=\"cannot find\"" REST "}",
         EXEC "{kernel=c, result=backup, why=\"python failed\"" REST "}",
         EXEC "{kernel=a, result=failed" REST ", memory=4096}",
         EXEC "{kernel=a, result=backup, why=\"memory only\"" REST ", memory=128}",
         EXEC "{kernel=c, result=backup, why=\"python failed\"" REST "}",
         EXEC "{kernel=a, result=crashed" REST ", memory=32}",
         "- probe.kernel - p=- t=- {kernel=a, state=probed, launches=4, params=1}",
         "- probe.kernel - p=- t=- {state=\"cannot find\", launches=1}",
         "- probe.kernel - p=- t=- {kernel=c, state=\"python failed\", launches=2}");
}

/* Launches that no funcmap line opens, as where only memory is asked for. */
static void launches_without_a_name(void)
{
  given_bytes("[init] pid 1\n" PARAM "[exec] probe-mem 2095071060 (bytes)\n" BACKUP PARAM
              "[exec] probe-mem 5 (bytes)\n" BACKUP);
  expect(EXEC "{result=backup, why=\"memory only\"" REST ", memory=2095071060}",
         EXEC "{result=backup, why=\"memory only\"" REST ", memory=5}");
}

HARNESS_MAIN({ "a log", a_log }, { "ways of launches", ways_of_launches },
             { "launches without a name", launches_without_a_name },
             { "without the probe", without_the_probe }, { "registers", registers },
             { "output", output }, { "no log", no_log }, { "a long line", a_long_line })
