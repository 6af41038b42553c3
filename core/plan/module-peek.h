/* What a file of a module says of itself, read without running anything of it. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_PEEK_H
#define PLAN_MODULE_PEEK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ModulePeek {
  uint32_t kind; /* MILL_KIND_* */
  /* of a sink */
  uint32_t flags;
  char *format; /* as it stands in the descriptor: without a vendor */
} ModulePeek;

/* False: only the loader can say, as of a file that is for another machine, is damaged, or makes its
 * descriptor as it is loaded.  A hint for whom to ask: what is used is what was loaded and checked. */
bool module_peek(const char *path, ModulePeek *out);
void module_peek_clear(ModulePeek *p);

#endif
