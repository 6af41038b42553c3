/* The rocprof-json source: records of every list, their names and rows, several processes, and what is cut or wrong. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <glib/gstdio.h>
#include <stagemill/harness.h>

#define TOOL(processes) "{\"rocprofiler-sdk-tool\": [" processes "]}"
#define METADATA "\"metadata\": {\"pid\": 77, \"init_time\": 1, \"fini_time\": 9}"
#define AGENTS                                                            \
  "\"agents\": [{\"id\": {\"handle\": 10}, \"type\": 1, \"node_id\": 0}," \
  "{\"id\": {\"handle\": 20}, \"type\": 2, \"node_id\": 4, \"logical_node_type_id\": 1}]"
#define STRINGS                                                                          \
  "\"strings\": {\"callback_records\": [], \"buffer_records\": ["                        \
  "{\"kind\": \"NONE\", \"operations\": []}, {\"kind\": \"HIP\", \"operations\": "       \
  "[\"hipInit\", \"hipLaunchKernel\"]}, {\"kind\": \"COPY\", \"operations\": [\"NONE\"," \
  "\"MEMORY_COPY_HOST_TO_DEVICE\"]}], \"marker_api\": [{\"key\": 5, \"value\": \"step 1\"}]}"
#define SYMBOLS                                                                \
  "\"kernel_symbols\": [{\"kernel_id\": 3, \"kernel_name\": \"_Z3addv.kd\", "  \
  "\"formatted_kernel_name\": \"add()\", \"truncated_kernel_name\": \"add\"}," \
  "{\"kernel_id\": 4, \"kernel_name\": \"plain\"}]"
#define NAMES METADATA ", " AGENTS ", " STRINGS ", " SYMBOLS
#define BUFFERS(lists) "\"buffer_records\": {" lists "}"
#define PROCESS(lists) \
  "{" NAMES ", \"callback_records\": {\"counter_collection\": [{}]}, " BUFFERS(lists) "}"
#define RECORD(kind, operation, from, to, rest)                                           \
  "{\"size\": 64, \"kind\": " #kind ", \"operation\": " #operation                        \
  ", \"correlation_id\": {\"internal\": 5, \"external\": 0}, \"start_timestamp\": " #from \
  ", \"end_timestamp\": " #to ", \"thread_id\": 8" rest "}"
#define DISPATCH(kernel, from, to, stream)                                                        \
  RECORD(3, 1, from, to,                                                                          \
         ", \"dispatch_info\": {\"agent_id\": {\"handle\": 20}, \"queue_id\": {\"handle\": 2},"   \
         "\"kernel_id\": " #kernel ", \"workgroup_size\": {\"x\": 64, \"y\": 2, \"z\": 1},"       \
         "\"grid_size\": {\"x\": 129, \"y\": 2, \"z\": 1}}, \"stream_id\": {\"handle\": " #stream \
         "}")
#define COPY(from, to) \
  RECORD(              \
      2, 1, from, to,  \
      ", \"src_agent_id\": {\"handle\": 10}, \"dst_agent_id\": {\"handle\": 20}, \"bytes\": 4096")
#define DISPATCHES(records) "\"kernel_dispatch\": [" records "]"

static char *folder;

static void reads_dispatches(void)
{
  given_bytes(TOOL(PROCESS(DISPATCHES(DISPATCH(3, 1000000000001, 1000000002001, 6) "," DISPATCH(
      4, 1000000003000, 1000000003000, 0)))));
  expect(
      "X add() 1000000000001 2us cat=kernel p=\"agent 4\" t=\"stream 6\" {correlation=5, stream=6, "
      "device=1, queue=2, grid=[3,1,1], block=[64,2,1]}",
      "X plain 1000000003000 0 cat=kernel p=\"agent 4\" t=\"queue 2\" {correlation=5, stream=2, "
      "device=1, queue=2, grid=[3,1,1], block=[64,2,1]}");
  expect_described(0, "dialect=rocprof fact=events");
  expect_notice(25, 1);
  expect_notice(21, 0);
}

/* 4096 bytes in 2048 ns are 2 GB/s.  Copies have no queue; the device is that of the agent that is none of the host's. */
static void reads_copies(void)
{
  given_bytes(TOOL(PROCESS("\"memory_copy\": [" COPY(1000, 3048) "," COPY(4000, 4000) "]")));
  expect("X MEMORY_COPY_HOST_TO_DEVICE 1000 2048 cat=gpu_memcpy p=\"agent 4\" t=\"stream 0\" "
         "{correlation=5, stream=0, device=1, bytes=4096, memory bandwidth (GB/s)=2.0}",
         "X MEMORY_COPY_HOST_TO_DEVICE 4000 0 cat=gpu_memcpy p=\"agent 4\" t=\"stream 0\" "
         "{correlation=5, stream=0, device=1, bytes=4096}");
}

