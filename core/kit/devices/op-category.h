/* What device work is for: by its operator's name where that says it, else by the kernel's. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_OP_CATEGORY_H
#define KIT_OP_CATEGORY_H

#include <stdbool.h>
#include <stddef.h>

/* Those that kernels say; in the order of the names' bytes. */
typedef enum KernelCategory {
  CATEGORY_CONV_BWD,
  CATEGORY_CONV_FWD,
  CATEGORY_GEMM,
  CATEGORY_MOE,
  CATEGORY_NORM_BWD,
  CATEGORY_NORM_FWD,
  CATEGORY_SDPA_BWD,
  CATEGORY_SDPA_FWD,
  CATEGORY_COMMUNICATION,
  CATEGORY_ELEMENTWISE,
  CATEGORY_EMBEDDING,
  CATEGORY_MEMORY,
  CATEGORY_MULTI_TENSOR,
  CATEGORY_OPTIMIZER,
  CATEGORY_OTHER,
  CATEGORY_REDUCE,
  CATEGORY_TRITON,
  N_KERNEL_CATEGORIES
} KernelCategory;

extern const char *const kernel_category_names[N_KERNEL_CATEGORIES];

/* A constant text, "GEMM", "CONV_fwd", ...; NULL: the operator may do anything, and each of its kernels counts as what it is. */
const char *op_category(const char *op);
/* Of one kernel; the pass is that of what launched it, or its own name says backward. */
KernelCategory kernel_category(const char *kernel, size_t len, bool backward);
/* Operators that multiply matrices, each with its own work; wrappers around them are not. */
bool op_is_gemm(const char *op);
bool op_is_backward(const char *op); /* its name says so */

#endif
