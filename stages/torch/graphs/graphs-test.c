/* Tests of torch/graphs: what is read of captures, and which launch each piece of a graph launch is. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

#include "kit/trace/tree-attrs.h"

#define CAPTURE(facts) "rank=- label=capture " facts
#define OP(name, ts, dur, id) "X " name " " ts " " dur " t=1 cat=cpu_op {External id=" id "}"
#define SHAPED(name, ts, dur, id, dims) \
  "X " name " " ts " " dur " t=1 cat=cpu_op {External id=" id ", Input Dims=\"" dims "\"}"
#define LAUNCH(kernel, ts, op, id)                                                              \
  "X cudaLaunchKernel " ts " 1us t=1 cat=cuda_runtime {kernel=" kernel ", External id=" op ", " \
  "correlation=" id "}"
#define GRAPH(ts, id) "X hipGraphLaunch " ts " 5us t=1 cat=cuda_runtime {correlation=" id "}"
#define WORK(name, ts, dur, id) "X " name " " ts " " dur " p=1 t=7 cat=kernel {correlation=" id "}"
#define WORK_ON(stream, name, ts, dur, id) \
  "X " name " " ts " " dur " p=1 t=" stream " cat=kernel {correlation=" id "}"

/* mm within linear, then add, and a copy that lies in no operator; a launch that ran is none of the capture. */
static void a_capture(const char *facts)
{
  given_lane(facts);
  given(OP("aten::warm", "0", "5us", "1"), LAUNCH("gemm", "1us", "1", "10"),
        WORK("gemm", "3us", "1us", "10"), OP("aten::linear", "10us", "20us", "2"),
        SHAPED("aten::mm", "12us", "10us", "3", "[[2,3],[3,4]]"), LAUNCH("gemm", "13us", "3", "11"),
        LAUNCH("splitK<1>", "15us", "3", "12"), OP("aten::add", "40us", "5us", "4"),
        LAUNCH("add", "41us", "4", "13"),
        "X cudaMemcpyAsync 50us 1us t=1 cat=cuda_runtime {correlation=14}",
        "X cudaStreamIsCapturing 52us 1us t=1 cat=cuda_runtime {correlation=15}");
}

static void told(uint32_t n, const char *replay, const char *position, const char *stack,
                 const char *calls)
{
  expect_attr(n, GRAPH_REPLAY, replay);
  expect_attr(n, GRAPH_POSITION, position);
  expect_attr(n, GRAPH_STACK, stack);
  expect_attr(n, GRAPH_CALLS, calls);
}

#define LINEAR "0:12:aten::linear0:8:0:0:0:0:"
#define MM "8:aten::mm0:22:13:[[2,3],[3,4]]0:0:0:"

/* Names agree by letters and digits; a copy is one whatever it is called. */
static void the_whole_sequence(void)
{
  given(GRAPH("0", "1"), WORK("gemm", "20us", "10us", "1"),
        WORK("\"splitK< 1 >\"", "30us", "10us", "1"), WORK("add", "40us", "10us", "1"),
        "X \"Memcpy DtoD (Device -> Device)\" 50us 10us p=1 t=7 cat=gpu_memcpy {correlation=1}",
        WORK("gemm", "70us", "10us", "2"));
  a_capture(CAPTURE("name=dir/c.json"));
  expect_table("graphs", "0 | 0 | c.json | 4 | 4 | 100");
  told(1, "0", "0", LINEAR MM, "2:-11:21:3");
  told(2, "0", "1", LINEAR MM, "2:-11:21:3");
  told(3, "0", "2", "0:9:aten::add0:8:0:0:0:0:", "2:-11:6");
  told(4, "0", "3", "0:", "2:-1");
  told(5, NULL, NULL, NULL, NULL);
  expect_metric("graph_matched", NULL, "100");
  expect_notice(3, 0);
}

static void capture_of_names(const char *facts, const char *const *names, uint32_t n)
{
  char line[160];
  given_lane(facts);
  for (uint32_t i = 0; i < n; i++) {
    snprintf(line, sizeof line,
             "X cuLaunchKernel %u 1 t=1 cat=cuda_driver {kernel=%s, correlation=%u}", 10 * i,
             names[i], i + 1);
    given(line);
  }
}

