/* Numbers of texts, from 0 on in the order of first use; STATE_NAMES saves them, see state.h. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_NAMES_H
#define KIT_NAMES_H

#include "kit/state/keyed.h"

typedef struct Names { /* { .common = common } is empty */
  const MillHost *common;
  Keyed *numbers; /* number + 1 */
  const KeyedEntry **entries;
  size_t n, capacity;
} Names;

/* False: memory was refused. */
bool names_number(Names *names, const char *text, size_t len, uint32_t *out);

#endif
