/* The nsys-sqlite source: events of each table in order of time, processes as lanes, and what databases may lack. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <stagemill/harness.h>

#define STRINGS                                                                                   \
  "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"                         \
  "INSERT INTO StringIds VALUES (1, 'gemm<int>(a)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000')," \
  "(4, 'cuMemcpyDtoHAsync_v2_ptsz'), (5, 'poll'), (6, 'aten::add, op_id = 7'), (7, 'main');"
#define KERNELS                                                                                   \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, "    \
  "streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT, gridX INT, " \
  "gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, registersPerThread INT, "            \
  "staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT);"
#define KERNEL(from, to, device, pid)                                                            \
  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" #from "," #to "," #device ", 1, 7, 9, " #pid \
  " << 24, 1, 2, 8, 2, 1, 128, 1, 1, 32, 1000, 24, NULL);"
#define RUNTIME                                                                                   \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, " \
  "correlationId INT, nameId INT, returnValue INT);"
#define CALL(from, to, pid, name)                                                \
  "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" #from "," #to ", 0, (" #pid \
  " << 24) + 3, 9," #name ", 0);"
#define RANGES                                                                                     \
  "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid " \
  "INT, "                                                                                          \
  "domainId INT, int64Value INT);"
#define FEW "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, shortName INT);"

static char *folder, *made;

static const char *database(const char *name, const char *sql)
{
  if (!folder) folder = g_dir_make_tmp("nsys-XXXXXX", NULL);
  char *why = NULL;
  sqlite3 *db = NULL;
  g_free(made);
  made = g_build_filename(folder, name, NULL);
  g_unlink(made);
  expect_true(sqlite3_open(made, &db) == SQLITE_OK);
  expect_true(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK);
  if (why) g_printerr("%s\n", why);
  sqlite3_close(db);
  return made;
}

/* Kernels are stored in another order; of equal times the longest comes first. */
static void work_and_calls(void)
{
  given_file(database("r.sqlite", STRINGS KERNELS RUNTIME KERNEL(30, 40, 1, 5) KERNEL(10, 20, 1, 5)
                                      CALL(5, 8, 5, 3) CALL(10, 25, 5, 4)));
  expect("X cudaLaunchKernel 5 3 cat=cuda_runtime p=5 t=3 {correlation=9, return value=0}",
         "X cuMemcpyDtoHAsync_v2 10 15 cat=cuda_driver p=5 t=3 {correlation=9, return value=0}",
         "X gemm<int>(a) 10 10 cat=kernel p=1 t=7 {device=1, stream=7, correlation=9, context=1, "
         "grid=[8,2,1], block=[128,1,1], registers per thread=32, shared memory=1024, short "
         "name=gemm}",
         "X gemm<int>(a) 30 10 cat=kernel p=1 t=7 {device=1, stream=7, correlation=9, context=1, "
         "grid=[8,2,1], block=[128,1,1], registers per thread=32, shared memory=1024, short "
         "name=gemm}");
  expect_described(0, "dialect=nsys fact=device-work fact=launches");
}

/* 4096 bytes in 2048 ns are 2 GB/s. */
static void copies_and_fills(void)
{
  given_file(database("r.sqlite",
                      STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, "
                              "deviceId INT, streamId INT, correlationId INT, bytes INT, copyKind "
                              "INT, srcKind INT, dstKind INT);INSERT INTO "
                              "CUPTI_ACTIVITY_KIND_MEMCPY VALUES (100, 2148, 0, 7, 3, 4096, 1, 0, "
                              "2), (3000, 3000, 0, 7, 4, 8, 8, 2, 2);CREATE TABLE "
                              "CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, "
                              "streamId INT, bytes INT);INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET "
                              "VALUES (50, 60, 0, 7, 10);"));
  expect("X Memset 50 10 cat=gpu_memset p=0 t=7 {device=0, stream=7, bytes=10, memory bandwidth "
         "(GB/s)=1.0}",
         "X \"Memcpy HtoD (Pageable -> Device)\" 100 2048 cat=gpu_memcpy p=0 t=7 {device=0, "
         "stream=7, correlation=3, bytes=4096, memory bandwidth (GB/s)=2.0}",
         "X \"Memcpy DtoD (Device -> Device)\" 3000 0 cat=gpu_memcpy p=0 t=7 {device=0, stream=7, "
         "correlation=4, bytes=8}");
}

/* A range without an end lasts until 90, the end of its thread; marks have no duration. */
static void ranges(void)
{
  given_file(database(
      "r.sqlite",
      STRINGS RANGES RUNTIME CALL(
          80, 90, 5,
          3) "INSERT INTO NVTX_EVENTS VALUES (10, NULL, 60, 'open', NULL, (5 << 24) + 3, 0, NULL),"
             "(20, 30, 59, 'aten::mul, seq = 5, sizes = [[2, 3], []]', NULL, (5 << 24) + 3, 0, "
             "NULL),"
             "(21, 29, 59, NULL, 6, (5 << 24) + 3, 0, NULL), (22, NULL, 34, 'here', NULL, (5 << "
             "24) + 3, 2, 41),"
             "(40, 50, 59, 'step 12', NULL, (5 << 24) + 3, 0, NULL), (41, NULL, 33, 'category', "
             "NULL, 0, 0, NULL);"));
  expect("X open 10 80 cat=user_annotation p=5 t=3 {domain=0}",
         "X aten::mul 20 10 cat=cpu_op p=5 t=3 {domain=0, annotation=\"aten::mul, seq = 5, sizes = "
         "[[2, 3], []]\", Input Dims=[[2, 3], []]}",
         "X aten::add 21 8 cat=cpu_op p=5 t=3 {domain=0, annotation=\"aten::add, op_id = 7\"}",
         "i here 22 cat=user_annotation p=5 t=3 {domain=2, payload=41}",
         "X ProfilerStep#12 40 10 cat=user_annotation p=5 t=3 {domain=0, annotation=\"step 12\"}",
         "X cudaLaunchKernel 80 10 cat=cuda_runtime p=5 t=3 {correlation=9, return value=0}");
  expect_described(0, "dialect=nsys fact=annotations fact=operators");
}

