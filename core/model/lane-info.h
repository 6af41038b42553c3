/* What is known of a lane: who it is, and what its source reported. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANE_INFO_H
#define MODEL_LANE_INFO_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "model/summary.h"
#include "model/tags.h"
#include "model/track.h"

typedef struct LaneMember { /* of the document, around the events */
  char *key;
  GBytes *json;
  bool after_events;
} LaneMember;

typedef struct RankOfLane {
  int64_t rank;
  uint32_t lane;
} RankOfLane;

typedef struct LaneInfo {
  uint32_t index;
  bool merged;  /* the merged stream of all lanes */
  bool side;    /* it says something about the others, and is none of them: see `side` of a source */
  bool skipped; /* its source found nothing of its kind: results of the run are without it */
  bool streams; /* its events reach the sinks before it has met the other lanes */
  int64_t rank; /* -1: none */
  char *rank_origin;
  const GArray *ranks; /* RankOfLane, of all traces by rank and lane; NULL: nobody has looked yet */
  char *name, *label, *dialect;
  char *input;      /* its name in results, see lane-names.h; NULL: as `name` */
  const char *path; /* NULL: standard input, or the merged stream */
  /* MILL_NO_BASE: unknown.  Sinks of other lanes may read it while it is set. */
  _Atomic int64_t base_ns;
  int64_t final_base_ns; /* given after base_ns was used */
  bool base_fixed; /* base_ns was used: what the source gives after that is corrected at the end */
  bool base_differs;    /* final_base_ns counts, not base_ns */
  pthread_mutex_t lock; /* of tags and members, see lane_info_lock */
  GPtrArray *tags;      /* Tag */
  GPtrArray *facts;     /* char * */
  GPtrArray *members;   /* LaneMember * */
  Budget *charged_to;   /* with what the members take; NULL: there are none */
  uint64_t charged;
  Tracks *tracks;
  uint64_t n_events;   /* read so far */
  uint32_t next_index; /* of the lane that follows in the same input; 0: none does */
  bool timed;          /* an event that left its last segment has a time */
  bool has_rows;       /* its input gave a row of a table */
  bool eventful;       /* its input gave an event; metadata and rows of tables are none */
  uint64_t next_seq; /* for events that are emitted at the end of a batch */
} LaneInfo;

void lane_info_init(LaneInfo *l, uint32_t index, const char *path);
void lane_info_clear(LaneInfo *l);
/* Around looks at tags and members while the source may still add: other lanes ask for them, too. */
void lane_info_lock(const LaneInfo *l);
void lane_info_unlock(const LaneInfo *l);
/* The more trusted origin wins: "pattern", "--rank-regex", "folder", "metadata", "file name", "first event".  What no job
 * has, below 0 or above the most, is no rank: rows and processes are numbered from it. */
#define LANE_MOST_RANK INT32_MAX
void lane_info_set_rank(LaneInfo *l, int64_t rank, const char *origin);
void lane_info_set_base(LaneInfo *l, int64_t base_ns);
void lane_info_add_fact(LaneInfo *l, const char *fact);                    /* once */
void lane_info_add_member(LaneInfo *l, LaneMember member, Budget *budget); /* takes what is in it */
bool lane_info_has_base(const LaneInfo *l); /* or will have, at the end */
const char *lane_info_input(const LaneInfo *l);
/* As bytes, what may have been found while it was read: rank, base, tags, counts.  Not the members of the document, which
 * only sinks of events ask for. */
void lane_info_save(const LaneInfo *l, Summary *out);
void lane_info_load(LaneInfo *l, Summary *from);
/* The value of a tag, or of what every lane has: rank, label, input and file.  *out_made is for
 * the caller to free, and is what is returned when the value had to be made. */
const char *lane_info_tag(const LaneInfo *l, const char *name, char **out_made);
/* Rank, label and tags as a text: lanes with equal ones are told apart by the names of their inputs only. */
char *lane_info_key(const LaneInfo *l);

#endif
