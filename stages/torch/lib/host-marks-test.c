/* Tests of lib/host-marks: what slices of the host say, and which one is found. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/host-marks.h"

#include <stagemill/harness.h>
#include <string.h>

#include "check.h"

static MillSym sym(const char *name)
{
  const MillHost *common = harness_host()->common;
  return common->intern(common, name, strlen(name));
}

static void see(HostMarks *m, const char *name, int64_t start_ns, int64_t dur_ns, uint32_t track,
                TorchKind kind)
{
  const MillEvent e = { .ts_ns = start_ns, .dur_ns = dur_ns, .track = track, .name = sym(name) };
  CHECK(host_marks_see(m, &e, kind, false));
}

static void names(void)
{
  static const struct {
    const char *name;
    MarkKind kind;
  } known[] = {
    { "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", MARK_LOADER },
    { "_next_data", MARK_LOADER },
    { "cudaMalloc", MARK_ALLOCATION },
    { "cudaFreeAsync_v11020", MARK_ALLOCATION },
    { "hipMalloc", MARK_ALLOCATION },
    { "cudaMemcpyAsync", N_MARKS },
    { "cudaMemcpy", MARK_SYNC },
    { "hipDeviceSynchronize", MARK_SYNC },
    { "cudaStreamWaitEvent", MARK_WAIT },
    { "cuModuleLoadData", MARK_COMPILE },
    { "compile_fx (dynamo_timed)", MARK_COMPILE },
    { "TorchDynamo Cache Lookup", N_MARKS },
    { "triton_poi_fused_add_0", N_MARKS },
    { "triton compile", MARK_COMPILE },
    { "Python: garbage collection", MARK_COLLECTION },
    { "aten::mm", N_MARKS },
  };
  HostMarks m = { .common = harness_host()->common };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    CHECK_INT(host_mark_of(&m, sym(known[i].name)), known[i].kind);
}

/* Only calls wait for a device; an operator of such a name does not. */
static void only_calls_wait(void)
{
  HostMarks m = { .common = harness_host()->common };
  see(&m, "my_synchronize", 0, 10, 1, TORCH_OPERATOR);
  see(&m, "cudaStreamSynchronize", 20, 10, 1, TORCH_CALL);
  CHECK(host_marks_close(&m));
  CHECK_INT(m.kinds[MARK_SYNC].n, 1);
  CHECK_INT(host_marks_at(&m, MARK_SYNC, 1, 0)->start_ns, 20);
}

/* Given inside out, on two tracks: only a and b are in no other one. */
static void the_outermost(void)
{
  HostMarks m = { .common = harness_host()->common };
  see(&m, "inner", 20, 10, 1, TORCH_OPERATOR);
  see(&m, "a", 0, 100, 1, TORCH_RANGE);
  see(&m, "b", 0, 50, 2, TORCH_OPERATOR);
  see(&m, "inner", 10, 40, 2, TORCH_OPERATOR);
  CHECK(host_marks_close(&m));
  CHECK_INT(m.kinds[MARK_OUTER].n, 2);
  CHECK_INT(host_marks_at(&m, MARK_OUTER, 1, 25)->name, sym("a"));
  CHECK_INT(host_marks_at(&m, MARK_OUTER, 2, 49)->name, sym("b"));
  CHECK(!host_marks_at(&m, MARK_OUTER, 2, 50));
  CHECK(!host_marks_at(&m, MARK_OUTER, 3, 0));
}

static void the_last_that_began(void)
{
  HostMarks m = { .common = harness_host()->common };
  see(&m, "cudaStreamWaitEvent", 10, 5, 1, TORCH_CALL);
  see(&m, "cudaStreamWaitEvent", 30, 5, 1, TORCH_CALL);
  CHECK(host_marks_close(&m));
  CHECK(!host_marks_before(&m, MARK_WAIT, 1, 9));
  CHECK_INT(host_marks_before(&m, MARK_WAIT, 1, 10)->start_ns, 10);
  CHECK_INT(host_marks_before(&m, MARK_WAIT, 1, 29)->start_ns, 10);
  CHECK_INT(host_marks_before(&m, MARK_WAIT, 1, 100)->start_ns, 30);
  CHECK(!host_marks_before(&m, MARK_WAIT, 2, 100));
}

TEST_MAIN({ "names", names }, { "only calls wait", only_calls_wait },
          { "the outermost", the_outermost }, { "the last that began", the_last_that_began })
