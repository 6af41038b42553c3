/* What kind of work a device does, as people call it: by the operator where it says so, else by the kernel. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_WORK_CLASS_H
#define TORCH_LIB_WORK_CLASS_H

#include <stagemill/types.h>

#include "kit/devices/torch-words.h"
#include "kit/state/symclass.h"

typedef enum WorkClass {
  CLASS_GEMM,
  CLASS_ATTENTION,
  CLASS_CONVOLUTION,
  CLASS_NORMALISATION,
  CLASS_ELEMENTWISE,
  CLASS_REDUCTION,
  CLASS_MOE,
  CLASS_EMBEDDING,
  CLASS_OPTIMISER,
  CLASS_COMMUNICATION,
  CLASS_COPIES,
  CLASS_OTHER,
  CLASS_IDLE,
  N_CLASSES
} WorkClass;
extern const char *const class_names[N_CLASSES];

typedef struct WorkClasses {
  const MillHost *common;
  MillSym category;
  SymClass of_category, of_kernel; /* class + 1 */
} WorkClasses;

/* CLASS_OTHER where its name alone does not say it. */
WorkClass class_of_operator(const char *op);
void work_classes_open(WorkClasses *, const MillHost *common); /* reads TREE_CATEGORY */
WorkClass work_class(WorkClasses *, const MillBatch *, const MillEvent *, TorchWork does);

#endif
