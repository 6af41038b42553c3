/* Operators whose work is known, and where their operands are in the lists of a trace. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_OP_FAMILY_H
#define KIT_OP_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum OpFamily {
  FAMILY_NONE,
  FAMILY_GEMM,
  FAMILY_GEMM_WRAPPER, /* counts where no multiplication is below it */
  FAMILY_GROUPED_GEMM,
  FAMILY_CONV,
  FAMILY_CONV_BACKWARD,
  FAMILY_ATTENTION,
  FAMILY_ATTENTION_BACKWARD,
  FAMILY_MOE, /* experts, with their weights among the operands */
  FAMILY_NORM,
  FAMILY_NORM_BACKWARD,
  FAMILY_RMS_NORM,
  FAMILY_RMS_NORM_BACKWARD,
  FAMILY_UNARY,
  FAMILY_BINARY,
  FAMILY_REDUCTION,
  FAMILY_TRITON,
  N_FAMILIES
} OpFamily;

OpFamily op_family(const char *op);
const char *op_family_name(OpFamily);
/* matrix or vector: which units of a device compute it. */
bool op_family_is_matrix(OpFamily);

#endif
