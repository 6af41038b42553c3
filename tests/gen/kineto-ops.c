/* Plans operators with shapes, for kineto-gen --operators: matrix products whose two kernels run on two streams at
 * once, an elementwise operator, a launch of a graph of kernels, and a kernel without a call.  They take the time before
 * the first layer of each step, in which the other events leave room. */
/* SPDX-License-Identifier: MIT */
#include "kineto.h"

enum {
  US = 1000,
  FIRST_NS = 700 * US,
  PRODUCT_NS = 150 * US,
  PRODUCTS = 4,
  GRAPH_KERNELS = 3,
  CORRELATION = 100000001 /* odd: the others are even */
};

/* The same in each rank but for the kernels' lengths. */
typedef struct {
  const Run *run;
  uint32_t step;
  int64_t start_ns;
  Planned *plan;
  size_t n;
  OperatorTruth *truth;
} Ops;

static Planned *add(Ops *o, Kind kind, Place place, uint16_t name, int64_t ts_ns, int64_t dur_ns)
{
  Planned *event = &o->plan[o->n++];
  *event = (Planned){ .ts_ns = o->start_ns + ts_ns,
                      .dur_ns = dur_ns,
                      .kind = (uint8_t)kind,
                      .place = (uint8_t)place,
                      .name = name };
  return event;
}

static int64_t length_ns(const Ops *o, uint32_t i, uint32_t below_us)
{
  uint64_t bits = hash3(o->run->seed, (uint64_t)o->step * 64 + i, (uint64_t)o->run->rank + 5000);
  return (int64_t)(1 + bits % below_us) * US + (int64_t)(bits >> 40 & 511);
}

static uint32_t correlation(const Ops *o, uint32_t i)
{
  return CORRELATION + 2 * (o->step * 64 + i);
}

static void add_call(Ops *o, uint16_t name, uint32_t i, int64_t ts_ns)
{
  add(o, NAMED_CALL, MAIN_THREAD, name, ts_ns, 4 * US)->id = correlation(o, i);
}

static void add_kernel(Ops *o, Place stream, uint16_t name, uint32_t i, int64_t ts_ns,
                       int64_t dur_ns)
{
  add(o, NAMED_KERNEL, stream, name, ts_ns, dur_ns)->id = correlation(o, i);
}

/* aten::linear has aten::addmm, whose second kernel begins when half of the first has run, and lasts a quarter longer
 * than the rest: their union is 5/4 of the first. */
static void add_product(Ops *o, uint32_t i)
{
  int64_t at = FIRST_NS + i * PRODUCT_NS, first_ns = 8 * length_ns(o, i, 8), half_ns = first_ns / 2;
  add(o, NAMED_OP, MAIN_THREAD, OP_LINEAR, at, 60 * US);
  add(o, NAMED_OP, MAIN_THREAD, OP_ADDMM, at + 3 * US, 50 * US);
  add_call(o, CALL_LAUNCH, 2 * i, at + 5 * US);
  add_call(o, CALL_LAUNCH, 2 * i + 1, at + 15 * US);
  add_kernel(o, COMPUTE_STREAM, KERNEL_PRODUCT, 2 * i, at + 25 * US, first_ns);
  add_kernel(o, COMM_STREAM, KERNEL_POST, 2 * i + 1, at + 25 * US + half_ns,
             half_ns + first_ns / 4);
  o->truth->product_calls++;
  o->truth->product_ns += first_ns + first_ns / 4;
}

static void add_elementwise(Ops *o, uint32_t i, int64_t at)
{
  int64_t dur_ns = length_ns(o, i, 5);
  add(o, NAMED_OP, MAIN_THREAD, OP_MUL, at, 20 * US);
  add_call(o, CALL_LAUNCH, i, at + 5 * US);
  add_kernel(o, COMPUTE_STREAM, KERNEL_MUL, i, at + 15 * US, dur_ns);
  o->truth->mul_ns += dur_ns;
}

static void add_graph(Ops *o, uint32_t i, int64_t at)
{
  add_call(o, CALL_GRAPH, i, at);
  for (int k = 0; k < GRAPH_KERNELS; k++) {
    int64_t dur_ns = length_ns(o, i + 32 + (uint32_t)k, 9);
    add_kernel(o, COMPUTE_STREAM, KERNEL_GRAPH, i, at + (10 + 12 * k) * US, dur_ns);
    o->truth->graph_kernels++;
    o->truth->graph_ns += dur_ns;
  }
}

size_t plan_operators(const Run *run, uint32_t step, Planned *plan, OperatorTruth *truth)
{
  const uint32_t next = 2 * PRODUCTS;
  int64_t at = FIRST_NS + PRODUCTS * PRODUCT_NS;
  Ops o = { run, step, step_start_ns(step), plan, 0, truth };
  for (uint32_t i = 0; i < PRODUCTS; i++) add_product(&o, i);
  add_elementwise(&o, next, at);
  add_graph(&o, next + 1, at + 40 * US);
  int64_t dur_ns = length_ns(&o, next + 2, 9);
  add_kernel(&o, COMPUTE_STREAM, KERNEL_LONE, next + 2, at + 100 * US, dur_ns);
  truth->lone_kernels++;
  truth->lone_ns += dur_ns;
  return o.n;
}

/* ---- what they are called, and what they work on */

static const struct {
  const char *name, *dims, *types, *strides, *concrete;
} ops[] = {
  [OP_LINEAR] = { "aten::linear", "[256, 512], [1024, 512], [1024]",
                  "\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"",
                  "[512, 1], [512, 1], [1]", "\"\", \"\", \"\"" },
  [OP_ADDMM] = { "aten::addmm", "[1024], [256, 512], [512, 1024], [], []",
                 "\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\", \"Scalar\"",
                 "[1], [512, 1], [1, 512], [], []", "\"\", \"\", \"\", \"1\", \"1\"" },
  [OP_MUL] = { "aten::mul", "[256, 1024], [256, 1024]", "\"float\", \"float\"",
               "[1024, 1], [1024, 1]", "\"\", \"\"" },
};

static const char *const calls[] = {
  [CALL_LAUNCH] = "cudaLaunchKernel", [CALL_GRAPH] = "cudaGraphLaunch"
};

static const char *const kernels[] = {
  [KERNEL_PRODUCT] = "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT128x128x64",
  [KERNEL_POST] = "Cijk_S_GB_PostGSU4_VW1",
  [KERNEL_MUL] =
      "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float> >(int)",
  [KERNEL_GRAPH] = "triton_poi_fused_gelu_0",
  [KERNEL_LONE] = "driver_copy_kernel",
};

OperatorText operator_text(const Planned *e)
{
  if (e->kind == NAMED_CALL) return (OperatorText){ .name = calls[e->name] };
  if (e->kind == NAMED_KERNEL) return (OperatorText){ .name = kernels[e->name] };
  return (OperatorText){ ops[e->name].name, ops[e->name].dims, ops[e->name].types,
                         ops[e->name].strides, ops[e->name].concrete };
}
