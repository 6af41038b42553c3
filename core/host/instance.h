/* An instance of a stage, source or sink, with the host table it sees. */
#ifndef HOST_INSTANCE_H
#define HOST_INSTANCE_H

#include <stagemill/stage.h>

#include "model/error.h"
#include "model/notice.h"
#include "model/rows.h"
#include "model/summary.h"
#include "model/track.h"
#include "store/store.h"

typedef struct Run Run;
typedef struct Lane Lane;
typedef struct Input Input;

typedef struct Counters { /* for --timings and run.json */
  uint64_t events_in, events_out, dropped, emitted, batches;
  uint64_t time_ns;
} Counters;

typedef struct GuardSide { /* of --verify: what went into or out of an instance so far */
  MillEvent last;
  bool any, disorder;
} GuardSide;

typedef struct Instance {
  MillHost host; /* first: what the plug-in holds is a pointer to it */
  Run *run;
  Lane *lane; /* NULL: the run-level instance */
  const MillStage *stage;
  const char *id;
  void *self;
  Tracks *tracks;
  Error *error;
  Notices notices;
  Reported *reported;
  Summary *summary; /* what put and get work on */
  Summary result;   /* of a lane that ended, until it is folded */
  Counters counters;
  GSList *scratch;
  GHashTable *matches; /* pattern to GByteArray: a byte a symbol */
  const MillPattern *last_pattern;
  GByteArray *last_matches; /* of it: most stages have one pattern */
  GHashTable *kept;         /* handle to Kept */
  uint64_t next_kept;
  GuardSide guard_in, guard_out;
  bool guard_broken;
  void *part;               /* sinks: where `output` goes */
  GPtrArray *found;         /* sources that look through a folder: InputSpec */
  const char *folder_label; /* of that folder, or NULL */
} Instance;

static inline Instance *instance_of(const MillHost *host) { return (Instance *)(uintptr_t)host; }

/* Opens nothing yet: the caller then calls ops->open with &out->host. */
Instance *instance_new(Run *run, Lane *lane, const MillStage *stage, const char *id);
void instance_close(Instance *i); /* what it told and counted stays */
void instance_free(Instance *i);
/* The error an operation left behind, or one made from its status; adds the causes of this layer. */
Error *instance_error(Instance *i, const char *doing, int status);
void instance_end_call(Instance *i); /* frees scratch memory */

/* Every call sets instance_current, and what it returns goes through here. */
Error *instance_after_call(Instance *i, const char *doing, int status);
Error *instance_call(Instance *i, const char *doing, int (*op)(void *self)); /* op may be NULL */
/* The operations of a stage; nothing happens where it has none. */
Error *instance_save(Instance *i, uint32_t what, Summary *out);
Error *instance_merge(Instance *i, uint32_t what, Summary *from);
Error *instance_settle(Instance *i);
Error *instance_adopt(Instance *i, Summary *settled);
Error *instance_report(Instance *i);

void host_init(MillHost *host);
/* The parts of the host table, one file each. */
void host_init_events(MillHost *host);
void host_init_results(MillHost *host);
void host_init_edges(MillHost *host);
void host_init_files(MillHost *host);

/* The instance that this thread is inside of, for crash reports; NULL when none. */
extern _Thread_local const Instance *instance_current;

#endif
