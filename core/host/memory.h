/* Memory that instances ask for; NULL when refused, and then the instance has failed. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include "host/state.h"

#define MEMORY_AROUND 64u /* what each piece takes beside what was asked for */

/* The instance fails, once, with what takes the memory; -MILL_LIMIT. */
int memory_refuse(Instance *i);
int memory_refuse_for(Instance *i, const char *what);
void *memory_resize(Instance *i, void *old, size_t bytes);
void *memory_scratch(Instance *i, size_t bytes);
char *memory_scratch_text(Instance *i, const char *text);
void memory_end_call(Instance *i);    /* scratch ends with the call */
void memory_free_all(Instance *i);
/* Of --verify, before `close`: pieces that nothing of the instance points to any more.  After it: those that are still
 * there. */
void memory_find_lost(Instance *i);
size_t memory_lost(const Instance *i, size_t *out_bytes);

#endif
