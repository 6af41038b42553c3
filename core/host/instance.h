/* Making, calling and closing instances of stages, sources and sinks. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_INSTANCE_H
#define HOST_INSTANCE_H

#include "host/phase.h"
#include "host/state.h"

/* lane NULL: the run level.  Opens nothing yet. */
Instance *instance_new(const HostEnv *env, LaneInfo *lane, const Descriptor *d, const char *id);
/* What it counted and reported stays.  An error when `close` broke a rule. */
Error *instance_close(Instance *i);
void instance_free(Instance *i);

/* ---- calling: every call of a module begins and ends here */

/* What an operation may ask while it runs depends on the phase. */
void instance_enter(Instance *i, uint32_t phase);
/* The error that the call left behind, or one made from its status, with what it was doing.  A positive status
 * is an answer of a source; of others --verify says that it should not be. */
Error *instance_leave(Instance *i, const char *doing, int status);
/* The call at hand asked for what the header forbids: the instance has failed.  The status to return. */
#define instance_refuse(...) instance_refuse_at(__FILE__, __LINE__, __VA_ARGS__)
int instance_refuse_at(const char *file, uint32_t line, Instance *i, const char *what,
                       const char *why, const char *help);
/* Both, around an operation that takes nothing else; op may be NULL. */
Error *instance_call(Instance *i, uint32_t phase, const char *doing, int (*op)(void *self));
/* A call of a stage with a batch, checked under --verify. */
Error *instance_batch(Instance *i, BatchCall call, Batch *b);

/* The operations of a stage; nothing happens where it has none. */
Error *instance_open_stage(Instance *i, const void *options);
Error *instance_open_source(Instance *i, const void *options);
Error *instance_open_sink(Instance *i, const void *options);
Error *instance_save(Instance *i, int (*op)(void *self), Summary *out);
Error *instance_load(Instance *i, uint32_t phase, const char *doing, int (*op)(void *self),
                     Summary *from);

/* Finds or makes a row of its lane; MILL_FAILED, and it has failed, when the values name none. */
uint32_t instance_track(Instance *i, uint32_t lane, MillValue process, MillValue thread);

/* A member of the document around a lane's events; false: there is no more, or lane is NULL. */
bool instance_member(const LaneInfo *lane, uint32_t index, bool *out_after, MillValue *out_key,
                     MillValue *out_json);

/* False, and it has failed, when a value has no type that there is, a number is not finite, a text not UTF-8 or
 * JSON not valid: sinks write it as it is.  Always, not only with --verify. */
bool instance_takes(Instance *i, const MillValue *v);

/* A batch to a sink, which only looks at it. */
Error *instance_write(Instance *i, Batch *b);

/* The instance that this thread is inside of, for crash reports; NULL when none. */
extern _Thread_local const Instance *instance_current;

#endif
