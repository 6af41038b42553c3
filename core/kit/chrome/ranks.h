/* Processes and ids as they are written: of several ranks in one trace each lane has its own, and a pid that is a
 * text becomes a number, which is all that viewers take. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_RANKS_H
#define KIT_CHROME_RANKS_H

#include <glib.h>
#include <stagemill/types.h>

#include "kit/chrome/lanes.h"
#include "kit/chrome/text.h"

typedef struct Process {
  uint32_t lane;
  uint32_t place; /* of the lane in the document */
  uint32_t order; /* of its first event in its lane */
  MillValue value;
  int64_t pid; /* that it is written with */
  bool kept;   /* it is the own one, and so are names */
  /* What the input's own rows say of it; texts or NULL: */
  char *name, *labels;
  bool has_sort_index;
  int64_t sort_index;
} Process;

typedef struct Ranks {
  const MillHost *common;
  bool merging;         /* several lanes go into the trace */
  bool keep;            /* pids that no other lane has stay */
  TraceLanes lanes;     /* of the document */
  uint32_t lane;        /* of all events; MILL_NO_LANE: each track has its own */
  int64_t shift_ns;     /* from the lane's base to that of the trace */
  GArray *tracks;       /* uint32_t: process + TRACK_PROCESS, or one of the others */
  GPtrArray *processes; /* Process *, of those that are written anew */
  GTree *found;         /* key to process + 1 */
  GArray
      *others; /* uint32_t, by place: processes that cannot keep their number within their lane's */
} Ranks;

enum { TRACK_NEW, TRACK_PLAIN /* its pid is copied */, TRACK_PROCESS };

/* What an event is written with. */
typedef struct RankView {
  uint32_t place;   /* of the lane in the document: its number among ids */
  Process *process; /* NULL: all is as it was */
  int64_t shift_ns;
  bool rename; /* its ids count within its lane only */
} RankView;

/* The pids of a lane: an own one below n_same is written as the first plus itself. */
typedef struct LanePids {
  int64_t first, n_same, n;
} LanePids;

LanePids ranks_pids(uint32_t place);
/* Which pids are of which rank, as JSON.  Frees: the caller. */
char *ranks_describe(const MillHost *common, TraceLanes lanes, bool keep);

/* What puts times of the own lane on the base of the trace; 0 when a base is unknown. */
int64_t ranks_shift_ns(const MillHost *common, TraceLanes lanes);
/* Times of several lanes count from its base: the first lane whose base is known, or 0. */
uint32_t ranks_base_lane(const MillHost *common, TraceLanes lanes);
/* Of events on this level, which is not that of the run. */
Ranks *ranks_new(const MillHost *common, TraceLanes lanes, uint32_t level, bool merging, bool keep);
/* Whether another lane of the document has the rank of this one. */
bool ranks_shares(const Ranks *r, uint32_t index, int64_t rank);
void ranks_free(Ranks *r);
RankView ranks_view(Ranks *r, const MillEvent *e);

/* True: nothing of it is written anew.  Others must be asked for. */
static inline bool ranks_plain(const Ranks *r, uint32_t track)
{
  return track < r->tracks->len && g_array_index(r->tracks, uint32_t, track) == TRACK_PLAIN;
}

/* An id below 2^40 becomes place * 2^40 + id, a larger one a hexadecimal text of 64 bits. */
void ranks_put_id(Text *text, uint32_t place, uint64_t id);
/* The same for a plain number: larger ones are hashed to 40 bits. */
int64_t ranks_number(uint32_t place, uint64_t id);
/* The same for an id member; what is not an id is copied. */
void ranks_put_id_value(Text *text, uint32_t place, const char *value, size_t len);
/* A number, plain or as hexadecimal text. */
bool ranks_read_id(const char *value, size_t len, uint64_t *out);
bool ranks_keeps_id(uint32_t place, uint64_t id);

#endif
