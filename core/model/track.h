/* Tracks: the (process, thread) rows of a lane, as small indexes. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_TRACK_H
#define MODEL_TRACK_H

#include <stagemill/types.h>

#include "model/budget.h"

/* One thread makes rows; others may look at rows that they were given meanwhile. */
typedef struct Tracks Tracks;

Tracks *tracks_new(void);
void tracks_charge_to(Tracks *t, Budget *budget); /* whatever comes */
void tracks_free(Tracks *t);
void tracks_clear(Tracks *t); /* empty; takes no memory until rows are made */
/* Finds the track or makes it.  Rows of several lanes may share one table. */
uint32_t tracks_find(Tracks *t, uint32_t lane, MillValue process, MillValue thread);
/* Only finds; UINT32_MAX: there is none. */
uint32_t tracks_look(const Tracks *t, uint32_t lane, MillValue process, MillValue thread);
const MillTrack *tracks_get(const Tracks *t, uint32_t track);
uint32_t tracks_count(const Tracks *t);

/* From one table to another, as far as its tracks were met. */
typedef struct TrackMap {
  uint32_t *to; /* UINT32_MAX: not met yet */
  uint32_t n;
} TrackMap;
/* Where the track is in `into`, made there if need be; MILL_FAILED: `from` has no such track. */
uint32_t track_map_find(TrackMap *map, const Tracks *from, uint32_t track, Tracks *into,
                        uint32_t lane);
void track_map_clear(TrackMap *map);

#endif
