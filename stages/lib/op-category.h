/* What an operator is for, by its name and the first kernel that it ran. */
#ifndef STAGE_LIB_OP_CATEGORY_H
#define STAGE_LIB_OP_CATEGORY_H

#include <stdbool.h>

/* A constant text: "GEMM", "CONV_fwd", ...; kernel: NULL where there is none. */
const char *op_category(const char *op, const char *kernel);
/* The two halves of that: what the name says, else what the kernel says; NULL: nothing. */
const char *op_category_by_name(const char *op);
const char *op_category_by_kernel(const char *kernel);
/* Operators that multiply matrices, each with its own work; wrappers around them are not. */
bool op_is_gemm(const char *op);
bool op_is_backward(const char *op); /* its name says so */

#endif
