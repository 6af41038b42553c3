/* Work of operators: which family is worked out where; see op-work.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-work.h"

#include <string.h>

void op_work_param_text(OpWork *w, const char *name, const char *value)
{
  size_t at = strlen(w->params), name_len = strlen(name), len = strlen(value);
  if (at + name_len + len + 4 > WORK_PARAMS) return;
  if (at) {
    memcpy(w->params + at, ", ", 2);
    at += 2;
  }
  memcpy(w->params + at, name, name_len);
  at += name_len;
  w->params[at++] = '=';
  memcpy(w->params + at, value, len + 1);
}

/* Sizes are whole; what is beyond an int64 is shown as its largest. */
void op_work_param(OpWork *w, const char *name, double value)
{
  char digits[DIGITS_MAX + 1];
  int64_t whole = value < 9.2e18 ? (int64_t)value : INT64_MAX;
  digits[digits_write(digits, whole)] = 0;
  op_work_param_text(w, name, digits);
}

OpWork op_work(OpFamily family, const char *op, const OpShape *shape, const OpServed *served)
{
  OpWork w = { .has_flop = true };
  switch (family) {
  case FAMILY_GEMM:
  case FAMILY_GEMM_WRAPPER:
  case FAMILY_GROUPED_GEMM: op_work_gemm(family, op, shape, &w); break;
  case FAMILY_CONV:
  case FAMILY_CONV_BACKWARD: op_work_conv(family, op, shape, &w); break;
  case FAMILY_ATTENTION:
  case FAMILY_ATTENTION_BACKWARD: op_work_attention(family, op, shape, served, &w); break;
  case FAMILY_MOE: op_work_moe(shape, &w); break;
  case FAMILY_NORM:
  case FAMILY_NORM_BACKWARD:
  case FAMILY_RMS_NORM:
  case FAMILY_RMS_NORM_BACKWARD: op_work_norm(family, op, shape, &w); break;
  case FAMILY_UNARY:
  case FAMILY_BINARY:
  case FAMILY_REDUCTION:
  case FAMILY_TRITON: op_work_pointwise(family, op, shape, &w); break;
  case FAMILY_NONE:
  case N_FAMILIES: break;
  }
  return w;
}
