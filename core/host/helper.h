/* Programs that sinks have run: the host call `helper`. */
#ifndef HOST_HELPER_H
#define HOST_HELPER_H

#include <stagemill/sink.h>

#include "host/state.h"

/* What a sink gets from the program of that name: its path, or NULL with why it is missing.  Both g_free. */
char *helper_find(const char *program, char **out_why);
int helper_run(Instance *i, MillJob *jobs, uint32_t n);

#endif
