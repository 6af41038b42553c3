/* Tests of torch/why.  Events come as torch/host-tree leaves them; times are in microseconds, tables in ns. */
#include <stagemill/harness.h>

#define WORK(name, cat, stream, ts, dur, ...) \
  "X \"" name "\" " ts "us " dur "us p=0 t=" stream " cat=" cat " {" __VA_ARGS__ "}"
#define KERNEL(name, ts, dur, ...) WORK(name, "kernel", "7", ts, dur, __VA_ARGS__)
#define MM "tree_category=GEMM, tree_row=\"8:aten::mm4:GEMM3:fwd6:[8, 8]\""

int main(void) { return 0; }
