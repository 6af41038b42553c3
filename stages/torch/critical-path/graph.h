/* What waited for what in a piece of a trace, and the chain that took the longest.
 *
 * Nodes are starts and ends of slices.  Time passes along a thread while something is open on it, along device work, from a
 * call to the start of what it launched where the stream had nothing else to do, and between neighbours of a stream.
 * What waits for the device, and a stream that waits for another one, are tied to what they waited for at no cost. */
/* SPDX-License-Identifier: MIT */
#ifndef CRITICAL_PATH_GRAPH_H
#define CRITICAL_PATH_GRAPH_H

#include "torch/lib/order.h"
#include <stagemill/types.h>

#define NO_ITEM UINT32_MAX

typedef enum Bound {
  BOUND_CPU,
  BOUND_COMPUTE,
  BOUND_COMMUNICATION,
  BOUND_LAUNCH,
  BOUND_NEIGHBOUR,
  BOUND_SYNC,
  BOUND_LOADING,
  N_BOUNDS
} Bound;

enum {
  ITEM_DEVICE = 1,
  ITEM_CALLED = 2,
  ITEM_COMMUNICATES = 4,
  ITEM_WAITS = 8,
  ITEM_LOADS = 16,
  ITEM_CRITICAL = 32
};

typedef struct Item {
  int64_t start_ns, end_ns, launch_ns;
  uint32_t row;          /* a track of the host, or the number of a stream */
  uint32_t launch_track; /* where it was launched */
  uint32_t track;        /* of the event */
  MillSym name;
  uint32_t outer; /* what is open around it */
  uint32_t flags;
} Item;

typedef struct StreamWait { /* of one stream for another */
  int64_t ts_ns;
  uint32_t stream, other;
} StreamWait;

typedef struct PathStep { /* time along one slice, or before it */
  int64_t enter_ns, leave_ns, time_ns;
  uint32_t item;
  Bound bound;
} PathStep;

typedef struct Edge { /* the one by which a node is reached last */
  int64_t best_ns;    /* along the longest chain; -1: not reached yet */
  uint32_t from, item;
  Bound bound;
} Edge;

typedef struct Row { /* of the host or of the device, while nodes pass */
  uint32_t last_node, open, last_end;
  uint32_t next_wait; /* of a stream: in `waits` */
} Row;

typedef struct Graph { /* { .common = common } is empty */
  const MillHost *common;
  Item *items;
  StreamWait *waits;
  size_t n_items, n_waits, items_capacity, waits_capacity;
  OrderKey *nodes, *calls, *wait_order;
  size_t n_calls;
  Edge *edges;
  Row *tracks, *streams;
  size_t n_tracks, n_streams;
  uint32_t last_work; /* node of the end of device work that ended last */
  PathStep *path;     /* in order of time */
  size_t n_path, path_capacity;
} Graph;

/* Here and below false means that memory was refused. */
bool graph_add_item(Graph *, const Item *);
bool graph_add_wait(Graph *, const StreamWait *);
/* The path among all that were added. */
bool graph_solve(Graph *);

#endif