static void reads_calls(void)
{
  given_bytes(TOOL(PROCESS("\"hip_api\": [" RECORD(1, 1, 10, 25, "") "], \"hsa_api\": [" RECORD(
      1, 0, 11, 12, "") "], \"rccl_api\": [" RECORD(1, 1, 20, 30,
                                                    "") "], \"marker_api\": [" RECORD(1, 0, 5, 50,
                                                                                      "") "]")));
  expect("X hipLaunchKernel 10 15 cat=cuda_runtime p=77 t=8 {correlation=5}",
         "X hipInit 11 1 cat=cuda_driver p=77 t=8 {correlation=5}",
         "X hipLaunchKernel 20 10 cat=user_annotation p=77 t=8 {correlation=5}",
         "X \"step 1\" 5 45 cat=user_annotation p=77 t=8 {correlation=5}");
}

static void each_process_is_a_lane(void)
{
  given_bytes(TOOL(PROCESS(DISPATCHES(DISPATCH(3, 10, 20, 1))) ", {}, " PROCESS(
      DISPATCHES(DISPATCH(4, 30, 40, 1)))));
  expect(
      "X add() 10 10 cat=kernel p=\"agent 4\" t=\"stream 1\" {correlation=5, stream=1, device=1, "
      "queue=2, grid=[3,1,1], block=[64,2,1]}");
  expect_nothing(1);
  expect_lane(
      2,
      "X plain 30 10 cat=kernel p=\"agent 4\" t=\"stream 1\" {correlation=5, stream=1, device=1, "
      "queue=2, grid=[3,1,1], block=[64,2,1]}");
  expect_described(0, "tag.process=0");
  expect_described(2, "tag.process=2");
}

