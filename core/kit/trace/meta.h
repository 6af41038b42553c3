/* Names of rows that a stage makes: an event of metadata with one argument. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_META_H
#define KIT_META_H

#include <stagemill/stage.h>

/* 0, or a negative status: memory was refused. */
static inline int meta_emit(const MillStageHost *host, MillBatch *batch, uint32_t after,
                            uint32_t track, MillSym name, MillSym key, MillValue value)
{
  const MillEvent e = {
    .kind = MILL_META, .flags = MILL_FLAG_NO_TS, .dur_ns = -1, .name = name, .track = track
  };
  uint32_t index = track == MILL_FAILED ? MILL_FAILED : host->emit(host, batch, after, &e);
  return index == MILL_FAILED ? -MILL_LIMIT : host->set(host, batch, index, key, value);
}

#endif
