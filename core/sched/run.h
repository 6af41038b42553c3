/* A run: inputs, lanes, the plan, and the output. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHED_RUN_H
#define SCHED_RUN_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "host/instance.h"
#include "input/inputs.h"
#include "output/sinks.h"
#include "plan/plan.h"
#include "results/ended-run.h"
#include "sched/outcome.h"
#include "sched/pools.h"
#include "sched/shard.h"
#include "store/store.h"

typedef struct Run Run;
typedef struct Lane Lane;
typedef struct Executor Executor;

/* Whether events are held at barriers, or their input is reread. */
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
  GPtrArray *formats;     /* char *, or NULL: those of the profile, or the default */
  bool formats_asked;     /* the user named them: if one cannot be written, that is an error */
  GPtrArray *sink_set;    /* "trace.file=out.json.gz": options of sinks */
  GPtrArray *command_line;
  GPtrArray *arguments; /* char *: the arguments that results depend on, without folders; or NULL */
  GPtrArray *
      capture; /* char *: output files whose text output_captured(run->out.output, ...) gives, e.g. "summary.txt" */
  /* Other ways to the same results, for tests: lanes run in reverse order; fresh instances
   * replace others after `decide`, if a stage can be replayed; outcomes of lanes stay until the
   * end; files of any size are read by several threads, in pieces of so many bytes. */
  bool backwards, replay, keep_outcomes;
  uint32_t chunk_bytes; /* 0: the default */
  GPtrArray *isolate; /* char *: patterns of stages that work in processes of their own, or NULL */
  int64_t isolate_limit_ns; /* of a call of theirs; 0: the default */
  const char *state;        /* --state: folder of what processes leave for each other; NULL: none */
  Shard shard;              /* which part of the inputs is read; then nothing is written */
  bool no_read;             /* only what is in that folder */
  bool no_findings;         /* rules do not judge the results */
  bool keep_events;         /* after the last stage: see reading.h; nothing writes events then */
  const char *output;       /* folder; NULL: none (results only in memory) */
  const char *output_file;  /* convert: one file instead of a folder */
  int64_t timeout_s;
} RunOptions;

typedef struct Account { /* of the events of a lane */
  uint64_t read;         /* from its input */
  uint64_t ended[FATES]; /* after the last stage, by their fate */
} Account;

typedef enum LaneFrom {
  LANE_READ,     /* this process reads its input */
  LANE_TAKEN,    /* another one has, and left its outcome */
  LANE_ELSEWHERE /* only others need its outcome */
} LaneFrom;

struct Lane {
  LaneFrom from;
  LaneInfo *info;
  Input *input; /* NULL: the merged stream */
  PlanClass *class;
  Instance **instances;      /* one per stage of the plan; NULL: not open */
  LaneOutcome *outcome;      /* from its end until it is folded */
  Reported **results;        /* what stays of the outcome, by stage; NULL: nothing was reported */
  Instance **sinks;          /* one per sink */
  struct Reread *reread;     /* if its input is reread at the first barriers, or NULL */
  Store *store;              /* what the next segment reads */
  Store *kept;               /* events after the last stage, see RunOptions.keep_events; or NULL */
  const void *kept_for;      /* the reading that stands in them */
  struct Merge *merge;       /* the merged stream reads this first */
  const GPtrArray *segments; /* those of the class; after a split those of the joint plan */
  guint next_segment;
  uint32_t threads;       /* number of threads for it */
  uint64_t spilled_bytes; /* of its events, to a temporary file */
  Account account;
  bool at_barrier;
  bool through; /* its outcome was complete */
  _Atomic bool done;
  Error *error;
};

typedef struct Lanes {
  GPtrArray *list;      /* Lane *, in the order of their inputs */
  Lane *merged;         /* the stream of all lanes, or NULL */
  GHashTable *segments; /* segments of lanes, by their class */
} Lanes;

typedef struct Totals { /* what the lanes add up to */
  struct Fold *folds;   /* run-level instances, one per stage of the plan */
  pthread_mutex_t fold_lock;
  guint next_fold; /* the lanes before this one are merged into the run-level instances */
  bool fold_failed;
  Error **lost; /* one per stage: why it is gone; NULL: it is there */
  pthread_mutex_t lost_lock;
  Counters *counters; /* one per stage, summed */
  Notices *notices;   /* the same, over lanes that have ended */
} Totals;

typedef struct OutputSide {
  Sinks *sinks;
  Output *output;
  uint32_t n_early_notices; /* notices of the results that sinks saw */
  bool written;             /* the output is in place */
} OutputSide;

typedef struct Control {   /* the time limit, and early ends */
  int64_t started_ns;      /* monotonic */
  _Atomic int cancelled;   /* 0, or the exit status to end with */
  _Atomic int lane_failed; /* a lane failed in a way that ends the run, so the others stop */
  _Atomic bool
      delicate; /* the output is being made or put in place: a second signal must not end the process */
} Control;

struct Run {
  RunOptions options;
  Modules *modules;
  const Executor *executor;
  HostEnv env; /* what instances may use of the run */
  Pools pools;
  SetAside aside;
  Inputs *inputs;
  Plan *plan; /* NULL until it is made */
  Lanes lanes;
  Totals totals;
  OutputSide out;
  struct Shared *shared; /* NULL: without --state */
  EndedRun *ended;       /* NULL until its lanes have ended */
  Control control;
};

void run_cancel(Run *run, int status); /* ends the run with this status; safe in a signal handler */
/* After run_execute, until run_free: tables, metrics and notices; NULL: none. */
const MillResults *run_results(const Run *run);

#endif
