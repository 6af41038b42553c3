/* A run: inputs, lanes, the plan at work, and what comes out. */
#ifndef SCHED_RUN_H
#define SCHED_RUN_H

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "model/symbol.h"
#include "plan/plan.h"
#include "sched/fold.h"
#include "host/instance.h"
#include "output/output.h"

typedef struct InputSpec { /* as the command line named it */
  char *path;
  char *label;
  GPtrArray *tags; /* "name=value" */
  int64_t rank;    /* from a {rank} pattern; -1: none */
  bool folder;     /* to be replaced by what is in it */
  bool optional;   /* found in a folder: passed by when it is empty or no source knows it */
  char *source;    /* the one that reads it; NULL: whoever knows its bytes */
  GPtrArray *card_tags, *hints; /* "name=value", or NULL: see tags.h */
} InputSpec;
InputSpec *input_spec_new(const char *path);
void input_spec_free(InputSpec *s);

typedef struct RunOptions {
  uint32_t jobs;
  uint64_t max_memory_bytes; /* 0: the default */
  uint32_t batch_events;     /* 0: the default */
  bool strict, recover, keep_going, verify, timings, force;
  const char *source;     /* --source NAME, or NULL */
  const char *rank_regex; /* or NULL */
  GPtrArray *dump_after;  /* char * ids, or NULL */
  GPtrArray *formats;     /* char *, or NULL: the profile's or the default */
  GPtrArray *sink_set;    /* "trace.file=out.json.gz": options of sinks */
  GPtrArray *command_line;
  GPtrArray *
      capture; /* char *: output files whose text output_captured(run->output, ...) gives, e.g. "summary.txt" */
  const char *output;      /* folder; NULL: none (results only in memory) */
  const char *output_file; /* convert: one file instead of a folder */
  int64_t timeout_s;
} RunOptions;

struct Lane {
  uint32_t index;
  Input *input; /* NULL: the merged stream */
  int64_t rank;
  _Atomic int64_t base_ns; /* sinks of other lanes may look while a source tells it */
  int64_t late_base_ns;    /* told after base_ns was used, see late.h */
  bool base_known, base_fixed, base_late;
  char *name, *label, *dialect, *rank_origin;
  GPtrArray *tags; /* Tag */
  GPtrArray *facts;
  GPtrArray *members; /* LaneMember */
  PlanClass *class;
  Tracks *tracks;
  Instance **instances; /* one a stage of the plan; NULL: not open */
  Instance **sinks;     /* one a sink */
  Store *store;         /* what the next segment reads */
  struct Merge *merge;  /* the merged stream reads this first */
  GPtrArray *segments;  /* of the class, then of the joint plan after a split */
  guint next_segment;
  bool at_barrier;
  bool reported;  /* its instances have */
  bool passed_by; /* its source found nothing of its kind: results of the run are without it */
  _Atomic bool done;
  uint64_t next_seq; /* for events that flush makes */
  uint64_t n_events;
  Error *error;
};

typedef struct LaneMember {
  char *key;
  GBytes *json;
  bool after_events;
} LaneMember;

typedef struct Sink {
  const MillStage *stage;
  OptionValues *options;
  Instance *instance;   /* run-level */
  Notices lane_notices; /* of its lane instances, summed */
} Sink;

struct Run {
  RunOptions options;
  Modules *modules;
  Symbols *symbols;
  Budget budget;
  Spill *spill;
  BatchPool *batches;
  BlockPool *blocks, *chunk_blocks;
  Plan *plan;
  GPtrArray *inputs;  /* Input * */
  GPtrArray *lanes;   /* Lane *, in input order */
  Lane *merged;       /* or NULL */
  GPtrArray *names;   /* char *: of all modules */
  GPtrArray *sources; /* const Module *: those opened so far, see run_source */
  guint next_name;
  GPtrArray *expanders; /* Instance *: of sources that looked through folders */
  Fold *folds;          /* run-level instances, one a stage of the plan */
  Counters *counters;   /* one a stage, summed */
  GPtrArray *sinks;     /* Sink * */
  Output *output;
  bool want_raw, sinks_begun;
  pthread_mutex_t fold_lock;
  guint next_fold; /* lanes before this one were folded into the run-level instances */
  _Atomic uint64_t spilled_bytes;
  _Atomic int lane_failed; /* a lane failed: the others stop */
  GPtrArray *failures;     /* Error *, of lanes under keep_going */
  Notices notices;         /* the engine's own */
  _Atomic int cancelled;   /* 0, or the exit status to end with */
  int64_t started_ns;      /* monotonic */
  struct Results *results;
};

/* Opens and looks at the inputs: formats, ranks, dialects, facts. */
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
/* Bytes of all inputs on disk, those read and all of them (0: unknown); any thread. */
void run_progress(const Run *run, uint64_t *out_done, uint64_t *out_size);
/* Events read so far and held bytes' peak, for the last line of `run`. */
uint64_t run_events(const Run *run);
void run_free(Run *run);
/* The sources by name, opened as they are asked for; NULL behind the last one. */
const Module *run_source(Run *run, guint index);
/* The lanes in input order, and behind them the merged stream, if there is one; then NULL. */
Lane *run_lane(const Run *run, guint index);
/* Work on all of them, in as many threads as there are jobs. */
void run_each_lane(Run *run, const GPtrArray *lanes, void (*work)(Run *run, Lane *lane));
bool run_cancelled(const Run *run);
Error *run_stopped(const Run *run); /* the error of a cancelled run */
/* The segments of a lane of this class, and room for its instances. */
void run_prepare_lane(Run *run, Lane *lane, PlanClass *class);
/* For signal handlers: the one run that SIGINT ends. */
void run_cancel(Run *run, int status);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Run, run_free)

#endif
