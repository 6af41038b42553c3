/* A run: inputs, lanes, the plan at work, and what comes out. */
#ifndef SCHED_RUN_H
#define SCHED_RUN_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "host/instance.h"
#include "input/input.h"
#include "output/sinks.h"
#include "plan/plan.h"
#include "results/results.h"
#include "sched/outcome.h"
#include "store/store.h"

typedef struct Run Run;
typedef struct Lane Lane;
typedef struct Executor Executor;

/* Whether events wait at barriers, or their input is read again. */
typedef enum { HOLD_AUTO, HOLD_ALWAYS, HOLD_NEVER } HoldMode;

typedef struct RunOptions {
  uint32_t jobs;
  uint64_t max_memory_bytes; /* 0: the default */
  uint32_t batch_events;     /* 0: the default */
  HoldMode hold;
  bool strict, recover, keep_going, verify, timings, force, sync, cascade;
  const char *source;     /* --source NAME, or NULL */
  GPtrArray *sources;     /* char *: outside sources that may be tried, or NULL */
  GPtrArray *source_set;  /* "acme.csv.delimiter=;": options of sources */
  const char *rank_regex; /* or NULL */
  GPtrArray *dump_after;  /* char * ids, or NULL */
  GPtrArray *formats;     /* char *, or NULL: the profile's or the default */
  bool formats_asked;     /* the user named them: one that cannot be written is an error */
  GPtrArray *sink_set;    /* "trace.file=out.json.gz": options of sinks */
  GPtrArray *command_line;
  GPtrArray *arguments; /* char *: of it what results depend on, without folders; or NULL */
  GPtrArray *
      capture; /* char *: output files whose text output_captured(run->output, ...) gives, e.g. "summary.txt" */
  /* Other ways to the same results, for tests: lanes are served from the last one on; lanes go on
   * in fresh instances after `decide`, where a stage can; what came of lanes stays until the end. */
  bool backwards, replay, keep_outcomes;
  const char *output;      /* folder; NULL: none (results only in memory) */
  const char *output_file; /* convert: one file instead of a folder */
  int64_t timeout_s;
} RunOptions;

typedef struct Account { /* of the events of a lane */
  uint64_t read;         /* from its input */
  uint64_t ended[FATES]; /* after the last stage, by their fate */
} Account;

struct Lane {
  LaneInfo *info;
  Input *input; /* NULL: the merged stream */
  PlanClass *class;
  Instance **instances;      /* one per stage of the plan; NULL: not open */
  LaneOutcome *outcome;      /* once it is through, until it is folded */
  Reported **results;        /* what stays of it, by stage; NULL: nothing was reported */
  Instance **sinks;          /* one per sink */
  struct Again *again;       /* its input is read again at the first barriers, or NULL */
  Store *store;              /* what the next segment reads */
  struct Merge *merge;       /* the merged stream reads this first */
  const GPtrArray *segments; /* of the class, then of the joint plan after a split */
  Lane *next;                /* the lane that follows in the same input */
  guint next_segment;
  uint32_t threads; /* that may work on it at once */
  Account account;
  bool at_barrier;
  bool timed;    /* an event that left its last segment has a time */
  bool has_rows; /* its input gave a row of a table */
  bool eventful; /* its input gave an event; metadata and rows of tables are none */
  bool through;  /* its outcome was complete */
  _Atomic bool done;
  Error *error;
};

struct Run {
  RunOptions options;
  Modules *modules;
  const Executor *executor;
  HostEnv env; /* what instances reach of all this */
  InputEnv input_env;
  Symbols *symbols;
  Budget budget;
  Spill *spill;
  BatchPool *batches;
  BlockPool *blocks, *chunk_blocks, *held_blocks; /* bytes as read, and read again */
  Sources *sources;
  Plan *plan;
  GPtrArray *inputs;      /* Input * */
  GPtrArray *joined;      /* Input *: those that join several of them */
  GPtrArray *lanes;       /* Lane *, in input order */
  Lane *merged;           /* or NULL */
  GPtrArray *left_out;    /* char *: files in folders that are no inputs, each with the reason */
  GPtrArray *expanders;   /* Instance *: of sources that looked through folders */
  struct Fold *folds;     /* run-level instances, one per stage of the plan */
  GHashTable *segments;   /* of lanes, by their class */
  Counters *counters;     /* one per stage, summed */
  Notices *stage_notices; /* the same, of lanes that are through */
  Sinks *sinks;
  Output *output;
  pthread_mutex_t fold_lock;
  guint next_fold; /* lanes before this one were merged into the run-level instances */
  bool fold_failed;
  _Atomic uint64_t spilled_bytes;
  _Atomic int lane_failed; /* in a way that ends the run: the others stop */
  GPtrArray *failures;     /* Error *, of lanes under keep_going */
  Notices notices;         /* the engine's own */
  _Atomic int cancelled;   /* 0, or the exit status to end with */
  _Atomic bool
      delicate; /* its output is being made or put in place: nobody ends the process by a second signal */
  int64_t started_ns; /* monotonic */
  Results *results;
  GPtrArray *input_hashes;  /* char *, once a sink asked for them */
  uint32_t n_early_notices; /* of them, those that sinks saw */
  bool written;             /* its output is in place */
};

/* What run_profile is asked for. */
typedef struct RunJob {
  Modules *modules;
  GPtrArray *inputs; /* InputSpec *: taken */
  const RunOptions *options;
  void *context; /* what the callbacks get */
  /* The profile, resolved, once the inputs were looked at. */
  Error *(*choose)(void *context, Run *run, Profile **out);
  /* Around the reading, for progress and signals; or NULL. */
  void (*begin)(void *context, Run *run);
  void (*end)(void *context, Run *run);
} RunJob;

/* A run from end to end: opens, plans, runs, commits.  *out is the run, or NULL when its inputs could not be
 * opened; the caller frees it. */
Error *run_profile(const RunJob *job, Run **out);

/* ---- its steps.  Opens and looks at the inputs: formats, ranks, dialects, facts. */
Error *run_new(Modules *modules, GPtrArray *inputs, const RunOptions *options, Run **out);
/* Takes the profile (resolved).  Makes the plan, and the sinks. */
Error *run_plan(Run *run, Profile *profile, bool cascade);
/* Whether a plan can be made of the (resolved) profile, which it takes. */
Error *run_fits(const Run *run, Profile *profile);
/* Does it all: output is committed on success and removed on failure.  On SIGINT (run_cancel) the error's
 * status is that of the signal. */
Error *run_execute(Run *run);
/* After run_execute: tables, metrics and notices, until run_free. */
const MillResults *run_results(const Run *run);
/* Under keep_going what is wrong with an input, or a folder of them, is kept: NULL.  Else it comes back. */
Error *run_set_aside(Run *run, Error *e);
/* What was kept, once; the caller frees it. */
Error *run_failures(Run *run);
/* Bytes of all inputs on disk, those read and all of them (0: unknown); any thread. */
void run_progress(const Run *run, uint64_t *out_done, uint64_t *out_size);
uint64_t run_events(const Run *run); /* read so far */
/* The lanes in input order, and after them the merged stream, if there is one; then NULL. */
Lane *run_lane(const Run *run, guint index);
void run_free(Run *run);
void run_cancel(Run *run, int status); /* it ends with this status; safe in a signal handler */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Run, run_free)

#endif