static void replay_of_names(uint32_t number, const char *const *names, uint32_t n)
{
  char line[160];
  snprintf(line, sizeof line, "X cudaGraphLaunch %u 1 t=1 cat=cuda_runtime {correlation=%u}",
           1000 * number, number + 1);
  given(line);
  for (uint32_t i = 0; i < n; i++) {
    snprintf(line, sizeof line, "X %s %u 10 p=1 t=7 cat=kernel {correlation=%u}", names[i],
             1000 * number + 10 * i + 100, number + 1);
    given(line);
  }
}

#define NAMES(...) \
  (const char *const[]){ __VA_ARGS__ }, MILL_COUNT(((const char *const[]){ __VA_ARGS__ }))

/* One more kernel than captured, one less, and none: 30 of 40 ns, 30 of 30, 0 of 10. */
static void what_is_not_in_the_capture(void)
{
  replay_of_names(0, NAMES("a", "b", "x", "c"));
  replay_of_names(1, NAMES("a", "c", "d"));
  replay_of_names(2, NAMES("y"));
  capture_of_names(CAPTURE("name=c.json"), NAMES("a", "b", "c", "d"));
  expect_table("graphs", "0 | 0 | c.json | 4 | 3 | 75", "0 | 1 | c.json | 3 | 3 | 100",
               "0 | 2 | | 1 | 0 | 0");
  expect_attr(2, GRAPH_POSITION, "1");
  expect_attr(3, GRAPH_POSITION, NULL);
  expect_attr(4, GRAPH_POSITION, "2");
  expect_attr(6, GRAPH_POSITION, "0");
  expect_attr(8, GRAPH_POSITION, "3");
  expect_metric("graph_matched", NULL, "75");
  expect_notice(3, 1);
}

/* Streams that run otherwise than they were captured: as a whole only x y z match, each stream by itself all. */
static void streams_by_themselves(void)
{
  given(GRAPH("0", "1"), WORK_ON("7", "x", "10us", "10us", "1"),
        WORK_ON("7", "y", "20us", "10us", "1"), WORK_ON("7", "z", "30us", "10us", "1"),
        WORK_ON("8", "a", "40us", "10us", "1"), WORK_ON("8", "b", "50us", "10us", "1"));
  capture_of_names(CAPTURE("name=c.json"), NAMES("a", "x", "b", "y", "z"));
  expect_table("graphs", "0 | 0 | c.json | 5 | 5 | 100");
  expect_attr(1, GRAPH_POSITION, "1");
  expect_attr(3, GRAPH_POSITION, "4");
  expect_attr(4, GRAPH_POSITION, "0");
  expect_attr(5, GRAPH_POSITION, "2");
}

/* Both streams have a kernel of one name: a launch is one piece's. */
static void launches_count_once(void)
{
  given(GRAPH("0", "1"), WORK_ON("7", "x", "10us", "10us", "1"),
        WORK_ON("7", "k", "20us", "10us", "1"), WORK_ON("8", "k", "30us", "10us", "1"),
        WORK_ON("8", "a", "40us", "10us", "1"));
  capture_of_names(CAPTURE("name=c.json"), NAMES("k", "a", "x", "k"));
  expect_table("graphs", "0 | 0 | c.json | 4 | 4 | 100");
  expect_attr(2, GRAPH_POSITION, "3");
  expect_attr(3, GRAPH_POSITION, "0");
}

/* The capture with most of it, even if another one came first. */
static void most_matched(void)
{
  replay_of_names(0, NAMES("a", "b", "c", "x"));
  capture_of_names(CAPTURE("name=one.json"), NAMES("a", "b"));
  capture_of_names(CAPTURE("name=two.json"), NAMES("a", "b", "c"));
  expect_table("graphs", "0 | 0 | two.json | 4 | 3 | 75");
  expect_attr(1, GRAPH_POSITION, "2");
}

/* Without ids of graphs, equal captures take turns in their order. */
static void equals_take_turns(void)
{
  replay_of_names(0, NAMES("a", "b"));
  replay_of_names(1, NAMES("a", "b"));
  replay_of_names(2, NAMES("c"));
  replay_of_names(3, NAMES("a", "b"));
  capture_of_names(CAPTURE("name=one.json"), NAMES("a", "b"));
  capture_of_names(CAPTURE("name=two.json"), NAMES("a", "b"));
  capture_of_names(CAPTURE("name=three.json"), NAMES("c"));
  expect_table("graphs", "0 | 0 | one.json | 2 | 2 | 100", "0 | 1 | two.json | 2 | 2 | 100",
               "0 | 2 | three.json | 1 | 1 | 100", "0 | 3 | one.json | 2 | 2 | 100");
}

