/* The sinks of a run: which ones, and when they are called. */
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
  atomic_bool wrote;    /* it named a file, which is there even if it is empty */
} Sink;

typedef struct Sinks {
  const HostEnv *env;
  Output *output;
  GPtrArray *list; /* Sink * */
  bool asked; /* the user named their formats: each must find its program, and something to write */
  Notices missing; /* of the engine: sinks that were left out since they do */
  bool begun;
  pthread_mutex_t begin_lock;
} Sinks;

/* Chosen by their formats; settings: char *, "trace.file=out.json.gz". */
Error *sinks_new(Modules *modules, const char *const *formats, const GPtrArray *settings,
                 Sinks **out);
void sinks_free(Sinks *s);
/* Once all lanes are through: what they counted until then, each once. */
void sinks_each_notices(const Sinks *s, void (*take)(void *context, const Notices *sum),
                        void *context);
/* What they counted since then: while they wrote results. */
void sinks_each_late(const Sinks *s, void (*take)(void *context, const Notices *sum),
                     void *context);
bool sinks_write_events(const Sinks *s); /* some sink does */
bool sinks_read_raw(const Sinks *s);
/* Each attribute that some sink looks at. */
void sinks_each_read(const Sinks *s, void (*take)(void *context, MillRead read), void *context);

Error *sinks_open(Sinks *s, const HostEnv *env, Output *output);
/* The instances of a lane: one per sink, NULL for those that write no events.  Opened when first asked
 * for; freed by sinks_finish_lane or sinks_free_lane. */
Error *sinks_open_lane(Sinks *s, LaneInfo *lane, Instance **instances);
Error *sinks_write(Sinks *s, const LaneInfo *lane, Instance **instances, Batch *b);
/* goes_on: its events are written later, by the merged stream or the lanes that it is split into, which then give
 * the head of the files. */
Error *sinks_finish_lane(Sinks *s, const LaneInfo *lane, bool goes_on, Instance **instances);
void sinks_free_lane(const Sinks *s, Instance **instances);
/* All lanes are through. */
Error *sinks_end(Sinks *s, const MillResults *results);
/* Once the output is in place: formats that the user named and that wrote nothing. */
Error *sinks_unwritten(const Sinks *s);

#endif
