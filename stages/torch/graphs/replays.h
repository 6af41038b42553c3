/* Graph launches of a trace, and the device work of each. */
/* SPDX-License-Identifier: MIT */
#ifndef GRAPHS_REPLAYS_H
#define GRAPHS_REPLAYS_H

#include <stagemill/stage.h>

#include "captures.h"
#include "kit/devices/torch-words.h"
#include "kit/state/pairmap.h"
#include "kit/state/symmap.h"
#include "torch/lib/order.h"

typedef struct Piece { /* of device work; where there are no ids: -1 */
  int64_t correlation, start_ns, dur_ns;
  int64_t graph, node;
  uint32_t track;
  MillSym key;
  uint32_t replay; /* its number, from 0, after replays_close */
  uint32_t launch; /* of all captures, plus 1; 0: not found */
} Piece;

typedef struct Replay {
  int64_t correlation, start_ns;
  uint32_t first, n; /* of `order` */
  uint32_t capture;  /* plus 1; 0: none */
  uint32_t matched;
  int64_t time_ns, matched_ns; /* sums of durations */
} Replay;

typedef struct Replays {
  const MillHost *common;
  TorchWords words;
  SymClass graph_calls;
  SymMap keys; /* of kernels */
  MillSym correlation, graph, graph_node;
  PairMap numbers; /* of graph launches by correlation, plus 1 */
  Replay *items;
  size_t n, capacity;
  Piece *pieces; /* in the order of events */
  size_t n_pieces, pieces_capacity;
  uint32_t *order; /* of pieces, by replay and start */
  size_t next;     /* in the second pass */
} Replays;

/* Here and below false means that memory was refused. */
void replays_open(Replays *, const MillHost *);
bool replays_see(Replays *, const MillBatch *, const MillEvent *);
/* Only work of graph launches stays, sorted into these, which are sorted by start. */
bool replays_close(Replays *);
/* The piece of an event that comes again, in order; NULL: it is none. */
const Piece *replays_next(Replays *, const MillBatch *, const MillEvent *);

#endif
