/* What the program and the process of a stage say to each other.  They take turns: the program calls, the stage asks as
 * often as it must, and returns. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ISOLATE_TALK_H
#define HOST_ISOLATE_TALK_H

#include <stdatomic.h>

#include "host/instance.h"
#include "host/wire.h"

/* The first number of each message.  Those of the program have the news after it: names and tracks that are new. */
enum { SAY_CALL, SAY_BATCH, SAY_CLOSE, SAY_ANSWER }; /* the program */
enum { SAY_RETURN, SAY_ASK };                        /* the stage */
enum { ASK_NAME, ASK_TRACK, ASK_LANE, ASK_TAG, ASK_N_LANES, ASK_MEMBER, ASK_BASE, ASK_LOG };
enum { SUMMARY_NONE, SUMMARY_READ, SUMMARY_WRITTEN };

typedef struct Shared { /* memory of both */
  _Atomic bool cancelled;
} IsolateShared;

/* Batches that a stage only looks at are sent so many at a time: changing between processes costs more than a batch. */
enum { ISOLATE_BURST = 16 };

typedef struct IsolateLink { /* ends of one process */
  int fd;
  WireArea areas[ISOLATE_BURST]; /* a batch each */
  IsolateShared *shared;
} IsolateLink;

/* Of a number, a symbol or none: those of tracks. */
void talk_put_value(Summary *out, const MillValue *v);
MillValue talk_get_value(Summary *from);

/* Becomes the process of the stage, in a child that was just forked. */
_Noreturn void isolate_work(Instance *i, IsolateLink *link, const void *options);

#endif
