/* Calls of collectives, as kernels of a rank say them. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_COLL_CALLS_H
#define KIT_COLL_CALLS_H

#include <stagemill/stage.h>

#include "kit/state/state.h"
#include "kit/devices/torch-words.h"

typedef enum CallType { /* of the first four all ranks leave together */
                        CALL_ALLREDUCE,
                        CALL_REDUCESCATTER,
                        CALL_ALLGATHER,
                        CALL_ALLTOALL,
                        CALL_ALLTOALLV,
                        CALL_OTHER
} CallType;

typedef struct Call {
  int64_t ts_ns, dur_ns;
  int64_t own_ts_ns; /* in the trace's own time, where ts_ns is in that of all ranks */
  int64_t rank;
  int64_t number;                    /* Seq, else the position in the group */
  int64_t in_elements, out_elements; /* -1: not known */
  int64_t size;                      /* ranks in the group; 0: not known */
  const char *group, *ranks, *name, *dtype, *in_split, *out_split, *stream; /* as long as the run */
  CallType type;
  uint32_t index; /* how many were seen before it in its lane; then the owner's */
  bool has_seq;
} Call;

typedef struct
    Calls { /* { .common = common, .words.common = common } is empty, before calls_open */
  const MillHost *common;
  TorchWords words;
  MillSym keys[11];
  Call *items;
  size_t n, capacity;
  int64_t comm_ns; /* of all communication */
  int64_t max_ns;  /* what lasts longer is left out, and counted; 0: nothing */
  uint64_t n_absurd;
  uint64_t n_bare; /* of nccl or rccl, and without arguments */
  int64_t bare_ns; /* of these */
} Calls;

void calls_open(Calls *, const MillHost *);
/* Here and below false means that memory was refused.  Adds the event if it communicates. */
bool calls_see(Calls *, const MillBatch *, const MillEvent *, int64_t rank);
/* At the end of a lane: in order of time; groups and numbers for those that say none. */
bool calls_close(Calls *);
extern const StateType calls_state; /* the calls alone */

CallType call_type(const char *name);
double call_element_bytes(const Call *);
int64_t call_bytes(const Call *, int64_t elements); /* -1: not known */
/* All that a collective of this type is about: what goes in, of allgather what comes out. */
int64_t call_full(const Call *);
/* Bus bandwidth as a share of the algorithm's. */
double call_bus_factor(const Call *, int64_t size);

/* For a stage's `reads`. */
#define CALLS_READS                                                  \
  { "Collective name", MILL_AS_TEXT, MILL_KIND(MILL_SLICE) },        \
      { "In msg nelems", MILL_AS_INT, MILL_KIND(MILL_SLICE) },       \
      { "Out msg nelems", MILL_AS_INT, MILL_KIND(MILL_SLICE) },      \
      { "Group size", MILL_AS_INT, MILL_KIND(MILL_SLICE) },          \
      { "dtype", MILL_AS_TEXT, MILL_KIND(MILL_SLICE) },              \
      { "In split size", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },       \
      { "Out split size", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },      \
      { "Process Group Name", MILL_AS_TEXT, MILL_KIND(MILL_SLICE) }, \
      { "Process Group Ranks", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }, \
      { "Seq", MILL_AS_INT, MILL_KIND(MILL_SLICE) },                 \
  {                                                                  \
    "stream", MILL_AS_ANY, MILL_KIND(MILL_SLICE)                     \
  }

#endif
