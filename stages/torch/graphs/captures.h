/* Captures of graphs: the launches that a program recorded, with the operators around each. */
/* SPDX-License-Identifier: MIT */
#ifndef GRAPHS_CAPTURES_H
#define GRAPHS_CAPTURES_H

#include "kit/state/names.h"
#include "kit/state/state.h"

enum { CAPTURE_LETTERS = 60 }; /* of a name, so many letters and digits tell launches apart */

/* Where there are none: -1. */
typedef struct CaptureLaunch {
  uint32_t name, stack, calls; /* numbers of texts: see launch_key, GRAPH_STACK, GRAPH_CALLS */
  int64_t graph, node;         /* of the graph that it became */
} CaptureLaunch;

typedef struct Capture { /* launches that follow each other in the list of all */
  uint32_t file;         /* number of a text */
  uint32_t n;
  int64_t rank; /* -1: of any */
} Capture;

typedef struct Captures {
  Names texts;
  CaptureLaunch *launches;
  size_t n_launches, launches_capacity;
  Capture *captures; /* of one file in the order of time */
  size_t n, capacity;
} Captures;

extern const StateType captures_state;

/* What launches and device work have in common: the first letters and digits of the kernel's name; of copies and fills, which a
 * device may do by kernels, what they do. */
typedef enum LaunchKind { LAUNCH_KERNEL, LAUNCH_COPY, LAUNCH_FILL } LaunchKind;
MillSym launch_key(const MillHost *common, LaunchKind kind, MillSym kernel);

#endif
