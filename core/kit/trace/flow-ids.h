/* Numbers for arrows that a stage makes: from 1000001 on, past those that the input uses as far as they were seen. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_FLOW_IDS_H
#define KIT_FLOW_IDS_H

#include <stagemill/types.h>

#define FLOW_IDS_FIRST INT64_C(1000001)

/* Zero-initialised is as if nothing was seen. */
typedef struct FlowIds {
  int64_t used; /* beyond the first */
} FlowIds;

static inline void flow_ids_see(FlowIds *ids, const MillEvent *e)
{
  const uint32_t flows =
      MILL_KIND(MILL_FLOW_START) | MILL_KIND(MILL_FLOW_STEP) | MILL_KIND(MILL_FLOW_END);
  if (!(MILL_KIND(e->kind) & flows) || (e->id_kind != MILL_ID_INT && e->id_kind != MILL_ID_HEX))
    return;
  uint64_t over = e->id - (uint64_t)FLOW_IDS_FIRST;
  if (e->id >= (uint64_t)FLOW_IDS_FIRST && over < INT32_MAX && (int64_t)over >= ids->used)
    ids->used = (int64_t)over + 1;
}

static inline uint64_t flow_ids_next(FlowIds *ids)
{
  return (uint64_t)(FLOW_IDS_FIRST + ids->used++);
}

#endif
