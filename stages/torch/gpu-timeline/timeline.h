/* What is known about the time of a device, and the rows that it becomes. */
/* SPDX-License-Identifier: MIT */
#ifndef GPU_TIMELINE_TIMELINE_H
#define GPU_TIMELINE_TIMELINE_H

#include <stagemill/stage.h>

#include "kit/devices/device-time.h"
#include "kit/devices/torch-words.h"
#include "kit/numbers/moments.h"
#include "kit/state/symclass.h"
#include "launches.h"

enum { NOTICE_NOTHING = 1, NOTICE_NO_LAUNCH, NOTICE_LEFT_OUT, NOTICE_STRANGE };
enum { TABLE_LANE, TABLE_MEAN };
enum { N_SHARES = 6 }; /* metrics that are shares of one time in another */

/* What the tables list: the times of device-time.h, and one that is not of a union. */
enum {
  UNLINKED = N_DEVICE_TIMES, /* only of lanes that have launches */
  N_TYPES
};
typedef struct Options {
  const MillPattern *categories, *communication, *memcpy;
  int64_t micro_idle_ns;
  bool linked_only;
  MillList by;
} Options;

typedef struct Strange { /* what has a stream and an unknown category */
  uint64_t events;
  int64_t ns;
  MillSym cat;
} Strange;

typedef struct Timeline {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  SymClass names, cats;
  TorchWords words;
  Strange strange;
  MillSym correlation, stream;
  Launches launches;
  DeviceTime device;
  uint64_t n_unlinked;
  int64_t unlinked_ns, work_ns; /* sums of durations */
  Moments times[N_TYPES];       /* one value per lane */
  uint64_t n_all_events, n_all_unlinked;
  bool has_launches; /* a lane has */
} Timeline;

typedef struct LaneRow {
  int64_t row;
  const char *type;
  int64_t time_ns;
  double share;
} LaneRow;

typedef struct MeanRow {
  int64_t row;
  const char *type;
  double mean_ns, share;
  int64_t min_ns, max_ns, ranks;
} MeanRow;

/* Calls of the stage. */
int timeline_report(void *instance);
int timeline_report_run(void *instance);

#endif
