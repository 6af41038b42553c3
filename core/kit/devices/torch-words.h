/* What a slice of a torch trace is, by its category and name, in the new spelling and in that before 2022. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TORCH_WORDS_H
#define KIT_TORCH_WORDS_H

#include <stagemill/types.h>

#include "kit/state/symclass.h"

typedef enum TorchKind {
  TORCH_OTHER = 1,
  TORCH_OPERATOR,
  TORCH_CALL,  /* of the runtime or the driver */
  TORCH_FRAME, /* of Python */
  TORCH_RANGE, /* user_annotation */
  TORCH_DEVICE_RANGE,
  TORCH_WAIT,   /* of a stream or the host: it has a row of the device, and nothing works */
  TORCH_KERNEL, /* from here on device work */
  TORCH_COPY,
  TORCH_FILL
} TorchKind;

typedef enum TorchWork {
  WORK_COMMUNICATION = 1,
  WORK_COMPUTATION,
  WORK_MEMORY, /* copies and fills */
  N_WORKS
} TorchWork;

typedef struct TorchWords { /* { .common = common } knows none */
  const MillHost *common;
  SymClass cats, works, steps;
} TorchWords;

/* By the category, and waits by their names too. */
TorchKind torch_kind(TorchWords *, const MillEvent *);
static inline bool torch_is_device(TorchKind kind) { return kind >= TORCH_KERNEL; }

/* What device work does, in all stages: copies and fills are known by category or name, communication by the class of the
 * kernel, and all else computes. */
TorchWork torch_work(TorchWords *, TorchKind kind, MillSym name);

/* Names of calls that run a graph of kernels. */
bool torch_is_graph_call(const char *name, size_t len);

/* The number of the slice ProfilerStep#N, or -1. */
int64_t torch_step(TorchWords *, MillSym name);

#endif
