/* Texts by number, and the names that kernels of a trace have in a compiler's log. */
#ifndef UTIL_NAMES_H
#define UTIL_NAMES_H

#include "kit/state/keyed.h"

#define UTIL_NO_NAME UINT32_MAX /* memory was refused */

typedef struct UtilTexts {
  const MillHost *common;
  Keyed *numbers;
  const KeyedEntry **entries; /* by number */
  size_t max_entries;
  uint32_t n;
} UtilTexts;

bool util_texts_open(UtilTexts *, const MillHost *common);
/* In the order in which they are first asked for. */
uint32_t util_texts_number(UtilTexts *, const char *text, size_t len);
void util_texts_save(const UtilTexts *, const MillStageHost *);
/* Their numbers here, by the number that they were saved as; NULL: memory was refused.  Lasts until the call
 * returns. */
uint32_t *util_texts_load(UtilTexts *, const MillStageHost *, uint32_t *out_n);

typedef struct UtilKernels {
  UtilTexts texts;
  MillSym index_key;
  uint32_t *by_name; /* number plus 2; 0: not known yet, 1: it depends on the event */
  size_t n_by_name;
} UtilKernels;

bool util_kernels_open(UtilKernels *, const MillHost *common);
/* The name of the event, [N] replaced by its fn_idx, and with " Cmpt Exec" at its end. */
uint32_t util_kernels_number(UtilKernels *, const MillBatch *, const MillEvent *);

/* For a stage's `reads`. */
#define UTIL_KERNELS_READS                       \
  {                                              \
    "fn_idx", MILL_AS_ANY, MILL_KIND(MILL_SLICE) \
  }

#endif
