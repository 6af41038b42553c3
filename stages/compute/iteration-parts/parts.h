/* What the parts of compute/iteration-parts share.
 *
 * Each instant of an iteration belongs to one part: a kernel runs, else data is moved, else a kernel is prepared, else the
 * device has nothing to do.  What is moved for a collective before its last rank has come is waiting; where other ranks are not known, or
 * are not on one clock, it is not split. */
/* SPDX-License-Identifier: MIT */
#ifndef ITERATION_PARTS_H
#define ITERATION_PARTS_H

#include "kit/devices/device.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"
#include "kit/trace/stamps.h"

enum { TABLE_PARTS, TABLE_LATENESS };
typedef enum Part { PART_COMPUTE, PART_WAIT, PART_TRANSFER, PART_UNSPLIT, PART_PREP, PART_GAP, N_PARTS } Part;
typedef enum Does { DOES_COMPUTE, DOES_TRANSFER, DOES_PREP, N_DOES } Does; /* the first counts */

#define NO_MEMBER UINT32_MAX

typedef struct Work { /* of the device, by start */
  int64_t start_ns, end_ns;
  uint32_t member; /* of a transfer: place of the collective; or NO_MEMBER */
} Work;

typedef struct Works {
  Work *items;
  size_t n, capacity;
} Works;

typedef struct Iteration {
  int64_t from_ns, to_ns;
  int64_t sums_ns[N_PARTS];
} Iteration;

typedef struct Member { /* what a rank does in one collective */
  MillSym group;
  int64_t round; /* how often the same message was there before */
  int64_t first_ns, end_ns;
} Member;

typedef struct Piece { /* while a device did nothing but move data of a collective */
  uint32_t iteration, member; /* places in the lane */
  int64_t from_ns, to_ns;
} Piece;

typedef struct LaneParts { /* so many of each list are of this lane, behind those of the lanes before */
  int64_t rank;
  uint64_t n_iterations, n_members, n_pieces;
} LaneParts;

typedef struct Parts {
  const MillStageHost *host;
  const MillHost *common;
  StampReader stamps;
  DeviceWords words;
  MillSym group_key;
  Works works[N_DOES];
  MillSym *names; /* of kernels, works[DOES_COMPUTE] */
  size_t n_names, name_capacity;
  Keyed *rounds; /* int64_t, by group and name */
  Keyed *places; /* uint32_t + 1, by group and round */
  /* What is saved: */
  LaneParts *lanes;
  Iteration *iterations;
  Member *members;
  Piece *pieces;
  size_t n_lanes, lane_capacity, n_iterations, iteration_capacity, n_members, member_capacity, n_pieces,
      piece_capacity;
} Parts;

/* Finds the iterations of a lane and divides them, once all of its events were seen.  False: memory was refused. */
bool parts_divide(Parts *);

typedef struct Lateness { /* of a lane */
  int64_t collectives, last;
} Lateness;
/* On the run level: divides what was moved for collectives into waiting and transfer.  out: one for each lane.  False: memory was
 * refused. */
bool parts_split(Parts *, Lateness *out);

#endif
