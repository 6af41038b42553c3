/* The names that kernels of a trace have in a compiler's log. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_NAMES_H
#define UTIL_NAMES_H

#include "kit/state/names.h"
#include "kit/state/symmap.h"

#define UTIL_NO_NAME UINT32_MAX /* memory was refused */

/* The number of a text; names_number, where memory is refused UTIL_NO_NAME. */
static inline uint32_t util_number(Names *names, const char *text, size_t len)
{
  uint32_t number;
  return names_number(names, text, len, &number) ? number : UTIL_NO_NAME;
}

typedef struct UtilKernels {
  Names names;
  MillSym index_key;
  SymMap by_name; /* number plus 2; 1: it depends on the event */
} UtilKernels;

void util_kernels_open(UtilKernels *, const MillHost *common);
/* The name of the event, [N] replaced by its fn_idx, and with " Cmpt Exec" at its end. */
uint32_t util_kernels_number(UtilKernels *, const MillBatch *, const MillEvent *);

/* For a stage's `reads`. */
#define UTIL_KERNELS_READS                       \
  {                                              \
    "fn_idx", MILL_AS_ANY, MILL_KIND(MILL_SLICE) \
  }

#endif