#define OF_GRAPH(name, ts, id, graph) \
  "X " name " " ts " 10us p=1 t=7 cat=kernel {correlation=" id ", graph id=" graph "}"

/* Graph 5 became before graph 9, so that it has the first capture, in each of its launches. */
static void equals_by_their_graphs(void)
{
  given(GRAPH("0", "1"), OF_GRAPH("a", "10us", "1", "9"), GRAPH("20us", "2"),
        OF_GRAPH("a", "30us", "2", "5"), GRAPH("40us", "3"), OF_GRAPH("a", "50us", "3", "9"));
  capture_of_names(CAPTURE("name=one.json"), NAMES("a"));
  capture_of_names(CAPTURE("name=two.json"), NAMES("a"));
  expect_table("graphs", "0 | 0 | two.json | 1 | 1 | 100", "0 | 1 | one.json | 1 | 1 | 100",
               "0 | 2 | two.json | 1 | 1 | 100");
}

#define NODE_LAUNCH(kernel, ts, node)                               \
  "X cuLaunchKernel " ts " 1us t=1 cat=cuda_driver {kernel=" kernel \
  ", graph id=3, graph node id=" node "}"
#define NODE(name, ts, node) \
  "X " name " " ts " 10us p=1 t=7 cat=kernel {correlation=1, graph id=3, graph node id=" node "}"

/* Ids tell which of two is which; where a name is another one they are those of another graph. */
static void by_ids_of_nodes(void)
{
  given(GRAPH("0", "1"), NODE("a", "10us", "2"), NODE("a", "20us", "1"));
  given_lane(CAPTURE("name=c.json"));
  given(NODE_LAUNCH("a", "0", "1"), NODE_LAUNCH("a", "5us", "2"));
  expect_table("graphs", "0 | 0 | c.json | 2 | 2 | 100");
  expect_attr(1, GRAPH_POSITION, "1");
  expect_attr(2, GRAPH_POSITION, "0");
  harness_clear();
  given(GRAPH("0", "1"), NODE("b", "10us", "1"), NODE("a", "20us", "2"));
  given_lane(CAPTURE("name=c.json"));
  given(NODE_LAUNCH("a", "0", "1"), NODE_LAUNCH("b", "5us", "2"));
  expect_table("graphs", "0 | 0 | c.json | 2 | 1 | 50");
}

/* What is launched outside of captures is of none; the driver's call in that of the runtime is the same launch. */
static void pieces_of_one_file(void)
{
  replay_of_names(0, NAMES("a", "b"));
  replay_of_names(1, NAMES("c"));
  given_lane(CAPTURE("name=c.json"));
  given(LAUNCH("w", "0", "0", "1"), "X cudaStreamBeginCapture 5us 1us t=1 cat=cuda_runtime",
        LAUNCH("a", "10us", "0", "2"),
        "X cuLaunchKernel 10500 100 t=1 cat=cuda_driver {kernel=a, correlation=2}",
        LAUNCH("b", "12us", "0", "3"), "X cudaStreamEndCapture 15us 1us t=1 cat=cuda_runtime",
        LAUNCH("c", "20us", "0", "4"), "X hipStreamBeginCapture 25us 1us t=1 cat=cuda_runtime",
        LAUNCH("c", "30us", "0", "5"), "X hipStreamEndCapture 35us 1us t=1 cat=cuda_runtime");
  expect_table("graphs", "0 | 0 | c.json | 2 | 2 | 100", "0 | 1 | c.json | 1 | 1 | 100");
  expect_attr(1, GRAPH_POSITION, "0");
  expect_attr(2, GRAPH_POSITION, "1");
  expect_attr(4, GRAPH_POSITION, "2");
}

