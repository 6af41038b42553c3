/* Which documents there are, and the lanes of each. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_PLACES_H
#define CHROME_JSON_PLACES_H

#include <glib.h>

#include "base/name-pattern.h"
#include "kit/chrome/lanes.h"

/* One document: its name, and its lanes; index NULL: all. */
typedef struct Place {
  char *name;
  uint32_t *index;
  TraceLanes lanes;
} Place;

void place_free(gpointer place);

/* The lane as text patterns ask for it. */
NameLanes places_lanes(const MillHost *common, bool merged);
/* The document that a lane goes into, or the merged stream. */
Place *place_of_lane(const NamePattern *p, const NameLanes *lanes, uint32_t lane);
/* All, in the order of their first lanes, after the names were checked; NULL with *out filled. */
GPtrArray *places_all(const NamePattern *p, const NameLanes *lanes, NameFault *out);

#endif