/* The process of device 0 is rank 0, whatever its pid; a row of nobody is the first one's. */
static void processes(void)
{
  given_file(database(
      "r.sqlite",
      STRINGS KERNELS KERNEL(30, 40, 1, 5) KERNEL(
          10, 20, 0,
          6) "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = NULL, registersPerThread = NULL, "
             "staticSharedMemory = NULL, shortName = NULL;"
             "CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);"
             "INSERT INTO OSRT_API VALUES (1, 2, (7 << 24) + 1, 5);"));
  expect("X poll 1 1 cat=osrt p=7 t=1",
         "X gemm<int>(a) 10 10 cat=kernel p=0 t=7 {device=0, stream=7, correlation=9, context=1, "
         "block=[128,1,1]}");
  expect_lane(
      1, "X gemm<int>(a) 30 10 cat=kernel p=1 t=7 {device=1, stream=7, correlation=9, context=1, "
         "block=[128,1,1]}");
  expect_described(0, "rank=0");
  expect_described(1, "rank=1");
}

static void few_columns(void)
{
  given_file(database("r.sqlite", STRINGS FEW
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 7, 2), (1, 2, 99), (3, 1, "
                      "2), (4, NULL, 2), (9, 10, NULL);"));
  expect("X \"(string 99)\" 1 1 cat=kernel {short name=\"(string 99)\"}",
         "X gemm 5 2 cat=kernel {short name=gemm}", "X \"(no name)\" 9 1 cat=kernel");
  expect_notice(24, 2);
  expect_notice(25, 2);
}

static void other_tables(void)
{
  given_file(
      database("r.sqlite", STRINGS
               "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, streamId "
               "INT, globalPid INT, syncType INT);"
               "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 5, 7, 5 << 24, 3), (2, "
               "5, 7, 5 << 24, 4);"
               "CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INT, name TEXT, label TEXT);"
               "INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES (3, 'STREAM', 'Stream sync');"
               "CREATE TABLE MPI_COLLECTIVES_EVENTS (start INT, end INT, globalTid INT, textId "
               "INT, size INT);"
               "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (3, 4, (5 << 24) + 2, 7, 64);"
               "CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
               "INSERT INTO GPU_METRICS VALUES (8, 257, 2, 33), (9, 257, 3, 34);"
               "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);"
               "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (257, 2, 'SMs Active');"
               "CREATE TABLE ThreadNames (nameId INT, globalTid INT);"
               "INSERT INTO ThreadNames VALUES (7, (5 << 24) + 2);"
               "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
               "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '4.1.0');"));
  expect("M thread_name - p=5 t=2 {name=main}",
         "X \"Stream sync\" 1 4 cat=cuda_sync p=5 t=\"synchronization 7\" {stream=7}",
         "X \"synchronization 4\" 2 3 cat=cuda_sync p=5 t=\"synchronization 7\" {stream=7}",
         "X main 3 1 cat=mpi p=5 t=2 {bytes=64}",
         "C \"SMs Active\" 8 cat=gpu_metrics p=\"GPU metrics\" t=1 {value=33}",
         "C \"metric 3\" 9 cat=gpu_metrics p=\"GPU metrics\" t=1 {value=34}");
  expect_notice(27, 1);
}

/* The environment of the one process that was started, and when the session began. */
static void rank_and_start(void)
{
  given_file(database(
      "r.sqlite", STRINGS FEW
      "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
      "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_PROCID=4'), "
      "('PROCESS_0:ENVIRONMENT_VARIABLE', 'RANK=3'), ('PROCESS_0:ENVIRONMENT_VARIABLE', "
      "'WORLD_SIZE=8');"
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT);"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000001);"));
  expect_nothing(0);
  expect_described(0, "rank=3 base=1700000000000000001ns");
}

/* What was unpacked leaves nothing behind. */
static void compressed(void)
{
  const char *path =
      database("r.sqlite", STRINGS FEW "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 7, 2);");
  g_autofree char *packed = g_strconcat(path, ".gz", NULL);
  char *argv[] = { (char *)"gzip", (char *)"-kf", (char *)path, NULL };
  expect_true(
      g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
  given_file(packed);
  expect("X gemm 5 2 cat=kernel {short name=gemm}");
  g_autoptr(GDir) all = g_dir_open(g_get_tmp_dir(), 0, NULL);
  for (const char *name; (name = g_dir_read_name(all));)
    expect_true(!g_str_has_prefix(name, "stagemill-nsys-"));
}

static void remove_folder(void)
{
  static const char *const names[] = { "r.sqlite", "r.sqlite.gz" };
  for (size_t i = 0; folder && i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename(folder, names[i], NULL);
    g_unlink(path);
  }
  if (folder) g_rmdir(folder);
  expect_true(true);
}

HARNESS_MAIN({ "work and calls", work_and_calls }, { "copies and fills", copies_and_fills },
             { "ranges", ranges }, { "processes", processes }, { "few columns", few_columns },
             { "other tables", other_tables }, { "rank and start", rank_and_start },
             { "compressed", compressed }, { "at the end", remove_folder })
