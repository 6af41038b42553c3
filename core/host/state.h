/* What an instance is while it lives; what is done with it is in instance.h. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_STATE_H
#define HOST_STATE_H

#include <pthread.h>

#include "host/away.h"
#include "host/env.h"
#include "model/batch.h"
#include "model/descriptor.h"
#include "model/notice.h"
#include "model/rows.h"
#include "model/summary.h"

typedef struct Counters { /* for --timings and run.json */
  uint64_t events_in, events_out, emitted;
  uint64_t dropped[FATES];
  uint64_t
      told; /* of those dropped: usable, but later counted in a notice of events that are left out */
  uint64_t time_ns;
} Counters;

static inline uint64_t counters_dropped(const Counters *c)
{
  uint64_t n = 0;
  for (Fate f = FATE_USABLE; f < FATES; f++) n += c->dropped[f];
  return n;
}

typedef struct VerifySide { /* of --verify: what went into or out of an instance so far */
  MillEvent last;
  bool any, disorder;
  uint64_t halves; /* begins and ends */
} VerifySide;

typedef union HostTables { /* by the kind of the module */
  MillStageHost stage;
  MillSourceHost source;
  MillSinkHost sink;
} HostTables;

struct Instance {
  MillHost common; /* the tables come first: what a module holds are pointers into them */
  HostTables host;
  uint32_t phase;   /* the call it is in, see phase.h; 0: none */
  pthread_t thread; /* that is in the call; for --verify */
  pid_t process;    /* that made it */
  const HostEnv *env;
  SourceEnv source_env;
  SinkEnv sink_env;
  LaneInfo *lane; /* NULL on the run level */
  uint32_t level; /* MILL_LANE, MILL_RUN or MILL_MERGED */
  const Descriptor *descriptor;
  const char *id;
  void *self;
  Tracks *tracks;
  Error *error;
  uint32_t n_failed; /* how often it failed in the call it is in */
  Notices notices;
  uint32_t n_logged;
  uint64_t n_marked; /* events that it marked as left out */
  const AwayOps *away;   /* its stage works in another process; NULL: in this one */
  const FarOps *far;     /* this is that process */
  struct Remote *remote; /* the process, where `away` has made it */
  bool lost;             /* its stage is gone, and the run goes on without */
  bool mute;  /* what it counts and logs now was counted before */
  bool again; /* of a source that reads what was read before: its lane knows what it says */
  Reported *reported;
  uint64_t *shared_count; /* of what is folded; NULL else */
  Summary *summary; /* what put and get work on */
  Counters counters;
  BatchEnd left;          /* the last batch, as it left it */
  struct Memory *scratch; /* until the call returns */
  struct Memory *memory;  /* from `resize` */
  GHashTable *matches;    /* pattern to GByteArray: a byte per symbol */
  const MillPattern *last_pattern;
  GByteArray *last_matches; /* of it: most stages have one pattern */
  GHashTable *kept;         /* handle to Kept */
  uint64_t next_kept;
  GArray *waiting;        /* emitted in their place, which is still to come; see placed.h */
  const GPtrArray *facts; /* that hold before a stage */
  VerifySide verify_in, verify_out;
  const GArray *asked;   /* MillRead: the attributes that it asked for; NULL: whatever there is */
  struct Verify *verify; /* the batch of the call it is in, under --verify */
  struct World *world;   /* before the call, under --verify */
  struct Lent *lent;     /* what it may only read, under --verify */
  bool broken;           /* --verify found something: later findings are not reported */
};

static inline Instance *instance_of(const MillHost *common)
{
  return (Instance *)((uintptr_t)common - offsetof(Instance, common));
}
static inline Instance *instance_of_stage(const MillStageHost *h) { return instance_of(h->common); }
static inline Instance *instance_of_source(const MillSourceHost *h)
{
  return instance_of(h->common);
}
static inline Instance *instance_of_sink(const MillSinkHost *h) { return instance_of(h->common); }

#endif
