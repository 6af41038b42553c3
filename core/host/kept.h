/* Events that a stage keeps beyond their batch. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_KEPT_H
#define HOST_KEPT_H

#include "host/state.h"

uint64_t kept_add(Instance *i, const MillBatch *b, const MillEvent *e);
uint64_t kept_bytes(const Instance *i, uint64_t handle); /* of memory; 0: it is not kept */
/* False: the handle is not one of a kept event. */
bool kept_emit(Instance *i, Batch *b, uint32_t after, uint64_t handle, uint32_t *out_index);
void kept_drop(Instance *i, uint64_t handle);
void kept_free_all(Instance *i);

#endif
