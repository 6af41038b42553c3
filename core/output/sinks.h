/* The sinks of a run: which ones, and when they are called. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_SINKS_H
#define OUTPUT_SINKS_H

#include <stdatomic.h>

#include "host/instance.h"
#include "model/option.h"
#include "output/output.h"
#include "plan/modules.h"

typedef struct Sink {
  const Descriptor *descriptor;
  OptionValues *options;
  Output *output;
  Instance *instance;   /* of the run level */
  Notices lane_notices; /* of its lane instances, summed */
  atomic_bool wrote;    /* it named a file, which exists even if it is empty */
} Sink;

typedef struct Sinks {
  const HostEnv *env;
  Output *output;
  GPtrArray *list; /* Sink * */
  bool asked; /* the user named the formats: each must find its program, and something to write */
  Notices missing; /* of the engine: sinks that were left out because their program is missing */
  bool begun;
  pthread_mutex_t begin_lock;
} Sinks;

/* Chosen by their formats; settings: char *, "trace.file=out.json.gz". */
Error *sinks_new(Modules *modules, const char *const *formats, const GPtrArray *settings,
                 Sinks **out);
void sinks_free(Sinks *s);
/* After all lanes have ended: what sinks have counted so far, each sink once. */
void sinks_each_notices(const Sinks *s, void (*take)(void *context, const Notices *sum),
                        void *context);
/* What sinks have counted since then, while they wrote results. */
void sinks_each_late(const Sinks *s, void (*take)(void *context, const Notices *sum),
                     void *context);
bool sinks_write_events(const Sinks *s); /* whether some sink writes events */
bool sinks_read_raw(const Sinks *s);
/* Each attribute that some sink reads. */
void sinks_each_read(const Sinks *s, void (*take)(void *context, MillRead read), void *context);

Error *sinks_open(Sinks *s, const HostEnv *env, Output *output);
/* The instances of a lane: one per sink, NULL for a sink that writes no events. They are opened
 * when first needed, and freed by sinks_finish_lane or sinks_free_lane. */
Error *sinks_open_lane(Sinks *s, LaneInfo *lane, Instance **instances);
Error *sinks_write(Sinks *s, const LaneInfo *lane, Instance **instances, Batch *b);
/* goes_on: its events are written later, by the merged stream or by the lanes after its split,
 * which then give the head of the files. */
Error *sinks_finish_lane(Sinks *s, const LaneInfo *lane, bool goes_on, Instance **instances);
void sinks_free_lane(const Sinks *s, Instance **instances);
/* After all lanes have ended. */
Error *sinks_end(Sinks *s, const MillResults *results);
/* After the output is in place: an error for formats that the user named and that wrote nothing. */
Error *sinks_unwritten(const Sinks *s);

#endif
