/* The synthetic training run behind kineto-gen: names, planned events, text layouts. */
/* SPDX-License-Identifier: MIT */
#ifndef GEN_KINETO_H
#define GEN_KINETO_H

#include "out.h"

enum { KERNEL_NAMES = 2048, PYTHON_NAMES = 1700, OP_NAMES = 300, RUNTIME_NAMES = 32 };

/* Names as JSON text without the quotes; all different from each other. */
typedef struct {
  char *kernel[KERNEL_NAMES];
  char *python[PYTHON_NAMES];
  char *op[OP_NAMES];
  char *runtime[RUNTIME_NAMES];
} Names;

/* The first entries of Names.runtime have a fixed meaning. */
enum { RUN_LAUNCH, RUN_MEMCPY, RUN_MEMSET, RUN_SYNC, RUN_OTHER };

void names_make(Names *names, uint64_t seed);
void names_free(Names *names);

typedef enum {
  CPU_OP,
  COLLECTIVE_OP,
  STEP,
  COLLECTIVE_RANGE,
  PYTHON,
  RUNTIME,
  LAUNCH_FLOW,
  KERNEL,
  COLLECTIVE_KERNEL,
  MEMCPY,
  MEMSET,
  GPU_STEP,
  ARRIVE_FLOW,
  MEMORY,
  FORWARD_FLOW,
  BACKWARD_FLOW,
  NAMED_OP, /* these have fixed names, see kineto-ops.c */
  NAMED_CALL,
  NAMED_KERNEL,
  N_KINDS
} Kind;

typedef enum {
  MAIN_THREAD,
  BACKWARD_THREAD,
  COMPUTE_STREAM,
  COMM_STREAM,
  COPY_STREAM,
  N_PLACES
} Place;

typedef struct {
  int64_t ts_ns, dur_ns; /* since the start of the trace */
  uint64_t value;        /* bytes, address or random bits, by kind */
  uint32_t id;           /* correlation, flow id, or python id */
  uint32_t external;     /* External id, python parent id, or step number */
  uint32_t sequence;     /* autograd sequence or collective number; 0: none */
  uint16_t name;
  uint8_t kind, place;
} Planned;

/* Events in one step with this many layers, and the most layers that a step has. */
enum { STEP_EVENTS = 11, LAYER_EVENTS = 206, MAX_LAYERS = 16 };
enum { MAX_PLANNED = STEP_EVENTS + MAX_LAYERS * LAYER_EVENTS + 64 };

typedef struct {
  uint64_t seed;
  int rank, n_ranks;
} Run;

/* Fills plan with the events of a step, in the order in which they happen on their threads; the
   same arguments always give the same events. Returns their number. */
size_t plan_step(const Run *run, uint32_t step, uint32_t layers, Planned *plan);
int64_t step_start_ns(uint32_t step);

/* Operators with shapes: --operators adds so many events to each step. */
enum { OPERATOR_EVENTS = 32 };
enum { OP_LINEAR, OP_ADDMM, OP_MUL };
enum { CALL_LAUNCH, CALL_GRAPH };
enum { KERNEL_PRODUCT, KERNEL_POST, KERNEL_MUL, KERNEL_GRAPH, KERNEL_LONE };

typedef struct {
  int64_t product_calls, product_ns; /* of aten::addmm: unions of their two kernels */
  int64_t mul_ns, graph_kernels, graph_ns, lone_kernels, lone_ns;
} OperatorTruth;

typedef struct {
  const char *name, *dims, *types, *strides, *concrete; /* lists without their brackets */
} OperatorText;

size_t plan_operators(const Run *run, uint32_t step, Planned *plan, OperatorTruth *truth);
OperatorText operator_text(const Planned *event);

typedef enum { NATIVE, COMPACT, PRETTY } LayoutKind;
typedef enum { RELATIVE, EPOCH, BASE } StampKind;

typedef struct {
  const Run *run;
  const Names *names;
  LayoutKind layout;
  int64_t zero_ns; /* added to every time stamp */
  int64_t base_ns; /* baseTimeNanoseconds; 0: not written */
  bool first;      /* no event was written yet */
  Out *out;
} Writer;

void write_header(Writer *writer);
void write_metadata_row(Writer *writer, int row);
void write_event(Writer *writer, const Planned *event);
void write_trailer(Writer *writer);

enum { METADATA_ROWS = 16 };

#endif