/* A rank has its own captures; one that has none has all. */
static void captures_of_ranks(void)
{
  given_lane("rank=0");
  replay_of_names(0, NAMES("a"));
  given_lane("rank=1");
  replay_of_names(0, NAMES("a"));
  given_lane("rank=2");
  replay_of_names(0, NAMES("a"));
  capture_of_names("rank=1 label=capture name=one.json", NAMES("a"));
  capture_of_names("rank=0 label=capture name=zero.json", NAMES("a"));
  expect_table("graphs", "0 | 0 | zero.json | 1 | 1 | 100", "1 | 0 | one.json | 1 | 1 | 100",
               "2 | 0 | one.json | 1 | 1 | 100");
}

/* The first 60 letters and digits count: one that differs in the last of them is another one, behind them none is. */
static void names_by_sixty_letters(void)
{
#define FIFTY "x123456789x123456789x123456789x123456789x123456789"
  replay_of_names(0, NAMES("f<" FIFTY ">12345678_9A", FIFTY "1234567890B"));
  replay_of_names(1, NAMES(FIFTY "1234567899"));
  capture_of_names(CAPTURE("name=c.json"), NAMES("f_" FIFTY "_12345678_9B", FIFTY "_1234567890C"));
  expect_table("graphs", "0 | 0 | c.json | 2 | 2 | 100", "0 | 1 | | 1 | 0 | 0");
}

/* A device of AMD may copy and fill by kernels. */
static void copies_and_fills(void)
{
  replay_of_names(0, NAMES("__amd_rocclr_copyBuffer", "__amd_rocclr_fillBufferAligned"));
  given_lane(CAPTURE("name=c.json"));
  given("X hipMemcpyAsync 0 1us t=1 cat=cuda_runtime {correlation=1}",
        "X hipMemsetAsync 5us 1us t=1 cat=cuda_runtime {correlation=2}");
  expect_table("graphs", "0 | 0 | c.json | 2 | 2 | 100");
}

/* Frames outside in; the pass of the backward engine is that of all within it. */
static void modules_and_passes(void)
{
  given(GRAPH("0", "1"), WORK("a", "10us", "10us", "1"));
  given_lane(CAPTURE("name=c.json"));
  given("X \"nn.Module: Net_0\" 0 100us t=1 cat=python_function",
        "X \"run.py(3): f\" 1us 90us t=1 cat=python_function",
        "X \"nn.Module: Linear_1\" 2us 80us t=1 cat=python_function",
        "X aten::mm 10us 20us t=1 cat=cpu_op {External id=3, Fwd thread id=1}",
        "X aten::t 11us 15us t=1 cat=cpu_op {External id=4}", LAUNCH("a", "12us", "4", "1"));
  expect_attr(1, GRAPH_STACK, "14:Net_0/Linear_18:aten::mm1:b8:0:0:0:0:7:aten::t1:b8:0:0:0:0:");
}

static void notices_of_captures(void)
{
  replay_of_names(0, NAMES("a"));
  given_lane(CAPTURE("name=c.json"));
  given(OP("aten::add", "0", "5us", "1"));
  expect_notice(1, 1);
  expect_notice(3, 1);
  harness_clear();
  given(WORK("a", "0", "5us", "1"));
  capture_of_names(CAPTURE("name=c.json"), NAMES("a"));
  expect_notice(1, 0);
  expect_notice(2, 1);
  expect_notice(3, 0);
  expect_metric("graph_matched", NULL, NULL);
}

static const HarnessTest tests[] = { { "the whole sequence", the_whole_sequence },
                                     { "what is not in the capture", what_is_not_in_the_capture },
                                     { "streams by themselves", streams_by_themselves },
                                     { "launches count once", launches_count_once },
                                     { "most matched", most_matched },
                                     { "equals take turns", equals_take_turns },
                                     { "equals by their graphs", equals_by_their_graphs },
                                     { "by ids of nodes", by_ids_of_nodes },
                                     { "pieces of one file", pieces_of_one_file },
                                     { "captures of ranks", captures_of_ranks },
                                     { "names by sixty letters", names_by_sixty_letters },
                                     { "copies and fills", copies_and_fills },
                                     { "modules and passes", modules_and_passes },
                                     { "notices of captures", notices_of_captures } };

/* Private attributes are gone after the last stage that reads them: here they are not private. */
int main(int argc, char **argv)
{
  MillStage stage = *(const MillStage *)mill_module_v1.descriptor;
  MillModule module = mill_module_v1;
  stage.private_attrs = NULL;
  module.descriptor = &stage;
  return harness_main(&module, tests, MILL_COUNT(tests), argc, argv);
}
