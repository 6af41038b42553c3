/* Symbols of texts that end with a NUL. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SYMBOL_H
#define KIT_SYMBOL_H

#include <stagemill/types.h>
#include <string.h>

static inline MillSym symbol_of(const MillHost *common, const char *text)
{
  return common->intern(common, text, strlen(text));
}

#endif
