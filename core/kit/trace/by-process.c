/* States of processes, found by row; see by-process.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/by-process.h"

#include "kit/state/grow.h"

bool by_process_open(ByProcess *p, const MillHost *common, size_t state_size)
{
  *p = (ByProcess){ .common = common, .states = keyed_new(common, state_size) };
  return p->states != NULL;
}

void *by_process_of(ByProcess *p, uint32_t track)
{
  if (!array_reserve_at(p->common, &p->of, &p->n_of, track, sizeof *p->of)) return NULL;
  if (p->of[track]) return p->of[track];
  MillTrack info = { .size = sizeof info };
  p->common->track_info(p->common, track, &info);
  return p->of[track] = keyed_get_value(p->states, &info.process);
}
