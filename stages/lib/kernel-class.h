/* What a kernel is for by its name alone, where no operator says it. */
#ifndef STAGE_LIB_KERNEL_CLASS_H
#define STAGE_LIB_KERNEL_CLASS_H

#include <stddef.h>

/* A constant text: "COMM", "GEMM", ..., "Other". */
const char *kernel_class(const char *name, size_t len);

#endif
