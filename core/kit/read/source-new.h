/* New instances of a source. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SOURCE_NEW_H
#define KIT_SOURCE_NEW_H

#include <stagemill/source.h>
#include <string.h>

static inline void *source_made(const MillSourceHost *host, size_t size, void **out_instance)
{
  *out_instance = mill_new(host->common, size);
  if (*out_instance) memcpy(*out_instance, &host, sizeof host);
  return *out_instance;
}

/* Zeroed but for the field `host`, with which a T begins: for `open`.  NULL: memory was refused. */
#define source_new(T, host_, out_instance)                                                        \
  ((T *)source_made((host_), sizeof(T) + 0 * sizeof(char[offsetof(T, host) == 0 ? 1 : -1]), (out_instance)))

#endif
