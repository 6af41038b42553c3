/* What a kernel is for, by its name alone. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_KERNEL_CLASS_H
#define KIT_KERNEL_CLASS_H

#include <stddef.h>

typedef enum KernelClass {
  KERNEL_OTHER,
  KERNEL_COMM,
  KERNEL_MEMORY, /* copies and fills by kernels */
  KERNEL_MOE,
  KERNEL_ATTENTION,
  KERNEL_CONVOLUTION,
  KERNEL_GEMM,
  KERNEL_NORMALIZATION,
  KERNEL_EMBEDDING,
  KERNEL_OPTIMIZER,
  KERNEL_REDUCTION,
  KERNEL_TRITON, /* of which nothing else is known */
  KERNEL_ELEMENTWISE,
  N_KERNEL_CLASSES
} KernelClass;

/* By the name of the function: types among its parameters and template arguments say nothing of it, unless the function
 * only calls what they name. */
KernelClass kernel_class_of(const char *name, size_t len);
/* The same where only KERNEL_COMM and KERNEL_MEMORY matter: all else is KERNEL_OTHER. */
KernelClass kernel_moves(const char *name, size_t len);
/* A constant text: "COMM", "GEMM", ..., "Other". */
const char *kernel_class(const char *name, size_t len);

#endif