/* The file is read twice, for every process that is in it; further members stand around them. */
static void names_may_stand_last(void)
{
#define LAST(name, rest)                                                                           \
  "{" BUFFERS(DISPATCHES(DISPATCH(                                                                 \
      3, 10, 20, 1))) ", \"other\": [[1], {\"a\": []}], " METADATA ", "                            \
                      "\"kernel_symbols\": [{\"kernel_id\": 3, \"truncated_kernel_name\": \"" name \
                      "\"}]" rest "}"
  static const char text[] = "{\"first\": [1, {}], \"rocprofiler-sdk-tool\": [" LAST(
      "one", "") ", 7, " LAST("two", ", " AGENTS) "], \"rest\": {}}";
  if (!folder) folder = g_dir_make_tmp("rocprof-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "last.json", NULL);
  g_file_set_contents(path, text, -1, NULL);
  given_file(path);
  expect(
      "X one 10 10 cat=kernel p=\"agent 20\" t=\"stream 1\" {correlation=5, stream=1, device=20, "
      "queue=2, grid=[3,1,1], block=[64,2,1]}");
  expect_lane(
      1, "X two 10 10 cat=kernel p=\"agent 4\" t=\"stream 1\" {correlation=5, stream=1, device=1, "
         "queue=2, grid=[3,1,1], block=[64,2,1]}");
  expect_notice(23, 0);
}

static void without_names_numbers_are_names(void)
{
  given_bytes(TOOL("{" BUFFERS(DISPATCHES(DISPATCH(3, 10, 20, 1)) ", \"hip_api\": [" RECORD(
      9, 1, 1, 2, "") "," RECORD(1, "x", 1, 2, "") "]") "}"));
  expect("X \"kernel 3\" 10 10 cat=kernel p=\"agent 20\" t=\"stream 1\" {correlation=5, stream=1, "
         "device=20, queue=2, grid=[3,1,1], block=[64,2,1]}",
         "X \"operation 1\" 1 1 cat=cuda_runtime p=- t=8 {correlation=5}",
         "X operation 1 1 cat=cuda_runtime p=- t=8 {correlation=5}");
  expect_notice(23, 3);
}

static void what_has_no_times_is_left_out(void)
{
  given_bytes(TOOL(PROCESS(
      "\"hip_api\": [7, {}, " RECORD(1, 1, 0, 5, "") "," RECORD(1, 1, 1.5, 5, "") "," RECORD(
          1, 1, 5, 99999999999999999999, "") "," RECORD(1, 1, 7, 5, "") "]")));
  expect("X hipLaunchKernel 7 0 cat=cuda_runtime p=77 t=8 {correlation=5}");
  expect_notice(21, 5);
  expect_notice(22, 1);
}

/* Of a member that comes twice the last one counts. */
static void other_lists_are_counted(void)
{
  given_bytes(TOOL(
      PROCESS("\"memory_allocation\": [{}, {}], \"scratch_memory\": [], \"hip_api\": {},"
              "\"ompt\": [1], \"rccl_api\": [" RECORD(1, 1, 3, 5, ", \"end_timestamp\": 4") "]")));
  expect("X hipLaunchKernel 3 1 cat=user_annotation p=77 t=8 {correlation=5}");
  expect_notice(26, 2);
}

static void refused(unsigned number, const char *bytes)
{
  harness_clear();
  given_bytes(bytes);
  expect_status(MILL_BAD_INPUT);
  expect_notice(number, 1);
}

static void what_is_cut_or_wrong_is_refused(void)
{
  refused(1, "[]");
  refused(1, TOOL(PROCESS("\"hip_api\": [1 2]")));
  refused(1, TOOL(PROCESS("\"hip_api\": [{\"kind\": 01}]")));
  refused(1, TOOL("") "x");
  refused(1, "{\"rocprofiler-sdk-tool\": [],}");
  refused(2, "{\"rocprofiler-sdk-tool\": [");
  refused(2, "{\"rocprofiler-sdk-tool\": [{" NAMES
             ", \"buffer_records\": {\"hip_api\": [" RECORD(1, 1, 1, 2, ""));
  refused(4, "{}");
  refused(4, "{\"rocprofiler-sdk-tool\": {}}");
}

static void knows_its_documents(void)
{
  expect_probe("{\"rocprofiler-sdk-tool\": [", "x.json", 95);
  expect_probe("\xef\xbb\xbf\n { \"rocprofiler-sdk-tool\"", "x", 95);
  expect_probe("{\"a\": 1, \"rocprofiler-sdk-tool\"", "x", 90);
  expect_probe("[\"rocprofiler-sdk-tool\"]", "x", 0);
  expect_probe("{\"traceEvents\": []}", "1_results.json", 0);
  expect_probe("  ", "x", 0);
}

HARNESS_MAIN({ "reads dispatches", reads_dispatches }, { "reads copies", reads_copies },
             { "reads calls", reads_calls }, { "each process is a lane", each_process_is_a_lane },
             { "names may stand last", names_may_stand_last },
             { "without names numbers are names", without_names_numbers_are_names },
             { "what has no times is left out", what_has_no_times_is_left_out },
             { "other lists are counted", other_lists_are_counted },
             { "what is cut or wrong is refused", what_is_cut_or_wrong_is_refused },
             { "knows its documents", knows_its_documents })
