/* Members of the document around the events of a lane, by name. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_LANE_MEMBER_H
#define KIT_LANE_MEMBER_H

#include <stagemill/stage.h>
#include <string.h>

/* The next one of that name from *io_index on, which it moves behind it; false: no more. */
static inline bool lane_member_next(const MillStageHost *host, uint32_t *io_index, const char *name,
                                    MillValue *out_json)
{
  bool after;
  MillValue key;
  while (host->lane_member(host, (*io_index)++, &after, &key, out_json))
    if (key.len == strlen(name) && !memcmp(key.u.text, name, key.len)) return true;
  return false;
}

#endif
