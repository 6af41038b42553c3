/* Notices of a run, summed over lanes and put into words. */
#ifndef RUN_TOLD_H
#define RUN_TOLD_H

#include "run/run.h"

typedef struct Told {
  const MillNotice *notice;
  char *code, *what, *effect, *help;
  uint64_t count;
} Told;

/* Told *: the engine's, those of sources, stages and sinks; free with g_ptr_array_unref. */
GPtrArray *told_gather(const Run *run);

#endif
