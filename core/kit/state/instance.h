/* New instances of a stage. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_INSTANCE_H
#define KIT_INSTANCE_H

#include <stagemill/stage.h>
#include <string.h>

typedef struct InstanceStart { /* what each begins with */
  const MillStageHost *host;
  const MillHost *common;
} InstanceStart;

static inline void *instance_made(const MillStageHost *host, size_t size, void **out_instance)
{
  const InstanceStart start = { host, host->common };
  *out_instance = mill_new(host->common, size);
  if (*out_instance) memcpy(*out_instance, &start, sizeof start);
  return *out_instance;
}

/* Zeroed but for the fields `host` and `common`, with which a T begins: for `open`.  NULL: memory was refused. */
#define instance_new(T, host_, out_instance)                                                          \
  ((T *)instance_made((host_),                                                                        \
                      sizeof(T) + 0 * sizeof(char[offsetof(T, host) == offsetof(InstanceStart, host) && \
                                                          offsetof(T, common) ==                      \
                                                              offsetof(InstanceStart, common)         \
                                                      ? 1                                             \
                                                      : -1]),                                         \
                      (out_instance)))

#endif
