/* JSON as Python writes it: lists as tuples, and the times of kernels in the names and units of the original. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_CSV_PYTHON_H
#define GEMM_CSV_PYTHON_H

#include <glib.h>

/* "[[2, 3], [\"a\"]]" as ((2, 3), ('a',)); what is no list is copied. */
void python_tuple(GString *out, const char *json, size_t len);
/* The list kernel_details of gemm-ops, its times in us. */
void python_details(GString *out, const char *json, size_t len);

#endif
