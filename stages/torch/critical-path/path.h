/* What is known about the path of a lane, and the rows that it becomes. */
/* SPDX-License-Identifier: MIT */
#ifndef CRITICAL_PATH_PATH_H
#define CRITICAL_PATH_PATH_H

#include <stagemill/stage.h>

#include "graph.h"
#include "kit/devices/torch-words.h"
#include "kit/state/names.h"
#include "region.h"

enum { TABLE_PATH, TABLE_EVENTS };
enum { METRIC_CPU };
enum { NOTICE_NO_REGION = 1, NOTICE_NOTHING, NOTICE_MANY, NOTICE_NOT_HERE, NOTICE_NOWHERE };

typedef struct Options {
  const char *within;
  int64_t instance, most_events;
  bool only;
} Options;

typedef struct Path {
  const MillStageHost *host;
  const MillHost *common;
  int64_t lanes, lanes_without; /* those that lack the slice that was asked for */
  Options options;
  TorchWords words;
  SymClass calls; /* of the host, by name: flags of an item */
  MillSym stream, other, call_start, op_start, track, critical, arrow;
  Names streams;
  Graph all; /* every item, in order of the events */
  Regions regions;
  uint32_t *in_graph; /* of each item, its number among those of the region; NO_ITEM */
  Graph graph;        /* those of the region */
  uint32_t *steps;    /* of each item, by which arrow it is entered; NO_ITEM */
  size_t next_item;   /* in the second pass */
  uint64_t next_id;
  int64_t time_ns[N_BOUNDS], events[N_BOUNDS], total_ns;
} Path;

typedef struct PathRow {
  const char *bound;
  int64_t events, time_ns;
  double share;
} PathRow;

typedef struct EventRow {
  int64_t order;
  MillSym name;
  const char *side, *bound;
  int64_t time_ns;
} EventRow;

/* Calls of the stage. */
int path_report(void *instance);
int path_report_run(void *instance);

#endif
