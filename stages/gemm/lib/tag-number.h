/* Tags of the own lane that are numbers, as threads=256. */
/* SPDX-License-Identifier: MIT */
#ifndef GEMM_LIB_TAG_NUMBER_H
#define GEMM_LIB_TAG_NUMBER_H

#include <stagemill/types.h>
#include <string.h>

#include "base/num-digits.h"

/* -1: there is none, or it is no number from 0 on. */
static inline int64_t tag_number(const MillHost *common, const char *name)
{
  const char *text = common->tag(common, MILL_NO_LANE, name);
  int64_t number;
  return text && digits_read(text, strlen(text), &number) && number >= 0 ? number : -1;
}

#endif
