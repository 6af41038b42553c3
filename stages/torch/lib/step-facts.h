/* Where the steps of a rank go: each instant of a step has a part and a cause.
 *
 * A lane collects (facts_see), divides its steps once all of its events were seen (facts_close), and is saved
 * (step_facts_state).  Lanes that were merged divide their communication into waiting and transfer (waits_divide). */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_STEP_FACTS_H
#define TORCH_LIB_STEP_FACTS_H

#include <stagemill/stage.h>

#include "kit/state/keyed.h"
#include "kit/state/state.h"
#include "kit/trace/coll-match.h"
#include "torch/lib/device-sweep.h"
#include "torch/lib/host-marks.h"
#include "torch/lib/step-windows.h"

typedef enum Part { PART_COMPUTE, PART_COMM, PART_COPY, PART_IDLE } Part;
typedef enum Cause {
  CAUSE_COMPUTE,
  CAUSE_WAIT, /* for the last rank of a collective */
  CAUSE_TRANSFER,
  CAUSE_UNSPLIT, /* communication of which not all ranks are there */
  CAUSE_COPY,
  CAUSE_LOADER,
  CAUSE_ALLOCATION,
  CAUSE_COLLECTION,
  CAUSE_COMPILE,
  CAUSE_SYNC,
  CAUSE_LAUNCH,
  CAUSE_STREAM,
  CAUSE_UNKNOWN,
  N_CAUSES
} Cause;
extern const char *const cause_names[N_CAUSES]; /* NULL: the part says it all */
extern const char *const part_names[];
Part cause_part(Cause);

typedef struct WorkInfo { /* of a DeviceWork, by its `data`, and of its call */
  int64_t call_ns, call_end_ns;
  uint32_t call_track;
  uint32_t call; /* NO_CALL: it is no collective */
  MillSym name;
  bool called; /* its call is known */
  bool counted; /* the watcher's */
} WorkInfo;
#define NO_CALL UINT32_MAX

typedef struct LaneStep {
  int64_t number, span_ns;
  int64_t sums_ns[N_CAUSES]; /* of all devices */
  bool is_warmup;
} LaneStep;

typedef struct CopyTime { /* of one kind of copy in a step, of all devices */
  uint32_t step;          /* place in the lane */
  MillSym name;
  int64_t exposed_ns, sync_ns;
} CopyTime;

typedef struct CommPiece { /* during which a device did nothing but communicate */
  uint32_t step, call;     /* places in the lane */
  int64_t from_ns, to_ns;  /* from the start of the call */
} CommPiece;

typedef struct
    LaneFacts { /* so many of each list are of this lane, behind those of the lanes before */
  int64_t rank, devices;
  bool has_steps, has_frames;
  uint64_t n_steps, n_copies, n_pieces, n_calls;
} LaneFacts;

typedef struct GapSum {
  int64_t cause;
  MillSym name;
  int64_t gaps, time_ns, longest_ns;
} GapSum;

typedef struct CallSum { /* of allocations of one name */
  int64_t calls, time_ns;
} CallSum;

/* An idle time of a device, and why: parts of a gap that follow one another. */
typedef struct IdlePart {
  int64_t from_ns, to_ns;
  Cause cause;
  MillSym
      name; /* of the outermost operator or annotation around what caused it, else of that itself; 0: not known */
} IdlePart;
/* What a stage wants to know beside the sums of a step, or NULL; false: memory was refused.  `step` is a place in the lane. */
typedef struct Facts Facts;
typedef struct StepWatch {
  bool (*work)(Facts *, const MillBatch *, const MillEvent *); /* after it came into works and infos */
  bool (*busy)(Facts *, const DeviceWork *, size_t step, int64_t time_ns);
  bool (*idle)(Facts *, const IdlePart *, size_t step, int64_t time_ns);
} StepWatch;

struct Facts {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym call_start, call_dur, call_track, step;
  int64_t sync_slack_ns;
  bool has_frames; /* the profiler recorded frames of Python, which slows the host */
  DeviceWorks works;
  WorkInfo *infos;
  size_t n_infos, info_capacity;
  const StepWatch *watch; /* or NULL */
  void *watcher;
  HostMarks marks;
  StepWindows windows;
  Calls calls;
  Keyed *gaps;        /* GapSum, by cause and name */
  Keyed *copy_sums;   /* CopyTime, by step and name */
  Keyed *allocations; /* CallSum */
  /* What is saved, beside calls: */
  LaneFacts *lanes;
  LaneStep *steps;
  CopyTime *copies;
  CommPiece *pieces;
  int64_t *call_steps; /* of calls as they were seen, by number; saved as places; -1: none */
  size_t n_lanes, lane_capacity, n_steps, step_capacity, n_copies, copy_capacity, n_pieces,
      piece_capacity, n_call_steps, call_step_capacity;
};

/* Here and below false means that memory was refused. */
bool facts_open(Facts *, const MillStageHost *);
bool facts_see(Facts *, const MillBatch *);
/* Divides the steps of a lane among causes, once all of its events were seen. */
bool facts_close(Facts *);
/* What a lane saves, and what merged lanes have. */
extern const StateType step_facts_state;
/* Of the lane at hand; one that has no rank is known by its number. */
int64_t facts_rank(const Facts *);
/* Before the lane is saved: the profiler recorded frames of Python, though a filter may have taken them away. */
bool facts_learn_frames(Facts *);

/* Pieces of an idle time follow one another. */
typedef struct Gap {
  const Facts *facts;
  const WorkInfo *next; /* the work that ends it; NULL: none does */
  int64_t now_ns, to_ns;
  IdlePart rest; /* what is said of an instant that nothing else explains */
} Gap;
Gap gap_explain(const Facts *, const SweepPiece *);
bool gap_next(Gap *, IdlePart *out);

typedef struct CollectiveSum { /* of one collective in a step of a rank, of all devices */
  uint32_t lane, step;
  const char *name;
  int64_t wait_ns, transfer_ns, unsplit_ns;
} CollectiveSum;

/* The communication of merged lanes. */
typedef struct Waits {
  Facts *facts;
  int (*see)(const struct Waits *, const Collective *); /* each whose ranks are all there */
  void *owner;
  const Call **calls;          /* by place among those of all lanes, as they were saved */
  int64_t *waits_ns;           /* by place */
  const LaneStep **steps;      /* by place; NULL: in none */
  const LaneStep **lane_steps; /* the first of each lane */
  Keyed *sums;                 /* CollectiveSum, by lane, step and name */
} Waits;
/* Adds to the sums of steps and to `sums`; 0, or a failure. */
int waits_divide(Waits *);

#endif
