/* Notices of a run, summed over lanes and put into words. */
#ifndef SCHED_TOLD_H
#define SCHED_TOLD_H

#include "sched/run.h"

typedef struct Told {
  const MillNotice *notice;
  char *code, *what, *effect, *help;
  uint64_t count;
} Told;

/* Told *: the engine's, those of sources, stages and sinks; free with g_ptr_array_unref. */
GPtrArray *told_gather(const Run *run);

#endif
