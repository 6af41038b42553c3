/* What the stage step-parts knows of a rank, and of all ranks. */
#ifndef STEP_PARTS_FACTS_H
#define STEP_PARTS_FACTS_H

#include <stagemill/stage.h>

#include "kit/state/keyed.h"
#include "kit/trace/coll-match.h"
#include "torch/lib/device-sweep.h"
#include "torch/lib/host-marks.h"
#include "torch/lib/step-windows.h"

enum {
  TABLE_PARTS,
  TABLE_SPANS,
  TABLE_COPIES,
  TABLE_COLLECTIVES,
  TABLE_ARRIVALS,
  TABLE_GAPS,
  TABLE_ALLOCATIONS
};

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
} WorkInfo;
#define NO_CALL UINT32_MAX
enum { STEPS_JUDGED = 5 }; /* habits show from so many steps on */

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

typedef struct Facts {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym call_start, call_dur, call_track, step;
  int64_t sync_slack_ns;
  bool has_frames; /* the profiler recorded frames of Python, which slows the host */
  uint64_t *n_groups; /* of all run-level instances; NULL: nothing is merged */
  DeviceWorks works;
  WorkInfo *infos;
  size_t n_infos, info_capacity;
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
} Facts;

/* Divides the steps of a lane among causes, once all of its events were seen.  Here and below false means that memory was refused. */
bool facts_divide(Facts *);

/* An idle time of a device, and why: parts of a gap that follow one another. */
typedef struct IdlePart {
  int64_t from_ns, to_ns;
  Cause cause;
  MillSym
      name; /* of the outermost operator or annotation around what caused it, else of that itself; 0: not known */
} IdlePart;
typedef struct Gap {
  const Facts *facts;
  const WorkInfo *next; /* the work that ends it; NULL: none does */
  int64_t now_ns, to_ns;
  IdlePart rest; /* what is said of an instant that nothing else explains */
} Gap;
Gap gap_explain(const Facts *, const SweepPiece *);
bool gap_next(Gap *, IdlePart *out);

/* On the run level: divides the communication of each step into wait and transfer.  Rows of collectives follow, then those of
 * steps; 0, or what the host returned. */
int arrivals_report(Facts *);
int steps_report(const Facts *);

#endif
