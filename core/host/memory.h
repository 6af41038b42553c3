/* Memory that instances ask for; NULL when refused, and then the instance has failed. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include "host/state.h"

void *memory_resize(Instance *i, void *old, size_t bytes);
void *memory_scratch(Instance *i, size_t bytes);
char *memory_scratch_text(Instance *i, const char *text);
void memory_end_call(Instance *i); /* scratch ends with the call */
void memory_free_all(Instance *i);

#endif
